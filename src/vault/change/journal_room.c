/*
 * What is kept, and for how long. Only whole segments are dropped, the oldest first. Age
 * is counted from the dates of the records, which are those that were believed when they
 * were written (monotonic_date.h), so a clock that jumps neither ages nor rejuvenates
 * them.
 */
#include "vault/change/journal_parts.h"

static const int64_t DAY_S = 24 * 60 * 60;

/* Records of one operation have at most this many bytes beside paths and contents. */
enum { OP_BYTES = 256 };

void journal_prune(struct journal *j, int64_t older_than)
{
    size_t n = 0;
    while (n + 1 < j->n_segments && j->segments[n].newest < older_than)
        n++;
    journal_drop_segments(j, n);
}

static size_t journal_bytes(const struct journal *j)
{
    size_t all = 0;
    for (size_t i = 0; i < j->n_segments; i++)
        all += j->segments[i].size;
    return all;
}

static size_t journal_room_needed(const struct journal_change *c)
{
    size_t n = OP_BYTES + c->tool.n + c->who.n + c->client.n + c->grant.n +
               c->accepted_by.n + c->key.n + c->request.n + c->answer.n;
    for (size_t i = 0; i < c->n; i++)
        n += OP_BYTES + c->ops[i].path.n + c->ops[i].to.n + c->ops[i].old.n;
    return n;
}

/* The bytes of a grant that cannot be dropped yet. */
static size_t journal_bytes_of(const struct journal *j, str grant, int64_t since)
{
    uint64_t wanted = journal_hash_of(grant);
    size_t n = 0;
    for (size_t i = 0; i < j->n; i++)
        if (j->entries[i].grant == wanted && j->entries[i].dated >= since)
            n += j->entries[i].size;
    return n;
}

static bool journal_is_full(struct err *err, size_t bytes, const char *whose)
{
    return err_named(err, E_HISTORY_FULL,
                     "not changed: the undo history is full%s. It keeps every change "
                     "for %d days, up to %zu MiB: wait, or have the operator raise "
                     "--history-size",
                     whose, JOURNAL_SAFE_DAYS, bytes >> 20);
}

/* In a small journal, segments are small, so that some can be dropped. The last one ends
 * as well if all its records may be dropped: that happens when the next one has begun.
 * The bytes that will stay. */
static size_t journal_end_segment(struct journal *j, size_t bytes, int64_t safe)
{
    size_t all = journal_bytes(j);
    if (j->n_segments == 0)
        return all;
    struct journal_segment *last = &j->segments[j->n_segments - 1];
    bool old = j->n_segments == 1 && last->size > 0 && last->newest < safe;
    last->ended = old || last->size >= bytes / JOURNAL_SEGMENT_PART;
    return old ? 0 : all;
}

bool journal_make_room(struct journal *j, const struct journal_change *c, size_t bytes,
                       struct err *err)
{
    int64_t safe = c->dated - JOURNAL_SAFE_DAYS * DAY_S;
    size_t needed = journal_room_needed(c), reserve = bytes / JOURNAL_UNDO_PART;
    size_t most = bytes - (c->undoes > 0 ? 0 : reserve);
    size_t part = bytes / JOURNAL_GRANT_PART + (c->undoes > 0 ? reserve : 0);
    journal_prune(j, c->dated - JOURNAL_KEPT_DAYS * DAY_S);
    while (journal_bytes(j) + needed > most && j->n_segments > 1 &&
           j->segments[0].newest < safe) {
        size_t before = j->n_segments;
        journal_drop_segments(j, 1);
        if (j->n_segments == before)
            break;
    }
    if (journal_end_segment(j, bytes, safe) + needed > most)
        return journal_is_full(err, bytes, "");
    if (c->grant.n > 0 && journal_bytes_of(j, c->grant, safe) + needed > part)
        return journal_is_full(err, bytes, " for this connection");
    return true;
}
