/* Command lines of the user's: what they read, and how they end. */
#include "base/os/terminal.h"

#include <signal.h>

#include "base/os/self.h"
#include "check.h"

/* With more input than fits into a pipe, whether or not it is read. */
static void test_run(void **state)
{
    static const struct {
        const char *command;
        int code;
    } rows[] = {
        {"test $(wc -c) = 1000000", 0},
        {"exit 3", 3},
        {"kill -TERM $$", 128 + SIGTERM},
        {"no-such-program-here", 127},
    };
    static char text[1000000];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int code = -1;
        memset(text, 'x', sizeof(text));
        assert_true(terminal_run(rows[i].command, self_environment(),
                                 (str){text, sizeof(text)}, &code));
        CHECK_INT(rows[i].command, code, rows[i].code);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
