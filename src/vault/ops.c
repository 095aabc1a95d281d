#include "vault/ops.h"

#include "base/path.h"

#define TRASH ".trash"

/* --- shared --- */

static bool no_such(struct err *err, str path)
{
    return err_named(err, ERR_NOT_FOUND, "FILE_NOT_FOUND", "File not found: " STR_FMT,
                     STR_ARG(path));
}

/* The file somebody means: a path, with or without .md, or a name as in a link. */
static const struct file *find_file(const struct index *x, str word)
{
    struct names_answer answer;
    const struct file *exact = index_find(x, word);
    if (exact != NULL)
        return exact;
    names_resolve(x->names, NULL, word, STR(""), NO_FILE, &answer);
    return index_file(x, answer.file);
}

static bool is_folder(struct vault *v, str path)
{
    struct fs_info info;
    struct err ignored;
    return fs_stat(vault_root(v), path, &info, &ignored) && info.type == FS_FOLDER;
}

static void report_plan(struct ops_report *out, const struct rename_plan *plan)
{
    out->files += plan->n_moves;
    out->rewrites += plan->n_rewrites;
    out->links += plan->links;
    out->warnings = plan->warnings;
    out->n_warnings = plan->n_warnings;
}

static void take_rewrites(struct draft *d, const struct rename_plan *plan)
{
    for (size_t i = 0; i < plan->n_rewrites; i++)
        draft_rewrite(d, plan->rewrites[i].file, plan->rewrites[i].text);
}

/* --- moving --- */

/* Where from goes when somebody says to. */
static bool target_of(struct draft *d, str from, bool folder, str to, str *out,
                      struct err *err)
{
    struct arena *a = draft_arena(d);
    bool into = str_ends(to, STR("/"));
    str clean;
    if (!path_clean(a, to, &clean, err))
        return false;
    if (into || (is_folder(draft_vault(d), clean) && !str_eq(clean, from)))
        clean = path_join(a, clean, path_name(from));
    str extension = path_extension(from);
    if (!folder && extension.n > 0 && path_extension(clean).n == 0)
        clean = arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(clean), STR_ARG(extension));
    *out = clean;
    return path_check_new(clean, err);
}

static bool move_file(struct draft *d, const struct index *x, const struct file *f,
                      str to, struct ops_report *out, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct rename_plan plan;
    out->path = arena_str(a, f->path);
    if (!target_of(d, out->path, false, to, &out->to, err))
        return false;
    struct rename_move move = {out->path, out->to};
    if (!rename_files(x, obsidian_link_format(vault_obsidian(draft_vault(d))), a, &move,
                      1, &plan, err))
        return false;
    take_rewrites(d, &plan);
    draft_move(d, out->path, out->to);
    report_plan(out, &plan);
    return true;
}

static bool move_folder(struct draft *d, const struct index *x, str from, str to,
                        struct ops_report *out, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct rename_plan plan;
    out->path = from;
    if (!target_of(d, from, true, to, &out->to, err) ||
        !rename_folder(x, obsidian_link_format(vault_obsidian(draft_vault(d))), a, from,
                       out->to, &plan, err))
        return false;
    take_rewrites(d, &plan);
    draft_move(d, from, out->to);
    report_plan(out, &plan);
    return true;
}

bool ops_move(struct draft *d, str from, str to, struct ops_report *out, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct vault *v = draft_vault(d);
    str clean;
    *out = (struct ops_report){0};
    if (!path_clean(a, from, &clean, err) || !vault_wait(v, NULL, NULL, err))
        return false;
    bool folder = clean.n > 0 && is_folder(v, clean);
    const struct index *x = vault_hold(v);
    const struct file *f = folder ? NULL : find_file(x, clean);
    bool ok = folder      ? move_folder(d, x, clean, to, out, err)
              : f != NULL ? move_file(d, x, f, to, out, err)
                          : no_such(err, clean);
    vault_let_go(v);
    return ok;
}

/* --- renaming inside notes --- */

/* What is renamed in a note, or everywhere. */
struct inside {
    enum { HEADING, BLOCK, TAG } kind;
    str old, new;
    uint32_t line;
};

static bool plan_inside(const struct index *x, struct arena *a, const struct file *f,
                        const struct inside *what, struct rename_plan *plan,
                        struct err *err)
{
    switch (what->kind) {
    case HEADING:
        return rename_heading(x, a, f, what->old, what->line, what->new, plan, err);
    case BLOCK:
        return rename_block(x, a, f, what->old, what->new, plan, err);
    case TAG:
        return rename_tag(x, a, what->old, what->new, plan, err);
    }
    return false;
}

static bool rename_inside(struct draft *d, str path, const struct inside *what,
                          struct ops_report *out, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct vault *v = draft_vault(d);
    struct rename_plan plan;
    str clean = {0};
    *out = (struct ops_report){.path = what->old, .to = what->new};
    if (!path_clean(a, path, &clean, err) || !vault_wait(v, NULL, NULL, err))
        return false;
    if (what->kind != TAG)
        vault_refresh(v, &clean, 1);
    const struct index *x = vault_hold(v);
    const struct file *f = what->kind != TAG ? find_file(x, clean) : NULL;
    bool ok = (f != NULL || what->kind == TAG) ? plan_inside(x, a, f, what, &plan, err)
                                               : no_such(err, clean);
    if (ok) {
        take_rewrites(d, &plan);
        report_plan(out, &plan);
    }
    vault_let_go(v);
    return ok;
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

bool ops_rename_tag(struct draft *d, str tag, str new_tag, struct ops_report *out,
                    struct err *err)
{
    return rename_inside(d, STR(""), &(struct inside){TAG, tag, new_tag, 0}, out, err);
}

/* --- deleting --- */

/* path, or "name 1.md", "name 2.md", ... where nothing is. */
static bool free_path(struct draft *d, str path, str *out, struct err *err)
{
    enum { TRIES = 10000 };
    struct arena *a = draft_arena(d);
    str extension = path_extension(path);
    size_t stem = path.n - (extension.n > 0 ? extension.n + 1 : 0);
    *out = path;
    for (int i = 1; i < TRIES; i++) {
        if (!draft_exists(d, *out))
            return true;
        *out = arena_printf(a, STR_FMT " %d" STR_FMT, STR_ARG(str_slice(path, 0, stem)),
                            i, STR_ARG(str_skip(path, stem)));
    }
    return err_named(err, ERR_EXISTS, "FILE_EXISTS", "'" STR_FMT "' is taken",
                     STR_ARG(path));
}

static bool to_trash(struct draft *d, str path, struct ops_report *out, struct err *err)
{
    if (!free_path(d, path_join(draft_arena(d), STR(TRASH), path), &out->to, err))
        return false;
    draft_move(d, path, out->to);
    return true;
}

static bool delete_forever(struct draft *d, str path, bool folder, struct err *err)
{
    struct walk w;
    struct arena *a = draft_arena(d);
    if (!folder)
        return draft_delete(d, path, err);
    if (!walk_below(vault_root(draft_vault(d)), NULL, path, &w, err))
        return false;
    bool ok = w.n_unreadable == 0 ||
              err_named(err, ERR_DENIED, "FORBIDDEN", "part of it cannot be read");
    for (size_t i = 0; ok && i < w.n; i++)
        ok = draft_delete(d, arena_str(a, w.files[i].path), err);
    if (ok)
        draft_remove_folder(d, path);
    walk_release(&w);
    return ok;
}

static void unlink_file(struct draft *d, str path, struct ops_report *out)
{
    struct vault *v = draft_vault(d);
    struct rename_plan plan;
    const struct index *x = vault_hold(v);
    const struct file *f = index_find(x, path);
    if (f != NULL) {
        rename_unlink(x, draft_arena(d), f, &plan);
        take_rewrites(d, &plan);
        report_plan(out, &plan);
    }
    vault_let_go(v);
}

bool ops_delete(struct draft *d, str path, const struct ops_delete *how,
                struct ops_report *out, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct vault *v = draft_vault(d);
    struct draft_file file;
    *out = (struct ops_report){.files = 1};
    if (!path_clean(a, path, &out->path, err) || !vault_wait(v, NULL, NULL, err))
        return false;
    if (out->path.n == 0)
        return err_named(err, ERR_DENIED, "PATH_NOT_ALLOWED",
                         "the vault itself cannot be deleted");
    bool folder = is_folder(v, out->path);
    if (folder && !how->recursive)
        return err_named(err, ERR_INVALID, "IS_FOLDER",
                         "'" STR_FMT "' is a folder: say recursive to delete it with "
                         "everything in it",
                         STR_ARG(out->path));
    if (!folder && !draft_exists(d, out->path))
        return no_such(err, out->path);
    if (!folder && file_kind_of(out->path) != FILE_OTHER &&
        draft_read(d, out->path, &file, err))
        out->path = file.path;
    if (how->unlink && !folder)
        unlink_file(d, out->path, out);
    vault_hold(v);
    bool forever = how->forever || obsidian_trash(vault_obsidian(v)) == TRASH_NONE;
    vault_let_go(v);
    return forever ? delete_forever(d, out->path, folder, err)
                   : to_trash(d, out->path, out, err);
}

bool ops_trash(struct vault *v, struct arena *a, struct walk *out, struct err *err)
{
    struct err why;
    if (walk_below(vault_root(v), NULL, STR(TRASH), out, &why))
        return true;
    *out = (struct walk){0};
    if (why.code == ERR_NOT_FOUND)
        return true;
    *err = why;
    return false;
}

bool ops_restore(struct draft *d, str path, str to, struct ops_report *out,
                 struct err *err)
{
    struct arena *a = draft_arena(d);
    struct fs_info info;
    str clean;
    if (str_starts(path, STR(TRASH "/")))
        path = str_skip(path, sizeof(TRASH "/") - 1);
    *out = (struct ops_report){.files = 1};
    if (!path_clean(a, path, &clean, err) ||
        !path_clean(a, to.n > 0 ? to : path, &out->to, err))
        return false;
    out->path = path_join(a, STR(TRASH), clean);
    if (clean.n == 0 || !fs_stat(vault_root(draft_vault(d)), out->path, &info, err))
        return err_named(err, ERR_NOT_FOUND, "FILE_NOT_FOUND",
                         "there is no '" STR_FMT "' in the trash", STR_ARG(clean));
    if (draft_exists(d, out->to))
        return err_named(err, ERR_EXISTS, "FILE_EXISTS",
                         "'" STR_FMT "' exists: say where to restore it to",
                         STR_ARG(out->to));
    draft_move(d, out->path, out->to);
    return true;
}

/* --- dated notes --- */

static bool new_text(struct draft *d, const struct obsidian_dated *where,
                     const struct moment *when, const struct obsidian_dated *formats,
                     str path, str *out, struct err *err)
{
    struct arena *a = draft_arena(d);
    str template_path;
    struct draft_file template = {0};
    if (!daily_template(a, where, &template_path, err))
        return false;
    if (template_path.n > 0 && !draft_read(d, template_path, &template, err))
        return false;
    struct template_values values = {
        .now = *when, .date_format = formats->format, .time_format = formats->template};
    *out = daily_text(a, path, template.text, &values);
    return true;
}

bool ops_daily(struct draft *d, enum obsidian_period period, const struct moment *when,
               struct ops_report *out, bool *created, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct vault *v = draft_vault(d);
    struct draft_file file;
    str text;
    *out = (struct ops_report){.files = 1};
    if (!vault_wait(v, NULL, NULL, err))
        return false;
    vault_hold(v);
    struct obsidian_dated where = obsidian_periodic(vault_obsidian(v), period);
    struct obsidian_dated formats = obsidian_templates(vault_obsidian(v));
    str *own[] = {&where.folder,   &where.format,   &where.template,
                  &formats.folder, &formats.format, &formats.template};
    for (size_t i = 0; i < COUNT_OF(own); i++)
        *own[i] = arena_str(a, *own[i]); /* settings may change when they are let go */
    vault_let_go(v);
    if (!daily_path(a, &where, when, &out->path, err))
        return false;
    *created = !draft_exists(d, out->path);
    if (!*created)
        return draft_read(d, out->path, &file, err);
    return new_text(d, &where, when, &formats, out->path, &text, err) &&
           draft_write(d, out->path, text, DRAFT_CREATE, err);
}
