/*
 * pages - what a browser shows: plain HTML, one style for all pages. All of it works
 * without scripts; one small script (page_script.js) is only in pages that have something
 * for it, such as times, and never in those of a sign-in.
 *
 * Each function builds a whole page in the arena. Client names are cleaned (clients.h)
 * and everything is escaped. Forms carry a ticket and nothing else that is sensitive
 * (SEC-49). browser.c sends them; the app adds pages of its own with page.h.
 */
#pragma once

#include "base/arena.h"
#include "http/form.h"
#include "http/response.h"
#include "oauth/config.h"
#include "oauth/grants.h"

enum {
    PAGE_FOLDERS_MAX = 250, /* offered, as a form has FORM_FIELDS_MAX fields at most */
    PAGE_FILTER_FROM =
        12, /* folders: from then on a list can be filtered, with scripts */
};

/* Another vault in the switch of the header. */
struct page_vault_link {
    str name, path; /* path: of the page that is shown, for that vault */
    bool shown;
};

struct page_site {
    str base; /* the prefix of all our paths; empty or "/vault" */
    str vault;
    const struct oauth_page *pages; /* linked in the header; NULL: it has no links, as
                                       where a person signs in for an app */
    str here;                       /* the path of the page; may be empty */
    bool has_accounts;              /* there is /account */
    bool is_known; /* the person may use the server: the footer says more about it */
    const char *counted; /* the path of the page whose link has this number; NULL: none */
    size_t count;
    const struct page_vault_link *vaults; /* fewer than two: no switch */
    size_t n_vaults;
};

struct page_provider {
    str id, name; /* "github", "GitHub" */
};

/* The client that requests access. */
struct page_client {
    str name;           /* as the client gave it */
    str id_host;        /* host of a client id that is a URL, else empty */
    str redirect_host;  /* where the browser goes in the end, or "app://" of a scheme */
    bool loopback, app; /* redirect to this computer; to an app by its own scheme */
};

struct page_login {
    str ticket;
    const struct page_client *client; /* NULL: for /account */
    bool password;                    /* the form for name and password */
    const struct page_provider *providers;
    size_t n_providers;
    str name;  /* that was entered before, or empty */
    str error; /* empty: none */
};

/* What a row of the list of folders sends if nothing is chosen for it. */
#define PAGE_LEVEL_SAME "same"

struct page_consent {
    str ticket, user; /* user empty: signs in next, at provider */
    str provider;     /* name, or empty */
    struct page_client client;
    enum rights_level most;            /* what it asks for, as far as it is offered */
    bool no_proposals;                 /* they are not offered */
    bool each;                         /* chosen: a level for each place below */
    enum rights_level chosen;          /* else this one */
    const struct rights_place *places; /* to choose from, with the level that is chosen */
    const bool *inherit;     /* for each: nothing is chosen, so as the folder above */
    size_t n_places, n_more; /* n_more: that are not listed */
    enum rights_level elsewhere;
    bool vaults;                    /* the places are vaults */
    const struct oauth_tool *tools; /* to choose from; none: not offered */
    size_t n_tools;
    const struct oauth_rights *ticked; /* the tools chosen so far; NULL: all */
    str error;
};

/* Whether and where a user can change the password. */
enum page_password {
    PAGE_PASSWORD_HERE,
    PAGE_PASSWORD_ELSEWHERE, /* who signs in with another service */
    PAGE_PASSWORD_OPERATOR,  /* in the settings, or several servers have it */
};

struct page_account {
    str user, ticket;
    enum page_password password;
    bool asks_password; /* the error is about the form for it */
    str notice;         /* what was just done, or empty */
    str error;
    const struct oauth_grant *grants;
    size_t n_grants;
    const str *folders; /* that a level can be chosen for, beside those of a grant */
    size_t n_folders;
    bool names_vaults, no_proposals;
    const struct oauth_tool *tools; /* all of the server */
    size_t n_tools;
    const struct oauth_section *section; /* from the app; NULL: none */
    const struct oauth_thing *things;    /* in it */
    size_t n_things;
    str alert; /* about them, or empty */
    const struct oauth_key *keys;
    size_t n_keys;
    const struct oauth_uses *uses; /* of apps and keys */
    size_t n_uses;
    str uses_note; /* about these, or empty */
};

str page_error(struct arena *a, const struct page_site *site, str title, str text);
/* The client's request has a fault; url: where its redirect would lead. */
str page_fault(struct arena *a, const struct page_site *site,
               const struct page_client *client, str text, str url);
str page_login(struct arena *a, const struct page_site *site, const struct page_login *p);
str page_consent(struct arena *a, const struct page_site *site,
                 const struct page_consent *p);
str page_account(struct arena *a, const struct page_site *site,
                 const struct page_account *p);
str page_signed_out(struct arena *a, const struct page_site *site);

/* The Content-Security-Policy of all pages: SEC-46 with the hash of the style, that of the
 * script if the page has it, and without form-action (SEC-47). */
str page_policy(struct arena *a, bool script);

/* The logo as an SVG image, for /favicon.svg. */
extern const str page_icon;

/* Answer with a page; or only add the headers that every page has. */
void page_answer(struct arena *a, int status, str html, struct http_response *out);
void page_add_headers(struct arena *a, struct http_response *out);

/*
 * Read the form that a page of ours at origin has posted; repeatable as in form.h. False:
 * answered, as another site or program sent it (SEC-49), or it is malformed.
 */
bool page_read_form(struct arena *a, const struct page_site *site,
                    const struct http_request *r, str origin, const char *repeatable,
                    struct form *form, struct http_response *out);
