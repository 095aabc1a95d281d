#include "vault/meaning/rank_fusion.h"

static const float words_part = 0.5F; /* measured: bench/README.md */
static const float name = 0.25F; /* for "Tomasz phone", a note about Tomasz comes first */

static float within_one(float v)
{
    return v > 1 ? 1 : v > 0 ? v : 0;
}

float rank_fusion_words(const struct rank_fusion *f, float bm25, bool named)
{
    return f->ideal > 0 ? within_one(bm25 / f->ideal + (named ? name : 0)) : 0;
}

/* Cosines of good and bad answers differ little, so it is their place between the best
 * and the last that counts; unless even the best is so far away that it may be by
 * chance. */
float rank_fusion_meaning(const struct rank_fusion *f, float cosine)
{
    if (f->best <= 0 || cosine < f->last)
        return 0;
    float range = f->best - f->last;
    float near = range > 0 ? within_one((cosine - f->last) / range) : 1;
    return f->best < f->weak ? near * f->best / f->weak : near;
}

float rank_fusion_score(float words, float meaning)
{
    return words_part * words + (1 - words_part) * meaning;
}
