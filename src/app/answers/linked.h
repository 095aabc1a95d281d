/*
 * linked - the answer to a question about links: from a note, to it, around it, between
 * two, and of the whole vault those that lead nowhere and notes without any.
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/ask/mentions.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"

struct glob;

enum linked_about {
    LINKED_OUTGOING,
    LINKED_BACKLINKS,
    LINKED_BOTH,
    LINKED_NEIGHBOURS,
    LINKED_PATH,
    LINKED_UNRESOLVED,
    LINKED_ORPHANS,
    LINKED_MENTIONS,
};

struct linked_question {
    enum linked_about about;
    const struct file *file; /* NULL: the whole vault, of unresolved and orphans */
    const struct file *to;   /* of a path: its other end */
    uint32_t depth;          /* of neighbours, */
    enum graph_way way;      /* 0: both ways */
    const struct glob *only; /* of backlinks: those in files that fit; NULL: in all */
    bool explain;            /* of outgoing ones: which rule chose the target */
    size_t offset, limit;
    struct mentions_limits limits; /* of mentions; max is set here */
};

struct linked_item {
    enum linked_about about; /* never LINKED_BOTH */
    const struct file *file; /* target, source or note; NULL: there is no such file */
    const struct file_link *link;        /* of outgoing ones and backlinks */
    const struct names_answer *chosen;   /* of outgoing ones that are explained */
    const struct graph_missing *missing; /* of the vault's unresolved ones */
    const struct mention *mention;
    uint32_t number; /* of neighbours the distance, of a path the step */
};

struct linked {
    const struct linked_question *question;
    const struct index *index;
    struct arena *arena;
    struct linked_item *items; /* those of offset and limit */
    size_t n;
    size_t total; /* of all */
    bool partial; /* there may be more */
};

/* The index and the question must outlive the result. */
void linked_find(const struct index *x, struct arena *a, const struct linked_question *q,
                 struct linked *out);

/* The line that a backlink is in, of at most max bytes; may be empty. */
str linked_line(const struct linked_item *i, size_t max);

extern const struct answer_shape linked_shape;
