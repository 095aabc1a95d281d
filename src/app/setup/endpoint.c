#include "app/setup/endpoint.h"

#include "base/clock.h"
#include "base/pool.h"
#include "fetch/embeddings.h"
#include "fetch/fetch.h"
#include "fetch/url.h"

/* Of one text: about 1,500 characters of most languages. */
enum { ENDPOINT_TEXT = 3000, MS_NS = 1000000 };

struct embeddings_endpoint {
    struct embeddings *client;
    str query_prefix, document_prefix;
};

bool endpoint_url(const struct settings_embeddings *s, struct url *out)
{
    struct url ignored;
    struct err err;
    return url_split(s->where, out != NULL ? out : &ignored, &err);
}

static str endpoint_place(struct arena *a, const struct url *u)
{
    return arena_printf(a, STR_FMT ":%u", STR_ARG(u->host), u->port);
}

str endpoint_outside(struct arena *a, const struct settings_embeddings *s)
{
    struct url u;
    return endpoint_url(s, &u) && !url_is_loopback(&u) ? endpoint_place(a, &u) : STR("");
}

bool endpoint_check(const struct settings_embeddings *s, struct err *err)
{
    struct err why = {0};
    if (s->where.n == 0 || str_eq(s->where, STR("off")) || str_eq(s->where, STR("auto")))
        return true;
    if (!embeddings_check_url(s->where, &why))
        return err_set(err, ERR_INVALID, "embeddings is off, auto or a URL: %s", why.msg);
    return fetch_is_possible(err);
}

/* --- the embedder --- */

/* No deadline is 0. */
static unsigned ms_until(uint64_t deadline_ns)
{
    uint64_t now = clock_ns(), left = deadline_ns > now ? deadline_ns - now : 0;
    uint64_t ms = left / MS_NS + 1;
    return deadline_ns == 0 || ms > EMBEDDINGS_MS ? EMBEDDINGS_MS : (unsigned)ms;
}

static bool endpoint_embed(void *arg, struct arena *a, enum embed_side side,
                           const str *texts, size_t n, uint64_t deadline_ns, float **out,
                           unsigned *numbers, struct err *err)
{
    const struct embeddings_endpoint *e = arg;
    bool question = side == EMBED_QUERY;
    unsigned ms = ms_until(deadline_ns);
    struct embeddings_request r = {
        .prefix = question ? e->query_prefix : e->document_prefix,
        .texts = texts,
        .n = n,
        .ms = ms,
        .question = question,
    };
    if (!pool_leave())
        return err_set(err, ERR_BUSY, "too many calls wait for the embeddings endpoint");
    bool ok = embeddings_ask(e->client, a, &r, out, numbers, err);
    pool_return();
    return ok;
}

static unsigned endpoint_rest_ms(void *arg)
{
    const struct embeddings_endpoint *e = arg;
    return embeddings_rest_ms(e->client);
}

/* Who answers, and what is put before a text, decide what its vector is. */
static str endpoint_id(struct arena *a, const struct settings_embeddings *s)
{
    return arena_printf(a, STR_FMT " " STR_FMT " %d " STR_FMT, STR_ARG(s->where),
                        STR_ARG(s->model), (int)s->dimensions,
                        STR_ARG(s->document_prefix));
}

void endpoint_open(struct arena *a, const struct settings_embeddings *s,
                   struct embedder *out)
{
    struct url u;
    struct embeddings_endpoint *e = ARENA_NEW(a, struct embeddings_endpoint);
    if (!endpoint_url(s, &u))
        BUG("no endpoint is set");
    *e = (struct embeddings_endpoint){
        .client = embeddings_create(
            &(struct embeddings_options){.url = s->where,
                                         .model = s->model,
                                         .key = s->key,
                                         .dimensions = (unsigned)s->dimensions}),
        .query_prefix = arena_str(a, s->query_prefix),
        .document_prefix = arena_str(a, s->document_prefix),
    };
    str place = endpoint_place(a, &u);
    *out = (struct embedder){
        .id = endpoint_id(a, s),
        .about = s->model.n > 0 ? arena_printf(a, STR_FMT " at " STR_FMT,
                                               STR_ARG(s->model), STR_ARG(place))
                                : place,
        .texts_max = EMBEDDINGS_TEXTS,
        .bytes_max = EMBEDDINGS_BYTES,
        .chunk_bytes = ENDPOINT_TEXT,
        .embed = endpoint_embed,
        .rest_ms = endpoint_rest_ms,
        .arg = e,
    };
}

void endpoint_close(struct embedder *e)
{
    struct embeddings_endpoint *own = e->arg;
    if (own != NULL)
        embeddings_free(own->client);
    *e = (struct embedder){0};
}

void endpoint_stop(void)
{
    fetch_stop();
}
