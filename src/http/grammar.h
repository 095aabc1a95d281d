/*
 * grammar - rules of RFC 9112 that llhttp does not hold us to.
 *
 * All of it judges text and knows no state of a connection, except that lines may come
 * in pieces.
 */
#pragma once

#include "http/request.h"

/* Where a look at the lines of a head stopped; {0} at its start. */
struct http_lines {
    bool inside;   /* of a line: its first byte was seen */
    bool after_cr; /* LF must follow */
};

/*
 * Look at more bytes of a head, or of the fields behind a chunked body. False unless each
 * line ends in CRLF, holds no other CR, LF or NUL, and does not begin with a blank
 * (obs-fold) or a colon.
 */
bool http_check_lines(struct http_lines *l, str bytes);

/* A request line, or the version alone: 0, or 400 or 505. */
int http_check_request_line(str line);
int http_check_version(str version);

/* Why a request that begins so has no known method: 501, or 400 if that is no token. */
int http_check_method(str start);

bool http_is_token(str s);

/* The value of Host may be a name or address with an optional port; it may be empty. */
bool http_is_host(str s);

/*
 * Path and query of a request target. "*" is for OPTIONS alone; a target with scheme and
 * host must name the host of the Host header.
 */
bool http_split_target(str target, enum http_method method, str host, str *path,
                       str *query);
