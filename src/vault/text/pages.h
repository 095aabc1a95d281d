/*
 * pages - a text with pages, such as that of a PDF file: each page begins with a line that
 * is only a form feed.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

/* The page of the byte at that place, from 1; 0 if the text has no pages. */
uint32_t pages_at(str text, size_t at);

/* The bytes of pages [first, last]. False if the text does not have all of them. */
bool pages_find(str text, uint32_t first, uint32_t last, size_t *start, size_t *end);

/* Pages as in a link, "page=3" or "#page=3", or "page=3-5". False if it is something else;
 * the order is not checked. */
bool pages_parse(str request, uint32_t *first, uint32_t *last);

/* Whether there is more on them than spaces. */
bool pages_have_text(str text);

/* With lines that people can read instead of the form feeds: "--- page 3 ---". The number
 * of lines stays the same. The first form feed is that of page first. */
str pages_show(struct arena *a, str text, uint32_t first);
