/*
 * The files of a struct meaning. "vectors" has the rows of a model; while those of
 * another one are made, they are in "vectors.next", which takes its place when it covers
 * the vault. The process with the lock on "vectors.lock" writes them. The lock ends with
 * the process.
 */
#include <errno.h>
#include <stdio.h>

#include "base/os/file.h"
#include "vault/meaning/meaning_fill.h"
#include "vault/meaning/meaning_parts.h"
#include "vault/meaning/note_vectors.h"
#include "vault/meaning/vectors.h"

enum {
    COVERED_PERCENT = 95, /* of the chunks: then a former model is not needed any more */
    UNUSED_PERCENT = 30,  /* of the rows: then the file is written again */
    UNUSED_MIN = 256,     /* rows */
};

static char *file_beside(const char *path, const char *ending)
{
    struct arena a = {0};
    char *out = mem_str(arena_printf(&a, "%s%s", path, ending));
    arena_release(&a);
    return out;
}

/* --- the turn --- */

static int open_turn(const char *path)
{
    char *lock = file_beside(path, ".lock");
    int fd = file_open_own(FILE_CWD, lock, FILE_KEPT);
    free(lock);
    return fd;
}

/* Whether this process may fill. Where no file can be made, no other process fills
 * either. */
static bool take_turn(struct meaning *m)
{
    if (!m->may_fill)
        return false;
    int fd = open_turn(m->path);
    if (fd < 0)
        return true;
    if (!file_lock(fd)) {
        file_close(fd);
        return false;
    }
    m->turn = fd;
    return true;
}

bool meaning_has_turn(const struct meaning *m)
{
    return m->filling;
}

/* --- opening --- */

static struct vectors read_vectors(const struct vectors_model *model, const char *path)
{
    struct vectors v;
    vectors_init(&v, model, path);
    vectors_load(&v, NULL);
    return v;
}

/* The files are read without the lock: threads that wait for it may hold the index. */
static void reopen(struct meaning *m)
{
    struct vectors_model wanted = meaning_model(m->embedder), found;
    struct vectors now, former = {.fd = -1};
    struct err ignored;
    char *next = file_beside(m->path, ".next");
    bool has_former =
        vectors_peek(m->path, &found, &ignored) &&
        !(hash_same(found.id, wanted.id) && found.chunk_bytes == wanted.chunk_bytes);
    if (has_former)
        former = read_vectors(&found, m->path);
    else if (m->filling)
        file_remove(FILE_CWD, next);
    now = read_vectors(&wanted, has_former ? next : m->path);
    free(next);

    lock_shared_write(&m->lock);
    note_vectors_clear(&m->now);
    note_vectors_clear(&m->former);
    vectors_release(&m->now.vectors);
    m->now.vectors = now;
    if (has_former) {
        vectors_release(&m->former.vectors);
        m->former.vectors = former;
    }
    m->has_former = has_former;
    lock_shared_drop(&m->lock);
}

void meaning_begin(struct meaning *m, bool fill)
{
    m->may_fill = fill;
    if (m->path == NULL) {
        struct vectors_model model = meaning_model(m->embedder);
        m->filling = fill;
        lock_shared_write(&m->lock);
        vectors_init(&m->now.vectors, &model, NULL);
        lock_shared_drop(&m->lock);
        return;
    }
    m->filling = take_turn(m);
    reopen(m);
}

bool meaning_follow(struct meaning *m)
{
    if (m->filling)
        return false;
    m->filling = take_turn(m);
    if (m->filling || vectors_replaced(&m->now.vectors) ||
        (m->has_former && vectors_replaced(&m->former.vectors))) {
        reopen(m);
        return true;
    }
    uint32_t before = m->now.vectors.n;
    vectors_load(&m->now.vectors, &m->lock);
    return m->now.vectors.n > before;
}

/* --- cleaning up --- */

void meaning_save(struct meaning *m, bool sync)
{
    struct vectors *v = &m->now.vectors;
    vectors_save(v, sync);
    if (!v->failed || m->unsaved.code != ERR_NONE)
        return;
    lock_shared_write(&m->lock);
    m->unsaved = v->why;
    err_reword(&m->unsaved, "%s: they are kept in memory only", v->why.msg);
    lock_shared_drop(&m->lock);
}

static void drop_former(struct meaning *m)
{
    const struct note_vectors *s = &m->now;
    if (!m->has_former || s->total == 0 ||
        s->settled * 100 < s->total * COVERED_PERCENT || s->vectors.failed ||
        !file_rename(FILE_CWD, s->vectors.path, FILE_CWD, m->path, FILE_REPLACE))
        return;
    lock_shared_write(&m->lock);
    m->has_former = false;
    note_vectors_release(&m->former);
    free(m->now.vectors.path);
    m->now.vectors.path = mem_str(str_c(m->path));
    lock_shared_drop(&m->lock);
}

static bool meaning_file_is_worth_it(const struct vectors *v, size_t used)
{
    size_t unused = v->n - used;
    return v->path != NULL && !v->failed && unused >= UNUSED_MIN &&
           unused * 100 > (size_t)v->n * UNUSED_PERCENT;
}

static bool clean_up(struct meaning *m)
{
    struct vectors *v = &m->now.vectors;
    bool *used = mem_zero(v->n + 1), done = false;
    if (meaning_file_is_worth_it(v, note_vectors_used(&m->now, used))) {
        done = vectors_rewrite(v, used, &v->why);
        v->failed = !done;
        if (done)
            reopen(m);
        else
            meaning_save(m, true);
    }
    free(used);
    return done;
}

bool meaning_settle(struct meaning *m)
{
    meaning_save(m, true);
    drop_former(m);
    return clean_up(m);
}

bool meaning_remove(const char *file, bool *found, struct err *err)
{
    int fd = open_turn(file);
    if (fd < 0)
        return err_sys(err, "the embeddings cannot be removed");
    if (!file_lock(fd)) {
        file_close(fd);
        return err_set(
            err, ERR_BUSY,
            "a running vaultd uses the embeddings of this vault: stop it first");
    }
    char *next = file_beside(file, ".next");
    bool main_file = file_remove(FILE_CWD, file), other = file_remove(FILE_CWD, next);
    *found = main_file || other;
    free(next);
    file_close(fd);
    return true;
}
