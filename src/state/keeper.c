/*
 * The keeper: a thread that makes the connections of a store in PostgreSQL, again after
 * they were lost, and uses the one that listens.
 *
 * Twice a second it asks for the number of revocations, so that those hold in every
 * process within a second even if a notification is lost; and it sees by this whether the
 * database answers. A message is "ID TOPIC TEXT": the process that sent it, a number, and
 * the rest. One that is too long for a notification is a row of memos, with "ID NUMBER" as
 * its part and "TOPIC TEXT" as its value, and the notification is "ID @ NUMBER".
 */
#include "state/keeper.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/log.h"
#include "base/os/rand.h"
#include "base/os/ready.h"
#include "state/postgres.h"

/* --- connections --- */

static void keeper_report(struct postgres *p, bool away, const struct err *err)
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

/* What nobody uses is lost, too: the next call must not have to find that out. */
static void keeper_drop(struct postgres *p)
{
    for (size_t i = 0; i < LINKS_N; i++) {
        struct link *link = &p->links[i];
        struct pg *lost = NULL;
        mutex_lock(&p->lock);
        if (link->owner == 0) {
            lost = link->pg;
            link->pg = NULL;
        }
        mutex_unlock(&p->lock);
        pg_close(lost);
    }
}

static void keeper_failed(struct postgres *p, const struct err *err)
{
    keeper_drop(p);
    atomic_store(&p->steady, 0);
    p->next_beat = 0;
    if (atomic_load(&p->away) != 0)
        return;
    atomic_store(&p->away, p->answered);
    mutex_lock(&p->lock);
    cond_wake_all(&p->freed); /* nobody waits any more */
    mutex_unlock(&p->lock);
    keeper_report(p, true, err);
}

static bool keeper_has(struct postgres *p, enum postgres_link which)
{
    mutex_lock(&p->lock);
    bool has = p->links[which].pg != NULL;
    mutex_unlock(&p->lock);
    return has;
}

static void keeper_tell_lost(struct postgres *p)
{
    mutex_lock(&p->feeding);
    if (p->feed != NULL)
        feed_lost(p->feed);
    mutex_unlock(&p->feeding);
}

static bool keeper_has_all(struct postgres *p)
{
    bool has = true;
    for (enum postgres_link i = 0; i < LINKS_N && has; i++)
        has = keeper_has(p, i);
    return has;
}

/* Connect what is not connected. */
static bool keeper_connect(struct postgres *p, struct err *err)
{
    for (enum postgres_link i = 0; i < LINKS_N; i++) {
        if (keeper_has(p, i))
            continue;
        if (!postgres_connect(p, i, err))
            return false;
        if (i == LINK_LISTEN)
            keeper_tell_lost(p);
    }
    return true;
}

/* --- the generation --- */

static void keeper_note_beat(struct postgres *p, bool ok, const struct err *err)
{
    bool was = atomic_load(&p->steady) != 0;
    if (ok != was)
        atomic_store(&p->steady, ok ? clock_ms() : 0);
    if (was && !ok)
        log_event(LOG_WARN, "lease_not_renewed", LOG_STR("error", str_c(err->msg)),
                  LOG_STR("detail", str_c(err->detail)));
}

/* A database that refuses our beat, perhaps because its disk is full, can still be read. */
static bool keeper_check(struct postgres *p, struct err *err)
{
    int64_t n;
    struct err refused = {0};
    if (!postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, err))
        return false;
    struct pg *pg = p->links[LINK_LISTEN].pg;
    bool ok = pg_number(pg, "SELECT n FROM revocations", STORE_NO_ARGS,
                        POSTGRES_ANSWER_MS, &n, err);
    bool beat = ok && lease_beat(p, &refused);
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
    keeper_note_beat(p, beat, &refused);
    return true;
}

/* Everything is connected and answers, or is so again; else it pauses. */
static void keeper_look(struct postgres *p)
{
    struct err err = {0};
    if (keeper_connect(p, &err) && keeper_check(p, &err)) {
        if (atomic_load(&p->away) != 0)
            keeper_report(p, false, &err);
        p->answered = clock_ms();
        atomic_store(&p->away, 0);
        p->pause_ms = 0;
        return;
    }
    keeper_failed(p, &err);
    p->pause_ms = p->pause_ms == 0 ? POSTGRES_PAUSE_MS : p->pause_ms * 2;
    if (p->pause_ms > POSTGRES_PAUSE_MAX_MS)
        p->pause_ms = POSTGRES_PAUSE_MAX_MS;
}

/* --- messages --- */

void keeper_say(struct postgres *p, enum feed_topic topic, str text)
{
    struct arena a = {0};
    str line = arena_printf(&a, "%s %d " STR_FMT, p->id, (int)topic, STR_ARG(text));
    mutex_lock(&p->lock);
    bool fits =
        p->n_said < FEED_WAITING_MAX && p->said_bytes + line.n <= FEED_WAITING_BYTES;
    if (fits) {
        *ARRAY_ADD(NULL, p->said, p->n_said) = mem_str(line);
        p->said_bytes += line.n;
    }
    mutex_unlock(&p->lock);
    arena_release(&a);
    keeper_wake(p);
}

static bool keeper_notify(struct postgres *p, str line, struct err *err)
{
    int64_t ignored;
    return pg_number(p->links[LINK_LISTEN].pg,
                     "SELECT 1 FROM (SELECT pg_notify('vaultd', $1)) AS n",
                     &STORE_S(line), 1, POSTGRES_ANSWER_MS, &ignored, err);
}

/* The others hear of the row when it is there. Those that nobody needs any more are removed
 * on this occasion. */
static bool keeper_notify_long(struct postgres *p, str line, struct err *err)
{
    struct arena a = {0};
    int64_t ignored, now = clock_now();
    str id;
    str_next(&line, ' ', &id);
    unsigned long long number = ++p->n_long;
    struct store_value args[] = {STORE_S(arena_printf(&a, "%s %llu", p->id, number)),
                                 STORE_S(line), STORE_N(now + FEED_LONG_S),
                                 STORE_S(arena_printf(&a, "%s @ %llu", p->id, number)),
                                 STORE_N(now)};
    bool ok = pg_number(
        p->links[LINK_LISTEN].pg,
        "WITH old AS (DELETE FROM memos WHERE name = 'feed' AND expires <= $5), "
        "new AS (INSERT INTO memos VALUES('feed', $1, $2, $3) RETURNING 1) "
        "SELECT 1 FROM (SELECT pg_notify('vaultd', $4) FROM new) AS n",
        args, COUNT_OF(args), POSTGRES_ANSWER_MS, &ignored, err);
    arena_release(&a);
    return ok;
}

static void keeper_send(struct postgres *p)
{
    struct err err;
    mutex_lock(&p->lock);
    char **said = p->said;
    size_t n = p->n_said;
    p->said = NULL;
    p->n_said = p->said_bytes = 0;
    mutex_unlock(&p->lock);
    bool ok = n > 0 && postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, &err);
    for (size_t i = 0; i < n; i++) {
        str line = str_c(said[i]);
        if (ok) /* else it is lost, as feed.h says */
            (void)!(line.n <= KEEPER_LINE_MAX ? keeper_notify(p, line, &err)
                                              : keeper_notify_long(p, line, &err));
        free(said[i]);
    }
    if (ok)
        postgres_give(p, LINK_LISTEN);
    free((void *)said);
}

/* The text of a row; empty if it is not there. Meanwhile notifications may have arrived,
 * which nobody would notice before the next look. */
static str keeper_fetch(struct postgres *p, struct arena *a, str id, str number)
{
    struct err err;
    struct pg_rows *rows;
    struct store_value value = {0};
    str part = arena_printf(a, STR_FMT " " STR_FMT, STR_ARG(id), STR_ARG(number));
    struct pg_query q = {.text =
                             "SELECT value FROM memos WHERE name = 'feed' AND part = $1",
                         .args = &STORE_S(part),
                         .n_args = 1};
    if (!postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, &err))
        return STR("");
    if (pg_query(p->links[LINK_LISTEN].pg, &q, POSTGRES_ANSWER_MS, &rows, &err)) {
        if (pg_rows_count(rows) > 0)
            pg_rows_read(rows, 0, a, &value, 1);
        pg_rows_free(rows);
    }
    postgres_give(p, LINK_LISTEN);
    keeper_wake(p);
    return value.s;
}

/* "TOPIC TEXT" */
static void keeper_deliver(struct postgres *p, str message)
{
    str number;
    int64_t topic;
    if (!str_next(&message, ' ', &number) || !str_to_int(number, &topic) || topic < 0 ||
        topic >= FEED_TOPICS_N)
        return;
    if (topic == FEED_REVOKED)
        atomic_fetch_add(&p->revoked, 1);
    mutex_lock(&p->feeding);
    if (p->feed != NULL)
        feed_hear(p->feed, (enum feed_topic)topic, message);
    mutex_unlock(&p->feeding);
}

static void keeper_hand_on(struct postgres *p, str message)
{
    struct arena a = {0};
    str id;
    if (!str_next(&message, ' ', &id) || str_eq(id, str_c(p->id)))
        return;
    if (str_starts(message, STR("@ ")))
        message = keeper_fetch(p, &a, id, str_skip(message, 2));
    keeper_deliver(p, message);
    arena_release(&a);
}

static void keeper_listen(struct postgres *p)
{
    struct arena a = {0};
    struct err err;
    str text;
    struct {
        str *all;
        size_t n;
    } heard = {0};
    if (!postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, &err))
        return;
    while (pg_heard(p->links[LINK_LISTEN].pg, &a, &text))
        *ARRAY_ADD(&a, heard.all, heard.n) = text;
    postgres_give(p, LINK_LISTEN);
    for (size_t i = 0; i < heard.n; i++)
        keeper_hand_on(p, heard.all[i]);
    arena_release(&a);
}

/* --- the thread --- */

void keeper_wake(struct postgres *p)
{
    if (p->has_keeper)
        bell_ring(&p->wake);
}

static void keeper_wait(struct postgres *p, uint64_t until)
{
    uint64_t now = clock_ms();
    struct ready list[2] = {{.fd = p->wake.fd}, {.fd = -1}};
    mutex_lock(&p->lock);
    if (p->links[LINK_LISTEN].pg != NULL)
        list[1].fd = pg_descriptor(p->links[LINK_LISTEN].pg);
    mutex_unlock(&p->lock);
    (void)ready_wait(list, COUNT_OF(list), now < until ? (int)(until - now) : 0);
    bell_clear(&p->wake);
}

static bool keeper_stops(struct postgres *p)
{
    mutex_lock(&p->lock);
    bool stops = p->stopping;
    mutex_unlock(&p->lock);
    return stops;
}

static void *keeper_run(void *arg)
{
    struct postgres *p = arg;
    uint64_t next = clock_ms() + POSTGRES_CHECK_MS;
    while (!keeper_stops(p)) {
        keeper_wait(p, next);
        keeper_listen(p);
        keeper_send(p);
        bool lost = p->pause_ms == 0 && !keeper_has_all(p);
        if (!lost && clock_ms() < next)
            continue;
        keeper_look(p);
        next = clock_ms() + (p->pause_ms > 0 ? p->pause_ms : POSTGRES_CHECK_MS);
    }
    return NULL;
}

/* The number is known before the first look, which would otherwise count as a revocation. */
static bool keeper_begin(struct postgres *p, struct err *err)
{
    if (!postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, err))
        return false;
    bool ok = lease_begin(p, err);
    postgres_give(p, LINK_LISTEN);
    return ok && keeper_check(p, err);
}

bool keeper_start(struct postgres *p, struct err *err)
{
    uint8_t bytes[KEEPER_ID / 2];
    struct arena a = {0};
    if (p->has_keeper)
        return true;
    rand_bytes(bytes, sizeof(bytes));
    str hex = encode_hex(&a, (str){(const char *)bytes, sizeof(bytes)});
    memcpy(p->id, hex.p, KEEPER_ID - 1);
    arena_release(&a);
    p->answered = clock_ms();
    if (!keeper_begin(p, err))
        return false;
    if (!bell_open(&p->wake))
        return err_sys(err, "the keeper of the sign-in database cannot be woken");
    p->has_keeper = thread_start(&p->keeper, "state-keeper", keeper_run, p);
    return p->has_keeper ||
           err_sys(err, "the keeper of the sign-in database cannot be started");
}

void keeper_stop(struct postgres *p)
{
    mutex_lock(&p->lock);
    p->stopping = true;
    mutex_unlock(&p->lock);
    keeper_wake(p);
    if (p->has_keeper)
        thread_join(&p->keeper);
    bell_close(&p->wake);
    for (size_t i = 0; i < p->n_said; i++)
        free(p->said[i]);
    free((void *)p->said);
}
