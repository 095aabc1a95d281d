/* What to do about a failure, for each kind of caller. */
#include "app/answers/remedy.h"

#include "check.h"

static struct err failed(enum err_remedy remedy)
{
    struct err err;
    (void)!err_set(&err, ERR_INVALID, "no");
    (void)!err_remedy(&err, remedy);
    return err;
}

static void test_words(void **state)
{
    static const struct {
        enum err_remedy remedy;
        const char *tool, *command;
    } rows[] = {
        {REMEDY_NONE, "no", "no"},
        {REMEDY_WRITE_ALL, "no; convert it to UTF-8 with vault_write and overwrite",
         "no; convert it to UTF-8 with vaultd write --overwrite"},
        {REMEDY_MOVE_TEXT, "no; to move text in a note use vault_edit",
         "no; to move text in a note use vaultd edit"},
        {REMEDY_EDIT_LINE, "no; or use vault_edit", "no; or use vaultd edit"},
        {REMEDY_READ_CANVAS, "no; vault_read shows ids and titles",
         "no; vaultd read shows ids and titles"},
        {REMEDY_RENAME_HEADING,
         "no; rename one of them first (vault_move with heading and to)",
         "no; rename one of them first (vaultd move --heading)"},
        {REMEDY_RENAME_BLOCK,
         "no; rename one of them first (vault_move with block and to)",
         "no; rename one of them first (vaultd move --block)"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct err tool = failed(rows[i].remedy), command = tool;
        CHECK("fails", !remedy_for_tools(&tool) && !remedy_for_commands(&command));
        CHECK_STR(rows[i].tool, err_text(&a, &tool), rows[i].tool);
        CHECK_STR(rows[i].command, err_text(&a, &command), rows[i].command);
    }
    arena_release(&a);
}

/* What a tool says itself is more exact. */
static void test_own_hint(void **state)
{
    struct arena a = {0};
    struct err err = failed(REMEDY_MOVE_TEXT);
    (void)!err_hint(&err, "own");
    CHECK("fails", !remedy_for_tools(&err));
    CHECK_STR("own", err_text(&a, &err), "no; own");
    arena_release(&a);
}

static void test_command_words(void **state)
{
    static const char *const rows[][2] = {
        {"no arguments here", "no arguments here"},
        {"send more of the text, or replace_all", "send more of the text, or give -a"},
        {"offset 900 is outside 'a.md'", "line 900 is outside 'a.md'"},
        {"an offset in a note", "an offset in a note"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_STR(rows[i][0], remedy_command_words(&a, str_c(rows[i][0])), rows[i][1]);
    arena_release(&a);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_command_words),
        cmocka_unit_test(test_own_hint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
