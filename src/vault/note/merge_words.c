/*
 * Merges one line that both sides changed, word by word. The start of the line
 * (indentation, the marker of an item and its box, #s) is merged separately: a task may
 * be ticked on one side and reworded on the other.
 */
#include "base/map.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/merge_parts.h"
#include "vault/text/diff_core.h"

enum { WORDS_MAX = 1 << 16 }; /* in one line; longer lines are not merged */

struct merge_words {
    str *items;
    struct diff_row row;
};

static size_t find_end(str s, str close)
{
    size_t at = str_find(s, close);
    return at == STR_NONE ? 0 : at + close.n;
}

/*
 * The length of a unit at the start of s that must not be merged inside (a link target,
 * code, an address); 0 if there is none.
 */
static size_t whole_thing(str s)
{
    if (str_starts(s, STR("[[")))
        return find_end(s, STR("]]"));
    if (str_starts(s, STR("](")))
        return find_end(s, STR(")"));
    if (s.p[0] == '`' && s.n > 1) {
        size_t end = find_end(str_skip(s, 1), STR("`"));
        return end > 0 ? end + 1 : 0;
    }
    if (str_starts(s, STR("http://")) || str_starts(s, STR("https://"))) {
        size_t n = 0;
        while (n < s.n && !is_blank(s.p[n]))
            n++;
        return n;
    }
    return 0;
}

/*
 * The length of a word, of spaces, or of a single other character. In CJK every character
 * is a word.
 */
static size_t word_length(str s)
{
    size_t n = whole_thing(s), more;
    if (n > 0)
        return n;
    while (n < s.n && is_blank(s.p[n]))
        n++;
    if (n > 0)
        return n;
    uint32_t c = utf8_decode(s, &n);
    if (!utf8_is_word(c) || utf8_is_cjk(c))
        return n;
    while (n < s.n) {
        c = utf8_decode(str_skip(s, n), &more);
        if (!utf8_is_word(c) || utf8_is_cjk(c))
            break;
        n += more;
    }
    return n;
}

static bool is_word(str s)
{
    size_t n;
    return utf8_is_word(utf8_decode(s, &n)) || s.n > n;
}

/* False if there are too many. */
static bool cut_words(struct merge *m, str s, struct merge_words *out)
{
    *out = (struct merge_words){0};
    size_t cap = s.n < WORDS_MAX ? s.n : WORDS_MAX;
    out->items = ARENA_ARRAY(m->scratch, str, cap);
    for (size_t at = 0; at < s.n; at += out->items[out->row.n++].n) {
        if (out->row.n == cap)
            return false;
        out->items[out->row.n] = str_slice(s, at, at + word_length(str_skip(s, at)));
    }
    return true;
}

static void name_words(struct merge *m, struct merge_words *w, struct map *names)
{
    uint32_t *out = ARENA_ARRAY(m->scratch, uint32_t, w->row.n);
    for (uint32_t i = 0; i < w->row.n; i++)
        out[i] = map_add(names, w->items[i]);
    w->row.items = out;
}

/* The changes of one side. */
struct word_changes {
    const struct merge_words *side;
    bool kept; /* at least half of the words */
    bool *gone;
    uint32_t *at; /* n + 2 entries: the first word of side at word i of base */
};

static bool merge_words_compare(struct merge *m, const struct merge_words *base,
                                const struct merge_words *side, uint32_t names,
                                struct word_changes *out)
{
    bool *added = ARENA_ARRAY(m->scratch, bool, side->row.n + 1);
    uint32_t n = base->row.n, y = 0, kept = 0, all = 0;
    out->side = side;
    out->gone = ARENA_ARRAY(m->scratch, bool, n + 1);
    out->at = ARENA_ARRAY(m->scratch, uint32_t, n + 2);
    if (!diff_rows(m->scratch, base->row, side->row, names, &m->work, out->gone, added))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        out->at[i] = y;
        while (y < side->row.n && added[y])
            y++;
        y += !out->gone[i];
        all += is_word(base->items[i]);
        kept += is_word(base->items[i]) && !out->gone[i];
    }
    out->at[n] = y;
    out->at[n + 1] = side->row.n;
    out->kept = 2 * kept >= all;
    return true;
}

/* The number of new words of side before word i of base. */
static uint32_t put_before(const struct word_changes *d, uint32_t i, uint32_t n)
{
    return d->at[i + 1] - d->at[i] - (i < n && !d->gone[i]);
}

static bool did(const struct word_changes *d, uint32_t i, uint32_t n)
{
    return put_before(d, i, n) > 0 || (i < n && d->gone[i]);
}

static bool did_same(const struct word_changes *x, const struct word_changes *y,
                     uint32_t i, uint32_t n)
{
    uint32_t put = put_before(x, i, n);
    if (x->gone[i] != y->gone[i] || put != put_before(y, i, n))
        return false;
    for (uint32_t k = 0; k < put; k++)
        if (x->side->row.items[x->at[i] + k] != y->side->row.items[y->at[i] + k])
            return false;
    return true;
}

enum { NOBODY, OURS, THEIRS, BOTH = OURS | THEIRS };

/*
 * Whether an unchanged word separates the changes before it from those after it; in
 * tables, a bar does, too.
 */
static bool is_separator(str word)
{
    return is_word(word) || word.p[0] == '|';
}

static bool weave(const struct merge_words *base, const struct word_changes *x,
                  const struct word_changes *y, struct sbuf *out)
{
    uint32_t n = base->row.n;
    int last = NOBODY, seen = NOBODY;
    for (uint32_t i = 0; i <= n; i++) {
        int who = (did(x, i, n) ? OURS : NOBODY) | (did(y, i, n) ? THEIRS : NOBODY);
        if (who == BOTH && !did_same(x, y, i, n))
            return false;
        if (who != NOBODY && last != NOBODY && who != last)
            return false;
        const struct word_changes *d = who == THEIRS ? y : x;
        for (uint32_t k = d->at[i]; k < d->at[i + 1]; k++)
            sbuf_add(out, d->side->items[k]);
        if (who != NOBODY)
            last = who;
        seen |= who == BOTH ? NOBODY : who;
        if (i < n && !x->gone[i] && !y->gone[i] && is_separator(base->items[i]))
            last = NOBODY;
    }
    return seen != BOTH || (x->kept && y->kept);
}

static bool merge_text(struct merge *m, str base, str ours, str theirs, struct sbuf *out)
{
    struct merge_words b, o, t;
    struct word_changes x, y;
    struct map names = {.arena = m->scratch};
    if (str_eq(ours, theirs) || str_eq(base, theirs) || str_eq(base, ours)) {
        sbuf_add(out, merge_pick(base, ours, theirs));
        return true;
    }
    if (!cut_words(m, base, &b) || !cut_words(m, ours, &o) || !cut_words(m, theirs, &t))
        return false;
    name_words(m, &b, &names);
    name_words(m, &o, &names);
    name_words(m, &t, &names);
    return merge_words_compare(m, &b, &o, names.n, &x) &&
           merge_words_compare(m, &b, &t, names.n, &y) && weave(&b, &x, &y, out);
}

bool merge_words(struct merge *m, str base, str ours, str theirs, str *out)
{
    size_t b = merge_marks(base), o = merge_marks(ours), t = merge_marks(theirs);
    str marks[] = {str_slice(base, 0, b), str_slice(ours, 0, o), str_slice(theirs, 0, t)};
    bool collide = !str_eq(marks[0], marks[1]) && !str_eq(marks[0], marks[2]) &&
                   !str_eq(marks[1], marks[2]);
    struct sbuf text = SBUF_ON(m->scratch);
    sbuf_add(&text, merge_pick(marks[0], marks[1], marks[2]));
    if (collide ||
        !merge_text(m, str_skip(base, b), str_skip(ours, o), str_skip(theirs, t), &text))
        return false;
    *out = sbuf_str(&text);
    return true;
}
