/*
 * grammar - rules of RFC 9112 that llhttp does not enforce.
 *
 * All functions check text only and keep no state of a connection, except that lines may
 * arrive in pieces.
 */
#pragma once

#include "http/request.h"

/* Where the check of the lines of a head stopped; {0} at the start. */
struct http_lines {
    bool inside;   /* the first byte of a line was seen */
    bool after_cr; /* LF must follow */
};

/*
 * Check more bytes of a head, or of the fields after a chunked body. False unless each
 * line ends in CRLF, contains no other CR, LF or NUL, and does not begin with a space,
 * a tab (obs-fold) or a colon.
 */
bool http_check_lines(struct http_lines *l, str bytes);

/* Check a request line, or only the version: 0, 400 or 505. */
int http_check_request_line(str line);
int http_check_version(str version);

/* The status for an unknown method: 501, or 400 if it is not a token. */
int http_check_method(str start);

bool http_is_token(str s);

/* The value of Host: a name or an address with an optional port, or empty. */
bool http_is_host(str s);

/*
 * Path and query of a request target. "*" is for OPTIONS only; a target with scheme and
 * host must have the same host as the Host header.
 */
bool http_split_target(str target, enum http_method method, str host, str *path,
                       str *query);
