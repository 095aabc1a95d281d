/*
 * hub - the clients that want to be notified of changes. Private to src/mcp.
 *
 * A listener is one of two things: a legacy client (its log level, its subscriptions and
 * the stream that is open for unsolicited messages, if any), or one subscriptions/listen
 * stream of a modern client. Listeners of legacy clients are kept as long as possible:
 * above HUB_LISTENERS_MAX the oldest idle ones are dropped.
 */
#pragma once

#include "base/lock.h"
#include "mcp/config.h"
#include "mcp/request.h"

enum {
    HUB_STREAMS_MAX = 4096,    /* open listen streams */
    HUB_USER_STREAMS_MAX = 64, /* open streams of one user */
    HUB_LISTENERS_MAX = 4096,  /* legacy clients remembered */
    HUB_URIS_MAX = 1024,       /* subscriptions of one listener */
    HUB_URIS_OWNER =
        2 << 10,             /* of all listeners of one owner; without sign-in no limit */
    HUB_URIS_ALL = 32 << 10, /* of all listeners */
    HUB_IDLE_S = 3600,       /* how long a legacy client is remembered without a stream */
    HUB_URI_BYTES_MAX = 2048,
    HUB_MEMORY_MAX = 1 << 20,
};

struct mcp_listener {
    struct mcp_listener *prev, *next;
    struct mcp_sink *sink; /* where its messages are sent; NULL: no stream is open */
    char *scope;           /* the session or process it belongs to */
    char *grant;           /* its caller's grant; NULL: everything */
    char *user;            /* its caller's name; NULL: none */
    char *owner;           /* mcp_caller.owner; NULL: none */
    char *proof;           /* mcp_caller.proof; NULL: none */
    size_t proof_n;
    uint64_t idle_since; /* clock_ms() when it was last used, if no stream is open */
    int64_t caller;      /* mcp_caller.id */
    int64_t expires;     /* mcp_caller.expires */
    char *id;            /* modern: the JSON text of the listen request's id; else NULL */
    uint64_t serial;     /* modern: of that request */
    bool wants[3];       /* by enum mcp_change */
    str *uris;           /* owned */
    size_t n_uris, n_missed; /* the first n_missed changed while no stream was open */
    enum mcp_log_level log_level;
    unsigned sending; /* messages that are being sent to its sink, which must not end */
};

struct mcp_hub {
    struct lock lock; /* neither sinks nor sees are called with it */
    struct cond sent; /* a listener is sending less, or opening is */
    unsigned opening; /* listeners whose acknowledgement, their first message, is sent */
    struct mcp_listener *first, *last; /* newest last */
    size_t n_modern, n_legacy;
    size_t n_uris;                               /* of all */
    bool (*sees)(void *app, str grant, str uri); /* mcp_config.sees */
    void *app;
};

void hub_init(struct mcp_hub *h);
void hub_release(struct mcp_hub *h);

/*
 * Legacy clients are named by their scope and remembered from the first of these calls
 * on.
 */

/* Set or (NULL) remove the sink for its unsolicited messages; returns the previous
 * one. What changes meanwhile is remembered: hub_send_missed(). */
struct mcp_sink *hub_attach(struct mcp_hub *h, str scope, struct mcp_sink *sink);

/*
 * A subscription is not lost while its client has no stream: it is notified once, of what
 * it subscribed to, when a stream is open again. hub_has_missed: whether there is
 * something to send; hub_missed: anything whose URI begins so may have changed.
 */
bool hub_has_missed(struct mcp_hub *h);
void hub_send_missed(struct mcp_hub *h);
void hub_missed(struct mcp_hub *h, str start);

/* The callers with an open stream. */
void hub_list_callers(struct mcp_hub *h, struct mcp_callers *out);

/* Set on whose behalf it listens: which changes it may see, and for how long. */
void hub_set_caller(struct mcp_hub *h, str scope, const struct mcp_caller *caller);

/* Whether the user may open another stream. Without a sign-in there are no users, and no
 * limit for them. The legacy client scope replaces its own stream; it may be empty. */
bool hub_has_room(struct mcp_hub *h, str user, str scope);

/* Subscribe to a URI and everything below it. False above a limit. */
MUST_CHECK bool hub_subscribe(struct mcp_hub *h, str scope, str uri);
void hub_unsubscribe(struct mcp_hub *h, str scope, str uri);

/* The lowest log level it wants; everything until it sets one. */
void hub_set_level(struct mcp_hub *h, str scope, enum mcp_log_level level);
enum mcp_log_level hub_level(struct mcp_hub *h, str scope);

/*
 * The state of legacy clients as JSON text, to survive a restart: the newest first, as
 * many as fit into HUB_MEMORY_MAX bytes. hub_recall() restores it, skipping what is
 * damaged or above a limit.
 */
str hub_memory(struct mcp_hub *h, struct arena *a);
void hub_recall(struct mcp_hub *h, str memory);

/* Replace what a legacy client has subscribed to, above a limit only as much as fits. What
 * is new here may have changed since it was subscribed to elsewhere: hub_send_missed(). */
void hub_restore(struct mcp_hub *h, str scope, enum mcp_log_level level, const str *uris,
                 size_t n);

/* Whether a stream of the legacy client is open here; and all of these clients, in the
 * arena. */
bool hub_is_streaming(struct mcp_hub *h, str scope);
struct hub_client {
    str owner, scope;
};
size_t hub_streaming(struct mcp_hub *h, struct arena *a, struct hub_client **out);

/* Forget legacy clients that had no stream for HUB_IDLE_S; now is clock_ms(). */
void hub_forget_idle(struct mcp_hub *h, uint64_t now);

/* Remove a legacy client. Returns the sink it had, or NULL. */
struct mcp_sink *hub_forget(struct mcp_hub *h, str scope);

/*
 * Turn a listen request into a listener that owns the request's sink, and send it the
 * acknowledgement. uris is a JSON array or NULL. False if there are too many streams.
 */
MUST_CHECK bool hub_listen(struct mcp_hub *h, const struct mcp_request *r,
                           const bool wants[3], const struct json *uris,
                           str acknowledgement);

/* End a listen stream by its request's serial number, or by scope and id; returns its
 * sink. */
struct mcp_sink *hub_unlisten(struct mcp_hub *h, uint64_t serial, str scope, str id);

/* Notify all listeners that want it and may see it; _by: may see one of these
 * resources. */
void hub_changed(struct mcp_hub *h, enum mcp_change what);
void hub_changed_by(struct mcp_hub *h, enum mcp_change what, const str *uris, size_t n);
void hub_updated(struct mcp_hub *h, str uri);

/* The same for a resource that only this owner's clients may know of; empty: those without
 * one. */
void hub_updated_for(struct mcp_hub *h, str uri, str owner);

/* How the URIs begin ("scheme://authority/") that listeners with an open stream have
 * subscribed to and may see, each once, in the arena. */
size_t hub_watched(struct mcp_hub *h, struct arena *a, str **out);

/* What listeners have subscribed to and begins so, each once, in the arena. */
size_t hub_subscribed(struct mcp_hub *h, struct arena *a, str start, str **out);

/* Notify all listeners of what they have subscribed to and begins so. */
void hub_updated_all(struct mcp_hub *h, str start);

/* The result that ends the listen stream of the request with that id. */
str hub_closing_result(struct arena *a, const struct json *id, const char *server_name,
                       const char *server_version);

/* End the streams of callers whose access was revoked, in the same way as hub_close(). */
void hub_check(struct mcp_hub *h, const struct mcp_check *check, const char *server_name,
               const char *server_version);

/* Before the server stops: listen streams end with their result, other streams just
 * end. */
void hub_close(struct mcp_hub *h, const char *server_name, const char *server_version);

/* --- hub_notify.c --- */

/* Messages to listeners, for each of which sending was counted; then it no longer is, and
 * neither is *counter, if that is not NULL. The lock is not held. */
struct hub_message {
    struct mcp_listener *to; /* is not freed while it is sending */
    str text;
};
void hub_send_all(struct mcp_hub *h, const struct hub_message *messages, size_t n,
                  unsigned *counter);

/* Remember that subscription i of a listener without a stream has changed; its place in
 * the list changes. The lock is held. */
void hub_note_missed(struct mcp_listener *l, size_t i);
