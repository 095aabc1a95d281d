#include "app/setup/shared.h"

#include "base/clock.h"
#include "base/encode.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/os/rand.h"
#include "replica/sql.h"
#include "state/duty.h"
#include "state/feed.h"
#include "state/store.h"

enum { REPLICA_BYTES = (SHARED_ID_SIZE - 1) / 2 };

/* A secret file, only because it must be made once, durably. */
static bool read_replica(struct shared *s, const char *state_dir, struct err *err)
{
    struct arena a = {0};
    uint8_t raw[REPLICA_BYTES];
    bool ok = fs_make_folder(state_dir, err) &&
              fs_secret_file(state_dir, "replica", raw, sizeof(raw), err);
    if (ok)
        memcpy(s->replica, encode_hex(&a, (str){(char *)raw, sizeof(raw)}).p,
               sizeof(s->replica) - 1);
    arena_release(&a);
    return ok;
}

/* The first process to start sets it. */
static bool read_common_key(struct shared *s, struct err *err)
{
    struct arena a = {0};
    struct store_value v[1];
    uint8_t fresh[MCP_KEY_SIZE];
    struct store_value name = STORE_S(STR("session"));
    rand_bytes(fresh, sizeof(fresh));
    bool ok = store_run(s->store, SQL_SECRET_ADD,
                        STORE_ARGS(name, STORE_B(fresh, sizeof(fresh))), NULL, err) &&
              store_get(s->store, &a, SQL_SECRET_GET, STORE_ARGS(name), v, 1, err) &&
              (v[0].s.n == MCP_KEY_SIZE ||
               err_set(err, ERR_INVALID, "the database is damaged"));
    if (ok)
        memcpy(s->key, v[0].s.p, MCP_KEY_SIZE);
    arena_release(&a);
    return ok;
}

bool shared_open(struct shared *s, str url, const char *state_dir, struct err *err)
{
    struct arena a = {0};
    if (url.n == 0)
        return true;
    bool ok = read_replica(s, state_dir, err) &&
              store_open(arena_str(&a, url).p, &s->store, err) &&
              read_common_key(s, err) && store_keep(s->store, err);
    arena_release(&a);
    return ok;
}

void shared_listen(struct shared *s, const struct feed_config *config)
{
    if (shared_is_on(s))
        s->feed = feed_open(s->store, config);
}

void shared_deafen(struct shared *s)
{
    struct feed *feed = s->feed;
    s->feed = NULL;
    feed_close(feed);
}

void shared_hear_rates(struct shared *s, void (*heard)(void *arg, str text), void *arg)
{
    mutex_lock(&s->hearing);
    s->heard_rates = heard;
    s->heard_arg = arg;
    mutex_unlock(&s->hearing);
}

void shared_heard_rates(struct shared *s, str text)
{
    mutex_lock(&s->hearing);
    if (s->heard_rates != NULL)
        s->heard_rates(s->heard_arg, text);
    mutex_unlock(&s->hearing);
}

void shared_close(struct shared *s)
{
    store_close(s->store);
    *s = (struct shared){0};
}

/* Below 2^53, so that JavaScript can count them. */
uint64_t shared_first_change(const struct shared *s)
{
    const uint64_t replicas = 1000 * 1000, changes = 10 * 1000 * 1000;
    if (!shared_is_on(s))
        return 0;
    return (1 + hash_content(str_c(s->replica)).high % replicas) * changes + 1;
}

void shared_tell(struct shared *s, enum feed_topic topic, str text)
{
    if (s->feed != NULL)
        feed_say(s->feed, topic, text);
}

void shared_not_stored(const struct err *err)
{
    log_event(LOG_WARN, "not_shared", LOG_STR("error", str_c(err->msg)),
              LOG_STR("detail", str_c(err->detail)));
}

void shared_put(struct shared *s, str name, str part, str text, int64_t seconds)
{
    struct err err = {0};
    bool ok = seconds > 0
                  ? store_run(s->store, SQL_MEMO_PUT,
                              STORE_ARGS(STORE_S(name), STORE_S(part), STORE_S(text),
                                         STORE_N(clock_now() + seconds)),
                              NULL, &err)
                  : store_run(s->store, SQL_MEMO_DROP,
                              STORE_ARGS(STORE_S(name), STORE_S(part)), NULL, &err);
    if (!ok)
        shared_not_stored(&err);
}

bool shared_list(struct shared *s, struct arena *a, str name, struct mcp_peer_note **out,
                 size_t *n)
{
    enum { COLUMNS = 2 };
    struct store_value *v;
    struct err err = {0};
    if (!store_list(s->store, a, SQL_MEMO_LIST,
                    STORE_ARGS(STORE_S(name), STORE_N(clock_now())), &v, COLUMNS, n,
                    &err)) {
        shared_not_stored(&err);
        return false;
    }
    *out = ARENA_ARRAY(a, struct mcp_peer_note, *n + 1);
    for (size_t i = 0; i < *n; i++)
        (*out)[i] = (struct mcp_peer_note){v[COLUMNS * i].s, v[COLUMNS * i + 1].s};
    return true;
}

/* The first name after all that begin so. */
static str after_all(struct arena *a, str start)
{
    char *end = (char *)arena_str(a, start).p;
    end[start.n - 1]++;
    return (str){end, start.n};
}

bool shared_put_some(struct shared *s, str name, str part, int64_t seconds,
                     const struct mcp_peer_limits *limits, bool *full)
{
    struct arena a = {0};
    struct err err = {0};
    int changed = 0;
    const struct store_value args[] = {
        STORE_S(name),
        STORE_S(part),
        STORE_N(clock_now() + seconds),
        STORE_S(limits->group),
        STORE_S(after_all(&a, limits->group)),
        STORE_N(limits->group_max),
        STORE_S(limits->all),
        STORE_S(after_all(&a, limits->all)),
        STORE_N(limits->all_max),
    };
    bool ok = store_begin(s->store, "memos", &err) &&
              store_end(s->store,
                        store_run(s->store, SQL_MEMO_PUT_SOME, args, COUNT_OF(args),
                                  &changed, &err),
                        &err);
    if (!ok)
        shared_not_stored(&err);
    *full = ok && changed == 0;
    arena_release(&a);
    return ok;
}

void shared_touch(struct shared *s, str name, int64_t seconds)
{
    struct err err = {0};
    if (!store_run(s->store, SQL_MEMO_TOUCH,
                   STORE_ARGS(STORE_N(clock_now() + seconds), STORE_S(name)), NULL, &err))
        shared_not_stored(&err);
}

bool shared_once(struct shared *s, str name, int64_t seconds, bool *first)
{
    struct err err = {0};
    int changed = 0;
    bool ok = store_run(s->store, SQL_MEMO_ADD,
                        STORE_ARGS(STORE_S(name), STORE_S(STR("")), STORE_S(STR("")),
                                   STORE_N(clock_now() + seconds)),
                        &changed, &err);
    if (!ok)
        shared_not_stored(&err);
    *first = changed > 0;
    return ok;
}

void shared_sweep(struct shared *s)
{
    static const struct {
        const char *expire;
        int64_t after_s;
    } rows[] = {{SQL_MEMO_EXPIRE, 0}, {SQL_ONCE_EXPIRE, 0}, {SQL_MARK_EXPIRE, 24 * 3600}};
    struct err err;
    uint64_t fence;
    if (!shared_is_on(s) || !duty_take(s->store, STR("sweep"), &fence))
        return;
    for (size_t i = 0; i < COUNT_OF(rows) && duty_holds(s->store, STR("sweep"), fence);
         i++)
        (void)!store_run(s->store, rows[i].expire,
                         STORE_ARGS(STORE_N(clock_now() - rows[i].after_s)), NULL, &err);
    duty_leave(s->store, STR("sweep"));
}
