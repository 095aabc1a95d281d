/*
 * asking - tools, a prompt and a resource that ask their client something.
 */
#pragma once

#include "peer.h"

#define CAN_ANSWER "{'elicitation':{},'sampling':{},'roots':{}}"

struct form {
    bool ok;
    str name, color;
};

static const struct mcp_field sure_form[] = {
    MCP_FIELD(struct form, ok, MCP_BOOL, MCP_REQUIRED, "Go on?"),
    {0},
};

static const struct mcp_field name_form[] = {
    MCP_FIELD(struct form, name, MCP_STR, MCP_REQUIRED, "A name"),
    {0},
};

static const struct mcp_field color_form[] = {
    MCP_FIELD(struct form, color, MCP_STR, MCP_REQUIRED, "A colour"),
    {0},
};

#define SURE_SCHEMA                                                                      \
    "{'type':'object','properties':{'ok':{'type':'boolean','description':'Go on?'}},"    \
    "'required':['ok']}"
#define SURE_PARAMS "'message':'Sure?','requestedSchema':" SURE_SCHEMA

struct confirm_args {
    str path;
};

static const struct mcp_field confirm_fields[] = {
    MCP_FIELD(struct confirm_args, path, MCP_STR, 0, "What", .dflt = "\"it\""),
    {0},
};

static bool confirm_for(struct mcp_call *call, str path)
{
    struct form form = {0};
    mcp_text(call, STR("asked"));
    switch (mcp_elicit(call, STR("sure"), STR("Sure?"), sure_form, &form)) {
    case MCP_PENDING:
        return true;
    case MCP_ACCEPTED:
        mcp_text(call, arena_printf(call->arena, "%s " STR_FMT, form.ok ? "did" : "left",
                                    STR_ARG(path)));
        return true;
    case MCP_DECLINED:
        mcp_text(call, STR("declined"));
        return true;
    }
    return false;
}

static bool confirm(struct mcp_call *call, struct err *err)
{
    const struct confirm_args *in = call->args;
    return confirm_for(call, in->path);
}

static bool confirm_it(struct mcp_call *call, struct err *err)
{
    return confirm_for(call, STR("it"));
}

static const struct mcp_tool confirm_tool = {
    .name = "confirm",
    .about = "Asks once",
    .fields = confirm_fields,
    .args_size = sizeof(struct confirm_args),
    .run = confirm,
};

/* The same on the transport's thread. */
static const struct mcp_tool quick_tool = {
    .name = "quick", .about = "Asks once", .flags = MCP_QUICK, .run = confirm_it};

static bool ask_twice(struct mcp_call *call, struct err *err)
{
    struct form form = {0};
    if (mcp_elicit(call, STR("first"), STR("Who?"), name_form, &form) == MCP_PENDING ||
        mcp_elicit(call, STR("second"), STR("Which?"), color_form, &form) == MCP_PENDING)
        return true;
    mcp_text(call, arena_printf(call->arena, STR_FMT " likes " STR_FMT,
                                STR_ARG(form.name), STR_ARG(form.color)));
    return true;
}

static const struct mcp_tool rounds_tool = {
    .name = "rounds", .about = "Asks twice, one after the other", .run = ask_twice};

static bool three(struct mcp_call *call, struct err *err)
{
    static const str keys[] = {STR("one"), STR("two"), STR("three")};
    static const str methods[] = {STR("sampling/createMessage"), STR("roots/list"),
                                  STR("roots/list")};
    struct sbuf text = SBUF_ON(call->arena);
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        const struct json *answer = mcp_ask(call, keys[i], methods[i], STR("{}"));
        if (answer != NULL)
            sbuf_add(&text, answer->raw);
    }
    mcp_text(call, sbuf_str(&text));
    return true;
}

static const struct mcp_tool three_tool = {
    .name = "three", .about = "Asks three questions together", .run = three};

/* Reports whatever answer arrived. */
static bool roots(struct mcp_call *call, struct err *err)
{
    const struct json *answer = mcp_ask(call, STR("roots"), STR("roots/list"), STR("{}"));
    if (answer != NULL)
        mcp_text(call, answer->raw);
    return true;
}

static const struct mcp_tool roots_tool = {
    .name = "roots", .about = "Asks for the roots", .run = roots};

static bool fail_asking(struct mcp_call *call, struct err *err)
{
    mcp_ask(call, STR("never"), STR("roots/list"), STR("{}"));
    return err_set(err, ERR_CONFLICT, "no use in asking");
}

static const struct mcp_tool failing_tool = {
    .name = "failing", .about = "Fails while a question is open", .run = fail_asking};

/* Asks for permission to do what the test says. */
static const char *plan = "a";

static bool carry_out(struct mcp_call *call, struct err *err)
{
    enum mcp_consent given =
        mcp_confirm(call, STR("permit"), str_c(plan), STR("Carry it out?"));
    if (given != MCP_PENDING)
        mcp_text(call, given == MCP_ACCEPTED
                           ? arena_printf(call->arena, "carried out %s", plan)
                           : STR("declined"));
    return true;
}

static const struct mcp_tool permit_tool = {
    .name = "permit", .about = "Asks for permission", .run = carry_out};

static const struct mcp_prompt asking_prompt = {
    .name = "asking", .about = "Asks", .run = confirm_it};

static bool read_asking(struct mcp_call *call, str uri, struct err *err)
{
    struct form form = {0};
    if (mcp_elicit(call, STR("sure"), STR("Sure?"), sure_form, &form) != MCP_PENDING)
        mcp_resource_text(call, uri, STR("text/plain"), STR("read"));
    return true;
}

static const struct mcp_resource asking_row = {
    .uri = "ask://x", .name = "x", .read = read_asking};

static const struct mcp_tool *const asking_tools[] = {
    &confirm_tool, &quick_tool,   &rounds_tool, &three_tool,
    &roots_tool,   &failing_tool, &permit_tool, NULL};
static const struct mcp_prompt *const asking_prompts[] = {&asking_prompt, NULL};
static const struct mcp_resource *const asking_resources[] = {&asking_row, NULL};

static const struct mcp_config asking = {
    .tools = asking_tools,
    .prompts = asking_prompts,
    .resources = asking_resources,
};
