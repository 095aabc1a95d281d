#include "vault/ask/search.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"

struct options {
    struct cli_common common;
    int mode; /* enum search_mode */
    bool ignore_case;
    str folder, tag;
    struct option_list globs;
    int64_t limit, offset;
};

static const char *const modes[] = {"text", "regex", "words", "query", NULL};

static const struct option table[] = {
    OPTION(struct options, mode, OPTION_CHOICE, "mode", NULL, "text", "MODE",
           "text, regex (as ripgrep), words (ranked) or query (Obsidian's operators)",
           .choices = modes, .letter = 'm'),
    OPTION(struct options, ignore_case, OPTION_SWITCH, "ignore-case", NULL, NULL, NULL,
           "Of a regex: case does not matter", .letter = 'i'),
    OPTION(struct options, folder, OPTION_STR, "folder", NULL, NULL, "FOLDER",
           "Only below that folder"),
    OPTION(struct options, tag, OPTION_STR, "tag", NULL, NULL, "TAG",
           "Only notes with that tag, or one below it"),
    OPTION(struct options, globs, OPTION_LIST, "glob", NULL, NULL, "GLOB,...",
           "Only paths that fit, as rg --glob", .letter = 'g'),
    OPTION(struct options, limit, OPTION_INT, "limit", NULL, "50", "HITS",
           "How many to show", .min = 1, .max = SEARCH_LIMIT_MAX, .letter = 'n'),
    OPTION(struct options, offset, OPTION_INT, "offset", NULL, "0", "HITS",
           "How many to skip", .min = 0, .max = INT32_MAX),
    CLI_COMMON,
};

static const char *const places[] = {
    [SEARCH_FILENAME] = "filename",
    [SEARCH_TAG] = "tag",
    [SEARCH_CONTENT] = "content",
};

static void cli_search_put_json(struct cli *c, str query, const struct search_result *r)
{
    struct cli_json json;
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    jsonw_put_str(w, STR("query"), query);
    jsonw_put_int(w, STR("total_matches"), (int64_t)r->total);
    jsonw_put_int(w, STR("files"), (int64_t)r->files);
    jsonw_put_array(w, STR("results"));
    for (size_t i = 0; i < r->n; i++) {
        const struct search_hit *h = &r->hits[i];
        jsonw_object(w);
        jsonw_put_str(w, STR("path"), h->file->path);
        jsonw_put_str(w, STR("match_type"), str_c(places[h->where]));
        jsonw_put_str(w, STR("snippet"), h->snippet);
        if (h->line > 0)
            jsonw_put_int(w, STR("line"), h->line);
        jsonw_end(w);
    }
    jsonw_end(w);
    if (r->partial)
        jsonw_put_bool(w, STR("partial"), true);
    jsonw_put_array(w, STR("suggestions"));
    for (size_t i = 0; i < r->n_suggestions; i++)
        jsonw_str(w, r->suggestions[i]);
    jsonw_end(w);
    jsonw_end(w);
    cli_json_print(c, &json);
}

static void put_hit(struct cli *c, const struct search_hit *h, bool new_file)
{
    struct term *t = &c->out;
    if (h->where == SEARCH_FILENAME) {
        term_found(t, h->file->path, h->match, 0);
    } else if (h->text.n == 0) { /* a tag that is not written as it is meant */
        cli_place(c, h->file->path, h->line, new_file);
        term_printf(t, TERM_MATCH, "#" STR_FMT, STR_ARG(h->match));
    } else {
        size_t width = cli_place(c, h->file->path, h->line, new_file);
        str line = h->text;
        line.n -= str_ends(line, STR("\r"));
        term_found(t, line, h->match, width);
    }
    term_put(t, TERM_PLAIN, STR("\n"));
}

/* Said on stderr, so that it does not get between the results. */
static void put_hints(struct cli *c, const struct search_result *r)
{
    struct term *t = &c->notes;
    if (r->any)
        term_put(t, TERM_PLAIN, STR("No note has all words; these have some.\n"));
    if (r->unread > 0)
        term_printf(t, TERM_PLAIN, STR_FMT " not searched (see vaultd check).\n",
                    STR_ARG(cli_count(c->arena, r->unread, "file was", "files were")));
    if (r->partial)
        term_put(t, TERM_PLAIN, STR("There may be more.\n"));
    if (r->with_words > 0)
        term_printf(
            t, TERM_PLAIN,
            STR_FMT " these words in other forms or places: "
                    "try --mode words.\n",
            STR_ARG(cli_count(c->arena, r->with_words, "note has", "notes have")));
    for (size_t i = 0; i < r->n_suggestions; i++)
        term_printf(t, TERM_PLAIN, "%s" STR_FMT "%s", i == 0 ? "Did you mean: " : ", ",
                    STR_ARG(r->suggestions[i]), i + 1 == r->n_suggestions ? "?\n" : "");
}

static void put_summary(struct cli *c, const struct search_result *r, size_t offset)
{
    struct term *t = &c->out;
    if (r->n > 0)
        term_put(t, TERM_PLAIN, STR("\n"));
    term_printf(t, TERM_FAINT, STR_FMT " in " STR_FMT,
                STR_ARG(cli_count(c->arena, r->total, "match", "matches")),
                STR_ARG(cli_count(c->arena, r->files, "file", "files")));
    if (r->more)
        term_printf(t, TERM_FAINT, "; go on with --offset %zu", offset + r->n);
    term_put(t, TERM_PLAIN, STR("\n"));
}

static bool cli_search_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct search s = {
        .mode = (enum search_mode)o->mode,
        .query = cli_joined(c),
        .ignore_case = o->ignore_case,
        .folder = o->folder,
        .globs = o->globs.items,
        .n_globs = o->globs.n,
        .tag = o->tag,
        .offset = (size_t)o->offset,
        .limit = (size_t)o->limit,
        .pool = c->pool,
    };
    struct search_result r;
    if (!search_run(c->index, c->arena, &s, &r, err))
        return false;
    c->status = r.total == 0;
    if (c->json) {
        cli_search_put_json(c, s.query, &r);
        return true;
    }
    for (size_t i = 0; i < r.n; i++)
        put_hit(c, &r.hits[i],
                i == 0 || r.hits[i - 1].file != r.hits[i].file ||
                    r.hits[i - 1].where == SEARCH_FILENAME);
    if (c->out.width > 0 && r.total > 0)
        put_summary(c, &r, s.offset);
    put_hints(c, &r);
    return true;
}

const struct cli_verb cli_search = {
    .name = "search",
    .arguments = "TEXT...",
    .about = "Search names, tags and contents",
    .help = "  vaultd search garden shed               that text, case ignored\n"
            "  vaultd search -m words garden shed      ranked: all words, then any\n"
            "  vaultd search -m regex 'KEY-\\d+'          as ripgrep\n"
            "  vaultd search -m query 'tag:#work -path:Archive \"next step\"'\n\n"
            "Exit code 1: nothing was found.\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = SIZE_MAX,
    .run = cli_search_run,
};
