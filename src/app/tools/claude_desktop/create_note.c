#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/claude_desktop/notes.h"
#include "base/path.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/note/frontmatter_edit.h"
#include "vault/note/obsidian.h"
#include "vault/note/prop.h"
#include "vault/vault.h"

struct args {
    str name, content;
    const struct json *frontmatter;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, name, MCP_STR, MCP_REQUIRED,
              "Name of the new note, or its path (\"Projects/Plan\")"),
    MCP_FIELD(struct args, content, MCP_STR, 0, "Its text"),
    MCP_FIELD(struct args, frontmatter, MCP_OBJECT, MCP_AS_TEXT,
              "Properties as a JSON object in a string, e.g. "
              "\"{\\\"tags\\\": [\\\"claude\\\"]}\""),
    {0},
};

/* A bare name goes to the folder that Obsidian's settings name. */
static bool put_into_folder(struct mcp_call *call, str *path, struct err *err)
{
    str folder = {0};
    if (tool_lock(call, err) == NULL)
        return false;
    bool set =
        obsidian_new_file(vault_obsidian(tool_vault(call)), &folder) == NEW_FILE_FOLDER;
    *path = path_join(call->arena, set ? arena_str(call->arena, folder) : STR(""), *path);
    tool_unlock(call);
    return !set || vault_may_use_set(tool_vault(call), *path, err);
}

static bool is_note_taken(str path, struct err *err)
{
    return err_named(err, E_FILE_EXISTS,
                     "note '" STR_FMT "' already exists: '" STR_FMT
                     "'. Choose another name, or give the path of the new one",
                     STR_ARG(file_title(path)), STR_ARG(path));
}

static bool choose_path(struct mcp_call *call, str name, str *path, struct err *err)
{
    struct err none;
    str clean, there;
    if (!path_clean_file(call->arena, name, &clean, err))
        return false;
    if (clean.n == 0)
        return err_set(err, ERR_INVALID, "the name of the note is empty");
    *path = str_eq_nocase(path_extension(clean), STR("md"))
                ? clean
                : arena_printf(call->arena, STR_FMT ".md", STR_ARG(clean));
    if (str_find_char(name, '/') != STR_NONE)
        return true;
    if (notes_find(call, name, &there, &none))
        return is_note_taken(there, err);
    if (none.code != ERR_NOT_FOUND) { /* several notes have that name */
        *err = none;
        return false;
    }
    return put_into_folder(call, path, err);
}

static bool add_properties(struct arena *a, const struct json *object, str *text,
                           struct err *err)
{
    struct frontmatter_edited edited;
    size_t n = 0;
    if (object == NULL || object->n == 0)
        return true;
    struct frontmatter_edit *edits = ARENA_ARRAY(a, struct frontmatter_edit, object->n);
    for (const struct json *j = object->child; j != NULL; j = j->next) {
        struct prop *value;
        if (!prop_of_json(a, j, &value, err))
            return false;
        edits[n++] = (struct frontmatter_edit){.op = FRONTMATTER_SET,
                                               .key = j->key,
                                               .value = prop_for_key(a, j->key, value)};
    }
    if (!frontmatter_edit(a, *text, edits, n, &edited, err))
        return false;
    *text = edited.text;
    return true;
}

static bool create_note_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct arena *a = c->call->arena;
    str text = in->content;
    if (!choose_path(c->call, in->name, &c->out.path, err) ||
        !add_properties(a, in->frontmatter, &text, err))
        return false;
    if (draft_exists(c->draft, c->out.path))
        return is_note_taken(c->out.path, err);
    return draft_write(c->draft, c->out.path, text, DRAFT_OVERWRITE, err);
}

const struct mcp_tool tool_create_note = {
    .name = "create_note",
    .title = "Create a note",
    .about = "Create a note; refused if one with that name exists. Use only tags that "
             "the vault has.",
    .flags = MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = create_note_steps,
                 .shape = &notes_done_shape, .done = "created", .tags = true),
};
