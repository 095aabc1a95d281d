/* A query of Dataview is refused with a reason, or finds no more notes than there are. The
 * names in it are in order, and each can be written again. */
#include "base/sbuf.h"
#include "small_index.h"
#include "vault/dql/dql.h"
#include "vault/dql/dql_uses.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char note[] =
    "---\nstatus: Active\ndue: 2026-11-20\nn: 5\nlist: [a, 1, \"[[B]]\"]\nmap: {k: {l: "
    "v}}\n"
    "up: \"[[B|x]]\"\n---\nrating:: 4\n# H\n- [ ] t #a/b [x:: 1]\n    - [x] [[B]]\n";

static void check_uses(struct arena *a, const struct dql_request *w)
{
    struct value_reader r = {.arena = a,
                             .names = w->index->names,
                             .source = w->this_file->path,
                             .source_id = w->this_file->id,
                             .dialect = &dialect_dql};
    struct use *uses;
    size_t n;
    str written;
    (void)dql_uses(a, &r, w->text, &uses, &n);
    for (size_t i = 0; i < n; i++)
        if (uses[i].start >= uses[i].end || uses[i].end > w->text.n ||
            (i > 0 && uses[i].start < uses[i - 1].end) ||
            !dql_use_text(a, &uses[i], STR("x"), &written))
            BUG("the name at byte %zu", uses[i].start);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct index *x;
    if (x == NULL)
        x = small_index("C 2026-01-01.md", note);
    struct arena a = {0};
    struct err err = {0};
    struct dql query;
    struct plan_result found;
    struct stop stop = stop_within(NULL, 1000);
    struct dql_request w = {.index = x,
                            .text = {(const char *)data, size},
                            .now = date_of_clock(1794823200, 0),
                            .this_file = index_find(x, STR("A.md")),
                            .stop = &stop};
    check_uses(&a, &w);
    if (!dql_run(&a, &w, &query, &found, &err)) {
        if ((err.code != ERR_INVALID && err.code != ERR_LIMIT) || err.msg[0] == '\0')
            BUG("%s", err.msg);
        arena_release(&a);
        return 0;
    }
    struct sbuf out = SBUF_ON(&a);
    for (size_t i = 0; i < found.n && out.n < 1 << 20; i++)
        for (size_t k = 0; k < query.plan.n_columns; k++) {
            struct jsonw json = JSONW_ON(&out);
            value_json(&json, &found.rows[i].cells[k]);
            value_print(&out, &found.rows[i].cells[k]);
        }
    arena_release(&a);
    return 0;
}
