/* audit: reads what serve --audit has written (app/setup/audit.h). */
#include "app/setup/audit.h"

#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/os/file.h"
#include "base/rotated_file.h"
#include "base/sort.h"
#include "base/utf8.h"

enum {
    AUDIT_APPS_MAX = 1000,     /* of a summary; further ones are counted together */
    AUDIT_READ_SIZE = 1 << 20, /* bytes at a time */
    AUDIT_LONGEST = 1 << 20,   /* a line that is longer is not one of ours */
};

struct options {
    struct cli_common common;
    str audit, since, user, client, tool, path;
    int64_t limit;
    bool summary;
};

static const struct option table[] = {
    OPTION(struct options, audit, OPTION_STR, "audit", "AUDIT", NULL, "FILE",
           "The file of vaultd serve --audit; -: lines from stdin, such as those of "
           "journalctl -t " AUDIT_JOURNAL " -o cat"),
    OPTION(struct options, since, OPTION_STR, "since", NULL, NULL, "WHEN",
           "Only from then on: YYYY-MM-DD, today, yesterday, or so long ago, such as 24h "
           "or 7d"),
    OPTION(struct options, user, OPTION_STR, "user", NULL, NULL, "NAME",
           "Only this user"),
    OPTION(struct options, client, OPTION_STR, "client", NULL, NULL, "NAME",
           "Only clients whose name contains this"),
    OPTION(struct options, tool, OPTION_STR, "tool", NULL, NULL, "NAME",
           "Only this tool, prompt or resource"),
    OPTION(struct options, path, OPTION_STR, "path", NULL, NULL, "PATH",
           "Only calls that read or changed this file, or something in this folder"),
    OPTION(struct options, limit, OPTION_INT, "limit", NULL, "50", "COUNT",
           "How many to show, the latest", .min = 1, .max = 1000000, .letter = 'n'),
    CLI_SWITCH(struct options, summary, "summary", "Count by app instead"),
    CLI_OUTPUT(.heading = "Output"),
};

struct audit_app {
    str user, name;
    size_t calls, failed, read, changed;
    int64_t bytes;
    str first, last; /* times */
};

struct audit_reader {
    struct cli *c;
    const struct options *o;
    str since;         /* as lines have it; empty: all */
    struct arena line; /* of one line */
    str *kept;         /* a ring of o->limit lines, on the heap */
    size_t found, damaged;
    bool torn;
    struct map known;
    struct audit_app *apps;
    size_t n_apps;
};

/* --- filters --- */

static bool audit_lists(const struct json *list, str path)
{
    for (const struct json *j = list != NULL ? list->child : NULL; j != NULL; j = j->next)
        if (str_eq(j->text, path) ||
            (str_starts(j->text, path) && j->text.n > path.n &&
             (str_ends(path, STR("/")) || j->text.p[path.n] == '/')))
            return true;
    return false;
}

static bool audit_has(str text, str part)
{
    return part.n == 0 || (text.n > 0 && str_find(text, part) != STR_NONE);
}

static bool audit_is(str text, str wanted)
{
    return wanted.n == 0 || str_eq(text, wanted);
}

static bool audit_fits(const struct audit_reader *r, const struct json *j)
{
    const struct options *o = r->o;
    str time = json_get_str(j, STR("time"));
    return (r->since.n == 0 || str_cmp(time, r->since) >= 0) &&
           audit_is(json_get_str(j, STR("user")), o->user) &&
           (audit_has(json_get_str(j, STR("client")), o->client) ||
            audit_has(json_get_str(j, STR("program")), o->client)) &&
           audit_is(json_get_str(j, STR("name")), o->tool) &&
           (o->path.n == 0 || audit_lists(json_get(j, STR("read")), o->path) ||
            audit_lists(json_get(j, STR("changed")), o->path));
}

/* Whether the line may have this text in it. In JSON, some characters are written in another way. */
static bool audit_may_have(str line, str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '"' || text.p[i] == '\\' || text.p[i] < ' ' || text.p[i] > '~')
            return true;
    return audit_has(line, text);
}

/* A line that fits has each of these in it, so most need not be parsed. */
static bool audit_may_fit(const struct audit_reader *r, str line)
{
    return audit_may_have(line, r->o->user) && audit_may_have(line, r->o->tool);
}

/* --- what is kept --- */

static size_t count_listed(const struct json *j, str key, str more)
{
    const struct json *list = json_get(j, key);
    int64_t n = 0;
    json_int(json_get(j, more), &n);
    return (list != NULL ? list->n : 0) + (size_t)(n > 0 ? n : 0);
}

static struct audit_app *app_named(struct audit_reader *r, str user, str name)
{
    struct arena *a = r->c->arena;
    str key = arena_printf(a, STR_FMT "\n" STR_FMT, STR_ARG(user), STR_ARG(name));
    uint32_t at = map_find(&r->known, key);
    if (at != MAP_NONE)
        return &r->apps[at];
    if (r->n_apps >= AUDIT_APPS_MAX)
        return &r->apps[AUDIT_APPS_MAX];
    (void)map_add(&r->known, key);
    struct audit_app *app = &r->apps[r->n_apps++];
    app->user = arena_str(a, user);
    app->name = arena_str(a, name);
    return app;
}

static void count_app(struct audit_reader *r, const struct json *j)
{
    str name = json_get_str(j, STR("client")), time = json_get_str(j, STR("time"));
    int64_t bytes = 0;
    if (!str_eq(json_get_str(j, STR("event")), STR("call")))
        return;
    struct audit_app *app =
        app_named(r, json_get_str(j, STR("user")),
                  name.n > 0 ? name : json_get_str(j, STR("program")));
    json_int(json_get(j, STR("bytes_out")), &bytes);
    app->calls++;
    app->failed += !str_eq(json_get_str(j, STR("outcome")), STR("ok"));
    app->read += count_listed(j, STR("read"), STR("read_more"));
    app->changed += count_listed(j, STR("changed"), STR("changed_more"));
    app->bytes += bytes;
    if (app->first.n == 0 || str_cmp(time, app->first) < 0)
        app->first = arena_str(r->c->arena, time);
    if (str_cmp(time, app->last) > 0)
        app->last = arena_str(r->c->arena, time);
}

static void keep_line(struct audit_reader *r, str line)
{
    str *place = &r->kept[r->found++ % (size_t)r->o->limit];
    free((char *)place->p);
    *place = (str){mem_str(line), line.n};
}

static void audit_take(struct audit_reader *r, str line)
{
    const struct json *j;
    struct err ignored;
    if (line.n == 0 || !audit_may_fit(r, line))
        return;
    arena_reset(&r->line);
    if (!json_parse(&r->line, line, &j, &ignored) || !json_is(j, JSON_OBJECT)) {
        r->damaged++;
        return;
    }
    if (!audit_fits(r, j))
        return;
    if (r->o->summary)
        count_app(r, j);
    else
        keep_line(r, line);
}

/* --- files --- */

/* All whole lines; the rest is moved to the beginning of the buffer. */
static size_t take_lines(struct audit_reader *r, char *bytes, size_t n)
{
    str rest = {bytes, n};
    for (size_t end; (end = str_find_char(rest, '\n')) != STR_NONE;) {
        audit_take(r, str_slice(rest, 0, end));
        rest = str_skip(rest, end + 1);
    }
    if (rest.n >= AUDIT_LONGEST) {
        r->damaged++;
        rest.n = 0;
    }
    memmove(bytes, rest.p, rest.n);
    return rest.n;
}

static bool audit_read_from(struct audit_reader *r, int fd, struct err *err)
{
    char *bytes = mem_alloc(AUDIT_LONGEST + AUDIT_READ_SIZE);
    size_t n = 0, got = 1;
    bool ok = true;
    while (ok && got > 0) {
        ok = file_read(fd, bytes + n, AUDIT_READ_SIZE, &got) ||
             err_sys(err, "the audit log cannot be read");
        n = ok ? take_lines(r, bytes, n + got) : n;
    }
    r->torn = r->torn || n > 0;
    free(bytes);
    return ok;
}

static bool audit_read_file(struct audit_reader *r, str file, struct err *err)
{
    AUTO_CLOSE int fd = file_open_stream(file.p);
    return fd >= 0 ? audit_read_from(r, fd, err)
                   : err_sys(err, "'" STR_FMT "' cannot be read", STR_ARG(file));
}

static bool audit_read_all(struct audit_reader *r, struct err *err)
{
    struct arena *a = r->c->arena;
    str *files;
    if (str_eq(r->o->audit, STR("-")))
        return audit_read_from(r, FILE_STDIN, err);
    const char *file = audit_file(a, r->o->audit);
    if (file == NULL)
        return err_set(err, ERR_INVALID,
                       "no audit log is named: give --audit FILE, as for vaultd serve, "
                       "or journalctl -t " AUDIT_JOURNAL
                       " -o cat | vaultd audit --audit -");
    size_t n = rotated_list(a, file, AUDIT_OLD_FILES, &files);
    if (n == 0)
        return err_set(err, ERR_NOT_FOUND, "there is no audit log at '%s'", file);
    for (size_t i = 0; i < n; i++)
        if (!audit_read_file(r, files[i], err))
            return false;
    return true;
}

/* --- since when --- */

static bool read_since(struct audit_reader *r, struct err *err)
{
    char iso[CLOCK_ISO_SIZE];
    int64_t from;
    str text = r->o->since;
    if (text.n == 0)
        return true;
    if (!cli_since(r->c->arena, text, clock_now(), &from))
        return err_set(
            err, ERR_INVALID,
            "--since: '" STR_FMT
            "' is neither a date (YYYY-MM-DD, today, yesterday) nor a time such "
            "as 24h or 7d",
            STR_ARG(utf8_cut(text, 80)));
    str all = clock_iso(from, iso);
    r->since = arena_str(r->c->arena, str_slice(all, 0, all.n - 1)); /* without Z */
    return true;
}

/* --- output --- */

/* Nothing in a line moves the reader's terminal, or hides something on it. */
static str audit_visible(struct arena *a, str text)
{
    struct sbuf out = SBUF_ON(a);
    size_t n;
    for (; text.n > 0; text = str_skip(text, n)) {
        uint32_t c = utf8_decode(text, &n);
        if (log_must_escape(c))
            sbuf_printf(&out, "\\u%04x", (unsigned)(c & 0xFFFF));
        else
            sbuf_add(&out, str_slice(text, 0, n));
    }
    return sbuf_str(&out);
}

static void print_paths(struct term *t, struct arena *a, const struct json *j,
                        const char *what, str key, str key_more)
{
    enum { SHOWN = 3 };
    const struct json *list = json_get(j, key);
    size_t all = count_listed(j, key, key_more), shown = 0;
    if (all == 0)
        return;
    term_printf(t, TERM_FAINT, "  %s ", what);
    for (const struct json *p = list != NULL ? list->child : NULL;
         p != NULL && shown < SHOWN; p = p->next, shown++) {
        term_put(t, TERM_PLAIN, shown > 0 ? STR(", ") : STR(""));
        term_put(t, TERM_PATH, audit_visible(a, p->text));
    }
    if (all > shown)
        term_printf(t, TERM_FAINT, " and %zu more", all - shown);
}

static void audit_print(struct audit_reader *r, str line)
{
    struct term *t = &r->c->out;
    const struct json *j;
    struct err ignored;
    arena_reset(&r->line);
    if (!json_parse(&r->line, line, &j, &ignored))
        return;
    str event = json_get_str(j, STR("event")), name = json_get_str(j, STR("name"));
    str client = json_get_str(j, STR("client")), user = json_get_str(j, STR("user"));
    str outcome = json_get_str(j, STR("outcome"));
    client = client.n > 0 ? client : json_get_str(j, STR("program"));
    term_left(t, TERM_FAINT,
              audit_visible(&r->line, term_when_iso(t, json_get_str(j, STR("time")))),
              TERM_WHEN);
    term_printf(t, TERM_PLAIN, "  " STR_FMT "%s" STR_FMT "  ",
                STR_ARG(audit_visible(&r->line, user)), user.n > 0 ? " " : "",
                STR_ARG(audit_visible(&r->line, client)));
    term_put(t, TERM_STRONG,
             audit_visible(&r->line, str_eq(event, STR("call")) ? name : event));
    print_paths(t, &r->line, j, "read", STR("read"), STR("read_more"));
    print_paths(t, &r->line, j, "changed", STR("changed"), STR("changed_more"));
    if (outcome.n > 0 && !str_eq(outcome, STR("ok")))
        term_printf(t, TERM_BAD, "  " STR_FMT, STR_ARG(audit_visible(&r->line, outcome)));
    term_put(t, TERM_PLAIN, STR("\n"));
}

static int more_calls(const void *a, const void *b)
{
    size_t x = ((const struct audit_app *)a)->calls,
           y = ((const struct audit_app *)b)->calls;
    return (x < y) - (x > y);
}

static void put_app(struct cli *c, const struct audit_app *app)
{
    struct cli_json j;
    struct jsonw *w = cli_json_begin(c, &j);
    jsonw_object(w);
    jsonw_put_text(w, STR("user"), app->user);
    jsonw_put_str(w, STR("client"), app->name);
    jsonw_put_int(w, STR("calls"), (int64_t)app->calls);
    jsonw_put_int(w, STR("failed"), (int64_t)app->failed);
    jsonw_put_int(w, STR("read"), (int64_t)app->read);
    jsonw_put_int(w, STR("changed"), (int64_t)app->changed);
    jsonw_put_int(w, STR("bytes_out"), app->bytes);
    jsonw_put_str(w, STR("first"), app->first);
    jsonw_put_str(w, STR("last"), app->last);
    jsonw_end(w);
    cli_json_print(c, &j);
}

static void print_app(struct cli *c, const struct audit_app *app)
{
    str name = app->name.n > 0 ? app->name : STR("(no name)");
    term_put(&c->out, TERM_STRONG, audit_visible(c->arena, name));
    if (app->user.n > 0)
        term_printf(&c->out, TERM_PLAIN, " for " STR_FMT,
                    STR_ARG(audit_visible(c->arena, app->user)));
    term_put(&c->out, TERM_PLAIN, STR("\n"));
    term_printf(&c->out, TERM_PLAIN,
                "  %zu calls (%zu not ok), %zu files read, %zu changed, " STR_FMT
                " answered, last " STR_FMT "\n",
                app->calls, app->failed, app->read, app->changed,
                STR_ARG(term_size(c->arena, app->bytes)),
                STR_ARG(term_when_iso(&c->out, app->last)));
}

static void print_summary(struct audit_reader *r)
{
    struct audit_app *others = &r->apps[AUDIT_APPS_MAX];
    if (r->n_apps > 1)
        sort_items(r->apps, r->n_apps, sizeof(*r->apps), more_calls);
    others->name = STR("(further apps)");
    for (size_t i = 0; i < r->n_apps; i++)
        (r->c->json ? put_app : print_app)(r->c, &r->apps[i]);
    if (others->calls > 0)
        (r->c->json ? put_app : print_app)(r->c, others);
}

static void print_kept(struct audit_reader *r)
{
    size_t limit = (size_t)r->o->limit, from = r->found > limit ? r->found - limit : 0;
    for (size_t i = from; i < r->found; i++)
        if (r->c->json)
            term_json(&r->c->out, arena_printf(r->c->arena, STR_FMT "\n",
                                               STR_ARG(r->kept[i % limit])));
        else
            audit_print(r, r->kept[i % limit]);
}

static void print_remarks(struct audit_reader *r)
{
    size_t limit = (size_t)r->o->limit;
    if (!r->o->summary && r->found > limit)
        term_printf(&r->c->notes, TERM_FAINT,
                    "the latest %zu of %zu: --limit shows more\n", limit, r->found);
    if (r->damaged > 0)
        term_printf(&r->c->notes, TERM_WARN, "%zu damaged lines were skipped\n",
                    r->damaged);
    if (r->torn)
        term_printf(&r->c->notes, TERM_WARN,
                    "the last line is incomplete, and was skipped: it is being written, "
                    "or a server was stopped while it wrote\n");
}

static bool cli_audit_run(struct cli *c, const void *options, struct err *err)
{
    struct audit_reader r = {.c = c, .o = options, .known = {.arena = c->arena}};
    r.kept = mem_zero(size_mul((size_t)r.o->limit, sizeof(*r.kept)));
    r.apps = ARENA_ARRAY(c->arena, struct audit_app, AUDIT_APPS_MAX + 1);
    memset(r.apps, 0, (AUDIT_APPS_MAX + 1) * sizeof(*r.apps));
    bool ok = read_since(&r, err) && audit_read_all(&r, err);
    if (ok) {
        if (r.o->summary)
            print_summary(&r);
        else
            print_kept(&r);
        print_remarks(&r);
        c->status = r.found + r.n_apps == 0;
    }
    for (size_t i = 0; i < (size_t)r.o->limit; i++)
        free((char *)r.kept[i].p);
    free(r.kept);
    arena_release(&r.line);
    return ok;
}

const struct cli_verb cli_audit = {
    .name = "audit",
    .arguments = "",
    .about = "Show what clients read and changed, from the log of vaultd serve --audit",
    .help = "  vaultd audit --audit ~/audit/vaultd.jsonl            the latest 50 calls\n"
            "  vaultd audit --since 7d --client claude --path Diary\n"
            "  vaultd audit --summary --since 2026-11-01            counts by app\n"
            "  vaultd audit --json --tool vault_read                lines as they are\n\n"
            "AUDIT can name the file. It has names, paths and sizes, never contents.\n",
    .options = table,
    .options_size = sizeof(struct options),
    .no_vault = true,
    .run = cli_audit_run,
};
