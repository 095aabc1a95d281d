#include "app/web/pages.h"

#include "app/catalog/view.h"
#include "app/setup/app.h"
#include "app/setup/reach.h"
#include "app/web/changes_page.h"
#include "app/web/frame.h"
#include "app/web/front_page.h"
#include "app/web/note_html.h"
#include "app/web/note_page.h"
#include "app/web/proposals_page.h"
#include "app/web/review_link.h"
#include "app/web/search_page.h"
#include "base/hash.h"
#include "base/pool.h"
#include "http/form.h"
#include "http/request.h"
#include "http/response.h"
#include "http/route.h"
#include "http/server.h"
#include "oauth/html.h"
#include "oauth/page.h"
#include "oauth/pages.h"
#include "oauth/proof/secret.h"

/* The map is one page for browsers and for MCP Apps; only browsers get the links to the
 * others. */
static void answer_view(void *app, struct arena *a, const struct oauth_asked *asked,
                        struct http_response *out)
{
    view_answer(app, a, asked->request, asked->user, out);
    if (!str_eq(asked->request->path, STR("/graph")))
        return;
    struct form query = {0};
    struct frame f;
    struct html nav = HTML_ON(a);
    const str mark = STR(VIEW_NAV_MARK);
    size_t at = str_find(out->body, mark);
    (void)!frame_init(&f, app, a, asked, &query);
    frame_offer_vaults(&f, "/graph");
    html_raw(&nav, STR("<style>"));
    html_raw(&nav, page_map_style);
    html_raw(&nav, STR("</style>"));
    page_bar(&nav, &f.site);
    out->body =
        arena_printf(a, STR_FMT STR_FMT STR_FMT, STR_ARG(str_slice(out->body, 0, at)),
                     STR_ARG(html_done(&nav)), STR_ARG(str_skip(out->body, at + mark.n)));
}

/* What a person sees at the address that apps use. */
static void answer_endpoint(void *app, struct arena *a, const struct oauth_asked *asked,
                            struct http_response *out)
{
    page_answer(
        a, 200,
        page_error(a, asked->site, STR("This address is for apps"),
                   STR("Give it to an AI app that supports MCP, as the address of "
                       "a server or connector. There is nothing to see here in a "
                       "browser.")),
        out);
}

#define PAGES                                                                            \
    {"/", "Home", .is_open = true, .answer = front_page_answer},                         \
        {CHANGES_PATH, "Changes", .takes_form = true, .answer = changes_page_answer},    \
        {REVIEW_PATH, "Proposals", .takes_form = true, .answer = proposals_page_answer}, \
        {"/graph", "Map", .answer = answer_view},                                        \
        {"/graph/data", .is_part = true, .answer = answer_view},                         \
    {                                                                                    \
        "/mcp", .is_open = true, .answer = answer_endpoint                               \
    }

const struct oauth_page pages_of_app[] = {
    PAGES,
    {SEARCH_PATH, "Search", .answer = search_page_answer},
    {NOTE_PATH, .answer = note_page_answer},
    {FILE_PATH, .is_part = true, .answer = file_page_answer},
    {0},
};

static const struct oauth_page without_reader[] = {PAGES, {0}};

const struct oauth_page *pages_of(const struct settings *s)
{
    return s->reader == READER_ON ? pages_of_app : without_reader;
}

/* --- without sign-in --- */

struct pages {
    struct app *app;
    struct arena arena;
    const struct oauth_page *pages;
    str ticket; /* of all forms, until the server ends */
    struct http_route routes[COUNT_OF(pages_of_app)];
};

/* A request that a worker answers. */
struct pages_job {
    struct pages *pages;
    const struct oauth_page *page;
    struct http_exchange *x;
};

struct pages *pages_create(struct app *app)
{
    struct pages *p = mem_zero(sizeof(*p));
    p->app = app;
    p->ticket = secret_new(&p->arena, STR(""));
    const struct oauth_page *pages = p->pages = pages_of(&app->settings);
    for (size_t i = 0; pages[i].path != NULL; i++)
        p->routes[i] = (struct http_route){
            pages[i].path,  pages[i].takes_form ? HTTP_GET | HTTP_POST : HTTP_GET,
            PAGES_FORM_MAX, HTTP_CORS_NONE,
            pages_handle,   p};
    return p;
}

void pages_free(struct pages *p)
{
    if (p == NULL)
        return;
    arena_release(&p->arena);
    free(p);
}

const struct http_route *pages_routes(struct pages *p)
{
    return p->routes;
}

/* The address of the server as the browser knows it; the guard has checked Host. */
static str pages_url(struct arena *a, const struct settings *s,
                     const struct http_request *r)
{
    return s->server_url.n > 0
               ? s->server_url
               : arena_printf(a, "http://" STR_FMT, STR_ARG(http_header(r, STR("host"))));
}

/* Browsers say http or https as they see it, which a proxy may not pass on. */
static str pages_origin(struct arena *a, const struct http_request *r)
{
    bool secure = str_starts(http_header(r, STR("origin")), STR("https://"));
    return arena_printf(a, "%s://" STR_FMT, secure ? "https" : "http",
                        STR_ARG(http_header(r, STR("host"))));
}

/* Whether a form of ours was posted; else that was answered. */
static bool pages_read(const struct pages *p, struct arena *a,
                       const struct oauth_asked *asked, struct form *form,
                       struct http_response *out)
{
    if (!page_read_form(a, asked->site, asked->request, pages_origin(a, asked->request),
                        "", form, out))
        return false;
    if (hash_equal(form_get(form, STR("ticket")), p->ticket))
        return true;
    page_answer(a, 403,
                page_error(a, asked->site, STR("This page has expired"),
                           STR("The server was restarted since, or the form is not from "
                               "one of its pages. Open the page again.")),
                out);
    return false;
}

static void pages_answer(const struct pages *p, struct arena *a,
                         const struct oauth_page *page, const struct http_request *r,
                         struct http_response *out)
{
    struct page_site site = {.vault = app_names(p->app, a), .pages = p->pages};
    struct form form;
    struct oauth_asked asked = {.request = r,
                                .site = &site,
                                .url = pages_url(a, &p->app->settings, r),
                                .ticket = p->ticket};
    if (r->method == HTTP_POST) {
        if (!pages_read(p, a, &asked, &form, out))
            return;
        asked.form = &form;
    }
    if (page->answer != NULL)
        page->answer(p->app, a, &asked, out);
    else
        page_answer(
            a, 404,
            page_error(a, &site, STR("Page not found"), STR("Check the address.")), out);
}

static void pages_run(void *arg)
{
    struct pages_job *job = arg;
    struct arena a = {0};
    struct http_response r = {0};
    pages_answer(job->pages, &a, job->page, http_request_of(job->x), &r);
    http_reply(job->x, &r);
    arena_release(&a);
    free(job);
}

/* The last row, without a path: there is none. */
static const struct oauth_page *page_at(const struct pages *p, str path)
{
    const struct oauth_page *page = p->pages;
    while (page->path != NULL && !http_route_fits(page->path, path))
        page++;
    return page;
}

void pages_handle(struct http_exchange *x, void *pages)
{
    struct pages *p = pages;
    if (!reach_admit(&p->app->settings, x))
        return;
    struct pages_job *job = mem_alloc(sizeof(*job));
    *job = (struct pages_job){p, page_at(p, http_request_of(x)->path), x};
    if (pool_try(p->app->pool, pages_run, job))
        return;
    free(job);
    http_reply(x, &(struct http_response){.status = 503});
}
