#include "app/web/proposals_page.h"

#include "app/setup/app.h"
#include "app/setup/proposals.h"
#include "app/setup/proposed.h"
#include "app/web/frame.h"
#include "app/web/proposal_view.h"
#include "app/web/review_keys.h"
#include "app/web/review_link.h"
#include "base/log.h"
#include "http/form.h"
#include "http/response.h"
#include "oauth/clients.h"
#include "oauth/html.h"
#include "oauth/page.h"
#include "oauth/pages.h"
#include "state/proposal_table.h"
#include "vault/text/visible.h"
#include "vault/vault.h"

enum { PROPOSALS_PAGE_ROWS = 100 /* of each list */ };

struct proposals_page {
    struct frame f;
    struct proposed_place place;
    struct html *h;
};

/* --- who --- */

/* Without sign-in, only what a client cannot get shows that it is a person. */
static bool is_reviewer(struct app *app, const struct oauth_asked *asked)
{
    return asked->user.n > 0 || review_keys_admit(app->review_keys, asked->request);
}

static str decider(const struct proposals_page *p)
{
    return p->f.asked->user.n > 0 ? p->f.asked->user : STR("operator");
}

/* --- links --- */

/* "/proposals?id=5f0c31a2b4d6&vault=work" */
static str proposal_link(const struct proposals_page *p, str id, const char *done)
{
    struct sbuf out = SBUF_ON(p->f.a);
    if (id.n > 0)
        sbuf_printf(&out, "?id=" STR_FMT, STR_ARG(form_encode(p->f.a, id)));
    if (done != NULL)
        sbuf_printf(&out, "%cdone=%s", out.n > 0 ? '&' : '?', done);
    return frame_path(&p->f, STR(REVIEW_PATH), sbuf_str(&out));
}

static void proposals_begin(struct proposals_page *p, struct html *h, str title)
{
    *h = page_begin(p->f.a, &p->f.site, title, PAGE_WIDE);
    p->h = h;
}

static void proposals_end(const struct proposals_page *p, int status,
                          struct http_response *out)
{
    page_answer(p->f.a, status, page_end(p->h), out);
}

static void proposals_fail(const struct proposals_page *p, int status, str text,
                           struct http_response *out)
{
    frame_refuse(&p->f, status, STR("This cannot be shown"), text, out);
}

/* --- the list --- */

static void put_row_about(const struct proposals_page *p, const struct proposal_row *row)
{
    html_open(p->h, "p", {"class", STR("soft small")});
    page_time(p->h, row->created);
    if (!proposed_waits(row)) {
        html_text(p->h, STR(" · "));
        html_text(p->h, str_c(proposal_state_name(row->state)));
        if (row->decided_by.n > 0) {
            html_text(p->h, STR(" by "));
            html_line(p->h, "bdi", NULL, row->decided_by);
        }
    }
    html_end(p->h);
    if (row->reason.n == 0)
        return;
    html_open(p->h, "p", {"class", STR("small")});
    html_line(p->h, "bdi", NULL, visible_text(p->f.a, row->reason));
    html_end(p->h);
}

static void put_row(const struct proposals_page *p, const struct proposal_row *row)
{
    html_open(p->h, "li");
    html_open(p->h, "div", {"class", STR("body")});
    html_open(p->h, "h3", {"class", STR("item")});
    if (proposed_waits(row))
        page_link(p->h, &p->f.site, NULL, proposal_link(p, row->id, NULL),
                  visible_text(p->f.a, row->summary));
    else
        html_line(p->h, "bdi", NULL, visible_text(p->f.a, row->summary));
    html_end(p->h);
    put_row_about(p, row);
    html_end(p->h);
    html_end(p->h);
}

/* Those that wait, or the others. */
static size_t put_rows(const struct proposals_page *p, const struct proposal_row *rows,
                       size_t n, bool waiting, const char *title, const char *empty)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += proposed_waits(&rows[i]) == waiting;
    if (count == 0 && empty == NULL)
        return 0;
    html_line(p->h, "h2", NULL, str_c(title));
    if (count == 0) {
        html_line(p->h, "p", "empty", str_c(empty));
        return 0;
    }
    html_open(p->h, "ul", {"class", STR("rows")});
    for (size_t i = 0, shown = 0; i < n && shown < PROPOSALS_PAGE_ROWS; i++)
        if (proposed_waits(&rows[i]) == waiting) {
            put_row(p, &rows[i]);
            shown++;
        }
    html_end(p->h);
    if (count > PROPOSALS_PAGE_ROWS)
        html_line(
            p->h, "p", "soft",
            arena_printf(p->f.a, "%zu more are not shown.", count - PROPOSALS_PAGE_ROWS));
    return count;
}

static str done_notice(const struct form *form)
{
    str done = form_get(form, STR("done"));
    return str_eq(done, STR("accepted")) ? STR("Accepted: the change has been made. It "
                                               "can be undone under Changes.")
           : str_eq(done, STR("rejected"))
               ? STR("Rejected: nothing was changed. The app is told the reason.")
               : STR("");
}

static void show_proposals(struct proposals_page *p, const struct form *form,
                           struct http_response *out)
{
    struct proposal_row *rows;
    struct html h;
    size_t n;
    struct err err;
    if (!proposed_list(&p->place, p->f.a, &rows, &n, &err)) {
        proposals_fail(p, 503, arena_printf(p->f.a, "%s.", err.msg), out);
        return;
    }
    proposals_begin(p, &h, STR("Proposed changes"));
    html_line(p->h, "h1", NULL, STR("Proposed changes"));
    html_line(
        p->h, "p", "soft",
        STR("Apps propose these changes, and nothing is written until you accept."));
    page_notice(p->h, done_notice(form));
    (void)put_rows(p, rows, n, true, "Waiting for you", "Nothing waits for a review.");
    (void)put_rows(p, rows, n, false, "Decided", NULL);
    proposals_end(p, 200, out);
}

/* --- one --- */

static void put_proposer(const struct proposals_page *p, const struct proposed *it)
{
    html_open(p->h, "p", {"class", STR("soft small")});
    page_time(p->h, it->row.created);
    str words[] = {clients_clean_name(p->f.a, it->proposal.by.client),
                   it->proposal.by.tool, it->proposal.by.who};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (words[i].n > 0) {
            html_text(p->h, STR(" · "));
            html_line(p->h, "bdi", NULL, words[i]);
        }
    html_end(p->h);
}

static void proposals_page_put_warnings(const struct proposals_page *p,
                                        const struct proposed *it,
                                        const struct proposal_parts *parts)
{
    if (p->f.use.seen.stale)
        page_alert(p->h, STR(RYW_STALE));
    if (it->shown.conflicts > 0)
        html_line(p->h, "p", "warning",
                  it->hunks.by_file
                      ? STR("Some of it conflicts with what was changed meanwhile; the "
                            "rest can be accepted.")
                      : STR("It conflicts with what was changed meanwhile, so it cannot "
                            "be accepted."));
    if (!parts->all)
        html_line(p->h, "p", "warning",
                  arena_printf(p->f.a,
                               "It is too large for this page. On the server, vaultd "
                               "accept -p " STR_FMT " asks about all of it.",
                               STR_ARG(it->row.id)));
    else if (!it->hunks.by_file)
        html_line(p->h, "p", "soft",
                  STR("It moves files or makes folders, so it is accepted or rejected as "
                      "a whole."));
}

static void put_decision(const struct proposals_page *p, bool can_accept, bool fixed)
{
    if (!fixed) {
        html_open(p->h, "label", {"for", STR("reason")});
        html_text(p->h, STR("Reason, for the app (optional)"));
        html_end(p->h);
        html_open(p->h, "textarea", {"id", STR("reason")}, {"name", STR("reason")},
                  {"rows", STR("2")}, {"maxlength", STR("500")});
        html_end(p->h);
    }
    html_open(p->h, "div", {"class", STR("decide")});
    if (!fixed)
        page_button(p->h, "danger", STR("do"), STR("reject"), STR("Reject all"));
    if (can_accept)
        page_button(p->h, "main", STR("do"), STR("accept"),
                    fixed ? STR("Accept this") : STR("Accept"));
    html_end(p->h);
}

/* fixed: the choice, when it is to be confirmed; or empty. */
static void show_proposal(struct proposals_page *p, const struct proposed *it, str fixed,
                          str reason, int status, str error, struct http_response *out)
{
    struct html h;
    struct proposal_parts parts;
    struct proposal_view view = {.a = p->f.a, .shown = it, .fixed = fixed.n > 0};
    proposals_begin(p, &h, STR("Proposed change"));
    proposal_parts(p->f.a, it, &parts);
    view.h = p->h;
    html_open(p->h, "p", {"class", STR("small")});
    page_link(p->h, &p->f.site, NULL, proposal_link(p, STR(""), NULL),
              STR("All proposed changes"));
    html_end(p->h);
    html_open(p->h, "h1");
    html_line(p->h, "bdi", NULL, visible_text(p->f.a, it->row.summary));
    html_end(p->h);
    put_proposer(p, it);
    page_alert(p->h, error);
    proposals_page_put_warnings(p, it, &parts);
    page_form(p->h, &p->f.site, REVIEW_PATH, p->f.asked->ticket);
    page_hidden(p->h, STR("id"), it->row.id);
    page_hidden(p->h, STR("seen"), it->shown.seen);
    if (!p->f.is_first)
        page_hidden(p->h, STR("vault"), p->f.served->name);
    if (fixed.n > 0) {
        page_hidden(p->h, STR("choice"), fixed);
        page_hidden(p->h, STR("reason"), reason);
    }
    proposal_view_put(&view);
    put_decision(p, it->hunks.by_file || (parts.all && it->shown.conflicts == 0),
                 fixed.n > 0);
    html_end(p->h);
    proposals_end(p, status, out);
}

static void show_decided(struct proposals_page *p, const struct proposed *it,
                         struct http_response *out)
{
    struct html h;
    proposals_begin(p, &h, STR("Proposed change"));
    html_line(p->h, "h1", NULL, STR("This is decided"));
    html_open(p->h, "ul", {"class", STR("rows")});
    put_row(p, &it->row);
    html_end(p->h);
    html_open(p->h, "p");
    page_link(p->h, &p->f.site, "button", proposal_link(p, STR(""), NULL),
              STR("All proposed changes"));
    html_end(p->h);
    proposals_end(p, 200, out);
}

/* Reads and shows it, with an error about what was tried. */
static void show_again(struct proposals_page *p, str id, int status, str error,
                       struct http_response *out)
{
    struct proposed it;
    struct err err;
    if (!proposed_read(&p->place, p->f.a, id, STR(""), &it, &err))
        proposals_fail(p, err.code == ERR_NOT_FOUND ? 404 : 503,
                       arena_printf(p->f.a, "%s.", err.msg), out);
    else if (!proposed_waits(&it.row))
        show_decided(p, &it, out);
    else
        show_proposal(p, &it, STR(""), STR(""), status, error, out);
}

/* --- deciding --- */

static void decided(struct proposals_page *p, const struct proposed_outcome *done,
                    const struct proposed_decision *d, struct http_response *out)
{
    const char *what = done->state == PROPOSAL_REJECTED ? "rejected" : "accepted";
    log_event(LOG_INFO, "web.proposal", LOG_STR("user", p->f.asked->user),
              LOG_STR("id", d->id), LOG_STR("outcome", str_c(what)),
              LOG_STR("peer", p->f.asked->request->peer));
    out->status = 303;
    http_add_header(out, STR("Location"),
                    arena_printf(p->f.a, STR_FMT STR_FMT, STR_ARG(p->f.site.base),
                                 STR_ARG(proposal_link(p, STR(""), what))));
    page_add_headers(p->f.a, out);
}

static void proposals_page_decide(struct proposals_page *p, struct proposed_decision *d,
                                  struct http_response *out)
{
    struct proposed_outcome done;
    struct err err = {0};
    if (proposed_decide(&p->place, p->f.a, d, &done, &err)) {
        decided(p, &done, d, out);
        return;
    }
    show_again(
        p, d->id, err.code == ERR_NOT_FOUND ? 404 : 409,
        err.name == E_STALE
            ? STR("The notes have changed since this page was shown, so nothing was "
                  "accepted. Please look at it again.")
            : arena_printf(p->f.a, "Not accepted: %s.", err.msg),
        out);
}

/* A part of a file that has changed meanwhile is shown as it will be, before it is made. */
static bool must_confirm(struct proposals_page *p, const struct form *form,
                         struct proposed_decision *d, struct http_response *out)
{
    struct proposed it;
    struct err err;
    if (form_get(form, STR("choice")).n > 0 || str_eq(d->choice, STR("all")) ||
        !proposed_read(&p->place, p->f.a, d->id, d->choice, &it, &err) ||
        !proposed_waits(&it.row) || it.choice.n == it.hunks.n_hunks ||
        it.shown.merged == 0 || !str_eq(it.shown.seen, d->seen))
        return false;
    show_proposal(p, &it, d->choice, d->reason, 200,
                  STR("Part of this is merged with what was changed meanwhile. Please "
                      "check the result."),
                  out);
    return true;
}

static void press_accept(struct proposals_page *p, const struct form *form,
                         struct proposed_decision *d, struct http_response *out)
{
    struct proposed it;
    struct err err;
    if (!proposed_read(&p->place, p->f.a, d->id, STR(""), &it, &err) ||
        !proposed_waits(&it.row)) {
        show_again(p, d->id, 409, STR(""), out);
        return;
    }
    d->seen = form_get(form, STR("seen"));
    d->choice = proposal_view_choice(p->f.a, &it, form);
    if (d->seen.n == 0 || str_eq(d->choice, STR("none"))) {
        show_again(p, d->id, 409,
                   STR("Nothing is chosen: choose what to accept, or reject all."), out);
        return;
    }
    if (!must_confirm(p, form, d, out))
        proposals_page_decide(p, d, out);
}

static void press(struct proposals_page *p, const struct form *form,
                  struct http_response *out)
{
    struct proposed_decision d = {.id = form_get(form, STR("id")),
                                  .by = decider(p),
                                  .reason = form_get(form, STR("reason"))};
    str what = form_get(form, STR("do"));
    if (str_eq(what, STR("accept"))) {
        press_accept(p, form, &d, out);
    } else if (str_eq(what, STR("reject"))) {
        d.choice = STR("none");
        proposals_page_decide(p, &d, out);
    } else {
        proposals_fail(p, 400, STR("The form has no decision. Open the page again."),
                       out);
    }
}

/* --- without sign-in --- */

static void show_locked(struct proposals_page *p, struct http_response *out)
{
    struct html h;
    size_t n = proposals_waiting(p->f.app);
    proposals_begin(p, &h, STR("Proposed changes"));
    html_line(p->h, "h1", NULL, STR("Proposed changes"));
    html_line(p->h, "p", NULL,
              n == 0   ? STR("No change waits for your review.")
              : n == 1 ? STR("1 change waits for your review.")
                       : arena_printf(p->f.a, "%zu changes wait for your review.", n));
    html_line(p->h, "p", NULL,
              STR("This server has no sign-in, so any program that reaches it could "
                  "press a button here, also the app that proposed the change. To review "
                  "in this browser, open the link that this command prints:"));
    page_copyable(p->h, STR("vaultd proposals --link"));
    html_line(p->h, "p", NULL, STR("Or decide in a terminal:"));
    page_copyable(p->h, STR("vaultd proposals"));
    proposals_end(p, 200, out);
}

static void redeem(struct proposals_page *p, str key, struct http_response *out)
{
    if (!review_keys_redeem(p->f.app->review_keys, p->f.a, key, out)) {
        proposals_fail(p, 403,
                       STR("This link was used or is older than ten minutes. Get another "
                           "one with vaultd proposals --link."),
                       out);
        return;
    }
    out->status = 303;
    http_add_header(out, STR("Location"), STR(REVIEW_PATH));
    page_add_headers(p->f.a, out);
}

/* --- requests --- */

static void answer_reviewer(struct proposals_page *p, const struct form *form,
                            struct http_response *out)
{
    frame_offer_vaults(&p->f, REVIEW_PATH);
    struct err err;
    str id = form_get(form, STR("id"));
    if (p->f.served == NULL) {
        proposals_fail(p, 404, STR("There is no such vault."), out);
        return;
    }
    if (!frame_open(&p->f, &err)) {
        proposals_fail(
            p, 503, arena_printf(p->f.a, "The vault cannot be opened now: %s.", err.msg),
            out);
        return;
    }
    proposals_place(p->f.served, p->f.a,
                    p->f.asked->user.n > 0 ? &p->f.asked->user : NULL, &p->place);
    if (p->f.asked->form != NULL)
        press(p, form, out);
    else if (id.n > 0)
        show_again(p, id, 200, STR(""), out);
    else
        show_proposals(p, form, out);
    frame_close(&p->f);
}

void proposals_page_answer(void *app, struct arena *a, const struct oauth_asked *asked,
                           struct http_response *out)
{
    struct form query = {0};
    struct proposals_page p = {0};
    if (!frame_init(&p.f, app, a, asked, &query)) {
        proposals_fail(&p, 400, STR("Check the address."), out);
        return;
    }
    str key = form_get(p.f.form, STR("key"));
    if (p.f.app->proposals == NULL)
        proposals_fail(&p, 404, STR("Apps propose no changes to this server."), out);
    else if (asked->user.n == 0 && asked->form == NULL && key.n > 0 &&
             asked->request->method == HTTP_GET) /* programs look at links with HEAD */
        redeem(&p, key, out);
    else if (is_reviewer(app, asked))
        answer_reviewer(&p, p.f.form, out);
    else if (asked->form != NULL)
        proposals_fail(&p, 403, STR("This browser may not decide: open the page again."),
                       out);
    else
        show_locked(&p, out);
}
