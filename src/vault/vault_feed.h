/*
 * vault_feed - notices what changes in a vault, for the log of changes (feed.h), and answers
 * from it what a caller may see. What is noticed is put into a queue in memory; a thread of
 * its own finds out who changed it, and writes. The first part is private to vault*.c.
 */
#pragma once

#include "vault/feed.h"
#include "vault/load.h"
#include "vault/vault.h"

struct live;
struct vault_feed;
struct feed_batch;

void live_start_feed(struct live *v);

/* Everything that was noticed is written, or it is at the next start. */
void live_stop_feed(struct live *v);
void live_release_feed(struct live *v);

/* What changes turn a file of x into, before they are applied to it; and then put it into
 * the queue, when it is known what is hidden now. stored: x is an index of an earlier run, of
 * which nothing else is known. */
struct feed_batch *live_feed_see(struct live *v, const struct index *x,
                                 const struct load_changes *c, bool stored);
void live_feed_put(struct live *v, struct feed_batch *b);

/* What happened before is not known. */
void live_feed_gap(struct live *v);

/* Wait until what was noticed is durable, so that the index may be stored, too: what differs
 * from that at the next start is noticed again. */
MUST_CHECK bool live_feed_flush(struct live *v);

/* --- for callers --- */

enum { VAULT_FEED_WAIT_MS = 5000 };

struct vault_feed_question {
    int64_t after; /* a cursor; or 0: the latest */
    int64_t from;  /* instead of it: only those at this time or later, in seconds; or 0 */
    str path;      /* only of this file, with or without .md, or folder; or empty */
    size_t limit;
};

struct vault_feed_answer {
    struct feed_entry *items; /* the oldest first; without what the caller may not know */
    size_t n;
    bool more;      /* than limit allows, after the last of them */
    bool missed;    /* what came between the cursor and the first is not kept */
    bool repeated;  /* the cursor is of another log: some may be known already */
    int64_t since;  /* what is older is not kept: seconds since 1970 */
    int64_t cursor; /* for the next question */
};

/* Waits for the first index, before which a cursor would miss what that index shows to have
 * changed. Fails with BUSY, or as files do, if the log cannot be read or written now. */
MUST_CHECK bool vault_feed_ask(struct vault *v, struct arena *a,
                               const struct vault_feed_question *q,
                               struct vault_feed_answer *out, struct err *err);
