#include "app/web/frame.h"

#include "app/setup/callers.h"
#include "app/setup/page_vault.h"
#include "app/setup/proposals.h"
#include "app/setup/vaults.h"
#include "app/web/review_keys.h"
#include "app/web/review_link.h"
#include "http/form.h"
#include "oauth/pages.h"

bool frame_init(struct frame *f, struct app *app, struct arena *a,
                const struct oauth_asked *asked, struct form *query)
{
    struct err ignored;
    *f = (struct frame){.app = app, .a = a, .asked = asked, .site = *asked->site};
    f->caller = app_caller(app, a, asked->user);
    f->form = asked->form != NULL ? asked->form : query;
    f->site.here = asked->request->path;
    f->site.is_known = !asked->stranger;
    if (!asked->stranger && app->proposals != NULL) {
        f->site.counted = REVIEW_PATH;
        f->site.count = review_count(app, a, asked->user);
    }
    if (asked->form == NULL &&
        !form_parse(a, asked->request->query, STR(""), query, &ignored))
        return false;
    str name = form_get(f->form, STR("vault"));
    const struct app_vault *first = vaults_first(app, &f->caller);
    f->served = name.n > 0 ? vaults_find(app, &f->caller, name) : first;
    f->is_first = f->served == first;
    return true;
}

void frame_offer_vaults(struct frame *f, const char *path)
{
    struct app_vault **vaults;
    size_t n = vaults_seen(f->app, f->a, &f->caller, &vaults);
    n = n < VAULTS_SHOWN_MAX ? n : VAULTS_SHOWN_MAX;
    struct page_vault_link *links = ARENA_ARRAY(f->a, struct page_vault_link, n);
    for (size_t i = 0; i < n; i++) {
        struct frame other = {.a = f->a, .served = vaults[i], .is_first = i == 0};
        links[i] = (struct page_vault_link){vaults[i]->name,
                                            frame_path(&other, str_c(path), STR("")),
                                            vaults[i] == f->served};
    }
    f->site.vaults = links;
    f->site.n_vaults = n;
}

bool frame_open(struct frame *f, struct err *err)
{
    return f->served != NULL
               ? page_vault_open(&f->use, f->a, f->served, f->asked->user, err)
               : vaults_unknown(f->app, &f->caller, STR(""), err);
}

void frame_close(struct frame *f)
{
    page_vault_close(&f->use);
}

struct vault *frame_vault(const struct frame *f)
{
    bool is_operator = review_keys_admit(f->app->review_keys, f->asked->request);
    return is_operator ? f->served->vault : page_vault_of(f->served, f->asked->user);
}

str frame_path(const struct frame *f, str path, str rest)
{
    if (f->is_first || f->served == NULL)
        return arena_printf(f->a, STR_FMT STR_FMT, STR_ARG(path), STR_ARG(rest));
    return arena_printf(f->a, STR_FMT STR_FMT "%cvault=" STR_FMT, STR_ARG(path),
                        STR_ARG(rest), rest.n > 0 ? '&' : '?',
                        STR_ARG(form_encode(f->a, f->served->name)));
}

void frame_refuse(const struct frame *f, int status, str title, str text,
                  struct http_response *out)
{
    page_answer(f->a, status, page_error(f->a, &f->site, title, text), out);
}
