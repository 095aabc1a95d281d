#include "app/web/home_status.h"

#include "app/setup/embedding.h"
#include "app/setup/syncing.h"
#include "app/web/changes_list.h"
#include "app/web/changes_page.h"
#include "app/web/frame.h"
#include "app/web/note_html.h"
#include "base/clock.h"
#include "http/form.h"
#include "oauth/clients.h"
#include "oauth/html.h"
#include "oauth/page.h"
#include "sync/sync.h"
#include "vault/index/index.h"
#include "vault/meaning/meaning.h"
#include "vault/vault.h"

enum { DAY_S = 86400, WEEK = 7, MONDAY = 3 /* days from the one of 1970-01-01 to it */ };

/* --- facts --- */

static void begin_fact(struct html *h, const char *name)
{
    html_open(h, "div");
    html_line(h, "dt", NULL, str_c(name));
    html_open(h, "dd");
}

static void end_fact(struct html *h)
{
    html_end(h);
    html_end(h);
}

static void home_status_put_sync(const struct frame *f, struct html *h)
{
    struct sync_state s;
    if (!syncing_is_on(&f->served->sync))
        return;
    sync_state(f->served->sync.sync, f->a, &s);
    begin_fact(h, "Sync");
    if (s.running_since > 0)
        html_text(h, STR("going on now"));
    else if (s.last_success == 0)
        html_text(h, STR("not synced yet"));
    else
        html_text(h, STR("last synced "));
    if (s.running_since == 0 && s.last_success > 0)
        page_time(h, s.last_success);
    if (s.waiting > 0)
        html_text(h, arena_printf(f->a, " · %zu change%s to push", s.waiting,
                                  s.waiting == 1 ? "" : "s"));
    end_fact(h);
}

static void put_meaning(const struct frame *f, struct html *h, struct vault *v)
{
    struct meaning *m = vault_meaning(v);
    begin_fact(h, "Search by meaning");
    if (m == NULL) {
        html_text(h, STR("off; on the server, vaultd model install adds it"));
    } else {
        const struct index *x = vault_lock(v);
        struct meaning_state s = meaning_state(m, x, f->a);
        str line = embedding_line(f->a, &s);
        vault_unlock(v);
        html_text(h, line);
    }
    end_fact(h);
}

void home_status_put_facts(struct frame *f, struct html *h, struct vault *v)
{
    home_status_put_sync(f, h);
    put_meaning(f, h, v);
    begin_fact(h, "Running since");
    page_time(h, clock_now() - (int64_t)((clock_ms() - f->app->started) / 1000));
    end_fact(h);
}

/* --- problems --- */

static void put_conflict(const struct frame *f, struct html *h, str path)
{
    const struct note_html to = {
        .a = f->a, .site = &f->site, .query = frame_path(f, STR(""), STR(""))};
    bool reads = f->app->settings.reader == READER_ON;
    html_open(h, "li");
    html_open(h, reads ? "a" : "bdi",
              {reads ? "href" : NULL, note_html_address(&to, path)});
    html_text(h, path);
    html_end(h);
    html_end(h);
}

static void put_conflicts(const struct frame *f, struct html *h, struct vault *v,
                          const struct sync_state *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_conflicts && n < HOME_CONFLICTS; i++) {
        const struct sync_conflict *c = &s->conflicts[i];
        if (c->sibling.n == 0 || !vault_may_read(v, c->path) ||
            !vault_may_read(v, c->sibling))
            continue;
        if (n++ == 0) {
            html_line(
                h, "p", "warning",
                STR("Two versions of a note could not be merged. Both are kept: move "
                    "what you want into one of them, and delete the other."));
            html_open(h, "ul", {"class", STR("small")});
        }
        put_conflict(f, h, c->sibling);
    }
    if (n > 0)
        html_end(h);
}

void home_status_put_problems(struct frame *f, struct html *h, struct vault *v)
{
    struct sync_state s;
    if (!syncing_is_on(&f->served->sync))
        return;
    sync_state(f->served->sync.sync, f->a, &s);
    if (s.last_error.n > 0)
        page_alert(
            h, vault_may_read_all(v)
                   ? arena_printf(f->a,
                                  "Sync fails: " STR_FMT ". Changes are kept here and "
                                  "pushed later. On the server, vaultd sync status "
                                  "says more.",
                                  STR_ARG(s.last_error))
                   : STR(SYNCING_FAILED));
    put_conflicts(f, h, v, &s);
}

/* --- activity --- */

struct home_app {
    str name;
    size_t changes;
    int64_t last;
};

struct home_activity {
    size_t days[HOME_WEEKS * WEEK]; /* from the Monday of the first week */
    int64_t first, today;           /* days since 1970 */
    size_t changes;
    struct home_app apps[HOME_APPS];
    size_t n_apps;
    const struct history_item *latest;
    size_t n_latest;
};

static void count_app(struct home_activity *t, str name, int64_t time)
{
    size_t i = 0;
    while (i < t->n_apps && !str_eq(t->apps[i].name, name))
        i++;
    if (name.n == 0 || i == HOME_APPS)
        return;
    if (i == t->n_apps)
        t->apps[t->n_apps++] = (struct home_app){.name = name, .last = time};
    t->apps[i].changes++;
}

static bool read_activity(const struct frame *f, struct vault *v, int64_t now,
                          struct home_activity *t)
{
    struct changes_list listed;
    struct err ignored; /* without a journal, there is nothing to show */
    *t = (struct home_activity){.today = now / DAY_S};
    int64_t monday = t->today - (t->today + MONDAY) % WEEK;
    t->first = monday - (HOME_WEEKS - 1) * WEEK;
    const struct changes_question q = {
        .user = f->asked->user, .max = HOME_CHANGES, .from = t->first * DAY_S};
    if (!changes_list_find(v, f->a, &q, &listed, &ignored))
        return false;
    for (size_t i = 0; i < listed.n; i++) {
        const struct history_item *item = &listed.items[i];
        int64_t day = item->entry.time / DAY_S - t->first;
        if (day < 0 || day >= HOME_WEEKS * WEEK)
            continue;
        t->days[day]++;
        t->changes++;
        count_app(t, clients_clean_name(f->a, item->change.client), item->entry.time);
    }
    t->latest = listed.items;
    t->n_latest = listed.n < HOME_LATEST ? listed.n : HOME_LATEST;
    return true;
}

static int shade_of(size_t changes)
{
    return changes == 0 ? 0 : changes == 1 ? 1 : changes < 4 ? 2 : changes < 10 ? 3 : 4;
}

static void put_day(const struct frame *f, struct html *h, int64_t day, size_t changes)
{
    char iso[CLOCK_ISO_SIZE];
    str date = str_slice(clock_iso(day * DAY_S, iso), 0, 10);
    html_open(h, "i", {"class", arena_printf(f->a, "c%d", shade_of(changes))},
              {"title", arena_printf(f->a, STR_FMT ": %zu change%s", STR_ARG(date),
                                     changes, changes == 1 ? "" : "s")});
    html_end(h);
}

static void put_calendar(const struct frame *f, struct html *h,
                         const struct home_activity *t)
{
    str about = arena_printf(f->a, "%zu change%s in the last %d weeks", t->changes,
                             t->changes == 1 ? "" : "s", HOME_WEEKS);
    html_line(h, "p", "soft small", about);
    html_open(h, "div", {"class", STR("calendar")}, {"role", STR("img")},
              {"aria-label", about});
    for (int64_t day = t->first; day <= t->today; day++)
        put_day(f, h, day, t->days[day - t->first]);
    html_end(h);
}

static void put_app(const struct frame *f, struct html *h, const struct home_app *app)
{
    html_open(h, "li");
    html_open(h, "div", {"class", STR("body")});
    html_open(h, "h3", {"class", STR("item")});
    page_link(h, &f->site, NULL,
              frame_path(f, STR(CHANGES_PATH),
                         arena_printf(f->a, "?app=" STR_FMT,
                                      STR_ARG(form_encode(f->a, app->name)))),
              app->name);
    html_end(h);
    html_open(h, "p", {"class", STR("soft small")});
    html_text(h, arena_printf(f->a, "%zu change%s · last ", app->changes,
                              app->changes == 1 ? "" : "s"));
    page_time(h, app->last);
    html_end(h);
    html_end(h);
    html_end(h);
}

static void put_latest(const struct frame *f, struct html *h,
                       const struct history_item *item)
{
    html_open(h, "li");
    page_glyph(h, changes_list_glyph(f->a, item));
    html_open(h, "div", {"class", STR("body")});
    html_open(h, "h3", {"class", STR("item")});
    page_link(h, &f->site, NULL, changes_page_link(f, "change", item->entry.number),
              changes_list_summary(f->a, item));
    html_end(h);
    html_open(h, "p", {"class", STR("soft small")});
    page_time(h, item->entry.time);
    str app = clients_clean_name(f->a, item->change.client);
    if (app.n > 0) {
        html_text(h, STR(" · "));
        html_line(h, "bdi", NULL, app);
    }
    html_end(h);
    html_end(h);
    html_end(h);
}

const struct home_activity *home_status_read(struct frame *f, struct vault *v)
{
    struct home_activity *t = arena_alloc(f->a, sizeof(*t));
    return read_activity(f, v, clock_now(), t) ? t : NULL;
}

void home_status_put_done(struct frame *f, struct html *h, const struct home_activity *t)
{
    html_line(h, "h2", NULL, STR("Activity"));
    put_calendar(f, h, t);
    if (t->n_latest == 0)
        return;
    html_line(h, "h2", NULL, STR("Latest changes"));
    html_open(h, "ul", {"class", STR("rows")});
    for (size_t i = 0; i < t->n_latest; i++)
        put_latest(f, h, &t->latest[i]);
    html_end(h);
}

void home_status_put_apps(struct frame *f, struct html *h, const struct home_activity *t)
{
    if (t->n_apps == 0)
        return;
    html_line(h, "h2", NULL, STR("Apps that changed notes"));
    html_open(h, "ul", {"class", STR("rows")});
    for (size_t i = 0; i < t->n_apps; i++)
        put_app(f, h, &t->apps[i]);
    html_end(h);
}
