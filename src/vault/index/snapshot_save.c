#include <stdio.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/os/folder.h"
#include "base/os/machine.h"
#include "base/os/memory.h"
#include "base/os/rand.h"
#include "base/os/self.h"
#include "base/path.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/image.h"
#include "vault/index/names.h"
#include "vault/index/snapshot.h"
#include "vault/index/snapshot_format.h"
#include "vault/index/words.h"

enum { BUFFER = 1 << 18 };

/* --- which program this is --- */

void snapshot_sign(struct snapshot_head *h)
{
    static const char magic[8] = "vaultdi2";
    memcpy(h->magic, magic, sizeof(magic));
    memset(h->build, 0, sizeof(h->build));
    _Static_assert(sizeof(VAULTD_VERSION) <= sizeof(h->build), "room for the version");
    memcpy(h->build, VAULTD_VERSION, sizeof(VAULTD_VERSION));
    machine_build(h->build, sizeof(h->build));
}

/* --- writing --- */

struct writer {
    int fd;
    bool failed;
    uint64_t at;
    size_t n;
    char buffer[BUFFER];
};

static void flush(struct writer *w)
{
    w->failed = w->failed || !file_write(w->fd, (str){w->buffer, w->n});
    w->n = 0;
}

static void snapshot_save_put(void *arg, const void *bytes, size_t n)
{
    struct writer *w = arg;
    const char *p = bytes;
    w->at += n;
    while (n > 0) {
        size_t part = n < BUFFER - w->n ? n : BUFFER - w->n;
        memcpy(w->buffer + w->n, p, part);
        w->n += part;
        p += part;
        n -= part;
        if (w->n == BUFFER)
            flush(w);
    }
}

static uint64_t aligned(uint64_t n)
{
    return (n + SNAPSHOT_ALIGN - 1) & ~(uint64_t)(SNAPSHOT_ALIGN - 1);
}

static void pad(struct writer *w)
{
    static const char zeros[SNAPSHOT_ALIGN];
    snapshot_save_put(w, zeros, (size_t)(aligned(w->at) - w->at));
}

/* Where the blocks begin. */
static uint64_t first_block(const struct index *x)
{
    return aligned(sizeof(struct snapshot_head) + x->n * sizeof(struct snapshot_entry));
}

static uint64_t end_of_blocks(const struct index *x)
{
    uint64_t at = first_block(x);
    for (file_id i = 0; i < x->n; i++)
        if (x->files[i] != NULL)
            at = aligned(at + file_stored_bytes(x->files[i]));
    return at;
}

static void put_directory(struct writer *w, const struct index *x)
{
    uint64_t at = first_block(x), text = end_of_blocks(x);
    for (file_id i = 0; i < x->n; i++) {
        const struct file *f = x->files[i];
        struct snapshot_entry e = {0};
        if (f != NULL)
            e = (struct snapshot_entry){at, file_stored_bytes(f), text, f->text.n};
        at = aligned(at + e.size);
        text += e.text_size;
        snapshot_save_put(w, &e, sizeof(e));
    }
    pad(w);
}

static void put_blocks(struct writer *w, const struct index *x, uint64_t base)
{
    struct arena a = {0};
    uint64_t text = base + end_of_blocks(x);
    for (file_id i = 0; i < x->n; i++) {
        const struct file *f = x->files[i];
        if (f == NULL)
            continue;
        arena_reset(&a);
        void *block = arena_alloc(&a, file_stored_bytes(f));
        file_store(f, block, base + w->at, text);
        snapshot_save_put(w, block, file_stored_bytes(f));
        text += f->text.n;
        pad(w);
    }
    arena_release(&a);
}

static void snapshot_save_put_texts(struct writer *w, const struct index *x)
{
    for (file_id i = 0; i < x->n; i++)
        if (x->files[i] != NULL)
            snapshot_save_put(w, x->files[i]->text.p, x->files[i]->text.n);
}

/*
 * A random address in the middle of the address space, which is usually free. It is
 * random because a fixed one would help an attacker, and the start of a page whatever the
 * size of pages is: 4 KiB, or up to 64 KiB on arm64.
 */
static uint64_t choose_base(void)
{
    uint64_t random;
    rand_bytes(&random, sizeof(random));
    return UINT64_C(0x100000000000) + (random % (UINT64_C(1) << 29) << 16);
}

static bool sum_of(int fd, uint64_t size, struct hash_content *out)
{
    const void *map = memory_map(fd, size, MEMORY_READ, 0);
    if (map == NULL)
        return false;
    str all = str_skip((str){map, size}, sizeof(struct snapshot_head));
    *out = snapshot_sum(NULL, all, all);
    memory_unmap(map, size);
    return true;
}

static bool write_index(int fd, const struct index *x)
{
    struct snapshot_head head = {
        .n_files = x->n, .saved_ns = clock_wall_ns(), .base = choose_base()};
    snapshot_sign(&head);
    struct writer *w = mem_zero(sizeof(*w));
    w->fd = fd;
    const struct image_out tables = {snapshot_save_put, w};
    snapshot_save_put(w, &head, sizeof(head));
    put_directory(w, x);
    put_blocks(w, x, head.base);
    head.texts = w->at;
    snapshot_save_put_texts(w, x);
    head.texts_size = w->at - head.texts;
    pad(w);
    head.words = w->at;
    words_save(x->words, snapshot_save_put, w);
    head.words_size = w->at - head.words;
    pad(w);
    head.tables = w->at;
    names_save(x->names, &tables);
    graph_save(x->graph, &tables);
    head.size = w->at;
    flush(w);
    bool ok = !w->failed && sum_of(fd, head.size, &head.sum) &&
              file_write_at(fd, (str){(const char *)&head, sizeof(head)}, 0);
    free(w);
    return ok;
}

/* It is locked while it is written, so that snapshot_clean() leaves it alone. */
bool snapshot_save(const char *path, const struct index *x, struct err *err)
{
    struct arena a = {0};
    str temp = arena_printf(&a, "%s.%d.tmp", path, self_pid());
    AUTO_CLOSE int fd = file_open_own(FILE_CWD, temp.p, FILE_EMPTIED);
    if (fd >= 0)
        (void)!file_lock(fd); /* not every file system can */
    bool ok = fd >= 0 && write_index(fd, x) &&
              file_rename(FILE_CWD, temp.p, FILE_CWD, path, FILE_REPLACE);
    if (!ok) {
        err_sys(err, "the index could not be stored");
        if (fd >= 0)
            file_remove(FILE_CWD, temp.p);
    }
    arena_release(&a);
    return ok;
}

/* --- cleaning up --- */

static void remove_unlocked(int folder, const char *name)
{
    AUTO_CLOSE int fd = file_open(folder, name, FILE_NO_LINK);
    if (fd >= 0 && file_lock(fd))
        file_remove(folder, name);
}

void snapshot_clean(const char *path)
{
    struct arena a = {0};
    str prefix = arena_printf(&a, STR_FMT ".", STR_ARG(path_name(str_c(path))));
    struct folder_names names =
        folder_names(FILE_CWD, arena_str(&a, path_folder(str_c(path))).p);
    for (const char *name; (name = folder_next(&names)) != NULL;)
        if (str_starts(str_c(name), prefix) && str_ends(str_c(name), STR(".tmp")))
            remove_unlocked(names.fd, name);
    folder_end(&names);
    arena_release(&a);
}
