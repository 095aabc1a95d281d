#include "oauth/html.h"
#include "oauth/page.h"

static void fact(struct html *h, const char *term, str value)
{
    html_open(h, "div");
    html_line(h, "dt", NULL, str_c(term));
    html_open(h, "dd");
    html_line(h, "bdi", NULL, value);
    html_end(h);
    html_end(h);
}

static void facts(struct html *h, const struct page_site *site,
                  const struct page_consent *p)
{
    html_open(h, "dl", {"class", STR("facts")});
    fact(h, "Vault", site->vault);
    fact(h, "Identity",
         p->client.id_host.n > 0 ? arena_printf(h->out.arena, STR_FMT ", verified",
                                                STR_ARG(p->client.id_host))
                                 : STR("not verified: the app chose its own name"));
    fact(h, "Returns you to", p->client.redirect_host);
    html_end(h);
}

static void warning(struct html *h, const struct page_client *c)
{
    if (!c->loopback && !c->app)
        return;
    html_line(h, "p", "warning",
              c->loopback
                  ? STR("This app says it runs on this computer. Any program here could "
                        "use its name: allow it only if you have just started it.")
                  : STR("This app opens on this device through its own type of link. "
                        "Allow it only if you have just used it."));
}

struct choice {
    str name, value, title, text;
    bool ticked;
};

static void choice(struct html *h, const struct choice *c)
{
    html_open(h, "label", {"class", STR("choice")});
    html_void(h, "input", {"type", STR("radio")}, {"name", c->name}, {"value", c->value},
              {c->ticked ? "checked" : NULL});
    html_line(h, "b", NULL, c->title);
    html_line(h, "span", NULL, c->text);
    html_end(h);
}

static void access_choice(struct html *h, const struct page_consent *p)
{
    struct choice write = {
        .name = STR("access"),
        .value = STR("write"),
        .title = STR("Read and write"),
        .text = STR("Search and read notes; create, change, move and delete them. "
                    "Changes can be undone."),
        .ticked = !p->read_chosen,
    };
    struct choice read = {
        .name = STR("access"),
        .value = STR("read"),
        .title = STR("Read only"),
        .text = STR("Search and read notes without changing them."),
        .ticked = !p->offer_write || p->read_chosen,
    };
    html_open(h, "fieldset");
    html_line(h, "legend", NULL, STR("What it may do"));
    if (p->offer_write)
        choice(h, &write);
    choice(h, &read);
    html_end(h);
}

static void folder(struct html *h, str name)
{
    html_open(h, "li");
    html_open(h, "label");
    html_void(h, "input", {"type", STR("checkbox")}, {"name", STR("folder")},
              {"value", name});
    html_line(h, "bdi", NULL, name);
    html_end(h);
    html_end(h);
}

/* The style sheet hides the list of folders while the whole vault is chosen. */
static void folder_choice(struct html *h, const struct page_consent *p)
{
    bool some = p->error.n > 0;
    struct choice all = {
        .name = STR("where"),
        .value = STR("all"),
        .title = p->vaults ? STR("All your vaults") : STR("The whole vault"),
        .text = p->vaults ? STR("Including vaults that you may use later.")
                          : STR("Including notes and folders added later."),
        .ticked = !some,
    };
    struct choice chosen = {
        .name = STR("where"),
        .value = STR("some"),
        .title = p->vaults ? STR("Only some vaults") : STR("Only some folders"),
        .text = STR("The app cannot see anything else."),
        .ticked = some,
    };
    if (p->n_folders == 0 && !p->vaults) { /* the page says which vault it is */
        html_void(h, "input", {"type", STR("hidden")}, {"name", STR("where")},
                  {"value", STR("all")});
        return;
    }
    html_open(h, "fieldset", {"class", STR("where")});
    html_line(h, "legend", NULL, STR("Where"));
    choice(h, &all);
    if (p->n_folders > 0)
        choice(h, &chosen);
    html_open(h, "ul", {"class", STR("folders")},
              {"aria-label", p->vaults ? STR("Vaults") : STR("Folders")});
    for (size_t i = 0; i < p->n_folders; i++)
        folder(h, p->folders[i]);
    html_end(h);
    html_end(h);
}

static void actions(struct html *h, const struct page_consent *p)
{
    str allow = p->user.n > 0 ? STR("Allow")
                              : arena_printf(h->out.arena, "Allow and go to " STR_FMT,
                                             STR_ARG(p->provider));
    html_open(h, "div", {"class", STR("actions")});
    page_button(h, "main", STR("decision"), STR("allow"), allow);
    page_button(h, NULL, STR("decision"), STR("deny"), STR("Deny"));
    html_end(h);
}

/* The signed-in user; "Use another account" is a button of the same form. */
static void asked(struct html *h, const struct page_consent *p)
{
    if (p->user.n == 0)
        return;
    html_open(h, "div", {"class", STR("who")});
    html_open(h, "span");
    html_text(h, STR("Signed in as "));
    html_line(h, "strong", NULL, p->user);
    html_end(h);
    page_button(h, "link", STR("decision"), STR("switch"), STR("Use another account"));
    html_end(h);
}

str page_consent(struct arena *a, const struct page_site *site,
                 const struct page_consent *p)
{
    struct html h = page_begin(a, site, STR("Allow access"), false);
    html_open(&h, "h1");
    page_client_name(&h, a, p->client.name);
    html_text(&h, STR(" wants to access your notes"));
    html_end(&h);
    page_alert(&h, p->error);
    facts(&h, site, p);
    warning(&h, &p->client);
    page_form(&h, site, "/oauth/consent", p->ticket);
    access_choice(&h, p);
    folder_choice(&h, p);
    actions(&h, p);
    asked(&h, p);
    html_end(&h);
    return page_end(&h);
}
