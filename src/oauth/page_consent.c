#include "oauth/html.h"
#include "oauth/page.h"
#include "oauth/rights.h"

static void fact(struct html *h, const char *term, str value)
{
    html_open(h, "div");
    html_line(h, "dt", NULL, str_c(term));
    html_open(h, "dd");
    html_line(h, "bdi", NULL, value);
    html_end(h);
    html_end(h);
}

/* "team, old"; the place of a vault is "NAME:". */
static str vault_names(struct arena *a, const struct page_consent *p)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < p->n_places; i++) {
        str name = p->places[i].folder;
        sbuf_add(&out, i > 0 ? STR(", ") : STR(""));
        sbuf_add(&out, str_slice(name, 0, name.n - str_ends(name, STR(":"))));
    }
    return sbuf_str(&out);
}

static void facts(struct html *h, const struct page_site *site,
                  const struct page_consent *p)
{
    html_open(h, "dl", {"class", STR("facts")});
    if (!p->vaults)
        fact(h, "Vault", site->vault);
    else if (p->n_places > 0)
        fact(h, "Vaults", vault_names(h->out.arena, p));
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

static const struct {
    str value, text;
} levels[] = {
    [RIGHTS_READ] = {STR("read"), STR("Search and read notes without changing them.")},
    [RIGHTS_PROPOSE] = {STR("propose"),
                        STR("Search and read notes. Each change waits until you have "
                            "accepted it.")},
    [RIGHTS_WRITE] = {STR("write"),
                      STR("Search and read notes; create, change, move and delete them. "
                          "Changes can be undone.")},
};

/* In a folder that is listed, so that there is something that it can be as. */
static bool is_nested(const struct page_consent *p, size_t i)
{
    return rights_place_above(p->places[i].folder).n > 0;
}

/* The folders or vaults, which the style sheet hides until they are to be chosen. */
static void place_list(struct html *h, const struct page_consent *p)
{
    html_open(h, "ul", {"class", STR("folders")},
              {"aria-label", p->vaults ? STR("Vaults") : STR("Folders")});
    for (size_t i = 0; i < p->n_places; i++)
        page_choose_level(h, &(struct page_level_choice){.place = p->places[i].folder,
                                                         .label = p->places[i].folder,
                                                         .most = p->most,
                                                         .chosen = p->places[i].level,
                                                         .no_proposals = p->no_proposals,
                                                         .nested = is_nested(p, i),
                                                         .inherits = p->inherit[i]});
    page_choose_level(
        h, &(struct page_level_choice){
               .label = p->vaults ? STR("Other vaults, also later ones")
                        : p->n_more > 0
                            ? STR("Everything else, also folders not listed here")
                            : STR("Everything else, also what is added later"),
               .most = p->most,
               .chosen = p->elsewhere,
               .no_proposals = p->no_proposals});
    html_end(h);
}

static void access_choice(struct html *h, const struct page_consent *p)
{
    struct choice each = {
        .name = STR("access"),
        .value = STR("each"),
        .title = p->vaults ? STR("Choose for each vault") : STR("Choose for each folder"),
        .text = STR("The app cannot see anything that you give it no access to."),
        .ticked = p->each,
    };
    html_open(h, "fieldset", {"class", STR("where")});
    html_line(h, "legend", NULL,
              p->vaults ? STR("What it may do in all your vaults")
                        : STR("What it may do in the whole vault"));
    for (enum rights_level l = p->most; l >= RIGHTS_READ; l--)
        if (l != RIGHTS_PROPOSE || !p->no_proposals)
            choice(h, &(struct choice){.name = STR("access"),
                                       .value = levels[l].value,
                                       .title = page_level(l),
                                       .text = levels[l].text,
                                       .ticked = !p->each && l == p->chosen});
    if (p->n_places > 0) {
        choice(h, &each);
        place_list(h, p);
    }
    html_end(h);
    /* without it, a form names folders (consent.c) */
    html_void(h, "input", {"type", STR("hidden")}, {"name", STR("where")},
              {"value", STR("all")});
}

/* Closed at first: most people give an app all tools. */
static void tools_choice(struct html *h, const struct page_consent *p)
{
    if (p->n_tools < 2)
        return;
    html_open(h, "details", {p->ticked != NULL ? "open" : NULL});
    html_line(h, "summary", NULL, STR("Choose its tools"));
    html_line(
        h, "p", "soft small",
        STR("Untick what the app does not get. If all are ticked, it also gets those "
            "that are added later."));
    page_choose_tools(h, &(struct page_tools){.tools = p->tools,
                                              .n = p->n_tools,
                                              .ticked = p->ticked,
                                              .no_changes = p->most == RIGHTS_READ});
    html_end(h);
}

/* What the app asks for: the user may allow less. */
static void request_text(struct html *h, const struct page_consent *p)
{
    html_line(
        h, "p", "soft",
        p->most == RIGHTS_WRITE ? STR("It asks to read and change notes. You decide "
                                      "what it may do, and can allow less later.")
        : p->most == RIGHTS_PROPOSE
            ? STR("It asks to read notes, and to propose changes that you accept or "
                  "reject.")
            : STR("It asks to read notes. It cannot change any."));
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
    struct html h = page_begin(a, site, STR("Allow access"), PAGE_NARROW);
    html_open(&h, "h1");
    page_client_name(&h, a, p->client.name);
    html_text(&h, STR(" wants to access your notes"));
    html_end(&h);
    page_alert(&h, p->error);
    request_text(&h, p);
    facts(&h, site, p);
    warning(&h, &p->client);
    h.scripted = p->n_places >= PAGE_FILTER_FROM; /* where no password is entered */
    page_form(&h, site, "/oauth/consent", p->ticket);
    access_choice(&h, p);
    tools_choice(&h, p);
    actions(&h, p);
    asked(&h, p);
    html_end(&h);
    return page_end(&h);
}
