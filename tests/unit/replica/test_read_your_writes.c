/* What a caller has seen at another replica: two replicas with one database, without
 * git. */
#include "replica/read_your_writes.h"

#include "base/clock.h"
#include "check.h"
#include "replica/replica.h"
#include "replica/replica_vault.h"
#include "state/store_backend.h"

enum { VAULTS = 3 };

/* A remote that cannot be pulled. */
struct remote {
    const char *name;
    bool missing;
};

static str remote_name(void *arg)
{
    return str_c(((struct remote *)arg)->name);
}

static bool remote_exists(void *arg)
{
    return !((struct remote *)arg)->missing;
}

static bool remote_is_stopping(void *arg)
{
    return false;
}

static uint64_t remote_pulled_at(void *arg)
{
    return 0;
}

static bool remote_pull(void *arg, uint64_t *ticket)
{
    return false;
}

static enum replica_pull remote_answer(void *arg, uint64_t ticket)
{
    return REPLICA_PULL_FAILED;
}

struct server {
    struct replica replica;
    struct remote remotes[VAULTS];
    struct replica_vault vaults[VAULTS];
};

struct world {
    struct store *store;
    struct arena arena;
    struct server here, there;
};

static void start(struct world *w, struct server *r, const char *name)
{
    static const struct replica_remote remote = {remote_name,        remote_exists,
                                                 remote_is_stopping, remote_pulled_at,
                                                 remote_pull,        remote_answer};
    static const char *const names[VAULTS] = {"", "second", "third"};
    r->replica.store = w->store;
    r->replica.ryw = ryw_create();
    memcpy(r->replica.name, name, strlen(name));
    for (size_t i = 0; i < VAULTS; i++) {
        r->remotes[i].name = names[i];
        r->vaults[i].replica = &r->replica;
        r->vaults[i].remote = &remote;
        r->vaults[i].arg = &r->remotes[i];
    }
}

static int setup(void **state)
{
    struct world *w = mem_zero(sizeof(*w));
    struct err err = {0};
    if (!store_open(NULL, &w->store, &err))
        fail_msg("%s", err.msg);
    start(w, &w->here, "here");
    start(w, &w->there, "there");
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    free(w->here.replica.ryw);
    free(w->there.replica.ryw);
    store_close(w->store);
    arena_release(&w->arena);
    free(w);
    return 0;
}

static struct ryw_request request(struct world *w, const char *owner)
{
    return (struct ryw_request){.arena = &w->arena, .owner = str_c(owner)};
}

/* The caller gets an answer about a vault. */
static void answer(struct world *w, struct server *r, size_t vault, const char *owner)
{
    struct ryw_request q = request(w, owner);
    CHECK_INT(owner, ryw_hold(&q, &r->vaults[vault]), 0);
    ryw_saw(&q);
}

/* Whether a vault is behind what the caller has seen. Nothing can be pulled here, so one
 * that should pull is stale. */
enum state { LEVEL, WAITS, PULLS };

static enum state look(struct world *w, struct server *r, size_t vault, const char *owner)
{
    struct ryw_request q = request(w, owner);
    unsigned ms = ryw_hold(&q, &r->vaults[vault]);
    return ms > 0 ? WAITS : q.stale ? PULLS : LEVEL;
}

/* A change is seen, pushed, and pulled; other vaults and other callers are not
 * concerned. */
static void test_each_vault(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < VAULTS; i++) {
        struct replica_vault *v = &w->here.vaults[i];
        replica_vault_made(v, 7);
        answer(w, &w->here, i, "ann");
        CHECK_INT("not pushed", look(w, &w->there, i, "ann"), WAITS);
        CHECK_INT("to another", look(w, &w->there, i, "ben"), LEVEL);
        CHECK_INT("at home", look(w, &w->here, i, "ann"), LEVEL);
        CHECK_INT("elsewhere", look(w, &w->there, (i + 1) % VAULTS, "ann"), LEVEL);
        assert_true(ryw_level(v, STR("0a1b"), 7));
        CHECK_INT("not pulled", look(w, &w->there, i, "ann"), PULLS);
        assert_true(ryw_level(&w->there.vaults[i], STR("0a1b"), 3));
        CHECK_INT("pulled", look(w, &w->there, i, "ann"), LEVEL);
    }
}

/* A request waits for what its caller had seen when it began, not for what others of the
 * same caller see meanwhile. */
static void test_no_chase(void **state)
{
    struct world *w = *state;
    struct replica_vault *v = &w->here.vaults[0], *other = &w->there.vaults[0];
    struct ryw_request q = request(w, "ann");
    replica_vault_made(v, 7);
    answer(w, &w->here, 0, "ann");
    assert_true(ryw_hold(&q, other) > 0);
    replica_vault_made(v, 8);
    answer(w, &w->here, 0, "ann");
    assert_true(ryw_hold(&q, other) > 0);
    assert_true(ryw_level(v, STR("0a1b"), 7));
    replica_vault_learn(other, STR("0a1b"));
    CHECK_INT("8 is not waited for", ryw_hold(&q, other), 0);
    assert_false(q.stale);
    CHECK_INT("but by the next", look(w, &w->there, 0, "ann"), WAITS);
}

/* An answer that waits to be sent does not have the changes that are made meanwhile. */
static void test_settled(void **state)
{
    struct world *w = *state;
    struct replica_vault *v = &w->here.vaults[0];
    struct ryw_request q = request(w, "ann");
    CHECK_INT("at home", ryw_hold(&q, v), 0);
    replica_vault_made(v, 7);
    ryw_settled(&q, v);
    replica_vault_made(v, 8);
    assert_true(ryw_level(v, STR("0a1b"), 7));
    ryw_saw(&q);
    replica_vault_learn(&w->there.vaults[0], STR("0a1b"));
    CHECK_INT("7 is pulled", look(w, &w->there, 0, "ann"), LEVEL);
    answer(w, &w->here, 0, "ann");
    CHECK_INT("8 is not pushed", look(w, &w->there, 0, "ann"), WAITS);
}

/* A new clone may have more than an old one, although nothing was changed in it. */
static void test_new_clone(void **state)
{
    struct world *w = *state;
    assert_true(ryw_level(&w->here.vaults[1], STR("0a1b"), 0));
    answer(w, &w->here, 1, "ann");
    CHECK_INT("the old one", look(w, &w->there, 1, "ann"), PULLS);
}

/* One query for all vaults, each of which has its own answer. */
static void test_several(void **state)
{
    struct world *w = *state;
    static const enum state expected[VAULTS] = {PULLS, WAITS, LEVEL};
    assert_true(ryw_level(&w->here.vaults[0], STR("0a1b"), 7));
    replica_vault_made(&w->here.vaults[1], 9);
    for (size_t i = 0; i < 2; i++)
        answer(w, &w->here, i, "ann");
    struct ryw_request q = request(w, "ann");
    q.several = true;
    for (size_t i = VAULTS; i-- > 0;) {
        q.stale = false;
        unsigned ms = ryw_hold(&q, &w->there.vaults[i]);
        CHECK_INT("several", ms > 0 ? WAITS : q.stale ? PULLS : LEVEL, expected[i]);
        CHECK_INT("one query", q.n_all, 2);
    }
}

/* What is not pushed is waited for once; when it is pushed, it is pulled nevertheless. */
static void test_given_up(void **state)
{
    struct world *w = *state;
    struct replica_vault *v = &w->here.vaults[2];
    replica_vault_made(v, 7);
    answer(w, &w->here, 2, "ann");
    struct ryw_request q = request(w, "ann");
    assert_true(ryw_hold(&q, &w->there.vaults[2]) > 0);
    q.began = clock_ms() - RYW_MS;
    CHECK_INT("too late", ryw_hold(&q, &w->there.vaults[2]), 0);
    assert_true(q.stale);
    CHECK_INT("the next request", look(w, &w->there, 2, "ann"), PULLS);
    replica_vault_made(v, 8);
    answer(w, &w->here, 2, "ann");
    CHECK_INT("a newer change", look(w, &w->there, 2, "ann"), WAITS);
    assert_true(ryw_level(v, STR("0a1b"), 8));
    assert_true(ryw_level(&w->there.vaults[2], STR("0a1b"), 1));
    CHECK_INT("pulled", look(w, &w->there, 2, "ann"), LEVEL);
}

/* Two callers have seen different changes, and both wait in vain: neither waits again. */
static void test_given_up_by_two(void **state)
{
    struct world *w = *state;
    struct replica_vault *v = &w->here.vaults[2];
    replica_vault_made(v, 7);
    answer(w, &w->here, 2, "ben");
    replica_vault_made(v, 9);
    answer(w, &w->here, 2, "ann");
    struct ryw_request both[] = {request(w, "ann"), request(w, "ben")};
    for (size_t i = 0; i < COUNT_OF(both); i++)
        assert_true(ryw_hold(&both[i], &w->there.vaults[2]) > 0);
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        both[i].began = clock_ms() - RYW_MS;
        CHECK_INT("too late", ryw_hold(&both[i], &w->there.vaults[2]), 0);
    }
    CHECK_INT("ann again", look(w, &w->there, 2, "ann"), PULLS);
    CHECK_INT("ben again", look(w, &w->there, 2, "ben"), PULLS);
}

/* What was given up when it was pushed, and when it was not, are different things. */
static void test_given_up_as_pushed(void **state)
{
    struct replica_vault k = {0};
    replica_vault_give_up(&k, STR("there"), 9, false);
    replica_vault_give_up(&k, STR("there"), 5, true);
    assert_true(replica_vault_gave_up(&k, STR("there"), 5, true));
    assert_true(replica_vault_gave_up(&k, STR("there"), 9, false));
    assert_false(replica_vault_gave_up(&k, STR("there"), 9, true));
    assert_false(replica_vault_gave_up(&k, STR("elsewhere"), 5, false));
    replica_vault_level(&k, STR("0a1b"));
    assert_false(replica_vault_gave_up(&k, STR("there"), 5, true));
    assert_true(replica_vault_gave_up(&k, STR("there"), 9, false));
}

/* Only so many commits are remembered; an older one is pulled for again. */
static void test_known(void **state)
{
    struct world *w = *state;
    struct replica_vault *v = &w->here.vaults[0];
    char commit[2] = "a";
    for (size_t i = 0; i <= REPLICA_VAULT_COMMITS; i++, commit[0]++)
        assert_true(ryw_level(v, str_c(commit), i + 1));
    assert_false(replica_vault_has(v, STR("a")));
    assert_true(replica_vault_has(v, STR("b")));
    assert_false(replica_vault_has(&w->here.vaults[1], STR("b")));
}

/* Nothing is kept of a vault without a remote, nor by one process. */
static void test_alone(void **state)
{
    struct world *w = *state;
    w->here.remotes[0].missing = true;
    replica_vault_made(&w->here.vaults[0], 7);
    answer(w, &w->here, 0, "ann");
    CHECK_INT("no remote", look(w, &w->there, 0, "ann"), LEVEL);
    w->here.replica.store = NULL;
    replica_vault_made(&w->here.vaults[1], 7);
    assert_true(ryw_level(&w->here.vaults[1], STR("0a1b"), 7));
    CHECK_INT("one process", look(w, &w->here, 1, "ann"), LEVEL);
}

/* Thousands of vaults are known at the same time. How large a lock is depends on the
 * machine. */
/* --- what it costs --- */

static struct {
    const struct store_backend *own;
    int queries;
} counting;

static bool count_run(struct store *s, const struct store_call *call, int *changed,
                      struct err *err)
{
    counting.queries++;
    return counting.own->run(s, call, changed, err);
}

static bool count_list(struct store *s, struct arena *a, const struct store_call *call,
                       struct store_value **out, size_t columns, size_t *rows,
                       struct err *err)
{
    counting.queries++;
    return counting.own->list(s, a, call, out, columns, rows, err);
}

static int queries_of(struct world *w, struct server *r, size_t vaults)
{
    struct ryw_request q = request(w, "ann");
    q.several = vaults > 1;
    counting.queries = 0;
    for (size_t i = 0; i < vaults; i++)
        CHECK_INT("level", ryw_hold(&q, &r->vaults[i]), 0);
    ryw_saw(&q);
    return counting.queries;
}

/* One query for each request, however many vaults it uses, and a row for each caller and
 * vault with the first answer and after a change. */
static void test_one_query(void **state)
{
    struct world *w = *state;
    counting.own = w->store->backend;
    struct store_backend counted = *counting.own;
    counted.run = count_run;
    counted.list = count_list;
    w->store->backend = &counted;
    CHECK_INT("the first answer", queries_of(w, &w->here, 1), 2);
    CHECK_INT("without a change", queries_of(w, &w->here, 1), 1);
    replica_vault_made(&w->here.vaults[0], 7);
    CHECK_INT("after a change", queries_of(w, &w->here, 1), 2);
    CHECK_INT("once", queries_of(w, &w->here, 1), 1);
    CHECK_INT("the first about all", queries_of(w, &w->here, VAULTS), 1 + VAULTS - 1);
    CHECK_INT("all vaults", queries_of(w, &w->here, VAULTS), 1);
    replica_vault_made(&w->here.vaults[1], 8);
    CHECK_INT("all, after a change of one", queries_of(w, &w->here, VAULTS), 2);
    w->store->backend = counting.own;
}

static void test_small(void **state)
{
    assert_true(sizeof(struct replica_vault) - sizeof(struct mutex) <= 512);
}

/* After a database outage, marks may be missing there: all replicas pull. */
static void test_back(void **state)
{
    struct world *w = *state;
    CHECK_INT("before", look(w, &w->there, 0, "ann"), LEVEL);
    ryw_missed(&w->there.replica);
    CHECK_INT("after it", look(w, &w->there, 0, "ann"), PULLS);
    CHECK_INT("where it was not noticed", look(w, &w->here, 0, "ann"), LEVEL);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_vault, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_chase, setup, teardown),
        cmocka_unit_test_setup_teardown(test_settled, setup, teardown),
        cmocka_unit_test_setup_teardown(test_new_clone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_several, setup, teardown),
        cmocka_unit_test_setup_teardown(test_given_up, setup, teardown),
        cmocka_unit_test_setup_teardown(test_given_up_by_two, setup, teardown),
        cmocka_unit_test(test_given_up_as_pushed),
        cmocka_unit_test_setup_teardown(test_known, setup, teardown),
        cmocka_unit_test_setup_teardown(test_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_query, setup, teardown),
        cmocka_unit_test(test_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
