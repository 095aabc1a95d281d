/*
 * The vectors of notes. One thread makes them when the index is complete, the newest
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
#include "vault/vault_live.h"

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

static bool fill_has_change(struct live *v)
{
    lock_take(&v->state_lock);
    bool due = v->fill_at != 0 && clock_ns() >= v->fill_at;
    lock_drop(&v->state_lock);
    return due;
}

/* Wait for a time, or for a change that is due, if it may interrupt. */
static void fill_wait(struct live *v, uint64_t until, bool changes)
{
    lock_take(&v->state_lock);
    while (!atomic_load(&v->closing)) {
        uint64_t at =
            changes && v->fill_at != 0 && v->fill_at < until ? v->fill_at : until;
        if (clock_ns() >= at)
            break;
        (void)lock_wait_until(&v->state_lock, &v->state_changed, at);
    }
    lock_drop(&v->state_lock);
}

static void fill_sleep(struct live *v, uint64_t ms, bool changes)
{
    fill_wait(v, clock_ns() + ms * NS_PER_MS, changes);
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

static bool fill_wait_for_index(struct live *v)
{
    lock_take(&v->state_lock);
    while (v->state == LIVE_LOADING && !atomic_load(&v->closing))
        live_wait_a_little(v);
    bool ready = v->state == LIVE_READY;
    lock_drop(&v->state_lock);
    return ready && !atomic_load(&v->closing);
}

/* --- looking at the notes --- */

static void fill_forget(struct fill *s)
{
    const struct index *x = s->v->index;
    for (file_id id = 0; id < x->n; id++)
        if (x->files[id] == NULL)
            meaning_forget(s->m, id);
}

static void fill_order(struct fill *s)
{
    const file_id *ids;
    lock_shared_read(&s->v->lock);
    s->n = index_newest(s->v->index, &ids);
    s->order = mem_grow(s->order, size_mul(s->n + 1, sizeof(*ids)));
    memcpy(s->order, ids, s->n * sizeof(*ids));
    s->next = 0;
    s->notes = s->v->index->listed;
    fill_forget(s);
    lock_shared_drop(&s->v->lock);
}

static void fill_each_note(struct fill *s, struct boilerplate_counter *c,
                           void (*count)(struct boilerplate_counter *c,
                                         const struct file *f))
{
    for (size_t i = 0; i < s->n && !fill_ends(s); i++) {
        lock_shared_read(&s->v->lock);
        const struct file *f = index_file(s->v->index, s->order[i]);
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
    const struct file *f = index_file(s->v->index, id);
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
    lock_take(&s->v->state_lock);
    s->v->fill_at = 0; /* what changes from now on is looked for again */
    lock_drop(&s->v->state_lock);
    fill_order(s);
    bool counted = fill_find_boilerplate(s);
    for (size_t i = 0; i < s->n && !fill_ends(s); i++)
        fill_look_at(s, s->order[i]);
    s->again = false;
    if (counted)
        s->placed = 1;
    lock_take(&s->v->state_lock);
    s->v->fill_placed = true;
    cond_wake_all(&s->v->state_changed);
    lock_drop(&s->v->state_lock);
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
        const struct file *f = index_file(s->v->index, s->order[i]);
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

static void fill_rest(struct fill *s)
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
    while (left && s->able && !fill_ends(s) && !fill_has_change(s->v)) {
        fill_step_aside(s);
        left = fill_batch(s);
        if (s->rest_s > 0 && s->able)
            fill_rest(s);
    }
    return left && s->able;
}

/* --- the thread --- */

static void fill_is_over(struct fill *s, bool over)
{
    lock_take(&s->v->state_lock);
    s->v->fill_over = over && s->v->fill_at == 0;
    cond_wake_all(&s->v->state_changed);
    lock_drop(&s->v->state_lock);
}

/* Wait for something to do. */
static void fill_idle(struct fill *s)
{
    size_t chunks, settled;
    meaning_count(s->m, &chunks, &settled);
    bool follows = !meaning_has_turn(s->m);
    fill_is_over(s, settled == chunks || !s->able || s->v->options.recall);
    fill_sleep(s->v, follows ? FILL_FOLLOW_MS : 3600000, true);
    s->again = follows && meaning_follow(s->m);
}

/* Nobody waits for a thread that has ended. */
static void fill_end(struct live *v)
{
    lock_take(&v->state_lock);
    v->fill_placed = v->fill_over = true;
    cond_wake_all(&v->state_changed);
    lock_drop(&v->state_lock);
}

static void *fill_run(void *arg)
{
    struct live *v = arg;
    struct fill s = {.v = v, .m = v->meaning, .able = true};
    if (v->options.watch)
        thread_be_idle();
    if (fill_wait_for_index(v)) {
        meaning_begin(s.m, !v->options.recall);
        for (bool look = true; !fill_ends(&s);) {
            if (look)
                fill_sweep(&s);
            look = meaning_has_turn(s.m) && (fill_embed(&s) || meaning_settle(s.m));
            if (!look && !fill_has_change(v))
                fill_idle(&s);
            look = look || s.again || fill_has_change(v);
        }
    }
    free(s.order);
    fill_end(v);
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
    if (!thread_start(&v->filler, "meaning", fill_run, v))
        BUG("no thread for the vectors of notes");
}

void live_look_for_meaning(struct live *v)
{
    if (v->meaning == NULL)
        return;
    lock_take(&v->state_lock);
    if (v->fill_at == 0)
        v->fill_at = clock_ns() + FILL_CHANGE_MS * NS_PER_MS;
    v->fill_over = false;
    cond_wake_all(&v->state_changed);
    lock_drop(&v->state_lock);
}

void live_stop_filling(struct live *v)
{
    if (v->meaning == NULL)
        return;
    lock_take(&v->state_lock);
    cond_wake_all(&v->state_changed);
    lock_drop(&v->state_lock);
    thread_join(&v->filler);
}

/* --- for callers --- */

struct meaning *vault_meaning(struct vault *vault)
{
    return vault->live->meaning;
}

static bool is_placed(struct live *v)
{
    lock_take(&v->state_lock);
    bool placed = v->meaning == NULL || v->fill_placed;
    lock_drop(&v->state_lock);
    return placed;
}

/* Whoever waits does not occupy a worker of a pool. */
bool vault_wait_placed(struct vault *vault, uint64_t deadline_ns)
{
    struct live *v = vault->live;
    if (is_placed(v) || !pool_leave())
        return is_placed(v);
    lock_take(&v->state_lock);
    while (!v->fill_placed && !atomic_load(&v->closing) &&
           lock_wait_until(&v->state_lock, &v->state_changed, deadline_ns))
        ;
    lock_drop(&v->state_lock);
    pool_return();
    return is_placed(v);
}

void vault_embed_query(struct vault *vault, struct arena *a, str question,
                       uint64_t deadline_ns, struct meaning_query *out)
{
    if (vault_wait_placed(vault, deadline_ns))
        meaning_ask(vault->live->meaning, a, question, deadline_ns, out);
    else
        *out =
            (struct meaning_query){.why = STR("the embeddings are still being loaded")};
}

bool vault_wait_embedded(struct vault *vault, unsigned ms)
{
    struct live *v = vault->live;
    uint64_t until = clock_ns() + ms * NS_PER_MS;
    lock_take(&v->state_lock);
    while (v->meaning != NULL && !v->fill_over && !atomic_load(&v->closing) &&
           lock_wait_until(&v->state_lock, &v->state_changed, until))
        ;
    bool over = v->meaning == NULL || v->fill_over;
    lock_drop(&v->state_lock);
    return over;
}

bool vault_forget_meaning(struct vault *vault, const char *state_dir, bool *found,
                          struct err *err)
{
    char *path = live_state_path(vault->live, state_dir, "vectors", "");
    bool ok = meaning_remove(path, found, err);
    free(path);
    return ok;
}
