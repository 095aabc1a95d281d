/* get_frontmatter and set_frontmatter */
#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/claude_desktop/notes.h"
#include "vault/eval/value.h"
#include "vault/index/index.h"
#include "vault/note/frontmatter_edit.h"
#include "vault/note/prop.h"

struct args {
    str name, key;
    const struct json *value;
};

static const struct mcp_field get_fields[] = {
    MCP_FIELD(struct args, name, MCP_STR, MCP_REQUIRED, NOTES_NAME),
    {0},
};

static const struct mcp_field set_fields[] = {
    MCP_FIELD(struct args, name, MCP_STR, MCP_REQUIRED, NOTES_NAME),
    MCP_FIELD(struct args, key, MCP_STR, MCP_REQUIRED, "Property"),
    MCP_FIELD(struct args, value, MCP_ANY, MCP_REQUIRED,
              "Text, number, true or false, list or object; a list or object may also be "
              "sent as JSON text"),
    {0},
};

/* --- get --- */

static bool put_all(struct mcp_call *call, const struct index *x, const struct file *f,
                    struct err *err)
{
    struct value_reader reader = {call->arena, x->names, f->path, f->id, 0};
    if (f->props == NULL && f->problem.n > 0)
        return err_named(err, E_BROKEN_FRONTMATTER,
                         "the frontmatter of '" STR_FMT "' cannot be read: " STR_FMT,
                         STR_ARG(f->path), STR_ARG(f->problem));
    jsonw_object(call->out);
    for (const struct prop *p = f->props != NULL ? f->props->child : NULL; p != NULL;
         p = p->next) {
        struct value v = value_of_prop(&reader, p);
        jsonw_key(call->out, p->key);
        value_json(call->out, &v);
    }
    jsonw_end(call->out);
    return true;
}

static bool frontmatter_get_one(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    const struct index *x;
    const struct file *f = notes_lock(call, in->name, &x, err);
    if (f == NULL)
        return false;
    bool ok = put_all(call, x, f, err);
    tool_unlock(call);
    return ok;
}

const struct mcp_tool tool_get_frontmatter = {
    .name = "get_frontmatter",
    .title = "Properties",
    .about = "The frontmatter of a note as a JSON object.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = get_fields,
    .args_size = sizeof(struct args),
    .run = frontmatter_get_one,
};

/* --- set --- */

/* The intended value: models also send lists as JSON text. */
static bool read_property_value(struct arena *a, const struct args *in,
                                const struct prop **out, struct err *err)
{
    const struct json *inner, *value = in->value;
    struct err ignored;
    struct prop *p;
    if (json_is(value, JSON_STRING) &&
        json_parse(a, str_trim_line(value->text), &inner, &ignored) &&
        (json_is(inner, JSON_ARRAY) || json_is(inner, JSON_OBJECT)))
        value = inner;
    if (!prop_of_json(a, value, &p, err))
        return false;
    *out = prop_for_key(a, in->key, p);
    return true;
}

static bool frontmatter_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct arena *a = c->call->arena;
    struct draft_file f;
    struct frontmatter_edit set = {.op = FRONTMATTER_SET, .key = in->key};
    struct frontmatter_edited r;
    if (!notes_open(c, in->name, &f, err) ||
        !read_property_value(a, in, &set.value, err) ||
        !frontmatter_edit(a, f.text, &set, 1, &r, err))
        return false;
    c->edit.text = r.text;
    return tool_rewrite(c, &f, err);
}

const struct mcp_tool tool_set_frontmatter = {
    .name = "set_frontmatter",
    .title = "Set a property",
    .about = "Set one key of a note's frontmatter; the rest stays. Use only tags that "
             "the vault has.",
    .flags = MCP_DESTRUCTIVE | MCP_IDEMPOTENT | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = set_fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = frontmatter_steps,
                 .shape = &notes_done_shape, .done = "updated", .tags = true),
};
