/*
 * Inline fields are in the order of the text, inside of it, and do not overlap; their
 * values can be read.
 */
#include "vault/eval/value_inline.h"
#include "vault/forms/inline.h"
#include "vault/index/index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_field(const struct note *n, const struct inline_field *f)
{
    if (f->key.end > n->text.n || f->value.end > n->text.n ||
        f->key.start >= f->key.end || f->value.start > f->value.end ||
        f->value.start < f->key.end)
        BUG("a field outside of its text");
    if (f->line == 0 || f->line > n->lines || f->item > f->line ||
        (f->of_task && f->item == 0))
        BUG("a field in line %u of item %u", f->line, f->item);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct index *x;
    if (x == NULL)
        x = index_create();
    struct arena a = {0};
    struct note n;
    struct inline_field *fields;
    note_scan(&a, (str){(const char *)data, size}, &n);
    uint32_t count = inline_scan(&a, &n, &fields);
    struct value_reader r = {.arena = &a, .names = x->names, .source_id = NO_FILE};
    for (uint32_t i = 0; i < count; i++) {
        check_field(&n, &fields[i]);
        if (i > 0 && fields[i].key.start < fields[i - 1].key.end)
            BUG("fields are not in order");
        (void)value_of_inline(&r, span_of(n.text, fields[i].value));
        (void)inline_name(&a, inline_key(n.text, &fields[i]));
    }
    arena_release(&a);
    return 0;
}
