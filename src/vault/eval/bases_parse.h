/*
 * bases_parse - expressions of Obsidian Bases (filters, formulas, summaries) as trees.
 *
 * See docs/expressions.md for the language.
 */
#pragma once

#include "vault/eval/eval.h"

struct field_list;

struct bases_scope {
    const str *formulas; /* names, in the order of eval.formulas */
    size_t n_formulas;
    bool summary;              /* `values` is the list of the column's values */
    bool strict;               /* unknown functions are refused; else evaluated to an
                                     error */
    struct field_list *fields; /* if not NULL, properties are added to it, so that
                                     unknown_fields_find() can name those that no note
                                     has */
};

/*
 * Parse text; what names it in messages ("formula total"). Fails with ERR_INVALID
 * (INVALID_QUERY), naming the byte from 0, what was found and what was expected, or the
 * nearest formula or function if there is none of that name; ERR_LIMIT above a limit of expr.h.
 */
MUST_CHECK bool bases_parse(struct arena *a, struct expr_owner *owner, const char *what,
                            str text, const struct bases_scope *scope, struct expr **out,
                            struct err *err);

/* The same; on failure *at is the byte where parsing ended. */
MUST_CHECK bool bases_parse_at(struct arena *a, struct expr_owner *owner,
                               const char *what, str text,
                               const struct bases_scope *scope, struct expr **out,
                               size_t *at, struct err *err);

/* The column that a property id of a view means: note.x, file.x, formula.x, or x. Only the
 * first dot counts. Fails for an unknown formula or file field. */
MUST_CHECK bool bases_property(struct arena *a, const char *what, str id,
                               const struct bases_scope *scope, struct expr **out,
                               struct err *err);
