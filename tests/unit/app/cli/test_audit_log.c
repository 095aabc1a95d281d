/* vaultd audit: which lines are found in a log, and what a terminal and a program get of them. */
#include "whole.h"

#define CALL(time, user, client, name, more)                                             \
    "{\"time\":\"" time "\",\"event\":\"call\",\"user\":\"" user                         \
    "\",\"client\":\"" client "\",\"name\":\"" name "\",\"outcome\":\"ok\"" more "}\n"

#define FIRST                                                                            \
    CALL("2000-01-01T10:00:00.001Z", "ann", "Claude", "vault_read",                      \
         ",\"read\":[\"Diary/a.md\"],\"bytes_out\":100")
#define SECOND                                                                           \
    CALL(                                                                                \
        "2000-01-02T10:00:00.001Z", "ben", "Claude", "vault_edit",                       \
        ",\"changed\":[\"Work/Plan.md\",\"b.md\",\"c.md\",\"d.md\"],\"changed_more\":7")
#define THIRD                                                                            \
    CALL("2999-01-01T10:00:00.001Z", "CORP\\\\eva", "Cursor \\\"x\\\"", "vault_read",    \
         ",\"read\":[\"Diaryx.md\",\"\\u001b[2J.md\"]")
#define FAILED                                                                           \
    "{\"time\":\"2999-01-02T10:00:00.001Z\",\"event\":\"call\",\"program\":\"curl\","    \
    "\"name\":\"vault_write\",\"outcome\":\"DENIED\"}\n"
#define SIGN_IN                                                                          \
    "{\"time\":\"2999-01-03T10:00:00.001Z\",\"event\":\"login\",\"user\":\"ann\"}\n"
#define ALL FIRST SECOND THIRD FAILED SIGN_IN

static const struct cli_row rows[] = {
    {"audit", .code = 2, .err = "no audit log is named: give --audit FILE"},
    {"audit --audit @/none.jsonl", .code = 1, .err = "there is no audit log at '@/none"},
    {"audit --audit @/log.jsonl --json", .out = "=" ALL},
    {"audit --audit - --json", .in = ALL, .out = "=" ALL},
    {"audit --audit @/log.jsonl",
     .out = "2000-01-01 10:00  ann Claude  vault_read  read Diary/a.md\n"},
    {"audit --audit @/log.jsonl",
     .out = "vault_edit  changed Work/Plan.md, b.md, c.md and 8 more\n"},
    {"audit --audit @/log.jsonl", .out = "  CORP\\eva Cursor \"x\"  vault_read"},
    {"audit --audit @/log.jsonl", .out = "Diaryx.md, \\u001b[2J.md\n"},
    {"audit --audit @/log.jsonl", .out = "curl  vault_write  DENIED\n"},
    {"audit --audit @/log.jsonl", .out = "ann   login\n"},
    /* filters */
    {"audit --audit @/log.jsonl --json --user ann", .out = "=" FIRST SIGN_IN},
    {"audit --audit @/log.jsonl --json --user an", .code = 1},
    {"audit --audit @/log.jsonl --json --user CORP\\eva", .out = "=" THIRD},
    {"audit --audit @/log.jsonl --json --client laud", .out = "=" FIRST SECOND},
    {"audit --audit @/log.jsonl --json --client curl", .out = "=" FAILED},
    {"audit --audit @/log.jsonl --json --client \"", .out = "=" THIRD},
    {"audit --audit @/log.jsonl --json --tool vault_read", .out = "=" FIRST THIRD},
    {"audit --audit @/log.jsonl --json --tool vault", .code = 1},
    {"audit --audit @/log.jsonl --json --path Diary", .out = "=" FIRST},
    {"audit --audit @/log.jsonl --json --path Diary/", .out = "=" FIRST},
    {"audit --audit @/log.jsonl --json --path Diary/a.md", .out = "=" FIRST},
    {"audit --audit @/log.jsonl --json --path Work/Plan.md", .out = "=" SECOND},
    {"audit --audit @/log.jsonl --json --path Plan.md", .code = 1},
    {"audit --audit @/log.jsonl --json --user ben --tool vault_read", .code = 1},
    /* since when */
    {"audit --audit @/log.jsonl --json --since 2000-01-02",
     .out = "=" SECOND THIRD FAILED SIGN_IN},
    {"audit --audit @/log.jsonl --json --since 7d", .out = "=" THIRD FAILED SIGN_IN},
    {"audit --audit @/log.jsonl --json --since 0m", .out = "=" THIRD FAILED SIGN_IN},
    {"audit --audit @/log.jsonl --json --since 2147483647d", .out = "=" ALL},
    {"audit --audit @/log.jsonl --json --since yesterday",
     .out = "=" THIRD FAILED SIGN_IN},
    {"audit --audit @/log.jsonl --since soon", .code = 2,
     .err = "'soon' is neither a date (YYYY-MM-DD, today, yesterday) nor a time such "},
    {"audit --audit @/log.jsonl --since -7d", .code = 2, .err = "neither a date"},
    {"audit --audit @/log.jsonl --since d", .code = 2, .err = "neither a date"},
    {"audit --audit @/log.jsonl --since 2147483648d", .code = 2, .err = "neither a date"},
    {"audit --audit @/log.jsonl --since 2000-13-01", .code = 2, .err = "neither a date"},
    /* limits */
    {"audit --audit @/log.jsonl --json -n 1", .out = "=" SIGN_IN,
     .err = "=the latest 1 of 5: --limit shows more\n"},
    {"audit --audit @/log.jsonl --json -n 5", .out = "=" ALL},
    {"audit --audit @/log.jsonl -n 0", .code = 2, .err = "'0' is not a whole number"},
    /* counts */
    {"audit --audit @/log.jsonl --summary --user ben",
     .out = "=Claude for ben\n  1 calls (0 not ok), 0 files read, 11 changed, 0 B "
            "answered, last 2000-01-02 10:00\n"},
    {"audit --audit @/log.jsonl --summary --client curl", .out = "1 calls (1 not ok)"},
    {"audit --audit @/log.jsonl --summary --json --user ann",
     .out = "=~{'user':'ann','client':'Claude','calls':1,'failed':0,'read':1,'changed':0,"
            "'bytes_out':100,'first':'2000-01-01T10:00:00.001Z','last':'2000-01-01T10:00:"
            "00.001Z'}\n"},
    {"audit --audit @/log.jsonl --summary --user none", .code = 1},
    /* what is not a line of ours */
    {"audit --audit - --json", .in = "nonsense\n\n[]\n" FIRST, .out = "=" FIRST,
     .err = "=2 damaged lines were skipped\n"},
    {"audit --audit - --json", .in = FIRST "{\"time\":\"20", .out = "=" FIRST,
     .err = "the last line is incomplete, and was skipped"},
    {"audit --audit -", .code = 1, .in = ""},
    {"audit --audit - --json --path x", .code = 1,
     .in = "{\"read\":7,\"changed\":{\"a\":\"y\"}}\n{\"read\":[1,null]}\n"},
    {"audit --audit - --summary", .code = 1, .in = "{\"event\":\"login\"}\n"},
    {"audit --audit -", .in = "{}\n", .out = "\n"},
};

static void test_audit(void **state)
{
    struct place *p = *state;
    prepare(p);
    place_put(p, "../log.jsonl", STR(ALL));
    check_whole(p, rows, COUNT_OF(rows));
}

/* A line that is too long, and more apps than are counted one by one. */
static void test_limits(void **state)
{
    enum { LONG = 3 << 20, APPS = 1003 };
    struct place *p = *state;
    struct sbuf b = SBUF_ON(&p->arena), apps = SBUF_ON(&p->arena);
    prepare(p);
    sbuf_add(&b, STR("{\"name\":\""));
    for (size_t i = 0; i < LONG; i++)
        sbuf_char(&b, 'x');
    sbuf_add(&b, STR("\"}\n" FIRST));
    place_put(p, "../long.jsonl", sbuf_str(&b));
    for (int i = 0; i < APPS; i++)
        sbuf_printf(&apps, "{\"event\":\"call\",\"client\":\"app %d\"}\n", i);
    place_put(p, "../apps.jsonl", sbuf_str(&apps));
    static const struct cli_row limits[] = {
        {"audit --audit @/long.jsonl --json", .out = "=" FIRST,
         .err = "damaged lines were skipped"},
        {"audit --audit @/apps.jsonl --summary", .out = "(further apps)\n  3 calls"},
    };
    check_whole(p, limits, COUNT_OF(limits));
}

/* Older files of the same log come first. */
static void test_rotated(void **state)
{
    struct place *p = *state;
    static const struct cli_row rotated[] = {
        {"audit --audit @/log.jsonl --json", .out = "=" FIRST SECOND THIRD}};
    prepare(p);
    place_put(p, "../log.jsonl.2", STR(FIRST));
    place_put(p, "../log.jsonl.1", STR(SECOND));
    place_put(p, "../log.jsonl", STR(THIRD));
    check_whole(p, rotated, COUNT_OF(rotated));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_audit),
        PLACE_TEST(test_limits),
        PLACE_TEST(test_rotated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
