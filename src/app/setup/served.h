/*
 * served - which folders are vaults, and which names clients use for them.
 *
 * One vault is given by its folder alone, several as NAME=FOLDER. A name has letters,
 * digits, '-' and '_', at most SERVED_NAME_MAX; names that differ only in case are the
 * same. A folder must not be given twice nor be inside another.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/options.h"

enum { SERVED_MAX = 32, SERVED_NAME_MAX = 32 };

struct served {
    str name;             /* empty: use the folder's name */
    str folder;           /* ends in NUL; ~ is expanded */
    str remote, identity; /* of a hosted one, in places.h; or empty */
};

struct served_list {
    struct served *items;
    size_t n;
};

/* Whether it can be the name of a vault; else ERR_INVALID. */
MUST_CHECK bool served_is_name(str name, struct err *err);

/* Each is NAME=FOLDER. Fails with ERR_INVALID, naming the wrong one. */
MUST_CHECK bool served_read(struct arena *a, const struct option_list *given,
                            struct served_list *out, struct err *err);

/* The vault with that name; or NULL, with ERR_INVALID and a list of all names. */
const struct served *served_find(struct arena *a, const struct served_list *list,
                                 str name, struct err *err);

/* Where a folder really is: its absolute path without symlinks; as given if it is missing. */
str served_real(struct arena *a, str folder);

/* Whether an absolute folder is another one or inside it. An empty one is not. */
bool served_is_in(str inner, str outer);

/* Whether no folder is the same as another or inside it. Missing folders are ignored. */
MUST_CHECK bool served_check_apart(struct arena *a, const struct served_list *list,
                                   struct err *err);
