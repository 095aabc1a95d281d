/*
 * changes_page - what was changed in the vault, by which app, as a page for people: a
 * list (/changes), and each change with its diff and an undo button (/changes?change=N,
 * posted to /changes). &vault=NAME: in another vault than the first.
 *
 * Plain HTML, as the pages of sign-in. Everything in it is limited, and the rest counted.
 */
#pragma once

#include "app/web/frame.h"
#include "oauth/oauth.h"

#define CHANGES_PATH "/changes"

enum {
    CHANGES_SHOWN = 25,           /* on one page */
    CHANGES_FILES_MAX = 50,       /* of one change */
    CHANGES_DIFF_MAX = 256 << 10, /* bytes of all diffs of one change */
};

/* "/changes?change=12&vault=work" in the vault of a frame; number 0: without. */
str changes_page_link(const struct frame *f, const char *field, uint64_t number);

/* An oauth_page.answer; the app is a struct app. */
void changes_page_answer(void *app, struct arena *a, const struct oauth_asked *asked,
                         struct http_response *out);
