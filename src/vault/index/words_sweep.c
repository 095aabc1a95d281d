/*
 * Dead slots are removed gradually, so that no change takes long. When there are enough
 * of them, all documents get new slots in the same order immediately, because that
 * changes few numbers; the lists are rewritten a few at a time, whenever a document is
 * added or removed. Until then, a list is written and read with the old slots; new
 * documents have an old slot, too.
 */
#include "vault/index/words_index.h"

enum { DEAD_LEAST = 256 }; /* below this number, it is never worth it */

static bool words_sweep_is_worth_it(const struct words *w)
{
    uint32_t dead = w->n_slots - 1 - w->live;
    return dead >= DEAD_LEAST && dead > w->live / 4;
}

static void words_sweep_begin(struct words *w)
{
    words_own(w);
    struct words_sweep *s = &w->sweep;
    uint32_t *moved = mem_zero(size_mul(w->n_slots, sizeof(*moved)));
    uint32_t n = 1;
    for (uint32_t slot = 1; slot < w->n_slots; slot++) {
        if (w->lengths[slot] == 0)
            continue;
        w->ids[n] = w->ids[slot];
        w->lengths[n] = w->lengths[slot];
        w->titles[n] = w->titles[slot];
        w->languages[n] = w->languages[slot];
        w->slots[w->ids[n]] = n;
        moved[slot] = n++;
    }
    *s =
        (struct words_sweep){.at = 0, .moved = moved, .n = w->n_slots, .cap = w->n_slots};
    w->n_slots = n;
}

void words_sweep_release(struct words_sweep *s)
{
    free(s->moved);
    free(s->buffer);
    *s = (struct words_sweep){.at = UINT32_MAX};
}

/* Rewrite the list of one term; returns the cost. */
static size_t sweep_term(struct words *w, struct words_term *t)
{
    struct words_sweep *s = &w->sweep;
    struct words_end end;
    uint32_t was = t->used;
    if (was == 0)
        return WORDS_SWEEP_TERM;
    s->buffer = words_room(s->buffer, 0, was, &s->buffer_size, 1);
    uint32_t used = words_rewrite(w, t, s->buffer, &end);
    words_replace(w, t, s->buffer, used, end);
    if (used == 0)
        words_disuse(w, t);
    return WORDS_SWEEP_TERM + was;
}

static void words_sweep_end(struct words *w)
{
    words_sweep_release(&w->sweep);
    free(w->own_packed); /* it contains no list any more */
    w->own_packed = NULL;
    w->packed = NULL;
    w->n_packed = 0;
}

static void sweep(struct words *w, size_t bytes)
{
    struct words_sweep *s = &w->sweep;
    for (size_t done = 0; done < bytes && s->at < w->n_terms; s->at++)
        done += sweep_term(w, &w->terms[s->at]);
    if (s->at == w->n_terms)
        words_sweep_end(w);
}

void words_sweep_some(struct words *w)
{
    if (w->sweep.moved == NULL && words_sweep_is_worth_it(w))
        words_sweep_begin(w);
    if (w->sweep.moved != NULL)
        sweep(w, WORDS_SWEEP_BYTES);
}
