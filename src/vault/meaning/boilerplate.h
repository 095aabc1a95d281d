/*
 * boilerplate - paragraphs that many notes share, such as footers and parts of templates.
 * They say nothing about a note, and would be the nearest chunk of everything.
 *
 * They are found in two rounds over all notes: the first counts in a small table, in
 * which different paragraphs may share a counter, the second counts only what may be
 * shared.
 */
#pragma once

#include "vault/index/file.h"

/* By notes: at least so many, and one in BOILERPLATE_PART of all. */
enum { BOILERPLATE_MIN = 20, BOILERPLATE_PART = 100 };

struct boilerplate {
    uint64_t *hashes; /* in order */
    size_t n;
};

struct boilerplate_counter;

/* Begin to count, for a vault with that many notes. */
struct boilerplate_counter *boilerplate_begin(size_t notes);

/* The first round: for every note. */
void boilerplate_screen(struct boilerplate_counter *c, const struct file *f);

/* The second round: for every note, once. */
void boilerplate_count(struct boilerplate_counter *c, const struct file *f);

/* The result, and the end of c. */
struct boilerplate boilerplate_end(struct boilerplate_counter *c);
void boilerplate_release(struct boilerplate *c);

bool boilerplate_same(const struct boilerplate *a, const struct boilerplate *b);

/* Whether a paragraph is shared; c may be NULL. */
bool boilerplate_has(const struct boilerplate *c, str paragraph);
