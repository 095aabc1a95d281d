/*
 * Footnotes and references get their meaning from definitions elsewhere in the note. When
 * a part of the note moves, each definition goes with the text that uses it.
 */
#include "base/array.h"
#include "base/text.h"
#include "vault/change/rename_parts.h"
#include "vault/index/file.h"
#include "vault/note/note.h"

enum { LABELS_TRIED = 10000 };

/* --- reading --- */

str rename_defs_key(struct arena *a, const struct note *n, bool footnote,
                    struct span label)
{
    str key = note_label_key(a, span_of(n->text, label));
    return arena_printf(a, "%s" STR_FMT, footnote ? "^" : "", STR_ARG(key));
}

static void add_def(struct arena *a, struct rename_defs *d, bool footnote,
                    struct span whole, struct span label)
{
    uint32_t cover = d->n_defs > 0 ? d->defs[d->n_defs - 1].cover : 0;
    if (map_add_new(&d->keys, rename_defs_key(a, d->note, footnote, label)))
        *ARRAY_ADD(a, d->defs, d->n_defs) = (struct rename_def){
            .whole = whole,
            .label = label,
            .footnote = footnote,
            .inner = whole.start<cover, .cover = whole.end> cover ? whole.end : cover,
        };
}

/* The number of the last definition that begins at or before a byte, + 1. */
static size_t defs_before(const struct rename_defs *d, size_t at)
{
    size_t low = 0, high = d->n_defs;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (d->defs[mid].whole.start <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The definition that contains the destination of a reference. */
static uint32_t def_of_link(const struct rename_defs *d, const struct note_link *l)
{
    size_t n = defs_before(d, l->path.start);
    return n > 0 && l->path.start < d->defs[n - 1].whole.end ? (uint32_t)n - 1
                                                             : RENAME_NO_DEF;
}

static bool rename_defs_is_within(const struct rename_defs *d, size_t at)
{
    size_t n = defs_before(d, at);
    return n > 0 && at < d->defs[n - 1].cover;
}

static void add_use(struct arena *a, struct rename_defs *d, struct rename_use use)
{
    use.within = rename_defs_is_within(d, use.whole.start);
    *ARRAY_ADD(a, d->uses, d->n_uses) = use;
}

static void add_footnote(struct arena *a, struct rename_defs *d,
                         const struct note_footnote *f)
{
    uint32_t def = map_find(&d->keys, rename_defs_key(a, d->note, true, f->id));
    add_use(a, d,
            (struct rename_use){.whole = f->whole,
                                .label = f->id,
                                .def = def == MAP_NONE ? RENAME_NO_DEF : def,
                                .footnote = true});
}

static void rename_defs_add_reference(struct arena *a, struct rename_defs *d,
                                      const struct note_link *l)
{
    add_use(a, d,
            (struct rename_use){.whole = l->whole,
                                .label = {l->display.end + 1, l->whole.end},
                                .def = def_of_link(d, l)});
}

/* A footnote or link, if it is what this pass reads: definitions, or uses. */
static void read_footnote(struct arena *a, struct rename_defs *d, bool definitions,
                          const struct note_footnote *f)
{
    if (f->definition && definitions)
        add_def(a, d, true, f->whole, f->id);
    else if (!f->definition && !definitions)
        add_footnote(a, d, f);
}

static void read_link(struct arena *a, struct rename_defs *d, bool definitions,
                      const struct note_link *l)
{
    if (l->kind == NOTE_DEFINITION && definitions)
        add_def(a, d, false, l->whole, l->display);
    else if (l->kind == NOTE_REFERENCE && !definitions)
        rename_defs_add_reference(a, d, l);
}

/* Footnotes and links, both by position. */
static void read_pass(struct arena *a, struct rename_defs *d, bool definitions)
{
    const struct note *n = d->note;
    for (uint32_t f = 0, l = 0; f < n->n_footnotes || l < n->n_links;) {
        if (l == n->n_links ||
            (f < n->n_footnotes && n->footnotes[f].whole.start < n->links[l].whole.start))
            read_footnote(a, d, definitions, &n->footnotes[f++]);
        else
            read_link(a, d, definitions, &n->links[l++]);
    }
}

void rename_defs_read(struct arena *a, const struct note *n, struct rename_defs *out)
{
    *out = (struct rename_defs){.note = n, .keys.arena = a};
    read_pass(a, out, true);
    read_pass(a, out, false);
}

size_t rename_defs_first(const struct rename_defs *d, size_t at)
{
    size_t low = 0, high = d->n_uses;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (d->uses[mid].whole.start < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* --- who uses what --- */

enum { BY_PART = 1, BY_REST = 2 };

struct rename_defs_job {
    struct arena *arena;
    const struct rename_part *part;
    struct rename_defs from, to;
    uint8_t *by;    /* by definition of from: BY_... */
    str *labels;    /* what it is called in the other note; empty: the same */
    uint32_t *todo; /* definitions whose own uses have to be followed */
    size_t n_todo;
    struct map taken; /* keys that a new label must not have */
    unsigned next;    /* number of a footnote */
};

static bool is_inside(const struct rename_defs_job *j, size_t at)
{
    return at >= j->part->start && at < j->part->end;
}

static void mark(struct rename_defs_job *j, uint32_t def, uint8_t by)
{
    if (def == RENAME_NO_DEF || (j->by[def] & by) == by)
        return;
    j->by[def] |= by;
    *ARRAY_ADD(j->arena, j->todo, j->n_todo) = def;
}

/* A definition may use others. */
static void follow_marks(struct rename_defs_job *j)
{
    while (j->n_todo > 0) {
        uint32_t def = j->todo[--j->n_todo];
        struct span in = j->from.defs[def].whole;
        for (size_t i = rename_defs_first(&j->from, in.start);
             i < j->from.n_uses && j->from.uses[i].whole.start < in.end; i++)
            mark(j, j->from.uses[i].def, j->by[def]);
    }
}

static void mark_all(struct rename_defs_job *j)
{
    j->by = ARENA_ARRAY(j->arena, uint8_t, j->from.n_defs + 1);
    for (size_t i = 0; i < j->from.n_uses; i++) {
        const struct rename_use *u = &j->from.uses[i];
        if (!u->within)
            mark(j, u->def, is_inside(j, u->whole.start) ? BY_PART : BY_REST);
    }
    follow_marks(j);
    for (uint32_t i = 0; i < j->from.n_defs; i++)
        if (j->by[i] == 0)
            mark(j, i, is_inside(j, j->from.defs[i].whole.start) ? BY_PART : BY_REST);
    follow_marks(j);
}

/* --- labels in the other note --- */

static void take_labels(struct rename_defs_job *j, const struct rename_defs *d)
{
    const struct note *n = d->note;
    for (uint32_t i = 0; i < n->n_footnotes; i++) {
        int64_t number;
        str id = span_of(n->text, n->footnotes[i].id);
        map_add(&j->taken, rename_defs_key(j->arena, n, true, n->footnotes[i].id));
        if (id.n < 9 && str_to_int(id, &number) && number >= j->next)
            j->next = (unsigned)number + 1;
    }
    for (size_t i = 0; i < d->n_defs; i++)
        if (!d->defs[i].footnote)
            map_add(&j->taken, rename_defs_key(j->arena, n, false, d->defs[i].label));
}

static str new_label(struct rename_defs_job *j, const struct rename_def *d)
{
    int64_t number;
    str old = span_of(j->from.note->text, d->label), label = old;
    if (d->footnote && str_to_int(old, &number))
        return arena_printf(j->arena, "%u", j->next++);
    for (int i = 2; i < LABELS_TRIED; i++) {
        label = arena_printf(j->arena, STR_FMT "-%d", STR_ARG(old), i);
        str key = note_label_key(j->arena, label);
        if (map_add_new(&j->taken, arena_printf(j->arena, "%s" STR_FMT,
                                                d->footnote ? "^" : "", STR_ARG(key))))
            break;
    }
    return label;
}

/* --- the texts --- */

/* [start, end) of the text, with those of the sorted splices that are in it. */
static str cut_spliced(struct arena *a, str text, const struct splices *all, size_t start,
                       size_t end)
{
    struct splices some = {.arena = a};
    size_t low = 0, high = all->n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (all->items[mid].start < start)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < all->n && all->items[low].end <= end; low++) {
        const struct rename_splice *s = &all->items[low];
        rename_splice_add(&some, s->start - start, s->end - start, s->text);
    }
    return rename_splice_apply(&some, str_slice(text, start, end));
}

static bool has_uses(const struct rename_defs *d, struct span in)
{
    size_t i = rename_defs_first(d, in.start);
    return i < d->n_uses && d->uses[i].whole.start < in.end;
}

/* Whether the other note defines the same label with the same text. */
static bool rename_defs_is_there(const struct rename_defs_job *j,
                                 const struct rename_def *d, const struct splices *moved,
                                 str key)
{
    uint32_t n = map_find(&j->to.keys, key);
    if (n == MAP_NONE || has_uses(&j->from, d->whole))
        return false;
    struct span other = j->to.defs[n].whole;
    return !has_uses(&j->to, other) &&
           str_eq(cut_spliced(j->arena, j->part->from->text, moved, d->whole.start,
                              d->whole.end),
                  span_of(j->part->to->text, other));
}

/* Another label if the other note has it: as a definition, or as a footnote without one. */
static void choose_labels(struct rename_defs_job *j, const struct splices *moved,
                          bool *same)
{
    struct rename_defs_job theirs = {.arena = j->arena, .taken.arena = j->arena};
    take_labels(&theirs, &j->to);
    take_labels(j, &j->to);
    take_labels(j, &j->from);
    for (size_t i = 0; i < j->from.n_defs; i++) {
        const struct rename_def *d = &j->from.defs[i];
        str key = rename_defs_key(j->arena, j->from.note, d->footnote, d->label);
        if ((j->by[i] & BY_PART) == 0 || map_find(&theirs.taken, key) == MAP_NONE)
            continue;
        same[i] = rename_defs_is_there(j, d, moved, key);
        if (!same[i])
            j->labels[i] = new_label(j, d);
    }
}

static void splice_labels(const struct rename_defs_job *j, struct splices *moved)
{
    for (size_t i = 0; i < j->from.n_defs; i++)
        if (j->labels[i].n > 0)
            rename_splice_add(moved, j->from.defs[i].label.start,
                              j->from.defs[i].label.end, j->labels[i]);
    for (size_t i = 0; i < j->from.n_uses; i++) {
        const struct rename_use *u = &j->from.uses[i];
        str label = u->def != RENAME_NO_DEF ? j->labels[u->def] : STR("");
        if (label.n > 0)
            rename_splice_add(
                moved, u->label.start, u->label.end,
                u->footnote ? label
                            : arena_printf(j->arena, "[" STR_FMT "]", STR_ARG(label)));
    }
}

/* Add a definition; a reference would be part of the footnote above. */
static void add_lines(struct sbuf *out, bool footnote, str text)
{
    if (out->n > 0)
        sbuf_add(out, footnote ? STR("\n") : STR("\n\n"));
    sbuf_add(out, text);
}

/* Whether nothing else is in the lines of a definition. */
static bool has_own_lines(str text, struct span whole)
{
    return str_trim(str_slice(text, text_line_start(text, whole.start), whole.start)).n ==
           0;
}

/* Its lines, with the line break. */
static struct span lines_of(str text, struct span whole)
{
    size_t end = text_find_break(text, whole.end);
    return (struct span){(uint32_t)text_line_start(text, whole.start),
                         (uint32_t)(end + text_break(text, end).n)};
}

static void drop_lines(struct splices *s, str text, struct span whole)
{
    struct span lines = lines_of(text, whole);
    rename_splice_add(s, lines.start, lines.end, STR(""));
}

/* What becomes of the definitions. */
struct rename_defs_texts {
    const struct splices *moved, *stay;
    struct splices
        piece; /* the splices of the part: those of moved, and what is left out */
    struct sbuf there, rest; /* what goes to the ends of the notes */
};

static void place_def(struct rename_defs_job *j, size_t i, bool same,
                      struct rename_defs_texts *t, struct rename_parted *out)
{
    const struct rename_def *d = &j->from.defs[i];
    str text = j->part->from->text;
    size_t start = d->whole.start, end = d->whole.end;
    bool inside = is_inside(j, start), own = has_own_lines(text, d->whole);
    if (d->inner)
        return;
    if (inside && (j->by[i] & BY_REST) != 0)
        add_lines(&t->rest, d->footnote,
                  cut_spliced(j->arena, text, t->stay, start, end));
    if (inside && j->by[i] == BY_REST && own)
        drop_lines(&t->piece, text, d->whole);
    if (inside || (j->by[i] & BY_PART) == 0)
        return;
    if (!same)
        add_lines(&t->there, d->footnote,
                  cut_spliced(j->arena, text, t->moved, start, end));
    if (j->by[i] == BY_PART && own)
        *ARRAY_ADD(j->arena, out->gone, out->n_gone) =
            rename_defs_key(j->arena, j->from.note, d->footnote, d->label);
}

void rename_defs_part(struct arena *a, const struct rename_part *p, struct splices *moved,
                      const struct splices *stay, struct rename_parted *out)
{
    struct rename_defs_job j = {.arena = a, .part = p, .taken.arena = a, .next = 1};
    struct rename_defs_texts t = {
        moved, stay, {.arena = a}, SBUF_ON(a), SBUF_ON(a),
    };
    rename_defs_read(a, &p->from->note, &j.from);
    rename_defs_read(a, &p->to->note, &j.to);
    bool *same = ARENA_ARRAY(a, bool, j.from.n_defs + 1);
    j.labels = ARENA_ARRAY(a, str, j.from.n_defs + 1);
    mark_all(&j);
    choose_labels(&j, moved, same);
    splice_labels(&j, moved);
    rename_splice_sort(moved);
    for (size_t i = 0; i < moved->n; i++)
        rename_splice_add(&t.piece, moved->items[i].start, moved->items[i].end,
                          moved->items[i].text);
    for (size_t i = 0; i < j.from.n_defs; i++)
        place_def(&j, i, same[i], &t, out);
    rename_splice_sort(&t.piece);
    out->piece = cut_spliced(a, p->from->text, &t.piece, p->start, p->end);
    out->defs = sbuf_str(&t.there);
    out->kept = sbuf_str(&t.rest);
}
