#include "vault/note/note.h"

#include "base/err.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/note_table.h"
#include "vault/note/scan.h"

enum {
    SMALL_WORDS = 256, /* notes up to 16 KB need no heap for their bitmaps */
};

/* --- shared by the files of the scanner --- */

uint32_t scan_add_region(struct scan *s, enum note_region_kind kind, uint32_t start,
                         uint32_t end)
{
    *SCAN_ADD(s, regions) = (struct note_region){.kind = kind, .span = {start, end}};
    return s->note->n_regions - 1;
}

/* The number of bits set in [from, to); few are set in each word. */
static uint32_t count_bits(const uint64_t *map, uint32_t from, uint32_t to)
{
    if (from >= to)
        return 0;
    uint32_t word = from >> 6, last = (to - 1) >> 6, n = 0;
    uint64_t bits = map[word] & (~UINT64_C(0) << (from & 63));
    for (;; bits = map[++word]) {
        if (word == last)
            bits &= ~UINT64_C(0) >> (-to & 63);
        for (; bits != 0; bits &= bits - 1)
            n++;
        if (word == last)
            return n;
    }
}

uint32_t scan_line_at(struct scan *s, uint32_t at)
{
    s->cursor_line += count_bits(s->lines, s->cursor, at);
    s->cursor = at;
    return s->cursor_line;
}

/* --- scanning --- */

/* Whether the line is --- and nothing else; if closing, spaces may follow. */
static bool note_is_fence(const struct scan *s, uint32_t start, uint32_t end,
                          bool closing)
{
    if (end > start && s->p[end - 1] == '\r')
        end--;
    while (closing && end > start + 3 && is_blank(s->p[end - 1]))
        end--;
    return end - start == 3 && memcmp(s->p + start, "---", 3) == 0;
}

/* Set frontmatter and body; returns the number of the body's first line. */
static uint32_t find_frontmatter(struct scan *s)
{
    struct note *note = s->note;
    uint32_t line = 2, end = scan_next(s->lines, note->bom, s->n);
    note->body = note->bom;
    if (end == s->n || !note_is_fence(s, note->bom, end, false))
        return 1;
    uint32_t first = end + 1;
    for (uint32_t at = first; at < s->n; at = end + 1, line++) {
        end = scan_next(s->lines, at, s->n);
        if (s->p[at] != '-' || !note_is_fence(s, at, end, true))
            continue;
        note->has_frontmatter = true;
        note->frontmatter = (struct span){first, at};
        note->body = end < s->n ? end + 1 : end;
        return line + 1;
    }
    return 1;
}

/* A section ends at the next heading of the same or a higher level. */
static void end_sections(struct note *note)
{
    uint32_t ends[7];
    for (int level = 0; level < 7; level++)
        ends[level] = (uint32_t)note->text.n;
    for (uint32_t i = note->n_headings; i-- > 0;) {
        struct note_heading *h = &note->headings[i];
        h->section.end = ends[h->level];
        for (int level = h->level; level < 7; level++)
            ends[level] = h->section.start;
    }
}

static void remove_dropped(struct note *note)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < note->n_regions; i++)
        if (note->regions[i].span.end > note->regions[i].span.start)
            note->regions[kept++] = note->regions[i];
    note->n_regions = kept;
}

static uint64_t heading_hash(struct arena *a, str title)
{
    return hash_content(note_heading_key(a, title)).low;
}

static uint32_t block_hash(str id)
{
    uint32_t hash = 2166136261U; /* FNV-1a, of lower case */
    for (size_t i = 0; i < id.n; i++)
        hash = (hash ^ (unsigned char)to_lower(id.p[i])) * 16777619U;
    return hash;
}

static void make_keys(struct arena *a, struct note *n)
{
    for (uint32_t i = 0; i < n->n_headings; i++)
        n->headings[i].key = heading_hash(a, span_of(n->text, n->headings[i].title));
    for (uint32_t i = 0; i < n->n_blocks; i++)
        n->blocks[i].key = block_hash(span_of(n->text, n->blocks[i].id));
}

static void note_run(struct scan *s, uint64_t *lines, uint64_t *marks)
{
    str text = s->note->text;
    scan_marks(text, lines, marks);
    s->lines = lines;
    s->marks = marks;
    s->note->bom = str_starts(text, STR("\xEF\xBB\xBF")) ? 3 : 0;
    uint32_t line = find_frontmatter(s);
    scan_blocks(s, s->note->body, line);
    scan_references(s);
    end_sections(s->note);
    make_keys(s->scratch, s->note);
    if (s->dropped)
        remove_dropped(s->note);
}

void note_scan_rows(struct arena *a, str text, struct note *out, struct note_rows *rows)
{
    if (text.n > NOTE_MAX_BYTES)
        BUG("a note of %zu bytes", text.n);
    *out = (struct note){.text = text};
    if (text.n == 0)
        return;
    struct arena scratch = {0};
    struct scan s = {
        .arena = a,
        .scratch = &scratch,
        .note = out,
        .rows = rows,
        .p = text.p,
        .n = (uint32_t)text.n,
        .html_budget = 4 * (uint64_t)text.n,
    };
    uint64_t small[2 * SMALL_WORDS];
    size_t words = scan_words(s.n);
    uint64_t *maps = words <= SMALL_WORDS ? small : mem_alloc(2 * words * sizeof(*maps));
    note_run(&s, maps, maps + words);
    if (maps != small)
        free(maps);
    arena_release(&scratch);
}

void note_scan(struct arena *a, str text, struct note *out)
{
    note_scan_rows(a, text, out, NULL);
}

bool note_next_cell(str row, size_t *at, str *cell)
{
    size_t start = *at + (*at == 0 && row.n > 0 && row.p[0] == '|'), end = start;
    if (start >= row.n)
        return false;
    while (end < row.n && row.p[end] != '|')
        end += row.p[end] == '\\' && end + 1 < row.n ? 2 : 1;
    *cell = str_slice(row, start, end);
    *at = end + 1;
    return true;
}

/* --- looking up --- */

size_t note_heading_number(str path, str *rest)
{
    enum { DIGITS_MAX = 4 };
    size_t at = path.n, n = 0;
    while (at > 0 && is_digit(path.p[at - 1]))
        at--;
    if (at == path.n || path.n - at > DIGITS_MAX || at < 2 || path.p[at - 1] != '#')
        return 0;
    *rest = str_slice(path, 0, at - 1);
    for (; at < path.n; at++)
        n = n * 10 + (size_t)(path.p[at] - '0');
    return n;
}

str note_heading_key(struct arena *a, str title)
{
    static const char ignored[] = "!\"#$%&()*+,.:;<=>?@^`{|}~/[]\\\r\n\t ";
    str folded = utf8_fold(a, title);
    char *key = arena_alloc(a, folded.n);
    size_t n = 0;
    for (size_t i = 0; i < folded.n; i++) {
        char c = folded.p[i];
        if (c == '\0' || strchr(ignored, c) == NULL)
            key[n++] = c;
        else if (n > 0 && key[n - 1] != ' ')
            key[n++] = ' ';
    }
    while (n > 0 && key[n - 1] == ' ')
        n--;
    return (str){key, n};
}

/*
 * A lookup is made for each link, so it compares hashes that the scan has made, and the
 * titles only of what it has found.
 */
struct note_parts {
    str titles[NOTE_SUBPATH_MAX];
    uint64_t keys[NOTE_SUBPATH_MAX];
    size_t n;
    bool *all; /* by heading: collect all that match the last part; or NULL */
};

static bool split_subpath(struct arena *a, str subpath, struct note_parts *out)
{
    str part;
    *out = (struct note_parts){0};
    while (str_next(&subpath, '#', &part)) {
        if (str_trim_line(part).n == 0)
            continue;
        if (out->n == COUNT_OF(out->keys))
            return false;
        out->titles[out->n] = note_heading_key(a, part);
        out->keys[out->n] = hash_content(out->titles[out->n]).low;
        out->n++;
    }
    return out->n > 0;
}

/*
 * The first heading in the span that matches part i and has matches of the later parts
 * below it.
 */
static bool find_part(const struct note *n, const struct note_parts *parts, size_t i,
                      struct span in, const struct note_heading **chain)
{
    for (uint32_t h = in.start; i < NOTE_SUBPATH_MAX && h < n->n_headings &&
                                n->headings[h].section.start < in.end;
         h++) {
        if (n->headings[h].key != parts->keys[i])
            continue;
        chain[i] = &n->headings[h];
        struct span below = {h + 1, chain[i]->section.end};
        bool last = i + 1 == parts->n;
        if (last && parts->all != NULL)
            parts->all[h] = true;
        else if (last || find_part(n, parts, i + 1, below, chain))
            return true;
    }
    return false;
}

/* Whether the titles are those that the hashes stand for. */
static bool are_titles(const struct note *n, struct arena *a,
                       const struct note_parts *parts, const struct note_heading **chain)
{
    bool same = true;
    for (size_t i = 0; i < parts->n; i++) {
        str title = span_of(n->text, chain[i]->title);
        same = same && str_eq(note_heading_key(a, title), parts->titles[i]);
    }
    return same;
}

static const struct span all_headings = {0, UINT32_MAX};

size_t note_find_headings(const struct note *n, str subpath,
                          const struct note_heading *chain[NOTE_SUBPATH_MAX])
{
    struct arena scratch = {0};
    struct note_parts parts;
    bool found = n->n_headings > 0 && split_subpath(&scratch, subpath, &parts) &&
                 find_part(n, &parts, 0, all_headings, chain) &&
                 are_titles(n, &scratch, &parts, chain);
    arena_release(&scratch);
    return found ? parts.n : 0;
}

size_t note_find_all_headings(const struct note *n, str subpath, uint32_t *out)
{
    struct arena scratch = {0};
    const struct note_heading *chain[NOTE_SUBPATH_MAX];
    struct note_parts parts;
    size_t count = 0;
    if (n->n_headings > 0 && split_subpath(&scratch, subpath, &parts)) {
        parts.all = ARENA_ARRAY(&scratch, bool, n->n_headings);
        (void)find_part(n, &parts, 0, all_headings, chain);
        for (uint32_t i = 0; i < n->n_headings; i++)
            if (parts.all[i])
                out[count++] = i;
    }
    arena_release(&scratch);
    return count;
}

const struct note_heading *note_find_heading(const struct note *n, str subpath)
{
    const struct note_heading *chain[NOTE_SUBPATH_MAX];
    size_t parts = note_find_headings(n, subpath, chain);
    return parts > 0 ? chain[parts - 1] : NULL;
}

const struct note_block *note_find_block(const struct note *n, str id)
{
    if (str_starts(id, STR("#")))
        id = str_skip(id, 1);
    if (str_starts(id, STR("^")))
        id = str_skip(id, 1);
    uint32_t key = block_hash(id);
    for (uint32_t i = 0; i < n->n_blocks; i++)
        if (n->blocks[i].key == key &&
            str_eq_nocase(span_of(n->text, n->blocks[i].id), id))
            return &n->blocks[i];
    return NULL;
}

uint32_t note_line_of(const struct note *n, uint32_t at)
{
    return text_line_number(n->text, at);
}
