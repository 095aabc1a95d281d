/*
 * cookie - cookies that a browser sends back (RFC 6265 §4.2).
 */
#pragma once

#include "http/request.h"

/*
 * The value of the cookie with this name, which is case-sensitive. p is NULL if there is
 * none, and also if there are two: one of them was planted, and we cannot know which.
 */
str http_cookie(const struct http_request *r, str name);
