/*
 * Any block is read within the limits, or broken with a line and column; both readers
 * agree.
 */
#include "vault/note/frontmatter_parts.h"

enum { DEEPEST = FRONTMATTER_MAX_DEPTH + 1 };

static bool same(const struct prop *a, const struct prop *b)
{
    if (a->type != b->type || a->n != b->n || a->line != b->line ||
        memcmp(&a->number, &b->number, sizeof(a->number)) != 0 || /* or another value */
        !str_eq(a->key, b->key) || !str_eq(a->text, b->text) ||
        a->key_start != b->key_start || a->start != b->start || a->end != b->end)
        return false;
    const struct prop *x = a->child, *y = b->child;
    for (; x != NULL && y != NULL && same(x, y); x = x->next)
        y = y->next;
    return x == NULL && y == NULL;
}

static size_t count(const struct prop *p, str block, int depth)
{
    size_t values = 1, n = 0;
    if (depth > DEEPEST || p->start > p->end || p->end > block.n)
        BUG("depth %d, bytes %u to %u of %zu", depth, p->start, p->end, block.n);
    for (const struct prop *c = p->child; c != NULL; c = c->next, n++)
        values += count(c, block, depth + 1);
    if (n != p->n)
        BUG("%zu children, not %u", n, p->n);
    return values;
}

static void ignore(void *arg, str link, uint32_t line)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct frontmatter f;
    struct prop *simple, *full;
    struct err err = {0};
    str block = {(const char *)data, size};
    frontmatter_read(&a, block, 2, &f);
    if (f.broken ? f.props != NULL || strncmp(f.why.msg, "line ", 5) != 0
                 : count(f.props, block, 0) > FRONTMATTER_MAX_VALUES)
        BUG("neither read nor broken: %s", f.why.msg);
    (void)frontmatter_tags(&a, &f);
    (void)frontmatter_aliases(&a, &f);
    frontmatter_links(&f, ignore, NULL);
    if (size <= FRONTMATTER_MAX_BYTES && frontmatter_simple(&a, block, 2, &simple) &&
        (!frontmatter_full(&a, block, 2, &full, &err) || !same(simple, full)))
        BUG("the simple way is wrong: %s", err.msg);
    arena_release(&a);
    return 0;
}
