/*
 * core - the inside of the server. Private to src/mcp.
 *
 * The life of a request: mcp_serve() finds its method's row (dispatch.c) and runs it here
 * or on a worker; the row writes the members of a result; then the run ends in one of the
 * ways of enum mcp_outcome. A request that asked its client a question is parked (ask.c)
 * and run again; one that became a task (task.c) gives its result to the task instead of
 * the client.
 */
#pragma once

#include "base/lock.h"
#include "mcp/config.h"
#include "mcp/form.h"
#include "mcp/hub.h"
#include "mcp/request.h"
#include "mcp/session.h"
#include "mcp/spent.h"

struct mcp_kept;
struct mcp_tasks; /* task.h */

enum {
    MCP_SPARE_REQUESTS = 64,
    MCP_LOOP_BODY_MAX = 16 << 10, /* larger bodies are parsed by a worker */
    MCP_COST_MS = 100,            /* processor time that counts as one more request */
    MCP_COST_BYTES = 64 << 10,    /* so does this much of a body */
    MCP_TURN_MS = 10000, /* how long a request waits for its turn: well below the timeouts
                            of clients */
    MCP_TURNS_MAX = 256, /* requests that wait for it at a time; more are refused */
    MCP_TURNS_SHARE = 64,       /* for one caller */
    MCP_BYTES_ALL = 256 << 20,  /* of requests without an answer */
    MCP_BYTES_SHARE = 64 << 20, /* for one caller */
};

#define MCP_NO_ROOM                                                                      \
    "Too many large requests are waiting: try again when some of them are answered"

struct mcp_leftover {
    struct mcp_leftover *next;
    void *p;
    void (*free)(void *p);
};

struct mcp_server {
    struct mcp_config config;
    struct arena arena; /* holds the schemas */
    str *tool_names;
    struct mcp_form *tool_forms, *prompt_forms;
    const struct json **input_schemas;  /* by tool */
    const struct json **output_schemas; /* by tool, or NULL */
    const struct json **ui_metas;       /* by resource, or NULL */
    size_t n_tools, n_resources, n_prompts;

    struct lock lock;            /* protects the following */
    struct mcp_request *running; /* all requests without an answer so far */
    struct mcp_request *reading; /* those whose body is still to be parsed */
    struct mcp_request *spare;   /* freed, for reuse */
    size_t n_spare;
    uint64_t serials;
    struct mcp_leftover *leftovers;
    struct peers_reading *readings; /* clients whose subscriptions are read soon */
    bool watching; /* a timer watches the requests that wait for answers */
    bool touching; /* another one what clients have subscribed to (peers.h) */

    struct lock key_lock; /* to make the key, once; it does not change afterwards */
    uint8_t key[MCP_KEY_SIZE];
    struct err no_key; /* why there is none */
    atomic_bool has_key, tried_key;

    struct mcp_hub hub;
    atomic_bool unkept;      /* keep_memory is due */
    struct lock memory_lock; /* held during the call */
    struct mcp_tasks *tasks;
    struct mcp_sessions sessions; /* that have ended */
    struct mcp_spent spent;       /* states whose confirmation was used */
};

/* How a method's run ended. */
enum mcp_outcome {
    MCP_DONE,    /* the result's members are written */
    MCP_FAILED,  /* request->error says why */
    MCP_ASKING,  /* questions are open */
    MCP_WAITING, /* to be run again after request->wait_ms */
    MCP_TAKEN,   /* the sink has another owner, which will end it */
};

/* The rows of dispatch.c, by file. */
/* What a text of the app's own says to the caller (mcp_config.words). */
str mcp_words(struct mcp_request *r, str text);

enum mcp_outcome mcp_tools_list(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_tools_call(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_resources_list(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_resources_templates(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_resources_read(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_resources_folder(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_skills_list(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_skills_get(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_resources_subscribe(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_resources_unsubscribe(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_prompts_list(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_prompts_get(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_complete(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_listen(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_tasks_get(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_tasks_update(struct mcp_request *r, struct jsonw *w);
enum mcp_outcome mcp_tasks_cancel(struct mcp_request *r, struct jsonw *w);

/* Whether a request may run on the transport's thread; brief: if it serves one client. */
bool mcp_tool_is_quick(const struct mcp_request *r);
bool mcp_tool_is_brief(const struct mcp_request *r);

/* Whether a tool of that name exists but is not offered to this caller. */
bool mcp_tool_is_withheld(const struct mcp_request *r, str name);
bool mcp_resource_is_quick(const struct mcp_request *r);
bool mcp_prompt_is_quick(const struct mcp_request *r);
bool mcp_prompts_list_is_quick(const struct mcp_request *r);

/* Save what is kept of legacy clients now, if that is due. */
void mcp_server_keep_now(struct mcp_server *s);

/* The tool of that name; NULL if there is none. */
const struct mcp_tool *mcp_find_tool(const struct mcp_server *s, str name);

/* Fill r->error and return MCP_FAILED. */
enum mcp_outcome mcp_failed(struct mcp_request *r, int code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* The same for a capability that the client lacks. */
void mcp_lacks(struct mcp_request *r, enum mcp_can can);

/* A page of a list of n rows: its start and end, and the next cursor if more rows
 * follow. */
struct mcp_page {
    size_t from, to;
};
bool mcp_page_read(struct mcp_request *r, size_t n, struct mcp_page *page);
void mcp_page_cursor(struct jsonw *w, size_t n, const struct mcp_page *page);

/* "_meta":{"…/serverInfo":{…}} of modern results; looks: with website and icon. */
void mcp_put_server_info(struct jsonw *w, const struct mcp_server *s, bool looks);

/*
 * Free p together with the server. For memory of a transport to which a call that does
 * not end in time may still write.
 */
void mcp_server_keep(struct mcp_server *s, void *p, void (*free)(void *p));

/* A legacy client sent something that must be saved: done soon, or when the server is
 * drained. */
void mcp_server_keep_memory(struct mcp_server *s);

/* Soon, on a worker: notify clients whose stream is open again of what they missed. */
void mcp_server_send_missed(struct mcp_server *s);

/* Part of mcp_check_callers(): cancel calls (dispatch.c). */
void mcp_cancel_unwelcome(struct mcp_server *s, const struct mcp_check *check);

/* The server's secret key. It is made once, before the event loop runs, which must not wait
 * for a disk: if that failed, it fails until the server is started again. */
MUST_CHECK bool mcp_server_key(struct mcp_server *s, uint8_t out[MCP_KEY_SIZE],
                               struct err *err);

/* mcp_kept() of the request's call. */
void *mcp_request_kept(struct mcp_request *r, const struct mcp_kept *key);

/* Give up what the app holds for the request. */
void mcp_drop_held(struct mcp_request *r);

/* --- registry.c --- */

/* Add a request to those that run, or to those whose body has that many bytes and is still
 * to be parsed. False: there is no room for it, and it is in no list. */
bool mcp_enlist(struct mcp_request *r);
bool mcp_enlist_reading(struct mcp_request *r, size_t body);
void mcp_delist(struct mcp_request *r);

/* Whether there is room for more bytes of a caller's requests, if the oldest questions are
 * given up. The server's lock is held. */
bool mcp_make_room(struct mcp_server *s, uint64_t share, size_t more);

/* Run a request again, on a worker, if it is parked. The server's lock is held. */
void mcp_unpark(struct mcp_request *r);

/* Park a request whose run ended with MCP_WAITING until it is due (wait.c). */
void mcp_sleep(struct mcp_request *r);

/* Whether a handler that ended so is to be run again: it has called mcp_wait(). */
static inline bool mcp_must_wait(const struct mcp_request *r, bool ok,
                                 const struct err *err)
{
    return r->wait_ms > 0 &&
           (ok || err->code == ERR_NONE); /* ok: err is of no interest */
}

/* Before the answer: mcp_config.answering. */
void mcp_is_answering(const struct mcp_request *r);

/*
 * Whether it is the request's turn (mcp_turn_fn). False: it must wait, as if a handler
 * had called mcp_wait(); or, if err->code is set, that would take too long.
 */
bool mcp_take_turn(struct mcp_request *r, bool changes, struct err *err);

/* --- ask.c --- */

/* Before the first run: read the answers that a modern client sent. False: see
 * r->error. */
bool mcp_read_answers(struct mcp_request *r);

/* Whether reading them may wait, for other processes (spent.h). */
bool mcp_sends_answers(const struct mcp_request *r);

/* After a run that left questions open: send them to the client (or the task). */
void mcp_put_questions(struct mcp_request *r);

/* From now on the request accepts answers, for a limited time. The server's lock is
 * held. */
void mcp_wait_for_answers(struct mcp_request *r);

/* The open questions as a JSON object, by key. */
void mcp_write_questions(struct jsonw *w, const struct mcp_request *r);

/* Store an answer to the question that the client knows by that key; it is copied. False if
 * no such question is open. */
bool mcp_take_answer(struct mcp_request *r, str shown, const struct json *answer);
bool mcp_has_open_question(const struct mcp_request *r);
