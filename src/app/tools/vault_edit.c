#include "app/answers/changed.h"
#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_many.h"
#include "app/tool_support/tool_read_log.h"
#include "app/tools/rows.h"
#include "base/text.h"
#include "mcp/schema.h"
#include "vault/draft.h"
#include "vault/note/edit.h"

struct args {
    str path, old_text, new_text, section, lines, row;
    bool replace_all, regex;
    const struct json *edits, *cells;
    struct tool_many many;
    struct tool_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_TERSE, "Note's name, or path"),
    MCP_FIELD_AS(struct args, many.paths, "paths", MCP_STRS, MCP_TERSE,
                 "Or every match in these: names, globs"),
    MCP_FIELD_AS(struct args, many.where, "where", MCP_STR, MCP_TERSE,
                 "Or in notes of a query as in vault_query"),
    MCP_FIELD_AS(struct args, many.expect, "expect", MCP_INT, MCP_TERSE,
                 "Number of matches in these", .min = 1, .max = INT32_MAX),
    MCP_FIELD(struct args, old_text, MCP_STR, 0, "Text that occurs once"),
    MCP_FIELD(struct args, new_text, MCP_STR, 0, "Empty deletes"),
    MCP_FIELD(struct args, replace_all, MCP_BOOL, MCP_TERSE, "Every occurrence"),
    MCP_FIELD(struct args, regex, MCP_BOOL, 0, "new_text may use $1; every match"),
    MCP_FIELD(struct args, edits, MCP_LIST, 0, "Several edits, in order, all or none",
              .items = "{\"type\":\"object\",\"properties\":{"
                       "\"old_text\":{\"type\":\"string\"},"
                       "\"new_text\":{\"type\":\"string\"},"
                       "\"replace_all\":{\"type\":\"boolean\"}},"
                       "\"required\":[\"old_text\",\"new_text\"]}"),
    MCP_FIELD(struct args, section, MCP_STR, 0, "Only below this heading"),
    MCP_FIELD(struct args, lines, MCP_STR, 0, "\"12-15\": replace these with new_text"),
    MCP_FIELD(struct args, row, MCP_STR, 0,
              "First cell of a table row, to change or add; without cells: to remove"),
    MCP_FIELD(struct args, cells, MCP_OBJECT, 0, "{\"Column\":\"text\"}"),
    TOOL_CHANGE_FIELDS(struct args),
    {0},
};

static const struct mcp_field swap_fields[] = {
    MCP_FIELD(struct edit_swap, old_text, MCP_STR, MCP_REQUIRED, "the text to replace"),
    MCP_FIELD(struct edit_swap, new_text, MCP_STR, MCP_REQUIRED, "what replaces it"),
    MCP_FIELD(struct edit_swap, replace_all, MCP_BOOL, 0, "every occurrence"),
    {0},
};

static bool read_swaps(struct mcp_call *call, const struct args *in,
                       struct edit_swap *out, struct err *err)
{
    size_t n = 0;
    for (const struct json *j = in->edits->child; j != NULL; j = j->next, n++) {
        struct err why;
        if (!mcp_schema_read(call->arena, swap_fields, j, true, &out[n], &why))
            return err_named(err, E_INVALID_ARGUMENT, "edits, item %zu: %s", n + 1,
                             why.msg);
        out[n].section = in->section;
        out[n].tolerant = true;
    }
    return true;
}

/* --- which of the forms of an edit --- */

static bool check_edits(const struct args *in, struct err *err)
{
    if (in->old_text.p != NULL || in->new_text.p != NULL || in->regex || in->replace_all)
        return err_named(
            err, E_INVALID_ARGUMENT,
            "give edits alone: each item has its own old_text, new_text and replace_all");
    return in->edits->n > 0 || err_named(err, E_INVALID_ARGUMENT, "edits is empty");
}

static bool needs_both_texts(const struct args *in, struct err *err)
{
    if (in->old_text.p != NULL && in->new_text.p != NULL)
        return true;
    return err_named(err, E_INVALID_ARGUMENT,
                     "%s is missing; give old_text and new_text, edits, lines, or row",
                     in->old_text.p == NULL ? "old_text" : "new_text");
}

static bool check_lines(const struct args *in, struct err *err)
{
    if (in->new_text.p == NULL)
        return err_named(err, E_INVALID_ARGUMENT,
                         "lines needs new_text; an empty one removes them");
    return in->section.n == 0 ||
           err_named(err, E_INVALID_ARGUMENT, "give lines or section, not both");
}

static bool vault_edit_check_form(const struct args *in, struct err *err)
{
    bool lines = in->lines.p != NULL, row = in->row.p != NULL;
    if ((in->old_text.p != NULL) + (in->edits != NULL) + lines + row > 1)
        return err_named(err, E_INVALID_ARGUMENT,
                         "give only one of old_text, edits, lines and row");
    if ((lines || row) && (in->regex || in->replace_all))
        return err_named(err, E_INVALID_ARGUMENT,
                         "regex and replace_all are for old_text");
    if (row ? in->new_text.p != NULL : in->cells != NULL)
        return err_named(err, E_INVALID_ARGUMENT,
                         row ? "a row has cells, not new_text" : "cells needs row");
    if (row)
        return true;
    return in->edits != NULL ? check_edits(in, err)
           : lines           ? check_lines(in, err)
                             : needs_both_texts(in, err);
}

/* --- the edits --- */

static bool replace_lines(struct tool_changing *c, const struct args *in,
                          const struct draft_file *f, struct err *err)
{
    struct edit_lines e = {.content = in->new_text};
    return edit_read_lines(in->lines, &e, err) &&
           tool_check_lines(c, f, e.first, e.last, err) &&
           edit_lines(c->call->arena, f->text, &e, &c->edit, err);
}

static bool change_row(struct tool_changing *c, const struct args *in,
                       const struct draft_file *f, struct err *err)
{
    size_t n = in->cells != NULL ? in->cells->n : 0;
    struct edit_cell *cells = ARENA_ARRAY(c->call->arena, struct edit_cell, n);
    struct edit_row e = {in->section, in->row, cells, 0};
    if (in->cells != NULL && n == 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "cells is empty; leave it out to remove the row");
    for (const struct json *j = n > 0 ? in->cells->child : NULL; j != NULL; j = j->next)
        cells[e.n++] = (struct edit_cell){j->key, json_is(j, JSON_STRING) ? j->text
                                                  : json_is(j, JSON_NULL) ? (str){0}
                                                                          : j->raw};
    return edit_row(c->call->arena, f->text, &e, &c->edit, err);
}

static bool replace_text(struct tool_changing *c, const struct args *in,
                         const struct draft_file *f, struct err *err)
{
    struct arena *a = c->call->arena;
    struct edit_pattern pattern = {.pattern = in->old_text,
                                   .replacement = in->new_text,
                                   .section = in->section,
                                   .stop = draft_stop(c->draft)};
    struct edit_swap one = {.old_text = in->old_text,
                            .new_text = in->new_text,
                            .replace_all = in->replace_all,
                            .section = in->section,
                            .tolerant = true};
    if (in->regex)
        return edit_regex(a, f->text, &pattern, &c->edit, err);
    if (in->edits == NULL)
        return edit_replace(a, f->text, &one, 1, &c->edit, err);
    struct edit_swap *swaps = ARENA_ARRAY(a, struct edit_swap, in->edits->n);
    return read_swaps(c->call, in, swaps, err) &&
           edit_replace(a, f->text, swaps, in->edits->n, &c->edit, err);
}

/* --- in several notes --- */

static bool vault_edit_check_many(const struct args *in, struct err *err)
{
    if (in->old_text.n == 0 || in->edits != NULL || in->lines.p != NULL ||
        in->row.p != NULL)
        return err_named(err, E_INVALID_ARGUMENT,
                         "with paths or where, give old_text and new_text");
    return in->new_text.p != NULL ||
           err_named(err, E_INVALID_ARGUMENT,
                     "new_text is missing; an empty one deletes");
}

/* The text in every place of a note. */
static bool replace_all_in(struct tool_changing *c, const struct args *in, str text,
                           struct edit_result *out, struct err *err)
{
    const struct edit_pattern pattern = {.pattern = in->old_text,
                                         .replacement = in->new_text,
                                         .section = in->section,
                                         .stop = draft_stop(c->draft)};
    const struct edit_swap one = {.old_text = in->old_text,
                                  .new_text = in->new_text,
                                  .replace_all = true,
                                  .section = in->section};
    *out = (struct edit_result){0};
    return in->regex ? edit_regex(c->call->arena, text, &pattern, out, err)
                     : edit_replace(c->call->arena, text, &one, 1, out, err);
}

static bool is_absent(const struct err *err)
{
    return err->name == E_TEXT_NOT_FOUND || err->name == E_HEADING_NOT_FOUND;
}

/* Whether a note may have the text, as it is in the index. */
static bool vault_edit_takes(void *arg, const struct file *f)
{
    struct tool_changing *c = arg;
    const struct args *in = c->call->args;
    struct edit_result ignored;
    struct err err;
    if (!in->regex)
        return text_count_ends(in->old_text, 0, in->old_text.n) > 0 ||
               str_find(f->text, in->old_text) != STR_NONE;
    return stop_now(draft_stop(c->draft)) ||
           replace_all_in(c, in, f->text, &ignored, &err) || !is_absent(&err);
}

/* *found: whether the note has the text. */
static bool change_one_of_many(struct tool_changing *c, const struct args *in, str path,
                               struct changed *out, bool *found, struct err *err)
{
    struct draft_file f;
    struct edit_result r;
    *found = false;
    if (!draft_go_on(c->draft, err) || !tool_open(c, path, &f, err))
        return false;
    if (!replace_all_in(c, in, f.text, &r, err))
        return is_absent(err);
    *found = r.replacements > 0;
    *out = (struct changed){.arena = c->call->arena,
                            .parts = CHANGED_COUNTED,
                            .replacements = r.replacements,
                            .target = r.target};
    return !*found || changed_rewrite(out, c->draft, &f, &r, err);
}

static bool edit_many(struct tool_changing *c, const struct args *in, struct err *err)
{
    struct mcp_strs notes;
    size_t n = 0;
    bool found;
    if (!vault_edit_check_many(in, err) ||
        !tool_many_find(c, &in->many, vault_edit_takes, c, &notes, err))
        return false;
    struct changed_step *each = ARENA_ARRAY(c->call->arena, struct changed_step, notes.n);
    for (size_t i = 0; i < notes.n; i++) {
        if (!change_one_of_many(c, in, notes.items[i], &each[n].out, &found, err))
            return err_reword(err, STR_FMT ": %s; nothing was changed in any note",
                              STR_ARG(notes.items[i]), err->msg);
        c->out.replacements += found ? each[n].out.replacements : 0;
        n += found;
    }
    if (n == 0)
        return err_named(err, E_TEXT_NOT_FOUND, "old_text is in none of these notes");
    c->out.parts = CHANGED_COUNTED;
    tool_many_done(c, each, n,
                   arena_printf(c->call->arena, "Replace text in %zu notes?", n));
    return tool_many_limit(n, err) &&
           tool_many_expect(
               c, &in->many, c->out.replacements,
               arena_printf(c->call->arena, "match in %zu note", n).p,
               arena_printf(c->call->arena, "matches in %zu note%s", n, n == 1 ? "" : "s")
                   .p,
               err);
}

static bool vault_edit_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct draft_file f;
    if (!tool_many_check(&in->many, in->path, &in->change, err))
        return false;
    if (tool_many_asked(&in->many))
        return edit_many(c, in, err);
    if (!vault_edit_check_form(in, err) || !tool_open(c, in->path, &f, err))
        return false;
    if (in->lines.p != NULL ? !replace_lines(c, in, &f, err)
        : in->row.p != NULL ? !change_row(c, in, &f, err)
                            : !replace_text(c, in, &f, err))
        return tool_not_edited(c, &f, err);
    c->out.parts = CHANGED_COUNTED;
    c->out.replacements = c->edit.replacements;
    c->out.target = c->edit.target;
    if (in->row.p != NULL && in->cells == NULL)
        c->out.removed = in->row;
    return tool_rewrite(c, &f, err);
}

const struct mcp_tool tool_vault_edit = {
    .name = "vault_edit",
    .title = "Edit a note",
    .about =
        "Replace exact text in a file; with paths (or globs) or where, in many: expect "
        "is checked, dry_run counts. To add text use vault_insert, for properties "
        "vault_frontmatter.",
    .flags = MCP_DESTRUCTIVE,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.steps = vault_edit_steps, .done = "replaced", .tags = true,
                 .early = true, .change = offsetof(struct args, change)),
};
