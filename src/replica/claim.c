#include "replica/claim.h"

#include "base/clock.h"
#include "base/hash.h"
#include "replica/lease.h"
#include "replica/replica.h"
#include "replica/sql.h"
#include "state/store.h"

static bool claim_read(struct replica *r, struct arena *a, str name, str request,
                       struct claim *out, struct err *err)
{
    enum { REPLICA, PROCESS, REQUEST, NUMBER, ANSWER, COLUMNS };
    struct store_value v[COLUMNS];
    if (!store_get(r->store, a, SQL_ONCE_GET, STORE_ARGS(STORE_S(name)), v, COLUMNS, err))
        return false;
    *out = (struct claim){.replica = v[REPLICA].s,
                          .process = v[PROCESS].s,
                          .answer = v[ANSWER].s,
                          .own = str_eq(v[REPLICA].s, str_c(r->name)),
                          .same = str_eq(v[REQUEST].s, request),
                          .number = v[NUMBER].n};
    return true;
}

/* It is from before a restart: others wait for us again. */
static bool claim_resume(struct replica *r, str name, const struct claim *c,
                         struct err *err)
{
    str self = lease_own(r->store);
    return !c->own || !c->same || c->number > 0 || str_eq(c->process, self) ||
           store_run(r->store, SQL_ONCE_RESUME,
                     STORE_ARGS(STORE_S(self), STORE_S(name), STORE_S(c->replica)), NULL,
                     err);
}

bool claim_take(struct replica *r, struct arena *a, str name, str request,
                struct claim *out, struct err *err)
{
    uint8_t hash[HASH_SIZE];
    str digest = {(char *)hash, sizeof(hash)};
    *out = (struct claim){.own = true, .same = true};
    if (!replica_is_shared(r))
        return true;
    hash_sha256(request, hash);
    return store_run(r->store, SQL_ONCE_ADD,
                     STORE_ARGS(STORE_S(name), STORE_S(str_c(r->name)),
                                STORE_B(hash, sizeof(hash)),
                                STORE_N(clock_now() + CLAIM_S),
                                STORE_S(lease_own(r->store))),
                     NULL, err) &&
           claim_read(r, a, name, digest, out, err) && claim_resume(r, name, out, err);
}

void claim_made(struct replica *r, str name, uint64_t number, str answer)
{
    struct err err = {0};
    if (replica_is_shared(r) &&
        !store_run(r->store, SQL_ONCE_MADE,
                   STORE_ARGS(STORE_N(number), STORE_S(answer), STORE_S(name)), NULL,
                   &err))
        replica_not_stored(&err);
}

void claim_drop(struct replica *r, str name)
{
    struct err err = {0};
    if (replica_is_shared(r) &&
        !store_run(r->store, SQL_ONCE_DROP,
                   STORE_ARGS(STORE_S(name), STORE_S(str_c(r->name))), NULL, &err))
        replica_not_stored(&err);
}

bool claim_is_pushed(struct replica *r, str vault, const struct claim *c, bool *pushed,
                     struct err *err)
{
    enum { NUMBER, COMMIT, COLUMNS };
    struct arena a = {0};
    struct store_value v[COLUMNS];
    bool ok = store_get(r->store, &a, SQL_HEAD_GET,
                        STORE_ARGS(STORE_S(vault), STORE_S(c->replica)), v, COLUMNS, err);
    *pushed = ok && v[NUMBER].n >= c->number;
    arena_release(&a);
    return ok || err->code == ERR_NOT_FOUND;
}
