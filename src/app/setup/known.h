/*
 * known - what a replica knows of its clone of a vault: which commits are in it, and
 * what it does not wait for any more (fresh.h).
 *
 * It is small and outlives the opening of the vault. Ids are kept as hashes, the last few
 * of each kind; a commit that was forgotten is pulled for again. All zeros at first; safe
 * for any number of threads.
 */
#pragma once

#include <stdatomic.h>

#include "base/os/thread.h"
#include "base/str.h"

enum {
    KNOWN_COMMITS = 32, /* commits that are known to be here */
    KNOWN_GONE = 8,     /* replicas that are not waited for */
};

struct known {
    atomic_uint_fast64_t newest;  /* the number of the last change here; 0: none */
    atomic_uint_fast64_t doubted; /* the outage after which a pull failed (fresh.c) */
    struct mutex lock;            /* of the rest */
    uint64_t commits[KNOWN_COMMITS];
    unsigned n_commits, n_gone; /* in all; the oldest is overwritten */
    struct known_gone {
        uint64_t replica;
        uint64_t number; /* changes up to this one are not waited for until they are */
        uint64_t pushed; /* pushed; and those up to this one not even then */
    } gone[KNOWN_GONE];
};

/* A text as a number that is not 0. */
uint64_t known_id(str text);

/* A change with that number was made here, by a client or by a pull. */
void known_made(struct known *k, uint64_t number);

/* Whether a commit is known to be here; and that it is. */
bool known_has(struct known *k, str commit);
void known_learn(struct known *k, str commit);

/* A change of another replica that was waited for in vain, pushed or not: whether that was
 * so, and that it was. A change that is pushed later is waited for again. */
bool known_gave_up(struct known *k, str replica, uint64_t number, bool pushed);
void known_give_up(struct known *k, str replica, uint64_t number, bool pushed);

/* It has the same commit as the remote: whatever is pushed can be had. */
void known_level(struct known *k, str commit);
