/*
 * response - the answer of a handler, and its form on the wire.
 *
 * No header reveals our version (SEC-60). Names and values are checked: a CR, LF or
 * NUL in one is a BUG(), so nothing that a client sent can split a header.
 */
#pragma once

#include "base/sbuf.h"
#include "http/request.h"

enum { HTTP_RESPONSE_HEADERS_MAX = 12 };

struct http_response {
    int status;
    str content_type; /* empty: no body */
    str body;
    struct http_header headers[HTTP_RESPONSE_HEADERS_MAX]; /* additional headers */
    size_t n_headers;
};

void http_add_header(struct http_response *r, str name, str value);

/* "Not Found" for 404 and so on. */
const char *http_reason(int status);

/* The answer to a request that never reached a handler: {"error":"…"}, in the arena. */
void http_refusal(struct arena *a, int status, struct http_response *out);

/* One server-sent event: id and event may be empty; data is split at line breaks. */
void sse_event(struct sbuf *out, str id, str event, str data);

/* What the server knows about an answer besides the response itself. */
struct http_framing {
    bool http10;
    bool keep_alive; /* another request may follow */
    bool stream;     /* unknown length: chunks, or until close with HTTP/1.0 */
    bool cors;       /* the route is for browsers */
    str origin;      /* of the request, if cors; may be empty; "*": any */
    str date;        /* from http_date() */
    bool https;      /* send Strict-Transport-Security */
};

/* The head of the answer with its empty line. */
void http_response_head(struct sbuf *out, const struct http_response *r,
                        const struct http_framing *f);

/* Whether an answer with this status never has a body (RFC 9110 §6.4.1). */
bool http_is_bodiless(int status);

enum { HTTP_DATE_SIZE = 32 };

/* Write "Sun, 15 Nov 2026 09:30:00 GMT" to out, HTTP_DATE_SIZE bytes. */
str http_date(int64_t seconds, char *out);

/* The time of such a text; false if it is none. */
MUST_CHECK bool http_read_date(str text, int64_t *seconds);
