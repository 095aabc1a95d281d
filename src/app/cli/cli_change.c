#include "app/cli/cli_change.h"

#include "app/answers/changed.h"
#include "app/answers/remedy.h"
#include "app/cli/cli.h"
#include "app/cli/pick.h"
#include "base/os/file.h"
#include "base/os/machine.h"
#include "vault/draft.h"
#include "vault/draft_schema.h"
#include "vault/ops.h"
#include "vault/transact.h"

/* Identifies the request, whatever the output format: the command line and the text from
 * stdin. */
static str request_of(const struct cli *c)
{
    struct sbuf b = SBUF_ON(c->arena);
    for (int i = 0; i < c->argc; i++) {
        str word = str_c(c->argv[i]);
        if (str_eq(word, STR("--color")))
            i++;
        else if (!str_eq(word, STR("--json")) && !str_starts(word, STR("--color=")))
            sbuf_printf(&b, STR_FMT "\n", STR_ARG(word));
    }
    sbuf_add(&b, c->text);
    return sbuf_str(&b);
}

struct actor cli_actor(struct cli *c)
{
    struct machine_account user = {0};
    (void)!machine_find_account(c->arena, machine_user(), &user);
    return (struct actor){
        .tool = str_c(c->verb->name), .who = user.name, .client = STR("vaultd")};
}

struct idempotency cli_request(const struct cli *c, str key)
{
    return (struct idempotency){.key = key,
                                .request = key.n > 0 ? request_of(c) : STR("")};
}

struct cli_making {
    struct cli *c;
    const struct cli_changing *options;
    struct changed *out;
};

/* The owner is only warned. */
static bool cli_change_schemas(struct draft *d, struct changed *out, struct err *err)
{
    struct draft_schema found;
    if (!draft_schema_check(d, &found, err))
        return false;
    changed_warn_schemas(out, &found);
    return true;
}

static bool cli_change_steps(struct draft *d, void *arg, struct err *err)
{
    const struct cli_making *m = arg;
    *m->out = (struct changed){.arena = m->c->arena, .dry_run = m->options->dry_run};
    if (!m->c->verb->steps(m->c, m->options, d, m->out, err))
        return false;
    changed_settle(m->out, d);
    return draft_check(d, err) && cli_change_schemas(d, m->out, err);
}

/* As the tools do. */
static str cli_change_keep(struct arena *a, void *arg)
{
    const struct cli_making *m = arg;
    const struct cli_changing *o = m->options;
    bool wanted = o->idempotency_key.n > 0 || m->out->inside != NULL;
    return wanted ? changed_kept(a, m->out) : STR("");
}

/* Of several files with the name that comes first, a person picks one. */
static bool pick_for_change(struct cli *c, struct err *err)
{
    const struct file *f;
    bool picked = false;
    if (err->name != E_AMBIGUOUS || c->words.n == 0 || c->json || !pick_is_possible())
        return false;
    cli_lock(c);
    picked = pick_file(&c->out, c->index, c->words.items[0], &f, err);
    if (picked)
        c->words.items[0] = arena_str(c->arena, f->path);
    cli_unlock(c);
    return picked;
}

bool cli_make_change(struct cli *c, const void *options, struct changed *out,
                     struct err *err)
{
    const struct cli_changing *o = options;
    struct transact t = {.by = cli_actor(c),
                         .once = cli_request(c, o->idempotency_key),
                         .dry_run = o->dry_run,
                         .exact = o->if_match.n > 0,
                         .steps = cli_change_steps,
                         .keep = cli_change_keep,
                         .always = true,
                         .arg = &(struct cli_making){c, o, out}};
    struct draft_result made;
    *out = (struct changed){0};
    if (!transact_run(c->vault, c->arena, &t, &made, err) &&
        !(pick_for_change(c, err) && transact_run(c->vault, c->arena, &t, &made, err)))
        return remedy_for_commands(err);
    out->made = made;
    return true;
}

bool cli_run_change(struct cli *c, const void *options, struct err *err)
{
    struct changed out;
    return cli_make_change(c, options, &out, err) && cli_answer(c, &changed_shape, &out);
}

bool cli_run_text(struct cli *c, size_t i, const void *options, struct err *err)
{
    return cli_text(c, c->words.n > i ? c->words.items[i] : STR("-"), err) &&
           cli_run_change(c, options, err);
}

bool cli_text(struct cli *c, str argument, struct err *err)
{
    c->text = argument;
    if (!str_eq(argument, STR("-")))
        return true;
    struct sbuf b = SBUF_ON(c->arena);
    for (;;) {
        enum { CHUNK = 64 << 10 };
        size_t n;
        if (!file_read(FILE_STDIN, sbuf_room(&b, CHUNK), CHUNK, &n))
            return err_sys(err, "cannot read stdin");
        sbuf_took(&b, n);
        if (b.n > DRAFT_NOTE_MAX)
            return err_set(err, ERR_LIMIT, "a note can have at most %d bytes",
                           DRAFT_NOTE_MAX);
        if (n == 0)
            break;
    }
    c->text = sbuf_str(&b);
    return true;
}

bool cli_edited(bool ok, const struct draft_file *f, const struct edit_result *r,
                struct err *err)
{
    if (!ok && !ops_blame_encoding(f, err) && r->hint.n > 0)
        err_reword(err, STR_FMT STR_FMT, STR_ARG(r->lead), STR_ARG(r->hint));
    return ok;
}
