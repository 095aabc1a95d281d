/*
 * A snapshot of a small vault with bytes of the input written over it, its checksum made
 * right again: whatever it says, reading it never does harm.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vault/snapshot.h"

/* As in snapshot.c: where the checksum is, and what it is of. */
enum { SUM_AT = 56, HEAD = 96 };

static char path[64];
static str good;

static void remove_file(void)
{
    unlink(path);
}

static str read_back(struct arena *a)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        abort();
    char *p = arena_alloc(a, (size_t)st.st_size);
    if (read(fd, p, (size_t)st.st_size) != st.st_size)
        abort();
    close(fd);
    return (str){p, (size_t)st.st_size};
}

static void make_good(void)
{
    static struct arena a;
    static const struct {
        const char *path, *text;
    } notes[] = {
        {"A.md",
         "---\ntags: [x/y]\naliases: B\nm: {k: [1, 2]}\n---\n# H\n[[C#H]] #t ^id\n"},
        {"C.md", "- [ ] task\n\n`code` $m$ %%c%% [a](A.md) [^1]\n\n[^1]: note\n"},
        {"D.canvas", "{\"nodes\":[{\"id\":\"1\",\"type\":\"text\",\"text\":\"[[A]]\"}]}"},
    };
    struct index *x = index_create();
    struct arena scratch = {0};
    struct fs_info info = {.type = FS_FILE};
    struct err err;
    for (size_t i = 0; i < COUNT_OF(notes); i++)
        index_put(x,
                  file_make(&scratch, str_c(notes[i].path), &info, str_c(notes[i].text)),
                  false);
    snprintf(path, sizeof(path), "/tmp/vaultd-fuzz-snapshot-%d", (int)getpid());
    if (!snapshot_save(path, x, &err))
        abort();
    good = read_back(&a);
    index_free(x);
    arena_release(&scratch);
    atexit(remove_file);
}

static void write_file(str bytes)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0 || write(fd, bytes.p, bytes.n) != (ssize_t)bytes.n)
        abort();
    close(fd);
}

/* Use everything that a damaged file could lead astray. */
static void use(struct snapshot *s)
{
    struct index *x = index_create();
    struct arena a = {0};
    index_fill(x, s->files, s->n, s->words);
    s->words = NULL;
    struct words_result r;
    struct err err;
    (void)words_search(x->words, &a, STR("task code h"), 0, 10, NULL, NULL, &r, &err);
    for (file_id i = 0; i < x->n; i++)
        if (x->files[i] != NULL)
            (void)note_find_heading(&x->files[i]->note, STR("#H"));
    arena_release(&a);
    index_free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (good.n == 0)
        make_good();
    struct arena a = {0};
    char *bytes = arena_alloc(&a, good.n);
    memcpy(bytes, good.p, good.n);
    for (; size >= 3; data += 3, size -= 3) {
        size_t at = HEAD + ((size_t)data[0] << 8 | data[1]);
        if (at < good.n)
            bytes[at] = (char)data[2];
    }
    struct hash_content sum = hash_content((str){bytes + HEAD, good.n - HEAD});
    memcpy(bytes + SUM_AT, &sum, sizeof(sum));
    write_file((str){bytes, good.n});
    struct snapshot *s;
    struct err err;
    if (snapshot_open(path, &s, &err)) {
        use(s);
        snapshot_close(s);
    }
    arena_release(&a);
    return 0;
}
