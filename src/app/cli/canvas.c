#include "app/answers/changed.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "base/sbuf.h"
#include "vault/draft.h"
#include "vault/forms/canvas_edit.h"
#include "vault/note/edit.h"
#include "vault/ops.h"

struct options {
    struct cli_changing changing;
};

static const struct option table[] = {CLI_CHANGING};

/* The words after the first, each a JSON object, as one list. */
static bool read_steps(struct cli *c, const struct json **out, struct err *err)
{
    struct sbuf text = SBUF_ON(c->arena);
    for (size_t i = 1; i < c->words.n; i++)
        sbuf_printf(&text, "%s" STR_FMT, i > 1 ? "," : "[", STR_ARG(c->words.items[i]));
    sbuf_char(&text, ']');
    return json_parse(c->arena, sbuf_str(&text), out, err) ||
           err_reword(err, "a STEP is a JSON object: %s", err->msg);
}

static bool cli_canvas_steps(struct cli *c, const void *options, struct draft *d,
                             struct changed *out, struct err *err)
{
    const struct options *o = options;
    const struct json *steps;
    struct canvas_edited r;
    struct draft_file f;
    str path;
    out->done = "created";
    if (!read_steps(c, &steps, err) ||
        !ops_canvas_path(d, c->words.items[0], &path, err) ||
        !ops_open_or_create(d, path, &f, &out->is_done, err) ||
        !draft_match(d, f.path, o->changing.if_match, err) ||
        !ops_edit_canvas(d, &f, steps, &r, err))
        return false;
    out->did = r.did;
    out->n_did = r.n_did;
    return changed_rewrite(out, d, &f, changed_all(&(struct edit_result){.text = r.text}),
                           err);
}

const struct cli_verb cli_canvas = {
    .name = "canvas",
    .arguments = "FILE STEP...",
    .about = "Add, change, connect and remove nodes of a canvas",
    .help =
        "Each STEP is a JSON object. A node is named by its id or its title, which\n"
        "vaultd read --outline shows. A missing canvas is created.\n\n"
        "  vaultd canvas Map '{\"add\":\"text\",\"text\":\"Idea\",\"near\":\"Plan\"}'\n"
        "  vaultd canvas Map "
        "'{\"add\":\"group\",\"label\":\"Now\",\"around\":[\"Idea\"]}'\n"
        "  vaultd canvas Map '{\"connect\":\"Idea\",\"to\":\"Plan\",\"label\":\"so\"}'\n"
        "  vaultd canvas Map '{\"remove\":\"Idea\"}'\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 2,
    .words_max = SIZE_MAX,
    .changes = true,
    .run = cli_run_change,
    .steps = cli_canvas_steps,
};
