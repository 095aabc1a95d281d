/*
 * model_config - the shape of a sentence encoder, from the small files that its authors
 * publish beside the weights.
 *
 * The families BERT and XLM-R (bert, roberta, xlm-roberta, camembert): what differs between
 * them is where positions begin. What these files ask for and the layers do not have is
 * refused with its name.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "vault/meaning/kernel.h"
#include "vault/meaning/model_image.h"

enum { MODEL_CONFIG_BYTES = 1 << 20 }; /* of each file */

/* The files as JSON; empty: there is no such file. */
struct model_files {
    str config;   /* config.json: needed */
    str modules;  /* modules.json */
    str pooling;  /* 1_Pooling/config.json */
    str sentence; /* sentence_bert_config.json: the length of texts */
    str prompts;  /* config_sentence_transformers.json */
};

struct model_config {
    uint32_t rows, positions, width, layers, heads, inner;
    uint32_t types;  /* rows of the table of which the first is added to every token */
    uint32_t offset; /* rows of the table of positions before the first one in use */
    uint32_t length; /* tokens of a text, at most TOKENS_MAX */
    float epsilon;
    enum kernel_bend bend;
    enum model_pooling pooling;
    bool has_pooling; /* a file says so */
    str query, chunk; /* prefixes; empty: none */
};

MUST_CHECK bool model_config_read(struct arena *a, const struct model_files *files,
                                  struct model_config *out, struct err *err);
