#include "app/catalog/call_record.h"

#include "app/setup/audit.h"
#include "app/setup/metrics.h"
#include "app/tool_support/tool_trace.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/log.h"
#include "mcp/call.h"
#include "mcp/config.h"
#include "mcp/revision.h"
#include "mcp/tool.h"

/* Only known names become counters: clients can send any number of others. */
static const char *counted_name(const struct app *app, const struct mcp_record *r)
{
    static const char *const methods[] = {"initialize",
                                          "server/discover",
                                          "ping",
                                          "tools/list",
                                          "resources/list",
                                          "resources/templates/list",
                                          "prompts/list",
                                          "resources/read",
                                          "prompts/get",
                                          "completion/complete",
                                          NULL};
    if (str_eq(r->method, STR("tools/call")))
        for (const struct mcp_tool *const *t = app->tools; *t != NULL; t++)
            if (str_eq(r->name, str_c((*t)->name)))
                return (*t)->name;
    for (const char *const *m = methods; *m != NULL; m++)
        if (str_eq(r->method, str_c(*m)))
            return *m;
    return "other";
}

/* What the log says about an error. Messages for clients may quote notes (SEC-73); those
 * about faults of vaultd or of the machine do not. */
static str logged_error(const struct err *err)
{
    if (err == NULL)
        return STR("");
    if (err->code == ERR_INTERNAL)
        return str_c(err->msg);
    const char *name = err_name_text(err->name);
    return str_c(name != NULL ? name : err_code_name(err->code));
}

static void call_record_log(const struct mcp_record *r)
{
    enum log_level level =
        r->err != NULL && r->err->code == ERR_INTERNAL ? LOG_WARN : LOG_DEBUG;
    log_event(level, "call", LOG_STR("method", r->method), LOG_STR("name", r->name),
              LOG_STR("revision", mcp_revision_name(r->revision)),
              LOG_INT("code", r->code), LOG_STR("error", logged_error(r->err)),
              LOG_STR("detail", r->err != NULL ? str_c(r->err->detail) : STR("")),
              LOG_STR("trace", r->trace), LOG_INT("us", r->micros));
}

/* --- the audit --- */

/* Who calls. A session is a secret of its client, so only a tag of it is shown. */
static void put_caller(struct audit_line *l, struct arena *a, const struct app *app,
                       const struct mcp_caller *caller, str label, str session,
                       enum mcp_revision revision)
{
    enum { TAG = 8 };
    audit_line_str(l, "user", caller->user);
    audit_line_str(l, "client", caller->client);
    audit_line_str(l, "client_id", caller->client_id);
    audit_line_str(l, "program", label);
    if (caller->id != 0)
        audit_line_int(l, "grant", caller->id);
    audit_line_str(l, "transport", app->settings.stdio ? STR("stdio") : STR("http"));
    audit_line_str(l, "era", mcp_is_modern(revision) ? STR("modern") : STR("legacy"));
    if (session.n > 0 && !app->settings.stdio) {
        uint8_t hash[HASH_SIZE];
        hash_sha256(session, hash);
        str hex = encode_hex(a, (str){(const char *)hash, sizeof(hash)});
        audit_line_str(l, "session", str_slice(hex, 0, TAG));
    }
    if (app->settings.state_db.n > 0)
        audit_line_str(l, "replica", str_c(app->replica.name));
}

static str outcome_of(struct arena *a, const struct mcp_record *r)
{
    if (r->err != NULL) {
        const char *name = err_name_text(r->err->name);
        return str_c(name != NULL ? name : err_code_name(r->err->code));
    }
    if (r->code != 0)
        return arena_printf(a, "error %d", r->code);
    return r->cancelled ? STR("cancelled") : r->asks ? STR("asked") : STR("ok");
}

static void put_paths(struct audit_line *l, const struct tool_trace *t)
{
    const struct vault_trace_list *read = &t->paths.read, *changed = &t->paths.changed;
    audit_line_str(l, "vault", t->vault);
    audit_line_list(l, "read", "read_more", read->items, read->n, read->more);
    audit_line_list(l, "changed", "changed_more", changed->items, changed->n,
                    changed->more);
}

static str audit_line_of(struct arena *a, const struct app *app,
                         const struct mcp_record *r)
{
    const struct tool_trace *t = mcp_record_kept(r, &tool_trace_kept);
    struct audit_line l;
    audit_line_begin(&l, a, "call");
    put_caller(&l, a, app, r->caller, str_c(r->client), r->session, r->revision);
    audit_line_str(&l, "method", r->method);
    audit_line_str(&l, "name", r->name);
    audit_line_str(&l, "trace", r->trace);
    if (t != NULL)
        put_paths(&l, t);
    audit_line_int(&l, "bytes_in", (int64_t)r->bytes);
    audit_line_int(&l, "bytes_out", (int64_t)r->answer.n);
    audit_line_int(&l, "us", (int64_t)r->micros);
    audit_line_str(&l, "outcome", outcome_of(a, r));
    return audit_line_end(&l);
}

/* A change is in the journal, and a line was written before it was made: so its answer goes
 * out even if the last line cannot be written. */
static bool has_changed(const struct mcp_record *r)
{
    const struct tool_trace *t = mcp_record_kept(r, &tool_trace_kept);
    return t != NULL && t->intended && t->paths.changed.n > 0;
}

/* Whether the answer waits for the line. */
static bool must_be_written(const struct app *app, const struct mcp_record *r)
{
    return audit_refuses(app->audit) && r->code == 0 && !r->cancelled;
}

bool call_record_done(void *arg, const struct mcp_record *r, struct err *err)
{
    struct app *app = arg;
    bool ok = true;
    struct err why = {0};
    metrics_called(&app->metrics, counted_name(app, r), r->err != NULL || r->code != 0,
                   r->micros);
    call_record_log(r);
    if (app->audit == NULL || !r->uses_app)
        return true;
    struct arena a = {0};
    str line = audit_line_of(&a, app, r);
    if (must_be_written(app, r))
        ok = audit_put_wait(app->audit, line, &why) || has_changed(r);
    else
        audit_put(app->audit, line);
    arena_release(&a);
    if (!ok)
        *err = why;
    return ok;
}

bool call_record_before(struct mcp_call *call, struct err *err)
{
    const struct app *app = app_of(call);
    struct tool_trace *t = tool_trace_of(call);
    struct audit_line l;
    if (t == NULL || t->intended || !audit_refuses(app->audit) ||
        (call->tool->flags & MCP_READ_ONLY) != 0)
        return true;
    audit_line_begin(&l, call->arena, "begin");
    put_caller(&l, call->arena, app, call->caller, mcp_client_label(call),
               mcp_session(call), mcp_client_revision(call));
    audit_line_str(&l, "method", STR("tools/call"));
    audit_line_str(&l, "name", str_c(call->tool->name));
    t->intended = audit_put_wait(app->audit, audit_line_end(&l), err);
    return t->intended;
}

/* Their values are names and codes, and tags of secrets. */
void call_record_sign_in(void *arg, const char *event, const struct log_field *fields)
{
    struct app *app = arg;
    struct arena a = {0};
    struct audit_line l;
    audit_line_begin(&l, &a, event);
    for (const struct log_field *f = fields; f->key != NULL; f++)
        if (f->is_number)
            audit_line_int(&l, f->key, f->number);
        else
            audit_line_str(&l, f->key, f->text);
    audit_put(app->audit, audit_line_end(&l));
    arena_release(&a);
}
