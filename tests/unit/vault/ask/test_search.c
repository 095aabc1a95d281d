#include "vault/ask/search.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/sbuf.h"
#include "check.h"
#include "vault/text/textscan.h"
#include "word_embedder.h"

struct source {
    const char *path, *text; /* text NULL: only the name is indexed */
    bool excluded;
};

static void put(struct index *x, struct source s)
{
    struct arena scratch = {0};
    struct fs_info info = {0};
    str path = str_c(s.path);
    struct file *f = s.text != NULL
                         ? file_make(&scratch, path, &info, str_c(s.text))
                         : file_make_unread(&scratch, path, &info, "too large");
    index_put(x, f, s.excluded);
    arena_release(&scratch);
}

static struct index *make_index(const struct source *sources, size_t n)
{
    struct index *x = index_create();
    for (size_t i = 0; i < n; i++)
        put(x, sources[i]);
    return x;
}

/* Not in the order of their paths. */
static const struct source garden[] = {
    {"Work/Heating.md",
     "---\ntags: [house/heating, work]\n---\n# Heating\n\nThe boiler is "
     "old.\nA heating controller, and heating again.\n"},
    {"Work/Boiler plan.md",
     "# Plan\r\n\r\nReplace the BOILER\r\nby may #house/heating\r\n"},
    {"Archive/boiler.txt", "boiler\n"},
    {"archive/Other.md", "nothing here\n"},
    {"Work/boiler.png", NULL},
    {"Work/Map.canvas", "{\"nodes\":[{\"id\":\"1\",\"type\":\"text\",\"text\":\"Boiler "
                        "room\"}]}"},
    {"Work/Huge.md", NULL},
    {"Workshop/Tools.md", "\xEF\xBB\xBF"
                          "boiler suit\nsecond \xF0\x9F\x94\xA7 line of boilers"},
    {"Secret/boiler.md", "boiler #house\n", true},
};

static struct index *make_garden(void)
{
    return make_index(garden, COUNT_OF(garden));
}

static struct search_result run(const struct index *x, struct arena *a,
                                const struct search *s)
{
    struct search_result r = {0};
    struct err err = {0};
    if (!search_run(x, a, s, &r, &err))
        fail_msg(STR_FMT ": %s", STR_ARG(s->query), err.msg);
    return r;
}

/* "name Work/boiler.png 0:0 snippet" and so on, one per line. */
static str show(struct arena *a, const struct search_result *r)
{
    static const char *const where[] = {"name", "tag", "line"};
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < r->n; i++) {
        const struct search_hit *h = &r->hits[i];
        sbuf_printf(&b, "%s " STR_FMT " %u:%u " STR_FMT "\n", where[h->where],
                    STR_ARG(h->file->path), h->line, h->column, STR_ARG(h->snippet));
    }
    return sbuf_str(&b);
}

static void check(struct arena *a, const struct index *x, const struct search *s,
                  const char *want)
{
    struct search_result r = run(x, a, s);
    char *row = mem_str(s->query);
    CHECK_STR(row, show(a, &r), want);
    CHECK_INT(row, r.total, r.n);
    CHECK(row, !r.more && !r.partial);
    free(row);
}

/* --- text --- */

static void test_text(void **state)
{
    struct index *x = make_garden();
    struct search s = {.query = STR("boiler"), .limit = 100};
    check(*state, x, &s,
          "name Archive/boiler.txt 0:0 Archive/**boiler**.txt\n"
          "name Work/Boiler plan.md 0:0 Work/**Boiler** plan.md\n"
          "name Work/boiler.png 0:0 Work/**boiler**.png\n"
          "line Archive/boiler.txt 1:1 **boiler** \n"
          "line Work/Boiler plan.md 3:13 # Plan  Replace the **BOILER** by may "
          "#house/heating \n"
          "line Work/Heating.md 6:5 ...-- tags: [house/heating, work] --- # Heating  The "
          "**boiler** is old. A heating controller, and heating again. \n"
          "line Work/Map.canvas 1:43 "
          "{\"nodes\":[{\"id\":\"1\",\"type\":\"text\",\"text\":\""
          "**Boiler** room\"}]}\n"
          "line Workshop/Tools.md 1:1 **boiler** suit second \U0001F527 line of boilers\n"
          "line Workshop/Tools.md 2:18 boiler suit second \U0001F527 line of "
          "**boiler**s\n");
    struct search_result r = run(x, *state, &s);
    assert_int_equal(r.files, 6);
    assert_int_equal(r.unread, 1); /* not the picture, which has no text */
    CHECK_STR("CR", r.hits[4].text, "Replace the BOILER\r");
    CHECK_STR("BOM", r.hits[7].text, "boiler suit");
    index_free(x);
}

static void test_tags(void **state)
{
    struct index *x = make_garden();
    put(x, (struct source){"List.md", "---\ntags:\n  - one\n  - Two/three\n---\n"});
    put(x, (struct source){"Quoted.md", "---\ntags: [\"tw\\x6f\"]\n---\n"});
    struct search s = {.query = STR("house"), .limit = 100};
    struct search_result r = run(x, *state, &s);
    CHECK_STR(
        "tag first, then lines", show(*state, &r),
        "tag Work/Boiler plan.md 4:9 by may #**house**/heating\n"
        "tag Work/Heating.md 2:8 tags: [**house**/heating, work]\n"
        "line Work/Boiler plan.md 4:9 # Plan  Replace the BOILER by may "
        "#**house**/heating \n"
        "line Work/Heating.md 2:8 --- tags: [**house**/heating, work] --- # Heating "
        " The boiler is old. ...\n");
    s.query = STR("#HOUSE");
    r = run(x, *state, &s);
    CHECK_STR("with #", show(*state, &r),
              "tag Work/Boiler plan.md 4:8 by may **#house**/heating\n"
              "tag Work/Heating.md 2:8 tags: [**house**/heating, work]\n"
              "line Work/Boiler plan.md 4:8 # Plan  Replace the BOILER by may "
              "**#house**/heating \n");
    s.query = STR("two");
    r = run(x, *state, &s);
    CHECK_STR("in a list, and escaped", show(*state, &r),
              "tag List.md 4:5   - **Two**/three\n"
              "tag Quoted.md 1:0 #**two**\n"
              "line List.md 4:5 --- tags:   - one   - **Two**/three --- \n");
    s.query = STR("#ouse");
    assert_int_equal(run(x, *state, &s).total, 0);
    s.query = STR("#");
    assert_int_equal(run(x, *state, &s).total, 3);
    index_free(x);
}

static void test_odd_texts(void **state)
{
    struct sbuf line = SBUF_ON(*state);
    while (line.n < SEARCH_LINE_MAX - 1)
        sbuf_char(&line, 'x');
    sbuf_add(&line, STR("\u20AC\u20AC needle \xFF needle\n"));
    const struct source sources[] = {
        {"a.md", arena_str(*state, sbuf_str(&line)).p},
        {"b.md", "ÄRGER, ärger\n\xFF\xFE ärger\n"},
        {"c.md", ""},
        {"d.md", "needle"},
        {"e.md", "one\nneedle\n\nneedle"},
    };
    struct index *x = make_index(sources, COUNT_OF(sources));
    struct search s = {.query = STR("NEEDLE"), .limit = 100};
    struct search_result r = run(x, *state, &s);
    assert_int_equal(r.total, 4);
    assert_int_equal(r.hits[0].column, SEARCH_LINE_MAX + 3);
    assert_int_equal(r.hits[0].text.n, SEARCH_LINE_MAX - 1); /* no half character */
    assert_int_equal(r.hits[3].line, 4);
    s.query = STR("Ärger");
    check(*state, x, &s,
          "line b.md 1:1 **ÄRGER**, ärger \uFFFD\uFFFD ärger \n"
          "line b.md 2:4 ÄRGER, ärger \uFFFD\uFFFD **ärger** \n");
    s.query = STR("\nneedle");
    check(*state, x, &s,
          "line e.md 1:4 one** needle**  needle\n"
          "line e.md 3:1 one needle ** needle**\n");
    index_free(x);
}

/* --- what is returned --- */

static void test_window(void **state)
{
    struct index *x = make_garden();
    struct search s = {.query = STR("boiler"), .limit = 100};
    struct search_result all = run(x, *state, &s);
    for (size_t limit = 0; limit < 12; limit++)
        for (size_t offset = 0; offset < 12; offset++) {
            s.limit = limit;
            s.offset = offset;
            struct search_result r = run(x, *state, &s);
            size_t left = offset < all.n ? all.n - offset : 0;
            assert_int_equal(r.total, all.n);
            assert_int_equal(r.files, all.files);
            assert_int_equal(r.n, limit < left ? limit : left);
            assert_int_equal(r.more, limit < left);
            for (size_t i = 0; i < r.n; i++) {
                assert_ptr_equal(r.hits[i].file, all.hits[offset + i].file);
                assert_int_equal(r.hits[i].line, all.hits[offset + i].line);
            }
        }
    s.offset = SIZE_MAX;
    s.limit = SEARCH_LIMIT_MAX;
    assert_int_equal(run(x, *state, &s).total, all.n);
    index_free(x);
}

static void test_per_file(void **state)
{
    static const struct source sources[] = {
        {"ab.md", "ab\nab\nab\nab\n"}, {"b.md", "x\nab\nab\nab\n"}, {"c.md", "ab\n"}};
    struct index *x = make_index(sources, COUNT_OF(sources));
    struct search s = {.query = STR("ab"), .limit = 100, .per_file = 2};
    struct search_result r = run(x, *state, &s);
    assert_int_equal(r.total, 9);
    assert_int_equal(r.files, 3);
    assert_false(r.more);
    assert_int_equal(r.n, 5); /* a name and a line, two lines, a line */
    assert_int_equal(r.hits[1].line, 1);
    assert_int_equal(r.hits[3].line, 3);
    s.offset = 3;
    s.limit = 1;
    r = run(x, *state, &s);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.hits[0].line, 3);
    assert_true(r.more);
    s.mode = SEARCH_REGEX;
    s.offset = 0;
    s.limit = 100;
    assert_int_equal(run(x, *state, &s).n, 5);
    index_free(x);
}

/* A file with many hits does not hide the others, and every hit is returned once. */
static void test_spread(void **state)
{
    static const struct source sources[] = {{"a.md", "ab\nab\nab\nab\nab\n"},
                                            {"ab.md", "x\nab\nab #ab\nab\n"},
                                            {"c.md", "ab\n"}};
    struct index *x = make_index(sources, COUNT_OF(sources));
    struct search s = {.query = STR("ab"), .limit = 100, .spread = 3};
    check(*state, x, &s,
          "name ab.md 0:0 **ab**.md\n"
          "line a.md 1:1 **ab** ab ab ab ab \n"
          "line c.md 1:1 **ab** \n"
          "tag ab.md 3:5 ab #**ab**\n"
          "line a.md 2:1 ab **ab** ab ab ab \n"
          "line a.md 3:1 ab ab **ab** ab ab \n"
          "line ab.md 2:1 x **ab** ab #ab ab \n"
          "line a.md 4:1 ab ab ab **ab** ab \n"
          "line a.md 5:1 ab ab ab ab **ab** \n"
          "line ab.md 3:1 x ab **ab** #ab ab \n"
          "line ab.md 4:1 x ab ab #ab **ab** \n");
    struct search_result all = run(x, *state, &s);
    for (s.limit = 1; s.limit < 5; s.limit++)
        for (s.offset = 0; s.offset < 12; s.offset++) {
            struct search_result r = run(x, *state, &s);
            assert_int_equal(r.total, 11);
            assert_int_equal(r.more, s.offset + s.limit < 11);
            for (size_t i = 0; i < r.n; i++) {
                assert_ptr_equal(r.hits[i].file, all.hits[s.offset + i].file);
                assert_int_equal(r.hits[i].line, all.hits[s.offset + i].line);
            }
        }
    index_free(x);
}

static void test_filters(void **state)
{
    static const struct {
        const char *name, *folder, *tag, *glob;
        size_t files;
    } cases[] = {
        {"all", "", "", "", 8},
        {"a folder", "Work", "", "", 5},
        {"with slashes", "/Work/", "", "", 5},
        {"a folder by its case", "archive", "", "", 1},
        {"a folder in another case", "WORK", "", "", 5},
        {"not half a name", "Wor", "", "", 0},
        {"a file is not a folder", "Work/Heating.md", "", "", 0},
        {"a glob", "", "", "*.md", 5},
        {"a glob that excludes", "", "", "!*.md", 3},
        {"a glob with a folder", "", "", "Work/*.md", 3},
        {"a tag", "", "house", "", 2},
        {"a tag with #, in another case", "", "#House/Heating", "", 2},
        {"a tag with a slash", "", "house/", "", 2},
        {"a tag of one", "", "work", "", 1},
        {"no tag", "", "hous", "", 0},
        {"everything together", "Work", "house", "*plan*", 1},
        {"excluded", "Secret", "", "", 0},
    };
    struct index *x = make_garden();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str glob = str_c(cases[i].glob);
        struct search s = {.mode = SEARCH_QUERY,
                           .query = STR("-zzz OR file:zzz"), /* every file */
                           .folder = str_c(cases[i].folder),
                           .tag = str_c(cases[i].tag),
                           .globs = &glob,
                           .n_globs = glob.n > 0,
                           .limit = 100};
        struct search_result r = run(x, *state, &s);
        CHECK_INT(cases[i].name, r.files, cases[i].files);
        s.mode = SEARCH_TEXT;
        s.query = STR(".");
        r = run(x, *state, &s);
        size_t names = 0;
        for (size_t k = 0; k < r.n; k++)
            names += r.hits[k].where == SEARCH_FILENAME;
        CHECK_INT(cases[i].name, names, cases[i].files);
    }
    index_free(x);
}

/* --- the other modes --- */

static void test_excluded_files_are_found_on_request(void **state)
{
    static const struct {
        enum search_mode mode;
        const char *query;
    } cases[] = {{SEARCH_REGEX, "."}, {SEARCH_REGEX, "boiler"}, {SEARCH_TEXT, "boiler"}};
    struct index *x = make_garden();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct search s = {.mode = cases[i].mode,
                           .query = str_c(cases[i].query),
                           .folder = STR("Secret"),
                           .limit = 100};
        CHECK_INT(cases[i].query, run(x, *state, &s).total, 0);
        s.excluded = true;
        CHECK(cases[i].query, run(x, *state, &s).total > 0);
    }
    index_free(x);
}

static void test_regex(void **state)
{
    struct index *x = make_garden();
    struct search s = {.mode = SEARCH_REGEX,
                       .query = STR("^[Bb]oiler"),
                       .lines_only = true,
                       .limit = 100};
    check(
        *state, x, &s,
        "line Archive/boiler.txt 1:1 **boiler** \n"
        "line Workshop/Tools.md 1:1 **boiler** suit second \U0001F527 line of boilers\n");
    s.query = STR("BOILER");
    assert_int_equal(run(x, *state, &s).total, 1);
    s.ignore_case = true;
    assert_int_equal(run(x, *state, &s).total, 6);
    s.query = STR("by \\w+ #");
    s.ignore_case = false;
    check(*state, x, &s,
          "line Work/Boiler plan.md 4:1 # Plan  Replace the BOILER **by may "
          "#**house/heating \n");
    s.query = STR("[\U0001F527] line");
    check(
        *state, x, &s,
        "line Workshop/Tools.md 2:8 boiler suit second **\U0001F527 line** of boilers\n");
    s.query = STR("");
    assert_int_equal(run(x, *state, &s).total, 7 + 4 + 1 + 1 + 1 + 2); /* every line */
    index_free(x);
}

static void test_regex_names(void **state)
{
    struct index *x = make_garden();
    struct search s = {.mode = SEARCH_REGEX, .query = STR("oiler.p"), .limit = 100};
    check(*state, x, &s,
          "name Work/Boiler plan.md 0:0 Work/B**oiler p**lan.md\n"
          "name Work/boiler.png 0:0 Work/b**oiler.p**ng\n");
    s.query = STR("^archive/|nothing");
    check(*state, x, &s,
          "name archive/Other.md 0:0 **archive/**Other.md\n"
          "line archive/Other.md 1:1 **nothing** here \n");
    s.query = STR("ork/.*g$");
    check(*state, x, &s, "name Work/boiler.png 0:0 W**ork/boiler.png**\n");
    s.query = STR("rchiv.*/.*md");
    check(*state, x, &s, "name archive/Other.md 0:0 a**rchive/Other.md**\n");
    s.query = STR("^archive|rchiv"); /* without a '/', folders do not count */
    check(*state, x, &s, "");
    index_free(x);
}

/* --- names --- */

static void test_names(void **state)
{
    struct index *x = make_garden();
    put(x, (struct source){"People/Ann.md", "---\naliases: [Boiler girl, Annie]\n---\n"});
    struct search s = {.mode = SEARCH_NAMES, .query = STR("BOILER"), .limit = 100};
    check(*state, x, &s,
          "name Archive/boiler.txt 0:0 Archive/**boiler**.txt\n"
          "name Work/Boiler plan.md 0:0 Work/**Boiler** plan.md\n"
          "name Work/boiler.png 0:0 Work/**boiler**.png\n"
          "name People/Ann.md 0:0 People/Ann.md (alias: **Boiler** girl)\n");
    assert_int_equal(run(x, *state, &s).unread, 0);
    s.query = STR("plan work");
    check(*state, x, &s, "name Work/Boiler plan.md 0:0 Work/Boiler plan.md\n");
    s.query = STR("girl ann");
    check(*state, x, &s, "name People/Ann.md 0:0 People/Ann.md\n");
    s.query = STR("heatnig");
    struct search_result r = run(x, *state, &s);
    assert_int_equal(r.total, 0);
    CHECK_STR("a suggestion", r.suggestions[r.n_suggestions - 1], "Heating");
    s.query = STR("");
    struct err err;
    assert_false(search_run(x, *state, &s, &r, &err));
    index_free(x);
}

/* --- no mode --- */

static void test_auto(void **state)
{
    static const struct source sources[] = {
        {"Rain barrel.md", "---\nstatus: active\n---\nWater for the beds #garden\n"},
        {"Docs.md", "write line: 5 or see http://rain.example/x and file:///etc\n"},
        {"Path.md", "/usr/ has path:Rain in it\n"},
        {"Barrel.md", "a barrel\n"},
    };
    static const struct {
        const char *query;
        enum search_mode mode;
        size_t total;
    } cases[] = {
        {"barrel", SEARCH_TEXT, 3},
        {"for the beds", SEARCH_TEXT, 1},
        {"barrel water rain", SEARCH_WORDS, 4}, /* all of them, and some */
        {"\"the beds\" wat*", SEARCH_WORDS, 1},
        {"barrel giraffe", SEARCH_WORDS, 2}, /* some of the words */
        {"tag:#garden", SEARCH_QUERY, 1},
        {"path:Rain", SEARCH_QUERY, 1}, /* although a note has that text */
        {"[status:active]", SEARCH_QUERY, 1},
        {"beds -(tag:garden)", SEARCH_QUERY, 0},
        {"barrel OR beds", SEARCH_QUERY, 2},
        {"line: 5", SEARCH_TEXT, 1},
        {"line: water", SEARCH_QUERY, 1},
        {"http://rain", SEARCH_TEXT, 1},
        {"file:///etc", SEARCH_TEXT, 1},
        {"/usr/", SEARCH_TEXT, 1},
        {"/wat.r/", SEARCH_TEXT, 0}, /* not a regular expression */
        {"giraffe", SEARCH_TEXT, 0},
    };
    struct index *x = make_index(sources, COUNT_OF(sources));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct search s = {
            .mode = SEARCH_AUTO, .query = str_c(cases[i].query), .limit = 100};
        struct search_result r = run(x, *state, &s);
        CHECK_INT(cases[i].query, r.mode, cases[i].mode);
        CHECK_INT(cases[i].query, r.total, cases[i].total);
    }
    struct search s = {.mode = SEARCH_AUTO, .query = STR("tag:/(/"), .limit = 9};
    struct search_result r;
    struct err err;
    assert_false(search_run(x, *state, &s, &r, &err)); /* says what is wrong */
    index_free(x);
}

/* The paths that are found, then those that are near. */
static str paths_of(struct arena *a, const struct search_result *r)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < r->n; i++)
        sbuf_printf(&b, "%s" STR_FMT, i > 0 ? " " : "", STR_ARG(r->hits[i].file->path));
    for (size_t i = 0; i < r->n_near; i++)
        sbuf_printf(&b, "%s" STR_FMT, i > 0 ? " " : " ~ ",
                    STR_ARG(r->near[i].file->path));
    return sbuf_str(&b);
}

/* Without a mode: the text, then what matches its words. */
static void test_auto_order(void **state)
{
    static const struct source sources[] = {
        {"a.md", "Minutes: Tomasz will phone, and the phone was new.\n"},
        {"b.md", "The new phone.\n"},
        {"Tomasz Wrona.md", "---\naliases: [Tomasz]\n---\n+49 30 1234\n"},
        {"c.md", "see the sync version history here\n"},
        {"Version history.md", "# Version history\n\nOf sync: the history.\n"},
        {"d.md", "red shed and a garden\n"},
        {"e.md", "garden shed\nthe garden shed is a shed\n"},
        {"f.md", "a garden shed among many other words that are here\n"},
    };
    static const struct {
        const char *query, *paths;
        enum search_mode mode;
    } cases[] = {
        /* who is named comes first */
        {"Tomasz phone", "Tomasz Wrona.md a.md b.md", SEARCH_WORDS},
        /* a few have the text: the best of them first, then others */
        {"garden shed", "e.md f.md e.md ~ d.md", SEARCH_TEXT},
        /* a topic that another note matches better */
        {"sync version history", "Version history.md c.md", SEARCH_WORDS},
        /* a quotation */
        {"see the sync version history here",
         "c.md ~ Version history.md f.md b.md e.md a.md", SEARCH_TEXT},
        {"shed", "d.md e.md f.md e.md", SEARCH_TEXT}, /* one word: by path */
    };
    struct index *x = make_index(sources, COUNT_OF(sources));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct search s = {.mode = SEARCH_AUTO,
                           .query = str_c(cases[i].query),
                           .limit = 100,
                           .spread = SEARCH_SPREAD};
        struct search_result r = run(x, *state, &s);
        CHECK_STR(cases[i].query, paths_of(*state, &r), cases[i].paths);
        CHECK_INT(cases[i].query, r.mode, cases[i].mode);
    }
    struct search s = {.mode = SEARCH_MEANING, .query = STR("shed"), .limit = 9};
    struct search_result r;
    struct err err;
    assert_false(search_run(x, *state, &s, &r, &err)); /* there are no vectors */
    index_free(x);
}

/* The query is embedded only if notes have to be ranked. */
static void test_needs_vector(void **state)
{
    static const struct {
        enum search_mode mode;
        const char *query;
        bool needs;
    } cases[] = {
        {SEARCH_AUTO, "boiler suit", true}, /* few files have it */
        {SEARCH_AUTO, "suit", true},         {SEARCH_AUTO, "boiler", true},
        {SEARCH_AUTO, "no such text", true}, {SEARCH_AUTO, "tag:#house", false},
        {SEARCH_TEXT, "suit", false},        {SEARCH_WORDS, "suit", false},
        {SEARCH_MEANING, "boiler", true},
    };
    struct word_embedder embedder;
    word_embedder_init(&embedder, "words");
    struct meaning *m = meaning_open(&embedder.embedder, NULL, NULL);
    struct index *x = make_garden();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct search s = {.mode = cases[i].mode,
                           .query = str_c(cases[i].query),
                           .limit = 9,
                           .meaning = m};
        struct search_result r, again;
        struct err err = {0};
        struct search_plan *p = search_read(*state, &s);
        CHECK(cases[i].query, search_find(x, p, &err));
        CHECK_INT(cases[i].query, search_needs_vector(p), cases[i].needs);
        CHECK(cases[i].query, search_rank(x, p, NULL, &r, &err));
        CHECK(cases[i].query, search_find(x, p, &err)); /* the index changed meanwhile */
        CHECK(cases[i].query, search_rank(x, p, NULL, &again, &err));
        CHECK_STR(cases[i].query, show(*state, &again), show(*state, &r));
        s.meaning = NULL;
        p = search_read(*state, &s);
        CHECK(cases[i].query, search_find(x, p, &err) == (s.mode != SEARCH_MEANING));
        CHECK(cases[i].query, !search_needs_vector(p));
    }
    index_free(x);
    meaning_close(m);
}

static void test_words(void **state)
{
    struct index *x = make_garden();
    put(x, (struct source){"Email.md", "---\na: b\n---\n\nWe e-mail, or e-mails.\n"});
    struct search s = {
        .mode = SEARCH_WORDS, .query = STR("heating CONTROLLER"), .limit = 9};
    check(*state, x, &s,
          "line Work/Heating.md 7:3 ...eating, work] --- # **Heating**  The boiler is "
          "old. A "
          "**heating** **controller**, and **heating** again. \n");
    s.query = STR("heating -controller");
    check(*state, x, &s,
          "line Work/Boiler plan.md 4:15 # Plan  Replace the BOILER by may "
          "#house/**heating** \n");
    s.query = STR("heating -plan"); /* a heading wins over an earlier line */
    check(
        *state, x, &s,
        "line Work/Heating.md 4:3 --- tags: [house/**heating**, work] --- # **Heating**  "
        "The boiler is old. A **heating** controller, and hea...\n");
    s.query = STR("email");
    check(*state, x, &s,
          "line Email.md 5:4 --- a: b ---  We **e-mail**, or **e-mails**. \n");
    s.query = STR("boil* png");
    check(*state, x, &s, "name Work/boiler.png 0:0 Work/**boiler**.**png**\n");
    s.query = STR("\"old a heating\"");
    assert_int_equal(run(x, *state, &s).total, 1);
    s.query = STR("-boiler -heating");
    assert_int_equal(run(x, *state, &s).total, 3);
    s.query = STR("");
    assert_int_equal(run(x, *state, &s).total, 0);
    index_free(x);
}

static void test_words_rank(void **state)
{
    struct index *x = make_garden();
    struct search s = {.mode = SEARCH_WORDS, .query = STR("boiler"), .limit = 100};
    struct search_result all = run(x, *state, &s);
    assert_int_equal(all.total, 6);
    for (size_t i = 1; i < all.n; i++)
        assert_true(all.hits[i - 1].score >= all.hits[i].score);
    s.offset = 2;
    s.limit = 2;
    struct search_result some = run(x, *state, &s);
    assert_int_equal(some.total, 6);
    assert_int_equal(some.n, 2);
    assert_true(some.more);
    assert_ptr_equal(some.hits[0].file, all.hits[2].file);
    s.folder = STR("Work");
    some = run(x, *state, &s);
    assert_int_equal(some.total, 4);
    assert_int_equal(some.n, 2);
    assert_false(some.more);
    s.offset = 9;
    some = run(x, *state, &s);
    assert_int_equal(some.total, 4);
    assert_int_equal(some.n, 0);
    s = (struct search){.mode = SEARCH_WORDS, .query = STR("boiler giraffe"), .limit = 1};
    some = run(x, *state, &s);
    assert_true(some.any);
    assert_int_equal(some.total, 6);
    index_free(x);
}

static void test_query(void **state)
{
    struct index *x = make_garden();
    struct search s = {
        .mode = SEARCH_QUERY, .query = STR("boiler -path:Work/"), .limit = 9};
    check(*state, x, &s,
          "line Workshop/Tools.md 1:1 **boiler** suit second \U0001F527 line of boilers\n"
          "line Workshop/Tools.md 2:18 boiler suit second \U0001F527 line of "
          "**boiler**s\n");
    s.query = STR("file:.png");
    check(*state, x, &s, "name Work/boiler.png 0:0 Work/boiler.png\n");
    s.query = STR("line:(heating controller)");
    check(*state, x, &s,
          "line Work/Heating.md 7:3 ...eating, work] --- # Heating  The boiler is old. A "
          "**heating** controller, and heating again. \n");
    s.query = STR("tag:work");
    check(*state, x, &s, "name Work/Heating.md 0:0 Work/Heating.md\n");
    s.query = STR("-boiler");
    assert_int_equal(run(x, *state, &s).files, 2); /* neither pictures nor text files */
    s.query = STR("\"may #house\"");
    assert_int_equal(run(x, *state, &s).hits[0].line, 4);
    index_free(x);
}

/* More matches in one file than a query keeps: some are shown, and it says so. */
static void test_query_limit(void **state)
{
    struct sbuf b = SBUF_ON(*state);
    for (int i = 0; i < 3000; i++)
        sbuf_add(&b, STR("boiler\n"));
    sbuf_char(&b, '\0');
    struct index *x = make_garden();
    put(x, (struct source){"Many.md", b.p});
    struct search s = {.mode = SEARCH_QUERY, .query = STR("boiler"), .limit = 9};
    struct search_result r = run(x, *state, &s);
    assert_true(r.partial);
    assert_int_equal(r.n, 9);
    assert_int_equal(r.hits[8].line, 9);
    s.mode = SEARCH_TEXT;
    s.offset = 2500;
    r = run(x, *state, &s);
    assert_false(r.partial);
    assert_int_equal(r.total, 3009);
    assert_int_equal(r.hits[0].line, 2500 - 3 - 1 + 1); /* after 3 names and a line */
    index_free(x);
}

/* --- nothing found --- */

static void test_suggestions(void **state)
{
    static const struct {
        enum search_mode mode;
        const char *query, *want;
        size_t with_words;
    } cases[] = {
        {SEARCH_TEXT, "heatnig", "heating Heating ", 0},
        {SEARCH_WORDS, "heatnig", "heating Heating ", 0},
        {SEARCH_REGEX, "\\bheatnig.*x", "heating ", 0},
        {SEARCH_QUERY, "heatnig -line:boilre", "heating Heating ", 0},
        {SEARCH_TEXT, "plan boiler", "Boiler plan ", 1},
        {SEARCH_TEXT, "old heating", "Heating ", 1},
        {SEARCH_TEXT, "héating", "Heating ", 2},
        {SEARCH_TEXT, "-qqqq", "", 0},
        {SEARCH_TEXT, "\"heatnig\"", "heating Heating ", 0},
        {SEARCH_QUERY, "-line:/./ -file:.", "", 0},
    };
    struct index *x = make_garden();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct sbuf b = SBUF_ON(*state);
        struct search s = {.mode = cases[i].mode, .query = str_c(cases[i].query)};
        struct search_result r = run(x, *state, &s);
        for (size_t k = 0; k < r.n_suggestions; k++)
            sbuf_printf(&b, STR_FMT " ", STR_ARG(r.suggestions[k]));
        CHECK_STR(cases[i].query, sbuf_str(&b), cases[i].want);
        CHECK_INT(cases[i].query, r.with_words, cases[i].with_words);
    }
    index_free(x);
}

static void test_errors(void **state)
{
    str bad_glob = STR("[a");
    const struct {
        struct search s;
        enum err_code code;
    } cases[] = {
        {{.mode = SEARCH_TEXT}, ERR_INVALID},
        {{.mode = SEARCH_TEXT, .query = STR("\xFF")}, ERR_INVALID},
        {{.mode = SEARCH_REGEX, .query = STR("(")}, ERR_INVALID},
        {{.mode = SEARCH_QUERY, .query = STR("/(/")}, ERR_INVALID},
        {{.query = STR("a"), .limit = SEARCH_LIMIT_MAX + 1}, ERR_LIMIT},
        {{.query = STR("a"), .globs = &bad_glob, .n_globs = 1}, ERR_INVALID},
    };
    struct index *x = make_garden();
    char *long_query = arena_zero(*state, 5000);
    memset(long_query, 'a', 5000);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct search_result r;
        struct err err = {0};
        assert_false(search_run(x, *state, &cases[i].s, &r, &err));
        CHECK_INT(err.msg, err.code, cases[i].code);
    }
    for (int mode = SEARCH_TEXT; mode <= SEARCH_QUERY; mode++) {
        struct search s = {.mode = (enum search_mode)mode, .query = {long_query, 5000}};
        struct search_result r;
        struct err err = {0};
        assert_false(search_run(x, *state, &s, &r, &err));
        assert_int_equal(err.code, ERR_LIMIT);
    }
    index_free(x);
}

/* --- time and threads --- */

static bool stop_at(void *arg)
{
    return atomic_fetch_add((atomic_int *)arg, 1) > 2;
}

static bool stop_immediately(void *arg)
{
    return true;
}

/* Asked before the deadline is looked at, and then 1 ms is over. */
static bool wait_until_late(void *arg)
{
    for (uint64_t from = clock_ns(); clock_ns() - from < UINT64_C(1100000);)
        ;
    return false;
}

/* Some MB in files of every size. */
static struct index *make_forest(struct arena *a)
{
    struct index *x = index_create();
    for (unsigned i = 0; i < 300; i++) {
        struct sbuf b = SBUF_ON(a);
        for (unsigned k = 0; k < 10 + (i * 37) % 400; k++)
            sbuf_printf(&b, "line %u of tree %u with oak%s and #leaf/%u\n", k, i,
                        (k * i) % 7 == 0 ? " and Linden" : "", k % 5);
        sbuf_char(&b, '\0');
        put(x, (struct source){arena_printf(a, "Trees/%u/%u.md", i * 7 % 10, i).p, b.p});
    }
    return x;
}

static void test_SEC_71_stop(void **state)
{
    struct index *x = make_forest(*state);
    for (int mode = SEARCH_TEXT; mode <= SEARCH_QUERY; mode++) {
        struct search s = {
            .mode = (enum search_mode)mode, .query = STR("oak"), .limit = 5};
        s.within_ms = 1;
        s.stop.asked = wait_until_late;
        struct search_result r = run(x, *state, &s);
        assert_true(r.partial);
        assert_int_equal(r.total, 0);
        assert_int_equal(r.n_suggestions, 0);
        s.within_ms = 1000000;
        s.stop.asked = NULL;
        r = run(x, *state, &s);
        assert_false(r.partial);
        assert_int_equal(r.n, 5);
        size_t total = r.total;
        s.stop.asked = stop_immediately;
        r = run(x, *state, &s);
        assert_true(r.partial);
        assert_int_equal(r.n, 0);
        atomic_int calls = 0;
        s.stop = (struct stop){.asked = stop_at, .arg = &calls};
        r = run(x, *state, &s);
        assert_true(r.partial);
        assert_true(r.total <= total);
    }
    index_free(x);
}

/* Phrases are checked in the notes themselves, which may take long. */
static void test_stop_in_phrases(void **state)
{
    static const char *const queries[] = {"\"with oak\"", "oak -\"tree with\""};
    struct index *x = make_forest(*state);
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        atomic_int calls = 0;
        struct search s = {.mode = SEARCH_WORDS, .query = str_c(queries[i]), .limit = 5};
        struct search_result whole = run(x, *state, &s);
        CHECK(queries[i], whole.total == 300 && !whole.partial);
        s.stop = (struct stop){.asked = stop_at, .arg = &calls};
        struct search_result r = run(x, *state, &s);
        CHECK(queries[i], r.partial);
        CHECK(queries[i], calls < 20); /* not one call per note */
        CHECK(queries[i], r.total < 300);
    }
    index_free(x);
}

/* A canvas is searched as stored, not only its readable text. */
static void test_canvas_text(void **state)
{
    struct index *x = make_garden();
    struct search text = {.mode = SEARCH_TEXT, .query = STR("nodes"), .limit = 5};
    struct search regex = {.mode = SEARCH_REGEX, .query = STR("nod[e]s"), .limit = 5};
    assert_int_equal(run(x, *state, &text).total, 1);
    assert_int_equal(run(x, *state, &regex).total, 1);
    index_free(x);
}

/* Unreadable files are counted in every mode. */
static void test_unread(void **state)
{
    struct index *x = make_garden();
    for (int mode = SEARCH_TEXT; mode <= SEARCH_QUERY; mode++)
        for (int i = 0; i < 2; i++) {
            struct search s = {.mode = (enum search_mode)mode,
                               .query = i == 0 ? STR("boiler") : STR("nonsense"),
                               .limit = 5};
            assert_int_equal(run(x, *state, &s).unread, 1);
            s.folder = STR("Archive");
            assert_int_equal(run(x, *state, &s).unread, 0);
        }
    put(x, (struct source){"Work/Huge.md", "boiler"});
    struct search s = {.mode = SEARCH_WORDS, .query = STR("boiler"), .limit = 5};
    assert_int_equal(run(x, *state, &s).unread, 0);
    put(x, (struct source){"Work/Huge.md", NULL, true});
    assert_int_equal(run(x, *state, &s).unread, 0);
    index_free(x);
}

static void test_threads(void **state)
{
    static const char *const queries[] = {"oak", "linden", "tree 7", "line 9", "Ölbaum"};
    struct index *x = make_forest(*state);
    struct pool *pool = pool_create(3, 16);
    for (int mode = SEARCH_TEXT; mode <= SEARCH_QUERY; mode++)
        for (size_t i = 0; i < COUNT_OF(queries); i++) {
            struct search s = {.mode = (enum search_mode)mode,
                               .query = str_c(queries[i]),
                               .offset = i * 20,
                               .limit = 300};
            struct search_result alone = run(x, *state, &s);
            s.pool = pool;
            struct search_result helped = run(x, *state, &s);
            assert_int_equal(alone.total, helped.total);
            assert_int_equal(alone.files, helped.files);
            assert_true(str_eq(show(*state, &alone), show(*state, &helped)));
        }
    pool_free(pool);
    index_free(x);
}

/* Every match of a line is marked, and files are counted. */
static void test_marks(void **state)
{
    static const struct source sources[] = {
        {"a.md", "x\nrain, Rain and barrel\nrain\n"},
        {"rain.md", "\xEF\xBB\xBFrain barrel rain\n"}};
    static const struct {
        enum search_mode mode;
        const char *query, *marks;
    } cases[] = {
        {SEARCH_TEXT, "rain", "2: 0-4 6-10; 3: 0-4; 1: 0-4 12-16; "},
        {SEARCH_REGEX, "r[a-z]+n\\b", "2: 0-4; 3: 0-4; 1: 0-4 12-16; "},
        {SEARCH_REGEX, "^rain", "2: 0-4; 3: 0-4; 1: 0-4; "},
        {SEARCH_QUERY, "rain barrel", "2: 0-4 6-10 15-21; 3: 0-4; 1: 0-4 5-11 12-16; "},
        {SEARCH_WORDS, "barrel rain -x", "1: 0-4 5-11 12-16; "},
    };
    struct index *x = make_index(sources, COUNT_OF(sources));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct search s = {.mode = cases[i].mode,
                           .query = str_c(cases[i].query),
                           .lines_only = true,
                           .all_marks = true,
                           .by_file = true,
                           .limit = 100};
        struct search_result r = run(x, *state, &s);
        struct sbuf b = SBUF_ON(*state);
        for (size_t k = 0; k < r.n; k++) {
            sbuf_printf(&b, "%u:", r.hits[k].line);
            for (size_t m = 0; m < r.hits[k].n_marks; m++)
                sbuf_printf(&b, " %zu-%zu", r.hits[k].marks[m].start,
                            r.hits[k].marks[m].end);
            sbuf_printf(&b, "; ");
        }
        CHECK_STR(cases[i].query, sbuf_str(&b), cases[i].marks);
        size_t hits = 0;
        for (size_t k = 0; k < r.n_by_file; k++)
            hits += r.by_file[k].hits;
        CHECK_INT(cases[i].query, r.n_by_file, r.files);
        CHECK_INT(cases[i].query, hits, r.total);
    }
    index_free(x);
}

static void test_lines_only(void **state)
{
    struct index *x = make_garden();
    struct search s = {
        .mode = SEARCH_TEXT, .query = STR("boiler"), .lines_only = true, .limit = 100};
    struct search_result r = run(x, *state, &s);
    for (size_t i = 0; i < r.n; i++)
        CHECK_INT("where", r.hits[i].where, SEARCH_CONTENT);
    CHECK_INT("lines", r.total, 6);
    CHECK_INT("all are shown", r.n, r.total);
    s.query = STR("house/heating"); /* a tag, too */
    r = run(x, *state, &s);
    CHECK_INT("lines with a tag", r.total, 2);
    index_free(x);
}

/* --- against the plainest way --- */

enum { PLAIN_FILES = 30, PLAIN_ROUNDS = 60, PLAIN_NEEDLES = 60 };

static uint32_t plain_roll(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % n;
}

static str plain_pieces(struct arena *a, uint32_t *seed, uint32_t n)
{
    static const char *const pieces[] = {
        "oak",
        "Oaken",
        "the",
        "elm",
        " ",
        " ",
        "\n",
        "\n#",
        "#t/oak",
        ".md",
        "\u041b\u0435\u0441",
        "\u043b\u0415\u0441\u0438",
        "\u0306",
        "\u6771\u4eac",
        "\u4eac",
        "caf\u00e9",
        "CAFE\u0301",
        "7",
        "42",
        "a",
        "-",
        "K",
        "\u212a",
        "\u017f",
        "[[oak]]",
        "\"",
        "md",
        "x.",
    };
    struct sbuf b = SBUF_ON(a);
    for (uint32_t i = 0; i < n; i++)
        sbuf_add(&b, str_c(pieces[plain_roll(seed, COUNT_OF(pieces))]));
    return sbuf_str(&b);
}

/* A name of a file or folder: one line, without slashes. */
static str plain_name(struct arena *a, uint32_t *seed)
{
    str name = arena_str(a, plain_pieces(a, seed, 1 + plain_roll(seed, 3)));
    for (size_t i = 0; i < name.n; i++)
        if (strchr("\n/#[]\"", name.p[i]) != NULL)
            ((char *)name.p)[i] = '_';
    return name;
}

static void plain_change(struct index *x, struct arena *a, uint32_t *seed)
{
    static const char *const endings[] = {".md",     ".md",  ".md", ".MD",
                                          ".canvas", ".txt", ".png"};
    str folder = plain_name(a, seed), name = plain_name(a, seed);
    str text = plain_pieces(a, seed, plain_roll(seed, 40));
    if (plain_roll(seed, 3) == 0)
        text = arena_printf(a, "---\ntags: [\"o\\x61k\", elm]\n---\n" STR_FMT,
                            STR_ARG(text));
    str path = arena_printf(a, STR_FMT "/" STR_FMT "%s", STR_ARG(folder), STR_ARG(name),
                            endings[plain_roll(seed, COUNT_OF(endings))]);
    struct source s = {plain_roll(seed, 4) == 0 ? path.p + folder.n + 1 : path.p,
                       arena_str(a, text).p, plain_roll(seed, 8) == 0};
    const struct file *old = index_nth(x, plain_roll(seed, PLAIN_FILES));
    if (old != NULL)
        index_remove(x, arena_str(a, old->path));
    put(x, s);
}

/* The hits of a text in a file: its path, one of its tags, its lines. */
static size_t plain_count(const struct file *f, struct textscan *scan,
                          struct textscan *tag_scan, bool asks_tag)
{
    size_t n = textscan_in(scan, f->path), start, end;
    for (size_t i = 0; i < f->tags.n; i++)
        if (textscan_find(tag_scan, f->tags.items[i], 0, &start, &end) &&
            (start == 0 || !asks_tag)) {
            n++;
            break;
        }
    for (size_t at = 0; textscan_find(scan, f->text, at, &start, &end); n++) {
        size_t feed = str_find_char(str_skip(f->text, start), '\n');
        at = feed == STR_NONE ? f->text.n : start + feed + 1;
    }
    return n;
}

static void check_plainly(struct index *x, struct arena *a, str query, bool excluded)
{
    struct search s = {.query = query, .limit = 10, .excluded = excluded};
    struct search_result r;
    struct textscan *scan, *tag_scan;
    struct err err;
    bool asks_tag = str_starts(query, STR("#"));
    if (!search_run(x, a, &s, &r, &err)) /* not UTF-8 */
        return;
    assert_true(textscan_create(query, &scan, &err));
    str tag = str_skip(query, asks_tag);
    assert_true(tag.n == 0 || textscan_create(tag, &tag_scan, &err));
    size_t total = 0, files = 0;
    for (file_id i = 0; tag.n > 0 && i < x->n; i++) {
        const struct file *f = x->files[i];
        if (f == NULL || (f->excluded && !excluded))
            continue;
        size_t n = plain_count(f, scan, tag_scan, asks_tag);
        total += n;
        files += n > 0;
    }
    if (tag.n > 0 && (r.total != total || r.files != files))
        fail_msg("'" STR_FMT "': %zu hits in %zu files, want %zu in %zu", STR_ARG(query),
                 r.total, r.files, total, files);
    textscan_free(scan);
    if (tag.n > 0)
        textscan_free(tag_scan);
}

/* Whatever the index knows, a search finds what reading everything would find. */
static void test_plainly(void **state)
{
    (void)state;
    uint32_t seed = 3;
    struct index *x = index_create();
    for (int round = 0; round < PLAIN_ROUNDS; round++) {
        struct arena a = {0};
        for (uint32_t i = 0; i < (round == 0 ? PLAIN_FILES : 5); i++)
            plain_change(x, &a, &seed);
        for (int i = 0; i < PLAIN_NEEDLES; i++) {
            const struct file *f = index_nth(x, plain_roll(&seed, (uint32_t)x->count));
            str from = plain_roll(&seed, 3) == 0 ? f->path : f->text;
            size_t at = plain_roll(&seed, (uint32_t)from.n + 1);
            str query = str_slice(from, at, at + 1 + plain_roll(&seed, 8));
            if (query.n > 0)
                check_plainly(x, &a, query, i % 4 == 0);
        }
        arena_release(&a);
    }
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plainly),
        ARENA_TEST(test_text),
        ARENA_TEST(test_tags),
        ARENA_TEST(test_odd_texts),
        ARENA_TEST(test_window),
        ARENA_TEST(test_per_file),
        ARENA_TEST(test_spread),
        ARENA_TEST(test_filters),
        ARENA_TEST(test_excluded_files_are_found_on_request),
        ARENA_TEST(test_regex),
        ARENA_TEST(test_regex_names),
        ARENA_TEST(test_names),
        ARENA_TEST(test_auto),
        ARENA_TEST(test_auto_order),
        ARENA_TEST(test_needs_vector),
        ARENA_TEST(test_words),
        ARENA_TEST(test_words_rank),
        ARENA_TEST(test_query),
        ARENA_TEST(test_query_limit),
        ARENA_TEST(test_suggestions),
        ARENA_TEST(test_errors),
        ARENA_TEST(test_SEC_71_stop),
        ARENA_TEST(test_stop_in_phrases),
        ARENA_TEST(test_canvas_text),
        ARENA_TEST(test_unread),
        ARENA_TEST(test_threads),
        ARENA_TEST(test_lines_only),
        ARENA_TEST(test_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
