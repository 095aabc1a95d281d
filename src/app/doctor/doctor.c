#include "app/doctor/doctor.h"

#include <stdio.h>

#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/help_show.h"
#include "app/doctor/checkup.h"
#include "app/doctor/doctor_parts.h"
#include "app/setup/secrets.h"
#include "app/setup/settings.h"
#include "app/setup/vault_config.h"
#include "app/web/serve.h"
#include "base/os/file.h"
#include "base/uri.h"

enum { WRONG_CALL = 2, STEPS_MAX = 40 };

/* The settings of serve come first, so that its table can fill them. */
struct options {
    struct settings settings;
    str connector, ca_file, key_file;
    bool register_, json;
    int colour;
};

static const struct option table[] = {
    OPTION(struct options, connector, OPTION_STR, "connector", NULL, NULL, "URL",
           "The URL that you give to a client, such as https://vault.example.com/mcp"),
    OPTION(struct options, key_file, OPTION_PATH, "key-file", "VAULTD_KEY_FILE", NULL,
           "FILE",
           "A file with an API key or token, to also test calls and event streams "
           "(VAULTD_KEY: the key itself)"),
    OPTION(struct options, register_, OPTION_SWITCH, "register", NULL, "on", NULL,
           "Register as the clients do; --no-register skips this"),
    OPTION(struct options, ca_file, OPTION_PATH, "ca-file", NULL, NULL, "FILE",
           "Certificates to trust instead of the system's (PEM)"),
    CLI_SWITCH(struct options, json, "json", "Print JSON"),
    OPTION(struct options, colour, OPTION_CHOICE, "color", NULL, "auto", "WHEN",
           "Colours: auto, always or never", .choices = cli_colours),
    {0},
};

/* The table of serve, followed by ours. */
static const struct option *whole_table(struct arena *a)
{
    size_t theirs = 0;
    while (settings_table[theirs].flag != NULL)
        theirs++;
    struct option *all = ARENA_ARRAY(a, struct option, theirs + COUNT_OF(table));
    memcpy(all, settings_table, theirs * sizeof(*all));
    memcpy(all + theirs, table, sizeof(table));
    return all;
}

/* --- the steps --- */

static void doctor_run_step(struct doctor *d, struct doctor_step *s)
{
    if (d->unreachable)
        *s = (struct doctor_step){s->probe, STEP_SKIPPED, CAUSE_NONE,
                                  STR("not tried, because the server cannot be reached")};
    else
        s->probe->run(d, s);
}

static size_t run_all(struct doctor *d, struct doctor_step *steps)
{
    size_t n = 0;
    for (const struct doctor_probe *p = doctor_probes; p->id != NULL; p++) {
        if (n == STEPS_MAX)
            BUG("more than %d probes", STEPS_MAX);
        steps[n] = (struct doctor_step){.probe = p};
        doctor_run_step(d, &steps[n++]);
    }
    return n;
}

static size_t doctor_count(const struct doctor_step *steps, size_t n,
                           enum doctor_status status)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += steps[i].status == status;
    return found;
}

/* --- for people --- */

static void print_line(struct term *t, const char *label, str text)
{
    if (text.n == 0)
        return;
    term_printf(t, TERM_FAINT, "    %-9s ", label);
    term_put(t, TERM_PLAIN, text);
    term_put(t, TERM_PLAIN, STR("\n"));
}

static void print_step(struct term *t, const struct doctor_step *s)
{
    static const struct {
        enum term_style style;
        str mark;
    } marks[] = {[STEP_GOOD] = {TERM_GOOD, {"✓ ", 4}},
                 [STEP_BAD] = {TERM_BAD, {"✗ ", 4}},
                 [STEP_SKIPPED] = {TERM_FAINT, {"– ", 4}}};
    term_put(t, marks[s->status].style, marks[s->status].mark);
    term_put(t, TERM_PLAIN, str_c(s->probe->title));
    if (s->status != STEP_BAD) {
        term_put(t, TERM_FAINT, STR(": "));
        term_put(t, TERM_FAINT, s->got);
    }
    term_put(t, TERM_PLAIN, STR("\n"));
    if (s->status != STEP_BAD)
        return;
    const struct doctor_remedy *r = &doctor_remedies[s->cause];
    print_line(t, "expected", str_c(s->probe->expected));
    print_line(t, "got", s->got);
    print_line(t, "why", str_c(r->why));
    print_line(t, "Caddy", str_c(r->caddy));
    print_line(t, "nginx", str_c(r->nginx));
}

/* If the server cannot be reached, skipped steps are not printed. */
static void print_all(const struct doctor *d, int colour, const struct doctor_step *steps,
                      size_t n)
{
    struct term t = term_open(d->arena, FILE_STDOUT, (enum term_colour)colour);
    size_t bad = doctor_count(steps, n, STEP_BAD);
    for (size_t i = 0; i < n; i++)
        if (!d->unreachable || steps[i].status != STEP_SKIPPED)
            print_step(&t, &steps[i]);
    if (d->unreachable)
        term_put(&t, TERM_BAD, STR("The server cannot be reached\n"));
    else if (bad > 0)
        term_printf(&t, TERM_BAD, "%zu of " STR_FMT " failed; fix the first one first\n",
                    bad, STR_ARG(term_count(&t, n, "step", "steps")));
    else
        term_printf(&t, TERM_GOOD, STR_FMT ", none failed\n",
                    STR_ARG(term_count(&t, n, "step", "steps")));
    term_close(&t);
}

/* --- for programs --- */

static void write_step(struct jsonw *w, const struct doctor_step *s)
{
    static const char *const words[] = {
        [STEP_GOOD] = "ok", [STEP_BAD] = "failed", [STEP_SKIPPED] = "skipped"};
    const struct doctor_remedy *r = &doctor_remedies[s->cause];
    jsonw_object(w);
    jsonw_put_str(w, STR("id"), str_c(s->probe->id));
    jsonw_put_str(w, STR("title"), str_c(s->probe->title));
    jsonw_put_str(w, STR("status"), str_c(words[s->status]));
    jsonw_put_str(w, STR("got"), s->got);
    if (s->status == STEP_BAD) {
        jsonw_put_str(w, STR("expected"), str_c(s->probe->expected));
        jsonw_put_str(w, STR("cause"), str_c(r->id));
        jsonw_put_str(w, STR("why"), str_c(r->why));
        jsonw_put_object(w, STR("fix"));
        jsonw_put_text(w, STR("caddy"), str_c(r->caddy));
        jsonw_put_text(w, STR("nginx"), str_c(r->nginx));
        jsonw_end(w);
    }
    jsonw_end(w);
}

static void print_json(const struct doctor *d, const struct doctor_step *steps, size_t n)
{
    struct sbuf out = SBUF_ON(d->arena);
    struct jsonw w = JSONW_ON(&out);
    jsonw_object(&w);
    jsonw_put_str(&w, STR("url"), d->url);
    jsonw_put_bool(&w, STR("ok"), doctor_count(steps, n, STEP_BAD) == 0);
    jsonw_put_array(&w, STR("steps"));
    for (size_t i = 0; i < n; i++)
        write_step(&w, &steps[i]);
    jsonw_end(&w);
    jsonw_end(&w);
    sbuf_char(&out, '\n');
    fwrite(out.p, 1, out.n, stdout);
}

/* --- the command --- */

static bool read_url(str url, struct doctor *d, struct err *err)
{
    struct uri_parts parts;
    if (!uri_split(url, &parts) ||
        (!str_eq(parts.scheme, STR("https")) && !str_eq(parts.scheme, STR("http"))))
        return err_set(err, ERR_INVALID,
                       "usage: vaultd doctor --connector https://NAME/mcp; see vaultd "
                       "doctor --help");
    d->origin = parts.origin;
    d->path = parts.rest.n > 1 ? parts.rest : STR("/mcp");
    if (str_ends(d->path, STR("/")))
        d->path = str_slice(d->path, 0, d->path.n - 1);
    d->url =
        arena_printf(d->arena, STR_FMT STR_FMT, STR_ARG(d->origin), STR_ARG(d->path));
    return true;
}

static bool doctor_prepare(struct doctor *d, const struct options *o, str url,
                           struct err *err)
{
    d->ca_file = o->ca_file.n > 0 ? arena_str(d->arena, o->ca_file).p : NULL;
    d->registers = o->register_;
    return secrets_read(d->arena, "VAULTD_KEY", o->key_file, &d->key, err) &&
           read_url(url, d, err);
}

const struct command_info doctor_info = {
    .name = "doctor",
    .arguments = "[VAULT|--connector URL]",
    .about = "Diagnose problems on this machine, or why clients cannot connect",
    .help =
        "Without a URL: check the vault, the state folder and this machine with the\n"
        "settings of vaultd serve, all of which are accepted, and say how to fix what\n"
        "is wrong.\n\n"
        "With a URL: replay what claude.ai, ChatGPT, Claude Code and the Inspector do\n"
        "to connect, and say what prevents it, with the fix for Caddy and nginx. Run\n"
        "it from outside your network, too.\n\n"
        "  vaultd doctor ~/Notes\n"
        "  vaultd doctor --connector https://vault.example.com/mcp\n",
    .options = table,
};

static void show_doctor_help(struct arena *a)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_printf(&out, "usage: vaultd doctor %s [OPTIONS]\n\n%s\n", doctor_info.arguments,
                doctor_info.help);
    options_help(table, &out);
    help_show(a, sbuf_str(&out));
}

static int examine(struct doctor *d, const struct options *o)
{
    struct doctor_step steps[STEPS_MAX];
    size_t n = run_all(d, steps);
    if (o->json)
        print_json(d, steps, n);
    else
        print_all(d, o->colour, steps, n);
    return doctor_count(steps, n, STEP_BAD) == 0 ? 0 : 1;
}

static int look_here(struct arena *a, int argc, char **argv, struct options *o,
                     const struct option_list *words)
{
    struct err problem = {0};
    struct settings *s = &o->settings;
    struct vault_config vaults = vault_config_of(s);
    bool clear = vault_config_settle(a, &vaults, words, &problem);
    vault_config_apply(&vaults, s);
    bool fine = clear && settings_complete(a, argc, argv, s, &problem) &&
                serve_check(a, s, &problem);
    return checkup_run(a, s, fine ? NULL : &problem,
                       &(struct checkup_how){o->json, (enum term_colour)o->colour});
}

static bool is_url(str word)
{
    return str_find(word, STR("://")) != STR_NONE;
}

int doctor_run(int argc, char **argv)
{
    struct arena a = {0};
    struct doctor d = {.arena = &a};
    struct options o = {0};
    struct option_list words;
    struct err err = {0};
    int code = WRONG_CALL;
    const struct option *whole = whole_table(&a);
    bool ok = settings_parse(&a, whole, argc, argv, &o.settings, &words, &err);
    str url = o.connector;
    if (ok && url.n == 0 && words.n == 1 && is_url(words.items[0]))
        url = words.items[0];
    if (ok && o.settings.help) {
        show_doctor_help(&a);
        code = 0;
    } else if (ok && url.n == 0) {
        code = look_here(&a, argc, argv, &o, &words);
    } else if (ok && doctor_prepare(&d, &o, url, &err)) {
        code = examine(&d, &o);
    } else {
        fprintf(stderr, "vaultd: %s\n", err.msg);
    }
    arena_release(&a);
    return code;
}
