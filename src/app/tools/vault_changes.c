#include "app/kit/tool_kit.h"
#include "app/tools/history.h"
#include "app/tools/rows.h"
#include "base/clock.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/vault.h"

enum { JOURNAL, GIT };

struct args {
    int64_t limit, since, before;
    int source;
    str path, range;
    int64_t offset;
};

static const char *const sources[] = {[JOURNAL] = "journal", [GIT] = "git", NULL};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, limit, MCP_INT, 0, "Most changes", .dflt = "20", .min = 1,
              .max = 200),
    MCP_FIELD(struct args, since, MCP_INT, 0, "After this change", .min = 0,
              .max = INT64_MAX),
    MCP_FIELD(struct args, before, MCP_INT, 0, "Before this change", .min = 1,
              .max = INT64_MAX),
    MCP_FIELD(struct args, source, MCP_ENUM, KIT_HISTORY, "git: commits, also by others",
              .dflt = "\"journal\"", .choices = sources),
    MCP_FIELD(struct args, path, MCP_STR, KIT_HISTORY, "git: only of this"),
    MCP_FIELD(struct args, range, MCP_STR, KIT_HISTORY,
              "git: FROM..TO, commits or dates"),
    MCP_FIELD(struct args, offset, MCP_INT, KIT_HISTORY, "git: to skip", .dflt = "0",
              .min = 0, .max = 1000000000),
    {0},
};

static void put_paths(struct jsonw *out, const struct journal_change *c)
{
    enum { SHOWN = 20 };
    jsonw_put_array(out, STR("files"));
    for (size_t i = 0; i < c->n && i < SHOWN; i++) {
        jsonw_object(out);
        jsonw_put_str(out, STR("path"), c->ops[i].path);
        jsonw_put_str(out, STR("operation"), journal_kind_name(c->ops[i].kind));
        if (c->ops[i].to.n > 0)
            jsonw_put_str(out, STR("to"), c->ops[i].to);
        jsonw_end(out);
    }
    jsonw_end(out);
    if (c->n > SHOWN)
        jsonw_put_int(out, STR("total_files"), (int64_t)c->n);
}

static void put_change(struct jsonw *out, const struct journal_entry *e,
                       const struct journal_change *c)
{
    char when[CLOCK_ISO_SIZE];
    jsonw_object(out);
    jsonw_put_int(out, STR("change"), (int64_t)e->number);
    jsonw_put_str(out, STR("time"), clock_iso(e->time, when));
    jsonw_put_str(out, STR("tool"), c->tool);
    if (c->who.n > 0)
        jsonw_put_str(out, STR("who"), c->who);
    if (c->client.n > 0)
        jsonw_put_str(out, STR("client"), c->client);
    if (e->undoes > 0)
        jsonw_put_int(out, STR("undoes"), (int64_t)e->undoes);
    if (e->undone_by > 0)
        jsonw_put_int(out, STR("undone_by"), (int64_t)e->undone_by);
    if (e->state == JOURNAL_ABORTED)
        jsonw_put_bool(out, STR("failed"), true);
    put_paths(out, c);
    jsonw_end(out);
}

/* What a caller sees of the journal, as it is read. */
struct seen {
    struct mcp_call *call;
    const struct vault *vault;
    const struct journal *journal;
};

static bool vault_changes_sees(const struct seen *s, const struct journal_entry *e,
                               struct journal_change *out)
{
    struct err ignored; /* what cannot be read cannot be judged either */
    return journal_read(s->journal, s->call->arena, e->number, false, out, &ignored) &&
           vault_sees_change(s->vault, out);
}

/* The number of the last of n that can be seen, or 0. */
static uint64_t latest_of(const struct seen *s, const struct journal_entry *all, size_t n)
{
    struct journal_change c;
    while (n-- > 0)
        if (vault_changes_sees(s, &all[n], &c))
            return all[n].number;
    return 0;
}

/* False: there is no room for it; the first is shown in any case. */
static bool put_fitting(struct mcp_call *call, const struct journal_entry *e,
                        const struct journal_change *c, bool first)
{
    struct kit_mark mark = kit_mark(call);
    put_change(call->out, e, c);
    return first || kit_keep(call, &mark, KIT_BUDGET);
}

/* The changes that were asked for: all[from] to all[to - 1]. */
static void vault_changes_choose(const struct args *in, const struct journal_entry *all,
                                 size_t n, size_t *from, size_t *to)
{
    *from = 0;
    *to = n;
    while (in->since != MCP_ABSENT && *from < n &&
           all[*from].number <= (uint64_t)in->since)
        ++*from;
    while (in->before != MCP_ABSENT && *to > *from &&
           all[*to - 1].number >= (uint64_t)in->before)
        --*to;
}

static void put_next(struct jsonw *out, str what, uint64_t number)
{
    jsonw_put_bool(out, STR("truncated"), true);
    jsonw_put_object(out, STR("next"));
    jsonw_put_int(out, what, (int64_t)number);
    jsonw_end(out);
}

/* Without since from the end backwards, else from the first after it forwards. */
static void vault_changes_put_list(const struct seen *s, const struct args *in)
{
    const struct journal_entry *all, *last = NULL;
    struct jsonw *out = s->call->out;
    size_t n = journal_entries(s->journal, &all), from, to, end, shown = 0;
    bool forwards = in->since != MCP_ABSENT, full = false;
    vault_changes_choose(in, all, n, &from, &to);
    end = forwards ? from : n; /* behind the latest that the answer knows of */
    jsonw_object(out);
    jsonw_put_array(out, STR("changes"));
    for (size_t i = 0; i < to - from && !full; i++) {
        struct journal_change c;
        const struct journal_entry *e = &all[forwards ? from + i : to - 1 - i];
        if (!vault_changes_sees(s, e, &c))
            continue;
        full = shown == (size_t)in->limit || !put_fitting(s->call, e, &c, shown == 0);
        if (full)
            break;
        shown++;
        last = e;
        end = forwards ? from + i + 1 : end;
    }
    jsonw_end(out);
    if (full && last != NULL)
        put_next(out, forwards ? STR("since") : STR("before"), last->number);
    jsonw_put_int(out, STR("latest"), (int64_t)latest_of(s, all, end));
    jsonw_end(out);
}

static bool vault_changes_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    if (in->source == GIT)
        return history_put_commits(
            call, &(struct history_wish){in->path, in->range, in->limit, in->offset},
            err);
    struct vault *v = kit_vault(call);
    struct changes *changes = vault_changes(v, err);
    struct journal *j;
    if (changes == NULL || !changes_hold(changes, &j, err))
        return false;
    vault_changes_put_list(&(struct seen){call, v, j}, call->args);
    changes_let_go(changes);
    return true;
}

const struct mcp_tool tool_vault_changes = {
    .name = "vault_changes",
    .title = "Recent changes",
    .about = "Changes made through this server, latest first. For others use "
             "vault_query by file.modified.",
    .flags = MCP_READ_ONLY | APP_NEEDS_JOURNAL,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_changes_run,
};
