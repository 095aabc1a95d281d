#include "vault/eval/catalogue.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "select_vault.h"

static const struct literal vault[] = {
    {"a.md",
     "---\nStatus: open\nrating: 5\ntags: [x, y]\ndue: 2026-01-01\nup: \"[[b]]\"\n---\n",
     0, false},
    {"b.md", "---\nstatus: Open\nrating: 4.5\ntags: [x]\ndue:\ndone: true\n---\n", 0,
     false},
    {"c.md",
     "---\nstatus: closed\nrating: many\nat: 2026-01-01T10:00\nmap: {k: 1}\n---\n", 0,
     false},
    {"d.md", "---\nstatus: OPEN\nvoid:\nup: \"[[b|B]]\"\n---\n", 0, false},
    {"e.md", "---\nstatus: open\nsecret: 1\n---\n", 0, true},
    {"f.md", "no properties", 0, false},
};

/* "name type notes: value=notes …" per line. */
static str shown(struct arena *a, const struct catalogue *c)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < c->n; i++) {
        const struct catalogue_property *p = &c->properties[i];
        sbuf_add(&out, p->name);
        sbuf_char(&out, ' ');
        sbuf_add(&out, p->type);
        sbuf_printf(&out, "%s %zu:", p->declared ? "!" : "", p->notes);
        for (size_t k = 0; k < p->n_values; k++) {
            sbuf_char(&out, ' ');
            value_print(&out, &p->values[k].value);
            sbuf_printf(&out, "=%zu", p->values[k].notes);
        }
        sbuf_char(&out, '\n');
    }
    return sbuf_str(&out);
}

static void test_catalogue(void **state)
{
    struct index *x = index_of(vault, COUNT_OF(vault));
    struct catalogue c;
    assert_true(catalogue_make(x, NULL, *state, STR(""), CATALOGUE_VALUES_MAX, NULL, &c));
    CHECK_STR("all", shown(*state, &c),
              "status text 4: open=3 closed=1\n"
              "rating mixed 3: 4.5=1 5=1 many=1\n"
              "due date 2: 2026-01-01=1\n"
              "tags list 2: x=2 y=1\n"
              "up text 2: [[b]]=2\n"
              "at datetime 1: 2026-01-01T10:00=1\n"
              "done checkbox 1: true=1\n"
              "map object 1:\n"
              "void empty 1:\n");
    assert_true(catalogue_make(x, NULL, *state, STR(""), 1, NULL, &c));
    CHECK_INT("one value", c.properties[0].n_values, 1);
    CHECK_INT("of two", c.properties[0].distinct, 2);
    assert_true(catalogue_make(x, NULL, *state, STR(""), 0, NULL, &c));
    CHECK_INT("no values", c.properties[0].n_values, 0);
    CHECK_INT("the same names", c.n, 9);
    index_free(x);
}

static void test_empty(void **state)
{
    struct index *x = index_create();
    struct catalogue c;
    assert_true(catalogue_make(x, NULL, *state, STR(""), 5, NULL, &c));
    assert_int_equal(c.n, 0);
    index_free(x);
}

static void test_many_values(void **state)
{
    enum { NOTES = CATALOGUE_DISTINCT_MAX + 100 };
    struct index *x = index_create();
    struct arena scratch = {0};
    struct fs_info info = {0};
    for (int i = 0; i < NOTES; i++) {
        char path[32], text[64];
        (void)snprintf(path, sizeof(path), "%05d.md", i);
        (void)snprintf(text, sizeof(text), "---\nid: %d\nsame: x\n---\n", i);
        index_put(x, file_make(&scratch, str_c(path), &info, str_c(text)), false);
    }
    struct catalogue c;
    assert_true(catalogue_make(x, NULL, *state, STR(""), 3, NULL, &c));
    CHECK_STR("values", shown(*state, &c),
              "id number 4196: 0=1 1=1 2=1\n"
              "same text 4196: x=4196\n");
    CHECK_INT("distinct", c.properties[0].distinct, CATALOGUE_DISTINCT_MAX);
    arena_release(&scratch);
    index_free(x);
}

static void test_declared(void **state)
{
    char top[] = "/tmp/vaultd-test-catalogue-XXXXXX";
    static const char types[] = "{\"types\": {\"STATUS\": \"multitext\"}}";
    struct fs_root root = {.fd = -1};
    struct err err = {0};
    assert_non_null(mkdtemp(top));
    assert_true(fs_root_open(&root, top, &err));
    assert_int_equal(mkdirat(root.fd, ".obsidian", 0755), 0);
    int fd =
        openat(root.fd, ".obsidian/types.json", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(write(fd, types, sizeof(types) - 1), sizeof(types) - 1);
    close(fd);
    struct obsidian *settings = obsidian_open(&root, STR(".obsidian"));
    struct index *x = index_of(vault, COUNT_OF(vault));
    struct catalogue c;
    assert_true(catalogue_make(x, settings, *state, STR(""), 0, NULL, &c));
    CHECK_STR("declared", c.properties[0].type, "multitext");
    CHECK("declared", c.properties[0].declared);
    CHECK("inferred", !c.properties[1].declared);
    index_free(x);
    obsidian_free(settings);
    unlinkat(root.fd, ".obsidian/types.json", 0);
    unlinkat(root.fd, ".obsidian", AT_REMOVEDIR);
    fs_root_close(&root);
    rmdir(top);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_catalogue),
        ARENA_TEST(test_empty),
        ARENA_TEST(test_many_values),
        ARENA_TEST(test_declared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
