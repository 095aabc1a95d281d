#include "vault/text/diff.h"

#include "base/array.h"
#include "base/err.h"
#include "base/map.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "vault/text/diff_core.h"

enum { TEXT_MAX = 1 << 30 };

/* --- lines --- */

static str *split_lines(struct arena *a, str text, uint32_t *n)
{
    size_t lines = text_count_lines(text), i = 0;
    str *out = ARENA_ARRAY(a, str, lines);
    for (size_t at = 0, end; at < text.n; at = end) {
        end = text_next_line(text, at);
        out[i++] = str_slice(text, at, end);
    }
    *n = (uint32_t)lines;
    return out;
}

/* --- changes and hunks --- */

static struct diff_change *list_changes(struct arena *a, struct diff *d,
                                        const bool *dropped, const bool *added, size_t *n)
{
    struct diff_change *list = NULL;
    uint32_t x = 0, y = 0;
    *n = 0;
    while (x < d->n_old || y < d->n_new) {
        struct diff_change c = {.old_at = x, .new_at = y};
        while (x < d->n_old && dropped[x])
            x++;
        while (y < d->n_new && added[y])
            y++;
        c.old_n = x - c.old_at;
        c.new_n = y - c.new_at;
        if (c.old_n == 0 && c.new_n == 0) {
            x++, y++;
            continue;
        }
        *ARRAY_ADD(a, list, *n) = c;
        d->removed += c.old_n;
        d->added += c.new_n;
    }
    return list;
}

static struct diff_hunk hunk_of(const struct diff *d, const struct diff_change *first,
                                size_t n)
{
    const struct diff_change *last = &first[n - 1];
    uint32_t lead = first->old_at < DIFF_CONTEXT ? first->old_at : DIFF_CONTEXT;
    uint32_t left = d->n_old - last->old_at - last->old_n;
    uint32_t tail = left < DIFF_CONTEXT ? left : DIFF_CONTEXT;
    struct diff_hunk h = {
        .old_at = first->old_at - lead,
        .new_at = first->new_at - lead,
        .changes = first,
        .n_changes = n,
    };
    h.old_n = last->old_at + last->old_n + tail - h.old_at;
    h.new_n = last->new_at + last->new_n + tail - h.new_at;
    return h;
}

static void group_hunks(struct arena *a, struct diff *d, const struct diff_change *list,
                        size_t n)
{
    d->hunks = ARENA_ARRAY(a, struct diff_hunk, n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n; end++)
            if (list[end].old_at - list[end - 1].old_at - list[end - 1].old_n >
                2 * DIFF_CONTEXT)
                break;
        d->hunks[d->n_hunks++] = hunk_of(d, &list[i], end - i);
    }
}

static struct diff_row number_lines(struct arena *a, struct map *t, const str *lines,
                                    uint32_t n)
{
    uint32_t *out = ARENA_ARRAY(a, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        out[i] = map_add(t, lines[i]);
    return (struct diff_row){out, n};
}

/* The number of equal lines at the start or, if from_end, at the end. */
static uint32_t same_lines(const struct diff *d, uint32_t max, bool from_end)
{
    uint32_t n = 0;
    while (n < max && (from_end ? str_eq(d->old_lines[d->n_old - 1 - n],
                                         d->new_lines[d->n_new - 1 - n])
                                : str_eq(d->old_lines[n], d->new_lines[n])))
        n++;
    return n;
}

/*
 * Fill dropped and added. Only the lines between the equal start and the equal end are
 * numbered and compared.
 */
static bool find_changes(struct arena *scratch, const struct diff *d, bool *dropped,
                         bool *added)
{
    uint32_t most = d->n_old < d->n_new ? d->n_old : d->n_new;
    uint32_t head = same_lines(d, most, false);
    uint32_t same = head + same_lines(d, most - head, true);
    uint32_t n_old = d->n_old - same, n_new = d->n_new - same;
    uint64_t work = DIFF_WORK_MAX;
    struct map t = {.arena = scratch};
    map_reserve(&t.index, scratch, (size_t)n_old + n_new);
    struct diff_row old = number_lines(scratch, &t, d->old_lines + head, n_old);
    struct diff_row now = number_lines(scratch, &t, d->new_lines + head, n_new);
    return !diff_rows(scratch, old, now, t.n, &work, dropped + head, added + head);
}

void diff_make(struct arena *a, str old_text, str new_text, struct diff *out)
{
    struct arena scratch = {0};
    size_t n;
    if (old_text.n > TEXT_MAX || new_text.n > TEXT_MAX)
        BUG("texts of %zu and %zu bytes", old_text.n, new_text.n);
    *out = (struct diff){0};
    out->old_lines = split_lines(a, old_text, &out->n_old);
    out->new_lines = split_lines(a, new_text, &out->n_new);
    bool *dropped = ARENA_ARRAY(&scratch, bool, out->n_old);
    bool *added = ARENA_ARRAY(&scratch, bool, out->n_new);
    out->coarse = find_changes(&scratch, out, dropped, added);
    const struct diff_change *list = list_changes(a, out, dropped, added, &n);
    group_hunks(a, out, list, n);
    arena_release(&scratch);
}

/* --- printing --- */

struct printer {
    struct sbuf b;
    size_t max, left_out;
};

static void print_line(struct printer *p, char sign, str line)
{
    if (p->left_out > 0 || (p->max > 0 && p->b.n + line.n + 1 > p->max)) {
        p->left_out++;
        return;
    }
    sbuf_char(&p->b, sign);
    sbuf_add(&p->b, line);
    if (str_ends(line, STR("\n")))
        return;
    sbuf_char(&p->b, '\n');
    if (!str_ends(line, STR("\r")))
        sbuf_add(&p->b, STR("\\ No newline at end of file\n"));
}

/* "12,3"; an empty range has the number of the line before it. */
static void print_range(struct sbuf *b, uint32_t at, uint32_t n)
{
    sbuf_printf(b, "%u", n > 0 ? at + 1 : at);
    if (n != 1)
        sbuf_printf(b, ",%u", n);
}

static void print_hunk(struct printer *p, const struct diff *d, const struct diff_hunk *h)
{
    uint32_t x = h->old_at;
    if (p->left_out == 0) {
        sbuf_add(&p->b, STR("@@ -"));
        print_range(&p->b, h->old_at, h->old_n);
        sbuf_add(&p->b, STR(" +"));
        print_range(&p->b, h->new_at, h->new_n);
        sbuf_add(&p->b, STR(" @@\n"));
    }
    for (size_t i = 0; i < h->n_changes; i++) {
        const struct diff_change *c = &h->changes[i];
        for (; x < c->old_at; x++)
            print_line(p, ' ', d->old_lines[x]);
        for (; x < c->old_at + c->old_n; x++)
            print_line(p, '-', d->old_lines[x]);
        for (uint32_t y = c->new_at; y < c->new_at + c->new_n; y++)
            print_line(p, '+', d->new_lines[y]);
    }
    for (; x < h->old_at + h->old_n; x++)
        print_line(p, ' ', d->old_lines[x]);
}

str diff_print(struct arena *a, const struct diff *d, str old_name, str new_name,
               size_t max)
{
    struct printer p = {.b = SBUF_ON(a), .max = max};
    if (d->n_hunks == 0)
        return (str){0};
    sbuf_printf(&p.b, "--- " STR_FMT "\n+++ " STR_FMT "\n", STR_ARG(old_name),
                STR_ARG(new_name));
    for (size_t i = 0; i < d->n_hunks; i++)
        print_hunk(&p, d, &d->hunks[i]);
    if (p.left_out > 0)
        sbuf_printf(&p.b, "(%zu more line%s)\n", p.left_out, p.left_out == 1 ? "" : "s");
    return sbuf_str(&p.b);
}
