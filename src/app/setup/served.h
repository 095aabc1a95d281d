/*
 * served - which folders are vaults, and by which names clients know them.
 *
 * One vault is given by its folder alone, several as NAME=FOLDER. A name has letters,
 * digits, '-' and '_', at most SERVED_NAME_MAX; case does not tell two names apart. A
 * folder must not be given twice nor lie in another.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/options.h"

enum { SERVED_MAX = 32, SERVED_NAME_MAX = 32 };

struct served {
    str name;   /* empty: that of the folder */
    str folder; /* ends in NUL; ~ is expanded */
};

struct served_list {
    struct served *items;
    size_t n;
};

/* NAME=FOLDER each. Fails with ERR_INVALID, naming the one that is wrong. */
MUST_CHECK bool served_read(struct arena *a, const struct option_list *given,
                            struct served_list *out, struct err *err);

/* The one of that name; NULL with ERR_INVALID and all names. */
const struct served *served_find(struct arena *a, const struct served_list *list,
                                 str name, struct err *err);

/* Whether no folder is another or in another; those that are missing are. */
MUST_CHECK bool served_check_apart(struct arena *a, const struct served_list *list,
                                   struct err *err);
