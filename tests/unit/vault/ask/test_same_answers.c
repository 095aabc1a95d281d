/*
 * An index that files came into, left and changed in any order gives the answers that a fresh
 * one gives, byte by byte: also the order of what is equal, and one of several spellings.
 */
#include "base/sbuf.h"
#include "check.h"
#include "random.h"
#include "rounds.h"
#include "vault/ask/check.h"
#include "vault/ask/duplicates.h"
#include "vault/ask/find.h"
#include "vault/ask/lookup.h"
#include "vault/ask/mentions.h"
#include "vault/ask/near_names.h"
#include "vault/ask/related.h"
#include "vault/ask/search.h"
#include "vault/eval/catalogue.h"
#include "vault/eval/select.h"
#include "vault/index/file.h"

enum { ROUNDS = 40, NOTES = 9, STEPS = 30, TEXT_PARTS = 7, SHOWN = 50 };

static struct random choices;

static uint32_t pick(uint32_t n)
{
    return random_below(&choices, n);
}

/* Names, tags, aliases and keys that differ only in case or normal form. */
static const char *const paths[NOTES] = {
    "Apple.md",   "apple pie.md", "sub/Apple.md",  "sub/Caf\u00E9.md", "Cafe\u0301 2.md",
    "b/Berry.md", "B berry.md",   "z/apple bs.md", "Picture.png",
};
static const char *const words[] = {"apple",     "Apple",         "APPLE",    "berry",
                                    "caf\u00E9", "one two three", "Berry pie"};
static const char *const tags[] = {"Fruit",     "fruit",     "FRUIT",
                                   "fruit/Red", "Fruit/red", "sour"};

static str random_text(struct arena *a)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_printf(&b, "---\naliases: [%s, %s]\n%s: %s\ntags: [%s]\n---\n",
                words[pick(COUNT_OF(words))], words[pick(COUNT_OF(words))],
                pick(2) ? "Colour" : "colour", pick(2) ? "Red" : "red",
                tags[pick(COUNT_OF(tags))]);
    for (uint32_t i = pick(TEXT_PARTS); i > 0; i--) {
        const char *word = words[pick(COUNT_OF(words))];
        switch (pick(6)) {
        case 0:
            sbuf_printf(&b, "# %s\n", word);
            break;
        case 1:
            sbuf_printf(&b, "#%s and [[%s]]\n", tags[pick(COUNT_OF(tags))], word);
            break;
        case 2:
            sbuf_printf(&b, "- [ ] %s\n", word);
            break;
        case 3:
            sbuf_printf(&b, "[[%s missing]] [[Apple#%s]] ^id\n", word, word);
            break;
        case 4:
            sbuf_printf(&b, "%s:: %s\n", pick(2) ? "Taste" : "taste",
                        pick(2) ? "Sweet" : "sweet");
            break;
        default:
            sbuf_printf(&b, "%s\n", word);
        }
    }
    return sbuf_str(&b);
}

/* --- a vault, and an index of it --- */

struct model {
    str texts[NOTES]; /* NULL: there is no such file */
    struct index *running;
};

static void put(struct index *x, const char *path, str text)
{
    struct arena scratch = {0};
    struct fs_info info = {.mtime = 1794823200, .size = (int64_t)text.n};
    index_put(x, file_make(&scratch, str_c(path), &info, text), false);
    arena_release(&scratch);
}

static void change(struct arena *a, struct model *m)
{
    uint32_t i = pick(NOTES);
    if (m->texts[i].p != NULL && pick(3) == 0) {
        CHECK(paths[i], index_remove(m->running, str_c(paths[i])));
        m->texts[i] = (str){0};
        return;
    }
    bool note = str_ends(str_c(paths[i]), STR(".md"));
    m->texts[i] = note ? random_text(a) : STR("");
    put(m->running, paths[i], m->texts[i]);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(paths[*(const int *)a], paths[*(const int *)b]);
}

static struct index *fresh_index(const struct model *m)
{
    struct index *x = index_create();
    int order[NOTES];
    for (int i = 0; i < NOTES; i++)
        order[i] = i;
    qsort(order, NOTES, sizeof(*order), by_path);
    for (int i = 0; i < NOTES; i++)
        if (m->texts[order[i]].p != NULL)
            put(x, paths[order[i]], m->texts[order[i]]);
    return x;
}

/* --- answers --- */

static str path_of(const struct index *x, file_id id)
{
    const struct file *f = index_file(x, id);
    return f != NULL ? f->path : STR("-");
}

static void tell_search(struct sbuf *b, const struct index *x, struct arena *a,
                        enum search_mode mode, const char *query)
{
    struct search_result r;
    struct err err = {0};
    struct search s = {.mode = mode,
                       .query = str_c(query),
                       .limit = SHOWN,
                       .by_file = true,
                       .ignore_case = true};
    sbuf_printf(b, "search %d %s\n", (int)mode, query);
    if (!search_run(x, a, &s, &r, &err))
        fail_msg("%s: %s", query, err.msg);
    for (size_t i = 0; i < r.n; i++)
        sbuf_printf(b, "  " STR_FMT ":%u:%u " STR_FMT "\n", STR_ARG(r.hits[i].file->path),
                    r.hits[i].line, r.hits[i].column, STR_ARG(r.hits[i].snippet));
    for (size_t i = 0; i < r.n_near; i++)
        sbuf_printf(b, "  near " STR_FMT "\n", STR_ARG(r.near[i].file->path));
    for (size_t i = 0; i < r.n_by_file; i++)
        sbuf_printf(b, "  in " STR_FMT "\n", STR_ARG(r.by_file[i].file->path));
    for (size_t i = 0; i < r.n_suggestions; i++)
        sbuf_printf(b, "  try " STR_FMT "\n", STR_ARG(r.suggestions[i]));
}

static void tell_searches(struct sbuf *b, const struct index *x, struct arena *a)
{
    static const struct {
        enum search_mode mode;
        const char *query;
    } rows[] = {
        {SEARCH_TEXT, "apple"},       {SEARCH_WORDS, "apple"},
        {SEARCH_WORDS, "appel pie"},  {SEARCH_AUTO, "one three apple"},
        {SEARCH_AUTO, "aple"},        {SEARCH_NAMES, "app"},
        {SEARCH_NAMES, "caf\u00E9"},  {SEARCH_QUERY, "tag:#fruit"},
        {SEARCH_QUERY, "tag:#friut"}, {SEARCH_QUERY, "[colour:red]"},
        {SEARCH_REGEX, "a.ple"},      {SEARCH_AUTO, "berry two"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        tell_search(b, x, a, rows[i].mode, rows[i].query);
}

static void tell_select(struct sbuf *b, const struct index *x, struct arena *a)
{
    static const str columns[] = {STR("file.aliases"), STR("file.tags"),
                                  STR("file.backlinks"), STR("file.links"),
                                  STR("colour")};
    static const struct select_order order[] = {{STR("colour"), true}};
    const struct select rows[] = {
        {.columns = columns,
         .n_columns = COUNT_OF(columns),
         .order = order,
         .n_order = COUNT_OF(order)},
        {.group = STR("tags")},
        {.group = STR("colour")},
        {.group = STR("taste")},
        {.group = STR("file.aliases")},
        {.from = SELECT_TASKS, .order = order, .n_order = COUNT_OF(order)},
        {.where = STR("tase = sweet")},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct select_result r;
        struct err err = {0};
        if (!select_run(x, a, &rows[i], &r, &err))
            fail_msg("select %zu: %s", i, err.msg);
        sbuf_printf(b, "select %zu\n", i);
        for (size_t k = 0; k < r.n; k++) {
            sbuf_printf(b, "  " STR_FMT, STR_ARG(r.rows[k].file->path));
            for (size_t c = 0; c < rows[i].n_columns; c++) {
                sbuf_char(b, ' ');
                value_print(b, &r.rows[k].values[c]);
            }
            sbuf_char(b, '\n');
        }
        for (size_t k = 0; k < r.n_groups; k++) {
            sbuf_printf(b, "  %zu ", r.groups[k].count);
            value_print(b, &r.groups[k].value);
            sbuf_char(b, '\n');
        }
        for (size_t k = 0; k < r.n_unknown; k++)
            for (size_t n = 0; n < r.unknown[k].n; n++)
                sbuf_printf(b, "  meant " STR_FMT "\n", STR_ARG(r.unknown[k].nearest[n]));
    }
}

static void tell_catalogue(struct sbuf *b, const struct index *x, struct arena *a)
{
    struct catalogue c;
    CHECK("catalogue", catalogue_make(x, NULL, a, STR(""), SHOWN, NULL, &c));
    for (size_t i = 0; i < c.n; i++) {
        const struct catalogue_property *p = &c.properties[i];
        sbuf_printf(b, "property " STR_FMT " %zu " STR_FMT ":", STR_ARG(p->name),
                    p->notes, STR_ARG(p->type));
        for (size_t k = 0; k < p->n_values; k++) {
            sbuf_char(b, ' ');
            value_print(b, &p->values[k].value);
            sbuf_printf(b, "*%zu", p->values[k].notes);
        }
        sbuf_char(b, '\n');
    }
    for (size_t i = 0; i < tags_count(x->tags); i++) {
        struct tag t = tags_at(x->tags, i);
        sbuf_printf(b, "#" STR_FMT " %zu %zu\n", STR_ARG(t.name), t.notes, t.all);
    }
}

static void tell_check(struct sbuf *b, const struct index *x, struct arena *a)
{
    struct check_result r;
    check_vault(
        x, a, &(struct check_limits){.kinds = (1u << CHECK_KINDS) - 1, .max = 1000}, &r);
    for (size_t i = 0; i < r.n; i++)
        sbuf_printf(b, "check " STR_FMT ":%u " STR_FMT " / " STR_FMT "\n",
                    STR_ARG(r.findings[i].path), r.findings[i].line,
                    STR_ARG(r.findings[i].message), STR_ARG(r.findings[i].suggestion));
}

static void tell_related(struct sbuf *b, const struct index *x, struct arena *a,
                         const struct file *f)
{
    struct related_notes r;
    struct err err;
    CHECK("related", related_find(x, NULL, a, f, true, NULL, &r, &err));
    for (size_t i = 0; i < r.n; i++) {
        const struct related_note *n = &r.items[i];
        sbuf_printf(b, "  related " STR_FMT " %.6f", STR_ARG(n->file->path), n->score);
        for (size_t k = 0; k < n->n_shared; k++)
            sbuf_printf(b, " <" STR_FMT ">", STR_ARG(path_of(x, n->shared[k])));
        for (size_t k = 0; k < n->n_words; k++)
            sbuf_printf(b, " " STR_FMT, STR_ARG(n->words[k]));
        for (size_t k = 0; k < n->n_tags; k++)
            sbuf_printf(b, " #" STR_FMT, STR_ARG(n->tags[k]));
        sbuf_char(b, '\n');
    }
}

static void tell_mentions(struct sbuf *b, const struct index *x, struct arena *a,
                          file_id id)
{
    struct mentions m;
    mentions_of(x, a, id, &(struct mentions_limits){.max = SHOWN}, &m);
    for (size_t i = 0; i < m.n; i++)
        sbuf_printf(b, "  mentioned " STR_FMT ":%u " STR_FMT "\n",
                    STR_ARG(path_of(x, m.items[i].source)), m.items[i].line,
                    STR_ARG(m.items[i].snippet));
}

static void tell_each_file(struct sbuf *b, const struct index *x, struct arena *a)
{
    struct duplicate *same;
    const struct file *f;
    CHECK("duplicates", duplicates_find(x, a, NULL, &same));
    for (size_t i = 0; (f = index_next_by_path(x, &i, NULL)) != NULL;) {
        sbuf_printf(b, "file " STR_FMT " like " STR_FMT "\n", STR_ARG(f->path),
                    STR_ARG(path_of(x, same[f->id].other)));
        tell_mentions(b, x, a, f->id);
        if (f->kind == FILE_NOTE)
            tell_related(b, x, a, f);
    }
}

static void tell_names(struct sbuf *b, const struct index *x, struct arena *a)
{
    const struct near_names *near = near_names_of(x, a, NULL);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        file_id out[NEAR_NAMES_MAX];
        const struct file *f = NULL;
        struct err err = {0};
        size_t n = near_names_suggest(near, str_c(words[i]), out, NEAR_NAMES_MAX);
        for (size_t k = 0; k < n; k++)
            sbuf_printf(b, "near %s " STR_FMT "\n", words[i],
                        STR_ARG(path_of(x, out[k])));
        bool found = find_file(x, a, str_c(words[i]), &f, &err);
        sbuf_printf(b, "find %s " STR_FMT " %s\n", words[i],
                    STR_ARG(found ? f->path : STR("-")), found ? "" : err.msg);
    }
}

static str tell(const struct index *x, struct arena *a)
{
    struct sbuf b = SBUF_ON(a);
    tell_searches(&b, x, a);
    tell_select(&b, x, a);
    tell_catalogue(&b, x, a);
    tell_check(&b, x, a);
    tell_each_file(&b, x, a);
    tell_names(&b, x, a);
    return sbuf_str(&b);
}

/* --- the test --- */

/* The first line that differs. */
static void report(unsigned round, str is, str want)
{
    str x, y;
    while (str_next(&is, '\n', &x) && str_next(&want, '\n', &y))
        if (!str_eq(x, y))
            fail_msg("round %u: running: " STR_FMT "\nfresh: " STR_FMT, round, STR_ARG(x),
                     STR_ARG(y));
    fail_msg("round %u: one of them says more", round);
}

static void test_same_answers(void **state)
{
    struct arena *a = *state;
    for (unsigned r = 1, end = (unsigned)rounds(ROUNDS); r <= end; r++) {
        struct model m = {.running = index_create()};
        choices.state = r * 2654435761u | 1;
        for (int i = 0; i < STEPS; i++) {
            change(a, &m);
            if (pick(4) == 0) /* what the first question makes is kept up to date */
                tell(m.running, a);
        }
        struct index *fresh = fresh_index(&m);
        str is = tell(m.running, a), want = tell(fresh, a);
        if (!str_eq(is, want))
            report(r, is, want);
        index_free(fresh);
        index_free(m.running);
        arena_reset(a);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_same_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
