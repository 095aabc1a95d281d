/*
 * Vectors in a file: see vectors.h. Numbers are as in memory, so a machine of another
 * byte order finds a wrong checksum, and the file is made again.
 */
#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/fs.h"
#include "base/os/file.h"
#include "vault/meaning/vectors.h"
#include "vault/meaning/vectors_row.h"

static const char vectors_magic[8] = "vaultdv1";

enum { READ_ROWS = 256 }; /* at a time */

struct vectors_header {
    char magic[8];
    struct hash_content model;
    uint32_t chunk_bytes, numbers;
    uint64_t check; /* of everything else */
};

static uint64_t header_check(const struct vectors_header *h)
{
    return hash_content((str){(const char *)h, offsetof(struct vectors_header, check)})
        .low;
}

static bool read_header(int fd, struct vectors_header *h)
{
    return file_read_at(fd, h, sizeof(*h), 0) == sizeof(*h) &&
           memcmp(h->magic, vectors_magic, sizeof(h->magic)) == 0 &&
           h->check == header_check(h) && h->numbers > 0 &&
           h->numbers <= VECTORS_NUMBERS_MAX;
}

static size_t row_bytes(const struct vectors *v)
{
    return sizeof(struct vectors_row) + v->numbers;
}

static uint64_t row_offset(const struct vectors *v, uint32_t row)
{
    return sizeof(struct vectors_header) + (uint64_t)row * row_bytes(v);
}

/* --- reading --- */

static uint32_t row_check(const struct vectors *v, const char *row)
{
    struct vectors_row r;
    memcpy(&r, row, sizeof(r));
    r.check = 0;
    struct hash_content parts[2] = {
        hash_content((str){(const char *)&r, sizeof(r)}),
        hash_content((str){row + sizeof(r), v->numbers}),
    };
    return (uint32_t)hash_content((str){(const char *)parts, sizeof(parts)}).low;
}

static bool is_scale(float scale)
{
    return (scale > 0 && scale <= 1) || scale == VECTORS_SCALE_UNREAD ||
           scale == VECTORS_SCALE_REFUSED;
}

/* A damaged row keeps its place, so that those after it keep theirs. */
static bool take_row(struct vectors *v, const char *row)
{
    struct vectors_row r;
    memcpy(&r, row, sizeof(r));
    bool good = r.check == row_check(v, row) && is_scale(r.scale);
    int8_t *numbers = vectors_append(v, r.hash, good ? r.scale : VECTORS_SCALE_DAMAGED);
    if (numbers != NULL && good && r.scale > 0)
        memcpy(numbers, row + sizeof(r), v->numbers);
    return numbers != NULL;
}

static bool read_rows(struct vectors *v, char *buffer, struct lock_shared *lock)
{
    size_t got =
        file_read_at(v->fd, buffer, READ_ROWS * row_bytes(v), row_offset(v, v->saved));
    size_t n = got / row_bytes(v), taken = 0;
    if (lock != NULL)
        lock_shared_write(lock);
    while (taken < n && take_row(v, buffer + taken * row_bytes(v)))
        taken++;
    if (lock != NULL)
        lock_shared_drop(lock);
    v->saved = v->synced = v->n;
    return n > 0 && taken == n;
}

static bool set_numbers(struct vectors *v, unsigned numbers, struct lock_shared *lock)
{
    struct err ignored;
    if (lock != NULL)
        lock_shared_write(lock);
    bool ok = vectors_set_numbers(v, numbers, &ignored);
    if (lock != NULL)
        lock_shared_drop(lock);
    return ok;
}

static bool open_known(struct vectors *v, struct lock_shared *lock)
{
    struct vectors_header h;
    if (v->path == NULL || v->fd >= 0)
        return v->fd >= 0;
    AUTO_CLOSE int fd = file_open_own(FILE_CWD, v->path, FILE_OLD);
    if (fd < 0)
        fd = file_open(FILE_CWD, v->path, FILE_NO_LINK);
    if (fd < 0 || !read_header(fd, &h) || !hash_same(h.model, v->model.id) ||
        h.chunk_bytes != v->model.chunk_bytes || !set_numbers(v, h.numbers, lock))
        return false;
    v->fd = TAKE(fd);
    return true;
}

void vectors_load(struct vectors *v, struct lock_shared *lock)
{
    lock_check_slow();
    if (v->n != v->saved || !open_known(v, lock))
        return;
    char *buffer = mem_alloc(READ_ROWS * row_bytes(v));
    while (read_rows(v, buffer, lock))
        ;
    free(buffer);
}

bool vectors_peek(const char *path, struct vectors_model *out, struct err *err)
{
    struct vectors_header h;
    lock_check_slow();
    AUTO_CLOSE int fd = file_open(FILE_CWD, path, FILE_NO_LINK);
    if (fd < 0)
        return err_sys(err, "the embeddings cannot be read");
    if (!read_header(fd, &h))
        return err_set(err, ERR_INVALID, "the embeddings file is damaged");
    *out = (struct vectors_model){h.model, h.chunk_bytes};
    return true;
}

bool vectors_replaced(const struct vectors *v)
{
    struct file_stat mine, theirs;
    struct vectors_model model;
    struct err ignored;
    if (v->path == NULL || !file_stat_at(FILE_CWD, v->path, FILE_FOLLOW, &theirs))
        return v->fd >= 0; /* it was removed */
    if (v->fd < 0)
        return vectors_peek(v->path, &model, &ignored) &&
               hash_same(model.id, v->model.id);
    return !file_stat(v->fd, &mine) || !file_is_same(&mine, &theirs) ||
           (uint64_t)theirs.size < row_offset(v, v->saved);
}

/* --- writing --- */

static bool write_header(int fd, const struct vectors *v)
{
    struct vectors_header h = {
        .model = v->model.id, .chunk_bytes = v->model.chunk_bytes, .numbers = v->numbers};
    memcpy(h.magic, vectors_magic, sizeof(h.magic));
    h.check = header_check(&h);
    return file_write(fd, (str){(const char *)&h, sizeof(h)});
}

static void print_row(const struct vectors *v, uint32_t row, char *out)
{
    struct vectors_row r = {.hash = vectors_hash(v, row),
                            .scale = *vectors_scale(v, row)};
    memcpy(out, &r, sizeof(r));
    memcpy(out + sizeof(r), vectors_numbers(v, row), v->numbers);
    r.check = row_check(v, out);
    memcpy(out, &r, sizeof(r));
}

static bool write_rows(int fd, const struct vectors *v, uint32_t from, const bool *keep)
{
    char *buffer = mem_alloc(READ_ROWS * row_bytes(v));
    bool ok = true;
    while (ok && from < v->n) {
        size_t n = 0;
        for (; from < v->n && n < READ_ROWS; from++)
            if (keep == NULL || keep[from])
                print_row(v, from, buffer + n++ * row_bytes(v));
        ok = file_write(fd, (str){buffer, n * row_bytes(v)});
    }
    int why = errno;
    free(buffer);
    errno = why;
    return ok;
}

/* Whether the file has another format: that of a newer version, which may still use it. */
static bool is_newer(const char *path)
{
    char magic[sizeof(vectors_magic)];
    AUTO_CLOSE int fd = file_open(FILE_CWD, path, FILE_NO_LINK);
    return fd >= 0 && file_read_at(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
           memcmp(magic, vectors_magic, sizeof(magic) - 1) == 0 &&
           magic[sizeof(magic) - 1] != vectors_magic[sizeof(magic) - 1];
}

/* A new file, or the one that was read; what is damaged at its end is cut off. */
static bool open_to_write(struct vectors *v, struct err *err)
{
    if (v->fd < 0 && is_newer(v->path))
        return err_set(err, ERR_DENIED,
                       "the embeddings file was written by a newer vaultd");
    if (v->fd < 0) {
        v->fd = file_open_own(FILE_CWD, v->path, FILE_EMPTIED);
        if (v->fd < 0 || !write_header(v->fd, v))
            return err_sys(err, "the embeddings file cannot be created");
    }
    return file_resize(v->fd, row_offset(v, v->saved)) ||
           err_sys(err, "the embeddings file cannot be changed");
}

static bool append_rows(struct vectors *v, bool sync, struct err *err)
{
    if (v->saved < v->n) {
        if (!open_to_write(v, err))
            return false;
        if (!write_rows(v->fd, v, v->saved, NULL)) {
            err_sys(err, "the embeddings file cannot be written");
            /* otherwise it is cut off later */
            (void)!file_resize(v->fd, row_offset(v, v->saved));
            return false;
        }
        v->saved = v->n;
    }
    if (v->saved > v->synced && (sync || v->saved - v->synced >= VECTORS_SYNC)) {
        if (!file_sync(v->fd, FILE_SYNC_BYTES))
            return err_sys(err, "the embeddings file cannot be written");
        v->synced = v->saved;
    }
    return true;
}

void vectors_save(struct vectors *v, bool sync)
{
    if (v->path == NULL || v->failed || v->numbers == 0)
        return;
    v->failed = !append_rows(v, sync, &v->why);
}

bool vectors_rewrite(const struct vectors *v, const bool *keep, struct err *err)
{
    struct arena a = {0};
    const char *temporary = arena_printf(&a, "%s.tmp", v->path).p;
    AUTO_CLOSE int fd = file_open_own(FILE_CWD, temporary, FILE_EMPTIED);
    bool ok = fd >= 0 && write_header(fd, v) && write_rows(fd, v, 0, keep) &&
              file_sync(fd, FILE_SYNC_FILE) &&
              file_rename(FILE_CWD, temporary, FILE_CWD, v->path, FILE_REPLACE);
    if (!ok) {
        err_sys(err, "the embeddings file cannot be written again");
        file_remove(FILE_CWD, temporary);
    }
    arena_release(&a);
    return ok;
}
