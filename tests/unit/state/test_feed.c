#include "state/feed.h"

#include "base/clock.h"
#include "base/os/thread.h"
#include "oauth_place.h"
#include "replica/sql.h"
#include "state/vault_table.h"

struct ear {
    struct mutex lock;
    char text[256]; /* what was heard, one line for each */
    int lost;
};

static void on_heard(void *arg, enum feed_topic topic, str text)
{
    struct ear *e = arg;
    mutex_lock(&e->lock);
    size_t n = strlen(e->text);
    snprintf(e->text + n, sizeof(e->text) - n, "%d:" STR_FMT "\n", (int)topic,
             STR_ARG(text));
    mutex_unlock(&e->lock);
}

static void on_lost(void *arg)
{
    struct ear *e = arg;
    mutex_lock(&e->lock);
    e->lost++;
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

static void test_others_hear(void **state)
{
    struct oauth_place *p = *state;
    struct store *s = place_open_kept(p), *t = place_open_kept(p);
    struct ear a = {.lock = MUTEX_INIT}, b = {.lock = MUTEX_INIT};
    struct feed *f = feed_open(s, &(struct feed_config){on_heard, on_lost, &a});
    struct feed *g = feed_open(t, &(struct feed_config){on_heard, NULL, &b});
    feed_say(f, FEED_CHANGED, STR("work 0a1b 7"));
    feed_say(f, FEED_MCP, STR("it's ünï  code"));
    feed_say(f, FEED_SEEN, STR(""));
    assert_true(hears(&b, "1:work 0a1b 7\n2:it's ünï  code\n3:\n"));
    assert_string_equal(a.text, ""); /* not its own */
    uint64_t before = store_generation(s);
    store_revoked(t);
    assert_true(hears(&a, "0:\n"));
    assert_true(store_generation(s) != before);
    feed_close(f);
    feed_close(g);
    store_close(s);
    store_close(t);
}

/* --- long messages --- */

static char long_text[FEED_LONG_MAX + 1];

/* A long one is noted as its length. */
static void on_heard_long(void *arg, enum feed_topic topic, str text)
{
    char length[32];
    bool is_long = text.n > FEED_TEXT_MAX;
    if (is_long && memcmp(text.p, long_text, text.n) != 0)
        text.n = 0;
    snprintf(length, sizeof(length), "%zu", text.n);
    on_heard(arg, topic, is_long ? str_c(length) : text);
}

static size_t count_rows(struct oauth_place *p, struct store *s)
{
    struct store_value *v;
    struct err err = {0};
    size_t n = 0;
    if (!store_list(s, &p->arena, SQL_MEMO_LIST,
                    STORE_ARGS(STORE_S(STR("feed")), STORE_N(-1)), &v, 2, &n, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    return n;
}

/* What is too long for a notification arrives as well, in order; what nobody needs any more
 * is not kept. */
static void test_long(void **state)
{
    struct oauth_place *p = *state;
    struct store *s = place_open_kept(p), *t = place_open_kept(p);
    struct ear a = {.lock = MUTEX_INIT}, b = {.lock = MUTEX_INIT};
    struct feed *f = feed_open(s, &(struct feed_config){on_heard_long, on_lost, &a});
    struct feed *g = feed_open(t, &(struct feed_config){on_heard_long, on_lost, &b});
    for (size_t i = 0; i < FEED_LONG_MAX; i++)
        long_text[i] = (char)('!' + i % 90);
    feed_say(f, FEED_MCP, STR("before"));
    feed_say(f, FEED_MCP, (str){long_text, FEED_LONG_MAX});
    feed_say(f, FEED_SEEN, (str){long_text, FEED_TEXT_MAX + 100});
    feed_say(f, FEED_MCP, STR("after"));
    assert_true(hears(&b, "2:before\n2:65536\n3:4100\n2:after\n"));
    assert_string_equal(a.text, ""); /* not its own */
    assert_int_equal(count_rows(p, s), 2);
    place_sql(p, "UPDATE memos SET expires = 0 WHERE name = 'feed'");
    feed_say(g, FEED_MCP, (str){long_text, FEED_LONG_MAX});
    assert_true(hears(&a, "2:65536\n"));
    assert_int_equal(count_rows(p, s), 1);
    feed_close(f);
    feed_close(g);
    store_close(s);
    store_close(t);
}

/* What a process changes in the table of vaults that ends at once, as the command line does,
 * is known to the others. */
static void test_vaults(void **state)
{
    struct oauth_place *p = *state;
    struct store *s = place_open_kept(p), *brief;
    struct ear a = {.lock = MUTEX_INIT};
    struct feed *f = feed_open(s, &(struct feed_config){on_heard, on_lost, &a});
    struct err err = {0};
    struct vault_table_row row = {.name = STR("team")};
    uint64_t before = store_generation(s);
    assert_true(store_open(p->database, &brief, &err));
    bool ok = vault_table_add(brief, &row, &err) &&
              vault_table_allow(brief, row.name, STR("ann"), &err) &&
              vault_table_deny(brief, row.name, STR("ann"), &err) &&
              vault_table_remove(brief, row.name, &err);
    store_close(brief);
    assert_true(ok);
    assert_true(hears(&a, "0:\n0:\n0:\n0:\n")); /* one for each change */
    assert_true(store_generation(s) != before);
    feed_close(f);
    store_close(s);
}

/* The connection was lost: the listener knows, and hears again. */
static void test_lost(void **state)
{
    struct oauth_place *p = *state;
    struct store *s = place_open_kept(p), *t = place_open_kept(p);
    struct ear a = {.lock = MUTEX_INIT};
    struct feed *f = feed_open(s, &(struct feed_config){on_heard, on_lost, &a});
    struct feed *g = feed_open(t, &(struct feed_config){on_heard, NULL, &a});
    postgres_do("kill");
    postgres_do("again");
    bool lost = false;
    for (uint64_t end = clock_ms() + UNTIL_MS; !lost && clock_ms() < end; usleep(10000)) {
        mutex_lock(&a.lock);
        lost = a.lost > 0;
        mutex_unlock(&a.lock);
    }
    assert_true(lost);
    UNTIL(store_away_ms(s) == 0 && store_away_ms(t) == 0);
    feed_say(g, FEED_CHANGED, STR("again"));
    assert_true(hears(&a, "1:again\n"));
    feed_close(f);
    feed_close(g);
    store_close(s);
    store_close(t);
}

/* With a file there is nobody to hear. */
static void test_alone(void **state)
{
    struct store *s;
    struct err err;
    struct ear a = {.lock = MUTEX_INIT};
    assert_true(store_open(NULL, &s, &err));
    struct feed *f = feed_open(s, &(struct feed_config){on_heard, on_lost, &a});
    feed_say(f, FEED_CHANGED, STR("x"));
    feed_close(f);
    store_close(s);
    assert_string_equal(a.text, "");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone), PLACE_TEST(test_others_hear), PLACE_TEST(test_long),
        PLACE_TEST(test_vaults),      PLACE_TEST(test_lost),
    };
    return place_run_postgres(tests, COUNT_OF(tests));
}
