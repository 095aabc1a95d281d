#include "app/answers/changed.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "vault/draft.h"
#include "vault/note/frontmatter_edit.h"
#include "vault/note/prop.h"
#include "vault/ops.h"

struct options {
    struct cli_changing changing;
    struct option_list add, take, remove;
};

static const struct option table[] = {
    OPTION(struct options, add, OPTION_LIST, "add", NULL, NULL, "KEY=VALUE,...",
           "Add to the list at that key"),
    OPTION(struct options, take, OPTION_LIST, "take", NULL, NULL, "KEY=VALUE,...",
           "Remove from the list at that key"),
    OPTION(struct options, remove, OPTION_LIST, "remove", NULL, NULL, "KEY,...",
           "Remove that property"),
    CLI_CHANGING,
};

/* VALUE is parsed as JSON if it is valid (5, true, ["a"]), else it is a text. */
static bool frontmatter_value_of(struct cli *c, str text, const struct prop **out,
                                 struct err *err)
{
    const struct json *j;
    struct err ignored;
    struct prop *p;
    if (!json_parse(c->arena, text, &j, &ignored)) {
        *out = prop_of_text(c->arena, text);
        return true;
    }
    bool ok = prop_of_json(c->arena, j, &p, err);
    *out = p;
    return ok;
}

static bool add_edit(struct cli *c, struct frontmatter_edit *edits, size_t *n,
                     enum frontmatter_op op, str word, struct err *err)
{
    size_t at = str_find_char(word, '=');
    struct frontmatter_edit *e = &edits[(*n)++];
    *e = (struct frontmatter_edit){.op = op, .key = str_slice(word, 0, at)};
    if (op == FRONTMATTER_UNSET)
        return true;
    if (at == STR_NONE)
        return err_set(err, ERR_INVALID, "'" STR_FMT "' is not KEY=VALUE", STR_ARG(word));
    return frontmatter_value_of(c, str_skip(word, at + 1), &e->value, err);
}

static bool cli_frontmatter_steps(struct cli *c, const void *options, struct draft *d,
                                  struct changed *out, struct err *err)
{
    const struct options *o = options;
    struct draft_file f;
    struct frontmatter_edited r;
    size_t n = 0, most = c->words.n + o->add.n + o->take.n + o->remove.n;
    struct frontmatter_edit *edits = ARENA_ARRAY(c->arena, struct frontmatter_edit, most);
    const struct {
        enum frontmatter_op op;
        struct option_list list;
    } sources[] = {
        {FRONTMATTER_SET, {c->words.items + 1, c->words.n - 1}},
        {FRONTMATTER_ADD, o->add},
        {FRONTMATTER_TAKE, o->take},
        {FRONTMATTER_UNSET, o->remove},
    };
    for (size_t i = 0; i < COUNT_OF(sources); i++)
        for (size_t k = 0; k < sources[i].list.n; k++)
            if (!add_edit(c, edits, &n, sources[i].op, sources[i].list.items[k], err))
                return false;
    return ops_open(d, c->words.items[0], &f, err) &&
           draft_match(d, f.path, o->changing.if_match, err) &&
           frontmatter_edit(c->arena, f.text, edits, n, &r, err) &&
           changed_properties(out, d, &f, &r, err);
}

const struct cli_verb cli_frontmatter = {
    .name = "frontmatter",
    .arguments = "PATH [KEY=VALUE...]",
    .about = "Set and remove properties of a note; everything else stays as it is",
    .help = "  vaultd frontmatter Plan.md status=done rating=5 'people=[\"Ann\"]'\n"
            "  vaultd frontmatter Plan.md --add tags=garden --remove draft\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = SIZE_MAX,
    .changes = true,
    .run = cli_run_change,
    .steps = cli_frontmatter_steps,
};
