/*
 * model_known - what the files of some models do not say: prefixes, languages, licence.
 *
 * A model is found by its name, which is that of its folder unless the user says another.
 * The SHA-256 is that of model.safetensors as its authors publish it, and is there only
 * where several independent sources have the same.
 */
#pragma once

#include "vault/meaning/model_image.h"

struct known_model {
    const char *name;
    const char *query, *chunk; /* prefixes; NULL: none */
    const char *reads;         /* for people */
    const char *languages;     /* see model_head.languages */
    const char *licence;
    uint32_t length; /* tokens of a text */
    uint32_t width, layers;
    enum model_pooling pooling;
    float weak;          /* see embedder.h; 0: to be found out */
    const char *sha256;  /* NULL: not known here */
    const char *refused; /* why it cannot be used; NULL: it can */
};

/* NULL if it is not one of them. Case does not matter. */
const struct known_model *known_model_find(str name);
