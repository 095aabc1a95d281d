/*
 * linked - the answer to a query about links: from a note, to it, around it, between
 * two, and related notes; for the whole vault, unresolved links and notes
 * without links.
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/ask/mentions.h"
#include "vault/ask/near_link.h"
#include "vault/ask/related.h"
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
    LINKED_RELATED,
};

struct linked_question {
    enum linked_about about;
    const struct file *file; /* NULL: the whole vault, for unresolved and orphans */
    const struct file *to;   /* for a path: its other end */
    uint32_t depth;          /* for neighbours, */
    enum graph_way way;      /* 0: both ways */
    const struct glob *only; /* for backlinks: in matching files; NULL: in all */
    bool linked;             /* for related notes: also those that are linked, */
    struct meaning *meaning; /* and vectors; NULL: there are none */
    bool explain;            /* for outgoing links: report which rule chose the target */
    size_t offset, limit;
    const struct stop *stop; /* asked by the others; NULL: never */
};

struct linked_item {
    enum linked_about about;             /* never LINKED_BOTH */
    const struct file *file;             /* target, source or note; NULL: no such file */
    const struct file_link *link;        /* for outgoing links and backlinks */
    const struct names_answer *chosen;   /* for outgoing links that are explained */
    const struct graph_missing *missing; /* for the vault's unresolved links */
    const struct mention *mention;
    const struct related_note *related;
    uint32_t number; /* for neighbours the distance, for a path the step */
};

struct linked {
    const struct linked_question *question;
    const struct index *index;
    struct arena *arena;
    struct linked_item *items; /* the page: offset and limit */
    size_t n;
    size_t total;           /* of all */
    bool partial;           /* there may be more */
    struct near_link *near; /* what links that lead nowhere may mean */
};

/* The index and the question must outlive the result. Fails with TIMEOUT or ERR_LIMIT if
 * the question's stop says so. */
MUST_CHECK bool linked_find(const struct index *x, struct arena *a,
                            const struct linked_question *q, struct linked *out,
                            struct err *err);

/* The links in a note, which is no more work than reading it. */
void linked_outgoing(const struct index *x, struct arena *a,
                     const struct linked_question *q, struct linked *out);

/* The line that contains a backlink, at most max bytes of it; may be empty. */
str linked_line(const struct linked_item *i, size_t max);

extern const struct answer_shape linked_shape;

/* Its plain text; and that of an outgoing link, of linked_outgoing(). */
void linked_text(struct model_text *s, const void *linked);
void linked_text_link(struct model_text *s, const struct linked *l,
                      const struct linked_item *i);

/* Its members in JSON; also of what a broken one may mean. */
void linked_put_link(struct jsonw *w, const struct linked *l,
                     const struct linked_item *i);
