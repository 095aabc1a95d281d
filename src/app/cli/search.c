#include "vault/ask/search.h"
#include "app/answers/hits.h"
#include "app/answers/multi_vault_hits.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "app/setup/endpoint.h"
#include "app/setup/model_file.h"
#include "app/setup/settings.h"
#include "app/setup/vault_config.h"
#include "vault/vault.h"

struct options {
    struct cli_common common;
    int mode; /* enum search_mode */
    bool ignore_case, files, count;
    int64_t context;
    str folder, tag;
    struct option_list globs;
    int64_t limit, offset;
};

static const struct option table[] = {
    OPTION(struct options, mode, OPTION_CHOICE, "mode", NULL, "auto", "MODE",
           "auto, text, regex (ripgrep's syntax), words (ranked), query (Obsidian's "
           "operators), names or meaning (with embeddings)",
           .choices = hits_modes, .letter = 'm'),
    CLI_SWITCH(struct options, ignore_case, "ignore-case",
               "Ignore case in a regular expression", .letter = 'i'),
    CLI_SWITCH(struct options, files, "files-with-matches",
               "Only print the paths of the files", .letter = 'l'),
    CLI_SWITCH(struct options, count, "count",
               "Only print the number of matches in each file", .letter = 'c'),
    OPTION(struct options, context, OPTION_INT, "context", NULL, "0", "LINES",
           "Print lines around each match; neither names nor tags are searched", .min = 0,
           .max = 1000, .letter = 'C'),
    OPTION(struct options, folder, OPTION_STR, "folder", NULL, NULL, "FOLDER",
           "Only below that folder"),
    OPTION(struct options, tag, OPTION_STR, "tag", NULL, NULL, "TAG",
           "Only notes with that tag, or one below it"),
    OPTION(struct options, globs, OPTION_LIST, "glob", NULL, NULL, "GLOB,...",
           "Only paths that match, as with rg --glob", .letter = 'g'),
    CLI_LIMIT(struct options, 50, "HITS"),
    OPTION(struct options, offset, OPTION_INT, "offset", NULL, "0", "HITS",
           "How many to skip", .min = 0, .max = INT32_MAX),
    CLI_EMBEDDINGS,
    CLI_COMMON,
};

static void set_view(const struct options *o, struct hits *hits)
{
    hits->view = o->files ? HITS_FILES : o->count ? HITS_COUNTS : HITS_LINES;
    hits->context = (size_t)o->context;
}

/* --- all vaults --- */

/* Whether what is found is printed vault by vault, as rg prints one folder after the other,
 * and not as a list with the best of each first. */
static bool is_by_vault(const struct cli *c, const struct options *o)
{
    return !c->json && (o->files || o->count || o->context > 0);
}

static void print_vault(struct cli *c, const struct options *o, str vault,
                        struct hits *hits, struct multi_vault_hits *out)
{
    set_view(o, hits);
    hits->vault = vault;
    if (o->context > 0 && out->n > 0 && hits->found.n > 0)
        term_put(&c->out, TERM_FAINT, STR("--\n"));
    hits_shape.term(&c->out, hits);
    out->total += hits->found.total;
    out->n += hits->view == HITS_LINES ? hits->found.n : 0; /* files are not limited */
}

/* False: the vault could not be searched; err says so if the search itself is wrong. */
static bool search_entry(struct cli *c, const struct options *o, const struct search *s,
                         const struct configured_vault *entry,
                         struct multi_vault_hits *out, struct err *err)
{
    struct hits hits;
    struct err ignored;
    bool ok = cli_open_vault(c, &o->common, entry, &ignored) &&
              hits_find(c->vault, c->index, c->arena, s, &hits, err);
    if (ok && is_by_vault(c, o))
        print_vault(c, o, entry->name, &hits, out);
    else if (ok)
        multi_vault_add(out, c->arena, entry->name, &hits);
    cli_close_vault(c);
    return ok;
}

/* What is left of --offset and --limit after the vaults that were printed. */
static struct search rest_of(const struct search *s,
                             const struct multi_vault_hits *printed)
{
    struct search rest = *s;
    rest.offset = s->offset > printed->total ? s->offset - printed->total : 0;
    rest.limit = s->limit == SIZE_MAX ? SIZE_MAX : s->limit - printed->n;
    return rest;
}

static bool search_each(struct cli *c, const struct options *o, const struct search *s,
                        struct multi_vault_hits *out, struct err *err)
{
    struct configured_vaults list;
    if (!vault_config_read(c->arena, &c->vaults, &list, err))
        return false;
    for (size_t i = 0; i < list.n && (!is_by_vault(c, o) || out->n < s->limit); i++) {
        struct err why = {0};
        struct search own = is_by_vault(c, o) ? rest_of(s, out) : *s;
        if (search_entry(c, o, &own, &list.items[i], out, &why))
            continue;
        if (why.code != ERR_NONE) {
            *err = why;
            return false;
        }
        multi_vault_leave_out(out, c->arena, list.items[i].name);
    }
    return true;
}

static bool search_by_vault(struct cli *c, const struct options *o,
                            const struct search *s, struct err *err)
{
    struct multi_vault_hits found = {.search = s};
    if (!search_each(c, o, s, &found, err))
        return false;
    found.n = 0; /* they are printed */
    c->status = found.total == 0;
    return cli_answer(c, &multi_vault_shape, &found);
}

/* The best of each are merged, so each must find as many as are skipped and shown. */
static bool search_all(struct cli *c, const struct options *o, const struct search *s,
                       struct err *err)
{
    struct multi_vault_hits found = {.search = s, .offset = s->offset, .limit = s->limit};
    struct search each = *s;
    each.offset = 0;
    each.limit = s->limit > SIZE_MAX - s->offset ? SIZE_MAX : s->offset + s->limit;
    if (is_by_vault(c, o))
        return search_by_vault(c, o, s, err);
    if (!search_each(c, o, &each, &found, err))
        return false;
    multi_vault_merge(&found);
    c->status = found.total == 0;
    return cli_answer(c, &multi_vault_shape, &found);
}

/* --- one vault --- */

/* Most searches find the text itself, and opening the model and looking at the embeddings of
 * all notes takes longer than that, so it is done for those that do not. */
static enum cli_meaning search_recalls(const struct cli *c)
{
    return c->recalls ? cli_recalls(c) : CLI_NO_MEANING;
}

static bool has_provider(struct cli *c, const struct options *o)
{
    const struct settings_embeddings *e = &o->common.embeddings;
    str state = settings_state_dir(c->arena, o->common.state_dir);
    return !str_eq_nocase(e->where, STR("off")) &&
           (endpoint_url(e, NULL) || model_file_find(c->arena, e->file, state).n > 0);
}

/* The vault again, with embeddings. */
static bool search_open_meaning(struct cli *c, const struct options *o, struct search *s,
                                struct err *err)
{
    cli_close_vault(c);
    c->recalls = true;
    if (!cli_open_chosen(c, &o->common, err))
        return false;
    s->meaning = vault_meaning(c->vault);
    return true;
}

static bool search_hold(struct cli *c, struct search *s, struct search_plan **plan,
                        struct hits *hits, struct err *err)
{
    cli_unlock(c); /* hits_hold() holds it */
    *plan = search_read(c->arena, s);
    c->index = hits_hold(c->vault, c->arena, *plan, hits, err);
    return c->index != NULL;
}

static bool search_one(struct cli *c, const struct options *o, struct search *s,
                       struct err *err)
{
    struct hits hits;
    struct search_plan *plan;
    bool provider = has_provider(c, o), now = provider && s->mode == SEARCH_MEANING;
    if ((now && !search_open_meaning(c, o, s, err)) ||
        !search_hold(c, s, &plan, &hits, err))
        return false;
    if (provider && !now && search_could_use_vector(plan) &&
        (!search_open_meaning(c, o, s, err) || !search_hold(c, s, &plan, &hits, err)))
        return false;
    set_view(o, &hits);
    c->status = hits.found.total == 0;
    return cli_answer(c, &hits_shape, &hits);
}

enum { IN_FILE = 5 }; /* hits of a file that are shown on a terminal */

/* Ranked as in the tools; by path where rg does it, too: what a regular expression finds in
 * a pipe, and lines with those around them. */
static size_t spread_of(const struct cli *c, const struct options *o)
{
    bool as_rg = o->context > 0 || (o->mode == SEARCH_REGEX && c->out.width == 0);
    return c->json || !as_rg ? SEARCH_SPREAD : 0;
}

/* On a terminal a file with many hits gets a few lines, and their number. */
static void set_by_file(const struct cli *c, const struct options *o, struct search *s)
{
    bool lines = !o->files && !o->count && o->context == 0 && !c->all;
    s->by_file = o->files || o->count;
    if (lines && c->out.width > 0 && !c->json && s->limit != SIZE_MAX) {
        s->by_file = true;
        s->per_file = IN_FILE;
    }
}

static bool cli_search_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct search s = {
        .mode = (enum search_mode)o->mode,
        .query = cli_joined(c),
        .ignore_case = o->ignore_case,
        .lines_only = o->context > 0,
        .corrects = !o->files && !o->count, /* whose output has no place to say so */
        .all_marks = !c->json,
        .folder = o->folder,
        .globs = o->globs.items,
        .n_globs = o->globs.n,
        .tag = o->tag,
        .offset = (size_t)o->offset,
        .limit = o->files || o->count ? SEARCH_LIMIT_MAX : cli_limit(c, o->limit, 50),
        .spread = spread_of(c, o),
        .pool = c->pool,
    };
    set_by_file(c, o, &s);
    return c->all ? search_all(c, o, &s, err) : search_one(c, o, &s, err);
}

const struct cli_verb cli_search = {
    .name = "search",
    .arguments = "TEXT...",
    .about = "Search names, tags and contents",
    .help =
        "  vaultd search garden shed          this text, ignoring case; if there is\n"
        "                                     none, notes with these words\n"
        "  vaultd search 'tag:#work -path:Archive \"next step\"'\n"
        "  vaultd search -m regex 'KEY-\\d+'   with ripgrep's syntax\n"
        "  vaultd search -m names shed        only names and aliases\n"
        "  vaultd search --vault '*' shed     in all vaults of VAULTS or VAULTS_DIR\n\n"
        "Exit code 1: nothing was found.\n",
    .pages = true,
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = SIZE_MAX,
    .takes_all = true,
    .pdf_ms = 5000,
    .meaning = search_recalls,
    .run = cli_search_run,
};
