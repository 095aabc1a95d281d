#include "app/answers/changed.h"
#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_many.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/rows.h"
#include "base/path.h"
#include "base/utf8.h"
#include "vault/draft.h"
#include "vault/forms/inline.h"
#include "vault/note/frontmatter_edit.h"
#include "vault/note/note.h"
#include "vault/note/prop.h"

struct args {
    str path;
    struct tool_many many;
    const struct json *set, *add, *take;
    struct mcp_strs remove;
    struct tool_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_TERSE, "Note"),
    MCP_FIELD_AS(struct args, many.paths, "paths", MCP_STRS, MCP_TERSE, "Several"),
    MCP_FIELD_AS(struct args, many.where, "where", MCP_STR, 0,
                 "Or a query as in vault_query"),
    MCP_FIELD_AS(struct args, many.expect, "expect", MCP_INT, MCP_UNLISTED,
                 "How many notes", .min = 1, .max = INT32_MAX),
    MCP_FIELD(struct args, set, MCP_OBJECT, 0, "E.g. {\"status\":\"done\",\"rating\":5}"),
    MCP_FIELD(struct args, add, MCP_OBJECT, 0,
              "Add to lists, e.g. {\"tags\":[\"garden\"]}"),
    MCP_FIELD(struct args, take, MCP_OBJECT, 0, "Remove from lists"),
    MCP_FIELD(struct args, remove, MCP_STRS, 0, "Properties to remove"),
    TOOL_CHANGE_FIELDS(struct args),
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

/* --- changing them --- */

/* Say what was to be removed but was not there. */
static void warn_absent(const struct edits *edits, const struct frontmatter_edited *r,
                        struct changed *out)
{
    for (size_t i = 0; i < edits->n; i++) {
        const struct frontmatter_edit *e = &edits->items[i];
        bool found = e->op != FRONTMATTER_UNSET && e->op != FRONTMATTER_TAKE;
        for (size_t k = 0; k < r->n_changes && !found; k++)
            found = prop_same_name(r->changes[k].key, e->key);
        if (!found)
            changed_warn(out,
                         arena_printf(out->arena,
                                      e->op == FRONTMATTER_UNSET
                                          ? "there is no property '" STR_FMT "'"
                                          : "'" STR_FMT "' has none of the values to "
                                            "take",
                                      STR_ARG(utf8_cut(e->key, 120))));
    }
}

/* Say which of the properties are inline fields as well: those stay as they are. */
static void warn_inline(const struct edits *edits, str text, struct changed *out)
{
    struct note note;
    struct inline_field *found;
    if (str_find(text, STR("::")) == STR_NONE)
        return;
    note_scan(out->arena, text, &note);
    uint32_t n = inline_scan(out->arena, &note, &found);
    for (size_t i = 0; i < edits->n; i++) {
        uint32_t k = 0;
        while (k < n && (found[k].of_task || !prop_same_name(inline_key(text, &found[k]),
                                                             edits->items[i].key)))
            k++;
        if (k < n)
            changed_warn(out,
                         arena_printf(out->arena,
                                      "'" STR_FMT "' is also an inline field, in line "
                                      "%u, which stays as it is; queries see both "
                                      "values",
                                      STR_ARG(utf8_cut(edits->items[i].key, 120)),
                                      found[k].line));
    }
}

static bool change_note(struct tool_changing *c, str path, const struct edits *edits,
                        struct changed *out, struct err *err)
{
    struct draft_file f;
    struct frontmatter_edited r;
    if (!tool_open(c, path, &f, err) || !check_note(f.path, err) ||
        !vault_frontmatter_edit(c->call, f.text, edits, &r, err))
        return false;
    warn_absent(edits, &r, out);
    warn_inline(edits, r.text, out);
    return changed_properties(out, c->draft, &f, &r, err);
}

static bool change_notes(struct tool_changing *c, const struct tool_many *in,
                         const struct mcp_strs *notes, const struct edits *edits,
                         struct err *err)
{
    struct arena *a = c->call->arena;
    struct changed_step *each = ARENA_ARRAY(a, struct changed_step, notes->n);
    for (size_t i = 0; i < notes->n; i++) {
        each[i].out = (struct changed){.arena = a};
        if (!change_note(c, notes->items[i], edits, &each[i].out, err))
            return notes->n > 1
                       ? err_reword(err, "%s; nothing was changed in any note", err->msg)
                       : false;
    }
    tool_many_done(c, each, notes->n,
                   arena_printf(a, "Change properties of %zu notes?", notes->n));
    return in->expect == MCP_ABSENT ||
           tool_many_expect(c, in, notes->n, "note", "notes", err);
}

static bool vault_frontmatter_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct mcp_strs notes = {0};
    struct edits edits;
    if (!read_edits(c->call->arena, in, &edits, err) ||
        !tool_many_check(&in->many, in->path, &in->change, err))
        return false;
    if (in->path.n > 0)
        return change_note(c, in->path, &edits, &c->out, err);
    return tool_many_find(c, &in->many, NULL, NULL, &notes, err) &&
           tool_many_limit(notes.n, err) &&
           change_notes(c, &in->many, &notes, &edits, err);
}

const struct mcp_tool tool_vault_frontmatter = {
    .name = "vault_frontmatter",
    .title = "Change properties",
    .about = "Set, extend and remove properties (frontmatter) of notes; the rest stays.",
    .flags = MCP_DESTRUCTIVE | MCP_IDEMPOTENT,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.steps = vault_frontmatter_steps, .tags = true,
                 .change = offsetof(struct args, change)),
};
