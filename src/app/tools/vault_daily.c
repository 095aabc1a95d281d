#include "app/answers/changed.h"
#include "app/answers/reading.h"
#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_read_log.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/rows.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "vault/draft.h"
#include "vault/habit.h"
#include "vault/note/edit.h"
#include "vault/ops.h"
#include "vault/text/hidden.h"
#include "vault/text/moment.h"

struct args {
    int period; /* enum obsidian_period */
    str date, append, section;
    bool create;
    int64_t budget;
    struct tool_change change;
};

static const char *const periods[] = {"day", "week", "month", "quarter", "year", NULL};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, period, MCP_ENUM, MCP_TERSE, "Which note", .dflt = "\"day\"",
              .choices = periods),
    MCP_FIELD(struct args, date, MCP_STR, 0, "YYYY-MM-DD; omitted: today"),
    MCP_FIELD(struct args, append, MCP_STR, MCP_TERSE, "Text to add to it"),
    MCP_FIELD(struct args, section, MCP_STR, 0, "Heading to add it under"),
    MCP_FIELD(struct args, create, MCP_BOOL, 0, "Add the heading"),
    MCP_FIELD(struct args, budget, MCP_INT, MCP_UNLISTED | MCP_CLAMPED, "Max tokens",
              .dflt = "10000", .min = 100, .max = TOOL_BUDGET_MAX),
    TOOL_CHANGE_FIELDS(struct args),
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
                         "'" STR_FMT "' is not a date (YYYY-MM-DD)",
                         STR_ARG(utf8_cut(in->date, 40)));
    out->year = day.year;
    out->month = day.month;
    out->day = day.day;
    return true;
}

static bool vault_daily_append(struct tool_changing *c, const struct args *in,
                               const struct draft_file *f, struct err *err)
{
    struct arena *a = c->call->arena;
    str text = f->text;
    struct edit_habit siblings = habit_near(draft_vault(c->draft), f->path);
    struct edit_insert at_end = {.where = EDIT_APPEND, .content = in->append};
    struct edit_section section = {.heading = in->section,
                                   .action = EDIT_APPEND_TO,
                                   .create_level = in->create ? 2 : 0,
                                   .content = in->append,
                                   .siblings = &siblings};
    bool ok = in->section.n > 0 ? edit_section(a, text, &section, &c->edit, err)
                                : edit_insert(a, text, &at_end, &c->edit, err);
    if (ok || err->name != E_HEADING_NOT_FOUND)
        return ok;
    if (c->edit.hint.n > 0)
        c->edit.hint =
            arena_printf(a, STR_FMT "; create: true adds it", STR_ARG(c->edit.hint));
    return err_hint(err, "create: true adds it");
}

/* As many whole lines as the budget has room for. */
static void take_content(struct changed *out, const struct args *in, str path, str text)
{
    enum { REST = 250 }; /* bytes in an answer besides its content and twice its path */
    struct reading r = {.part = {.content = text, .first = 1}};
    size_t room = (size_t)in->budget * TOOL_TOKEN_BYTES, rest = REST + 2 * path.n;
    reading_fit(&r, room > rest ? room - rest : 0, READING_JSON);
    out->parts |= CHANGED_CONTENT;
    out->content = r.cut_line ? STR("") : r.part.content;
    hidden_find_read(r.part.content, 1, 0, &out->hidden);
    if (r.truncated)
        out->next_line = r.cut_line ? 1 : r.next;
}

static bool vault_daily_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct ops_dated which = {.period = (enum obsidian_period)in->period,
                              .anyway = in->create};
    struct ops_report note;
    struct draft_file f;
    bool created;
    if (in->section.n > 0 && in->append.n == 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "section needs append, the text to add under it");
    if (!when_of(c->call, in, &which.when, err) ||
        !ops_daily(c->draft, &which, &note, &created, err) ||
        !draft_read(c->draft, note.path, &f, err))
        return false;
    changed_report(&c->out, &note);
    if (!created && !tool_match(c, f.path, err))
        return false;
    c->edit.text = f.text;
    if (in->append.n == 0) {
        take_content(&c->out, in, f.path, f.text);
        tool_saw(c->call, f.path, f.text, (struct edit_range){0, c->out.content.n});
    } else if (!vault_daily_append(c, in, &f, err)) {
        return false;
    }
    c->out.is_done = created;
    if (created)
        f.text = STR("");
    return tool_rewrite(c, &f, err);
}

const struct mcp_tool tool_vault_daily = {
    .name = "vault_daily",
    .title = "Daily note",
    .about = "The daily (weekly, ...) note of a date: its path and text, created from "
             "its template if missing; or append to it.",
    .flags = 0,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.steps = vault_daily_steps, .done = "created", .tags = true,
                 .change = offsetof(struct args, change)),
};
