#include "mcp/session.h"

#include "base/clock.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/os/bytes.h"
#include "base/os/rand.h"

enum {
    UNLABELLED = 1, /* formats */
    LABELLED = 2,
    RANDOM = 16,
    MAC = 16,
    FIXED = 8 + RANDOM, /* what both formats begin with */
    RAW_MAX = FIXED + MCP_LABEL_SIZE + MAC,
};

/* Unpadded base64url, and a NUL. */
_Static_assert((RAW_MAX * 4 + 2) / 3 < SESSION_ID_SIZE, "an id does not fit");

void sessions_init(struct mcp_sessions *s,
                   bool (*key)(struct mcp_server *server, uint8_t out[MCP_KEY_SIZE],
                               struct err *err),
                   struct mcp_server *server)
{
    *s = (struct mcp_sessions){.key = key, .server = server};
    lock_init(&s->lock, LOCK_LEAF);
}

void sessions_release(struct mcp_sessions *s)
{
    free(s->ended);
    free(s->next);
    lock_release(&s->lock);
}

/* The payload ends where its own first bytes say, so none is the start of another. */
static bool sign(const struct mcp_sessions *s, str payload, str principal,
                 uint8_t out[MAC], struct err *err)
{
    uint8_t key[MCP_KEY_SIZE], mac[HASH_SIZE];
    if (!s->key(s->server, key, err))
        return false;
    struct arena a = {0};
    struct sbuf text = SBUF_ON(&a);
    sbuf_add(&text, STR("session\n"));
    sbuf_add(&text, payload);
    sbuf_add(&text, principal);
    hash_hmac((str){(char *)key, sizeof(key)}, sbuf_str(&text), mac);
    memcpy(out, mac, MAC);
    bytes_wipe(key, sizeof(key));
    arena_release(&a);
    return true;
}

bool session_issue(struct mcp_sessions *s, const struct mcp_client *client, str principal,
                   char id[SESSION_ID_SIZE], struct err *err)
{
    uint8_t raw[RAW_MAX] = {LABELLED, (uint8_t)client->revision};
    size_t label = strlen(client->label), n = FIXED + 1 + label;
    encode_number(raw + 2, 2, client->can);
    encode_number(raw + 4, 4, (uint64_t)clock_now() / 60);
    rand_bytes(raw + 8, RANDOM);
    raw[FIXED] = (uint8_t)label;
    memcpy(raw + FIXED + 1, client->label, label);
    if (!sign(s, (str){(char *)raw, n}, principal, raw + n, err))
        return false;
    struct arena a = {0};
    str text = encode_base64url(&a, (str){(char *)raw, n + MAC});
    memcpy(id, text.p, text.n);
    id[text.n] = '\0';
    arena_release(&a);
    return true;
}

static bool is_ended(struct mcp_sessions *s, uint64_t number)
{
    bool found = false;
    lock_take(&s->lock);
    const uint64_t *bucket =
        s->ended != NULL ? s->ended[number % SESSIONS_BUCKETS] : NULL;
    for (size_t i = 0; bucket != NULL && i < SESSIONS_WAYS && !found; i++)
        found = bucket[i] == number;
    lock_drop(&s->lock);
    return found;
}

/* The size of the payload in raw, as its first bytes say; 0 if they make no sense. */
static size_t payload_size(str raw)
{
    if (raw.n > FIXED && raw.p[0] == LABELLED)
        return FIXED + 1 + (uint8_t)raw.p[FIXED];
    return raw.n > FIXED && raw.p[0] == UNLABELLED ? FIXED : 0;
}

static bool is_signed(const struct mcp_sessions *s, str raw, str principal)
{
    uint8_t mac[MAC];
    struct err err;
    size_t n = payload_size(raw);
    return n > 0 && raw.n == n + MAC &&
           sign(s, str_slice(raw, 0, n), principal, mac, &err) &&
           hash_equal((str){(char *)mac, MAC}, str_skip(raw, n));
}

static bool read_payload(const uint8_t *raw, struct mcp_session *out)
{
    enum mcp_revision revision = (enum mcp_revision)raw[1];
    int64_t age = clock_now() / 60 - (int64_t)decode_number(raw + 4, 4);
    size_t label = raw[0] == LABELLED ? raw[FIXED] : 0;
    if (revision == MCP_NO_REVISION || revision > MCP_NEWEST_LEGACY ||
        age > SESSION_DAYS * 24 * 60 || label >= MCP_LABEL_SIZE)
        return false;
    out->client = (struct mcp_client){.revision = revision,
                                      .can = (unsigned)decode_number(raw + 2, 2),
                                      .log_level = MCP_LOG_DEBUG};
    memcpy(out->client.label, raw + FIXED + 1, label);
    return true;
}

bool session_read(struct mcp_sessions *s, str id, str principal, struct mcp_session *out)
{
    struct arena a = {0};
    str raw;
    *out = (struct mcp_session){0};
    bool ok = id.n < SESSION_ID_SIZE && decode_base64url(&a, id, &raw) &&
              is_signed(s, raw, principal) && read_payload((const uint8_t *)raw.p, out);
    if (ok) {
        str scope = encode_hex(&a, str_slice(raw, 8, FIXED));
        memcpy(out->scope, scope.p, scope.n);
        out->number = decode_number((const uint8_t *)raw.p + 8, 8);
        ok = !is_ended(s, out->number);
    }
    arena_release(&a);
    return ok;
}

void session_end(struct mcp_sessions *s, const struct mcp_session *session)
{
    lock_take(&s->lock);
    if (s->ended == NULL) {
        s->ended = mem_zero(SESSIONS_BUCKETS * sizeof(*s->ended));
        s->next = mem_zero(SESSIONS_BUCKETS);
    }
    size_t bucket = session->number % SESSIONS_BUCKETS;
    s->ended[bucket][s->next[bucket]++ % SESSIONS_WAYS] = session->number;
    lock_drop(&s->lock);
}
