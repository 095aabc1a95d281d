#include "app/catalog/vault_skills.h"

#include "app/tool_support/tool_support.h"
#include "base/array.h"
#include "base/encode.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/values.h"
#include "vault/note/prop.h"
#include "vault/vault.h"

/* --- what a skill says about itself --- */

/* One to 64 lower-case letters and digits, and single hyphens between them. */
static bool is_skill_name(str name)
{
    bool ok = name.n > 0 && name.n <= 64;
    for (size_t i = 0; i < name.n && ok; i++) {
        bool inside = i > 0 && i + 1 < name.n && name.p[i - 1] != '-';
        ok = is_digit(name.p[i]) || (name.p[i] >= 'a' && name.p[i] <= 'z') ||
             (name.p[i] == '-' && inside);
    }
    return ok;
}

static const struct prop *skill_member(const struct prop *props, str key)
{
    const struct prop *p = props != NULL ? props->child : NULL;
    while (p != NULL && !str_eq(p->key, key))
        p = p->next;
    return p;
}

static str skill_text(const struct prop *props, str key)
{
    const struct prop *p = skill_member(props, key);
    return p != NULL && p->type == PROP_TEXT ? p->text : (str){0};
}

/* The name and the description that properties give to a skill; false if they are not those of
 * one. */
static bool skill_says(struct arena *a, const struct prop *props, struct vault_skill *out)
{
    str name = skill_text(props, STR("name")),
        about = skill_text(props, STR("description"));
    if (!is_skill_name(name) || str_trim(about).n == 0)
        return false;
    *out = (struct vault_skill){.name = arena_str(a, name), .about = arena_str(a, about)};
    return true;
}

bool skill_read_text(struct arena *a, str bytes, struct vault_skill *out,
                     str *frontmatter)
{
    struct arena scratch = {0};
    struct file *f = file_make(&scratch, STR(VAULT_SKILL_FILE),
                               &(struct fs_info){.type = FS_FILE}, bytes);
    struct sbuf json = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&json);
    bool ok = skill_says(a, f->props, out);
    if (ok)
        prop_json(&w, f->props);
    *frontmatter = sbuf_str(&json);
    file_free(f);
    arena_release(&scratch);
    return ok;
}

/* --- notes --- */

/* False if the note is not a skill. */
static bool skill_of_note(struct arena *a, const struct file *f, struct vault_skill *out)
{
    const struct prop *is = skill_member(f->props, STR("skill"));
    str folder = path_folder(f->path);
    bool whole = str_eq(path_name(f->path), STR(VAULT_SKILL_FILE));
    if (f->kind != FILE_NOTE || is == NULL || is->type != PROP_BOOL || !is->flag ||
        !skill_says(a, f->props, out) || (whole && !str_eq(path_name(folder), out->name)))
        return false;
    out->path = arena_str(a, f->path);
    out->folder = whole ? arena_str(a, folder) : (str){0};
    return true;
}

/* The first by path of those with the name. */
static bool note_named(struct mcp_call *call, str name, struct vault_skill *out,
                       struct err *err)
{
    const struct index *x = tool_lock(call, err);
    struct vault_skill one;
    *out = (struct vault_skill){0};
    if (x == NULL)
        return false;
    struct ids ids = values_having(index_values(x), STR("skill"));
    for (size_t i = 0; i < ids.n; i++)
        if (skill_of_note(call->arena, x->files[ids.at[i]], &one) &&
            str_eq(one.name, name) &&
            (out->path.n == 0 || str_cmp(one.path, out->path) < 0))
            *out = one;
    tool_unlock(call);
    return out->path.n > 0 || err_set(err, ERR_NOT_FOUND, "no such skill");
}

/* --- folders --- */

static bool is_folder_skill(struct mcp_call *call, str name, struct vault_skill *out)
{
    struct arena scratch = {0};
    struct err ignored;
    str bytes, front;
    str folder = path_join(call->arena, STR(VAULT_SKILLS_FOLDER), name);
    str path = path_join(call->arena, folder, STR(VAULT_SKILL_FILE));
    bool is =
        vault_bytes(tool_vault(call), &scratch, path, FILE_NOTE_MAX, &bytes, &ignored) &&
        skill_read_text(call->arena, bytes, out, &front) && str_eq(out->name, name);
    arena_release(&scratch);
    if (is)
        out->path = path, out->folder = folder;
    return is;
}

bool vault_skill_find(struct mcp_call *call, str name, struct vault_skill *out,
                      struct err *err)
{
    if (!is_skill_name(name))
        return err_set(err, ERR_NOT_FOUND, "no such skill");
    return is_folder_skill(call, name, out) || note_named(call, name, out, err);
}

static int order_names(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

bool vault_skill_names(struct mcp_call *call, str **names, size_t *n, struct err *err)
{
    struct fs_list list = {0};
    struct err ignored;
    struct vault_skill skill;
    str *all = NULL;
    *n = 0;
    if (!vault_entries(tool_vault(call), call->arena, STR(VAULT_SKILLS_FOLDER), &list,
                       &ignored))
        list.n = 0;
    for (size_t i = 0; i < list.n; i++)
        if (list.entries[i].info.type == FS_FOLDER && is_skill_name(list.entries[i].name))
            *ARRAY_ADD(call->arena, all, *n) = list.entries[i].name;
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    struct ids ids = values_having(index_values(x), STR("skill"));
    for (size_t i = 0; i < ids.n; i++)
        if (skill_of_note(call->arena, x->files[ids.at[i]], &skill))
            *ARRAY_ADD(call->arena, all, *n) = skill.name;
    tool_unlock(call);
    sort_items(all, *n, sizeof(*all), order_names);
    size_t kept = 0;
    for (size_t i = 0; i < *n && kept < VAULT_SKILLS_MAX; i++)
        if (kept == 0 || !str_eq(all[kept - 1], all[i]))
            all[kept++] = all[i];
    *names = all;
    *n = kept;
    return true;
}

/* --- files --- */

bool vault_skill_path(struct mcp_call *call, const struct vault_skill *skill,
                      str relative, str *path, struct err *err)
{
    str clean;
    if (!path_clean(call->arena, relative, &clean, err))
        return err_set(err, ERR_NOT_FOUND, "no such file in the skill");
    if (skill->folder.n > 0)
        *path =
            clean.n > 0 ? path_join(call->arena, skill->folder, clean) : skill->folder;
    else if (str_eq(clean, STR(VAULT_SKILL_FILE)))
        *path = skill->path;
    else
        return err_set(err, ERR_NOT_FOUND, "no such file in the skill");
    return true;
}

struct skill_reading {
    struct mcp_call *call;
    const struct vault_skill *skill;
    str base; /* the URI of its folder */
    struct mcp_skill *out;
    struct mcp_skill_file *files;
    size_t bytes;
};

static bool too_large(const struct skill_reading *r, struct err *err)
{
    return err_set(
        err, ERR_LIMIT, "the skill '" STR_FMT "' has more than %d files or %d MiB",
        STR_ARG(r->skill->name), MCP_SKILL_FILES_MAX, MCP_SKILL_BYTES_MAX >> 20);
}

static bool read_skill_file(struct skill_reading *r, str path, struct err *err)
{
    struct arena *a = r->call->arena, scratch = {0};
    str bytes, relative = STR(VAULT_SKILL_FILE);
    if (r->skill->folder.n > 0)
        relative = str_skip(path, r->skill->folder.n + 1);
    if (r->out->n == MCP_SKILL_FILES_MAX)
        return too_large(r, err);
    bool ok = vault_bytes(tool_vault(r->call), &scratch, path,
                          MCP_SKILL_BYTES_MAX - r->bytes, &bytes, err);
    if (ok) {
        struct mcp_skill_file *f = ARRAY_ADD(a, r->files, r->out->n);
        *f = (struct mcp_skill_file){
            .uri = arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(r->base),
                                STR_ARG(encode_percent(a, relative))),
            .size = bytes.n};
        hash_sha256(bytes, f->digest);
        r->bytes += bytes.n;
        struct vault_skill now;
        if (str_eq(path, r->skill->path)) {
            r->out->uri = f->uri;
            ok = (skill_read_text(a, bytes, &now, &r->out->frontmatter) &&
                  str_eq(now.name, r->skill->name)) ||
                 err_set(err, ERR_NOT_FOUND, "no such skill"); /* it has just changed */
        }
    }
    arena_release(&scratch);
    return ok || (err->code == ERR_LIMIT && too_large(r, err));
}

/* Linked folders may form a loop, and are left out. */
static bool read_skill_folder(struct skill_reading *r, str folder, int depth,
                              struct err *err)
{
    struct fs_list list;
    if (depth == VAULT_SKILL_DEPTH_MAX)
        return too_large(r, err);
    if (!vault_entries(tool_vault(r->call), r->call->arena, folder, &list, err))
        return false;
    for (size_t i = 0; i < list.n; i++) {
        const struct fs_entry *e = &list.entries[i];
        str path = path_join(r->call->arena, folder, e->name);
        bool ok = e->info.type == FS_FILE ? read_skill_file(r, path, err)
                  : e->is_link            ? true
                                          : read_skill_folder(r, path, depth + 1, err);
        if (!ok)
            return false;
    }
    return true;
}

bool vault_skill_read(struct mcp_call *call, const struct vault_skill *skill, str base,
                      struct mcp_skill *out, size_t *bytes, struct err *err)
{
    struct skill_reading r = {call, skill, base, out, NULL, 0};
    *out = (struct mcp_skill){0};
    bool ok = skill->folder.n > 0 ? read_skill_folder(&r, skill->folder, 0, err)
                                  : read_skill_file(&r, skill->path, err);
    out->files = r.files;
    *bytes = r.bytes;
    return ok && (out->uri.n > 0 || err_set(err, ERR_NOT_FOUND, "no such skill"));
}
