#include "vault/index/tags.h"

#include <stdio.h>

#include "base/sbuf.h"
#include "base/utf8.h"
#include "check.h"

/* "a/b|c" as a list. */
static struct str_list listed(struct arena *a, const char *text)
{
    struct str_list list = {.items = ARENA_ARRAY(a, str, 64)};
    str rest = str_c(text), tag;
    while (rest.n > 0 && str_next(&rest, '|', &tag))
        list.items[list.n++] = tag;
    return list;
}

/* Every tag as "name notes/all". */
static str shown(struct arena *a, const struct tags *t)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < tags_count(t); i++) {
        struct tag tag = tags_at(t, i);
        sbuf_printf(&b, "%s" STR_FMT " %zu/%zu", i > 0 ? ", " : "", STR_ARG(tag.name),
                    tag.notes, tag.all);
    }
    return sbuf_str(&b);
}

static void test_tree(void **state)
{
    struct arena *a = *state;
    struct tags *t = tags_create();
    CHECK_STR("empty", shown(a, t), "");
    struct str_list one = listed(a, "a/b/c|x"), two = listed(a, "A/B|a-b|ab"),
                    three = listed(a, "a"), none = {0};
    tags_add(t, 1, &one);
    tags_add(t, 2, &two);
    tags_add(t, 3, &three);
    tags_add(t, 4, &none);
    /* tags below "a" come before those that only begin with "a" */
    CHECK_STR("all", shown(a, t), "a 1/3, A/B 1/2, a/b/c 1/1, a-b 1/1, ab 1/1, x 1/1");
    struct tag tag;
    assert_true(tags_find(t, STR("#A"), &tag));
    CHECK_INT("files", tag.all, 3);
    CHECK("by id", tag.files[0] == 1 && tag.files[1] == 2 && tag.files[2] == 3);
    assert_true(tags_find(t, STR("a/B/C"), &tag));
    CHECK_INT("depth", tag.depth, 2);
    CHECK("a part of a name", !tags_find(t, STR("a/"), &tag));
    CHECK("nothing", !tags_find(t, STR(""), &tag) && !tags_find(t, STR("#"), &tag));
    tags_remove(t, 1, &one);
    CHECK_STR("removed", shown(a, t), "A 1/2, A/B 1/1, a-b 1/1, ab 1/1");
    tags_remove(t, 3, &three);
    CHECK_STR("other spelling", shown(a, t), "A 0/1, A/B 1/1, a-b 1/1, ab 1/1");
    tags_remove(t, 2, &two);
    CHECK_STR("empty again", shown(a, t), "");
    tags_free(t);
    tags_free(NULL);
}

static void test_spelling(void **state)
{
    struct arena *a = *state;
    struct tags *t = tags_create();
    struct str_list lower = listed(a, "tag"), upper = listed(a, "TAG"),
                    composed = listed(a, "caf\u00e9"), apart = listed(a, "cafe\u0301");
    tags_add(t, 0, &lower);
    tags_add(t, 1, &upper);
    CHECK_STR("as common: by bytes", tags_at(t, 0).name, "TAG");
    tags_add(t, 2, &lower);
    CHECK_STR("more common", tags_at(t, 0).name, "tag");
    tags_remove(t, 0, &lower);
    tags_remove(t, 2, &lower);
    CHECK_STR("the only one", tags_at(t, 0).name, "TAG");
    tags_add(t, 5, &composed);
    tags_add(t, 6, &apart);
    CHECK_INT("one tag in two forms", tags_count(t), 2);
    tags_free(t);
}

/* --- against a model --- */

enum { FILES = 40 };

static const char *const words[] = {"a",     "A",   "b",    "a/b",      "A/b",
                                    "a/B/c", "a-b", "ab/c", "\u00e4/x", "\u00c4/X",
                                    "z//y",  "/q",  "q/"};

struct model {
    struct str_list of[FILES]; /* n 0: none */
};

/* The model's answer for tag, computed naively. */
static void expect(struct arena *a, const struct model *m, str tag, size_t *notes,
                   size_t *all)
{
    str folded = utf8_fold(a, tag);
    str below = arena_printf(a, STR_FMT "/", STR_ARG(folded));
    *notes = *all = 0;
    for (size_t f = 0; f < FILES; f++) {
        bool any = false;
        for (size_t i = 0; i < m->of[f].n; i++) {
            str has = utf8_fold(a, m->of[f].items[i]);
            *notes += str_eq(has, folded);
            any = any || str_eq(has, folded) || str_starts(has, below);
        }
        *all += any;
    }
}

static void check_model(struct arena *a, const struct tags *t, const struct model *m)
{
    for (size_t i = 0; i < tags_count(t); i++) {
        struct tag tag = tags_at(t, i);
        size_t notes, all;
        expect(a, m, tag.name, &notes, &all);
        str row = arena_printf(a, STR_FMT, STR_ARG(tag.name));
        CHECK_INT(row.p, tag.notes, notes);
        CHECK_INT(row.p, tag.all, all);
        CHECK(row.p, all > 0);
        for (size_t k = 1; k < tag.all; k++)
            CHECK(row.p, tag.files[k - 1] < tag.files[k]);
        struct tag found;
        CHECK(row.p, tags_find(t, tag.name, &found) && str_eq(found.name, tag.name));
    }
    for (size_t f = 0; f < FILES; f++)
        for (size_t i = 0; i < m->of[f].n; i++) {
            struct tag found;
            CHECK("exists", tags_find(t, m->of[f].items[i], &found));
        }
}

static bool has(struct arena *a, const struct str_list *list, str tag)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_eq(utf8_fold(a, list->items[i]), utf8_fold(a, tag)))
            return true;
    return false;
}

static void test_random(void **state)
{
    struct arena *a = *state;
    struct arena scratch = {0};
    struct tags *t = tags_create();
    struct model m = {0};
    unsigned random = 1;
    for (int step = 0; step < 3000; step++) {
        random = random * 1103515245 + 12345;
        file_id file = (random >> 16) % FILES;
        struct str_list *list = &m.of[file];
        if (list->n > 0) {
            tags_remove(t, file, list);
            list->n = 0;
        } else {
            list->items = ARENA_ARRAY(a, str, COUNT_OF(words));
            for (size_t i = 0; i < COUNT_OF(words); i++) {
                random = random * 1103515245 + 12345;
                if ((random >> 16) % 3 == 0 && !has(&scratch, list, str_c(words[i])))
                    list->items[list->n++] = str_c(words[i]);
            }
            tags_add(t, file, list);
        }
        if (step % 50 == 0)
            check_model(&scratch, t, &m);
        arena_reset(&scratch);
    }
    for (file_id f = 0; f < FILES; f++)
        tags_remove(t, f, &m.of[f]);
    CHECK_INT("all gone", tags_count(t), 0);
    tags_free(t);
    arena_release(&scratch);
}

/* Adding many notes together is the same as adding them one by one. */
static void test_all_at_once(void **state)
{
    static const char *const some[] = {"",          "a",          "A|b",
                                       "a/b|a/c",   "A/b|a/C|x",  "a/b/c",
                                       "b|a/b|A/D", "\u00c4/a|x", "x|\u00e4/A"};
    enum { NOTES = 500 };
    struct arena *a = *state;
    struct tags *one_by_one = tags_create(), *together = tags_create();
    struct tags_note notes[NOTES];
    struct str_list before = listed(a, "a|q");
    tags_add(one_by_one, 1, &before);
    tags_add(together, 1, &before);
    for (size_t i = 0; i < NOTES; i++) {
        struct str_list *list = ARENA_NEW(a, struct str_list);
        *list = listed(a, some[i * i % COUNT_OF(some)]);
        notes[i] = (struct tags_note){(file_id)(2 + 3 * i), list};
        tags_add(one_by_one, notes[i].file, list);
    }
    tags_add_all(together, notes, NOTES);
    tags_add_all(together, NULL, 0);
    CHECK("the same", str_eq(shown(a, together), shown(a, one_by_one)));
    for (size_t i = 0; i < tags_count(together); i++) {
        struct tag is = tags_at(together, i), want = tags_at(one_by_one, i);
        CHECK("files", memcmp(is.files, want.files, want.all * sizeof(file_id)) == 0);
    }
    tags_remove(together, 1, &before);
    for (size_t i = 0; i < NOTES; i++)
        tags_remove(together, notes[i].file, notes[i].tags);
    CHECK_INT("all gone", tags_count(together), 0);
    tags_free(one_by_one);
    tags_free(together);
}

static void test_endless_tag(void **state)
{
    struct arena *a = *state;
    enum { LEVELS = 200000 };
    char *text = arena_alloc(a, 2 * LEVELS);
    for (size_t i = 0; i < LEVELS; i++)
        memcpy(text + 2 * i, "a/", 2);
    str tag = {text, 2 * LEVELS - 1};
    struct str_list list = {&tag, 1};
    struct tags *t = tags_create();
    tags_add(t, 0, &list);
    struct tag found;
    CHECK("the whole", tags_find(t, tag, &found) && found.notes == 1);
    CHECK("the top", tags_find(t, STR("a/a/a"), &found) && found.all == 1);
    CHECK("memory", tags_memory(t) < 8 << 20);
    tags_remove(t, 0, &list);
    CHECK_INT("gone", tags_count(t), 0);
    tags_free(t);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_tree),        ARENA_TEST(test_spelling),
        ARENA_TEST(test_random),      ARENA_TEST(test_all_at_once),
        ARENA_TEST(test_endless_tag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
