#include "fetch/embeddings.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "base/lock.h"
#include "base/os/bytes.h"
#include "fetch/embeddings_read.h"
#include "fetch/fetch.h"
#include "fetch/url.h"

struct embeddings {
    char *url, *host, *model, *key;
    unsigned dimensions;
    struct lock turn;     /* of requests that are not questions */
    atomic_uint numbers;  /* of its vectors; 0: not known yet */
    atomic_bool answered; /* with vectors, at least once */
    atomic_bool terse; /* it refuses encoding_format, which others insist on (Voyage) */
    _Atomic(uint64_t) rest_until; /* clock_ms() */
};

bool embeddings_check_url(str url, struct err *err)
{
    struct url parts;
    if (!url_split(url, &parts, err))
        return false;
    return (str_find_char(parts.rest, '?') == STR_NONE &&
            str_find_char(parts.rest, '#') == STR_NONE) ||
           err_set(err, ERR_INVALID,
                   "the URL of an embeddings endpoint ends with its path");
}

/* The whole address, as copied from a manual, means the same. */
static str without_end(str url)
{
    static const str ends[] = {{"/", 1}, {"/embeddings", 11}, {"/", 1}};
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (str_ends(url, ends[i]))
            url = str_slice(url, 0, url.n - ends[i].n);
    return url;
}

struct embeddings *embeddings_create(const struct embeddings_options *o)
{
    struct embeddings *e = mem_zero(sizeof(*e));
    struct url parts;
    struct err err;
    if (!url_split(o->url, &parts, &err))
        BUG("the URL was not checked");
    e->url = mem_str(without_end(o->url));
    e->host = mem_str(parts.host);
    e->model = mem_str(o->model);
    e->key = mem_str(o->key);
    e->dimensions = o->dimensions;
    atomic_init(&e->numbers, o->dimensions);
    lock_init(&e->turn, LOCK_EMBEDDINGS);
    return e;
}

void embeddings_free(struct embeddings *e)
{
    if (e == NULL)
        return;
    bytes_wipe(e->key, strlen(e->key));
    lock_release(&e->turn);
    free(e->url);
    free(e->host);
    free(e->model);
    free(e->key);
    free(e);
}

/* --- resting --- */

unsigned embeddings_rest_ms(const struct embeddings *e)
{
    uint64_t now = clock_ms(), until = atomic_load(&e->rest_until);
    return until > now ? (unsigned)(until - now) : 0;
}

static void let_rest(struct embeddings *e, uint64_t ms)
{
    uint64_t until = clock_ms() + ms, seen = atomic_load(&e->rest_until);
    while (seen < until && !atomic_compare_exchange_weak(&e->rest_until, &seen, until))
        ;
}

/* A date in Retry-After is ignored: the caller has its own idea of when to ask again. */
static void respect_retry_after(struct embeddings *e, const struct fetched *got)
{
    int64_t seconds;
    if (!str_to_int(fetched_header(got, STR("retry-after")), &seconds) || seconds <= 0)
        return;
    if (seconds > EMBEDDINGS_RETRY_S)
        seconds = EMBEDDINGS_RETRY_S;
    let_rest(e, (uint64_t)seconds * 1000);
}

/* --- one request --- */

static str write_body(const struct embeddings *e, struct arena *a,
                      const struct embeddings_request *r)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    jsonw_object(&w);
    if (e->model[0] != '\0')
        jsonw_put_str(&w, STR("model"), str_c(e->model));
    jsonw_put_array(&w, STR("input"));
    for (size_t i = 0; i < r->n; i++)
        jsonw_printf(&w, STR_FMT STR_FMT, STR_ARG(r->prefix), STR_ARG(r->texts[i]));
    jsonw_end(&w);
    if (!atomic_load(&e->terse))
        jsonw_put_str(&w, STR("encoding_format"), STR("float"));
    if (e->dimensions > 0)
        jsonw_put_int(&w, STR("dimensions"), e->dimensions);
    jsonw_end(&w);
    return sbuf_str(&out);
}

/* The status of an answer without vectors. Its body is not quoted: servers repeat texts and
 * parts of keys there. */
static bool refuse(const struct embeddings *e, int status, struct err *err)
{
    const char *host = e->host;
    if (status >= 300 && status < 400)
        return err_set(
            err, ERR_DENIED,
            "the embeddings endpoint %s redirects to another address: name that "
            "one",
            host);
    switch (status) {
    case 400:
    case 413:
    case 422:
        return err_set(err, ERR_INVALID, "the embeddings endpoint %s refused a text (%d)",
                       host, status);
    case 401:
    case 403:
        return err_set(err, ERR_DENIED,
                       "the embeddings endpoint %s did not accept the key (%d): check "
                       "embeddings-key-file",
                       host, status);
    case 404:
        return err_set(err, ERR_BUSY,
                       "the embeddings endpoint %s has no such address or model (404): "
                       "check embeddings and embeddings-model",
                       host);
    default:
        return err_set(err, ERR_BUSY,
                       "the embeddings endpoint %s answered with status %d", host,
                       status);
    }
}

static bool unreachable(const struct embeddings *e, unsigned ms, const struct err *why,
                        struct err *err)
{
    if (why->name == E_FETCH_TIMEOUT)
        return err_named(err, E_TIMEOUT,
                         "the embeddings endpoint %s did not answer within %u ms",
                         e->host, ms);
    bool forever = why->code == ERR_DENIED || why->code == ERR_INVALID;
    return err_set(err, forever ? ERR_DENIED : ERR_BUSY, "the embeddings endpoint %s",
                   why->msg);
}

static bool take_answer(struct embeddings *e, struct arena *a, const struct fetched *got,
                        size_t n, float **out, unsigned *numbers, struct err *err)
{
    struct err why;
    unsigned width = atomic_load(&e->numbers);
    respect_retry_after(e, got);
    if (got->status != 200)
        return refuse(e, got->status, err);
    if (!embeddings_read(a, got->body, n, out, &width, &why))
        return err_set(err, why.code, "the embeddings endpoint %s %s", e->host, why.msg);
    atomic_store(&e->numbers, width);
    atomic_store(&e->answered, true);
    *numbers = width;
    return true;
}

static bool ask_once(struct embeddings *e, struct arena *a,
                     const struct embeddings_request *r, float **out, unsigned *numbers,
                     struct err *err)
{
    static const str headers[] = {{"Content-Type: application/json", 30}, {"Expect:", 7}};
    struct arena scratch = {0};
    struct fetched got;
    struct err why;
    struct fetch f = {.url = arena_printf(&scratch, "%s/embeddings", e->url),
                      .body = write_body(e, &scratch, r),
                      .bearer = str_c(e->key),
                      .max = EMBEDDINGS_ANSWER,
                      .ms = r->ms < EMBEDDINGS_MS ? r->ms : EMBEDDINGS_MS,
                      .headers = headers,
                      .n_headers = COUNT_OF(headers),
                      .private_http = true};
    bool ok = fetch_url(&scratch, &f, &got, &why)
                  ? take_answer(e, a, &got, r->n, out, numbers, err)
                  : unreachable(e, f.ms, &why, err);
    arena_release(&scratch);
    return ok;
}

/* Whether it accepts a harmless text. */
static bool accepts_harmless(struct embeddings *e, const struct embeddings_request *r)
{
    struct arena a = {0};
    static const str harmless = {"note", 4};
    struct embeddings_request probe = {.texts = &harmless, .n = 1, .ms = r->ms};
    float *vector;
    unsigned numbers;
    struct err err = {0};
    bool ok = ask_once(e, &a, &probe, &vector, &numbers, &err);
    arena_release(&a);
    return ok || err.code != ERR_INVALID;
}

/* Until a text was accepted, a refusal may be about something else: then it would be in
 * vain to look for the bad text. */
static bool ask_knowing(struct embeddings *e, struct arena *a,
                        const struct embeddings_request *r, float **out,
                        unsigned *numbers, struct err *err)
{
    if (ask_once(e, a, r, out, numbers, err))
        return true;
    if (err->code != ERR_INVALID || atomic_load(&e->answered) || accepts_harmless(e, r))
        return false;
    atomic_store(&e->terse, true);
    if (accepts_harmless(e, r))
        return ask_once(e, a, r, out, numbers, err);
    atomic_store(&e->terse, false);
    return err_set(
        err, ERR_DENIED,
        "the embeddings endpoint %s refuses every text: check embeddings-model "
        "and embeddings-dimensions",
        e->host);
}

static bool check_size(const struct embeddings_request *r, struct err *err)
{
    size_t bytes = 0;
    for (size_t i = 0; i < r->n; i++)
        bytes += r->prefix.n + r->texts[i].n;
    return (r->n > 0 && r->n <= EMBEDDINGS_TEXTS && bytes <= EMBEDDINGS_BYTES) ||
           err_set(
               err, ERR_LIMIT,
               "an embeddings endpoint is asked for 1 to %d texts of %d bytes together",
               EMBEDDINGS_TEXTS, EMBEDDINGS_BYTES);
}

static bool ask_question(struct embeddings *e, struct arena *a,
                         const struct embeddings_request *r, float **out,
                         unsigned *numbers, struct err *err)
{
    unsigned rest = embeddings_rest_ms(e);
    if (rest > 0)
        return err_set(
            err, ERR_BUSY,
            "the embeddings endpoint %s failed a moment ago and is asked again "
            "in %u s",
            e->host, (rest + 999) / 1000);
    bool ok = ask_once(e, a, r, out, numbers, err);
    if (!ok && err->code != ERR_INVALID)
        let_rest(e, EMBEDDINGS_REST_MS);
    return ok;
}

bool embeddings_ask(struct embeddings *e, struct arena *a,
                    const struct embeddings_request *r, float **out, unsigned *numbers,
                    struct err *err)
{
    if (!check_size(r, err))
        return false;
    if (r->question)
        return ask_question(e, a, r, out, numbers, err);
    lock_take(&e->turn);
    bool ok = ask_knowing(e, a, r, out, numbers, err);
    lock_drop(&e->turn);
    return ok;
}
