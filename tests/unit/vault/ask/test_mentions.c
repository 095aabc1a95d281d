#include "vault/ask/mentions.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "check.h"

static void put(struct index *x, const char *path, str text, bool excluded)
{
    struct arena scratch = {0};
    struct fs_info info = {0};
    index_put(x, file_make(&scratch, str_c(path), &info, text), excluded);
    arena_release(&scratch);
}

static file_id id_of(const struct index *x, const char *path)
{
    const struct file *f = index_find(x, str_c(path));
    assert_non_null(f);
    return f->id;
}

static const struct mentions_limits plenty = {.max = 1000};

/* The texts of all mentions of a note, as written, separated by '|'. */
static str mentioned(struct arena *a, const struct index *x, const char *target)
{
    struct mentions m;
    struct sbuf b = SBUF_ON(a);
    mentions_of(x, a, id_of(x, target), &plenty, &m);
    CHECK_INT(target, m.n, m.total);
    for (size_t i = 0; i < m.n; i++) {
        str text = index_file(x, m.items[i].source)->text;
        sbuf_printf(&b, "%s" STR_FMT, i > 0 ? "|" : "",
                    STR_ARG(str_slice(text, m.items[i].start, m.items[i].end)));
    }
    return sbuf_str(&b);
}

static void test_forms(void **state)
{
    static const struct {
        const char *title, *text, *want;
    } cases[] = {
        {"Apple", "an apple, APPLE; (Apple)", "apple|APPLE|Apple"},
        {"Apple", "apples pineapple apple_pie appl e apple2",
         "apple"}, /* _ is not a letter */
        {"Apple", "apple", "apple"},
        {"Apple", "", ""},
        {"Apple", "[[Apple]] `apple` [x](Apple.md) [[Other|apple]]", ""},
        {"Apple", "[[Apple]] `apple` apple [[Apple]]", "apple"},
        {"New York", "[[new york]] `new york`\n[[New York]] new\u00a0york",
         "new\u00a0york"},
        {"A i i", "`a i i` a\u00a0i\u00a0i [[A i i]]", "a\u00a0i\u00a0i"},
        {"Apple", "# Apple\n\n> apple\n- apple\n| apple |", "Apple|apple|apple|apple"},
        {"New York", "new york New  York NewYork New\nYork new\u00a0york",
         "new york|new\u00a0york"},
        {"Caf\u00e9", "CAF\u00c9 cafe\u0301 cafe caf\u00e9s", "CAF\u00c9|cafe\u0301"},
        {"cafe", "cafe\u0301 caf\u00e9 cafe", "cafe"},
        {"\u041c\u043e\u0441\u043a\u0432\u0430",
         "\u041c\u041e\u0421\u041a\u0412\u0410 "
         "\u043c\u043e\u0441\u043a\u0432\u0430.",
         "\u041c\u041e\u0421\u041a\u0412\u0410|\u043c\u043e\u0441\u043a\u0432\u0430"},
        {"\u6771\u4eac", "\u79c1\u306f\u6771\u4eac\u306b\u3044\u308b",
         "\u6771\u4eac"}, /* no boundary needed */
        {"iPhone", "\u6211\u7684iphone\u624b\u6a5f", "iphone"},
        {"\ud55c\uae00", "\u1112\u1161\u11ab\u1100\u1173\u11af!",
         "\u1112\u1161\u11ab\u1100\u1173\u11af"}, /* decomposed */
        {"C++", "c++, C++11 (C++) C+", "c++|C++"},
        {"~net", "asp~net ~net ~nets", "~net"},
        {"2024", "in 2024 and 12024 and 2024-01", "2024|2024"},
        {"12", "12 12", ""}, /* too short for a number */
        {"x", "x x", ""},
        {"\u6771", "\u6771", ""},
        {"x1", "x1 X1", "x1|X1"},
        {"istanbul", "\u0130stanbul", "\u0130stanbul"},
        {"Kelvin", "\u212aelvin", "\u212aelvin"},
        /* where there cannot be a link */
        {"Apple", "---\nx: apple\n---\napple", "apple"},
        {"Apple", "[[apple]] [[x|apple]] [apple](x.md) ![[apple]] apple", "apple"},
        {"Apple", "[apple][r]\n\n[r]: apple.md\n", ""},
        {"Apple", "> [!apple] apple\n> apple\n", "apple|apple"},
        {"Apple", "`apple` ``a apple`` apple\n\n```\napple\n```\n\n    apple\n", "apple"},
        {"Apple", "$apple$ $$\napple\n$$ apple", "apple"},
        {"Apple", "x <!-- apple --> apple\n\n<div>apple</div>", "apple"},
        {"Apple", "#apple #x/apple apple", "apple"},
        {"Apple", "%% apple %% **apple** ==apple== *app*le", "apple|apple|apple"},
        {"Apple",
         "\xEF\xBB\xBF"
         "apple\r\napple\rapple",
         "apple|apple|apple"},
        {"Apple",
         "\u00FC\u00FC\u00FC\u00FC \xff"
         "apple\xfe apple \xc3 apple",
         "apple|apple|apple"},
    };
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct index *x = index_create();
        str path = arena_printf(a, "dir/%s.md", cases[i].title);
        str row = arena_printf(a, "%s in %s", cases[i].title, cases[i].text);
        put(x, path.p, str_c(cases[i].text), false); /* itself does not count */
        put(x, "source.md", str_c(cases[i].text), false);
        CHECK_STR(row.p, mentioned(a, x, path.p), cases[i].want);
        index_free(x);
    }
}

static void test_names(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    put(x, "Apple.md", STR("---\naliases: [Apfel, apple, Pomme de terre, 7]\n---\n"),
        false);
    put(x, "Apple Pie.md", STR(""), false);
    put(x, "other/apple pie.md", STR(""), false);
    put(x, "hidden.md", STR("apple"), true);
    put(x, "apple.png", STR("apple"), false);
    put(x, "text.txt", STR("apple"), false);
    put(x, "s.md", STR("apple pie apple apfel\n\npomme de terre, apple pie, apple p 7"),
        false);
    CHECK_STR("the longest name", mentioned(a, x, "Apple.md"),
              "apple|apfel|pomme de terre|apple");
    CHECK_STR("two of that name", mentioned(a, x, "Apple Pie.md"), "apple pie|apple pie");
    CHECK_STR("two of that name", mentioned(a, x, "other/apple pie.md"),
              "apple pie|apple pie");
    put(x, "hidden.md", STR(""), true);
    put(x, "s.md", STR("hidden Hidden"), false);
    CHECK_STR("asked for", mentioned(a, x, "hidden.md"), "hidden|Hidden");
    CHECK_STR("no note", mentioned(a, x, "apple.png"), "");
    struct mentions none;
    mentions_of(x, a, NO_FILE, &plenty, &none);
    CHECK_INT("no file", none.total, 0);
    index_free(x);
}

static void test_places(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    put(x, "Apple.md", STR(""), false);
    put(x, "b.md", STR("one\r\ntwo\rapple \u00c4\u00d6 apple\n\n\nApple"), false);
    put(x, "a.md", STR("E\u0301\u1112\u1161\u11ab apple \u0130 apple"), false);
    struct mentions m;
    mentions_of(x, a, id_of(x, "Apple.md"), &plenty, &m);
    CHECK_INT("total", m.total, 5);
    CHECK_INT("sources", m.sources, 2);
    static const uint32_t lines[] = {1, 1, 3, 3, 6};
    for (size_t i = 0; i < m.n; i++)
        CHECK_INT("line", m.items[i].line, lines[i]);
    CHECK_INT("by path", m.items[0].source, id_of(x, "a.md"));
    CHECK_STR("snippet", m.items[2].snippet, "**apple** \u00c4\u00d6 apple");
    CHECK("done", !m.partial);

    struct mentions_limits few = {.max = 2};
    mentions_of(x, a, id_of(x, "Apple.md"), &few, &m);
    CHECK_INT("listed", m.n, 2);
    CHECK_INT("all are counted", m.total, 5);
    CHECK_INT("all sources", m.sources, 2);
    index_free(x);
}

static bool stop_at_third(void *arg)
{
    return ++*(int *)arg > 3;
}

static void test_stop(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    put(x, "Apple.md", STR(""), false);
    for (int i = 0; i < 10; i++) {
        str path = arena_printf(a, "s%d.md", i);
        put(x, path.p, STR("apple"), false);
    }
    int asked = 0;
    struct mentions_limits stop = {.max = 10,
                                   .stop = &(struct stop){stop_at_third, &asked}};
    struct mentions m;
    mentions_of(x, a, id_of(x, "Apple.md"), &stop, &m);
    CHECK("partial", m.partial && m.total > 0 && m.total < 4);
    struct stop until = {.until = 1};
    struct mentions_limits late = {.max = 10, .stop = &until};
    mentions_of(x, a, id_of(x, "Apple.md"), &late, &m);
    CHECK("too late", m.partial && m.total == 0 && m.n == 0);
    until.until = UINT64_MAX;
    mentions_of(x, a, id_of(x, "Apple.md"), &late, &m);
    CHECK("in time", !m.partial && m.total == 10);
    index_free(x);
}

/* --- against the plainest way --- */

static unsigned random_state = 7;

static unsigned next_random(unsigned n)
{
    random_state = random_state * 1103515245 + 12345;
    return (random_state >> 16) % n;
}

static const char *const pieces[] = {
    "a1",     "b2", " ", " ",  " ",    "-",      "\u00e9", "e\u0301", "E\u0301", "\u6771",
    "\u4eac", "x",  "X", "\n", "`a1`", "[[b2]]", ".",      "\u0130",  "I",       "\u00a0",
};

static str random_text(struct arena *a, unsigned n)
{
    struct sbuf b = SBUF_ON(a);
    for (unsigned i = 0; i < n; i++)
        sbuf_add(&b, str_c(pieces[next_random(COUNT_OF(pieces))]));
    return sbuf_str(&b);
}

static struct index *random_vault(struct arena *a)
{
    struct index *x = index_create();
    for (int i = 0; i < 12; i++) {
        struct sbuf name = SBUF_ON(a);
        for (unsigned k = 0, n = 1 + next_random(4); k < n; k++)
            sbuf_add(&name, str_c(pieces[next_random(13)]));
        str path = arena_printf(a, "%d/" STR_FMT ".md", i, STR_ARG(sbuf_str(&name)));
        put(x, path.p, random_text(a, 60), next_random(8) == 0);
    }
    return x;
}

/* Mentions of all notes; each is the name of one, as it is written there. */
static size_t count_all(struct arena *a, const struct index *x)
{
    size_t total = 0;
    for (file_id id = 0; id < x->n; id++) {
        struct mentions m;
        mentions_of(x, a, id, &plenty, &m);
        CHECK_INT("all are listed", m.n, m.total);
        total += m.total;
        for (size_t i = 0; i < m.n; i++) {
            str text = index_file(x, m.items[i].source)->text;
            str got = str_slice(text, m.items[i].start, m.items[i].end);
            str want = utf8_fold(a, str_trim(file_title(x->files[id]->path)));
            CHECK(want.p, str_eq(utf8_fold(a, got), want));
        }
    }
    return total;
}

static void test_random(void **state)
{
    struct arena *a = *state;
    size_t seen = 0;
    for (int round = 0; round < 200; round++) {
        struct index *x = random_vault(a);
        seen += count_all(a, x);
        index_free(x);
        arena_reset(a);
    }
    CHECK("not in vain", seen > 1000);
}

/* A letter that forms a word with the letters next to it. */
static bool glues(uint32_t c)
{
    return utf8_is_word(c) && !utf8_is_cjk(c);
}

static uint32_t char_before(str text, size_t at)
{
    size_t n, from = at;
    if (at == 0)
        return ' ';
    do
        from--;
    while (from > 0 && (text.p[from] & 0xC0) == 0x80);
    return utf8_decode(str_skip(text, from), &n);
}

static uint32_t char_at(str text, size_t at)
{
    size_t n;
    return at < text.n ? utf8_decode(str_skip(text, at), &n) : ' ';
}

/* Whether name occurs at at as a whole word: the rule of the header, literally. */
static bool occurs_at(str text, size_t at, str name)
{
    str rest = str_skip(text, at);
    size_t end = at + name.n;
    if (name.n == 0 || !str_starts(rest, name))
        return false;
    bool free_before = !glues(char_before(text, at)) || utf8_is_cjk(char_at(name, 0));
    bool free_behind =
        !glues(char_at(text, end)) || utf8_is_cjk(char_before(name, name.n));
    return free_before && free_behind;
}

static bool is_name(str folded)
{
    size_t n = 0, digits = 0;
    for (size_t i = 0; i < folded.n; i++) {
        n += (folded.p[i] & 0xC0) != 0x80;
        digits += folded.p[i] >= '0' && folded.p[i] <= '9';
    }
    return n >= 2 && (digits < folded.n || digits >= 3);
}

/* Mentions of other notes in f, counted in the simplest way. */
static size_t count_plainly(struct arena *a, const struct index *x, const struct file *f)
{
    str text = utf8_fold(a, f->text);
    size_t count = 0;
    for (size_t at = 0; at < text.n;) {
        size_t longest = 0, others = 0;
        for (file_id id = 0; id < x->n; id++) {
            str name = utf8_fold(a, str_trim(file_title(x->files[id]->path)));
            if (!is_name(name) || name.n < longest || !occurs_at(text, at, name))
                continue;
            others = (name.n > longest ? 0 : others) + (id != f->id);
            longest = name.n;
        }
        count += others;
        at += longest > 0 ? longest : 1;
        while (at < text.n && (text.p[at] & 0xC0) == 0x80)
            at++;
    }
    return count;
}

static void test_plainly(void **state)
{
    static const char *const parts[] = {"a1",     "b2", " ", " ",      "-",
                                        "+",      "x",  "X", "\u6771", "\u4eac",
                                        "\u0416", "7",  ",", "E\u0301"};
    struct arena *a = *state;
    size_t seen = 0;
    for (int round = 0; round < 150; round++) {
        struct index *x = index_create();
        for (int i = 0; i < 15; i++) {
            struct sbuf name = SBUF_ON(a), text = SBUF_ON(a);
            for (unsigned k = 0, n = 1 + next_random(4); k < n; k++)
                sbuf_add(&name, str_c(parts[next_random(COUNT_OF(parts))]));
            sbuf_add(&text, STR("start "));
            for (int k = 0; k < 50; k++)
                sbuf_add(&text, str_c(parts[next_random(COUNT_OF(parts))]));
            str path = arena_printf(a, "%d/" STR_FMT ".md", i, STR_ARG(sbuf_str(&name)));
            put(x, path.p, sbuf_str(&text), false);
        }
        size_t want = 0;
        for (file_id id = 0; id < x->n; id++)
            want += count_plainly(a, x, x->files[id]);
        CHECK_INT("mentions", count_all(a, x), want);
        seen += want;
        index_free(x);
        arena_reset(a);
    }
    CHECK("not in vain", seen > 1000);
}

/* Many notes of one name, many names with the same beginning. */
static void test_many(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    enum { NOTES = 300 };
    for (int i = 0; i < NOTES; i++) {
        str same = arena_printf(a, "%d/index.md", i);
        str day = arena_printf(a, "2024-%02d-%02d.md", i / 28 + 1, i % 28 + 1);
        put(x, same.p, STR("the index, and 2024-01-05 but not 2024-01-055"), false);
        put(x, day.p, STR("index INDEX 2024"), false);
    }
    struct mentions m;
    mentions_of(x, a, id_of(x, "0/index.md"), &(struct mentions_limits){.max = 10}, &m);
    /* once in each other index, twice in each day */
    CHECK_INT("sources", m.sources, 2 * NOTES - 1);
    CHECK_INT("mentions", m.total, NOTES - 1 + 2 * NOTES);
    CHECK_INT("listed", m.n, 10);
    mentions_of(x, a, id_of(x, "2024-01-05.md"), &plenty, &m);
    CHECK_INT("one day", m.total, NOTES);
    index_free(x);
}

/* Whatever folds to something else must be known to the quick look, or a mention is missed. */
static void test_every_fold(void **state)
{
    struct arena *a = *state;
    for (uint32_t c = 0x80; c < 0x20000; c++) {
        char bytes[4];
        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        size_t n = utf8_encode(c, bytes);
        str folded = utf8_fold(a, (str){bytes, n});
        if (str_eq(folded, (str){bytes, n}))
            continue;
        struct index *x = index_create();
        str path = arena_printf(a, "ab" STR_FMT "cd.md", STR_ARG(folded));
        str text = arena_printf(a, "ab%.*scd", (int)n, bytes);
        put(x, path.p, STR(""), false);
        put(x, "s.md", text, false);
        str row = arena_printf(a, "U+%04X", c);
        CHECK(row.p, str_eq(mentioned(a, x, path.p), text));
        index_free(x);
        arena_reset(a);
    }
}

/* Names that come and go are known as they are now. */
static void test_changes(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    put(x, "Apple.md", STR(""), false);
    put(x, "s.md", STR("apple pie and apple\nPear"), false);
    CHECK_STR("at first", mentioned(a, x, "Apple.md"), "apple|apple");
    put(x, "Apple Pie.md", STR(""), false);
    CHECK_STR("a longer name", mentioned(a, x, "Apple.md"), "apple");
    put(x, "Apple Pie.md", STR(""), true);
    CHECK_STR("excluded", mentioned(a, x, "Apple.md"), "apple|apple");
    put(x, "Apple Pie.md", STR("---\naliases: [Apple]\n---\n"), false);
    CHECK_STR("an alias", mentioned(a, x, "Apple Pie.md"), "apple pie|apple");
    index_remove(x, STR("Apple Pie.md"));
    CHECK_STR("removed", mentioned(a, x, "Apple.md"), "apple|apple");
    put(x, "Apple.md", STR("---\naliases: [pear, \"and apple\\npear\"]\n---\n"), false);
    CHECK_STR("a name of two lines", mentioned(a, x, "Apple.md"),
              "apple|and apple\nPear");
    put(x, "Apple.md", STR("---\naliases: [pear]\n---\n"), false);
    CHECK_STR("no longer", mentioned(a, x, "Apple.md"), "apple|apple|Pear");
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_changes), ARENA_TEST(test_forms),      ARENA_TEST(test_names),
        ARENA_TEST(test_places),  ARENA_TEST(test_stop),       ARENA_TEST(test_random),
        ARENA_TEST(test_many),    ARENA_TEST(test_every_fold), ARENA_TEST(test_plainly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
