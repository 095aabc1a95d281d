#include "app/answers/tabled.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "vault/ask/base_find.h"

struct options {
    struct cli_common common;
    bool csv, markdown, paths, views;
    str this_path;
    int64_t limit, offset;
};

static const struct option table[] = {
    CLI_SWITCH(struct options, csv, "csv", "Print CSV, for spreadsheets"),
    CLI_SWITCH(struct options, markdown, "md", "Print a Markdown table, for a note"),
    CLI_SWITCH(struct options, paths, "paths", "Print only the paths of the files"),
    CLI_SWITCH(struct options, views, "views",
               "Print the names of the views, one per line"),
    OPTION(struct options, this_path, OPTION_STR, "this", NULL, NULL, "FILE",
           "The note that 'this' means (default: the one with the base)"),
    OPTION(struct options, limit, OPTION_INT, "limit", NULL, "0", "ROWS",
           "How many to show; 0: up to 10,000", .min = 0, .max = PLAN_ROWS_MAX,
           .letter = 'n'),
    OPTION(struct options, offset, OPTION_INT, "offset", NULL, "0", "ROWS",
           "How many to skip", .min = 0, .max = INT32_MAX),
    CLI_COMMON,
};

static bool print_views(struct cli *c, const struct base_request *request,
                        struct err *err)
{
    struct base_found found;
    if (!base_find(c->index, c->arena, request, &found, err))
        return false;
    for (size_t i = 0; i < found.base.n_views; i++)
        term_printf(&c->out, TERM_PLAIN, STR_FMT "\n", STR_ARG(found.base.views[i].name));
    return true;
}

static bool cli_base_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    const struct base_request request = {.base = c->words.items[0],
                                         .view =
                                             c->words.n > 1 ? c->words.items[1] : STR(""),
                                         .this_path = o->this_path};
    struct tabled t;
    if (o->csv + o->markdown + o->paths + o->views + c->json > 1)
        return err_named(err, E_INVALID_ARGUMENT,
                         "choose one of --csv, --json, --md, --paths and --views");
    if (o->views)
        return print_views(c, &request, err);
    if (!tabled_find(c->vault, c->index, c->arena, &request, (size_t)o->offset,
                     (size_t)o->limit, NULL, &t, err))
        return false;
    c->status = t.table.found.total == 0;
    if (!o->csv && !o->markdown && !o->paths)
        return cli_answer(c, &tabled_shape, &t);
    term_text(&c->out, tabled_export(&t, o->csv        ? TABLED_CSV
                                         : o->markdown ? TABLED_MARKDOWN
                                                       : TABLED_PATHS));
    return true;
}

const struct cli_verb cli_base = {
    .name = "base",
    .arguments = "FILE [VIEW]",
    .about = "Show a view of a base as a table",
    .help =
        "  vaultd base Projects.base              its first view\n"
        "  vaultd base Projects Active --csv      the view Active, for a spreadsheet\n"
        "  vaultd base Dashboard#Reading          the base below a heading of a note\n"
        "  vaultd base Projects --views           which views there are\n",
    .pages = true,
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = 2,
    .run = cli_base_run,
};
