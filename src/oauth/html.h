/*
 * html - writes a page, element by element.
 *
 *     html_open(h, "p", {"class", STR("note")});
 *     html_text(h, name);
 *     html_end(h);
 *
 * Names of elements and attributes are literals in our code; every text and every value
 * goes through one function that escapes it, wherever it comes from. Elements are closed
 * in the reverse order of opening: forgetting one is a BUG().
 */
#pragma once

#include "base/sbuf.h"

enum { HTML_DEPTH_MAX = 64 };

struct page_site;

struct html {
    struct sbuf out;
    const char *open[HTML_DEPTH_MAX];
    size_t depth;
    bool scripted; /* something in it gets better with our script (page.h) */
    const struct page_site *site; /* whose page it is, until page_end(); or NULL */
};

struct html_attribute {
    const char *name; /* NULL: left out, so a condition can decide */
    str value;
};

#define HTML_ON(a) ((struct html){.out = SBUF_ON(a)})

/* Begin an element; further arguments are its attributes, as {"name", value}. */
#define html_open(h, element, ...)                                                       \
    html_begin((h), (element), HTML_ATTRIBUTES(__VA_ARGS__),                             \
               COUNT_OF(HTML_ATTRIBUTES(__VA_ARGS__)))
#define HTML_ATTRIBUTES(...) ((const struct html_attribute[]){{0}, ##__VA_ARGS__})
void html_begin(struct html *h, const char *element, const struct html_attribute *list,
                size_t n);

/* Elements without content, such as input. */
#define html_void(h, element, ...)                                                       \
    html_empty((h), (element), HTML_ATTRIBUTES(__VA_ARGS__),                             \
               COUNT_OF(HTML_ATTRIBUTES(__VA_ARGS__)))
void html_empty(struct html *h, const char *element, const struct html_attribute *list,
                size_t n);

void html_text(struct html *h, str text);
void html_end(struct html *h);

/* An element that contains only text; css may be NULL. */
void html_line(struct html *h, const char *element, const char *css, str text);

/* Our own markup, written unchanged. */
void html_raw(struct html *h, str literal);

/* The finished page; all elements must be closed. */
str html_done(struct html *h);

/* Used by everything above: & < > " ' become references; control characters except tab
 * and line feed, and invalid UTF-8, become U+FFFD. */
void html_escape(struct sbuf *out, str text);
