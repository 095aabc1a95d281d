/*
 * tagged - the answers that list all tags, or the notes with one tag.
 */
#pragma once

#include "app/answers/answer.h"
#include "base/err.h"
#include "vault/index/index.h"
#include "vault/index/tags.h"

/* --- all tags --- */

struct tags_listed {
    struct tag *tags; /* the page: offset and limit; by name, or most used first */
    size_t n, offset, total;
    bool by_count;
};

void tags_list(const struct index *x, struct arena *a, bool by_count, size_t offset,
               size_t limit, struct tags_listed *out);

/*
 * The same for those tags of which a filter (select.h) is true: its fields are tag, name,
 * notes and with_nested. Fails as select_run() does.
 */
MUST_CHECK bool tags_list_where(const struct index *x, struct arena *a, str where,
                                const struct stop *stop, size_t offset, size_t limit,
                                struct tags_listed *out, struct err *err);

extern const struct answer_shape tags_shape;

/* --- the notes with a tag or one nested in it, by path --- */

struct tagged {
    str tag;
    str *notes; /* the page: offset and limit */
    size_t n, offset, total;
};

/* Fails as find_tag() does. */
MUST_CHECK bool tagged_find(const struct index *x, struct arena *a, str tag,
                            size_t offset, size_t limit, struct tagged *out,
                            struct err *err);

extern const struct answer_shape tagged_shape;
