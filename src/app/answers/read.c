#include "app/answers/read.h"

#include "app/answers/answer.h"
#include "app/answers/changed.h"
#include "app/answers/linked.h"
#include "app/answers/model_text.h"
#include "app/answers/put.h"
#include "app/answers/read_parts.h"
#include "app/answers/reading.h"
#include "app/answers/term.h"
#include "base/path.h"
#include "base/utf8.h"
#include "vault/draft.h"
#include "vault/eval/value.h"
#include "vault/eval/value_inline.h"
#include "vault/forms/base_file.h"
#include "vault/forms/base_source.h"
#include "vault/forms/inline.h"
#include "vault/index/file.h"
#include "vault/note/note.h"
#include "vault/text/encoding.h"
#include "vault/text/pages.h"

enum { INLINE_SHOWN = 20 }; /* inline fields named after the properties */

/* Bytes left for a text, less those for etag, next and a note. */
static size_t room_for_text(const struct answer_out *out)
{
    enum { REST = 300 };
    size_t used = out->w->out->n + REST;
    return used < out->max ? out->max - used : 0;
}

/* --- one file --- */

/* What else to say about the text. */
static str read_note(const struct read_file *f, const struct reading *text)
{
    str drawing = reading_drawing_note(text, f->arena);
    return drawing.n > 0 ? drawing : f->note;
}

static void put_text(struct answer_out *out, const struct reading *r, str note)
{
    jsonw_put_int(out->w, STR("total_lines"), (int64_t)r->part.total_lines);
    jsonw_put_array(out->w, STR("showing"));
    jsonw_int(out->w, (int64_t)r->part.first);
    jsonw_int(out->w, (int64_t)r->part.last);
    jsonw_end(out->w);
    jsonw_put_str(out->w, STR("content"), r->part.content);
    if (r->next > 0)
        answer_next(out, r->next, SIZE_MAX);
    else if (r->truncated)
        jsonw_put_bool(out->w, STR("truncated"), true);
    if (r->cut_line)
        note = STR("The line exceeds the budget and is truncated: limit 1 without budget "
                   "shows all of it.");
    jsonw_put_text(out->w, STR("note"), note);
}

static void put_heading(struct answer_out *out, const void *result, size_t i)
{
    const struct note *n = result;
    jsonw_object(out->w);
    jsonw_put_int(out->w, STR("level"), n->headings[i].level);
    jsonw_put_str(out->w, STR("title"), span_of(n->text, n->headings[i].title));
    jsonw_put_int(out->w, STR("line"), n->headings[i].line);
    jsonw_end(out->w);
}

/* The headings from line f->first on, of the section. */
static void scan_outline(const struct read_file *f, struct note *out)
{
    note_scan(f->arena, f->text.text, out);
    str subpath = arena_printf(f->arena, "#" STR_FMT, STR_ARG(f->section));
    const struct note_heading *h =
        f->section.n > 0 ? note_find_heading(out, subpath) : NULL;
    size_t from = h != NULL && h->line > f->first ? h->line : f->first;
    size_t end = h != NULL ? h->section.end : f->text.text.n;
    while (out->n_headings > 0 && out->headings[out->n_headings - 1].title.start >= end)
        out->n_headings--;
    while (out->n_headings > 0 && out->headings[0].line < from) {
        out->headings++;
        out->n_headings--;
    }
}

static void put_outline(struct answer_out *out, const struct read_file *f)
{
    struct note note;
    if (read_is_canvas(f)) {
        read_canvas_json(out, f);
        return;
    }
    if (read_board_json(out, f))
        return;
    scan_outline(f, &note);
    jsonw_put_int(out->w, STR("total_lines"), note.lines);
    size_t n = answer_items(out, STR("headings"), &note, note.n_headings, put_heading);
    if (n < note.n_headings)
        answer_next(out, note.headings[n].line, SIZE_MAX);
}

/* The inline fields of the note, which are properties for queries: the next from i on, or
 * NULL. */
static const struct inline_field *next_inline(const struct file *f, uint32_t *i)
{
    while (*i < f->n_fields && f->fields[*i].of_task)
        ++*i;
    return *i < f->n_fields ? &f->fields[(*i)++] : NULL;
}

static void put_inline(struct answer_out *out, const struct read_file *f,
                       const struct value_reader *reader)
{
    str text = f->file->text;
    uint32_t i = 0;
    const struct inline_field *field = next_inline(f->file, &i);
    if (field == NULL)
        return;
    jsonw_put_array(out->w, STR("inline"));
    for (size_t n = 0; field != NULL && n < INLINE_SHOWN; n++) {
        struct value v = value_of_inline(reader, span_of(text, field->value));
        jsonw_object(out->w);
        jsonw_put_str(out->w, STR("key"), inline_key(text, field));
        jsonw_key(out->w, STR("value"));
        value_json(out->w, &v);
        jsonw_put_int(out->w, STR("line"), field->line);
        jsonw_end(out->w);
        field = next_inline(f->file, &i);
    }
    jsonw_end(out->w);
}

static void put_frontmatter(struct answer_out *out, const struct read_file *f)
{
    const struct file *file = f->file;
    struct value_reader reader = {f->arena, f->index->names, file->path, file->id, 0};
    const struct prop *p = file->props != NULL ? file->props->child : NULL;
    jsonw_put_object(out->w, STR("frontmatter"));
    for (; p != NULL; p = p->next) {
        struct answer_mark mark = answer_mark(out);
        struct value v = value_of_prop(&reader, p);
        jsonw_key(out->w, p->key);
        value_json(out->w, &v);
        if (!answer_keep(out, &mark))
            break;
    }
    jsonw_end(out->w);
    if (p != NULL)
        put_read_on(out, file->path, 1);
    put_inline(out, f, &reader);
    jsonw_put_text(out->w, STR("problem"), file->problem);
}

static void read_put_link(struct answer_out *out, const void *result, size_t i)
{
    const struct linked *l = result;
    jsonw_object(out->w);
    linked_put_link(out->w, l, &l->items[i]);
    jsonw_end(out->w);
}

static void put_links(struct answer_out *out, const struct read_file *f)
{
    struct linked_question q = {LINKED_OUTGOING, .file = f->file, .limit = SIZE_MAX};
    struct linked l;
    linked_outgoing(f->index, f->arena, &q, &l);
    jsonw_put_int(out->w, STR("total_links"), (int64_t)l.total);
    size_t n = answer_items(out, STR("links"), &l, l.n, read_put_link);
    if (n == l.n)
        return;
    answer_more(out);
    if (answer_has(out->tools, "vault_links"))
        jsonw_put_str(out->w, STR("tool"), STR("vault_links"));
    jsonw_put_str(out->w, STR("path"), f->file->path);
    jsonw_put_str(out->w, STR("direction"), STR("outgoing"));
    jsonw_put_int(out->w, STR("offset"), (int64_t)n);
    jsonw_end(out->w);
}

static void put_pages(struct jsonw *w, const struct reading_pages *p)
{
    if (p->count == 0)
        return;
    jsonw_put_int(w, STR("pages"), p->count);
    jsonw_put_text(w, STR("title"), p->title);
    jsonw_put_true(w, STR("pages_cut"), p->cut);
}

/* text is as much of f's text as fits. */
static void read_put_file(struct answer_out *out, const struct read_file *f,
                          const struct reading *text)
{
    bool of_index = f->view == READ_FRONTMATTER || f->view == READ_LINKS;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("path"), text->path);
    if (of_index && f->file == NULL)
        jsonw_put_str(out->w, STR("problem"),
                      STR("Not indexed: only its text is available"));
    else if (f->view == READ_TEXT)
        put_text(out, text, read_note(f, text));
    else if (f->view == READ_OUTLINE)
        put_outline(out, f);
    else if (f->view == READ_FRONTMATTER)
        put_frontmatter(out, f);
    else
        put_links(out, f);
    put_hidden_warning(out->w, &text->hidden);
    put_pages(out->w, &text->pages);
    if (reading_encoding_note(text, f->arena).n > 0)
        jsonw_put_str(out->w, STR("encoding"), str_c(encoding_name(text->encoding)));
    jsonw_put_text(out->w, STR("commit"), text->commit);
    if (text->commit.n == 0 && text->pages.count == 0)
        jsonw_put_str(out->w, STR("etag"),
                      draft_etag(f->arena, hash_content(text->bytes)));
    jsonw_end(out->w);
}

static void read_result_json(struct answer_out *out, const void *result)
{
    const struct read_file *f = result;
    struct reading text = f->text;
    if (f->view == READ_TEXT && out->max != SIZE_MAX)
        reading_fit(&text, room_for_text(out), READING_JSON);
    read_put_file(out, f, &text);
}

/* --- one file, plain text --- */

/* How many pages, the title, and what there is besides this text. */
static void read_text_pages(struct model_text *s, const struct reading *text)
{
    const struct reading_pages *p = &text->pages;
    sbuf_add(s->out, STR(", "));
    mt_count(s, p->count, "page", "pages");
    if (p->title.n > 0) {
        sbuf_add(s->out, STR(", \""));
        mt_line(s, p->title);
        sbuf_add(s->out, STR("\""));
    }
    sbuf_add(s->out, STR(")\n"));
    if (!pages_have_text(text->text))
        mt_note(s,
                STR("these pages contain no text (scanned?): view image shows a page"));
    if (p->cut)
        mt_note(s, STR("the text is truncated; section \"page=N\" reads any page"));
}

/* The views of a base, so that a model need not read it to run one. */
static void read_text_views(struct model_text *s, const struct read_file *f,
                            const struct reading *text)
{
    enum { NAMED = 10 };
    struct base_source source;
    struct base base;
    struct err ignored;
    if (!str_eq_nocase(path_extension(text->path), STR("base")))
        return;
    base_source_of_file(f->arena, text->text, &source);
    if (!base_read(f->arena, &source, &base, &ignored))
        return;
    for (size_t i = 0; i < base.n_views && i < NAMED; i++) {
        sbuf_add(s->out, i == 0 ? STR(", views: ") : STR(", "));
        mt_line(s, base.views[i].name);
    }
}

/* Which lines of how many, the etag, and the views of a base. */
static void read_text_head(struct model_text *s, const struct read_file *f,
                           const struct reading *text)
{
    const struct vault_text *part = &text->part;
    size_t total = f->view == READ_TEXT ? part->total_lines : changed_lines(text->text);
    bool whole = f->view != READ_TEXT || (part->first <= 1 && part->last == total);
    sbuf_printf(s->out, STR_FMT " (", STR_ARG(text->path));
    if (whole)
        mt_count(s, total, "line", "lines");
    else
        sbuf_printf(s->out, "lines %zu-%zu of %zu", part->first, part->last, total);
    if (text->pages.count > 0) {
        read_text_pages(s, text);
    } else {
        sbuf_printf(s->out, ", %s " STR_FMT, text->commit.n > 0 ? "commit" : "etag",
                    STR_ARG(text->commit.n > 0
                                ? text->commit
                                : draft_etag(f->arena, hash_content(text->bytes))));
        read_text_views(s, f, text);
        sbuf_add(s->out, STR(")\n"));
    }
    mt_note(s, reading_encoding_note(text, f->arena));
    mt_hidden(s, &text->hidden, "");
}

static void read_text_text(struct model_text *s, const struct reading *r)
{
    mt_text(s, r->part.content);
    if (r->next > 0)
        mt_next(s, r->next, SIZE_MAX);
    if (r->cut_line)
        mt_note(s, STR("the line exceeds the budget and is truncated: limit 1 without "
                       "budget shows all of it"));
}

static void read_text_noted(struct model_text *s, const struct read_file *f,
                            const struct reading *text)
{
    read_text_text(s, text);
    mt_note(s, read_note(f, text));
}

static void read_text_heading(struct model_text *s, const void *result, size_t i)
{
    const struct note *n = result;
    const struct note_heading *h = &n->headings[i];
    sbuf_printf(s->out, "%u: %.*s ", h->line, h->level, "######");
    mt_line(s, span_of(n->text, h->title));
    sbuf_char(s->out, '\n');
}

static void read_text_outline(struct model_text *s, const struct read_file *f)
{
    struct note note;
    if (read_is_canvas(f)) {
        read_canvas_text(s, f);
        return;
    }
    if (read_board_text(s, f))
        return;
    scan_outline(f, &note);
    size_t n = mt_items(s, &note, note.n_headings, read_text_heading);
    if (n < note.n_headings)
        mt_next(s, note.headings[n].line, SIZE_MAX);
    if (note.n_headings == 0)
        mt_note(s, STR("no headings"));
}

static void read_text_inline(struct model_text *s, const struct file *f)
{
    uint32_t i = 0, n = 0;
    const struct inline_field *field = next_inline(f, &i);
    if (field == NULL)
        return;
    sbuf_add(s->out, STR("[inline fields: "));
    for (; field != NULL && n < INLINE_SHOWN; field = next_inline(f, &i))
        sbuf_printf(s->out, "%s" STR_FMT " in line %u", n++ > 0 ? ", " : "",
                    STR_ARG(inline_key(f->text, field)), field->line);
    sbuf_add(s->out, field != NULL ? STR(", ...]\n") : STR("]\n"));
}

/* As they are in the file. */
static void read_text_properties(struct model_text *s, const struct read_file *f)
{
    struct note note;
    note_scan(f->arena, f->text.text, &note);
    struct reading r = {
        .part = {.content = span_of(note.text, note.frontmatter), .first = 2}};
    reading_fit(&r, mt_room(s), READING_PLAIN);
    if (r.part.content.n == 0)
        mt_note(s, STR("no properties"));
    read_text_text(s, &r);
    read_text_inline(s, f->file);
    mt_note(s, f->file->problem);
}

static void read_text_link(struct model_text *s, const void *result, size_t i)
{
    const struct linked *l = result;
    linked_text_link(s, l, &l->items[i]);
}

static void read_text_links(struct model_text *s, const struct read_file *f)
{
    struct linked_question q = {LINKED_OUTGOING, .file = f->file, .limit = SIZE_MAX};
    struct linked l;
    linked_outgoing(f->index, f->arena, &q, &l);
    size_t n = mt_items(s, &l, l.n, read_text_link);
    if (n < l.n && answer_has(s->tools, "vault_links"))
        sbuf_printf(s->out, "[more: vault_links direction outgoing, offset %zu]\n", n);
    else if (n < l.n)
        sbuf_printf(s->out, "[and %zu more]\n", l.n - n);
    if (l.n == 0)
        mt_note(s, STR("no links"));
}

static void read_text_file(struct model_text *s, const struct read_file *f,
                           const struct reading *text)
{
    bool of_index = f->view == READ_FRONTMATTER || f->view == READ_LINKS;
    read_text_head(s, f, text);
    if (of_index && f->file == NULL)
        mt_note(s, STR("not indexed: only its text is available"));
    else if (f->view == READ_TEXT)
        read_text_noted(s, f, text);
    else if (f->view == READ_OUTLINE)
        read_text_outline(s, f);
    else if (f->view == READ_FRONTMATTER)
        read_text_properties(s, f);
    else
        read_text_links(s, f);
}

static void read_result_text(struct model_text *s, const void *result)
{
    const struct read_file *f = result;
    struct reading text = f->text;
    if (f->view == READ_TEXT && s->max != SIZE_MAX)
        reading_fit(&text, mt_room(s) > text.path.n ? mt_room(s) - text.path.n : 0,
                    READING_PLAIN);
    read_text_file(s, f, &text);
}

static void read_term(struct term *t, const void *result)
{
    const struct read_file *f = result;
    str content = f->text.part.content;
    struct note note;
    if (read_is_canvas(f)) {
        read_canvas_term(t, f);
        return;
    }
    if (f->view == READ_OUTLINE && read_board_term(t, f))
        return;
    if (f->view == READ_OUTLINE) {
        scan_outline(f, &note);
        for (uint32_t i = 0; i < note.n_headings; i++) {
            const struct note_heading *h = &note.headings[i];
            term_number(t, TERM_LINE, h->line);
            term_printf(t, TERM_PLAIN, "%*s", 2 * h->level, "");
            term_put(t, TERM_STRONG, span_of(note.text, h->title));
            term_put(t, TERM_PLAIN, STR("\n"));
        }
        return;
    }
    if (t->width > 0) {
        (file_kind_of(f->text.path) == FILE_NOTE ? term_markdown : term_text)(t, content);
        if (content.n > 0 && !str_ends(content, STR("\n")))
            term_put(t, TERM_PLAIN, STR("\n")); /* for the prompt after it */
    } else
        sbuf_add(&t->out, content); /* into a pipe: byte for byte */
    if (f->text.is_block)
        term_put(t, TERM_PLAIN, STR("\n"));
    if (f->text.left_out > 0)
        term_printf(t, TERM_FAINT,
                    "(the data of the drawing, from line %zu on, is left "
                    "out)\n",
                    f->text.left_out);
}

const struct answer_shape read_shape = {"read", .flags_hidden = true,
                                        .json = read_result_json,
                                        .text = read_result_text, .term = read_term};

/* --- several --- */

/* The bytes taken by the names of files that are left for another call. */
static size_t names_size(const str *words, size_t n)
{
    enum { AROUND = 3 }; /* quotes and comma */
    size_t size = 0;
    for (size_t i = 0; i < n; i++)
        size += words[i].n + AROUND;
    return size;
}

static void put_failure(struct answer_out *out, str word, str why)
{
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("path"), word);
    jsonw_put_str(out->w, STR("error"), why);
    jsonw_end(out->w);
}

/* Returns false if there is no room left. */
static bool put_one(struct answer_out *out, const struct read_files *r, size_t i)
{
    struct read_file f = {0};
    struct err why = {0};
    size_t room = room_for_text(out), names = names_size(r->words + i, r->n - i);
    room = room > names ? room - names : 0;
    if (i > 0 && room == 0)
        return false;
    if (!r->open(r->arg, r->words[i], &f, &why)) {
        put_failure(out, r->words[i], err_text(r->arena, &why));
        return true;
    }
    struct reading text = f.text;
    if (f.view == READ_TEXT)
        reading_fit(&text, room, READING_JSON);
    bool fits = i == 0 || !text.cut_line;
    if (fits)
        read_put_file(out, &f, &text);
    r->close(r->arg, &f);
    return fits;
}

static void read_files_json(struct answer_out *out, const void *result)
{
    const struct read_files *r = result;
    size_t i = 0;
    jsonw_object(out->w);
    jsonw_put_array(out->w, STR("files"));
    while (i < r->n && put_one(out, r, i))
        i++;
    jsonw_end(out->w);
    if (i < r->n) {
        jsonw_put_bool(out->w, STR("truncated"), true);
        jsonw_put_strs(out->w, STR("not_read"), r->words + i, r->n - i);
    }
    jsonw_end(out->w);
}

/* The same as put_one(), each file after a line with its path. */
static bool read_text_one(struct model_text *s, const struct read_files *r, size_t i)
{
    struct read_file f = {0};
    struct err why = {0};
    size_t names = names_size(r->words + i, r->n - i), room = mt_room(s);
    room = room > names ? room - names : 0;
    if (i > 0 && room == 0)
        return false;
    if (!r->open(r->arg, r->words[i], &f, &why)) {
        sbuf_printf(s->out, "==> " STR_FMT ": " STR_FMT "\n", STR_ARG(r->words[i]),
                    STR_ARG(err_text(r->arena, &why)));
        return true;
    }
    struct reading text = f.text;
    if (f.view == READ_TEXT)
        reading_fit(&text, room, READING_PLAIN);
    bool fits = i == 0 || !text.cut_line;
    if (fits) {
        sbuf_add(s->out, STR("==> "));
        read_text_file(s, &f, &text);
    }
    r->close(r->arg, &f);
    return fits;
}

static void read_files_text(struct model_text *s, const void *result)
{
    const struct read_files *r = result;
    size_t i = 0;
    while (i < r->n && read_text_one(s, r, i))
        i++;
    if (i == r->n)
        return;
    sbuf_add(s->out, STR("[more: not read: "));
    mt_list(s, r->words + i, r->n - i);
    sbuf_add(s->out, STR("]\n"));
}

const struct answer_shape read_files_shape = {
    "read_files", .flags_hidden = true, .json = read_files_json, .text = read_files_text};

/* --- what changed --- */

static void read_diff_json(struct answer_out *out, const void *result)
{
    const struct read_diff *d = result;
    str cut = utf8_cut(d->diff, room_for_text(out));
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("path"), d->path);
    jsonw_put_str(out->w, STR("diff"), cut);
    jsonw_put_true(out->w, STR("truncated"), cut.n < d->diff.n);
    jsonw_end(out->w);
}

static void read_diff_text(struct model_text *s, const void *result)
{
    const struct read_diff *d = result;
    str cut = utf8_cut(d->diff, mt_room(s));
    mt_text(s, cut);
    if (cut.n < d->diff.n)
        mt_note(s, STR("the diff is truncated here"));
    if (d->diff.n == 0)
        mt_note(s, STR("no difference"));
}

const struct answer_shape read_diff_shape = {"read_diff", .json = read_diff_json,
                                             .text = read_diff_text};
