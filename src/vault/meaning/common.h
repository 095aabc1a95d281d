/*
 * common - paragraphs that many notes share, such as footers and parts of templates. They
 * say nothing about a note, and would be the nearest piece of everything.
 *
 * They are found in two rounds over all notes: the first counts in a small table, in which
 * different paragraphs may share a counter, the second counts only what may be shared.
 */
#pragma once

#include "vault/index/file.h"

/* By notes: at least so many, and one in COMMON_PART of all. */
enum { COMMON_MIN = 20, COMMON_PART = 100 };

struct common {
    uint64_t *hashes; /* in order */
    size_t n;
};

struct common_count;

/* Begin to count, for a vault with that many notes. */
struct common_count *common_begin(size_t notes);

/* The first round: for every note. */
void common_sift(struct common_count *c, const struct file *f);

/* The second round: for every note, once. */
void common_weigh(struct common_count *c, const struct file *f);

/* The result, and the end of c. */
struct common common_end(struct common_count *c);
void common_release(struct common *c);

bool common_same(const struct common *a, const struct common *b);

/* Whether a paragraph is shared; c may be NULL. */
bool common_has(const struct common *c, str paragraph);
