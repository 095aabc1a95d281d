/* How a change is reported: as JSON, for repeats, and on a terminal. */
#include "app/answers/changed.h"

#include "check.h"

static str json_of(struct arena *a, const struct answer_shape *shape, const void *result,
                   size_t max)
{
    struct sbuf text = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&text);
    shape->json(&(struct answer_out){&w, max}, result);
    return sbuf_str(&text);
}

static str term_of(struct arena *a, const struct answer_shape *shape, const void *result)
{
    struct term t = {.fd = -1, .out = SBUF_ON(a)};
    shape->term(&t, result);
    return sbuf_str(&t.out);
}

static void list_files(struct draft_touched files[2])
{
    files[0] = (struct draft_touched){.outcome = DRAFT_CHANGED,
                                      .path = STR("A.md"),
                                      .before = STR("a\n"),
                                      .after = STR("b\n")};
    files[1] = (struct draft_touched){
        .outcome = DRAFT_MOVED, .path = STR("Old.md"), .to = STR("New.md")};
}

static void test_edited(void **state)
{
    struct arena a = {0};
    struct draft_touched files[2];
    list_files(files);
    struct changed c = {.arena = &a,
                        .parts = CHANGED_COUNTED | CHANGED_BEFORE | CHANGED_TEXT,
                        .path = STR("A.md"),
                        .done = "replaced",
                        .is_done = true,
                        .replacements = 1,
                        .before = STR("a\n"),
                        .after = STR("b\n"),
                        .line_first = 1,
                        .line_last = 1,
                        .made = {.change = 7, .files = files, .n = 1}};
    str etag = draft_etag(&a, hash_content(c.after));
    str kept = arena_printf(&a,
                            "{\"path\":\"A.md\",\"replaced\":true,\"replacements\":1,"
                            "\"size_before\":2,\"size\":2,\"changed_lines\":[1,1],"
                            "\"total_lines\":1,\"etag\":\"" STR_FMT "\"}",
                            STR_ARG(etag));
    str open = str_slice(kept, 0, kept.n - 1);
    CHECK("kept", str_eq(changed_kept(&a, &c), kept));
    CHECK("made", str_eq(json_of(&a, &changed_shape, &c, SIZE_MAX),
                         arena_printf(&a, STR_FMT ",\"change\":7}", STR_ARG(open))));
    CHECK_STR("shown", term_of(&a, &changed_shape, &c),
              "changed A.md\nchange 7; undo it with vaultd undo 7\n");

    changed_warn(&c, STR("careful"));
    c.made = (struct draft_result){.change = 7, .repeated = true, .answer = kept};
    CHECK("again", str_eq(json_of(&a, &changed_shape, &c, SIZE_MAX),
                          arena_printf(&a, STR_FMT ",\"change\":7,\"repeated\":true}",
                                       STR_ARG(open))));
    CHECK_STR("shown again", term_of(&a, &changed_shape, &c),
              "already made, as change 7\nnote: careful\n");
    arena_release(&a);
}

static void test_moved(void **state)
{
    struct arena a = {0};
    struct draft_touched files[2];
    list_files(files);
    struct ops_report r = {.path = STR("Old.md"),
                           .to = STR("New.md"),
                           .files = 1,
                           .rewrites = 1,
                           .links = 2};
    struct changed c = {.arena = &a, .dry_run = true, .made = {.files = files, .n = 2}};
    changed_moved(&c, &r, NULL, STR(""));
    CHECK_STR("moved", json_of(&a, &changed_shape, &c, SIZE_MAX),
              "{\"path\":\"Old.md\",\"to\":\"New.md\",\"moved_files\":1,"
              "\"rewritten_notes\":1,\"rewritten_links\":2,\"files\":[{\"path\":\"A.md\","
              "\"outcome\":\"changed\"},{\"path\":\"Old.md\",\"outcome\":\"moved\","
              "\"to\":\"New.md\"}],\"dry_run\":true,\"diff\":\"--- A.md\\n+++ A.md\\n"
              "@@ -1 +1 @@\\n-a\\n+b\\nrename from Old.md\\nrename to New.md\\n\"}");
    CHECK_STR("shown", term_of(&a, &changed_shape, &c),
              "--- A.md\n+++ A.md\n@@ -1 +1 @@\n-a\n+b\nrename from Old.md\n"
              "rename to New.md\n");

    r.path = STR("#Old");
    r.to = STR("New");
    c = (struct changed){.arena = &a};
    changed_moved(&c, &r, "heading", STR("A.md"));
    CHECK_STR("renamed", json_of(&a, &changed_shape, &c, SIZE_MAX),
              "{\"path\":\"A.md\",\"heading\":\"Old\",\"to\":\"New\",\"moved_files\":1,"
              "\"rewritten_notes\":1,\"rewritten_links\":2,\"unchanged\":true}");
    CHECK_STR("nothing", term_of(&a, &changed_shape, &c), "nothing to change\n");
    arena_release(&a);
}

#define NONE "6001c324468d497f" /* the etag of no text */

static void test_undone(void **state)
{
    struct arena a = {0};
    struct draft_result made;
    struct change_op ops[] = {
        {.kind = JOURNAL_WRITE, .path = STR("A.md"), .expects = CHANGE_SAME},
        {.kind = JOURNAL_WRITE, .path = STR("B.md"), .expects = CHANGE_NEW},
        {.kind = JOURNAL_DELETE, .path = STR("C.md"), .expects = CHANGE_SAME},
        {.kind = JOURNAL_MOVE, .path = STR("x/D.md"), .to = STR("D.md")},
        {.kind = JOURNAL_MOVE, .path = STR(".trash/E.md"), .to = STR("E.md")},
        {.kind = JOURNAL_MOVE, .path = STR("F.md"), .to = STR(".trash/F.md")},
        {.kind = JOURNAL_REMOVE_FOLDER, .path = STR("x")},
    };
    draft_list_undo(
        &a,
        &(struct change_result){.number = 8, .undoing = ops, .n_undoing = COUNT_OF(ops)},
        &made);
    struct undone u = {.number = 7, .made = made};
    CHECK_STR("undone", json_of(&a, &undone_shape, &u, SIZE_MAX),
              "{\"undone\":7,\"files\":["
              "{\"path\":\"A.md\",\"outcome\":\"changed back\",\"etag\":\"" NONE "\"},"
              "{\"path\":\"B.md\",\"outcome\":\"restored\",\"etag\":\"" NONE "\"},"
              "{\"path\":\"C.md\",\"outcome\":\"removed\"},"
              "{\"path\":\"x/D.md\",\"outcome\":\"moved back\",\"to\":\"D.md\"},"
              "{\"path\":\"E.md\",\"outcome\":\"restored\"},"
              "{\"path\":\"F.md\",\"outcome\":\"deleted\"}],\"change\":8}");
    CHECK_STR("shown", term_of(&a, &undone_shape, &u),
              "changed back A.md\nrestored B.md\nremoved C.md\n"
              "moved back x/D.md to D.md\nrestored E.md\ndeleted F.md\n"
              "change 7 is undone (by change 8)\n");
    u.made = (struct draft_result){
        .change = 8, .repeated = true, .answer = undone_kept(&a, &u)};
    CHECK_STR("again", json_of(&a, &undone_shape, &u, SIZE_MAX),
              "{\"undone\":7,\"change\":8,\"repeated\":true}");
    arena_release(&a);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edited),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
