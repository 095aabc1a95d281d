#include "app/answers/linked.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "base/clock.h"
#include "vault/vault.h"

struct options {
    struct cli_common common;
    bool linked;
    int64_t limit;
};

static const struct option table[] = {
    CLI_SWITCH(struct options, linked, "linked", "Also notes that are already linked"),
    OPTION(struct options, limit, OPTION_INT, "limit", NULL, "10", "COUNT",
           "How many to show", .min = 1, .max = 1000, .letter = 'n'),
    CLI_EMBEDDINGS,
    CLI_COMMON,
};

static bool cli_related_run(struct cli *c, const void *options, struct err *err)
{
    enum { PLACED_MS = 10000 };
    const struct options *o = options;
    cli_unlock(c);
    (void)vault_wait_placed(c->vault, clock_ns() + PLACED_MS * 1000000ULL);
    cli_lock(c);
    struct linked_question q = {.about = LINKED_RELATED,
                                .linked = o->linked,
                                .meaning = vault_meaning(c->vault),
                                .limit = (size_t)o->limit};
    struct linked linked;
    if (!cli_find(c, c->words.items[0], &q.file, err) ||
        !linked_find(c->index, c->arena, &q, &linked, err))
        return false;
    c->status = linked.n == 0;
    return cli_answer(c, &linked_shape, &linked);
}

const struct cli_verb cli_related = {
    .name = "related",
    .arguments = "NOTE",
    .about = "List notes related to a note, and why",
    .help = "  vaultd related Plan           by shared links, words, tags and meaning\n"
            "  vaultd related Plan --linked  also those that are linked already\n",
    .pages = true,
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = 1,
    .meaning = cli_recalls,
    .run = cli_related_run,
};
