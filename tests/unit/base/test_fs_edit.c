#include "base/fs_edit.h"

#include <grp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/xattr.h>

#include "systems.h"
#include "tree.h"

#define TEMP ".vaultd-test.tmp"

static struct fs_place place(struct tree *t, const char *path)
{
    struct fs_place p;
    struct err err;
    if (!fs_place_open(&t->root, &t->arena, str_c(path), &p, &err))
        fail_msg("%s: %s (%s)", path, err.msg, err.detail);
    return p;
}

static struct fs_seen look(struct tree *t, const struct fs_place *p)
{
    struct fs_seen seen;
    struct err err;
    str text;
    if (!fs_place_look(p, 1 << 20, &seen, &text, &t->arena, &err))
        fail_msg("%s: %s", p->name, err.msg);
    return seen;
}

/* All the steps to change one file. */
static bool save(struct tree *t, const char *path, const char *text, struct err *err)
{
    struct fs_place p;
    struct fs_seen seen;
    str old;
    bool ok = fs_place_open(&t->root, &t->arena, str_c(path), &p, err) &&
              fs_place_look(&p, 1 << 20, &seen, &old, &t->arena, err) &&
              fs_temp_write(&p, TEMP, str_c(text), 0, err);
    if (ok) {
        ok = fs_temp_sync(&p, TEMP, err) && fs_put(&p, TEMP, &seen, err);
        if (!ok)
            fs_temp_drop(&p, TEMP);
        ok = ok && fs_place_sync(&p, err);
    }
    fs_place_close(&p);
    return ok;
}

static void save_well(struct tree *t, const char *path, const char *text)
{
    struct err err;
    if (!save(t, path, text, &err))
        fail_msg("%s: %s (%s)", path, err.msg, err.detail);
}

#define CHECK_REFUSED(t, path, want)                                                     \
    do {                                                                                 \
        struct err err_;                                                                 \
        str tree_ = tree_text(&(t)->arena, (t)->fd);                                     \
        CHECK(path, !save(t, path, "never", &err_));                                     \
        if (err_.name == E_NONE || strcmp(err_name_text(err_.name), want) != 0)          \
            fail_msg("%s: %s, %s", path, err_name_text(err_.name), err_.msg);            \
        CHECK_TREE(path, t, tree_);                                                      \
    } while (0)

static mode_t mode_at(struct tree *t, const char *path)
{
    struct stat st;
    assert_int_equal(fstatat(t->fd, path, &st, AT_SYMLINK_NOFOLLOW), 0);
    return st.st_mode;
}

/* --- writing --- */

static void test_new_and_replace(void **state)
{
    struct tree *t = *state;
    folder(t->fd, "d");
    umask(022);
    save_well(t, "d/a.md", "one");
    CHECK_MODE("new", mode_at(t, "d/a.md"), S_IFREG | 0644);
    save_well(t, "d/a.md", "");
    save_well(t, "d/a.md", "three");
    CHECK_STR("text", content(&t->arena, t->fd, "d/a.md"), "three");
    umask(0);
    save_well(t, "b.md", "b");
    CHECK_MODE("not world-writable", mode_at(t, "b.md"), S_IFREG | 0664);
    umask(077);
    save_well(t, "c.md", "c");
    CHECK_MODE("private", mode_at(t, "c.md"), S_IFREG | 0600);
    umask(022);
}

static void test_SEC_88_modes(void **state)
{
    static const mode_t rows[][2] = {
        {0600, 0600}, {0640, 0640}, {0664, 0664},  {0444, 0444},
        {0777, 0664}, {0666, 0664}, {04755, 0644}, {02775, 0664},
    };
    struct tree *t = *state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        put(t->fd, "a.md", "old");
        assert_int_equal(fchmodat(t->fd, "a.md", rows[i][0], 0), 0);
        save_well(t, "a.md", "new");
        CHECK_MODE("mode", mode_at(t, "a.md") & 07777, rows[i][1]);
        assert_int_equal(unlinkat(t->fd, "a.md", 0), 0);
    }
}

/* The temp file of a private note is also private, from the first byte. */
static void test_temp_is_private(void **state)
{
    struct tree *t = *state;
    struct err err;
    put(t->fd, "a.md", "old");
    assert_int_equal(fchmodat(t->fd, "a.md", 0600, 0), 0);
    struct fs_place p = place(t, "a.md");
    assert_true(fs_temp_write(&p, TEMP, STR("new"), 0, &err));
    CHECK_MODE("a private note", mode_at(t, TEMP) & 07777, 0600);
    fs_temp_drop(&p, TEMP);
    assert_false(there(t->fd, TEMP));
    fs_temp_drop(&p, TEMP); /* nothing to do */
    fs_place_close(&p);
    p = place(t, "new.md");
    assert_true(fs_temp_write(&p, TEMP, STR("new"), 0640, &err));
    CHECK_MODE("a new note", mode_at(t, TEMP) & 07777, 0640);
    fs_temp_drop(&p, TEMP);
    fs_place_close(&p);
}

static void test_SEC_88_owner_and_attributes(void **state)
{
    struct tree *t = *state;
    put(t->fd, "a.md", "old");
    int fd = openat(t->fd, "a.md", O_RDONLY | O_CLOEXEC);
    bool owner = fchown(fd, 1234, 2345) == 0;
    bool attributes =
        !VAULTD_PORTABLE && fsetxattr(fd, "user.tag", "value\0x", 7, 0) == 0;
    close(fd);
    save_well(t, "a.md", "new");
    struct stat st;
    char value[16];
    fd = openat(t->fd, "a.md", O_RDONLY | O_CLOEXEC);
    assert_int_equal(fstat(fd, &st), 0);
    assert_true(!owner || (st.st_uid == 1234 && st.st_gid == 2345));
    if (attributes) {
        assert_int_equal(fgetxattr(fd, "user.tag", value, sizeof(value)), 7);
        assert_memory_equal(value, "value\0x", 7);
    }
    close(fd);
}

static void test_SEC_84_hard_links_stay(void **state)
{
    struct tree *t = *state;
    put(t->fd, "a.md", "old");
    assert_int_equal(linkat(t->fd, "a.md", t->fd, "other.md", 0), 0);
    save_well(t, "a.md", "new");
    CHECK_STR("other", content(&t->arena, t->fd, "other.md"), "old");
    CHECK_STR("own", content(&t->arena, t->fd, "a.md"), "new");
}

static void test_SEC_89_temp_of_others_stays(void **state)
{
    struct tree *t = *state;
    struct err err;
    put(t->fd, "a.md", "old");
    put(t->fd, TEMP, "theirs");
    assert_false(save(t, "a.md", "new", &err));
    assert_int_equal(err.code, ERR_BUSY);
    CHECK_STR("theirs", content(&t->arena, t->fd, TEMP), "theirs");
    CHECK_STR("old", content(&t->arena, t->fd, "a.md"), "old");
    assert_int_equal(unlinkat(t->fd, TEMP, 0), 0);
}

/* --- other programs --- */

static void test_conflicts(void **state)
{
    struct tree *t = *state;
    struct err err;
    put(t->fd, "a.md", "old");
    struct fs_place p = place(t, "a.md"), q = place(t, "new.md");
    struct fs_seen was = look(t, &p), nothing = look(t, &q);
    assert_true(was.exists && !nothing.exists);
    assert_true(fs_temp_write(&p, TEMP, STR("ours"), 0, &err));
    put(t->fd, "a.md", "theirs");
    assert_false(fs_put(&p, TEMP, &was, &err));
    assert_int_equal(err.name, E_CONFLICT);
    assert_non_null(strstr(err.msg, "a.md"));
    CHECK_STR("theirs", content(&t->arena, t->fd, "a.md"), "theirs");
    put(t->fd, "new.md", "created");
    assert_false(fs_put(&q, TEMP, &nothing, &err));
    assert_int_equal(err.name, E_FILE_EXISTS);
    CHECK_STR("created", content(&t->arena, t->fd, "new.md"), "created");
    assert_int_equal(unlinkat(t->fd, "a.md", 0), 0);
    assert_false(fs_put(&p, TEMP, &was, &err));
    assert_false(there(t->fd, "a.md"));
    assert_false(fs_remove(&q, ".x", &was, &err));
    assert_int_equal(err.name, E_CONFLICT);
    assert_true(there(t->fd, "new.md"));
    folder(t->fd, "a.md");
    assert_false(fs_put(&p, TEMP, &was, &err));
    assert_false(fs_put(&p, TEMP, &nothing, &err));
    assert_false(fs_remove(&p, ".x", &was, &err));
    fs_temp_drop(&p, TEMP);
    fs_place_close(&p);
    fs_place_close(&q);
}

struct editor {
    struct tree *t;
    atomic_bool stop;
    int saved; /* the last number */
};

/* Saves as editors do, with increasing numbers. */
static void *edit(void *context)
{
    struct editor *e = context;
    while (!atomic_load(&e->stop)) {
        char text[32];
        snprintf(text, sizeof(text), "editor %d", ++e->saved);
        put(e->t->fd, ".editor", text);
        assert_int_equal(renameat(e->t->fd, ".editor", e->t->fd, "a.md"), 0);
        usleep(300);
    }
    return NULL;
}

/* Whatever we do, the last text saved by an editor is there in the end, unless we read
 * exactly that text and replaced it. */
static void test_SEC_111_an_editor_saves_concurrently(void **state)
{
    struct tree *t = *state;
    struct editor e = {.t = t};
    if (UNDER_WINE)
        SKIP("Wine cannot replace an open file in one step");
    pthread_t thread;
    put(t->fd, "a.md", "editor 0");
    assert_int_equal(pthread_create(&thread, NULL, edit, &e), 0);
    int done = 0, refused = 0, last = 0;
    while (done < 300) {
        struct arena a = {0};
        struct fs_place p;
        struct fs_seen was;
        struct err err;
        str old;
        assert_true(fs_place_open(&t->root, &a, STR("a.md"), &p, &err));
        assert_true(fs_place_look(&p, 100, &was, &old, &a, &err) && was.exists);
        int seen = (int)strtol(arena_str(&a, str_skip(old, 7)).p, NULL, 10);
        assert_true(seen >= last); /* otherwise a save was lost: an older one is there */
        last = seen;
        str text = arena_printf(&a, "server %d", seen);
        assert_true(fs_temp_write(&p, TEMP, text, 0, &err));
        bool ok = fs_put(&p, TEMP, &was, &err);
        if (!ok) {
            assert_int_equal(err.name, E_CONFLICT);
            fs_temp_drop(&p, TEMP);
        }
        done += ok;
        refused += !ok;
        fs_place_close(&p);
        arena_release(&a);
    }
    atomic_store(&e.stop, true);
    pthread_join(thread, NULL);
    str now = content(&t->arena, t->fd, "a.md");
    assert_int_equal(strtol(arena_str(&t->arena, str_skip(now, 7)).p, NULL, 10), e.saved);
    assert_false(there(t->fd, TEMP));
    print_message("%d written, %d refused\n", done, refused);
}

/* --- symlinks --- */

static void link_to(struct tree *t, const char *target, const char *path)
{
    assert_int_equal(symlinkat(target, t->fd, path), 0);
}

static void test_links_inside(void **state)
{
    struct tree *t = *state;
    folder(t->fd, "d");
    folder(t->fd, "d/e");
    put(t->fd, "d/a.md", "old");
    link_to(t, "d/a.md", "link.md");
    link_to(t, "../link.md", "d/chain.md");
    link_to(t, "./d//e/../chain.md", "longer.md");
    save_well(t, "longer.md", "new");
    CHECK_STR("target", content(&t->arena, t->fd, "d/a.md"), "new");
    assert_true(S_ISLNK(mode_at(t, "link.md")) && S_ISLNK(mode_at(t, "longer.md")));
    link_to(t, "d/made.md", "dangling.md");
    save_well(t, "dangling.md", "made");
    CHECK_STR("made", content(&t->arena, t->fd, "d/made.md"), "made");
    CHECK_REFUSED(t, "nowhere/a.md", "FILE_NOT_FOUND");
    link_to(t, "nowhere/a.md", "nowhere.md");
    CHECK_REFUSED(t, "nowhere.md", "FILE_NOT_FOUND");
}

/* ".." in a link counts from where the link really is. */
static void test_link_in_a_linked_folder(void **state)
{
    struct tree *t = *state;
    folder(t->fd, "x");
    folder(t->fd, "x/y");
    put(t->fd, "x/target.md", "the one that reading shows");
    put(t->fd, "target.md", "another");
    link_to(t, "x/y", "linked");
    link_to(t, "../target.md", "x/y/note.md");
    bool missing = t->root.no_openat2;
    for (int i = 0; i < 2; i++) {
        str text;
        struct err err;
        t->root.no_openat2 = missing || i == 1;
        save_well(t, "linked/note.md", "new");
        assert_true(fs_read(&t->root, &t->arena, STR("linked/note.md"), 99, &text, &err));
        CHECK_STR("read", text, "new");
        CHECK_STR("target", content(&t->arena, t->fd, "x/target.md"), "new");
        CHECK_STR("another", content(&t->arena, t->fd, "target.md"), "another");
    }
}

static bool is_in_d(const void *arg, str path)
{
    (void)arg;
    return path_is_below(STR("d"), path);
}

/* SEC-82, SEC-91: where a symlink leads is judged for every kind of place: a hidden name
 * never, another place if the root says so. */
static void test_where_links_lead(void **state)
{
    struct tree *t = *state;
    static const struct {
        const char *target, *link, *path;
        const char *refused; /* 'h': always; 'm': if only d may be changed; "": never */
    } rows[] = {
        {".git", "git", "git/config", "h"},
        {".git/config", "config.md", "config.md", "h"},
        {".git/hooks/new", "new.md", "new.md", "h"}, /* dangling */
        {"config.md", "chain.md", "chain.md", "h"},
        {"../.git/config", "d/up.md", "d/up.md", "h"},
        {"d/../.git/config", "winding.md", "winding.md", "h"},
        {"../git", "d/way", "d/way/config", "h"},
        {"../e", "d/e", "d/e/a.md", "m"},
        {"../e/a.md", "d/a.md", "d/a.md", "m"},
        {"../e/new.md", "d/new.md", "d/new.md", "m"}, /* dangling */
        {"a.md", "d/again.md", "d/again.md", "m"},
        {"d", "into", "into/b.md", ""},
        {"d/b.md", "b.md", "b.md", ""},
        {"b.md", "d/same.md", "d/same.md", ""},
    };
    folder(t->fd, ".git");
    folder(t->fd, "d");
    folder(t->fd, "e");
    put(t->fd, ".git/config", "config");
    put(t->fd, "e/a.md", "a");
    put(t->fd, "d/b.md", "b");
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        link_to(t, rows[i].target, rows[i].link);
    bool missing = t->root.no_openat2;
    for (size_t i = 0; i < 4 * COUNT_OF(rows); i++) {
        const char *path = rows[i / 4].path, *refused = rows[i / 4].refused;
        bool limited = i % 2 == 1;
        t->root.may_change = limited ? is_in_d : NULL;
        t->root.no_openat2 = missing || i % 4 > 1;
        if (*refused == 'h' || (*refused == 'm' && limited))
            CHECK_REFUSED(t, path, "PATH_NOT_ALLOWED");
        else
            save_well(t, path, "new");
    }
    t->root.may_change = is_in_d;
    struct fs_place p;
    struct err err;
    CHECK("move", !fs_place_open_named(&t->root, &t->arena, STR("d/e/a.md"), &p, &err));
    CHECK("parent", !fs_place_open_named(&t->root, &t->arena, STR("d/e/f"), &p, &err));
    CHECK_INT("parent", err.name, E_PATH_NOT_ALLOWED);
    assert_true(fs_place_open_named(&t->root, &t->arena, STR("d/a.md"), &p, &err));
    fs_place_close(&p); /* the link itself is in d */
}

struct swapped {
    struct tree *tree;
    atomic_bool stop;
};

static void *keep_swapping(void *arg)
{
    struct swapped *s = arg;
    while (!atomic_load(&s->stop))
        renameat2(s->tree->fd, "d", s->tree->fd, "link", RENAME_EXCHANGE);
    return NULL;
}

/* SEC-85: a folder swapped for a symlink at any instant: nothing is written elsewhere. */
static void test_folder_swapped_for_a_link(void **state)
{
    static const char *const targets[] = {".git", "e"};
    struct tree *t = *state;
    folder(t->fd, "d");
    folder(t->fd, "e");
    folder(t->fd, ".git");
    t->root.may_change = is_in_d;
    for (size_t i = 0; i < COUNT_OF(targets); i++) {
        struct swapped s = {.tree = t};
        pthread_t thread;
        int written = 0, refused = 0;
        link_to(t, targets[i], "link");
        assert_int_equal(pthread_create(&thread, NULL, keep_swapping, &s), 0);
        for (int n = 0; n < 100000 && (n < 300 || written == 0 || refused == 0); n++) {
            struct err err;
            if (save(t, "d/new.md", n % 2 ? "odd" : "even", &err))
                written++;
            else
                refused++;
        }
        atomic_store(&s.stop, true);
        pthread_join(thread, NULL);
        assert_true(written > 0 && refused > 0);
        assert_false(there(t->fd, ".git/new.md") || there(t->fd, "e/new.md"));
        if (unlinkat(t->fd, "link", 0) != 0)
            assert_int_equal(renameat2(t->fd, "d", t->fd, "link", RENAME_EXCHANGE) +
                                 unlinkat(t->fd, "link", 0),
                             0);
    }
}

static void test_SEC_82_links_out(void **state)
{
    struct tree *t = *state;
    folder(t->top_fd, "outside");
    put(t->top_fd, "outside/secret.md", "SECRET");
    folder(t->fd, "d");
    char absolute[128];
    snprintf(absolute, sizeof(absolute), "%s/vault/d/a.md", t->top);
    put(t->fd, "d/a.md", "a");
    link_to(t, "../outside/secret.md", "out.md");
    link_to(t, "../../outside/secret.md", "d/out.md");
    link_to(t, "../outside/new.md", "outnew.md");
    link_to(t, "../outside", "outdir");
    link_to(t, "d/../../outside/secret.md", "dots.md");
    link_to(t, absolute, "absolute.md");
    link_to(t, "out.md", "second.md");
    link_to(t, "circle2.md", "circle1.md");
    link_to(t, "circle1.md", "circle2.md");
    link_to(t, "self", "self");
    bool missing = t->root.no_openat2;
    for (int i = 0; i < 2; i++) {
        t->root.no_openat2 = missing || i == 1;
        CHECK_REFUSED(t, "out.md", "PATH_NOT_ALLOWED");
        CHECK_REFUSED(t, "d/out.md", "PATH_NOT_ALLOWED");
        CHECK_REFUSED(t, "outnew.md", "PATH_NOT_ALLOWED");
        CHECK_REFUSED(t, "outdir/secret.md", "PATH_NOT_ALLOWED");
        CHECK_REFUSED(t, "outdir/new.md", "PATH_NOT_ALLOWED");
        CHECK_REFUSED(t, "dots.md", "PATH_NOT_ALLOWED");
        CHECK_REFUSED(t, "absolute.md", "PATH_NOT_ALLOWED");
        CHECK_REFUSED(t, "second.md", "PATH_NOT_ALLOWED");
        CHECK_REFUSED(t, "circle1.md", "PATH_NOT_ALLOWED");
        CHECK_REFUSED(t, "self", "PATH_NOT_ALLOWED");
        CHECK_REFUSED(t, "self/a.md", "PATH_NOT_ALLOWED");
    }
    link_to(t, "d/..", "parent");
    link_to(t, ".", "here");
    link_to(t, "d/", "slash");
    CHECK_REFUSED(t, "parent", "PATH_NOT_ALLOWED");
    CHECK_REFUSED(t, "here", "PATH_NOT_ALLOWED");
    CHECK_REFUSED(t, "slash", "PATH_NOT_ALLOWED");
    CHECK_STR("secret", content(&t->arena, t->top_fd, "outside/secret.md"), "SECRET");
    assert_false(there(t->top_fd, "outside/new.md"));
}

/* --- not a file --- */

static void test_no_files(void **state)
{
    struct tree *t = *state;
    folder(t->fd, "folder.md");
    assert_int_equal(mkfifoat(t->fd, "fifo.md", 0644), 0);
    put(t->fd, "file", "x");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/vault/socket.md", t->top);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
    CHECK_REFUSED(t, "folder.md", "PATH_NOT_ALLOWED");
    CHECK_REFUSED(t, "fifo.md", "PATH_NOT_ALLOWED");
    CHECK_REFUSED(t, "socket.md", "PATH_NOT_ALLOWED");
    if (mknodat(t->fd, "null.md", S_IFCHR | 0666, makedev(1, 3)) == 0)
        CHECK_REFUSED(t, "null.md", "PATH_NOT_ALLOWED");
    struct fs_place p;
    struct err err;
    assert_false(fs_place_open(&t->root, &t->arena, STR("file/a.md"), &p, &err));
    assert_int_equal(p.dir, -1);
    static const str bad[] = {STR(""),     STR("."),    STR(".."),
                              STR("../x"), STR("a\0b"), STR("/etc/x")};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(fs_place_open(&t->root, &t->arena, bad[i], &p, &err));
}

static void test_names_too_long(void **state)
{
    struct tree *t = *state;
    char name[300];
    memset(name, 'n', sizeof(name));
    name[255] = '\0';
    save_well(t, name, "x");
    name[255] = 'n';
    name[256] = '\0';
    CHECK_REFUSED(t, name, "PATH_NOT_ALLOWED");
}

static void test_too_large(void **state)
{
    struct tree *t = *state;
    struct err err;
    put(t->fd, "a.md", "12345");
    struct fs_place p = place(t, "a.md");
    struct fs_seen seen;
    str text;
    assert_true(fs_place_look(&p, 5, &seen, &text, &t->arena, &err));
    assert_false(fs_place_look(&p, 4, &seen, &text, &t->arena, &err));
    assert_int_equal(err.name, E_FILE_TOO_LARGE);
    fs_place_close(&p);
    int fd = openat(t->fd, "sparse", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(ftruncate(fd, (off_t)20 << 30), 0);
    close(fd);
    p = place(t, "sparse");
    struct fs_seen was = {.exists = true};
    assert_true(fs_temp_write(&p, TEMP, STR("x"), 0, &err));
    assert_false(fs_put(&p, TEMP, &was, &err)); /* without reading 20 GB */
    fs_temp_drop(&p, TEMP);
    fs_place_close(&p);
}

/* --- moves, folders --- */

/* Two names of one file are two entries here, whatever their spelling. */
static void test_move_to_other_case(void **state)
{
    struct tree *t = *state;
    struct err err;
    put(t->fd, "a.md", "a");
    put(t->fd, "b.md", "b");
    bool twins = !fs_ignores_case(&t->root);
    assert_true(!twins || linkat(t->fd, "a.md", t->fd, "A.md", 0) == 0);
    struct fs_place a = place(t, "a.md"), twin = place(t, "A.md"), b = place(t, "b.md"),
                    other = place(t, "B.md");
    if (twins) {
        assert_false(fs_move(&a, &twin, &err));
        assert_int_equal(err.name, E_FILE_EXISTS);
    }
    assert_true(fs_move(&b, &other, &err));
    CHECK_STR("another case", content(&t->arena, t->fd, "B.md"), "b");
    fs_place_close(&a);
    fs_place_close(&twin);
    fs_place_close(&b);
    fs_place_close(&other);
}

static void test_moves(void **state)
{
    struct tree *t = *state;
    struct err err;
    folder(t->fd, "d");
    put(t->fd, "a.md", "a");
    put(t->fd, "b.md", "b");
    struct fs_place a = place(t, "a.md"), b = place(t, "b.md"), to = place(t, "d/c.md"),
                    none = place(t, "none.md"), d = place(t, "d"), in = place(t, "d/in");
    assert_false(fs_move(&a, &b, &err));
    assert_int_equal(err.name, E_FILE_EXISTS);
    assert_false(fs_move(&a, &d, &err));
    assert_false(fs_move(&none, &to, &err));
    assert_int_equal(err.name, E_FILE_NOT_FOUND);
    assert_non_null(strstr(err.msg, "none.md"));
    assert_false(fs_move(&d, &in, &err));
    assert_int_equal(err.code, ERR_INVALID);
    assert_true(fs_move(&a, &to, &err));
    CHECK_STR("moved", content(&t->arena, t->fd, "d/c.md"), "a");
    assert_false(fs_remove_folder(&d, &err));
    assert_int_equal(err.name, E_CONFLICT);
    struct fs_seen was = look(t, &to);
    assert_true(fs_remove(&to, TEMP, &was, &err));
    assert_false(there(t->fd, "d/c.md") || there(t->fd, "d/" TEMP));
    struct file_stat st;
    bool exists;
    assert_true(fs_make(&in, 0, &err));
    assert_false(fs_make(&in, 0, &err));
    assert_int_equal(err.name, E_FILE_EXISTS);
    assert_true(fs_remove_folder(&in, &err));
    assert_true(fs_make(&in, 0770, &err));
    assert_true(fs_place_stat(&in, &exists, &st, &err) && exists);
    assert_true(st.type == FILE_FOLDER);
    CHECK_MODE("of a folder", st.mode, 0770);
    assert_true(fs_place_stat(&none, &exists, &st, &err));
    assert_false(exists);
    assert_false(fs_remove_folder(&b, &err));
    assert_false(fs_remove_folder(&none, &err));
    assert_true(fs_sync_all(&t->root, &err));
    struct fs_place *all[] = {&a, &b, &to, &none, &d, &in};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        fs_place_close(all[i]);
}

/* --- not allowed to --- */

static void test_no_permission(void **state)
{
    struct tree *t = *state;
    if (geteuid() != 0)
        SKIP("needs root to be another user");
    folder(t->fd, "d");
    put(t->fd, "d/a.md", "a");
    put(t->fd, "d/hidden.md", "h");
    assert_int_equal(fchmodat(t->fd, "d/hidden.md", 0600, 0), 0);
    assert_int_equal(fchmodat(t->top_fd, ".", 0755, 0), 0);
    str before = tree_text(&t->arena, t->fd);
    struct err err;
    assert_int_equal(seteuid(65534), 0);
    bool saved = save(t, "d/a.md", "x", &err);
    struct fs_place p = place(t, "d/a.md"), q = place(t, "d/new.md");
    struct fs_seen was = look(t, &p);
    struct err remove_err, make_err, move_err, look_err;
    bool removed = fs_remove(&p, TEMP, &was, &remove_err);
    bool made = fs_make(&q, 0, &make_err), moved = fs_move(&p, &q, &move_err);
    bool looked = save(t, "d/hidden.md", "x", &look_err);
    fs_place_close(&p);
    fs_place_close(&q);
    assert_int_equal(seteuid(0), 0);
    assert_false(saved || removed || made || moved || looked);
    const struct err *all[] = {&err, &remove_err, &make_err, &move_err, &look_err};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        assert_int_equal(all[i]->name, E_FORBIDDEN);
    CHECK_TREE("unchanged", t, before);
}

/* The group is kept by a server that is not the file's owner, but in its group. */
static void test_group_is_kept(void **state)
{
    struct tree *t = *state;
    if (geteuid() != 0)
        SKIP("needs root to be another user");
    folder(t->fd, "d");
    put(t->fd, "d/a.md", "a");
    assert_int_equal(fchmodat(t->top_fd, ".", 0755, 0), 0);
    assert_int_equal(fchmodat(t->fd, "d", 0777, 0), 0);
    assert_int_equal(fchmodat(t->fd, "d/a.md", 0660, 0), 0);
    assert_int_equal(fchownat(t->fd, "d/a.md", 1234, 2345, 0), 0);
    gid_t group = 2345;
    struct err err;
    assert_int_equal(setgroups(1, &group), 0);
    assert_int_equal(seteuid(65534), 0);
    bool saved = save(t, "d/a.md", "x", &err);
    assert_int_equal(seteuid(0), 0);
    if (!saved)
        fail_msg("%s", err.msg);
    struct stat st;
    assert_int_equal(fstatat(t->fd, "d/a.md", &st, 0), 0);
    assert_int_equal(st.st_gid, 2345);
    CHECK_MODE("of a file", st.st_mode & 07777, 0660);
}

static size_t descriptors;

static int count_setup(void **state)
{
    descriptors = machine_descriptors();
    *state = tree_new_in("/tmp"); /* a real disk, with all its features */
    return 0;
}

static int count_teardown(void **state)
{
    tree_teardown(state);
    return machine_descriptors() == descriptors ? 0 : -1;
}

#define EDIT_TEST(function)                                                              \
    cmocka_unit_test_setup_teardown(function, count_setup, count_teardown)

TEST_MAIN(argc, argv)
{
    umask(022);
    const struct CMUnitTest tests[] = {
        EDIT_TEST(test_new_and_replace),
        EDIT_TEST(test_SEC_88_modes),
        EDIT_TEST(test_temp_is_private),
        EDIT_TEST(test_SEC_88_owner_and_attributes),
        EDIT_TEST(test_SEC_84_hard_links_stay),
        EDIT_TEST(test_SEC_89_temp_of_others_stays),
        EDIT_TEST(test_conflicts),
        EDIT_TEST(test_SEC_111_an_editor_saves_concurrently),
        EDIT_TEST(test_links_inside),
        EDIT_TEST(test_link_in_a_linked_folder),
        EDIT_TEST(test_where_links_lead),
        EDIT_TEST(test_folder_swapped_for_a_link),
        EDIT_TEST(test_SEC_82_links_out),
        EDIT_TEST(test_no_files),
        EDIT_TEST(test_names_too_long),
        EDIT_TEST(test_too_large),
        EDIT_TEST(test_move_to_other_case),
        EDIT_TEST(test_moves),
        EDIT_TEST(test_no_permission),
        EDIT_TEST(test_group_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
