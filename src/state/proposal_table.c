#include "state/proposal_table.h"

#include "base/encode.h"
#include "base/os/rand.h"
#include "base/utf8.h"
#include "state/proposal_table_sql.h"
#include "state/store.h"

#define LOCK_PROPOSALS "proposals"

enum { ID_BYTES = 6, ROW_COLUMNS = 12, DAY_S = 24 * 60 * 60 };

const char *proposal_state_name(enum proposal_state state)
{
    static const char *const names[] = {
        [PROPOSAL_WAITING] = "waiting",   [PROPOSAL_ACCEPTING] = "being accepted",
        [PROPOSAL_ACCEPTED] = "accepted", [PROPOSAL_PARTLY] = "partly accepted",
        [PROPOSAL_REJECTED] = "rejected", [PROPOSAL_EXPIRED] = "expired",
    };
    return names[state];
}

static int64_t oldest(int64_t now)
{
    return now - (int64_t)PROPOSALS_DAYS * DAY_S;
}

/* Whoever began to accept one before that is taken for dead. */
static int64_t dead(int64_t now)
{
    return now - PROPOSALS_ACCEPTING_S;
}

/* --- adding --- */

bool proposal_table_repeated(struct store *s, struct arena *a, str vault, str key,
                             str request, struct proposal_earlier *out, struct err *err)
{
    struct store_value v[3];
    *out = (struct proposal_earlier){0};
    if (!store_get(s, a, SQL_PROPOSAL_BY_KEY, STORE_ARGS(STORE_S(vault), STORE_S(key)), v,
                   3, err))
        return err->code == ERR_NOT_FOUND;
    *out = (struct proposal_earlier){
        .id = v[0].s, .same = str_eq(v[1].s, request), .answer = v[2].s};
    return true;
}

/* What is old goes first. */
static bool drop_old(struct store *s, str vault, int64_t now, struct err *err)
{
    int64_t since = oldest(now);
    return store_run(s, SQL_PROPOSAL_EXPIRE,
                     STORE_ARGS(STORE_N(now), STORE_S(vault), STORE_N(since),
                                STORE_N(dead(now))),
                     NULL, err) &&
           store_run(s, SQL_PROPOSAL_PRUNE,
                     STORE_ARGS(STORE_S(vault), STORE_N(since), STORE_S(vault),
                                STORE_N(PROPOSALS_VAULT_MAX)),
                     NULL, err);
}

static bool proposals_have_room(struct store *s, struct arena *a,
                                const struct proposal_new *p, struct err *err)
{
    struct store_value own[2], all[2];
    int64_t bytes = (int64_t)p->body.n;
    if (!store_get(s, a, SQL_PROPOSAL_COUNT_OWN,
                   STORE_ARGS(STORE_S(p->vault), STORE_S(p->owner)), own, 2, err) ||
        !store_get(s, a, SQL_PROPOSAL_COUNT, STORE_ARGS(STORE_S(p->vault)), all, 2, err))
        return false;
    if (own[0].n >= PROPOSALS_OWNER_MAX || own[1].n + bytes > PROPOSALS_OWNER_BYTES)
        return err_set(err, ERR_LIMIT,
                       "%lld proposals of this client wait for a review (at most %d, and "
                       "%d MiB): ask the user to accept or reject some first",
                       (long long)own[0].n, PROPOSALS_OWNER_MAX,
                       PROPOSALS_OWNER_BYTES >> 20);
    return (all[0].n < PROPOSALS_VAULT_MAX &&
            all[1].n + bytes <= PROPOSALS_VAULT_BYTES) ||
           err_set(err, ERR_LIMIT,
                   "too many proposals wait for a review in this vault: ask the user to "
                   "accept or reject some first");
}

static bool proposal_table_add_row(struct store *s, struct arena *a,
                                   const struct proposal_new *p, int64_t now, str *id,
                                   struct err *err)
{
    char bytes[ID_BYTES];
    rand_bytes(bytes, sizeof(bytes));
    *id = encode_hex(a, (str){bytes, sizeof(bytes)});
    return store_run(s, SQL_PROPOSAL_ADD,
                     STORE_ARGS(STORE_S(*id), STORE_S(p->vault), STORE_S(p->owner),
                                STORE_N(now), STORE_S(p->summary), STORE_N(p->body.n),
                                STORE_B(p->body.p, p->body.n),
                                STORE_S(p->key.n > 0 ? p->key : *id), STORE_S(p->request),
                                STORE_S(p->answer), STORE_S(p->paths)),
                     NULL, err);
}

/* Within a transaction. */
static bool add_new(struct store *s, struct arena *a, const struct proposal_new *p,
                    int64_t now, str *id, struct proposal_earlier *earlier,
                    struct err *err)
{
    if (p->key.n > 0 &&
        !proposal_table_repeated(s, a, p->vault, p->key, p->request, earlier, err))
        return false;
    return earlier->id.n > 0 ||
           (drop_old(s, p->vault, now, err) && proposals_have_room(s, a, p, err) &&
            proposal_table_add_row(s, a, p, now, id, err));
}

bool proposal_table_add(struct store *s, struct arena *a, const struct proposal_new *p,
                        int64_t now, str *id, struct proposal_earlier *earlier,
                        struct err *err)
{
    *earlier = (struct proposal_earlier){0};
    return store_begin(s, LOCK_PROPOSALS, err) &&
           store_end(s, add_new(s, a, p, now, id, earlier, err), err);
}

/* --- reading --- */

static struct proposal_row row_of(const struct store_value *v)
{
    return (struct proposal_row){.id = v[0].s,
                                 .vault = v[1].s,
                                 .owner = v[2].s,
                                 .created = v[3].n,
                                 .state = (enum proposal_state)v[4].n,
                                 .summary = v[5].s,
                                 .bytes = v[6].n,
                                 .decided = v[7].n,
                                 .decided_by = v[8].s,
                                 .reason = v[9].s,
                                 .change = v[10].n,
                                 .choice = v[11].s};
}

static struct proposal_row *rows_of(struct arena *a, const struct store_value *v,
                                    size_t n)
{
    struct proposal_row *out = ARENA_ARRAY(a, struct proposal_row, n);
    for (size_t i = 0; i < n; i++)
        out[i] = row_of(&v[i * ROW_COLUMNS]);
    return out;
}

bool proposal_table_newest(struct store *s, int64_t *out, struct err *err)
{
    struct arena a = {0};
    struct store_value v;
    bool ok = store_get(s, &a, SQL_PROPOSAL_NEWEST, STORE_NO_ARGS, &v, 1, err);
    arena_release(&a);
    *out = ok ? v.n : 0;
    return ok;
}

bool proposal_table_list(struct store *s, struct arena *a, str vault, const str *owner,
                         struct proposal_row **out, size_t *n, struct err *err)
{
    struct store_value *v;
    bool ok = owner == NULL
                  ? store_list(s, a, SQL_PROPOSAL_LIST, STORE_ARGS(STORE_S(vault)), &v,
                               ROW_COLUMNS, n, err)
                  : store_list(s, a, SQL_PROPOSAL_LIST_OWN,
                               STORE_ARGS(STORE_S(vault), STORE_S(*owner)), &v,
                               ROW_COLUMNS, n, err);
    if (!ok)
        return false;
    *out = rows_of(a, v, *n);
    return true;
}

bool proposal_table_unknown(str id, struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "there is no proposal '" STR_FMT "'",
                   STR_ARG(utf8_cut(id, 40)));
}

bool proposal_table_get(struct store *s, struct arena *a, str vault, str id,
                        struct proposal_row *out, str *body, struct err *err)
{
    struct store_value v[ROW_COLUMNS + 1];
    if (!store_get(s, a, SQL_PROPOSAL_GET, STORE_ARGS(STORE_S(vault), STORE_S(id)), v,
                   ROW_COLUMNS + 1, err))
        return err->code == ERR_NOT_FOUND ? proposal_table_unknown(id, err) : false;
    *out = row_of(v);
    *body = v[ROW_COLUMNS].s;
    return true;
}

bool proposal_table_decided(struct store *s, struct arena *a, int64_t since,
                            struct proposal_row **out, size_t *n, struct err *err)
{
    struct store_value *v;
    if (!store_list(s, a, SQL_PROPOSAL_DECIDED, STORE_ARGS(STORE_N(since)), &v,
                    ROW_COLUMNS, n, err))
        return false;
    *out = rows_of(a, v, *n);
    return true;
}

bool proposal_table_paths(struct store *s, struct arena *a, str vault, str owner,
                          struct proposal_paths **out, size_t *n, struct err *err)
{
    struct store_value *v;
    if (!store_list(s, a, SQL_PROPOSAL_PATHS, STORE_ARGS(STORE_S(vault), STORE_S(owner)),
                    &v, 2, n, err))
        return false;
    *out = ARENA_ARRAY(a, struct proposal_paths, *n);
    for (size_t i = 0; i < *n; i++)
        (*out)[i] = (struct proposal_paths){v[2 * i].s, v[2 * i + 1].s};
    return true;
}

bool proposal_table_waiting(struct store *s, int64_t *out, struct err *err)
{
    struct arena a = {0};
    struct store_value v;
    bool ok = store_get(s, &a, SQL_PROPOSAL_WAITING, STORE_NO_ARGS, &v, 1, err);
    arena_release(&a);
    *out = ok ? v.n : 0;
    return ok;
}

/* --- deciding --- */

/* It was not there to be decided: say why. */
static bool not_waiting(struct store *s, const struct proposal_verdict *v, int64_t now,
                        struct err *err)
{
    struct arena a = {0};
    struct proposal_row row;
    str ignored;
    if (proposal_table_get(s, &a, v->vault, v->id, &row, &ignored, err)) {
        bool late = row.state == PROPOSAL_WAITING && row.created < oldest(now);
        err_set(err, ERR_CONFLICT, "proposal " STR_FMT " is %s", STR_ARG(row.id),
                proposal_state_name(late ? PROPOSAL_EXPIRED : row.state));
    }
    arena_release(&a);
    return false;
}

static bool check_reason(const struct proposal_verdict *v, struct err *err)
{
    return v->reason.n <= PROPOSALS_REASON_MAX ||
           err_set(err, ERR_LIMIT, "a reason can have at most %d bytes",
                   PROPOSALS_REASON_MAX);
}

bool proposal_table_begin(struct store *s, const struct proposal_verdict *v, int64_t now,
                          struct err *err)
{
    int changed = 0;
    return check_reason(v, err) &&
           store_run(s, SQL_PROPOSAL_BEGIN,
                     STORE_ARGS(STORE_N(now), STORE_S(v->by), STORE_S(v->choice),
                                STORE_S(v->reason), STORE_S(v->vault), STORE_S(v->id),
                                STORE_N(oldest(now)), STORE_N(dead(now))),
                     &changed, err) &&
           (changed > 0 || not_waiting(s, v, now, err));
}

bool proposal_table_end(struct store *s, const struct proposal_verdict *v, bool partly,
                        int64_t change, int64_t now, struct err *err)
{
    return store_run(s, SQL_PROPOSAL_END,
                     STORE_ARGS(STORE_N(partly ? PROPOSAL_PARTLY : PROPOSAL_ACCEPTED),
                                STORE_N(now), STORE_N(change), STORE_S(v->choice),
                                STORE_S(v->vault), STORE_S(v->id)),
                     NULL, err);
}

bool proposal_table_hold(struct store *s, const struct proposal_verdict *v, int64_t begun,
                         int64_t now, struct err *err)
{
    int changed = 0;
    return store_run(s, SQL_PROPOSAL_HOLD,
                     STORE_ARGS(STORE_N(now), STORE_S(v->vault), STORE_S(v->id),
                                STORE_N(begun)),
                     &changed, err) &&
           (changed > 0 || not_waiting(s, v, now, err));
}

void proposal_table_release(struct store *s, str vault, str id, int64_t begun)
{
    struct err ignored; /* then it can be accepted again after PROPOSALS_ACCEPTING_S */
    (void)!store_run(s, SQL_PROPOSAL_RELEASE,
                     STORE_ARGS(STORE_S(vault), STORE_S(id), STORE_N(begun)), NULL,
                     &ignored);
}

bool proposal_table_reject(struct store *s, const struct proposal_verdict *v, int64_t now,
                           struct err *err)
{
    int changed = 0;
    return check_reason(v, err) &&
           store_run(s, SQL_PROPOSAL_REJECT,
                     STORE_ARGS(STORE_N(now), STORE_S(v->by), STORE_S(v->reason),
                                STORE_S(v->vault), STORE_S(v->id), STORE_N(oldest(now)),
                                STORE_N(dead(now))),
                     &changed, err) &&
           (changed > 0 || not_waiting(s, v, now, err));
}
