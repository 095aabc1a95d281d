#include "sync/message.h"

#include "check.h"

static void test_texts(void **state)
{
    static const str one[] = {STR("Plans/Garden.md")}, odd[] = {STR("a\nTool: fake.md")},
                     two[] = {STR("A.md"), STR("B.md")};
    static const struct {
        const char *row;
        struct journal_change change;
        str subject;
        const str *paths;
        size_t n;
        const char *want;
    } rows[] = {
        {"all",
         {.number = 12,
          .tool = STR("vault_write"),
          .client = STR("claude"),
          .who = STR("ann")},
         {0},
         one,
         1,
         "vault_write: Plans/Garden.md\n\nTool: vault_write\nClient: claude\nUser: ann\n"
         "Vaultd-Change: 12\n"},
        {"key",
         {.number = 3, .tool = STR("vault_write"), .key = STR("ann\nbeans")},
         {0},
         one,
         1,
         "vault_write: Plans/Garden.md\n\nTool: vault_write\nVaultd-Change: 3\n"
         "Vaultd-Key: 716e367e15efe022864a96379281f79c\n"},
        {"two",
         {.tool = STR("vault_edit")},
         {0},
         two,
         2,
         "vault_edit: 2 files\n\n- A.md\n- B.md\n\nTool: vault_edit\n"},
        {"message", {0}, STR("Plan the\ngarden"), one, 1, "Plan the garden\n\n"},
        {"nothing forged",
         {.tool = STR("t"), .who = STR("x\nClient: y")},
         {0},
         odd,
         1,
         "t: a Tool: fake.md\n\nTool: t\nUser: x Client: y\n"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_STR(
            rows[i].row,
            message_of(&a, &rows[i].change, rows[i].subject, rows[i].paths, rows[i].n),
            rows[i].want);
    arena_release(&a);
}

/* The subject is cut between characters; long lists end with the number of the rest. */
static void test_long(void **state)
{
    struct arena a = {0};
    enum { MANY = 50 };
    str paths[MANY];
    char name[300];
    for (size_t i = 0; i + 1 < sizeof(name); i += 2)
        memcpy(name + i, "ü", 2);
    for (size_t i = 0; i < MANY; i++)
        paths[i] = (str){name, sizeof(name)};
    str got = message_of(&a, &(struct journal_change){.tool = STR("x")}, (str){0}, paths,
                         1),
        subject;
    str rest = got;
    assert_true(str_next(&rest, '\n', &subject));
    assert_true(str_ends(subject, STR("ü…")));
    assert_true(subject.n <= MESSAGE_SUBJECT + 3);
    got =
        message_of(&a, &(struct journal_change){.tool = STR("x")}, (str){0}, paths, MANY);
    assert_true(str_find(got, STR("- and 30 more\n")) != STR_NONE);
    arena_release(&a);
}

static void test_author(void **state)
{
    static const char *const rows[][3] = {
        {"ann", "ann", ""},
        {"Ann B <ann@example.org>", "Ann B", "ann@example.org"},
        {"ann@example.org", "ann@example.org", "ann@example.org"},
        {"", "", ""},
        {"odd <", "odd", ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str name, email;
        message_author(str_c(rows[i][0]), &name, &email);
        CHECK_STR(rows[i][0], name, rows[i][1]);
        CHECK_STR(rows[i][0], email, rows[i][2]);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_author),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
