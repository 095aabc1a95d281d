#include "app/answers/changed.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "vault/ops.h"

struct options {
    struct cli_changing changing;
    str heading, block;
    bool tag, property, into, keep_links;
};

static const struct option table[] = {
    OPTION(struct options, heading, OPTION_STR, "heading", NULL, NULL, "HEADING",
           "Rename that heading of the note FROM to TO"),
    OPTION(struct options, block, OPTION_STR, "block", NULL, NULL, "ID",
           "Rename that block id of the note FROM to TO"),
    CLI_SWITCH(struct options, into, "into", "Move that heading or block to the note TO"),
    CLI_SWITCH(struct options, tag, "tag", "FROM and TO are tags"),
    CLI_SWITCH(struct options, property, "property", "FROM and TO are properties"),
    CLI_SWITCH(struct options, keep_links, "keep-links", "Do not update links"),
    CLI_CHANGING,
};

static bool cli_move_steps(struct cli *c, const void *options, struct draft *d,
                           struct changed *out, struct err *err)
{
    const struct options *o = options;
    struct ops_report r;
    str from = c->words.items[0], to = c->words.items[1];
    struct ops_part part = {o->heading, o->block, STR("")};
    if (o->into && o->heading.n == 0 && o->block.n == 0)
        return err_set(err, ERR_INVALID, "--into needs --heading or --block");
    bool ok = o->tag             ? ops_rename_tag(d, from, to, &r, err)
              : o->property      ? ops_rename_property(d, from, to, &r, err)
              : o->into          ? ops_move_part(d, from, to, &part, &r, err)
              : o->heading.n > 0 ? ops_rename_heading(d, from, o->heading, 0, to, &r, err)
              : o->block.n > 0   ? ops_rename_block(d, from, o->block, to, &r, err)
                                 : ops_rename(d, from, to, !o->keep_links, &r, err);
    if (ok)
        changed_moved(out, &r,
                      o->tag             ? "tag"
                      : o->property      ? "property"
                      : o->heading.n > 0 ? "heading"
                      : o->block.n > 0   ? "block"
                                         : NULL,
                      o->tag || o->property ? STR("") : from);
    return ok;
}

const struct cli_verb cli_move = {
    .name = "move",
    .arguments = "FROM TO",
    .about = "Rename or move a note, folder, heading, block, tag or property; update all "
             "links",
    .help =
        "A name without a folder renames it in place; a path or a folder moves it.\n\n"
        "  vaultd move Plan.md Archive/\n"
        "  vaultd move \"Projects/Old name\" \"New name\" --dry-run\n"
        "  vaultd move Plan.md \"Open questions\" --heading Questions\n"
        "  vaultd move Plan.md Ideas.md --heading Later --into\n"
        "  vaultd move --tag project work/project\n"
        "  vaultd move --property due deadline\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 2,
    .words_max = 2,
    .changes = true,
    .run = cli_run_change,
    .steps = cli_move_steps,
};
