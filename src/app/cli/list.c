#include "app/answers/listed.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "vault/vault.h"

struct options {
    struct cli_common common;
    bool recursive;
};

static const struct option table[] = {
    CLI_SWITCH(struct options, recursive, "recursive",
               "Everything below the folder, not only what is directly in it",
               .letter = 'r'),
    CLI_COMMON,
};

static bool cli_list_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    str path = c->words.n > 0 ? c->words.items[0] : STR("");
    struct folder_listed folder = {0};
    struct listed files;
    cli_unlock(c); /* listing looks at the disk */
    if (!vault_list(c->vault, c->arena, path, &folder.found, err))
        return false;
    if (!o->recursive)
        return cli_answer(c, &folder_shape, &folder);
    cli_lock(c);
    struct filter_request below = {.folder = folder.found.path};
    return listed_find(c->vault, c->index, c->arena, &below, 0, SIZE_MAX, &files, err) &&
           cli_answer(c, &listed_shape, &files);
}

const struct cli_verb cli_list = {
    .name = "list",
    .arguments = "[FOLDER]",
    .about = "List a folder of the vault",
    .help = "  vaultd list                    the vault's root\n"
            "  vaultd list Projects -r        everything below Projects\n",
    .pages = true,
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = 1,
    .run = cli_list_run,
};
