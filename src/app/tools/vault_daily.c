#include "app/answers/put.h"
#include "app/answers/reading.h"
#include "app/kit/kit_change.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "vault/draft.h"
#include "vault/note/edit.h"
#include "vault/ops.h"
#include "vault/text/hidden.h"
#include "vault/text/moment.h"

static const char NAME[] = "vault_daily";

struct args {
    int period; /* enum obsidian_period */
    str date, append, section;
    int64_t budget;
    struct kit_change change;
};

static const char *const periods[] = {"day", "week", "month", "quarter", "year", NULL};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, period, MCP_ENUM, 0, "Which note", .dflt = "\"day\"",
              .choices = periods),
    MCP_FIELD(struct args, date, MCP_STR, 0, "YYYY-MM-DD; omitted: today"),
    MCP_FIELD(struct args, append, MCP_STR, 0, "Text to add to it"),
    MCP_FIELD(struct args, section, MCP_STR, 0, "Heading to add it under"),
    MCP_FIELD(struct args, budget, MCP_INT, MCP_TACIT, "Most tokens", .dflt = "10000",
              .min = 100, .max = KIT_BUDGET_MAX),
    KIT_CHANGE_FIELDS(struct args),
    {0},
};

static bool when_of(struct mcp_call *call, const struct args *in, struct moment *out,
                    struct err *err)
{
    struct moment day;
    *out = moment_local(clock_now() * 1000);
    if (in->date.n == 0)
        return true;
    if (!moment_parse(call->arena, STR("YYYY-MM-DD"), in->date, &day))
        return err_named(err, E_INVALID_ARGUMENT,
                         "'" STR_FMT "' is no date such as 2026-11-16",
                         STR_ARG(utf8_cut(in->date, 40)));
    out->year = day.year;
    out->month = day.month;
    out->day = day.day;
    return true;
}

static bool vault_daily_append(struct mcp_call *call, const struct args *in, str text,
                               struct edit_result *out, struct err *err)
{
    struct edit_insert at_end = {.where = EDIT_APPEND, .content = in->append};
    struct edit_section section = {.heading = in->section,
                                   .action = EDIT_APPEND_TO,
                                   .create_level = 2,
                                   .content = in->append};
    bool ok = in->section.n > 0 ? edit_section(call->arena, text, &section, out, err)
                                : edit_insert(call->arena, text, &at_end, out, err);
    return ok || kit_edit_failed(call, out);
}

/* As many whole lines as the budget has room for. */
static void put_content(struct mcp_call *call, const struct args *in, str path, str text)
{
    enum { REST = 250 }; /* bytes of an answer besides its content and twice its path */
    struct reading r = {.part = {.content = text, .first = 1}};
    struct hidden_list hidden;
    size_t room = (size_t)in->budget * KIT_TOKEN_BYTES, rest = REST + 2 * path.n;
    reading_fit(&r, room > rest ? room - rest : 0);
    jsonw_put_str(call->out, STR("content"), r.cut_line ? STR("") : r.part.content);
    hidden_find(r.part.content, 1, 0, &hidden);
    put_hidden(call->out, &hidden);
    if (r.truncated)
        put_read_on(&(struct answer_out){call->out, SIZE_MAX}, path,
                    r.cut_line ? 1 : r.next);
}

static bool vault_daily_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct draft *d = kit_draft(call, NAME, &in->change);
    struct moment when;
    struct ops_report note;
    struct draft_file f;
    struct edit_result r = {0};
    bool created;
    if (kit_repeated(call, NAME, &in->change))
        return true;
    if (in->section.n > 0 && in->append.n == 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "section says where append goes: give append, too");
    if (!when_of(call, in, &when, err) ||
        !ops_daily(d, (enum obsidian_period)in->period, &when, &note, &created, err) ||
        !draft_read(d, note.path, &f, err))
        return false;
    if (!created && !draft_match(d, f.path, in->change.if_match, err))
        return false;
    r.text = f.text;
    if (in->append.n > 0 && !vault_daily_append(call, in, f.text, &r, err))
        return false;
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("path"), f.path);
    jsonw_put_bool(call->out, STR("created"), created);
    if (in->append.n == 0)
        put_content(call, in, f.path, r.text);
    struct kit_text t = {f.path,      created ? STR("") : f.text,
                         r.text,      r.line_first,
                         r.line_last, r.warnings,
                         r.n_warnings};
    return kit_rewrite(call, d, &in->change, &t, err);
}

static bool vault_daily_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    return kit_change(call, &in->change, vault_daily_steps, err);
}

const struct mcp_tool tool_vault_daily = {
    .name = NAME,
    .title = "Daily note",
    .about = "The daily (weekly, ...) note of a date: its path and text, made from its "
             "template if missing; or append to it.",
    .flags = 0,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_daily_run,
};
