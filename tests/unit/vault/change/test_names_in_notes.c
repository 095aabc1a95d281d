/*
 * Random odd notes, written twice at the same time: as they are, and as they are to be after
 * a tag, a note or a property got another name, or links became text. So the expected text
 * comes from the generator, which knows what it has put into code, math and HTML, and not
 * from a second reading. Nothing of it may be refused. Also properties are edited, and the
 * rest of the note stays as it is, byte for byte.
 */
#include "base/sbuf.h"
#include "random.h"
#include "rename_vault.h"
#include "rounds.h"
#include "vault/note/frontmatter_edit.h"
#include "vault/note/prop.h"

enum { ROUNDS = 400, BLOCKS_MAX = 7 };

enum renamed { TAG, NOTE, PROPERTY, LINKS, KINDS };

static struct random dice;

static uint32_t pick(uint32_t n)
{
    return random_below(&dice, n);
}

/* A note before and after. */
struct twin {
    struct sbuf was, is;
    enum renamed what;
    const char *eol;
    size_t changed; /* places that differ */
};

static void add(struct twin *t, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *as = *text == '\n' ? t->eol : (char[]){*text, '\0'};
        sbuf_add(&t->was, str_c(as));
        sbuf_add(&t->is, str_c(as));
    }
}

static void add_twice(struct twin *t, enum renamed what, const char *was, const char *is)
{
    bool changes = t->what == what;
    sbuf_add(&t->was, str_c(was));
    sbuf_add(&t->is, str_c(changes ? is : was));
    t->changed += changes;
}

static void add_link(struct twin *t)
{
    static const struct {
        const char *was, *moved, *text;
    } links[] = {
        {"[[Old]]", "[[New]]", "Old"},
        {"[[Old#h|shown]]", "[[New#h|shown]]", "shown"},
        {"![[Old]]", "![[New]]", "Old"},
        {"[text](Old.md)", "[text](New.md)", "text"},
        {"[text](<Old.md> \"t\")", "[text](<New.md> \"t\")", "text"},
        {"%%[[Old]]%%", "%%[[New]]%%", "%%Old%%"},
    };
    uint32_t i = pick(COUNT_OF(links));
    if (t->what == LINKS)
        add_twice(t, LINKS, links[i].was, links[i].text);
    else
        add_twice(t, NOTE, links[i].was, links[i].moved);
}

static void add_tag(struct twin *t)
{
    static const char *const tags[][2] = {
        {"#old", "#new"}, {"#OLD/sub", "#new/sub"}, {"#older", "#older"}};
    uint32_t i = pick(COUNT_OF(tags));
    add_twice(t, i < 2 ? TAG : KINDS, tags[i][0], tags[i][1]);
}

/* Words in a line: some are names. */
static void add_words(struct twin *t)
{
    for (uint32_t n = 1 + pick(3); n > 0; n--) {
        switch (pick(4)) {
        case 0:
            add_link(t);
            break;
        case 1:
            add_tag(t);
            break;
        case 2:
            add(t, pick(2) ? "`#old [[Old]]`" : "$#old$ \\#old https://x.y/#old");
            break;
        default:
            add(t, "w");
        }
        add(t, " ");
    }
    add(t, "w\n");
}

/* What looks like names, and is none. */
static void add_raw(struct twin *t, const char *lead)
{
    add(t, lead);
    add(t, "#old [[Old]] [x](Old.md) old:: 1\n");
}

static void add_fence(struct twin *t, const char *first, const char *lead, bool closed)
{
    const char *fence = pick(2) ? "```\n" : "~~~~\n";
    add(t, first);
    add(t, fence);
    add_raw(t, lead);
    add(t, lead);
    add(t, "# no heading\n");
    if (closed) {
        add(t, lead);
        add(t, fence);
    }
}

static void add_item(struct twin *t, const char *lead)
{
    add(t, lead);
    add_words(t);
}

static void add_block(struct twin *t, bool last)
{
    switch (pick(12)) {
    case 0:
        add_fence(t, "", "", !last || pick(2));
        break;
    case 1:
        add(t, "- w\n\n");
        add_fence(t, "  ", "  ", pick(2));
        break;
    case 2:
        add_item(t, "> [!note]- ");
        add_item(t, "> > [!tip] ");
        add_item(t, "> > - [ ] ");
        add_fence(t, "> > ", "> > ", pick(2));
        break;
    case 3:
        add(t, "> | a | b |\n> |---|---|\n");
        for (int i = 0; i < 2; i++) {
            add(t, "> | ");
            add_tag(t);
            add(t, " | ");
            add_twice(t, t->what == LINKS ? LINKS : NOTE, "[[Old\\|x]]",
                      t->what == LINKS ? "x" : "[[New\\|x]]");
            add(t, " |\n");
        }
        break;
    case 4:
        add_item(t, "- [ ] ");
        add_item(t, "\t- [x] ");
        add_item(t, "\t\t1. ");
        break;
    case 5:
        add(t, "<div>\n");
        add_raw(t, "");
        add(t, "</div>\n");
        break;
    case 6:
        add(t, "$$\n");
        add_raw(t, "");
        add(t, "$$\n");
        break;
    case 7:
        add(t, "%%\n");
        add_item(t, "");
        if (!last || pick(2))
            add(t, "%%\n");
        break;
    case 8:
        add_item(t, "## ");
        break;
    case 9:
        add_twice(t, PROPERTY, "old", "new");
        add(t, ":: v\n");
        break;
    case 10:
        add(t, "<!-- ");
        add_raw(t, "");
        add(t, last && pick(2) ? "" : "-->\n");
        break;
    default:
        add_item(t, "");
    }
    add(t, "\n");
}

static void add_properties(struct twin *t)
{
    add(t, "---\n");
    if (pick(2)) {
        add_twice(t, PROPERTY, "old", "new");
        add(t, ": 1 # old\n");
    }
    if (pick(2)) {
        add(t, "tags: [");
        add_twice(t, TAG, "old", "new");
        add(t, ", x]\n");
    }
    if (pick(2)) {
        add(t, "up:\n  - \"");
        add_twice(t, t->what == LINKS ? LINKS : NOTE, "[[Old]]",
                  t->what == LINKS ? "Old" : "[[New]]");
        add(t, "\"\n");
    }
    add(t, "z: |\n  --- old\n  #old\n---\n");
}

static void make_twin(struct arena *a, struct twin *t)
{
    static const char *const breaks[] = {"\n", "\n", "\r\n"};
    *t = (struct twin){.was = SBUF_ON(a),
                       .is = SBUF_ON(a),
                       .what = (enum renamed)pick(KINDS),
                       .eol = breaks[pick(COUNT_OF(breaks))]};
    uint32_t blocks = 1 + pick(BLOCKS_MAX);
    if (pick(5) == 0)
        add(t, "\xEF\xBB\xBF");
    if (pick(2))
        add_properties(t);
    for (uint32_t i = 0; i < blocks; i++)
        add_block(t, i + 1 == blocks);
}

static bool plan_it(struct arena *a, const struct index *x, enum renamed what,
                    struct rename_plan *plan, struct err *err)
{
    struct rename_move move = {STR("Old.md"), STR("New.md")};
    switch (what) {
    case TAG:
        return rename_tag(x, a, STR("old"), STR("new"), NULL, plan, err);
    case NOTE:
        return rename_files(x, LINKS_SHORTEST, a, &move, 1, NULL, plan, err);
    case PROPERTY:
        return rename_property(x, a, STR("old"), STR("new"), NULL, plan, err);
    default:
        return rename_unlink(x, a, index_find(x, STR("Old.md")), NULL, plan, err);
    }
}

static void test_random_names(void **state)
{
    int changed = 0;
    (void)state;
    dice.state = 4711;
    for (int round = 0; round < rounds(ROUNDS); round++) {
        struct arena a = {0};
        struct twin t;
        struct rename_plan plan = {0};
        struct err err = {0};
        make_twin(&a, &t);
        struct index *x = index_create();
        str was = sbuf_str(&t.was);
        vault_put(x, STR("Old.md"), STR("# h\n"));
        vault_put(x, STR("n.md"), was);
        bool ok = plan_it(&a, x, t.what, &plan, &err);
        if (!ok && (t.changed > 0 || err.code != ERR_NOT_FOUND))
            fail_msg("round %d: %s in\n" STR_FMT, round, err.msg, STR_ARG(was));
        str is = was;
        for (size_t i = 0; ok && i < plan.n_rewrites; i++)
            if (str_eq(plan.rewrites[i].path, STR("n.md")))
                is = plan.rewrites[i].text;
        if (!str_eq(is, sbuf_str(&t.is)))
            fail_msg("round %d:\n" STR_FMT "\nbecame\n" STR_FMT, round, STR_ARG(was),
                     STR_ARG(is));
        changed += t.changed > 0;
        index_free(x);
        arena_release(&a);
    }
    print_message("# %d notes, %d of them changed\n", rounds(ROUNDS), changed);
    CHECK("most are changed", changed > rounds(ROUNDS) / 2);
}

/* --- properties of the same notes --- */

static size_t body_of(struct arena *a, str text)
{
    struct note n;
    note_scan(a, text, &n);
    return n.body;
}

static void test_random_properties(void **state)
{
    static const char *const values[] = {"---", "a\n---\nb", "# x", "%%", "[[Old]]", ""};
    static const char *const keys[] = {"old", "tags", "up", "z", "other"};
    (void)state;
    dice.state = 815;
    for (int round = 0; round < rounds(ROUNDS); round++) {
        struct arena a = {0};
        struct twin t;
        struct frontmatter_edited out = {0};
        struct err err = {0};
        make_twin(&a, &t);
        str was = sbuf_str(&t.was);
        struct prop value = {.type = PROP_TEXT, .text = str_c(values[pick(6)])};
        struct frontmatter_edit e = {.op = pick(3) ? FRONTMATTER_SET : FRONTMATTER_UNSET,
                                     .key = str_c(keys[pick(5)]),
                                     .value = &value};
        if (!frontmatter_edit(&a, was, &e, 1, &out, &err))
            fail_msg("round %d: %s in\n" STR_FMT, round, err.msg, STR_ARG(was));
        str body = str_skip(was, body_of(&a, was)),
            now = str_skip(out.text, body_of(&a, out.text));
        if (!str_eq(str_skip(body, str_starts(body, STR("\xEF\xBB\xBF")) ? 3 : 0), now))
            fail_msg("round %d:\n" STR_FMT "\nbecame\n" STR_FMT, round, STR_ARG(was),
                     STR_ARG(out.text));
        arena_release(&a);
    }
}

/* --- what is refused --- */

static void test_refused(void **state)
{
    static const struct {
        const char *text;
    } cases[] = {
        {"[[Old|# x]]\n"},       /* a heading */
        {"[[Old|#x]]\n"},        /* a tag */
        {"[[Old|%%]]\n\n# H\n"}, /* hides the rest */
        {"[[Old|```]]\n\n# H\n"}, {"a\n[[Old|---]]\n\n[[Old]]\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct vault_row files[] = {{"Old.md", ""}, {"n.md", cases[i].text}};
        struct index *x = vault_of(files, COUNT_OF(files));
        struct rename_plan plan;
        struct err err = {0};
        bool ok =
            rename_unlink(x, *state, index_find(x, STR("Old.md")), NULL, &plan, &err);
        CHECK(cases[i].text, !ok && err.name == E_INVALID_CONTENT);
        index_free(x);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_names),
        cmocka_unit_test(test_random_properties),
        ARENA_TEST(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
