/*
 * hub - who wants to hear of changes. Private to src/mcp.
 *
 * A listener is one of two things: a legacy client (its log level, its subscriptions and
 * the stream that is open for unsolicited messages, if any), or one subscriptions/listen
 * stream of a modern client. Listeners of legacy clients live as long as they are of use:
 * the oldest idle ones are forgotten above HUB_LISTENERS_MAX.
 */
#pragma once

#include <pthread.h>

#include "mcp/request.h"

enum {
    HUB_STREAMS_MAX = 4096,   /* open listen streams */
    HUB_LISTENERS_MAX = 4096, /* legacy clients remembered */
    HUB_URIS_MAX = 1024,      /* subscriptions of one listener */
    HUB_URI_BYTES_MAX = 2048,
    HUB_MEMORY_MAX = 1 << 20,
};

struct mcp_listener {
    struct mcp_listener *prev, *next;
    struct mcp_sink *sink; /* where its messages go now; NULL: nowhere */
    char *scope;           /* the session or process it belongs to */
    char *grant;           /* of its caller; NULL: everything */
    int64_t caller;        /* mcp_caller.id */
    char *id;        /* modern: the JSON text of the listen request's id; else NULL */
    uint64_t serial; /* modern: of that request */
    bool wants[3];   /* by enum mcp_change */
    str *uris;       /* owned */
    size_t n_uris;
    enum mcp_log_level log_level;
};

struct mcp_hub {
    pthread_mutex_t lock;
    struct mcp_listener *first, *last; /* newest last */
    size_t n_modern, n_legacy;
    bool (*sees)(void *app, str grant, str uri); /* mcp_config.sees */
    void *app;
};

void hub_init(struct mcp_hub *h);
void hub_release(struct mcp_hub *h);

/*
 * Legacy clients are named by their scope and remembered from the first of these calls
 * on.
 */

/* Set or (NULL) take away where its unsolicited messages go; gives what was there before.
 */
struct mcp_sink *hub_attach(struct mcp_hub *h, str scope, struct mcp_sink *sink);

/* On whose behalf it listens from now on: what it may hear of, and for how long. */
void hub_set_caller(struct mcp_hub *h, str scope, const struct mcp_caller *caller);

/* Subscribe to a URI and everything below it. False above a limit. */
MUST_CHECK bool hub_subscribe(struct mcp_hub *h, str scope, str uri);
void hub_unsubscribe(struct mcp_hub *h, str scope, str uri);

/* The least level it wants to hear; everything, until it says otherwise. */
void hub_set_level(struct mcp_hub *h, str scope, enum mcp_log_level level);
enum mcp_log_level hub_level(struct mcp_hub *h, str scope);

/*
 * What legacy clients said, as JSON text, for after a restart: the youngest first, as
 * many as HUB_MEMORY_MAX bytes have room for. hub_recall() takes it in again; what is
 * damaged or above a limit is left out.
 */
str hub_memory(struct mcp_hub *h, struct arena *a);
void hub_recall(struct mcp_hub *h, str memory);

/* Forget a legacy client. Gives the sink it had, or NULL. */
struct mcp_sink *hub_forget(struct mcp_hub *h, str scope);

/*
 * Turn a listen request into a listener that owns the request's sink, and send it the
 * acknowledgement. uris is a JSON array or NULL. False when there are too many streams.
 */
MUST_CHECK bool hub_listen(struct mcp_hub *h, const struct mcp_request *r,
                           const bool wants[3], const struct json *uris,
                           str acknowledgement);

/* End a listen stream by its request's serial number, or by scope and id; the sink it
 * had. */
struct mcp_sink *hub_unlisten(struct mcp_hub *h, uint64_t serial, str scope, str id);

/* Tell everybody who wants to know, and may; _by: of one of these resources. */
void hub_changed(struct mcp_hub *h, enum mcp_change what);
void hub_changed_by(struct mcp_hub *h, enum mcp_change what, const str *uris, size_t n);
void hub_updated(struct mcp_hub *h, str uri);

/* The result that ends the listen stream of the request with that id. */
str hub_closing_result(struct arena *a, const struct json *id, const char *server_name,
                       const char *server_version);

/* End the streams of callers who may not stay, as below. */
void hub_check(struct mcp_hub *h, const struct mcp_check *check, const char *server_name,
               const char *server_version);

/* Before the server goes: listen streams end with their result, other streams just end.
 */
void hub_close(struct mcp_hub *h, const char *server_name, const char *server_version);
