/*
 * After a part has moved, both notes are scanned again: what links, footnotes and
 * references mean is compared with what they meant before.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/change/rename_parts.h"
#include "vault/index/file.h"
#include "vault/index/names.h"
#include "vault/note/edit.h"
#include "vault/note/note.h"

enum {
    NESTED = 3, /* footnotes in footnotes are compared so deep */
    SHOWN = 80, /* bytes of a name in a message */
};

/* --- links to headings and blocks --- */

static bool is_in(size_t at, size_t start, size_t end)
{
    return at >= start && at < end;
}

bool rename_part_identify(const struct note *n, str subpath, size_t start, size_t end,
                          struct rename_expected *out)
{
    bool block = str_starts(subpath, STR("#^"));
    const struct note_block *b = block ? note_find_block(n, subpath) : NULL;
    const struct note_heading *h = block ? NULL : note_find_heading(n, subpath);
    if (b == NULL && h == NULL)
        return false;
    size_t at = b != NULL ? b->body.start : h->title.start;
    *out = (struct rename_expected){.block = block, .moved = is_in(at, start, end)};
    for (const struct note_block *i = n->blocks; b != NULL && i < b; i++)
        out->nth += is_in(i->body.start, start, end) == out->moved;
    for (const struct note_heading *i = n->headings; h != NULL && i < h; i++)
        out->nth += is_in(i->title.start, start, end) == out->moved;
    return true;
}

struct settle {
    const struct index *index;
    struct arena *arena;
    const struct rename_part *part;
    struct rename_settled *texts;
    struct note rest, there;
    struct err *err;
};

static bool check_link(const struct settle *s, const struct rename_expected *e)
{
    struct rename_expected now;
    bool in_to = e->moved || e->there;
    const struct rename_settled *t = s->texts;
    const struct file *f = in_to ? s->part->to : s->part->from;
    bool found = rename_part_identify(in_to ? &s->there : &s->rest, e->subpath, t->start,
                                      in_to ? t->end : t->start, &now);
    if (found && now.moved == e->moved && now.block == e->block && now.nth == e->nth)
        return true;
    err_named(s->err, E_FILE_EXISTS,
              "'" STR_FMT "' would have another %s that '" STR_FMT
              "' means, and '" STR_FMT "' links to it",
              STR_ARG(utf8_cut(f->path, SHOWN)), e->block ? "block" : "heading",
              STR_ARG(utf8_cut(e->subpath, SHOWN)), STR_ARG(utf8_cut(e->source, SHOWN)));
    return err_remedy(s->err, e->block ? REMEDY_RENAME_BLOCK : REMEDY_RENAME_HEADING);
}

/* --- footnotes and references --- */

/* What a definition says, without what depends on where it is: white space, labels, links. */
static uint64_t sign_footnote(struct arena *a, const struct rename_defs *d,
                              const struct rename_def *def)
{
    const struct note *n = d->note;
    struct sbuf out = SBUF_ON(a);
    uint32_t at = def->label.end, link = 0, high = n->n_links;
    while (link < high) {
        uint32_t mid = link + (high - link) / 2;
        if (n->links[mid].whole.start < at)
            link = mid + 1;
        else
            high = mid;
    }
    size_t use = rename_defs_first(d, at);
    while (at < def->whole.end) {
        while (use < d->n_uses && d->uses[use].whole.start < at)
            use++;
        while (link < n->n_links && n->links[link].whole.start < at)
            link++;
        if (use < d->n_uses && d->uses[use].whole.start == at)
            at = d->uses[use].whole.end;
        else if (link < n->n_links && n->links[link].whole.start == at)
            at = n->links[link].whole.end;
        else if (!is_white(n->text.p[at++]))
            sbuf_char(&out, n->text.p[at - 1]);
    }
    return hash_content(sbuf_str(&out)).low;
}

/* The file that a reference leads to, or its address; and its title. Headings and blocks of
 * both notes are compared as links. */
static uint64_t sign_reference(const struct settle *s, const struct note *n,
                               const struct file *f, const struct note_link *l)
{
    const struct rename_part *p = s->part;
    struct names_answer answer = {.file = NO_FILE};
    str path = span_of(n->text, l->path);
    if (!l->external)
        names_resolve(s->index->names, NULL, file_decoded(s->arena, path), f->path, f->id,
                      &answer);
    if (answer.file == p->to->id && l->subpath.end > l->subpath.start)
        answer.file = p->from->id;
    str title = str_trim(str_slice(n->text, l->subpath.end, l->whole.end));
    str all = answer.file == NO_FILE
                  ? arena_printf(s->arena, "-" STR_FMT " " STR_FMT, STR_ARG(path),
                                 STR_ARG(title))
                  : arena_printf(s->arena, "%u " STR_FMT, answer.file, STR_ARG(title));
    return hash_content(all).low;
}

static const struct note_link *link_at(const struct note *n, uint32_t at)
{
    uint32_t low = 0, high = n->n_links;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (n->links[mid].whole.start < at)
            low = mid + 1;
        else
            high = mid;
    }
    while (n->links[low].kind != NOTE_DEFINITION)
        low++;
    return &n->links[low];
}

/* A definition with what is used in it. */
static uint64_t with_nested(struct arena *a, const struct rename_defs *d,
                            const uint64_t *signs, size_t def)
{
    struct sbuf out = SBUF_ON(a);
    struct span in = d->defs[def].whole;
    sbuf_printf(&out, "%llu", (unsigned long long)signs[def]);
    for (size_t i = rename_defs_first(d, in.start);
         i < d->n_uses && d->uses[i].whole.start < in.end; i++)
        sbuf_printf(&out, " %llu",
                    d->uses[i].def == RENAME_NO_DEF
                        ? 0ULL
                        : (unsigned long long)signs[d->uses[i].def]);
    return hash_content(sbuf_str(&out)).low;
}

/* The uses of a note that are not in definitions: what they mean, and where they are. */
struct meanings {
    struct rename_defs defs;
    uint64_t *signs; /* by definition */
};

static void read_meanings(const struct settle *s, const struct note *n,
                          const struct file *f, struct meanings *out)
{
    rename_defs_read(s->arena, n, &out->defs);
    const struct rename_defs *d = &out->defs;
    out->signs = ARENA_ARRAY(s->arena, uint64_t, d->n_defs + 1);
    for (size_t i = 0; i < d->n_defs; i++)
        out->signs[i] = d->defs[i].footnote
                            ? sign_footnote(s->arena, d, &d->defs[i])
                            : sign_reference(s, n, f, link_at(n, d->defs[i].whole.start));
    for (int round = 0; round < NESTED; round++) {
        uint64_t *deeper = ARENA_ARRAY(s->arena, uint64_t, d->n_defs + 1);
        for (size_t i = 0; i < d->n_defs; i++)
            deeper[i] = with_nested(s->arena, d, out->signs, i);
        out->signs = deeper;
    }
}

/* The next use from *i on that is inside of [start, end), or outside; NULL at the end. */
static const struct rename_use *next_use(const struct meanings *m, size_t *i,
                                         size_t start, size_t end, bool inside)
{
    for (; *i < m->defs.n_uses; (*i)++) {
        const struct rename_use *u = &m->defs.uses[*i];
        if (!u->within && is_in(u->whole.start, start, end) == inside)
            return &m->defs.uses[(*i)++];
    }
    return NULL;
}

static bool same_meaning(const struct meanings *a, const struct rename_use *x,
                         const struct meanings *b, const struct rename_use *y)
{
    if (x == NULL || y == NULL || x->footnote != y->footnote ||
        (x->def == RENAME_NO_DEF) != (y->def == RENAME_NO_DEF))
        return x == y;
    return x->def == RENAME_NO_DEF || a->signs[x->def] == b->signs[y->def];
}

/* A text before and after the move: all of it that is inside of a range, or outside. */
struct settle_view {
    const struct meanings *meanings;
    size_t start, end;
    bool inside;
    const struct file *file;
};

static bool refuse_meaning(const struct settle *s, const struct file *f, str shown)
{
    shown = str_slice(shown, 0, text_find_break(shown, 0));
    return err_named(s->err, E_INVALID_CONTENT,
                     "'" STR_FMT "' in '" STR_FMT
                     "' would get another meaning, because of a definition with the same "
                     "label: change the label first",
                     STR_ARG(utf8_cut(shown, SHOWN)), STR_ARG(utf8_cut(f->path, SHOWN)));
}

static bool check_uses(const struct settle *s, struct settle_view was,
                       struct settle_view is)
{
    for (size_t i = 0, k = 0;;) {
        const struct rename_use *x = next_use(was.meanings, &i, was.start, was.end,
                                              was.inside),
                                *y = next_use(is.meanings, &k, is.start, is.end,
                                              is.inside);
        if (x == NULL && y == NULL)
            return true;
        if (same_meaning(was.meanings, x, is.meanings, y))
            continue;
        const struct settle_view *v = x != NULL ? &was : &is;
        const struct note *n = v->meanings->defs.note;
        str shown = span_of(n->text, x != NULL ? x->whole : y->whole);
        return refuse_meaning(s, v->file, shown);
    }
}

static int rename_part_settle_by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Whether all definitions of m are in one of the notes of among. */
static bool check_signs(const struct settle *s, const struct meanings *m,
                        const struct file *f, const struct meanings *const among[2])
{
    size_t n = 0;
    uint64_t *all = ARENA_ARRAY(s->arena, uint64_t,
                                among[0]->defs.n_defs + among[1]->defs.n_defs + 1);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < among[k]->defs.n_defs; i++)
            all[n++] = among[k]->signs[i];
    sort_items(all, n, sizeof(*all), rename_part_settle_by_number);
    for (size_t i = 0; i < m->defs.n_defs; i++)
        if (bsearch(&m->signs[i], all, n, sizeof(*all), rename_part_settle_by_number) ==
            NULL)
            return refuse_meaning(s, f,
                                  span_of(m->defs.note->text, m->defs.defs[i].whole));
    return true;
}

static bool check_definitions(const struct settle *s)
{
    const struct rename_part *p = s->part;
    const struct rename_settled *t = s->texts;
    struct meanings from, to, rest, there;
    const struct meanings *const was[] = {&from, &to}, *const is[] = {&rest, &there};
    if (p->from->note.n_footnotes + p->to->note.n_footnotes + s->there.n_footnotes == 0 &&
        p->from->note.n_links + p->to->note.n_links + s->there.n_links == 0)
        return true;
    read_meanings(s, &p->from->note, p->from, &from);
    read_meanings(s, &p->to->note, p->to, &to);
    read_meanings(s, &s->rest, p->from, &rest);
    read_meanings(s, &s->there, p->to, &there);
    return check_uses(s, (struct settle_view){&from, p->start, p->end, true, p->from},
                      (struct settle_view){&there, t->start, t->end, true, p->to}) &&
           check_uses(s, (struct settle_view){&from, p->start, p->end, false, p->from},
                      (struct settle_view){&rest, 0, 0, false, p->from}) &&
           check_uses(s, (struct settle_view){&to, 0, 0, false, p->to},
                      (struct settle_view){&there, t->start, t->end, false, p->to}) &&
           check_signs(s, &from, p->from, is) && check_signs(s, &to, p->to, is) &&
           check_signs(s, &rest, p->from, was) && check_signs(s, &there, p->to, was);
}

/* --- putting definitions in their places --- */

static bool is_empty_line(str text, size_t at)
{
    return str_trim(str_slice(text, at, text_find_break(text, at))).n == 0;
}

/* Remove whole lines, with the blank line above them if one is below them, too. */
static str without_lines(struct arena *a, str text, size_t body, struct splices *lines)
{
    struct splices cuts = {.arena = a};
    rename_splice_sort(lines);
    for (size_t i = 0, next; i < lines->n; i = next) {
        size_t start = lines->items[i].start, end = lines->items[i].end;
        for (next = i + 1; next < lines->n && lines->items[next].start == end; next++)
            end = lines->items[next].end;
        size_t above = start > body ? text_line_start(text, start - 1) : start;
        bool apart = above < start && above > body && is_empty_line(text, above);
        rename_splice_add(&cuts, apart && is_empty_line(text, end) ? above : start, end,
                          STR(""));
    }
    return rename_splice_apply(&cuts, text);
}

static str without_defs(struct arena *a, str text, const struct rename_parted *p)
{
    struct note n;
    struct rename_defs d;
    struct splices lines = {.arena = a};
    if (p->n_gone == 0)
        return text;
    note_scan(a, text, &n);
    rename_defs_read(a, &n, &d);
    for (size_t i = 0; i < p->n_gone; i++) {
        uint32_t def = map_find(&d.keys, p->gone[i]);
        if (def == MAP_NONE)
            continue;
        size_t end = text_find_break(text, d.defs[def].whole.end);
        rename_splice_add(&lines, text_line_start(text, d.defs[def].whole.start),
                          end + text_break(text, end).n, STR(""));
    }
    return without_lines(a, text, n.body, &lines);
}

static bool append(struct arena *a, str *text, str defs, struct err *err)
{
    struct edit_result added = {0};
    if (defs.n == 0)
        return true;
    if (!edit_insert(a, *text,
                     &(struct edit_insert){.where = EDIT_APPEND, .content = defs}, &added,
                     err))
        return false;
    *text = added.text;
    return true;
}

bool rename_part_settle(const struct index *x, struct arena *a,
                        const struct rename_part *part,
                        const struct rename_parted *parted, struct rename_settled *t,
                        struct err *err)
{
    struct settle s = {.index = x, .arena = a, .part = part, .texts = t, .err = err};
    t->rest = without_defs(a, t->rest, parted);
    if (!append(a, &t->rest, parted->kept, err) ||
        !append(a, &t->there, parted->defs, err))
        return false;
    note_scan(a, t->rest, &s.rest);
    note_scan(a, t->there, &s.there);
    for (size_t i = 0; i < parted->n_expected; i++)
        if (!check_link(&s, &parted->expected[i]))
            return false;
    return check_definitions(&s);
}
