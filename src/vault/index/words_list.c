/* Lists of postings; words_index.h describes the format. */
#include "vault/index/words_index.h"

/* Nearly all postings are of bodies only, so this case comes first. */
static uint8_t *write_posting(uint8_t *out, uint32_t step,
                              const uint32_t tf[WORDS_FIELDS])
{
    uint32_t body = tf[WORDS_BODY];
    step <<= 3;
    if ((tf[0] | tf[1] | tf[2] | tf[3]) == 0) {
        if (body <= WORDS_IN_BODY)
            return words_put_number(out, step | (body - 1));
        return words_put_number(words_put_number(out, step | WORDS_IN_BODY), body);
    }
    unsigned fields = 0;
    for (unsigned f = 0; f < WORDS_FIELDS; f++)
        fields |= tf[f] > 0 ? 1u << f : 0;
    out = words_put_number(out, step | WORDS_IN_FIELDS);
    *out++ = (uint8_t)fields;
    for (unsigned f = 0; f < WORDS_FIELDS; f++)
        if (tf[f] > 0)
            out = words_put_number(out, tf[f]);
    return out;
}
_Static_assert(WORDS_BODY == 4, "the fields before the body are those above");

const uint8_t *words_read_posting(const uint8_t *list, const uint8_t *end,
                                  struct words_posting *p)
{
    uint32_t step;
    list = words_number(list, end, &step);
    p->slot += step >> 3;
    memset(p->tf, 0, sizeof(p->tf));
    unsigned form = step & 7;
    if (form < WORDS_IN_BODY) {
        p->tf[WORDS_BODY] = form + 1;
        return list;
    }
    unsigned fields = form == WORDS_IN_BODY ? 1u << WORDS_BODY : list < end ? *list++ : 0;
    for (unsigned f = 0; f < WORDS_FIELDS; f++)
        if (fields >> f & 1 && list < end)
            list = words_number(list, end, &p->tf[f]);
    return list;
}

static uint32_t count_few(const struct words_term *t)
{
    struct words_posting p = {0};
    uint32_t df = 0;
    for (const uint8_t *at = t->few, *end = at + t->used; at < end; df++)
        at = words_read_posting(at, end, &p);
    return df;
}

static uint32_t df_of(const struct words_term *t)
{
    return t->used > WORDS_FEW ? t->df : count_few(t);
}

size_t words_df(const struct words_term *t)
{
    uint32_t df = df_of(t);
    return df < t->used ? df : t->used;
}

size_t words_live_df(const struct words *w, const struct words_term *t)
{
    if (w->live + 1 == w->n_slots && !words_is_old(w, t))
        return words_df(t);
    const uint32_t *moved = words_is_old(w, t) ? w->sweep.moved : NULL;
    uint32_t n_slots = moved != NULL ? w->sweep.n : w->n_slots, df = 0;
    struct words_posting p = {0};
    for (const uint8_t *at = words_bytes(w, t), *end = at + t->used; at < end;) {
        at = words_read_posting(at, end, &p);
        if (p.slot >= n_slots)
            break;
        df += w->lengths[moved != NULL ? moved[p.slot] : p.slot] != 0;
    }
    return df;
}

/*
 * The capacity for a list of n bytes: at most a quarter more, rounded as malloc rounds.
 */
static size_t list_room(uint32_t n)
{
    if (n <= WORDS_FEW)
        return 0;
    size_t own = sizeof(size_t), need = own + n;
    size_t step = need < 128 ? 16 : (size_t)1 << (61 - __builtin_clzll(need));
    return ((need + step - 1) & ~(step - 1)) - own;
}

/* The memory of the list of t, including malloc's header; 0 if it is not allocated. */
static size_t room_of(const struct words_term *t)
{
    bool allocated = t->used > WORDS_FEW && !words_is_packed(t);
    return allocated ? list_room(t->used) + sizeof(size_t) : 0;
}

/* Make room for used bytes in total, keeping the contents. */
static uint8_t *words_list_make_room(struct words *w, struct words_term *t, uint32_t used)
{
    size_t old = room_of(t), want = list_room(used);
    if (want == 0)
        return t->few;
    if (want + sizeof(size_t) == old)
        return words_allocated(t);
    uint32_t df = df_of(t);
    uint8_t *list = mem_grow(old > 0 ? words_allocated(t) : NULL, want);
    if (old == 0)
        memcpy(list, words_bytes(w, t), t->used);
    t->list = (uintptr_t)list;
    t->df = df;
    w->list_bytes += want + sizeof(size_t) - old;
    return list;
}

void words_append(struct words *w, struct words_term *t, uint32_t slot,
                  const uint32_t tf[WORDS_FIELDS])
{
    uint8_t bytes[WORDS_POSTING_MAX];
    uint32_t used = t->used, n;
    n = (uint32_t)(write_posting(bytes, slot - t->last, tf) - bytes);
    if (n > INT32_MAX - used)
        BUG("a list is too long");
    memcpy(words_list_make_room(w, t, used + n) + used, bytes, n);
    t->used = used + n;
    t->last = slot;
    if (t->used > WORDS_FEW)
        t->df++;
}

static bool occurs(const struct words_posting *p)
{
    uint32_t any = 0;
    for (unsigned f = 0; f < WORDS_FIELDS; f++)
        any |= p->tf[f];
    return any != 0;
}

uint32_t words_rewrite(const struct words *w, const struct words_term *t, uint8_t *out,
                       struct words_end *last)
{
    const uint32_t *moved = words_is_old(w, t) ? w->sweep.moved : NULL;
    uint32_t n_slots = moved != NULL ? w->sweep.n : w->n_slots;
    struct words_posting p = {0};
    uint8_t *start = out;
    *last = (struct words_end){0};
    for (const uint8_t *at = words_bytes(w, t), *end = at + t->used; at < end;) {
        at = words_read_posting(at, end, &p);
        if (p.slot >= n_slots)
            break;
        uint32_t slot = moved != NULL ? moved[p.slot] : p.slot;
        /*
         * Slots that do not ascend and words that do not occur come from a damaged image;
         * without them, the list never gets longer.
         */
        if (w->lengths[slot] == 0 || slot <= last->last || !occurs(&p))
            continue;
        out = write_posting(out, slot - last->last, p.tf);
        *last = (struct words_end){.df = last->df + 1, .last = slot};
    }
    return (uint32_t)(out - start);
}

void words_replace(struct words *w, struct words_term *t, const uint8_t *bytes,
                   uint32_t used, struct words_end end)
{
    size_t old = room_of(t), room = list_room(used);
    size_t want = room > 0 ? room + sizeof(size_t) : 0;
    if (old > 0 && want != old)
        free(words_allocated(t));
    if (want > 0 && want != old)
        t->list = (uintptr_t)mem_alloc(room);
    memcpy(want > 0 ? words_allocated(t) : t->few, bytes, used);
    if (want > 0)
        t->df = end.df;
    t->last = end.last;
    t->used = used;
    w->list_bytes += want - old;
}
