#include "vault/ask/check.h"

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

/* A vault as path, text, path, text, ..., NULL. */
static struct index *vault_of(const char *const *files)
{
    struct index *x = index_create();
    for (size_t i = 0; files[i] != NULL; i += 2)
        put(x, files[i], str_c(files[i + 1]), false);
    return x;
}

/* Findings, one per line: "severity kind path:line message | suggestion". */
static str findings(struct arena *a, const struct index *x, unsigned kinds)
{
    struct check_result r;
    struct sbuf b = SBUF_ON(a);
    check_vault(x, a, &(struct check_limits){.kinds = kinds, .max = 1000}, &r);
    CHECK_INT("all are listed", r.n, r.total);
    for (size_t i = 0; i < r.n; i++) {
        const struct check_finding *f = &r.findings[i];
        sbuf_printf(&b, "%s %s " STR_FMT ":%u " STR_FMT " | " STR_FMT "\n",
                    check_severity_name(f->severity), check_kind_name(f->kind),
                    STR_ARG(f->path), f->line, STR_ARG(f->message),
                    STR_ARG(f->suggestion));
    }
    return sbuf_str(&b);
}

static const char *const broken_links[] = {
    "Target.md",
    "# Some heading\n\ntext ^abc123\n\n## Below\n\n[[#Below]] [[#Missing]] [[]]",
    "dir/Deep note.md",
    "---\naliases: Nickname\n---\n[[Target]]",
    "pic.png",
    "",
    "s.md",
    "---\nup: \"[[Gone]]\"\n---\n"
    "[[Tarxet]] [[Nickname]] [[pic]] ![[nothing.png]]\n"
    "[[other/Deep note]] [a](Deep%20note.md) [b](gone%20too.md) [c](https://x.org)\n"
    "[[Something entirely different]] [[mailto:x@y.z]]\n",
    "t.md",
    "[[Target#Some heading]] [[target#some HEADING]] [[Target#Some heading#Below]]\n"
    "[[Target#Some headin]] [[Target#^abc123]] [[Target#^abc124]]\n"
    "[[Target#Quite another]] [[pic.png#page=3]] [[Target#]]\n",
    "c.canvas",
    "{\"nodes\":[{\"type\":\"file\",\"file\":\"gone.md\"},\n"
    "{\"type\":\"text\",\"text\":\"[[Targe]]\"}]}",
    NULL};

static void test_links(void **state)
{
    struct index *x = vault_of(broken_links);
    CHECK_STR(
        "links", findings(*state, x, 1u << CHECK_LINK),
        "error broken_link c.canvas:1 There is no 'gone.md' to embed | "
        "Add the file, or remove the link\n"
        "warning broken_link c.canvas:2 There is no 'Targe' to link to | "
        "Did you mean 'Target.md'?\n"
        "warning broken_link s.md:2 There is no 'Gone' to link to | "
        "Create the note, or remove the link\n"
        "warning broken_link s.md:4 There is no 'Tarxet' to link to | "
        "Did you mean 'Target.md'?\n"
        "warning broken_link s.md:4 There is no 'Nickname' to link to | "
        "Did you mean 'dir/Deep note.md'?\n"
        "warning broken_link s.md:4 There is no 'pic' to link to | "
        "Did you mean 'pic.png'?\n"
        "error broken_link s.md:4 There is no 'nothing.png' to embed | "
        "Add the file, or remove the link\n"
        "warning broken_link s.md:5 There is no 'other/Deep note' to link to | "
        "Did you mean 'dir/Deep note.md'?\n"
        "warning broken_link s.md:5 There is no 'gone too.md' to link to | "
        "Create the note, or remove the link\n"
        "warning broken_link s.md:6 There is no 'Something entirely different' to link "
        "to | Create the note, or remove the link\n");
    CHECK_STR("subpaths", findings(*state, x, 1u << CHECK_SUBPATH),
              "warning broken_subpath Target.md:7 'Target.md' has no '#Missing' | \n"
              "warning broken_subpath t.md:2 'Target.md' has no '#Some headin' | "
              "Did you mean '#Some heading'?\n"
              "warning broken_subpath t.md:2 'Target.md' has no '#^abc124' | "
              "Did you mean '#^abc123'?\n"
              "warning broken_subpath t.md:3 'Target.md' has no '#Quite another' | \n");
    index_free(x);
}

static void test_ambiguous(void **state)
{
    static const char *const files[] = {
        "a/Note.md",   "",
        "b/Note.md",   "",
        "b/q/Note.md", "",
        "Root.md",     "",
        "a/Root.md",   "",
        "b/s.md",      "[[Note]] [[a/Note]] [[q/Note]] [[./Note]]\n[[Root]] [[s]]",
        "c/b/s.md",    "[[b/Note]] [[b/s]]",
        "z/b/s.md",    "",
        NULL};
    struct index *x = vault_of(files);
    CHECK_STR(
        "ambiguous", findings(*state, x, 1u << CHECK_AMBIGUOUS),
        "warning ambiguous_link b/s.md:1 'Note' means 'b/Note.md', but also matches "
        "'b/q/Note.md', 'a/Note.md' | Write the whole path: 'b/Note.md'\n"
        "info ambiguous_link b/s.md:2 'Root' means 'Root.md', but also matches "
        "'a/Root.md' | Write the whole path: 'Root.md'\n"
        "warning ambiguous_link b/s.md:2 's' means 'b/s.md', but also matches "
        "'c/b/s.md', 'z/b/s.md' | Write the whole path: 'b/s.md'\n");
    index_free(x);
}

static void test_twins(void **state)
{
    static const char *const files[] = {
        "A/x.md", "",       "a/X.md", "",  "caf\u00e9.md", "", "cafe\u0301.md",
        "",       "b/x.md", "",       NULL};
    struct index *x = vault_of(files);
#define TWIN "Differs only in case or Unicode form from "
#define RENAME " | Rename one of them: many systems treat them as the same file\n"
    CHECK_STR("twins", findings(*state, x, 1u << CHECK_TWIN),
              "warning twin_path A/x.md:0 " TWIN "'a/X.md'" RENAME
              "warning twin_path a/X.md:0 " TWIN "'A/x.md'" RENAME
              "warning twin_path cafe\u0301.md:0 " TWIN "'caf\u00e9.md'" RENAME
              "warning twin_path caf\u00e9.md:0 " TWIN "'cafe\u0301.md'" RENAME);
    index_free(x);
}

static void test_conflicts(void **state)
{
    static const char *const files[] = {"A/Plan.md",
                                        "a",
                                        "A/Plan (Conflicted copy phone 202611161200).md",
                                        "b",
                                        "A/Plan (2).md",
                                        "c",
                                        "Log.sync-conflict-20261116-120000-ABC1234.md",
                                        "d",
                                        NULL};
    struct index *x = vault_of(files);
#define KEEPS "A sync program keeps another version of "
#define COMPARE " here | Compare them, keep what is right in one, and delete the other\n"
    CHECK_STR(
        "conflicts", findings(*state, x, 1u << CHECK_CONFLICT),
        "warning conflict_copy A/Plan (Conflicted copy phone 202611161200).md:0 " KEEPS
        "'A/Plan.md'" COMPARE
        "warning conflict_copy Log.sync-conflict-20261116-120000-ABC1234.md:0 " KEEPS
        "'Log.md'" COMPARE);
    index_free(x);
}

static void test_files(void **state)
{
    static const char *const files[] = {"bad.md",     "---\na: 1\nb: [\n---\n[[bad]]",
                                        "bad.canvas", "{\"nodes\":\n [",
                                        "empty.md",   "\xEF\xBB\xBF \r\n\t\n",
                                        "props.md",   "---\na: 1\n---\n",
                                        "none.md",    "---\n---\n\n",
                                        "used.png",   "",
                                        "alone.png",  "",
                                        "data.csv",   "1,2",
                                        "x.base",     "",
                                        "user.md",    "![[used.png]]",
                                        NULL};
    struct index *x = vault_of(files);
    struct arena scratch = {0};
    struct fs_info info = {0};
    index_put(x, file_make_unread(&scratch, STR("big.md"), &info, "larger than 8 MB"),
              false);
    index_put(x, file_make_unread(&scratch, STR("film.mp4"), &info, NULL), false);
    str got = findings(*state, x, 1u << CHECK_PROPERTIES | 1u << CHECK_CANVAS);
    CHECK_STR(
        "broken", got,
        "error broken_canvas bad.canvas:2 The canvas is broken: invalid JSON at "
        "byte 12: expected a value, found the end | \n"
        "error broken_properties bad.md:4 The properties are broken: line 4, column "
        "1: a value is missing here | \n");
    CHECK_STR("unread", findings(*state, x, 1u << CHECK_UNREAD),
              "error unread_file big.md:0 Not read: larger than 8 MB | \n");
    CHECK_STR("empty", findings(*state, x, 1u << CHECK_EMPTY),
              "info empty_note empty.md:0 The note is empty | Write it, or delete it\n"
              "info empty_note none.md:0 The note is empty | Write it, or delete it\n");
#define ALONE "Nothing links to this file | Embed it in a note, or delete it\n"
    CHECK_STR("attachments", findings(*state, x, 1u << CHECK_ATTACHMENT),
              "info orphan_attachment alone.png:0 " ALONE
              "info orphan_attachment data.csv:0 " ALONE
              "info orphan_attachment film.mp4:0 " ALONE);
    got = findings(*state, x, 1u << CHECK_ORPHAN);
    CHECK("links to itself only", str_starts(got, STR("info orphan_note bad.md:0 ")));
    CHECK("has a link", str_find(got, STR("user.md")) == STR_NONE);
    arena_release(&scratch);
    index_free(x);
}

static void test_block_ids(void **state)
{
    static const char *const files[] = {
        "a.md", "one ^x\n\ntwo ^y\n\nthree ^X\n\nfour ^x\n\n- item ^z\n", NULL};
    struct index *x = vault_of(files);
    CHECK_STR("ids", findings(*state, x, 1u << CHECK_BLOCK_ID),
              "warning duplicate_block_id a.md:5 The id '^X' is already used on line 1 | "
              "Give one of them a different id\n"
              "warning duplicate_block_id a.md:7 The id '^x' is already used on line 1 | "
              "Give one of them a different id\n");
    index_free(x);
}

static void test_names(void **state)
{
    static const char *const files[] = {
        "Apple.md",   "---\naliases: [apple, Fruit]\n---\n",
        "Pear.md",    "---\naliases:\n  - Birne\n  - APPLE\n---\n",
        "Plum.md",    "---\naliases: fruit\n---\n",
        "a/index.md", "",
        "b/Index.md", "",
        NULL};
    struct index *x = vault_of(files);
    put(x, "hidden/Plum.md", STR(""), true);
    CHECK_STR("names", findings(*state, x, 1u << CHECK_NAME),
              "info duplicate_name Apple.md:2 The alias 'Fruit' is also an alias of "
              "'Plum.md' | Choose another alias\n"
              "warning duplicate_name Pear.md:4 The alias 'APPLE' is also the title of "
              "'Apple.md' | Choose another alias\n"
              "info duplicate_name a/index.md:0 The title 'index' is also the title of "
              "'b/Index.md' | \n");
    index_free(x);
}

/* A name that very many files have, in very many links. */
static void test_many(void **state)
{
    struct arena *a = *state;
    enum { MANY = 500 };
    struct index *x = index_create();
    struct sbuf b = SBUF_ON(a);
    for (int i = 0; i < MANY; i++) {
        str path = arena_printf(a, "f%03d/index.md", i);
        put(x, path.p, STR(""), false);
        sbuf_printf(&b, "[[index]] [[nowhere/index]]\n");
    }
    put(x, "z.md", sbuf_str(&b), false);
    struct check_result r;
    check_vault(x, a, &(struct check_limits){.max = 1000}, &r);
    CHECK_INT("ambiguous", r.counts[CHECK_AMBIGUOUS], MANY);
    CHECK_INT("broken", r.counts[CHECK_LINK], MANY);
    CHECK_INT("titles, once", r.counts[CHECK_NAME], 1);
    CHECK_STR("message", r.findings[0].message,
              "The title 'index' is also the title of 'f001/index.md', 'f002/index.md', "
              "'f003/index.md' and others");
    index_free(x);
}

static bool stop_soon(void *arg)
{
    return ++*(int *)arg > 2;
}

static void test_limits(void **state)
{
    struct arena *a = *state;
    struct index *x = vault_of(broken_links);
    put(x, "excluded.md", STR("[[gone]] [[gone]]"), true);
    struct check_result all, few, later;
    check_vault(x, a, &(struct check_limits){.max = 1000}, &all);
    CHECK_INT("links", all.counts[CHECK_LINK], 10);
    CHECK_INT("subpaths", all.counts[CHECK_SUBPATH], 4);
    size_t sum = 0;
    for (size_t i = 0; i < CHECK_KINDS; i++)
        sum += all.counts[i];
    CHECK_INT("sum", sum, all.total);
    for (size_t i = 1; i < all.n; i++) {
        const struct check_finding *f = &all.findings[i - 1], *g = &all.findings[i];
        int order = str_cmp(f->path, g->path);
        CHECK("order",
              order < 0 || (order == 0 && (f->line < g->line ||
                                           (f->line == g->line && f->kind <= g->kind))));
    }
    check_vault(x, a, &(struct check_limits){.max = 3}, &few);
    CHECK_INT("listed", few.n, 3);
    CHECK_INT("counted", few.total, all.total);
    for (size_t i = 0; i < few.n; i++)
        CHECK("the first", str_eq(few.findings[i].message, all.findings[i].message));
    check_vault(x, a, &(struct check_limits){0}, &few);
    CHECK("only counts", few.n == 0 && few.total == all.total);
    int asked = 0;
    check_vault(
        x, a, &(struct check_limits){.max = 9, .stop = &(struct stop){stop_soon, &asked}},
        &few);
    CHECK("stopped", few.partial && few.total < all.total);
    check_vault(x, a,
                &(struct check_limits){.max = 9, .stop = &(struct stop){.until = 1}},
                &later);
    CHECK("too late", later.partial && later.total == 0);
    CHECK("done", !all.partial);
    index_free(x);
    x = index_create();
    check_vault(x, a, &(struct check_limits){.max = 9}, &all);
    CHECK("an empty vault", all.total == 0 && !all.partial);
    index_free(x);
}

static void test_kind_names(void **state)
{
    (void)state;
    for (enum check_kind k = 0; k < CHECK_KINDS; k++) {
        assert_non_null(check_kind_name(k));
        CHECK_INT(check_kind_name(k), check_kind_of(str_c(check_kind_name(k))), k);
    }
    CHECK_INT("none", check_kind_of(STR("spelling")), CHECK_KINDS);
}

/* Long and broken texts: messages stay short and valid. */
static void test_odd_texts(void **state)
{
    struct arena *a = *state;
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, STR("[[bad\xff name]] [[\xf0\x9f]] [[x\0y]] [[a#\xff]] [["));
    for (int i = 0; i < 100000; i++)
        sbuf_add(&b, STR("long "));
    sbuf_add(&b, STR("]] [[a#"));
    for (int i = 0; i < 100000; i++)
        sbuf_add(&b, STR("long "));
    sbuf_add(&b, STR("]]"));
    struct index *x = index_create();
    put(x, "a.md", STR("# \xff\n\n# long\n"), false);
    put(x, "s.md", sbuf_str(&b), false);
    struct check_result r;
    check_vault(x, a, &(struct check_limits){.max = 100}, &r);
    CHECK("found", r.counts[CHECK_LINK] >= 4);
    for (size_t i = 0; i < r.n; i++) {
        CHECK("short", r.findings[i].message.n < 1000);
        CHECK("valid", utf8_valid(r.findings[i].message));
        CHECK("valid", utf8_valid(r.findings[i].suggestion));
    }
    index_free(x);
}

static void test_folder_and_page(void **state)
{
    static const char *const files[] = {
        "a.md",        "[[Gone]]", "P/CLAUDE.md",
        "[[Gone]]",    "P/b.md",   "[[Gone]] [[Lost]]",
        "Q/CLAUDE.md", "[[Gone]]", NULL,
    };
    static const struct skipped_file left[] = {{STR("P/x"), STR("too deep")},
                                               {STR("Z"), STR("too long")}};
    struct index *x = vault_of(files);
    struct check_result r;
    struct check_limits limits = {
        .folder = STR("P"), .left = left, .n_left = 2, .max = 1000};
    check_vault(x, *state, &limits, &r);
    assert_int_equal(r.counts[CHECK_LINK], 3);
    assert_int_equal(r.counts[CHECK_LEFT_OUT], 1);
    assert_int_equal(r.counts[CHECK_NAME], 0); /* rules may have the same name */
    CHECK_STR("in order", r.findings[r.n - 1].path, "P/x");
    CHECK_STR("why", r.findings[r.n - 1].message, "Not in the index: too deep");
    limits.folder = STR("");
    check_vault(x, *state, &limits, &r);
    size_t total = r.total;
    str last = r.findings[total - 1].path;
    CHECK_STR("by path, as bytes", last, "a.md");
    limits.max = 2;
    for (limits.offset = 0; limits.offset <= total; limits.offset++) {
        check_vault(x, *state, &limits, &r);
        size_t rest = total - limits.offset;
        assert_int_equal(r.total, total);
        assert_int_equal(r.n, rest < 2 ? rest : 2);
    }
    index_free(x);
}

/* --- notes that stand out --- */

static void put_at(struct index *x, const char *path, str text, int64_t modified)
{
    struct arena scratch = {0};
    struct fs_info info = {.modified_ns = modified * 1000000000};
    index_put(x, file_make(&scratch, str_c(path), &info, text), false);
    arena_release(&scratch);
}

static void test_hubs_and_stale(void **state)
{
    struct index *x = index_create();
    int64_t now = clock_now(), old = 1600000000; /* 2020-09-13 */
    char path[32];
    put_at(x, "Hub.md", STR("new"), now);
    put_at(x, "Old.md", STR("old"), old);
    put_at(x, "Seldom.md", STR("old, but few link to it"), old);
    put_at(x, "Tasks.md", STR("- [ ] one\n- [x] two\n- [ ] three\n"), old);
    put_at(x, "Recent.md", STR("- [ ] one\n"), now);
    for (int i = 0; i < 6; i++) {
        snprintf(path, sizeof(path), "%d.md", i);
        put_at(x, path,
               i < 2   ? STR("[[Hub]] [[Hub]] [[Seldom]] [[Old]]")
               : i < 3 ? STR("[[Hub]] [[Old]]")
                       : STR("[[Hub]]"),
               now);
    }
    CHECK_STR("hubs", findings(*state, x, 1u << CHECK_HUB),
              "info hub_note Hub.md:0 6 files link here | \n");
    CHECK_STR("stale", findings(*state, x, 1u << CHECK_STALE),
              "info stale_note Old.md:0 3 files link here, but it has not changed since "
              "2020-09-13 | Check whether it is still true\n"
              "info stale_note Tasks.md:0 2 open tasks, but it has not changed since "
              "2020-09-13 | Do the tasks, or remove them\n");
    CHECK("only if asked", str_find(findings(*state, x, 0), STR("hub_note")) == STR_NONE);
    index_free(x);
}

static void test_most_linked(void **state)
{
    struct index *x = index_create();
    struct check_result r;
    char path[32];
    for (int to = 0; to < 2 * CHECK_HUBS_MAX; to++) {
        snprintf(path, sizeof(path), "to %d.md", to);
        put_at(x, path, STR(""), 0);
    }
    for (int from = 0; from < 3 * CHECK_HUBS_MAX; from++) {
        struct sbuf text = SBUF_ON((struct arena *)*state);
        for (int to = 0; to < 2 * CHECK_HUBS_MAX && to <= from; to++)
            sbuf_printf(&text, "[[to %d]] ", to);
        snprintf(path, sizeof(path), "from %d.md", from);
        put_at(x, path, sbuf_str(&text), 0);
    }
    check_vault(x, *state, &(struct check_limits){.kinds = 1u << CHECK_HUB, .max = 1000},
                &r);
    CHECK_INT("total", r.total, CHECK_HUBS_MAX);
    for (size_t i = 0; i < r.n; i++) {
        int64_t number;
        str path_end = str_skip(r.findings[i].path, 3);
        assert_true(str_to_int(str_slice(path_end, 0, path_end.n - 3), &number));
        CHECK("one of those that most link to", number < CHECK_HUBS_MAX);
    }
    index_free(x);
}

static void test_duplicates(void **state)
{
    static const char *const files[] = {
        "a.md",
        "The barrel collects rain from the roof of the shed, about two hundred litres in "
        "a "
        "wet month, and the tap at the bottom fills the cans for the beds.",
        "b.md",
        "---\nstatus: draft\n---\nThe barrel collects rain from the roof of the shed, "
        "about two hundred litres in a wet month, and the tap at the bottom fills the "
        "cans "
        "for the beds.",
        "c.md",
        "Something entirely different.",
        NULL};
    struct index *x = vault_of(files);
    CHECK_STR("both", findings(*state, x, 1u << CHECK_DUPLICATE),
              "info near_duplicate a.md:0 100 % of the text is also in 'b.md' | Merge "
              "them, or say in each what sets it apart\n"
              "info near_duplicate b.md:0 100 % of the text is also in 'a.md' | Merge "
              "them, or say in each what sets it apart\n");
    struct check_limits over = {
        .kinds = 1u << CHECK_DUPLICATE, .max = 10, .stop = &(struct stop){.until = 1}};
    struct check_result r;
    check_vault(x, *state, &over, &r);
    CHECK("out of time", r.partial && r.total == 0);
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_links),
        ARENA_TEST(test_ambiguous),
        ARENA_TEST(test_twins),
        ARENA_TEST(test_files),
        ARENA_TEST(test_conflicts),
        ARENA_TEST(test_block_ids),
        ARENA_TEST(test_names),
        ARENA_TEST(test_limits),
        cmocka_unit_test(test_kind_names),
        ARENA_TEST(test_odd_texts),
        ARENA_TEST(test_many),
        ARENA_TEST(test_folder_and_page),
        ARENA_TEST(test_hubs_and_stale),
        ARENA_TEST(test_most_linked),
        ARENA_TEST(test_duplicates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
