/*
 * parse - read one request at a time from a connection. llhttp is included only here.
 *
 * Feed it the bytes that arrive; it reports when a head is complete (so the body can be
 * refused unread), when the request is complete, and which status to send if it is
 * invalid. It copies what it keeps into the arena of the current request.
 */
#pragma once

#include "base/arena.h"
#include "http/limits.h"
#include "http/request.h"

struct http_parser;

enum http_parse {
    HTTP_MORE,     /* needs more bytes */
    HTTP_HEAD_END, /* head complete: check it, then http_parser_body(), then feed again,
                      even if no byte is left */
    HTTP_COMPLETE, /* request complete; the bytes after it are not used */
    HTTP_BAD,      /* send http_parser_status() and close */
};

struct http_parser *http_parser_create(const struct http_limits *limits);
void http_parser_free(struct http_parser *p);

/* Begin the next request, which is kept in the arena. */
void http_parser_start(struct http_parser *p, struct arena *a);

/* Read from bytes; *used is the number of bytes used. */
enum http_parse http_parser_feed(struct http_parser *p, str bytes, size_t *used);

/* After HTTP_HEAD_END: accept the body up to max bytes. False if the declared length
 * is larger. Without this call no body is accepted. */
bool http_parser_body(struct http_parser *p, size_t max);

/* The request: its head after HTTP_HEAD_END, all of it after HTTP_COMPLETE. The peer is
 * left empty. */
const struct http_request *http_parser_request(const struct http_parser *p);

/* 400, 413, 414, 417, 431, 501 or 505 after HTTP_BAD. */
int http_parser_status(const struct http_parser *p);

/* The following are known after HTTP_HEAD_END. */
bool http_parser_keep_alive(const struct http_parser *p); /* whether another may follow */
bool http_parser_is_http10(const struct http_parser *p);  /* no chunks in the answer */
bool http_parser_expects(const struct http_parser *p);    /* Expect: 100-continue */
bool http_parser_has_body(const struct http_parser *p);   /* a body follows the head */
size_t http_parser_declared(const struct http_parser *p); /* Content-Length, or 0 */

/* Bytes of the request so far. */
size_t http_parser_held(const struct http_parser *p);
