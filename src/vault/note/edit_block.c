/*
 * Blocks by their id. The id stays with the block: at the end of its last line where
 * Obsidian looks for it there (paragraphs, items), otherwise on a line of its own after a
 * blank line.
 */
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/edit_parts.h"

enum {
    IDS_SHOWN = 8,
    ID_SHOWN = 40, /* bytes */
};

/* start and end are line starts, or the end of the text. */
struct edit_block_state {
    size_t start;    /* of its first line */
    size_t body_end; /* of its last line, without the line break */
    size_t end;      /* after its last line and the line of its id */
    size_t after;    /* the same with all that is nested in an item */
    bool inside;     /* the id is in its last line */
    bool apart;      /* a blank line precedes the id */
    str id;          /* with ^ */
    enum note_block_type type;
};

static struct edit_block_state block_of(const struct note *n,
                                        const struct note_block *found)
{
    struct edit_block_state b = {
        .start = edit_line_start(n->text, found->body.start),
        .body_end = found->body.end,
        .inside = found->id.start <= found->body.end,
        .id = str_slice(n->text, found->id.start - 1, found->id.end),
        .type = found->type,
    };
    if (b.start < n->bom)
        b.start = n->bom;
    b.end = edit_next_line(n->text, b.inside ? b.body_end : found->id.end);
    size_t nested = edit_next_line(n->text, found->whole_end);
    b.after = nested > b.end ? nested : b.end;
    size_t next = edit_next_line(n->text, b.body_end);
    b.apart = !b.inside && next < found->id.start && edit_is_blank_line(n->text, next);
    return b;
}

/* --- finding --- */

static bool refuse_missing(struct edit_job *j, str id)
{
    struct sbuf b = SBUF_ON(j->arena);
    for (uint32_t i = 0; i < j->note.n_blocks && i < IDS_SHOWN; i++)
        sbuf_printf(&b, "%s^" STR_FMT " (line %u)", i > 0 ? ", " : "",
                    STR_ARG(span_of(j->text, j->note.blocks[i].id)),
                    j->note.blocks[i].line_start);
    if (b.n == 0)
        return err_named(j->err, E_BLOCK_NOT_FOUND,
                         "Block ^" STR_FMT " not found: the note has no block ids",
                         STR_ARG(id));
    j->out->lead = arena_printf(j->arena, "Block ^" STR_FMT " not found; the note has ",
                                STR_ARG(id));
    j->out->hint = sbuf_str(&b);
    return err_named(j->err, E_BLOCK_NOT_FOUND, STR_FMT STR_FMT "%s",
                     STR_ARG(j->out->lead), STR_ARG(sbuf_str(&b)),
                     j->note.n_blocks > IDS_SHOWN ? ", ..." : "");
}

static const struct note_block *edit_block_find(struct edit_job *j, str id)
{
    const struct note_block *first = NULL;
    while (id.n > 0 && (id.p[0] == '#' || id.p[0] == '^'))
        id = str_skip(id, 1);
    for (uint32_t i = 0; i < j->note.n_blocks; i++) {
        const struct note_block *b = &j->note.blocks[i];
        if (!str_eq_nocase(span_of(j->text, b->id), id))
            continue;
        if (first != NULL) {
            err_named(j->err, E_BLOCK_NOT_UNIQUE,
                      "Block ^" STR_FMT " is ambiguous: it occurs in lines %u and %u",
                      STR_ARG(span_of(j->text, b->id)), first->line_end, b->line_end);
            return NULL;
        }
        first = b;
    }
    if (first == NULL)
        refuse_missing(j, utf8_cut(id, ID_SHOWN));
    return first;
}

/* --- list items --- */

/* The length of the "[x] " at the start of s, or 0. */
static size_t task_box(str s)
{
    size_t close = str_find_char(str_slice(s, 0, 8), ']');
    bool box = s.n > 2 && s.p[0] == '[' && close != STR_NONE && close >= 2 &&
               (close + 1 == s.n || s.p[close + 1] == ' ');
    return !box ? 0 : close + 1 == s.n ? close + 1 : close + 2;
}

/* The new text of an item, with the item's indentation, marker and task box. */
static str as_item(struct edit_job *j, const struct edit_block_state *b, str content)
{
    struct sbuf out = SBUF_ON(j->arena);
    struct edit_line old = edit_classify(j->text, b->start),
                     added = edit_classify(content, 0);
    str line = str_slice(j->text, b->start, text_find_break(j->text, b->start));
    size_t indent = 0;
    if (old.kind != LINE_ITEM)
        return content;
    while (indent < line.n && is_blank(line.p[indent]))
        indent++;
    if (added.kind == LINE_ITEM) {
        if (added.indent == 0)
            sbuf_add(&out, str_slice(line, 0, indent));
    } else {
        size_t box = task_box(content) > 0 ? 0 : task_box(str_skip(line, old.marker));
        sbuf_add(&out, str_slice(line, 0, old.marker + box));
    }
    size_t first = edit_next_line(content, 0);
    sbuf_add(&out, str_slice(content, 0, first));
    for (size_t at = first, next; at < content.n; at = next) {
        next = edit_next_line(content, at);
        struct edit_line l = edit_classify(content, at);
        bool flat = l.kind != LINE_BLANK && l.indent == 0;
        for (size_t i = 0; flat && i < old.marker; i++)
            sbuf_char(&out, i < indent ? line.p[i] : ' ');
        sbuf_add(&out, str_slice(content, at, next));
    }
    return sbuf_str(&out);
}

/* --- actions --- */

static bool replace_body(struct edit_job *j, const struct edit_block_state *b,
                         str content)
{
    content = edit_trim_blank_lines(content);
    if (content.n == 0)
        return err_set(j->err, ERR_INVALID, "the new text is empty");
    if (edit_is_same(j, b->start, b->body_end, content))
        return edit_keep(j, b->start);
    if (b->type == NOTE_LIST_ITEM)
        content = as_item(j, b, content);
    struct edit_line last = edit_classify(content, edit_line_start(content, content.n));
    bool has_id = str_ends(content, b->id) && content.n > b->id.n &&
                  strchr(" \t\n", content.p[content.n - b->id.n - 1]) != NULL;
    bool inline_ok =
        (last.kind == LINE_TEXT && !last.border) || (last.kind == LINE_ITEM && b->inside);
    if (has_id)
        return edit_put_over(j, b->start, b->end, content);
    if (!b->inside && (b->apart ? !inline_ok : inline_ok || last.kind == LINE_QUOTE))
        return edit_splice(j, b->start, b->body_end, (str){0},
                           edit_with_eol(j->arena, content, j->eol), (str){0});
    content =
        arena_printf(j->arena, inline_ok ? STR_FMT " " STR_FMT : STR_FMT "\n\n" STR_FMT,
                     STR_ARG(content), STR_ARG(b->id));
    return edit_put_over(j, b->start, b->end, content);
}

static bool act(struct edit_job *j, const struct edit_block *e,
                const struct edit_block_state *b)
{
    switch (e->action) {
    case EDIT_REPLACE_BODY:
        return replace_body(j, b, e->content);
    case EDIT_APPEND_TO:
        edit_warn_repeated(j, b->after, e->content);
        return edit_put(j, b->after, e->content);
    case EDIT_PREPEND_TO:
        return edit_put(j, b->start, e->content);
    case EDIT_DELETE:
        if (b->after > b->end)
            edit_warn(j->out, STR("the lines indented below the item were kept"));
        return edit_cut(j, b->start, b->end);
    case EDIT_REPLACE_WHOLE:
        break;
    }
    return err_set(j->err, ERR_INVALID, "this action is not possible with a block");
}

bool edit_block(struct arena *a, str text, const struct edit_block *e,
                struct edit_result *out, struct err *err)
{
    struct edit_job j = {.arena = a, .text = text, .out = out, .err = err};
    if (!edit_start(&j, e->content))
        return false;
    const struct note_block *found = edit_block_find(&j, e->id);
    if (found == NULL)
        return false;
    struct edit_block_state b = block_of(&j.note, found);
    out->target = b.id;
    return act(&j, e, &b) && edit_check_rest(&j);
}

bool edit_find_block(struct arena *a, str text, str id, struct edit_range *out,
                     struct err *err)
{
    struct edit_result ignored;
    struct edit_job j = {.arena = a, .text = text, .out = &ignored, .err = err};
    if (!edit_start(&j, (str){0}))
        return false;
    const struct note_block *b = edit_block_find(&j, id);
    if (b == NULL)
        return false;
    *out = (struct edit_range){b->body.start, b->body.end};
    return true;
}
