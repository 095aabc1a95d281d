/*
 * search_page - the search of the tools as a page: /search?q=WORDS. The same ranking and
 * the same snippets, by note.
 */
#pragma once

#include "oauth/oauth.h"

#define SEARCH_PATH "/search"

enum {
    SEARCH_PAGE_HITS = 40,   /* on one page, */
    SEARCH_PAGE_LINES = 3,   /* of one note */
    SEARCH_PAGE_QUERY = 500, /* bytes */
    SEARCH_PAGE_MS = 5000,
};

/* An oauth_page.answer; the app is a struct app. */
void search_page_answer(void *app, struct arena *a, const struct oauth_asked *asked,
                        struct http_response *out);
