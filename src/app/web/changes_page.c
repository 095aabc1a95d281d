#include "app/web/changes_page.h"

#include "app/setup/app.h"
#include "app/web/changes_list.h"
#include "app/web/diff_html.h"
#include "app/web/frame.h"
#include "app/web/note_html.h"
#include "app/web/review_link.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/log.h"
#include "http/form.h"
#include "http/response.h"
#include "oauth/clients.h"
#include "oauth/html.h"
#include "oauth/page.h"
#include "oauth/pages.h"
#include "replica/read_your_writes.h"
#include "sync/sync.h"
#include "vault/change/journal.h"
#include "vault/index/file.h"
#include "vault/review.h"
#include "vault/vault.h"

enum { DAY_S = 86400, DAYS_MAX = 3650 };

struct changes_page {
    struct frame f;
    str note, client, days; /* only changes of this, by these, and since; empty: all */
    struct html *h;
};

/* --- links and forms --- */

/* Whose numbers these are: each replica has its own list; empty: there is one process. */
static str numbered_by(const struct changes_page *p)
{
    return str_c(p->f.app->replica.name);
}

str changes_page_link(const struct frame *f, const char *field, uint64_t number)
{
    struct sbuf out = SBUF_ON(f->a);
    str at = str_c(f->app->replica.name);
    if (number > 0)
        sbuf_printf(&out, "?%s=%llu", field, (unsigned long long)number);
    if (number > 0 && at.n > 0)
        sbuf_printf(&out, "&at=" STR_FMT, STR_ARG(at));
    return frame_path(f, STR(CHANGES_PATH), sbuf_str(&out));
}

static str link_to(const struct changes_page *p, const char *field, uint64_t number)
{
    return changes_page_link(&p->f, field, number);
}

/* A form to undo a change, and first those of chain, which are numbers with commas or empty. */
static void begin_undo(const struct changes_page *p, uint64_t number, str chain)
{
    page_form(p->h, &p->f.site, CHANGES_PATH, p->f.asked->ticket);
    page_hidden(p->h, STR("change"),
                arena_printf(p->f.a, "%llu", (unsigned long long)number));
    if (chain.n > 0)
        page_hidden(p->h, STR("first"), chain);
    if (!p->f.is_first)
        page_hidden(p->h, STR("vault"), p->f.served->name);
    if (numbered_by(p).n > 0)
        page_hidden(p->h, STR("at"), numbered_by(p));
}

static void put_undo(const struct changes_page *p, uint64_t number, str about,
                     const char *css)
{
    begin_undo(p, number, STR(""));
    html_open(p->h, "button", {"type", STR("submit")}, {"class", str_c(css)},
              {"aria-label", arena_printf(p->f.a, "Undo " STR_FMT, STR_ARG(about))});
    page_glyph(p->h, GLYPH_UNDO);
    html_text(p->h, STR("Undo"));
    html_end(p->h);
    html_end(p->h);
}

static bool may_press_undo(const struct changes_page *p, const struct journal_entry *e)
{
    return changes_list_can_undo(e) && !vault_is_read_only(frame_vault(&p->f));
}

/* --- what the list and a change have in common --- */

static void put_lines(const struct changes_page *p, const struct changes_lines *lines)
{
    html_text(p->h, STR(" · "));
    html_open(p->h, "span", {"class", STR("lines")},
              {"title", arena_printf(p->f.a, "%zu lines added, %zu removed", lines->added,
                                     lines->removed)});
    html_line(p->h, "ins", NULL, arena_printf(p->f.a, "+%zu", lines->added));
    html_text(p->h, STR(" "));
    html_line(p->h, "del", NULL, arena_printf(p->f.a, "−%zu", lines->removed));
    html_end(p->h);
}

/* "09:30 · Claude · vault_edit · anna · +2 −1"; lines may be NULL. */
static void put_origin(const struct changes_page *p, const struct journal_entry *e,
                       const struct journal_change *c, const struct changes_lines *lines,
                       bool is_clock)
{
    html_open(p->h, "p", {"class", STR("soft small")});
    if (is_clock)
        page_clock(p->h, e->time);
    else
        page_time(p->h, e->time);
    str words[] = {c->tool, c->who}, app = clients_clean_name(p->f.a, c->client);
    if (app.n > 0) {
        html_text(p->h, STR(" · "));
        page_link(p->h, &p->f.site, NULL,
                  frame_path(&p->f, STR(CHANGES_PATH),
                             arena_printf(p->f.a, "?app=" STR_FMT,
                                          STR_ARG(form_encode(p->f.a, app)))),
                  app);
    }
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (words[i].n > 0) {
            html_text(p->h, STR(" · "));
            html_line(p->h, "bdi", NULL, words[i]);
        }
    if (lines != NULL)
        put_lines(p, lines);
    html_end(p->h);
}

static void put_relation(const struct changes_page *p, const char *what, uint64_t number)
{
    if (number == 0)
        return;
    html_open(p->h, "p", {"class", STR("small")});
    page_link(p->h, &p->f.site, NULL, link_to(p, "change", number),
              arena_printf(p->f.a, "%s change %llu", what, (unsigned long long)number));
    html_end(p->h);
}

/* Near the top of what is shown. */
static void put_stale(const struct changes_page *p)
{
    if (p->f.use.seen.stale)
        page_alert(p->h, STR(RYW_STALE));
}

static void put_page(const struct changes_page *p, int status, struct http_response *out)
{
    page_answer(p->f.a, status, page_end(p->h), out);
}

/* --- the list --- */

/* What is beside a change: a button, or why it has none. */
static void put_beside(const struct changes_page *p, const struct journal_entry *e,
                       str what, bool blocked)
{
    if (!may_press_undo(p, e))
        return;
    if (!blocked)
        put_undo(p, e->number, what, "small quiet");
    else
        html_line(p->h, "span", "soft small", STR("changed again since"));
}

static void changes_page_put_item(const struct changes_page *p,
                                  const struct history_item *item, uint64_t latest,
                                  bool blocked)
{
    const struct journal_entry *e = &item->entry;
    struct changes_lines lines;
    str what = changes_list_summary(p->f.a, item);
    bool counted = changes_list_count(frame_vault(&p->f), p->f.a, item, latest, &lines);
    html_open(p->h, "li");
    page_glyph(p->h, changes_list_glyph(p->f.a, item));
    html_open(p->h, "div", {"class", STR("body")});
    html_open(p->h, "h3", {"class", STR("item")});
    page_link(p->h, &p->f.site, NULL, link_to(p, "change", e->number), what);
    html_end(p->h);
    put_origin(p, e, &item->change, counted ? &lines : NULL, true);
    put_relation(p, "Undone by", e->undone_by);
    html_end(p->h);
    put_beside(p, e, what, blocked);
    html_end(p->h);
}

/* Days are those of UTC, as the times are without scripts. */
static void put_day_of(const struct changes_page *p, int64_t time)
{
    char iso[CLOCK_ISO_SIZE];
    html_open(p->h, "h2", {"class", STR("day")});
    html_open(p->h, "time",
              {"datetime", arena_printf(p->f.a, STR_FMT "T12:00:00Z",
                                        STR_ARG(str_slice(clock_iso(time, iso), 0, 10)))},
              {"data-show", STR("day")});
    html_text(p->h, str_slice(clock_iso(time, iso), 0, 10));
    html_end(p->h);
    html_end(p->h);
}

static void put_list(const struct changes_page *p, const struct changes_list *listed)
{
    if (listed->n == 0) {
        html_line(p->h, "p", "empty", STR("There are no changes."));
        return;
    }
    int64_t day = -1;
    struct vault *v = frame_vault(&p->f);
    const bool *blocked = changes_list_blocked(v, p->f.a, listed);
    uint64_t latest = changes_list_latest(v, p->f.a);
    for (size_t i = 0; i < listed->n; i++) {
        const struct history_item *item = &listed->items[i];
        if (item->entry.time / DAY_S != day) {
            if (i > 0)
                html_end(p->h);
            put_day_of(p, item->entry.time);
            html_open(p->h, "ul", {"class", STR("rows")});
        }
        day = item->entry.time / DAY_S;
        changes_page_put_item(p, item, latest, blocked[i]);
    }
    html_end(p->h);
}

/* The part of an address that repeats what was chosen. */
static str chosen_part(const struct changes_page *p)
{
    struct sbuf out = SBUF_ON(p->f.a);
    if (p->note.n > 0)
        sbuf_printf(&out, "&note=" STR_FMT, STR_ARG(form_encode(p->f.a, p->note)));
    if (p->client.n > 0)
        sbuf_printf(&out, "&app=" STR_FMT, STR_ARG(form_encode(p->f.a, p->client)));
    if (p->days.n > 0)
        sbuf_printf(&out, "&days=" STR_FMT, STR_ARG(p->days));
    return sbuf_str(&out);
}

/* Which changes these are, if not all of them. */
static void put_chosen(const struct changes_page *p)
{
    if (p->note.n + p->client.n == 0)
        return;
    html_open(p->h, "p", {"class", STR("chosen")});
    html_text(p->h, p->note.n > 0 ? STR("Only of ") : STR("Only by "));
    html_line(p->h, "bdi", NULL, p->note.n > 0 ? p->note : p->client);
    if (p->note.n > 0 && p->client.n > 0) {
        html_text(p->h, STR(" by "));
        html_line(p->h, "bdi", NULL, p->client);
    }
    html_text(p->h, STR(" · "));
    page_link(p->h, &p->f.site, NULL, link_to(p, "", 0), STR("Show all"));
    html_end(p->h);
}

static void put_choice(const struct changes_page *p, const char *value, const char *label)
{
    html_open(p->h, "option", {"value", str_c(value)},
              {str_eq(p->days, str_c(value)) ? "selected" : NULL});
    html_text(p->h, str_c(label));
    html_end(p->h);
}

static void put_wish(const struct changes_page *p, const char *name, str label, str value,
                     str example)
{
    html_open(p->h, "label");
    html_text(p->h, label);
    html_void(p->h, "input", {"type", STR("search")}, {"name", str_c(name)},
              {"value", value}, {"placeholder", example});
    html_end(p->h);
}

static void put_filter(const struct changes_page *p)
{
    html_open(
        p->h, "form", {"class", STR("filter")}, {"method", STR("get")},
        {"action", arena_printf(p->f.a, STR_FMT CHANGES_PATH, STR_ARG(p->f.site.base))});
    put_wish(p, "note", STR("Note or folder"), p->note, STR("Projects"));
    put_wish(p, "app", STR("App"), p->client, STR("Claude"));
    html_open(p->h, "label");
    html_text(p->h, STR("When"));
    html_open(p->h, "select", {"name", STR("days")});
    put_choice(p, "", "At any time");
    put_choice(p, "1", "In the last day");
    put_choice(p, "7", "In the last week");
    put_choice(p, "30", "In the last 30 days");
    html_end(p->h);
    html_end(p->h);
    if (!p->f.is_first)
        page_hidden(p->h, STR("vault"), p->f.served->name);
    page_button(p->h, NULL, STR(""), STR(""), STR("Filter"));
    html_end(p->h);
}

/* What waits for a review is not a change yet. */
static void put_proposals(const struct changes_page *p)
{
    str text = review_link(p->f.app, p->f.a, p->f.asked);
    if (text.n == 0)
        return;
    html_open(p->h, "p");
    page_link(p->h, &p->f.site, NULL, STR(REVIEW_PATH), text);
    html_end(p->h);
}

/* The time so many days ago; 0: any. */
static int64_t since_days(str days)
{
    int64_t n;
    bool given = str_to_int(days, &n) && n > 0 && n <= DAYS_MAX;
    return given ? clock_now() - n * DAY_S : 0;
}

static void changes_show_list(struct changes_page *p, uint64_t before,
                              struct http_response *out)
{
    struct changes_list listed = {0};
    struct err err = {0};
    const struct changes_question q = {.user = p->f.asked->user,
                                       .note = p->note,
                                       .client = p->client,
                                       .before = before,
                                       .from = since_days(p->days),
                                       .max = CHANGES_SHOWN};
    bool ok = changes_list_find(frame_vault(&p->f), p->f.a, &q, &listed, &err);
    struct html h = page_begin(p->f.a, &p->f.site, STR("Changes"), PAGE_WIDE);
    p->h = &h;
    html_line(p->h, "h1", NULL, STR("Changes"));
    html_line(p->h, "p", "soft small",
              STR("What apps changed in your notes, latest first. Undoing is also a "
                  "change."));
    put_proposals(p);
    put_filter(p);
    put_chosen(p);
    put_stale(p);
    if (ok)
        put_list(p, &listed);
    else
        page_alert(p->h, arena_printf(p->f.a, "The list of changes is not available: %s.",
                                      err.msg));
    if (listed.more_before > 0) {
        html_open(p->h, "p");
        page_link(p->h, &p->f.site, "button",
                  arena_printf(p->f.a, STR_FMT STR_FMT,
                               STR_ARG(link_to(p, "before", listed.more_before)),
                               STR_ARG(chosen_part(p))),
                  STR("Earlier changes"));
        html_end(p->h);
    }
    put_page(p, 200, out);
}

/* --- one change --- */

static str chain_text(struct arena *a, const uint64_t *chain, size_t n)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&out, "%s%llu", i > 0 ? "," : "", (unsigned long long)chain[i]);
    return sbuf_str(&out);
}

/* The name of a note that can be read leads to it. */
static void put_name(const struct changes_page *p, str path, bool is_there)
{
    bool reads = is_there && p->f.app->settings.reader == READER_ON &&
                 file_kind_of(path) == FILE_NOTE;
    if (reads)
        page_link(p->h, &p->f.site, NULL,
                  frame_path(&p->f,
                             arena_printf(p->f.a, NOTE_PATH STR_FMT,
                                          STR_ARG(encode_percent(p->f.a, path))),
                             STR("")),
                  path);
    else
        html_line(p->h, "bdi", NULL, path);
}

static void put_file_name(const struct changes_page *p, const struct review_file *f)
{
    bool moved = f->outcome == REVIEW_MOVED || f->outcome == REVIEW_RESTORED;
    html_open(p->h, "h2");
    html_text(p->h, changes_list_verb(p->f.a, f->outcome));
    html_text(p->h, STR(" "));
    put_name(p, f->path, !moved && f->outcome != REVIEW_DELETED);
    if (moved) {
        html_text(p->h, STR(" to "));
        put_name(p, f->to, true);
    }
    html_end(p->h);
}

/* named: it has no heading of its own, as it is the only file. */
static void changes_page_put_file(const struct changes_page *p,
                                  const struct review_file *f, bool named, size_t *left)
{
    str diff = review_file_diff(p->f.a, f, *left);
    *left -= diff.n < *left ? diff.n : *left;
    html_open(p->h, "section", {"class", STR("file")});
    if (!named || file_kind_of(f->path) == FILE_NOTE)
        put_file_name(p, f);
    if (f->no_diff != NULL)
        html_line(p->h, "p", "soft small",
                  arena_printf(p->f.a, "No diff available: %s.", f->no_diff));
    else
        diff_html_unified(p->h, p->f.a, diff);
    html_end(p->h);
}

static void put_files(const struct changes_page *p, const struct review *r)
{
    size_t left = CHANGES_DIFF_MAX, i = 0;
    for (; i < r->n && i < CHANGES_FILES_MAX && left > 0; i++)
        changes_page_put_file(p, &r->files[i], r->n == 1, &left);
    size_t all = r->n < REVIEW_FILES_MAX ? r->n : (size_t)r->entry.files;
    if (i < all)
        html_line(p->h, "p", "soft",
                  arena_printf(p->f.a,
                               "%zu more files are not shown here; on the server, "
                               "vaultd changes %llu prints them.",
                               all - i, (unsigned long long)r->entry.number));
}

/* What has to be undone first, and a button that undoes all of it. */
static void put_chain(const struct changes_page *p, uint64_t number,
                      const uint64_t *chain, size_t n)
{
    html_open(p->h, "div", {"class", STR("warning")});
    html_text(p->h, n == 1 ? STR("The same notes were changed again, by change ")
                           : STR("The same notes were changed again, by the changes "));
    for (size_t i = 0; i < n; i++) {
        html_text(p->h, i > 0 ? STR(", ") : STR(""));
        page_link(p->h, &p->f.site, NULL, link_to(p, "change", chain[i]),
                  arena_printf(p->f.a, "%llu", (unsigned long long)chain[i]));
    }
    html_text(p->h, n == 1 ? STR(", which has to be undone first.")
                           : STR(", which have to be undone first."));
    begin_undo(p, number, chain_text(p->f.a, chain, n));
    html_open(p->h, "p");
    page_button(p->h, "small danger", STR(""), STR(""),
                arena_printf(p->f.a, "Undo all %zu changes", n + 1));
    html_end(p->h);
    html_end(p->h);
    html_end(p->h);
}

static void put_top(const struct changes_page *p, const struct review *r, str notice,
                    str error)
{
    const struct journal_entry *e = &r->entry;
    struct history_item item = {*e, r->change};
    str what = changes_list_summary(p->f.a, &item);
    struct changes_lines lines;
    bool counted = changes_list_lines(p->f.a, r, &lines);
    uint64_t *chain;
    size_t n_chain;
    bool known = changes_list_chain(frame_vault(&p->f), p->f.a, p->f.asked->user, r,
                                    &chain, &n_chain);
    html_open(p->h, "p", {"class", STR("small")});
    page_link(p->h, &p->f.site, NULL, link_to(p, "", 0), STR("All changes"));
    html_end(p->h);
    html_open(p->h, "div", {"class", STR("top")});
    html_line(p->h, "h1", NULL, what);
    if (may_press_undo(p, e) && n_chain == 0 && known)
        put_undo(p, e->number, what, "small");
    html_end(p->h);
    put_origin(p, e, &r->change, counted ? &lines : NULL, false);
    put_relation(p, "Undoes", e->undoes);
    put_relation(p, "Undone by", e->undone_by);
    page_notice(p->h, notice);
    page_alert(p->h, error);
    put_stale(p);
    if (may_press_undo(p, e) && !known)
        html_line(p->h, "p", "warning",
                  STR("Later changes of the same notes hold it, too many or not all "
                      "yours to be undone together. Undo them first, or edit the notes "
                      "yourself."));
    else if (may_press_undo(p, e) && n_chain > 0)
        put_chain(p, e->number, chain, n_chain);
    else if (error.n > 0 && changes_list_can_undo(e))
        html_line(p->h, "p", NULL,
                  STR("The notes were changed by another program since: edit them "
                      "yourself, or take back what it did first."));
}

static void changes_show_one(struct changes_page *p, uint64_t number, int status,
                             str notice, str error, struct http_response *out)
{
    struct review r;
    struct err err = {0};
    if (!changes_list_review(frame_vault(&p->f), p->f.a, p->f.asked->user, number, &r,
                             &err)) {
        page_answer(p->f.a, err.code == ERR_NOT_FOUND ? 404 : 503,
                    page_error(p->f.a, &p->f.site, STR("This change cannot be shown"),
                               arena_printf(p->f.a, "%s.", err.msg)),
                    out);
        return;
    }
    struct html h = page_begin(
        p->f.a, &p->f.site,
        arena_printf(p->f.a, "Change %llu", (unsigned long long)number), PAGE_WIDE);
    p->h = &h;
    put_top(p, &r, notice, error);
    put_files(p, &r);
    put_page(p, status, out);
}

/* --- undo --- */

static bool waits_for_push(const struct changes_page *p)
{
    return p->f.served->sync.ack == SYNC_ACK_PUSH;
}

/* A worker cannot wait for the remote: the page that is shown next says what it has. */
static void ask_for_push(const struct changes_page *p)
{
    uint64_t ticket;
    struct err err = {0};
    if (waits_for_push(p) && !sync_push(p->f.served->sync.sync, &ticket, &err))
        log_event(LOG_WARN, "not_pushed", LOG_STR("error", str_c(err.msg)));
}

static str undone_notice(const struct changes_page *p)
{
    if (!waits_for_push(p))
        return STR("The change has been undone.");
    return sync_is_pushed(p->f.served->sync.sync)
               ? STR("The change has been undone and pushed to the git remote.")
               : STR("The change has been undone here, but not pushed to the git remote "
                     "yet. Reload this page to check.");
}

/* Undo what the form names first, if it still is what has to be. *stopped: the change that could
 * not be undone; what was undone before it stays so, and says so in the list. */
static bool undo_first(const struct changes_page *p, uint64_t number, uint64_t *stopped,
                       struct err *err)
{
    struct vault *v = frame_vault(&p->f);
    str user = p->f.asked->user, first = form_get(p->f.form, STR("first"));
    struct review r;
    uint64_t *chain;
    size_t n = 0;
    *stopped = number;
    if (first.n == 0)
        return true;
    if (!changes_list_review(v, p->f.a, user, number, &r, err))
        return false;
    if (!changes_list_chain(v, p->f.a, user, &r, &chain, &n) ||
        !str_eq(first, chain_text(p->f.a, chain, n)))
        return err_set(err, ERR_CONFLICT,
                       "the notes were changed again since the page was shown");
    for (size_t i = 0; i < n; i++) {
        *stopped = chain[i];
        if (!changes_list_undo(v, p->f.a, user, chain[i], err))
            return false;
    }
    *stopped = number;
    return true;
}

static void changes_press_undo(struct changes_page *p, uint64_t number,
                               struct http_response *out)
{
    struct err err = {0};
    uint64_t stopped;
    if (!undo_first(p, number, &stopped, &err) ||
        !changes_list_undo(frame_vault(&p->f), p->f.a, p->f.asked->user, number, &err)) {
        changes_show_one(p, stopped, 409, STR(""),
                         arena_printf(p->f.a, "Undo failed: %s.", err.msg), out);
        return;
    }
    ask_for_push(p);
    log_event(LOG_INFO, "web.undo", LOG_STR("user", p->f.asked->user),
              LOG_INT("number", (int64_t)number),
              LOG_STR("first", form_get(p->f.form, STR("first"))),
              LOG_STR("peer", p->f.asked->request->peer));
    str back = link_to(p, "change", number);
    out->status = 303;
    http_add_header(out, STR("Location"),
                    arena_printf(p->f.a, STR_FMT STR_FMT "&done=undone",
                                 STR_ARG(p->f.site.base), STR_ARG(back)));
    page_add_headers(p->f.a, out);
}

/* --- requests --- */

/* 0 if it is missing; false: it is not a number of a change. */
static bool changes_page_read_number(const struct form *form, str name, uint64_t *out)
{
    int64_t n = 0;
    str text = form_get(form, name);
    bool ok = text.n == 0 || (str_to_int(text, &n) && n > 0);
    *out = ok ? (uint64_t)n : 0;
    return ok;
}

static void changes_not_found(const struct changes_page *p, struct http_response *out)
{
    frame_refuse(&p->f, 404, STR("Page not found"),
                 STR("Check the address, or open the list of changes."), out);
}

static void changes_show_closed(struct changes_page *p, const struct err *why,
                                struct http_response *out)
{
    struct html h = page_begin(p->f.a, &p->f.site, STR("Changes"), PAGE_WIDE);
    p->h = &h;
    html_line(p->h, "h1", NULL, STR("Changes"));
    page_alert(p->h,
               arena_printf(p->f.a, "The vault cannot be opened now: %s.", why->msg));
    put_page(p, 503, out);
}

/* Whether the number is that of another replica, where it names another change. An address
 * without a replica is of this one, but nothing is undone by it. */
static bool is_elsewhere(const struct changes_page *p, const struct form *form)
{
    str here = numbered_by(p), at = form_get(form, STR("at"));
    bool may_miss = p->f.asked->form == NULL;
    return here.n > 0 && !str_eq(at, here) && !(may_miss && at.n == 0);
}

/* A proxy asks the next replica after status 404, if nothing was posted. */
static void changes_show_elsewhere(const struct changes_page *p,
                                   struct http_response *out)
{
    page_answer(
        p->f.a, p->f.asked->form != NULL ? 409 : 404,
        page_error(p->f.a, &p->f.site, STR("This change is in another list"),
                   STR("Several replicas share this address, and each has its own list "
                       "of changes. Nothing was undone: open the list of "
                       "changes again.")),
        out);
}

/* The vault is open. */
static void changes_answer(struct changes_page *p, const struct form *form,
                           struct http_response *out)
{
    uint64_t number, before;
    if (!changes_page_read_number(form, STR("change"), &number) ||
        !changes_page_read_number(form, STR("before"), &before) ||
        (p->f.asked->form != NULL && number == 0)) {
        changes_not_found(p, out);
        return;
    }
    bool undone = str_eq(form_get(form, STR("done")), STR("undone"));
    if (is_elsewhere(p, form))
        changes_show_elsewhere(p, out);
    else if (p->f.asked->form != NULL)
        changes_press_undo(p, number, out);
    else if (number > 0)
        changes_show_one(p, number, 200, undone ? undone_notice(p) : STR(""), STR(""),
                         out);
    else
        changes_show_list(p, before, out);
}

void changes_page_answer(void *app, struct arena *a, const struct oauth_asked *asked,
                         struct http_response *out)
{
    struct form query = {0};
    struct changes_page p = {0};
    struct err err;
    bool ok = frame_init(&p.f, app, a, asked, &query);
    frame_offer_vaults(&p.f, CHANGES_PATH);
    if (ok) {
        p.note = form_get(p.f.form, STR("note"));
        p.client = form_get(p.f.form, STR("app"));
        p.days = form_get(p.f.form, STR("days"));
    }
    if (!ok || p.f.served == NULL) {
        changes_not_found(&p, out);
    } else if (!frame_open(&p.f, &err)) {
        changes_show_closed(&p, &err, out);
    } else {
        changes_answer(&p, p.f.form, out);
        frame_close(&p.f);
    }
}
