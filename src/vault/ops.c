#include "base/os/watcher.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/ask/find.h"
#include "vault/change/rename.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/note/obsidian.h"
#include "vault/ops_parts.h"
#include "vault/text/encoding.h"
#include "vault/vault.h"

/* --- shared --- */

bool ops_not_found(struct err *err, str path)
{
    return err_named(err, E_FILE_NOT_FOUND, "File not found: " STR_FMT, STR_ARG(path));
}

bool ops_may_move(struct draft *d, str from, str to, bool folder, struct err *err)
{
    struct vault *v = draft_vault(d);
    bool trash = str_starts(to, STR(VAULT_TRASH "/"));
    return folder
               ? vault_may_take(v, from, err) && (trash || vault_may_take(v, to, err))
               : vault_may_write(v, from, err) && (trash || vault_may_write(v, to, err));
}

/* A rewrite was refused: if it may not be written, name all of these in one message. */
static bool refuse_plan(struct draft *d, const struct rename_plan *plan, struct err *err)
{
    enum { NAMED = 3 };
    struct vault *v = draft_vault(d);
    struct err ignored;
    struct sbuf names = SBUF_ON(draft_arena(d));
    size_t n = 0;
    for (size_t i = 0; i < plan->n_rewrites; i++) {
        str path = plan->rewrites[i].file->path;
        if (vault_may_write_held(v, path, &ignored) || n++ >= NAMED)
            continue;
        sbuf_printf(&names, "%s'" STR_FMT "'", n > 1 ? ", " : "", STR_ARG(path));
    }
    if (n > 0)
        err_named(
            err, E_PATH_NOT_ALLOWED,
            "links or tags in " STR_FMT
            "%s would have to be rewritten, but may not be written; to move without "
            "changing links, set keep_links",
            STR_ARG(sbuf_str(&names)), n > NAMED ? " and others" : "");
    return false;
}

bool ops_take_plan(struct draft *d, const struct rename_plan *plan,
                   struct ops_report *out, struct err *err)
{
    for (size_t i = 0; i < plan->n_rewrites; i++)
        if (!draft_rewrite(d, plan->rewrites[i].file, plan->rewrites[i].text, err))
            return err->name == E_PATH_NOT_ALLOWED ? refuse_plan(d, plan, err) : false;
    out->files += plan->n_moves;
    out->rewrites += plan->n_rewrites;
    out->links += plan->links;
    out->warnings = plan->warnings;
    out->n_warnings = plan->n_warnings;
    return true;
}

bool ops_unlock(struct draft *d, bool ok, struct err *err)
{
    draft_unlock(d);
    return ok && draft_judge(d, err);
}

void ops_warn(struct arena *a, struct ops_report *out, str warning)
{
    str *all = ARENA_ARRAY(a, str, out->n_warnings + 1);
    for (size_t i = 0; i < out->n_warnings; i++)
        all[i] = out->warnings[i];
    all[out->n_warnings++] = warning;
    out->warnings = all;
}

void ops_catch_up(struct draft *d)
{
    struct vault *v = draft_vault(d);
    if (draft_first_look(d) && strcmp(vault_watching(v), watcher_name()) != 0)
        vault_refresh(v, NULL, 0);
}

/* By name alone, in the vault's index: whatever the draft has written, names there are
 * still the same. */
static bool find_unchanged(struct draft *d, str word, str *path)
{
    struct arena *a = draft_arena(d);
    struct vault *v = draft_vault(d);
    if (draft_renames(d))
        return false;
    const struct file *f = find_named_file(vault_lock(v), a, word);
    if (f != NULL)
        *path = arena_str(a, f->path);
    vault_unlock(v);
    return f != NULL;
}

static bool find_named(struct draft *d, str word, str *path, struct err *err)
{
    struct arena *a = draft_arena(d);
    const struct file *f;
    if (!vault_wait(draft_vault(d), NULL, NULL, err))
        return false;
    if (find_unchanged(d, word, path) && draft_exists(d, *path))
        return true;
    ops_catch_up(d);
    const struct index *x = draft_lock(d);
    bool found = find_file(x, a, word, &f, err);
    if (found)
        *path = arena_str(a, f->path);
    draft_unlock(d);
    return found;
}

bool ops_find(struct draft *d, str word, str *path, struct err *err)
{
    str clean;
    if (!path_clean(draft_arena(d), word, &clean, err))
        return false;
    if (clean.n == 0 || !draft_find(d, clean, path))
        return find_named(d, word, path, err);
    return draft_is_folder(d, *path) || find_check_slash(word, *path, err);
}

bool ops_find_file(struct draft *d, str word, str *path, struct err *err)
{
    str clean;
    if (!path_clean(draft_arena(d), word, &clean, err))
        return false;
    bool there = clean.n > 0 && draft_find(d, clean, path);
    if (there && !draft_is_folder(d, *path))
        return find_check_slash(word, *path, err);
    return find_named(d, word, path, err) || (there && err->code == ERR_NOT_FOUND);
}

bool ops_match(struct draft *d, str word, str etag, struct err *err)
{
    str path;
    return etag.n == 0 ||
           (ops_find_file(d, word, &path, err) && draft_match(d, path, etag, err));
}

bool ops_open(struct draft *d, str word, struct draft_file *out, struct err *err)
{
    str path;
    if (!ops_find_file(d, word, &path, err) || !draft_read(d, path, out, err))
        return false;
    enum encoding e = encoding_of(out->text);
    if (!encoding_is_other(e))
        return true;
    err_named(err, E_NOT_TEXT,
              "'" STR_FMT "' is %s with invalid characters, which cannot be edited",
              STR_ARG(out->path), encoding_name(e));
    return err_remedy(err, REMEDY_WRITE_ALL);
}

bool ops_blame_encoding(const struct draft_file *f, struct err *err)
{
    enum encoding e = encoding_of(f->text);
    if (err->name != E_TEXT_NOT_FOUND || e == ENCODING_UTF8)
        return false;
    err_named(err, E_TEXT_NOT_FOUND,
              "Text not found: '" STR_FMT
              "' is %s, which are shown as U+FFFD and cannot be found",
              STR_ARG(f->path), encoding_name(e));
    return !err_remedy(err, REMEDY_WRITE_ALL);
}

str ops_namesake(const struct index *x, struct arena *a, str path, str from)
{
    file_id *named;
    if (file_kind_of(path) != FILE_NOTE)
        return STR("");
    size_t n = names_find_name(x->names, a, path_name(path), &named);
    for (size_t i = 0; i < n; i++) {
        str other = names_path(x->names, named[i]);
        if (!str_eq(other, path) && !str_eq(other, from))
            return arena_str(a, other);
    }
    return STR("");
}

/* --- renaming inside notes --- */

/* Something to rename in one note, or everywhere. */
struct inside {
    enum { HEADING, BLOCK, PROPERTY, TAG } kind; /* from PROPERTY on: in all notes */
    str old, new_name;
    uint32_t line;
};

static bool plan_inside(struct draft *d, const struct index *x, const struct file *f,
                        const struct inside *what, struct rename_plan *plan,
                        struct err *err)
{
    struct arena *a = draft_arena(d);
    const struct stop *stop = draft_stop(d);
    switch (what->kind) {
    case HEADING:
        return rename_heading(x, a, f, what->old, what->line, what->new_name, stop, plan,
                              err);
    case BLOCK:
        return rename_block(x, a, f, what->old, what->new_name, stop, plan, err);
    case PROPERTY:
        return rename_property(x, a, what->old, what->new_name, stop, plan, err);
    case TAG:
        return rename_tag(x, a, what->old, what->new_name, stop, plan, err);
    }
    return false;
}

/* The settings of Obsidian are not changed, and the type of a property is one. */
static void warn_of_type(struct draft *d, const struct inside *what,
                         struct ops_report *out)
{
    struct arena *a = draft_arena(d);
    const struct obsidian *o = vault_obsidian(draft_vault(d));
    str type = obsidian_property_type(o, what->old);
    if (type.n > 0 && obsidian_property_type(o, what->new_name).n == 0)
        ops_warn(a, out,
                 arena_printf(a,
                              "the type of the property (" STR_FMT
                              ") is a setting of Obsidian, in .obsidian/types.json, "
                              "which is not changed: set it for '" STR_FMT "' in the app",
                              STR_ARG(type), STR_ARG(utf8_cut(what->new_name, 80))));
}

static bool rename_inside(struct draft *d, str path, const struct inside *what,
                          struct ops_report *out, struct err *err)
{
    struct vault *v = draft_vault(d);
    struct rename_plan plan = {0};
    bool everywhere = what->kind >= PROPERTY;
    str real = {0};
    *out = (struct ops_report){.path = what->old, .to = what->new_name};
    if (!vault_wait(v, NULL, NULL, err) ||
        (!everywhere && !ops_find(d, path, &real, err)))
        return false;
    ops_catch_up(d);
    if (!everywhere)
        vault_refresh(v, &real, 1);
    const struct index *x = draft_lock(d);
    const struct file *f = index_find(x, real);
    bool ok = (f != NULL || everywhere) ? plan_inside(d, x, f, what, &plan, err)
                                        : ops_not_found(err, real);
    ok = ok && ops_take_plan(d, &plan, out, err);
    if (ok && what->kind == PROPERTY)
        warn_of_type(d, what, out);
    return ops_unlock(d, ok, err);
}

bool ops_rename_heading(struct draft *d, str path, str heading, uint32_t line, str title,
                        struct ops_report *out, struct err *err)
{
    str subpath = str_starts(heading, STR("#"))
                      ? heading
                      : arena_printf(draft_arena(d), "#" STR_FMT, STR_ARG(heading));
    struct inside what = {HEADING, subpath, title, line};
    return rename_inside(d, path, &what, out, err);
}

bool ops_rename_block(struct draft *d, str path, str id, str new_id,
                      struct ops_report *out, struct err *err)
{
    return rename_inside(d, path, &(struct inside){BLOCK, id, new_id, 0}, out, err);
}

bool ops_rename_property(struct draft *d, str name, str new_name, struct ops_report *out,
                         struct err *err)
{
    return rename_inside(d, STR(""), &(struct inside){PROPERTY, name, new_name, 0}, out,
                         err);
}

bool ops_rename_tag(struct draft *d, str tag, str new_tag, struct ops_report *out,
                    struct err *err)
{
    return rename_inside(d, STR(""), &(struct inside){TAG, tag, new_tag, 0}, out, err);
}
