#include "app/web/proposals_operator.h"

#include "app/setup/app.h"
#include "app/setup/page_vault.h"
#include "app/setup/proposals.h"
#include "app/setup/proposed_request.h"
#include "app/setup/vault_config.h"
#include "app/setup/vaults.h"
#include "app/web/review_keys.h"
#include "app/web/review_link.h"
#include "base/log.h"
#include "state/proposal_table.h"
#include "vault/vault.h"

struct operating {
    struct app *app;
    struct arena *a;
    struct proposed_request request;
    struct app_vault **vaults; /* that are meant */
    size_t n;
};

static str folder_of(const struct app_vault *v)
{
    return v->identity.n > 0 ? vaults_folder(v) : str_c(vault_folder(v->vault));
}

/* Those that the request names, or all. */
static void find_meant(struct operating *o)
{
    const struct proposed_request *r = &o->request;
    struct app_vault **all;
    size_t n = vaults_all(o->app, o->a, &all);
    o->vaults = ARENA_ARRAY(o->a, struct app_vault *, n);
    for (size_t i = 0; i < n; i++) {
        bool named = r->vault.n == 0 || str_eq_nocase(r->vault, all[i]->name);
        bool there = r->folder.n == 0 ||
                     str_eq(r->folder, vault_config_real(o->a, folder_of(all[i])));
        if (named && there)
            o->vaults[o->n++] = all[i];
    }
}

static str shown_name(const struct operating *o, const struct app_vault *v)
{
    return app_has_several(o->app) ? v->name : STR("");
}

static bool list_all(struct operating *o, struct jsonw *w, struct err *err)
{
    jsonw_object(w);
    jsonw_put_array(w, STR("proposals"));
    for (size_t i = 0; i < o->n; i++) {
        struct proposed_place place;
        proposals_place(o->vaults[i], o->a, NULL, &place);
        if (!proposed_put_list(w, o->a, &place, shown_name(o, o->vaults[i]), err))
            return false;
    }
    jsonw_end(w);
    jsonw_end(w);
    return true;
}

/* The vault that has the proposal, and who it was made for. */
static const struct app_vault *vault_with(struct operating *o, str *person,
                                          struct err *err)
{
    struct proposal_row row;
    str ignored;
    for (size_t i = 0; i < o->n; i++) {
        struct proposed_place place;
        proposals_place(o->vaults[i], o->a, NULL, &place);
        if (proposal_table_get(place.store, o->a, place.vault, o->request.decision.id,
                               &row, &ignored, err)) {
            size_t end = str_find_char(row.owner, '\n');
            *person = str_slice(row.owner, 0, end == STR_NONE ? 0 : end);
            return o->vaults[i];
        }
        if (err->code != ERR_NOT_FOUND)
            return NULL;
    }
    return NULL;
}

/* With what its client has seen elsewhere, which the proposal may be based on. */
static bool answer_one(struct operating *o, struct jsonw *w, struct err *err)
{
    str person = {0};
    struct page_vault use;
    struct proposed_place place;
    const struct app_vault *v = vault_with(o, &person, err);
    if (v == NULL || !page_vault_open(&use, o->a, v, person, err))
        return false;
    proposals_place(v, o->a, NULL, &place);
    bool ok = proposed_answer(w, o->a, &place, shown_name(o, v), &o->request, err);
    page_vault_close(&use);
    if (ok && o->request.verb == PROPOSED_DECIDE)
        log_event(LOG_INFO, "proposal.decided", LOG_STR("user", o->request.decision.by),
                  LOG_STR("id", o->request.decision.id));
    return ok;
}

/* With sign-in, a person signs in; else the link has a key. */
static bool answer_link(struct operating *o, struct jsonw *w, str address,
                        struct err *err)
{
    const struct settings *s = &o->app->settings;
    str url = s->server_url;
    if (url.n == 0 && (address.n == 0 || str_starts(address, STR("unix:"))))
        return err_set(err, ERR_INVALID,
                       "the server listens on a socket: give it a --server-url");
    if (url.n == 0)
        url = arena_printf(o->a, "http://%s" STR_FMT,
                           str_starts(address, STR(":")) ? "localhost" : "",
                           STR_ARG(address));
    url.n -= str_ends(url, STR("/"));
    str key = s->signs_in ? STR("") : review_keys_new(o->app->review_keys, o->a);
    jsonw_object(w);
    jsonw_put_str(w, STR("link"),
                  arena_printf(o->a, STR_FMT REVIEW_PATH "%s" STR_FMT, STR_ARG(url),
                               key.n > 0 ? "?key=" : "", STR_ARG(key)));
    jsonw_end(w);
    return true;
}

static bool operate(struct operating *o, struct jsonw *w, str address, struct err *err)
{
    find_meant(o);
    if (o->app->proposals == NULL || o->n == 0) {
        jsonw_object(w);
        jsonw_put_bool(w, STR("not_served"), true);
        jsonw_end(w);
        return true;
    }
    return o->request.verb == PROPOSED_LINK   ? answer_link(o, w, address, err)
           : o->request.verb == PROPOSED_LIST ? list_all(o, w, err)
                                              : answer_one(o, w, err);
}

void proposals_operate(struct app *app, struct arena *a, str body, str address,
                       struct http_response *out)
{
    struct operating o = {.app = app, .a = a};
    struct sbuf text = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&text);
    struct err err = {0};
    if (!proposed_request_read(a, body, &o.request, &err) ||
        !operate(&o, &w, address, &err)) {
        text = SBUF_ON(a);
        w = JSONW_ON(&text);
        proposed_put_error(&w, &err);
    }
    out->status = 200;
    out->content_type = STR("application/json");
    out->body = sbuf_str(&text);
}
