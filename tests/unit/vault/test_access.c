#include "vault/access.h"

#include <stdio.h>

#include "base/path.h"
#include "base/sbuf.h"
#include "check.h"
#include "rounds.h"

enum { LISTED = 4 };

/* Lists of patterns, each up to LISTED. */
struct request {
    bool read_only, propose;
    const char *read[LISTED + 1], *write[LISTED + 1], *deny[LISTED + 1],
        *review[LISTED + 1];
};

static size_t count(struct arena *a, const char *const *from, str **out)
{
    size_t n = 0;
    *out = ARENA_ARRAY(a, str, LISTED);
    for (; from[n] != NULL; n++)
        (*out)[n] = str_c(from[n]);
    return n;
}

static bool try_make(struct arena *a, const struct request *w, struct access *out,
                     struct err *err)
{
    str *read, *write, *deny, *review;
    struct access_request request = {.read_only = w->read_only, .propose = w->propose};
    request.n_read = count(a, w->read, &read);
    request.n_write = count(a, w->write, &write);
    request.n_deny = count(a, w->deny, &deny);
    request.n_review = count(a, w->review, &review);
    request.review = review;
    request.read = read;
    request.write = write;
    request.deny = deny;
    return access_make(a, &request, out, err);
}

static struct access make(struct arena *a, const struct request *w)
{
    struct access x;
    struct err err = {0};
    if (!try_make(a, w, &x, &err))
        fail_msg("%s", err.msg);
    return x;
}

/* r: can be read, w: and written, p: and proposed, -: neither. */
static const char *may(const struct access *x, const char *path)
{
    bool reads = access_reads(x, str_c(path)), writes = access_writes(x, str_c(path));
    enum access_level level = access_level(x, str_c(path));
    if (level >= ACCESS_READ && !reads)
        return "BAD";
    return writes ? "w" : level == ACCESS_PROPOSE ? "p" : reads ? "r" : "-";
}

static void test_paths(void **state)
{
    static const struct {
        struct request request;
        const char *path, *may;
    } cases[] = {
        {{0}, "a.md", "w"},
        {{0}, "", "w"},
        {{.read_only = true}, "a.md", "r"},
        /* what is only proposed */
        {{.propose = true}, "a.md", "p"},
        {{.propose = true, .read_only = true}, "a.md", "r"},
        {{.propose = true, .write = {"Work"}}, "Work/a.md", "p"},
        {{.propose = true, .write = {"Work"}}, "a.md", "r"},
        {{.propose = true, .deny = {"Work"}}, "Work/a.md", "-"},
        {{.review = {"Work"}}, "Work/a.md", "p"},
        {{.review = {"Work"}}, "work/A.md", "p"},
        {{.review = {"Work"}}, "Workshop/a.md", "w"},
        {{.review = {"*.canvas"}}, "Work/a.canvas", "p"},
        {{.review = {"Work"}, .read_only = true}, "Work/a.md", "r"},
        {{.review = {"Work"}, .write = {"Play"}}, "Work/a.md", "r"},
        {{.review = {"Work"}, .deny = {"Work"}}, "Work/a.md", "-"},
        {{.review = {"/"}}, "a.md", "p"},
        /* folders */
        {{.read = {"Work"}}, "Work/a.md", "w"},
        {{.read = {"Work"}}, "Work/deep/er/a.md", "w"},
        {{.read = {"Work"}}, "Work", "w"},
        {{.read = {"Work"}}, "Workshop/a.md", "-"},
        {{.read = {"Work"}}, "Work.md", "-"},
        {{.read = {"Work"}}, "a/Work/a.md", "-"},
        {{.read = {"Work"}}, "", "r"},
        {{.read = {"Work/"}}, "Work/a.md", "w"},
        {{.read = {"/Work"}}, "Work/a.md", "w"},
        {{.read = {"./Work//x/"}}, "Work/x/a.md", "w"},
        {{.read = {"Work/a.md"}}, "Work/a.md", "w"},
        {{.read = {"Work/a.md"}}, "Work/b.md", "-"},
        {{.read = {"Work", "Play"}}, "Play/a.md", "w"},
        {{.read = {"/"}}, "Play/a.md", "w"},
        {{.deny = {"/"}}, "Play/a.md", "-"},
        {{.deny = {"/"}}, "", "r"},
        /* case and normal form */
        {{.deny = {"Private"}}, "private/a.md", "-"},
        {{.deny = {"private"}}, "PRIVATE/a.md", "-"},
        {{.deny = {"caf\u00e9"}}, "Cafe\u0301/a.md", "-"},
        {{.deny = {"CAFE\u0301"}}, "caf\u00e9/a.md", "-"},
        {{.deny = {"Stra\u00dfe"}}, "STRA\u1e9eE/a.md", "-"},
        {{.deny = {"a\u00a0b"}}, "a b/x.md", "-"},
        {{.read = {"work"}}, "Work/a.md", "w"},
        /* deny wins */
        {{.read = {"Work"}, .deny = {"Work/Secret"}}, "Work/Secret/a.md", "-"},
        {{.read = {"Work"}, .deny = {"Work/Secret"}}, "Work/a.md", "w"},
        {{.read = {"Work/Secret/a.md"}, .deny = {"Work/Secret"}},
         "Work/Secret/a.md",
         "-"},
        {{.read = {"Work"}, .deny = {"Work"}}, "Work/a.md", "-"},
        {{.deny = {"a.md"}}, "a.md", "-"},
        {{.deny = {"a.md"}}, "b/a.md", "w"},
        /* writing needs reading */
        {{.write = {"Inbox"}}, "Inbox/a.md", "w"},
        {{.write = {"Inbox"}}, "Work/a.md", "r"},
        {{.write = {"Inbox"}, .read = {"Work"}}, "Inbox/a.md", "-"},
        {{.write = {"Inbox"}, .deny = {"Inbox/x"}}, "Inbox/x/a.md", "-"},
        {{.write = {"Inbox"}, .read_only = true}, "Inbox/a.md", "r"},
        /* globs */
        {{.deny = {"*.secret.md"}}, "a/b.secret.md", "-"},
        {{.deny = {"*.SECRET.md"}}, "a/B.Secret.md", "-"},
        {{.deny = {"*.secret.md"}}, "a/b.md", "w"},
        {{.deny = {"**/Private"}}, "a/b/private/c/d.md", "-"},
        {{.deny = {"**/Private/**"}}, "a/b/private/c/d.md", "-"},
        {{.deny = {"Priv*"}}, "a/private/d.md", "-"},
        {{.deny = {"/Priv*"}}, "Private/d.md", "-"},
        {{.deny = {"/Priv*"}}, "a/Private/d.md", "w"},
        {{.deny = {"Work/*"}}, "Work/a/b.md", "-"},
        {{.deny = {"Work/*"}}, "Work", "w"},
        {{.deny = {"Work/*/"}}, "Work/a/b.md", "-"},
        {{.deny = {"{A,B}/x"}}, "b/x/y.md", "-"},
        {{.deny = {"[A-C]x"}}, "bX/y.md", "-"},
        {{.deny = {"#*"}}, "#tag/y.md", "-"},
        {{.deny = {"#tag"}}, "#tag/y.md", "-"},
        {{.read = {"Journal/2026-*"}}, "Journal/2026-11-16.md", "w"},
        {{.read = {"Journal/2026-*"}}, "Journal/2025-11-16.md", "-"},
        {{.read = {"Journal/2026-*"}}, "Journal", "-"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct access x = make(*state, &cases[i].request);
        struct access copy = access_copy(*state, &x);
        char row[80];
        snprintf(row, sizeof(row), "%zu: %s", i, cases[i].path);
        CHECK_STR(row, str_c(may(&x, cases[i].path)), cases[i].may);
        CHECK_STR("copy", str_c(may(&copy, cases[i].path)), cases[i].may);
        CHECK("as text", str_eq(access_text(*state, &copy), access_text(*state, &x)));
    }
}

static void test_bad_patterns(void **state)
{
    static const char *const bad[] = {
        "",       "..", "a/../b",    "../*",     "a/./*",    "!a*", "a\nb",
        "a\x7f*", "*[", ".obsidian", "a/.git/b", "\xff\xfe", "a\\b"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct request w = {.deny = {bad[i]}};
        struct access x;
        struct err err = {0};
        CHECK(bad[i], !try_make(*state, &w, &x, &err));
        CHECK_INT(bad[i], err.code, ERR_INVALID);
        CHECK(err.msg, err.msg[0] != '\0');
    }
    str many[ACCESS_PATTERNS_MAX + 1];
    struct access x;
    struct err err = {0};
    for (size_t i = 0; i < COUNT_OF(many); i++)
        many[i] = STR("a");
    struct access_request request = {.read = many, .n_read = COUNT_OF(many)};
    CHECK("too many", !access_make(*state, &request, &x, &err) && err.code == ERR_LIMIT);
}

/* A join allows what both allow, never more. */
static void test_join(void **state)
{
    struct access team = make(
        *state, &(struct request){.read = {"Work", "Shared"}, .deny = {"Work/Secret"}});
    struct access ann =
        make(*state, &(struct request){.read = {"Work", "Home"}, .write = {"Work/Ann"}});
    struct access reader = {.read_only = true}, all = {0};
    struct access both = access_join(*state, &team, &ann);
    static const struct {
        const char *path, *may;
    } cases[] = {{"Work/a.md", "r"},        {"Work/Ann/a.md", "w"},
                 {"Work/Secret/a.md", "-"}, {"Shared/a.md", "-"},
                 {"Home/a.md", "-"},        {"a.md", "-"},
                 {"work/ann/sub/b.md", "w"}};
    struct access other = access_join(*state, &ann, &team);
    struct access read = access_join(*state, &both, &reader);
    struct access same = access_join(*state, &all, &both);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CHECK_STR(cases[i].path, str_c(may(&both, cases[i].path)), cases[i].may);
        CHECK_STR(cases[i].path, str_c(may(&other, cases[i].path)), cases[i].may);
        CHECK_STR(cases[i].path, str_c(may(&same, cases[i].path)), cases[i].may);
        CHECK(cases[i].path, !access_writes(&read, str_c(cases[i].path)));
    }
    CHECK("same view", str_eq(access_key(*state, &both), access_key(*state, &other)));
    CHECK("read-only changes no view",
          str_eq(access_key(*state, &both), access_key(*state, &read)));
    CHECK("other view", !str_eq(access_key(*state, &both), access_key(*state, &ann)));
    CHECK_INT("no view", access_key(*state, &reader).n, 0);
    CHECK("all", access_reads_all(&reader) && !access_reads_all(&both));
}

/* A join takes the lower level. */
static void test_join_levels(void **state)
{
    struct access server = make(*state, &(struct request){.review = {"Work"}});
    struct access key = make(*state, &(struct request){.write = {"Work", "Home"}});
    struct access proposer = {.propose = true}, reader = {.read_only = true};
    struct access both = access_join(*state, &server, &key),
                  less = access_join(*state, &key, &proposer),
                  none = access_join(*state, &less, &reader);
    CHECK_STR("server", str_c(may(&both, "Work/a.md")), "p");
    CHECK_STR("key", str_c(may(&both, "a.md")), "r");
    CHECK_STR("both", str_c(may(&both, "Home/a.md")), "w");
    CHECK_STR("propose", str_c(may(&less, "Home/a.md")), "p");
    CHECK_STR("propose elsewhere", str_c(may(&less, "a.md")), "r");
    CHECK_STR("read-only", str_c(may(&none, "Home/a.md")), "r");
    CHECK_STR("text", access_text(*state, &less), "propose\nwrite Home\nwrite Work\n");
    CHECK_STR("no view", access_key(*state, &less), "");
    CHECK("has", access_has_review(&both) && access_has_review(&less));
    CHECK("has none", !access_has_review(&key) && !access_has_review(&reader));
}

/* What is moved or deleted with a folder is at the lowest level of what may be in it. */
static void test_folder_levels(void **state)
{
    static const struct {
        struct request request;
        const char *folder;
        enum access_level level;
    } cases[] = {
        {{0}, "a", ACCESS_WRITE},
        {{.propose = true}, "a", ACCESS_PROPOSE},
        {{.propose = true, .read_only = true}, "a", ACCESS_READ},
        {{.propose = true, .deny = {"a/b"}}, "a", ACCESS_HIDDEN},
        {{.review = {"a/b"}}, "a", ACCESS_PROPOSE},
        {{.review = {"a/b"}}, "a/b/c", ACCESS_PROPOSE},
        {{.review = {"a/b"}}, "b", ACCESS_WRITE},
        {{.review = {"*.canvas"}}, "b", ACCESS_PROPOSE},
        {{.review = {"a"}, .write = {"b"}}, "a", ACCESS_READ},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct access x = make(*state, &cases[i].request);
        CHECK_INT(cases[i].folder, access_folder_level(&x, str_c(cases[i].folder)),
                  cases[i].level);
    }
}

static void test_key(void **state)
{
    struct access a = make(*state, &(struct request){.read = {"Work", "play/"}});
    struct access b = make(
        *state, &(struct request){.read = {"/PLAY", "work", "Work"}, .write = {"Work"}});
    struct access c = make(*state, &(struct request){.deny = {"Work", "play"}});
    CHECK("order, case, repetition",
          str_eq(access_key(*state, &a), access_key(*state, &b)));
    CHECK("kind", !str_eq(access_key(*state, &a), access_key(*state, &c)));
    CHECK_STR("text", access_text(*state, &b), "read PLAY\nread work\nwrite Work\n");
}

static void test_parse(void **state)
{
    static const char *const bad[] = {"write",     "Work\n",  "read a/../b\n",
                                      "reads a\n", "read \n", "deny\n"};
    struct access x;
    struct err err = {0};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        CHECK(bad[i], !access_parse(*state, str_c(bad[i]), &x, &err));
    assert_true(access_parse(*state, STR(""), &x, &err));
    CHECK("all", access_writes(&x, STR("a")) && access_reads_all(&x));
    assert_true(access_parse(
        *state, STR("read-only\nread /\nand\nread a\nand\ndeny a/b\n"), &x, &err));
    CHECK_STR("a", str_c(may(&x, "a/c")), "r");
    CHECK_STR("a/b", str_c(may(&x, "a/b/c")), "-");
    CHECK_STR("b", str_c(may(&x, "b")), "-");
}

static void test_folders(void **state)
{
    static const struct {
        struct request request;
        const char *folder;
        bool enters, owns;
    } cases[] = {
        {{0}, "a", true, true},
        {{.read_only = true}, "a", true, false},
        {{.read = {"a/b"}}, "a", true, false},
        {{.read = {"a/b"}}, "a/b", true, true},
        {{.read = {"a/b"}}, "a/b/c", true, true},
        {{.read = {"a/b"}}, "a/c", false, false},
        {{.read = {"a/b"}}, "", true, false},
        {{.read = {"a/b*/c"}}, "a", true, false},
        {{.read = {"a/b*/c"}}, "a/x", true, false},
        {{.read = {"a/b*/c"}}, "x", false, false},
        {{.read = {"*.md"}}, "x", true, false},
        {{.deny = {"a"}}, "a", false, false},
        {{.deny = {"a/b"}}, "a", true, false},
        {{.deny = {"a/b"}}, "c", true, true},
        {{.deny = {"a/b"}}, "", true, false},
        {{.deny = {"*.secret"}}, "c", true, false},
        {{.deny = {"a/*.secret"}}, "c", true, true},
        {{.deny = {"a/*.secret"}}, "a/b", true, false},
        {{.write = {"a"}}, "a/b", true, true},
        {{.write = {"a"}}, "b", true, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct access x = make(*state, &cases[i].request);
        char row[80];
        snprintf(row, sizeof(row), "%zu: %s", i, cases[i].folder);
        CHECK_INT(row, access_enters(&x, str_c(cases[i].folder)), cases[i].enters);
        CHECK_INT(row, access_folder_level(&x, str_c(cases[i].folder)) == ACCESS_WRITE,
                  cases[i].owns);
    }
}

/* Never names a folder that the caller cannot see. */
static void test_where(void **state)
{
    struct access all = {0};
    struct access team =
        make(*state, &(struct request){.write = {"Inbox", "Secret/Drop"}});
    struct access ann = make(*state, &(struct request){.read = {"Inbox", "Work"}});
    struct access both = access_join(*state, &team, &ann);
    struct access reader = {.read_only = true};
    CHECK_STR("everywhere", access_where(*state, &all), "");
    CHECK_STR("nowhere", access_where(*state, &reader), "");
    CHECK_STR("write list", access_where(*state, &team), "Inbox, Secret/Drop");
    CHECK_STR("read list", access_where(*state, &ann), "Inbox, Work");
    CHECK_STR("both", access_where(*state, &both), "Inbox");
    struct access some =
        make(*state, &(struct request){.write = {"Secret/2026-*", "Inbox/*.md"},
                                       .deny = {"Secret"}});
    CHECK_STR("no hidden folder", access_where(*state, &some), "Inbox/*.md");
}

/* Grants: names of folders, whatever characters they have. */
static void test_literal(void **state)
{
    static const struct {
        const char *name, *path;
        bool reads, folded; /* on a file system that keeps case apart; that ignores it */
    } cases[] = {
        {"Work", "Work/a.md", true, true},
        {"Work", "Work", true, true},
        {"Work", "work/a.md", false, true},
        {"Work", "Workshop/a.md", false, false},
        {"Caf\u00e9", "Caf\u00e9/a.md", true, true},
        {"Caf\u00e9", "Cafe\u0301/a.md", false, true},
        {"[Archive]", "[Archive]/a.md", true, true},
        {"[Archive]", "A/a.md", false, false},
        {"[Archive]", "r", false, false},
        {"{Inbox,Private}", "{Inbox,Private}/a.md", true, true},
        {"{Inbox,Private}", "Inbox/a.md", false, false},
        {"{Inbox,Private}", "Private/a.md", false, false},
        {"*", "*/a.md", true, true},
        {"*", "Private/a.md", false, false},
        {"**", "Private/a.md", false, false},
        {"?", "A/a.md", false, false},
        {"A?", "AB/a.md", false, false},
        {"!Private", "Work/a.md", false, false},
        {"!Private", "!Private/a.md", true, true},
        {"#Tags", "#Tags/a.md", true, true},
        {"= Work", "Work/a.md", false, false},
        {"Deep/[x]/y", "Deep/[x]/y/a.md", true, true},
        {"Deep/[x]/y", "Deep/x/y/a.md", false, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str name = str_c(cases[i].name), path = str_c(cases[i].path);
        struct access_request request = {.literal = true, .read = &name, .n_read = 1};
        struct access x, again;
        struct err err = {0};
        if (!access_make(*state, &request, &x, &err) ||
            !access_parse(*state, access_text(*state, &x), &again, &err))
            fail_msg("%s: %s", cases[i].name, err.msg);
        CHECK_INT(cases[i].path, access_reads(&x, path), cases[i].reads);
        CHECK_INT(cases[i].path, access_reads(&again, path), cases[i].reads);
        CHECK_INT(cases[i].path, access_enters(&x, path), cases[i].reads);
        x.folds = true;
        struct access copy = access_copy(*state, &x);
        CHECK_INT(cases[i].path, access_reads(&copy, path), cases[i].folded);
    }
}

/* Names that differ in case are two folders, with two views. */
static void test_literal_twins(void **state)
{
    str both[] = {STR("Work"), STR("work")};
    struct access_request request = {.literal = true, .read = both, .n_read = 2};
    struct access two, one;
    struct err err;
    assert_true(access_make(*state, &request, &two, &err));
    CHECK("the one", access_reads(&two, STR("Work/a.md")));
    CHECK("the other", access_reads(&two, STR("work/a.md")));
    CHECK("not a third", !access_reads(&two, STR("WORK/a.md")));
    request.n_read = 1;
    assert_true(access_make(*state, &request, &one, &err));
    struct access other = make(*state, &(struct request){.read = {"Work"}});
    CHECK("other views", !str_eq(access_key(*state, &one), access_key(*state, &two)));
    CHECK("than the pattern's",
          !str_eq(access_key(*state, &one), access_key(*state, &other)));
    CHECK("the way there", access_enters(&one, STR("")));
    CHECK("mixed", !access_parse(*state, STR("read= A\nread B\n"), &one, &err));
}

/* --- places --- */

/* "read: write Work, hidden Work/Secret": a level for everything else, then places. */
static struct access placed(struct arena *a, const char *text)
{
    struct sbuf lines = SBUF_ON(a);
    struct access x;
    struct err err = {0};
    str rest = str_c(text), item;
    str_next(&rest, ':', &item);
    sbuf_printf(&lines, "elsewhere " STR_FMT "\n", STR_ARG(item));
    while (rest.n > 0 && str_next(&rest, ',', &item))
        sbuf_printf(&lines, "at" STR_FMT "\n", STR_ARG(item));
    if (!access_parse(a, sbuf_str(&lines), &x, &err))
        fail_msg("%s: %s", text, err.msg);
    return x;
}

static void test_places(void **state)
{
    static const struct {
        const char *places, *path, *may;
    } cases[] = {
        {"hidden:", "a.md", "-"},
        {"hidden:", "", "r"},
        {"read:", "a.md", "r"},
        {"propose:", "a.md", "p"},
        {"write:", "a.md", "w"},
        {"hidden: write Work", "Work/a.md", "w"},
        {"hidden: write Work", "Work", "w"},
        {"hidden: write Work", "Workshop/a.md", "-"},
        {"hidden: write Work", "work/a.md", "-"},
        {"hidden: write /", "a.md", "w"},
        {"write: hidden /", "a.md", "-"},
        {"read: write Inbox, propose Work, hidden Private", "Inbox/a.md", "w"},
        {"read: write Inbox, propose Work, hidden Private", "Work/a.md", "p"},
        {"read: write Inbox, propose Work, hidden Private", "Private/a.md", "-"},
        {"read: write Inbox, propose Work, hidden Private", "a.md", "r"},
        {"write: propose Work, write Work/Drafts", "Work/Drafts/a.md", "w"},
        {"write: propose Work, write Work/Drafts", "Work/a.md", "p"},
        {"read: hidden A, read A/B, hidden A/B/C", "A/x", "-"},
        {"read: hidden A, read A/B, hidden A/B/C", "A/B/x", "r"},
        {"read: hidden A, read A/B, hidden A/B/C", "A/B/C/x", "-"},
        {"read: write Work, hidden Work", "Work/a.md", "-"},
        {"read: hidden Work, write Work", "Work/a.md", "-"},
        {"read: hidden [a]*", "a", "r"},
        {"read: hidden [a]*", "[a]*/b", "-"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct access x = placed(*state, cases[i].places);
        struct access copy = access_copy(*state, &x);
        CHECK_STR(cases[i].places, str_c(may(&x, cases[i].path)), cases[i].may);
        CHECK_STR(cases[i].places, str_c(may(&copy, cases[i].path)), cases[i].may);
        CHECK(cases[i].places,
              !access_reads_all(&x) == (strstr(cases[i].places, "hidden") != NULL &&
                                        strcmp(cases[i].places, "hidden: write /") != 0));
    }
}

static void test_places_of_folders(void **state)
{
    static const struct {
        const char *places, *folder;
        bool enters;
        enum access_level level;
    } cases[] = {
        {"write: propose Work/Plans", "Work", true, ACCESS_PROPOSE},
        {"write: read Work/Plans", "Work", true, ACCESS_READ},
        {"write: hidden Work/Plans", "Work", true, ACCESS_HIDDEN},
        {"write: hidden Work/Plans", "Home", true, ACCESS_WRITE},
        {"hidden: write Work/Plans", "Work", true, ACCESS_HIDDEN},
        {"hidden: write Work/Plans", "Home", false, ACCESS_HIDDEN},
        {"read: hidden A, read A/B", "A", true, ACCESS_HIDDEN},
        {"propose: write A", "A", true, ACCESS_WRITE},
        {"propose: write A", "B", true, ACCESS_PROPOSE},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct access x = placed(*state, cases[i].places);
        CHECK_INT(cases[i].places, access_enters(&x, str_c(cases[i].folder)),
                  cases[i].enters);
        CHECK_INT(cases[i].places, access_folder_level(&x, str_c(cases[i].folder)),
                  cases[i].level);
    }
}

/* Where names that differ in case are the same folder, the lower level counts; and a view is
 * shared only by those who may read the same. */
static void test_places_fold(void **state)
{
    struct access x = placed(*state, "hidden: write Work, read work");
    CHECK_STR("apart", str_c(may(&x, "Work/a.md")), "w");
    CHECK_STR("apart", str_c(may(&x, "work/a.md")), "r");
    x.folds = true;
    CHECK_STR("the same", str_c(may(&x, "Work/a.md")), "r");
    CHECK_STR("the same", str_c(may(&x, "WORK/a.md")), "r");
    struct access more = placed(*state, "read: hidden a, read A/b"),
                  less = placed(*state, "read: hidden a");
    CHECK("two views", !str_eq(access_key(*state, &more), access_key(*state, &less)));
    struct access levels = placed(*state, "read: write A, propose B"),
                  none = placed(*state, "read:");
    CHECK_STR("all is seen", access_key(*state, &levels), "");
    CHECK_STR("all is seen", access_key(*state, &none), "");
    CHECK("review", access_has_review(&levels) && !access_has_review(&none));
}

/* A grant of before, a list of folders, allows what these places do. */
static void test_places_as_lists(void **state)
{
    static const char *const paths[] = {"Work",   "Work/a.md", "Work/x/y", "Workshop",
                                        "Home/b", "Home",      "a.md",     "work/a.md"};
    str lists[] = {STR("Work"), STR("Home")};
    for (int read_only = 0; read_only < 2; read_only++) {
        struct access_request request = {
            .read_only = read_only, .literal = true, .read = lists, .n_read = 2};
        struct access list, places = placed(*state, "hidden: write Work, write Home");
        struct err err = {0};
        assert_true(access_make(*state, &request, &list, &err));
        places.read_only = read_only;
        for (size_t i = 0; i < COUNT_OF(paths); i++) {
            str p = str_c(paths[i]);
            CHECK_INT(paths[i], access_level(&places, p), access_level(&list, p));
            CHECK_INT(paths[i], access_enters(&places, p), access_enters(&list, p));
            CHECK_INT(paths[i], access_folder_level(&places, p),
                      access_folder_level(&list, p));
        }
        CHECK_STR("where", access_where(*state, &places), read_only ? "" : "Home, Work");
    }
}

static void test_bad_places(void **state)
{
    static const char *const bad[] = {
        "at write Work\n",
        "elsewhere\n",
        "elsewhere all\n",
        "elsewhere read x\n",
        "elsewhere read\nelsewhere write\n",
        "elsewhere read\nat Work\n",
        "elsewhere read\nat write\n",
        "elsewhere read\nat write ../x\n",
        "elsewhere read\nat write .obsidian\n",
        "elsewhere read\nat write a\x7f\n",
    };
    struct access x;
    struct err err = {0};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        CHECK(bad[i], !access_parse(*state, str_c(bad[i]), &x, &err));
    struct sbuf many = SBUF_ON(*state);
    sbuf_add(&many, STR("elsewhere hidden\n"));
    for (int i = 0; i < 10000; i++)
        sbuf_printf(&many, "at write f%d\n", i);
    CHECK("10,000", !access_parse(*state, sbuf_str(&many), &x, &err));
    str longer = arena_printf(*state, "elsewhere hidden\nat write %010000d\n", 1);
    CHECK("10,000 bytes", !access_parse(*state, longer, &x, &err));
}

/* An independent model: walk up from the path to the first folder that has a level. */
static enum access_level model_level(const struct access_places *p, str path)
{
    for (;; path = path_folder(path)) {
        bool found = false;
        enum access_level lowest = ACCESS_WRITE;
        for (size_t i = 0; i < p->n; i++)
            if (str_eq(p->items[i].path, path)) {
                found = true;
                lowest = p->items[i].level < lowest ? p->items[i].level : lowest;
            }
        if (found || path.n == 0)
            return found ? lowest : p->elsewhere;
    }
}

static void test_places_random(void **state)
{
    static const char *const paths[] = {"a",   "b",     "a/a",   "a/b",
                                        "b/a", "a/a/a", "a/a/b", "ab"};
    uint32_t seed = 20261118;
    for (int round = 0; round < rounds(2000); round++) {
        struct access_place items[5];
        struct access_places p = {.items = items};
        p.elsewhere = (seed = seed * 1664525 + 1013904223) >> 30;
        p.n = (seed = seed * 1664525 + 1013904223) % (COUNT_OF(items) + 1);
        for (size_t i = 0; i < p.n; i++) {
            seed = seed * 1664525 + 1013904223;
            items[i].path = str_c(paths[(seed >> 8) % COUNT_OF(paths)]);
            items[i].level = seed >> 30;
        }
        struct access_request request = {.places = &p};
        struct access x;
        struct err err = {0};
        assert_true(access_make(*state, &request, &x, &err));
        for (size_t i = 0; i < COUNT_OF(paths); i++) {
            str path = str_c(paths[i]);
            enum access_level all = model_level(&p, path);
            CHECK_INT(paths[i], access_level(&x, path), all);
            for (size_t k = 0; k < p.n; k++)
                if (path_is_below(path, items[k].path) &&
                    model_level(&p, items[k].path) < all)
                    all = model_level(&p, items[k].path);
            CHECK_INT(paths[i], access_folder_level(&x, path), all);
        }
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_places),        ARENA_TEST(test_places_of_folders),
        ARENA_TEST(test_places_fold),   ARENA_TEST(test_places_as_lists),
        ARENA_TEST(test_bad_places),    ARENA_TEST(test_places_random),
        ARENA_TEST(test_paths),         ARENA_TEST(test_bad_patterns),
        ARENA_TEST(test_join),          ARENA_TEST(test_key),
        ARENA_TEST(test_parse),         ARENA_TEST(test_folders),
        ARENA_TEST(test_where),         ARENA_TEST(test_literal),
        ARENA_TEST(test_literal_twins), ARENA_TEST(test_join_levels),
        ARENA_TEST(test_folder_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
