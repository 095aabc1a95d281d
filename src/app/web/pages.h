/*
 * pages - the pages of the app for browsers, and how a server without sign-in answers
 * them. With sign-in, the authorization server does that (oauth_page).
 *
 * Without sign-in, all clients that can reach the server may use the pages. A page of
 * another site cannot: it cannot read the ticket that a form needs, and browsers say
 * where a form comes from.
 */
#pragma once

#include "app/setup/app.h"
#include "http/server.h"
#include "oauth/oauth.h"

enum { PAGES_FORM_MAX = 16 << 10 /* bytes of a form */ };

/* The front page (front_page.h), the map (view.h), changes (changes_page.h), notes
 * (note_page.h) and so on; the last row has no path. pages_of(): those that the settings
 * want. */
extern const struct oauth_page pages_of_app[];
const struct oauth_page *pages_of(const struct settings *s);

struct pages;

struct pages *pages_create(struct app *app);
void pages_free(struct pages *p); /* NULL is fine */

/* A row for each page, the last one without path, each with the pages as its context.
 * Valid as long as the pages. */
const struct http_route *pages_routes(struct pages *p);

/* On the loop: any request for one of the pages. */
void pages_handle(struct http_exchange *x, void *pages);
