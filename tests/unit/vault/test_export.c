#include "vault/ask/export.h"
#include "vault_place.h"

static void write_file(struct place *p, const char *name, const char *text)
{
    int fd = openat(p->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void test_links(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"plain\n", "plain\n"},
        {"", ""},
        {"[[Beside]]", "[Beside](Beside.md)"},
        {"a [[Beside|it]] b", "a [it](Beside.md) b"},
        {"[[Beside#Part]]", "[Beside > Part](Beside.md)"},
        {"[[ADR/Beside.md]]", "[ADR/Beside.md](Beside.md)"},
        {"[[With (some) blanks]]", "[With (some) blanks](With%20%28some%29%20blanks.md)"},
        {"[[Elsewhere]] [[Elsewhere|there]]", "Elsewhere there"},
        {"[[Nowhere]]", "Nowhere"},
        {"[[#Own heading]]", "Own heading"},
        {"![[Beside]]", "Beside"},
        {"[a](Beside.md) <https://x.org>", "[a](Beside.md) <https://x.org>"},
        {"`[[Beside]]`\n\n```\n[[Beside]]\n```\n",
         "`[[Beside]]`\n\n```\n[[Beside]]\n```\n"},
        {"---\nstatus: accepted\nof: \"[[Beside]]\"\n---\n[[Beside]]\n",
         "---\nstatus: accepted\nof: \"[[Beside]]\"\n---\n[Beside](Beside.md)\n"},
    };
    struct place *p = *state;
    struct err err = {0};
    assert_int_equal(mkdirat(p->fd, "ADR", 0755), 0);
    write_file(p, "Elsewhere.md", "x");
    write_file(p, "ADR/Beside.md", "x");
    write_file(p, "ADR/With (some) blanks.md", "x");
    assert_true(vault_open(p->folder, &p->vault, &err));
    vault_start(p->vault, &(struct vault_options){.state_dir = p->state});
    assert_true(vault_wait(p->vault, NULL, NULL, &err));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str path = STR("ADR/Note.md");
        write_file(p, path.p, cases[i].text);
        vault_refresh(p->vault, &path, 1);
        const struct index *x = vault_lock(p->vault);
        const struct file *f = index_find(x, path);
        assert_non_null(f);
        CHECK_STR(cases[i].text, export_note(&p->arena, x, f), cases[i].want);
        vault_unlock(p->vault);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_links, place_setup, place_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
