#include "base/path.h"
#include "base/sbuf.h"
#include "vault/change/rename.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/note/daily.h"
#include "vault/note/obsidian.h"
#include "vault/ops_parts.h"
#include "vault/vault.h"

/* --- shared --- */

bool ops_not_found(struct err *err, str path)
{
    return err_named(err, E_FILE_NOT_FOUND, "File not found: " STR_FMT, STR_ARG(path));
}

bool ops_is_folder(struct vault *v, str path)
{
    struct fs_info info;
    struct err ignored;
    return vault_stat(v, path, &info, &ignored) && info.type == FS_FOLDER;
}

bool ops_may_move(struct draft *d, str from, str to, bool folder, struct err *err)
{
    struct vault *v = draft_vault(d);
    bool trash = str_starts(to, STR(VAULT_TRASH "/"));
    return folder
               ? vault_may_take(v, from, err) && (trash || vault_may_take(v, to, err))
               : vault_may_write(v, from, err) && (trash || vault_may_write(v, to, err));
}

/* Reports all rewrites that are not allowed in one message. */
static bool check_plan(struct draft *d, const struct rename_plan *plan, struct err *err)
{
    enum { NAMED = 3 };
    struct vault *v = draft_vault(d);
    struct err ignored;
    struct sbuf names = SBUF_ON(draft_arena(d));
    size_t n = 0;
    for (size_t i = 0; i < plan->n_rewrites; i++) {
        str path = plan->rewrites[i].file->path;
        if (vault_may_write(v, path, &ignored) || n++ >= NAMED)
            continue;
        sbuf_printf(&names, "%s'" STR_FMT "'", n > 1 ? ", " : "", STR_ARG(path));
    }
    return n == 0 ||
           err_named(err, E_PATH_NOT_ALLOWED,
                     "links or tags in " STR_FMT
                     "%s would have to be rewritten, but may not be written; to "
                     "move without changing links, set keep_links",
                     STR_ARG(sbuf_str(&names)), n > NAMED ? " and others" : "");
}

bool ops_take_plan(struct draft *d, const struct rename_plan *plan,
                   struct ops_report *out, struct err *err)
{
    if (!check_plan(d, plan, err))
        return false;
    for (size_t i = 0; i < plan->n_rewrites; i++)
        if (!draft_rewrite(d, plan->rewrites[i].file, plan->rewrites[i].text, err))
            return false;
    out->files += plan->n_moves;
    out->rewrites += plan->n_rewrites;
    out->links += plan->links;
    out->warnings = plan->warnings;
    out->n_warnings = plan->n_warnings;
    return true;
}

void ops_catch_up(struct vault *v)
{
    if (strcmp(vault_watching(v), "inotify") != 0)
        vault_refresh(v, NULL, 0);
}

/* The file that a caller means: a path, with or without .md, or a name as in a link. */
static const struct file *find_by_link(const struct index *x, str word)
{
    struct names_answer answer;
    const struct file *exact = index_find(x, word);
    if (exact != NULL)
        return exact;
    names_resolve(x->names, NULL, word, STR(""), NO_FILE, &answer);
    return index_file(x, answer.file);
}

/* --- moving --- */

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
    if (str_ends(to, STR("/")) ||
        (ops_is_folder(draft_vault(d), clean) && !str_eq(clean, from)))
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
    ops_catch_up(v);
    *folder = out->n > 0 && ops_is_folder(v, *out);
    if (*folder)
        return true;
    const struct file *f = find_by_link(vault_hold(v), *out);
    if (f != NULL)
        *out = arena_str(draft_arena(d), f->path);
    vault_let_go(v);
    return f != NULL || ops_not_found(err, *out);
}

static bool plan_move(struct draft *d, const struct index *x, str from, str to,
                      bool folder, struct rename_plan *plan, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct rename_move move = {from, to};
    enum obsidian_link_format format =
        obsidian_link_format(vault_obsidian(draft_vault(d)));
    *plan = (struct rename_plan){0};
    if (!folder)
        return rename_files(x, format, a, &move, 1, draft_stop(d), plan, err);
    return rename_folder(x, format, a, from, to, draft_stop(d), plan, err) ||
           err->code == ERR_NOT_FOUND; /* an empty folder can be moved, too */
}

static bool move(struct draft *d, str from, str to, bool links, struct ops_report *out,
                 struct err *err)
{
    struct vault *v = draft_vault(d);
    struct rename_plan plan;
    bool folder;
    *out = (struct ops_report){0};
    if (!draft_is_empty(d))
        return err_named(err, E_INVALID_ARGUMENT,
                         "a move must be the first step of a change");
    if (!find_source(d, from, &folder, &out->path, err) ||
        !ops_target(d, out->path, folder, to, &out->to, err))
        return false;
    if (str_eq(out->path, out->to))
        return err_named(err, E_PATH_INVALID, "'" STR_FMT "' already has that path",
                         STR_ARG(out->to));
    if (!ops_may_move(d, out->path, out->to, folder, err))
        return false;
    const struct index *x = vault_hold(v);
    bool ok = plan_move(d, x, out->path, out->to, folder, &plan, err);
    if (!links)
        plan = (struct rename_plan){.n_moves = plan.n_moves};
    ok = ok && ops_take_plan(d, &plan, out, err);
    vault_let_go(v);
    if (ok)
        draft_move(d, out->path, out->to);
    return ok;
}

bool ops_move(struct draft *d, str from, str to, struct ops_report *out, struct err *err)
{
    return move(d, from, to, true, out, err);
}

bool ops_move_only(struct draft *d, str from, str to, struct ops_report *out,
                   struct err *err)
{
    return move(d, from, to, false, out, err);
}

/* --- renaming inside notes --- */

/* Something to rename in one note, or everywhere. */
struct inside {
    enum { HEADING, BLOCK, TAG } kind;
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
    case TAG:
        return rename_tag(x, a, what->old, what->new_name, stop, plan, err);
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
    *out = (struct ops_report){.path = what->old, .to = what->new_name};
    if (!path_clean(a, path, &clean, err) || !vault_wait(v, NULL, NULL, err))
        return false;
    ops_catch_up(v);
    if (what->kind != TAG)
        vault_refresh(v, &clean, 1);
    const struct index *x = vault_hold(v);
    const struct file *f = what->kind != TAG ? find_by_link(x, clean) : NULL;
    bool ok = (f != NULL || what->kind == TAG) ? plan_inside(d, x, f, what, &plan, err)
                                               : ops_not_found(err, clean);
    ok = ok && ops_take_plan(d, &plan, out, err);
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

/* --- dated notes --- */

static bool new_text(struct draft *d, const struct obsidian_dated *where,
                     const struct moment *when, const struct obsidian_dated *formats,
                     str path, str *out, struct err *err)
{
    struct arena *a = draft_arena(d);
    str template_path;
    struct draft_file model = {0};
    struct err why = {0};
    if (!daily_template(a, where, &template_path, err) ||
        !vault_may_use_set(draft_vault(d), template_path, err))
        return false;
    if (template_path.n > 0 && !draft_read(d, template_path, &model, &why))
        return err_caused(err, &why, E_TEMPLATE_NOT_READ,
                          "the vault's settings name a template for dated notes that "
                          "cannot be read: %s",
                          why.msg);
    struct template_values values = {.now = *when,
                                     .date_format = formats->format,
                                     .time_format = formats->template_name};
    *out = daily_text(a, path, model.text, &values);
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
    str *own[] = {&where.folder,   &where.format,   &where.template_name,
                  &formats.folder, &formats.format, &formats.template_name};
    for (size_t i = 0; i < COUNT_OF(own); i++)
        *own[i] = arena_str(a, *own[i]); /* the settings may change once released */
    vault_let_go(v);
    if (!daily_path(a, &where, when, &out->path, err) ||
        !vault_may_use_set(v, out->path, err))
        return false;
    *created = !draft_find(d, out->path, &out->path);
    if (!*created)
        return draft_read(d, out->path, &file, err);
    return new_text(d, &where, when, &formats, out->path, &text, err) &&
           draft_write(d, out->path, text, DRAFT_CREATE, err);
}
