#include "app/answers/term.h"
#include "app/answers/term_progress.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "app/setup/embedding.h"
#include "app/setup/settings.h"
#include "base/os/interrupt.h"
#include "vault/meaning/meaning.h"
#include "vault/vault.h"

enum { LOOK_MS = 200 };

struct options {
    struct cli_common common;
};

static const struct option table[] = {CLI_EMBEDDINGS, CLI_COMMON};

static bool embeddings_is_word(const struct cli *c, str word)
{
    return str_eq(c->words.items[0], word);
}

static enum cli_meaning meaning_of_word(const struct cli *c)
{
    if (embeddings_is_word(c, STR("build")))
        return CLI_EMBEDS;
    return embeddings_is_word(c, STR("status")) ? CLI_RECALLS : CLI_NO_MEANING;
}

static struct meaning_state embeddings_look(struct cli *c)
{
    const struct index *x = vault_lock(c->vault);
    struct meaning_state s = meaning_state(vault_meaning(c->vault), x, c->arena);
    vault_unlock(c->vault);
    return s;
}

static bool has_embedder(struct cli *c, struct err *err)
{
    return vault_meaning(c->vault) != NULL ||
           err_set(err, ERR_NOT_FOUND,
                   "embeddings are off: install the built-in model (vaultd model "
                   "install), or name a server with --embeddings URL");
}

/* --- status --- */

static void put_json(struct cli *c, const struct meaning_state *s)
{
    struct cli_json json;
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    jsonw_put_str(w, STR("model"), s->about);
    jsonw_put_int(w, STR("chunks"), (int64_t)s->chunks);
    jsonw_put_int(w, STR("embedded"), (int64_t)s->embedded);
    jsonw_put_int(w, STR("unread"), (int64_t)s->unread);
    jsonw_put_text(w, STR("problem"), s->problem);
    jsonw_end(w);
    cli_json_print(c, &json);
}

static bool show(struct cli *c, struct err *err)
{
    if (!has_embedder(c, err))
        return false;
    (void)vault_wait_embedded(c->vault, UINT32_MAX); /* the file is read */
    struct meaning_state s = embeddings_look(c);
    if (c->json)
        put_json(c, &s);
    else
        term_printf(&c->out, TERM_PLAIN, STR_FMT "\n",
                    STR_ARG(embedding_line(c->arena, &s)));
    return true;
}

/* --- build --- */

/* A new problem, in a line of its own. */
static void embeddings_report(const struct meaning_state *s, str *problem,
                              struct term_progress *line)
{
    if (s->problem.n > 0 && !str_eq(s->problem, *problem))
        term_progress_say(line, s->problem);
    *problem = s->problem;
    term_progress_show(line, s->embedded + s->unread, s->chunks);
}

/* Closing the vault stores what was made. */
static bool embeddings_stopped(const struct meaning_state *s, struct err *err)
{
    return err_set(err, ERR_BUSY,
                   "stopped: %zu of %zu chunks of notes are embedded, and kept; vaultd "
                   "embeddings build continues there",
                   s->embedded, s->chunks);
}

static bool build(struct cli *c, struct err *err)
{
    if (!has_embedder(c, err))
        return false;
    struct meaning_state s = {0};
    struct term_progress line = term_progress_begin("Embedding the notes", "chunks");
    str problem = {0};
    const atomic_bool *stop = interrupt_begin(); /* until the end: the vault is closed */
    while (!atomic_load(stop) && !vault_wait_embedded(c->vault, LOOK_MS)) {
        s = embeddings_look(c);
        embeddings_report(&s, &problem, &line);
    }
    term_progress_end(&line);
    s = embeddings_look(c);
    if (atomic_load(stop))
        return embeddings_stopped(&s, err);
    if (s.problem.n > 0)
        return err_set(err, ERR_INTERNAL, STR_FMT, STR_ARG(s.problem));
    return show(c, err);
}

/* --- clear --- */

static bool clear(struct cli *c, const struct cli_common *o, struct err *err)
{
    bool found;
    str state = settings_state_dir(c->arena, o->state_dir);
    if (!vault_forget_meaning(c->vault, state.p, &found, err))
        return false;
    if (!c->json)
        term_put(&c->out, TERM_PLAIN,
                 found ? STR("Removed the embeddings of this vault\n")
                       : STR("This vault has no embeddings\n"));
    return true;
}

static bool embeddings_run(struct cli *c, const void *options, struct err *err)
{
    if (embeddings_is_word(c, STR("status")))
        return show(c, err);
    if (embeddings_is_word(c, STR("build")))
        return build(c, err);
    if (embeddings_is_word(c, STR("clear")))
        return clear(c, options, err);
    return err_set(err, ERR_INVALID,
                   "'" STR_FMT "' is not one of status, build and clear",
                   STR_ARG(c->words.items[0]));
}

const struct cli_verb cli_embeddings = {
    .name = "embeddings",
    .arguments = "status|build|clear",
    .about = "Manage embeddings, for search by meaning",
    .help =
        "  vaultd embeddings status   the provider, and how many notes are embedded\n"
        "  vaultd embeddings build    create all that are missing, and wait\n"
        "  vaultd embeddings clear    remove them\n\n"
        "A server creates them in the background, when it is idle. They are\n"
        "kept in the state folder, without any text, but much of a text can be\n"
        "reconstructed from its embeddings: keep that folder as private as the notes.\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = 1,
    .changes = true,
    .meaning = meaning_of_word,
    .run = embeddings_run,
};
