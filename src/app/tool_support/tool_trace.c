#include "app/tool_support/tool_trace.h"

#include "app/tool_support/tool_support.h"
#include "base/json.h"
#include "base/text.h"
#include "mcp/call.h"
#include "mcp/tool.h"
#include "vault/index/index.h"
#include "vault/vault.h"

enum { TRACE_PATH_MAX = 4096 }; /* bytes of a text that can be a path */

const struct mcp_kept tool_trace_kept = {sizeof(struct tool_trace)};

struct tool_trace *tool_trace_of(const struct mcp_call *call)
{
    const struct app *app = call->app;
    if (!app->traces)
        return NULL;
    struct tool_trace *t = mcp_kept((struct mcp_call *)call, &tool_trace_kept);
    t->paths.arena = call->arena;
    return t;
}

struct vault *tool_trace_view(const struct mcp_call *call, struct vault *v)
{
    struct tool_trace *t = tool_trace_of(call);
    if (t == NULL)
        return v;
    t->vault = tool_vault_name(call);
    return vault_traced(v, &t->paths);
}

/* --- the answer --- */

struct trace_scan {
    struct arena arena;
    struct tool_trace *trace;
    /* Held; NULL: there are several, or it is incomplete. Then what follows "path"
     * counts. */
    const struct index *index;
    bool after_path;
};

static void scan_text(struct trace_scan *s, str text)
{
    if (text.n == 0 || text.n > TRACE_PATH_MAX || str_find_char(text, '.') == STR_NONE)
        return;
    if (map_find(&s->trace->paths.changed.known, text) != MAP_NONE)
        return; /* the answer says what was changed */
    if (s->index != NULL ? index_find(s->index, text) != NULL : s->after_path)
        vault_trace_add(&s->trace->paths, &s->trace->paths.read, text);
}

/* Past the quotes of the string at *at; *plain: it has no escapes. */
static str trace_string(str json, size_t *at, bool *plain)
{
    size_t from = *at, i = from + 1;
    *plain = true;
    for (; i < json.n && json.p[i] != '"'; i++)
        if (json.p[i] == '\\') {
            *plain = false;
            i++;
        }
    *at = i + 1;
    return str_slice(json, from, i + 1);
}

static void scan_string(struct trace_scan *s, str quoted, bool plain)
{
    const struct json *j;
    struct err ignored;
    if (plain)
        scan_text(s, str_slice(quoted, 1, quoted.n - 1));
    else if (quoted.n <= 2 * TRACE_PATH_MAX &&
             json_parse(&s->arena, quoted, &j, &ignored) && json_is(j, JSON_STRING))
        scan_text(s, j->text);
}

static void scan_json(struct trace_scan *s, str json)
{
    bool plain;
    for (size_t at = 0; at < json.n;)
        if (json.p[at] == '"') {
            str quoted = trace_string(json, &at, &plain);
            scan_string(s, quoted, plain);
            s->after_path = str_eq(quoted, STR("\"path\""));
        } else {
            at++;
        }
}

/* Other servers' tools that answer in words have a path on a line of its own, in front of a
 * colon, or after a sign of a list. */
static void scan_words(struct trace_scan *s, str text)
{
    for (size_t at = 0, next; at < text.n; at = next) {
        next = text_next_line(text, at);
        str line = str_trim_line(str_slice(text, at, next));
        while (line.n > 0 && (line.p[0] == ' ' || line.p[0] == '-' || line.p[0] == '*'))
            line = str_skip(line, 1);
        scan_text(s, line);
        size_t colon = str_find(line, STR(": "));
        if (colon != STR_NONE)
            scan_text(s, str_skip(line, colon + 2));
        for (size_t i = 0; i < line.n && i < TRACE_PATH_MAX; i++)
            if (line.p[i] == ':' || (i > 0 && line.p[i] == '(' && line.p[i - 1] == ' '))
                scan_text(s, str_slice(line, 0, line.p[i] == ':' ? i : i - 1));
    }
}

static void scan_answer(struct trace_scan *s, const struct mcp_call *call)
{
    struct sbuf *out = call->out->out;
    scan_json(s, sbuf_str(out));
    if (s->trace->json.n > 0)
        scan_json(s, sbuf_str(&s->trace->json));
    else if (call->text.n > 0)
        scan_words(s, call->text);
}

/* Whether there is a vault whose index can be asked without waiting. */
static bool trace_has_index(struct mcp_call *call)
{
    struct err ignored;
    return tool_is_using(call) && tool_closed(call) == NULL &&
           vault_progress(tool_vault(call)).ready &&
           vault_prepare(tool_vault(call), &ignored);
}

void tool_trace_answer(struct mcp_call *call)
{
    struct trace_scan s = {.trace = tool_trace_of(call)};
    struct vault *v = NULL;
    if (s.trace == NULL)
        return;
    if (!tool_wants_all(call) && trace_has_index(call)) {
        v = tool_vault(call);
        s.index = vault_lock(v);
    }
    scan_answer(&s, call);
    if (v != NULL)
        vault_unlock(v);
    arena_release(&s.arena);
}
