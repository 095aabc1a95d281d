#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os/machine.h"
#include "base/sbuf.h"
#include "check.h"
#include "systems.h"

/*
 * Each test gets a folder with "outside/secret.md", which nothing may read, and an empty
 * "root". Every test of the root runs with openat2 and with the fallback.
 */
struct place {
    struct arena arena;
    char top[64];
    int top_fd, fd; /* of root */
    struct fs_root root;
};

static void put(int dir, const char *path, const char *text)
{
    int fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void folder(int dir, const char *path)
{
    assert_int_equal(mkdirat(dir, path, 0755), 0);
}

static void link_to(int dir, const char *target, const char *path)
{
    assert_int_equal(symlinkat(target, dir, path), 0);
}

static int open_folder(int dir, const char *path)
{
    return openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int make_place(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    struct err err;
    snprintf(p->top, sizeof(p->top), "/tmp/vaultd-test-fs-XXXXXX");
    assert_non_null(mkdtemp(p->top));
    p->top_fd = open_folder(AT_FDCWD, p->top);
    folder(p->top_fd, "outside");
    put(p->top_fd, "outside/secret.md", "SECRET");
    folder(p->top_fd, "root");
    p->fd = open_folder(p->top_fd, "root");
    char path[80];
    snprintf(path, sizeof(path), "%s/root", p->top);
    assert_true(fs_root_open(&p->root, path, &err));
    *state = p;
    return 0;
}

/* Without openat2 here, the tests would cover only the fallback. */
static int make_place_openat2(void **state)
{
    make_place(state);
    bool missing = VAULTD_PORTABLE && machine_system() != MACHINE_WINDOWS;
    assert_int_equal(((struct place *)*state)->root.no_openat2, missing);
    return 0;
}

static int make_place_fallback(void **state)
{
    make_place(state);
    ((struct place *)*state)->root.no_openat2 = true;
    return 0;
}

static void remove_tree(int parent, const char *name)
{
    if (unlinkat(parent, name, 0) == 0)
        return;
    DIR *dir = fdopendir(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    assert_non_null(dir);
    const struct dirent *d;
    while ((d = readdir(dir)) != NULL)
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
            remove_tree(dirfd(dir), d->d_name);
    closedir(dir);
    assert_int_equal(unlinkat(parent, name, AT_REMOVEDIR), 0);
}

static int remove_place(void **state)
{
    struct place *p = *state;
    fs_root_close(&p->root);
    close(p->fd);
    close(p->top_fd);
    remove_tree(AT_FDCWD, p->top);
    arena_release(&p->arena);
    free(p);
    return 0;
}

static bool read_text(struct place *p, const char *path, str *out, struct err *err)
{
    return fs_read(&p->root, &p->arena, str_c(path), 1 << 20, out, err);
}

static void test_read(void **state)
{
    struct place *p = *state;
    int64_t before = clock_now();
    folder(p->fd, "a");
    folder(p->fd, "a/b");
    put(p->fd, "a/b/note.md", "# Hello");
    put(p->fd, "empty.md", "");
    str text;
    struct err err;
    assert_true(read_text(p, "a/b/note.md", &text, &err));
    CHECK_STR("text", text, "# Hello");
    assert_true(read_text(p, "empty.md", &text, &err));
    CHECK_STR("empty", text, "");

    int fd;
    struct fs_info info;
    assert_true(fs_open_file(&p->root, STR("a/b/note.md"), &fd, &info, &err));
    CHECK_INT("size", info.size, 7);
    CHECK_INT("type", info.type, FS_FILE);
    CHECK("just made", before - 1 <= info.mtime && info.mtime <= clock_now());
    CHECK("closed on exec", (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    close(fd);
    assert_true(fs_stat(&p->root, STR("a"), &info, &err));
    CHECK_INT("folder", info.type, FS_FOLDER);
    assert_true(fs_stat(&p->root, STR(""), &info, &err));
    CHECK_INT("root", info.type, FS_FOLDER);
}

static void test_SEC_82_links(void **state)
{
    struct place *p = *state;
    folder(p->fd, "notes");
    folder(p->fd, "deep");
    folder(p->fd, "deep/er");
    put(p->fd, "notes/a.md", "inside");
    put(p->fd, "top.md", "top");
    link_to(p->fd, "notes/a.md", "file-link.md");
    link_to(p->fd, "notes", "folder-link");
    link_to(p->fd, "notes/", "slash-link");
    link_to(p->fd, "../../notes/../deep/../top.md", "deep/er/up.md");
    link_to(p->fd, "er/../../folder-link/../top.md", "deep/winding.md");
    link_to(p->fd, "../file-link.md", "deep/chain.md");
    link_to(p->fd, ".", "self");
    link_to(p->fd, "../../outside/secret.md", "deep/out.md");
    link_to(p->fd, "../outside", "out");
    link_to(p->fd, "out", "out-chain");
    link_to(p->fd, "..", "up");
    link_to(p->fd, "deep/../..", "up-winding");
    link_to(p->fd, "/etc", "absolute");
    link_to(p->fd, "/proc/self/root", "magic");
    link_to(p->fd, "loop-b", "loop-a");
    link_to(p->fd, "loop-a", "loop-b");
    link_to(p->fd, "loop-self/x", "loop-self");
    link_to(p->fd, "nowhere.md", "dangling.md");
    link_to(p->fd, "../nowhere.md", "dangling-out.md");
    char absolute_inside[100];
    snprintf(absolute_inside, sizeof(absolute_inside), "%s/root/top.md", p->top);
    link_to(p->fd, absolute_inside, "absolute-inside.md");

    static const struct {
        const char *path, *text;
        enum err_code code;
    } cases[] = {
        {"file-link.md", "inside", ERR_NONE},
        {"folder-link/a.md", "inside", ERR_NONE},
        {"slash-link/a.md", "inside", ERR_NONE},
        {"deep/er/up.md", "top", ERR_NONE},
        {"deep/winding.md", "top", ERR_NONE},
        {"deep/chain.md", "inside", ERR_NONE},
        {"self/self/self/top.md", "top", ERR_NONE},
        {"deep/out.md", NULL, ERR_DENIED},
        {"out/secret.md", NULL, ERR_DENIED},
        {"out-chain/secret.md", NULL, ERR_DENIED},
        {"up/outside/secret.md", NULL, ERR_DENIED},
        {"up/root/top.md", NULL, ERR_DENIED}, /* leaving and returning is leaving */
        {"up-winding/outside/secret.md", NULL, ERR_DENIED},
        {"absolute/passwd", NULL, ERR_DENIED},
        {"absolute-inside.md", NULL, ERR_DENIED},
        {"magic/etc/passwd", NULL, ERR_DENIED},
        {"loop-a", NULL, ERR_DENIED},
        {"loop-self", NULL, ERR_DENIED},
        {"dangling.md", NULL, ERR_NOT_FOUND},
        {"dangling-out.md", NULL, ERR_DENIED},
        {"top.md/x", NULL, ERR_NOT_FOUND},
        {"folder-link", NULL, ERR_INVALID},
        /* path.h refuses these, and so does this layer */
        {"../outside/secret.md", NULL, ERR_DENIED},
        {"deep/../../outside/secret.md", NULL, ERR_DENIED},
        {"/etc/passwd", NULL, ERR_DENIED},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str text = {0};
        struct err err = {0};
        bool ok = read_text(p, cases[i].path, &text, &err);
        CHECK_INT(cases[i].path, err.code, cases[i].code);
        CHECK_INT(cases[i].path, ok, cases[i].text != NULL);
        CHECK_STR(cases[i].path, text, cases[i].text);
        if (err.code == ERR_DENIED)
            CHECK_STR(cases[i].path, str_c(err_name_text(err.name)), "PATH_NOT_ALLOWED");
        CHECK(cases[i].path, strstr(err.msg, p->top) == NULL);
    }
}

/* SEC-82, SEC-91: a symlink does not lead to a hidden name, in any spelling and for any
 * call; a path that is itself hidden is vaultd's own and works. */
static void test_links_to_hidden(void **state)
{
    struct place *p = *state;
    folder(p->fd, ".git");
    put(p->fd, ".git/config", "SECRET");
    put(p->fd, ".git/plain", "plain");
    link_to(p->fd, "plain", ".git/link");
    folder(p->fd, "notes");
    folder(p->fd, "notes/.obsidian");
    put(p->fd, "notes/.obsidian/app.json", "SECRET");
    put(p->fd, "notes/a.md", "inside");
    folder(p->fd, "git~1");
    folder(p->fd, "\u200c.git");
    static const char *const links[][2] = {
        {".git", "folder"},
        {".git/config", "file.md"},
        {"folder", "chain"},
        {"../.git/config", "notes/up.md"},
        {".obsidian", "notes/settings"},
        {"notes/../.git/../notes", "through"},
        {"./.git", "dot"},
        {"git~1", "short"},
        {"GIT~1", "short-upper"},
        {"\u200c.git", "ignorable"},
        {".git/new", "dangling.md"},
        {".nowhere/new", "nowhere.md"},
    };
    for (size_t i = 0; i < COUNT_OF(links); i++) {
        const char *name = links[i][1];
        str text;
        struct err err = {0};
        struct fs_info info;
        struct fs_entry entry;
        struct fs_list list;
        AUTO_CLOSE int fd = -1;
        link_to(p->fd, links[i][0], name);
        CHECK(name, !fs_stat(&p->root, str_c(name), &info, &err));
        CHECK_INT(name, err.name, E_PATH_NOT_ALLOWED);
        CHECK(name, !fs_stat_entry(&p->root, str_c(name), &entry, &err));
        CHECK_INT(name, err.name, E_PATH_NOT_ALLOWED);
        CHECK(name, !read_text(p, name, &text, &err));
        CHECK_INT(name, err.name, E_PATH_NOT_ALLOWED);
        CHECK(name, !fs_load(&p->root, &p->arena, str_c(name), 99, &info, &text, &err));
        CHECK_INT(name, err.name, E_PATH_NOT_ALLOWED);
        CHECK(name, !fs_list(&p->root, &p->arena, str_c(name), &list, &err));
        CHECK_INT(name, err.name, E_PATH_NOT_ALLOWED);
        CHECK(name, !fs_open_folder(&p->root, str_c(name), true, &fd, &err));
        CHECK_INT(name, err.name, E_PATH_NOT_ALLOWED);
        str below = arena_printf(&p->arena, "%s/config", name);
        CHECK(name, !read_text(p, below.p, &text, &err));
        CHECK_INT(name, err.name, E_PATH_NOT_ALLOWED);
    }
    struct fs_list list;
    struct err err;
    str text;
    assert_true(fs_list(&p->root, &p->arena, STR(""), &list, &err));
    CHECK_INT("only the folder is listed", list.n, 1);
    assert_true(fs_list(&p->root, &p->arena, STR("notes"), &list, &err));
    CHECK_INT("only the note is listed", list.n, 1);
    assert_true(read_text(p, ".git/link", &text, &err));
    CHECK_STR("its own", text, "plain");
}

static void test_messages(void **state)
{
    struct place *p = *state;
    folder(p->fd, "folder");
    put(p->fd, "file.md", "x");
    char long_name[300];
    memset(long_name, 'x', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = '\0';
    const struct {
        const char *path, *name, *msg;
        enum err_code code;
    } cases[] = {
        {"projects/nonexistent.md", "FILE_NOT_FOUND",
         "File not found: projects/nonexistent.md", ERR_NOT_FOUND},
        {"file.md/x", "FILE_NOT_FOUND", "File not found: file.md/x", ERR_NOT_FOUND},
        {"folder", NULL, "'folder' is a folder, not a file", ERR_INVALID},
        {"", NULL, "'' is a folder, not a file", ERR_INVALID},
        {long_name, NULL, NULL, ERR_LIMIT},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str text;
        struct err err = {0};
        CHECK(cases[i].path, !read_text(p, cases[i].path, &text, &err));
        CHECK_INT(cases[i].path, err.code, cases[i].code);
        CHECK_STR(cases[i].path, str_c(err_name_text(err.name)), cases[i].name);
        if (cases[i].msg != NULL)
            CHECK_STR(cases[i].path, str_c(err.msg), cases[i].msg);
    }

    struct fs_list list;
    struct err err;
    assert_false(fs_list(&p->root, &p->arena, STR("file.md"), &list, &err));
    CHECK_STR("list a file", str_c(err.msg), "'file.md' is a file, not a folder");
    assert_false(fs_list(&p->root, &p->arena, STR("none"), &list, &err));
    CHECK_INT("list nothing", err.name, E_FILE_NOT_FOUND);
    str text;
    assert_false(fs_read(&p->root, &p->arena, STR("a\0b"), 10, &text, &err));
    CHECK("NUL", err.code != ERR_NONE);
}

static void make_socket(int dir, const char *name)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s", dir,
             name);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
}

/* SEC-83: an immediate error, and invisible in a listing. */
static void test_SEC_83_special_files(void **state)
{
    struct place *p = *state;
    assert_int_equal(mkfifoat(p->fd, "fifo.md", 0644), 0);
    make_socket(p->fd, "socket.md");
    link_to(p->fd, "fifo.md", "fifo-link.md");
    put(p->fd, "note.md", "x");
    bool device = mknodat(p->fd, "device.md", S_IFCHR | 0644, makedev(1, 5)) == 0;

    static const char *const names[] = {"fifo.md", "socket.md", "fifo-link.md",
                                        "device.md"};
    for (size_t i = 0; i < COUNT_OF(names); i++) { /* none of them blocks */
        if (strcmp(names[i], "device.md") == 0 && !device)
            continue; /* only root may create one */
        str text;
        struct err err = {0};
        struct fs_info info;
        struct fs_list list;
        CHECK(names[i], !read_text(p, names[i], &text, &err));
        CHECK_INT(names[i], err.code, ERR_INVALID);
        CHECK(names[i], !fs_stat(&p->root, str_c(names[i]), &info, &err));
        CHECK_INT(names[i], err.code, ERR_INVALID);
        CHECK(names[i], !fs_list(&p->root, &p->arena, str_c(names[i]), &list, &err));
        CHECK_INT(names[i], err.code, ERR_INVALID);
    }

    struct fs_list list;
    struct err err;
    assert_true(fs_list(&p->root, &p->arena, STR(""), &list, &err));
    CHECK_INT("only the note is listed", list.n, 1);
    CHECK_STR("only the note is listed", list.entries[0].name, "note.md");
}

/* The file systems of the tests keep names that differ in case apart. */
static void test_case(void **state)
{
    struct place *p = *state;
    if (machine_system() == MACHINE_WINDOWS)
        SKIP("this system ignores case");
    CHECK("without folders", !fs_ignores_case(&p->root));
    folder(p->fd, "Work");
    CHECK("one folder", !fs_ignores_case(&p->root));
    folder(p->fd, "wORK");
    CHECK("its twin", !fs_ignores_case(&p->root));
}

static void test_spelling(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *path;
        bool so;
    } rows[] = {
        {"Work", true},          {"work", false},
        {"Work/Plan.md", true},  {"Work/plan.md", false},
        {"work/Plan.md", false}, {".hid", true},
        {"Away/any.md", true},   {"", true},
    };
    folder(p->fd, "Work");
    put(p->fd, "Work/Plan.md", "");
    put(p->fd, ".hid", "");
    link_to(p->fd, "../outside", "Away");
    struct fs_spelling s = {.root = &p->root, .a = &p->arena};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_INT(rows[i].path, fs_is_spelled_so(&s, str_c(rows[i].path)), rows[i].so);
}

static void test_list(void **state)
{
    struct place *p = *state;
    static const char *const files[] = {"b.md",  "a.md",       "B.md",     "ä.md",
                                        ".hid",  "git~1",      "\ufeff.x", "bad\xff.md",
                                        "\xfe.", ".bad\xff.md"};
    folder(p->fd, "x");
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        char path[64];
        snprintf(path, sizeof(path), "x/%s", files[i]);
        put(p->fd, path, "12345");
    }
    folder(p->fd, "x/folder");
    folder(p->fd, "x/.obsidian");
    link_to(p->fd, "folder", "x/l-folder");
    link_to(p->fd, "a.md", "x/l-file");
    link_to(p->fd, "../../outside/secret.md", "x/l-out");
    link_to(p->fd, "nowhere", "x/l-dangling");
    link_to(p->fd, "l-loop", "x/l-loop");

    static const struct {
        const char *name;
        enum fs_type type;
        bool is_link;
    } want[] = {
        {"B.md", FS_FILE, false},  {"a.md", FS_FILE, false},
        {"b.md", FS_FILE, false},  {"folder", FS_FOLDER, false},
        {"l-file", FS_FILE, true}, {"l-folder", FS_FOLDER, true},
        {"ä.md", FS_FILE, false},
    };
    struct fs_list list;
    struct err err;
    assert_true(fs_list(&p->root, &p->arena, STR("x"), &list, &err));
    CHECK_INT("entries", list.n, COUNT_OF(want));
    CHECK_INT("skipped", list.n_skipped, 2);
    for (size_t i = 0; i < list.n; i++) {
        CHECK_STR("name", list.entries[i].name, want[i].name);
        CHECK_INT(want[i].name, list.entries[i].info.type, want[i].type);
        CHECK_INT(want[i].name, list.entries[i].is_link, want[i].is_link);
        if (want[i].type == FS_FILE)
            CHECK_INT(want[i].name, list.entries[i].info.size, 5);
    }
    assert_true(fs_list(&p->root, &p->arena, STR("x/folder"), &list, &err));
    CHECK_INT("empty folder", list.n, 0);
    assert_true(fs_list(&p->root, &p->arena, STR("x/l-folder"), &list, &err));
    CHECK_INT("linked folder", list.n, 0);
    assert_true(fs_list(&p->root, &p->arena, STR(""), &list, &err));
    CHECK_INT("root", list.n, 1);
}

/* SEC-92. Root may do everything, so the thread drops that for its file accesses. */
static void test_open_folder(void **state)
{
    struct place *p = *state;
    folder(p->fd, "a");
    folder(p->fd, "a/b");
    put(p->fd, "a/file.md", "x");
    link_to(p->fd, "a", "link");
    link_to(p->fd, "..", "up");
    static const struct {
        const char *path;
        const char *same; /* as this folder; NULL: refused */
        enum err_code code;
    } cases[] = {
        {"", ".", ERR_NONE},           {"a", "a", ERR_NONE},
        {"a/b", "a/b", ERR_NONE},      {"a/file.md", NULL, ERR_INVALID},
        {"none", NULL, ERR_NOT_FOUND}, {"a/file.md/x", NULL, ERR_NOT_FOUND},
        {"link", NULL, ERR_DENIED},    {"link/b", NULL, ERR_DENIED},
        {"up", NULL, ERR_DENIED},      {"up/root/a", NULL, ERR_DENIED},
        {"..", NULL, ERR_DENIED},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO_CLOSE int fd = -1;
        struct err err = {0};
        bool ok = fs_open_folder(&p->root, str_c(cases[i].path), false, &fd, &err);
        CHECK_INT(cases[i].path, err.code, cases[i].code);
        CHECK_INT(cases[i].path, ok, cases[i].same != NULL);
        CHECK_INT(cases[i].path, fd >= 0, ok);
        struct stat got, want;
        if (ok)
            CHECK(cases[i].path, fstat(fd, &got) == 0 &&
                                     fstatat(p->fd, cases[i].same, &want, 0) == 0 &&
                                     got.st_ino == want.st_ino);
    }
}

static void test_SEC_92_no_permission(void **state)
{
    struct place *p = *state;
    folder(p->fd, "closed");
    put(p->fd, "closed/inner.md", "x");
    put(p->fd, "locked.md", "x");
    put(p->fd, "open.md", "x");
    link_to(p->fd, "closed/inner.md", "link.md");
    assert_int_equal(fchmodat(p->fd, "closed", 0, 0), 0);
    assert_int_equal(fchmodat(p->fd, "locked.md", 0, 0), 0);
    uid_t me = geteuid();
    if (me == 0)
        setfsuid(65534);
    assert_true(me != 0 || setfsuid(65534) == 65534);

    str text;
    struct fs_list list;
    struct err file_err = {0}, folder_err = {0}, inner_err = {0}, err = {0};
    bool got_file = read_text(p, "locked.md", &text, &file_err);
    bool got_folder = fs_list(&p->root, &p->arena, STR("closed"), &list, &folder_err);
    bool got_inner = read_text(p, "closed/inner.md", &text, &inner_err);
    bool got_root = fs_list(&p->root, &p->arena, STR(""), &list, &err);
    setfsuid(me);
    assert_int_equal(fchmodat(p->fd, "closed", 0755, 0), 0);

    assert_false(got_file || got_folder || got_inner);
    CHECK_INT("file", file_err.name, E_FORBIDDEN);
    CHECK_INT("folder", folder_err.name, E_FORBIDDEN);
    CHECK_INT("inside", inner_err.name, E_FORBIDDEN);
    CHECK_INT("code", file_err.code, ERR_DENIED);
    assert_true(got_root);
    CHECK_INT("the rest is listed", list.n, 3); /* without the target of the link */
}

static void test_SEC_86_many_entries(void **state)
{
    struct place *p = *state;
    put(p->top_fd, "outside/one.md", "x");
    const int n = UNDER_WINE ? 500 : 5000; /* it looks through the folder for each name */
    for (int i = 0; i < n; i++) {          /* hard links are created quickly */
        char name[32];
        snprintf(name, sizeof(name), "note %d.md", i * 7919 % n);
        assert_int_equal(linkat(p->top_fd, "outside/one.md", p->fd, name, 0), 0);
    }
    struct fs_list list;
    struct err err;
    assert_true(fs_list(&p->root, &p->arena, STR(""), &list, &err));
    CHECK_INT("entries", list.n, n);
    for (size_t i = 1; i < list.n; i++)
        assert_true(str_cmp(list.entries[i - 1].name, list.entries[i].name) < 0);
}

/* 150 levels, and 250 bytes per name as far as a path can be long. */
static void test_SEC_86_deep(void **state)
{
    struct place *p = *state;
    struct sbuf path = SBUF_ON(&p->arena);
    int dir = dup(p->fd);
    for (int i = 0; i < 150; i++) {
        char name[32];
        snprintf(name, sizeof(name), "level %d", i);
        folder(dir, name);
        int next = open_folder(dir, name);
        close(dir);
        dir = next;
        sbuf_printf(&path, "%s/", name);
    }
    put(dir, "deep.md", "deep");
    close(dir);
    sbuf_add(&path, STR("deep.md"));
    str text;
    struct err err;
    assert_true(fs_read(&p->root, &p->arena, sbuf_str(&path), 100, &text, &err));
    CHECK_STR("deep", text, "deep");
}

static void test_limits(void **state)
{
    struct place *p = *state;
    put(p->fd, "ten.md", "0123456789");
    int fd = openat(p->fd, "sparse.md", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(ftruncate(fd, 20LL << 30), 0);
    close(fd);
    static const struct {
        const char *name, *path;
        size_t max;
        bool ok;
    } cases[] = {
        {"exactly", "ten.md", 10, true},        {"one less", "ten.md", 9, false},
        {"nothing", "ten.md", 0, false},        {"no limit", "ten.md", SIZE_MAX, true},
        {"20 GB", "sparse.md", 8 << 20, false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str text;
        struct err err = {0};
        CHECK_INT(
            cases[i].name,
            fs_read(&p->root, &p->arena, str_c(cases[i].path), cases[i].max, &text, &err),
            cases[i].ok);
        CHECK_INT(cases[i].name, err.code, cases[i].ok ? ERR_NONE : ERR_LIMIT);
    }
    CHECK("20 GB cost nothing", arena_size(&p->arena) < 1 << 20);
}

static bool load(struct place *p, const char *path, size_t max, struct fs_info *info,
                 str *text, struct err *err)
{
    return fs_load(&p->root, &p->arena, str_c(path), max, info, text, err);
}

static void test_load(void **state)
{
    struct place *p = *state;
    folder(p->fd, "folder");
    put(p->fd, "folder/ten.md", "0123456789");
    put(p->fd, "empty.md", "");
    assert_int_equal(mkfifoat(p->fd, "fifo.md", 0644), 0);
    make_socket(p->fd, "socket.md");
    link_to(p->fd, "folder/ten.md", "link.md");
    link_to(p->fd, "../outside/secret.md", "out.md");
    link_to(p->fd, "loop.md", "loop.md");
    static const struct {
        const char *path;
        size_t max;
        const char *text; /* NULL: fails */
        enum err_code code;
    } cases[] = {
        {"folder/ten.md", 10, "0123456789", ERR_NONE},
        {"folder/ten.md", SIZE_MAX, "0123456789", ERR_NONE},
        {"folder/ten.md", 9, NULL, ERR_LIMIT},
        {"folder/ten.md", 0, NULL, ERR_LIMIT},
        {"empty.md", 0, "", ERR_NONE},
        {"link.md", 100, "0123456789", ERR_NONE},
        {"out.md", 100, NULL, ERR_DENIED},
        {"loop.md", 100, NULL, ERR_DENIED},
        {"folder", 100, NULL, ERR_INVALID},
        {"fifo.md", 100, NULL, ERR_INVALID}, /* also immediately */
        {"none.md", 100, NULL, ERR_NOT_FOUND},
        {"folder/ten.md/x", 100, NULL, ERR_NOT_FOUND},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str text = {0};
        struct err err = {0};
        struct fs_info info, seen;
        bool ok = load(p, cases[i].path, cases[i].max, &info, &text, &err);
        CHECK_INT(cases[i].path, err.code, cases[i].code);
        CHECK_INT(cases[i].path, ok, cases[i].text != NULL);
        CHECK_STR(cases[i].path, text, cases[i].text);
        CHECK(cases[i].path,
              !ok || (fs_stat(&p->root, str_c(cases[i].path), &seen, &err) &&
                      fs_same(&info, &seen)));
    }
    struct fs_info info;
    str text;
    struct err err;
    CHECK("socket", !load(p, "socket.md", 100, &info, &text, &err));
}

static struct fs_info info_of(struct place *p, const char *path)
{
    struct fs_info info;
    struct err err;
    assert_true(fs_stat(&p->root, str_c(path), &info, &err));
    return info;
}

static void test_same(void **state)
{
    struct place *p = *state;
    put(p->fd, "a.md", "one");
    put(p->fd, "b.md", "one");
    struct fs_info a = info_of(p, "a.md"), b = info_of(p, "b.md"), again;
    CHECK("itself", fs_same(&a, &a));
    CHECK("another file", !fs_same(&a, &b));
    again = info_of(p, "a.md");
    CHECK("looked at again", fs_same(&a, &again));

    /* the same size, and the old time restored: as rsync -t and editors do */
    const struct timespec old[2] = {
        {.tv_nsec = UTIME_OMIT},
        {a.modified_ns / 1000000000, a.modified_ns % 1000000000}};
    struct timespec tick = {0, 20000000}; /* longer than a tick of the kernel's clock */
    nanosleep(&tick, NULL);
    put(p->fd, "a.md", "two");
    assert_int_equal(utimensat(p->fd, "a.md", old, 0), 0);
    again = info_of(p, "a.md");
    CHECK_INT("size", again.size, a.size);
    CHECK_INT("time", again.modified_ns, a.modified_ns);
    CHECK("changed all the same", !fs_same(&a, &again));

    a = again;
    assert_int_equal(renameat(p->fd, "b.md", p->fd, "a.md"), 0);
    again = info_of(p, "a.md");
    CHECK("replaced by another", !fs_same(&a, &again));
}

/* Files in /proc have size 0 but contain text, like files that grow during a read. */
static void test_size_unknown(void **state)
{
    struct place *p = *state;
    struct fs_root proc;
    struct err err;
    assert_true(fs_root_open(&proc, "/proc/self", &err));
    proc.no_openat2 = p->root.no_openat2;
    str text;
    assert_true(fs_read(&proc, &p->arena, STR("status"), 1 << 20, &text, &err));
    CHECK("has text", text.n > 100 && str_starts(text, STR("Name:")));
    assert_false(fs_read(&proc, &p->arena, STR("status"), 100, &text, &err));
    CHECK_INT("grows over the limit", err.code, ERR_LIMIT);
    fs_root_close(&proc);
}

struct race {
    struct place *place;
    const char *a, *b;
    atomic_bool stop;
};

/* Grows and shrinks the file; every byte is an 'a'. */
static void *resize(void *arg)
{
    struct race *r = arg;
    static char a[70000];
    memset(a, 'a', sizeof(a));
    int fd = openat(r->place->fd, "size.md", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    while (!atomic_load(&r->stop)) {
        if (pwrite(fd, a, sizeof(a), 0) < 0 || ftruncate(fd, 10) < 0)
            break;
    }
    close(fd);
    return NULL;
}

static void test_size_changes(void **state)
{
    struct place *p = *state;
    put(p->fd, "size.md", "aaaaaaaaaa");
    struct race r = {.place = p};
    pthread_t thread;
    pthread_create(&thread, NULL, resize, &r);
    for (int i = 0; i < 2000; i++) {
        str text;
        struct err err;
        assert_true(read_text(p, "size.md", &text, &err));
        /* NUL: the end of a page, which truncation clears before the size changes */
        for (size_t k = 0; k < text.n; k++)
            assert_true(text.p[k] == 'a' || text.p[k] == '\0');
        arena_reset(&p->arena);
    }
    atomic_store(&r.stop, true);
    pthread_join(thread, NULL);
}

/* Swaps a and b all the time. */
static void *swap(void *arg)
{
    struct race *r = arg;
    int fd = r->place->fd;
    while (!atomic_load(&r->stop))
        renameat2(fd, r->a, fd, r->b, RENAME_EXCHANGE);
    return NULL;
}

/* Reads path in the meantime, often and until both states were seen: it always gets
 * "inside", and never blocks. */
static void read_while_swapped(struct place *p, const char *a, const char *b,
                               const char *path, enum err_code otherwise)
{
    struct race r = {.place = p, .a = a, .b = b};
    pthread_t thread;
    pthread_create(&thread, NULL, swap, &r);
    int read = 0, failed = 0;
    for (int i = 0; i < 10000 || read == 0 || failed == 0; i++) {
        str text;
        struct err err = {0};
        struct fs_list list;
        if (read_text(p, path, &text, &err)) {
            CHECK_STR(path, text, "inside");
            read++;
        } else {
            CHECK_INT(path, err.code, otherwise);
            failed++;
        }
        if (fs_list(&p->root, &p->arena, STR("x"), &list, &err))
            CHECK_INT("only from inside", list.entries[0].info.size, strlen("inside"));
        arena_reset(&p->arena);
    }
    atomic_store(&r.stop, true);
    pthread_join(thread, NULL);
}

/* SEC-85 */
static void test_SEC_85_swap_folder(void **state)
{
    struct place *p = *state;
    folder(p->fd, "x");
    put(p->fd, "x/secret.md", "inside");
    link_to(p->fd, "../outside", "link");
    put(p->top_fd, "outside/secret.md", "SECRET OF ANOTHER SIZE");
    read_while_swapped(p, "x", "link", "x/secret.md", ERR_DENIED);
}

/* SEC-85: the same for a symlink to a hidden folder. */
static void test_swap_hidden(void **state)
{
    struct place *p = *state;
    folder(p->fd, "x");
    put(p->fd, "x/config", "inside");
    folder(p->fd, ".git");
    put(p->fd, ".git/config", "SECRET OF ANOTHER SIZE");
    link_to(p->fd, ".git", "link");
    read_while_swapped(p, "x", "link", "x/config", ERR_DENIED);
}

static void test_SEC_85_swap_file(void **state)
{
    struct place *p = *state;
    put(p->fd, "note.md", "inside");
    link_to(p->fd, "../outside/secret.md", "link");
    read_while_swapped(p, "note.md", "link", "note.md", ERR_DENIED);
}

static void test_SEC_85_swap_fifo(void **state)
{
    struct place *p = *state;
    put(p->fd, "note.md", "inside");
    assert_int_equal(mkfifoat(p->fd, "fifo", 0644), 0);
    read_while_swapped(p, "note.md", "fifo", "note.md", ERR_INVALID);
}

static void test_no_leak(void **state)
{
    struct place *p = *state;
    folder(p->fd, "a");
    folder(p->fd, "a/b");
    put(p->fd, "a/b/note.md", "x");
    link_to(p->fd, "../../a/b", "a/b/self");
    link_to(p->fd, "../../../outside", "a/b/out");
    link_to(p->fd, "loop", "a/loop");
    static const char *const paths[] = {"a/b/note.md",
                                        "a/b/self/self/note.md",
                                        "a/b/out/secret.md",
                                        "a/loop",
                                        "a/b/none",
                                        "a/b/note.md/x",
                                        "a",
                                        "a/b/self/self"};
    size_t before = machine_descriptors();
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        str text;
        struct err err;
        struct fs_list list;
        struct fs_info info;
        bool ignored = read_text(p, paths[i], &text, &err);
        ignored = fs_list(&p->root, &p->arena, str_c(paths[i]), &list, &err);
        ignored = fs_stat(&p->root, str_c(paths[i]), &info, &err);
        (void)ignored;
        CHECK_INT(paths[i], machine_descriptors(), before);
    }
}

static void test_root(void **state)
{
    struct place *p = *state;
    struct fs_root root = {.fd = -7};
    struct err err;
    char path[100];
    snprintf(path, sizeof(path), "%s/none", p->top);
    assert_false(fs_root_open(&root, path, &err));
    CHECK_INT("missing", err.code, ERR_NOT_FOUND);
    CHECK("path only in the detail", strstr(err.msg, p->top) == NULL);
    CHECK("path in the detail", strstr(err.detail, path) != NULL);
    snprintf(path, sizeof(path), "%s/outside/secret.md", p->top);
    assert_false(fs_root_open(&root, path, &err));
    CHECK_INT("untouched", root.fd, -7);
    link_to(p->top_fd, "root", "root-link"); /* the operator may use a link */
    snprintf(path, sizeof(path), "%s/root-link", p->top);
    assert_true(fs_root_open(&root, path, &err));
    fs_root_close(&root);
    fs_root_close(&root);
}

static mode_t mode_of(int dir, const char *path)
{
    struct stat st;
    assert_int_equal(fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW), 0);
    return st.st_mode & 07777;
}

static void test_secret(void **state)
{
    struct place *p = *state;
    char path[100];
    snprintf(path, sizeof(path), "%s/state//a/b", p->top);
    uint8_t first[32], again[32], other[32];
    struct err err;
    assert_true(fs_secret_file(path, "key", first, 32, &err));
    assert_true(fs_secret_file(path, "key", again, 32, &err));
    assert_memory_equal(first, again, 32);
    assert_true(fs_secret_file(path, "other", other, 32, &err));
    assert_memory_not_equal(first, other, 32);
    CHECK_MODE("folder", mode_of(p->top_fd, "state"), 0700);
    CHECK_MODE("inner folder", mode_of(p->top_fd, "state/a/b"), 0700);
    CHECK_MODE("file", mode_of(p->top_fd, "state/a/b/key"), 0600);

    assert_int_equal(fchmodat(p->top_fd, "state/a/b/key", 0644, 0), 0);
    assert_true(fs_secret_file(path, "key", again, 32, &err));
    CHECK_MODE("private again", mode_of(p->top_fd, "state/a/b/key"), 0600);

    DIR *dir = fdopendir(open_folder(p->top_fd, "state/a/b"));
    int n = 0;
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    CHECK_INT("no temp file is left", n, 4);
}

static void test_secret_refused(void **state)
{
    struct place *p = *state;
    char path[100];
    snprintf(path, sizeof(path), "%s/outside", p->top);
    put(p->top_fd, "outside/short", "x");
    put(p->top_fd, "outside/empty", "");
    folder(p->top_fd, "outside/folder");
    mkfifoat(p->top_fd, "outside/fifo", 0600);
    link_to(p->top_fd, "secret.md", "outside/link");
    static const char *const names[] = {"short", "empty", "folder", "fifo", "link"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        uint8_t out[6] = "before";
        struct err err = {0};
        CHECK(names[i], !fs_secret_file(path, names[i], out, 6, &err));
        CHECK(names[i], strstr(err.msg, names[i]) != NULL);
        CHECK(names[i], strstr(err.msg, p->top) == NULL);
        CHECK(names[i], strstr(err.detail, path) != NULL);
        CHECK(names[i], memcmp(out, "before", 6) == 0);
    }
    uint8_t out[6];
    struct err err;
    snprintf(path, sizeof(path), "%s/outside/short/x", p->top);
    CHECK("folder cannot be created", !fs_secret_file(path, "key", out, 6, &err));
    CHECK_STR(
        "message", str_c(err.msg),
        "the private file 'key' cannot be reached, because its folder cannot be created");
}

struct rival {
    const char *folder;
    uint8_t secret[32];
    bool ok;
};

static void *make_secret(void *arg)
{
    struct rival *r = arg;
    struct err err;
    r->ok = fs_secret_file(r->folder, "key", r->secret, 32, &err);
    return NULL;
}

static void test_secret_rivals(void **state)
{
    struct place *p = *state;
    for (int round = 0; round < 20; round++) {
        char path[100];
        snprintf(path, sizeof(path), "%s/state%d/x", p->top, round);
        struct rival rivals[4];
        pthread_t threads[4];
        for (size_t i = 0; i < 4; i++) {
            rivals[i].folder = path;
            pthread_create(&threads[i], NULL, make_secret, &rivals[i]);
        }
        for (size_t i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        for (size_t i = 0; i < 4; i++) {
            assert_true(rivals[i].ok);
            assert_memory_equal(rivals[0].secret, rivals[i].secret, 32);
        }
    }
}

#define PLACE_TEST(f) cmocka_unit_test_setup_teardown(f, make_place_openat2, remove_place)
#define BOTH_WAYS(f)                                                                     \
    PLACE_TEST(f),                                                                       \
    {                                                                                    \
#f " without openat2", f, make_place_fallback, remove_place, NULL                \
    }

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        BOTH_WAYS(test_read),
        BOTH_WAYS(test_SEC_82_links),
        BOTH_WAYS(test_links_to_hidden),
        BOTH_WAYS(test_messages),
        BOTH_WAYS(test_SEC_83_special_files),
        BOTH_WAYS(test_case),
        BOTH_WAYS(test_spelling),
        BOTH_WAYS(test_list),
        BOTH_WAYS(test_open_folder),
        BOTH_WAYS(test_SEC_92_no_permission),
        BOTH_WAYS(test_SEC_86_many_entries),
        BOTH_WAYS(test_SEC_86_deep),
        BOTH_WAYS(test_limits),
        BOTH_WAYS(test_size_unknown),
        BOTH_WAYS(test_size_changes),
        BOTH_WAYS(test_SEC_85_swap_folder),
        BOTH_WAYS(test_swap_hidden),
        BOTH_WAYS(test_SEC_85_swap_file),
        BOTH_WAYS(test_SEC_85_swap_fifo),
        BOTH_WAYS(test_load),
        BOTH_WAYS(test_same),
        BOTH_WAYS(test_no_leak),
        PLACE_TEST(test_root),
        PLACE_TEST(test_secret),
        PLACE_TEST(test_secret_refused),
        PLACE_TEST(test_secret_rivals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
