#include "vault/accept.h"

#include "base/encode.h"
#include "base/hash.h"
#include "base/sbuf.h"
#include "vault/change/change.h"
#include "vault/change/hunks.h"
#include "vault/change/proposal.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/note/merge.h"
#include "vault/text/encoding.h"
#include "vault/transact.h"
#include "vault/vault.h"

enum { ACCEPT_TRIES = 4, ACCEPT_SEEN_BYTES = 16 };

struct accepting {
    struct vault *vault;
    struct arena *a;
    const struct accept *accept;
    const struct hunks *hunks;
    struct hunk_choice choice;
    struct accept_result *out;
    struct change change;
};

/* A file of the vault now. */
struct accept_disk {
    bool exists;
    str bytes;
};

static bool read_disk(struct vault *v, struct arena *a, str path, struct accept_disk *out,
                      struct err *err)
{
    struct err why = {0};
    *out = (struct accept_disk){0};
    out->exists = vault_bytes(v, a, path, CHANGE_FILE_MAX, &out->bytes, &why);
    if (out->exists || why.code == ERR_NOT_FOUND)
        return true;
    *err = why;
    return false;
}

static bool is_file_op(const struct proposal_op *p)
{
    return p->op.kind == JOURNAL_WRITE || p->op.kind == JOURNAL_DELETE;
}

/* --- one file --- */

/* What becomes of a file: the operation of its chosen hunks, merged with what it is now. */
struct accept_outcome {
    enum accept_state state;
    const char *why;
    struct change_op op;
    struct merge_result merged; /* of a conflict in the text */
};

static enum merge_kind merge_kind_of(str path)
{
    switch (file_kind_of(path)) {
    case FILE_NOTE:
        return MERGE_NOTE;
    case FILE_CANVAS:
        return MERGE_CANVAS;
    default:
        return MERGE_OPAQUE;
    }
}

static struct accept_outcome accept_conflict(const char *why)
{
    return (struct accept_outcome){.state = ACCEPT_CONFLICT, .why = why};
}

/* The file has another text now. */
static struct accept_outcome merge_file(struct arena *a, const struct proposal_op *p,
                                        str disk, str text)
{
    struct merge_input in = {.kind = merge_kind_of(p->op.path),
                             .base = &p->base,
                             .ours = &disk,
                             .theirs = &text};
    struct accept_outcome out = {.state = ACCEPT_MERGED, .op = p->op};
    if (p->op.expects == CHANGE_NEW)
        return accept_conflict("exists already");
    if (p->op.kind == JOURNAL_DELETE)
        return accept_conflict("has changed since");
    if (!merge_texts(a, &in, &out.merged)) {
        out.state = ACCEPT_CONFLICT;
        out.why = "has changed since in the same places";
        return out;
    }
    out.op.text = out.merged.text;
    out.op.was = hash_content(disk);
    if (str_eq(out.op.text, disk))
        out.state = ACCEPT_DONE;
    return out;
}

/* text: what the chosen hunks make of it. */
static struct accept_outcome outcome_of(struct arena *a, const struct proposal_op *p,
                                        const struct accept_disk *now, str text)
{
    bool deletes = p->op.kind == JOURNAL_DELETE, is_new = p->op.expects == CHANGE_NEW;
    struct accept_outcome out = {.state = ACCEPT_CLEAN, .op = p->op};
    out.op.text = text;
    if (now->exists ? !deletes && str_eq(now->bytes, text) : deletes)
        out.state = ACCEPT_DONE;
    else if (!now->exists && !is_new)
        return accept_conflict("is no longer there");
    else if (now->exists && (is_new || !str_eq(now->bytes, p->base)))
        return merge_file(a, p, now->bytes, text);
    return out;
}

/* --- what was seen --- */

/* What identifies the proposal; the same for each of its files as they are. */
static void add_seen(struct accepting *x, struct sbuf *out, const struct proposal_op *p,
                     const struct accept_disk *now)
{
    struct hash_content h = hash_content(now->bytes);
    if (is_file_op(p))
        sbuf_printf(out, "%d %llx %llx " STR_FMT "\n", now->exists,
                    (unsigned long long)h.high, (unsigned long long)h.low,
                    STR_ARG(p->op.path));
    else if (p->found.n > 0)
        sbuf_printf(out, STR_FMT " " STR_FMT "\n",
                    STR_ARG(draft_digest(x->vault, x->a, p->op.path)),
                    STR_ARG(p->op.path));
}

static str seen_digest(struct accepting *x, const struct sbuf *state)
{
    struct sbuf all = SBUF_ON(x->a);
    uint8_t hash[HASH_SIZE];
    hash_sha256(proposal_print(x->a, x->accept->proposal), hash);
    sbuf_add(&all, (str){(char *)hash, sizeof(hash)});
    sbuf_add(&all, x->accept->id);
    sbuf_add(&all, sbuf_str(state));
    hash_sha256(sbuf_str(&all), hash);
    return encode_hex(x->a, (str){(char *)hash, ACCEPT_SEEN_BYTES});
}

/* --- all --- */

static bool accept_failed(const struct proposal_op *p, const char *why, struct err *err)
{
    return err_named(err, E_CONFLICT, "'" STR_FMT "' %s: nothing was changed",
                     STR_ARG(p->op.path), why);
}

/* Of something that moves, unless the same change writes it: that is merged. */
static bool other_is_as_it_was(struct accepting *x, const struct proposal_op *p)
{
    const struct proposal *all = x->accept->proposal;
    bool written = false;
    for (size_t i = 0; i < all->n; i++)
        written = written || (all->ops[i].op.kind == JOURNAL_WRITE &&
                              str_eq(all->ops[i].op.path, p->op.path));
    return written || p->found.n == 0 ||
           str_eq(p->found, draft_digest(x->vault, x->a, p->op.path));
}

#define ACCEPT_MOVED_ON "is not what it was when this was proposed"

static void accept_add_op(struct accepting *x, struct change_op op)
{
    x->change.ops[x->change.n++] = op;
}

static bool accept_plan_file(struct accepting *x, const struct hunk_file *f,
                             const struct accept_disk *now, struct err *err)
{
    str text;
    if (hunks_taken(f, &x->choice) == 0)
        return true;
    if (!hunks_apply(x->a, f, &x->choice, &text, err))
        return false;
    struct accept_outcome o = outcome_of(x->a, f->op, now, text);
    if (o.state == ACCEPT_CONFLICT)
        return accept_failed(f->op, o.why, err);
    x->out->merged += o.state == ACCEPT_MERGED;
    if (o.state != ACCEPT_DONE)
        accept_add_op(x, o.op);
    return true;
}

static bool plan_one(struct accepting *x, const struct hunk_file *f,
                     const struct accept_disk *now, struct err *err)
{
    if (is_file_op(f->op))
        return accept_plan_file(x, f, now, err);
    if (hunks_taken(f, &x->choice) == 0)
        return true;
    if (!other_is_as_it_was(x, f->op))
        return accept_failed(f->op, ACCEPT_MOVED_ON, err);
    accept_add_op(x, f->op->op);
    return true;
}

/* Folders that are made or removed are no hunks: they belong to the whole. */
static bool plan_folder(struct accepting *x, const struct proposal_op *p, struct err *err)
{
    if (x->choice.none)
        return true;
    if (!other_is_as_it_was(x, p))
        return accept_failed(p, ACCEPT_MOVED_ON, err);
    accept_add_op(x, p->op);
    return true;
}

static bool plan(struct accepting *x, struct err *err)
{
    const struct proposal *p = x->accept->proposal;
    const struct hunk_file *f = x->hunks->files, *end = f + x->hunks->n;
    struct sbuf state = SBUF_ON(x->a);
    x->out->merged = 0;
    x->change.n = 0;
    struct err conflict = {0}; /* that the files changed counts more */
    for (size_t i = 0; i < p->n; i++) {
        struct accept_disk now = {0};
        bool is_hunk = f < end && f->op == &p->ops[i];
        if (is_file_op(&p->ops[i]) &&
            !read_disk(x->vault, x->a, p->ops[i].op.path, &now, err))
            return false;
        add_seen(x, &state, &p->ops[i], &now);
        if (conflict.code == ERR_NONE)
            (void)!(is_hunk ? plan_one(x, f, &now, &conflict)
                            : plan_folder(x, &p->ops[i], &conflict));
        f += is_hunk;
    }
    if (x->accept->seen.n > 0 && !str_eq(x->accept->seen, seen_digest(x, &state)))
        return err_named(err, E_STALE,
                         "the notes have changed since this was shown: look at it again; "
                         "nothing was changed");
    if (conflict.code != ERR_NONE)
        *err = conflict;
    return conflict.code == ERR_NONE;
}

static bool attempt(void *arg, bool *again, struct err *err)
{
    struct accepting *x = arg;
    struct change_result made;
    vault_refresh(x->vault, NULL, 0);
    if (!vault_made_before(x->vault, x->a, &x->change.once, &made, err))
        return false;
    if (made.repeated) {
        x->out->change = made.number;
        x->out->repeated = true;
        return true;
    }
    if (!plan(x, err))
        return false;
    if (vault_change(x->vault, x->a, &x->change, &made, err)) {
        x->out->change = made.number;
        return true;
    }
    *again = err->name == E_CONFLICT; /* a file was changed just now */
    return false;
}

static void begin_accepting(struct accepting *x)
{
    const struct accept *p = x->accept;
    if (p->hunks == NULL) {
        struct hunks *all = ARENA_NEW(x->a, struct hunks);
        hunks_list(x->a, p->proposal, all);
        x->hunks = all;
    } else {
        x->hunks = p->hunks;
    }
    if (p->choice == NULL)
        hunks_choose_all(x->a, x->hunks, &x->choice);
    else
        x->choice = *p->choice;
}

struct idempotency accept_once(struct arena *a, str id)
{
    return (struct idempotency){.key = arena_printf(a, "proposal " STR_FMT, STR_ARG(id)),
                                .request = id};
}

bool accept_proposal(struct vault *v, struct arena *a, const struct accept *p,
                     struct accept_result *out, struct err *err)
{
    struct accepting x = {.vault = v, .a = a, .accept = p, .out = out};
    begin_accepting(&x);
    *out = (struct accept_result){.partly = x.choice.n < x.hunks->n_hunks};
    x.change = (struct change){.by = p->proposal->by,
                               .guard = p->guard,
                               .once = accept_once(a, p->id),
                               .files = out->partly ? 0 : p->proposal->files,
                               .ops = ARENA_ARRAY(a, struct change_op, p->proposal->n)};
    x.change.by.accepted_by = p->by;
    x.change.by.confirmed = true;
    return transact_try(v, attempt, &x, ACCEPT_TRIES, 0, err);
}

/* --- before --- */

static str accept_text(struct arena *a, str bytes)
{
    enum encoding ignored;
    return hunks_is_text(bytes) ? encoding_read(a, bytes, &ignored) : (str){0};
}

static void list_collisions(struct arena *a, const struct merge_result *m, str theirs,
                            struct accept_file *out)
{
    out->collisions = ARENA_ARRAY(a, struct accept_collision, m->n_collisions);
    out->n_collisions = m->n_collisions;
    for (size_t i = 0; i < m->n_collisions; i++) {
        const struct merge_collision *c = &m->collisions[i];
        out->collisions[i] = (struct accept_collision){span_of(m->text, c->result),
                                                       span_of(theirs, c->theirs)};
    }
}

/* Which hunks would conflict alone. */
static const bool *find_clashes(struct accepting *x, const struct hunk_file *f,
                                const struct accept_disk *now)
{
    if (f->whole || f->n > ACCEPT_CLASHES_MAX)
        return NULL;
    bool *out = ARENA_ARRAY(x->a, bool, f->n);
    struct hunk_choice one = {.taken = ARENA_ARRAY(x->a, bool, x->hunks->n_hunks),
                              .n = 1};
    memset(one.taken, 0, x->hunks->n_hunks);
    for (size_t i = 0; i < f->n; i++) {
        struct err ignored;
        str text;
        one.taken[f->first + i] = true;
        out[i] = !hunks_apply(x->a, f, &one, &text, &ignored) ||
                 outcome_of(x->a, f->op, now, text).state == ACCEPT_CONFLICT;
        one.taken[f->first + i] = false;
    }
    return out;
}

static struct accept_file show_file(struct accepting *x, const struct hunk_file *f,
                                    const struct accept_disk *now)
{
    struct accept_file out = {.state = ACCEPT_LEFT_OUT,
                              .now = accept_text(x->a, now->bytes)};
    struct err why = {0};
    str text;
    if (hunks_taken(f, &x->choice) == 0)
        return out;
    if (!hunks_apply(x->a, f, &x->choice, &text, &why)) {
        out.state = ACCEPT_CONFLICT;
        out.why = "cannot be accepted in parts";
        return out;
    }
    struct accept_outcome o = outcome_of(x->a, f->op, now, text);
    out.state = o.state;
    out.why = o.why;
    if (o.state == ACCEPT_CONFLICT) {
        list_collisions(x->a, &o.merged, text, &out);
        out.clashes = find_clashes(x, f, now);
    } else if (f->op->op.kind == JOURNAL_WRITE) {
        out.result = accept_text(x->a, o.state == ACCEPT_DONE ? now->bytes : o.op.text);
    }
    return out;
}

static struct accept_file show_other(struct accepting *x, const struct hunk_file *f)
{
    struct accept_file out = {.state = ACCEPT_CLEAN};
    if (!other_is_as_it_was(x, f->op)) {
        out.state = ACCEPT_CONFLICT;
        out.why = ACCEPT_MOVED_ON;
    }
    return out;
}

bool accept_preview(struct vault *v, struct arena *a, const struct accept *p,
                    struct accept_preview *out, struct err *err)
{
    struct accepting x = {.vault = v, .a = a, .accept = p};
    struct sbuf state = SBUF_ON(a);
    const struct proposal *all = p->proposal;
    begin_accepting(&x);
    const struct hunk_file *f = x.hunks->files, *end = f + x.hunks->n;
    *out =
        (struct accept_preview){.files = ARENA_ARRAY(a, struct accept_file, x.hunks->n)};
    for (size_t i = 0; i < all->n; i++) {
        struct accept_disk now = {0};
        if (is_file_op(&all->ops[i]) && !read_disk(v, a, all->ops[i].op.path, &now, err))
            return false;
        add_seen(&x, &state, &all->ops[i], &now);
        if (f == end || f->op != &all->ops[i])
            continue;
        struct accept_file *to = &out->files[f - x.hunks->files];
        *to = is_file_op(f->op) ? show_file(&x, f, &now) : show_other(&x, f);
        out->conflicts += to->state == ACCEPT_CONFLICT;
        out->merged += to->state == ACCEPT_MERGED;
        f++;
    }
    out->seen = seen_digest(&x, &state);
    return true;
}
