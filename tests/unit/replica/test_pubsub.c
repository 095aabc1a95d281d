#include "replica/pubsub.h"

#include "base/clock.h"
#include "base/os/thread.h"
#include "oauth_place.h"
#include "state/vault_table.h"

struct ear {
    struct mutex lock;
    char text[256]; /* what was received, one line for each */
    int missed;
};

static void note(struct ear *e, const char *topic, str text)
{
    mutex_lock(&e->lock);
    size_t n = strlen(e->text);
    snprintf(e->text + n, sizeof(e->text) - n, "%s:" STR_FMT "\n", topic, STR_ARG(text));
    mutex_unlock(&e->lock);
}

static void on_news(void *arg, str text)
{
    note(arg, "news", text);
}

static void on_other(void *arg, str text)
{
    note(arg, "other", text);
}

static void on_missed(void *arg, str text)
{
    struct ear *e = arg;
    mutex_lock(&e->lock);
    e->missed++;
    mutex_unlock(&e->lock);
}

static bool hears(struct ear *e, const char *text)
{
    bool same = false;
    for (uint64_t end = clock_ms() + UNTIL_MS; !same && clock_ms() < end; usleep(5000)) {
        mutex_lock(&e->lock);
        same = strcmp(e->text, text) == 0;
        mutex_unlock(&e->lock);
    }
    return same;
}

/* A process with its subscriber. */
struct peer {
    struct store *store;
    struct pubsub *pubsub;
    struct ear ear;
};

static void peer_open(struct oauth_place *p, struct peer *peer)
{
    *peer = (struct peer){.store = place_open_kept(p), .ear = {.lock = MUTEX_INIT}};
    peer->pubsub = pubsub_open(peer->store);
    pubsub_subscribe(peer->pubsub, "news", on_news, &peer->ear);
    pubsub_subscribe(peer->pubsub, "other", on_other, &peer->ear);
    pubsub_subscribe(peer->pubsub, PUBSUB_MISSED, on_missed, &peer->ear);
}

static void peer_close(struct peer *peer)
{
    pubsub_close(peer->pubsub);
    store_close(peer->store);
}

static void test_others_receive(void **state)
{
    struct peer a, b;
    peer_open(*state, &a);
    peer_open(*state, &b);
    pubsub_publish(a.pubsub, "news", STR("work 0a1b 7"));
    pubsub_publish(a.pubsub, "other", STR("it's ünï  code"));
    pubsub_publish(a.pubsub, "unknown", STR("x"));
    pubsub_publish(a.pubsub, "news", STR(""));
    assert_true(hears(&b.ear, "news:work 0a1b 7\nother:it's ünï  code\nnews:\n"));
    assert_string_equal(a.ear.text, ""); /* not its own */
    pubsub_subscribe(b.pubsub, "news", NULL, NULL);
    pubsub_publish(a.pubsub, "news", STR("no longer"));
    pubsub_publish(a.pubsub, "other", STR("2"));
    assert_true(
        hears(&b.ear, "news:work 0a1b 7\nother:it's ünï  code\nnews:\nother:2\n"));
    peer_close(&a);
    peer_close(&b);
}

/* --- long messages --- */

static char long_text[PUBSUB_LONG_MAX + 1];

/* A long one is noted as its length. */
static void on_long(void *arg, str text)
{
    char length[32];
    bool is_long = text.n > PUBSUB_TEXT_MAX;
    if (is_long && memcmp(text.p, long_text, text.n) != 0)
        text.n = 0;
    snprintf(length, sizeof(length), "%zu", text.n);
    note(arg, "news", is_long ? str_c(length) : text);
}

/* What is too long for a notification arrives as well, in order. */
static void test_long(void **state)
{
    struct peer a, b;
    peer_open(*state, &a);
    peer_open(*state, &b);
    pubsub_subscribe(b.pubsub, "news", on_long, &b.ear);
    for (size_t i = 0; i + 3 < PUBSUB_LONG_MAX; i += 3) /* never cut within a character */
        memcpy(long_text + i, "€", 3);
    size_t most = strlen(long_text);
    pubsub_publish(a.pubsub, "news", STR("before"));
    pubsub_publish(a.pubsub, "news", (str){long_text, most});
    pubsub_publish(a.pubsub, "news", (str){long_text, 4500});
    pubsub_publish(a.pubsub, "other", STR("after"));
    char want[64];
    snprintf(want, sizeof(want), "news:before\nnews:%zu\nnews:4500\nother:after\n", most);
    assert_true(hears(&b.ear, want));
    assert_string_equal(a.ear.text, ""); /* not its own */
    peer_close(&a);
    peer_close(&b);
}

/* --- revocations --- */

struct gate {
    struct mutex lock;
    struct cond changed;
    bool entered, open;
};

static void on_news_wait(void *arg, str text)
{
    struct gate *g = arg;
    mutex_lock(&g->lock);
    g->entered = true;
    cond_wake_all(&g->changed);
    while (!g->open)
        cond_wait(&g->changed, &g->lock);
    mutex_unlock(&g->lock);
}

/* A subscriber does not come back: what others revoke is known here nevertheless. */
static void test_SEC_19_blocked_subscriber(void **state)
{
    struct peer a, b;
    struct gate g = {.lock = MUTEX_INIT};
    cond_init(&g.changed);
    peer_open(*state, &a);
    peer_open(*state, &b);
    pubsub_subscribe(b.pubsub, "news", on_news_wait, &g);
    pubsub_publish(a.pubsub, "news", STR("x"));
    mutex_lock(&g.lock);
    while (!g.entered)
        cond_wait(&g.changed, &g.lock);
    mutex_unlock(&g.lock);
    uint64_t before = store_generation(b.store);
    store_revoked(a.store);
    UNTIL(store_generation(b.store) != before);
    before = store_generation(a.store); /* and it announces its own */
    store_revoked(b.store);
    UNTIL(store_generation(a.store) != before);
    mutex_lock(&g.lock);
    g.open = true;
    cond_wake_all(&g.changed);
    mutex_unlock(&g.lock);
    peer_close(&a);
    peer_close(&b);
    cond_destroy(&g.changed);
}

/* What a process changes in the table of vaults that ends at once, as the command line does,
 * is known to the others. */
static void test_vaults(void **state)
{
    struct oauth_place *p = *state;
    struct store *s = place_open_kept(p);
    struct err err = {0};
    struct vault_table_row row = {.name = STR("team")};
    for (int i = 0; i < 4; i++) {
        struct store *brief;
        uint64_t before = store_generation(s);
        assert_true(store_open(p->database, &brief, &err));
        bool ok = i == 0   ? vault_table_add(brief, &row, &err)
                  : i == 1 ? vault_table_allow(brief, row.name, STR("ann"), &err)
                  : i == 2 ? vault_table_deny(brief, row.name, STR("ann"), &err)
                           : vault_table_remove(brief, row.name, &err);
        store_close(brief);
        assert_true(ok);
        UNTIL(store_generation(s) != before);
    }
    store_close(s);
}

static bool has_missed(struct ear *e)
{
    mutex_lock(&e->lock);
    bool has = e->missed > 0;
    mutex_unlock(&e->lock);
    return has;
}

/* The connection was lost: subscribers know, and receive again. */
static void test_lost(void **state)
{
    struct peer a, b;
    peer_open(*state, &a);
    peer_open(*state, &b);
    postgres_do("kill");
    postgres_do("again");
    UNTIL(has_missed(&a.ear));
    UNTIL(store_away_ms(a.store) == 0 && store_away_ms(b.store) == 0);
    pubsub_publish(b.pubsub, "news", STR("again"));
    assert_true(hears(&a.ear, "news:again\n"));
    peer_close(&a);
    peer_close(&b);
}

/* With a file there are no others. */
static void test_alone(void **state)
{
    struct store *s;
    struct err err;
    struct ear a = {.lock = MUTEX_INIT};
    assert_true(store_open(NULL, &s, &err));
    struct pubsub *p = pubsub_open(s);
    pubsub_subscribe(p, "news", on_news, &a);
    pubsub_publish(p, "news", STR("x"));
    pubsub_close(p);
    store_close(s);
    assert_string_equal(a.text, "");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone), PLACE_TEST(test_others_receive),
        PLACE_TEST(test_long),        PLACE_TEST(test_SEC_19_blocked_subscriber),
        PLACE_TEST(test_vaults),      PLACE_TEST(test_lost),
    };
    return place_run_postgres(tests, COUNT_OF(tests));
}
