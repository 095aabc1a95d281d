/*
 * eval_parts - shared by the files of the evaluator (eval*.c).
 */
#pragma once

#include "vault/eval/eval.h"

/* Whether left op right, of an operator that gives true or false. */
bool eval_compare(struct eval *e, enum expr_op op, const struct value *left,
                  const struct value *right);

struct value eval_negated(struct eval *e, const struct value *v);
