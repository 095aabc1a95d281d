#include "base/near.h"

#include "base/utf8.h"

void near_read(struct near_letters *out, str name)
{
    out->bag = 0;
    out->n = 0;
    for (size_t i = 0, n; i < name.n; i += n) {
        uint32_t c = utf8_decode(str_skip(name, i), &n);
        if (out->n++ == NEAR_MAX)
            return;
        out->at[out->n - 1] = c;
        out->bag |= UINT64_C(1) << c % 64;
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Row by row, and in each row only the cells that max slips can reach: those at most max
 * away from the diagonal. Returns more than max when a whole row exceeds it. The lengths
 * differ by at most max.
 */
static size_t count_slips(const struct near_letters *a, const struct near_letters *b,
                          size_t max)
{
    enum { FAR = 2 * NEAR_MAX };
    size_t rows[3][NEAR_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t k = 0; k <= b->n; k++)
        row[k] = k <= max ? k : FAR;
    for (size_t i = 1; i <= a->n; i++) {
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
        size_t from = i > max ? i - max : 1, to = least(b->n, i + max);
        size_t nearest = row[from - 1] = from == 1 ? i : FAR;
        for (size_t k = from; k <= to; k++) {
            bool same = a->at[i - 1] == b->at[k - 1];
            row[k] = least(last[k - 1] + !same, least(last[k], row[k - 1]) + 1);
            if (i > 1 && k > 1 && a->at[i - 1] == b->at[k - 2] &&
                a->at[i - 2] == b->at[k - 1])
                row[k] = least(row[k], before[k - 2] + 1);
            nearest = least(nearest, row[k]);
        }
        if (to < b->n)
            row[to + 1] = FAR;
        if (nearest > max)
            return nearest;
    }
    return row[b->n];
}

size_t near_count(const struct near_letters *a, const struct near_letters *b, size_t max)
{
    if (a->n > NEAR_MAX || b->n > NEAR_MAX ||
        !near_may_be(a->bag, a->n, b->bag, b->n, max))
        return NEAR_NONE;
    size_t slips = count_slips(a, b, max);
    return slips <= max ? slips : NEAR_NONE;
}

void near_search(struct near_search *s, str wanted, size_t most)
{
    near_read(&s->wanted, wanted);
    s->far = least(most + 1, s->wanted.n);
    s->best = STR("");
}

bool near_offer(struct near_search *s, str name)
{
    struct near_letters letters;
    near_read(&letters, name);
    size_t slips = s->far > 0 ? near_count(&s->wanted, &letters, s->far - 1) : NEAR_NONE;
    if (slips == NEAR_NONE)
        return false;
    s->far = slips;
    s->best = name;
    return true;
}
