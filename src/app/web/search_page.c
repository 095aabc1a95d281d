#include "app/web/search_page.h"

#include "app/answers/hits.h"
#include "app/setup/app.h"
#include "app/web/frame.h"
#include "app/web/note_html.h"
#include "base/utf8.h"
#include "http/form.h"
#include "http/response.h"
#include "oauth/html.h"
#include "oauth/page.h"
#include "oauth/pages.h"
#include "vault/ask/search.h"
#include "vault/index/file.h"
#include "vault/vault.h"

struct search_page {
    struct frame f;
    struct html *h;
    struct note_html to;
    str query;
    int64_t offset;
};

static void search_page_put_form(const struct search_page *p)
{
    const struct frame *f = &p->f;
    html_open(p->h, "form", {"method", STR("get")}, {"role", STR("search")},
              {"class", STR("searching")},
              {"action", arena_printf(f->a, STR_FMT SEARCH_PATH, STR_ARG(f->site.base))});
    html_void(p->h, "input", {"type", STR("search")}, {"name", STR("q")},
              {"value", p->query}, {"aria-label", STR("Search the notes")},
              {"placeholder", STR("Words, \"a phrase\", tag:#work, path:Projects")},
              {p->query.n == 0 ? "autofocus" : NULL});
    if (!f->is_first && f->served != NULL)
        page_hidden(p->h, STR("vault"), f->served->name);
    page_button(p->h, "main", STR(""), STR(""), STR("Search"));
    html_end(p->h);
}

/* The text with the match marked. A snippet has the match in **bold**. */
static void put_snippet(const struct search_page *p, const struct search_hit *hit)
{
    str bold = arena_printf(p->f.a, "**" STR_FMT "**", STR_ARG(hit->match));
    size_t at = hit->match.n > 0 ? str_find(hit->snippet, bold) : STR_NONE;
    html_open(p->h, "p", {"class", STR("snippet")}, {"dir", STR("auto")});
    if (at == STR_NONE) {
        html_text(p->h, hit->snippet);
    } else {
        html_text(p->h, str_slice(hit->snippet, 0, at));
        html_line(p->h, "mark", NULL, hit->match);
        html_text(p->h, str_skip(hit->snippet, at + bold.n));
    }
    html_end(p->h);
}

/* One note with the first of its hits, which are marked as shown. */
static void search_page_put_file(const struct search_page *p,
                                 const struct search_result *r, size_t first, bool *shown)
{
    const struct file *f = r->hits[first].file;
    size_t lines = 0;
    html_open(p->h, "li");
    html_open(p->h, "div", {"class", STR("body")});
    html_open(p->h, "h2", {"class", STR("item")});
    html_open(p->h, "a", {"href", note_html_address(&p->to, f->path)});
    html_text(p->h, file_title(f->path));
    html_end(p->h);
    html_end(p->h);
    html_line(p->h, "p", "soft small", f->path);
    for (size_t i = first; i < r->n; i++) {
        if (r->hits[i].file != f)
            continue;
        shown[i] = true;
        if (r->hits[i].where != SEARCH_FILENAME && lines++ < SEARCH_PAGE_LINES)
            put_snippet(p, &r->hits[i]);
    }
    html_end(p->h);
    html_end(p->h);
}

static void put_list_of(const struct search_page *p, const struct search_result *r)
{
    bool *shown = ARENA_ARRAY(p->f.a, bool, r->n);
    memset(shown, 0, r->n * sizeof(*shown));
    html_open(p->h, "ul", {"class", STR("rows results")});
    for (size_t i = 0; i < r->n; i++)
        if (!shown[i])
            search_page_put_file(p, r, i, shown);
    html_end(p->h);
}

static void put_near(const struct search_page *p, const struct search_result *r)
{
    struct search_result near = {.hits = r->near, .n = r->n_near};
    if (near.n == 0)
        return;
    html_line(p->h, "h2", NULL, STR("Near in meaning or words"));
    put_list_of(p, &near);
}

static void put_found(const struct search_page *p, const struct hits *hits)
{
    const struct search_result *r = &hits->found;
    if (hits->note.n > 0)
        html_line(p->h, "p", "soft", hits->note);
    else if (r->n == 0 && r->n_near == 0)
        html_line(p->h, "p", "empty", STR("Nothing was found."));
    if (r->n > 0) {
        html_line(p->h, "p", "soft small",
                  arena_printf(p->f.a, "%s%zu hit%s in %zu note%s",
                               r->partial ? "at least " : "", r->total,
                               r->total == 1 ? "" : "s", r->files,
                               r->files == 1 ? "" : "s"));
        put_list_of(p, r);
    }
    put_near(p, r);
    if (hits->meaning.n > 0)
        html_line(p->h, "p", "soft small", hits->meaning);
    if (!r->more)
        return;
    html_open(p->h, "p");
    page_link(p->h, &p->f.site, "button",
              frame_path(&p->f, STR(SEARCH_PATH),
                         arena_printf(p->f.a, "?q=" STR_FMT "&offset=%lld",
                                      STR_ARG(form_encode(p->f.a, p->query)),
                                      (long long)p->offset + SEARCH_PAGE_HITS)),
              STR("More"));
    html_end(p->h);
}

/* The vault is open. */
static void search_page_find(struct search_page *p)
{
    struct vault *v = frame_vault(&p->f);
    struct err err = {0};
    struct hits hits = {0};
    struct search s = {.mode = SEARCH_AUTO,
                       .query = p->query,
                       .offset = (size_t)p->offset,
                       .limit = SEARCH_PAGE_HITS,
                       .spread = SEARCH_SPREAD,
                       .within_ms = SEARCH_PAGE_MS,
                       .pool = p->f.app->indexing,
                       .meaning = vault_meaning(v)};
    if (p->query.n == 0)
        return;
    const struct index *x =
        vault_wait(v, NULL, NULL, &err) && vault_prepare(v, &err)
            ? hits_hold(v, p->f.a, search_read(p->f.a, &s), &hits, &err)
            : NULL;
    if (x == NULL) {
        page_alert(p->h, arena_printf(p->f.a, "%s.", err.msg));
        return;
    }
    p->to.x = x;
    put_found(p, &hits);
    vault_unlock(v);
}

static bool search_page_read(struct search_page *p)
{
    str offset = form_get(p->f.form, STR("offset"));
    p->query = str_trim_line(form_get(p->f.form, STR("q")));
    return p->query.n <= SEARCH_PAGE_QUERY && utf8_valid(p->query) &&
           (offset.n == 0 ||
            (str_to_int(offset, &p->offset) && p->offset >= 0 && p->offset <= 100000));
}

void search_page_answer(void *app, struct arena *a, const struct oauth_asked *asked,
                        struct http_response *out)
{
    struct search_page p = {0};
    struct form query = {0};
    struct err err = {0};
    if (!frame_init(&p.f, app, a, asked, &query) || p.f.served == NULL ||
        !search_page_read(&p)) {
        frame_refuse(&p.f, 404, STR("Page not found"), STR("Check the address."), out);
        return;
    }
    frame_offer_vaults(&p.f, SEARCH_PATH);
    p.to = (struct note_html){
        .a = a, .site = &p.f.site, .query = frame_path(&p.f, STR(""), STR(""))};
    struct html h = page_begin(a, &p.f.site, STR("Search"), PAGE_FULL);
    p.h = p.to.h = &h;
    html_line(p.h, "h1", NULL, STR("Search"));
    search_page_put_form(&p);
    if (frame_open(&p.f, &err)) {
        search_page_find(&p);
        frame_close(&p.f);
    } else {
        page_alert(p.h, arena_printf(a, "The vault cannot be opened now: %s.", err.msg));
    }
    page_answer(a, 200, page_end(&h), out);
}
