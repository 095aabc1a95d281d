/* How values compare: by type, dates, lists, links, tags. */
#include "select_vault.h"

struct comparison {
    const char *where;
    bool matches;
};

/* Whether each filter finds the one note that has these properties. */
static void check_rows(struct arena *a, const char *properties,
                       const struct comparison *rows, size_t n, int utc_offset)
{
    struct sbuf text = SBUF_ON(a);
    sbuf_printf(&text, "---\n%s---\nBody #work/deep #Ünï\n\n[[Other]] [[Nowhere]]\n",
                properties);
    sbuf_char(&text, '\0');
    const struct literal files[] = {
        {"Projects/2026-11-16.md", text.p, NOW, false},
        {"Other.md", "", NOW, true},
        {"Sub/Other.md", "", NOW, true},
        {"Third.md", "", NOW, true},
    };
    struct index *x = index_of(files, COUNT_OF(files));
    for (size_t i = 0; i < n; i++) {
        struct select s = {.where = str_c(rows[i].where), .utc_offset = utc_offset};
        str got = run_text(a, x, s);
        CHECK_STR(rows[i].where, got, rows[i].matches ? "2026-11-16" : "");
        /* A negation is checked note by note, without the index of values. */
        s.where = arena_printf(a, "not not (%s)", rows[i].where);
        CHECK_STR(s.where.p, run_text(a, x, s), rows[i].matches ? "2026-11-16" : "");
    }
    index_free(x);
}

static void test_scalars(void **state)
{
    static const char properties[] = "status: Active\n"
                                     "count: 5\n"
                                     "price: 2.50\n"
                                     "big: 9007199254740993\n"
                                     "numeric: \"5\"\n"
                                     "done: true\n"
                                     "nope: false\n"
                                     "zero: 0\n"
                                     "empty:\n"
                                     "blank: \"\"\n"
                                     "none: []\n"
                                     "my prop: odd\n"
                                     "\"a.b\": dotted\n"
                                     "straße: KÄSE\n"
                                     "author:\n  name: Ann\n  born: {year: 1970}\n";
    static const struct comparison rows[] = {
        {"status = active", true},
        {"STATUS == 'ACTIVE'", true},
        {"status != active", false},
        {"status <> other", true},
        {"status < b", true},
        {"status > b", false},
        {"status < 5", false},
        {"status >= 5", false},
        {"status contains tiv", true},
        {"status startswith \"ACT\"", true},
        {"status endswith ive", true},
        {"status endswith act", false},
        {"status matches \"^A.*e$\"", true},
        {"status matches \"^a\"", false},
        {"status matches \"(?i)^a\"", true},
        {"status in (done, active)", true},
        {"status not in (done, active)", false},
        {"status in [done, 'x']", false},
        {"count = 5", true},
        {"count = 5.0", true},
        {"count = '5'", true},
        {"count = \"five\"", false},
        {"count < 10", true},
        {"count < '10'", false},
        {"count > -1", true},
        {"count >= 5 and count <= 5", true},
        {"10 > count", true},
        {"5 = count", true},
        {"count contains 5", true},
        {"price = 2.5", true},
        {"price > 2 and price < 3", true},
        {"big = 9007199254740993", true},
        {"big = 9007199254740992", false},
        {"big > 9007199254740992", true},
        {"numeric = 5", true},
        {"numeric < 10", false},
        {"done", true},
        {"done = true", true},
        {"done = 'TRUE'", true},
        {"done != false", true},
        {"nope", false},
        {"!nope", true},
        {"not zero", true},
        {"empty", false},
        {"empty exists", true},
        {"exists(empty)", true},
        {"empty is empty", true},
        {"empty is null", true},
        {"empty = null", true},
        {"empty is not empty", false},
        {"blank is empty", true},
        {"blank = null", false},
        {"blank = ''", true},
        {"none is empty", true},
        {"none = null", false},
        {"missing exists", false},
        {"missing is missing", true},
        {"missing is empty", true},
        {"missing = null", true},
        {"missing != null", false},
        {"missing != x", true},
        {"missing = x", false},
        {"missing < 5", false},
        {"missing contains x", false},
        {"not missing", true},
        {"\"my prop\" = odd", true},
        {"`my prop` = odd", true},
        {"note.`my prop` = odd", true},
        {"`a.b` = dotted", true},
        {"a.b = dotted", true},
        {"straße = käse", true},
        {"STRAßE contains \"äs\"", true},
        {"author.name = ann", true},
        {"author.born.year = 1970", true},
        {"author.`born`.YEAR > 1960", true},
        {"author.name.x exists", false},
        {"author contains born", true},
        {"author is empty", false},
        {"file.name = 2026-11-16", true},
        {"file.name >= 2026-11-01", true},
        {"file.path = 'projects/2026-11-16.MD'", true},
        {"file.folder = Projects", true},
        {"file.folder = Project", false},
        {"file.ext = md", true},
        {"file.size > 10", true},
        {"file.inFolder('projects')", true},
        {"file.inFolder(\"Proj\")", false},
        {"file.hasProperty('Status')", true},
        {"file.hasProperty(nothing)", false},
        {"status.contains('act')", true},
        {"contains(status, 'act')", true},
        {"startswith(status, act)", true},
        {"blank.isEmpty()", true},
    };
    check_rows(*state, properties, rows, COUNT_OF(rows), 0);
}

static void test_dates(void **state)
{
    static const char properties[] = "due: 2026-11-20\n"
                                     "at: 2026-11-16T12:30\n"
                                     "blank: 2026-11-16 08:00:00\n"
                                     "zulu: 2026-11-16T23:30:00Z\n"
                                     "end: 2026-01-31\n"
                                     "leap: 2024-02-29\n"
                                     "odd: 2026-02-30\n"
                                     "quoted: \"2026-11-20\"\n"
                                     "dates: [2026-01-01, 2026-12-31]\n"
                                     "text: soon\n";
    static const struct comparison rows[] = {
        {"due > today", true},
        {"due < today + 7d", true},
        {"due <= today+4d", true},
        {"due < today + 4 days", false},
        {"due = today + 4d", true},
        {"due = \"2026-11-20\"", true},
        {"due = '2026-11-20T12:00'", true},
        {"due < 2026-11-20T12:00", false},
        {"quoted = 2026-11-20", true},
        {"due - 4d = today", true},
        {"due - 4d = date(today)", true},
        {"due <= date(today) + dur(1 week)", true},
        {"due < now() + \"1 week\"", true},
        {"due = date('2026-11-20')", true},
        {"today < due", true},
        {"due > tomorrow && due > yesterday", true},
        {"at = 2026-11-16", true},
        {"at <= 2026-11-16", true},
        {"at > 2026-11-16", false},
        {"at > now", true},
        {"at > now + 30min", false},
        {"at >= now + 30min", true},
        {"at < now + 1h", true},
        {"at = today", true},
        {"blank < now", true},
        {"zulu = 2026-11-17", true}, /* in local time, two hours ahead */
        {"zulu = 2026-11-17T01:30", true},
        {"end + 1m = 2026-02-28", true},
        {"end + 13m = 2027-02-28", true},
        {"end + 1m + 1d = 2026-03-01", true},
        {"end - 2m = 2025-11-30", true},
        {"leap + 1y = 2025-02-28", true},
        {"leap + 4y = 2028-02-29", true},
        {"2024-02-28 + 1d = leap", true},
        {"leap = leap", false}, /* a word on the right is text */
        {"leap = note.leap", true},
        {"2024-02-28 + 1d = note.leap", true},
        {"2023-12-31 + 2m = note.leap", true},
        {"odd < 2027-01-01", false},
        {"odd = '2026-02-30'", true},
        {"dates > 2026-06-01", true},
        {"dates < 2026-06-01", true},
        {"dates > 2027-01-01", false},
        {"text < today", false},
        {"text + 7d = null", true},
        {"due < 5", false},
        {"due != 5", true},
        {"due startswith \"2026-11\"", true},
        {"due matches '^\\d{4}-11'", true},
        {"at contains T12", true},
        {"file.modified = today", true},
        {"file.modified = 2026-11-16T12:00:00", true}, /* in local time, too */
        {"file.mtime >= now - 1d", true},
        {"file.modified startswith '2026-11-16T12'", true},
        {"due < today + 1000000y", true},
        {"due > today - 1000000y", true},
    };
    check_rows(*state, properties, rows, COUNT_OF(rows), 7200);
}

static void test_lists_links_tags(void **state)
{
    static const char properties[] = "people: [Ann, Bob, 7, null]\n"
                                     "tags: [Home, a/b]\n"
                                     "aliases: [First, Second]\n"
                                     "up: \"[[Other|shown]]\"\n"
                                     "near: \"[[Sub/Other#Part]]\"\n"
                                     "md: \"[x](Third.md)\"\n"
                                     "gone: \"[[Nowhere]]\"\n"
                                     "self: \"[[#Part]]\"\n"
                                     "web: \"[[https://x.y/Third]]\"\n"
                                     "not: see [[Other]]\n"
                                     "several: [\"[[Other]]\", \"[[Third]]\"]\n"
                                     "deep: [[x, y], {k: v}]\n"
                                     "area: \"#work\"\n";
    static const struct comparison rows[] = {
        {"people = bob", true},
        {"people contains ANN", true},
        {"people contains An", false},
        {"people startswith an", true},
        {"people = 7", true},
        {"people > 6", true},
        {"people != bob", false},
        {"people in (x, ann)", true},
        {"'bob' in people", true},
        {"'Bobby' in people", false},
        {"'bob' not in people", false},
        {"people = null", false},
        {"people is empty", false},
        {"deep = y", true},
        {"tag = #home", true},
        {"tag = home", true},
        {"tags contains '#HOME'", true},
        {"tag = #a", true},
        {"tag = #a/b", true},
        {"tag = #a/b/c", false},
        {"tag = #b", false},
        {"tag = #work", true},
        {"tag = #wor", false},
        {"file.tags contains \"work\"", true},
        {"tag = #ünï", true},
        {"tag != #work", false},
        {"not tag = #archive", true},
        {"tag in (#x, #home)", true},
        {"#home in tags", true},
        {"file.hasTag('x', 'a')", true},
        {"file.hasTag('x', 'y')", false},
        {"file.tags startswith '#wo'", true},
        {"note.tags = work", false},
        {"note.tags = home", true},
        {"area = #work", true},
        {"aliases = first", true},
        {"file.aliases contains second", true},
        {"up = [[Other]]", true},
        {"up = [[other.md|anything]]", true},
        {"up = \"[[Other]]\"", true},
        {"up = Other", true},
        {"up = \"Other.md\"", true},
        {"up = [[Third]]", false},
        {"up = 'shown'", false},
        {"up contains 'shown'", true},
        {"up contains [[Other]]", true},
        {"up != [[Third]]", true},
        {"near = [[Sub/Other]]", true},
        {"near = [[Other]]", false},
        {"md = [[Third]]", true},
        {"self = [[2026-11-16]]", true},
        {"web = [[Third]]", false},
        {"web contains https", true},
        {"gone = [[nowhere]]", true},
        {"gone = [[elsewhere]]", false},
        {"`not` = [[Other]]", false},
        {"several = [[Third]]", true},
        {"several contains [[Nowhere]]", false},
        {"[[Third]] in several", true},
        {"file.links contains [[Other]]", true},
        {"file.links contains \"Sub/Other.md\"", true},
        {"file.outlinks contains [[Nowhere]]", true},
        {"file.hasLink('Third')", true},
        {"file.hasLink('Fourth')", false},
        {"file.backlinks is empty", true},
        {"file.link = [[2026-11-16]]", true},
    };
    check_rows(*state, properties, rows, COUNT_OF(rows), 0);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_scalars),
        ARENA_TEST(test_dates),
        ARENA_TEST(test_lists_links_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
