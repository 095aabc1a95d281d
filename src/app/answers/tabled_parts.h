/*
 * tabled_parts - the parts of tabled.h. Private to tabled*.c.
 */
#pragma once

#include "app/answers/tabled.h"

/* A group that begins with row i of the page, or that the page begins in; or NULL. */
const struct plan_group *tabled_group_at(const struct tabled *t, size_t i);

/* A value as people see it, on one line. */
str tabled_cell(struct arena *a, const struct value *v);

/* Whether the path of a row shows what is in column k. */
bool tabled_in_path(const struct tabled *t, size_t k);

/* --- tabled_export.c --- */

/* A field of CSV (RFC 4180), with a comma before it unless it is the first of its line. */
void tabled_csv_field(struct sbuf *out, str text, bool first);

/* "[[Plan]]" */
str tabled_markdown_link(struct arena *a, str path);

/* --- tabled_text.c --- */

void tabled_text(struct model_text *s, const void *result);

/* The line of a group that begins with row i, the line of all summaries, and notes on what
 * went wrong; nothing if there is none. */
void tabled_text_group(struct model_text *s, const struct tabled *t, size_t i);
void tabled_text_totals(struct model_text *s, const struct tabled *t);
void tabled_text_problems(struct model_text *s, const struct tabled *t);

/* --- tabled_term.c --- */

void tabled_term(struct term *t, const void *result);
