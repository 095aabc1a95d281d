/* The outcome of a draft: a list for the caller, operations for the disk. */
#include "base/encode.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/draft_parts.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/text/diff.h"
#include "vault/text/encoding.h"
#include "vault/vault.h"

/* Names of files on a detour, which no answer shows. */
#define ASIDE ".vaultd-aside-"

/* Where a file that is changed also moves to, alone or with its folder; or empty. */
static str moves_to(struct draft *d, const struct draft_entry *e)
{
    const struct change_op *by = NULL; /* the innermost one counts */
    for (size_t i = 0; i < d->n_others; i++) {
        const struct change_op *m = &d->others[i];
        if (m->kind == JOURNAL_MOVE && path_is_or_below(m->path, e->path) &&
            (by == NULL || m->path.n > by->path.n))
            by = m;
    }
    return by == NULL ? (str){0}
                      : arena_printf(d->a, STR_FMT STR_FMT, STR_ARG(by->to),
                                     STR_ARG(str_skip(e->path, by->path.n)));
}

static struct draft_touched touched(struct draft *d, const struct draft_entry *e)
{
    return (struct draft_touched){
        .outcome = !e->exists    ? DRAFT_DELETED
                   : !e->existed ? DRAFT_CREATED
                                 : DRAFT_CHANGED,
        .path = e->path,
        .to = e->exists && e->existed ? moves_to(d, e) : (str){0},
        .before = e->before,
        .after = e->text,
        .hash = hash_content(draft_bytes(d, e)),
    };
}

void draft_preview(struct draft *d, struct draft_result *out)
{
    *out = (struct draft_result){0};
    out->files = ARENA_ARRAY(d->a, struct draft_touched, d->n + d->n_others);
    for (size_t i = 0; i < d->n; i++)
        if (draft_entry_changed(d->entries[i]))
            out->files[out->n++] = touched(d, d->entries[i]);
    for (size_t i = 0; i < d->n_others; i++)
        if (d->others[i].kind == JOURNAL_MOVE)
            out->files[out->n++] = (struct draft_touched){
                .outcome = DRAFT_MOVED, .path = d->others[i].path, .to = d->others[i].to};
}

/* At least 1, for a file and for an empty folder. */
static size_t draft_files_at(struct draft *d, str path)
{
    struct err ignored;
    const struct file **files;
    size_t n = 1;
    if (!vault_wait(d->vault, NULL, NULL, &ignored))
        return n;
    const struct index *x = vault_lock(d->vault);
    if (index_find(x, path) == NULL)
        n = index_below(x, d->a, path, &files);
    vault_unlock(d->vault);
    return n > 0 ? n : 1;
}

/* Whether it moves, too, alone or with a folder: then it is counted with what moves. */
static bool draft_entry_moves(const struct draft *d, const struct draft_entry *e)
{
    for (size_t i = 0; i < d->n_others; i++)
        if (d->others[i].kind == JOURNAL_MOVE &&
            path_is_or_below(d->others[i].path, e->path))
            return true;
    return false;
}

size_t draft_files(struct draft *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        n += draft_entry_changed(d->entries[i]) && !draft_entry_moves(d, d->entries[i]);
    for (size_t i = 0; i < d->n_others; i++)
        if (d->others[i].kind == JOURNAL_MOVE)
            n += draft_files_at(d, d->others[i].path);
    return n;
}

/* A file that was not read is known by its size and, if dates count, by its date. */
static struct hash_content plan_file(struct arena *a, const struct file *f, bool dates)
{
    bool dated = dates && f->text.n == 0;
    return hash_content(arena_printf(
        a, STR_FMT "\n%llx %llx %lld %lld", STR_ARG(f->path),
        (unsigned long long)f->hash.high, (unsigned long long)f->hash.low,
        (long long)f->info.size, dated ? (long long)f->info.modified_ns : 0LL));
}

/* What is in files and folders that are moved or removed as a whole. */
static str plan_files_at(struct vault *v, struct arena *a, str path, bool dates)
{
    struct err ignored;
    const struct file **files;
    if (!vault_wait(v, NULL, NULL, &ignored))
        return STR("");
    const struct index *x = vault_lock(v);
    size_t n = 0;
    const struct file *one = index_find(x, path);
    if (one == NULL)
        n = index_below(x, a, path, &files);
    else
        files = &one, n = 1;
    uint64_t low = 0, high = 0; /* sums, because the files have no order */
    for (size_t i = 0; i < n; i++) {
        struct hash_content h = plan_file(a, files[i], dates);
        low += h.low;
        high += h.high;
    }
    vault_unlock(v);
    return arena_printf(a, "%zu files %llx %llx", n, (unsigned long long)high,
                        (unsigned long long)low);
}

/* Dates differ between the clones of replicas. */
str draft_digest(struct vault *v, struct arena *a, str path)
{
    return plan_files_at(v, a, path, false);
}

str draft_plan(struct draft *d)
{
    struct sbuf text = SBUF_ON(d->a);
    uint8_t hash[HASH_SIZE];
    for (size_t i = 0; i < d->n; i++) {
        const struct draft_entry *e = d->entries[i];
        if (draft_entry_changed(e))
            sbuf_printf(&text, "%d %d %llx %llx " STR_FMT "\n", e->existed, e->exists,
                        (unsigned long long)e->was.high, (unsigned long long)e->was.low,
                        STR_ARG(e->path));
    }
    for (size_t i = 0; i < d->n_others; i++) {
        const struct change_op *op = &d->others[i];
        sbuf_printf(&text, "op %d " STR_FMT "\n  " STR_FMT "\n", (int)op->kind,
                    STR_ARG(op->path), STR_ARG(op->to));
        sbuf_printf(&text, "  " STR_FMT "\n",
                    STR_ARG(plan_files_at(d->vault, d->a, op->path, true)));
    }
    hash_sha256(sbuf_str(&text), hash);
    return encode_hex(d->a, (str){(char *)hash, sizeof(hash)});
}

void draft_confirm(struct draft *d)
{
    d->by.confirmed = true;
}

/* Whether two paths are the same file: for some file systems, case does not count. */
static bool is_same_file(struct draft *d, str x, str y)
{
    return str_eq(x, y) || (x.n > 0 && vault_ignores_case(d->vault) &&
                            str_eq(utf8_fold(d->a, x), utf8_fold(d->a, y)));
}

/* Whether b has to be moved before a can be: it is at the target or in what moves, or it
 * is the folder in which the target is. */
static bool is_in_the_way(struct draft *d, const struct change_op *b,
                          const struct change_op *a)
{
    return is_same_file(d, b->path, a->to) || path_is_or_below(a->path, b->path) ||
           path_is_below(b->to, a->to);
}

static bool can_move(struct draft *d, const struct change_op *moves, size_t n, size_t i)
{
    for (size_t k = 0; k < n; k++)
        if (k != i && is_in_the_way(d, &moves[k], &moves[i]))
            return false;
    return true;
}

/*
 * Orders the moves so that every target is free when its turn comes, and files that leave
 * a folder do so before the folder moves. A cycle is broken by moving one of its files to
 * a temporary name first.
 */
static size_t order_moves(struct draft *d, struct change_op *out)
{
    size_t n = 0, left = 0, detours = 0;
    struct change_op *moves = ARENA_ARRAY(d->a, struct change_op, d->n_others);
    for (size_t i = 0; i < d->n_others; i++)
        if (d->others[i].kind == JOURNAL_MOVE)
            moves[left++] = d->others[i];
    while (left > 0) {
        size_t before = left;
        for (size_t i = 0; i < left;) {
            if (!can_move(d, moves, left, i)) {
                i++;
                continue;
            }
            out[n++] = moves[i];
            moves[i] = moves[--left];
        }
        if (left < before)
            continue;
        str aside = path_join(d->a, path_folder(moves[0].path),
                              arena_printf(d->a, ASIDE "%zu.tmp", detours++));
        out[n] = moves[0];
        out[n++].to = aside;
        moves[0].path = aside;
    }
    return n;
}

static bool list_ops(struct draft *d, struct change *change, struct err *err)
{
    str bytes;
    change->ops = ARENA_ARRAY(d->a, struct change_op, d->n + 2 * d->n_others);
    change->n = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct draft_entry *e = d->entries[i];
        if (!draft_entry_changed(e))
            continue;
        if (!draft_encode(d, e, &bytes, err))
            return false;
        change->ops[change->n++] = (struct change_op){
            .kind = e->exists ? JOURNAL_WRITE : JOURNAL_DELETE,
            .path = e->path,
            .text = bytes,
            .expects = e->existed ? CHANGE_SAME : CHANGE_NEW,
            .was = e->was,
        };
    }
    for (size_t i = 0; i < d->n_others; i++)
        if (d->others[i].kind != JOURNAL_MOVE)
            change->ops[change->n++] = d->others[i];
    change->n += order_moves(d, change->ops + change->n);
    return true;
}

/* --- proposing --- */

/* The bytes that a file was read from. */
static bool base_of(struct draft *d, const struct draft_entry *e, str *out,
                    struct err *err)
{
    str missing;
    return encoding_write(d->a, e->before, e->stored, out, &missing) ||
           err_named(err, E_NOT_TEXT,
                     "'" STR_FMT "' cannot be proposed: its encoding is "
                     "not known",
                     STR_ARG(e->path));
}

static bool list_proposed(struct draft *d, const struct change *change,
                          struct proposal *out, struct err *err)
{
    if (change->n > PROPOSAL_OPS_MAX)
        return err_set(err, ERR_LIMIT, "at most %d files can be proposed at once",
                       PROPOSAL_OPS_MAX);
    out->ops = ARENA_ARRAY(d->a, struct proposal_op, change->n);
    for (out->n = 0; out->n < change->n; out->n++) {
        const struct change_op *op = &change->ops[out->n];
        struct proposal_op *to = &out->ops[out->n];
        const struct draft_entry *e = draft_find_entry(d, op->path);
        *to = (struct proposal_op){.op = *op};
        if (op->kind == JOURNAL_MOVE || op->kind == JOURNAL_REMOVE_FOLDER)
            to->found = draft_digest(d->vault, d->a, op->path);
        else if (op->expects == CHANGE_SAME && e != NULL &&
                 !base_of(d, e, &to->base, err))
            return false;
    }
    return true;
}

/* "TOOL: Work/Plan.md and 2 more" */
static str summary_of(struct draft *d, const struct draft_result *r,
                      const struct change *change)
{
    struct sbuf out = SBUF_ON(d->a);
    sbuf_printf(&out, STR_FMT ": ", STR_ARG(d->by.tool));
    sbuf_add(&out, r->n > 0 ? r->files[0].path : change->ops[0].path);
    if (r->n > 1)
        sbuf_printf(&out, " and %zu more", r->n - 1);
    return sbuf_str(&out);
}

static bool propose(struct draft *d, const struct change *change,
                    const struct idempotency *once, struct draft_result *out,
                    struct err *err)
{
    struct proposal p = {.by = d->by, .files = change->files};
    struct proposal_kept kept = {0};
    struct draft_result drafted;
    draft_preview(d, &drafted);
    p.summary = summary_of(d, &drafted, change);
    if (!list_proposed(d, change, &p, err) ||
        !vault_propose(d->vault, d->a, &p, once, &kept, err))
        return false;
    *out = drafted;
    out->proposal = kept.id;
    out->repeated = kept.repeated;
    out->answer = kept.answer;
    if (kept.repeated)
        out->n = 0;
    return true;
}

bool draft_needs_review(struct draft *d)
{
    struct change change = {0};
    struct err ignored;
    return list_ops(d, &change, &ignored) && vault_needs_review(d->vault, &change);
}

/* --- committing --- */

bool draft_commit(struct draft *d, const struct idempotency *once,
                  struct draft_result *out, struct err *err)
{
    struct change change = {.by = d->by, .once = *once, .files = draft_files(d)};
    struct change_result made;
    if (!list_ops(d, &change, err))
        return false;
    if (change.n > 0 && vault_needs_review(d->vault, &change))
        return propose(d, &change, once, out, err);
    if (d->base.find != NULL)
        return err_set(
            err, ERR_INVALID,
            "what builds on a proposal can only be proposed, and this needs no "
            "review: leave out proposal");
    if (!vault_change(d->vault, d->a, &change, &made, err))
        return false;
    draft_preview(d, out);
    out->change = made.number;
    out->repeated = made.repeated;
    out->answer = made.answer;
    if (made.repeated)
        out->n = 0;
    return true;
}

/* --- undo --- */

static struct draft_touched touched_by(const struct change_op *op)
{
    bool goes = op->kind == JOURNAL_DELETE;
    return (struct draft_touched){
        .outcome = op->kind == JOURNAL_MOVE    ? DRAFT_MOVED
                   : goes                      ? DRAFT_DELETED
                   : op->expects == CHANGE_NEW ? DRAFT_CREATED
                                               : DRAFT_CHANGED,
        .path = op->path,
        .to = op->to,
        .after = goes ? STR("") : op->text,
        .hash = hash_content(goes ? STR("") : op->text),
    };
}

static bool is_on_detour(str path)
{
    return str_starts(path_name(path), STR(ASIDE));
}

/* Where a move ends that goes by a detour. */
static str end_of_detour(const struct change_result *undo, size_t i)
{
    str to = undo->undoing[i].to;
    for (size_t k = i + 1; k < undo->n_undoing && is_on_detour(to); k++)
        if (undo->undoing[k].kind == JOURNAL_MOVE && str_eq(undo->undoing[k].path, to))
            to = undo->undoing[k].to;
    return to;
}

void draft_list_undo(struct arena *a, const struct change_result *undo,
                     struct draft_result *out)
{
    *out = (struct draft_result){
        .change = undo->number,
        .repeated = undo->repeated,
        .answer = undo->answer,
        .in_all = (size_t)undo->files,
        .files = ARENA_ARRAY(a, struct draft_touched, undo->n_undoing)};
    for (size_t i = 0; i < undo->n_undoing; i++) {
        enum journal_kind kind = undo->undoing[i].kind;
        if (kind == JOURNAL_MAKE_FOLDER || kind == JOURNAL_REMOVE_FOLDER ||
            (kind == JOURNAL_MOVE && is_on_detour(undo->undoing[i].path)))
            continue;
        out->files[out->n] = touched_by(&undo->undoing[i]);
        if (kind == JOURNAL_MOVE)
            out->files[out->n].to = end_of_detour(undo, i);
        out->n++;
    }
}

bool draft_read_undo(struct vault *v, struct arena *a, const struct change_result *undo,
                     struct draft_result *out, struct err *err)
{
    draft_list_undo(a, undo, out);
    for (size_t i = 0; i < out->n; i++) {
        struct draft_touched *f = &out->files[i];
        enum encoding ignored;
        if ((f->outcome == DRAFT_CHANGED || f->outcome == DRAFT_DELETED) &&
            !vault_bytes(v, a, f->path, CHANGE_FILE_MAX, &f->before, err))
            return false;
        f->before = encoding_read(a, f->before, &ignored);
        f->after = encoding_read(a, f->after, &ignored);
    }
    return true;
}

/* --- as text --- */

/* A byte order mark is not text that anyone would look at. */
static str draft_commit_without_bom(str text)
{
    return str_skip(text, str_starts(text, STR("\xEF\xBB\xBF")) ? 3 : 0);
}

str draft_diff(struct arena *a, const struct draft_result *r, size_t max)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < r->n && (max == 0 || b.n < max); i++) {
        const struct draft_touched *f = &r->files[i];
        if (f->outcome == DRAFT_MOVED) {
            sbuf_printf(&b, "rename from " STR_FMT "\nrename to " STR_FMT "\n",
                        STR_ARG(f->path), STR_ARG(f->to));
            continue;
        }
        struct diff diff;
        diff_make(a, draft_commit_without_bom(f->before),
                  draft_commit_without_bom(f->after), &diff);
        str none = STR("/dev/null");
        sbuf_add(&b, diff_print(a, &diff, f->outcome == DRAFT_CREATED ? none : f->path,
                                f->outcome == DRAFT_DELETED ? none : f->path,
                                max > 0 ? max - b.n : 0));
    }
    return sbuf_str(&b);
}
