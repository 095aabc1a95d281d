/*
 * profiles - one word for a set of tools and the settings that its users expect
 * (--profile).
 *
 * A profile only changes defaults: whatever is given by flag or environment wins. Its row
 * also says how the server introduces itself, where clients were written for that.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/options.h"

struct profile_default {
    const char *flag, *value;
};

/* Something must be given: one of these flags. */
struct profile_need {
    const char *flags; /* "auth-users|auth-users-file" */
    const char *why;   /* ends the sentence "profile x needs --auth-users: ..." */
};

enum { PROFILE_DEFAULTS = 12, PROFILE_NEEDS = 4 };

struct profile {
    const char *name;
    const char *about;   /* one sentence for the operator */
    const char *program; /* the name under which vaultd is this profile; or NULL */
    struct profile_default defaults[PROFILE_DEFAULTS];
    struct profile_need needs[PROFILE_NEEDS];
    const char *server_name, *server_version; /* NULL: our own */
    bool skills;         /* its prompts are those of skills.h, not our own */
    bool tools_only;     /* neither prompts nor resources */
    bool plain;          /* it says nothing but its name, version and tools */
    bool root_challenge; /* who must sign in is sent to the root's metadata document */
};

/* Ends with a row without a name; the first is no profile at all. */
extern const struct profile profiles[];

/* Their names, for the setting; ends with NULL. */
extern const char *const profile_names[];

/* The place of the one that a program of that name, argv[0], is; 0: none. */
int profile_of_program(str argv0);

/* A copy of the table with the profile's defaults in it. */
const struct option *profile_table(struct arena *a, const struct profile *p,
                                   const struct option *table);

/* Whether all is given that it needs. */
MUST_CHECK bool profile_check(const struct profile *p, const struct option *table,
                              int argc, char **argv, struct err *err);
