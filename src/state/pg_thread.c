/*
 * The thread makes the connections of a store in PostgreSQL, again after they were lost,
 * and uses the one that listens.
 *
 * Twice a second it asks for the number of revocations, so that those hold in every
 * process within a second even if a notification is lost; and it sees by this whether the
 * database answers. A notification is "ID TEXT": the process that sent it, and a message.
 */
#include "state/pg_thread.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/log.h"
#include "base/os/rand.h"
#include "base/os/ready.h"
#include "state/postgres.h"

/* --- connections --- */

static void pg_thread_report(struct postgres *p, bool away, const struct err *err)
{
    struct arena a = {0};
    str where = STR("");
    struct err ignored;
    (void)!pg_describe(&a, p->url, &where, &ignored);
    if (away)
        log_event(LOG_ERROR, "state_db_away", LOG_STR("database", where),
                  LOG_STR("error", str_c(err->msg)),
                  LOG_STR("detail", str_c(err->detail)));
    else
        log_event(LOG_INFO, "state_db_back", LOG_STR("database", where),
                  LOG_INT("away_ms", clock_ms() - p->answered));
    arena_release(&a);
}

/* Idle connections are lost, too: the next call must not have to find that out. */
static void pg_thread_drop(struct postgres *p)
{
    for (size_t i = 0; i < LINKS_N; i++) {
        struct link *link = &p->links[i];
        struct pg *lost = NULL;
        lock_take(&p->lock);
        if (link->owner == 0) {
            lost = link->pg;
            link->pg = NULL;
        }
        lock_drop(&p->lock);
        pg_close(lost);
    }
}

static void pg_thread_failed(struct postgres *p, const struct err *err)
{
    pg_thread_drop(p);
    atomic_store(&p->steady, 0);
    p->next_beat = 0;
    if (atomic_load(&p->away) != 0)
        return;
    atomic_store(&p->away, p->answered);
    lock_take(&p->lock);
    cond_wake_all(&p->freed); /* so that no thread waits any more */
    lock_drop(&p->lock);
    pg_thread_report(p, true, err);
}

static bool pg_thread_has(struct postgres *p, enum postgres_link which)
{
    lock_take(&p->lock);
    bool has = p->links[which].pg != NULL;
    lock_drop(&p->lock);
    return has;
}

static void pg_thread_missed(struct postgres *p)
{
    lock_take(&p->lock);
    p->missed = p->receives;
    cond_wake_all(&p->received);
    lock_drop(&p->lock);
}

static bool pg_thread_has_all(struct postgres *p)
{
    bool has = true;
    for (enum postgres_link i = 0; i < LINKS_N && has; i++)
        has = pg_thread_has(p, i);
    return has;
}

/* Connect what is not connected. */
static bool pg_thread_connect(struct postgres *p, struct err *err)
{
    for (enum postgres_link i = 0; i < LINKS_N; i++) {
        if (pg_thread_has(p, i))
            continue;
        if (!postgres_connect(p, i, err))
            return false;
        if (i == LINK_LISTEN)
            pg_thread_missed(p);
    }
    return true;
}

/* --- the generation --- */

static void pg_thread_note_beat(struct postgres *p, bool ok, const struct err *err)
{
    bool was = atomic_load(&p->steady) != 0;
    if (ok != was)
        atomic_store(&p->steady, ok ? clock_ms() : 0);
    if (was && !ok)
        log_event(LOG_WARN, "lease_not_renewed", LOG_STR("error", str_c(err->msg)),
                  LOG_STR("detail", str_c(err->detail)));
}

/* It need not be on a disk, nor on another machine that may not answer. */
static bool pg_thread_beat(struct postgres *p, struct err *err)
{
    int64_t ignored;
    if (clock_ms() < p->next_beat)
        return true;
    bool ok = pg_number(p->links[LINK_LISTEN].pg,
                        "INSERT INTO leases SELECT $1, " PG_NOW
                        " FROM set_config('synchronous_commit', 'off', true) "
                        "ON CONFLICT(process) DO UPDATE SET seen = excluded.seen "
                        "RETURNING seen",
                        &STORE_S(str_c(p->id)), 1, POSTGRES_ANSWER_MS, &ignored, err);
    if (ok)
        p->next_beat = clock_ms() + PG_BEAT_MS;
    return ok;
}

/* The first beat; those of processes that ended long ago are removed on this occasion. */
static bool pg_thread_first_beat(struct postgres *p, struct err *err)
{
    enum { KEPT_MS = 3600 * 1000 };
    int64_t ignored;
    return pg_number(p->links[LINK_LISTEN].pg,
                     "WITH old AS (DELETE FROM leases WHERE seen < " PG_NOW
                     " - $1 RETURNING 1) SELECT count(*) FROM old",
                     &STORE_N(KEPT_MS), 1, STORE_BUSY_MS, &ignored, err) &&
           pg_thread_beat(p, err);
}

/* A database that refuses our beat, perhaps because its disk is full, can still be
 * read. */
static bool pg_thread_check(struct postgres *p, struct err *err)
{
    int64_t n;
    struct err refused = {0};
    if (!postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, err))
        return false;
    struct pg *pg = p->links[LINK_LISTEN].pg;
    bool ok = pg_number(pg, "SELECT n FROM revocations", STORE_NO_ARGS,
                        POSTGRES_ANSWER_MS, &n, err);
    bool beat = ok && pg_thread_beat(p, &refused);
    if (ok && pg_is_lost(pg)) {
        *err = refused;
        ok = false;
    }
    postgres_give(p, LINK_LISTEN);
    if (!ok)
        return false;
    if (n != p->counter)
        atomic_fetch_add(&p->revoked, 1); /* at first, too */
    p->counter = n;
    pg_thread_note_beat(p, beat, &refused);
    return true;
}

/* Everything is connected and answers, or is so again; else it pauses. */
static void pg_thread_look(struct postgres *p)
{
    struct err err = {0};
    if (pg_thread_connect(p, &err) && pg_thread_check(p, &err)) {
        if (atomic_load(&p->away) != 0)
            pg_thread_report(p, false, &err);
        p->answered = clock_ms();
        atomic_store(&p->away, 0);
        p->pause_ms = 0;
        return;
    }
    pg_thread_failed(p, &err);
    p->pause_ms = p->pause_ms == 0 ? POSTGRES_PAUSE_MS : p->pause_ms * 2;
    if (p->pause_ms > POSTGRES_PAUSE_MAX_MS)
        p->pause_ms = POSTGRES_PAUSE_MAX_MS;
}

/* --- messages --- */

/* With the lock. */
static bool queue_fits(const struct pg_queue *q, size_t n, size_t bytes)
{
    return q->n + n <= PG_MESSAGES_MAX && q->bytes + bytes <= PG_MESSAGES_BYTES;
}

static void queue_add(struct pg_queue *q, str text)
{
    *ARRAY_ADD(NULL, q->all, q->n) = mem_str(text);
    q->bytes += text.n;
}

static char *queue_take(struct pg_queue *q)
{
    if (q->n == 0)
        return NULL;
    char *first = q->all[0];
    q->n--;
    q->bytes -= strlen(first);
    memmove((void *)q->all, (void *)(q->all + 1), q->n * sizeof(*q->all));
    return first;
}

static void queue_release(struct pg_queue *q)
{
    for (size_t i = 0; i < q->n; i++)
        free(q->all[i]);
    free((void *)q->all);
    *q = (struct pg_queue){0};
}

void pg_thread_revoked(struct postgres *p)
{
    atomic_store(&p->announce, true);
    pg_thread_wake(p);
}

void pg_thread_send(struct postgres *p, const str *messages, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += messages[i].n;
    lock_take(&p->lock);
    bool fits = queue_fits(&p->out, n, bytes);
    for (size_t i = 0; fits && i < n; i++)
        queue_add(&p->out, messages[i]);
    lock_drop(&p->lock);
    pg_thread_wake(p);
}

static void pg_thread_notify(struct postgres *p, const char *message)
{
    struct arena a = {0};
    struct err err;
    int64_t ignored;
    str line = arena_printf(&a, "%s %s", p->id, message);
    if (postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, &err)) { /* else it is lost */
        (void)!pg_number(p->links[LINK_LISTEN].pg,
                         "SELECT 1 FROM (SELECT pg_notify('vaultd', $1)) AS n",
                         &STORE_S(line), 1, POSTGRES_ANSWER_MS, &ignored, &err);
        postgres_give(p, LINK_LISTEN);
    }
    arena_release(&a);
}

static void pg_thread_send_some(struct postgres *p)
{
    if (atomic_exchange(&p->announce, false))
        pg_thread_notify(p, PG_REVOKED);
    for (int i = 0; i < PG_SEND_AT_ONCE; i++) {
        lock_take(&p->lock);
        char *message = queue_take(&p->out);
        lock_drop(&p->lock);
        if (message == NULL)
            return;
        pg_thread_notify(p, message);
        free(message);
    }
    pg_thread_wake(p); /* there may be more */
}

/* "ID TEXT"; own ones are ignored. */
static void pg_thread_take_in(struct postgres *p, str line)
{
    str text = line, id;
    if (!str_next(&text, ' ', &id) || str_eq(id, str_c(p->id)))
        return;
    if (str_starts(text, STR(PG_REVOKED))) {
        atomic_fetch_add(&p->revoked, 1);
        return;
    }
    lock_take(&p->lock);
    if (p->receives && queue_fits(&p->in, 1, line.n))
        queue_add(&p->in, line);
    else
        p->missed = p->receives;
    cond_wake_all(&p->received);
    lock_drop(&p->lock);
}

void pg_thread_listen(struct postgres *p, bool on)
{
    lock_take(&p->lock);
    if (on && p->receives)
        BUG("a store has one receiver of messages");
    p->receives = on;
    p->missed = false;
    if (!on)
        queue_release(&p->in);
    cond_wake_all(&p->received);
    lock_drop(&p->lock);
}

char *pg_thread_receive(struct postgres *p, bool *missed)
{
    lock_take(&p->lock);
    while (p->receives && !p->missed && p->in.n == 0)
        lock_wait(&p->lock, &p->received);
    char *line = queue_take(&p->in);
    *missed = line == NULL && p->missed;
    if (*missed)
        p->missed = false;
    lock_drop(&p->lock);
    return line;
}

static void pg_thread_hear(struct postgres *p)
{
    struct arena a = {0};
    struct err err;
    str text;
    if (!postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, &err))
        return;
    while (pg_heard(p->links[LINK_LISTEN].pg, &a, &text))
        pg_thread_take_in(p, text);
    postgres_give(p, LINK_LISTEN);
    arena_release(&a);
}

/* --- the thread --- */

void pg_thread_wake(struct postgres *p)
{
    if (p->has_thread)
        bell_ring(&p->wake);
}

static void pg_thread_wait(struct postgres *p, uint64_t until)
{
    uint64_t now = clock_ms();
    struct ready list[2] = {{.fd = p->wake.fd}, {.fd = -1}};
    lock_take(&p->lock);
    if (p->links[LINK_LISTEN].pg != NULL)
        list[1].fd = pg_descriptor(p->links[LINK_LISTEN].pg);
    lock_drop(&p->lock);
    (void)ready_wait(list, COUNT_OF(list), now < until ? (int)(until - now) : 0);
    bell_clear(&p->wake);
}

static bool pg_thread_stops(struct postgres *p)
{
    lock_take(&p->lock);
    bool stops = p->stopping;
    lock_drop(&p->lock);
    return stops;
}

static void *pg_thread_run(void *arg)
{
    struct postgres *p = arg;
    uint64_t next = clock_ms() + POSTGRES_CHECK_MS;
    while (!pg_thread_stops(p)) {
        pg_thread_wait(p, next);
        pg_thread_hear(p);
        pg_thread_send_some(p);
        bool lost = p->pause_ms == 0 && !pg_thread_has_all(p);
        if (!lost && clock_ms() < next)
            continue;
        pg_thread_look(p);
        next = clock_ms() + (p->pause_ms > 0 ? p->pause_ms : POSTGRES_CHECK_MS);
    }
    return NULL;
}

/* The number is known before the first look, which would otherwise count as a
 * revocation. */
static bool pg_thread_begin(struct postgres *p, struct err *err)
{
    if (!postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, err))
        return false;
    bool ok = pg_thread_first_beat(p, err);
    postgres_give(p, LINK_LISTEN);
    return ok && pg_thread_check(p, err);
}

bool pg_thread_start(struct postgres *p, struct err *err)
{
    uint8_t bytes[PG_THREAD_ID / 2];
    struct arena a = {0};
    if (p->has_thread)
        return true;
    rand_bytes(bytes, sizeof(bytes));
    str hex = encode_hex(&a, (str){(const char *)bytes, sizeof(bytes)});
    memcpy(p->id, hex.p, PG_THREAD_ID - 1);
    arena_release(&a);
    p->answered = clock_ms();
    if (!pg_thread_begin(p, err))
        return false;
    if (!bell_open(&p->wake))
        return err_sys(err, "cannot wake the thread of the sign-in database");
    p->has_thread = thread_start(&p->thread, "state-database", pg_thread_run, p);
    return p->has_thread ||
           err_sys(err, "cannot start the thread of the sign-in database");
}

void pg_thread_stop(struct postgres *p)
{
    lock_take(&p->lock);
    p->stopping = true;
    lock_drop(&p->lock);
    pg_thread_wake(p);
    if (p->has_thread)
        thread_join(&p->thread);
    bell_close(&p->wake);
    queue_release(&p->out);
    queue_release(&p->in);
}
