/* Moving and renaming files and folders. */
#include "base/path.h"
#include "vault/change/rename.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/note/note.h"
#include "vault/note/obsidian.h"
#include "vault/ops_parts.h"
#include "vault/vault.h"

/* A note that is renamed to "v1.2" is still a note. */
static str with_extension(struct arena *a, str from, str to)
{
    str old = path_extension(from), extension = path_extension(to);
    enum file_kind kind = file_kind_of(from);
    bool fixed = kind == FILE_NOTE || kind == FILE_CANVAS || kind == FILE_BASE;
    if (old.n == 0 || (fixed ? str_eq_nocase(old, extension) : extension.n > 0))
        return to;
    return arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(to), STR_ARG(old));
}

bool ops_target(struct draft *d, str from, bool folder, str to, str *out, struct err *err)
{
    struct arena *a = draft_arena(d);
    str clean, there;
    if (to.n == 0)
        return err_named(err, E_PATH_INVALID, "'" STR_FMT "' needs a new path",
                         STR_ARG(from));
    if (!path_clean(a, to, &clean, err))
        return false;
    if (str_ends(to, STR("/")) || (draft_has_folder(d, clean) && !str_eq(clean, from)))
        clean = path_join(a, clean, path_name(from));
    *out = folder ? clean : with_extension(a, from, clean);
    if (draft_find(d, *out, &there) && !str_eq(there, from))
        return err_named(err, E_FILE_EXISTS, "'" STR_FMT "' already exists",
                         STR_ARG(there));
    return draft_check_new(d, *out, folder, from, err);
}

/* The path of the file or folder that `from`, a path or name, means. */
static bool find_source(struct draft *d, str from, bool *folder, str *out,
                        struct err *err)
{
    struct vault *v = draft_vault(d);
    if (!path_clean(draft_arena(d), from, out, err) || !vault_wait(v, NULL, NULL, err))
        return false;
    ops_catch_up(d);
    *folder = out->n > 0 && draft_is_folder(d, *out);
    return *folder || ops_find(d, from, out, err);
}

/* Why links have that format. */
static const char *format_reason(struct draft *d, const struct rename_plan *plan)
{
    bool set =
        obsidian_rewritten_format(vault_obsidian(draft_vault(d))) != LINKS_AS_WRITTEN;
    return plan->formats == 0 ? NULL : set ? "the vault's setting" : "as written before";
}

/* The formats of rewritten links, as Obsidian calls them; NULL if there are none. */
static const char *formats_of(const struct rename_plan *plan)
{
    enum {
        SHORTEST = 1 << LINKS_SHORTEST,
        RELATIVE = 1 << LINKS_RELATIVE,
        ABSOLUTE = 1 << LINKS_ABSOLUTE,
    };
    static const char *const names[] = {
        [0] = NULL,
        [SHORTEST] = "shortest",
        [RELATIVE] = "relative",
        [ABSOLUTE] = "absolute",
        [SHORTEST | RELATIVE] = "shortest and relative",
        [ABSOLUTE | RELATIVE] = "absolute and relative",
        [SHORTEST | ABSOLUTE] = "shortest and absolute",
        [SHORTEST | ABSOLUTE | RELATIVE] = "shortest, absolute and relative",
    };
    return names[plan->formats];
}

static bool plan_move(struct draft *d, const struct index *x, str from, str to,
                      bool folder, struct rename_plan *plan, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct rename_move move = {from, to};
    enum obsidian_link_format format =
        obsidian_rewritten_format(vault_obsidian(draft_vault(d)));
    *plan = (struct rename_plan){0};
    if (!folder)
        return rename_files(x, format, a, &move, 1, draft_stop(d), plan, err);
    return rename_folder(x, format, a, from, to, draft_stop(d), plan, err) ||
           err->code == ERR_NOT_FOUND; /* an empty folder can be moved, too */
}

static const char *action_of(const struct ops_report *r)
{
    bool renamed = !str_eq(path_name(r->path), path_name(r->to));
    bool moved = !str_eq(path_folder(r->path), path_folder(r->to));
    return !moved ? "renamed" : renamed ? "moved and renamed" : "moved";
}

/* The first heading of a note, if it is its title and stays that; or empty. */
static str old_heading(struct draft *d, const struct index *x, const struct ops_report *r)
{
    const struct file *f = index_find(x, r->path);
    if (f == NULL || f->kind != FILE_NOTE || f->note.n_headings == 0 ||
        f->note.headings[0].level != 1 || str_eq(file_title(r->path), file_title(r->to)))
        return (str){0};
    str title = span_of(f->text, f->note.headings[0].title);
    return str_eq(title, file_title(r->path)) ? arena_str(draft_arena(d), title)
                                              : (str){0};
}

static bool move_links(struct draft *d, bool folder, bool links, struct ops_report *out,
                       struct err *err)
{
    struct rename_plan plan;
    const struct index *x = draft_lock(d);
    bool ok = plan_move(d, x, out->path, out->to, folder, &plan, err);
    if (!folder && !str_eq_nocase(path_name(out->path), path_name(out->to)))
        out->namesake = ops_namesake(x, draft_arena(d), out->to, out->path);
    if (!links)
        plan = (struct rename_plan){.n_moves = plan.n_moves};
    str title = ok && !folder ? old_heading(d, x, out) : (str){0};
    out->format_reason = format_reason(d, &plan);
    ok = ops_unlock(d, ok && ops_take_plan(d, &plan, out, err), err);
    if (ok && title.n > 0)
        ops_warn(draft_arena(d), out,
                 arena_printf(draft_arena(d),
                              "its first heading is still '# " STR_FMT "'",
                              STR_ARG(title)));
    out->link_format = formats_of(&plan);
    return ok;
}

static bool move_found(struct draft *d, bool folder, str to, bool links,
                       struct ops_report *out, struct err *err)
{
    if (!ops_target(d, out->path, folder, to, &out->to, err))
        return false;
    if (str_eq(out->path, out->to))
        return err_named(err, E_PATH_INVALID, "'" STR_FMT "' already has that path",
                         STR_ARG(out->to));
    out->action = action_of(out);
    return ops_may_move(d, out->path, out->to, folder, err) &&
           move_links(d, folder, links, out, err) &&
           draft_rename(d, out->path, out->to, err);
}

bool ops_move(struct draft *d, str from, str to, struct ops_report *out, struct err *err)
{
    bool folder;
    *out = (struct ops_report){0};
    return find_source(d, from, &folder, &out->path, err) &&
           move_found(d, folder, to, true, out, err);
}

static void warn_of_namesake(struct draft *d, struct ops_report *out)
{
    struct arena *a = draft_arena(d);
    ops_warn(a, out,
             arena_printf(a, "another note has that name: '" STR_FMT "'",
                          STR_ARG(out->namesake)));
}

bool ops_rename(struct draft *d, str from, str to, bool links, struct ops_report *out,
                struct err *err)
{
    bool folder;
    str clean;
    *out = (struct ops_report){0};
    if (!find_source(d, from, &folder, &out->path, err) ||
        !path_clean(draft_arena(d), to, &clean, err))
        return false;
    bool bare = str_find_char(to, '/') == STR_NONE && clean.n > 0;
    if (bare && (!draft_has_folder(d, clean) || str_eq_nocase(clean, out->path)))
        to = path_join(draft_arena(d), path_folder(out->path), clean);
    if (!move_found(d, folder, to, links, out, err))
        return err->name == E_FILE_EXISTS &&
               err_hint(err, "choose another name, or move or delete that one first");
    if (out->namesake.n > 0)
        warn_of_namesake(d, out);
    return true;
}
