#include "vault/index/snapshot.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "vault/index/snapshot_format.h"

struct place {
    struct arena arena;
    char folder[64], path[96];
    struct index *index;
};

static const struct {
    const char *path, *text;
} notes[] = {
    {"A.md", "---\ntags: [one, two/deep]\naliases: [First]\nn: 3\nmap: {a: [1, {b: c}]}\n"
             "---\n# Title\n\n- [ ] task #three ^id\n\n[[B]] and [x](C%20d.md)\n"},
    {"B.md", "see [[A#Title]] `code` zebra"},
    {"C d.md", "\xEF\xBB\xBFwith a mark\r\n\r\nand [[missing]]"},
    {"empty.md", ""},
    {"bad.md", "---\na: [\n---\nzebra"},
    {"draw.canvas", "{\"nodes\":[{\"id\":\"1\",\"type\":\"file\",\"file\":\"A.md\"}]}"},
    {"picture.png", NULL},
};

static struct index *make_index(struct arena *a)
{
    struct index *x = index_create();
    for (size_t i = 0; i < COUNT_OF(notes); i++) {
        struct fs_info info = {.type = FS_FILE, .size = 7, .inode = i + 1};
        str path = str_c(notes[i].path);
        index_put(x,
                  notes[i].text != NULL ? file_make(a, path, &info, str_c(notes[i].text))
                                        : file_make_unread(a, path, &info, NULL),
                  false);
    }
    index_remove(x, STR("empty.md")); /* leaves a hole among the ids */
    return x;
}

static int setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    snprintf(p->folder, sizeof(p->folder), "/tmp/vaultd-test-snapshot-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->path, sizeof(p->path), "%s/index", p->folder);
    p->index = make_index(&p->arena);
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    struct place *p = *state;
    unlink(p->path);
    assert_int_equal(rmdir(p->folder), 0); /* nothing else was left there */
    index_free(p->index);
    arena_release(&p->arena);
    free(p);
    return 0;
}

static void save(struct place *p)
{
    struct err err = {0};
    if (!snapshot_save(p->path, p->index, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
}

static void same_props(const struct prop *a, const struct prop *b)
{
    for (; a != NULL && b != NULL; a = a->next, b = b->next) {
        CHECK("key", str_eq(a->key, b->key) && str_eq(a->text, b->text));
        CHECK_INT("type", a->type, b->type);
        same_props(a->child, b->child);
    }
    CHECK("the same number", a == NULL && b == NULL);
}

static void same_file(const struct file *a, const struct file *b)
{
    const char *row = a->path.p;
    CHECK("path", str_eq(a->path, b->path));
    CHECK(row, str_eq(a->text, b->text) && str_eq(a->note.text, b->text));
    CHECK(row, str_eq(a->problem, b->problem) && a->unread == b->unread);
    CHECK(row, fs_same(&a->info, &b->info) && hash_same(a->hash, b->hash));
    CHECK_INT(row, a->note.n_links, b->note.n_links);
    CHECK_INT(row, a->note.n_headings, b->note.n_headings);
    CHECK_INT(row, a->tags.n, b->tags.n);
    for (size_t i = 0; i < a->tags.n; i++)
        CHECK(row, str_eq(a->tags.items[i], b->tags.items[i]));
    same_props(a->props, b->props);
}

static size_t hits(const struct index *x, struct arena *a, const char *word)
{
    struct words_result r;
    struct err err;
    assert_true(words_search_text(x->words, a, str_c(word), 0, 10, NULL, NULL, &r, &err));
    return r.total;
}

static void test_round_trip(void **state)
{
    struct place *p = *state;
    struct snapshot *s;
    struct err err = {0};
    save(p);
    assert_true(snapshot_open(p->path, NULL, &s, &err));
    struct index *x = index_create();
    index_restore(x, &s->parts);
    CHECK_INT("count", x->count, p->index->count);
    for (file_id i = 0; i < p->index->n; i++)
        if (p->index->files[i] != NULL)
            same_file(x->files[i], p->index->files[i]);
    CHECK_INT("words", hits(x, &p->arena, "zebra"), 2);
    struct tag tag;
    CHECK("tag", tags_find(x->tags, STR("two"), &tag) && tag.all == 1);
    struct graph_counts was, is;
    graph_count(p->index->graph, &was);
    graph_count(x->graph, &is);
    CHECK_INT("links", is.links, was.links);
    CHECK_INT("unresolved", is.unresolved, was.unresolved);

    /* It can be changed, stored over the file that is mapped, and opened again. */
    struct fs_info info = {.type = FS_FILE};
    index_put(x, file_make(&p->arena, STR("B.md"), &info, STR("giraffe")), false);
    index_put(x, file_make(&p->arena, STR("new.md"), &info, STR("giraffe")), false);
    CHECK_INT("new id in the hole", index_find(x, STR("new.md"))->id, 3);
    assert_true(snapshot_save(p->path, x, &err));
    CHECK_INT("changed", hits(x, &p->arena, "giraffe"), 2);
    index_free(x);
    snapshot_close(s);
    assert_true(snapshot_open(p->path, NULL, &s, &err));
    x = index_create();
    index_restore(x, &s->parts);
    CHECK_INT("changed", hits(x, &p->arena, "giraffe"), 2);
    CHECK_INT("gone", hits(x, &p->arena, "zebra"), 1);
    index_free(x);
    snapshot_close(s);
}

/* Another program truncates the file that is mapped, or writes to it. */
static void ruin(const char *path, bool write_to_it)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int fd = write_to_it ? open(path, O_WRONLY | O_CLOEXEC) : -1;
        char zeros[4096] = {0};
        bool ok = write_to_it ? pwrite(fd, zeros, sizeof(zeros), sizeof(zeros)) > 0
                              : truncate(path, 0) == 0;
        _exit(ok ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    CHECK_INT("it could", status, 0);
}

static void test_truncated_while_mapped(void **state)
{
    enum { NOTES = 300 };
    struct place *p = *state;
    struct fs_info info = {.type = FS_FILE};
    struct arena a = {0};
    struct err err = {0};
    for (int i = 0; i < NOTES; i++)
        index_put(p->index,
                  file_make(&p->arena, arena_printf(&a, "more/n%d.md", i), &info,
                            arena_printf(&a, "zebra%d and many more words\n", i)),
                  false);
    for (int round = 0; round < 4; round++) {
        struct snapshot *s;
        save(p);
        assert_true(snapshot_open(p->path, NULL, &s, &err));
        struct index *x = index_create();
        index_restore(x, &s->parts);
        if (round % 2 == 0)
            snapshot_drop_pages(s);
        ruin(p->path, round / 2 == 0);
        snapshot_drop_pages(s);
        for (file_id i = 0; i < p->index->n; i++)
            if (p->index->files[i] != NULL)
                same_file(x->files[i], p->index->files[i]);
        CHECK_INT("words", hits(x, &p->arena, "zebra7"), 1);
        index_put(x, file_make(&p->arena, STR("B.md"), &info, STR("okapi")), false);
        CHECK_INT("changed", hits(x, &p->arena, "okapi"), 1);
        index_free(x);
        snapshot_close(s);
        CHECK("not used again", !snapshot_open(p->path, NULL, &s, &err));
    }
    arena_release(&a);
}

static void test_empty(void **state)
{
    struct place *p = *state;
    struct index *none = index_create();
    struct snapshot *s;
    struct err err = {0};
    assert_true(snapshot_save(p->path, none, &err));
    assert_true(snapshot_open(p->path, NULL, &s, &err));
    CHECK_INT("files", s->parts.n, 0);
    snapshot_close(s);
    index_free(none);
}

static void test_missing(void **state)
{
    struct place *p = *state;
    struct snapshot *s;
    struct err err = {0};
    assert_false(snapshot_open(p->path, NULL, &s, &err));
    CHECK_INT("code", err.code, ERR_NOT_FOUND);
}

static void test_unwritable(void **state)
{
    struct place *p = *state;
    struct err err = {0};
    assert_false(snapshot_save("/tmp/vaultd-no-such-folder/index", p->index, &err));
    CHECK("says so", err.msg[0] != '\0');
}

static bool is_left(const struct place *p, const char *ending)
{
    char path[300];
    snprintf(path, sizeof(path), "%s%s", p->path, ending);
    return access(path, F_OK) == 0;
}

static int make_left(const struct place *p, const char *ending)
{
    char path[300];
    snprintf(path, sizeof(path), "%s%s", p->path, ending);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    return fd;
}

/* What is being written is locked, what was left behind is not. */
static void test_clean(void **state)
{
    struct place *p = *state;
    save(p);
    close(make_left(p, ".123.tmp"));
    close(make_left(p, "-other.tmp"));
    int writing = make_left(p, ".124.tmp");
    assert_int_equal(flock(writing, LOCK_EX), 0);
    snapshot_clean(p->path);
    CHECK("left behind", !is_left(p, ".123.tmp"));
    CHECK("being written", is_left(p, ".124.tmp"));
    CHECK("another file", is_left(p, "-other.tmp"));
    CHECK("the snapshot", is_left(p, ""));
    close(writing);
    snapshot_clean(p->path);
    CHECK("no longer written", !is_left(p, ".124.tmp"));
    unlink(arena_printf(&p->arena, "%s-other.tmp", p->path).p);
    snapshot_clean("/tmp/vaultd-no-such-folder/index");
}

/* Every byte flipped, every length: refused, or at least harmless. */
static void test_damaged(void **state)
{
    struct place *p = *state;
    struct stat st;
    save(p);
    assert_int_equal(stat(p->path, &st), 0);
    int fd = open(p->path, O_RDWR | O_CLOEXEC);
    struct snapshot *s;
    struct err err = {0};
    size_t step = (size_t)st.st_size / 997 + 1;
    for (off_t at = 0; at < st.st_size; at += at < 256 ? 1 : (off_t)step) {
        char byte, flipped;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        flipped = (char)(byte ^ 0x10);
        assert_int_equal(pwrite(fd, &flipped, 1, at), 1);
        bool opened = snapshot_open(p->path, NULL, &s, &err);
        if (opened)
            snapshot_close(s);
        CHECK("damage after the head is detected", !opened || at < 128);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    for (off_t size = st.st_size; size > 0; size = size * 9 / 10) {
        assert_int_equal(ftruncate(fd, size - 1), 0);
        CHECK("truncated", !snapshot_open(p->path, NULL, &s, &err));
        CHECK_INT("invalid", err.code, ERR_INVALID);
    }
    close(fd);
}

/* Only the build that wrote it reads it: whatever byte of its name differs. */
static void test_other_build(void **state)
{
    struct place *p = *state;
    struct snapshot *s;
    struct err err = {0};
    save(p);
    int fd = open(p->path, O_RDWR | O_CLOEXEC);
    for (size_t i = 0; i < SNAPSHOT_BUILD; i++) {
        off_t at = (off_t)(offsetof(struct snapshot_head, build) + i);
        char byte, other;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        other = (char)(byte + 1);
        assert_int_equal(pwrite(fd, &other, 1, at), 1);
        CHECK("refused", !snapshot_open(p->path, NULL, &s, &err));
        CHECK("says why", strstr(err.msg, "another program wrote it") != NULL);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    close(fd);
    assert_true(snapshot_open(p->path, NULL, &s, &err));
    snapshot_close(s);
}

#define SNAPSHOT_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

/* Pages of files that this process has in memory; 0: the system does not say. */
static size_t file_pages(void)
{
    size_t all, resident, shared = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f == NULL)
        return 0;
    if (fscanf(f, "%zu %zu %zu", &all, &resident, &shared) != 3)
        shared = 0;
    fclose(f);
    return shared;
}

/* Texts are read for the checksum, and need no memory until they are searched. */
static void test_texts_need_no_memory(void **state)
{
    enum { FILES = 32, BYTES = 1 << 20 };
    struct place *p = *state;
    struct fs_info info = {.type = FS_FILE, .size = BYTES};
    struct arena scratch = {0};
    char *text = arena_alloc(&p->arena, BYTES);
    memset(text, 'a', BYTES);
    for (int i = 0; i < FILES; i++) {
        str path = arena_printf(&p->arena, "large %d.md", i);
        index_put(p->index, file_make(&scratch, path, &info, (str){text, BYTES}), true);
    }
    arena_release(&scratch);
    save(p);
    size_t before = file_pages(), page = (size_t)sysconf(_SC_PAGESIZE);
    struct snapshot *s;
    struct err err;
    assert_true(snapshot_open(p->path, NULL, &s, &err));
    size_t now = file_pages();
    print_message("# %zu KiB more than before\n", (now - before) * page / 1024);
    CHECK("little memory", now <= before + FILES * BYTES / 4 / page);
    CHECK_INT("as it was", s->parts.files[s->parts.n - 1]->text.p[BYTES - 1], 'a');
    snapshot_close(s);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        SNAPSHOT_TEST(test_round_trip),
        SNAPSHOT_TEST(test_truncated_while_mapped),
        SNAPSHOT_TEST(test_empty),
        SNAPSHOT_TEST(test_missing),
        SNAPSHOT_TEST(test_unwritable),
        SNAPSHOT_TEST(test_clean),
        SNAPSHOT_TEST(test_damaged),
        SNAPSHOT_TEST(test_other_build),
        SNAPSHOT_TEST(test_texts_need_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
