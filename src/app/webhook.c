#include "app/webhook.h"

#include "base/clock.h"
#include "base/encode.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/log.h"

struct seen {
    uint64_t key; /* hash_table() of an id or a signature; 0: none */
    int64_t when;
};

struct webhook {
    struct sync *sync;
    char *secret;
    struct seen seen[WEBHOOK_SEEN_MAX];
    size_t next; /* place of the oldest */
};

bool webhook_create(str secret_file, struct sync *sync, struct webhook **out,
                    struct err *err)
{
    struct arena a = {0};
    struct err why;
    str text;
    bool ok = fs_read_file(&a, secret_file, WEBHOOK_SECRET_MAX, &text, &why) ||
              err_set(err, ERR_INVALID, "webhook-secret-file: %s", why.msg);
    str secret = ok ? str_trim_line(text) : (str){0};
    if (ok && secret.n < WEBHOOK_SECRET_MIN)
        ok = err_set(err, ERR_INVALID,
                     "webhook-secret-file: a secret has at least %d characters",
                     WEBHOOK_SECRET_MIN);
    if (ok) {
        *out = mem_zero(sizeof(**out));
        (*out)->sync = sync;
        (*out)->secret = mem_str(secret);
    }
    arena_release(&a);
    return ok;
}

void webhook_free(struct webhook *h)
{
    if (h == NULL)
        return;
    explicit_bzero(h->secret, strlen(h->secret));
    free(h->secret);
    free(h);
}

/* --- whose it is --- */

static str signature_of(const struct http_request *r)
{
    str github = http_header(r, STR("X-Hub-Signature-256"));
    if (github.p != NULL)
        return str_starts(github, STR("sha256=")) ? str_skip(github, 7) : STR("");
    return http_header(r, STR("X-Gitea-Signature"));
}

/* The first of these headers that is there. */
static str either(const struct http_request *r, str github, str gitea)
{
    str value = http_header(r, github);
    return value.p != NULL ? value : http_header(r, gitea);
}

static bool is_ours(const struct webhook *h, str body, str signature)
{
    struct arena a = {0};
    uint8_t mac[HASH_SIZE];
    hash_hmac(str_c(h->secret), body, mac);
    bool equal =
        hash_equal(encode_hex(&a, (str){(const char *)mac, sizeof(mac)}), signature);
    arena_release(&a);
    return equal;
}

/* --- replays --- */

static bool was_seen(const struct webhook *h, str what, int64_t now)
{
    for (size_t i = 0; i < WEBHOOK_SEEN_MAX; i++)
        if (h->seen[i].key == (hash_table(what) | 1) &&
            h->seen[i].when > now - WEBHOOK_WINDOW_S)
            return true;
    return false;
}

static void remember(struct webhook *h, str what, int64_t now)
{
    h->seen[h->next] = (struct seen){hash_table(what) | 1, now};
    h->next = (h->next + 1) % WEBHOOK_SEEN_MAX;
}

enum webhook_answer webhook_judge(struct webhook *h, const struct http_request *r,
                                  int64_t now)
{
    str signature = signature_of(r);
    str id = either(r, STR("X-GitHub-Delivery"), STR("X-Gitea-Delivery"));
    str event = either(r, STR("X-GitHub-Event"), STR("X-Gitea-Event"));
    if (!is_ours(h, r->body, signature))
        return WEBHOOK_REFUSED;
    if (event.n > 0 && !str_eq(event, STR("push")))
        return WEBHOOK_IGNORED;
    if (was_seen(h, signature, now) || (id.n > 0 && was_seen(h, id, now)))
        return WEBHOOK_SEEN;
    remember(h, signature, now); /* an id is not signed: it alone proves nothing */
    if (id.n > 0)
        remember(h, id, now);
    return WEBHOOK_PULL;
}

void webhook_handle(struct http_exchange *x, void *context)
{
    static const struct {
        int status;
        str body;
    } answers[] = {
        [WEBHOOK_PULL] = {202, STR("{\"status\":\"pulling\"}")},
        [WEBHOOK_SEEN] = {202, STR("{\"status\":\"seen before\"}")},
        [WEBHOOK_IGNORED] = {202, STR("{\"status\":\"ignored\"}")},
        [WEBHOOK_REFUSED] = {401, STR("{\"error\":\"wrong signature\"}")},
    };
    struct webhook *h = context;
    struct err err;
    const struct http_request *r = http_request_of(x);
    enum webhook_answer answer = webhook_judge(h, r, clock_now());
    log_event(answer == WEBHOOK_REFUSED ? LOG_WARN : LOG_INFO, "webhook",
              LOG_STR("answer", answers[answer].body), LOG_STR("peer", r->peer));
    if (answer == WEBHOOK_PULL && !sync_ask(h->sync, false, NULL, NULL, &err))
        log_event(LOG_WARN, "webhook", LOG_STR("error", str_c(err.msg)));
    http_reply(x, &(struct http_response){.status = answers[answer].status,
                                          .content_type = STR("application/json"),
                                          .body = answers[answer].body});
}
