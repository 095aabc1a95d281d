/* Whose streams stay open, and for how long without the database. */
#include "app/web/stream_check.h"

#include "mcp/hub.h"
#include "oauth_outage.h"
#include "oauth_place.h"
#include "peer.h"

#define LISTEN "'notifications':{'toolsListChanged':true}"

struct streams {
    struct oauth_place *place;
    struct peer *peer;
    struct stream_check check;
};

static bool do_nothing(struct mcp_call *call, struct err *err)
{
    return true;
}

static const struct mcp_tool a_tool = {.name = "a", .about = "x", .run = do_nothing};
static const struct mcp_tool *const tools[] = {&a_tool, NULL};

static int setup(void **state)
{
    struct streams *s = mem_zero(sizeof(*s));
    s->place = place_new(true);
    place_open(s->place);
    s->peer = peer_create(&(struct mcp_config){.tools = tools, .list_changes = true});
    s->peer->revision = MCP_2026_07_28;
    s->check = (struct stream_check){
        .oauth = s->place->oauth,
        .endpoint = mcp_endpoint_create(s->peer->server, NULL, NULL)};
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    struct streams *s = *state;
    mcp_endpoint_free(s->check.endpoint);
    peer_free(s->peer);
    place_free(s->place);
    free(s);
    return 0;
}

/* Somebody signs in: the grant. */
static struct oauth_grant sign_in(struct streams *s)
{
    struct oauth_grant g;
    struct oauth_place *p = s->place;
    struct oauth_answer answer = place_grant(p);
    bool unsure;
    assert_true(grant_of_token(p->oauth, &p->arena, answer.access_token, &g, &unsure));
    return g;
}

/* Stateless clients ask for their stream. */
static struct peer_call *open_stream(struct streams *s, const struct oauth_grant *g)
{
    s->peer->caller = (struct mcp_caller){.id = g->id, .expires = g->expires};
    struct peer_call *c = peer_send(s->peer, "subscriptions/listen", LISTEN);
    assert_true(str_find(peer_sent(c, 0), STR("acknowledged")) != STR_NONE);
    return c;
}

/* That of a legacy session is a GET. */
static struct peer_call *open_legacy(struct streams *s, const struct oauth_grant *g)
{
    struct mcp_hub *hub = &s->peer->server->hub;
    struct peer_call *c = peer_new_call(s->peer);
    hub_attach(hub, STR("session"), &c->sink);
    hub_set_caller(hub, STR("session"),
                   &(struct mcp_caller){.id = g->id, .expires = g->expires});
    return c;
}

static void test_SEC_54_revoked(void **state)
{
    struct streams *s = *state;
    struct err err = {0};
    struct oauth_grant mine = sign_in(s), other = sign_in(s);
    struct peer_call *ends = open_stream(s, &mine), *stays = open_stream(s, &other);
    stream_check(&s->check);
    assert_false(peer_is_finished(ends));
    assert_true(grants_revoke(s->place->oauth, STR("alice"), mine.id, &err));
    stream_check(&s->check);
    assert_true(peer_is_finished(ends));
    assert_false(peer_is_finished(stays));
}

/* While known grants are served without the database, streams stay open, and no longer. */
static void test_SEC_54_away_for_too_long(void **state)
{
    struct streams *s = *state;
    struct oauth_grant g = sign_in(s);
    struct peer_call *modern = open_stream(s, &g), *legacy = open_legacy(s, &g);
    stream_check(&s->check);
    postgres_do("kill");
    outage_wait(s->place->oauth->store, false);
    stream_check(&s->check);
    outage_put_back(s->place, STORE_AWAY_MAX_MS - 60000);
    stream_check(&s->check);
    assert_false(peer_is_finished(modern));
    assert_false(peer_is_finished(legacy));
    outage_put_back(s->place, 60000);
    stream_check(&s->check);
    assert_true(peer_is_finished(modern));
    assert_true(peer_is_finished(legacy));
    stream_check(&s->check);

    postgres_do("again");
    outage_wait(s->place->oauth->store, true);
    stream_check(&s->check);
    modern = open_stream(s, &g);
    stream_check(&s->check);
    assert_false(peer_is_finished(modern));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_SEC_54_revoked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_SEC_54_away_for_too_long, setup, teardown),
    };
    return place_run_postgres(tests, COUNT_OF(tests));
}
