/*
 * A note's text is cut into the pieces between links, code and the like; each piece is
 * folded and walked once (mentions_names.h). Folding may change lengths, so the position
 * of a mention in the note is found by folding again, only if the mention is listed.
 */
#include "vault/ask/mentions.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "vault/ask/mentions_names.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/note/note.h"
#include "vault/text/needles.h"
#include "vault/text/textscan.h"

static bool must_stop(const struct mentions_limits *l)
{
    return (l->stop != NULL && l->stop(l->arg)) ||
           (l->deadline_ns != 0 && clock_ns() >= l->deadline_ns);
}

static bool is_searched(const struct file *f)
{
    return f != NULL && f->kind == FILE_NOTE && !f->excluded && f->text.n > 0;
}

/* --- pieces --- */

/* The text of a note without the holes: links, code and so on. */
struct pieces {
    const struct file *file;
    struct span *holes; /* by start */
    size_t n_holes, hole;
    uint32_t at;
};

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

static bool is_hole(enum note_region_kind kind)
{
    return kind != NOTE_COMMENT && kind != NOTE_TABLE_REGION;
}

static struct pieces pieces_of(struct arena *a, const struct file *f)
{
    const struct note *n = &f->note;
    struct pieces p = {.file = f, .at = n->body};
    size_t most = (size_t)n->n_regions + n->n_links + n->n_tags + n->n_callouts;
    p.holes = arena_alloc(a, size_mul(most, sizeof(struct span)));
    for (uint32_t i = 0; i < n->n_regions; i++)
        if (is_hole(n->regions[i].kind))
            p.holes[p.n_holes++] = n->regions[i].span;
    for (uint32_t i = 0; i < n->n_links; i++)
        p.holes[p.n_holes++] = n->links[i].whole;
    for (uint32_t i = 0; i < n->n_tags; i++)
        p.holes[p.n_holes++] = n->tags[i].name;
    for (uint32_t i = 0; i < n->n_callouts; i++)
        p.holes[p.n_holes++] = n->callouts[i].type;
    if (p.n_holes > 1)
        qsort(p.holes, p.n_holes, sizeof(*p.holes), by_start);
    return p;
}

/* The next piece that is not empty; *start: where it is in the text. */
static bool next_piece(struct pieces *p, str *piece, uint32_t *start)
{
    str text = p->file->text;
    while (p->at < text.n) {
        struct span hole = {(uint32_t)text.n, (uint32_t)text.n};
        if (p->hole < p->n_holes)
            hole = p->holes[p->hole++];
        *start = p->at;
        if (hole.end > p->at)
            p->at = hole.end;
        if (hole.start > *start) {
            *piece = str_slice(text, *start, hole.start);
            return true;
        }
    }
    return false;
}

/* --- mentions of one --- */

/* A quick test whether a text could mention the target at all. */
struct filter {
    struct needles *names; /* the ASCII names; NULL: none, or too many */
    struct needles *odd;   /* other spellings of characters in them; NULL: none */
    bool all;              /* the test cannot exclude any text */
    bool wide;             /* some name is not ASCII */
};

/* Everything that folds to ASCII, except what needles.h handles: letters, Kelvin sign. */
static const struct {
    char to;
    str from;
} odd_forms[] = {
    {'i', STR("\u0130")}, {' ', STR("\u00A0")}, {' ', STR("\u202F")},
    {';', STR("\u037E")}, {'`', STR("\u1FEF")},
};

static struct needles *odd_for(struct arena *a, const str *names, size_t n)
{
    str odd[COUNT_OF(odd_forms)];
    size_t n_odd = 0;
    for (size_t i = 0; i < COUNT_OF(odd_forms); i++) {
        bool needed = false;
        for (size_t k = 0; k < n && !needed; k++)
            needed = str_find_char(names[k], odd_forms[i].to) != STR_NONE;
        if (needed)
            odd[n_odd++] = odd_forms[i].from;
    }
    return needles_create(a, odd, n_odd, false);
}

static struct filter filter_for(struct arena *a, const struct file *target)
{
    struct filter filter = {0};
    size_t n = 0;
    str *names = ARENA_ARRAY(a, str, target->aliases.n + 1);
    for (size_t i = 0; i <= target->aliases.n; i++) {
        str name = i == 0 ? file_title(target->path) : target->aliases.items[i - 1];
        name = utf8_fold(a, str_trim(name));
        if (!mentions_is_name(name))
            continue;
        if (needles_skip_ascii(name, 0) == name.n)
            names[n++] = name;
        else
            filter.wide = true;
    }
    filter.names = needles_create(a, names, n, true);
    filter.odd = odd_for(a, names, n);
    filter.all = n > 0 && filter.names == NULL;
    return filter;
}

static bool is_in(const struct needles *words, str text)
{
    size_t start, end;
    return words != NULL && needles_next(words, text, 0, &start, &end);
}

static bool may_mention(const struct filter *filter, str text)
{
    if (filter->all || is_in(filter->names, text) || is_in(filter->odd, text))
        return true;
    return filter->wide && needles_skip_ascii(text, 0) < text.n;
}

struct finding {
    const struct mentions_names *names;
    struct arena *arena;
    struct arena scratch; /* for the current note */
    file_id target;
    size_t max;
    struct mentions *out;
};

/* How many bytes at the start of s fold to at most n bytes. */
static size_t unfold(str s, size_t n)
{
    struct arena a = {0};
    size_t low = 0;
    for (size_t step = 1, growing = 1; step > 0;) {
        str head = str_slice(s, 0, low + step);
        while (head.n < s.n && head.n > 0 && (s.p[head.n] & 0xC0) == 0x80)
            head.n--;
        bool fits = low + step <= s.n && utf8_fold(&a, head).n <= n;
        low += fits ? step : 0;
        growing = growing && fits;
        step = growing ? step * 2 : step / 2;
        arena_reset(&a);
    }
    while (low > 0 && low < s.n && (s.p[low] & 0xC0) == 0x80)
        low--;
    arena_release(&a);
    return low;
}

/* A piece, and a position in it before and after folding. */
struct mentions_place {
    str piece, folded;
    size_t at, folded_at;
    bool same; /* folding did not change any offset */
};

static size_t go_to(struct mentions_place *p, size_t folded_at)
{
    size_t by = folded_at - p->folded_at;
    p->at += p->same ? by : unfold(str_skip(p->piece, p->at), by);
    p->folded_at = folded_at;
    return p->at;
}

static bool is_target(const struct finding *f, uint32_t name)
{
    uint32_t at = 0;
    file_id file;
    while ((file = mentions_target(f->names, name, &at)) != NO_FILE)
        if (file == f->target)
            return true;
    return false;
}

static void add_mention(struct finding *f, const struct file *source, uint32_t start,
                        uint32_t end)
{
    struct mentions *out = f->out;
    const struct mention *last = out->n > 0 ? &out->items[out->n - 1] : NULL;
    struct mention m = {.source = source->id, .line = 1, .start = start, .end = end};
    uint32_t from = 0;
    if (last != NULL && last->source == source->id) {
        from = last->start;
        m.line = last->line;
    }
    struct note rest = {.text = str_skip(source->text, from)};
    m.line += note_line_of(&rest, start - from) - 1;
    *ARRAY_ADD(f->arena, out->items, out->n) = m;
}

static void find_in_piece(struct finding *f, const struct file *source, str piece,
                          uint32_t start)
{
    struct mentions_place place = {.piece = piece,
                                   .folded = utf8_fold(&f->scratch, piece)};
    place.same = needles_skip_ascii(piece, 0) == piece.n;
    for (struct mentions_match m = {0}; mentions_next(f->names, place.folded, &m);) {
        if (!is_target(f, m.name))
            continue;
        f->out->total++;
        if (f->out->n == f->max)
            continue;
        size_t from = go_to(&place, m.start), to = go_to(&place, m.end);
        add_mention(f, source, start + (uint32_t)from, start + (uint32_t)to);
    }
}

static void find_in_note(struct finding *f, const struct file *source)
{
    struct pieces p = pieces_of(&f->scratch, source);
    size_t before = f->out->total;
    str piece;
    for (uint32_t start; next_piece(&p, &piece, &start);)
        find_in_piece(f, source, piece, start);
    f->out->sources += f->out->total > before;
    arena_reset(&f->scratch);
}

static void add_snippets(const struct index *x, struct arena *a, struct mentions *out)
{
    for (size_t i = 0; i < out->n; i++) {
        struct mention *m = &out->items[i];
        m->snippet = textscan_snippet(a, x->files[m->source]->text, m->start, m->end);
    }
}

void mentions_of(const struct index *x, struct arena *a, file_id target,
                 const struct mentions_limits *limits, struct mentions *out)
{
    struct arena scratch = {0};
    const struct file *note = index_file(x, target), **files;
    *out = (struct mentions){0};
    if (note == NULL || note->kind != FILE_NOTE)
        return;
    struct filter filter = filter_for(&scratch, note);
    struct finding f = {.arena = a, .target = target, .max = limits->max, .out = out};
    size_t n = index_sorted(x, &scratch, &files);
    for (size_t i = 0; i < n && !out->partial; i++) {
        out->partial = must_stop(limits);
        if (out->partial || files[i] == note || !is_searched(files[i]) ||
            !may_mention(&filter, files[i]->text))
            continue;
        if (f.names == NULL)
            f.names = mentions_names_of(x, &scratch, target);
        find_in_note(&f, files[i]);
    }
    add_snippets(x, a, out);
    arena_release(&f.scratch);
    arena_release(&scratch);
}
