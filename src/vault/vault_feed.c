#include "vault/vault_feed.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"
#include "vault/access.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/feed.h"
#include "vault/index/index.h"
#include "vault/note/policy.h"
#include "vault/policies.h"
#include "vault/vault_live.h"
#include "vault/vault_policy.h"
#include "vault/vault_trash.h"
#include "vault/worker.h"

enum {
    FEED_AGAIN_MS = 2000, /* after a failure */
    FEED_LOOK = 200,      /* the latest changes of the journal, among which a change is */
};
static const uint64_t NS_PER_MS = 1000000;

/* What was noticed of one file. */
struct feed_sight {
    struct feed_entry entry;
    struct hash_content was;
    struct journal_identity is; /* what it was, if it is gone */
    bool unread;                /* its bytes are not known */
    bool paired;                /* it is a part of another one */
};

struct feed_batch {
    struct arena arena;
    struct feed_sight *items;
    size_t n;
    struct feed_batch *next;
};

struct vault_feed {
    struct live *live;
    struct feed feed;
    struct worker worker;
    struct lock lock;
    struct cond done;
    struct feed_batch *first, *last; /* with the lock: the queue, */
    size_t queued;                   /* files in it, */
    bool gap;                        /* what was before them is not known, */
    uint64_t wanted, made;           /* rounds of the thread, */
    struct err why;                  /* and of the last one, if it has failed */
};

/* --- noticing --- */

/* The state of a file: its bytes, or what tells them apart if they were not read. */
static struct hash_content state_of(struct arena *a, const struct file *f)
{
    if (!f->unread)
        return f->hash;
    str looks = arena_printf(a, "%lld %lld", (long long)f->info.size,
                             (long long)f->info.modified_ns);
    return hash_content(looks);
}

static struct journal_identity sight_identity(const struct file *f)
{
    return (struct journal_identity){f->info.inode, f->info.born_ns, f->info.size};
}

static struct feed_sight *sight_add(struct feed_batch *b, str path, enum feed_kind kind,
                                    bool concealed)
{
    struct feed_sight *s = ARRAY_ADD(&b->arena, b->items, b->n);
    *s = (struct feed_sight){.entry = {.kind = kind,
                                       .path = arena_str(&b->arena, path),
                                       .concealed = concealed}};
    return s;
}

static void see_removed(struct feed_batch *b, const struct file *old, bool concealed)
{
    struct feed_sight *s = sight_add(b, old->path, FEED_DELETED, concealed);
    s->was = state_of(&b->arena, old);
    s->is = sight_identity(old);
}

static void see_put(struct feed_batch *b, const struct file *old, const struct file *now,
                    bool concealed)
{
    struct hash_content left = state_of(&b->arena, now);
    if (old != NULL && hash_same(left, state_of(&b->arena, old)) && !concealed)
        return;
    struct feed_sight *s =
        sight_add(b, now->path, old == NULL ? FEED_CREATED : FEED_CHANGED,
                  concealed || now->policy == POLICY_HIDDEN);
    s->entry.left = left;
    s->is = sight_identity(now);
    s->unread = now->unread;
}

/* What the notes of an index say about clients, as it was stored. */
static struct policies *policies_of(const struct live *v, const struct index *x)
{
    struct policies *p =
        policies_create(policies_property(v->policies), v->own.access.folds);
    for (file_id i = 0; i < x->n; i++) {
        const struct file *f = x->files[i];
        if (f != NULL && (f->policy != POLICY_NONE || policy_is_rule(f->path)))
            (void)policies_set(p, f->path, f->policy);
    }
    return p;
}

struct feed_batch *live_feed_see(struct live *v, const struct index *x,
                                 const struct load_changes *c, bool stored)
{
    if (v->feed == NULL || c->n_put + c->n_removed == 0)
        return NULL;
    struct feed_batch *b = mem_zero(sizeof(*b));
    struct policies *then = stored ? policies_of(v, x) : v->policies;
    for (size_t i = 0; i < c->n_removed; i++) {
        const struct file *old = index_find(x, c->removed[i]);
        /* by another process, with other settings, may be what stored the index */
        if (old != NULL && access_reads(&v->own.access, old->path))
            see_removed(b, old, policies_at(then, old->path) == POLICY_HIDDEN);
    }
    for (size_t i = 0; i < c->n_put; i++) {
        const struct file *now = c->put[i];
        see_put(b, index_find(x, now->path), now,
                policies_at(then, now->path) == POLICY_HIDDEN);
    }
    if (stored)
        policies_free(then);
    return b;
}

static void batch_free(struct feed_batch *b)
{
    arena_release(&b->arena);
    free(b);
}

void live_feed_put(struct live *v, struct feed_batch *b)
{
    struct vault_feed *f = v->feed;
    if (b == NULL)
        return;
    for (size_t i = 0; i < b->n; i++) {
        struct feed_entry *e = &b->items[i].entry;
        e->concealed = e->concealed || policies_at(v->policies, e->path) == POLICY_HIDDEN;
    }
    lock_take(&f->lock);
    bool full = f->queued + b->n > 2 * FEED_MAX && f->queued > 0;
    if (full)
        f->gap = true;
    else {
        *(f->last != NULL ? &f->last->next : &f->first) = b;
        f->last = b;
        f->queued += b->n;
    }
    lock_drop(&f->lock);
    if (full)
        batch_free(b);
    worker_wake(&f->worker, clock_ns());
}

void live_feed_gap(struct live *v)
{
    struct vault_feed *f = v->feed;
    if (f == NULL)
        return;
    lock_take(&f->lock);
    f->gap = true;
    lock_drop(&f->lock);
}

/* --- by whom --- */

struct feed_work {
    struct vault_feed *feed;
    struct arena *arena;
    struct feed_sight **items;
    size_t n;
    struct map paths; /* the items, by path */
};

static struct feed_sight *sight_at(const struct feed_work *w, str path)
{
    uint32_t i = map_find(&w->paths, path);
    return i == MAP_NONE ? NULL : w->items[i];
}

static bool is_new_to(const struct feed_work *w, const struct feed_sight *s,
                      const struct journal_change *c)
{
    return s != NULL && !s->paired && s->entry.change == 0 &&
           !feed_has_change(&w->feed->feed.log, c->number, s->entry.path);
}

static void set_hand(struct feed_work *w, struct feed_sight *s,
                     const struct journal_change *c)
{
    s->entry.who = arena_str(w->arena, c->who);
    s->entry.client = arena_str(w->arena, c->client);
    s->entry.tool = arena_str(w->arena, c->tool);
    s->entry.change = c->number;
    s->entry.concealed = s->entry.concealed || c->concealed;
}

static void make_move(struct feed_sight *gone, struct feed_sight *there)
{
    there->entry.kind = FEED_MOVED;
    there->entry.from = gone->entry.path;
    there->entry.concealed = there->entry.concealed || gone->entry.concealed;
    gone->paired = true;
}

/* One file that was moved, also with its folder. */
static void credit_move(struct feed_work *w, const struct journal_change *c, str from,
                        str to)
{
    struct feed_sight *gone = sight_at(w, from), *there = sight_at(w, to);
    bool was = is_new_to(w, gone, c) && gone->entry.kind == FEED_DELETED;
    bool is = is_new_to(w, there, c) && there->entry.kind == FEED_CREATED;
    if (was)
        set_hand(w, gone, c);
    if (is)
        set_hand(w, there, c);
    if (was && is)
        make_move(gone, there);
}

static void credit_moves(struct feed_work *w, const struct journal_change *c,
                         const struct journal_op *op)
{
    credit_move(w, c, op->path, op->to);
    for (size_t i = 0; op->folder && i < w->n; i++) {
        str path = w->items[i]->entry.path;
        if (path_is_or_below(op->path, path))
            credit_move(w, c, path,
                        path_join(w->arena, op->to, str_skip(path, op->path.n + 1)));
        else if (path_is_or_below(op->to, path))
            credit_move(w, c, path_join(w->arena, op->path, str_skip(path, op->to.n + 1)),
                        path);
    }
}

static void credit_op(struct feed_work *w, const struct journal_change *c,
                      const struct journal_op *op)
{
    struct feed_sight *s = sight_at(w, op->path);
    if (op->kind == JOURNAL_MOVE)
        credit_moves(w, c, op);
    else if (op->kind == JOURNAL_WRITE && is_new_to(w, s, c) &&
             s->entry.kind != FEED_DELETED &&
             (s->unread || hash_same(s->entry.left, op->after)))
        set_hand(w, s, c);
    else if (op->kind == JOURNAL_DELETE && is_new_to(w, s, c) &&
             s->entry.kind == FEED_DELETED)
        set_hand(w, s, c);
}

/* Whether it is still open who made one of them. */
static bool lacks_hand(const struct feed_work *w)
{
    size_t i = 0;
    while (i < w->n && (w->items[i]->paired || w->items[i]->entry.change != 0))
        i++;
    return i < w->n;
}

/* A move into the trash is noticed as a deletion, one back as a new file: the other end is
 * not in the index. After a change by a client, only its own record is read. */
static void credit(struct feed_work *w)
{
    struct changes *changes = w->feed->live->changes;
    const struct journal_entry *all;
    struct journal *j;
    struct err ignored; /* then nobody is known to have made it */
    if (changes == NULL || w->n == 0 || !changes_lock_all(changes, &j, &ignored))
        return;
    struct arena a = {0};
    size_t n = journal_entries(j, &all);
    for (size_t i = n; i > 0 && n - i < FEED_LOOK && lacks_hand(w);
         i--, arena_reset(&a)) {
        struct journal_change c;
        if (all[i - 1].state == JOURNAL_ABORTED ||
            !journal_read(j, &a, all[i - 1].number, false, &c, &ignored))
            continue;
        for (size_t k = 0; k < c.n; k++)
            credit_op(w, &c, &c.ops[k]);
    }
    arena_release(&a);
    changes_unlock(changes);
}

/* --- moves by others --- */

static bool is_same_file(const struct feed_sight *gone, const struct feed_sight *there)
{
    bool same = gone->is.inode == there->is.inode && gone->is.born_ns != 0 &&
                gone->is.born_ns == there->is.born_ns;
    return same || (gone->is.size > 0 && hash_same(gone->was, there->entry.left));
}

static void look_for_move(struct feed_work *w, struct map_index *gone,
                          struct feed_sight *there, uint64_t key)
{
    size_t at = 0;
    for (uint32_t i;
         there->entry.from.n == 0 && (i = map_next(gone, key, &at)) != MAP_NONE;)
        if (!w->items[i]->paired && is_same_file(w->items[i], there))
            make_move(w->items[i], there);
}

/* A file that is gone and one that is new are one if they are the same on disk, or have the
 * same bytes. */
static void pair_moves(struct feed_work *w)
{
    struct map_index gone = {0};
    for (uint32_t i = 0; i < w->n; i++) {
        const struct feed_sight *s = w->items[i];
        if (s->paired || s->entry.change != 0 || s->entry.kind != FEED_DELETED)
            continue;
        map_put(&gone, w->arena, s->is.inode, i);
        map_put(&gone, w->arena, s->was.high, i);
    }
    for (uint32_t i = 0; gone.n > 0 && i < w->n; i++) {
        struct feed_sight *s = w->items[i];
        if (s->entry.kind != FEED_CREATED || s->entry.change != 0)
            continue;
        look_for_move(w, &gone, s, s->is.inode);
        look_for_move(w, &gone, s, s->entry.left.high);
    }
}

/* --- the thread --- */

static struct feed_batch *take_queue(struct vault_feed *f, uint64_t *round, bool *gap)
{
    lock_take(&f->lock);
    struct feed_batch *first = f->first;
    f->first = f->last = NULL;
    f->queued = 0;
    *round = f->wanted;
    *gap = f->gap;
    f->gap = false;
    lock_drop(&f->lock);
    return first;
}

/* After a failure: before what was noticed meanwhile. */
static void put_back_batches(struct vault_feed *f, struct feed_batch *first, bool gap)
{
    struct feed_batch *last = first;
    lock_take(&f->lock);
    f->gap = f->gap || gap;
    for (struct feed_batch *b = first; b != NULL; last = b, b = b->next)
        f->queued += b->n;
    if (last != NULL) {
        last->next = f->first;
        f->last = f->last != NULL ? f->last : last;
        f->first = first;
    }
    lock_drop(&f->lock);
}

static void free_all(struct feed_batch *first)
{
    for (struct feed_batch *b = first, *next; b != NULL; b = next) {
        next = b->next;
        batch_free(b);
    }
}

/* One batch: its paths are all different. */
static bool write_batch(struct vault_feed *f, const struct feed_batch *b, bool gap,
                        struct err *err)
{
    struct arena a = {0};
    struct feed_work w = {.feed = f, .arena = &a, .paths.arena = &a};
    size_t n = b != NULL ? b->n : 0, kept = 0;
    w.items = ARENA_ARRAY(&a, struct feed_sight *, n + 1);
    for (size_t i = 0; i < n; i++)
        if (map_add_new(&w.paths, b->items[i].entry.path))
            w.items[w.n++] = &b->items[i];
    credit(&w);
    pair_moves(&w);
    struct feed_entry *fresh = ARENA_ARRAY(&a, struct feed_entry, n + 1);
    for (size_t i = 0; i < w.n; i++)
        if (!w.items[i]->paired)
            fresh[kept++] = w.items[i]->entry;
    bool ok = feed_add(&f->feed, fresh, kept, gap, NULL, err);
    arena_release(&a);
    return ok;
}

static void end_round(struct vault_feed *f, uint64_t round, const struct err *why)
{
    lock_take(&f->lock);
    bool first = why != NULL && f->why.msg[0] == '\0';
    f->why = why != NULL ? *why : (struct err){0};
    f->made = round;
    cond_wake_all(&f->done);
    lock_drop(&f->lock);
    if (first)
        log_event(LOG_WARN, "feed", LOG_STR("problem", str_c(why->msg)),
                  LOG_STR("detail", str_c(why->detail)),
                  LOG_STR("vault", str_c(f->live->name)));
}

static bool feed_round(struct vault_feed *f)
{
    struct err err = {0};
    uint64_t round;
    bool gap;
    struct feed_batch *first = take_queue(f, &round, &gap), *b = first;
    bool ok = write_batch(f, b, gap, &err);
    while (ok && b != NULL) {
        first = b->next;
        batch_free(b);
        b = first;
        ok = b == NULL || write_batch(f, b, false, &err);
    }
    if (!ok)
        put_back_batches(f, first, gap);
    end_round(f, round, ok ? NULL : &err);
    return ok;
}

static void *feed_run(void *arg)
{
    struct vault_feed *f = arg;
    const uint64_t hour = 3600000 * NS_PER_MS;
    while (worker_sleep(&f->worker, clock_ns() + hour, true)) {
        worker_begin(&f->worker);
        if (!feed_round(f))
            (void)!worker_sleep(&f->worker, clock_ns() + FEED_AGAIN_MS * NS_PER_MS,
                                false);
        lock_take(&f->lock);
        bool left = f->first != NULL;
        lock_drop(&f->lock);
        if (left)
            worker_wake(&f->worker, clock_ns());
    }
    (void)feed_round(f);
    worker_end(&f->worker);
    return NULL;
}

void live_start_feed(struct live *v)
{
    struct vault_feed *f = mem_zero(sizeof(*f));
    char *path = v->options.state_dir != NULL && v->folder != NULL
                     ? live_state_path(v, v->options.state_dir, "feed", ".jsonl")
                     : NULL;
    f->live = v;
    feed_init(&f->feed, path);
    free(path);
    lock_init(&f->lock, LOCK_STATE);
    cond_init(&f->done);
    worker_init(&f->worker, &v->closing, true);
    v->feed = f;
    worker_start(&f->worker, "feed", feed_run, f);
}

void live_stop_feed(struct live *v)
{
    if (v->feed != NULL)
        worker_stop(&v->feed->worker);
}

void live_release_feed(struct live *v)
{
    struct vault_feed *f = v->feed;
    if (f == NULL)
        return;
    free_all(f->first);
    feed_release(&f->feed);
    worker_release(&f->worker);
    lock_release(&f->lock);
    cond_destroy(&f->done);
    free(f);
}

/* A round of the thread, from now on; false with the reason if it has failed, or takes too
 * long. */
static bool feed_wait(struct vault_feed *f, struct err *err)
{
    uint64_t until = clock_ns() + VAULT_FEED_WAIT_MS * NS_PER_MS;
    lock_take(&f->lock);
    uint64_t round = ++f->wanted;
    lock_drop(&f->lock);
    worker_wake(&f->worker, clock_ns());
    lock_take(&f->lock);
    while (f->made < round && lock_wait_until(&f->lock, &f->done, until)) {
    }
    bool made = f->made >= round, ok = made && f->why.msg[0] == '\0';
    *err = f->why;
    lock_drop(&f->lock);
    return ok || (made ? false
                       : err_named(err, E_BUSY,
                                   "the list of changes is being written: try again in "
                                   "a moment"));
}

bool live_feed_flush(struct live *v)
{
    struct vault_feed *f = v->feed;
    struct err ignored; /* it was logged */
    if (f == NULL)
        return true;
    lock_take(&f->lock);
    bool empty = f->first == NULL && !f->gap;
    lock_drop(&f->lock);
    if (!empty && (atomic_load(&v->closing) || !feed_wait(f, &ignored)))
        return false;
    return feed_sync(&f->feed, &ignored);
}

/* --- answers --- */

struct feed_view {
    const struct vault *vault;
    const struct vault_feed_question *q;
    struct map hidden; /* what was hidden later on, by path */
};

static bool is_hidden_path(const struct feed_view *s, str path)
{
    return path.n > 0 && (map_find(&s->hidden, path) != MAP_NONE ||
                          vault_policy_held(s->vault, path) == POLICY_HIDDEN);
}

/*
 * For clients, nothing is left of a file that is hidden now, or was when it changed last:
 * from the latest entry on, what is older about the same path, and about those that it had
 * before, is left out, too.
 */
static bool is_concealed(struct feed_view *s, const struct feed_entry *e)
{
    if (!s->vault->ruled ||
        !(e->concealed || is_hidden_path(s, e->path) || is_hidden_path(s, e->from)))
        return false;
    (void)map_add(&s->hidden, e->path);
    if (e->from.n > 0)
        (void)map_add(&s->hidden, e->from);
    return true;
}

/* As the caller sees it: a move out of what is visible is a deletion, one into it a new
 * file. */
static bool show_entry(struct feed_view *s, struct feed_entry *e)
{
    const struct access *access = &s->vault->access;
    bool there = access_reads(access, e->path);
    bool from = e->from.n > 0 && access_reads(access, e->from);
    if (is_concealed(s, e) || (!there && !from))
        return false;
    if (e->kind == FEED_MOVED && !(there && from)) {
        e->kind = there ? FEED_CREATED : FEED_DELETED;
        e->path = there ? e->path : e->from;
        e->from = e->tool = (str){0};
    }
    if (!access_reads_all(access) || s->vault->ruled)
        e->change = 0; /* it may be about more than this, also if nothing is hidden now */
    return true;
}

static bool is_at(str path, str wanted)
{
    return path.n > 0 && (path_is_or_below(wanted, path) ||
                          (str_ends(path, STR(".md")) &&
                           str_eq(str_slice(path, 0, path.n - 3), wanted)));
}

static bool asked_for(const struct vault_feed_question *q, const struct feed_entry *e)
{
    return q->path.n == 0 || is_at(e->path, q->path) || is_at(e->from, q->path);
}

/* The entries after a time that the caller may know, the latest first. */
static size_t choose_entries(struct feed_view *s, const struct feed_copy *c,
                             int64_t after, struct feed_entry *out)
{
    size_t n = 0;
    for (size_t i = c->n; i > 0 && c->items[i - 1].at > after; i--) {
        struct feed_entry e = c->items[i - 1];
        if (show_entry(s, &e) && asked_for(s->q, &e))
            out[n++] = e;
    }
    return n;
}

/* After what the caller asks for, and what is to be said about that. */
static int64_t answer_after(const struct vault_feed_question *q,
                            const struct feed_copy *c, struct vault_feed_answer *out)
{
    int64_t after = q->from > 0 ? q->from * 1000 - 1 : c->since;
    unsigned tag = c->tag;
    if (q->after > 0)
        feed_cursor_parts(q->after, &after, &tag);
    if (tag != c->tag) {
        after -= FEED_OVERLAP_MS;
        out->repeated = true;
    }
    out->missed = (q->after > 0 || q->from > 0) && after < c->since;
    return after;
}

bool vault_feed_ask(struct vault *v, struct arena *a, const struct vault_feed_question *q,
                    struct vault_feed_answer *out, struct err *err)
{
    struct feed_copy c;
    struct vault_feed *f = v->live->feed;
    struct arena scratch = {0};
    struct feed_view s = {v, q, {.arena = &scratch}};
    *out = (struct vault_feed_answer){0};
    if (f == NULL)
        return err_named(err, E_NO_HISTORY, "changes are not noticed");
    if (!vault_wait(v, NULL, NULL, err) || !feed_wait(f, err))
        return false;
    feed_read(&f->feed, a, &c);
    struct feed_entry *found = ARENA_ARRAY(a, struct feed_entry, c.n + 1);
    size_t n = choose_entries(&s, &c, answer_after(q, &c, out), found);
    bool oldest = q->after > 0 || q->from > 0;
    out->more = oldest && n > q->limit;
    out->n = n > q->limit ? q->limit : n;
    size_t first = oldest ? n : out->n; /* its number, from the end */
    out->items = ARENA_ARRAY(a, struct feed_entry, out->n + 1);
    for (size_t i = 0; i < out->n; i++)
        out->items[i] = found[first - 1 - i];
    out->since = c.since / 1000;
    out->cursor = feed_cursor(out->more ? out->items[out->n - 1].at : c.seen, c.tag);
    arena_release(&scratch);
    return true;
}
