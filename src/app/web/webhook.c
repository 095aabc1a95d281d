#include "app/web/webhook.h"

#include "app/setup/app.h"
#include "app/setup/vaults.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/os/bytes.h"
#include "http/request.h"
#include "http/server.h"

struct delivery {
    uint64_t key; /* hash_table() of an id or a signature; 0: unused */
    int64_t when;
};

struct webhook {
    const struct app *app;
    char *file;
    struct lock lock; /* protects secret */
    char *secret;
    struct delivery seen[WEBHOOK_SEEN_MAX];
    size_t next; /* index of the oldest */
};

static bool read_webhook_secret(str file, char **out, struct err *err)
{
    struct arena a = {0};
    struct err why;
    str text;
    bool ok = fs_read_file(&a, file, WEBHOOK_SECRET_MAX, &text, &why) ||
              err_set(err, ERR_INVALID, "webhook-secret-file: %s", why.msg);
    str secret = ok ? str_trim_line(text) : (str){0};
    if (ok && secret.n < WEBHOOK_SECRET_MIN)
        ok = err_set(err, ERR_INVALID,
                     "webhook-secret-file: the secret must have at least %d characters",
                     WEBHOOK_SECRET_MIN);
    if (ok)
        *out = mem_str(secret);
    arena_release(&a);
    return ok;
}

static void free_secret(char *secret)
{
    bytes_wipe(secret, strlen(secret));
    free(secret);
}

bool webhook_create(str secret_file, const struct app *app, struct webhook **out,
                    struct err *err)
{
    char *secret;
    if (!read_webhook_secret(secret_file, &secret, err))
        return false;
    *out = mem_zero(sizeof(**out));
    (*out)->app = app;
    (*out)->file = mem_str(secret_file);
    (*out)->secret = secret;
    lock_init(&(*out)->lock, LOCK_LEAF);
    return true;
}

bool webhook_reload(struct webhook *h, struct err *err)
{
    char *secret;
    if (!read_webhook_secret(str_c(h->file), &secret, err))
        return false;
    lock_take(&h->lock);
    char *before = h->secret;
    h->secret = secret;
    lock_drop(&h->lock);
    free_secret(before);
    return true;
}

void webhook_free(struct webhook *h)
{
    if (h == NULL)
        return;
    free_secret(h->secret);
    lock_release(&h->lock);
    free(h->file);
    free(h);
}

/* --- authentication --- */

/* The headers of a forge. A signature proves knowledge of the secret and covers the body;
 * GitLab just sends the secret. */
struct forge {
    str proof, scheme; /* header with the proof, and the prefix of its value */
    bool says_secret;
    str event, push, id;
};

static const struct forge forges[] = {
    {STR("X-Hub-Signature-256"), STR("sha256="), false, STR("X-GitHub-Event"),
     STR("push"), STR("X-GitHub-Delivery")},
    {STR("X-Gitea-Signature"), STR(""), false, STR("X-Gitea-Event"), STR("push"),
     STR("X-Gitea-Delivery")},
    {STR("X-Gitlab-Token"), STR(""), true, STR("X-Gitlab-Event"), STR("Push Hook"),
     STR("Idempotency-Key")},
};

/* The first forge whose proof the request has; NULL: none. */
static const struct forge *forge_of(const struct http_request *r)
{
    for (size_t i = 0; i < COUNT_OF(forges); i++)
        if (http_header(r, forges[i].proof).p != NULL)
            return &forges[i];
    return NULL;
}

static str signature_of(const struct webhook *h, struct arena *a, str body)
{
    uint8_t mac[HASH_SIZE];
    hash_hmac(str_c(h->secret), body, mac);
    return encode_hex(a, (str){(const char *)mac, sizeof(mac)});
}

static bool is_proof(const struct webhook *h, const struct forge *f, str said,
                     str signature)
{
    return str_starts(said, f->scheme) &&
           hash_equal(str_skip(said, f->scheme.n),
                      f->says_secret ? str_c(h->secret) : signature);
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

static void webhook_remember(struct webhook *h, str what, int64_t now)
{
    h->seen[h->next] = (struct delivery){hash_table(what) | 1, now};
    h->next = (h->next + 1) % WEBHOOK_SEEN_MAX;
}

/* Judges a request whose proof is right. */
static enum webhook_answer judge_ours(struct webhook *h, const struct forge *f,
                                      const struct http_request *r, str signature,
                                      int64_t now)
{
    str event = http_header(r, f->event), id = http_header(r, f->id);
    if (event.n > 0 && !str_eq(event, f->push))
        return WEBHOOK_IGNORED;
    if (was_seen(h, signature, now) || (id.n > 0 && was_seen(h, id, now)))
        return WEBHOOK_SEEN;
    webhook_remember(h, signature, now); /* an id is not signed, so it is not enough */
    if (id.n > 0)
        webhook_remember(h, id, now);
    return WEBHOOK_PULL;
}

enum webhook_answer webhook_judge(struct webhook *h, const struct http_request *r,
                                  int64_t now)
{
    struct arena a = {0};
    enum webhook_answer answer = WEBHOOK_REFUSED;
    const struct forge *f = forge_of(r);
    lock_check_slow(); /* the hash of a large body: not on the loop */
    lock_take(&h->lock);
    str signature = signature_of(h, &a, r->body);
    bool proven = f != NULL && is_proof(h, f, http_header(r, f->proof), signature);
    lock_drop(&h->lock);
    if (proven)
        answer = judge_ours(h, f, r, signature, now);
    arena_release(&a);
    return answer;
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
    const struct http_request *r = http_request_of(x);
    enum webhook_answer answer = webhook_judge(h, r, clock_now());
    log_event(answer == WEBHOOK_REFUSED ? LOG_WARN : LOG_INFO, "webhook",
              LOG_STR("answer", answers[answer].body), LOG_STR("peer", r->peer));
    if (answer == WEBHOOK_PULL)
        vaults_pull(h->app); /* whichever it is about */
    http_reply(x, &(struct http_response){.status = answers[answer].status,
                                          .content_type = STR("application/json"),
                                          .body = answers[answer].body});
}
