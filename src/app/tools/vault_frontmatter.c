#include "app/answers/changed.h"
#include "app/kit/kit_change.h"
#include "app/tools/rows.h"
#include "base/path.h"
#include "vault/draft.h"
#include "vault/note/frontmatter_edit.h"
#include "vault/note/prop.h"

struct args {
    str path;
    const struct json *set, *add, *take;
    struct mcp_strs remove;
    struct kit_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "Note, with extension"),
    MCP_FIELD(struct args, set, MCP_OBJECT, 0, "E.g. {\"status\":\"done\",\"rating\":5}"),
    MCP_FIELD(struct args, add, MCP_OBJECT, 0,
              "Add to lists, e.g. {\"tags\":[\"garden\"]}"),
    MCP_FIELD(struct args, take, MCP_OBJECT, 0, "Remove from lists"),
    MCP_FIELD(struct args, remove, MCP_STRS, 0, "Properties to remove"),
    KIT_CHANGE_FIELDS(struct args),
    {0},
};

struct edits {
    struct frontmatter_edit *items;
    size_t n;
};

static bool take_members(struct arena *a, struct edits *out, enum frontmatter_op op,
                         const struct json *object, struct err *err)
{
    const struct json *j = object != NULL ? object->child : NULL;
    for (; j != NULL; j = j->next) {
        struct prop *value;
        if (!prop_of_json(a, j, &value, err))
            return false;
        out->items[out->n++] =
            (struct frontmatter_edit){.op = op, .key = j->key, .value = value};
    }
    return true;
}

static bool read_edits(struct arena *a, const struct args *in, struct edits *out,
                       struct err *err)
{
    size_t most = in->remove.n;
    const struct json *const objects[] = {in->set, in->add, in->take};
    for (size_t i = 0; i < COUNT_OF(objects); i++)
        most += objects[i] != NULL ? objects[i]->n : 0;
    if (most == 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "nothing to do: give set, add, take or remove");
    *out = (struct edits){.items = ARENA_ARRAY(a, struct frontmatter_edit, most)};
    for (size_t i = 0; i < in->remove.n; i++)
        out->items[out->n++] = (struct frontmatter_edit){.op = FRONTMATTER_UNSET,
                                                         .key = in->remove.items[i]};
    return take_members(a, out, FRONTMATTER_SET, in->set, err) &&
           take_members(a, out, FRONTMATTER_ADD, in->add, err) &&
           take_members(a, out, FRONTMATTER_TAKE, in->take, err);
}

static bool check_note(str path, struct err *err)
{
    return str_eq_nocase(path_extension(path), STR("md")) ||
           err_named(err, E_INVALID_ARGUMENT,
                     "'" STR_FMT "' is not a note: only .md files have properties",
                     STR_ARG(path));
}

static bool vault_frontmatter_edit(struct mcp_call *call, str text,
                                   const struct edits *edits,
                                   struct frontmatter_edited *out, struct err *err)
{
    if (frontmatter_edit(call->arena, text, edits->items, edits->n, out, err))
        return true;
    return err->name == E_BROKEN_FRONTMATTER
               ? err_hint(err, "fix that line with vault_edit")
               : false;
}

static bool vault_frontmatter_steps(struct kit_changing *c, struct err *err)
{
    struct arena *a = c->call->arena;
    const struct args *in = c->call->args;
    struct draft_file f;
    struct frontmatter_edited r;
    struct edits edits;
    return read_edits(a, in, &edits, err) && kit_open(c, in->path, &f, err) &&
           check_note(f.path, err) &&
           vault_frontmatter_edit(c->call, f.text, &edits, &r, err) &&
           changed_properties(&c->out, c->draft, &f, &r, err);
}

const struct mcp_tool tool_vault_frontmatter = {
    .name = "vault_frontmatter",
    .title = "Change properties",
    .about = "Set, extend and remove properties (frontmatter) of a note; the rest stays.",
    .flags = MCP_DESTRUCTIVE | MCP_IDEMPOTENT,
    .fields = fields,
    .args_size = sizeof(struct args),
    KIT_CHANGES(.steps = vault_frontmatter_steps, .tags = true,
                .change = offsetof(struct args, change)),
};
