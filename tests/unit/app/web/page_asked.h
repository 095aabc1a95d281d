/*
 * page_asked - a page of the app as a browser gets it, without a server.
 *
 *     struct page_asked q = {.path = "/proposals", .user = "ann"};
 *     struct http_response out = page_ask(p, &q);
 */
#pragma once

#include "app/web/pages.h"
#include "app_place.h"
#include "http/form.h"
#include "http/response.h"
#include "oauth/page.h"

struct page_asked {
    const char *path, *query;
    const char *form;   /* NULL: GET */
    const char *user;   /* NULL: nobody signs in */
    const char *cookie; /* NULL: none */
    bool program;       /* not a browser */
};

/* The page with that path, or with the one that all below it belong to. */
static inline const struct oauth_page *page_asked_row(const char *path)
{
    for (const struct oauth_page *page = pages_of_app; page->path != NULL; page++) {
        size_t n = strlen(page->path);
        bool below = n > 1 && page->path[n - 1] == '/';
        if (strcmp(page->path, path) == 0 || (below && strncmp(page->path, path, n) == 0))
            return page;
    }
    fail_msg("no page %s", path);
    return NULL;
}

/* Its texts are in the arena of p. */
static inline struct http_response page_ask(struct app_place *p,
                                            const struct page_asked *q)
{
    struct arena *a = &p->place->arena;
    struct err err = {0};
    struct form *form = ARENA_NEW(a, struct form);
    struct page_site *site = ARENA_NEW(a, struct page_site);
    struct http_request *request = ARENA_NEW(a, struct http_request);
    struct http_header *headers = ARENA_ARRAY(a, struct http_header, 2);
    *site = (struct page_site){.vault = STR("vault"), .pages = pages_of_app};
    headers[0] = (struct http_header){
        STR("accept"), q->program ? STR("*/*") : STR("text/html,*/*;q=0.8")};
    headers[1] =
        (struct http_header){STR("cookie"), str_c(q->cookie != NULL ? q->cookie : "")};
    *request = (struct http_request){.method = q->form != NULL ? HTTP_POST : HTTP_GET,
                                     .path = str_c(q->path),
                                     .query = str_c(q->query != NULL ? q->query : ""),
                                     .headers = headers,
                                     .n_headers = 2};
    struct oauth_asked asked = {.request = request,
                                .site = site,
                                .url = STR("https://notes.example.com"),
                                .user = str_c(q->user != NULL ? q->user : ""),
                                .ticket = STR("ticket")};
    if (q->form != NULL) {
        assert_true(form_parse(a, str_c(q->form), STR(""), form, &err));
        asked.form = form;
    }
    struct http_response out = {0};
    page_asked_row(q->path)->answer(&p->app, a, &asked, &out);
    return out;
}

/* The value of an additional header; empty: there is none. */
static inline str page_header(const struct http_response *r, const char *name)
{
    for (size_t i = 0; i < r->n_headers; i++)
        if (str_eq_nocase(r->headers[i].name, str_c(name)))
            return r->headers[i].value;
    return STR("");
}

/* What follows these words, up to a quote; empty: they are not there. */
static inline str page_after(str body, const char *words)
{
    size_t at = str_find(body, str_c(words));
    str rest = at == STR_NONE ? STR("") : str_skip(body, at + strlen(words));
    size_t end = str_find_char(rest, '"');
    return str_slice(rest, 0, end == STR_NONE ? 0 : end);
}

/* Without what all pages have, such as our own script. */
static inline str page_main(str body)
{
    size_t at = str_find(body, STR("<main")), end = str_find(body, STR("</main>"));
    return str_slice(body, at == STR_NONE ? 0 : at, end == STR_NONE ? body.n : end);
}

static inline void page_check(const char *row, const struct http_response *out,
                              int status, const char *has, const char *lacks)
{
    str body = page_main(out->body);
    if (out->status != status)
        fail_msg("%s: status %d, want %d: " STR_FMT, row, out->status, status,
                 STR_ARG(body));
    if (has != NULL && str_find(body, str_c(has)) == STR_NONE)
        fail_msg("%s: no '%s' in " STR_FMT, row, has, STR_ARG(body));
    if (lacks != NULL && str_find(body, str_c(lacks)) != STR_NONE)
        fail_msg("%s: '%s' in " STR_FMT, row, lacks, STR_ARG(body));
}
