#include "app/answers/put.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "vault/ask/mentions.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/names.h"

struct options {
    struct cli_common common;
    bool backlinks, mentions, unresolved, orphans, explain;
    int64_t depth, limit;
    str to;
};

static const struct option table[] = {
    OPTION(struct options, backlinks, OPTION_SWITCH, "backlinks", NULL, NULL, NULL,
           "Who links to the note, instead of what it links to", .letter = 'b'),
    OPTION(struct options, mentions, OPTION_SWITCH, "mentions", NULL, NULL, NULL,
           "Where others speak of the note without a link", .letter = 'm'),
    OPTION(struct options, depth, OPTION_INT, "depth", NULL, "0", "LINKS",
           "All notes so many links away, either way", .min = 0, .max = 100),
    OPTION(struct options, to, OPTION_STR, "to", NULL, NULL, "NOTE",
           "A shortest way to that note"),
    OPTION(struct options, unresolved, OPTION_SWITCH, "unresolved", NULL, NULL, NULL,
           "Links of all notes that lead nowhere"),
    OPTION(struct options, orphans, OPTION_SWITCH, "orphans", NULL, NULL, NULL,
           "Notes without any link from or to others"),
    OPTION(struct options, explain, OPTION_SWITCH, "explain", NULL, NULL, NULL,
           "Which rule chose each target, and what else it could be"),
    OPTION(struct options, limit, OPTION_INT, "limit", NULL, "200", "COUNT",
           "How many mentions to show", .min = 1, .max = 1000000, .letter = 'n'),
    CLI_COMMON,
};

static str cli_links_path_of(struct cli *c, file_id id)
{
    return names_path(c->index->names, id);
}

/* A line or a JSON object for one file. */
static void put_file(struct cli *c, struct jsonw *w, str path, int64_t number,
                     const char *what)
{
    c->status = 0;
    if (c->json) {
        jsonw_object(w);
        jsonw_put_str(w, STR("path"), path);
        jsonw_put_int(w, str_c(what), number);
        jsonw_end(w);
        return;
    }
    term_right(&c->out, TERM_FAINT, arena_printf(c->arena, "%lld", (long long)number), 5);
    term_printf(&c->out, TERM_PATH, "  " STR_FMT "\n", STR_ARG(path));
}

static void put_backlinks(struct cli *c, struct jsonw *w, const struct file *f)
{
    struct graph_edge *edges;
    size_t n = graph_backlinks(c->index->graph, c->arena, f->id, &edges);
    for (size_t i = 0; i < n; i++)
        put_file(c, w, cli_links_path_of(c, edges[i].file), edges[i].count, "links");
}

static void put_near(struct cli *c, struct jsonw *w, const struct file *f, uint32_t depth)
{
    enum { NEAR_MAX = 100000 };
    struct graph_near *near;
    size_t n = graph_neighbours(c->index->graph, c->arena, f->id, GRAPH_BOTH, depth,
                                NEAR_MAX, &near);
    for (size_t i = 0; i < n; i++)
        put_file(c, w, cli_links_path_of(c, near[i].file), near[i].distance, "distance");
}

static bool put_way(struct cli *c, struct jsonw *w, const struct file *f, str to,
                    struct err *err)
{
    const struct file *end;
    file_id *way;
    if (!cli_find(c, to, &end, err))
        return false;
    size_t n = graph_path(c->index->graph, c->arena, f->id, end->id, GRAPH_BOTH, &way);
    for (size_t i = 0; i < n; i++)
        put_file(c, w, cli_links_path_of(c, way[i]), (int64_t)i, "step");
    return true;
}

static const char *const rules[] = {
    [NAMES_SELF] = "the note itself",
    [NAMES_ONLY_ONE] = "the only file of that name",
    [NAMES_RELATIVE] = "relative to the note's folder",
    [NAMES_EXACT] = "the whole path",
    [NAMES_OWN_FOLDER] = "below the note's folder",
    [NAMES_SHORTEST] = "the shortest path that ends so",
    [NAMES_UNRESOLVED] = "no such file",
    [NAMES_NOT_A_PATH] = "not a path",
};

static void put_link_json(struct cli *c, struct jsonw *w, const struct file_link *l,
                          const struct names_answer *answer, bool explain)
{
    jsonw_object(w);
    put_link(w, c->index->names, l, answer->file);
    if (explain) {
        jsonw_put_str(w, STR("rule"), str_c(rules[answer->rule]));
        jsonw_put_array(w, STR("others"));
        for (size_t i = 0; i < answer->n_others; i++)
            jsonw_str(w, cli_links_path_of(c, answer->others[i]));
        jsonw_end(w);
    }
    jsonw_end(w);
}

static void put_link_line(struct cli *c, const struct file_link *l,
                          const struct names_answer *answer, bool explain)
{
    bool found = answer->file != NO_FILE;
    term_right(&c->out, TERM_LINE,
               l->line > 0 ? arena_printf(c->arena, "%u", l->line) : STR(""), 5);
    term_printf(&c->out, found ? TERM_PATH : TERM_WARN, "  " STR_FMT,
                STR_ARG(found ? cli_links_path_of(c, answer->file) : l->path));
    term_put(&c->out, TERM_FAINT, l->subpath);
    if (l->display.n > 0)
        term_printf(&c->out, TERM_PLAIN, "  \"" STR_FMT "\"", STR_ARG(l->display));
    if (l->embed)
        term_put(&c->out, TERM_FAINT, STR("  (embedded)"));
    if (!found)
        term_put(&c->out, TERM_FAINT, STR("  (no such file)"));
    else if (explain && l->path.n == 0)
        term_printf(&c->out, TERM_FAINT, "  %s", rules[answer->rule]);
    else if (explain)
        term_printf(&c->out, TERM_FAINT, "  [[" STR_FMT "]] is %s", STR_ARG(l->path),
                    rules[answer->rule]);
    term_put(&c->out, TERM_PLAIN, STR("\n"));
    for (size_t i = 0; explain && i < answer->n_others; i++)
        term_printf(&c->out, TERM_FAINT, "         also fits: " STR_FMT "\n",
                    STR_ARG(cli_links_path_of(c, answer->others[i])));
}

static void cli_links_put_links(struct cli *c, struct jsonw *w, const struct file *f,
                                bool explain)
{
    struct file_link *links;
    size_t n = file_links(c->arena, f, &links);
    for (size_t i = 0; i < n; i++) {
        struct names_answer answer;
        names_resolve(c->index->names, explain ? c->arena : NULL, links[i].path, f->path,
                      f->id, &answer);
        c->status = 0;
        if (c->json)
            put_link_json(c, w, &links[i], &answer, explain);
        else
            put_link_line(c, &links[i], &answer, explain);
    }
}

static void put_missing_json(struct cli *c, struct jsonw *w,
                             const struct graph_missing *m)
{
    jsonw_object(w);
    jsonw_put_str(w, STR("link"), m->path);
    jsonw_put_int(w, STR("links"), m->count);
    jsonw_put_array(w, STR("sources"));
    for (size_t i = 0; i < m->n_sources; i++)
        jsonw_str(w, cli_links_path_of(c, m->sources[i]));
    jsonw_end(w);
    jsonw_end(w);
}

static void put_missing(struct cli *c, const struct graph_missing *m)
{
    term_right(&c->out, TERM_FAINT, arena_printf(c->arena, "%u", m->count), 5);
    term_printf(&c->out, TERM_WARN, "  " STR_FMT "\n", STR_ARG(m->path));
    for (size_t i = 0; i < m->n_sources; i++)
        term_printf(&c->out, TERM_FAINT, "         in " STR_FMT "\n",
                    STR_ARG(cli_links_path_of(c, m->sources[i])));
}

static void put_unresolved(struct cli *c, struct jsonw *w)
{
    struct graph_missing *missing;
    size_t n = graph_unresolved(c->index->graph, c->arena, &missing);
    for (size_t i = 0; i < n; i++) {
        c->status = 0;
        if (c->json)
            put_missing_json(c, w, &missing[i]);
        else
            put_missing(c, &missing[i]);
    }
}

static void put_orphans(struct cli *c, struct jsonw *w)
{
    file_id *orphans;
    size_t n = graph_orphans(c->index->graph, c->arena, &orphans);
    for (size_t i = 0; i < n; i++) {
        str path = cli_links_path_of(c, orphans[i]);
        if (index_file(c->index, orphans[i])->excluded)
            continue;
        c->status = 0;
        jsonw_object(w);
        jsonw_put_str(w, STR("path"), path);
        jsonw_end(w);
        if (!c->json)
            term_printf(&c->out, TERM_PATH, STR_FMT "\n", STR_ARG(path));
    }
}

static void put_mention(struct cli *c, struct jsonw *w, const struct mention *m,
                        bool new_file)
{
    const struct file *f = index_file(c->index, m->source);
    if (c->json) {
        jsonw_object(w);
        jsonw_put_str(w, STR("path"), f->path);
        jsonw_put_int(w, STR("line"), m->line);
        jsonw_put_str(w, STR("snippet"), m->snippet);
        jsonw_end(w);
        return;
    }
    size_t from = str_find_last(str_slice(f->text, 0, m->start), '\n');
    str line = str_skip(f->text, from == STR_NONE ? 0 : from + 1);
    line = str_slice(line, 0, str_find_char(line, '\n'));
    line.n -= str_ends(line, STR("\r"));
    size_t width = term_place(&c->out, f->path, m->line, new_file);
    term_found(&c->out, line, str_slice(f->text, m->start, m->end), width);
    term_put(&c->out, TERM_PLAIN, STR("\n"));
}

static void put_mentions(struct cli *c, struct jsonw *w, const struct file *f, size_t max)
{
    struct mentions m;
    mentions_of(c->index, c->arena, f->id, &(struct mentions_limits){.max = max}, &m);
    c->status = m.n == 0;
    for (size_t i = 0; i < m.n; i++)
        put_mention(c, w, &m.items[i],
                    i == 0 || m.items[i - 1].source != m.items[i].source);
    if (c->out.width > 0 && !c->json && m.n < m.total)
        term_printf(&c->out, TERM_FAINT, "%zu of %zu; more with --limit\n", m.n, m.total);
}

static bool put_of_note(struct cli *c, struct jsonw *w, const struct options *o,
                        struct err *err)
{
    const struct file *f;
    if (c->words.n == 0)
        return err_set(err, ERR_INVALID,
                       "links of which note? (or --unresolved, --orphans)");
    if (!cli_find(c, c->words.items[0], &f, err))
        return false;
    if (o->to.n > 0)
        return put_way(c, w, f, o->to, err);
    if (o->depth > 0)
        put_near(c, w, f, (uint32_t)o->depth);
    else if (o->backlinks)
        put_backlinks(c, w, f);
    else if (o->mentions)
        put_mentions(c, w, f, (size_t)o->limit);
    else
        cli_links_put_links(c, w, f, o->explain);
    return true;
}

static bool asks_one_thing(const struct cli *c, const struct options *o, struct err *err)
{
    bool of_vault = o->unresolved || o->orphans;
    int asked = o->backlinks + o->mentions + (o->depth > 0) + (o->to.n > 0) +
                o->unresolved + o->orphans;
    if (asked > 1)
        return err_set(err, ERR_INVALID,
                       "ask for one of --backlinks, --mentions, --depth, --to, "
                       "--unresolved and --orphans");
    return !of_vault || c->words.n == 0 ||
           err_set(err, ERR_INVALID,
                   "--unresolved and --orphans are about all notes, not '" STR_FMT "'",
                   STR_ARG(c->words.items[0]));
}

static bool cli_links_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct cli_json json;
    struct jsonw *w = cli_json_begin(c, &json);
    if (!asks_one_thing(c, o, err))
        return false;
    jsonw_array(w);
    c->status = 1; /* until there is something to show */
    bool ok = true;
    if (o->unresolved)
        put_unresolved(c, w);
    else if (o->orphans)
        put_orphans(c, w);
    else
        ok = put_of_note(c, w, o, err);
    jsonw_end(w);
    if (ok && c->json)
        cli_json_print(c, &json);
    return ok;
}

const struct cli_verb cli_links = {
    .name = "links",
    .arguments = "[NOTE]",
    .about = "Links of a note, to it, or around it",
    .help = "  vaultd links Plan              what Plan links to\n"
            "  vaultd links Plan -b           who links to Plan\n"
            "  vaultd links Plan -m           who speaks of Plan without a link\n"
            "  vaultd links Plan --depth 2    everything two links away\n"
            "  vaultd links Plan --to Budget  a shortest way between two notes\n"
            "  vaultd links --unresolved      links that lead nowhere\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = 1,
    .run = cli_links_run,
};
