#include "app/web/front_page.h"

#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/setup/page_vault.h"
#include "app/setup/vaults.h"
#include "app/web/frame.h"
#include "app/web/health.h"
#include "app/web/home_status.h"
#include "app/web/review_link.h"
#include "base/uri.h"
#include "http/form.h"
#include "http/guard.h"
#include "oauth/html.h"
#include "oauth/page.h"
#include "oauth/pages.h"
#include "vault/index/index.h"
#include "vault/vault.h"

/* How an app is connected to a URL; % is the URL. */
static const struct {
    const char *app, *text, *code;
    bool
        remote; /* the app runs elsewhere, so it cannot reach an address of this machine */
} ways[] = {
    {"Claude Code", "", "claude mcp add --transport http vault %"},
    {"Claude Desktop",
     "On the computer that has the vault:", "vaultd connect claude-desktop"},
    {"Cursor", "In ~/.cursor/mcp.json:", "{\"mcpServers\":{\"vault\":{\"url\":\"%\"}}}"},
    {"Codex", "", "codex mcp add vault --url %"},
    {"VS Code", "",
     "code --add-mcp '{\"name\":\"vault\",\"type\":\"http\",\"url\":\"%\"}'"},
    {"claude.ai", "Settings, Connectors, Add custom connector, with this address:", "%",
     .remote = true},
    {"ChatGPT", "Settings, Connectors, in developer mode Create, with this address:", "%",
     .remote = true},
    {"Other apps", "Enter the address, or run:", "vaultd connect --list"},
};

static const str what_it_is =
    STR("This is vaultd, an MCP server. With it, AI apps such as "
        "Claude work with a folder of notes.");

static str with_url(struct arena *a, const char *text, str url)
{
    str t = str_c(text);
    size_t at = str_find_char(t, '%');
    if (at == STR_NONE)
        return t;
    return arena_printf(a, STR_FMT STR_FMT STR_FMT, STR_ARG(str_slice(t, 0, at)),
                        STR_ARG(url), STR_ARG(str_skip(t, at + 1)));
}

static void put_health(struct html *h, const struct app *app)
{
    static const struct {
        const char *css;
        str text;
    } states[] = {
        [HEALTH_OK] = {"state good", STR("It is running.")},
        [HEALTH_DEGRADED] = {"state good", STR("It is running.")},
        [HEALTH_STARTING] = {"state warn",
                             STR("It is starting: the notes are being read.")},
        [HEALTH_STOPPING] = {"state warn", STR("It is stopping.")},
        [HEALTH_FAILING] = {"state bad",
                            STR("Not working: a vault's folder is missing or cannot be "
                                "read. On the server, vaultd status says more.")},
    };
    enum health state = health_of(app, NULL);
    html_open(h, "p", {"class", str_c(states[state].css)}, {"role", STR("status")});
    html_text(h, states[state].text);
    html_end(h);
}

static void put_fact(struct html *h, str name, str value)
{
    html_open(h, "div");
    html_line(h, "dt", NULL, name);
    html_line(h, "dd", NULL, value);
    html_end(h);
}

/* "1234 notes"; while the index is not ready, how far it is. */
static str describe_vault(struct arena *a, struct vault *v)
{
    struct vault_progress p = vault_progress(v);
    struct index_counts counts;
    if (!p.ready)
        return arena_printf(a, "%zu of %zu files read", p.done, p.expected);
    index_count(vault_lock(v), &counts);
    vault_unlock(v);
    return arena_printf(a, "%zu note%s", counts.notes, counts.notes == 1 ? "" : "s");
}

/* Of hosted ones only those that are open are counted. */
static str describe_served(struct arena *a, const struct app_vault *v, str person)
{
    if (!vaults_look(v))
        return STR("not open now");
    str text = describe_vault(a, page_vault_of(v, person));
    vaults_look_away(v);
    return text;
}

static void front_page_put_vaults(struct html *h, struct arena *a, const struct app *app,
                                  str person)
{
    const struct mcp_caller caller = app_caller(app, a, person);
    struct app_vault **vaults;
    size_t n = vaults_seen(app, a, &caller, &vaults);
    bool several = app_has_several(app);
    for (size_t i = 0; i < n && i < VAULTS_SHOWN_MAX; i++)
        put_fact(h, several ? vaults[i]->name : STR("Vault"),
                 arena_printf(a, STR_FMT "%s" STR_FMT,
                              STR_ARG(several ? STR("") : vaults[i]->name),
                              several ? "" : ", ",
                              STR_ARG(describe_served(a, vaults[i], person))));
}

/* v: of the vault that is shown; NULL: it is not open. */
static void put_facts(struct html *h, struct frame *f, str url, struct vault *v)
{
    struct arena *a = f->a;
    const struct app *app = f->app;
    str person = f->asked->user;
    html_open(h, "dl", {"class", STR("facts")});
    put_fact(h, STR("Address"), url);
    front_page_put_vaults(h, a, app, person);
    put_fact(h, STR("Apps may"),
             app->access.read_only ? STR("read notes") : STR("read and change notes"));
    put_fact(h, STR("Sign-in"),
             app->settings.signs_in ? STR("needed") : STR("not needed on this computer"));
    if (v != NULL)
        home_status_put_facts(f, h, v);
    html_end(h);
}

static bool is_local(str url)
{
    struct uri_parts parts;
    return uri_split(url, &parts) && http_host_is_loopback(parts.place);
}

static void put_ways(struct html *h, struct arena *a, str url)
{
    html_open(h, "h2", {"id", STR("connect")});
    html_text(h, STR("Connect an app"));
    html_end(h);
    html_line(h, "p", "soft small", what_it_is);
    html_open(h, "ul", {"class", STR("ways")});
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        if (ways[i].remote && is_local(url))
            continue;
        html_open(h, "li");
        html_line(h, "h3", NULL, str_c(ways[i].app));
        html_line(h, "span", "soft", str_c(ways[i].text));
        page_copyable(h, with_url(a, ways[i].code, url));
        html_end(h);
    }
    html_end(h);
}

static void put_waiting(struct html *h, struct frame *f)
{
    if (f->site.count == 0)
        return;
    html_open(h, "p");
    page_link(h, &f->site, "button", STR(REVIEW_PATH),
              review_link(f->app, f->a, f->asked));
    html_end(h);
}

/* The user is not known yet. */
static str page_for_stranger(struct arena *a, const struct oauth_asked *asked)
{
    struct page_site nameless = {.base = asked->site->base, .vault = STR("vaultd")};
    struct html h = page_begin(a, &nameless, STR("Notes for AI apps"), PAGE_NARROW);
    html_line(&h, "h1", NULL, STR("Notes for AI apps"));
    html_line(&h, "p", NULL, what_it_is);
    html_open(&h, "p");
    page_link(&h, &nameless, "button", STR("/account"), STR("Sign in"));
    html_end(&h);
    return page_end(&h);
}

static str page_for_user(struct arena *a, struct app *app,
                         const struct oauth_asked *asked)
{
    str url = arena_printf(a, STR_FMT "/mcp", STR_ARG(asked->url));
    struct form query = {0};
    struct frame f;
    (void)!frame_init(&f, app, a, asked, &query);
    frame_offer_vaults(&f, "/");
    bool open = f.served != NULL && vaults_look(f.served);
    struct vault *v =
        open && vault_progress(frame_vault(&f)).ready ? frame_vault(&f) : NULL;
    const struct home_activity *done = v != NULL ? home_status_read(&f, v) : NULL;
    struct html h = page_begin(a, &f.site, STR("Home"), PAGE_FULL);
    html_open(&h, "div", {"class", STR("top")});
    html_line(&h, "h1", NULL,
              f.served != NULL ? f.served->name : STR("Notes for AI apps"));
    put_health(&h, app);
    html_end(&h);
    put_waiting(&h, &f);
    if (v != NULL)
        home_status_put_problems(&f, &h, v);
    html_open(&h, "div", {"class", STR("columns")});
    html_open(&h, "div");
    if (done != NULL)
        home_status_put_done(&f, &h, done);
    html_end(&h);
    html_open(&h, "div");
    put_facts(&h, &f, url, v);
    if (done != NULL)
        home_status_put_apps(&f, &h, done);
    html_end(&h);
    html_end(&h);
    put_ways(&h, a, url);
    if (open)
        vaults_look_away(f.served);
    return page_end(&h);
}

void front_page_answer(void *app, struct arena *a, const struct oauth_asked *asked,
                       struct http_response *out)
{
    page_answer(a, 200,
                asked->stranger ? page_for_stranger(a, asked)
                                : page_for_user(a, app, asked),
                out);
}
