/*
 * note_page - a note as a page to read (/note/PATH), and files beside it, such as the
 * pictures in it (/file/PATH). Nothing can be changed there; --reader off removes both.
 *
 * The person sees what the other pages of the vault show (frame.h). Programs that do not ask
 * for HTML get the text of the note.
 */
#pragma once

#include "oauth/oauth.h"

enum {
    NOTE_PAGE_TEXT = 1 << 20,      /* bytes of a note that are shown */
    NOTE_PAGE_FILE = 32 << 20,     /* of a file that is sent */
    NOTE_PAGE_LINKS = 50,          /* backlinks that are listed */
    NOTE_PAGE_CONTEXT = 160,       /* bytes of the line around one, */
    NOTE_PAGE_CONTEXT_LINKS = 500, /* which is looked for in so many links */
    NOTE_PAGE_RELATED = 8,
    NOTE_PAGE_HEADINGS = 200, /* in the outline */
    NOTE_PAGE_PROPERTIES = 100,
    NOTE_PAGE_VALUES = 200, /* of one of them */
};

/* oauth_page.answer; the app is a struct app. */
void note_page_answer(void *app, struct arena *a, const struct oauth_asked *asked,
                      struct http_response *out);
void file_page_answer(void *app, struct arena *a, const struct oauth_asked *asked,
                      struct http_response *out);
