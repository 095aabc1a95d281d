/*
 * rank_fusion - one score of two: how well a note matches the words of a question, and
 * how near it is in meaning. Pure numbers.
 *
 * Scores are fused, not ranks: a note that has all rare words of a question is nearly 1
 * by words however many others there are, and one that has only a few stays near 0. So
 * whichever of the two knows more decides.
 */
#pragma once

#include <stdbool.h>

struct rank_fusion {
    float ideal;      /* BM25 of a note that has nothing but the words; 0: no words */
    float best, last; /* cosines: of the nearest note, and of the last that counts */
    float weak;       /* a best cosine below this says little; 0: unknown */
};

/* The cosine of a note that was not found by meaning. */
#define RANK_FUSION_FAR (-1.0F)

/* From 0 to 1: how well the words match, the more if the question names the note; and how
 * near its meaning is. */
float rank_fusion_words(const struct rank_fusion *f, float bm25, bool named);
float rank_fusion_meaning(const struct rank_fusion *f, float cosine);

/* Both of them; from 0 to 1. */
float rank_fusion_score(float words, float meaning);
