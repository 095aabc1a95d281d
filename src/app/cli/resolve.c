#include "app/cli/resolve.h"

#include "app/answers/term.h"
#include "app/cli/ask.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "base/array.h"
#include "base/os/terminal.h"
#include "sync/conflict.h"
#include "vault/ask/conflict_copy.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/ops.h"
#include "vault/text/diff.h"
#include "vault/transact.h"
#include "vault/vault.h"

const char *const resolve_keeps[] = {"ask", "mine", "theirs", "both", NULL};

/* A note and the other version. */
struct resolve_pair {
    str path, copy;
};

struct resolve_pairs {
    struct resolve_pair *items;
    size_t n;
};

struct resolving {
    const struct resolve_pair *pair;
    enum resolve_keep keep;
};

/* --- the texts --- */

static void resolve_add_lines(struct sbuf *out, const str *lines, uint32_t from,
                              uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        bool glued = out->n > 0 && out->p[out->n - 1] != '\n';
        sbuf_printf(out, "%s" STR_FMT, glued ? "\n" : "", STR_ARG(lines[i]));
    }
}

str resolve_both(struct arena *a, str mine, str theirs)
{
    struct sbuf out = SBUF_ON(a);
    struct diff d;
    size_t head = conflict_body(mine);
    uint32_t at = 0;
    diff_make(a, str_skip(mine, head), str_skip(theirs, conflict_body(theirs)), &d);
    sbuf_add(&out, str_slice(mine, 0, head));
    for (size_t i = 0; i < d.n_hunks; i++) {
        for (size_t k = 0; k < d.hunks[i].n_changes; k++) {
            const struct diff_change *c = &d.hunks[i].changes[k];
            resolve_add_lines(&out, d.old_lines, at, c->old_at + c->old_n);
            resolve_add_lines(&out, d.new_lines, c->new_at, c->new_at + c->new_n);
            at = c->old_at + c->old_n;
        }
    }
    resolve_add_lines(&out, d.old_lines, at, d.n_old);
    return sbuf_str(&out);
}

/* --- which there are --- */

static void resolve_find(struct cli *c, struct resolve_pairs *out)
{
    cli_lock(c);
    for (file_id i = 0; i < c->index->n; i++) {
        const struct file *f = index_file(c->index, i);
        str path = f != NULL ? conflict_copy_of(c->arena, f->path) : STR("");
        if (path.n > 0 && index_find(c->index, path) != NULL)
            *ARRAY_ADD(c->arena, out->items, out->n) = (struct resolve_pair){
                arena_str(c->arena, path), arena_str(c->arena, f->path)};
    }
    cli_unlock(c);
}

/* Only those of a note, which may also be named by its copy. */
static bool resolve_select(struct cli *c, str note, struct resolve_pairs *all,
                           struct err *err)
{
    const struct file *f;
    size_t kept = 0;
    if (note.n == 0)
        return true;
    cli_lock(c);
    bool found = cli_find(c, note, &f, err);
    str path = found ? arena_str(c->arena, f->path) : STR("");
    cli_unlock(c);
    for (size_t i = 0; i < all->n && found; i++)
        if (str_eq(all->items[i].path, path) || str_eq(all->items[i].copy, path))
            all->items[kept++] = all->items[i];
    all->n = kept;
    return found &&
           (kept > 0 || err_set(err, ERR_NOT_FOUND, "'" STR_FMT "' has no conflict copy",
                                STR_ARG(path)));
}

/* --- one of them --- */

static bool resolve_steps(struct draft *d, void *arg, struct err *err)
{
    const struct resolving *r = arg;
    struct draft_file mine, copy;
    struct ops_delete how = {0};
    struct ops_report report;
    struct arena *a = draft_arena(d);
    if (!draft_read(d, r->pair->path, &mine, err) ||
        !draft_read(d, r->pair->copy, &copy, err))
        return false;
    str theirs = conflict_original(a, copy.text);
    str text = r->keep == RESOLVE_MINE     ? mine.text
               : r->keep == RESOLVE_THEIRS ? theirs
                                           : resolve_both(a, mine.text, theirs);
    return (str_eq(text, mine.text) ||
            draft_write(d, mine.path, text, DRAFT_EDIT, err)) &&
           ops_delete(d, copy.path, &how, &report, err) && draft_check(d, err);
}

static bool resolve_one(struct cli *c, const struct resolve_pair *pair,
                        enum resolve_keep keep, bool dry_run, struct err *err)
{
    struct resolving r = {pair, keep};
    struct draft_result made;
    struct transact t = {
        .by = cli_actor(c), .dry_run = dry_run, .steps = resolve_steps, .arg = &r};
    if (!transact_run(c->vault, c->arena, &t, &made, err))
        return false;
    if (dry_run) {
        term_diff(&c->out, draft_diff(c->arena, &made, 0));
        term_put(&c->out, TERM_FAINT, STR("Nothing was changed\n"));
        return true;
    }
    term_printf(&c->out, TERM_PLAIN, "kept %s of " STR_FMT "\n", resolve_keeps[keep],
                STR_ARG(pair->path));
    term_printf(&c->out, TERM_FAINT, "change %llu; undo it with vaultd undo %llu\n",
                (unsigned long long)made.change, (unsigned long long)made.change);
    return true;
}

static bool resolve_show(struct cli *c, const struct resolve_pair *pair, struct err *err)
{
    struct vault_text mine, copy;
    struct diff d;
    if (!vault_read(c->vault, c->arena, pair->path, 1, 0, &mine, err) ||
        !vault_read(c->vault, c->arena, pair->copy, 1, 0, &copy, err))
        return false;
    diff_make(c->arena, mine.content, conflict_original(c->arena, copy.content), &d);
    term_put(&c->out, TERM_PLAIN, STR("\n"));
    term_printf(&c->out, TERM_PATH, STR_FMT "\n", STR_ARG(pair->path));
    term_diff(&c->out, diff_print(c->arena, &d, STR("mine"), STR("theirs"), 0));
    return true;
}

/* Shows both versions, and does what the user says. */
static bool resolve_ask(struct cli *c, const struct resolve_pair *pair, bool dry_run,
                        struct err *err)
{
    const str choices[] = {STR("later"), STR("mine: the note as it is"),
                           STR("theirs: the other version"),
                           STR("both: the lines of both")};
    struct ask ask = {c->arena, &c->out};
    size_t chosen;
    str ignored;
    if (!resolve_show(c, pair, err) ||
        !ask_choice(&ask, STR("Which version do you keep?"), choices, COUNT_OF(choices),
                    false, &chosen, &ignored, err))
        return false;
    return chosen == 0 || resolve_one(c, pair, (enum resolve_keep)chosen, dry_run, err);
}

/* --- all --- */

static void resolve_print(struct cli *c, const struct resolve_pairs *all)
{
    struct cli_json json;
    struct jsonw *w = c->json ? cli_json_begin(c, &json) : NULL;
    if (w != NULL) {
        jsonw_object(w);
        jsonw_put_array(w, STR("conflicts"));
    }
    for (size_t i = 0; i < all->n; i++) {
        if (w == NULL) {
            term_put(&c->out, TERM_PATH, all->items[i].path);
            term_printf(&c->out, TERM_PLAIN, "  " STR_FMT "\n",
                        STR_ARG(all->items[i].copy));
            continue;
        }
        jsonw_object(w);
        jsonw_put_str(w, STR("path"), all->items[i].path);
        jsonw_put_str(w, STR("theirs"), all->items[i].copy);
        jsonw_end(w);
    }
    if (w == NULL)
        return;
    jsonw_end(w);
    jsonw_end(w);
    cli_json_print(c, &json);
}

bool resolve_run(struct cli *c, str note, enum resolve_keep keep, bool dry_run,
                 struct err *err)
{
    struct resolve_pairs all = {0};
    bool person = !c->json && c->out.width > 0 && terminal_is(FILE_STDIN);
    resolve_find(c, &all);
    if (!resolve_select(c, note, &all, err))
        return false;
    c->status = all.n == 0;
    if (all.n == 0 && c->out.width > 0 && !c->json)
        term_put(&c->out, TERM_GOOD, STR("There are no conflicts\n"));
    if (keep == RESOLVE_ASK && !person) {
        resolve_print(c, &all);
        return true;
    }
    for (size_t i = 0; i < all.n; i++)
        if (!(keep == RESOLVE_ASK ? resolve_ask(c, &all.items[i], dry_run, err)
                                  : resolve_one(c, &all.items[i], keep, dry_run, err)))
            return false;
    return true;
}
