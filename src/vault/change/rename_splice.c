#include "base/array.h"
#include "base/sort.h"
#include "vault/change/rename_parts.h"

void rename_splice_add(struct splices *s, size_t start, size_t end, str text)
{
    *ARRAY_ADD(s->arena, s->items, s->n) = (struct rename_splice){start, end, text};
}

static int rename_splice_by_place(const void *a, const void *b)
{
    const struct rename_splice *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static bool overlaps(const struct rename_splice *before, const struct rename_splice *s)
{
    return s->start < before->end || (s->start == before->start && s->end == before->end);
}

void rename_splice_sort(struct splices *s)
{
    if (s->n < 2)
        return;
    sort_items(s->items, s->n, sizeof(*s->items), rename_splice_by_place);
    size_t kept = 1;
    for (size_t i = 1; i < s->n; i++)
        if (!overlaps(&s->items[kept - 1], &s->items[i]))
            s->items[kept++] = s->items[i];
    s->n = kept;
}

str rename_splice_apply(const struct splices *s, str text)
{
    size_t size = text.n, at = 0;
    for (size_t i = 0; i < s->n; i++)
        size = size_add(size - (s->items[i].end - s->items[i].start), s->items[i].text.n);
    struct sbuf out = SBUF_ON(s->arena);
    sbuf_room(&out, size);
    for (size_t i = 0; i < s->n; i++) {
        sbuf_add(&out, str_slice(text, at, s->items[i].start));
        sbuf_add(&out, s->items[i].text);
        at = s->items[i].end;
    }
    sbuf_add(&out, str_skip(text, at));
    return sbuf_str(&out);
}
