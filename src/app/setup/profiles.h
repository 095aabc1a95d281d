/*
 * profiles - one name for a set of tools and the settings that its users expect
 * (--profile).
 *
 * A profile only changes defaults: a flag or environment variable wins. Its row also says
 * how the server introduces itself, if clients depend on that.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/options.h"

struct profile_default {
    const char *flag, *value;
};

/* At least one of these flags must be given. */
struct profile_need {
    const char *flags; /* "auth-users|auth-users-file" */
    const char *why;   /* ends the sentence "profile x needs --auth-users: ..." */
};

enum { PROFILE_DEFAULTS = 12, PROFILE_NEEDS = 4 };

struct profile {
    const char *name;
    const char *about;   /* one sentence for the operator */
    const char *program; /* argv[0] that selects this profile; or NULL */
    struct profile_default defaults[PROFILE_DEFAULTS];
    struct profile_need needs[PROFILE_NEEDS];
    const char *server_name, *server_version; /* NULL: vaultd's */
    bool skills;                              /* its prompts are those of skills.h */
    bool tools_only;                          /* neither prompts nor resources */
    bool plain;          /* it announces only its name, version and tools */
    bool root_challenge; /* the 401 challenge names the root's metadata document */
};

/* Ends with a row without a name; the first means no profile. */
extern const struct profile profiles[];

/* Their names, for the setting; ends with NULL. */
extern const char *const profile_names[];

/* The index of the profile that a program named argv[0] uses; 0: none. */
int profile_of_program(str argv0);

/* A copy of the table with the profile's defaults in it. */
const struct option *profile_table(struct arena *a, const struct profile *p,
                                   const struct option *table);

/* The default of a setting in a profile; NULL: it has none of its own. */
const char *profile_default(const struct profile *p, const char *flag);

/* Whether everything it needs is given. */
MUST_CHECK bool profile_check(const struct profile *p, const struct option *table,
                              int argc, char **argv, struct err *err);
