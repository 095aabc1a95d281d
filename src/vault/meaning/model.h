/*
 * model - a sentence model inside this process: texts become vectors without a library, a
 * second process or the network.
 *
 * The file is mapped read-only, so processes share it, and what is not used stays on
 * disk. A model has no threads; embedding uses the calling thread.
 */
#pragma once

#include "base/err.h"
#include "vault/meaning/embedder.h"
#include "vault/meaning/model_image.h"

struct model;

/* Fails with ERR_NOT_FOUND if there is no such file, with ERR_INVALID if it is not a
 * model that this program can use; the message says why. */
MUST_CHECK bool model_open(const char *path, struct model **out, struct err *err);
void model_close(struct model *m);

/* Its name, size, languages and licence (model_label()). */
const struct model_head *model_head(const struct model *m);

/* What the layers are given for a text: with the prefix of its side, and at most as long as
 * the model reads. */
void model_tokens(const struct model *m, struct arena *a, enum embed_side side, str text,
                  struct tokens *out);

/* Whether this machine has the instructions that make it fast; otherwise it takes several
 * times as long, and is used only if asked for. how: NULL, or their name. */
bool model_is_fast(const char **how);

/*
 * Usable as long as the model is open.
 *
 * It reads a text unless more than a MODEL_UNKNOWNth of its tokens are unknown: they are
 * in a script that the model was not made for. A model for English only reads it if
 * besides at least half of its letters are Latin and, from MODEL_JUDGED letters on, if its
 * words have at least MODEL_LETTERS / 10 letters for each token: a model that does not
 * know a language cuts its words into small parts. Few words say too little about their
 * language, so short questions are read; what they find is weighed by embedder.weak.
 */
enum { MODEL_UNKNOWN = 3, MODEL_JUDGED = 60, MODEL_LETTERS = 28 };
struct embedder model_embedder(struct model *m);
