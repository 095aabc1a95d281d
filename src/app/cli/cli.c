#include "app/cli/cli.h"

#include <errno.h>
#include <stdio.h>

#include "app/answers/answer.h"
#include "app/answers/term.h"
#include "app/cli/help_show.h"
#include "app/cli/pick.h"
#include "app/cli/progress.h"
#include "app/setup/app.h"
#include "app/setup/embedding.h"
#include "app/setup/endpoint.h"
#include "app/setup/pdf_pages.h"
#include "app/setup/secrets.h"
#include "app/setup/settings.h"
#include "app/setup/vault_config.h"
#include "app/setup/vault_state.h"
#include "base/clock.h"
#include "base/log.h"
#include "pdf/pdf_cache.h"
#include "vault/ask/find.h"
#include "vault/index/tags.h"
#include "vault/text/moment.h"
#include "vault/vault.h"

const char *const cli_colours[] = {"auto", "always", "never", NULL};

const struct option cli_common_options[] = {CLI_EMBEDDINGS, CLI_COMMON};

enum { FAILED = 1, WRONG_CALL = 2, QUEUE_MAX = 256 };

/* --- which vault --- */

struct vault_config cli_vault_config(const struct cli_common *o)
{
    return (struct vault_config){.path = o->vault_path,
                                 .named = o->vaults,
                                 .dir = o->vaults_dir,
                                 .state_dir = o->state_dir,
                                 .state_db = o->state_db,
                                 .state_db_file = o->state_db_file};
}

str cli_default_vault(struct arena *a)
{
    static const struct option_list no_words = {0};
    char program[] = "vaultd", *argv[] = {program, NULL};
    struct cli_common o = {0};
    struct option_list words;
    struct err ignored;
    if (!options_parse(a, cli_common_options, 1, argv, &o, &words, &ignored))
        return STR("");
    struct vault_config config = cli_vault_config(&o);
    config.from = options_group_source(cli_common_options, OPTION_GROUP_VAULTS, 1, argv);
    return vault_config_settle(a, &config, &no_words, &ignored)
               ? vault_config_words(a, &config)
               : STR("");
}

static bool no_vault(bool hosted, struct err *err)
{
    return hosted ? err_set(err, ERR_INVALID,
                            "several vaults: choose one with --vault NAME (vaultd vault "
                            "list shows them)")
                  : err_set(
                        err, ERR_INVALID,
                        "no vault: give --vault-path FOLDER, set VAULT_PATH, change into "
                        "a vault's folder, one with " VAULT_CONFIG
                        ", or choose a default vault with vaultd init");
}

/* --vault NAME means one of those with names, so VAULT_PATH is replaced, too. */
static bool choose_named(struct cli *c, struct vault_config *config, str name,
                         struct configured_vault *out, struct err *err)
{
    if (options_source(c->verb->options, "vault-path", c->argc, c->argv) ==
        OPTION_BY_FLAG)
        return err_set(err, ERR_INVALID,
                       "give --vault NAME or --vault-path FOLDER, not both");
    return vault_config_add_default(c->arena, config, err) &&
           vault_config_find(c->arena, config, name, out, err);
}

/* Of several, the one that contains the current folder; NULL: none. */
static const struct configured_vault *vault_here(struct cli *c,
                                                 const struct configured_vaults *list)
{
    str here = vault_config_real(c->arena, STR("."));
    for (size_t i = 0; i < list->n; i++)
        if (vault_config_is_in(here, vault_config_real(c->arena, list->items[i].folder)))
            return &list->items[i];
    return NULL;
}

/* Without --vault; or c->all is set. */
static bool choose_default(struct cli *c, struct vault_config *config,
                           struct configured_vault *out, struct err *err)
{
    static const struct option_list no_words = {0};
    struct configured_vaults list;
    if (!vault_config_settle(c->arena, config, &no_words, err) ||
        !vault_config_read(c->arena, config, &list, err))
        return false;
    bool hosted = config->dir.n > 0;
    const struct configured_vault *here =
        config->path.n == 0 ? vault_here(c, &list) : NULL;
    c->all = hosted && here == NULL && c->verb->takes_all;
    if (c->all)
        return true;
    if (list.n == 0 || (hosted && here == NULL))
        return no_vault(hosted, err);
    *out = here != NULL ? *here : list.items[0];
    return true;
}

static bool choose_all(struct cli *c, struct vault_config *config, struct err *err)
{
    c->all = true;
    if (!c->verb->takes_all)
        return err_set(err, ERR_INVALID,
                       "vaultd %s works on one vault: choose it with --vault",
                       c->verb->name);
    if (!vault_config_add_default(c->arena, config, err))
        return false;
    return config->dir.n > 0 || config->named.n > 0 ||
           err_set(err, ERR_INVALID,
                   "--vault needs named vaults: give --vaults or --vaults-dir");
}

/* The folder of the vault; or c->all is set. */
bool cli_choose_folder(struct cli *c, const struct cli_common *o, str *out,
                       struct err *err)
{
    struct vault_config config = cli_vault_config(o);
    struct configured_vault found = {0};
    config.from =
        options_group_source(c->verb->options, OPTION_GROUP_VAULTS, c->argc, c->argv);
    bool ok = str_eq(o->vault, STR(APP_ALL_VAULTS)) ? choose_all(c, &config, err)
              : o->vault.n > 0 ? choose_named(c, &config, o->vault, &found, err)
                               : choose_default(c, &config, &found, err);
    *out = found.folder;
    c->vaults = config;
    c->remote = found.remote;
    c->identity = found.identity;
    return ok;
}

static bool open_vault(struct cli *c, const struct cli_verb *verb,
                       const struct cli_common *o, struct err *err)
{
    str folder = STR("");
    if (!cli_choose_folder(c, o, &folder, err))
        return false;
    const char *path = arena_str(c->arena, folder).p;
    return (verb->prepare == NULL || verb->prepare(c, o, path, err)) &&
           (c->all || vault_open(path, &c->vault, err));
}

void cli_lock(struct cli *c)
{
    c->index = vault_lock(c->vault);
}

/* Vectors of different vaults are not compared. */
enum cli_meaning cli_recalls(const struct cli *c)
{
    return c->all ? CLI_NO_MEANING : CLI_RECALLS;
}

static bool cli_set_meaning(struct cli *c, const struct cli_common *o, str state,
                            struct vault_options *options, struct err *err)
{
    enum cli_meaning what =
        c->verb->meaning != NULL ? c->verb->meaning(c) : CLI_NO_MEANING;
    struct settings_embeddings s = o->embeddings;
    if (what == CLI_NO_MEANING)
        return true;
    if (!secrets_read(c->arena, "EMBEDDINGS_KEY", s.key_file, &s.key, err) ||
        !endpoint_check(&s, err) ||
        !embedding_open(&c->embedding, c->arena, &s, state, err))
        return false;
    embedding_set(&c->embedding, options);
    options->recall = what == CLI_RECALLS;
    return true;
}

static bool load_vault(struct cli *c, const struct cli_verb *verb,
                       const struct cli_common *o, struct err *err)
{
    str state = settings_state_dir(c->arena, o->state_dir);
    struct access access;
    if (!settings_access(c->arena, &o->access, &access, err))
        return false;
    struct vault_options options = {.pool = c->pool,
                                    .state_dir = state.p,
                                    .access = &access,
                                    .policy_property = settings_policy(&o->access),
                                    .history_max = o->history_size << 20,
                                    .journal = verb->prepare != NULL};
    if (o->pdf == PDF_ON && c->pdf == NULL)
        c->pdf = pdf_pages_open(state.p);
    if (verb->pdf_ms > 0 && c->pdf != NULL)
        pdf_pages_set(&options, c->pdf);
    options.no_pages = verb->pdf_ms > 0 && c->pdf == NULL;
    if (!cli_set_meaning(c, o, state, &options, err))
        return false;
    str folder = str_c(vault_folder(c->vault));
    vault_set_state_key(c->vault,
                        vault_state_key(c->arena, state.p, folder, c->identity));
    vault_start(c->vault, &options);
    if (!progress_wait(c->vault, verb->wait_ms, err))
        return false;
    vault_wait_paged(c->vault, verb->pdf_ms);
    if (!verb->changes)
        cli_lock(c);
    return true;
}

void cli_unlock(struct cli *c)
{
    if (c->index != NULL)
        vault_unlock(c->vault);
    c->index = NULL;
}

bool cli_open_vault(struct cli *c, const struct cli_common *o,
                    const struct configured_vault *entry, struct err *err)
{
    c->identity = entry->identity;
    return vault_open(arena_str(c->arena, entry->folder).p, &c->vault, err) &&
           load_vault(c, c->verb, o, err);
}

bool cli_open_chosen(struct cli *c, const struct cli_common *o, struct err *err)
{
    return open_vault(c, c->verb, o, err) && load_vault(c, c->verb, o, err);
}

void cli_close_vault(struct cli *c)
{
    cli_unlock(c);
    vault_close(c->vault);
    c->vault = NULL;
}

/* --- running --- */

static int exit_code(const struct err *err)
{
    return err->code == ERR_INVALID ? WRONG_CALL : FAILED;
}

bool cli_is_common(const struct option *o)
{
    for (const struct option *c = cli_common_options; c->flag != NULL; c++)
        if (strcmp(o->flag, c->flag) == 0)
            return true;
    return false;
}

/* The options of a verb without those that all have, so that the help fits a screen. */
static const struct option *own_options(struct arena *a, const struct option *all)
{
    size_t n = 0, to = 0;
    while (all[n].flag != NULL)
        n++;
    struct option *own = ARENA_ARRAY(a, struct option, n + 1);
    for (size_t i = 0; i < n; i++)
        if (!cli_is_common(&all[i]))
            own[to++] = all[i];
    own[to] = (struct option){0};
    return own;
}

static bool has_all_options(const struct option *options)
{
    const struct option *o = options;
    while (o->flag != NULL && strcmp(o->flag, "help-all") != 0)
        o++;
    return o->flag != NULL;
}

/* Which vault the command would use, and why; nothing if there is none. */
static void add_vault_line(struct cli *c, const struct cli_common *o, struct sbuf *out)
{
    static const struct option_list no_words = {0};
    struct vault_config config = cli_vault_config(o);
    struct err ignored;
    config.from =
        options_group_source(c->verb->options, OPTION_GROUP_VAULTS, c->argc, c->argv);
    if (!vault_config_settle(c->arena, &config, &no_words, &ignored))
        return;
    str words = vault_config_words(c->arena, &config);
    if (words.n > 0)
        sbuf_printf(out, "\nThe vault: " STR_FMT "\n", STR_ARG(words));
}

static int show_verb_help(struct cli *c, const struct cli_common *o)
{
    struct arena *a = c->arena;
    const struct cli_verb *verb = c->verb;
    bool all = o->help_all;
    struct sbuf out = SBUF_ON(a);
    all = all || !has_all_options(verb->options);
    sbuf_printf(&out, "usage: vaultd %s%s%s [OPTIONS]\n\n%s\n\n%s\n", verb->name,
                verb->arguments[0] != '\0' ? " " : "", verb->arguments, verb->about,
                verb->help);
    const struct option *own = own_options(a, verb->options);
    if (!all && own->flag != NULL && own->heading == NULL)
        sbuf_add(&out, STR("Options:\n"));
    options_help(all ? verb->options : own, &out);
    if (!all)
        sbuf_printf(
            &out,
            "%sAll commands also have -v FOLDER, --vault NAME, --json and others:\n"
            "vaultd %s --help-all\n",
            own->flag != NULL ? "\n" : "", verb->name);
    if (!verb->no_vault)
        add_vault_line(c, o, &out);
    help_show(a, sbuf_str(&out));
    return 0;
}

/* A reader that closes the pipe early is not an error. */
static bool written(const struct term *t, struct err *err)
{
    if (t->failed == 0 || t->failed == EPIPE)
        return true;
    errno = t->failed;
    return err_sys(err, "cannot write the output");
}

/* Whether the folder and the tag exist that the options name: a typo is an error, and not
 * a list without items. */
static bool cli_check_places(struct cli *c, const void *options, struct err *err)
{
    struct tag tag;
    if (c->index == NULL)
        return true;
    for (const struct option *o = c->verb->options; o->flag != NULL; o++) {
        if (o->type != OPTION_STR)
            continue;
        str value = *(const str *)((const char *)options + o->offset);
        bool folder = strcmp(o->flag, "folder") == 0,
             of_tag = strcmp(o->flag, "tag") == 0;
        if ((folder && !find_folder(c->index, c->arena, value, err)) ||
            (of_tag && value.n > 0 && !find_tag(c->index, c->arena, value, &tag, err)))
            return false;
    }
    return true;
}

static int cli_answer_call(struct cli *c, const struct cli_verb *verb,
                           const struct cli_common *options)
{
    struct err err = {0};
    bool opened = verb->no_vault || open_vault(c, verb, options, &err);
    bool ok = opened &&
              (verb->no_vault || c->all || load_vault(c, verb, options, &err)) &&
              cli_check_places(c, options, &err) && verb->run(c, options, &err);
    if (ok && c->status != 0 && c->out.width > 0 && c->out.out.n == 0)
        term_put(&c->out, TERM_FAINT, STR("Nothing found\n"));
    term_close(&c->out);
    if (ok && written(&c->out, &err))
        return c->status;
    term_error(&c->notes, &err);
    return opened || verb->prepare != NULL ? exit_code(&err) : WRONG_CALL;
}

static int run_verb(struct cli *c, const struct cli_verb *verb,
                    const struct cli_common *options)
{
    log_setup(LOG_ERROR, LOG_TEXT); /* errors are printed */
    c->pool = pool_create(0, QUEUE_MAX);
    c->json = options->json;
    c->out = term_open(c->arena, FILE_STDOUT, (enum term_colour)options->colour);
    c->out.notes = &c->notes;
    if (verb->pages && !c->json)
        term_use_pager(&c->out);
    int code = cli_answer_call(c, verb, options);
    cli_unlock(c);
    embedding_stop(&c->embedding);
    vault_close(c->vault);
    embedding_close(&c->embedding);
    pdf_cache_close(c->pdf);
    pool_free(c->pool);
    return code;
}

int cli_run(const struct cli_verb *verb, int argc, char **argv)
{
    struct arena a = {0};
    struct cli c = {.arena = &a,
                    .verb = verb,
                    .argc = argc,
                    .argv = argv,
                    .notes = term_open(&a, FILE_STDERR, TERM_NEVER)};
    struct err err = {0};
    struct cli_common *options = arena_zero(&a, verb->options_size);
    int code = WRONG_CALL;
    if (!options_parse(&a, verb->options, argc, argv, options, &c.words, &err)) {
        term_error(&c.notes, &err);
    } else if (options->help || options->help_all) {
        code = show_verb_help(&c, options);
    } else if (c.words.n < verb->words_min || c.words.n > verb->words_max) {
        err_set(&err, ERR_INVALID, "usage: vaultd %s%s%s; see vaultd %s --help",
                verb->name, verb->arguments[0] != '\0' ? " " : "", verb->arguments,
                verb->name);
        term_error(&c.notes, &err);
    } else {
        code = run_verb(&c, verb, options);
    }
    term_close(&c.notes);
    arena_release(&a);
    return code;
}

/* --- help for verbs --- */

bool cli_find(struct cli *c, str word, const struct file **out, struct err *err)
{
    return find_file(c->index, c->arena, word, out, err) ||
           (err->name == E_AMBIGUOUS && !c->json &&
            pick_file(&c->out, c->index, word, out, err));
}

struct jsonw *cli_json_begin(struct cli *c, struct cli_json *j)
{
    j->text = SBUF_ON(c->arena);
    j->w = JSONW_ON(&j->text);
    return &j->w;
}

void cli_json_print(struct cli *c, struct cli_json *j)
{
    sbuf_char(&j->text, '\n');
    term_json(&c->out, sbuf_str(&j->text));
}

size_t cli_limit(const struct cli *c, int64_t limit, size_t on_terminal)
{
    if (limit > 0)
        return (size_t)limit;
    bool all = c->json || c->out.width == 0 ||
               options_given(c->verb->options, "limit", c->argc, c->argv);
    return all ? SIZE_MAX : on_terminal;
}

bool cli_answer(struct cli *c, const struct answer_shape *shape, const void *result)
{
    struct cli_json json;
    if (c->json) {
        struct answer_out out = {cli_json_begin(c, &json), SIZE_MAX};
        answer_print(c->arena, &out, shape, result);
        cli_json_print(c, &json);
    } else {
        shape->term(&c->out, result);
    }
    return true;
}

static int64_t cli_midnight(int64_t seconds, int days)
{
    struct clock_date d = clock_local(seconds);
    return clock_from_local(
        &(struct clock_date){.year = d.year, .month = d.month, .day = d.day + days});
}

/* "7d", "24h", "90m", "2w" in seconds. */
static bool cli_span(str text, int64_t *seconds)
{
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
    int64_t n;
    if (text.n < 2 || !str_to_int(str_slice(text, 0, text.n - 1), &n) || n < 0 ||
        n > INT32_MAX)
        return false;
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        if (text.p[text.n - 1] == units[i].unit) {
            *seconds = n * units[i].seconds;
            return true;
        }
    }
    return false;
}

bool cli_since(struct arena *a, str text, int64_t now, int64_t *from)
{
    struct moment day;
    int64_t ago;
    if (str_eq(text, STR("today")) || str_eq(text, STR("yesterday"))) {
        *from = cli_midnight(now, str_eq(text, STR("today")) ? 0 : -1);
        return true;
    }
    if (cli_span(text, &ago)) {
        *from = now - ago;
        return true;
    }
    if (!moment_parse(a, STR("YYYY-MM-DD"), text, &day))
        return false;
    *from = clock_from_local(
        &(struct clock_date){.year = day.year, .month = day.month, .day = day.day});
    return true;
}

str cli_joined(struct cli *c)
{
    struct sbuf b = SBUF_ON(c->arena);
    for (size_t i = 0; i < c->words.n; i++) {
        if (i > 0)
            sbuf_char(&b, ' ');
        sbuf_add(&b, c->words.items[i]);
    }
    return sbuf_str(&b);
}
