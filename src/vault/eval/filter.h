/*
 * filter - selects files of an index by folder, glob and tag.
 *
 * A file must match all three; an empty one matches everything. The index must not change
 * while a filter is in use. For one thread at a time.
 */
#pragma once

#include "vault/index/index.h"
#include "vault/text/glob.h"

struct filter_request {
    str folder;       /* only below it; case is ignored if it does not exist; "": all */
    const str *globs; /* only paths that match, as rg --glob (glob.h) */
    size_t n_globs;   /* 0: all */
    str tag;          /* only notes with that tag or a nested one; "": all */
};

struct filter {
    struct arena scratch;
    str folder; /* borrowed; "" for all */
    bool folded;
    const struct glob *glob; /* NULL: all */
    bool by_tag;
    struct tag tag;
};

/* f must be zeroed, and released even if this fails. Fails like glob_compile(). */
MUST_CHECK bool filter_open(struct filter *f, const struct index *x, struct arena *a,
                            const struct filter_request *request, struct err *err);
void filter_release(struct filter *f);

bool filter_takes(struct filter *f, const struct file *file);
bool filter_is_open(const struct filter *f); /* takes everything */
