#include "app/catalog/skill_resource.h"

#include "app/catalog/resource_page.h"
#include "app/catalog/skill_own.h"
#include "app/catalog/vault_skills.h"
#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/tool_support/tool_support.h"
#include "base/encode.h"
#include "base/path.h"
#include "mcp/call.h"
#include "mcp/skill.h"
#include "vault/text/media.h"
#include "vault/vault.h"

#define SCHEME "skill://"

enum { PAGE_BYTES = 32 << 20 }; /* of files that one page of the list may read */

/* --- URIs --- */

/* The URI of the folder of a skill of the vault that the call uses. */
static str vault_base(struct mcp_call *call, str name)
{
    bool several = app_has_several(app_of(call));
    return arena_printf(call->arena, SCHEME STR_FMT "%s" STR_FMT,
                        STR_ARG(several ? tool_served(call)->name : STR("")),
                        several ? "/" : "", STR_ARG(name));
}

static str own_base(struct mcp_call *call, const struct own_skill *skill)
{
    return arena_printf(call->arena, SCHEME STR_FMT, STR_ARG(skill->name));
}

static bool no_skill(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "no such skill");
}

/* What a URI names: a file or folder of one of the vault's skills, or of one of ours. */
struct skill_place {
    bool own;
    struct vault_skill skill;
    struct own_skill of_ours;
    str relative; /* decoded; empty: the skill's folder */
};

/* The skill of the vault; without a vault of that name there is none. */
static bool find_in_vault(struct mcp_call *call, str rest, struct skill_place *out,
                          struct err *err)
{
    str vault = STR(""), name = STR("");
    if (app_has_several(app_of(call)))
        (void)str_next(&rest, '/', &vault);
    (void)str_next(&rest, '/', &name);
    if (app_has_several(app_of(call)) &&
        vaults_find(app_of(call), call->caller, vault) == NULL)
        return no_skill(err);
    return tool_use_named(call, vault, err) &&
           vault_skill_find(call, name, &out->skill, err) &&
           (decode_percent(call->arena, rest, &out->relative) || no_skill(err));
}

static bool find_own(struct mcp_call *call, str rest, struct skill_place *out)
{
    struct own_skill *all;
    str name = STR("");
    size_t n = own_skills(call, &all);
    (void)str_next(&rest, '/', &name);
    for (size_t i = 0; i < n; i++)
        if (str_eq(all[i].name, name)) {
            *out = (struct skill_place){.own = true, .of_ours = all[i], .relative = rest};
            return true;
        }
    return false;
}

static bool find_place(struct mcp_call *call, str uri, struct skill_place *out,
                       struct err *err)
{
    *out = (struct skill_place){0};
    if (!str_starts(uri, STR(SCHEME)))
        return no_skill(err);
    str rest = str_skip(uri, STR(SCHEME).n);
    return find_in_vault(call, rest, out, err) ||
           (err->code == ERR_NOT_FOUND && find_own(call, rest, out));
}

/* --- reading --- */

static bool read_own(struct mcp_call *call, str uri, const struct skill_place *p,
                     struct err *err)
{
    for (size_t i = 0; i < p->of_ours.n; i++)
        if (str_eq(p->of_ours.files[i].path, p->relative)) {
            mcp_resource_text(call, uri, STR("text/markdown"), p->of_ours.files[i].text);
            return true;
        }
    return err_set(err, ERR_NOT_FOUND, "no such file in the skill");
}

static bool skill_resource_read(struct mcp_call *call, str uri, struct err *err)
{
    struct skill_place p;
    str path, bytes;
    if (!find_place(call, uri, &p, err))
        return false;
    if (p.own)
        return read_own(call, uri, &p, err);
    if (!vault_skill_path(call, &p.skill, p.relative, &path, err) ||
        !vault_bytes(tool_vault(call), call->arena, path, MCP_SKILL_BYTES_MAX, &bytes,
                     err))
        return false;
    resource_put_bytes(call, uri, path, bytes);
    return true;
}

const struct mcp_resource skill_resource = {.uri = SCHEME "{+path}",
                                            .name = "skill",
                                            .title = "A file of a skill",
                                            .about = "",
                                            .hidden = true,
                                            .read = skill_resource_read};

/* --- entries --- */

static void put_own(struct mcp_call *call, const struct own_skill *skill)
{
    struct arena *a = call->arena;
    struct mcp_skill_file *files = ARENA_ARRAY(a, struct mcp_skill_file, skill->n);
    struct vault_skill says;
    str front;
    str base = own_base(call, skill);
    for (size_t i = 0; i < skill->n; i++) {
        const struct own_skill_file *f = &skill->files[i];
        files[i].uri =
            arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(base), STR_ARG(f->path));
        files[i].size = f->text.n;
        hash_sha256(f->text, files[i].digest);
    }
    if (!skill_read_text(a, skill->files[0].text, &says, &front))
        BUG("our skill " STR_FMT " has no name", STR_ARG(skill->name));
    mcp_put_skill(call, &(struct mcp_skill){files[0].uri, front, files, skill->n});
}

/* A skill that is too large is left out. */
static bool put_vault_skill(struct mcp_call *call, str name, size_t *bytes,
                            struct err *err)
{
    struct vault_skill found;
    struct mcp_skill skill;
    *bytes = 0;
    if (!vault_skill_find(call, name, &found, err) ||
        !vault_skill_read(call, &found, vault_base(call, name), &skill, bytes, err))
        return false;
    mcp_put_skill(call, &skill);
    return true;
}

static bool list_page(struct mcp_call *call, str *after, bool *more, struct err *err)
{
    str *names;
    size_t n, i = 0, bytes, all = 0;
    if (!vault_skill_names(call, &names, &n, err))
        return false;
    while (i < n && str_cmp(names[i], *after) <= 0)
        i++;
    for (; i < n && all < PAGE_BYTES; i++, all += bytes) {
        struct err why_not = {0};
        *after = names[i];
        (void)!put_vault_skill(call, names[i], &bytes, &why_not);
    }
    *more = i < n;
    return true;
}

/* One of the vault's own may have the name of ours. */
static void list_own(struct mcp_call *call)
{
    struct own_skill *all;
    struct vault_skill theirs;
    struct err ignored;
    size_t n = own_skills(call, &all);
    for (size_t i = 0; i < n; i++)
        if (app_has_several(app_of(call)) ||
            !vault_skill_find(call, all[i].name, &theirs, &ignored))
            put_own(call, &all[i]);
}

static bool skills_list(struct mcp_call *call, str cursor, struct err *err)
{
    bool last;
    if (!resource_pages(call, cursor, list_page, &last, err))
        return false;
    if (last)
        list_own(call);
    return true;
}

static bool skills_get(struct mcp_call *call, str uri, struct err *err)
{
    struct skill_place p;
    size_t bytes;
    if (!find_place(call, uri, &p, err))
        return false;
    if (!str_eq(p.relative, STR(VAULT_SKILL_FILE)))
        return no_skill(err);
    if (!p.own)
        return put_vault_skill(call, p.skill.name, &bytes, err);
    put_own(call, &p.of_ours);
    return true;
}

/* --- folders --- */

static void list_entry(struct mcp_call *call, str base, str relative, str type,
                       int64_t size)
{
    struct arena *a = call->arena;
    mcp_list(call, &(struct mcp_listed){
                       .uri = arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(base),
                                           STR_ARG(encode_percent(a, relative))),
                       .name = path_name(relative),
                       .mime = type,
                       .size = size});
}

static bool list_folder(struct mcp_call *call, const struct skill_place *p,
                        struct err *err)
{
    str path, base = vault_base(call, p->skill.name);
    struct fs_list list;
    if (p->skill.folder.n == 0 && p->relative.n == 0) {
        list_entry(call, base, STR(VAULT_SKILL_FILE), STR("text/markdown"), -1);
        return true;
    }
    if (!vault_skill_path(call, &p->skill, p->relative, &path, err) ||
        !vault_entries(tool_vault(call), call->arena, path, &list, err))
        return false;
    for (size_t i = 0; i < list.n; i++) {
        const struct fs_entry *e = &list.entries[i];
        str relative =
            str_skip(path_join(call->arena, path, e->name), p->skill.folder.n + 1);
        bool folder = e->info.type == FS_FOLDER;
        if (folder && e->is_link)
            continue;
        list_entry(call, base, relative,
                   folder ? STR(MCP_SKILL_FOLDER) : media_type(e->name),
                   folder ? -1 : e->info.size);
    }
    return true;
}

/* Of ours, no folder has folders in it except the skill itself. */
static bool list_own_folder(struct mcp_call *call, const struct skill_place *p,
                            struct err *err)
{
    str base = own_base(call, &p->of_ours), last = {0};
    size_t found = 0;
    for (size_t i = 0; i < p->of_ours.n; i++) {
        const struct own_skill_file *f = &p->of_ours.files[i];
        str folder = path_folder(f->path);
        if (str_eq(folder, p->relative) && ++found > 0)
            list_entry(call, base, f->path, STR("text/markdown"), (int64_t)f->text.n);
        else if (p->relative.n == 0 && !str_eq(folder, last) && ++found > 0)
            list_entry(call, base, folder, STR(MCP_SKILL_FOLDER), -1);
        last = folder;
    }
    return found > 0 || err_set(err, ERR_NOT_FOUND, "no such folder in the skill");
}

static bool skills_folder(struct mcp_call *call, str uri, struct err *err)
{
    struct skill_place p;
    if (!find_place(call, uri, &p, err))
        return false;
    return p.own ? list_own_folder(call, &p, err) : list_folder(call, &p, err);
}

const struct mcp_skill_family app_skills = {
    .list = skills_list, .get = skills_get, .folder = skills_folder};

/* --- as resources --- */

bool skill_resource_list(struct mcp_call *call, struct err *err)
{
    str *names;
    size_t n;
    if (!vault_skill_names(call, &names, &n, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct vault_skill skill;
        struct err ignored;
        if (vault_skill_find(call, names[i], &skill, &ignored))
            mcp_list(call,
                     &(struct mcp_listed){
                         .uri = arena_printf(call->arena, STR_FMT "/" VAULT_SKILL_FILE,
                                             STR_ARG(vault_base(call, names[i]))),
                         .name = names[i],
                         .about = skill.about,
                         .mime = STR("text/markdown"),
                         .size = -1});
    }
    return true;
}
