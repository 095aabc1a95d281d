/* load_parts - files that are read in parallel. Private to load*.c. */
#pragma once

#include "base/stop.h"
#include "vault/load.h"
#include "vault/text/textscan.h"

/* State of one thread. */
struct load_worker {
    struct arena text, scratch;
    struct words_bulk *words; /* of a first scan */
    struct textscan *scan;    /* of an early index */
};

struct reading {
    const struct load *load;
    const struct walk_file **from;
    struct file **to; /* NULL: deleted in the meantime, or not wanted */
    size_t n;
    bool *excluded; /* of a first scan and an early index */
    str wanted;     /* of an early index: only files that may have this text */
    const struct stop *stop;
    atomic_size_t memory;   /* bytes of texts that are kept */
    atomic_bool is_stopped; /* files are missing */
    struct load_worker *workers;
    size_t n_workers;
};

/* Prepare to read all files of a walk, with their ids; and free what it needed. */
void load_reading_open(struct reading *r, const struct load *l, const struct walk *w);
void load_reading_close(struct reading *r);

/* Frees all of r->workers but their words. */
void load_read(struct reading *r);
