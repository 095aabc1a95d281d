#include "vault/load.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "base/parallel.h"
#include "base/path.h"
#include "base/sort.h"
#include "vault/access.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/skipped.h"
#include "vault/index/snapshot.h"
#include "vault/index/words.h"
#include "vault/load_parts.h"
#include "vault/note/obsidian.h"
#include "vault/walk.h"

#define SECOND_NS 1000000000LL

enum {
    APPLIED = 32,        /* files that are put into the index at a time */
    RECENT_S = 1,        /* a file that changed so recently may change again within one
                               tick of the file system's clock, unnoticed */
    RECENT_COARSE_S = 3, /* the same for clocks of whole seconds: FAT's tick takes two */
};

/* An index of the words of all workers. */
static struct words *join_words(struct reading *r)
{
    struct words_bulk **bulks = mem_alloc(size_mul(r->n_workers, sizeof(*bulks)));
    for (size_t i = 0; i < r->n_workers; i++)
        bulks[i] = r->workers[i].words;
    struct words *all = words_bulk_join(bulks, r->n_workers);
    free(bulks);
    return all;
}

/* --- all of it --- */

static void load_report(const struct walk *w)
{
    enum { SHOWN = 10 };
    for (size_t i = 0; i < w->n_left && i < SHOWN; i++)
        log_event(LOG_WARN, "left_out", LOG_STR("path", w->left[i].path),
                  LOG_STR("why", w->left[i].why));
    if (w->n_left > SHOWN)
        log_event(LOG_WARN, "left_out", LOG_INT("more", w->n_left - SHOWN));
    if (w->limited)
        log_event(LOG_WARN, "files_left_out", LOG_INT("limit", WALK_FILES_MAX));
}

/* After reading, two independent steps run at the same time. */
struct finish {
    struct reading *reading;
    struct index *index;
    struct words *words;
};

static void finish_one(void *arg, size_t i, size_t worker)
{
    struct finish *f = arg;
    if (i == 0)
        f->words = join_words(f->reading);
    else /* NULL: deleted while it was read */
        index_fill(f->index, f->reading->to, f->reading->n);
}

static void load_fresh(const struct load *l, const struct walk *w, struct index *out)
{
    struct reading r;
    load_reading_open(&r, l, w);
    if (l->scans != NULL)
        l->scans(l->scans_arg, w);
    load_read(&r);
    struct finish f = {.reading = &r, .index = out};
    parallel_each(l->pool, 2, finish_one, &f);
    index_set_words(out, f.words);
    load_reading_close(&r);
    if (l->scans != NULL)
        l->scans(l->scans_arg, NULL);
}

/* --- what differs --- */

struct load_look {
    const struct load *load;
    const struct index *index;
    struct load_changes *changes;
    int64_t until_ns; /* files changed just before are read even if they look the same */
    bool *seen;       /* by id; NULL: none so far */
    file_id next;     /* the one after the last that was found */
    const struct walk_file **read;
    size_t n_read;
    struct fs_spelling spelling;
};

/* Ids are nearly always in the order of paths, so a search is rarely needed. */
static const struct file *find_next(struct load_look *k, str path)
{
    const struct file *f = index_file(k->index, k->next);
    if (f == NULL || !str_eq(f->path, path))
        f = index_find(k->index, path);
    if (f != NULL)
        k->next = f->id + 1;
    return f;
}

/* An edited note costs the same in a vault of any size, so nothing is made for it that
 * has a place for every file. */
static bool see(struct load_look *k, file_id id)
{
    if (k->seen == NULL)
        k->seen = mem_zero(k->index->n + (size_t)1);
    bool before = k->seen[id];
    k->seen[id] = true;
    return !before;
}

static bool is_recent(const struct load_look *k, const struct fs_info *info)
{
    bool coarse = info->changed_ns % SECOND_NS == 0;
    return info->changed_ns >=
           k->until_ns - (coarse ? RECENT_COARSE_S : RECENT_S) * SECOND_NS;
}

/* f is what the index has at that path, or NULL. */
static void look_at_file(struct load_look *k, const struct file *f,
                         const struct walk_file *w)
{
    if (f != NULL && fs_same(&f->info, &w->info) && !is_recent(k, &w->info) &&
        f->excluded == obsidian_is_excluded(k->load->obsidian, w->path))
        return;
    *ARRAY_ADD(&k->changes->arena, k->read, k->n_read) = w;
}

static void add_removed(struct load_look *k, str path)
{
    struct load_changes *c = k->changes;
    *ARRAY_ADD(&c->arena, c->removed, c->n_removed) = arena_str(&c->arena, path);
}

/* A file that was not seen no longer exists; it is listed only once. */
static void remove_unseen(struct load_look *k, const struct file *f)
{
    if (f != NULL && see(k, f->id))
        add_removed(k, f->path);
}

static void remove_below(struct load_look *k, str folder)
{
    struct arena a = {0};
    const struct file **files;
    size_t n = index_below(k->index, &a, folder, &files);
    for (size_t i = 0; i < n; i++)
        remove_unseen(k, files[i]);
    arena_release(&a);
}

/* Files at path or below it that were not seen. */
static void look_for_removed(struct load_look *k, str path)
{
    const struct file *at = index_find(k->index, path);
    if (at != NULL)
        remove_unseen(k, at); /* a file has nothing below it */
    else if (path.n > 0)
        remove_below(k, path);
    for (file_id i = 0; path.n == 0 && i < k->index->n; i++)
        remove_unseen(k, k->index->files[i]);
}

/* Remember what is left out at path or below it. */
static void look_left(struct load_look *k, str path, const struct skipped_file *items,
                      size_t n)
{
    struct load_changes *c = k->changes;
    struct skipped_file *copy = ARENA_ARRAY(&c->arena, struct skipped_file, n);
    for (size_t i = 0; i < n; i++)
        copy[i] = (struct skipped_file){arena_str(&c->arena, items[i].path),
                                        arena_str(&c->arena, items[i].why)};
    *ARRAY_ADD(&c->arena, c->left, c->n_left) =
        (struct load_left){arena_str(&c->arena, path), copy, n};
}

static void look_at_walk(struct load_look *k, const struct walk *w, str folder)
{
    look_left(k, folder, w->left, w->n_left);
    for (size_t i = 0; i < w->n; i++) {
        const struct file *f = find_next(k, w->files[i].path);
        if (f != NULL)
            (void)see(k, f->id);
        look_at_file(k, f, &w->files[i]);
    }
    look_for_removed(k, folder);
}

/* The vault is being closed: what was not read is not gone, and all of it is found again at
 * the next start. */
static void forget_what_differs(struct load_changes *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        file_free(c->put[i]);
    c->n_put = c->n_removed = c->n_left = 0;
}

static void read_what_differs(struct load_look *k)
{
    struct load_changes *c = k->changes;
    c->put = ARENA_ARRAY(&c->arena, struct file *, k->n_read);
    struct reading r = {.load = k->load, .from = k->read, .to = c->put, .n = k->n_read};
    atomic_store(&r.memory, k->index->text_bytes);
    load_read(&r);
    free(r.workers);
    free(k->seen);
    if (atomic_load(&r.is_stopped)) {
        forget_what_differs(c, r.n);
        return;
    }
    for (size_t i = 0; i < r.n; i++) {
        if (c->put[i] != NULL)
            c->put[c->n_put++] = c->put[i];
        else if (index_find(k->index, k->read[i]->path) != NULL)
            add_removed(k, k->read[i]->path);
    }
}

static struct load_look begin_look(const struct load *l, const struct index *x,
                                   struct load_changes *out, int64_t until_ns)
{
    *out = (struct load_changes){0};
    return (struct load_look){.load = l,
                              .index = x,
                              .changes = out,
                              .until_ns = until_ns,
                              .spelling = {.root = l->root, .a = &out->arena}};
}

/* What is at path; another spelling of it, which a file system that ignores case finds as
 * well, is at another path. */
static bool stat_path(struct load_look *k, str path, struct fs_entry *e, struct err *err)
{
    const struct load *l = k->load;
    return fs_stat_entry(l->root, path, e, err) &&
           (!l->access->folds || fs_is_spelled_so(&k->spelling, path) ||
            err_named(err, E_FILE_NOT_FOUND, "it has another spelling"));
}

static void look_at_path(struct load_look *k, str path, struct walk *walk)
{
    struct fs_entry e;
    struct err err;
    const struct load *l = k->load;
    bool there = stat_path(k, path, &e, &err);
    if (there && e.info.type == FS_FOLDER && !e.is_link) {
        if (access_enters(l->access, path) &&
            walk_seen(l->root, l->pool, path, l->access, walk, &err))
            look_at_walk(k, walk, path);
    } else if (there && e.info.type == FS_FILE && access_reads(l->access, path)) {
        struct walk_file *w = ARENA_NEW(&k->changes->arena, struct walk_file);
        *w = (struct walk_file){arena_str(&k->changes->arena, path), e.info};
        const struct file *f = index_find(k->index, path);
        look_at_file(k, f, w);
        if (f == NULL) /* it may have been a folder */
            remove_below(k, path);
    } else if (there || err.code == ERR_NOT_FOUND || err.code == ERR_INVALID) {
        look_for_removed(k, path);
        look_left(k, path, NULL, 0);
    }
}

/* Some paths, and what was found in those that are folders. */
struct looked {
    const str *paths;
    size_t n;
    struct walk *walks;
};

static void look_at_paths(struct load_look *k, struct looked *at)
{
    const file_id *ids;
    at->walks = mem_zero(size_mul(at->n, sizeof(*at->walks)) + 1);
    if (at->n >= LOAD_LOOK_MANY) /* each may ask what is below it, as the order knows */
        (void)index_by_path(k->index, &ids);
    for (size_t i = 0; i < at->n; i++)
        if (path_is_visible(at->paths[i]))
            look_at_path(k, at->paths[i], &at->walks[i]);
}

static void looked_release(struct looked *at)
{
    for (size_t i = 0; i < at->n; i++)
        walk_release(&at->walks[i]);
    free(at->walks);
}

/* --- other names of what differs --- */

struct namesakes {
    uint64_t *inodes; /* of files that differ, before and now */
    size_t n;
    struct map known; /* paths that were looked at */
    bool everywhere;  /* one of them has other names, which may be any file */
};

static void add_identity(struct load_look *k, struct namesakes *s,
                         const struct fs_info *info)
{
    *ARRAY_ADD(&k->changes->arena, s->inodes, s->n) = info->inode;
    s->everywhere = s->everywhere || info->linked || info->many_names;
}

/* now: NULL if it was removed. */
static void add_differing(struct load_look *k, struct namesakes *s, str path,
                          const struct fs_info *now)
{
    const struct file *f = index_find(k->index, path);
    (void)map_add_new(&s->known, path);
    if (f != NULL)
        add_identity(k, s, &f->info);
    if (now != NULL)
        add_identity(k, s, now);
}

static int load_by_inode(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void add_namesake(struct load_look *k, struct namesakes *s, const struct file *f,
                         str **paths, size_t *n)
{
    if (f != NULL &&
        bsearch(&f->info.inode, s->inodes, s->n, sizeof(*s->inodes), load_by_inode) !=
            NULL &&
        map_add_new(&s->known, f->path))
        *ARRAY_ADD(&k->changes->arena, *paths, *n) = f->path;
}

/* The files of the index that are, or were, one with a file that differs. */
static size_t find_namesakes(struct load_look *k, str **paths)
{
    const struct index *x = k->index;
    struct load_changes *c = k->changes;
    struct namesakes s = {.known = {.arena = &c->arena}};
    size_t n = 0;
    for (size_t i = 0; i < k->n_read; i++)
        add_differing(k, &s, k->read[i]->path, &k->read[i]->info);
    for (size_t i = 0; i < c->n_removed; i++)
        add_differing(k, &s, c->removed[i], NULL);
    if (s.n > 0)
        sort_items(s.inodes, s.n, sizeof(*s.inodes), load_by_inode);
    for (file_id i = 0; s.n > 0 && s.everywhere && i < x->n; i++)
        add_namesake(k, &s, x->files[i], paths, &n);
    for (uint32_t i = 0; s.n > 0 && !s.everywhere && i < x->aliased.n; i++)
        add_namesake(k, &s, x->files[x->aliased.at[i]], paths, &n);
    return n;
}

void load_look(const struct load *l, const struct index *x, const str *paths, size_t n,
               int64_t read_ns, struct load_changes *out)
{
    int64_t now = clock_wall_ns(); /* it may have been set back */
    struct load_look k = begin_look(l, x, out, read_ns < now ? read_ns : now);
    struct looked asked = {.paths = paths, .n = n};
    look_at_paths(&k, &asked);
    str *others = NULL;
    struct looked same = {.n = find_namesakes(&k, &others)};
    same.paths = others;
    look_at_paths(&k, &same);
    read_what_differs(&k);
    looked_release(&asked);
    looked_release(&same);
}

/* --- into the index --- */

static void put_file(const struct load *l, struct index *x, struct file *f)
{
    bool excluded = obsidian_is_excluded(l->obsidian, f->path);
    const struct file *old = index_find(x, f->path);
    if (old != NULL && !old->unread && !f->unread && hash_same(old->hash, f->hash) &&
        old->excluded == excluded && old->info.linked == f->info.linked) {
        index_touch(x, old->id, &f->info);
        file_free(f);
    } else {
        index_put(x, f, excluded);
    }
}

bool load_apply(const struct load *l, struct index *x, struct load_changes *c)
{
    size_t all = c->n_removed + c->n_put;
    for (size_t i = 0; i < APPLIED && c->applied < all; i++, c->applied++) {
        if (c->applied < c->n_removed)
            index_remove(x, c->removed[c->applied]);
        else
            put_file(l, x, c->put[c->applied - c->n_removed]);
    }
    if (c->applied < all)
        return true;
    for (size_t i = 0; i < c->n_left; i++)
        skipped_replace(&x->skipped, c->left[i].path, c->left[i].items, c->left[i].n);
    arena_release(&c->arena);
    *c = (struct load_changes){0};
    return false;
}

/* --- the start --- */

/* Two things at the same time: open the snapshot, and walk the disk. */
struct start {
    const struct load *load;
    const char *snapshot_path;
    struct snapshot *old;
    struct index *index;
    struct walk walk;
    bool walked;
    struct err *err;
};

static void start_one(void *arg, size_t i, size_t worker)
{
    struct start *s = arg;
    struct err err;
    if (i == 0) {
        s->walked = walk_seen(s->load->root, s->load->pool, STR(""), s->load->access,
                              &s->walk, s->err);
    } else if (s->snapshot_path == NULL) {
        return;
    } else if (snapshot_open(s->snapshot_path, s->load->pool, &s->old, &err)) {
        index_restore(s->index, &s->old->parts);
    } else if (err.code != ERR_NOT_FOUND) {
        log_event(LOG_INFO, "index_rebuilt", LOG_STR("why", str_c(err.msg)));
    }
}

bool load_all(const struct load *l, const char *snapshot, struct index *out,
              struct snapshot **old, struct err *err)
{
    struct start s = {.load = l, .snapshot_path = snapshot, .index = out, .err = err};
    parallel_each(l->pool, 2, start_one, &s);
    *old = s.old;
    if (!s.walked)
        return false;
    load_report(&s.walk);
    out->unreadable = s.walk.n_unreadable;
    skipped_replace(&out->skipped, STR(""), s.walk.left, s.walk.n_left);
    if (s.old == NULL) {
        load_fresh(l, &s.walk, out);
    } else {
        struct load_changes changes;
        struct load_look k = begin_look(l, out, &changes, s.old->saved_ns);
        look_at_walk(&k, &s.walk, STR(""));
        read_what_differs(&k);
        if (l->differs != NULL)
            l->differs(l->differs_arg, out, &changes);
        while (load_apply(l, out, &changes))
            ;
        snapshot_drop_pages(s.old);
    }
    walk_release(&s.walk);
    return true;
}
