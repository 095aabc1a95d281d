/*
 * cookie - what a browser was told to send back (RFC 6265 §4.2).
 */
#pragma once

#include "http/request.h"

/*
 * The value of the cookie with this name, which is compared with case. p is NULL when
 * there is none; also when there are two: one of them was planted, and nobody can say
 * which.
 */
str http_cookie(const struct http_request *r, str name);
