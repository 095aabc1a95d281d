#include "app/answers/linked.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"

struct options {
    struct cli_common common;
    bool backlinks, mentions, unresolved, orphans, explain;
    int64_t depth, limit;
    str to;
};

static const struct option table[] = {
    CLI_SWITCH(struct options, backlinks, "backlinks",
               "Notes that link to the note, instead of what it links to", .letter = 'b'),
    CLI_SWITCH(struct options, mentions, "mentions",
               "Places that mention the note without a link", .letter = 'm'),
    OPTION(struct options, depth, OPTION_INT, "depth", NULL, "0", "LINKS",
           "All notes up to this many links away, in either direction", .min = 0,
           .max = 100),
    OPTION(struct options, to, OPTION_STR, "to", NULL, NULL, "NOTE",
           "A shortest path to that note"),
    CLI_SWITCH(struct options, unresolved, "unresolved", "Broken links in all notes"),
    CLI_SWITCH(struct options, orphans, "orphans",
               "Notes without links from or to other notes"),
    CLI_SWITCH(struct options, explain, "explain",
               "Which rule resolved each link, and the other candidates"),
    CLI_LIMIT(struct options, 200, "MENTIONS"),
    CLI_COMMON,
};

static bool asks_one_thing(const struct cli *c, const struct options *o, struct err *err)
{
    bool of_vault = o->unresolved || o->orphans;
    int asked = o->backlinks + o->mentions + (o->depth > 0) + (o->to.n > 0) +
                o->unresolved + o->orphans;
    if (asked > 1)
        return err_set(err, ERR_INVALID,
                       "give only one of --backlinks, --mentions, --depth, --to, "
                       "--unresolved and --orphans");
    return !of_vault || c->words.n == 0 ||
           err_set(err, ERR_INVALID,
                   "--unresolved and --orphans list links of all notes, so they cannot "
                   "be used with '" STR_FMT "'",
                   STR_ARG(c->words.items[0]));
}

static enum linked_about about(const struct options *o)
{
    if (o->to.n > 0)
        return LINKED_PATH;
    if (o->depth > 0)
        return LINKED_NEIGHBOURS;
    if (o->unresolved)
        return LINKED_UNRESOLVED;
    if (o->orphans)
        return LINKED_ORPHANS;
    if (o->mentions)
        return LINKED_MENTIONS;
    return o->backlinks ? LINKED_BACKLINKS : LINKED_OUTGOING;
}

static bool cli_links_find(struct cli *c, const struct options *o,
                           struct linked_question *q, struct err *err)
{
    if (c->words.n == 0)
        return o->unresolved || o->orphans ||
               err_set(err, ERR_INVALID,
                       "the note is missing (or give --unresolved or --orphans)");
    return cli_find(c, c->words.items[0], &q->file, err) &&
           (o->to.n == 0 || cli_find(c, o->to, &q->to, err));
}

static bool cli_links_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct linked_question q = {.about = about(o),
                                .depth = (uint32_t)o->depth,
                                .explain = o->explain,
                                .limit =
                                    o->mentions ? cli_limit(c, o->limit, 200) : SIZE_MAX};
    struct linked linked;
    if (!asks_one_thing(c, o, err) || !cli_links_find(c, o, &q, err) ||
        !linked_find(c->index, c->arena, &q, &linked, err))
        return false;
    c->status = linked.n == 0;
    return cli_answer(c, &linked_shape, &linked);
}

const struct cli_verb cli_links = {
    .name = "links",
    .arguments = "[NOTE]",
    .about = "List the links of a note, to it, or around it",
    .help = "  vaultd links Plan              what Plan links to\n"
            "  vaultd links Plan -b           notes that link to Plan\n"
            "  vaultd links Plan -m           mentions of Plan without a link\n"
            "  vaultd links Plan --depth 2    everything up to two links away\n"
            "  vaultd links Plan --to Budget  a shortest path between two notes\n"
            "  vaultd links --unresolved      broken links\n",
    .pages = true,
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = 1,
    .run = cli_links_run,
};
