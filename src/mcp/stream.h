/*
 * stream - a legacy event stream that outlives its connection. Private to src/mcp.
 *
 * Every event has an id, "<stream>-<number>", and is kept for a while, so that a client
 * that lost its connection can resume with Last-Event-ID and misses nothing. One kind
 * carries the messages of a POST and ends with its answer; the other is a session's
 * standalone GET stream. A stream is a sink.
 */
#pragma once

#include "base/lock.h"
#include "http/server.h"
#include "mcp/request.h"

enum {
    STREAMS_MAX = 8192,           /* remembered, attached or not */
    STREAM_BYTES_MAX = 1 << 20,   /* kept per stream; older events are dropped */
    STREAMS_BYTES_MAX = 64 << 20, /* kept in total; then old ended streams are dropped */
    STREAM_KEEP_MS = 5 * 60 * 1000, /* how long without a connection */
    STREAM_RETRY_MS = 500,          /* when to reconnect, announced in the primer */
};

struct mcp_stream;

struct mcp_streams {
    struct lock lock;
    struct mcp_stream *first, *last; /* oldest first */
    size_t n, bytes;
};

void streams_init(struct mcp_streams *s);
void streams_release(struct mcp_streams *s);

/*
 * Open a stream for a scope on an exchange, which it owns from now on. tag is what the
 * exchange's on_gone reports. With a primer, the first event gives a 2025-11-25 client
 * its id. Standalone streams do not end with an answer.
 */
struct mcp_stream *stream_open(struct mcp_streams *s, str scope, struct http_exchange *x,
                               uint64_t tag, bool primer, bool standalone);

/* The stream as a sink. finish() of a standalone stream just drops it. */
struct mcp_sink *stream_sink(struct mcp_stream *stream);

/* Close the connection but not the stream: the client will reconnect. */
void stream_detach(struct mcp_stream *stream);

/* The connection with that tag was closed. */
void streams_gone(void *streams, uint64_t tag);

/*
 * Resume by Last-Event-ID: send the missed events and continue on this exchange. False if
 * there is no such stream in that scope; the exchange is then untouched.
 */
bool streams_resume(struct mcp_streams *s, str scope, str last_event_id,
                    struct http_exchange *x, uint64_t tag);

/* Whether an event id is one of a standalone stream: a client that lost it gets a new one
 * from any process, while the answer to a POST comes from the one that has its stream. */
bool stream_is_standalone(str event_id);

/* The scope of an abandoned standalone stream; false if there is none. */
bool streams_abandoned(struct mcp_streams *s, char *scope);
