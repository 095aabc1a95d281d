#include "app/answers/properties.h"
#include "app/answers/rows.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"

struct options {
    struct cli_common common;
    str folder;
};

static const struct option table[] = {
    OPTION(struct options, folder, OPTION_STR, "folder", NULL, NULL, "FOLDER",
           "Only notes below that folder"),
    CLI_COMMON,
};

/* The values of one property, most notes first. */
static bool list_values(struct cli *c, str name, str folder, struct err *err)
{
    struct select s = {
        .where = arena_printf(c->arena, "note.`" STR_FMT "` exists", STR_ARG(name)),
        .group = arena_printf(c->arena, "note.`" STR_FMT "`", STR_ARG(name)),
        .folder = folder};
    struct rows rows;
    if (!rows_find(c->vault, c->index, c->arena, &s, &rows, err))
        return false;
    c->status = rows.found.total == 0;
    return cli_answer(c, &rows_shape, &rows);
}

static bool cli_properties_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct properties_listed all = {.limit = SIZE_MAX};
    if (c->words.n > 0)
        return list_values(c, c->words.items[0], o->folder, err);
    if (!properties_list(c->vault, c->index, c->arena, o->folder, NULL, &all, err))
        return false;
    c->status = all.all.n == 0;
    return cli_answer(c, &properties_shape, &all);
}

const struct cli_verb cli_properties = {
    .name = "properties",
    .arguments = "[NAME]",
    .about = "List all properties with their types and values, or the values of one",
    .help =
        "  vaultd properties              how many notes have each, its type and values\n"
        "  vaultd properties status       how many notes have each value\n",
    .pages = true,
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = 1,
    .run = cli_properties_run,
};
