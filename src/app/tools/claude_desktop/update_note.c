#include "app/tool_support/tool_change.h"
#include "app/tools/claude_desktop/notes.h"
#include "base/sbuf.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"

struct args {
    str name, content;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, name, MCP_STR, MCP_REQUIRED, NOTES_NAME),
    MCP_FIELD(struct args, content, MCP_STR, MCP_REQUIRED,
              "The whole new body, without frontmatter"),
    {0},
};

/* Where the body begins; 0 if there is no frontmatter. */
static size_t update_note_body(struct arena *a, str text)
{
    struct note note;
    struct frontmatter fm;
    note_scan(a, text, &note);
    frontmatter_read(a, span_of(text, note.frontmatter), 1, &fm);
    return note.has_frontmatter && fm.props != NULL && fm.props->n > 0 ? note.body : 0;
}

/* A client that sends back what read_note returned includes the frontmatter, which must
 * not be duplicated. */
static bool drop_frontmatter(struct arena *a, str kept, str *content, struct err *err)
{
    size_t body = update_note_body(a, *content);
    if (kept.n == 0 || body == 0)
        return true;
    if (!str_eq(str_trim_line(str_slice(*content, 0, body)), str_trim_line(kept)))
        return err_set(err, ERR_INVALID,
                       "content begins with frontmatter that differs from the note's, "
                       "which update_note keeps: send the body alone, and change "
                       "properties with set_frontmatter");
    *content = str_skip(*content, body);
    return true;
}

static bool update_note_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct arena *a = c->call->arena;
    struct draft_file f;
    struct note note;
    str content = in->content;
    if (!notes_open(c, in->name, &f, err))
        return false;
    note_scan(a, f.text, &note);
    str kept = str_slice(f.text, 0, note.body);
    if (!drop_frontmatter(a, kept, &content, err))
        return false;
    struct sbuf text = SBUF_ON(a);
    sbuf_add(&text, kept);
    if (note.has_frontmatter && !str_ends(kept, STR("\n")))
        sbuf_char(&text, '\n');
    sbuf_add(&text, content);
    c->edit.text = sbuf_str(&text);
    c->question = arena_printf(a, "Replace the text of '" STR_FMT "'?", STR_ARG(f.path));
    return tool_rewrite(c, &f, err);
}

const struct mcp_tool tool_update_note = {
    .name = "update_note",
    .title = "Replace the body",
    .about = "Replace the whole body of a note; its frontmatter stays. To change a part "
             "use replace_note.",
    .flags = MCP_DESTRUCTIVE | MCP_IDEMPOTENT | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = update_note_steps,
                 .shape = &notes_done_shape, .done = "updated", .tags = true),
};
