/* Whose streams stay open, and for how long without the database. */
#include "app/web/stream_check.h"

#include "mcp/hub.h"
#include "mcp/server.h"
#include "oauth_outage.h"
#include "oauth_place.h"
#include "peer.h"
#include "until.h"

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

/* What a grant allows, as a text. */
static str print_grant(void *context, struct arena *a, const struct oauth_grant *g)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_printf(&out, "%u", g->rights.scopes);
    sbuf_add(&out, rights_print(a, &g->rights));
    return sbuf_str(&out);
}

/* As the loop does, and until the thread that looks has ended. */
static void look(struct streams *s)
{
    stream_check(&s->check);
    UNTIL(!atomic_load(&s->check.running));
}

static int setup(void **state)
{
    struct streams *s = mem_zero(sizeof(*s));
    s->place = place_new(true);
    place_open(s->place);
    s->peer = peer_create(&(struct mcp_config){.tools = tools, .list_changes = true});
    s->peer->revision = MCP_2026_07_28;
    s->check = (struct stream_check){
        .oauth = s->place->oauth,
        .grant = print_grant,
        .endpoint = mcp_endpoint_create(s->peer->server, NULL, NULL)};
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    struct streams *s = *state;
    UNTIL(!atomic_load(&s->check.running));
    mcp_endpoint_free(s->check.endpoint);
    peer_free(s->peer);
    place_free(s->place);
    free(s);
    return 0;
}

/* A user signs in: the grant. */
static struct oauth_grant sign_in(struct streams *s)
{
    struct oauth_grant g;
    struct oauth_place *p = s->place;
    struct oauth_answer answer = place_grant(p);
    assert_true(place_finds(p, answer.access_token, &g));
    return g;
}

static struct mcp_caller caller_of(struct streams *s, const struct oauth_grant *g)
{
    return (struct mcp_caller){.id = g->id,
                               .proof = g->proof,
                               .grant = print_grant(NULL, &s->place->arena, g),
                               .expires = g->expires};
}

/* Stateless clients ask for their stream. */
static struct peer_call *open_stream(struct streams *s, const struct oauth_grant *g)
{
    s->peer->caller = caller_of(s, g);
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
    struct mcp_caller caller = caller_of(s, g);
    hub_set_caller(hub, STR("session"), &caller);
    return c;
}

static void test_SEC_54_revoked(void **state)
{
    struct streams *s = *state;
    struct err err = {0};
    struct oauth_grant mine = sign_in(s), other = sign_in(s);
    struct peer_call *ends = open_stream(s, &mine), *stays = open_stream(s, &other);
    look(s);
    assert_false(peer_is_finished(ends));
    assert_true(grants_revoke(s->place->oauth, STR("alice"), mine.id, &err));
    look(s);
    assert_true(peer_is_finished(ends));
    assert_false(peer_is_finished(stays));
}

/* The users are compared with those before, from the first look on. */
static void test_notes_users(void **state)
{
    struct streams *s = *state;
    look(s);
    assert_true(atomic_load(&s->place->oauth->users_noted) > 0);
}

static struct oauth_grant token_grant(struct oauth_place *p, str token)
{
    struct oauth_grant g;
    assert_true(place_finds(p, token, &g));
    return g;
}

/* RFC 7009: a single token, of a client that has others; revoked at another replica. */
static void test_SEC_54_one_token(void **state)
{
    struct streams *s = *state;
    struct oauth_place *p = s->place, *q = place_new(false);
    struct oauth_client app = place_client(p, "app");
    struct oauth_answer first = place_grant(p), next;
    struct oauth_fault fault;
    struct err err = {0};
    q->config.database = p->database;
    place_open(q);
    assert_true(
        grants_refresh(p->oauth, &p->arena, &app, first.refresh_token, 0, &next, &fault));
    struct oauth_grant g = token_grant(p, first.access_token),
                       h = token_grant(p, next.access_token);
    struct peer_call *modern = open_stream(s, &g), *legacy = open_legacy(s, &g),
                     *stays = open_stream(s, &h);
    look(s);
    assert_false(peer_is_finished(modern) || peer_is_finished(legacy));
    assert_true(grants_revoke_token(q->oauth, STR("app"), first.access_token, &err));
    UNTIL((look(s), peer_is_finished(modern) && peer_is_finished(legacy)));
    assert_false(peer_is_finished(stays));
    q->config.database = NULL;
    place_free(q);
}

/* A program that may do less than before has to connect again; nothing else ends. */
static void test_SEC_54_narrowed(void **state)
{
    const struct rights_place place = {STR("Work"), RIGHTS_WRITE};
    struct streams *s = *state;
    struct oauth_place *p = s->place;
    struct oauth_client clients[COUNT_OF(place_clients)];
    struct oauth_client robot = place_client(p, "robot");
    struct oauth_answer answer;
    struct oauth_fault fault;
    struct err err = {0};
    size_t n = COUNT_OF(clients);
    assert_true(grants_for_client(p->oauth, &p->arena, &robot, 0, &answer, &fault));
    struct oauth_grant g = token_grant(p, answer.access_token), person = sign_in(s);
    struct peer_call *modern = open_stream(s, &g), *legacy = open_legacy(s, &g),
                     *stays = open_stream(s, &person);
    memcpy(clients, place_clients, sizeof(clients));
    assert_true(oauth_set_clients(p->oauth, clients, n, &err)); /* as before */
    look(s);
    assert_false(peer_is_finished(modern) || peer_is_finished(legacy));
    clients[n - 1].rights =
        (struct oauth_rights){.scopes = OAUTH_READ, .places = &place, .n_places = 1};
    assert_true(oauth_set_clients(p->oauth, clients, n, &err));
    look(s);
    assert_true(peer_is_finished(modern) && peer_is_finished(legacy));
    assert_false(peer_is_finished(stays));
}

/* While known grants are served without the database, streams stay open, and no
 * longer. */
static void test_SEC_54_away_for_too_long(void **state)
{
    struct streams *s = *state;
    struct oauth_grant g = sign_in(s);
    struct peer_call *modern = open_stream(s, &g), *legacy = open_legacy(s, &g);
    look(s);
    postgres_do("kill");
    outage_wait(s->place->oauth->store, false);
    look(s);
    outage_put_back(s->place, STORE_AWAY_MAX_MS - 60000);
    look(s);
    assert_false(peer_is_finished(modern));
    assert_false(peer_is_finished(legacy));
    outage_put_back(s->place, 60000);
    look(s);
    assert_true(peer_is_finished(modern));
    assert_true(peer_is_finished(legacy));
    look(s);

    postgres_do("again");
    outage_wait(s->place->oauth->store, true);
    look(s);
    modern = open_stream(s, &g);
    look(s);
    assert_false(peer_is_finished(modern));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_SEC_54_revoked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_notes_users, setup, teardown),
        cmocka_unit_test_setup_teardown(test_SEC_54_one_token, setup, teardown),
        cmocka_unit_test_setup_teardown(test_SEC_54_narrowed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_SEC_54_away_for_too_long, setup, teardown),
    };
    return place_run_postgres(tests, COUNT_OF(tests));
}
