/*
 * browser - what people see: signing in, consent, /account. Answers the exchange, on the
 * loop or later.
 */
#pragma once

#include "oauth/oauth.h"

void browser_handle(struct oauth *o, struct http_exchange *x);
