/*
 * The first line is a filter, the second a field to show, sort and group by. No filter
 * finds more files than there are, and a filter and its negation together find all.
 */
#include "base/sbuf.h"
#include "small_index.h"
#include "vault/eval/select.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char note[] =
    "---\nstatus: Active\ndue: 2026-11-20\nn: 5\nr: 2.5\nlist: [a, 1, "
    "\"[[B]]\"]\nmap: {k: {l: v}}\nup: \"[[B|x]]\"\nok: true\n---\n"
    "# H\n- [ ] t #a/b\n- [x] [[B]]\n";

static bool run(const struct index *x, struct arena *a, struct select s, size_t *total)
{
    struct select_result r;
    struct err err = {0};
    s.now = 1794823200;
    if (!select_run(x, a, &s, &r, &err)) {
        if ((err.code != ERR_INVALID && err.code != ERR_LIMIT) || err.msg[0] == '\0')
            BUG("%s", err.msg);
        return false;
    }
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < r.n; i++)
        for (size_t k = 0; k < s.n_columns; k++) {
            struct jsonw w = JSONW_ON(&out);
            value_json(&w, &r.rows[i].values[k]);
            value_print(&out, &r.rows[i].values[k]);
        }
    for (size_t i = 0; i < r.n_groups; i++)
        value_print(&out, &r.groups[i].value);
    *total = r.total;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct index *x;
    if (x == NULL)
        x = small_index("C é.md", note);
    struct arena a = {0};
    str rest = {(const char *)data, size}, where, field = {0};
    (void)str_next(&rest, '\n', &where);
    (void)str_next(&rest, '\n', &field);
    struct select_order order = {field, true};
    struct select s = {.where = where,
                       .from = size % 2 == 0 ? SELECT_TASKS : SELECT_NOTES};
    size_t all = s.from == SELECT_TASKS ? 4 : 3, found, others;
    if (field.n > 0) {
        s.columns = &field;
        s.order = &order;
        s.n_columns = s.n_order = 1;
    }
    if (run(x, &a, s, &found)) {
        struct sbuf opposite = SBUF_ON(&a);
        sbuf_printf(&opposite, "NOT (" STR_FMT ")", STR_ARG(where));
        s.where = sbuf_str(&opposite);
        if (found > all || (run(x, &a, s, &others) && found + others != all))
            BUG("'" STR_FMT "' found %zu", STR_ARG(where), found);
        s.where = where;
        s.group = field;
        (void)run(x, &a, s, &found);
    }
    arena_release(&a);
    return 0;
}
