#include "app/cli/check_fix.h"

#include "app/answers/term.h"
#include "app/cli/ask.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/pick.h"
#include "base/array.h"
#include "base/path.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/transact.h"
#include "vault/vault.h"

/* A note with links to fix. */
struct check_fixed {
    str path, before, after;
};

struct check_fixes {
    struct check_fixed *items;
    size_t n, links;
};

/* The file that a link without a folder means, if others have its name, too. */
static const struct file *fix_target(const struct index *x, struct arena *a,
                                     const struct file *f, str path)
{
    struct names_answer answer;
    if (path.n == 0 || str_find_char(path, '/') != STR_NONE)
        return NULL;
    names_resolve(x->names, NULL, path, f->path, f->id, &answer);
    if (answer.file == NO_FILE || answer.rule == NAMES_ONLY_ONE ||
        answer.rule == NAMES_RELATIVE)
        return NULL;
    names_resolve(x->names, a, path, f->path, f->id, &answer);
    return answer.n_others > 0 ? index_file(x, answer.file) : NULL;
}

/* Whether the link is in a row of a table, where "|" ends a cell. */
static bool fix_is_in_table(str text, size_t at)
{
    size_t start = at;
    while (start > 0 && text.p[start - 1] != '\n')
        start--;
    return str_starts(str_trim(str_slice(text, start, at)), STR("|"));
}

/* The text of the link with the whole path; false: it has no folder to name. */
static bool fix_link(const struct file *f, const struct note_link *l,
                     const struct file *target, struct sbuf *out)
{
    str path = target->path, old = span_of(f->text, l->path);
    if (str_ends(path, STR(".md")))
        path = str_slice(path, 0, path.n - 3);
    if (str_find_char(path, '/') == STR_NONE ||
        strpbrk(arena_str(out->arena, path).p, "[]|#^"))
        return false;
    bool shows = l->display.end > l->display.start;
    bool adds = !shows && !l->embed && l->subpath.end == l->subpath.start;
    sbuf_add(out, path);
    if (adds)
        sbuf_printf(out, "%s" STR_FMT,
                    fix_is_in_table(f->text, l->whole.start) ? "\\|" : "|", STR_ARG(old));
    return true;
}

static void fix_note(const struct index *x, struct arena *a, const struct file *f,
                     struct check_fixes *out)
{
    struct sbuf text = SBUF_ON(a);
    size_t at = 0, links = 0;
    for (uint32_t i = 0; i < f->note.n_links; i++) {
        const struct note_link *l = &f->note.links[i];
        if (l->kind != NOTE_WIKILINK || l->path.start < at)
            continue;
        const struct file *target = fix_target(x, a, f, span_of(f->text, l->path));
        struct sbuf link = SBUF_ON(a);
        if (target == NULL || !fix_link(f, l, target, &link))
            continue;
        sbuf_add(&text, str_slice(f->text, at, l->path.start));
        sbuf_add(&text, sbuf_str(&link));
        at = l->path.end;
        links++;
    }
    if (links == 0)
        return;
    sbuf_add(&text, str_skip(f->text, at));
    *ARRAY_ADD(a, out->items, out->n) = (struct check_fixed){
        arena_str(a, f->path), arena_str(a, f->text), sbuf_str(&text)};
    out->links += links;
}

static bool fix_steps(struct draft *d, void *arg, struct err *err)
{
    const struct check_fixes *all = arg;
    for (size_t i = 0; i < all->n; i++) {
        struct draft_file f;
        if (!draft_read(d, all->items[i].path, &f, err))
            return false;
        if (!str_eq(f.text, all->items[i].before))
            return err_set(err, ERR_CONFLICT,
                           "'" STR_FMT "' was changed meanwhile: nothing was changed",
                           STR_ARG(f.path));
        if (!draft_write(d, f.path, all->items[i].after, DRAFT_EDIT, err))
            return false;
    }
    return draft_check(d, err);
}

static bool fix_run(struct cli *c, struct check_fixes *all, bool dry_run,
                    struct draft_result *made, struct err *err)
{
    struct transact t = {
        .by = cli_actor(c), .dry_run = dry_run, .steps = fix_steps, .arg = all};
    return transact_run(c->vault, c->arena, &t, made, err);
}

static bool fix_agree(struct cli *c, bool *yes, struct err *err)
{
    struct ask ask = {c->arena, &c->out};
    if (*yes || !pick_is_possible())
        return true;
    c->out.pages = false;
    return ask_yes(&ask, STR("Make these changes?"), false, yes, err);
}

bool check_fix(struct cli *c, str folder, bool yes, struct err *err)
{
    struct check_fixes all = {0};
    struct draft_result made;
    for (file_id i = 0; i < c->index->n; i++) {
        const struct file *f = index_file(c->index, i);
        if (f != NULL && f->kind == FILE_NOTE && !f->unread && !f->excluded &&
            path_is_below(folder, f->path))
            fix_note(c->index, c->arena, f, &all);
    }
    cli_unlock(c);
    if (all.n == 0) {
        term_put(&c->out, TERM_GOOD, STR("There is nothing to fix without a decision\n"));
        return true;
    }
    if (!fix_run(c, &all, true, &made, err))
        return false;
    term_diff(&c->out, draft_diff(c->arena, &made, 0));
    if (!fix_agree(c, &yes, err))
        return false;
    str links = term_count(&c->out, all.links, "ambiguous link", "ambiguous links"),
        notes = term_count(&c->out, all.n, "note", "notes");
    if (!yes) {
        term_printf(&c->out, TERM_FAINT,
                    STR_FMT " in " STR_FMT " would change; nothing was changed (--yes "
                            "makes the changes)\n",
                    STR_ARG(links), STR_ARG(notes));
        return true;
    }
    if (!fix_run(c, &all, false, &made, err))
        return false;
    term_printf(&c->out, TERM_GOOD,
                "fixed " STR_FMT " in " STR_FMT
                "; change %llu, undo it with vaultd undo %llu\n",
                STR_ARG(links), STR_ARG(notes), (unsigned long long)made.change,
                (unsigned long long)made.change);
    return true;
}
