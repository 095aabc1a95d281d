#include "sync/mask.h"

#include "check.h"

static void test_SEC_125_urls(void **state)
{
    static const char *const rows[][2] = {
        {"plain", "plain"},
        {"https://host/x", "https://host/x"},
        {"https://me:token@host/x", "https://***@host/x"},
        {"fatal: 'https://ghp_x@host/': no", "fatal: 'https://***@host/': no"},
        {"a //u:p@h b //v:q@i", "a //***@h b //***@i"},
        {"https://u:p@ss@host/x", "https://***@host/x"},
        {"https://host/mail@example.org", "https://host/mail@example.org"},
        {"//", "//"},
        {"", ""},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_STR(rows[i][0], mask_urls(&a, str_c(rows[i][0])), rows[i][1]);
    arena_release(&a);
}

static void test_has_secret(void **state)
{
    static const struct {
        const char *url;
        bool has;
    } cases[] = {
        {"https://host/x.git", false},      {"https://me:pw@host/x", true},
        {"https://token@host/x", true},     {"HTTPS://token@host/x", true},
        {"ssh://git@host/x", false},        {"ssh://git:pw@host/x", true},
        {"git@host:x.git", false},          {"/srv/a@b", false},
        {"https://host/mail@x.org", false}, {"file:///srv/x", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK(cases[i].url, mask_has_secret(str_c(cases[i].url)) == cases[i].has);
}

static void test_reason(void **state)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"fatal: no\n", "fatal: no"},
        {"Permission denied (publickey).\r\nfatal: Could not read.\n",
         "Permission denied (publickey).; fatal: Could not read."},
        {"hint: try this\nerror: //u:p@h\nhint: or that\n", "error: //***@h"},
        {"remote: Counting objects: 3\nReceiving objects: 1%\nfatal: x", "fatal: x"},
        {"bad \xff\x01 bytes", "bad ?  bytes"},
        {"remote: no notes on Fridays\nerror: failed to push some refs to 'x'\n",
         "remote: no notes on Fridays"},
        {"@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\r\n"
         "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\n"
         "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\r\n"
         "IT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!\r\n"
         "Someone could be eavesdropping on you right now (man-in-the-middle attack)!\r\n"
         "It is also possible that a host key has just been changed.\r\n"
         "The fingerprint for the ED25519 key sent by the remote host is\n"
         "SHA256:4YTuZd4hzaW9E0L6R6Ht8yOR5Oo8J+3aUMsHdYJ1nJE.\r\n"
         "Please contact your system administrator.\r\n"
         "Add correct host key in /k to get rid of this message.\r\n"
         "Offending ED25519 key in /k:1\r\n  remove with:\r\n"
         "  ssh-keygen -f \"/k\" -R \"[h]:22\"\r\n"
         "Host key for [h]:22 has changed and you have requested strict checking.\r\n"
         "Host key verification failed.\r\n"
         "fatal: Could not read from remote repository.\n\n"
         "Please make sure you have the correct access rights\nand the repository "
         "exists.\n",
         "Offending ED25519 key in /k:1; Host key for [h]:22 has changed and you have "
         "requested strict checking.; Host key verification failed.; fatal: Could not "
         "read "
         "from remote repository."},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_STR(rows[i][0], mask_reason(&a, str_c(rows[i][0])), rows[i][1]);
    char *big = arena_alloc(&a, 5000);
    memset(big, 'x', 5000);
    assert_int_equal(mask_reason(&a, (str){big, 5000}).n, MASK_REASON_MAX);
    arena_release(&a);
}

static void test_split(void **state)
{
    static const char *const rows[][4] = {
        {"https://host/x.git", "https://host/x.git", "", ""},
        {"https://me:tok%40en@host/x", "https://host/x", "me", "tok@en"},
        {"https://token@host:8443/x", "https://host:8443/x", "", "token"},
        {"https://host", "https://host", "", ""},
        {"ssh://git@host/x", "ssh://git@host/x", "", ""},
        {"git@host:x.git", "git@host:x.git", "", ""},
        {"/srv/x@y.git", "/srv/x@y.git", "", ""},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str clean, user, password;
        mask_split(&a, str_c(rows[i][0]), &clean, &user, &password);
        CHECK_STR(rows[i][0], clean, rows[i][1]);
        CHECK_STR(rows[i][0], user, rows[i][2]);
        CHECK_STR(rows[i][0], password, rows[i][3]);
    }
    arena_release(&a);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_SEC_125_urls),
        cmocka_unit_test(test_reason),
        cmocka_unit_test(test_has_secret),
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
