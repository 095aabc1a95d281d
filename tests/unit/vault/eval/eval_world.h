/*
 * eval_world - a small index, and Bases expressions over it as one line each.
 */
#pragma once

#include "select_vault.h"
#include "vault/eval/bases_parse.h"
#include "vault/eval/plan.h"

static const struct literal world_files[] = {
    {"Projects/Alpha.md",
     "---\nstatus: active\nprice: 2\ndue: 2026-11-20\nread: true\nn: [1, 2]\n"
     "up: \"[[Beta]]\"\ntags: [work]\n---\n[[Ann]]\n",
     NOW - 86400, false},
    {"Projects/Old/Beta.md",
     "---\nstatus: Done\nprice: 10\nread: false\nn: [2, 3]\ntags: [work/old, "
     "home]\n---\n",
     NOW - 40 * 86400, false},
    {"Ann.md", "---\nprice: 5\nstatus: active\nup: \"[[Projects/Old/Beta|B]]\"\n---\n",
     NOW, false},
    {"zero.md", "", NOW - 3600, false},
    {"picture.png", "", NOW, false},
    {"Excluded.md", "---\nstatus: active\n---\n", NOW, true},
};

/* A query over it: formulas are pairs of name and expression. */
struct world {
    struct arena arena;
    struct index *index;
    struct expr_owner owner;
    str names[8];
    struct eval_formula formulas[8];
    struct bases_scope scope;
    struct eval eval;
    struct err err;
};

static inline struct world *world_open(void)
{
    struct world *w = mem_zero(sizeof(*w));
    w->index = index_of(world_files, COUNT_OF(world_files));
    w->scope.formulas = w->names;
    w->eval = (struct eval){.dialect = &dialect_bases,
                            .index = w->index,
                            .now = date_of_clock(NOW, 0),
                            .formulas = w->formulas,
                            .n_formulas = COUNT_OF(w->formulas)};
    eval_open(&w->eval, &w->arena);
    return w;
}

static inline void world_close(struct world *w)
{
    eval_release(&w->eval);
    expr_release(&w->owner);
    index_free(w->index);
    arena_release(&w->arena);
    free(w);
}

static inline struct expr *world_parse(struct world *w, const char *text)
{
    struct expr *x;
    w->err = (struct err){0};
    if (!bases_parse(&w->arena, &w->owner, "text", str_c(text), &w->scope, &x, &w->err))
        return NULL;
    return x;
}

/* Formulas may use those that come later, so all names are known first. */
static inline void world_formulas(struct world *w, const char *const *pairs, size_t n)
{
    w->scope.n_formulas = n;
    for (size_t i = 0; i < n; i++)
        w->names[i] = str_c(pairs[2 * i]);
    for (size_t i = 0; i < n; i++)
        w->formulas[i] =
            (struct eval_formula){w->names[i], world_parse(w, pairs[2 * i + 1])};
}

static inline struct value world_value(struct world *w, const char *path,
                                       const char *text)
{
    struct expr *x = world_parse(w, text);
    struct row *row = ARENA_NEW(&w->arena, struct row);
    if (x == NULL)
        return value_error(&w->arena, "%s", w->err.msg);
    row->file = index_find(w->index, str_c(path));
    eval_fold(&w->eval, x);
    eval_row(&w->eval, row, &w->arena);
    return eval_value(&w->eval, x);
}

/* "error: ..." for errors. */
static inline str world_text(struct world *w, const char *path, const char *text)
{
    struct value v = world_value(w, path, text);
    str s = value_text_of(&w->eval.reader, &v);
    return v.type == VALUE_ERROR ? arena_printf(&w->arena, "error: " STR_FMT, STR_ARG(s))
                                 : s;
}

static inline int world_setup(void **state)
{
    *state = world_open();
    return 0;
}

static inline int world_teardown(void **state)
{
    world_close(*state);
    return 0;
}

#define WORLD_TEST(function)                                                             \
    cmocka_unit_test_setup_teardown(function, world_setup, world_teardown)
