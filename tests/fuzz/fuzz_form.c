/*
 * A form that is accepted has no duplicate names and only valid text; encoded and read
 * again, it is the same.
 */
#include "base/sbuf.h"
#include "base/utf8.h"
#include "http/form.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct err err;
    struct form f, again;
    if (form_parse(&a, (str){(const char *)data, size}, STR("resource"), &f, &err)) {
        struct sbuf text = SBUF_ON(&a);
        for (size_t i = 0; i < f.n; i++) {
            str name = form_encode(&a, f.fields[i].name),
                value = form_encode(&a, f.fields[i].value);
            sbuf_printf(&text, "%s" STR_FMT "=" STR_FMT, i > 0 ? "&" : "", STR_ARG(name),
                        STR_ARG(value));
            if (!utf8_valid(f.fields[i].value) || !utf8_valid(f.fields[i].name))
                BUG("not valid UTF-8");
        }
        if (!form_parse(&a, sbuf_str(&text), STR("resource"), &again, &err) ||
            again.n != f.n)
            BUG("'" STR_FMT "' is read differently", STR_ARG(sbuf_str(&text)));
        for (size_t i = 0; i < f.n; i++)
            if (!str_eq(f.fields[i].value, again.fields[i].value))
                BUG("another value");
    }
    arena_release(&a);
    return 0;
}
