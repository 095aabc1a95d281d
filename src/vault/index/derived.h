/*
 * derived - a table made of the files of an index: nothing is collected until the first
 * question; then it is kept. One writer; any number of threads may ask while there is no
 * writing: the first of them collects, and the others wait.
 */
#pragma once

#include "base/lock.h"
#include "vault/index/file.h"

/* The first member of each table. */
struct derived {
    struct lock lock; /* of collecting */
    bool made;
};

/* What a table does; t is the table. Called only while it is made or collects. */
struct derived_kind {
    size_t size;                                   /* of the table */
    void (*begin)(void *t);                        /* before collecting; or NULL */
    void (*add)(void *t, const struct file *f);    /* f came into the index */
    void (*collected)(void *t);                    /* after collecting; or NULL */
    void (*remove)(void *t, const struct file *f); /* f is about to leave it */
    void (*clear)(void *t);                        /* empty again */
    void (*release)(void *t);                      /* after clear(), for good; or NULL */
    size_t (*memory)(const void *t);               /* approximate, in bytes */
};

extern const struct derived_kind values_kind, titles_kind, tasks_kind, title_bigrams_kind;

struct derived *derived_create(const struct derived_kind *kind);
void derived_free(struct derived *t, const struct derived_kind *kind);

/* Before a question: collect from the files, unless that is done. */
void derived_need(struct derived *t, const struct derived_kind *kind,
                  struct file *const *files, file_id n);

/* Many files are about to change: collect again at the next question. */
void derived_forget(struct derived *t, const struct derived_kind *kind);
