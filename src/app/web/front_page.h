/*
 * front_page - GET / in a browser: what this is, whether it works, and how to connect an
 * app to it. Without sign-in it shows only a link to sign in: no names, no version.
 */
#pragma once

#include "oauth/oauth.h"

/* An oauth_page.answer; the app is a struct app. Looks at the disk. */
void front_page_answer(void *app, struct arena *a, const struct oauth_asked *asked,
                       struct http_response *out);
