/* yaml_problem - errors of libyaml in plain words. For note/yaml_tree.c. */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* As libyaml reports it; lines and columns from 0, in characters. */
struct yaml_problem {
    str problem, context;
    size_t line, column;
    size_t context_line, context_column;
};

/* Fill *err with place and sentence, and return false. */
bool yaml_problem_set(const struct yaml_problem *p, str block, uint32_t first_line,
                      struct err *err);
