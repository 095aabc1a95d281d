/*
 * query_json - the tree of a query as JSON, in the form of
 * tests/vectors/search_query.json.
 */
#pragma once

#include "base/json_write.h"
#include "vault/ask/query.h"

static inline void query_json_list(struct jsonw *w, const char *name,
                                   const struct query *q);

static inline void query_json_text(struct jsonw *w, const char *name, str text)
{
    jsonw_key(w, str_c(name));
    jsonw_str(w, text);
}

static inline void query_json_node(struct jsonw *w, const struct query *q)
{
    jsonw_object(w);
    switch (q->kind) {
    case QUERY_WORD:
        query_json_text(w, "word", q->text);
        break;
    case QUERY_PHRASE:
        query_json_text(w, "phrase", q->text);
        break;
    case QUERY_REGEX:
        query_json_text(w, "regex", q->text);
        break;
    case QUERY_AND:
        query_json_list(w, "and", q);
        break;
    case QUERY_OR:
        query_json_list(w, "or", q);
        break;
    case QUERY_NOT:
        jsonw_key(w, STR("not"));
        query_json_node(w, q->child);
        break;
    case QUERY_OPERATOR:
        query_json_text(w, "op", q->text);
        jsonw_key(w, STR("arg"));
        query_json_node(w, q->child);
        break;
    case QUERY_PROPERTY:
        jsonw_key(w, STR("prop"));
        query_json_node(w, q->child);
        if (q->child->next != NULL) {
            jsonw_key(w, STR("value"));
            query_json_node(w, q->child->next);
        }
        break;
    case QUERY_NULL:
        jsonw_key(w, STR("null"));
        jsonw_bool(w, true);
        break;
    case QUERY_COMPARE:
        query_json_text(w, "cmp", (str){&q->cmp, 1});
        query_json_text(w, "value", q->text);
        break;
    }
    jsonw_end(w);
}

static inline void query_json_list(struct jsonw *w, const char *name,
                                   const struct query *q)
{
    jsonw_key(w, str_c(name));
    jsonw_array(w);
    for (const struct query *c = q->child; c != NULL; c = c->next)
        query_json_node(w, c);
    jsonw_end(w);
}

static inline str query_json(struct arena *a, const struct query *q)
{
    struct sbuf b = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&b);
    query_json_node(&w, q);
    return arena_str(a, sbuf_str(&b));
}
