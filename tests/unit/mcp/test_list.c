/* The four lists: pages, cursors, and what a row says in each revision. */
#include "mcp/server.h"

#include "base/encode.h"
#include "world.h"

enum { ROWS = 250 };

struct crowd {
    char names[ROWS][16];
    struct mcp_tool tools[ROWS];
    struct mcp_prompt prompts[ROWS];
    struct mcp_resource rows[ROWS], templates[ROWS];
    char uris[ROWS][32], patterns[ROWS][32];
    const struct mcp_tool *tool_list[ROWS + 1];
    const struct mcp_prompt *prompt_list[ROWS + 1];
    const struct mcp_resource
        *row_list[2 * ROWS + 1]; /* resources and templates alternately */
};

static void make_crowd(struct crowd *c)
{
    for (int i = 0; i < ROWS; i++) {
        snprintf(c->names[i], sizeof(c->names[i]), "t%03d", i);
        c->tools[i] = (struct mcp_tool){.name = c->names[i], .about = "x", .run = echo};
        c->prompts[i] = (struct mcp_prompt){
            .name = c->names[i], .about = "x", .run = plain_prompt_run};
        snprintf(c->uris[i], sizeof(c->uris[i]), "test://%d", i);
        snprintf(c->patterns[i], sizeof(c->patterns[i]), "test://%d/{x}", i);
        c->rows[i] = (struct mcp_resource){
            .uri = c->uris[i], .name = c->names[i], .read = read_fixed};
        c->templates[i] = (struct mcp_resource){
            .uri = c->patterns[i], .name = c->names[i], .read = read_fixed};
        c->row_list[2 * i] = &c->rows[i];
        c->row_list[2 * i + 1] = &c->templates[i];
        c->tool_list[i] = &c->tools[i];
        c->prompt_list[i] = &c->prompts[i];
    }
}

/* Walk a list by its cursors: every row once, in order. Returns the number of pages. */
static int walk(struct peer *p, const char *method, const char *member)
{
    int pages = 0, rows = 0;
    str cursor = {0};
    do {
        str params = cursor.n > 0 ? arena_printf(&p->arena, "'cursor':'" STR_FMT "'",
                                                 STR_ARG(cursor))
                                  : STR("");
        const struct json *result =
            peer_result(peer_send(p, method, params.n ? params.p : ""));
        const struct json *list = json_get(result, str_c(member));
        for (const struct json *j = list->child; j != NULL; j = j->next, rows++) {
            char name[16];
            snprintf(name, sizeof(name), "t%03d", rows % ROWS);
            CHECK_STR(method, json_get_str(j, STR("name")), name);
        }
        cursor = json_get_str(result, STR("nextCursor"));
        pages++;
    } while (cursor.n > 0 && pages < 2 * ROWS);
    CHECK_INT(method, rows, ROWS);
    return pages;
}

static void test_pages(void **state)
{
    static const struct {
        size_t page_size;
        int pages;
    } cases[] = {{0, 3}, {1, 250}, {7, 36}, {125, 2}, {249, 2}, {250, 1}, {1000, 1}};

    (void)state;
    struct crowd *crowd = mem_zero(sizeof(*crowd));
    make_crowd(crowd);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct peer *p =
            peer_create(&(struct mcp_config){.tools = crowd->tool_list,
                                             .prompts = crowd->prompt_list,
                                             .resources = crowd->row_list,
                                             .page_size = cases[i].page_size});
        for (int modern = 0; modern < 2; modern++) {
            p->revision = modern ? MCP_2026_07_28 : MCP_2024_11_05;
            CHECK_INT("tools", walk(p, "tools/list", "tools"), cases[i].pages);
            CHECK_INT("prompts", walk(p, "prompts/list", "prompts"), cases[i].pages);
            CHECK_INT("templates",
                      walk(p, "resources/templates/list", "resourceTemplates"),
                      cases[i].pages);
        }
        peer_free(p);
    }
    free(crowd);
}

/* Fixed resources are also paged (mcp_config.page_size). */
static void test_resource_row_pages(void **state)
{
    (void)state;
    struct crowd *crowd = mem_zero(sizeof(*crowd));
    make_crowd(crowd);
    struct peer *p =
        peer_create(&(struct mcp_config){.resources = crowd->row_list, .page_size = 100});
    int pages = walk(p, "resources/list", "resources");
    peer_free(p);
    free(crowd);
    CHECK_INT("pages", pages, 3);
}

static void test_page_cursors(void **state)
{
    static const struct {
        const char *cursor;
        int rows; /* -1: refused */
    } cases[] = {
        {"''", 100},   {"'0'", 100},  {"'100'", 100},
        {"'200'", 50}, {"'249'", 1},  {"'250'", -1},
        {"'251'", -1}, {"'-1'", -1},  {"'x'", -1},
        {"'1x'", -1},  {"100", -1},   {"null", -1},
        {"{}", -1},    {"['0']", -1}, {"'99999999999999999999'", -1},
        {"'1.0'", -1}, {"true", -1},
    };

    (void)state;
    struct crowd *crowd = mem_zero(sizeof(*crowd));
    make_crowd(crowd);
    struct peer *p = peer_create(
        &(struct mcp_config){.tools = crowd->tool_list, .prompts = crowd->prompt_list});
    p->revision = MCP_2026_07_28;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (int which = 0; which < 2; which++) {
            str params = arena_printf(&p->arena, "'cursor':%s", cases[i].cursor);
            struct peer_call *c =
                peer_send(p, which ? "tools/list" : "prompts/list", params.p);
            if (cases[i].rows < 0) {
                CHECK_FAILED(cases[i].cursor, c, RPC_INVALID_PARAMS,
                             "Invalid cursor: use nextCursor of the previous page", NULL);
                continue;
            }
            const struct json *list =
                json_get(peer_result(c), which ? STR("tools") : STR("prompts"));
            CHECK_INT(cases[i].cursor, list->n, cases[i].rows);
        }
    }
    peer_free(p);
    free(crowd);
}

static void test_tool_rows(void **state)
{
    static const struct {
        enum mcp_revision revision;
        const char *want;
    } cases[] = {
        {MCP_2024_11_05, "'tools':[{'name':'echo','description':'Says hello',"
                         "'inputSchema':{'type':'object','properties':{}}}]"},
        {MCP_2025_03_26, "'tools':[{'name':'echo','description':'Says hello',"
                         "'inputSchema':{'type':'object','properties':{}},'annotations':{"
                         "'title':'Echo','readOnlyHint':true,'openWorldHint':false}}]"},
        {MCP_2025_06_18,
         "'tools':[{'name':'echo','title':'Echo','description':'Says hello',"
         "'inputSchema':{'type':'object','properties':{}},"
         "'outputSchema':{'type':'object'},'annotations':{"
         "'readOnlyHint':true,'openWorldHint':false}}]"},
    };

    struct peer *p = *state;
    for (enum mcp_revision r = MCP_2024_11_05; r < MCP_REVISIONS; r++) {
        size_t i = r < MCP_2025_06_18 ? r - MCP_2024_11_05 : 2;
        p->revision = r;
        CHECK_CACHED(mcp_revision_name(r).p, peer_send(p, "tools/list", ""),
                     cases[i].want, "public");
    }
}

static void test_SEC_122_tool_hints(void **state)
{
    static const struct {
        unsigned flags;
        const char *want;
    } cases[] = {
        {0, "'readOnlyHint':false,'destructiveHint':false,'openWorldHint':false"},
        {MCP_OWN_FIELDS, "'readOnlyHint':false,'destructiveHint':false,"
                         "'idempotentHint':false,'openWorldHint':false"},
        {MCP_READ_ONLY, "'readOnlyHint':true,'openWorldHint':false"},
        {MCP_READ_ONLY | MCP_OWN_FIELDS, "'readOnlyHint':true,'destructiveHint':false,"
                                         "'idempotentHint':true,'openWorldHint':false"},
        {MCP_DESTRUCTIVE | MCP_IDEMPOTENT, "'readOnlyHint':false,'destructiveHint':true,"
                                           "'idempotentHint':true,'openWorldHint':false"},
        {MCP_OPEN_WORLD | MCP_QUICK | MCP_STRUCTURED | MCP_POLLED,
         "'readOnlyHint':false,'destructiveHint':false,'openWorldHint':true"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct mcp_tool tool = {
            .name = "t", .about = "a", .flags = cases[i].flags, .run = echo};
        const struct mcp_tool *const list[] = {&tool, NULL};
        struct peer *p = peer_create(&(struct mcp_config){.tools = list});
        str want = arena_printf(&p->arena,
                                "'tools':[{'name':'t','description':'a','inputSchema':{"
                                "'type':'object','properties':{}},'annotations':{%s}}]",
                                cases[i].want);
        CHECK_DONE(cases[i].want, peer_send(p, "tools/list", ""), want.p);
        peer_free(p);
    }
}

/* A schema given as text goes out as it is; views are named in _meta. */
static void test_tool_extras(void **state)
{
    static const struct mcp_tool raw = {
        .name = "raw",
        .about = "a",
        .input_schema = "{\"$schema\":\"x\", \"type\":\"object\"}",
        .ui = "ui://view",
        .run = echo,
    };
    static const struct mcp_tool *const list[] = {&raw, NULL};

    (void)state;
    struct peer *p = peer_create(&(struct mcp_config){.tools = list});
    p->revision = MCP_2024_11_05;
    CHECK_DONE("rows", peer_send(p, "tools/list", ""),
               "'tools':[{'name':'raw','description':'a','inputSchema':{'$schema':'x', "
               "'type':'object'},'_meta':{'ui':{'resourceUri':'ui://view'},"
               "'ui/resourceUri':'ui://view'}}]");
    peer_free(p);
}

static void test_prompt_rows(void **state)
{
    struct peer *p = *state;
    p->revision = MCP_2025_03_26;
    CHECK_DONE("old", peer_send(p, "prompts/list", ""),
               "'prompts':[{'name':'greet','description':'Greets somebody','arguments':["
               "{'name':'name','description':'Whom to greet','required':true},"
               "{'name':'tone','description':'How','required':false}]},"
               "{'name':'plain','description':'No arguments'}]");
    p->revision = MCP_2025_06_18;
    CHECK_DONE(
        "new", peer_send(p, "prompts/list", ""),
        "'prompts':[{'name':'greet','title':'Greeting','description':'Greets "
        "somebody','arguments':[{'name':'name','title':'Name','description':'Whom to "
        "greet','required':true},"
        "{'name':'tone','description':'How','required':false}]},"
        "{'name':'plain','description':'No arguments'}]");
}

/* The fixed rows first, then one family after the other, each in its own pages. */
static void test_resource_pages(void **state)
{
    static const char *const pages[] = {
        "'resources':[{'uri':'test://a','name':'a','title':'The A','description':'Fixed',"
        "'mimeType':'text/plain'},{'uri':'test://item/0/x','name':'item','title':'T',"
        "'description':'D','mimeType':'text/markdown','size':12,'annotations':{"
        "'lastModified':'2026-11-15T09:30:00Z'}},{'uri':'test://item/1/"
        "x','name':'item'}]",
        ("'resources':[{'uri':'test://item/2/x','name':'item'},{'uri':'test://item/3/x',"
         "'name':'item'}]"),
        "'resources':[{'uri':'test://item/4/x','name':'item'}]",
        "'resources':[{'uri':'test://other/1','name':'one'}]",
    };

    struct peer *p = *state;
    for (int modern = 0; modern < 2; modern++) {
        p->revision = modern ? MCP_2026_07_28 : MCP_2025_11_25;
        str cursor = {0};
        for (size_t i = 0; i < COUNT_OF(pages); i++) {
            str params =
                arena_printf(&p->arena, "'cursor':'" STR_FMT "'", STR_ARG(cursor));
            struct peer_call *c = peer_send(p, "resources/list", params.p);
            cursor = json_get_str(peer_result(c), STR("nextCursor"));
            CHECK_INT(pages[i], cursor.n > 0, i + 1 < COUNT_OF(pages));
            str want = cursor.n > 0
                           ? arena_printf(&p->arena, "%s,'nextCursor':'" STR_FMT "'",
                                          pages[i], STR_ARG(cursor))
                           : str_c(pages[i]);
            CHECK_CACHED(pages[i], c, want.p, "private");
        }
    }
}

static void test_resource_cursors(void **state)
{
    static const struct {
        const char *plain, *cursor; /* one of them */
        const char *message;        /* NULL: fine */
    } cases[] = {
        {.cursor = "''"},
        {.plain = "1:"},
        {.plain = "1:2"},
        {.plain = "2:"},
        {.plain = "1:x", .message = "no such page"},
        {.plain = "0:", .message = "Invalid cursor: use nextCursor of the previous page"},
        {.plain = "0:1",
         .message = "Invalid cursor: use nextCursor of the previous page"},
        {.plain = "3:", .message = "Invalid cursor: use nextCursor of the previous page"},
        {.plain = "-1:",
         .message = "Invalid cursor: use nextCursor of the previous page"},
        {.plain = ":", .message = "Invalid cursor: use nextCursor of the previous page"},
        {.plain = "x:1",
         .message = "Invalid cursor: use nextCursor of the previous page"},
        {.plain = "99999999999999999999:",
         .message = "Invalid cursor: use nextCursor of the previous page"},
        {.cursor = "'0:'",
         .message = "Invalid cursor: use nextCursor of the previous page"},
        {.cursor = "'MTo='",
         .message = "Invalid cursor: use nextCursor of the previous page"},
        {.cursor = "5", .message = "Invalid cursor: use nextCursor of the previous page"},
        {.cursor = "null",
         .message = "Invalid cursor: use nextCursor of the previous page"},
        {.cursor = "[]",
         .message = "Invalid cursor: use nextCursor of the previous page"},
    };

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = cases[i].plain != NULL ? cases[i].plain : cases[i].cursor;
        str cursor = str_c(cases[i].cursor);
        if (cases[i].plain != NULL)
            cursor =
                arena_printf(&p->arena, "'" STR_FMT "'",
                             STR_ARG(encode_base64url(&p->arena, str_c(cases[i].plain))));
        str params = arena_printf(&p->arena, "'cursor':" STR_FMT, STR_ARG(cursor));
        struct peer_call *c = peer_send(p, "resources/list", params.p);
        if (cases[i].message != NULL)
            CHECK_FAILED(row, c, RPC_INVALID_PARAMS, cases[i].message, NULL);
        else
            CHECK(row, peer_result(c) != NULL);
    }
}

/* There is one page only, so every cursor but the empty one is wrong. */
static void test_template_cursors(void **state)
{
    struct peer *p = *state;
    CHECK("empty", peer_result(peer_send(p, "resources/templates/list", "'cursor':''")));
    CHECK_FAILED("made up", peer_send(p, "resources/templates/list", "'cursor':'x'"),
                 RPC_INVALID_PARAMS,
                 "Invalid cursor: use nextCursor of the previous page", NULL);
    CHECK_FAILED("no string", peer_send(p, "resources/templates/list", "'cursor':5"),
                 RPC_INVALID_PARAMS,
                 "Invalid cursor: use nextCursor of the previous page", NULL);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_resource_row_pages),
        cmocka_unit_test(test_page_cursors),
        FULL_TEST(test_tool_rows),
        cmocka_unit_test(test_SEC_122_tool_hints),
        cmocka_unit_test(test_tool_extras),
        FULL_TEST(test_prompt_rows),
        FULL_TEST(test_resource_pages),
        FULL_TEST(test_resource_cursors),
        FULL_TEST(test_template_cursors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
