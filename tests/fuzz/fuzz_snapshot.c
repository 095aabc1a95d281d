/*
 * A snapshot of a small vault, overwritten with bytes of the input and with a corrected
 * checksum: reading it never does harm.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vault/index/snapshot.h"
#include "vault/index/snapshot_format.h"

enum {
    SUM_AT = offsetof(struct snapshot_head, sum),
    HEAD = sizeof(struct snapshot_head)
};

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

static void use_graph(const struct index *x, struct arena *a)
{
    struct graph_edge *edges;
    struct graph_missing *missing;
    struct graph_near *near;
    file_id *ids;
    for (file_id i = 0; i < x->n; i++) {
        (void)graph_links(x->graph, a, i, &edges);
        (void)graph_backlinks(x->graph, a, i, &edges);
        (void)graph_neighbours(x->graph, a, i, GRAPH_BOTH, 3, 10, &near);
    }
    (void)graph_unresolved(x->graph, a, 0, SIZE_MAX, &missing);
    (void)graph_orphans(x->graph, a, &ids);
    (void)names_find_name(x->names, a, STR("A"), &ids);
}

static void use_tags(const struct index *x)
{
    for (size_t i = 0; i < tags_count(x->tags); i++) {
        struct tag t = tags_at(x->tags, i);
        for (size_t k = 0; k < t.all; k++)
            if (index_file(x, t.files[k]) == NULL)
                BUG("a tag of a file that does not exist");
    }
}

static void change(struct index *x)
{
    static const char *const paths[] = {"C.md", "new.md", "f/A.md", "A.md"};
    struct arena scratch = {0};
    struct fs_info info = {.type = FS_FILE};
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        str text = STR("[[A]] [[C]] [[nowhere]] #x/y #new");
        index_put(x, file_make(&scratch, str_c(paths[i]), &info, text), false);
    }
    index_remove(x, STR("A.md"));
    index_remove(x, STR("D.canvas"));
    arena_release(&scratch);
}

/* Use everything that a damaged file could break. */
static void use(struct snapshot *s)
{
    struct index *x = index_create();
    struct arena a = {0};
    index_restore(x, &s->parts);
    struct words_result r;
    struct err err;
    bool ok =
        words_search_text(x->words, &a, STR("task code h"), 0, 10, NULL, NULL, &r, &err);
    (void)ok;
    for (file_id i = 0; i < x->n; i++)
        if (x->files[i] != NULL)
            (void)note_find_heading(&x->files[i]->note, STR("#H"));
    use_graph(x, &a);
    use_tags(x);
    change(x);
    use_graph(x, &a);
    use_tags(x);
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
    struct hash_content sum =
        snapshot_sum(NULL, (str){bytes + HEAD, good.n - HEAD}, (str){0});
    memcpy(bytes + SUM_AT, &sum, sizeof(sum));
    write_file((str){bytes, good.n});
    struct snapshot *s;
    struct err err;
    if (snapshot_open(path, NULL, &s, &err)) {
        use(s);
        snapshot_close(s);
    }
    arena_release(&a);
    return 0;
}
