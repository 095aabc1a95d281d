/*
 * A file is read in a scratch arena, then moved: everything goes behind each other into
 * one block of exactly the right size. The same walk over all pointers measures, copies,
 * and, for a block that comes back from a snapshot, corrects the pointers and checks
 * them.
 */
#include "vault/file.h"

#include "base/path.h"
#include "base/utf8.h"
#include "vault/canvas.h"

static const char *const text_extensions[] = {
    "txt",  "text", "csv", "tsv", "json", "jsonl", "yaml", "yml", "toml",     "xml",
    "html", "htm",  "css", "js",  "ts",   "py",    "sh",   "c",   "h",        "tex",
    "bib",  "org",  "rst", "log", "ini",  "conf",  "sql",  "mdx", "markdown",
};

enum file_kind file_kind_of(str path)
{
    str extension = path_extension(path);
    if (str_eq_nocase(extension, STR("md")))
        return FILE_NOTE;
    if (str_eq_nocase(extension, STR("canvas")))
        return FILE_CANVAS;
    if (str_eq_nocase(extension, STR("base")))
        return FILE_BASE;
    for (size_t i = 0; i < COUNT_OF(text_extensions); i++)
        if (str_eq_nocase(extension, str_c(text_extensions[i])))
            return FILE_TEXT;
    return FILE_OTHER;
}

size_t file_read_max(enum file_kind kind)
{
    if (kind == FILE_OTHER)
        return 0;
    return kind == FILE_TEXT ? FILE_TEXT_MAX : FILE_NOTE_MAX;
}

str file_title(str path)
{
    str name = path_name(path);
    bool is_note = str_eq_nocase(path_extension(name), STR("md"));
    return is_note ? str_slice(name, 0, name.n - 3) : name;
}

str file_searched(const struct file *f, uint32_t *offset)
{
    bool bom = str_starts(f->text, STR("\xEF\xBB\xBF"));
    *offset = bom ? 3 : 0;
    return str_skip(f->text, *offset);
}

/* --- moving --- */

enum move { MEASURE, COPY, REVIVE };

struct mover {
    enum move move;
    char *block;
    size_t n;           /* bytes placed so far */
    size_t bytes;       /* REVIVE: of the block */
    uint64_t was;       /* REVIVE: its address when it was stored */
    str text, new_text; /* COPY: pieces of the text need no copy of their own */
    size_t props;       /* REVIVE: a damaged list may be a circle */
    bool damaged;
};

static void *revive(struct mover *m, const void *from, size_t n)
{
    uint64_t at = (uint64_t)(uintptr_t)from - m->was;
    if ((uint64_t)(uintptr_t)from < m->was || at > m->bytes || n > m->bytes - at) {
        m->damaged = true;
        return NULL;
    }
    return m->block + at;
}

/* Where n bytes at from are to be from now on. */
static void *place(struct mover *m, const void *from, size_t n)
{
    if (n == 0)
        return NULL;
    if (m->move == REVIVE)
        return revive(m, from, n);
    size_t at = m->n;
    m->n += (n + 7) & ~(size_t)7;
    if (m->move == MEASURE)
        return (void *)from;
    memset(m->block + m->n - 8, 0, 8); /* what is between two pieces */
    return memcpy(m->block + at, from, n);
}

/* The same for what holds pointers, which must be aligned. */
static void *place_aligned(struct mover *m, const void *from, size_t n)
{
    void *at = place(m, from, n);
    if (m->move != REVIVE || ((uintptr_t)at & 7) == 0)
        return at;
    m->damaged = true;
    return NULL;
}

static void place_str(struct mover *m, str *s)
{
    bool in_text = m->move != REVIVE && s->n > 0 && m->text.n > 0 && s->p >= m->text.p &&
                   s->p < m->text.p + m->text.n;
    if (!in_text)
        s->p = place(m, s->p, s->n);
    else if (m->move == COPY)
        s->p = m->new_text.p + (s->p - m->text.p);
    if (m->damaged)
        s->n = 0;
}

static const struct prop *place_props(struct mover *m, const struct prop *first,
                                      unsigned depth)
{
    struct prop *head = (struct prop *)first;
    for (struct prop **link = &head; *link != NULL; link = &(*link)->next) {
        if (depth > FRONTMATTER_MAX_DEPTH + 1 || m->props++ > 2 * FRONTMATTER_MAX_VALUES)
            m->damaged = true;
        *link = place_aligned(m, *link, sizeof(**link));
        if (m->damaged) {
            *link = NULL;
            break;
        }
        place_str(m, &(*link)->key);
        place_str(m, &(*link)->text);
        (*link)->child = (struct prop *)place_props(m, (*link)->child, depth + 1);
    }
    return head;
}

static void place_list(struct mover *m, struct str_list *list)
{
    if (m->move == REVIVE && list->n > m->bytes / sizeof(str))
        m->damaged = true; /* and the product might overflow */
    else
        list->items = place_aligned(m, list->items, list->n * sizeof(str));
    if (m->damaged || list->items == NULL)
        list->n = 0;
    for (size_t i = 0; i < list->n; i++)
        place_str(m, &list->items[i]);
}

#define PLACE_ARRAY(m, n, name)                                                          \
    do {                                                                                 \
        (n)->name = place_aligned((m), (n)->name, (n)->n_##name * sizeof(*(n)->name));   \
        if ((m)->damaged)                                                                \
            (n)->n_##name = 0;                                                           \
    } while (0)

static void place_note(struct mover *m, struct note *n)
{
    PLACE_ARRAY(m, n, headings);
    PLACE_ARRAY(m, n, blocks);
    PLACE_ARRAY(m, n, links);
    PLACE_ARRAY(m, n, tags);
    PLACE_ARRAY(m, n, tasks);
    PLACE_ARRAY(m, n, callouts);
    PLACE_ARRAY(m, n, footnotes);
    PLACE_ARRAY(m, n, regions);
}

static struct file *place_file(struct mover *m, struct file *from)
{
    struct file *f = place_aligned(m, from, sizeof(*from));
    if (f == NULL)
        return NULL;
    str text = f->text;
    f->text.p = place(m, text.p, text.n);
    if (m->damaged)
        return NULL;
    m->text = text;
    m->new_text = f->text;
    f->note.text = f->text;
    place_str(m, &f->path);
    place_str(m, &f->problem);
    place_note(m, &f->note);
    f->props = place_props(m, f->props, 0);
    place_list(m, &f->aliases);
    place_list(m, &f->tags);
    return m->damaged ? NULL : f;
}

static struct file *to_block(struct file *f)
{
    struct mover measure = {.move = MEASURE};
    place_file(&measure, f);
    f->bytes = measure.n;
    struct mover copy = {.move = COPY, .block = mem_alloc(measure.n)};
    return place_file(&copy, f);
}

struct file *file_revive(void *block, size_t bytes, uint64_t was)
{
    struct mover m = {.move = REVIVE, .block = block, .bytes = bytes, .was = was};
    struct file *f = place_file(&m, (struct file *)(uintptr_t)was);
    if (f == NULL || f->bytes != bytes || f->path.n == 0)
        return NULL;
    f->mapped = true;
    return f;
}

void file_free(struct file *f)
{
    if (f != NULL && !f->mapped)
        free(f); /* the block begins with it */
}

/* --- reading --- */

/* The tags so far, folded, as a table with more room than there are tags. */
struct tag_set {
    str *slots;
    size_t mask;
};

static void add_tag(struct arena *a, struct tag_set *set, struct str_list *tags, str tag)
{
    str folded = utf8_fold(a, tag);
    size_t at = hash_table(folded) & set->mask;
    for (; set->slots[at].n > 0; at = (at + 1) & set->mask)
        if (str_eq(set->slots[at], folded))
            return;
    if (tags->n == FILE_TAGS_MAX)
        return;
    set->slots[at] = folded;
    tags->items[tags->n++] = tag;
}

static void read_tags(struct arena *a, struct file *f, const struct frontmatter *fm)
{
    struct str_list own = frontmatter_tags(a, fm);
    size_t n = own.n + f->note.n_tags, slots = 16;
    if (n > FILE_TAGS_MAX)
        n = FILE_TAGS_MAX;
    while (slots < 2 * n)
        slots *= 2;
    struct tag_set set = {ARENA_ARRAY(a, str, slots), slots - 1};
    f->tags.items = ARENA_ARRAY(a, str, n);
    for (size_t i = 0; i < own.n; i++)
        add_tag(a, &set, &f->tags, own.items[i]);
    for (size_t i = 0; i < f->note.n_tags; i++)
        add_tag(a, &set, &f->tags, span_of(f->text, f->note.tags[i].name));
}

static void read_note(struct arena *a, struct file *f)
{
    struct frontmatter fm = {0};
    note_scan(a, f->text, &f->note);
    if (f->note.has_frontmatter)
        frontmatter_read(a, span_of(f->text, f->note.frontmatter), 2, &fm);
    if (fm.broken)
        f->problem = arena_str(a, str_c(fm.why.msg));
    f->props = fm.props;
    f->aliases = frontmatter_aliases(a, &fm);
    read_tags(a, f, &fm);
}

static void read_canvas(struct arena *a, struct file *f)
{
    struct canvas canvas;
    struct err err;
    if (!canvas_scan(a, f->text, &canvas, &err))
        f->problem = arena_str(a, str_c(err.msg));
}

struct file *file_make(struct arena *scratch, str path, const struct fs_info *info,
                       str text)
{
    arena_reset(scratch);
    struct file f = {.path = path,
                     .info = *info,
                     .kind = file_kind_of(path),
                     .id = NO_FILE,
                     .text = text,
                     .hash = hash_content(text)};
    if (f.kind == FILE_NOTE)
        read_note(scratch, &f);
    else if (f.kind == FILE_CANVAS)
        read_canvas(scratch, &f);
    return to_block(&f);
}

struct file *file_make_unread(struct arena *scratch, str path, const struct fs_info *info,
                              const char *why)
{
    arena_reset(scratch);
    struct file f = {.path = path,
                     .info = *info,
                     .kind = file_kind_of(path),
                     .id = NO_FILE,
                     .unread = true,
                     .problem = str_c(why)};
    return to_block(&f);
}
