/*
 * filter - which files of an index somebody means: by folder, glob and tag.
 *
 * All three must fit; one that is empty lets everything in. The index must not change
 * meanwhile. For one thread at a time.
 */
#pragma once

#include "vault/index/index.h"
#include "vault/text/glob.h"

struct filter_wish {
    str folder;       /* only below it, without case if there is no such; "": all */
    const str *globs; /* only paths that fit, as rg --glob (glob.h); */
    size_t n_globs;   /* 0: all */
    str tag;          /* only notes with that tag or one below it; "": all */
};

struct filter {
    struct arena scratch;
    str folder; /* borrowed; "" for all */
    bool folded;
    const struct glob *glob; /* NULL: all */
    bool by_tag;
    struct tag tag;
};

/* f is zeroed, and released in the end whatever happens. Fails as glob_compile(). */
MUST_CHECK bool filter_open(struct filter *f, const struct index *x, struct arena *a,
                            const struct filter_wish *wish, struct err *err);
void filter_release(struct filter *f);

bool filter_takes(struct filter *f, const struct file *file);
bool filter_is_open(const struct filter *f); /* takes everything */
