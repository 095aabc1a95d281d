#include "sync/mask.h"

#include "check.h"

static void test_urls(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_urls),
        cmocka_unit_test(test_reason),
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
