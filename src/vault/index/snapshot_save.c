#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/rand.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/image.h"
#include "vault/index/names.h"
#include "vault/index/snapshot.h"
#include "vault/index/snapshot_format.h"
#include "vault/index/words.h"

enum { BUFFER = 1 << 18 };

/* --- which program this is --- */

static int find_build_id(struct dl_phdr_info *info, size_t size, void *out)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE)
            continue;
        const char *p = (const char *)(info->dlpi_addr + segment->p_vaddr);
        const char *end = p + segment->p_memsz;
        while (p + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *note = (const void *)p;
            size_t name = (note->n_namesz + 3u) & ~3u, data = (note->n_descsz + 3u) & ~3u;
            p += sizeof(*note);
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4)
                memcpy(out, p + name,
                       note->n_descsz < SNAPSHOT_BUILD ? note->n_descsz : SNAPSHOT_BUILD);
            p += name + data;
        }
    }
    return 1; /* the first object is the program itself */
}

void snapshot_sign(struct snapshot_head *h)
{
    static const char magic[8] = "vaultdi2";
    memcpy(h->magic, magic, sizeof(magic));
    memset(h->build, 0, sizeof(h->build));
    _Static_assert(sizeof(VAULTD_VERSION) <= sizeof(h->build), "room for the version");
    memcpy(h->build, VAULTD_VERSION, sizeof(VAULTD_VERSION));
    dl_iterate_phdr(find_build_id, h->build);
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
    w->failed = w->failed || !fs_write_all(w->fd, (str){w->buffer, w->n});
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

static void put_directory(struct writer *w, const struct index *x)
{
    uint64_t at =
        aligned(sizeof(struct snapshot_head) + x->n * sizeof(struct snapshot_entry));
    for (file_id i = 0; i < x->n; i++) {
        struct snapshot_entry e = {0};
        if (x->files[i] != NULL)
            e = (struct snapshot_entry){at, x->files[i]->bytes};
        at = aligned(at + e.size);
        snapshot_save_put(w, &e, sizeof(e));
    }
}

static void snapshot_save_put_files(struct writer *w, const struct index *x,
                                    uint64_t base)
{
    struct arena a = {0};
    for (file_id i = 0; i < x->n; i++) {
        const struct file *f = x->files[i];
        pad(w);
        if (f == NULL)
            continue;
        arena_reset(&a);
        void *block = arena_alloc(&a, f->bytes);
        file_store(f, block, base + w->at);
        snapshot_save_put(w, block, f->bytes);
    }
    arena_release(&a);
    pad(w);
}

/*
 * A random address in the middle of the address space, which is usually free. It is
 * random because a fixed one would help an attacker.
 */
static uint64_t choose_base(void)
{
    uint64_t random;
    rand_bytes(&random, sizeof(random));
    return UINT64_C(0x100000000000) + (random % (UINT64_C(1) << 33) << 12);
}

static bool sum_of(int fd, uint64_t size, struct hash_content *out)
{
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (map == MAP_FAILED)
        return false;
    *out = snapshot_sum(NULL, str_skip((str){map, size}, sizeof(struct snapshot_head)));
    munmap(map, size);
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
    snapshot_save_put_files(w, x, head.base);
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
              pwrite(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head);
    free(w);
    return ok;
}

bool snapshot_save(const char *path, const struct index *x, struct err *err)
{
    struct arena a = {0};
    str temp = arena_printf(&a, "%s.%d.tmp", path, (int)getpid());
    AUTO_CLOSE int fd = open(temp.p, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && write_index(fd, x) && rename(temp.p, path) == 0;
    if (!ok) {
        err_sys(err, "the index could not be stored");
        if (fd >= 0)
            unlink(temp.p);
    }
    arena_release(&a);
    return ok;
}
