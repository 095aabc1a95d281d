#include "vault/index/words_index.h"

/* Append the documents of from to those of w, in the same order. */
static void take_slots(struct words *w, struct words *from)
{
    for (uint32_t slot = 1; slot < from->n_slots; slot++) {
        uint32_t id = from->ids[slot];
        bool live = from->lengths[slot] != 0;
        if (live && id < w->n_ids && w->slots[id] != 0)
            BUG("document %u is in both", id);
        words_take_slot(w, id, from->lengths[slot], from->titles[slot]);
    }
}

static void take_terms(struct words *w, struct words *from, uint32_t first, uint32_t n,
                       uint32_t shift)
{
    struct words_key keys[WORDS_AT_A_TIME];
    const struct words_key *all[WORDS_AT_A_TIME];
    const struct words_term *taken[WORDS_AT_A_TIME];
    uint32_t terms[WORDS_AT_A_TIME];
    size_t used = 0;
    for (uint32_t t = first; t < first + n; t++) {
        if (from->terms[t].used == 0)
            continue;
        taken[used] = &from->terms[t];
        words_make_key(w, words_name(from, taken[used]), &keys[used]);
        all[used] = &keys[used];
        used++;
    }
    words_intern(w, all, used, terms);
    for (size_t i = 0; i < used; i++)
        words_append_list(w, &w->terms[terms[i]], from, taken[i], shift);
}

void words_take(struct words *w, struct words *from)
{
    if (w->n_slots == 1) {
        struct words empty = *w;
        *w = *from;
        *from = empty;
        return;
    }
    words_own(w);
    words_sweep_all(w);
    words_sweep_all(from);
    uint32_t shift = w->n_slots - 1;
    take_slots(w, from);
    for (uint32_t t = 0; t < from->n_terms; t += WORDS_AT_A_TIME) {
        uint32_t n = from->n_terms - t;
        take_terms(w, from, t, n < WORDS_AT_A_TIME ? n : WORDS_AT_A_TIME, shift);
    }
    words_clear(from);
}
