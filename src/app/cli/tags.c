#include "app/answers/tagged.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"

struct options {
    struct cli_common common;
    bool by_count;
};

static const struct option table[] = {
    CLI_SWITCH(struct options, by_count, "by-count", "A flat list, most used first"),
    CLI_COMMON,
};

static bool cli_tags_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct tags_listed all;
    struct tagged notes;
    if (c->words.n == 0) {
        tags_list(c->index, c->arena, o->by_count, 0, SIZE_MAX, &all);
        c->status = all.n == 0;
        return cli_answer(c, &tags_shape, &all);
    }
    if (!tagged_find(c->index, c->arena, c->words.items[0], 0, SIZE_MAX, &notes, err))
        return err_hint(err, "vaultd tags lists all");
    return cli_answer(c, &tagged_shape, &notes);
}

const struct cli_verb cli_tags = {
    .name = "tags",
    .arguments = "[TAG]",
    .about = "List all tags with the number of notes for each, or the notes with a tag",
    .help = "  vaultd tags                    the tree of tags\n"
            "  vaultd tags project            notes tagged #project or #project/...\n",
    .pages = true,
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = 1,
    .run = cli_tags_run,
};
