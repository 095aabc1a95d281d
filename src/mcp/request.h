/*
 * request - one request while the server works on it. Private to src/mcp.
 *
 * A transport creates a request, parses the message into its arena, decides the era, and
 * passes it to mcp_serve(). From then on the request belongs to the server, which ends it
 * with one call of sink->finish and frees it. Only one thread works on it at a time;
 * others may only set cancelled, through the server's registry.
 */
#pragma once

#include <stdatomic.h>

#include "base/json.h"
#include "mcp/caller.h"
#include "mcp/client.h"

/* Where the messages of one request go. Implemented by the transports. */
struct mcp_sink {
    /* A notification or a server request, before the answer. */
    void (*send)(struct mcp_sink *s, str message);

    /*
     * The answer, code being its JSON-RPC error or 0; an empty message means that no
     * answer is sent. The sink is freed afterwards.
     */
    void (*finish)(struct mcp_sink *s, str message, int code);

    /* The call is slow (MCP_POLLED): let the client reconnect for the result. May be
     * NULL. */
    void (*detach)(struct mcp_sink *s);

    /* The transport's thread is about to wait: send output that was held back. May be
     * NULL. */
    void (*flush)(struct mcp_sink *s);
};

/* One question to the client (call.h), by key. */
struct mcp_question {
    struct mcp_question *next;
    str key, method, params; /* params: JSON text; no method: not asked in this run */
    str shown;       /* its key for the client: another one if it is asked again */
    str digest;      /* of what was asked; empty: nothing was */
    bool planned;    /* it was asked with a plan (mcp_confirm) */
    unsigned rounds; /* how often its answer was for something else */
    const struct json *answer; /* NULL while it is open */
    char id[40];               /* of the server request, legacy only */
};

struct mcp_task; /* task.h */

/* Limits how often callers make requests; take NULL: not at all. */
struct mcp_turns {
    mcp_turn_fn *take;
    void *context;
    mcp_charge_fn *charge; /* set if take is */
};

struct mcp_request {
    struct mcp_server *server;
    struct arena arena; /* holds everything here, including the message */
    const struct json *id;
    str method;
    const struct json *params;
    struct mcp_client client;
    str scope; /* the session or process that may cancel it or answer its questions; empty: neither */
    str principal; /* whose sessions and tasks it may use; empty: none */
    struct mcp_caller caller;
    struct mcp_sink *sink;
    struct mcp_turns turns;

    uint64_t serial, started_ns, waiting_since;
    atomic_bool cancelled;
    bool large;                      /* never runs on the transport's thread */
    bool has_answers;                /* mcp_read_answers() was called */
    struct mcp_request *prev, *next; /* in the registry */
    struct mcp_request **list;       /* which of its lists; NULL: none */
    size_t bytes;                    /* that are counted for it */

    struct mcp_question *questions; /* asked so far, oldest first */
    unsigned asked;                 /* ids given to them so far */
    bool asking;                    /* the last run left one open */
    bool waiting;                   /* accepts answers (under the server's lock) */
    bool parked;                    /* no thread works on it (likewise) */
    uint64_t wake_at;               /* clock_ms() when it is run again, or 0 (likewise) */
    unsigned wait_ms;               /* the last run asked to be run again after this */
    bool had_turn;                  /* it was counted (mcp_take_turn) */
    bool in_turn;                   /* it waits for its turn (under the server's lock) */
    struct mcp_kept_row *kept;      /* mcp_kept() */
    void *held;                     /* mcp_held() */
    const char *unanswered;         /* why no answer will come */
    bool progresses;                /* progress was sent: */
    double progress;                /* the last, as the handler gave it, */
    double progress_base;           /* and what the phases before this one came to */
    struct mcp_task *task;          /* it continues as a task */
    struct rpc_error error;         /* code != 0: a protocol error */
    struct err tool_error;          /* why a tool failed, for the log */
    str name;                       /* of the tool, resource or prompt, for the log */
};

/* A request with an empty arena; the transport fills id, params and so on. */
struct mcp_request *mcp_request_create(struct mcp_server *s);
void mcp_request_free(struct mcp_request *r);

/* Set the caller; copied. Without it the caller is anonymous and may do everything. */
void mcp_request_from(struct mcp_request *r, const struct mcp_caller *caller);

/* Serve it, on this thread if it is quick, else on a worker. wait: this thread serves
 * a single client, so it may run brief requests itself, and block while the pool is
 * full. */
void mcp_serve(struct mcp_request *r, bool wait);

/* Answer with r->error and free it. */
void mcp_refuse(struct mcp_request *r);

/* End a running request with a complete message, or with r->error. */
void mcp_answer(struct mcp_request *r, str message);
void mcp_answer_error(struct mcp_request *r);

/* Free a request whose sink now belongs to another owner. */
void mcp_release(struct mcp_request *r);

/* The client of the request with that serial number has disconnected. */
void mcp_cancel_serial(struct mcp_server *s, uint64_t serial);

/*
 * Cancel the calls and end the streams of callers that are no longer welcome: NULL: only
 * those that have expired. Each different caller is asked about once, without a lock.
 */
typedef bool mcp_welcome_fn(void *context, const struct mcp_caller *caller);
void mcp_check_callers(struct mcp_server *s, mcp_welcome_fn *welcome, void *context,
                       int64_t now);

/* A legacy client answered a server request. False if no request waits for that id. */
bool mcp_answered(struct mcp_server *s, str scope, const struct rpc_message *m);

/* A notification from a client; unknown ones are ignored. */
void mcp_notified(struct mcp_server *s, str scope, const struct rpc_message *m);

/* Whether the method exists for the request's revision and is offered here. */
bool mcp_method_known(const struct mcp_request *r);
