#include "base/json.h"
#include "oauth/lockout.h"
#include "oauth/parts.h"
#include "oauth/users.h"
#include "oauth_place.h"
#include "state/vault_table.h"

static void check_error(const char *row, const char *got, const char *want)
{
    CHECK_STR(row, str_c(got), want);
}

static void test_code(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer answer = {0};
    struct oauth_grant g;
    str code = place_code(p);
    assert_null(place_redeem(p, "app", code, &answer));
    assert_int_equal(answer.access_token.n, 64);
    assert_int_equal(answer.expires_in, 3600);
    assert_int_equal(answer.scopes, OAUTH_MAY_WRITE);
    assert_true(answer.refresh_token.n > 0);
    assert_true(place_finds(p, answer.access_token, &g));
    CHECK_STR("user", g.user, "alice");
    CHECK_STR("client", g.client_id, "app");
    CHECK_STR("name", g.client_name, "App");
    CHECK_STR("host", g.redirect_host, "app.example");
    assert_int_equal(g.rights.scopes, OAUTH_MAY_WRITE);
    assert_true(g.id > 0);
}

static void test_SEC_13_code_twice_ends_everything(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer first = {0}, second = {0};
    str code = place_code(p);
    assert_null(place_redeem(p, "app", code, &first));
    assert_true(place_passes(p, first.access_token));
    check_error("another client", place_redeem(p, "other", code, &second),
                "invalid_grant");
    assert_true(place_passes(p, first.access_token)); /* not affected by another client */
    check_error("again", place_redeem(p, "app", code, &second), "invalid_grant");
    assert_false(place_passes(p, first.access_token));
    check_error("refresh", place_refresh(p, "app", first.refresh_token, 0, &second),
                "invalid_grant");
}

static void test_SEC_07_SEC_14_refused_codes(void **state)
{
    struct oauth_place *p = *state;
    static const struct {
        const char *row, *client, *verifier, *redirect;
        bool good;
    } cases[] = {
        {"another client", "other", VERIFIER, NULL, false},
        {"another verifier", "app", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXK", NULL,
         false},
        {"no verifier", "app", "", NULL, false},
        {"the challenge itself", "app", CHALLENGE, NULL, false},
        {"a short verifier", "app", "dBjftJeZ4CVP", NULL, false},
        {"another redirect", "app", VERIFIER, "https://app.example/cb/", false},
        {"an empty redirect", "app", VERIFIER, "", false},
        {"all as it was", "app", VERIFIER, "https://app.example/cb", true},
    };
    str code = place_code(p);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct oauth_client c = place_client(p, cases[i].client);
        struct oauth_answer answer;
        struct oauth_fault fault = {0};
        str redirect = str_c(cases[i].redirect);
        bool ok = grants_redeem_code(p->oauth, &p->arena, &c, code,
                                     str_c(cases[i].verifier), redirect, &answer, &fault);
        CHECK_INT(cases[i].row, ok, cases[i].good); /* failures consume nothing */
        if (!ok)
            check_error(cases[i].row, fault.code, "invalid_grant");
    }
}

static void test_SEC_07_verifier_with_nul(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_client c = place_client(p, "app");
    struct oauth_answer answer;
    struct oauth_fault fault = {0};
    str verifier = {VERIFIER "\0x", sizeof(VERIFIER) + 1};
    assert_false(grants_redeem_code(p->oauth, &p->arena, &c, place_code(p), verifier,
                                    (str){0}, &answer, &fault));
}

/* A code is valid for five minutes. The UPDATE only matches a row with all the data of
 * this code, so the test also shows that the data was stored. */
static void test_SEC_12_S1_38_codes_expire_after_five_minutes(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer answer;
#define OF_THIS_CODE                                                                     \
    " WHERE client = 'app' AND redirect_uri = 'https://app.example/cb'"                  \
    " AND challenge = '" CHALLENGE "' AND user = 'alice'"
    str code = place_code(p);
    place_sql(p, "UPDATE codes SET expires = expires - 240" OF_THIS_CODE);
    assert_null(place_redeem(p, "app", code, &answer));
    code = place_code(p);
    place_sql(p, "UPDATE codes SET expires = expires - 300" OF_THIS_CODE);
    check_error("expired", place_redeem(p, "app", code, &answer), "invalid_grant");
}

static void test_SEC_12_kinds_are_not_interchangeable(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer answer = place_grant(p), out;
    str code = place_code(p);
    assert_false(place_passes(p, code));
    assert_false(place_passes(p, answer.refresh_token));
    check_error("access as code", place_redeem(p, "app", answer.access_token, &out),
                "invalid_grant");
    check_error("code as refresh", place_refresh(p, "app", code, 0, &out),
                "invalid_grant");
    check_error("access as refresh",
                place_refresh(p, "app", answer.access_token, 0, &out), "invalid_grant");
}

static void test_SEC_30_token_is_matched_as_a_whole(void **state)
{
    struct oauth_place *p = *state;
    str token = place_grant(p).access_token;
    char *text = mem_str(token);
    assert_true(place_passes(p, token));
    assert_false(place_passes(p, str_slice(token, 0, 63)));
    assert_false(place_passes(p, arena_printf(&p->arena, "%s0", text)));
    assert_false(place_passes(p, arena_printf(&p->arena, " %s", text)));
    assert_false(place_passes(p, STR("")));
    for (char *c = text; *c != '\0'; c++)
        if (*c >= 'a')
            *c = (char)(*c - 'a' + 'A');
    assert_false(place_passes(p, str_c(text)));
    free(text);
}

static void test_access_expires(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer answer = place_grant(p);
    assert_true(place_passes(p, answer.access_token));
    place_sql(p, "UPDATE tokens SET expires = expires - 3600");
    place_reopen(p);
    assert_false(place_passes(p, answer.access_token));
}

/* --- refresh --- */

static void test_rotation(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer first = place_grant(p), second, third;
    assert_null(place_refresh(p, "app", first.refresh_token, 0, &second));
    assert_false(str_eq(first.refresh_token, second.refresh_token));
    assert_false(str_eq(first.access_token, second.access_token));
    assert_true(place_passes(p, first.access_token));
    assert_true(place_passes(p, second.access_token));
    assert_null(place_refresh(p, "app", second.refresh_token, 0, &third));
    assert_int_equal(third.scopes, OAUTH_MAY_WRITE);
}

/* The answer was lost, or several processes share a token. */
static void test_SEC_18_same_successor(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer first = place_grant(p), a, b;
    assert_null(place_refresh(p, "app", first.refresh_token, 0, &a));
    assert_null(place_refresh(p, "app", first.refresh_token, 0, &b));
    assert_true(str_eq(a.refresh_token, b.refresh_token));
    assert_false(str_eq(a.access_token, b.access_token));
}

/* A thief and the owner of a token refresh in turn, at two servers: the second use of the
 * same token ends the grant, although its successor was not used. */
static void test_SEC_17_theft_in_turn(void **state)
{
    struct oauth_place *p = *state;
    struct oauth *here, *there;
    struct err err;
    p->config.reuse_window = 0;
    place_reopen(p);
    here = p->oauth;
    assert_true(oauth_create(&p->config, &there, &err));
    struct oauth_answer first = place_grant(p), owner, thief;
    assert_null(place_refresh(p, "app", first.refresh_token, 0, &owner));
    p->oauth = there;
    check_error("the thief", place_refresh(p, "app", first.refresh_token, 0, &thief),
                "invalid_grant");
    p->oauth = here;
    assert_true(place_ends(p, owner.access_token));
    check_error("the owner", place_refresh(p, "app", owner.refresh_token, 0, &thief),
                "invalid_grant");
    oauth_free(there);
}

static void test_SEC_18_window(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer first = place_grant(p), a, b, c;
    assert_null(place_refresh(p, "app", first.refresh_token, 0, &a));
    assert_null(place_refresh(p, "app", a.refresh_token, 0, &b));
    assert_null(place_refresh(p, "app", first.refresh_token, 0, &c)); /* within 60 s */
    assert_true(str_eq(c.refresh_token, a.refresh_token));
    assert_null(place_refresh(p, "app", c.refresh_token, 0, &c));
    assert_true(str_eq(c.refresh_token, b.refresh_token));
}

static void test_SEC_17_reuse_ends_the_grant(void **state)
{
    struct oauth_place *p = *state;
    p->config.reuse_window = 0;
    place_reopen(p);
    struct oauth_answer first = place_grant(p), a, b, c;
    struct oauth_answer elsewhere = place_grant(p);
    assert_null(place_refresh(p, "app", first.refresh_token, 0, &a));
    assert_null(place_refresh(p, "app", a.refresh_token, 0, &b));
    assert_true(place_passes(p, b.access_token));
    check_error("a stranger", place_refresh(p, "other", first.refresh_token, 0, &c),
                "invalid_grant");
    assert_true(place_passes(p, b.access_token));
    check_error("reuse", place_refresh(p, "app", first.refresh_token, 0, &c),
                "invalid_grant");
    assert_false(place_passes(p, first.access_token));
    assert_false(place_passes(p, b.access_token));
    check_error("the newest", place_refresh(p, "app", b.refresh_token, 0, &c),
                "invalid_grant");
    assert_true(place_passes(p, elsewhere.access_token)); /* another installation */
}

static void test_many_rotations(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer now = place_grant(p), next;
    str first = now.refresh_token;
    for (int i = 0; i < 30; i++) {
        assert_null(place_refresh(p, "app", now.refresh_token, 0, &next));
        now = next;
    }
    assert_true(place_passes(p, now.access_token));
    check_error("the first", place_refresh(p, "app", first, 0, &next), "invalid_grant");
    assert_false(place_passes(p, now.access_token));
}

static void test_SEC_17_scope_shrinks(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_code order = place_order();
    struct oauth_answer first = place_grant(p), a, b;
    struct oauth_grant g;
    struct err err;
    str code;
    assert_null(place_refresh(p, "app", first.refresh_token, OAUTH_READ, &a));
    assert_int_equal(a.scopes, OAUTH_READ);
    assert_true(place_finds(p, a.access_token, &g));
    assert_int_equal(g.rights.scopes, OAUTH_READ);
    assert_null(place_refresh(p, "app", a.refresh_token, 0, &b));
    assert_int_equal(b.scopes, OAUTH_MAY_WRITE); /* as granted */

    order.rights.scopes = OAUTH_READ;
    assert_true(grants_issue_code(p->oauth, &p->arena, &order, &code, &err));
    assert_null(place_redeem(p, "app", code, &a));
    check_error("more", place_refresh(p, "app", a.refresh_token, OAUTH_MAY_WRITE, &b),
                "invalid_scope");
    assert_null(
        place_refresh(p, "app", a.refresh_token, 0, &b)); /* nothing was used up */
}

static void test_refresh_expires(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer first = place_grant(p), a;
    place_sql(p, "UPDATE grants SET expires = expires - 100000");
    check_error("idle", place_refresh(p, "app", first.refresh_token, 0, &a),
                "invalid_grant");
}

/* A refresh token ends when it was not used for a while, and at the latest with its
 * grant. */
static void test_refresh_lifetimes(void **state)
{
    static const struct {
        const char *row;
        int64_t idle, latest, want; /* seconds from now */
    } rows[] = {
        {"idle", 700, 5000, 700},
        {"the end of the grant", 7000, 5000, 5000},
        {"both", 5000, 5000, 5000},
        {"over", 700, -1, -1},
    };
    struct oauth_place *p = *state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        p->oauth->config.refresh_idle = rows[i].idle;
        CHECK_INT(rows[i].row, refresh_until(p->oauth, 1000000 + rows[i].latest, 1000000),
                  1000000 + rows[i].want);
    }
}

static void test_forged_refresh(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer first = place_grant(p), out;
    char *text = mem_str(first.refresh_token);
    for (size_t i = 0; i < first.refresh_token.n; i++) {
        char was = text[i];
        text[i] = was == 'A' ? 'B' : 'A';
        check_error("flipped", place_refresh(p, "app", str_c(text), 0, &out),
                    "invalid_grant");
        text[i] = was;
    }
    assert_null(place_refresh(p, "app", str_c(text), 0, &out));
    free(text);
}

/* --- revoking --- */

static void test_SEC_19_revoke(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer first = place_grant(p), a;
    struct err err;
    assert_null(place_refresh(p, "app", first.refresh_token, 0, &a));
    assert_true(place_passes(p, first.access_token));
    assert_true(grants_revoke_token(p->oauth, STR("app"), STR("nonsense"), &err));
    assert_true(grants_revoke_token(p->oauth, STR("other"), first.access_token, &err));
    assert_true(place_passes(p, first.access_token));
    assert_true(grants_revoke_token(p->oauth, STR("app"), first.access_token, &err));
    assert_false(place_passes(p, first.access_token));
    assert_true(place_passes(p, a.access_token));
    assert_true(grants_revoke_token(p->oauth, STR("other"), a.refresh_token, &err));
    assert_true(place_passes(p, a.access_token));
    assert_true(grants_revoke_token(p->oauth, STR("app"), first.refresh_token, &err));
    assert_false(place_passes(p, a.access_token));
    place_reopen(p);
    assert_false(place_passes(p, a.access_token));
}

static void test_other_process_revokes(void **state)
{
    struct oauth_place *p = *state, *q = place_new(false);
    struct oauth_answer first = place_grant(p);
    struct err err;
    q->config.database = p->database;
    place_open(q);
    assert_true(place_passes(p, first.access_token));
    assert_true(place_passes(q, first.access_token));
    assert_true(grants_revoke_token(q->oauth, STR("app"), first.refresh_token, &err));
    assert_true(place_ends(p, first.access_token));
    q->config.database = NULL;
    place_free(q);
}

static bool is_alive(struct oauth_place *p, const struct oauth_grant *g, bool *unsure)
{
    struct oauth_grant now;
    return grant_is_alive(p->oauth, &p->arena, g->id, g->proof, &now, unsure);
}

/* Removed from the configuration while the server runs: its tokens end, also a user's. */
static void test_client_removed(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_grant g;
    bool unsure = false;
    struct err err;
    size_t n = COUNT_OF(place_clients);
    struct oauth_answer first = place_grant(p);
    assert_true(place_finds(p, first.access_token, &g));
    str code = place_code(p);
    assert_true(oauth_set_clients(p->oauth, place_clients + 1, n - 1, &err));
    assert_false(place_passes(p, first.access_token));
    assert_false(is_alive(p, &g, &unsure));
    assert_true(oauth_set_clients(p->oauth, place_clients, n, &err));
    assert_false(place_passes(p, first.access_token));
    assert_false(is_alive(p, &g, &unsure));
    assert_false(unsure);
    check_error("a code", place_redeem(p, "app", code, &first), "invalid_grant");
}

/* Removed before the start: the tokens are refused, also by a command that was not told
 * which clients there are, but only a server that was told deletes them. */
static void test_client_removed_before_the_start(void **state)
{
    struct oauth_place *p = *state;
    struct err err;
    struct oauth_answer first = place_grant(p);
    p->config.n_clients = 0;
    place_reopen(p);
    assert_false(place_passes(p, first.access_token));
    p->config.n_clients = COUNT_OF(place_clients);
    place_reopen(p);
    assert_true(place_passes(p, first.access_token));

    p->config.clients++;
    p->config.n_clients--;
    place_reopen(p);
    assert_false(place_passes(p, first.access_token));
    assert_true(oauth_forget_removed(p->oauth, &err));
    p->config.clients--;
    p->config.n_clients++;
    place_reopen(p);
    assert_false(place_passes(p, first.access_token));
}

/* Clients that registered themselves are not in the configuration. */
static void test_registered_stays(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_code order = place_order();
    struct oauth_answer first;
    const struct json *j;
    struct err err;
    str answer, fault, code;
    assert_true(clients_register(p->oauth, &p->arena, STR("192.0.2.1"),
                                 STR("{\"redirect_uris\":[\"https://app.example/cb\"],"
                                     "\"token_endpoint_auth_method\":\"none\"}"),
                                 &answer, &fault, &err));
    assert_true(json_parse(&p->arena, answer, &j, &err));
    order.client_id = arena_str(&p->arena, json_get_str(j, STR("client_id")));
    assert_true(grants_issue_code(p->oauth, &p->arena, &order, &code, &err));
    assert_null(place_redeem(p, order.client_id.p, code, &first));
    assert_true(oauth_set_clients(p->oauth, NULL, 0, &err));
    assert_true(place_passes(p, first.access_token));
}

static void test_alive(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_rights rights = {.scopes = OAUTH_READ};
    struct oauth_grant g, k;
    bool unsure = false;
    struct err err;
    str key;
    assert_true(keys_add(p->oauth, &p->arena, STR("k"), &rights, &key, &err));
    struct oauth_answer first = place_grant(p);
    assert_true(place_finds(p, first.access_token, &g));
    assert_true(place_finds(p, key, &k));
    uint64_t before = grants_generation(p->oauth);
    assert_true(is_alive(p, &g, &unsure));
    assert_true(is_alive(p, &k, &unsure));
    assert_true(grants_revoke(p->oauth, STR("alice"), g.id, &err));
    assert_true(grants_generation(p->oauth) != before);
    assert_false(is_alive(p, &g, &unsure) || unsure);
    unsure = true; /* about another one, which must be asked about again */
    assert_false(is_alive(p, &g, &unsure));
    assert_true(unsure);
    assert_true(is_alive(p, &k, &unsure));
    assert_true(keys_revoke(p->oauth, STR("k"), &err));
    assert_false(is_alive(p, &k, &unsure));
}

/* A token that is revoked alone (RFC 7009) ends, and others of its grant do not. */
static void test_one_token_ends(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_client app = place_client(p, "app");
    struct oauth_answer first = place_grant(p), next;
    struct oauth_fault fault;
    struct oauth_grant g, h;
    bool unsure = false;
    struct err err;
    assert_true(
        grants_refresh(p->oauth, &p->arena, &app, first.refresh_token, 0, &next, &fault));
    assert_true(place_finds(p, first.access_token, &g));
    assert_true(place_finds(p, next.access_token, &h));
    assert_int_equal(g.id, h.id);
    uint64_t before = grants_generation(p->oauth);
    assert_true(grants_revoke_token(p->oauth, STR("app"), first.access_token, &err));
    assert_true(grants_generation(p->oauth) != before);
    assert_false(is_alive(p, &g, &unsure));
    assert_true(is_alive(p, &h, &unsure));
    assert_false(unsure);
}

/* A key of the same name is another one: it does not inherit what the first was
 * allowed. */
static void test_key_name_again(void **state)
{
    static const struct {
        const char *key, *person;
        size_t left;
    } cases[] = {{"robot", "robot", 0}, {"anna/laptop", "anna", 1}};
    struct oauth_place *p = *state;
    struct oauth_rights rights = {.scopes = OAUTH_READ};
    struct store *s = p->oauth->store;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct vault_table all;
        struct err err;
        str name = str_c(cases[i].key), key;
        struct vault_table_row row = {.name = str_c(cases[i].person)};
        assert_true(vault_table_add(s, &row, &err));
        assert_true(keys_add(p->oauth, &p->arena, name, &rights, &key, &err));
        assert_true(vault_table_allow(s, row.name, row.name, &err));
        assert_true(keys_revoke(p->oauth, name, &err));
        assert_true(keys_add(p->oauth, &p->arena, name, &rights, &key, &err));
        assert_true(vault_table_read(s, &p->arena, &all, &err));
        CHECK_INT(cases[i].key, all.rows[i].n_people, cases[i].left);
    }
}

/* A user who is removed and comes back with another password is another person. */
static void test_user_name_again(void **state)
{
    static const struct {
        const char *what, *users; /* one after the other */
        size_t left;              /* how many of bob and robot are allowed */
    } cases[] = {
        {"as at first", "alice:" PLACE_HASH ",bob:" PLACE_HASH ",robot:" PLACE_HASH, 2},
        {"another password", "bob:" OTHER_HASH ",robot:" PLACE_HASH, 2},
        {"removed by mistake", "alice:" PLACE_HASH, 2},
        {"and added again", "bob:" OTHER_HASH ",robot:" PLACE_HASH, 2},
        {"removed", "alice:" PLACE_HASH, 2},
        {"somebody else", "bob:" PLACE_HASH ",robot:" OTHER_HASH,
         1}, /* robot has a key */
        {"not twice", "bob:" OTHER_HASH, 1},
    };
    struct oauth_place *p = *state;
    struct oauth_rights rights = {.scopes = OAUTH_READ};
    struct vault_table all;
    struct err err;
    str key;
    assert_true(vault_table_add(p->oauth->store,
                                &(struct vault_table_row){.name = STR("team")}, &err));
    assert_true(vault_table_allow(p->oauth->store, STR("team"), STR("bob"), &err));
    assert_true(vault_table_allow(p->oauth->store, STR("team"), STR("robot"), &err));
    assert_true(keys_add(p->oauth, &p->arena, STR("robot"), &rights, &key, &err));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        p->config.users = str_c(cases[i].users);
        place_reopen(p);
        assert_true(oauth_note_users(p->oauth, &err));
        assert_true(oauth_note_users(p->oauth, &err));
        assert_true(vault_table_read(p->oauth->store, &p->arena, &all, &err));
        CHECK_INT(cases[i].what, all.rows[0].n_people, cases[i].left);
    }
}

/* The loop gets an answer only about tokens that were seen. */
static void test_seen_tokens(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_grant g;
    bool unsure, unseen;
    str token = place_grant(p).access_token;
    str foreign = arena_str(&p->arena, token);
    ((char *)foreign.p)[0] = foreign.p[0] == 'a' ? 'b' : 'a';
    const struct {
        const char *what;
        str token;
        bool look_up, found, unseen;
    } cases[] = {
        {"new", token, false, false, true},
        {"looked up", token, true, true, false},
        {"unknown", foreign, false, false, true},
        {"still unknown", foreign, true, false, true},
        {"not a token", STR("x"), false, false, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        if (cases[i].look_up)
            CHECK_INT(cases[i].what, place_passes(p, cases[i].token), cases[i].found);
        CHECK_INT(cases[i].what,
                  grant_of_seen_token(p->oauth, &p->arena, cases[i].token, &g, &unsure,
                                      &unseen),
                  cases[i].found);
        CHECK_INT(cases[i].what, unseen, cases[i].unseen);
        CHECK_INT(cases[i].what, unsure, false);
    }
}

static void test_account(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer first = place_grant(p), second = place_grant(p);
    struct oauth_grant *grants;
    struct oauth_code order = place_order();
    struct oauth_rights rights;
    struct err err;
    assert_true(grants_remember_consent(p->oauth, &order, &err));
    assert_int_equal(grants_of_user(p->oauth, &p->arena, STR("bob"), &grants), 0);
    assert_int_equal(grants_of_user(p->oauth, &p->arena, STR("alice"), &grants), 2);
    assert_true(grants[0].id > grants[1].id);
    CHECK_STR("client", grants[1].client_name, "App");
    assert_false(grants_revoke(p->oauth, STR("bob"), grants[1].id, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_true(place_passes(p, first.access_token));
    str code = place_code(p), others;
    order.client_id = STR("other");
    assert_true(grants_issue_code(p->oauth, &p->arena, &order, &others, &err));
    assert_true(grants_revoke(p->oauth, STR("alice"), grants[1].id, &err));
    assert_false(place_passes(p, first.access_token));
    assert_true(place_passes(p, second.access_token));
    check_error("a code from before", place_redeem(p, "app", code, &first),
                "invalid_grant");
    assert_null(place_redeem(p, "other", others, &first));
    order.client_id = STR("app");
    assert_false(grants_consented(p->oauth, &p->arena, &order, &rights));
}

static void test_client_credentials(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_client robot = place_client(p, "robot");
    struct oauth_answer a, b;
    struct oauth_fault fault = {0};
    struct oauth_grant g;
    assert_true(grants_for_client(p->oauth, &p->arena, &robot, 0, &a, &fault));
    assert_true(grants_for_client(p->oauth, &p->arena, &robot, OAUTH_READ, &b, &fault));
    assert_int_equal(a.refresh_token.n, 0);
    assert_true(place_finds(p, b.access_token, &g));
    CHECK_STR("client", g.client_id, "robot");
    assert_int_equal(g.rights.scopes, OAUTH_READ);
    assert_false(
        grants_for_client(p->oauth, &p->arena, &robot, OAUTH_MAY_WRITE, &b, &fault));
    check_error("more", fault.code, "invalid_scope");

    p->config.n_clients = 2; /* taken out of the configuration */
    place_reopen(p);
    assert_false(place_passes(p, a.access_token));
}

/* --- users --- */

static void test_consent(void **state)
{
    struct oauth_place *p = *state;
    static const struct rights_place places[] = {{{"Work", 4}, RIGHTS_WRITE},
                                                 {{"Home/Garden", 11}, RIGHTS_READ}};
    struct oauth_code order = place_order(), asked = order;
    struct oauth_rights rights = {0};
    struct err err;
    order.rights = (struct oauth_rights){
        .scopes = OAUTH_READ, .places = places, .n_places = COUNT_OF(places)};
    assert_false(grants_consented(p->oauth, &p->arena, &asked, &rights));
    assert_true(grants_remember_consent(p->oauth, &order, &err));
    assert_false(
        grants_consented(p->oauth, &p->arena, &asked, &rights)); /* requests more */
    asked.rights.scopes = OAUTH_READ;
    asked.redirect_uri = STR("https://app.example/elsewhere");
    assert_true(grants_consented(p->oauth, &p->arena, &asked, &rights));
    assert_int_equal(rights.n_places, 2);
    CHECK_STR("folder", rights.places[1].folder, "Home/Garden");
    assert_int_equal(rights.places[1].level, RIGHTS_READ);
    assert_int_equal(rights.elsewhere, RIGHTS_NONE);
    order.rights.scopes = OAUTH_MAY_WRITE;
    assert_true(grants_remember_consent(p->oauth, &order, &err));
    assert_true(grants_consented(p->oauth, &p->arena, &asked, &rights));
    assert_int_equal(rights.scopes, OAUTH_READ); /* not more than requested */
    asked.redirect_uri = STR("https://evil.example/cb");
    assert_false(grants_consented(p->oauth, &p->arena, &asked, &rights));
    asked.redirect_uri = order.redirect_uri;
    asked.client_id = STR("other");
    assert_false(grants_consented(p->oauth, &p->arena, &asked, &rights));
}

/* SEC-45: any program may be at the other end, so the user is asked each time. */
static void test_consent_of_anyone(void **state)
{
    struct oauth_place *p = *state;
    static const char *const uris[] = {
        "http://localhost/cb",  "http://localhost:8080/cb", "http://127.0.0.1:3/cb",
        "https://localhost/cb", "http://[::1]/cb",          "cursor://anysphere/cb",
    };
    for (size_t i = 0; i < COUNT_OF(uris); i++) {
        struct oauth_code order = place_order();
        struct oauth_rights rights;
        struct err err;
        order.redirect_uri = str_c(uris[i]);
        assert_true(grants_remember_consent(p->oauth, &order, &err));
        CHECK(uris[i], !grants_consented(p->oauth, &p->arena, &order, &rights));
    }
}

static void test_SEC_50_sign_in(void **state)
{
    struct oauth_place *p = *state;
    struct err err;
    str cookie, user;
    assert_true(sign_in_create(p->oauth, &p->arena, STR("alice"), &cookie, &err));
    assert_true(sign_in_user(p->oauth, &p->arena, cookie, &user));
    CHECK_STR("user", user, "alice");
    assert_false(place_passes(p, cookie));
    assert_false(sign_in_user(p->oauth, &p->arena, STR("vs_"), &user));
    place_sql(p, "UPDATE sign_ins SET expires = expires - 43200");
    assert_false(sign_in_user(p->oauth, &p->arena, cookie, &user));
    assert_true(sign_in_create(p->oauth, &p->arena, STR("alice"), &cookie, &err));
    sign_in_end(p->oauth, cookie);
    assert_false(sign_in_user(p->oauth, &p->arena, cookie, &user));
}

/* With another password, nothing of before is left; with the old one, it is back. */
static void test_password(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer old = place_grant(p), next;
    struct oauth_code order = place_order();
    struct oauth_fault fault = {0};
    struct oauth_grant *grants, g;
    struct oauth_rights rights;
    bool unsure = false;
    struct err err;
    str cookie, user, code;
    assert_true(place_finds(p, old.access_token, &g));
    assert_true(sign_in_create(p->oauth, &p->arena, STR("alice"), &cookie, &err));
    assert_true(grants_remember_consent(p->oauth, &order, &err));
    assert_true(grants_issue_code(p->oauth, &p->arena, &order, &code, &err));

    p->config.users = STR("alice:" OTHER_HASH ",bob:" PLACE_HASH);
    place_reopen(p);
    struct oauth_client app = place_client(p, "app");
    assert_false(place_passes(p, old.access_token));
    assert_false(is_alive(p, &g, &unsure));
    assert_false(sign_in_user(p->oauth, &p->arena, cookie, &user));
    assert_false(grants_consented(p->oauth, &p->arena, &order, &rights));
    assert_int_equal(grants_of_user(p->oauth, &p->arena, STR("alice"), &grants), 0);
    assert_false(
        grants_refresh(p->oauth, &p->arena, &app, old.refresh_token, 0, &next, &fault));
    check_error("refresh", fault.code, "invalid_grant");
    assert_false(grants_redeem_code(p->oauth, &p->arena, &app, code, STR(VERIFIER),
                                    order.redirect_uri, &next, &fault));
    check_error("code", fault.code, "invalid_grant");
    next = place_grant(p);
    assert_true(place_passes(p, next.access_token));

    p->config.users = STR("alice:" PLACE_HASH ",bob:" PLACE_HASH);
    place_reopen(p);
    assert_true(place_passes(p, old.access_token));
    assert_true(is_alive(p, &g, &unsure));
    assert_false(place_passes(p, next.access_token));
}

static void test_pin(void **state)
{
    struct oauth_place *p = *state;
    static const struct {
        const char *provider, *name, *id, *becomes; /* NULL: refused */
    } cases[] = {
        {"github", "Bob", "17", "Bob"}, {"github", "Bob", "17", "Bob"},
        {"oidc", "bob", "18", "bob"},   {"github", "Bob", "18", NULL},
        {"github", "bob", "18", NULL},  {"github", "BOB", "18", NULL},
        {"github", "bob", "17", "Bob"}, {"github", "bobby", "19", "bobby"},
        {"oidc", "BOB", "17", NULL},    {"oidc", "BOB", "18", "bob"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        str name = str_c(cases[i].name);
        bool ok = sign_in_pin(p->oauth, &p->arena, str_c(cases[i].provider), &name,
                              str_c(cases[i].id), &err);
        CHECK_INT(cases[i].name, ok, cases[i].becomes != NULL);
        if (ok)
            CHECK_STR(cases[i].id, name, cases[i].becomes);
        else
            CHECK_INT(cases[i].name, err.code, ERR_DENIED);
    }
}

static void test_SEC_28_keys(void **state)
{
    struct oauth_place *p = *state;
    static const struct rights_place place = {{"Work", 4}, RIGHTS_WRITE};
    struct oauth_rights rights = {.scopes = OAUTH_READ, .places = &place, .n_places = 1};
    struct oauth_key *keys;
    size_t n;
    struct oauth_grant g;
    struct err err;
    str key, other;
    assert_true(keys_add(p->oauth, &p->arena, STR("backup"), &rights, &key, &err));
    assert_true(str_starts(key, STR("vk_")) && key.n == 67);
    assert_false(keys_add(p->oauth, &p->arena, STR("backup"), &rights, &other, &err));
    assert_int_equal(err.code, ERR_EXISTS);
    assert_false(keys_add(p->oauth, &p->arena, STR("a\nb"), &rights, &other, &err));
    assert_true(place_finds(p, key, &g));
    assert_true(g.id < 0);
    CHECK_STR("user", g.user, "backup");
    CHECK_STR("folder", g.rights.places[0].folder, "Work");
    assert_true(keys_list(p->oauth->store, &p->arena, &keys, &n, &err));
    assert_int_equal(n, 1);
    CHECK_STR("name", keys[0].name, "backup");
    assert_true(keys_revoke(p->oauth, STR("backup"), &err));
    assert_false(keys_revoke(p->oauth, STR("backup"), &err));
    assert_false(place_passes(p, key));
}

static void test_SEC_26_everything_survives(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer first = place_grant(p), a;
    str code = place_code(p);
    place_reopen(p);
    assert_true(place_passes(p, first.access_token));
    assert_null(place_refresh(p, "app", first.refresh_token, 0, &a));
    assert_null(place_redeem(p, "app", code, &a));
}

static void test_memory_forgets(void **state)
{
    struct oauth_place *p = place_new(false);
    place_open(p);
    struct oauth_answer first = place_grant(p), a;
    assert_true(place_passes(p, first.access_token));
    assert_null(place_refresh(p, "app", first.refresh_token, 0, &a));
    place_reopen(p);
    assert_false(place_passes(p, first.access_token));
    check_error("refresh", place_refresh(p, "app", a.refresh_token, 0, &a),
                "invalid_grant");
    place_free(p);
}

static void test_jwt(void **state)
{
    struct oauth_place *p = *state;
    static const enum oauth_tokens formats[] = {OAUTH_JWT, OAUTH_JWT_HS256};
    struct err err;
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        p->config.token_format = formats[i];
        place_reopen(p);
        struct oauth_answer first = place_grant(p), a;
        assert_true(str_starts(first.access_token, STR("eyJ")));
        assert_true(place_passes(p, first.access_token));
        assert_null(place_refresh(p, "app", first.refresh_token, 0, &a));
        place_reopen(p);
        assert_true(place_passes(p, first.access_token));
        char *text = mem_str(first.access_token);
        text[first.access_token.n - 3] ^= 1;
        assert_false(place_passes(p, str_c(text)));
        free(text);
        assert_true(grants_revoke_token(p->oauth, STR("app"), first.access_token, &err));
        assert_false(place_passes(p, first.access_token));
        assert_true(place_passes(p, a.access_token));
    }
}

/* An old key verifies until its tokens have expired; a new one signs. */
static void test_jwt_rotation(void **state)
{
    struct oauth_place *p = *state;
    p->config.token_format = OAUTH_JWT;
    place_reopen(p);
    struct oauth_answer old = place_grant(p);
    place_sql(p, "UPDATE jwt_keys SET created = created - 7776001");
    place_reopen(p);
    struct oauth_answer fresh = place_grant(p);
    assert_true(place_passes(p, old.access_token));
    assert_true(place_passes(p, fresh.access_token));
    assert_false(str_eq(str_slice(old.access_token, 0, 60),
                        str_slice(fresh.access_token, 0, 60))); /* kid */
    place_sql(p, "UPDATE jwt_keys SET created = created - 3601");
    place_reopen(p); /* the old key is dropped now */
    assert_false(place_passes(p, old.access_token));
    assert_true(place_passes(p, fresh.access_token));
}

static void test_token_count_is_bounded(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer first = place_grant(p), a;
    place_sql(p, "UPDATE tokens SET created = created - 1");
    for (int i = 0; i < 64; i++)
        assert_null(place_refresh(p, "app", first.refresh_token, 0, &a));
    assert_false(place_passes(p, first.access_token));
    assert_true(place_passes(p, a.access_token));
}

/* The rows are as they would be if the clock had jumped ahead by 400 days. */
static void place_shift(struct oauth_place *p, int by)
{
    char sql[512];
    snprintf(sql, sizeof(sql),
             "UPDATE grants SET created = created + %d, used = used + %d, "
             "latest = latest + %d, expires = expires + %d; "
             "UPDATE tokens SET created = created + %d, expires = expires + %d; "
             "UPDATE sign_ins SET expires = expires + %d",
             by, by, by, by, by, by, by);
    place_sql(p, sql);
}

/* Five failures, whichever server they reach; then even the right password must wait. */
static void test_SEC_52_servers_count_together(void **state)
{
    struct oauth_place *p = *state, *q = place_new(false);
    struct err err = {0};
    unsigned wait = 0;
    if (p->name[0] == '\0') { /* a file is for one machine */
        place_free(q);
        return;
    }
    q->config.database = p->database;
    place_open(q);
    for (int i = 0; i < LOCKOUT_USER_FAILURES; i++)
        assert_false(users_check((i % 2 == 0 ? p : q)->oauth->users, STR("alice"),
                                 STR("wrong"), STR("192.0.2.1"), STR(""), &wait, &err));
    assert_int_equal(err.code, ERR_DENIED);
    for (int i = 0; i < 2; i++) {
        assert_false(users_check((i % 2 == 0 ? p : q)->oauth->users, STR("alice"),
                                 STR("wrong"), STR("192.0.2.1"), STR(""), &wait, &err));
        assert_int_equal(err.code, ERR_LIMIT);
        assert_true(wait > LOCKOUT_FIRST_S / 2 && wait <= LOCKOUT_FIRST_S);
    }
    assert_true(store_begin(p->oauth->store, STORE_LOCK_ACCESS,
                            &err)); /* refusing does not wait */
    assert_false(users_check(q->oauth->users, STR("alice"), STR("wrong"),
                             STR("192.0.2.1"), STR(""), &wait, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    store_rollback(p->oauth->store);
    place_sql(p, "UPDATE lockouts SET until = 1"); /* it has waited */
    assert_false(users_check(q->oauth->users, STR("alice"), STR("wrong"),
                             STR("192.0.2.1"), STR(""), &wait, &err));
    assert_int_equal(err.code, ERR_DENIED);
    assert_false(users_check(p->oauth->users, STR("alice"), STR("wrong"),
                             STR("192.0.2.1"), STR(""), &wait, &err));
    assert_true(wait > LOCKOUT_FIRST_S); /* longer than the first time */
    assert_false(users_check(p->oauth->users, STR("bob"), STR("wrong"), STR("192.0.2.1"),
                             STR(""), &wait, &err));
    assert_int_equal(err.code, ERR_DENIED); /* not locked out */
    q->config.database = NULL;
    place_free(q);
}

#define PLACE_WITNESS                                                                    \
    "DELETE FROM facts; INSERT INTO facts VALUES('clock', '%" PRId64 " 0 0')"

static void test_SEC_26_clock_that_jumps_deletes_nothing(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer first = {0}, a = {0};
    struct err err;
    str cookie, user;
    char witnesses[3][128];
    snprintf(witnesses[0], sizeof(witnesses[0]), PLACE_WITNESS, clock_now() - 34560000);
    snprintf(witnesses[1], sizeof(witnesses[1]), "DELETE FROM facts"); /* then the newest
                                                                    row is the witness */
    snprintf(witnesses[2], sizeof(witnesses[2]), PLACE_WITNESS, clock_now());
    for (int i = 0; i < 3; i++) {
        bool jumped = i < 2;
        assert_null(place_redeem(p, "app", place_code(p), &first));
        assert_true(sign_in_create(p->oauth, &p->arena, STR("alice"), &cookie, &err));
        place_shift(p, -34560000);
        place_sql(p, witnesses[i]);
        place_reopen(p);
        (void)place_code(p); /* sweeps */
        assert_int_equal(oauth_doubts_clock(p->oauth), jumped);
        check_error("expired", place_refresh(p, "app", first.refresh_token, 0, &a),
                    "invalid_grant");
        assert_false(place_passes(p, first.access_token));
        assert_false(sign_in_user(p->oauth, &p->arena, cookie, &user));
        place_shift(p, 34560000); /* the clock is right again */
        assert_int_equal(place_passes(p, first.access_token), jumped);
        assert_int_equal(sign_in_user(p->oauth, &p->arena, cookie, &user), jumped);
        if (jumped)
            assert_null(place_refresh(p, "app", first.refresh_token, 0, &a));
        else
            check_error("deleted", place_refresh(p, "app", first.refresh_token, 0, &a),
                        "invalid_grant");
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_code),
        PLACE_TEST(test_SEC_13_code_twice_ends_everything),
        PLACE_TEST(test_SEC_07_SEC_14_refused_codes),
        PLACE_TEST(test_SEC_07_verifier_with_nul),
        PLACE_TEST(test_SEC_12_S1_38_codes_expire_after_five_minutes),
        PLACE_TEST(test_SEC_12_kinds_are_not_interchangeable),
        PLACE_TEST(test_SEC_30_token_is_matched_as_a_whole),
        PLACE_TEST(test_access_expires),
        PLACE_TEST(test_rotation),
        PLACE_TEST(test_SEC_18_same_successor),
        PLACE_TEST(test_SEC_17_theft_in_turn),
        PLACE_TEST(test_SEC_18_window),
        PLACE_TEST(test_SEC_17_reuse_ends_the_grant),
        PLACE_TEST(test_many_rotations),
        PLACE_TEST(test_SEC_17_scope_shrinks),
        PLACE_TEST(test_refresh_expires),
        PLACE_TEST(test_refresh_lifetimes),
        PLACE_TEST(test_forged_refresh),
        PLACE_TEST(test_SEC_19_revoke),
        PLACE_TEST(test_other_process_revokes),
        PLACE_TEST(test_alive),
        PLACE_TEST(test_one_token_ends),
        PLACE_TEST(test_seen_tokens),
        PLACE_TEST(test_key_name_again),
        PLACE_TEST(test_user_name_again),
        PLACE_TEST(test_client_removed),
        PLACE_TEST(test_client_removed_before_the_start),
        PLACE_TEST(test_registered_stays),
        PLACE_TEST(test_account),
        PLACE_TEST(test_client_credentials),
        PLACE_TEST(test_consent),
        PLACE_TEST(test_consent_of_anyone),
        PLACE_TEST(test_SEC_50_sign_in),
        PLACE_TEST(test_password),
        PLACE_TEST(test_pin),
        PLACE_TEST(test_SEC_28_keys),
        PLACE_TEST(test_SEC_26_everything_survives),
        cmocka_unit_test(test_memory_forgets),
        PLACE_TEST(test_jwt),
        PLACE_TEST(test_jwt_rotation),
        PLACE_TEST(test_token_count_is_bounded),
        PLACE_TEST(test_SEC_26_clock_that_jumps_deletes_nothing),
        PLACE_TEST(test_SEC_52_servers_count_together),
    };
    return place_run(argc, tests, COUNT_OF(tests), 0);
}
