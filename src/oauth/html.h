/*
 * html - a page, element by element.
 *
 *     html_open(h, "p", {"class", STR("note")});
 *     html_text(h, name);
 *     html_end(h);
 *
 * Names of elements and attributes are literals of ours; every text and every value goes
 * through one function that escapes it, whoever it comes from. Elements are ended in the
 * reverse order of their beginning: a page that forgets one is a BUG().
 */
#pragma once

#include "base/sbuf.h"

enum { HTML_DEPTH_MAX = 32 };

struct html {
    struct sbuf out;
    const char *open[HTML_DEPTH_MAX];
    size_t depth;
};

struct html_attribute {
    const char *name; /* NULL: left out, so that a condition can choose it */
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

/* An element with nothing but text in it; class may be NULL. */
void html_line(struct html *h, const char *element, const char *css, str text);

/* Markup of our own, as it stands. */
void html_raw(struct html *h, str literal);

/* The page; everything must be ended. */
str html_done(struct html *h);

/* What everything above goes through: & < > " ' as references; control characters but
 * tab and line feed, and invalid UTF-8, as U+FFFD. */
void html_escape(struct sbuf *out, str text);
