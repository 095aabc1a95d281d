#include "oauth/page.h"
#include "oauth/page_script.h"
#include "oauth/rights.h"

#include "base/clock.h"
#include "base/encode.h"
#include "base/hash.h"
#include "http/form.h"
#include "http/guard.h"
#include "http/request.h"
#include "http/response.h"
#include "oauth/clients.h"
#include "oauth/html.h"

#define HEXAGON "M16 1.5 28.5 8.7v14.6L16 30.5 3.5 23.3V8.7Z"
#define KEYHOLE "M16 10.5a3.6 3.6 0 0 1 1.7 6.8l.9 4.7h-5.2l.9-4.7A3.6 3.6 0 0 1 16 10.5Z"

/* The logo, a keyhole in a hexagon, in the colours of the surrounding text. */
static const str mark =
    STR("<svg class=\"mark\" viewBox=\"0 0 32 32\" width=\"32\" height=\"32\" "
        "aria-hidden=\"true\" focusable=\"false\">"
        "<path class=\"mark-fill\" d=\"" HEXAGON "\"/>"
        "<path class=\"mark-line\" d=\"" KEYHOLE "\"/></svg>");

const str page_icon =
    STR("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\">"
        "<path fill=\"#6a4ee0\" d=\"" HEXAGON "\"/>"
        "<path fill=\"#fff\" d=\"" KEYHOLE "\"/></svg>");

/* --- the frame --- */

static str page_address(struct arena *a, const struct page_site *site, str path)
{
    return arena_printf(a, STR_FMT STR_FMT, STR_ARG(site->base), STR_ARG(path));
}

static void put_head(struct html *h, const struct page_site *site, str title)
{
    html_open(h, "head");
    html_void(h, "meta", {"charset", STR("utf-8")});
    html_void(h, "meta", {"name", STR("viewport")},
              {"content", STR("width=device-width, initial-scale=1")});
    html_void(h, "meta", {"name", STR("color-scheme")}, {"content", STR("light dark")});
    html_void(h, "meta", {"name", STR("robots")}, {"content", STR("noindex")});
    html_void(h, "link", {"rel", STR("icon")}, {"type", STR("image/svg+xml")},
              {"href", page_address(h->out.arena, site, STR("/favicon.svg"))});
    html_open(h, "title");
    html_text(h, title);
    html_text(h, STR(" · "));
    html_text(h, site->vault);
    html_end(h);
    html_raw(h, STR("<style>"));
    html_raw(h, page_style);
    html_raw(h, STR("</style>"));
    html_end(h);
}

static const struct {
    const char *path;
    enum page_glyph glyph;
} glyphs[] = {{"/", GLYPH_HOME},         {"/changes", GLYPH_CHANGES},
              {"/graph", GLYPH_MAP},     {"/proposals", GLYPH_PROPOSALS},
              {"/search", GLYPH_SEARCH}, {"/account", GLYPH_ACCOUNT}};

static void put_place(struct html *h, const struct page_site *site, const char *path,
                      const char *label)
{
    bool here = str_eq(site->here, str_c(path));
    html_open(h, "a", {"href", page_address(h->out.arena, site, str_c(path))},
              {here ? "aria-current" : NULL, STR("page")});
    for (size_t i = 0; i < COUNT_OF(glyphs); i++)
        if (strcmp(glyphs[i].path, path) == 0)
            page_glyph(h, glyphs[i].glyph);
    html_text(h, str_c(label));
    if (site->count > 0 && site->counted != NULL && strcmp(site->counted, path) == 0)
        html_line(h, "span", "count", arena_printf(h->out.arena, " %zu", site->count));
    html_end(h);
}

static void page_nav_vaults(struct html *h, const struct page_site *site)
{
    html_open(h, "nav", {"class", STR("vaults")}, {"aria-label", STR("Vaults")});
    for (size_t i = 0; i < site->n_vaults; i++) {
        html_open(h, "a",
                  {"href", page_address(h->out.arena, site, site->vaults[i].path)},
                  {site->vaults[i].shown ? "aria-current" : NULL, STR("true")});
        html_text(h, site->vaults[i].name);
        html_end(h);
    }
    html_end(h);
}

static void page_nav(struct html *h, const struct page_site *site)
{
    html_open(h, "nav", {"aria-label", STR("Pages")});
    for (const struct oauth_page *p = site->pages; p->path != NULL; p++)
        if (p->label != NULL)
            put_place(h, site, p->path, p->label);
    if (site->has_accounts)
        put_place(h, site, "/account", "Account");
    html_end(h);
    if (site->n_vaults > 1)
        page_nav_vaults(h, site);
}

/* Search from every page, except where it would be there twice. */
static void put_find(struct html *h, const struct page_site *site)
{
    const struct oauth_page *p = site->pages;
    while (p->path != NULL && strcmp(p->path, "/search") != 0)
        p++;
    if (p->path == NULL || str_eq(site->here, STR("/search")))
        return;
    html_open(h, "form", {"class", STR("find")}, {"method", STR("get")},
              {"role", STR("search")}, {"aria-label", STR("All notes")},
              {"action", page_address(h->out.arena, site, STR("/search"))});
    html_void(h, "input", {"type", STR("search")}, {"name", STR("q")},
              {"aria-label", STR("Search all notes")}, {"placeholder", STR("Search")});
    for (size_t i = 0; i < site->n_vaults; i++)
        if (site->n_vaults > 1 && site->vaults[i].shown)
            page_hidden(h, STR("vault"), site->vaults[i].name);
    html_end(h);
}

void page_bar(struct html *h, const struct page_site *site)
{
    html_open(h, "header", {"class", STR("bar")});
    if (site->pages != NULL)
        html_open(h, "a", {"class", STR("home")},
                  {"href", page_address(h->out.arena, site, STR("/"))});
    html_raw(h, mark);
    html_line(h, "span", "vault", site->vault);
    if (site->pages != NULL) {
        html_end(h);
        page_nav(h, site);
        put_find(h, site);
    }
    html_end(h);
}

/* How wide main is, as a class of body. */
static const char *const widths[] = {
    [PAGE_NARROW] = NULL, [PAGE_WIDE] = "wide", [PAGE_FULL] = "wide full"};

struct html page_begin(struct arena *a, const struct page_site *site, str title,
                       enum page_width width)
{
    struct html h = HTML_ON(a);
    h.site = site;
    html_raw(&h, STR("<!DOCTYPE html>\n"));
    html_open(&h, "html", {"lang", STR("en")});
    put_head(&h, site, title);
    html_open(&h, "body", {widths[width] != NULL ? "class" : NULL, str_c(widths[width])});
    page_bar(&h, site);
    html_open(&h, "main");
    return h;
}

static void put_footer(struct html *h, const struct page_site *site)
{
    html_open(h, "footer");
    html_text(h,
              site->is_known ? STR("vaultd " VAULTD_VERSION) : STR("Served by vaultd"));
    if (site->is_known) {
        html_text(h, STR(" · "));
        page_link(h, site, NULL, STR("/#connect"), STR("Connect an app"));
        html_text(h, STR(" · "));
        page_link(h, site, NULL, STR("/health"), STR("Health"));
    }
    html_end(h);
}

str page_end(struct html *h)
{
    html_end(h); /* main */
    put_footer(h, h->site);
    if (h->scripted) {
        html_raw(h, STR("<script>"));
        html_raw(h, str_c(PAGE_SCRIPT));
        html_raw(h, STR("</script>"));
    }
    html_end(h); /* body */
    html_end(h); /* html */
    html_raw(h, STR("\n"));
    return html_done(h);
}

void page_form(struct html *h, const struct page_site *site, const char *path, str ticket)
{
    str action = arena_printf(h->out.arena, STR_FMT "%s", STR_ARG(site->base), path);
    html_open(h, "form", {"method", STR("post")}, {"action", action});
    page_hidden(h, STR("ticket"), ticket);
}

void page_alert(struct html *h, str text)
{
    if (text.n == 0)
        return;
    html_open(h, "p", {"class", STR("alert")}, {"role", STR("alert")});
    html_text(h, text);
    html_end(h);
}

void page_button(struct html *h, const char *css, str name, str value, str label)
{
    html_open(h, "button", {"type", STR("submit")}, {name.n > 0 ? "name" : NULL, name},
              {name.n > 0 ? "value" : NULL, value},
              {css != NULL ? "class" : NULL, str_c(css)});
    html_text(h, label);
    html_end(h);
}

void page_client_name(struct html *h, struct arena *a, str name)
{
    str clean = clients_clean_name(a, name);
    html_open(h, "bdi");
    html_line(h, "strong", NULL, clean.n > 0 ? clean : STR("An unnamed app"));
    html_end(h);
}

void page_time(struct html *h, int64_t seconds)
{
    char iso[CLOCK_ISO_SIZE];
    str text = clock_iso(seconds, iso);
    h->scripted = true;
    html_open(h, "time", {"datetime", text});
    html_text(h, str_slice(text, 0, 10));
    html_text(h, STR(" "));
    html_text(h, str_slice(text, 11, 16));
    html_text(h, STR(" UTC"));
    html_end(h);
}

void page_clock(struct html *h, int64_t seconds)
{
    char iso[CLOCK_ISO_SIZE];
    str text = clock_iso(seconds, iso);
    h->scripted = true;
    html_open(h, "time", {"datetime", text}, {"data-show", STR("clock")});
    html_text(h, str_slice(text, 11, 16));
    html_text(h, STR(" UTC"));
    html_end(h);
}

void page_link(struct html *h, const struct page_site *site, const char *css, str path,
               str text)
{
    html_open(h, "a", {css != NULL ? "class" : NULL, str_c(css)},
              {"href", arena_printf(h->out.arena, STR_FMT STR_FMT, STR_ARG(site->base),
                                    STR_ARG(path))});
    html_text(h, text);
    html_end(h);
}

void page_copyable(struct html *h, str text)
{
    h->scripted = true;
    html_open(h, "code", {"class", STR("copy")});
    html_text(h, text);
    html_end(h);
}

void page_notice(struct html *h, str text)
{
    if (text.n == 0)
        return;
    html_open(h, "p", {"class", STR("notice")}, {"role", STR("status")});
    html_text(h, text);
    html_end(h);
}

void page_hidden(struct html *h, str name, str value)
{
    html_void(h, "input", {"type", STR("hidden")}, {"name", name}, {"value", value});
}

str page_level(enum rights_level level)
{
    static const str titles[] = {[RIGHTS_NONE] = {"No access", 9},
                                 [RIGHTS_READ] = {"Read only", 9},
                                 [RIGHTS_PROPOSE] = {"Propose changes", 15},
                                 [RIGHTS_WRITE] = {"Read and write", 14}};
    return titles[level];
}

/* --- answers --- */

static str page_hash(struct arena *a, str text)
{
    uint8_t hash[HASH_SIZE];
    hash_sha256(text, hash);
    return encode_base64(a, (str){(const char *)hash, sizeof(hash)});
}

str page_policy(struct arena *a, bool script)
{
    str allowed = script ? arena_printf(a, " script-src 'sha256-" STR_FMT "';",
                                        STR_ARG(page_hash(a, str_c(PAGE_SCRIPT))))
                         : STR("");
    return arena_printf(a,
                        "default-src 'none'; style-src 'sha256-" STR_FMT "';" STR_FMT
                        " img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
                        STR_ARG(page_hash(a, page_style)), STR_ARG(allowed));
}

void page_add_headers(struct arena *a, struct http_response *out)
{
    http_add_header(out, STR("Cache-Control"), STR("no-store"));
    bool script =
        str_find(out->body, STR("<script>")) != STR_NONE; /* ours: no text has < */
    http_add_header(out, STR("Content-Security-Policy"), page_policy(a, script));
    http_add_header(out, STR("X-Frame-Options"), STR("DENY"));
    http_add_header(out, STR("Referrer-Policy"), STR("same-origin"));
}

void page_answer(struct arena *a, int status, str html, struct http_response *out)
{
    out->status = status;
    out->content_type = STR("text/html; charset=utf-8");
    out->body = html;
    page_add_headers(a, out);
}

static bool page_refuse(struct arena *a, const struct page_site *site, int status,
                        const char *title, const char *text, struct http_response *out)
{
    page_answer(a, status, page_error(a, site, str_c(title), str_c(text)), out);
    return false;
}

bool page_read_form(struct arena *a, const struct page_site *site,
                    const struct http_request *r, str origin, const char *repeatable,
                    struct form *form, struct http_response *out)
{
    struct err err;
    if (!http_is_same_origin(r, origin))
        return page_refuse(a, site, 403, "This form came from another site",
                           "Nothing was changed: forms of other sites are not accepted.",
                           out);
    if (!str_eq_nocase(http_content_type(r), STR("application/x-www-form-urlencoded")))
        return page_refuse(a, site, 400, "Not a form",
                           "The request does not come from a page of this server.", out);
    return form_parse(a, r->body, str_c(repeatable), form, &err) ||
           page_refuse(a, site, 400, "The request is malformed",
                       "Go back to your app and start again.", out);
}

/* --- pages that are only text --- */

str page_error(struct arena *a, const struct page_site *site, str title, str text)
{
    struct html h = page_begin(a, site, title, PAGE_NARROW);
    html_line(&h, "h1", NULL, title);
    html_open(&h, "p", {"role", STR("alert")});
    html_text(&h, text);
    html_end(&h);
    if (site->pages != NULL) {
        html_open(&h, "p");
        page_link(&h, site, "button", STR("/"), STR("Go to the start page"));
        html_end(&h);
    }
    return page_end(&h);
}

str page_fault(struct arena *a, const struct page_site *site,
               const struct page_client *client, str text, str url)
{
    const str title = STR("The app sent a request that cannot be answered");
    struct html h = page_begin(a, site, title, PAGE_NARROW);
    html_line(&h, "h1", NULL, title);
    html_open(&h, "p", {"role", STR("alert")});
    html_text(&h, text);
    html_text(&h, STR(". Nothing was allowed."));
    html_end(&h);
    html_open(&h, "p");
    html_text(&h, STR("If you have just used this app, you can go back to "));
    html_open(&h, "a", {"href", url}, {"rel", STR("noreferrer")});
    html_line(&h, "bdi", NULL, client->redirect_host);
    html_end(&h);
    html_text(&h, STR("."));
    html_end(&h);
    return page_end(&h);
}

str page_signed_out(struct arena *a, const struct page_site *site)
{
    struct html h = page_begin(a, site, STR("Signed out"), PAGE_NARROW);
    html_line(&h, "h1", NULL, STR("You are signed out"));
    html_line(
        &h, "p", NULL,
        STR("Apps that you connected keep their access until you disconnect them."));
    html_open(&h, "p");
    page_link(&h, site, "button", STR("/account"), STR("Sign in again"));
    html_end(&h);
    return page_end(&h);
}

/* --- rights in words --- */

static enum rights_level shown_level(const struct oauth_rights *r,
                                     enum rights_level level)
{
    enum rights_level most = rights_level_of(r->scopes);
    return level < most ? level : most;
}

/* The places of a level: "Read and write: Inbox, Work". */
static void page_places(struct html *h, const struct oauth_rights *r,
                        enum rights_level level)
{
    bool first = true;
    for (size_t i = 0; i < r->n_places; i++) {
        if (shown_level(r, r->places[i].level) != level)
            continue;
        if (first)
            html_line(h, "span", "tag", page_level(level));
        else
            html_text(h, STR(", "));
        str folder = r->places[i].folder;
        html_line(h, "bdi", NULL, folder.n > 0 ? folder : STR("/"));
        first = false;
    }
    if (!first)
        html_text(h, STR(" "));
}

void page_rights(struct html *h, const struct oauth_rights *r, bool vaults)
{
    enum rights_level rest = shown_level(r, r->elsewhere);
    bool same = rights_same_everywhere(r);
    for (enum rights_level l = RIGHTS_WRITE; !same; l--) {
        page_places(h, r, l);
        if (l == RIGHTS_NONE)
            break;
    }
    html_line(h, "span", "tag", page_level(rest));
    html_text(h, !same    ? STR("everywhere else")
                 : vaults ? STR("All your vaults, also later ones")
                          : STR("The whole vault"));
    if (!r->only_tools)
        return;
    html_text(h, STR(" Tools: "));
    for (size_t i = 0; i < r->n_tools; i++) {
        html_text(h, i > 0 ? STR(", ") : STR(""));
        html_text(h, r->tools[i]);
    }
}

/* --- choosing tools --- */

static bool page_has_tool(const struct oauth_rights *r, str name)
{
    bool has = r == NULL || !r->only_tools;
    for (size_t i = 0; !has && i < r->n_tools; i++)
        has = str_eq(r->tools[i], name);
    return has;
}

void page_choose_tools(struct html *h, const struct page_tools *t)
{
    page_hidden(h, STR("tools"), STR("shown"));
    html_open(h, "ul", {"class", STR("tools")}, {"aria-label", STR("Tools")});
    for (size_t i = 0; i < t->n; i++) {
        const struct oauth_tool *tool = &t->tools[i];
        if ((t->no_changes && !tool->reads) || !page_has_tool(t->within, tool->name))
            continue;
        html_open(h, "li");
        html_open(h, "label");
        html_void(
            h, "input", {"type", STR("checkbox")},
            {"name", arena_printf(h->out.arena, "tool." STR_FMT, STR_ARG(tool->name))},
            {"value", STR("on")},
            {page_has_tool(t->ticked, tool->name) ? "checked" : NULL});
        html_line(h, "span", NULL, tool->title.n > 0 ? tool->title : tool->name);
        if (!tool->reads)
            html_line(h, "span", "tag", STR("changes notes"));
        html_end(h);
        html_end(h);
    }
    html_end(h);
}

/* --- choosing a level --- */

void page_choose_level(struct html *h, const struct page_level_choice *c)
{
    bool rest = c->place.p == NULL;
    html_open(h, "li", {c->nested ? "class" : NULL, STR("nested")});
    html_open(h, "label");
    html_line(h, rest ? "span" : "bdi", NULL, c->label);
    html_open(h, "select", {"name", rest ? STR("rest") : STR("folder")});
    if (c->nested) {
        html_open(h, "option", {"value", STR(PAGE_LEVEL_SAME)},
                  {c->inherits ? "selected" : NULL});
        html_text(h, STR("As the folder above"));
        html_end(h);
    }
    for (enum rights_level l = RIGHTS_NONE; l <= c->most; l++) {
        str name = rights_level_name(l);
        str value = rest ? name
                         : arena_printf(h->out.arena, STR_FMT " " STR_FMT, STR_ARG(name),
                                        STR_ARG(c->place));
        if (l == RIGHTS_PROPOSE && c->no_proposals && l != c->chosen)
            continue;
        html_open(h, "option", {"value", value},
                  {l == c->chosen && !c->inherits ? "selected" : NULL});
        html_text(h, page_level(l));
        html_end(h);
    }
    html_end(h);
    html_end(h);
    html_end(h);
}
