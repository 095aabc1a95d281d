/*
 * users - users who sign in with a password: pairs of name and bcrypt hash, from the
 * settings or a file.
 *
 * A check takes as long for an unknown name as for a known one, and gives the same answer
 * (SEC-51). Repeated failures lead to delays (SEC-52). At most two checks run at a time
 * and USERS_QUEUE wait; more are refused (ERR_BUSY). Never call users_check() on the loop.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum {
    USERS_CHECKS = 2,
    USERS_QUEUE = 64, /* of which one site has a quarter */
    USERS_NAME_SIZE = 128,
    USERS_PASSWORD_MAX = 72,
    USERS_PASSWORD_STRONG = 12,   /* characters */
    USERS_PASSWORD_DIFFERENT = 6, /* characters */
    USERS_LOOK_MS = 500           /* between two looks at the file */
};

struct store;
struct users;

/* pairs: "name:hash,…"; file: a path, or empty. ERR_INVALID for a weak or broken hash,
 * without printing it (SEC-53). */
MUST_CHECK bool users_create(str pairs, str file, struct users **out, struct err *err);
void users_free(struct users *u);

/*
 * Start a thread that looks at the file, so that users who are gone lose their access within
 * a second, although nothing that asks about a user waits for a disk. Without it, the file
 * is only looked at to check a password.
 */
MUST_CHECK bool users_watch(struct users *u, struct err *err);

/* Count failed attempts together with other servers (lockout.h). */
void users_share(struct users *u, struct store *s);
bool users_any(const struct users *u);

/*
 * ERR_DENIED: wrong name or password, without saying which. ERR_LIMIT: too many failures;
 * wait *retry_after seconds. peer is the address the request came from; device: of a
 * browser in which the user has signed in before (lockout.h), or empty.
 */
MUST_CHECK bool users_check(struct users *u, str name, str password, str peer, str device,
                            unsigned *retry_after, struct err *err);

/* A bcrypt hash of cost 12, for vaultd hash-password. */
MUST_CHECK bool users_hash(struct arena *a, str password, str *out, struct err *err);

/* Whether a password is strong enough for a server that others can reach; ERR_INVALID if it
 * is not. */
MUST_CHECK bool users_check_strength(str password, struct err *err);

/* Whether the user exists now. Never reveal this without sign-in. */
bool users_known(struct users *u, str name);

/*
 * A text in the arena that changes with the user's password, and says nothing about it:
 * stored with sign-ins and grants, so that another password ends them. False if the user
 * does not exist.
 */
bool users_stamp(struct users *u, struct arena *a, str name, str *out);

struct users_entry {
    str name, stamp;
};

/* All of them, in the arena; returns how many. */
size_t users_list(struct users *u, struct arena *a, struct users_entry **out);

/* Where a user's password is: only one in the file can be changed here. */
enum users_place { USERS_NOWHERE, USERS_IN_SETTINGS, USERS_IN_FILE };
enum users_place users_place_of(struct users *u, str name);

/* Give a user of the file another hash (users_file_change()); known when this returns. */
MUST_CHECK bool users_change(struct users *u, str name, str hash, struct err *err);

/* Read the file again, even if it looks the same. If it is broken, the users stay. */
MUST_CHECK bool users_reload(struct users *u, struct err *err);

/* A number that changes when the users may have changed. */
uint64_t users_generation(struct users *u);
