#include "app/tool_support/read_log.h"

#include <stdio.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/text.h"
#include "vault/note/note.h"

/* A section or block of the note: its name, and its text when it was seen. */
struct part {
    uint64_t name, hash; /* of the text, or: */
};
enum { PART_UNSEEN, PART_STALE }; /* not shown; of others, who changed or added it */

/* lines[i] is the hash of line i + 1, or 0 if it was not seen. */
struct read_note {
    struct hash_content key;
    uint64_t used; /* of seen.clock; 0: a free entry */
    struct part *parts;
    uint32_t *lines;
    size_t n_parts, n_lines;
    uint64_t elsewhere; /* the note as it was seen at another replica; 0: it was here */
};

struct read_log {
    struct lock lock;
    uint64_t clock;
    size_t bytes;
    struct read_note entries[READ_LOG_NOTES_MAX];
};

struct read_log *read_log_create(void)
{
    struct read_log *s = mem_zero(sizeof(*s));
    lock_init(&s->lock, LOCK_LEAF);
    return s;
}

static size_t entry_bytes(const struct read_note *e)
{
    return e->n_parts * sizeof(*e->parts) + e->n_lines * sizeof(*e->lines);
}

static void drop_entry(struct read_log *s, struct read_note *e)
{
    s->bytes -= entry_bytes(e);
    free(e->parts);
    free(e->lines);
    *e = (struct read_note){0};
}

void read_log_free(struct read_log *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < READ_LOG_NOTES_MAX; i++)
        drop_entry(s, &s->entries[i]);
    lock_release(&s->lock);
    free(s);
}

/* --- a text in hashes --- */

struct image_part {
    struct part part;
    size_t start, end; /* in the text */
};

struct image {
    struct arena arena;
    struct image_part *parts;
    size_t n_parts;
    uint32_t *lines;
    size_t *ends; /* of lines, with the line break */
    size_t n_lines;
};

static void read_log_add_part(struct image *m, uint64_t name, str text, struct span s)
{
    if (m->n_parts == READ_LOG_PARTS_MAX)
        return;
    for (size_t i = 0; i < m->n_parts; i++) /* two with one name: the second one */
        name += m->parts[i].part.name == name;
    *ARRAY_ADD(&m->arena, m->parts, m->n_parts) =
        (struct image_part){{name, hash_content(span_of(text, s)).low}, s.start, s.end};
}

/* A section is named by its heading and those above it. */
static void add_sections(struct image *m, const struct note *n)
{
    enum { LEVELS = 7 };
    uint64_t above[LEVELS] = {0};
    for (uint32_t i = 0; i < n->n_headings; i++) {
        const struct note_heading *h = &n->headings[i];
        uint64_t name = hash_content(span_of(n->text, h->title)).low;
        for (unsigned k = 1; k < h->level; k++)
            name = name * 31 + above[k];
        above[h->level] = name;
        for (unsigned k = h->level + 1u; k < LEVELS; k++)
            above[k] = 0;
        read_log_add_part(m, name, n->text, h->section);
    }
}

static void read_log_add_lines(struct image *m, str text)
{
    for (size_t at = 0; at < text.n && m->n_lines < READ_LOG_LINES_MAX;) {
        size_t end = text_find_break(text, at);
        uint32_t hash = (uint32_t)hash_content(str_slice(text, at, end)).low;
        size_t n = m->n_lines, more = n;
        at = end + text_break(text, end).n;
        *ARRAY_ADD(&m->arena, m->lines, n) = hash != 0 ? hash : 1;
        *ARRAY_ADD(&m->arena, m->ends, more) = at;
        m->n_lines = n;
    }
}

static void make_image(struct image *m, str text)
{
    struct note n;
    *m = (struct image){0};
    note_scan(&m->arena, text, &n);
    add_sections(m, &n);
    for (uint32_t i = 0; i < n.n_blocks; i++)
        read_log_add_part(m, ~hash_content(span_of(text, n.blocks[i].id)).low, text,
                          n.blocks[i].body);
    read_log_add_lines(m, text);
}

static uint64_t whole_of(str text)
{
    return hash_content(text).low | 1;
}

/* --- entries; with the lock, except for knows() --- */

static struct hash_content key_of(const struct reader_key *by)
{
    struct arena a = {0};
    str text = arena_printf(&a, STR_FMT "\n" STR_FMT "\n" STR_FMT, STR_ARG(by->client),
                            STR_ARG(by->vault), STR_ARG(by->path));
    struct hash_content key = hash_content(text);
    arena_release(&a);
    return key;
}

static struct read_note *find_entry(struct read_log *s, struct hash_content key)
{
    for (size_t i = 0; i < READ_LOG_NOTES_MAX; i++) {
        struct read_note *e = &s->entries[i];
        if (e->used == 0 || !hash_same(e->key, key))
            continue;
        e->used = ++s->clock;
        return e;
    }
    return NULL;
}

/* Whether there is anything to compare with, before a text is read for it. */
static bool knows(struct read_log *s, struct hash_content key)
{
    lock_take(&s->lock);
    bool found = find_entry(s, key) != NULL;
    lock_drop(&s->lock);
    return found;
}

/* The entry that was used longest ago, or a free one. */
static struct read_note *oldest(struct read_log *s, bool taken)
{
    struct read_note *found = NULL;
    for (size_t i = 0; i < READ_LOG_NOTES_MAX; i++) {
        struct read_note *e = &s->entries[i];
        if ((!taken || e->used > 0) && (found == NULL || e->used < found->used))
            found = e;
    }
    return found;
}

static struct read_note *add_entry(struct read_log *s, struct hash_content key)
{
    struct read_note *e = find_entry(s, key);
    if (e != NULL)
        return e;
    e = oldest(s, false);
    drop_entry(s, e);
    e->key = key;
    e->used = ++s->clock;
    return e;
}

static void keep_within_limit(struct read_log *s)
{
    while (s->bytes > READ_LOG_BYTES_MAX)
        drop_entry(s, oldest(s, true));
}

/* Give the note n lines; new ones were not seen. */
static void set_lines(struct read_note *e, size_t n)
{
    uint32_t *lines = mem_zero((n > 0 ? n : 1) * sizeof(*lines));
    size_t kept = n < e->n_lines ? n : e->n_lines;
    if (kept > 0)
        memcpy(lines, e->lines, kept * sizeof(*lines));
    free(e->lines);
    e->lines = lines;
    e->n_lines = n;
}

/* A part of a text that is known by what it says, whatever it is called by now. One that
 * is neither known so nor by name is stale. */
static uint64_t part_state(const struct read_note *e, const struct part *p)
{
    const struct part *named = NULL;
    for (size_t i = 0; i < e->n_parts; i++) {
        if (e->parts[i].hash == p->hash)
            return p->hash;
        if (e->parts[i].name == p->name)
            named = &e->parts[i];
    }
    return named != NULL && named->hash == PART_UNSEEN ? PART_UNSEEN : PART_STALE;
}

/* Parts of a note that is read for the first time were not shown, the others are as the
 * client knows them. */
static void set_parts(struct read_note *e, const struct image *m, struct edit_range shown)
{
    struct part *parts = mem_zero((m->n_parts + 1) * sizeof(*parts));
    for (size_t i = 0; i < m->n_parts; i++) {
        const struct image_part *now = &m->parts[i];
        bool is_shown = now->start >= shown.start && now->end <= shown.end;
        parts[i] = now->part;
        if (!is_shown)
            parts[i].hash = e->parts == NULL ? PART_UNSEEN : part_state(e, &now->part);
    }
    free(e->parts);
    e->parts = parts;
    e->n_parts = m->n_parts;
}

static void show(struct read_log *s, struct hash_content key, const struct image *m,
                 struct edit_range shown)
{
    struct read_note *e = add_entry(s, key);
    size_t before = entry_bytes(e), start = 0;
    e->elsewhere = 0;
    set_parts(e, m, shown);
    set_lines(e, m->n_lines);
    for (size_t i = 0; i < m->n_lines; start = m->ends[i++])
        if (start >= shown.start && start < shown.end)
            e->lines[i] = m->lines[i];
    s->bytes = s->bytes - before + entry_bytes(e);
    keep_within_limit(s);
}

void read_log_show(struct read_log *s, const struct reader_key *by, str text,
                   struct edit_range shown)
{
    struct image m;
    if (by->client.n == 0 || text.n > EDIT_TEXT_MAX)
        return;
    make_image(&m, text);
    lock_take(&s->lock);
    show(s, key_of(by), &m, shown);
    lock_drop(&s->lock);
    arena_release(&m.arena);
}

/* --- changes --- */

/* Where the client's change is, in both texts: all lines before and after it are the
 * same. */
struct own_change {
    size_t start, was_end, is_end;
};

static struct own_change find_change(str was, str is)
{
    size_t most = was.n < is.n ? was.n : is.n, head = 0, tail = 0;
    while (head < most && was.p[head] == is.p[head])
        head++;
    head = text_line_start(was, head);
    while (tail < most - head && was.p[was.n - tail - 1] == is.p[is.n - tail - 1])
        tail++;
    if (!text_begins_line(was, was.n - tail) || !text_begins_line(is, is.n - tail))
        tail = was.n - text_next_line(was, was.n - tail);
    return (struct own_change){head, was.n - tail, is.n - tail};
}

/* What a part of the new text was made of: the worst of the parts that it has some of,
 * and of the smallest that has all of it; what the client has written is known. */
static uint64_t made_of(const struct image *was, const uint64_t *states,
                        const struct own_change *c, const struct image_part *now)
{
    size_t start = now->start < c->start     ? now->start
                   : now->start >= c->is_end ? now->start - c->is_end + c->was_end
                                             : c->start;
    size_t end = now->end <= c->start    ? now->end
                 : now->end >= c->is_end ? now->end - c->is_end + c->was_end
                                         : c->was_end;
    size_t around = was->n_parts, least = SIZE_MAX;
    uint64_t worst = now->part.hash;
    if (start >= end || (now->start >= c->start && now->end <= c->is_end))
        return now->part.hash;
    for (size_t i = 0; i < was->n_parts && worst != PART_STALE; i++) {
        const struct image_part *old = &was->parts[i];
        if (old->part.hash == now->part.hash)
            return states[i];
        bool contains = old->start <= start && old->end >= end;
        bool used = old->start < end && old->end > start;
        if (used && !contains && states[i] <= PART_STALE)
            worst = states[i];
        if (contains && old->end - old->start < least) {
            around = i;
            least = old->end - old->start;
        }
    }
    bool counts = around < was->n_parts && states[around] <= PART_STALE;
    return counts && worst != PART_STALE ? states[around] : worst;
}

static void change_parts(struct read_note *e, const struct image *was,
                         const struct image *is, const struct own_change *c)
{
    struct part *parts = mem_zero((is->n_parts + 1) * sizeof(*parts));
    uint64_t *states = mem_zero((was->n_parts + 1) * sizeof(*states));
    for (size_t i = 0; i < was->n_parts; i++)
        states[i] = part_state(e, &was->parts[i].part);
    for (size_t i = 0; i < is->n_parts; i++) {
        parts[i] = is->parts[i].part;
        parts[i].hash = made_of(was, states, c, &is->parts[i]);
    }
    free(states);
    free(e->parts);
    e->parts = parts;
    e->n_parts = is->n_parts;
}

/*
 * Lines above and below the change stay as they were seen; those in it are known. Of a
 * note with too many lines, the end is not known, so nothing is.
 */
static void change_lines(struct read_note *e, const struct image *was,
                         const struct image *is)
{
    if (was->n_lines == READ_LOG_LINES_MAX || is->n_lines == READ_LOG_LINES_MAX) {
        e->n_lines = 0;
        return;
    }
    size_t most = was->n_lines < is->n_lines ? was->n_lines : is->n_lines;
    size_t head = 0, tail = 0, old_n = e->n_lines;
    while (head < most && was->lines[head] == is->lines[head])
        head++;
    while (tail < most - head &&
           was->lines[was->n_lines - tail - 1] == is->lines[is->n_lines - tail - 1])
        tail++;
    uint32_t *old = e->lines;
    e->lines = mem_zero((is->n_lines + 1) * sizeof(*e->lines));
    e->n_lines = is->n_lines;
    for (size_t i = 0; i < is->n_lines; i++) {
        bool below = i >= is->n_lines - tail;
        size_t from = below ? i + was->n_lines - is->n_lines : i;
        bool inside = i >= head && !below;
        e->lines[i] = inside ? is->lines[i] : from < old_n ? old[from] : 0;
    }
    free(old);
}

void read_log_change(struct read_log *s, const struct reader_key *by, str before,
                     str after)
{
    struct image was, is;
    struct hash_content key = key_of(by);
    if (before.n > EDIT_TEXT_MAX || after.n > EDIT_TEXT_MAX || !knows(s, key))
        return;
    struct own_change own = find_change(before, after);
    make_image(&was, before);
    make_image(&is, after);
    lock_take(&s->lock);
    struct read_note *e = find_entry(s, key);
    if (e != NULL && e->elsewhere == whole_of(before)) {
        e->elsewhere = whole_of(after);
    } else if (e != NULL) {
        size_t bytes = entry_bytes(e);
        change_parts(e, &was, &is, &own);
        change_lines(e, &was, &is);
        s->bytes = s->bytes - bytes + entry_bytes(e);
        keep_within_limit(s);
    }
    lock_drop(&s->lock);
    arena_release(&was.arena);
    arena_release(&is.arena);
}

void read_log_forget(struct read_log *s, const struct reader_key *by)
{
    lock_take(&s->lock);
    struct read_note *e = find_entry(s, key_of(by));
    if (e != NULL)
        drop_entry(s, e);
    lock_drop(&s->lock);
}

/* --- other replicas --- */

str read_log_message(struct arena *a, const struct reader_key *by, str text)
{
    struct hash_content key = key_of(by);
    return arena_printf(a, "%llx %llx %llx", (unsigned long long)key.high,
                        (unsigned long long)key.low, (unsigned long long)whole_of(text));
}

void read_log_heard(struct read_log *s, str message)
{
    struct arena a = {0};
    unsigned long long high, low, whole;
    char extra;
    if (sscanf(arena_str(&a, message).p, "%llx %llx %llx%c", &high, &low, &whole,
               &extra) == 3) {
        lock_take(&s->lock);
        struct read_note *e = add_entry(s, (struct hash_content){high, low});
        struct hash_content key = e->key;
        drop_entry(s, e);
        *e = (struct read_note){.key = key, .used = ++s->clock, .elsewhere = whole};
        lock_drop(&s->lock);
    }
    arena_release(&a);
}

/* --- questions --- */

static bool is_stale(const struct read_note *e, const struct image *m,
                     struct edit_range part)
{
    for (size_t i = 0; i < m->n_parts; i++)
        if (m->parts[i].start == part.start && m->parts[i].end == part.end)
            return part_state(e, &m->parts[i].part) == PART_STALE;
    return false;
}

bool read_log_is_stale(struct read_log *s, const struct reader_key *by, str text,
                       struct edit_range part)
{
    struct image m;
    struct hash_content key = key_of(by);
    if (!knows(s, key))
        return false;
    make_image(&m, text);
    lock_take(&s->lock);
    const struct read_note *e = find_entry(s, key);
    bool stale = e != NULL && (e->elsewhere != 0 ? e->elsewhere != whole_of(text)
                                                 : is_stale(e, &m, part));
    lock_drop(&s->lock);
    arena_release(&m.arena);
    return stale;
}

bool read_log_lines_stale(struct read_log *s, const struct reader_key *by, str text,
                          uint32_t first, uint32_t last)
{
    struct image m = {0};
    bool stale = false;
    read_log_add_lines(&m, text);
    lock_take(&s->lock);
    const struct read_note *e = find_entry(s, key_of(by));
    stale = e != NULL && e->elsewhere != 0 && e->elsewhere != whole_of(text);
    for (size_t i = first - 1; e != NULL && i < last && i < m.n_lines && !stale; i++)
        stale = e->n_lines > 0 &&
                (i >= e->n_lines || (e->lines[i] != 0 && e->lines[i] != m.lines[i]));
    lock_drop(&s->lock);
    arena_release(&m.arena);
    return stale;
}
