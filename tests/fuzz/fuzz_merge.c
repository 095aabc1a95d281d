/*
 * The merge of any three texts keeps the promises of merge.h: a side without changes
 * changes nothing, valid text stays valid, places are within the texts.
 *
 * Input: base, ours and theirs, with RS bytes in between.
 */
#include "base/err.h"
#include "base/utf8.h"
#include "vault/note/merge.h"

static void run(struct arena *a, str base, str ours, str theirs, struct merge_result *out)
{
    struct merge_input in = {MERGE_NOTE, &base, &ours, &theirs};
    bool clean = merge_texts(a, &in, out);
    if (clean != (out->n_collisions == 0) || out->gone || out->revived)
        BUG("clean: %d, collisions: %zu", clean, out->n_collisions);
    size_t at = 0;
    for (size_t i = 0; i < out->n_collisions; i++) {
        const struct merge_collision *c = &out->collisions[i];
        if (c->result.start < at || c->result.end < c->result.start ||
            c->result.end > out->text.n || c->theirs.end < c->theirs.start ||
            c->theirs.end > theirs.n)
            BUG("collision %zu is at %u to %u", i, c->result.start, c->result.end);
        at = c->result.end;
    }
}

static void check(struct arena *a, str base, str ours, str theirs)
{
    struct merge_result out, other;
    run(a, base, ours, theirs, &out);
    if (utf8_valid(base) && utf8_valid(ours) && utf8_valid(theirs) &&
        !utf8_valid(out.text))
        BUG("the result is not valid UTF-8");
    if (out.text.n > 2 * (ours.n + theirs.n) + base.n + 16)
        BUG("%zu bytes came from %zu and %zu", out.text.n, ours.n, theirs.n);
    run(a, base, base, theirs, &other);
    if (!str_eq(other.text, theirs))
        BUG("theirs alone is not theirs");
    run(a, base, ours, ours, &other);
    if (!str_eq(other.text, ours))
        BUG("the same is not the same");
    run(a, base, theirs, ours, &other);
    run(a, base, out.text, theirs, &other);
    run(a, base, ours, out.text, &other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    str rest = {(const char *)data, size}, base = {0}, ours = {0};
    (void)str_next(&rest, '\x1e', &base);
    (void)str_next(&rest, '\x1e', &ours);
    check(&a, base, ours, rest);
    arena_release(&a);
    return 0;
}
