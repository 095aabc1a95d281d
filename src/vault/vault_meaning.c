/*
 * The embeddings of notes. One thread makes them when the index is complete, the newest
 * notes first. It reads the index one note at a time and embeds without it, lets callers
 * go first, and does what is left when it is started again.
 */
#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/os/thread.h"
#include "base/pool.h"
#include "vault/index/index.h"
#include "vault/meaning/boilerplate.h"
#include "vault/meaning/chunks.h"
#include "vault/meaning/meaning.h"
#include "vault/meaning/meaning_fill.h"
#include "vault/note/policy.h"
#include "vault/policies.h"
#include "vault/vault_live.h"
#include "vault/worker.h"

enum {
    FILL_CHANGE_MS = 2000, /* a change waits, because more often follow */
    FILL_FOLLOW_MS = 2000, /* between two looks at what another process has added */
    FILL_REQUEST_S = 60,   /* for one batch */
    FILL_REST_MAX_S = 60,  /* between two attempts after failures */
    FILL_CALM_MS = 50,     /* after a call, another one may follow */
    FILL_PATIENCE_MS = 500 /* but not for ever */
};
static const uint64_t NS_PER_MS = 1000000;

struct fill {
    struct live *v;
    struct meaning *m;
    file_id *order; /* of the notes, newest first */
    size_t n, next; /* next: all before it are done */
    size_t notes;   /* that can have chunks */
    size_t placed;  /* since common paragraphs were looked for; 0: they never were */
    bool again;     /* notes that are not settled are to be placed again */
    bool able;      /* the embedder does not refuse everything */
    unsigned rest_s;
};

/* --- waiting --- */

static bool fill_ends(const struct fill *s)
{
    return atomic_load(&s->v->closing);
}

static void fill_sleep(struct live *v, uint64_t ms, bool changes)
{
    (void)!worker_sleep(&v->filler, clock_ns() + ms * NS_PER_MS, changes);
}

/* Callers go first, within reason. */
static void fill_step_aside(struct fill *s)
{
    uint64_t began = clock_ms();
    while (!fill_ends(s) && clock_ms() - began < FILL_PATIENCE_MS &&
           (atomic_load(&s->v->holders) > 0 ||
            clock_ms() - atomic_load(&s->v->let_go) < FILL_CALM_MS))
        fill_sleep(s->v, FILL_CALM_MS / 2, false);
}

/* --- looking at the notes --- */

/* What is hidden from clients is never embedded: an endpoint would see it, and common
 * paragraphs would depend on it. With the index. */
static const struct file *fill_file(const struct fill *s, file_id id)
{
    const struct file *f = index_file(s->v->index, id);
    return f != NULL && policies_at(s->v->policies, f->path) != POLICY_HIDDEN ? f : NULL;
}

static void fill_forget(struct fill *s)
{
    const struct index *x = s->v->index;
    for (file_id id = 0; id < x->n; id++)
        if (fill_file(s, id) == NULL)
            meaning_forget(s->m, id);
}

static size_t fill_count(const struct fill *s)
{
    size_t n = s->v->index->listed;
    for (size_t i = 0; policies_hide(s->v->policies) && i < s->n; i++) {
        const struct file *f = index_file(s->v->index, s->order[i]);
        n -= f->kind == FILE_NOTE && !f->excluded && fill_file(s, f->id) == NULL;
    }
    return n;
}

static void fill_order(struct fill *s)
{
    const file_id *ids;
    lock_shared_read(&s->v->lock);
    s->n = index_newest(s->v->index, &ids);
    s->order = mem_grow(s->order, size_mul(s->n + 1, sizeof(*ids)));
    memcpy(s->order, ids, s->n * sizeof(*ids));
    s->next = 0;
    s->notes = fill_count(s);
    fill_forget(s);
    lock_shared_drop(&s->v->lock);
}

static void fill_each_note(struct fill *s, struct boilerplate_counter *c,
                           void (*count)(struct boilerplate_counter *c,
                                         const struct file *f))
{
    for (size_t i = 0; i < s->n && !fill_ends(s); i++) {
        lock_shared_read(&s->v->lock);
        const struct file *f = fill_file(s, s->order[i]);
        if (f != NULL && chunks_has(f))
            count(c, f);
        lock_shared_drop(&s->v->lock);
    }
}

/* At the start, and when a tenth of the notes has changed. */
static bool fill_find_boilerplate(struct fill *s)
{
    if (s->placed != 0 && s->placed < s->notes / 10 + BOILERPLATE_MIN)
        return false;
    struct boilerplate_counter *c = boilerplate_begin(s->notes);
    fill_each_note(s, c, boilerplate_screen);
    fill_each_note(s, c, boilerplate_count);
    struct boilerplate boilerplate = boilerplate_end(c);
    meaning_set_boilerplate(s->m, &boilerplate);
    return true;
}

static void fill_look_at(struct fill *s, file_id id)
{
    bool settled;
    lock_shared_read(&s->v->lock);
    const struct file *f = fill_file(s, id);
    if (f != NULL) {
        bool known = meaning_knows(s->m, f, &settled);
        if (!known || (s->again && !settled))
            meaning_place(s->m, f);
        s->placed += !known;
    }
    lock_shared_drop(&s->v->lock);
}

static void fill_sweep(struct fill *s)
{
    worker_begin(&s->v->filler); /* what changes from now on is looked for again */
    fill_order(s);
    bool counted = fill_find_boilerplate(s);
    for (size_t i = 0; i < s->n && !fill_ends(s); i++)
        fill_look_at(s, s->order[i]);
    s->again = false;
    if (counted)
        s->placed = 1;
    worker_set(&s->v->filler, &s->v->placed);
}

/* --- embedding --- */

/* The next texts; from the note at s->next on, which may be left with a part of its
 * own. */
static size_t fill_collect(struct fill *s, struct arena *a, struct meaning_batch *b)
{
    size_t i = s->next;
    for (bool room = true; room && i < s->n; i++) {
        bool settled;
        lock_shared_read(&s->v->lock);
        const struct file *f = fill_file(s, s->order[i]);
        if (f != NULL && meaning_knows(s->m, f, &settled) && !settled)
            room = meaning_collect(s->m, a, f, b);
        lock_shared_drop(&s->v->lock);
    }
    return i;
}

static void fill_fail(struct fill *s, const struct err *err)
{
    s->able = err->code != ERR_DENIED && err->code != ERR_LIMIT;
    meaning_say(s->m, err);
    if (s->rest_s == 0 || !s->able)
        log_event(LOG_WARN, "embeddings", LOG_STR("problem", str_c(err->msg)),
                  LOG_STR("detail", str_c(err->detail)),
                  LOG_STR("vault", str_c(s->v->name)));
    s->rest_s = s->rest_s == 0 ? 1 : s->rest_s * 2;
    if (s->rest_s > FILL_REST_MAX_S)
        s->rest_s = FILL_REST_MAX_S;
}

static void fill_succeed(struct fill *s)
{
    if (s->rest_s > 0)
        meaning_say(s->m, NULL);
    s->rest_s = 0;
}

static uint64_t fill_deadline(void)
{
    return clock_ns() + FILL_REQUEST_S * 1000 * NS_PER_MS;
}

static void vault_meaning_fill_rest(struct fill *s)
{
    const struct embedder *e = s->v->options.embedder;
    uint64_t ms = s->rest_s * 1000ULL;
    unsigned wished = e->rest_ms != NULL ? e->rest_ms(e->arg) : 0;
    fill_sleep(s->v, wished > ms ? wished : ms, false);
}

/* A batch; false if nothing is left, or nothing can be embedded now. */
static bool fill_batch(struct fill *s)
{
    struct arena a = {0};
    struct meaning_batch b = {0};
    struct err err = {0};
    size_t end = fill_collect(s, &a, &b);
    bool any = b.n > 0 && !fill_ends(s);
    bool ok = any && meaning_embed(s->m, &a, &b, fill_deadline(), &err);
    if (any && !ok)
        fill_fail(s, &err);
    else if (any)
        fill_succeed(s);
    s->again = true;
    for (size_t i = s->next; any && i < end; i++)
        fill_look_at(s, s->order[i]);
    s->again = false;
    if (ok)
        s->next = end - 1; /* which may have more */
    arena_release(&a);
    return any;
}

/* Until everything is embedded, or there are changes to look at. */
static bool fill_embed(struct fill *s)
{
    bool left = true;
    while (left && s->able && !fill_ends(s) && !worker_is_due(&s->v->filler)) {
        fill_step_aside(s);
        left = fill_batch(s);
        if (s->rest_s > 0 && s->able)
            vault_meaning_fill_rest(s);
    }
    return left && s->able;
}

/* --- the thread --- */

/* Wait for something to do. */
static void fill_idle(struct fill *s)
{
    size_t chunks, settled;
    meaning_count(s->m, &chunks, &settled);
    bool follows = !meaning_has_turn(s->m);
    worker_is_over(&s->v->filler, settled == chunks || !s->able || s->v->options.recall);
    fill_sleep(s->v, follows ? FILL_FOLLOW_MS : 3600000, true);
    s->again = follows && meaning_follow(s->m);
}

static void *fill_run(void *arg)
{
    struct live *v = arg;
    struct fill s = {.v = v, .m = v->meaning, .able = true};
    if (v->options.watch)
        thread_be_idle();
    if (live_wait_for_index(v)) {
        meaning_begin(s.m, !v->options.recall);
        for (bool look = true; !fill_ends(&s);) {
            if (look)
                fill_sweep(&s);
            look = meaning_has_turn(s.m) && (fill_embed(&s) || meaning_settle(s.m));
            if (!look && !worker_is_due(&v->filler))
                fill_idle(&s);
            look = look || s.again || worker_is_due(&v->filler);
        }
    }
    free(s.order);
    worker_set(&v->filler, &v->placed);
    worker_end(&v->filler);
    return NULL;
}

void live_start_filling(struct live *v)
{
    if (v->options.embedder == NULL)
        return;
    char *path = v->options.state_dir != NULL && v->folder != NULL
                     ? live_state_path(v, v->options.state_dir, "vectors", "")
                     : NULL;
    v->meaning = meaning_open(v->options.embedder, v->options.former, path);
    free(path);
    worker_start(&v->filler, "meaning", fill_run, v);
}

void live_look_for_meaning(struct live *v)
{
    if (v->meaning != NULL)
        worker_wake(&v->filler, clock_ns() + FILL_CHANGE_MS * NS_PER_MS);
}

/* --- for callers --- */

struct meaning *vault_meaning(struct vault *vault)
{
    return vault->live->meaning;
}

static bool is_placed(struct live *v)
{
    return v->meaning == NULL || worker_get(&v->filler, &v->placed);
}

/* A caller that waits does not occupy a worker of a pool. */
bool vault_wait_placed(struct vault *vault, uint64_t deadline_ns)
{
    struct live *v = vault->live;
    if (is_placed(v) || !pool_leave())
        return is_placed(v);
    bool placed = worker_wait(&v->filler, &v->placed, deadline_ns);
    pool_return();
    return placed;
}

void vault_embed_query(struct vault *vault, struct arena *a, str question,
                       uint64_t deadline_ns, struct meaning_query *out)
{
    if (vault_wait_placed(vault, deadline_ns))
        meaning_ask(vault->live->meaning, a, question, deadline_ns, out);
    else
        *out =
            (struct meaning_query){.why = STR("the meaning index is still being loaded")};
}

bool vault_wait_embedded(struct vault *vault, unsigned ms)
{
    struct live *v = vault->live;
    return v->meaning == NULL ||
           worker_wait(&v->filler, &v->filler.over, clock_ns() + ms * NS_PER_MS);
}

bool vault_forget_meaning(struct vault *vault, const char *state_dir, bool *found,
                          struct err *err)
{
    char *path = live_state_path(vault->live, state_dir, "vectors", "");
    bool ok = meaning_remove(path, found, err);
    free(path);
    return ok;
}
