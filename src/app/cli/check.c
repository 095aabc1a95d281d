#include "vault/ask/check.h"
#include "app/answers/findings.h"
#include "app/answers/term_progress.h"
#include "app/cli/check_fix.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "vault/vault.h"

struct options {
    struct cli_common common;
    struct option_list kinds;
    str folder;
    int64_t limit, offset;
    bool all, fix, yes;
};

static const struct option table[] = {
    OPTION(struct options, kinds, OPTION_LIST, "kind", NULL, NULL, "KIND,...",
           "Only findings of this kind (see above)", .letter = 'k'),
    CLI_SWITCH(
        struct options, all, "all",
        "Also report what may be intended: orphans, empty notes, unused attachments"),
    CLI_SWITCH(
        struct options, fix, "fix",
        "Show how to fix what needs no decision, and ask: ambiguous wikilinks become "
        "full paths"),
    CLI_SWITCH(struct options, yes, "yes", "With --fix: make the changes without asking"),
    OPTION(struct options, folder, OPTION_STR, "folder", NULL, NULL, "FOLDER",
           "Only below that folder"),
    CLI_LIMIT(struct options, 200, "COUNT"),
    OPTION(struct options, offset, OPTION_INT, "offset", NULL, "0", "COUNT",
           "How many to skip", .min = 0, .max = INT32_MAX),
    CLI_COMMON,
};

static bool cli_check_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct check_limits limits = {.policy_property = settings_policy(&o->common.access),
                                  .folder = o->folder,
                                  .offset = (size_t)o->offset,
                                  .max = cli_limit(c, o->limit, 200)};
    struct findings findings = {.offset = limits.offset};
    if (o->fix && (c->json || o->kinds.n > 0))
        return err_set(err, ERR_INVALID, "give --fix without --json and --kind");
    if (o->fix)
        return check_fix(c, o->folder, o->yes, err);
    cli_unlock(c);
    vault_count_policies(c->vault, &findings.policies);
    bool ok = findings_kinds(c->arena, o->kinds.items, o->kinds.n, o->all, &limits.kinds,
                             err) &&
              findings_look(c->vault, c->arena, &limits, err);
    cli_lock(c);
    if (!ok)
        return false;
    struct term_busy *busy = term_busy_begin("Checking the notes");
    limits.types = vault_obsidian(c->vault);
    check_vault(c->index, c->arena, &limits, &findings.found);
    term_busy_end(busy);
    c->status = findings.found.problems > 0;
    return cli_answer(c, &findings_shape, &findings);
}

const struct cli_verb cli_check = {
    .name = "check",
    .arguments = "",
    .about = "Find broken links, ambiguous names, broken properties, duplicate ids",
    .help =
        "  vaultd check\n"
        "  vaultd check --kind broken_link --json\n"
        "  vaultd check --kind near_duplicate\n"
        "  vaultd check --fix                 a diff, and a question; one change\n\n"
        "Kinds: not_indexed, unread_file, broken_properties, policy_value,\n"
        "property_value, broken_canvas, broken_link, broken_subpath, ambiguous_link,\n"
        "twin_path, conflict_copy, duplicate_block_id, duplicate_name; with --all also\n"
        "empty_note, orphan_note, orphan_attachment; only by name hub_note, stale_note,\n"
        "near_duplicate. Exit code 1: there are errors or warnings.\n",
    .pages = true,
    .options = table,
    .options_size = sizeof(struct options),
    .run = cli_check_run,
};
