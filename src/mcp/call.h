/*
 * call - what a handler gets: its arguments, memory, and ways to communicate with the
 * client.
 *
 * A handler runs on a worker (or, if its row is marked MCP_QUICK, on the transport's own
 * thread, and then must not block). It writes its result through the functions below and
 * returns true, or fills err and returns false; its output is then discarded.
 *
 * Asking the client. A handler may need an answer from the user or the model at the other
 * end. It asks by key: if the answer is available, it continues; if not, it returns true
 * and is run again from the start once the client has answered:
 *
 *     const struct json *answer =
 *         mcp_ask(call, STR("sure"), STR("elicitation/create"), params);
 *     if (answer == NULL)
 *         return true;
 *
 * So a handler must not change anything before its last question. A legacy client gets
 * the questions as server requests on the open stream. A modern one gets them as the
 * result, with its earlier answers in a sealed requestState, and repeats the call: the
 * server keeps nothing between the rounds, only which confirmations were used.
 */
#pragma once

#include "base/json_write.h"
#include "mcp/caller.h"
#include "mcp/client.h"

struct mcp_tool;

struct mcp_call {
    struct arena *arena;         /* of this request */
    const struct mcp_tool *tool; /* the tool called, or NULL */
    const struct mcp_caller *caller;
    void *app;        /* mcp_config.app */
    const void *args; /* the struct filled from the row's fields */
    /* Filled from mcp_config.common, or NULL. Handlers of resources, lists and
     * completion get NULL and may set it. */
    const void *common;
    struct jsonw *out; /* the result of a tool, if it is a JSON value */
    str text;          /* of a tool: text to show instead of its result, if not NULL */
    bool structured;   /* of a tool: send its result as structuredContent, too */
    str aside;         /* of a tool: a text block after its answer, if not empty */
    str why;           /* of a tool that fails: the message, if it is too long for err */
};

/* The arguments as the client sent them, JSON text; empty if there were none. */
str mcp_arguments(const struct mcp_call *call);

/* The client's name and version, as it says; empty if it gave none. */
str mcp_client_label(const struct mcp_call *call);

enum mcp_revision mcp_client_revision(const struct mcp_call *call);

/* --- results --- */

/*
 * Content blocks. In a tool they are the result, in a prompt each is one message, and in
 * a resource the two mcp_resource_* calls are its contents. Older revisions get a type
 * they support: a link becomes text before 2025-06-18, audio before 2025-03-26.
 */
void mcp_text(struct mcp_call *call, str text);
void mcp_image(struct mcp_call *call, str bytes, str mime);
void mcp_audio(struct mcp_call *call, str bytes, str mime);
void mcp_resource_text(struct mcp_call *call, str uri, str mime, str text);
void mcp_resource_blob(struct mcp_call *call, str uri, str mime, str bytes);
void mcp_link(struct mcp_call *call, str uri, str name, str mime);

/* The value of a variable in the resource's URI template; for arguments of a prompt use
 * args. */
str mcp_variable(const struct mcp_call *call, str name);

/* Completion: offer one value. The first 100 are sent, all are counted. */
void mcp_suggest(struct mcp_call *call, str value);

/* A dynamic list: add one resource, and set the cursor of the next page. */
struct mcp_listed {
    str uri, name, title, about, mime;
    int64_t size;      /* bytes, or negative: unknown */
    str last_modified; /* ISO 8601, or empty */
};
void mcp_list(struct mcp_call *call, const struct mcp_listed *item);
void mcp_list_more(struct mcp_call *call, str cursor);

/* The same for prompts. */
struct mcp_listed_argument {
    str name, about;
    bool required;
};
struct mcp_listed_prompt {
    str name, title, about;
    const struct mcp_listed_argument *arguments;
    size_t n_arguments;
};
void mcp_list_prompt(struct mcp_call *call, const struct mcp_listed_prompt *item);

/* --- while it runs --- */

/* The client has cancelled: stop soon, write nothing more. */
bool mcp_cancelled(const struct mcp_call *call);

/* total 0: unknown; message may be empty. Sent only if the client asked for progress, and only what
 * increases: a number that is lower than the last begins a phase, which is added to those before. */
void mcp_progress(struct mcp_call *call, double progress, double total, str message);

/* A log message for the client, sent only if it wants that level. */
void mcp_log(struct mcp_call *call, enum mcp_log_level level, str logger, str text);

/* --- asking --- */

/*
 * NULL until the client has answered; the answer is the result object it sent. A client
 * that lacks the capability is not asked: the call fails. Check mcp_can() first to avoid
 * that.
 */
const struct json *mcp_ask(struct mcp_call *call, str key, str method, str params);

/*
 * Ask with a form. *out, a zeroed struct, is filled from the fields if the user accepted.
 * If the handler asks something else by that key when it is run again, the client is asked
 * again. A modern client may send the answer in advance.
 */
enum mcp_consent { MCP_PENDING, MCP_ACCEPTED, MCP_DECLINED };
struct mcp_field;
enum mcp_consent mcp_elicit(struct mcp_call *call, str key, str message,
                            const struct mcp_field *fields, void *out);

/*
 * Ask for permission. plan, which is not empty, names everything that will be done. The
 * answer counts only if the client was asked, for this plan, and once, here and in all other
 * processes; if the plan is another one when the handler is run again, the client is asked
 * again. The message may have changed, such as a count that depends on the time.
 */
enum mcp_consent mcp_confirm(struct mcp_call *call, str key, str plan, str message);

/* Whether the client has the capability. */
bool mcp_can(const struct mcp_call *call, enum mcp_can can);

/*
 * From here on the call is a task, if the client supports tasks: it gets a handle now and
 * polls for the result while the handler continues. Otherwise this does nothing and
 * returns false.
 */
bool mcp_become_task(struct mcp_call *call);

/*
 * Wait without occupying a worker. A handler returns true after this, or false without an
 * error, and is run again from the start after ms milliseconds; a call that is cancelled in
 * the meantime ends.
 */
void mcp_wait(struct mcp_call *call, unsigned ms);

/*
 * What a module keeps for all runs of a call: a struct in call->arena, zeros in the first
 * run. Each module has a key of its own, which says how large it is:
 *
 *     static const struct mcp_kept pages_kept = {sizeof(struct pages)};
 *     struct pages *p = mcp_kept(call, &pages_kept);
 */
struct mcp_kept {
    size_t size;
};
void *mcp_kept(struct mcp_call *call, const struct mcp_kept *key);

/*
 * What the app holds for a request, such as a reference: *mcp_held() is NULL at first, and
 * mcp_config.let_go() gets it when the request has ended, and before it waits for its
 * client's answer.
 */
void **mcp_held(struct mcp_call *call);

/*
 * The scope for notices that are sent only once: the session of a legacy client, or the
 * process on stdio. Empty for a request of the stateless revision over HTTP.
 */
str mcp_session(const struct mcp_call *call);

/* Answer with a JSON-RPC error instead of a tool error; data is JSON text, or empty. For
 * mcp_tool.failed, and for handlers that then return false. */
void mcp_error(struct mcp_call *call, int code, str message, str data);
