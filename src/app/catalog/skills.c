#include "app/catalog/skills.h"

#include "app/catalog/skill_adr.h"
#include "app/catalog/skill_devlog.h"
#include "base/clock.h"
#include "mcp/call.h"

struct args {
    str subject, project;
};

#define SUBJECT(name_, about_)                                                           \
    {                                                                                    \
        .name = (name_), .type = MCP_STR, .offset = offsetof(struct args, subject),      \
        .about = (about_)                                                                \
    }
#define PROJECT MCP_FIELD(struct args, project, MCP_STR, 0, "The project it belongs to")

static const struct mcp_field devlog_fields[] = {
    SUBJECT("topic", "The topic, if it is known"), PROJECT, {0}};
static const struct mcp_field adr_fields[] = {
    SUBJECT("title", "The decision, in a few words"), PROJECT, {0}};

static void add_given(struct sbuf *out, const char *what, str value)
{
    if (value.n > 0)
        sbuf_printf(out, "%s: " STR_FMT "\n", what, STR_ARG(value));
}

/* The text after the properties of a skill's file, which are only for programs that load
 * such files. */
static str skill_body(str skill)
{
    str end = STR("\n---\n\n");
    return str_skip(skill, str_find(skill, end) + end.n);
}

/* The skill, then its subject. */
static bool skills_answer(struct mcp_call *call, const char *skill, const char *subject)
{
    const struct args *in = call->args;
    char when[CLOCK_ISO_SIZE];
    struct sbuf text = SBUF_ON(call->arena);
    str today = str_slice(clock_iso(clock_now(), when), 0, 10);
    sbuf_add(&text, skill_body(str_c(skill)));
    sbuf_printf(&text, "\n---\n\nToday is " STR_FMT ". Do this now.\n", STR_ARG(today));
    add_given(&text, subject, in->subject);
    add_given(&text, "Project", in->project);
    mcp_text(call, sbuf_str(&text));
    return true;
}

static bool devlog(struct mcp_call *call, struct err *err)
{
    return skills_answer(call, SKILL_DEVLOG, "Topic");
}

static bool adr(struct mcp_call *call, struct err *err)
{
    return skills_answer(call, SKILL_ADR, "Title");
}

static const struct mcp_prompt devlog_row = {
    .name = "devlog",
    .title = "Log this work",
    .about =
        "Log work in the vault's devlog. Use after a piece of work worth remembering, or "
        "when the user asks to log, note down or remember what was done.",
    .fields = devlog_fields,
    .args_size = sizeof(struct args),
    .quick = true,
    .run = devlog,
};

static const struct mcp_prompt adr_row = {
    .name = "adr",
    .title = "Record a decision",
    .about = "Record a decision (ADR) in the vault. Use when a choice between real "
             "alternatives is made that others will ask about later, or when the user "
             "asks for a decision record.",
    .fields = adr_fields,
    .args_size = sizeof(struct args),
    .quick = true,
    .run = adr,
};

const struct mcp_prompt *const skill_prompts[] = {&adr_row, &devlog_row, NULL};
