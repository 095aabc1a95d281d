/*
 * head, directory (one entry per id), blocks of files, image of the words. A checksum
 * over everything behind the head finds what was damaged by accident; the pointers of the
 * blocks are checked nevertheless.
 */
#include "vault/snapshot.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

enum { BUILD_SIZE = 32, FILES_MAX = 1 << 24, BUFFER = 1 << 18 };

struct head {
    char magic[8];
    char build[BUILD_SIZE]; /* which program wrote it */
    uint64_t size;          /* of the whole file */
    int64_t saved_ns;
    struct hash_content sum; /* of everything behind the head */
    uint64_t n_files;        /* entries of the directory, which follows */
    uint64_t words, words_size;
};

struct entry {
    uint64_t at, size; /* size 0: no file has this id */
    uint64_t was;      /* address when it was written */
};

static const char magic[8] = "vaultdix";

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
                       note->n_descsz < BUILD_SIZE ? note->n_descsz : BUILD_SIZE);
            p += name + data;
        }
    }
    return 1; /* the first is the program itself */
}

static void build_of_this(char out[BUILD_SIZE])
{
    memset(out, 0, BUILD_SIZE);
    memcpy(out, VAULTD_VERSION, strnlen(VAULTD_VERSION, BUILD_SIZE));
    dl_iterate_phdr(find_build_id, out);
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
    for (size_t done = 0; done < w->n && !w->failed;) {
        ssize_t n = write(w->fd, w->buffer + done, w->n - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            w->failed = true;
    }
    w->n = 0;
}

static void put(void *arg, const void *bytes, size_t n)
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
    return (n + 15) & ~(uint64_t)15;
}

static void pad(struct writer *w)
{
    static const char zeros[16];
    put(w, zeros, (size_t)(aligned(w->at) - w->at));
}

static void put_files(struct writer *w, const struct index *x)
{
    uint64_t at = aligned(sizeof(struct head) + x->n * sizeof(struct entry));
    for (file_id i = 0; i < x->n; i++) {
        const struct file *f = x->files[i];
        struct entry e = {0};
        if (f != NULL)
            e = (struct entry){at, f->bytes, (uint64_t)(uintptr_t)f};
        at = aligned(at + e.size);
        put(w, &e, sizeof(e));
    }
    for (file_id i = 0; i < x->n; i++) {
        pad(w);
        if (x->files[i] != NULL)
            put(w, x->files[i], x->files[i]->bytes);
    }
    pad(w);
}

static bool sum_of(int fd, uint64_t size, struct hash_content *out)
{
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (map == MAP_FAILED)
        return false;
    *out = hash_content(
        (str){(const char *)map + sizeof(struct head), size - sizeof(struct head)});
    munmap(map, size);
    return true;
}

static bool write_index(int fd, const struct index *x)
{
    struct head head = {.n_files = x->n, .saved_ns = clock_wall_ns()};
    memcpy(head.magic, magic, sizeof(magic));
    build_of_this(head.build);
    struct writer *w = mem_zero(sizeof(*w));
    w->fd = fd;
    put(w, &head, sizeof(head));
    put_files(w, x);
    head.words = w->at;
    words_save(x->words, put, w);
    head.size = w->at;
    head.words_size = w->at - head.words;
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

/* --- reading --- */

static bool no_good(struct err *err, const char *why)
{
    return err_set(err, ERR_INVALID, "the stored index is of no use: %s", why);
}

static bool check_head(const struct snapshot *s, struct err *err)
{
    const struct head *h = s->map;
    char build[BUILD_SIZE];
    build_of_this(build);
    if (memcmp(h->magic, magic, sizeof(magic)) != 0 ||
        memcmp(h->build, build, sizeof(build)) != 0)
        return no_good(err, "another program wrote it");
    if (h->size != s->size || h->n_files > FILES_MAX ||
        h->n_files * sizeof(struct entry) > s->size - sizeof(*h) || h->words > s->size ||
        h->words_size != s->size - h->words || h->words % 16 != 0)
        return no_good(err, "it is cut off");
    str rest = {(const char *)s->map + sizeof(*h), s->size - sizeof(*h)};
    if (!hash_same(hash_content(rest), h->sum))
        return no_good(err, "it is damaged");
    return true;
}

static bool revive_files(struct snapshot *s, struct err *err)
{
    const struct head *h = s->map;
    const struct entry *entries = (const void *)(h + 1);
    s->n = h->n_files;
    s->files = mem_zero(size_mul(s->n + 1, sizeof(*s->files)));
    for (size_t i = 0; i < s->n; i++) {
        const struct entry *e = &entries[i];
        if (e->size == 0)
            continue;
        if (e->at % 16 != 0 || e->at > s->size || e->size > s->size - e->at)
            return no_good(err, "it is damaged");
        s->files[i] = file_revive((char *)s->map + e->at, e->size, e->was);
        if (s->files[i] == NULL)
            return no_good(err, "it is damaged");
    }
    return true;
}

static bool map_file(struct snapshot *s, const char *path, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_sys(err, "there is no stored index");
    if (!S_ISREG(st.st_mode) || (size_t)st.st_size < sizeof(struct head))
        return no_good(err, "it is cut off");
    s->size = (size_t)st.st_size;
    s->map = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (s->map == MAP_FAILED) {
        s->map = NULL;
        return err_sys(err, "the stored index cannot be mapped");
    }
    madvise(s->map, s->size, MADV_POPULATE_READ);
    return true;
}

bool snapshot_open(const char *path, struct snapshot **out, struct err *err)
{
    struct snapshot *s = mem_zero(sizeof(*s));
    if (!map_file(s, path, err) || !check_head(s, err) || !revive_files(s, err)) {
        snapshot_close(s);
        return false;
    }
    const struct head *h = s->map;
    s->saved_ns = h->saved_ns;
    if (!words_load((str){(const char *)s->map + h->words, h->words_size}, &s->words,
                    err)) {
        snapshot_close(s);
        return false;
    }
    *out = s;
    return true;
}

void snapshot_close(struct snapshot *s)
{
    if (s == NULL)
        return;
    words_free(s->words);
    free(s->files);
    if (s->map != NULL)
        munmap(s->map, s->size);
    free(s);
}
