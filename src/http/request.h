/*
 * request - one complete HTTP request.
 *
 * All text is in the request's arena. The head was checked (guard.h, parse.h) before
 * any handler gets the request: one Host, no smuggling, within limits.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum http_method {
    HTTP_GET = 1,
    HTTP_HEAD = 2,
    HTTP_POST = 4,
    HTTP_DELETE = 8,
    HTTP_OPTIONS = 16,
    HTTP_OTHER = 32, /* any other token; never in a route */
};

struct http_header {
    str name, value; /* value without surrounding spaces and tabs */
};

struct http_request {
    enum http_method method;
    str method_name; /* as sent */
    str path;        /* up to '?', as sent, not decoded */
    str query;       /* after '?' */
    str peer;        /* "192.0.2.1", "::1" or "unix" */
    bool
        peer_is_local; /* loopback or a unix socket, and not passed on by an unknown proxy */
    struct http_header *headers;
    size_t n_headers;
    str body;
};

/* The value of a header; the case of name is ignored. p is NULL if it is missing. */
str http_header(const struct http_request *r, str name);

/* How often a header occurs. */
size_t http_header_count(const struct http_request *r, str name);

/* Whether Accept contains the media type or a matching wildcard, and not with q=0.
 * Without Accept everything is accepted. */
bool http_accepts(const struct http_request *r, str media_type);

/* Whether a person with a browser looks for a page; programs do not name text/html. */
bool http_wants_html(const struct http_request *r);

/* The media type of the body, without parameters. */
str http_content_type(const struct http_request *r);
