/*
 * fuse - one score of two: how well a note matches the words of a question, and how near
 * it is in meaning. Pure numbers.
 *
 * Scores are fused, not ranks: a note that has all rare words of a question is nearly 1
 * by words however many others there are, and one that has only a few stays near 0. So
 * whichever of the two knows more decides.
 */
#pragma once

#include <stdbool.h>

struct fuse {
    float ideal;      /* BM25 of a note that has nothing but the words; 0: no words */
    float best, last; /* cosines: of the nearest note, and of the last that counts */
    float weak;       /* a best cosine below this says little; 0: unknown */
};

/* The cosine of a note that was not found by meaning. */
#define FUSE_FAR (-1.0F)

/* From 0 to 1: how well the words match, the more if the question names the note; and how
 * near its meaning is. */
float fuse_words(const struct fuse *f, float bm25, bool named);
float fuse_meaning(const struct fuse *f, float cosine);

/* Both of them; from 0 to 1. */
float fuse_score(float words, float meaning);
