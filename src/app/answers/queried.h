/*
 * queried - what the answers of all queries say in the same way: properties that are named
 * and that no note has, and the limit that a query was stopped by.
 */
#pragma once

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/answers/term.h"
#include "vault/eval/select.h"

/* The member `unknown`, if there are any. */
void queried_unknown_json(struct answer_out *out, const struct unknown_field *list,
                          size_t n);

/* One line for each. */
void queried_unknown_text(struct model_text *s, const struct unknown_field *list,
                          size_t n);
void queried_unknown_term(struct term *t, const struct unknown_field *list, size_t n);

/* How many rows there are: "2 notes"; "at least 2 notes" if there is a limit. */
void queried_count(struct model_text *s, const char *limit, size_t n, const char *one,
                   const char *several);

/* The members `partial` and `limit`, and the same as a note; nothing if limit is NULL. */
void queried_limit_json(struct answer_out *out, const char *limit);
void queried_limit_text(struct model_text *s, const char *limit);
