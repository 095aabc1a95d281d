/*
 * proposals_page - changes that apps have proposed, for the person who decides: a list
 * (/proposals), and each proposal with its hunks (/proposals?id=ID), which are chosen, and
 * accepted or rejected with a reason. &vault=NAME: of another vault than the first.
 *
 * With sign-in, a person decides what was proposed on their behalf. Without, whatever reaches
 * the server could press the buttons, so the page shows and decides only in a browser that was
 * opened with a link of the command line (review_keys.h); to others it says how many wait.
 *
 * Plain HTML that works without scripts. What the page does not show as a whole cannot be
 * accepted on it.
 */
#pragma once

#include "oauth/oauth.h"

/* An oauth_page.answer; the app is a struct app. */
void proposals_page_answer(void *app, struct arena *a, const struct oauth_asked *asked,
                           struct http_response *out);
