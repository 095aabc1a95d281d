#include "base/uri.h"

#include "check.h"

/* All parts, so that no byte is in two of them or in none. */
static void test_parts(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"https://vault.example/mcp?x#y",
         "https|||vault.example|vault.example|||/mcp?x#y"},
        {"http://h:8090", "http|||h|h|:|8090|"},
        {"http://h:", "http|||h|h|:||"},
        {"https://h?x/y@z", "https|||h|h|||?x/y@z"},
        {"https://me:secret@h:1/x", "https|me:secret|@|h|h|:|1|/x"},
        {"https://a@b@h/", "https|a@b|@|h|h|||/"},
        {"https://@h/", "https||@|h|h|||/"},
        {"http://[::1]:8090/mcp", "http|||[::1]|::1|:|8090|/mcp"},
        {"http://u@[::1]", "http|u|@|[::1]|::1|||"},
        {"http://[::1]x:1", "http|||[::1]x|::1|:|1|"},
        {"file:///home/me", "file|||||||/home/me"},
        {"cursor://anysphere/x", "cursor|||anysphere|anysphere|||/x"},
        {"http://[::1", NULL},
        {"host/path", NULL},
        {"me@host:notes.git", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct uri_parts u;
        bool split = uri_split(str_c(rows[i].text), &u);
        CHECK(rows[i].text, split == (rows[i].want != NULL));
        if (!split) {
            CHECK_STR(rows[i].text, u.place, rows[i].text);
            CHECK(rows[i].text, u.host.n == 0 && u.authority.n == 0 && u.rest.n == 0);
            continue;
        }
        str got = arena_printf(
            *state,
            STR_FMT "|" STR_FMT "|%s|" STR_FMT "|" STR_FMT "|%s|" STR_FMT "|" STR_FMT,
            STR_ARG(u.scheme), STR_ARG(u.user), u.has_user ? "@" : "", STR_ARG(u.host),
            STR_ARG(u.name), u.has_port ? ":" : "", STR_ARG(u.port), STR_ARG(u.rest));
        CHECK_STR(rows[i].text, got, rows[i].want);
        str again =
            arena_printf(*state, STR_FMT STR_FMT, STR_ARG(u.origin), STR_ARG(u.rest));
        CHECK_STR(rows[i].text, again, rows[i].text);
        CHECK(rows[i].text,
              str_ends(u.authority, u.place) && str_ends(u.origin, u.place));
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
