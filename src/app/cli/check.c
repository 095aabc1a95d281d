#include "vault/ask/check.h"
#include "app/answers/findings.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "base/utf8.h"

struct options {
    struct cli_common common;
    struct option_list kinds;
    int64_t limit;
    bool all;
};

static const struct option table[] = {
    OPTION(struct options, kinds, OPTION_LIST, "kind", NULL, NULL, "KIND,...",
           "Only findings of this kind (see above)", .letter = 'k'),
    OPTION(struct options, all, OPTION_SWITCH, "all", NULL, NULL, NULL,
           "Also report what may be intended: orphans, empty notes, unused attachments"),
    OPTION(struct options, limit, OPTION_INT, "limit", NULL, "200", "COUNT",
           "How many to show", .min = 1, .max = 1000000, .letter = 'n'),
    CLI_COMMON,
};

enum { KIND_MAX = 60 };

static bool read_kinds(const struct options *o, unsigned *out, struct err *err)
{
    static const unsigned meant =
        1u << CHECK_EMPTY | 1u << CHECK_ORPHAN | 1u << CHECK_ATTACHMENT;
    *out = o->all ? 0 : ((1u << CHECK_KINDS) - 1) & ~meant;
    if (o->kinds.n > 0)
        *out = 0;
    for (size_t i = 0; i < o->kinds.n; i++) {
        enum check_kind kind = check_kind_of(o->kinds.items[i]);
        if (kind == CHECK_KINDS)
            return err_set(err, ERR_INVALID,
                           "no such kind '" STR_FMT "'; vaultd check --help lists them",
                           STR_ARG(utf8_cut(o->kinds.items[i], KIND_MAX)));
        *out |= 1u << kind;
    }
    return true;
}

static bool cli_check_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct check_limits limits = {.max = (size_t)o->limit};
    struct findings findings = {.index = c->index};
    if (!read_kinds(o, &limits.kinds, err))
        return false;
    check_vault(c->index, c->arena, &limits, &findings.found);
    c->status = findings.found.problems > 0;
    return cli_answer(c, &findings_shape, &findings);
}

const struct cli_verb cli_check = {
    .name = "check",
    .arguments = "",
    .about = "Find broken links, ambiguous names, broken properties, duplicate ids",
    .help = "  vaultd check\n"
            "  vaultd check --kind broken_link --json\n\n"
            "Kinds: unread_file, broken_properties, broken_canvas, broken_link,\n"
            "broken_subpath, ambiguous_link, twin_path, duplicate_block_id,\n"
            "duplicate_name; with --all also empty_note, orphan_note,\n"
            "orphan_attachment. Exit code 1: there are errors or warnings.\n",
    .options = table,
    .options_size = sizeof(struct options),
    .run = cli_check_run,
};
