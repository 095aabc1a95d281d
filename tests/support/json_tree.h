/*
 * json_tree - writes a parsed document with one call per value, as handlers write their
 * answers, and compares two documents.
 */
#pragma once

#include "base/json.h"
#include "base/json_write.h"

static inline void json_tree_write(struct jsonw *w, const struct json *j)
{
    if (j->type < JSON_ARRAY) {
        if (j->type == JSON_STRING)
            jsonw_str(w, j->text);
        else
            jsonw_value(w, j);
        return;
    }
    if (j->type == JSON_OBJECT)
        jsonw_object(w);
    else
        jsonw_array(w);
    for (const struct json *c = j->child; c != NULL; c = c->next) {
        if (j->type == JSON_OBJECT)
            jsonw_key(w, c->key);
        json_tree_write(w, c);
    }
    jsonw_end(w);
}

/* The same values in the same order; numbers by their text. */
static inline bool json_tree_same(const struct json *a, const struct json *b)
{
    if (a->type != b->type || a->n != b->n || !str_eq(a->key, b->key) ||
        !str_eq(a->text, b->text))
        return false;
    if (a->type == JSON_NUMBER && !str_eq(a->raw, b->raw))
        return false;
    const struct json *x = a->child, *y = b->child;
    while (x != NULL && y != NULL && json_tree_same(x, y)) {
        x = x->next;
        y = y->next;
    }
    return x == NULL && y == NULL;
}
