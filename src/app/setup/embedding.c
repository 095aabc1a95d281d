#include "app/setup/embedding.h"

#include "app/setup/endpoint.h"
#include "app/setup/model_file.h"
#include "base/log.h"
#include "base/sbuf.h"
#include "vault/meaning/model.h"
#include "vault/vault.h"

static bool embedding_open_model(struct embedding *e, struct arena *a,
                                 const struct settings_embeddings *s, str state_dir,
                                 struct err *err)
{
    if (!model_file_open(a, s, state_dir, &e->model, err)) {
        e->model = NULL;
        if (s->file.n > 0)
            return false;
        log_event(LOG_WARN, "embeddings", LOG_STR("problem", str_c(err->msg)),
                  LOG_STR("detail", str_c(err->detail)));
    }
    if (e->model != NULL)
        e->built_in = model_embedder(e->model);
    return true;
}

bool embedding_open(struct embedding *e, struct arena *a,
                    const struct settings_embeddings *s, str state_dir, struct err *err)
{
    *e = (struct embedding){0};
    if (str_eq_nocase(s->where, STR("off")))
        return true;
    e->has_endpoint = endpoint_url(s, NULL);
    if (e->has_endpoint)
        endpoint_open(a, s, &e->endpoint);
    return embedding_open_model(e, a, s, state_dir, err);
}

void embedding_close(struct embedding *e)
{
    if (e->has_endpoint)
        endpoint_close(&e->endpoint);
    if (e->model != NULL)
        model_close(e->model);
    *e = (struct embedding){0};
}

void embedding_stop(const struct embedding *e)
{
    if (e->has_endpoint)
        endpoint_stop();
}

bool embedding_is_open(const struct embedding *e)
{
    return e->has_endpoint || e->model != NULL;
}

void embedding_set(const struct embedding *e, struct vault_options *options)
{
    const struct embedder *model = e->model != NULL ? &e->built_in : NULL;
    options->embedder = e->has_endpoint ? &e->endpoint : model;
    options->former = e->has_endpoint ? model : NULL;
}

str embedding_line(struct arena *a, const struct meaning_state *s)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, s->about);
    if (s->reads_names.n > 0)
        sbuf_printf(&b, " (reads " STR_FMT ")", STR_ARG(s->reads_names));
    sbuf_add(&b, STR(": "));
    if (s->chunks == 0)
        sbuf_printf(&b, "no notes are read yet");
    else if (s->unread >= s->chunks)
        sbuf_printf(&b, "none of %zu chunks of notes", s->chunks);
    else if (s->embedded + s->unread >= s->chunks)
        sbuf_printf(&b, "all %zu chunks of notes", s->chunks - s->unread);
    else
        sbuf_printf(&b, "%zu of %zu chunks of notes so far", s->embedded, s->chunks);
    if (s->unread * 2 > s->chunks)
        sbuf_printf(&b, "; it does not support the language of most notes, which are "
                        "found by words only: set an endpoint for them (--embeddings)");
    else if (s->unread > 0)
        sbuf_printf(&b, "; %zu more are in languages it does not support", s->unread);
    if (s->problem.n > 0)
        sbuf_printf(&b, "; " STR_FMT, STR_ARG(s->problem));
    return sbuf_str(&b);
}
