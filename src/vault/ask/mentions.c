/*
 * Only notes that have the words of a name are read, and most of these have it in links
 * or code only. The text of the others is cut into the pieces between links, code and the like;
 * their lines that contain a name are folded and walked
 * (titles.h). Folding may change lengths, so the position of a mention in the note is
 * found by folding again, only if the mention is listed.
 */
#include "vault/ask/mentions.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/titles.h"
#include "vault/index/words.h"
#include "vault/note/note.h"
#include "vault/text/needles.h"
#include "vault/text/textscan.h"

static bool is_searched(const struct file *f)
{
    return f != NULL && f->kind == FILE_NOTE && !f->excluded && f->text.n > 0;
}

/* --- pieces --- */

/* The text of a note without the holes: links, code and so on. */
struct mentions_pieces {
    const struct file *file;
    struct span *holes; /* by start */
    size_t n_holes, hole;
    uint32_t at;
};

static int mentions_by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

static bool is_hole(enum note_region_kind kind)
{
    return kind != NOTE_COMMENT && kind != NOTE_TABLE_REGION;
}

static struct mentions_pieces pieces_of(struct arena *a, const struct file *f)
{
    const struct note *n = &f->note;
    struct mentions_pieces p = {.file = f, .at = n->body};
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
        sort_items(p.holes, p.n_holes, sizeof(*p.holes), mentions_by_start);
    return p;
}

/* The next piece that is not empty; *start: where it is in the text. */
static bool next_piece(struct mentions_pieces *p, str *piece, uint32_t *start)
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

/* The names of the target, folded. */
struct mentions_wanted {
    str *names;
    uint32_t *numbers; /* of the names (titles.h) */
    size_t n;
    struct needles *needles; /* the same; NULL: too many */
    struct needles *plain;   /* those that are ASCII, ignoring case; NULL: none */
    struct needles **parts;  /* of each of these, a part or all of it */
    size_t n_parts;
    bool firm;           /* no part has another spelling */
    struct needles *odd; /* other spellings of characters in these; NULL: none */
    bool wide;           /* some name is not ASCII */
    bool everywhere;     /* every line must be walked, and a name may span several */
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

static bool has_odd_form(char c)
{
    for (size_t i = 0; i < COUNT_OF(odd_forms); i++)
        if (odd_forms[i].to == c)
            return true;
    return false;
}

/* The longest part of a name that has only one spelling. If it is too short, *firm is
 * false, and it is the whole name. */
static struct needles *part_of(struct arena *a, str name, bool *firm)
{
    enum { PART_LEAST = 4 };
    str best = {0};
    for (size_t i = 0, from = 0; i <= name.n; i++) {
        if (i < name.n && !has_odd_form(name.p[i]))
            continue;
        if (i - from > best.n)
            best = str_slice(name, from, i);
        from = i + 1;
    }
    *firm = *firm && best.n >= PART_LEAST;
    return needles_create(a, best.n >= PART_LEAST ? &best : &name, 1, true);
}

static struct mentions_wanted names_of(const struct titles *t, struct arena *a,
                                       const struct file *target)
{
    struct mentions_wanted w = {.names = ARENA_ARRAY(a, str, target->aliases.n + 1),
                                .numbers =
                                    ARENA_ARRAY(a, uint32_t, target->aliases.n + 1)};
    str *plain = ARENA_ARRAY(a, str, target->aliases.n + 1);
    size_t n_plain = 0;
    for (size_t i = 0; i <= target->aliases.n; i++) {
        str name = i == 0 ? file_title(target->path) : target->aliases.items[i - 1];
        name = utf8_fold(a, str_trim(name));
        if (!titles_is_name(name))
            continue;
        w.numbers[w.n] = titles_find(t, name);
        w.names[w.n++] = name;
        if (needles_skip_ascii(name, 0) == name.n)
            plain[n_plain++] = name;
        else
            w.wide = true;
    }
    w.needles = needles_create(a, w.names, w.n, false);
    w.plain = needles_create(a, plain, n_plain, true);
    w.parts = ARENA_ARRAY(a, struct needles *, n_plain);
    w.firm = true;
    for (; w.n_parts < n_plain; w.n_parts++)
        w.parts[w.n_parts] = part_of(a, plain[w.n_parts], &w.firm);
    w.odd = odd_for(a, plain, n_plain);
    w.everywhere = titles_have_breaks(t) || (w.plain == NULL && n_plain > 0);
    return w;
}

/*
 * Whether the words of a text tell if the name is in it: not for scripts in which the same
 * letter may be written as one character or as several, and words do not know.
 */
static bool is_judged_by_words(str name)
{
    for (size_t i = 0, n; i < name.n; i += n) {
        uint32_t c = utf8_decode(str_skip(name, i), &n);
        if (c >= 0x0530 && !(c >= 0x1E00 && c < 0x2070) && !(c >= 0x3000 && c < 0xA000) &&
            !(c >= 0xAC00 && c < 0xD7A4))
            return false;
    }
    return true;
}

/* The notes that may mention one of the names; false if that is not known. */
static bool narrow(const struct index *x, struct arena *a,
                   const struct mentions_wanted *w, struct words_set *out)
{
    for (size_t i = 0; i < w->n; i++)
        if (!is_judged_by_words(w->names[i]))
            return false;
    return words_may_hold(x->words, a, w->names, w->n, out);
}

struct mentions_finding {
    const struct titles *titles;
    const struct mentions_wanted *wanted;
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

/* A line, and a position in it before and after folding. */
struct mentions_place {
    str line;
    size_t at, folded_at;
    bool same; /* folding did not change any offset */
};

static size_t go_to(struct mentions_place *p, size_t folded_at)
{
    size_t by = folded_at - p->folded_at;
    p->at += p->same ? by : unfold(str_skip(p->line, p->at), by);
    p->folded_at = folded_at;
    return p->at;
}

static void add_mention(struct mentions_finding *f, const struct file *source,
                        uint32_t start, uint32_t end)
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

/* Walks the lines of a piece that may have a name in them. */
struct mentions_lines {
    str piece;
    size_t at;
    size_t plain, odd, wide; /* the next of each, if it is not before at */
};

/* Move *next to the next occurrence; to the end if there is none. */
static void find_from(const struct needles *needles, const struct mentions_lines *l,
                      size_t *next)
{
    size_t end;
    if (*next >= l->at && l->at > 0)
        return;
    if (needles == NULL || !needles_next(needles, l->piece, l->at, next, &end))
        *next = l->piece.n;
}

static size_t first_of(const struct mentions_lines *l)
{
    size_t first = l->plain < l->odd ? l->plain : l->odd;
    return first < l->wide ? first : l->wide;
}

/* *from is where the line begins in the piece. */
static bool mentions_next_line(struct mentions_lines *l, const struct mentions_wanted *w,
                               str *line, size_t *from)
{
    str piece = l->piece;
    *from = l->at;
    *line = str_skip(piece, l->at);
    if (l->at >= piece.n)
        return false;
    find_from(w->plain, l, &l->plain);
    find_from(w->odd, l, &l->odd);
    if (l->wide < l->at || l->at == 0)
        l->wide = w->wide ? needles_skip_ascii(piece, l->at) : piece.n;
    size_t hit = first_of(l);
    l->at = piece.n;
    if (w->everywhere || hit == piece.n)
        return w->everywhere;
    *from = text_line_start(piece, hit);
    l->at = text_line_end(piece, hit) + 1;
    *line = str_slice(piece, *from, l->at);
    return true;
}

static bool mentions_is_wanted(const struct mentions_wanted *w, uint32_t name)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->numbers[i] == name)
            return true;
    return false;
}

/* start is the place of the line in the source's text. */
static void find_in_line(struct mentions_finding *f, const struct file *source, str line,
                         uint32_t start)
{
    struct mentions_place place = {.line = line};
    str folded = utf8_fold(&f->scratch, line);
    size_t from, to;
    if (f->wanted->needles != NULL &&
        !needles_next(f->wanted->needles, folded, 0, &from, &to))
        return;
    place.same = needles_skip_ascii(line, 0) == line.n;
    for (struct titles_match m = {0}; titles_next(f->titles, f->target, folded, &m);) {
        if (!mentions_is_wanted(f->wanted, m.name))
            continue;
        f->out->total++;
        if (f->out->n == f->max)
            continue;
        from = go_to(&place, m.start);
        to = go_to(&place, m.end);
        add_mention(f, source, start + (uint32_t)from, start + (uint32_t)to);
    }
}

static void find_in_piece(struct mentions_finding *f, const struct file *source,
                          str piece, uint32_t start)
{
    struct mentions_lines lines = {.piece = piece};
    size_t from;
    for (str line; mentions_next_line(&lines, f->wanted, &line, &from);)
        find_in_line(f, source, line, start + (uint32_t)from);
}

static bool mentions_is_within(struct span s, size_t at)
{
    return s.start <= at && at < s.end;
}

/* The end of a link or other hole around a position of the text; 0: there is none. */
static uint32_t hole_around(const struct note *n, size_t at)
{
    for (uint32_t i = 0; i < n->n_links; i++)
        if (mentions_is_within(n->links[i].whole, at))
            return n->links[i].whole.end;
    for (uint32_t i = 0; i < n->n_regions; i++)
        if (mentions_is_within(n->regions[i].span, at) && is_hole(n->regions[i].kind))
            return n->regions[i].span.end;
    return 0;
}

static bool is_in_holes_only(const struct needles *part, const struct note *n)
{
    size_t start, end;
    for (size_t at = n->body; needles_next(part, n->text, at, &start, &end);)
        if ((at = hole_around(n, start)) == 0)
            return false;
    return true;
}

/* Whether all names in the note are quickly seen to be in links or code: most are. */
static bool has_only_holes(const struct mentions_wanted *w, const struct note *n)
{
    enum { HOLES_FEW = 200, NAMES_FEW = 4 };
    size_t start, end;
    if (w->wide || w->everywhere || w->n_parts > NAMES_FEW ||
        n->n_links + n->n_regions > HOLES_FEW)
        return false;
    for (size_t i = 0; i < w->n_parts; i++)
        if (!is_in_holes_only(w->parts[i], n))
            return false;
    return w->firm || w->odd == NULL || needles_skip_ascii(n->text, 0) == n->text.n ||
           !needles_next(w->odd, n->text, n->body, &start, &end);
}

static void find_in_note(struct mentions_finding *f, const struct file *source)
{
    if (has_only_holes(f->wanted, &source->note))
        return;
    struct mentions_pieces p = pieces_of(&f->scratch, source);
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
        str text = x->files[m->source]->text;
        size_t from = text_line_start(text, m->start), to = text_line_end(text, m->start);
        m->snippet = textscan_snippet(a, text_drop_return(str_slice(text, from, to)),
                                      m->start - from, m->end - from);
    }
}

/* The notes that may mention one of the names, by path. */
static const struct file **mentions_candidates(const struct index *x, struct arena *a,
                                               const struct mentions_wanted *w,
                                               const struct stop *stop, size_t *n)
{
    struct words_set may;
    bool narrowed = narrow(x, a, w, &may);
    const struct file **files = ARENA_ARRAY(a, const struct file *, x->count), *f;
    *n = 0;
    for (size_t i = 0; w->n > 0 && (f = index_next_by_path(x, &i, stop)) != NULL;)
        if (!narrowed || words_set_has(&may, f->id))
            files[(*n)++] = f;
    return files;
}

/* Files are scattered in memory, so load the next ones into the cache early. */
static void mentions_prefetch(const struct file *const *files, size_t i, size_t n)
{
    if (i + 2 >= n)
        return;
    __builtin_prefetch(&files[i + 2]->note);
    __builtin_prefetch(&files[i + 2]->text);
    file_prefetch_text(files[i + 1]);
}

void mentions_of(const struct index *x, struct arena *a, file_id target,
                 const struct mentions_limits *limits, struct mentions *out)
{
    struct arena scratch = {0};
    const struct file *note = index_file(x, target);
    *out = (struct mentions){0};
    if (note == NULL || note->kind != FILE_NOTE)
        return;
    const struct titles *titles = index_titles(x);
    struct mentions_wanted wanted = names_of(titles, &scratch, note);
    struct mentions_finding f = {.titles = titles,
                                 .wanted = &wanted,
                                 .arena = a,
                                 .target = target,
                                 .max = limits->max,
                                 .out = out};
    size_t n;
    const struct file **files =
        mentions_candidates(x, &scratch, &wanted, limits->stop, &n);
    out->partial = stop_now(limits->stop);
    for (size_t i = 0; i < n && !out->partial; i++) {
        mentions_prefetch(files, i, n);
        if (files[i] == note || !is_searched(files[i]))
            continue;
        out->partial = stop_now(limits->stop);
        if (!out->partial)
            find_in_note(&f, files[i]);
    }
    add_snippets(x, a, out);
    arena_release(&f.scratch);
    arena_release(&scratch);
}
