/*
 * vault_text - what stands in a made-up note: properties, prose, lists, tables, links.
 *
 * A note is written from what the plan says about it and from its own chance, so its
 * text does not depend on the notes before it.
 */
#pragma once

#include "vault_plan.h"

/* What was written so far, for the manifest. */
struct tally {
    uint64_t links, tasks_open, tasks_done;
};

enum { TOPICS = 16 };

struct text {
    struct sbuf *out;
    const struct plan *plan;
    const struct plan_note *note;
    struct tally *tally;
    struct rng rng;
    uint32_t topics[TOPICS]; /* the words this note keeps coming back to */
};

/* The ways to write a link to a note. */
enum link_form {
    LINK_PLAIN,
    LINK_ALIAS,
    LINK_HEADING,
    LINK_BLOCK,
    LINK_EMBED,
    LINK_PATH,
    LINK_MARKDOWN,
    LINK_RELATIVE,
    LINK_FORMS,
};

struct text text_begin(struct sbuf *out, const struct plan *plan, uint32_t note,
                       uint64_t seed, struct tally *tally);

/* Properties: tag and property ("key: value") are added to those that chance gives and
 * may be empty. */
void text_properties(struct text *t, str tag, str property);

void text_sentence(struct text *t);

/* A paragraph, heading, list, table, … and an empty line. */
void text_block(struct text *t);

void text_link(struct text *t, uint32_t note, enum link_form form);

/* An attachment's name, as links write it. */
void add_attachment(struct sbuf *b, uint32_t i);
