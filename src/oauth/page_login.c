#include "oauth/html.h"
#include "oauth/page.h"

static void intro(struct html *h, struct arena *a, const struct page_site *site,
                  const struct page_login *p)
{
    html_line(h, "h1", NULL, STR("Sign in"));
    html_open(h, "p", {"class", STR("soft")});
    if (p->client != NULL) {
        page_client_name(h, a, p->client->name);
        html_text(h, STR(" wants to access your vault "));
    } else {
        html_text(h, STR("See and manage the apps with access to your vault "));
    }
    html_line(h, "strong", NULL, site->vault);
    html_text(h, STR("."));
    html_end(h);
    page_alert(h, p->error);
}

enum { NAME_SHOWN = 200 /* bytes of a name that is shown again */ };

/* The focus is where something is to be entered: after a wrong password, in its field. */
static void field(struct html *h, const struct page_login *p, str name, str type,
                  str label, str autocomplete)
{
    bool is_name = str_eq(name, STR("username")), wrong = p->error.n > 0;
    bool keeps = is_name && p->name.n > 0 && p->name.n <= NAME_SHOWN;
    bool first = is_name == (p->name.n == 0 || p->name.n > NAME_SHOWN);
    html_open(h, "label", {"for", name});
    html_text(h, label);
    html_end(h);
    html_void(h, "input", {"id", name}, {"name", name}, {"type", type},
              {"autocomplete", autocomplete}, {"autocapitalize", STR("none")},
              {"spellcheck", STR("false")}, {"required"},
              {wrong ? "aria-invalid" : NULL, STR("true")},
              {keeps ? "value" : NULL, p->name}, {first ? "autofocus" : NULL});
}

static void password_form(struct html *h, const struct page_site *site,
                          const struct page_login *p)
{
    page_form(h, site, "/oauth/login", p->ticket);
    field(h, p, STR("username"), STR("text"), STR("User name"), STR("username"));
    field(h, p, STR("password"), STR("password"), STR("Password"),
          STR("current-password"));
    page_button(h, "main full", STR(""), STR(""), STR("Sign in"));
    html_end(h);
}

static void provider_form(struct html *h, const struct page_site *site,
                          const struct page_login *p, const struct page_provider *by)
{
    page_form(h, site, "/oauth/upstream", p->ticket);
    page_button(h, p->password ? "full" : "main full", STR("provider"), by->id,
                arena_printf(h->out.arena, "Sign in with " STR_FMT, STR_ARG(by->name)));
    html_end(h);
}

str page_login(struct arena *a, const struct page_site *site, const struct page_login *p)
{
    struct html h = page_begin(a, site, STR("Sign in"), PAGE_NARROW);
    intro(&h, a, site, p);
    if (p->password)
        password_form(&h, site, p);
    if (p->password && p->n_providers > 0)
        html_line(&h, "p", "or", STR("or"));
    for (size_t i = 0; i < p->n_providers; i++)
        provider_form(&h, site, p, &p->providers[i]);
    return page_end(&h);
}
