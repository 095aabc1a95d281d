#include "oauth/clients.h"
#include "oauth/html.h"
#include "oauth/page.h"
#include "oauth/rights.h"

static void used(struct html *h, int64_t created, int64_t last)
{
    html_open(h, "p", {"class", STR("soft small")});
    html_text(h, STR("Since "));
    page_time(h, created);
    html_text(h, last > 0 ? STR(" · last used ") : STR(" · never used"));
    if (last > 0)
        page_time(h, last);
    html_end(h);
}

static void rights(struct html *h, const struct page_account *p,
                   const struct oauth_rights *r)
{
    html_open(h, "p", {"class", STR("small")});
    page_rights(h, r, p->names_vaults);
    html_end(h);
}

/* A button whose label for screen readers also names what it acts on. */
static void page_account_act(struct html *h, const struct page_site *site,
                             const char *path, str ticket, str id, str verb, str about,
                             bool is_danger)
{
    page_form(h, site, path, ticket);
    page_hidden(h, STR("id"), id);
    html_open(h, "button", {"type", STR("submit")},
              {"class", is_danger ? STR("small danger") : STR("small")},
              {"aria-label", arena_printf(h->out.arena, STR_FMT " " STR_FMT,
                                          STR_ARG(verb), STR_ARG(about))});
    html_text(h, verb);
    html_end(h);
    html_end(h);
}

static void section(struct html *h, str id, str title, str text)
{
    html_open(h, "section", {"aria-labelledby", id});
    html_open(h, "h2", {"id", id});
    html_text(h, title);
    html_end(h);
    html_line(h, "p", "soft small", text);
}

static bool has_place(const struct oauth_rights *r, str folder)
{
    bool has = false;
    for (size_t i = 0; !has && i < r->n_places; i++)
        has = str_eq(r->places[i].folder, folder);
    return has;
}

static void lower_choice(struct html *h, const struct page_account *p,
                         const struct oauth_rights *r, str folder)
{
    enum rights_level now = rights_at(r, folder, p->names_vaults);
    str shown = folder.n > 0 ? folder : STR("/");
    if (now > RIGHTS_NONE)
        page_choose_level(h,
                          &(struct page_level_choice){.place = shown,
                                                      .label = shown,
                                                      .most = now,
                                                      .chosen = now,
                                                      .no_proposals = p->no_proposals});
}

/* What it may do can be lowered here; to raise it, the app has to ask again. */
static void lower_form(struct html *h, const struct page_site *site,
                       const struct page_account *p, const struct oauth_grant *g)
{
    const struct oauth_rights *r = &g->rights;
    enum rights_level most = rights_level_of(r->scopes),
                      rest = r->elsewhere < most ? r->elsewhere : most;
    size_t shown = 0;
    html_open(h, "details");
    html_line(h, "summary", NULL, STR("Limit what it may do"));
    page_form(h, site, "/account/lower", p->ticket);
    page_hidden(h, STR("id"), arena_printf(h->out.arena, "%lld", (long long)g->id));
    html_open(h, "ul", {"class", STR("folders")});
    for (size_t i = 0; i < r->n_places && shown < PAGE_FOLDERS_MAX; i++, shown++)
        lower_choice(h, p, r, r->places[i].folder);
    for (size_t i = 0; i < p->n_folders && shown < PAGE_FOLDERS_MAX; i++, shown++)
        if (!has_place(r, p->folders[i]) && rights_place_above(p->folders[i]).n == 0)
            lower_choice(h, p, r, p->folders[i]);
    page_choose_level(h, &(struct page_level_choice){.label = STR("Everything else"),
                                                     .most = rest,
                                                     .chosen = rest,
                                                     .no_proposals = p->no_proposals});
    html_end(h);
    if (p->n_tools > 1)
        page_choose_tools(
            h, &(struct page_tools){.tools = p->tools, .n = p->n_tools, .within = r});
    html_open(h, "button", {"type", STR("submit")}, {"class", STR("small")});
    html_text(h, STR("Save"));
    html_end(h);
    html_end(h);
    html_end(h);
}

/* "Changed 3 files", with the latest of them. */
static void used_files(struct html *h, const char *what, const struct oauth_used *u)
{
    struct arena *a = h->out.arena;
    if (u->total == 0)
        return;
    html_line(h, "h4", NULL,
              arena_printf(a, "%s " STR_FMT "%s", what,
                           STR_ARG(arena_count(a, u->total, "file", "files")),
                           u->more           ? " or more; the latest"
                           : u->n < u->total ? "; the latest"
                                             : ""));
    html_open(h, "ul", {"class", STR("small paths")});
    for (size_t i = 0; i < u->n; i++) {
        html_open(h, "li");
        html_line(h, "bdi", NULL, u->paths[i]);
        html_end(h);
    }
    html_end(h);
}

/* What it did in the last month, of an app or a key. */
static void uses(struct html *h, const struct page_account *p, str client_id, str key)
{
    struct arena *a = h->out.arena;
    const struct oauth_uses *u = NULL;
    for (size_t i = 0; i < p->n_uses && u == NULL; i++)
        if (str_eq(p->uses[i].client_id, client_id) && str_eq(p->uses[i].key, key))
            u = &p->uses[i];
    if (u == NULL)
        return;
    html_open(h, "details");
    html_line(
        h, "summary", NULL,
        arena_printf(a, "In the last 30 days: " STR_FMT ", %zu files read, %zu changed",
                     STR_ARG(arena_count(a, u->calls, "call", "calls")), u->read.total,
                     u->changed.total));
    used_files(h, "Changed", &u->changed);
    used_files(h, "Read", &u->read);
    html_end(h);
}

static void grant(struct html *h, struct arena *a, const struct page_site *site,
                  const struct page_account *p, const struct oauth_grant *g)
{
    str ticket = p->ticket;
    html_open(h, "li");
    html_open(h, "div", {"class", STR("body")});
    html_open(h, "h3");
    page_client_name(h, a, g->client_name);
    html_end(h);
    html_open(h, "p", {"class", STR("soft small")});
    html_text(h, STR("Returns to "));
    html_line(h, "bdi", NULL, g->redirect_host);
    html_end(h);
    rights(h, p, &g->rights);
    used(h, g->created, g->used);
    uses(h, p, g->client_id, STR(""));
    lower_form(h, site, p, g);
    html_end(h);
    page_account_act(h, site, "/account/revoke", ticket,
                     arena_printf(a, "%lld", (long long)g->id), STR("Disconnect"),
                     clients_clean_name(a, g->client_name), true);
    html_end(h);
}

static void grants(struct html *h, struct arena *a, const struct page_site *site,
                   const struct page_account *p)
{
    section(h, STR("apps"), STR("Connected apps"),
            STR("Disconnecting an app ends its access immediately."));
    if (p->uses_note.n > 0 && p->n_grants > 0)
        html_line(h, "p", "soft small", p->uses_note);
    if (p->n_grants == 0)
        html_line(h, "p", "empty", STR("No app has access."));
    else
        html_open(h, "ul", {"class", STR("rows")});
    for (size_t i = 0; i < p->n_grants; i++)
        grant(h, a, site, p, &p->grants[i]);
    if (p->n_grants > 0)
        html_end(h);
    html_end(h);
}

static void thing(struct html *h, struct arena *a, const struct page_site *site,
                  const struct page_account *p, const struct oauth_thing *t)
{
    html_open(h, "li");
    html_open(h, "div", {"class", STR("body")});
    html_open(h, "h3");
    page_link(h, site, NULL,
              arena_printf(a, "%s?%s=%llu" STR_FMT, p->section->details,
                           p->section->field, (unsigned long long)t->number,
                           STR_ARG(t->more)),
              t->what);
    html_end(h);
    html_open(h, "p", {"class", STR("soft small")});
    page_time(h, t->when);
    if (t->client.n > 0) {
        html_text(h, STR(" · "));
        html_line(h, "bdi", NULL, clients_clean_name(a, t->client));
    }
    html_end(h);
    html_end(h);
    if (t->has_button)
        page_account_act(h, site, p->section->path, p->ticket,
                         arena_printf(a, "%llu", (unsigned long long)t->number),
                         str_c(p->section->button), t->what, false);
    html_end(h);
}

static void things(struct html *h, struct arena *a, const struct page_site *site,
                   const struct page_account *p)
{
    const struct oauth_section *s = p->section;
    section(h, str_c(s->id), str_c(s->title), str_c(s->text));
    page_alert(h, p->alert);
    if (p->n_things == 0 && p->alert.n == 0)
        html_line(h, "p", "empty", str_c(s->empty));
    if (p->n_things > 0)
        html_open(h, "ul", {"class", STR("rows")});
    for (size_t i = 0; i < p->n_things; i++)
        thing(h, a, site, p, &p->things[i]);
    if (p->n_things > 0) {
        html_end(h);
        html_open(h, "p", {"class", STR("small")});
        page_link(h, site, NULL, str_c(s->details), str_c(s->all));
        html_end(h);
    }
    html_end(h);
}

static void keys(struct html *h, const struct page_account *p)
{
    if (p->n_keys == 0)
        return;
    section(h, STR("keys"), STR("API keys"),
            STR("Created and revoked on the server with the command vaultd key."));
    html_open(h, "ul", {"class", STR("rows")});
    for (size_t i = 0; i < p->n_keys; i++) {
        html_open(h, "li");
        html_open(h, "div", {"class", STR("body")});
        html_line(h, "h3", NULL, p->keys[i].name);
        rights(h, p, &p->keys[i].rights);
        used(h, p->keys[i].created, p->keys[i].used);
        uses(h, p, STR(""), p->keys[i].name);
        html_end(h);
        html_end(h);
    }
    html_end(h);
    html_end(h);
}

static void top(struct html *h, const struct page_site *site,
                const struct page_account *p)
{
    html_open(h, "div", {"class", STR("top")});
    html_line(h, "h1", NULL, STR("Your account"));
    page_form(h, site, "/account/sign-out", p->ticket);
    page_button(h, "small", STR(""), STR(""), STR("Sign out"));
    html_end(h);
    html_end(h);
    html_open(h, "p", {"class", STR("soft")});
    html_text(h, STR("Signed in as "));
    html_line(h, "strong", NULL, p->user);
    html_end(h);
    page_alert(h, p->error);
    page_notice(h, p->notice);
}

str page_account(struct arena *a, const struct page_site *site,
                 const struct page_account *p)
{
    struct html h = page_begin(a, site, STR("Your account"), PAGE_WIDE);
    top(&h, site, p);
    grants(&h, a, site, p);
    if (p->section != NULL)
        things(&h, a, site, p);
    keys(&h, p);
    page_password(&h, site, p);
    return page_end(&h);
}
