/*
 * page - the frame of every page, and parts that several pages share. Private to
 * page_*.c.
 */
#pragma once

#include "oauth/html.h"
#include "oauth/pages.h"

/* Everything up to the start of <main>'s content; wide: for lists. */
struct html page_begin(struct arena *a, const struct page_site *site, str title,
                       bool wide);
str page_end(struct html *h);

/* A form that posts to base and path, with its ticket; the caller closes it. */
void page_form(struct html *h, const struct page_site *site, const char *path,
               str ticket);

/* A message that screen readers announce immediately; nothing if it is empty. */
void page_alert(struct html *h, str text);

/* A submit button that sends name=value. css, its class, may be NULL. */
void page_button(struct html *h, const char *css, str name, str value, str label);

/* The name of a client, in bold. */
void page_client_name(struct html *h, struct arena *a, str name);

/* "Read and write", "Read only". */
str page_scopes(unsigned scopes);

extern const str page_style;
