/*
 * frame - what the pages of the app have in common: whose page it is, which vault it shows,
 * and the header with the links to the others.
 *
 * A page is of the vault that ?vault=NAME names, or of the first one that the person sees.
 * With several, the header has a switch between them.
 */
#pragma once

#include "app/setup/app.h"
#include "app/setup/page_vault.h"
#include "oauth/oauth.h"
#include "oauth/page.h"

struct frame {
    struct app *app;
    struct arena *a;
    const struct oauth_asked *asked;
    const struct form *form; /* the query, or what was posted */
    struct mcp_caller caller;
    struct page_site site;
    const struct app_vault *served; /* NULL: there is no such vault, or none at all */
    bool is_first;         /* it is the vault that an address without a name shows */
    struct page_vault use; /* after frame_open() */
};

/* A form may be posted; query is filled in otherwise. False: the query is malformed, and
 * only frame_refuse() may follow. */
MUST_CHECK bool frame_init(struct frame *f, struct app *app, struct arena *a,
                           const struct oauth_asked *asked, struct form *query);

/* Let the header have the switch: links to path of each vault that the person sees. */
void frame_offer_vaults(struct frame *f, const char *path);

/* The vault is open until frame_close(). Fails like page_vault_open(). */
MUST_CHECK bool frame_open(struct frame *f, struct err *err);
void frame_close(struct frame *f);

/* What the page shows and changes: without sign-in, what clients may see and do, as the
 * request may be of any program, unless the operator opened the browser (review_keys.h). */
struct vault *frame_vault(const struct frame *f);

/* path with the name of the vault, unless it is the first: "/changes?vault=work"; rest
 * begins with '?' or is empty. */
str frame_path(const struct frame *f, str path, str rest);

/* A page that is only text. */
void frame_refuse(const struct frame *f, int status, str title, str text,
                  struct http_response *out);
