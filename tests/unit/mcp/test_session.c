#include "mcp/core.h"
#include "mcp/server.h"
#include "mcp/session.h"

#include "base/clock.h"
#include "base/encode.h"
#include "base/hash.h"
#include "check.h"

/* The layout of an id, as session.h draws it. */
enum {
    FORMAT = 0,
    REVISION = 1,
    MINUTE = 4,
    RANDOM = 8,
    SIZE = 24,
    LABEL = 25,
    MAC = 16
};

static const uint8_t key_one[MCP_KEY_SIZE] = {1, 2, 3};
static const uint8_t key_two[MCP_KEY_SIZE] = {1, 2, 4};

static bool give_key(void *app, uint8_t out[MCP_KEY_SIZE], struct err *err)
{
    memcpy(out, app, MCP_KEY_SIZE);
    return true;
}

static bool no_key(void *app, uint8_t out[MCP_KEY_SIZE], struct err *err)
{
    return err_set(err, ERR_DENIED, "the key cannot be read");
}

struct place {
    struct arena arena;
    struct pool *pool;
    struct mcp_server *server, *other, *keyless;
    struct mcp_sessions sessions;
};

static struct mcp_server *make_server(struct place *p, const uint8_t *key)
{
    return mcp_server_create(&(struct mcp_config){
        .name = "s",
        .version = "1",
        .pool = p->pool,
        .app = (void *)key,
        .key = key != NULL ? give_key : no_key,
    });
}

static int setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    p->pool = pool_create(1, 1);
    p->server = make_server(p, key_one);
    p->other = make_server(p, key_two);
    p->keyless = make_server(p, NULL);
    sessions_init(&p->sessions, mcp_server_key, p->server);
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    struct place *p = *state;
    sessions_release(&p->sessions);
    mcp_server_free(p->server);
    mcp_server_free(p->other);
    mcp_server_free(p->keyless);
    pool_free(p->pool);
    arena_release(&p->arena);
    free(p);
    return 0;
}

static void issue(struct place *p, const struct mcp_client *client, str principal,
                  char id[SESSION_ID_SIZE])
{
    struct err err = {0};
    if (!session_issue(&p->sessions, client, principal, id, &err))
        fail_msg("%s", err.msg);
}

static bool read_id(struct place *p, str id, str principal)
{
    struct mcp_session session;
    return session_read(&p->sessions, id, principal, &session);
}

static void test_round_trip(void **state)
{
    struct place *p = *state;
    for (enum mcp_revision r = MCP_NO_REVISION + 1; r <= MCP_NEWEST_LEGACY; r++) {
        for (unsigned can = 0; can < 2 * MCP_CAN_SHOW_UI; can += 9) {
            struct mcp_client client = {.revision = r, .can = can};
            struct mcp_session got;
            char id[SESSION_ID_SIZE];
            const char *row = mcp_revision_name(r).p;
            issue(p, &client, STR("alice"), id);
            CHECK(row, session_read(&p->sessions, str_c(id), STR("alice"), &got));
            CHECK_INT(row, got.client.revision, r);
            CHECK_INT(row, got.client.can, can);
            CHECK_INT(row, got.client.log_level, MCP_LOG_DEBUG);
            CHECK_STR(row, str_c(got.client.label), "");
            CHECK_INT(row, strlen(got.scope), 32);
        }
    }
}

static void test_label(void **state)
{
    static const char *const labels[] = {
        "c", "claude-code 2.1.0", "Notizbuch für Ähren 1",
        "0123456789012345678901234567890123456789012345678901234567890123"};
    struct place *p = *state;
    for (size_t i = 0; i < COUNT_OF(labels); i++) {
        struct mcp_client client = {.revision = MCP_2025_11_25};
        struct mcp_session got;
        char id[SESSION_ID_SIZE];
        memcpy(client.label, labels[i], strlen(labels[i]));
        issue(p, &client, STR("alice"), id);
        CHECK(labels[i], session_read(&p->sessions, str_c(id), STR("alice"), &got));
        CHECK_STR(labels[i], str_c(got.client.label), labels[i]);
    }
}

/* The end of a label cannot be taken for the start of a user's name. */
static void test_SEC_33_label_and_user(void **state)
{
    struct place *p = *state;
    struct mcp_client client = {.revision = MCP_2025_11_25, .label = "abob"};
    char id[SESSION_ID_SIZE];
    issue(p, &client, STR(""), id);
    str raw;
    assert_true(decode_base64url(&p->arena, str_c(id), &raw));
    char shorter[LABEL + 1 + MAC];
    memcpy(shorter, raw.p, LABEL + 1);
    memcpy(shorter + LABEL + 1, raw.p + raw.n - MAC, MAC);
    for (char size = 0; size < 6; size++) {
        shorter[SIZE] = size;
        str made = encode_base64url(&p->arena, (str){shorter, sizeof(shorter)});
        CHECK("another size", !read_id(p, made, STR("bob")));
    }
}

/* Visible ASCII without characters that have a meaning elsewhere, and always
 * different. */
static void test_ids(void **state)
{
    struct place *p = *state;
    struct mcp_client client = {.revision = MCP_2025_11_25};
    char id[SESSION_ID_SIZE], again[SESSION_ID_SIZE];
    issue(p, &client, STR(""), id);
    issue(p, &client, STR(""), again);
    assert_string_not_equal(id, again);
    CHECK_INT("length", strlen(id), 55);
    for (const char *c = id; *c != '\0'; c++)
        CHECK(id, (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ||
                      (*c >= 'A' && *c <= 'Z') || *c == '-' || *c == '_');
    struct mcp_session one, two;
    assert_true(session_read(&p->sessions, str_c(id), STR(""), &one));
    assert_true(session_read(&p->sessions, str_c(again), STR(""), &two));
    assert_string_not_equal(one.scope, two.scope);
}

/* Changing any character makes the id invalid. */
static void test_SEC_33_tampered(void **state)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ .~";
    struct place *p = *state;
    struct mcp_client client = {.revision = MCP_2025_11_25, .can = MCP_CAN_SAMPLE};
    char id[SESSION_ID_SIZE];
    issue(p, &client, STR(""), id);
    for (size_t at = 0; id[at] != '\0'; at++) {
        char kept = id[at];
        for (size_t i = 0; i < sizeof(letters) - 1; i++) {
            id[at] = letters[i];
            str row = arena_printf(&p->arena, "'%c' at %zu", letters[i], at);
            CHECK_INT(row.p, read_id(p, str_c(id), STR("")), letters[i] == kept);
        }
        id[at] = kept;
    }
}

static void test_SEC_33_not_ours(void **state)
{
    struct place *p = *state;
    struct mcp_client client = {.revision = MCP_2025_11_25};
    char id[SESSION_ID_SIZE];
    struct mcp_session session;
    issue(p, &client, STR("alice"), id);
    str text = str_c(id);
    CHECK("as issued", read_id(p, text, STR("alice")));
    CHECK("another user", !read_id(p, text, STR("alicf")));
    CHECK("a longer name", !read_id(p, text, STR("alice ")));
    CHECK("no user", !read_id(p, text, STR("")));
    CHECK("empty", !read_id(p, STR(""), STR("alice")));
    CHECK("nothing", !read_id(p, (str){0}, STR("alice")));
    CHECK("cut", !read_id(p, str_slice(text, 0, text.n - 1), STR("alice")));
    CHECK("longer", !read_id(p, arena_printf(&p->arena, "%sA", id), STR("alice")));
    CHECK("twice", !read_id(p, arena_printf(&p->arena, "%s%s", id, id), STR("alice")));
    CHECK("padded", !read_id(p, arena_printf(&p->arena, "%s==", id), STR("alice")));
    CHECK("with a space", !read_id(p, arena_printf(&p->arena, " %s", id), STR("alice")));
    CHECK("another key",
          !session_read(&p->other->sessions, text, STR("alice"), &session));
    CHECK("no key", !session_read(&p->keyless->sessions, text, STR("alice"), &session));
    CHECK_INT("nothing read", session.client.revision, MCP_NO_REVISION);
}

static void test_no_key(void **state)
{
    struct place *p = *state;
    struct mcp_client client = {.revision = MCP_2025_11_25};
    char id[SESSION_ID_SIZE] = "untouched";
    struct err err = {0};
    assert_false(session_issue(&p->keyless->sessions, &client, STR(""), id, &err));
    CHECK_STR("why", str_c(err.msg), "the key cannot be read");
    assert_string_equal(id, "untouched");
}

/* An id that can only be made with the key. */
static str forge(struct place *p, uint8_t *raw, size_t n, str principal)
{
    uint8_t mac[HASH_SIZE];
    struct sbuf text = SBUF_ON(&p->arena);
    sbuf_add(&text, STR("session\n"));
    sbuf_add(&text, (str){(char *)raw, n});
    sbuf_add(&text, principal);
    hash_hmac((str){(const char *)key_one, MCP_KEY_SIZE}, sbuf_str(&text), mac);
    memcpy(raw + n, mac, MAC);
    return encode_base64url(&p->arena, (str){(char *)raw, n + MAC});
}

static void test_signed_but_wrong(void **state)
{
    struct place *p = *state;
    static const int64_t days = 24 * 60;
    static const struct {
        const char *name;
        uint8_t format, revision;
        int64_t age; /* minutes */
        bool ok;
        uint8_t label, size; /* bytes that follow, and as many as it says */
    } cases[] = {
        {"right", 1, MCP_2025_11_25, 0, true},
        {"format 0", 0, MCP_2025_11_25, 0, false},
        {"format 2, no size", 2, MCP_2025_11_25, 0, false},
        {"format 2, no label", 2, MCP_2025_11_25, 0, true, 1, 0},
        {"format 2, a label", 2, MCP_2025_11_25, 0, true, 6, 5},
        {"format 2, the longest label", 2, MCP_2025_11_25, 0, true, 65, 64},
        {"format 2, a label that is too long", 2, MCP_2025_11_25, 0, false, 66, 65},
        {"format 2, a label that is cut", 2, MCP_2025_11_25, 0, false, 6, 6},
        {"format 2, more than the label", 2, MCP_2025_11_25, 0, false, 6, 4},
        {"format 3", 3, MCP_2025_11_25, 0, false, 1, 0},
        {"no revision", 1, MCP_NO_REVISION, 0, false},
        {"oldest revision", 1, MCP_2024_11_05, 0, true},
        {"modern revision", 1, MCP_2026_07_28, 0, false},
        {"revision of the future", 1, 255, 0, false},
        {"a day old", 1, MCP_2025_11_25, days, true},
        {"nearly too old", 1, MCP_2025_11_25, SESSION_DAYS * days - 2, true},
        {"too old", 1, MCP_2025_11_25, SESSION_DAYS * days + 1, false},
        {"years old", 1, MCP_2025_11_25, 3650 * days, false},
        {"our clock was set back", 1, MCP_2025_11_25, -60, true},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t raw[LABEL + 70 + MAC] = {0};
        size_t n = SIZE + cases[i].label;
        raw[FORMAT] = cases[i].format;
        raw[REVISION] = cases[i].revision;
        uint32_t minute = (uint32_t)(clock_now() / 60 - cases[i].age);
        for (size_t b = 0; b < 4; b++)
            raw[MINUTE + b] = (uint8_t)(minute >> 8 * (3 - b));
        raw[RANDOM] = (uint8_t)i;
        raw[SIZE] = cases[i].size;
        CHECK_INT(cases[i].name, read_id(p, forge(p, raw, n, STR("u")), STR("u")),
                  cases[i].ok);
        CHECK(cases[i].name, !read_id(p, forge(p, raw, n, STR("u")), STR("v")));
    }
}

static void test_SEC_33_ended(void **state)
{
    struct place *p = *state;
    struct mcp_client client = {.revision = MCP_2025_06_18};
    char one[SESSION_ID_SIZE], two[SESSION_ID_SIZE];
    issue(p, &client, STR(""), one);
    issue(p, &client, STR(""), two);
    struct mcp_session session;
    assert_true(session_read(&p->sessions, str_c(one), STR(""), &session));
    session_end(&p->sessions, &session);
    CHECK("ended", !read_id(p, str_c(one), STR("")));
    CHECK("the other", read_id(p, str_c(two), STR("")));
    session_end(&p->sessions, &session); /* ending it again changes nothing */
    CHECK("ended twice", !read_id(p, str_c(one), STR("")));
}

/* Of many ended sessions, the last ones are remembered. */
static void test_many_ended(void **state)
{
    struct place *p = *state;
    struct mcp_client client = {.revision = MCP_2025_06_18};
    char id[SESSION_ID_SIZE];
    issue(p, &client, STR(""), id);
    struct mcp_session session;
    assert_true(session_read(&p->sessions, str_c(id), STR(""), &session));
    session_end(&p->sessions, &session);
    for (uint64_t i = 1; i < SESSIONS_BUCKETS; i++)
        for (int way = 0; way < 2 * SESSIONS_WAYS; way++)
            session_end(&p->sessions,
                        &(struct mcp_session){.number = session.number + i});
    CHECK("others do not matter", !read_id(p, str_c(id), STR("")));
    for (uint64_t i = 1; i <= SESSIONS_WAYS; i++) {
        CHECK("its bucket has room", !read_id(p, str_c(id), STR("")));
        session_end(&p->sessions, &(struct mcp_session){.number = session.number +
                                                                  i * SESSIONS_BUCKETS});
    }
    CHECK("the oldest goes", read_id(p, str_c(id), STR("")));
}

#define SESSION_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        SESSION_TEST(test_round_trip),
        SESSION_TEST(test_label),
        SESSION_TEST(test_SEC_33_label_and_user),
        SESSION_TEST(test_ids),
        SESSION_TEST(test_SEC_33_tampered),
        SESSION_TEST(test_SEC_33_not_ours),
        SESSION_TEST(test_no_key),
        SESSION_TEST(test_signed_but_wrong),
        SESSION_TEST(test_SEC_33_ended),
        SESSION_TEST(test_many_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
