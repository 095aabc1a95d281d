/* The index of a vault on disk: made, kept up to date, stored and loaded again. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/sbuf.h"
#include "check.h"
#include "systems.h"
#include "vault/note/obsidian.h"
#include "vault/vault.h"

struct place {
    struct arena arena;
    char top[64], folder[96], state[96];
    int fd; /* of the vault's folder */
    struct pool *pool;
    struct vault *vault;
};

static void put(struct place *p, const char *path, str text)
{
    int fd = openat(p->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.p, text.n), text.n);
    close(fd);
}

/* As editors save: a new file replaces the old one. */
static void replace(struct place *p, const char *path, str text)
{
    put(p, ".temp", text);
    assert_int_equal(renameat(p->fd, ".temp", p->fd, path), 0);
}

static int setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    log_setup(LOG_ERROR, LOG_TEXT);
    snprintf(p->top, sizeof(p->top), "/tmp/vaultd-test-live-XXXXXX");
    assert_non_null(mkdtemp(p->top));
    snprintf(p->folder, sizeof(p->folder), "%s/vault", p->top);
    snprintf(p->state, sizeof(p->state), "%s/state/deep", p->top);
    assert_int_equal(mkdir(p->folder, 0755), 0);
    p->fd = open(p->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    p->pool = pool_create(2, 64);
    put(p, "A.md", STR("# A\n\nzebra [[B]] #animal"));
    put(p, "B.md", STR("giraffe"));
    assert_int_equal(mkdirat(p->fd, "sub", 0755), 0);
    put(p, "sub/C.md", STR("zebra"));
    *state = p;
    return 0;
}

static void start(struct place *p, struct vault_options options)
{
    struct err err = {0};
    options.pool = p->pool;
    assert_true(vault_open(p->folder, &p->vault, &err));
    vault_start(p->vault, &options);
    if (!vault_wait(p->vault, NULL, NULL, &err))
        fail_msg("%s", err.msg);
}

static void stop(struct place *p)
{
    vault_close(p->vault);
    p->vault = NULL;
}

static void remove_tree(int parent, const char *name)
{
    if (unlinkat(parent, name, 0) == 0)
        return;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    for (const struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;)
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
            remove_tree(dirfd(dir), d->d_name);
    if (dir != NULL)
        closedir(dir);
    unlinkat(parent, name, AT_REMOVEDIR);
}

static int teardown(void **state)
{
    struct place *p = *state;
    vault_close(p->vault);
    pool_free(p->pool);
    close(p->fd);
    remove_tree(AT_FDCWD, p->top);
    arena_release(&p->arena);
    free(p);
    return 0;
}

static size_t hits(struct place *p, const char *word)
{
    struct words_result r;
    struct err err;
    const struct index *x = vault_lock(p->vault);
    assert_true(
        words_search_text(x->words, &p->arena, str_c(word), 0, 10, NULL, NULL, &r, &err));
    vault_unlock(p->vault);
    return r.total;
}

static bool knows(struct place *p, const char *path)
{
    bool there = index_find(vault_lock(p->vault), str_c(path)) != NULL;
    vault_unlock(p->vault);
    return there;
}

/* Wait for the watcher; the bound only turns a hang into a failure, which Wine has always. */
#define EVENTUALLY(p, condition)                                                         \
    do {                                                                                 \
        int left_ = UNDER_WINE ? 1000 : 30000;                                           \
        while (!(condition) && left_-- > 0)                                              \
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);                    \
        if (left_ <= 0)                                                                  \
            fail_msg("never: %s", #condition);                                           \
    } while (0)

static void test_first_index(void **state)
{
    struct place *p = *state;
    start(p, (struct vault_options){0});
    CHECK_INT("zebra", hits(p, "zebra"), 2);
    CHECK_INT("title and link", hits(p, "b"), 2);
    const struct index *x = vault_lock(p->vault);
    CHECK_INT("files", x->count, 3);
    struct graph_edge *edges;
    CHECK_INT(
        "backlinks",
        graph_backlinks(x->graph, &p->arena, index_find(x, STR("B.md"))->id, &edges), 1);
    vault_unlock(p->vault);
    struct vault_progress progress = vault_progress(p->vault);
    CHECK("ready", progress.ready && progress.done == 3 && progress.expected == 3);
    assert_string_equal(vault_watching(p->vault), "off");
}

/* Whoever asks before the first index is complete finds no settings, instead of nothing. */
static void test_settings_before_index(void **state)
{
    struct place *p = *state;
    struct err err = {0};
    assert_true(vault_open(p->folder, &p->vault, &err));
    vault_start(p->vault, &(struct vault_options){.pool = p->pool});
    vault_lock(p->vault);
    const struct obsidian *settings = vault_obsidian(p->vault);
    assert_non_null(settings);
    CHECK_STR("templates", obsidian_templates(settings).folder, "");
    CHECK_STR("templater", obsidian_templater_folder(settings), "");
    vault_unlock(p->vault);
    assert_true(vault_wait(p->vault, NULL, NULL, &err));
}

static void test_SEC_113_watched(void **state)
{
    struct place *p = *state;
    start(p, (struct vault_options){.watch = true});
    put(p, "A.md", STR("okapi"));
    EVENTUALLY(p, hits(p, "okapi") == 1 && hits(p, "zebra") == 1);
    replace(p, "B.md", STR("okapi"));
    EVENTUALLY(p, hits(p, "okapi") == 2);
    assert_int_equal(unlinkat(p->fd, "A.md", 0), 0);
    EVENTUALLY(p, !knows(p, "A.md"));
    assert_int_equal(renameat(p->fd, "sub", p->fd, "other"), 0);
    EVENTUALLY(p, knows(p, "other/C.md") && !knows(p, "sub/C.md"));
    put(p, "other/D.md", STR("okapi"));
    EVENTUALLY(p, hits(p, "okapi") == 2);
    assert_int_equal(mkdirat(p->fd, "new", 0755), 0);
    assert_int_equal(mkdirat(p->fd, "new/deep", 0755), 0);
    put(p, "new/deep/E.md", STR("okapi"));
    EVENTUALLY(p, hits(p, "okapi") == 3);
    remove_tree(p->fd, "new");
    EVENTUALLY(p, hits(p, "okapi") == 2);
}

static void test_SEC_94_polled(void **state)
{
    struct place *p = *state;
    start(p, (struct vault_options){.watch = true, .poll = true});
    EVENTUALLY(p, strcmp(vault_watching(p->vault), "polling") == 0);
    put(p, "A.md", STR("okapi"));
    EVENTUALLY(p, hits(p, "okapi") == 1);
    put(p, "A.md", STR("tapir")); /* the same size */
    EVENTUALLY(p, hits(p, "tapir") == 1 && hits(p, "okapi") == 0);
    replace(p, "B.md", STR("tapir"));
    EVENTUALLY(p, hits(p, "tapir") == 2);
    assert_int_equal(renameat(p->fd, "A.md", p->fd, "sub/A.md"), 0);
    EVENTUALLY(p, knows(p, "sub/A.md") && !knows(p, "A.md"));
    assert_int_equal(renameat(p->fd, "sub", p->fd, "other"), 0);
    EVENTUALLY(p,
               knows(p, "other/A.md") && knows(p, "other/C.md") && !knows(p, "sub/C.md"));
    assert_int_equal(unlinkat(p->fd, "other/A.md", 0), 0);
    EVENTUALLY(p, !knows(p, "other/A.md"));
    remove_tree(p->fd, "other");
    EVENTUALLY(p, !knows(p, "other/C.md") && hits(p, "tapir") == 1);
}

/* Excluded files keep their links, and are searched again when the settings change. */
static void test_excluded(void **state)
{
    struct place *p = *state;
    assert_int_equal(mkdirat(p->fd, ".obsidian", 0755), 0);
    put(p, ".obsidian/app.json", STR("{\"userIgnoreFilters\": [\"sub/\"]}"));
    start(p, (struct vault_options){.watch = true});
    CHECK_INT("left out", hits(p, "zebra"), 1);
    CHECK("still there", knows(p, "sub/C.md"));
    put(p, ".obsidian/app.json", STR("{}"));
    EVENTUALLY(p, hits(p, "zebra") == 2);
    put(p, ".obsidian/app.json", STR("{\"userIgnoreFilters\": [\"A\"]}"));
    EVENTUALLY(p, hits(p, "zebra") == 1);
    struct tag tag;
    CHECK("no tag", !tags_find(vault_lock(p->vault)->tags, STR("animal"), &tag));
    vault_unlock(p->vault);
}

static void test_refresh(void **state)
{
    struct place *p = *state;
    start(p, (struct vault_options){0});
    put(p, "A.md", STR("okapi"));
    CHECK_INT("before", hits(p, "okapi"), 0);
    vault_refresh(p->vault, &(str){"A.md", 4}, 1);
    CHECK_INT("refreshed", hits(p, "okapi"), 1);
    put(p, "sub/C.md", STR("okapi"));
    put(p, "sub/D.md", STR("okapi"));
    vault_refresh(p->vault, &(str){"sub", 3}, 1);
    CHECK_INT("a folder", hits(p, "okapi"), 3);
    remove_tree(p->fd, "sub");
    put(p, "sub", STR("now a file"));
    vault_refresh(p->vault, NULL, 0);
    CHECK_INT("everything", hits(p, "okapi"), 1);
    CHECK("the file", knows(p, "sub") && !knows(p, "sub/C.md"));
}

struct told {
    struct place *place;
    struct sbuf paths;
};

/* No lock is held during the notification: the receiver may look, and sees the change. */
static void tell(void *arg, const str *paths, size_t n, bool names)
{
    struct told *t = arg;
    const struct index *x = vault_lock(t->place->vault);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&t->paths, STR_FMT "%s ", STR_ARG(paths[i]),
                    index_find(x, paths[i]) != NULL ? "" : "(gone)");
    vault_unlock(t->place->vault);
    sbuf_add(&t->paths, names ? STR("names;") : STR(";"));
}

static void check_notified(struct told *t, const char *want)
{
    vault_refresh(t->place->vault, NULL, 0);
    CHECK_STR(want, sbuf_str(&t->paths), want);
    t->paths.n = 0;
}

static void test_notified(void **state)
{
    struct place *p = *state;
    struct told t = {.place = p, .paths = SBUF_ON(&p->arena)};
    put(p, "picture.png", STR("old"));
    start(p, (struct vault_options){.changed = tell, .changed_arg = &t});
    check_notified(&t, ""); /* nothing for the first index */
    put(p, "A.md", STR("okapi"));
    check_notified(&t, "A.md ;");
    replace(p, "A.md", STR("okapi")); /* unchanged content */
    check_notified(&t, "");
    put(p, "picture.png", STR("other"));
    check_notified(&t, "picture.png ;");
    put(p, "new.md", STR("okapi"));
    check_notified(&t, "new.md names;");
    remove_tree(p->fd, "sub");
    put(p, "B.md", STR("okapi"));
    check_notified(&t, "sub/C.md(gone) B.md names;");
}

/* A file that a change moves to .trash is gone from the index. */
static void test_hidden_paths(void **state)
{
    struct place *p = *state;
    start(p, (struct vault_options){0});
    assert_int_equal(mkdirat(p->fd, ".trash", 0755), 0);
    assert_int_equal(renameat(p->fd, "A.md", p->fd, ".trash/A.md"), 0);
    str paths[] = {STR("A.md"), STR(".trash/A.md"), STR(".trash")};
    vault_refresh(p->vault, paths, COUNT_OF(paths));
    CHECK_INT("zebra", hits(p, "zebra"), 1);
    CHECK("gone", !knows(p, "A.md") && !knows(p, ".trash/A.md"));
}

/* Reading one note returns its current text, even before the watcher has noticed. */
static void test_SEC_112_read_is_current(void **state)
{
    struct place *p = *state;
    struct vault_text text;
    struct err err = {0};
    start(p, (struct vault_options){0});
    assert_true(vault_read(p->vault, &p->arena, STR("B.md"), 1, 0, &text, &err));
    CHECK_STR("from memory", text.content, "giraffe");
    replace(p, "B.md", STR("okapi"));
    assert_true(vault_read(p->vault, &p->arena, STR("B.md"), 1, 0, &text, &err));
    CHECK_STR("from disk", text.content, "okapi");
    CHECK_INT("and the index knows", hits(p, "okapi"), 1);
    put(p, "new.md", STR("fresh"));
    assert_true(vault_read(p->vault, &p->arena, STR("new.md"), 1, 0, &text, &err));
    CHECK_STR("new", text.content, "fresh");
    unlinkat(p->fd, "new.md", 0);
    assert_false(vault_read(p->vault, &p->arena, STR("new.md"), 1, 0, &text, &err));
    assert_int_equal(err.name, E_FILE_NOT_FOUND);
}

/* Files that changed a moment ago are read again even if they look the same. */
static void let_settle(struct place *p)
{
    static const char *const paths[] = {"A.md", "B.md", "sub/C.md"};
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 100000000}, NULL);
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        CHECK(paths[i], faccessat(p->fd, paths[i], F_OK, 0) == 0);
}

static void test_restart(void **state)
{
    struct place *p = *state;
    let_settle(p);
    struct vault_options options = {.state_dir = p->state};
    start(p, options);
    CHECK_INT("all read", vault_progress(p->vault).expected, 3);
    stop(p);
    start(p, options);
    CHECK_INT("nothing read", vault_progress(p->vault).expected, 0);
    CHECK_INT("all there", hits(p, "zebra"), 2);
    stop(p);
    put(p, "A.md", STR("okapi"));
    put(p, "new.md", STR("okapi"));
    unlinkat(p->fd, "B.md", 0);
    start(p, options);
    CHECK_INT("changed files", vault_progress(p->vault).expected, 2);
    CHECK_INT("new words", hits(p, "okapi"), 2);
    CHECK_INT("old words", hits(p, "zebra"), 1);
    CHECK("gone", !knows(p, "B.md"));
    stop(p);
}

static void test_damaged_snapshot(void **state)
{
    struct place *p = *state;
    let_settle(p);
    struct vault_options options = {.state_dir = p->state};
    start(p, options);
    stop(p);
    DIR *dir = opendir(p->state);
    assert_non_null(dir);
    size_t n = 0;
    for (const struct dirent *d; (d = readdir(dir)) != NULL;) {
        if (strncmp(d->d_name, "index-", 6) != 0)
            continue;
        int fd = openat(dirfd(dir), d->d_name, O_WRONLY | O_CLOEXEC);
        assert_int_equal(pwrite(fd, "XXXX", 4, 1000), 4);
        close(fd);
        n++;
    }
    closedir(dir);
    CHECK_INT("one snapshot", n, 1);
    start(p, options);
    CHECK_INT("all read again", vault_progress(p->vault).expected, 3);
    CHECK_INT("all there", hits(p, "zebra"), 2);
}

/* Each of these has an understandable outcome and does not stop the rest. */
static void test_bad_input(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *path;
        str text;
        const char *word;
    } rows[] = {
        {"invalid.md", STR("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 one \xff\xfe two\xc3"),
         "two"},
        {"nul.md", STR("before\0after"), "after"},
        {"bom.md", STR("\xEF\xBB\xBF---\ntags: [mark]\n---\nwombat"), "wombat"},
        {"crlf.md", STR("# Heading\r\n\r\nlemur\r\n"), "lemur"},
        {"cr.md", STR("# Heading\r\rtapir\r"), "tapir"},
        {"empty.md", STR(""), "empty"},
        {"yaml.md", STR("---\na: [\n---\nquokka"), "quokka"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        put(p, rows[i].path, rows[i].text);
    enum { LINE = 3 << 20 };
    char *line = mem_alloc(LINE);
    memset(line, 'x', LINE);
    memcpy(line + LINE - 5, " puma", 5);
    put(p, "line.md", (str){line, LINE});
    free(line);
    assert_int_equal(mkfifoat(p->fd, "pipe.md", 0644), 0);
    assert_int_equal(symlinkat("/etc/passwd", p->fd, "passwd.md"), 0);
    assert_int_equal(symlinkat("nowhere", p->fd, "dangling.md"), 0);
    start(p, (struct vault_options){0});
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK(rows[i].path, hits(p, rows[i].word) == 1);
    CHECK_INT("one long line", hits(p, "puma"), 1);
    CHECK("no pipe", !knows(p, "pipe.md"));
    CHECK("nothing outside", !knows(p, "passwd.md") && hits(p, "root") == 0);
    CHECK("no dangling link", !knows(p, "dangling.md"));
    const struct file *f = index_find(vault_lock(p->vault), STR("yaml.md"));
    CHECK("says why", f->problem.n > 0);
    vault_unlock(p->vault);
}

/* A file of 100 MB is indexed by name with the reason, and costs no memory. */
static void test_SEC_86_huge_file(void **state)
{
    struct place *p = *state;
    put(p, "huge.md", STR("zebra"));
    int fd = openat(p->fd, "huge.md", O_WRONLY | O_CLOEXEC);
    assert_int_equal(ftruncate(fd, 100 << 20), 0);
    close(fd);
    start(p, (struct vault_options){0});
    const struct file *f = index_find(vault_lock(p->vault), STR("huge.md"));
    CHECK("by name", f != NULL && f->unread && f->text.n == 0);
    CHECK("says why", str_find(f->problem, STR("larger than")) != STR_NONE);
    vault_unlock(p->vault);
    CHECK_INT("found by its name", hits(p, "huge"), 1);
    CHECK_INT("not by its text", hits(p, "zebra"), 2);
}

static void test_memory_max(void **state)
{
    struct place *p = *state;
    start(p, (struct vault_options){.memory_max = 8});
    const struct index *x = vault_lock(p->vault);
    size_t unread = 0;
    for (file_id i = 0; i < x->n; i++)
        unread += x->files[i] != NULL && x->files[i]->unread;
    CHECK("some are skipped", unread > 0 && unread < 3 && x->text_bytes <= 8);
    vault_unlock(p->vault);
}

static void test_no_permission(void **state)
{
    struct place *p = *state;
    assert_int_equal(fchmodat(p->fd, "sub", 0, 0), 0);
    assert_int_equal(fchmodat(p->fd, "A.md", 0, 0), 0);
    bool root = geteuid() == 0;
    start(p, (struct vault_options){0});
    const struct file *f = index_find(vault_lock(p->vault), STR("A.md"));
    CHECK("A", f != NULL && f->unread == !root);
    vault_unlock(p->vault);
    CHECK("sub", knows(p, "sub/C.md") == root);
    assert_int_equal(fchmodat(p->fd, "sub", 0755, 0), 0);
}

/* Readers and a writer at the same time: no reader ever sees half a change. */
struct readers {
    struct place *place;
    atomic_bool over;
    atomic_size_t looks, torn;
};

static void *read_on(void *arg)
{
    struct readers *r = arg;
    while (!atomic_load(&r->over)) {
        const struct index *x = vault_lock(r->place->vault);
        const struct file *a = index_find(x, STR("A.md"));
        struct tag tag = {0};
        bool tagged = tags_find(x->tags, STR("animal"), &tag);
        bool says = str_find(a->text, STR("#animal")) != STR_NONE;
        atomic_fetch_add(&r->torn, tagged != says);
        atomic_fetch_add(&r->looks, 1);
        vault_unlock(r->place->vault);
    }
    return NULL;
}

static void test_consistent(void **state)
{
    struct place *p = *state;
    start(p, (struct vault_options){0});
    struct readers r = {.place = p};
    pthread_t threads[2];
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_on, &r), 0);
    for (int i = 0; i < 200 || atomic_load(&r.looks) < 1000; i++) {
        replace(p, "A.md", i % 2 == 0 ? STR("nothing") : STR("#animal"));
        vault_refresh(p->vault, &(str){"A.md", 4}, 1);
    }
    atomic_store(&r.over, true);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
    CHECK_INT("torn", atomic_load(&r.torn), 0);
}

struct loading {
    atomic_int loads;
    atomic_bool compared;
    pthread_mutex_t lock;
    char paths[256]; /* that have changed, each followed by a space */
};

static void note_loaded(void *arg, bool compared)
{
    struct loading *l = arg;
    l->compared = compared;
    l->loads++;
}

static void note_changed(void *arg, const str *paths, size_t n, bool names)
{
    struct loading *l = arg;
    (void)names;
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < n; i++) {
        size_t at = strlen(l->paths);
        snprintf(l->paths + at, sizeof(l->paths) - at, STR_FMT " ", STR_ARG(paths[i]));
    }
    pthread_mutex_unlock(&l->lock);
}

/* The clock of the file system must have ticked since the files were made. */
static void wait_for_tick(void)
{
    struct timespec from, now;
    clock_gettime(CLOCK_REALTIME, &from);
    do {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        clock_gettime(CLOCK_REALTIME, &now);
    } while (now.tv_sec * 1000 + now.tv_nsec / 1000000 <
             from.tv_sec * 1000 + from.tv_nsec / 1000000 + 100);
}

static void note_found(void *arg, str path)
{
    sbuf_printf(arg, STR_FMT " ", STR_ARG(path));
}

/* What may have changed since the start, each with a space. */
static str changed_in(struct place *p, const char *path)
{
    struct sbuf b = SBUF_ON(&p->arena);
    vault_find_changed(p->vault, str_c(path), note_found, &b);
    return sbuf_str(&b);
}

/* What changed while nothing noticed changes: before the first index is complete, and
 * while no program ran. */
static void test_loaded(void **state)
{
    struct place *p = *state;
    struct loading l = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct vault_options options = {.state_dir = p->state,
                                    .watch = true,
                                    .loaded = note_loaded,
                                    .changed = note_changed,
                                    .changed_arg = &l};
    wait_for_tick();
    start(p, options);
    EVENTUALLY(p, l.loads == 1);
    CHECK("there was no index", !l.compared);
    CHECK_STR("all", changed_in(p, ""), "");
    CHECK_STR("missing", changed_in(p, "gone.md"), "gone.md ");
    put(p, "sub/C.md", STR("giraffe"));
    put(p, "sub/.hidden.md", STR("lion"));
    CHECK_STR("a file", changed_in(p, "sub/C.md"), "sub/C.md ");
    CHECK_STR("its folder", changed_in(p, "sub"), "sub/C.md ");
    CHECK_STR("the vault", changed_in(p, ""), "sub/C.md ");
    CHECK_STR("another", changed_in(p, "A.md"), "");
    EVENTUALLY(p, hits(p, "giraffe") == 2);
    stop(p);

    l.paths[0] = '\0';
    put(p, "A.md", STR("lion"));
    assert_int_equal(unlinkat(p->fd, "B.md", 0), 0);
    put(p, "D.md", STR("lion"));
    start(p, options);
    EVENTUALLY(p, l.loads == 2);
    CHECK("there was an index", l.compared);
    CHECK_STR("what differs", str_c(l.paths), "B.md A.md D.md ");
    stop(p);
}

#define LIVE_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        LIVE_TEST(test_first_index),     LIVE_TEST(test_settings_before_index),
        LIVE_TEST(test_SEC_113_watched), LIVE_TEST(test_SEC_94_polled),
        LIVE_TEST(test_excluded),        LIVE_TEST(test_refresh),
        LIVE_TEST(test_hidden_paths),    LIVE_TEST(test_SEC_112_read_is_current),
        LIVE_TEST(test_restart),         LIVE_TEST(test_damaged_snapshot),
        LIVE_TEST(test_bad_input),       LIVE_TEST(test_SEC_86_huge_file),
        LIVE_TEST(test_memory_max),      LIVE_TEST(test_no_permission),
        LIVE_TEST(test_consistent),      LIVE_TEST(test_notified),
        LIVE_TEST(test_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
