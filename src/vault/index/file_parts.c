/* The links of a file, and its words for the index. */
#include "base/array.h"
#include "base/encode.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/forms/canvas.h"
#include "vault/index/file.h"
#include "vault/index/names.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"
#include "vault/text/language.h"

/* --- links --- */

struct links {
    struct arena *arena;
    file_keep_fn keep; /* or NULL */
    void *keep_arg;
    struct file_link *items;
    size_t n;
};

static bool is_kept(const struct links *l, str path)
{
    return l->keep == NULL || l->keep(l->keep_arg, path);
}

static void file_parts_add(struct links *l, struct file_link link)
{
    *ARRAY_ADD(l->arena, l->items, l->n) = link;
}

str file_decoded(struct arena *a, str s)
{
    str out;
    bool encoded = str_find_char(s, '%') != STR_NONE;
    return encoded && decode_percent(a, s, &out) && utf8_valid(out) ? out : s;
}

static void add_written(struct links *l, str text, const struct note_link *link,
                        uint32_t line, enum file_place place)
{
    if (link->external || link->kind == NOTE_DEFINITION)
        return;
    bool markdown = link->kind != NOTE_WIKILINK;
    str path = span_of(text, link->path), subpath = span_of(text, link->subpath);
    if (markdown)
        path = file_decoded(l->arena, path);
    if (!is_kept(l, path) || (!markdown && names_is_external(path)))
        return;
    file_parts_add(l, (struct file_link){
                          .path = path,
                          .subpath = markdown ? file_decoded(l->arena, subpath) : subpath,
                          .display = span_of(text, link->display),
                          .line = line,
                          .embed = link->embed,
                          .place = place,
                          .written = place == FILE_IN_BODY ? link : NULL,
                      });
}

static void add_property(void *arg, str text, uint32_t line)
{
    struct links *l = arg;
    struct note n;
    note_scan(l->arena, text, &n);
    if (n.n_links > 0)
        add_written(l, text, &n.links[0], line, FILE_IN_PROPERTY);
}

static void add_canvas(struct links *l, const struct file *f)
{
    struct canvas canvas;
    struct err ignored; /* it is in f->problem */
    if (!canvas_scan(l->arena, f->text, &canvas, &ignored))
        return;
    for (size_t i = 0; i < canvas.n_links; i++) {
        const struct canvas_link *c = &canvas.links[i];
        if (c->place == CANVAS_TEXT)
            add_written(l, c->value, &c->link, c->line, FILE_IN_CANVAS);
        else if (is_kept(l, c->path))
            file_parts_add(l, (struct file_link){.path = c->path,
                                                 .subpath = c->subpath,
                                                 .line = c->line,
                                                 .embed = true,
                                                 .place = FILE_IN_CANVAS});
    }
}

size_t file_links_if(struct arena *a, const struct file *f, file_keep_fn keep, void *arg,
                     struct file_link **out)
{
    struct links l = {.arena = a, .keep = keep, .keep_arg = arg};
    struct frontmatter fm = {.props = (struct prop *)f->props};
    frontmatter_links(&fm, add_property, &l);
    for (uint32_t i = 0; i < f->note.n_links; i++)
        add_written(&l, f->text, &f->note.links[i], f->note.links[i].line, FILE_IN_BODY);
    if (f->kind == FILE_CANVAS && !f->unread)
        add_canvas(&l, f);
    *out = l.items;
    return l.n;
}

size_t file_links(struct arena *a, const struct file *f, struct file_link **out)
{
    return file_links_if(a, f, NULL, NULL, out);
}

struct str_list file_property_tags(struct arena *a, const struct file *f)
{
    struct frontmatter fm = {.props = (struct prop *)f->props};
    return frontmatter_tags(a, &fm);
}

/* --- words --- */

static str file_parts_join(struct arena *a, const struct str_list *list)
{
    if (list->n <= 1)
        return list->n == 1 ? list->items[0] : (str){0};
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < list->n; i++) {
        sbuf_add(&b, list->items[i]);
        sbuf_char(&b, '\n');
    }
    return sbuf_str(&b);
}

static str headings(struct arena *a, const struct file *f)
{
    struct sbuf b = SBUF_ON(a);
    for (uint32_t i = 0; i < f->note.n_headings; i++) {
        sbuf_add(&b, span_of(f->text, f->note.headings[i].title));
        sbuf_char(&b, '\n');
    }
    return sbuf_str(&b);
}

/* The text that a person reads on a canvas: cards and labels, not JSON. */
static str canvas_text(struct arena *a, const struct file *f)
{
    uint32_t ignored_offset;
    struct sbuf b = SBUF_ON(a);
    const struct json *root;
    struct err ignored;
    static const str keys[] = {STR("text"), STR("label")};
    if (!json_parse(a, file_searched(f, &ignored_offset), &root, &ignored))
        return (str){0};
    const struct json *nodes = json_get(root, STR("nodes"));
    for (const struct json *n = nodes != NULL ? nodes->child : NULL; n; n = n->next) {
        for (size_t i = 0; i < COUNT_OF(keys); i++) {
            sbuf_add(&b, json_get_str(n, keys[i]));
            sbuf_char(&b, '\n');
        }
    }
    return sbuf_str(&b);
}

enum language file_language(const struct file *f)
{
    const struct frontmatter fm = {.props = (struct prop *)f->props};
    const struct prop *lang = frontmatter_get(&fm, STR("lang"));
    if (lang != NULL && lang->type == PROP_TEXT && language_of(lang->text) != 0)
        return language_of(lang->text);
    if (f->kind != FILE_NOTE && f->kind != FILE_PDF) /* tables, JSON and the like */
        return LANGUAGE_UNKNOWN;
    uint32_t ignored, body = f->kind == FILE_NOTE ? f->note.body : 0;
    str text = file_searched(f, &ignored);
    return language_guess(str_skip(text, body < text.n ? body : 0));
}

void file_words(struct arena *a, const struct file *f, struct words_doc *out)
{
    uint32_t ignored;
    *out = (struct words_doc){.id = f->id};
    out->fields[WORDS_TITLE] = file_title(f->path);
    out->fields[WORDS_ALIASES] = file_parts_join(a, &f->aliases);
    out->fields[WORDS_HEADINGS] = headings(a, f);
    out->fields[WORDS_TAGS] = file_parts_join(a, &f->tags);
    out->fields[WORDS_BODY] =
        f->kind == FILE_CANVAS ? canvas_text(a, f) : file_searched(f, &ignored);
}
