#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_read_log.h"
#include "app/tools/rows.h"
#include "vault/draft.h"
#include "vault/habit.h"
#include "vault/note/edit.h"

struct args {
    str path, content, anchor;
    int where; /* index into places */
    int64_t line;
    bool create;
    struct tool_change change;
};

static const char *const wheres[] = {
    "append",       "prepend",       "before",        "after",
    "line",         "section_start", "section_end",   "section_replace",
    "block_before", "block_after",   "block_replace", NULL,
};

/* The meaning of each of wheres in edit.h. */
static const struct {
    enum { NOTE, TEXT, SECTION, BLOCK } kind;
    enum edit_where where;   /* for NOTE and TEXT */
    enum edit_action action; /* for SECTION and BLOCK */
} places[] = {
    {NOTE, .where = EDIT_APPEND},         {NOTE, .where = EDIT_PREPEND},
    {TEXT, .where = EDIT_BEFORE_TEXT},    {TEXT, .where = EDIT_AFTER_TEXT},
    {NOTE, .where = EDIT_AT_LINE},        {SECTION, .action = EDIT_PREPEND_TO},
    {SECTION, .action = EDIT_APPEND_TO},  {SECTION, .action = EDIT_REPLACE_BODY},
    {BLOCK, .action = EDIT_PREPEND_TO},   {BLOCK, .action = EDIT_APPEND_TO},
    {BLOCK, .action = EDIT_REPLACE_BODY},
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED | MCP_TERSE,
              "Note's name, or path"),
    MCP_FIELD(struct args, content, MCP_STR, MCP_REQUIRED | MCP_TERSE, "Text to add"),
    MCP_FIELD(struct args, where, MCP_ENUM, 0,
              "before, after: the line with anchor. line: above it. section_*: anchor is "
              "a heading. block_*: anchor is a block id",
              .dflt = "\"append\"", .choices = wheres),
    MCP_FIELD(struct args, anchor, MCP_STR, 0,
              "Text that occurs once, heading or block id"),
    MCP_FIELD(struct args, line, MCP_INT, 0, "From 1", .min = 1, .max = INT32_MAX),
    MCP_FIELD(struct args, create, MCP_BOOL, 0, "Create a missing note or heading"),
    TOOL_CHANGE_FIELDS(struct args),
    {0},
};

static bool vault_insert_check_place(const struct args *in, struct err *err)
{
    enum edit_where where = places[in->where].where;
    bool by_anchor = places[in->where].kind != NOTE;
    bool by_line = !by_anchor && where == EDIT_AT_LINE;
    if (by_anchor != (in->anchor.n > 0))
        return err_named(
            err, E_INVALID_ARGUMENT,
            by_anchor
                ? "where %s needs anchor"
                : "where %s takes no anchor: use before, after, section_end or another",
            wheres[in->where]);
    if (by_line != (in->line != MCP_ABSENT))
        return err_named(err, E_INVALID_ARGUMENT,
                         by_line ? "where %s needs line" : "where %s takes no line",
                         wheres[in->where]);
    return true;
}

/* What is replaced must be as the client has read it. */
static bool vault_insert_check(struct tool_changing *c, const struct args *in,
                               const struct draft_file *f, struct err *err)
{
    struct arena *a = c->call->arena;
    struct edit_range part;
    struct err missing; /* the edit itself reports that */
    if (places[in->where].action != EDIT_REPLACE_BODY || places[in->where].kind < SECTION)
        return true;
    bool found = places[in->where].kind == SECTION
                     ? edit_find_section(a, f->text, in->anchor, &part, &missing)
                     : edit_find_block(a, f->text, in->anchor, &part, &missing);
    return !found || tool_check_part(c, f, part, err);
}

static bool vault_insert_text(struct tool_changing *c, const struct args *in,
                              const struct draft_file *f, struct err *err)
{
    struct arena *a = c->call->arena;
    enum edit_action action = places[in->where].action;
    if (places[in->where].kind == SECTION) {
        struct edit_habit siblings = habit_near(draft_vault(c->draft), f->path);
        struct edit_section e = {.heading = in->anchor,
                                 .action = action,
                                 .create_level = in->create ? 2 : 0,
                                 .content = in->content,
                                 .siblings = &siblings};
        return edit_section(a, f->text, &e, &c->edit, err);
    }
    if (places[in->where].kind == BLOCK)
        return edit_block(a, f->text,
                          &(struct edit_block){in->anchor, action, in->content}, &c->edit,
                          err);
    struct edit_insert i = {.where = places[in->where].where,
                            .content = in->content,
                            .anchor = in->anchor,
                            .tolerant = true,
                            .line = in->line != MCP_ABSENT ? (uint32_t)in->line : 0};
    return edit_insert(a, f->text, &i, &c->edit, err);
}

static bool vault_insert_open(struct tool_changing *c, const struct args *in,
                              struct draft_file *out, struct err *err)
{
    c->out.is_done = false;
    if (in->create)
        return tool_open_or_create(c, in->path, out, &c->out.is_done, err);
    bool found = tool_open(c, in->path, out, err);
    if (!found && err->name == E_FILE_NOT_FOUND)
        err->hint = "to create it, set create: true";
    return found;
}

static bool vault_insert_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct draft_file f;
    if (!vault_insert_check_place(in, err) || !vault_insert_open(c, in, &f, err) ||
        !vault_insert_check(c, in, &f, err))
        return false;
    if (!vault_insert_text(c, in, &f, err))
        return tool_not_edited(c, &f, err);
    c->out.target = c->edit.target;
    return tool_rewrite(c, &f, err);
}

const struct mcp_tool tool_vault_insert = {
    .name = "vault_insert",
    .title = "Insert text",
    .about = "Add text to a note: at its end or beginning, or at a text, heading, block "
             "id or line; *_replace replaces what is there.",
    .flags = 0,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.steps = vault_insert_steps, .done = "created", .tags = true,
                 .change = offsetof(struct args, change)),
};
