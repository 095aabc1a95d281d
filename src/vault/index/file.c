/*
 * A file is parsed in a scratch arena, then moved: everything is packed into one block of
 * exactly the right size. The same walk over all pointers measures and copies and, for a
 * block that goes into a snapshot or comes back from one, corrects and checks the
 * pointers.
 */
#include "vault/index/file.h"

#include "base/map.h"
#include "base/path.h"
#include "base/utf8.h"
#include "vault/forms/canvas.h"
#include "vault/forms/drawing.h"
#include "vault/forms/inline.h"
#include "vault/forms/queries.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"
#include "vault/text/encoding.h"
#include "vault/text/pages.h"

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
    if (drawing_is_json(path))
        return FILE_DRAWING;
    for (size_t i = 0; i < COUNT_OF(text_extensions); i++)
        if (str_eq_nocase(extension, str_c(text_extensions[i])))
            return FILE_TEXT;
    return str_eq_nocase(extension, STR("pdf")) ? FILE_PDF : FILE_OTHER;
}

size_t file_read_max(enum file_kind kind)
{
    if (kind == FILE_OTHER || kind == FILE_PDF)
        return 0;
    return kind == FILE_TEXT ? FILE_TEXT_MAX : FILE_NOTE_MAX;
}

bool file_stays_in_cloud(enum file_kind kind)
{
    return kind == FILE_TEXT || kind == FILE_PDF;
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
    return str_slice(f->text, *offset, f->searched);
}

bool file_is_unpaged(const struct file *f)
{
    return f->kind == FILE_PDF && f->unread && f->problem.n == 0 && !f->excluded;
}

uint32_t file_page(const struct file *f, size_t at)
{
    return f->kind == FILE_PDF ? pages_at(f->text, at) : 0;
}

/* --- moving --- */

enum move { MEASURE, COPY, REVIVE };

struct mover {
    enum move move;
    char *block;
    size_t n;         /* bytes placed so far */
    size_t bytes;     /* COPY, REVIVE: of the block */
    uint64_t was;     /* REVIVE: the address its pointers were made for, */
    uint64_t will_be; /* and the one they are to be made for */
    str text;         /* strings that are part of the text need no copy */
    uint64_t text_to; /* COPY, REVIVE: the address of the text from now on */
    bool damaged;
};

/* A pointer that is already right is not written, because its page may be shared. */
static void file_set_to(void *field, uint64_t address)
{
    uintptr_t is, to = (uintptr_t)address;
    memcpy(&is, field, sizeof(is));
    if (is != to)
        memcpy(field, &to, sizeof(to));
}

static void file_set(const struct mover *m, void *field, const void *place)
{
    uint64_t to = (uintptr_t)place;
    if (m->move == REVIVE && place != NULL)
        to = m->will_be + (uint64_t)((const char *)place - m->block);
    file_set_to(field, to);
}

/* Pieces are in the order in which they were copied, without gaps, so no two overlap. */
static bool is_next(struct mover *m, const void *from, size_t n)
{
    uint64_t at = (uint64_t)(uintptr_t)from - m->was;
    return at == m->n && at <= m->bytes && n <= m->bytes - at;
}

/* The new place of the n bytes at from. */
static void *file_place_bytes(struct mover *m, const void *from, size_t n)
{
    if (n == 0 || m->damaged)
        return NULL;
    if (m->move == REVIVE && !is_next(m, from, n)) {
        m->damaged = true;
        return NULL;
    }
    size_t at = m->n;
    m->n += (n + 7) & ~(size_t)7;
    if (m->move == MEASURE)
        return (void *)from;
    if (m->move == REVIVE)
        return m->block + at;
    memset(m->block + m->n - 8, 0, 8); /* padding between two pieces */
    return memcpy(m->block + at, from, n);
}

static void place_str(struct mover *m, str *s)
{
    uintptr_t at = (uintptr_t)s->p - (uintptr_t)m->text.p;
    bool in_text = s->n > 0 && at < m->text.n && s->n <= m->text.n - at;
    if (!in_text)
        file_set(m, &s->p, file_place_bytes(m, s->p, s->n));
    else if (m->move != MEASURE)
        file_set_to(&s->p, m->text_to + at);
    if (m->damaged)
        s->n = 0;
}

static void place_props(struct mover *m, struct prop **link)
{
    for (struct prop *p; *link != NULL; link = &p->next) {
        p = file_place_bytes(m, *link, sizeof(*p));
        file_set(m, link, p);
        if (p == NULL)
            break;
        place_str(m, &p->key);
        place_str(m, &p->text);
        place_props(m, &p->child);
    }
}

static void place_list(struct mover *m, struct str_list *list)
{
    if (m->move == REVIVE && list->n > m->bytes / sizeof(str))
        m->damaged = true; /* otherwise the product might overflow */
    str *items = file_place_bytes(m, list->items, list->n * sizeof(str));
    file_set(m, &list->items, items);
    for (size_t i = 0; i < list->n && !m->damaged; i++)
        place_str(m, &items[i]);
}

#define PLACE_ARRAY(m, n, name)                                                          \
    file_set((m), &(n)->name,                                                            \
             file_place_bytes((m), (n)->name, (n)->n_##name * sizeof(*(n)->name)))

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

static size_t file_padded(str text)
{
    return (text.n + 7) & ~(size_t)7;
}

/* The text comes last, so that everything else is close together and can be stored apart
 * from it. */
static void place_text(struct mover *m, struct file *f)
{
    if (m->move != REVIVE)
        (void)file_place_bytes(m, f->text.p, f->text.n);
    if (m->move == MEASURE)
        return;
    uint64_t at = f->text.n > 0 ? m->text_to : 0;
    file_set_to(&f->text.p, at);
    file_set_to(&f->note.text.p, at);
    if (f->note.text.n != f->text.n)
        f->note.text.n = f->text.n;
}

static struct file *place_file(struct mover *m, struct file *from)
{
    struct file *f = file_place_bytes(m, from, sizeof(*from));
    if (f == NULL)
        return NULL;
    m->text = f->text;
    place_str(m, &f->path);
    place_str(m, &f->problem);
    place_note(m, &f->note);
    PLACE_ARRAY(m, f, fields);
    place_props(m, (struct prop **)&f->props);
    place_list(m, &f->aliases);
    place_list(m, &f->tags);
    place_text(m, f);
    return m->damaged ? NULL : f;
}

/* --- values of a block that may be damaged --- */

/* Even reading a bool or enum with an invalid value is undefined behaviour. */
#define IS_BOOL(x) (*(const unsigned char *)&(x) <= 1)
#define IS_UP_TO(x, last) (*(const unsigned *)&(x) <= (unsigned)(last))

static bool are_links_sound(const struct note *n)
{
    for (uint32_t i = 0; i < n->n_links; i++) {
        const struct note_link *l = &n->links[i];
        if (!IS_UP_TO(l->kind, NOTE_DEFINITION) || !IS_BOOL(l->embed) ||
            !IS_BOOL(l->external) || !IS_BOOL(l->angle))
            return false;
    }
    return true;
}

static bool is_note_sound(const struct note *n)
{
    bool sound = IS_BOOL(n->has_frontmatter) && are_links_sound(n);
    for (uint32_t i = 0; i < n->n_blocks; i++)
        sound = sound && IS_UP_TO(n->blocks[i].type, NOTE_MATH);
    for (uint32_t i = 0; i < n->n_tasks; i++)
        sound = sound && IS_BOOL(n->tasks[i].done);
    for (uint32_t i = 0; i < n->n_footnotes; i++)
        sound = sound && IS_BOOL(n->footnotes[i].definition);
    for (uint32_t i = 0; i < n->n_regions; i++)
        sound = sound && IS_UP_TO(n->regions[i].kind, NOTE_TABLE_REGION);
    return sound;
}

static bool are_props_sound(const struct prop *p)
{
    for (; p != NULL; p = p->next)
        if (!IS_UP_TO(p->type, PROP_MAP) || (p->type == PROP_BOOL && !IS_BOOL(p->flag)) ||
            !are_props_sound(p->child))
            return false;
    return true;
}

static bool are_fields_sound(const struct file *f)
{
    for (uint32_t i = 0; i < f->n_fields; i++)
        if (!IS_BOOL(f->fields[i].of_task))
            return false;
    return true;
}

static bool is_sound(const struct file *f)
{
    return IS_UP_TO(f->kind, FILE_OTHER) && IS_UP_TO(f->policy, POLICY_HIDDEN) &&
           IS_UP_TO(f->info.type, FS_FOLDER) && IS_UP_TO(f->encoding, ENCODING_NONE) &&
           IS_BOOL(f->excluded) && IS_BOOL(f->info.linked) &&
           IS_BOOL(f->info.many_names) && IS_BOOL(f->mapped) && IS_BOOL(f->unread) &&
           IS_BOOL(f->has_queries) && f->searched <= f->text.n &&
           is_note_sound(&f->note) && are_fields_sound(f) && are_props_sound(f->props);
}

/* --- making and reviving --- */

static struct file *to_block(struct file *f)
{
    struct mover measure = {.move = MEASURE};
    place_file(&measure, f);
    f->bytes = measure.n;
    struct mover copy = {.move = COPY, .block = mem_alloc(measure.n), .bytes = measure.n};
    copy.text_to = (uint64_t)(uintptr_t)(copy.block + (measure.n - file_padded(f->text)));
    return place_file(&copy, f);
}

/* The text that a block refers to is the one that was stored with it. */
static bool file_has_text(const void *block, size_t bytes, str text, uint64_t text_was)
{
    str stored;
    if (bytes < sizeof(struct file))
        return false;
    memcpy(&stored, (const char *)block + offsetof(struct file, text), sizeof(stored));
    return stored.n == text.n && (text.n == 0 || (uintptr_t)stored.p == text_was);
}

struct file *file_revive(void *block, size_t bytes, uint64_t was, str text,
                         uint64_t text_was)
{
    if (!file_has_text(block, bytes, text, text_was))
        return NULL;
    struct mover m = {.move = REVIVE,
                      .block = block,
                      .bytes = bytes,
                      .was = was,
                      .will_be = (uint64_t)(uintptr_t)block,
                      .text_to = (uint64_t)(uintptr_t)text.p};
    struct file *f = place_file(&m, (struct file *)(uintptr_t)was);
    if (f == NULL || f->bytes != bytes || f->path.n == 0 || !is_sound(f))
        return NULL;
    if (!f->mapped)
        f->mapped = true;
    return f;
}

size_t file_stored_bytes(const struct file *f)
{
    return f->mapped ? f->bytes : f->bytes - file_padded(f->text);
}

void file_store(const struct file *f, void *block, uint64_t will_be,
                uint64_t text_will_be)
{
    size_t bytes = file_stored_bytes(f);
    memcpy(block, f, bytes);
    struct mover m = {.move = REVIVE,
                      .block = block,
                      .bytes = bytes,
                      .was = (uint64_t)(uintptr_t)f,
                      .will_be = will_be,
                      .text_to = text_will_be};
    struct file *stored = place_file(&m, (struct file *)(uintptr_t)f);
    if (stored == NULL)
        BUG("a file was damaged in memory");
    stored->mapped = true;
    stored->bytes = bytes;
}

void file_free(struct file *f)
{
    if (f != NULL && !f->mapped)
        free(f); /* it is the start of the block */
}

/* --- reading --- */

/* Add a tag unless it is among the folded tags so far. */
static void add_tag(struct arena *a, struct map *folded, struct str_list *tags, str tag)
{
    if (tags->n < FILE_TAGS_MAX && map_add_new(folded, utf8_fold(a, tag)))
        tags->items[tags->n++] = tag;
}

static void read_tags(struct arena *a, struct file *f, const struct frontmatter *fm)
{
    struct str_list own = frontmatter_tags(a, fm);
    size_t n = own.n + f->note.n_tags;
    struct map folded = {.arena = a};
    f->tags.items = ARENA_ARRAY(a, str, n < FILE_TAGS_MAX ? n : FILE_TAGS_MAX);
    for (size_t i = 0; i < own.n; i++)
        add_tag(a, &folded, &f->tags, own.items[i]);
    for (size_t i = 0; i < f->note.n_tags; i++)
        add_tag(a, &folded, &f->tags, span_of(f->text, f->note.tags[i].name));
}

/* The data of a drawing is not searched, and its heading is not one of the note. */
static void end_at_drawing(struct file *f)
{
    struct note *n = &f->note;
    str data;
    f->searched = drawing_start(f->text, &data);
    while (n->n_headings > 0 && n->headings[n->n_headings - 1].title.start >= f->searched)
        n->n_headings--;
    for (uint32_t i = 0; i < n->n_headings; i++)
        if (n->headings[i].section.end > f->searched)
            n->headings[i].section.end = (uint32_t)f->searched;
}

static void file_read_note(struct arena *a, struct file *f)
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
    f->n_fields = inline_scan(a, &f->note, &f->fields);
    f->has_queries = queries_has(&f->note);
    if (drawing_is(&fm))
        end_at_drawing(f);
}

static void read_canvas(struct arena *a, struct file *f)
{
    struct canvas canvas;
    struct err err;
    if (!canvas_scan(a, f->text, &canvas, &err))
        f->problem = arena_str(a, str_c(err.msg));
}

static void read_drawing(struct arena *a, struct file *f)
{
    struct note note;
    struct err err;
    str texts = {0};
    if (!drawing_texts(a, f->text, &texts, &err))
        f->problem = arena_str(a, str_c(err.msg));
    f->text = texts;
    f->searched = texts.n;
    note_scan(a, texts, &note);
    f->note = (struct note){
        .text = texts, .lines = note.lines, .links = note.links, .n_links = note.n_links};
}

struct file *file_make(struct arena *scratch, str path, const struct fs_info *info,
                       str bytes)
{
    arena_reset(scratch);
    struct file f = {.path = path,
                     .info = *info,
                     .kind = file_kind_of(path),
                     .id = NO_FILE,
                     .hash = hash_content(bytes)};
    f.text = encoding_read(scratch, bytes, &f.encoding);
    f.searched = f.text.n;
    f.has_queries = f.kind == FILE_BASE;
    if (f.kind == FILE_NOTE)
        file_read_note(scratch, &f);
    else if (f.kind == FILE_CANVAS)
        read_canvas(scratch, &f);
    else if (f.kind == FILE_DRAWING)
        read_drawing(scratch, &f);
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

struct file *file_make_paged(struct arena *scratch, str path, const struct fs_info *info,
                             struct hash_content hash, str text)
{
    arena_reset(scratch);
    struct file f = {.path = path,
                     .info = *info,
                     .kind = FILE_PDF,
                     .id = NO_FILE,
                     .searched = text.n,
                     .text = text,
                     .hash = hash};
    return to_block(&f);
}
