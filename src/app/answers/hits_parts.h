/* hits_parts - what the printers of hits share. Private to hits*.c. */
#pragma once

#include "app/answers/hits.h"
#include "app/answers/model_text.h"
#include "app/answers/term.h"

/* Whether hits are not what the caller may think, as no mode was chosen. */
bool hits_is_other_mode(const struct hits *h);

/* Where a hit is, by enum search_where. */
extern const str hits_places[];

/* Whether the line of a hit is in a comment, or has other text that people do not see. */
bool hits_find_hidden(const struct search_hit *h, struct hidden_list *out);

/* "(page 3) " of a hit in a PDF file; else empty. */
str hits_page_label(struct arena *a, const struct search_hit *h);

/* Where to read: for a piece that is near, its beginning. */
uint32_t hits_line(const struct search_hit *h);

/* The first n hits, those of a file next to each other, its name first; files in the order
 * of their first hit. */
struct hits hits_by_file(struct arena *a, const struct hits *h, size_t n);

/* Whether a hit is in the file of the one before it; and in the same line, as a tag may
 * be. */
bool hits_is_same_file(const struct search_hit *hits, size_t i);
bool hits_is_same_line(const struct search_hit *hits, size_t i);

/* The notes that are near, as if they were the hits. */
struct hits hits_near(const struct hits *h);

void hits_text(struct model_text *s, const void *result); /* hits_text.c */
void hits_term(struct term *t, const void *result);       /* hits_term.c */
