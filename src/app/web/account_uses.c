#include "app/web/account_uses.h"

#include "app/setup/app.h"
#include "app/setup/audit.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/map.h"
#include "base/os/file.h"
#include "base/rotated_file.h"
#include "base/text.h"
#include "replica/replica.h"
#include "vault/text/visible.h"

/* Files of one kind of an app, in the order in which they were first used. */
struct account_files {
    struct map known;
    struct account_file {
        str path;
        uint64_t last; /* the number of the line that names it last */
    } * items;
    size_t n;
};

struct account_app {
    str client_id, key; /* one of them is empty */
    size_t calls;
    struct account_files read, changed;
};

struct account_count {
    struct arena *a;
    struct arena line;
    str user, since;
    bool several;
    uint64_t n_lines;
    struct account_app *apps;
    size_t n_apps;
};

/* --- the end of the log --- */

static bool account_log_part(struct arena *a, str file, size_t max, str *out, bool *cut)
{
    AUTO_CLOSE int fd = file_open(FILE_CWD, file.p, FILE_FOLLOW);
    struct file_stat stat;
    if (fd < 0 || !file_stat(fd, &stat))
        return false;
    uint64_t size = stat.size > 0 ? (uint64_t)stat.size : 0,
             from = size > max ? size - max : 0;
    char *bytes = ARENA_ARRAY(a, char, size - from + 1);
    *out = (str){bytes, file_read_at(fd, bytes, size - from, from)};
    *cut = from > 0;
    if (from > 0) /* begin with a whole line */
        *out = str_skip(*out, str_find_char(*out, '\n') == STR_NONE
                                  ? out->n
                                  : str_find_char(*out, '\n') + 1);
    return true;
}

/* The latest part of all files, the oldest first. */
static size_t account_log(struct arena *a, const char *file, str **out, bool *cut)
{
    str *files, part;
    size_t n = rotated_list(a, file, AUDIT_OLD_FILES, &files), left = ACCOUNT_AUDIT_BYTES,
           first = n;
    *out = ARENA_ARRAY(a, str, n);
    *cut = false;
    while (first > 0 && !*cut &&
           account_log_part(a, files[first - 1], left, &part, cut)) {
        (*out)[--first] = part;
        left -= part.n < left ? part.n : left;
        *cut = *cut || (left == 0 && first > 0);
    }
    *out += first;
    return n - first;
}

/* --- counting --- */

/* Whether it is the user, or a key of theirs: "anna/phone". */
static bool account_is_of(const struct account_count *c, str user)
{
    return str_eq(user, c->user) ||
           (str_starts(user, c->user) && user.n > c->user.n && user.p[c->user.n] == '/');
}

static struct account_app *account_app(struct account_count *c, const struct json *j)
{
    str user = json_get_str(j, STR("user"));
    bool is_key = !str_eq(user, c->user);
    str id = is_key ? STR("") : json_get_str(j, STR("client_id")),
        key = is_key ? user : STR("");
    for (size_t i = 0; i < c->n_apps; i++)
        if (str_eq(c->apps[i].client_id, id) && str_eq(c->apps[i].key, key))
            return &c->apps[i];
    if (c->n_apps == ACCOUNT_AUDIT_APPS)
        return NULL;
    struct account_app *app = ARRAY_ADD(c->a, c->apps, c->n_apps);
    *app = (struct account_app){.client_id = arena_str(c->a, id),
                                .key = arena_str(c->a, key)};
    return app;
}

static void account_add_file(struct account_count *c, struct account_files *f, str path)
{
    uint32_t at = map_find(&f->known, path);
    f->known.arena = c->a;
    if (at == MAP_NONE && f->n < ACCOUNT_AUDIT_FILES) {
        str kept = arena_str(c->a, path);
        at = map_add(&f->known, kept);
        *ARRAY_ADD(c->a, f->items, f->n) = (struct account_file){.path = kept};
    }
    if (at != MAP_NONE)
        f->items[at].last = c->n_lines;
}

static void account_add_files(struct account_count *c, struct account_files *f,
                              const struct json *j, str key)
{
    const struct json *list = json_get(j, key);
    str vault = json_get_str(j, STR("vault"));
    for (const struct json *p = list != NULL ? list->child : NULL; p != NULL; p = p->next)
        account_add_file(c, f,
                         c->several && vault.n > 0
                             ? arena_printf(&c->line, STR_FMT ": " STR_FMT,
                                            STR_ARG(vault), STR_ARG(p->text))
                             : p->text);
}

static void account_take(struct account_count *c, str line)
{
    const struct json *j;
    struct err ignored;
    c->n_lines++;
    if (str_find(line, c->user) == STR_NONE) /* most need not be parsed */
        return;
    arena_reset(&c->line);
    if (!json_parse(&c->line, line, &j, &ignored) || !json_is(j, JSON_OBJECT) ||
        !str_eq(json_get_str(j, STR("event")), STR("call")) ||
        !account_is_of(c, json_get_str(j, STR("user"))) ||
        str_cmp(json_get_str(j, STR("time")), c->since) < 0)
        return;
    struct account_app *app = account_app(c, j);
    if (app == NULL)
        return;
    app->calls++;
    account_add_files(c, &app->read, j, STR("read"));
    account_add_files(c, &app->changed, j, STR("changed"));
}

/* --- the answer --- */

/* The files that were used last, the latest first. */
static void account_show(struct arena *a, const struct account_files *f,
                         struct oauth_used *out)
{
    out->total = f->n;
    out->more = f->n == ACCOUNT_AUDIT_FILES;
    out->paths = ARENA_ARRAY(a, str, ACCOUNT_AUDIT_SHOWN);
    uint64_t before = UINT64_MAX;
    while (out->n < ACCOUNT_AUDIT_SHOWN && out->n < f->n) {
        uint64_t at = 0; /* the latest line before */
        for (size_t i = 0; i < f->n; i++)
            if (f->items[i].last < before && f->items[i].last > at)
                at = f->items[i].last;
        for (size_t i = 0; i < f->n && at > 0 && out->n < ACCOUNT_AUDIT_SHOWN; i++)
            if (f->items[i].last == at)
                out->paths[out->n++] = visible_text(a, f->items[i].path);
        before = at;
    }
}

static str account_time(struct arena *a, int64_t seconds)
{
    char iso[CLOCK_ISO_SIZE];
    return arena_str(a, clock_iso(seconds, iso));
}

/* What the page says about the list. */
static str account_note(const struct app *app, struct arena *a, str first, bool cut)
{
    enum { DAY = 10 };
    if (cut && first.n >= DAY)
        return arena_printf(a,
                            "Only the latest entries of the audit log, since " STR_FMT
                            "; vaultd audit shows all of them.",
                            STR_ARG(str_slice(first, 0, DAY)));
    return replica_is_shared(&app->replica) ? STR("Of this server; each replica has an "
                                                  "audit log of its own.")
                                            : STR("");
}

static str account_first_time(struct arena *a, str line)
{
    const struct json *j;
    struct err ignored;
    return json_parse(a, line, &j, &ignored) ? json_get_str(j, STR("time")) : STR("");
}

size_t account_uses(void *arg, struct arena *a, str user, struct oauth_uses **out,
                    str *note)
{
    const struct app *app = arg;
    const char *file = audit_file(a, app->settings.audit.to);
    str *parts, line, first = {0};
    bool cut;
    if (file == NULL) {
        *note = app->audit == NULL
                    ? STR("What apps read is not recorded. With --audit FILE, the server "
                          "records it, and it is shown here.")
                    : STR("What apps read is recorded in the journal of the system, and "
                          "not shown here.");
        return 0;
    }
    struct account_count c = {.a = a, .user = user, .several = app_has_several(app)};
    c.since = account_time(a, clock_now() - (int64_t)ACCOUNT_AUDIT_DAYS * 86400);
    size_t n = account_log(a, file, &parts, &cut);
    for (size_t i = 0; i < n; i++)
        while (text_take_line(&parts[i], &line)) {
            if (c.n_lines == 0)
                first = account_first_time(a, line);
            account_take(&c, line);
        }
    *note = account_note(app, a, first, cut && str_cmp(first, c.since) > 0);
    *out = ARENA_ARRAY(a, struct oauth_uses, c.n_apps);
    for (size_t i = 0; i < c.n_apps; i++) {
        struct oauth_uses *u = &(*out)[i];
        *u = (struct oauth_uses){.client_id = c.apps[i].client_id,
                                 .key = c.apps[i].key,
                                 .calls = c.apps[i].calls};
        account_show(a, &c.apps[i].read, &u->read);
        account_show(a, &c.apps[i].changed, &u->changed);
    }
    arena_release(&c.line);
    return c.n_apps;
}
