#include "vault/index/snapshot.h"

#include <stdatomic.h>

#include "base/os/memory.h"
#include "base/parallel.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/index/snapshot_format.h"
#include "vault/index/words.h"

enum {
    BATCH = 256,       /* files that a thread takes at a time */
    AHEAD = 2,         /* files to prefetch, */
    AHEAD_BYTES = 2048 /* and about how much of each is read */
};

static bool unusable(struct err *err, const char *why)
{
    return err_set(err, ERR_INVALID, "the stored index cannot be used: %s", why);
}

static const struct snapshot_head *head_of(const struct snapshot *s)
{
    return s->map;
}

/* --- the checksum --- */

struct summing {
    str bytes, passing; /* passing: the part of it that needs no memory afterwards */
    struct hash_content *sums;
};

static str chunk_of(const struct summing *s, size_t i)
{
    size_t from = i * SNAPSHOT_CHUNK, end = from + SNAPSHOT_CHUNK;
    return str_slice(s->bytes, from, end < s->bytes.n ? end : s->bytes.n);
}

/* The pages that are in both. */
static void drop_passing(str passing, str chunk)
{
    if (passing.n == 0)
        return;
    const char *from = chunk.p > passing.p ? chunk.p : passing.p,
               *chunk_end = chunk.p + chunk.n, *end = passing.p + passing.n;
    end = end < chunk_end ? end : chunk_end;
    if (from < end)
        memory_drop_pages(from, (size_t)(end - from));
}

static void sum_chunk(void *arg, size_t i, size_t worker)
{
    const struct summing *s = arg;
    str chunk = chunk_of(s, i);
    s->sums[i] = hash_content(chunk);
    drop_passing(s->passing, chunk);
}

struct hash_content snapshot_sum(struct pool *pool, str bytes, str passing)
{
    size_t n = (bytes.n + SNAPSHOT_CHUNK - 1) / SNAPSHOT_CHUNK;
    struct summing s = {bytes, passing, mem_zero(size_mul(n, sizeof(*s.sums)) + 1)};
    parallel_each(pool, n, sum_chunk, &s);
    struct hash_content sum =
        hash_content((str){(const char *)s.sums, n * sizeof(*s.sums)});
    free(s.sums);
    return sum;
}

/* --- reading --- */

static bool check_head(const struct snapshot *s, struct pool *pool, struct err *err)
{
    const struct snapshot_head *h = head_of(s);
    struct snapshot_head own;
    snapshot_sign(&own);
    if (memcmp(h->magic, own.magic, sizeof(h->magic)) != 0 ||
        memcmp(h->build, own.build, sizeof(h->build)) != 0)
        return unusable(err, "another program wrote it");
    if (h->size != s->size || h->n_files > SNAPSHOT_FILES ||
        h->n_files * sizeof(struct snapshot_entry) > s->size - sizeof(*h) ||
        h->tables > s->size || h->words > h->tables ||
        h->words_size > h->tables - h->words || h->texts > h->words ||
        h->texts_size > h->words - h->texts || h->words % SNAPSHOT_ALIGN != 0 ||
        h->tables % SNAPSHOT_ALIGN != 0)
        return unusable(err, "it is truncated");
    str all = {s->map, s->size}, texts = {0};
    if (s->lease != MEMORY_NO_LEASE) /* else it is memory of our own */
        texts = str_slice(all, h->texts, h->texts + h->texts_size);
    if (!hash_same(snapshot_sum(pool, str_skip(all, sizeof(*h)), texts), h->sum))
        return unusable(err, "it is damaged");
    return true;
}

/* The work of several threads that check the parts. */
struct reviving {
    struct snapshot *snapshot;
    atomic_bool damaged;
};

static const struct snapshot_entry *entry_of(const struct snapshot *s, size_t i)
{
    return (const struct snapshot_entry *)(head_of(s) + 1) + i;
}

/* Prefetch a file that is next but one. */
static void fetch_file(const struct snapshot *s, size_t i)
{
    enum { LINE = 64 };
    if (i >= s->parts.n)
        return;
    const struct snapshot_entry *e = entry_of(s, i);
    for (uint64_t at = 0; at < e->size && at < AHEAD_BYTES; at += LINE)
        __builtin_prefetch((const void *)((uintptr_t)s->map + e->at + at));
}

static bool snapshot_is_text(const struct snapshot *s, const struct snapshot_entry *e)
{
    const struct snapshot_head *h = head_of(s);
    return e->text >= h->texts && e->text - h->texts <= h->texts_size &&
           e->text_size <= h->texts_size - (e->text - h->texts);
}

static bool revive_file(struct snapshot *s, size_t i)
{
    const struct snapshot_entry *e = entry_of(s, i);
    if (e->size == 0)
        return true;
    if (e->at % SNAPSHOT_ALIGN != 0 || e->at > s->size || e->size > s->size - e->at ||
        !snapshot_is_text(s, e))
        return false;
    char *map = s->map;
    uint64_t base = head_of(s)->base;
    str text = {map + e->text, e->text_size};
    s->parts.files[i] =
        file_revive(map + e->at, e->size, base + e->at, text, base + e->text);
    return s->parts.files[i] != NULL;
}

static bool revive_files(struct snapshot *s, size_t batch)
{
    size_t end = (batch + 1) * BATCH < s->parts.n ? (batch + 1) * BATCH : s->parts.n;
    bool sound = true;
    for (size_t i = batch * BATCH; i < end && sound; i++) {
        fetch_file(s, i + AHEAD);
        sound = revive_file(s, i);
    }
    return sound;
}

static bool revive_tables(struct snapshot *s)
{
    const struct snapshot_head *h = head_of(s);
    struct index_parts *p = &s->parts;
    struct image_in in = {str_skip((str){s->map, s->size}, h->tables), false};
    p->names = names_load(&in);
    p->graph = p->names != NULL ? graph_load(p->names, &in) : NULL;
    return p->graph != NULL;
}

static bool revive_words(struct snapshot *s)
{
    struct err ignored;
    const struct snapshot_head *h = head_of(s);
    str image = {(const char *)s->map + h->words, h->words_size};
    return words_load(image, &s->parts.words, &ignored);
}

static void revive_part(void *arg, size_t i, size_t worker)
{
    struct reviving *r = arg;
    bool sound = i == 0   ? revive_tables(r->snapshot)
                 : i == 1 ? revive_words(r->snapshot)
                          : revive_files(r->snapshot, i - 2);
    if (!sound)
        atomic_store(&r->damaged, true);
}

static bool revive(struct snapshot *s, struct pool *pool, struct err *err)
{
    struct reviving r = {.snapshot = s};
    s->parts.n = head_of(s)->n_files;
    s->parts.files = mem_zero(size_mul(s->parts.n + 1, sizeof(*s->parts.files)));
    s->saved_ns = head_of(s)->saved_ns;
    parallel_each(pool, 2 + (s->parts.n + BATCH - 1) / BATCH, revive_part, &r);
    if (atomic_load(&r.damaged) || !index_fits(&s->parts))
        return unusable(err, "it is damaged");
    return true;
}

/* Map the file at the address it was made for, if that is free. */
static bool map_file(struct snapshot *s, const char *path, struct err *err)
{
    AUTO_CLOSE int fd = file_open(FILE_CWD, path, FILE_NO_LINK);
    struct file_stat st;
    struct snapshot_head head;
    s->lease = fd >= 0 ? memory_lease(fd) : MEMORY_NO_LEASE; /* first: it stays so long */
    if (fd < 0 || !file_stat(fd, &st))
        return err_sys(err, "there is no stored index");
    if (st.type != FILE_REGULAR ||
        file_read_at(fd, &head, sizeof(head), 0) != sizeof(head))
        return unusable(err, "it is truncated");
    s->size = (size_t)st.size;
    s->map = s->lease != MEMORY_NO_LEASE ? memory_map(fd, s->size, MEMORY_OWN, head.base)
                                         : memory_map_copy(fd, s->size, head.base);
    return s->map != NULL || err_sys(err, "the stored index cannot be mapped");
}

/* The pages with nothing but texts and words, which are never written to. */
static void unwritten(const struct snapshot *s, size_t *from, size_t *to)
{
    const struct snapshot_head *h = head_of(s);
    size_t page = memory_page();
    *from = (h->texts + page - 1) / page * page;
    *to = h->tables / page * page;
    if (*from > *to)
        *from = *to;
}

/* The pages that are written to are copied, before pointers are corrected. */
static bool own_the_rest(struct snapshot *s, struct err *err)
{
    size_t from, to;
    unwritten(s, &from, &to);
    char *map = s->map;
    return s->lease == MEMORY_NO_LEASE ||
           (memory_own(map, from) && memory_own(map + to, s->size - to)) ||
           err_sys(err, "there is no memory for the stored index");
}

static void keep_mapped(struct snapshot *s)
{
    size_t from, to;
    unwritten(s, &from, &to);
    if (s->lease != MEMORY_NO_LEASE)
        memory_lease_pages(s->lease, (char *)s->map + from, to - from);
}

bool snapshot_open(const char *path, struct pool *pool, struct snapshot **out,
                   struct err *err)
{
    struct snapshot *s = mem_zero(sizeof(*s));
    if (!map_file(s, path, err) || !check_head(s, pool, err) || !own_the_rest(s, err) ||
        !revive(s, pool, err)) {
        snapshot_close(s);
        return false;
    }
    keep_mapped(s);
    *out = s;
    return true;
}

void snapshot_drop_pages(const struct snapshot *s)
{
    const struct snapshot_head *h = head_of(s);
    if (s->lease != MEMORY_NO_LEASE)
        memory_lease_drop_pages(s->lease, (const char *)s->map + h->texts, h->texts_size);
}

void snapshot_close(struct snapshot *s)
{
    if (s == NULL)
        return;
    index_parts_release(&s->parts);
    memory_lease_end(s->lease);
    if (s->map != NULL)
        memory_unmap(s->map, s->size);
    free(s);
}
