/*
 * world - a server with one of everything, and one with nothing, for the tests of
 * src/mcp.
 */
#pragma once

#include "mcp_refuse.h"
#include "peer.h"

static bool echo(struct mcp_call *call, struct err *err)
{
    mcp_text(call, STR("hello"));
    return true;
}

static const struct mcp_tool echo_tool = {
    .name = "echo",
    .title = "Echo",
    .about = "Says hello",
    .flags = MCP_READ_ONLY | MCP_QUICK,
    .output_schema = "{\"type\":\"object\"}",
    .run = echo,
};

struct greet_args {
    str name, tone;
};

static const struct mcp_field greet_fields[] = {
    MCP_FIELD(struct greet_args, name, MCP_STR, MCP_REQUIRED, "Whom to greet",
              .title = "Name"),
    MCP_FIELD(struct greet_args, tone, MCP_STR, 0, "How", .dflt = "\"kindly\""),
    {0},
};

static bool greet(struct mcp_call *call, struct err *err)
{
    const struct greet_args *in = call->args;
    if (str_eq(in->name, STR("nobody")))
        return err_set(err, ERR_NOT_FOUND, "nobody is not there");
    if (str_eq(in->name, STR("crash")))
        return err_set(err, ERR_INTERNAL, "the greeter is broken");
    if (str_eq(in->name, STR("odd")))
        return refuse(call, err, 7, "an odd name");
    mcp_text(call, arena_printf(call->arena, "Greet " STR_FMT " " STR_FMT,
                                STR_ARG(in->name), STR_ARG(in->tone)));
    mcp_text(call, STR("Done"));
    mcp_resource_text(call, STR("test://a"), STR("text/plain"), STR("A"));
    return true;
}

/* As many values as were typed: "150" suggests 150. */
static bool suggest(struct mcp_call *call, str argument, str typed, struct err *err)
{
    int64_t n = 0;
    if (str_eq(typed, STR("fail")))
        return err_set(err, ERR_INVALID, "no idea");
    const struct json *chosen = call->args;
    if (chosen != NULL)
        mcp_suggest(call, json_get_str(chosen, STR("tone")));
    if (!str_to_int(typed, &n))
        mcp_suggest(call, argument);
    for (int64_t i = 0; i < n; i++)
        mcp_suggest(call, arena_printf(call->arena, "%lld", (long long)i));
    return true;
}

static const struct mcp_prompt greet_prompt = {
    .name = "greet",
    .title = "Greeting",
    .about = "Greets somebody",
    .fields = greet_fields,
    .args_size = sizeof(struct greet_args),
    .quick = true,
    .run = greet,
    .complete = suggest,
};

static bool plain_prompt_run(struct mcp_call *call, struct err *err)
{
    mcp_text(call, STR("just so"));
    return true;
}

static const struct mcp_prompt plain_prompt = {
    .name = "plain", .about = "No arguments", .run = plain_prompt_run};

static bool read_fixed(struct mcp_call *call, str uri, struct err *err)
{
    mcp_resource_text(call, uri, STR("text/plain"), STR("A\n"));
    mcp_resource_blob(call, STR("test://a/more"), STR("image/png"), STR("\x89PNG"));
    return true;
}

static const struct mcp_resource fixed_row = {
    .uri = "test://a",
    .name = "a",
    .title = "The A",
    .about = "Fixed",
    .mime = "text/plain",
    .quick = true,
    .read = read_fixed,
};

static bool read_item(struct mcp_call *call, str uri, struct err *err)
{
    static const struct {
        const char *id;
        enum err_code code;
    } failures[] = {
        {"none", ERR_NOT_FOUND}, {"secret", ERR_DENIED}, {"broken", ERR_INTERNAL},
        {"busy", ERR_BUSY},      {"huge", ERR_LIMIT},    {"wrong", ERR_INVALID},
    };
    str id = mcp_variable(call, STR("id"));
    for (size_t i = 0; i < COUNT_OF(failures); i++)
        if (str_eq(id, str_c(failures[i].id)))
            return err_set(err, failures[i].code, "no item " STR_FMT, STR_ARG(id));
    if (str_eq(id, STR("odd")))
        return refuse(call, err, -5, "an odd item");
    mcp_resource_text(call, uri, STR("text/plain"),
                      arena_printf(call->arena, STR_FMT "/" STR_FMT, STR_ARG(id),
                                   STR_ARG(mcp_variable(call, STR("path")))));
    return true;
}

/* Five items in pages of two: the cursor is the number of the next one. */
static bool list_items(struct mcp_call *call, str cursor, struct err *err)
{
    int64_t at = 0;
    if (cursor.n > 0 && !str_to_int(cursor, &at))
        return err_set(err, ERR_INVALID, "no such page");
    for (int64_t i = at; i < at + 2 && i < 5; i++)
        mcp_list(call,
                 &(struct mcp_listed){
                     .uri = arena_printf(call->arena, "test://item/%lld/x", (long long)i),
                     .name = STR("item"),
                     .size = i == 0 ? 12 : -1,
                     .title = i == 0 ? STR("T") : STR(""),
                     .about = i == 0 ? STR("D") : STR(""),
                     .mime = i == 0 ? STR("text/markdown") : STR(""),
                     .last_modified = i == 0 ? STR("2026-11-15T09:30:00Z") : STR(""),
                 });
    if (at + 2 < 5)
        mcp_list_more(call, arena_printf(call->arena, "%lld", (long long)at + 2));
    return true;
}

static const struct mcp_resource item_row = {
    .uri = "test://item/{id}/{+path}",
    .name = "item",
    .about = "An item",
    .read = read_item,
    .list = list_items,
    .complete = suggest,
};

static bool list_one(struct mcp_call *call, str cursor, struct err *err)
{
    mcp_list(call, &(struct mcp_listed){
                       .uri = STR("test://other/1"), .name = STR("one"), .size = -1});
    return true;
}

static const struct mcp_resource other_row = {
    .uri = "test://other/{n}", .name = "other", .read = read_item, .list = list_one};

static const struct mcp_resource view_row = {
    .uri = "ui://view",
    .name = "view",
    .mime = "text/html",
    .hidden = true,
    .read = read_fixed,
    .ui_meta = "{\"prefersBorder\":true}",
};

static const struct mcp_tool *const tools[] = {&echo_tool, NULL};
static const struct mcp_prompt *const prompts[] = {&greet_prompt, &plain_prompt, NULL};
static const struct mcp_resource *const resources[] = {&fixed_row, &item_row, &view_row,
                                                       &other_row, NULL};

static const struct mcp_config everything = {
    .instructions = STR("Be kind."),
    .tools = tools,
    .resources = resources,
    .prompts = prompts,
    .list_changes = true,
    .subscribe = true,
    .logging = true,
    .tasks = true,
};

static inline int setup_full(void **state)
{
    *state = peer_create(&everything);
    return 0;
}

static inline int setup_bare(void **state)
{
    *state = peer_create(&(struct mcp_config){.title = "Nothing"});
    return 0;
}

static inline int teardown(void **state)
{
    peer_free(*state);
    return 0;
}

#define FULL_TEST(function)                                                              \
    cmocka_unit_test_setup_teardown(function, setup_full, teardown)

#define BARE_TEST(function)                                                              \
    cmocka_unit_test_setup_teardown(function, setup_bare, teardown)
