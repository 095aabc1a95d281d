/* Moving a section or block to another note. */
#include "base/chars.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "vault/change/link.h"
#include "vault/change/rename.h"
#include "vault/draft.h"
#include "vault/forms/task_note.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/note/edit.h"
#include "vault/note/note.h"
#include "vault/note/obsidian.h"
#include "vault/ops_parts.h"
#include "vault/vault.h"

/* The block that edit_find_block() finds. */
static const struct note_block *block_of(const struct file *from, str id)
{
    while (id.n > 0 && (id.p[0] == '#' || id.p[0] == '^'))
        id = str_skip(id, 1);
    const struct note_block *b = note_find_block(&from->note, id);
    if (b == NULL)
        BUG("a block that was found is missing");
    return b;
}

/* A block takes along what is nested in it. */
static bool find_block(struct arena *a, const struct file *from, str id,
                       struct edit_range *out, struct err *err)
{
    if (!edit_find_block(a, from->text, id, out, err))
        return false;
    out->end = block_of(from, id)->whole_end;
    return true;
}

static bool find_part(struct arena *a, const struct file *from,
                      const struct ops_part *part, struct edit_range *out,
                      struct err *err)
{
    return part->heading.n > 0 ? edit_find_section(a, from->text, part->heading, out, err)
                               : find_block(a, from, part->block, out, err);
}

static bool ops_part_is_item(const struct file *from, const struct ops_part *part)
{
    return part->heading.n == 0 && block_of(from, part->block)->type == NOTE_LIST_ITEM;
}

/* The note without the part, which has the same lines as in from. */
static bool cut_part(struct arena *a, str text, const struct file *from,
                     const struct ops_part *part, const struct edit_range *range,
                     struct edit_result *out, struct err *err)
{
    struct edit_section section = {.heading = part->heading, .action = EDIT_DELETE};
    struct edit_block block = {part->block, EDIT_DELETE, STR("")};
    if (!ops_part_is_item(from, part))
        return part->heading.n > 0 ? edit_section(a, text, &section, out, err)
                                   : edit_block(a, text, &block, out, err);
    struct edit_lines lines = {note_line_of(&from->note, (uint32_t)range->start),
                               note_line_of(&from->note, (uint32_t)range->end - 1),
                               STR("")};
    return edit_lines(a, text, &lines, out, err);
}

/* The same section with all its headings deeper or higher by as much as the first one
 * needs to be of that level. Headings with underlines stay. */
static str at_level(struct arena *a, str piece, int level)
{
    struct note note;
    struct sbuf out = SBUF_ON(a);
    size_t done = 0;
    note_scan(a, piece, &note);
    int by = note.n_headings > 0 ? level - note.headings[0].level : 0;
    for (uint32_t i = 0; by != 0 && i < note.n_headings; i++) {
        size_t start = text_line_start(piece, note.headings[i].title.start);
        int now = note.headings[i].level + by;
        while (start < piece.n && piece.p[start] == ' ')
            start++;
        if (start == piece.n || piece.p[start] != '#')
            continue;
        sbuf_add(&out, str_slice(piece, done, start));
        sbuf_printf(&out, "%.*s", now < 1 ? 1 : now > 6 ? 6 : now, "######");
        done = start + note.headings[i].level;
    }
    sbuf_add(&out, str_skip(piece, done));
    return sbuf_str(&out);
}

/* A section below a heading must not end that heading's own section. */
static str fit_level(struct arena *a, str text, str under, str piece)
{
    struct note note;
    note_scan(a, text, &note);
    const struct note_heading *h =
        note_find_heading(&note, arena_printf(a, "#" STR_FMT, STR_ARG(under)));
    return h != NULL ? at_level(a, piece, h->level + 1) : piece;
}

/* The other note with it: at its end, or at the end of a section. */
static bool put_part(struct arena *a, str text, const struct ops_part *part, str piece,
                     struct edit_result *out, struct err *err)
{
    if (part->under.n > 0 && part->heading.n > 0)
        piece = fit_level(a, text, part->under, piece);
    struct edit_section section = {
        .heading = part->under, .action = EDIT_APPEND_TO, .content = piece};
    struct edit_insert end = {.where = EDIT_APPEND, .content = piece};
    return part->under.n > 0 ? edit_section(a, text, &section, out, err)
                             : edit_insert(a, text, &end, out, err);
}

/* A block whose id is on a line of its own keeps it, an item no indentation. */
static str as_block(struct arena *a, const struct file *from, const struct ops_part *part,
                    const struct edit_range *range, str piece)
{
    if (part->heading.n > 0)
        return piece;
    struct span id = block_of(from, part->block)->id;
    if (ops_part_is_item(from, part))
        piece = task_outdent(a, piece);
    return id.start < range->end
               ? piece
               : arena_printf(a, STR_FMT "\n\n^" STR_FMT, STR_ARG(piece),
                              STR_ARG(span_of(from->text, id)));
}

static bool check_part(const struct file *from, const struct file *to,
                       const struct ops_part *part, struct err *err)
{
    if (from->kind != FILE_NOTE || to->kind != FILE_NOTE)
        return err_named(err, E_INVALID_ARGUMENT,
                         "only notes have sections and blocks: '" STR_FMT "' is not one",
                         STR_ARG(from->kind != FILE_NOTE ? from->path : to->path));
    if (from == to) {
        err_named(err, E_INVALID_ARGUMENT, "'" STR_FMT "' is the same note",
                  STR_ARG(to->path));
        return err_remedy(err, REMEDY_MOVE_TEXT);
    }
    if (part->block.n > 0 && note_find_block(&to->note, part->block) != NULL)
        return err_named(err, E_FILE_EXISTS,
                         "'" STR_FMT "' already has a block '" STR_FMT "'",
                         STR_ARG(to->path), STR_ARG(part->block));
    return true;
}

/* What the edit of the other note warns of, such as a code block that is open at its end. */
static void hand_on_warnings(struct arena *a, const struct edit_result *put,
                             struct ops_report *out)
{
    str *all = ARENA_ARRAY(a, str, out->n_warnings + put->n_warnings + 1);
    for (size_t i = 0; i < out->n_warnings; i++)
        all[i] = out->warnings[i];
    for (size_t i = 0; i < put->n_warnings; i++)
        all[out->n_warnings + i] = put->warnings[i];
    out->warnings = all;
    out->n_warnings += put->n_warnings;
}

/* The title of a section's first line, as links have it; or the id of a block. */
static str part_anchor(struct arena *a, const struct file *from,
                       const struct ops_part *part, size_t start)
{
    if (part->heading.n == 0)
        return arena_printf(
            a, "^" STR_FMT,
            STR_ARG(span_of(from->text, block_of(from, part->block)->id)));
    for (uint32_t i = 0; i < from->note.n_headings; i++)
        if (from->note.headings[i].section.start == start)
            return span_of(from->text, from->note.headings[i].title);
    return (str){0};
}

/* Put a link to the part into the text from which it was cut, where it was. */
static bool leave_link(struct draft *d, const struct index *x,
                       const struct rename_part *p, const struct ops_part *part,
                       bool created, str *text, struct err *err)
{
    struct arena *a = draft_arena(d);
    const struct obsidian *o = vault_obsidian(draft_vault(d));
    const struct link_style style = {obsidian_link_format(o), obsidian_markdown_links(o)};
    str link, anchor = part_anchor(a, p->from, part, p->start);
    if (part->leave == OPS_LEAVE_NOTHING)
        return true;
    if (!link_write(x, a, &style, p->from->path, p->to, STR(""), &link, err))
        return false;
    if (!created)
        link = link_to_part(a, link, anchor);
    size_t at = 0;
    for (uint32_t line = note_line_of(&p->from->note, (uint32_t)p->start); line > 1;
         line--)
        at = at < text->n ? text_line_end(*text, at) + 1 : at;
    at = at < text->n ? at : text->n;
    str above = str_slice(*text, 0, at), below = str_skip(*text, at);
    bool apart =
        above.n > 0 && !str_ends(above, STR("\n\n")) && !str_ends(above, STR("\n\r\n"));
    bool joins = below.n > 0 && !is_break(below.p[0]);
    str own = arena_printf(a, "%s%s" STR_FMT "\n%s",
                           above.n > 0 && !str_ends(above, STR("\n")) ? "\n" : "",
                           (apart ? "\n" : ""), STR_ARG(link), joins ? "\n" : "");
    if (part->leave == OPS_LEAVE_EMBED)
        own = arena_printf(a, STR_FMT "!" STR_FMT,
                           STR_ARG(str_slice(own, 0, str_find(own, link))),
                           STR_ARG(str_skip(own, str_find(own, link))));
    *text = arena_printf(a, STR_FMT STR_FMT STR_FMT, STR_ARG(above),
                         STR_ARG(edit_with_breaks_of(a, own, *text)), STR_ARG(below));
    return true;
}

static bool move_part(struct draft *d, const struct index *x, const struct file *from,
                      const struct file *to, const struct ops_part *part, bool created,
                      struct ops_report *out, struct err *err)
{
    struct arena *a = draft_arena(d);
    enum obsidian_link_format format =
        obsidian_rewritten_format(vault_obsidian(draft_vault(d)));
    struct edit_range range;
    struct rename_parted parted;
    struct edit_result cut = {0}, put = {0};
    if (!check_part(from, to, part, err) || !find_part(a, from, part, &range, err))
        return false;
    struct rename_part what = {from, to, range.start, range.end};
    if (!rename_part(x, format, a, &what, draft_stop(d), &parted, err))
        return false;
    if (created && part->heading.n > 0)
        parted.piece = at_level(a, parted.piece, 1);
    if (!cut_part(a, parted.rest, from, part, &range, &cut, err) ||
        !leave_link(d, x, &what, part, created, &cut.text, err) ||
        !put_part(a, parted.there, part, as_block(a, from, part, &range, parted.piece),
                  &put, err))
        return false;
    struct rename_settled settled = {cut.text, put.text, put.is.start, put.is.end};
    if (!rename_part_settle(x, a, &what, &parted, &settled, err) ||
        !ops_take_plan(d, &parted.plan, out, err))
        return false;
    hand_on_warnings(a, &put, out);
    return draft_rewrite(d, from, settled.rest, err) &&
           draft_rewrite(d, to, settled.there, err);
}

/* The other note. Only a path with its extension becomes a new one: a name may be one that
 * was not spelled right. */
static bool find_or_create(struct draft *d, str into, str *to, bool *created,
                           struct err *err)
{
    *created = false;
    if (ops_find_file(d, into, to, err))
        return true;
    if (err->name != E_FILE_NOT_FOUND ||
        !str_eq_nocase(path_extension(into), STR("md")) ||
        !path_clean(draft_arena(d), into, to, err))
        return false;
    *created = true;
    return draft_write(d, *to, STR(""), DRAFT_CREATE, err);
}

bool ops_move_part(struct draft *d, str path, str into, const struct ops_part *part,
                   struct ops_report *out, struct err *err)
{
    str from, to;
    *out = (struct ops_report){.path = part->heading.n > 0 ? part->heading : part->block,
                               .action = "moved"};
    bool created;
    if (!vault_wait(draft_vault(d), NULL, NULL, err) ||
        !ops_find_file(d, path, &from, err) ||
        !find_or_create(d, into, &to, &created, err))
        return false;
    ops_catch_up(d);
    vault_refresh(draft_vault(d), (str[]){from, to}, 2);
    const struct index *x = draft_lock(d);
    const struct file *f = index_find(x, from), *t = index_find(x, to);
    bool ok = f == NULL || t == NULL ? ops_not_found(err, f == NULL ? from : to)
                                     : move_part(d, x, f, t, part, created, out, err);
    out->to = to;
    return ops_unlock(d, ok, err);
}
