/* Files in expressions: which one is meant, and the fields that Bases has for it. */
#include "vault/eval/eval_file.h"

#include "base/path.h"
#include "base/utf8.h"
#include "vault/eval/eval.h"
#include "vault/eval/property.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"

/* --- which file --- */

static const struct file *file_named(struct eval *e, str text)
{
    struct value link = value_link(&e->reader, text, (str){0});
    return link.target != NO_FILE ? index_file(e->index, link.target) : NULL;
}

const struct file *eval_file(struct eval *e, const struct value *v)
{
    switch (v->type) {
    case VALUE_FILE:
    case VALUE_LINK:
        return v->target != NO_FILE ? index_file(e->index, v->target) : NULL;
    case VALUE_TEXT:
        return file_named(e, v->text);
    case VALUE_ROW:
        return v->row->file;
    default:
        return NULL;
    }
}

struct value_reader eval_reader(const struct eval *e, const struct file *f)
{
    struct value_reader r = e->reader;
    r.source = f->path;
    r.source_id = f->id;
    return r;
}

struct value eval_property(struct eval *e, const struct file *f, str name)
{
    struct value_reader r = eval_reader(e, f);
    struct property_place place = {f, NULL};
    return property_value(&r, &place, name, utf8_fold(r.arena, name));
}

struct value eval_properties(const struct file *f)
{
    struct value v = {.type = VALUE_MAP, .source = NO_FILE};
    if (f == NULL || f->props == NULL || f->kind != FILE_NOTE)
        return v;
    v.props = f->props->child;
    v.n = f->props->n;
    v.source = f->id;
    return v;
}

struct value eval_file_link(struct eval *e, const struct file *f, str display)
{
    struct value v = value_link(&e->reader, f->path, display);
    v.target = f->id; /* a path means its file, whatever else has that name */
    v.path = f->path;
    return v;
}

/* --- questions about it --- */

static bool has_tag_below(struct arena *a, const struct file *f, str wanted)
{
    for (size_t i = 0; i < f->tags.n; i++)
        if (path_is_or_below(wanted, utf8_fold(a, f->tags.items[i])))
            return true;
    return false;
}

bool eval_has_tag(struct eval *e, const struct file *f, str tag)
{
    tag = utf8_fold(e->reader.arena, str_skip(tag, str_starts(tag, STR("#"))));
    return tag.n > 0 && has_tag_below(e->reader.arena, f, tag);
}

bool eval_in_folder(const struct file *f, str folder)
{
    while (str_ends(folder, STR("/")))
        folder.n--;
    return folder.n == 0 || path_is_below(folder, f->path);
}

bool eval_has_link(struct eval *e, const struct file *f, const struct value *to)
{
    struct graph_edge *edges;
    struct arena *a = e->reader.arena;
    const struct file *target = eval_file(e, to);
    bool link = to->type == VALUE_LINK;
    str text = utf8_fold(a, link ? to->path : to->text);
    size_t n = graph_links(e->index->graph, a, f->id, &edges);
    for (size_t i = 0; i < n; i++) {
        if (target != NULL
                ? edges[i].file == target->id
                : edges[i].file == NO_FILE && str_eq(utf8_fold(a, edges[i].path), text))
            return true;
    }
    return false;
}

/* --- fields --- */

static struct value file_name(struct eval *e, const struct file *f)
{
    return value_text(file_title(f->path));
}

struct value eval_file_basename(struct eval *e, const struct file *f)
{
    str name = path_name(f->path), ext = path_extension(f->path);
    return value_text(ext.n > 0 ? str_slice(name, 0, name.n - ext.n - 1) : name);
}

struct value eval_file_path(struct eval *e, const struct file *f)
{
    return value_text(f->path);
}

struct value eval_file_folder(struct eval *e, const struct file *f)
{
    return value_text(path_folder(f->path));
}

struct value eval_file_ext(struct eval *e, const struct file *f)
{
    return value_text(path_extension(f->path));
}

struct value eval_file_size(struct eval *e, const struct file *f)
{
    return value_integer(f->info.size);
}

struct value eval_file_mtime(struct eval *e, const struct file *f)
{
    return value_date(date_of_clock(f->info.mtime, e->reader.utc_offset));
}

/* When it was created, as Obsidian says: a copy may have kept an earlier time of its text.
 * Null if the file system does not say. */
struct value eval_file_ctime(struct eval *e, const struct file *f)
{
    int64_t born = f->info.born_ns / 1000000000;
    return born > 0 ? value_date(date_of_clock(born, e->reader.utc_offset))
                    : value_null();
}

static struct value file_tags(struct eval *e, const struct file *f)
{
    struct value *items = ARENA_ARRAY(e->reader.arena, struct value, f->tags.n);
    for (size_t i = 0; i < f->tags.n; i++)
        items[i] = value_tag(f->tags.items[i]);
    return eval_list(e, items, f->tags.n);
}

/* "Note > Heading", or the display text. */
static str shown_as(struct arena *a, const struct file_link *link)
{
    if (link->display.n > 0)
        return link->display;
    if (link->subpath.n == 0)
        return link->path;
    struct sbuf b = SBUF_ON(a);
    str rest = str_skip(link->subpath, 1), part;
    sbuf_add(&b, link->path);
    while (str_next(&rest, '#', &part))
        sbuf_printf(&b, "%s" STR_FMT, b.n > 0 ? " > " : "", STR_ARG(part));
    return sbuf_str(&b);
}

/* In the order of the file, with duplicates. */
static struct value written_links(struct eval *e, const struct file *f, bool embeds_only)
{
    struct file_link *links;
    struct value_reader r = eval_reader(e, f);
    size_t n = file_links(r.arena, f, &links), used = 0;
    struct value *items = ARENA_ARRAY(r.arena, struct value, n);
    for (size_t i = 0; i < n && used < VALUE_LIST_MAX; i++) {
        if (embeds_only && !links[i].embed)
            continue;
        str target = arena_printf(r.arena, STR_FMT STR_FMT, STR_ARG(links[i].path),
                                  STR_ARG(links[i].subpath));
        items[used++] = value_link(&r, target, shown_as(r.arena, &links[i]));
    }
    return eval_list(e, items, used);
}

struct value eval_file_links(struct eval *e, const struct file *f)
{
    return written_links(e, f, false);
}

static struct value file_embeds(struct eval *e, const struct file *f)
{
    return written_links(e, f, true);
}

struct value eval_file_backlinks(struct eval *e, const struct file *f)
{
    struct graph_edge *edges;
    struct arena *a = e->reader.arena;
    size_t n = graph_backlinks(e->index->graph, a, f->id, &edges), used = 0;
    struct value *items = ARENA_ARRAY(a, struct value, n);
    for (size_t i = 0; i < n && used < VALUE_LIST_MAX; i++) {
        const struct file *from = index_file(e->index, edges[i].file);
        if (from != NULL && !from->excluded)
            items[used++] = eval_file_link(e, from, (str){0});
    }
    return eval_list(e, items, used);
}

struct value eval_file_properties(struct eval *e, const struct file *f)
{
    return eval_properties(f);
}

static struct value file_itself(struct eval *e, const struct file *f)
{
    return value_file(f->id, f->path);
}

const struct file_field eval_file_fields[] = {
    {"name", file_name},
    {"basename", eval_file_basename},
    {"path", eval_file_path},
    {"folder", eval_file_folder},
    {"ext", eval_file_ext},
    {"size", eval_file_size},
    {"ctime", eval_file_ctime},
    {"mtime", eval_file_mtime},
    {"tags", file_tags},
    {"links", eval_file_links},
    {"embeds", file_embeds},
    {"backlinks", eval_file_backlinks},
    {"properties", eval_file_properties},
    {"file", file_itself},
    {NULL, NULL},
};
