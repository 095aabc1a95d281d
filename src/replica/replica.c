#include "replica/replica.h"

#include "base/clock.h"
#include "base/encode.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/os/rand.h"
#include "replica/leader.h"
#include "replica/pubsub.h"
#include "replica/sql.h"
#include "state/store.h"

enum { REPLICA_BYTES = (REPLICA_ID_SIZE - 1) / 2 };

/* A secret file, only because it must be made once, durably. */
static bool read_replica(struct replica *r, const char *state_dir, struct err *err)
{
    struct arena a = {0};
    uint8_t raw[REPLICA_BYTES];
    bool ok = fs_make_folder(state_dir, err) &&
              fs_secret_file(state_dir, "replica", raw, sizeof(raw), err);
    if (ok)
        memcpy(r->name, encode_hex(&a, (str){(char *)raw, sizeof(raw)}).p,
               sizeof(r->name) - 1);
    arena_release(&a);
    return ok;
}

/* The first process to start sets it. */
static bool read_common_key(struct replica *r, struct err *err)
{
    struct arena a = {0};
    struct store_value v[1];
    uint8_t fresh[REPLICA_KEY_SIZE];
    struct store_value name = STORE_S(STR("session"));
    rand_bytes(fresh, sizeof(fresh));
    bool ok = store_run(r->store, SQL_SECRET_ADD,
                        STORE_ARGS(name, STORE_B(fresh, sizeof(fresh))), NULL, err) &&
              store_get(r->store, &a, SQL_SECRET_GET, STORE_ARGS(name), v, 1, err) &&
              (v[0].s.n == REPLICA_KEY_SIZE ||
               err_set(err, ERR_INVALID, "the database is damaged"));
    if (ok)
        memcpy(r->key, v[0].s.p, REPLICA_KEY_SIZE);
    arena_release(&a);
    return ok;
}

bool replica_open(struct replica *r, str url, const char *state_dir, struct err *err)
{
    struct arena a = {0};
    if (url.n == 0)
        return true;
    bool ok = read_replica(r, state_dir, err) &&
              store_open(arena_str(&a, url).p, &r->store, err) &&
              read_common_key(r, err) && store_keep(r->store, err);
    if (ok)
        r->pubsub = pubsub_open(r->store);
    arena_release(&a);
    return ok;
}

void replica_stop(struct replica *r)
{
    pubsub_stop(r->pubsub);
}

void replica_close(struct replica *r)
{
    pubsub_close(r->pubsub);
    store_close(r->store);
    free(r->ryw);
    *r = (struct replica){0};
}

void replica_subscribe(struct replica *r, const char *topic,
                       void (*notified)(void *arg, str text), void *arg)
{
    pubsub_subscribe(r->pubsub, topic, notified, arg);
}

void replica_publish(struct replica *r, const char *topic, str text)
{
    pubsub_publish(r->pubsub, topic, text);
}

/* Below 2^53, so that JavaScript can count them. */
uint64_t replica_first_change(const struct replica *r)
{
    const uint64_t replicas = 1000 * 1000, changes = 10 * 1000 * 1000;
    if (!replica_is_shared(r))
        return 0;
    return (1 + hash_content(str_c(r->name)).high % replicas) * changes + 1;
}

void replica_not_stored(const struct err *err)
{
    log_event(LOG_WARN, "not_shared", LOG_STR("error", str_c(err->msg)),
              LOG_STR("detail", str_c(err->detail)));
}

void replica_put(struct replica *r, str name, str part, str text, int64_t seconds)
{
    struct err err = {0};
    if (!replica_is_shared(r))
        return;
    bool ok = seconds > 0
                  ? store_run(r->store, SQL_MEMO_PUT,
                              STORE_ARGS(STORE_S(name), STORE_S(part), STORE_S(text),
                                         STORE_N(clock_now() + seconds)),
                              NULL, &err)
                  : store_run(r->store, SQL_MEMO_DROP,
                              STORE_ARGS(STORE_S(name), STORE_S(part)), NULL, &err);
    if (!ok)
        replica_not_stored(&err);
}

bool replica_list(struct replica *r, struct arena *a, str name, struct replica_note **out,
                  size_t *n)
{
    enum { COLUMNS = 2 };
    struct store_value *v;
    struct err err = {0};
    *n = 0;
    if (!replica_is_shared(r))
        return true;
    if (!store_list(r->store, a, SQL_MEMO_LIST,
                    STORE_ARGS(STORE_S(name), STORE_N(clock_now())), &v, COLUMNS, n,
                    &err)) {
        replica_not_stored(&err);
        return false;
    }
    *out = ARENA_ARRAY(a, struct replica_note, *n + 1);
    for (size_t i = 0; i < *n; i++)
        (*out)[i] = (struct replica_note){v[COLUMNS * i].s, v[COLUMNS * i + 1].s};
    return true;
}

/* The first name after all that begin so. */
static str after_all(struct arena *a, str start)
{
    char *end = (char *)arena_str(a, start).p;
    end[start.n - 1]++;
    return (str){end, start.n};
}

bool replica_put_some(struct replica *r, str name, str part, int64_t seconds,
                      const struct replica_limits *limits, bool *full)
{
    struct arena a = {0};
    struct err err = {0};
    int changed = 0;
    *full = false;
    if (!replica_is_shared(r))
        return true;
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
    bool ok = store_begin(r->store, "memos", &err) &&
              store_end(r->store,
                        store_run(r->store, SQL_MEMO_PUT_SOME, args, COUNT_OF(args),
                                  &changed, &err),
                        &err);
    if (!ok)
        replica_not_stored(&err);
    *full = ok && changed == 0;
    arena_release(&a);
    return ok;
}

void replica_touch(struct replica *r, str name, int64_t seconds)
{
    struct err err = {0};
    if (replica_is_shared(r) &&
        !store_run(r->store, SQL_MEMO_TOUCH,
                   STORE_ARGS(STORE_N(clock_now() + seconds), STORE_S(name)), NULL, &err))
        replica_not_stored(&err);
}

bool replica_once(struct replica *r, str name, int64_t seconds, bool *first)
{
    struct err err = {0};
    int changed = 0;
    *first = true;
    if (!replica_is_shared(r))
        return true;
    bool ok = store_run(r->store, SQL_MEMO_ADD,
                        STORE_ARGS(STORE_S(name), STORE_S(STR("")), STORE_S(STR("")),
                                   STORE_N(clock_now() + seconds)),
                        &changed, &err);
    if (!ok)
        replica_not_stored(&err);
    *first = changed > 0;
    return ok;
}

void replica_sweep(struct replica *r)
{
    static const struct {
        const char *expire;
        int64_t after_s;
    } rows[] = {{SQL_MEMO_EXPIRE, 0}, {SQL_ONCE_EXPIRE, 0}, {SQL_MARK_EXPIRE, 24 * 3600}};
    struct err err;
    uint64_t fence;
    if (!replica_is_shared(r) || !leader_take(r->store, STR("sweep"), &fence))
        return;
    for (size_t i = 0; i < COUNT_OF(rows) && leader_holds(r->store, STR("sweep"), fence);
         i++)
        (void)!store_run(r->store, rows[i].expire,
                         STORE_ARGS(STORE_N(clock_now() - rows[i].after_s)), NULL, &err);
    leader_leave(r->store, STR("sweep"));
}
