/* What a model is told about a change: one line about what happened, then what is new. */
#include "app/answers/changed.h"
#include "app/answers/model_text.h"
#include "check.h"

static struct draft_touched created[] = {{DRAFT_CREATED, .path = STR("A.md")}},
                            edited[] = {{DRAFT_CHANGED, .path = STR("A.md")}},
                            deleted[] = {{DRAFT_DELETED, .path = STR("A.md")}},
                            moved[] = {{DRAFT_MOVED, STR("A.md"), STR("New.md")},
                                       {DRAFT_CHANGED, .path = STR("B.md")}},
                            both[] = {{DRAFT_CHANGED, .path = STR("A.md")},
                                      {DRAFT_CHANGED, .path = STR("B.md")}},
                            folder[] = {{DRAFT_MOVED, STR("Old/a.md"), STR("New/a.md")},
                                        {DRAFT_CHANGED, STR("Old/b.md"), STR("New/b.md")},
                                        {DRAFT_CREATED, .path = STR("c.md")},
                                        {DRAFT_DELETED, .path = STR("d.md")}},
                            written[] = {{DRAFT_CHANGED, .path = STR("A.md"),
                                          .before = STR("a\n"), .after = STR("x\n")}};
static str keys[] = {STR("status"), STR("n")}, linking[] = {STR("B.md"), STR("C.md")},
           did[] = {STR("task done"), STR("next\nadded")}, notes[] = {STR("careful")};

#define MADE(list) .made = {.files = (list), .n = COUNT_OF(list), .change = 7}
#define PNG "\x89PNG\r\n\x1a\n"

/* In want, # is the etag of after. */
struct row {
    const char *want;
    struct changed c;
};

static const struct row rows[] = {
    /* the verb */
    {"unchanged A.md (0 replacements, now 1 line, etag #)\n",
     {.parts = CHANGED_COUNTED | CHANGED_TEXT, .path = STR("A.md"), .after = STR("x")}},
    {"created A.md (change 7)\n", {.path = STR("A.md"), MADE(created)}},
    {"deleted A.md (change 7)\n", {.path = STR("A.md"), MADE(deleted)}},
    {"created A.md (change 7)\n",
     {.path = STR("A.md"), .done = "created", .is_done = true, MADE(edited)}},
    {"changed A.md (change 7)\n", {.path = STR("A.md"), .done = "created", MADE(edited)}},
    {"edited A.md (1 replacement, change 7)\n",
     {.parts = CHANGED_COUNTED,
      .path = STR("A.md"),
      .done = "replaced",
      .is_done = true,
      .replacements = 1,
      MADE(edited)}},
    {"moved A.md to New.md (3 files, rewrote 1 link in 1 note, change 7)\nchanged B.md\n",
     {.parts = CHANGED_MOVED | CHANGED_REWRITTEN,
      .path = STR("A.md"),
      .to = STR("New.md"),
      .files = 3,
      .links = 1,
      .rewrites = 1,
      MADE(moved)}},
    {"renamed A.md to New.md (links by wikilink, change 7)\nchanged B.md\n",
     {.parts = CHANGED_MOVED | CHANGED_REWRITTEN,
      .path = STR("A.md"),
      .to = STR("New.md"),
      .action = "renamed",
      .link_format = "wikilink",
      .files = 1,
      MADE(moved)}},
    /* inside of notes */
    {"renamed tag 'work' to job (rewrote 3 tags in 2 notes, change 7)\nchanged A.md, "
     "B.md\n",
     {.parts = CHANGED_MOVED | CHANGED_REWRITTEN,
      .inside = "tag",
      .name = STR("work"),
      .to = STR("job"),
      .links = 3,
      .rewrites = 2,
      MADE(both)}},
    {"merged property 'a' to b (rewrote 1 property in 1 note, change 7)\nchanged A.md\n",
     {.parts = CHANGED_MOVED | CHANGED_REWRITTEN,
      .inside = "property",
      .action = "merged",
      .path = STR(""),
      .name = STR("a"),
      .to = STR("b"),
      .links = 1,
      .rewrites = 1,
      .made = {.change = 7, .files = edited, .n = 1}}},
    {"renamed heading 'Old' of A.md to New (change 7)\n",
     {.parts = CHANGED_MOVED,
      .inside = "heading",
      .path = STR("A.md"),
      .name = STR("Old"),
      .to = STR("New"),
      MADE(edited)}},
    {"renamed heading 'Old' of A.md to New (change 7)\nchanged A.md, B.md\n",
     {.parts = CHANGED_MOVED,
      .inside = "heading",
      .path = STR("A.md"),
      .name = STR("Old"),
      .to = STR("New"),
      MADE(both)}},
    /* the new lines: those between that are as before are left out, but only if none
     * was added or removed */
    {"changed A.md (now 3 lines, etag #, change 7)\n1: x\n3: y\n",
     {.parts = CHANGED_TEXT,
      .path = STR("A.md"),
      .before = STR("a\nb\nc\n"),
      .after = STR("x\nb\ny\n"),
      .line_first = 1,
      .line_last = 3,
      MADE(edited)}},
    {"changed A.md (now 4 lines, etag #, change 7)\n2: x\n3: b\n",
     {.parts = CHANGED_TEXT,
      .path = STR("A.md"),
      .before = STR("a\nb\nc\n"),
      .after = STR("a\nx\nb\nc\n"),
      .line_first = 2,
      .line_last = 3,
      MADE(edited)}},
    {"changed A.md (2 lines, change 7)\n1: x\n",
     {.path = STR("A.md"),
      .lines = 2,
      .before = STR("a\r\n"),
      .after = STR("x\r\n"),
      .line_first = 1,
      .line_last = 1,
      MADE(edited)}},
    {"edited A.md (removed row 'Bob', change 7)\n",
     {.parts = CHANGED_COUNTED,
      .path = STR("A.md"),
      .removed = STR("Bob"),
      .before = STR("a\n"),
      .after = STR("x\n"),
      .line_first = 1,
      .line_last = 1,
      MADE(edited)}},
    {"changed A.md (at A#Next, change 7)\ntask done\nnext added\n",
     {.path = STR("A.md"),
      .target = STR("A#Next"),
      .did = did,
      .n_did = 2,
      MADE(edited)}},
    {"changed A.md (properties status, n, change 7)\n1: x\n",
     {.parts = CHANGED_KEYS,
      .path = STR("A.md"),
      .keys = keys,
      .n_keys = 2,
      .properties = STR("status: done"),
      .before = STR("a\n"),
      .after = STR("x\n"),
      .line_first = 1,
      .line_last = 1,
      MADE(edited)}},
    {"changed A.md (etag #, change 7)\n",
     {.parts = CHANGED_TEXT, .path = STR("A.md"), .after = STR(PNG), MADE(edited)}},
    /* deleted, and what leads nowhere now */
    {"deleted A.md to .trash/A.md (1 file, change 7)\n3 links to it in B.md, C.md\n",
     {.parts = CHANGED_DELETED,
      .path = STR("A.md"),
      .to = STR(".trash/A.md"),
      .done = "deleted",
      .is_done = true,
      .files = 1,
      .broken = 3,
      .broken_in = linking,
      .n_broken_in = 2,
      MADE(deleted)}},
    /* other files, each outcome on its line */
    {"moved Old to New (4 files, change 7)\ncreated c.md\nmoved Old/a.md to "
     "New/a.md\ndeleted d.md\nchanged New/b.md\n",
     {.parts = CHANGED_MOVED,
      .path = STR("Old"),
      .to = STR("New"),
      .files = 4,
      MADE(folder)}},
    /* a note that was only read */
    {"A.md (2 lines, etag #)\nx\n[more: vault_read offset 2]\n",
     {.parts = CHANGED_CONTENT | CHANGED_TEXT,
      .path = STR("A.md"),
      .after = STR("x\ny\n"),
      .content = STR("x"),
      .next_line = 2}},
    {"created A.md (now 1 line, etag #, change 7)\n1: x\n",
     {.parts = CHANGED_CONTENT | CHANGED_TEXT,
      .path = STR("A.md"),
      .after = STR("x\n"),
      .content = STR("all of it"),
      .line_first = 1,
      .line_last = 1,
      MADE(created)}},
    /* where, and what to know */
    {"changed A.md (vault work, change 7)\n[careful]\n",
     {.path = STR("A.md"),
      .vault = STR("work"),
      .warnings = notes,
      .n_warnings = 1,
      MADE(edited)}},
    {"dry run, nothing was changed: changed A.md\n--- A.md\n+++ A.md\n@@ -1 +1 "
     "@@\n-a\n+x\n",
     {.path = STR("A.md"),
      .dry_run = true,
      .line_first = 1,
      .line_last = 1,
      .after = STR("x\n"),
      .made = {.files = written, .n = 1}}},
    {"made before, not again: A.md (change 7)\n",
     {.path = STR("other"),
      .made = {.change = 7, .repeated = true, .answer = STR("{\"path\":\"A.md\"}")}}},
};

/* --- of several steps, or several notes --- */

#define EDIT                                                                             \
    {                                                                                    \
        .parts = CHANGED_BEFORE, .path = STR("A.md"), .before = STR("a\n"),              \
        .after = STR("x\n"), .line_first = 1, .line_last = 1                             \
    }
#define SAME                                                                             \
    {                                                                                    \
        .parts = CHANGED_BEFORE, .path = STR("B.md"), .before = STR("b\n"),              \
        .after = STR("b\n"), .broken = 1, .broken_in = linking, .n_broken_in = 1,        \
        .warnings = notes, .n_warnings = 1                                               \
    }

static const struct changed_step batch[] = {{"vault_edit", EDIT}, {"vault_edit", SAME}},
                                 several[] = {{NULL, EDIT}, {NULL, SAME}};

static const struct row with_steps[] = {
    {"2 steps (change 7)\n1. changed A.md\n1: x\n2. unchanged B.md\n1 link to it in "
     "B.md\n[careful]\n",
     {.steps = batch, .n_steps = 2, MADE(edited)}},
    {"unchanged\n1. changed A.md\n1: x\n2. unchanged B.md\n1 link to it in "
     "B.md\n[careful]\n",
     {.steps = batch, .n_steps = 2}},
    {"changed 1 note (change 7)\nchanged A.md\n1: x\nunchanged B.md\n1 link to it in "
     "B.md\n[careful]\n",
     {.steps = several, .n_steps = 2, MADE(edited)}},
    {"unchanged 2 notes\nchanged A.md\n1: x\nunchanged B.md\n1 link to it in "
     "B.md\n[careful]\n",
     {.steps = several, .n_steps = 2}},
    {"dry run, nothing was changed: 2 steps\n--- A.md\n+++ A.md\n@@ -1 +1 @@\n-a\n+x\n",
     {.steps = batch, .n_steps = 2, .dry_run = true, .made = {.files = written, .n = 1}}},
};

static str text_of(struct arena *a, const struct changed *changed, size_t max)
{
    struct sbuf b = SBUF_ON(a);
    struct changed c = *changed;
    c.arena = a;
    changed_text(&(struct model_text){&b, max}, &c);
    return sbuf_str(&b);
}

static const char *with_etag(struct arena *a, const struct row *r)
{
    struct sbuf b = SBUF_ON(a);
    bool has_etag = (r->c.parts & CHANGED_TEXT) != 0;
    for (const char *p = r->want; *p != '\0'; p++)
        if (*p == '#' && has_etag)
            sbuf_add(&b, draft_etag(a, hash_content(r->c.after)));
        else
            sbuf_char(&b, *p);
    return arena_str(a, sbuf_str(&b)).p;
}

static void check_rows(struct arena *a, const struct row *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        CHECK_STR(list[i].want, text_of(a, &list[i].c, SIZE_MAX), with_etag(a, &list[i]));
}

static void test_rows(void **state)
{
    check_rows(*state, rows, COUNT_OF(rows));
}

static void test_steps(void **state)
{
    check_rows(*state, with_steps, COUNT_OF(with_steps));
    CHECK_STR("no room", text_of(*state, &with_steps[0].c, 10),
              "2 steps (change 7)\n1. changed A.md\n1: x\n[and 1 more]\n");
}

/* --- much of something --- */

enum { MANY = 25, SHOWN = 20 };

static bool ends_with(str text, const char *end)
{
    return str_ends(text, str_c(end));
}

static void test_many_lines(void **state)
{
    struct arena *a = *state;
    struct sbuf after = SBUF_ON(a), wide = SBUF_ON(a);
    for (int i = 1; i <= MANY; i++) {
        sbuf_printf(&after, "line %d\n", i);
        sbuf_printf(&wide, "%0*d\n", 900, i);
    }
    struct changed c = {.path = STR("A.md"),
                        .after = sbuf_str(&after),
                        .line_first = 1,
                        .line_last = MANY,
                        MADE(edited)};
    CHECK("lines",
          ends_with(text_of(a, &c, SIZE_MAX), "20: line 20\n[and up to line 25]\n"));
    c.after = sbuf_str(&wide);
    str text = text_of(a, &c, SIZE_MAX);
    CHECK("bytes", ends_with(text, "\n[and up to line 25]\n") && text.n < 2100);
    CHECK("bytes", str_find(text, STR("\n3: ")) != STR_NONE &&
                       str_find(text, STR("\n4: ")) == STR_NONE);
}

static void test_many_files(void **state)
{
    struct arena *a = *state;
    struct draft_touched files[MANY];
    str names[MANY];
    for (int i = 0; i < MANY; i++) {
        names[i] = arena_printf(a, "%d.md", i);
        files[i] = (struct draft_touched){DRAFT_CHANGED, .path = names[i]};
    }
    struct changed c = {.parts = CHANGED_MOVED,
                        .path = STR("x"),
                        .broken = MANY,
                        .broken_in = names,
                        .n_broken_in = MANY,
                        .made = {.files = files, .n = MANY}};
    str text = text_of(a, &c, SIZE_MAX);
    CHECK("files", str_find(text, STR(", 19.md and 5 more\n25 links")) != STR_NONE);
    CHECK("linking", ends_with(text, ", 18.md, 19.md and 5 more\n"));
    c.n_broken_in = c.made.n = SHOWN;
    text = text_of(a, &c, SIZE_MAX);
    CHECK("just all", str_find(text, STR("more")) == STR_NONE);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_rows),
        ARENA_TEST(test_steps),
        ARENA_TEST(test_many_lines),
        ARENA_TEST(test_many_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
