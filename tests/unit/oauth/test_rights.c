#include "check.h"

#include "base/hash.h"
#include "base/sbuf.h"
#include "oauth/rights.h"
#include "rounds.h"

static void test_scopes(void **state)
{
    static const struct {
        const char *text;
        int scopes; /* -1: malformed */
        const char *printed;
    } cases[] = {
        {"vault:read", OAUTH_READ, "vault:read"},
        {"vault:propose", OAUTH_MAY_PROPOSE, "vault:read vault:propose"},
        {"vault:write", OAUTH_MAY_WRITE, "vault:read vault:write"},
        {"vault:write vault:read", OAUTH_MAY_WRITE, "vault:read vault:write"},
        {"vault:propose vault:write", OAUTH_MAY_WRITE, "vault:read vault:write"},
        {"openid email profile offline_access", 0, ""},
        {"openid vault:read", OAUTH_READ, "vault:read"},
        {"VAULT:READ", 0, ""},
        {"vault:reader", 0, ""},
        {"", -1, NULL},
        {" vault:read", -1, NULL},
        {"vault:read ", -1, NULL},
        {"vault:read  vault:write", -1, NULL},
        {"vault:read\tvault:write", -1, NULL},
        {"a\"b", -1, NULL},
        {"a\\b", -1, NULL},
        {"\xc3\xa4", -1, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        unsigned scopes = 77;
        bool ok = rights_read_scopes(str_c(cases[i].text), &scopes);
        CHECK_INT(cases[i].text, ok ? (int)scopes : -1, cases[i].scopes);
        if (ok)
            CHECK_STR(cases[i].text, rights_print_scopes(*state, scopes),
                      cases[i].printed);
    }
}

/* Rights of earlier versions: a list of folders, or no limit. */
static void test_folders(void **state)
{
    static const char *const cases[] = {"", "Work", "Work\nHome/Garden\nX"};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct oauth_rights r = rights_read(*state, 3, str_c(cases[i]));
        CHECK_INT(cases[i], r.n_places, i == 0 ? 0 : i == 1 ? 1 : 3);
        CHECK_INT(cases[i], r.scopes, OAUTH_MAY_WRITE);
        CHECK_INT(cases[i], r.elsewhere, i == 0 ? RIGHTS_WRITE : RIGHTS_NONE);
        for (size_t k = 0; k < r.n_places; k++)
            CHECK_INT(cases[i], r.places[k].level, RIGHTS_WRITE);
        CHECK("tools", !r.only_tools);
        CHECK_STR(cases[i], rights_print(*state, &r), cases[i]);
    }
}

/* The root of a vault is a limit, too: it must not become none. */
static void test_root_folder(void **state)
{
    struct rights_place root = {STR(""), RIGHTS_WRITE};
    struct oauth_rights r = {.places = &root, .n_places = 1};
    str text = rights_print(*state, &r);
    CHECK_STR("text", text, "/");
    r = rights_read(*state, OAUTH_READ, text);
    assert_int_equal(r.n_places, 1);
    assert_int_equal(rights_at(&r, STR("Work"), false), RIGHTS_READ);
}

#define FORM "../rights\n"

static str summed(struct arena *a, const char *form)
{
    return arena_printf(a, "%s\nsum %016llx", form,
                        (unsigned long long)hash_content(str_c(form)).high);
}

/* Every byte that is another one, and every end that is missing, allows nothing. */
static void test_damaged(void **state)
{
    str whole = summed(*state, FORM "elsewhere none\nread Work\ntools\ntool vault_read");
    struct oauth_rights r = rights_read(*state, 7, whole);
    CHECK_INT("whole", rights_at(&r, STR("Work"), false), RIGHTS_READ);
    for (size_t i = 0; i < whole.n; i++) {
        str flipped = arena_str(*state, whole);
        ((char *)flipped.p)[i] ^= 1;
        r = rights_read(*state, 7, flipped);
        CHECK_INT(flipped.p, rights_highest(&r), RIGHTS_NONE);
        if (i > 0) {
            r = rights_read(*state, 7, str_slice(whole, 0, i));
            CHECK_INT("cut", rights_highest(&r), RIGHTS_NONE);
        }
    }
}

static void test_form(void **state)
{
    static const char *const cases[] = {
        FORM "elsewhere none",
        FORM "elsewhere read",
        FORM "elsewhere read\nwrite Inbox\npropose Work\nnone Private",
        FORM "elsewhere none\nread Work",
        FORM "elsewhere write\ntools\ntool vault_read\ntool vault_search",
        FORM "elsewhere write\ntools",
        FORM "elsewhere none\nwrite /\ntools\ntool search",
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str text = summed(*state, cases[i]);
        struct oauth_rights r = rights_read(*state, OAUTH_MAY_WRITE, text);
        CHECK_INT(cases[i], r.scopes, OAUTH_MAY_WRITE);
        CHECK_STR(cases[i], rights_print(*state, &r), text.p);
        struct oauth_rights copy = rights_copy(*state, &r);
        CHECK_STR(cases[i], rights_print(*state, &copy), text.p);
    }
}

/* What somebody has edited in the database, or a later version has stored. */
static void test_unreadable(void **state)
{
    static const struct {
        int64_t scopes;
        const char *text;
    } cases[] = {
        {8, ""},
        {-1, ""},
        {7 + 256, ""},
        {7, FORM},
        {7, "../rights"},
        {7, FORM "write Inbox"},
        {7, FORM "elsewhere all"},
        {7, FORM "elsewhere write\nadmin Work"},
        {7, FORM "elsewhere write\nwrite"},
        {7, FORM "elsewhere write\nwrite "},
        {7, FORM "elsewhere write\n"},
        {7, FORM "elsewhere write\ntool vault_read"},
        {7, FORM "elsewhere write\ntools\ntool a,b"},
        {7, FORM "elsewhere write\nwrite a\x01"},
        {7, "Work\x1b[2J"},
        {0, ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct oauth_rights r = rights_read(*state, cases[i].scopes,
                                            str_starts(str_c(cases[i].text), STR(FORM))
                                                ? summed(*state, cases[i].text)
                                                : str_c(cases[i].text));
        CHECK_INT(cases[i].text, rights_highest(&r), RIGHTS_NONE);
        CHECK_INT(cases[i].text, rights_at(&r, STR("Work"), false), RIGHTS_NONE);
    }
    struct sbuf many = SBUF_ON(*state);
    for (int i = 0; i < 10000; i++)
        sbuf_printf(&many, "%sf%d", i > 0 ? "\n" : "", i);
    struct oauth_rights r = rights_read(*state, 7, sbuf_str(&many));
    CHECK_INT("10,000", rights_highest(&r), RIGHTS_NONE);
    r = rights_read(*state, 7, arena_printf(*state, "%010000d", 1));
    CHECK_INT("10,000 bytes", rights_highest(&r), RIGHTS_NONE);
}

/* Scopes of earlier versions: 1 is reading, 3 is writing. */
static void test_stored_scopes(void **state)
{
    (void)state;
    static const struct {
        int64_t stored;
        unsigned scopes;
    } cases[] = {{0, 0},
                 {1, OAUTH_MAY_READ},
                 {3, OAUTH_MAY_WRITE},
                 {2, OAUTH_MAY_WRITE},
                 {5, OAUTH_MAY_PROPOSE},
                 {7, OAUTH_MAY_WRITE},
                 {8, 0},
                 {-7, 0},
                 {INT64_MAX, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT("scopes", rights_stored_scopes(cases[i].stored), cases[i].scopes);
}

static void test_at(void **state)
{
    static const struct {
        const char *text, *folder;
        bool several;
        enum rights_level level;
    } cases[] = {
        {"elsewhere read\nwrite In", "In", false, RIGHTS_WRITE},
        {"elsewhere read\nwrite In", "In/deep", false, RIGHTS_WRITE},
        {"elsewhere read\nwrite In", "Inbox", false, RIGHTS_READ},
        {"elsewhere read\nwrite In\nnone In/x", "In/x/y", false, RIGHTS_NONE},
        {"elsewhere write\nread In\nnone In", "In", false, RIGHTS_NONE},
        {"elsewhere none\nread /", "In", false, RIGHTS_READ},
        {"elsewhere none\nread team:", "team:In", true, RIGHTS_READ},
        {"elsewhere none\nread team:", "teams:In", true, RIGHTS_NONE},
        {"elsewhere none\nread team:\npropose team:In", "team:In/x", true,
         RIGHTS_PROPOSE},
        {"elsewhere none\nread x:", "x:y", false, RIGHTS_NONE},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct oauth_rights r =
            rights_read(*state, OAUTH_MAY_WRITE,
                        summed(*state, arena_printf(*state, FORM "%s", cases[i].text).p));
        CHECK_INT(cases[i].text, rights_at(&r, str_c(cases[i].folder), cases[i].several),
                  cases[i].level);
        r.scopes = OAUTH_MAY_READ;
        CHECK("scopes", rights_at(&r, str_c(cases[i].folder), false) <= RIGHTS_READ);
    }
}

/* Both never allow more than either, anywhere, and never less than the lower one. */
static void test_both(void **state)
{
    static const char *const paths[] = {"", "a", "b", "a/a", "a/b", "a/a/a", "b/a"};
    uint32_t seed = 35;
    for (int round = 0; round < rounds(1000); round++) {
        struct oauth_rights r[2];
        for (int i = 0; i < 2; i++) {
            struct rights_place *places = ARENA_ARRAY(*state, struct rights_place, 4);
            r[i] = (struct oauth_rights){.places = places};
            r[i].n_places = (seed = seed * 1664525 + 1013904223) % 5;
            r[i].elsewhere = (seed = seed * 1664525 + 1013904223) >> 30;
            r[i].scopes = rights_scopes_for((seed = seed * 1664525 + 1013904223) >> 30);
            for (size_t k = 0; k < r[i].n_places; k++) {
                seed = seed * 1664525 + 1013904223;
                places[k].folder = str_c(paths[(seed >> 8) % COUNT_OF(paths)]);
                places[k].level = seed >> 30;
            }
        }
        struct oauth_rights both = rights_both(*state, &r[0], &r[1], false);
        for (size_t i = 1; i < COUNT_OF(paths); i++) {
            enum rights_level x = rights_at(&r[0], str_c(paths[i]), false),
                              y = rights_at(&r[1], str_c(paths[i]), false);
            CHECK_INT(paths[i], rights_at(&both, str_c(paths[i]), false), x < y ? x : y);
        }
    }
}

static void test_both_tools(void **state)
{
    struct oauth_rights all = rights_all(OAUTH_MAY_WRITE),
                        some =
                            rights_read(*state, 7,
                                        summed(*state, FORM
                                               "elsewhere write\ntools\ntool a\ntool b")),
                        other = rights_read(
                            *state, 7,
                            summed(*state, FORM "elsewhere read\ntools\ntool b\ntool c"));
    struct oauth_rights one = rights_both(*state, &all, &some, false),
                        two = rights_both(*state, &some, &other, false);
    CHECK_STR("one", rights_print(*state, &one),
              summed(*state, FORM "elsewhere write\ntools\ntool a\ntool b").p);
    CHECK_STR("two", rights_print(*state, &two),
              summed(*state, FORM "elsewhere read\ntools\ntool b").p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_scopes),      ARENA_TEST(test_folders),
        ARENA_TEST(test_root_folder), ARENA_TEST(test_form),
        ARENA_TEST(test_unreadable),  ARENA_TEST(test_stored_scopes),
        ARENA_TEST(test_at),          ARENA_TEST(test_both),
        ARENA_TEST(test_both_tools),  ARENA_TEST(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
