#include "vault/change/proposal.h"

#include "base/hash.h"
#include "base/sbuf.h"
#include "check.h"

static struct proposal_op written = {.op = {.kind = JOURNAL_WRITE,
                                            .path = {"Work/Plan.md", 12},
                                            .text = {"new\n\0bytes", 10},
                                            .expects = CHANGE_SAME,
                                            .was = {7, 9}},
                                     .base = {"old\n", 4}};
static struct proposal_op made = {.op = {.kind = JOURNAL_WRITE,
                                         .path = {"\"a\".md", 6},
                                         .text = {"\xff\xfe", 2},
                                         .expects = CHANGE_NEW,
                                         .mode = 0600}};
static struct proposal_op moved = {
    .op = {.kind = JOURNAL_MOVE, .path = {"a", 1}, .to = {".trash/a", 8}},
    .found = {"2 files 1 2", 11}};

static str print(struct arena *a, struct proposal *out)
{
    *out = (struct proposal){.by = {.tool = STR("vault_edit"),
                                    .who = STR("anna"),
                                    .client = STR("Claude"),
                                    .grant = STR("anna\nid")},
                             .summary = STR("vault_edit: Work/Plan.md"),
                             .files = 4,
                             .ops = ARENA_ARRAY(a, struct proposal_op, 3),
                             .n = 3};
    out->ops[0] = written;
    out->ops[1] = made;
    out->ops[2] = moved;
    return proposal_print(a, out);
}

/* Everything comes back, whatever bytes the files have. */
static void test_round_trip(void **state)
{
    struct proposal p, q;
    struct err err = {0};
    str text = print(*state, &p);
    if (!proposal_parse(*state, text, &q, &err))
        fail_msg("%s", err.msg);
    CHECK_STR("tool", q.by.tool, "vault_edit");
    CHECK_STR("who", q.by.who, "anna");
    CHECK_STR("client", q.by.client, "Claude");
    CHECK("grant", str_eq(q.by.grant, p.by.grant));
    CHECK_INT("files", q.files, 4);
    CHECK_INT("n", q.n, 3);
    for (size_t i = 0; i < q.n; i++) {
        const struct proposal_op *x = &p.ops[i], *y = &q.ops[i];
        CHECK("path", str_eq(x->op.path, y->op.path) && str_eq(x->op.to, y->op.to));
        CHECK("text", str_eq(x->op.text, y->op.text) && str_eq(x->base, y->base));
        CHECK("found", str_eq(x->found, y->found));
        CHECK_INT("kind", y->op.kind, x->op.kind);
        CHECK_INT("expects", y->op.expects, x->op.expects);
        CHECK_INT("mode", y->op.mode, x->op.mode);
        CHECK("was", x->op.was.low == y->op.was.low && x->op.was.high == y->op.was.high);
    }
    CHECK("again", str_eq(proposal_print(*state, &q), text));
    CHECK("moves", !proposal_is_by_file(&q));
    q.n = 2;
    CHECK("by file", proposal_is_by_file(&q));
}

/* No part of it is taken for the whole, and nothing may follow. */
static void test_cut(void **state)
{
    struct proposal p, q;
    struct err err = {0};
    str text = print(*state, &p);
    for (size_t n = 0; n < text.n; n++)
        CHECK("cut", !proposal_parse(*state, str_slice(text, 0, n), &q, &err));
    CHECK("more",
          !proposal_parse(*state, arena_printf(*state, STR_FMT "x", STR_ARG(text)), &q,
                          &err));
}

static void test_damaged(void **state)
{
    static const char *const bad[] = {
        "{}\n",
        "[]\n",
        "{\"v\":2,\"files\":0,\"ops\":[]}\n",
        "{\"v\":1,\"files\":-1,\"ops\":[]}\n",
        "{\"v\":1,\"files\":0,\"ops\":[{}]}\n",
        "{\"v\":1,\"files\":0,\"ops\":[{\"op\":\"run\",\"path\":\"a\",\"expects\":0,"
        "\"text\":0,\"base\":0}]}\n",
        "{\"v\":1,\"files\":0,\"ops\":[{\"op\":\"write\",\"path\":\"a\",\"expects\":9,"
        "\"text\":0,\"base\":0}]}\n",
        "{\"v\":1,\"files\":0,\"ops\":[{\"op\":\"write\",\"path\":\"a\",\"expects\":0,"
        "\"text\":-1,\"base\":0}]}\n",
        "{\"v\":1,\"files\":0,\"ops\":[{\"op\":\"write\",\"path\":\"a\",\"expects\":0,"
        "\"text\":9,\"base\":0}]}\nx",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct proposal p;
        struct err err = {0};
        CHECK(bad[i], !proposal_parse(*state, str_c(bad[i]), &p, &err));
        CHECK_INT(bad[i], err.code, ERR_INVALID);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_round_trip),
        ARENA_TEST(test_cut),
        ARENA_TEST(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
