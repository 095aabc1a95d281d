#include "vault/vault.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "check.h"
#include "vault/walk.h"

/* Each test gets a folder with "outside/secret.md" and the vault "My vault". */
struct place {
    struct arena arena;
    char top[64];
    int top_fd, fd; /* of the vault's folder */
    struct vault *vault;
};

static void put(int dir, const char *path, str text)
{
    int fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.p, text.n), text.n);
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

static int setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    snprintf(p->top, sizeof(p->top), "/tmp/vaultd-test-vault-XXXXXX");
    assert_non_null(mkdtemp(p->top));
    p->top_fd = open(p->top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    folder(p->top_fd, "outside");
    put(p->top_fd, "outside/secret.md", STR("SECRET"));
    folder(p->top_fd, "My vault");
    p->fd = openat(p->top_fd, "My vault", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char path[80];
    snprintf(path, sizeof(path), "%s/My vault", p->top);
    struct err err = {0};
    if (!vault_open(path, &p->vault, &err))
        fail_msg("%s", err.msg);
    *state = p;
    return 0;
}

static void remove_tree(int parent, const char *name)
{
    if (unlinkat(parent, name, 0) == 0)
        return;
    assert_int_equal(fchmodat(parent, name, 0755, 0), 0);
    DIR *dir = fdopendir(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    assert_non_null(dir);
    const struct dirent *d;
    while ((d = readdir(dir)) != NULL)
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
            remove_tree(dirfd(dir), d->d_name);
    closedir(dir);
    assert_int_equal(unlinkat(parent, name, AT_REMOVEDIR), 0);
}

static int teardown(void **state)
{
    struct place *p = *state;
    vault_close(p->vault);
    close(p->fd);
    close(p->top_fd);
    remove_tree(AT_FDCWD, p->top);
    arena_release(&p->arena);
    free(p);
    return 0;
}

/* --- opening --- */

static void test_open(void **state)
{
    struct place *p = *state;
    CHECK_STR("name", vault_name(p->vault), "My vault");
    static const struct {
        const char *path, *name; /* below top; NULL: not a vault */
    } cases[] = {
        {"/My vault/", "My vault"},
        {"/My vault/.", "My vault"},
        {"/outside/..", "TOP"},
        {"/My vault//", "My vault"},
        {"/none", NULL},
        {"/outside/secret.md", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str path = arena_printf(&p->arena, "%s%s", p->top, cases[i].path);
        struct vault *v = NULL;
        struct err err = {0};
        bool ok = vault_open(path.p, &v, &err);
        CHECK_INT(cases[i].path, ok, cases[i].name != NULL);
        if (ok)
            CHECK_STR(cases[i].path, vault_name(v),
                      strcmp(cases[i].name, "TOP") == 0 ? p->top + strlen("/tmp/")
                                                        : cases[i].name);
        else
            CHECK(cases[i].path, v == NULL && err.msg[0] != '\0');
        vault_close(v);
    }
    vault_close(NULL);
}

/* A vault opened through a symlink has the name of its target, "." that of the folder. */
static void test_open_link(void **state)
{
    struct place *p = *state;
    link_to(p->top_fd, "My vault", "link");
    struct vault *v;
    struct err err = {0};
    assert_true(vault_open(arena_printf(&p->arena, "%s/link", p->top).p, &v, &err));
    CHECK_STR("link", vault_name(v), "My vault");
    vault_close(v);
    int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(fchdir(p->fd), 0);
    assert_true(vault_open(".", &v, &err));
    CHECK_STR("here", vault_name(v), "My vault");
    vault_close(v);
    assert_int_equal(fchdir(before), 0);
    close(before);
    assert_true(vault_open("/", &v, &err));
    CHECK_STR("the root", vault_name(v), "vault");
    vault_close(v);
}

/* --- reading --- */

static bool read_lines(struct place *p, const char *path, size_t first, size_t limit,
                       struct vault_text *out, struct err *err)
{
    *err = (struct err){0};
    return vault_read(p->vault, &p->arena, str_c(path), first, limit, out, err);
}

static void test_ranges(void **state)
{
    static const struct {
        const char *text;
        size_t first, limit;
        const char *content; /* NULL: refused */
        size_t total, from, to;
    } cases[] = {
        {"", 1, 0, "", 0, 0, 0},
        {"", 1, 5, "", 0, 0, 0},
        {"", 0, 0, NULL, 0, 0, 0},
        {"", 2, 0, NULL, 0, 0, 0},
        {"a", 1, 0, "a", 1, 1, 1},
        {"a", 1, 1, "a", 1, 1, 1},
        {"a", 1, 9, "a", 1, 1, 1},
        {"a", 2, 0, NULL, 0, 0, 0},
        {"a\n", 1, 0, "a\n", 1, 1, 1},
        {"a\n", 2, 0, NULL, 0, 0, 0},
        {"\n", 1, 0, "\n", 1, 1, 1},
        {"\n\n", 2, 0, "\n", 2, 2, 2},
        {"\n\na", 1, 2, "\n\n", 3, 1, 2},
        {"a\nb\nc", 1, 0, "a\nb\nc", 3, 1, 3},
        {"a\nb\nc", 1, 1, "a\n", 3, 1, 1},
        {"a\nb\nc", 2, 1, "b\n", 3, 2, 2},
        {"a\nb\nc", 2, 0, "b\nc", 3, 2, 3},
        {"a\nb\nc", 2, 2, "b\nc", 3, 2, 3},
        {"a\nb\nc", 3, 1, "c", 3, 3, 3},
        {"a\nb\nc", 3, 100, "c", 3, 3, 3},
        {"a\nb\nc\n", 3, 0, "c\n", 3, 3, 3},
        {"a\nb\nc\n", 4, 0, NULL, 0, 0, 0},
        {"a\nb\nc", 4, 1, NULL, 0, 0, 0},
        {"a\nb\nc", SIZE_MAX, SIZE_MAX, NULL, 0, 0, 0},
        {"a\nb\nc", 2, SIZE_MAX, "b\nc", 3, 2, 3},
        {"a\nb\nc", 0, 1, NULL, 0, 0, 0},
        {"a\r\nb\r\n", 1, 1, "a\r\n", 2, 1, 1},
        {"a\r\nb\r\n", 2, 1, "b\r\n", 2, 2, 2},
        {"a\rb", 1, 0, "a\rb", 2, 1, 2}, /* a lone CR ends a line, too */
        {"\xEF\xBB\xBF# A\n", 1, 0, "\xEF\xBB\xBF# A\n", 1, 1, 1},
    };

    struct place *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct vault_text got;
        struct err err;
        put(p->fd, "n.md", str_c(cases[i].text));
        str row = arena_printf(&p->arena, "row %zu: '%s' from %zu, %zu lines", i,
                               cases[i].text, cases[i].first, cases[i].limit);
        bool ok = read_lines(p, "n.md", cases[i].first, cases[i].limit, &got, &err);
        CHECK_INT(row.p, ok, cases[i].content != NULL);
        if (!ok) {
            CHECK_INT(row.p, err.code, ERR_INVALID);
            CHECK_INT(row.p, err.name, E_INVALID_RANGE);
            continue;
        }
        CHECK_STR(row.p, got.path, "n.md");
        CHECK_STR(row.p, got.content, cases[i].content);
        CHECK_INT(row.p, got.total_lines, cases[i].total);
        CHECK_INT(row.p, got.first, cases[i].from);
        CHECK_INT(row.p, got.last, cases[i].to);
    }
}

static void test_range_message(void **state)
{
    struct place *p = *state;
    struct vault_text got;
    struct err err;
    put(p->fd, "n.md", STR("a\nb\n"));
    assert_false(read_lines(p, "n.md", 9, 1, &got, &err));
    CHECK_STR("message", str_c(err.msg), "offset 9 is outside 'n.md', which has 2 lines");
}

/* Text is returned as stored, however odd, unless it has another encoding; a file with NUL
 * bytes is not text. */
static void test_kinds_of_text(void **state)
{
    static const struct {
        const char *name;
        str bytes;
        bool text;
        str read; /* empty: the bytes */
    } cases[] = {
        {"plain", STR("# A\n"), true},
        {"latin-1", STR("caf\xE9\n"), true, STR("caf\xC3\xA9\n")},
        {"half a character", STR("\xC3\xA9\xC3\xA9 caf\xC3"), true},
        {"surrogate", STR("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9 \xED\xA0\x80"), true},
        {"control characters", STR("\x01\x02\x1B[0m\x7F\n"), true},
        {"U+FFFF", STR("\xEF\xBF\xBF"), true},
        {"emoji", STR("\xF0\x9F\x8C\xB1\n"), true},
        {"NUL", STR("a\0b"), false},
        {"only NUL", STR("\0"), false},
        {"PNG", STR("\x89PNG\r\n\x1A\n\0\0\0\rIHDR"), false},
        {"UTF-16", STR("\xFF\xFE#\0 \0A\0"), true, STR("# A")},
    };

    struct place *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct vault_text got;
        struct err err;
        put(p->fd, "x.bin", cases[i].bytes);
        CHECK_INT(cases[i].name, read_lines(p, "x.bin", 1, 0, &got, &err), cases[i].text);
        if (cases[i].text) {
            CHECK(cases[i].name,
                  str_eq(got.content,
                         cases[i].read.n > 0 ? cases[i].read : cases[i].bytes));
            continue;
        }
        CHECK_INT(cases[i].name, err.code, ERR_INVALID);
        CHECK_INT(cases[i].name, err.name, E_NOT_TEXT);
        str want = arena_printf(&p->arena, "'x.bin' is not a text file (%zu bytes)",
                                cases[i].bytes.n);
        CHECK_STR(cases[i].name, str_c(err.msg), want);
    }
}

static void test_size_limit(void **state)
{
    struct place *p = *state;
    char *text = mem_alloc(VAULT_READ_MAX + 1);
    memset(text, 'x', VAULT_READ_MAX + 1);
    struct vault_text got;
    struct err err;
    put(p->fd, "large.md", (str){text, VAULT_READ_MAX});
    assert_true(read_lines(p, "large.md", 1, 1, &got, &err));
    CHECK_INT("largest", got.content.n, VAULT_READ_MAX);
    put(p->fd, "large.md", (str){text, VAULT_READ_MAX + 1});
    assert_false(read_lines(p, "large.md", 1, 1, &got, &err));
    CHECK_INT("too large", err.code, ERR_LIMIT);
    CHECK_INT("its name", err.name, E_FILE_TOO_LARGE);
    free(text);
}

static void make_links(struct place *p)
{
    folder(p->fd, "a");
    put(p->fd, "a/b.md", STR("inside"));
    put(p->fd, "a/.hidden.md", STR("hidden"));
    folder(p->fd, ".obsidian");
    put(p->fd, ".obsidian/app.json", STR("{}"));
    link_to(p->fd, "a/b.md", "inside.md");
    link_to(p->fd, "../outside/secret.md", "out.md");
    link_to(p->fd, "../outside", "out");
    link_to(p->fd, "/etc/passwd", "absolute");
    link_to(p->fd, "nowhere.md", "dangling.md");
    link_to(p->fd, "loop-b", "loop-a");
    link_to(p->fd, "loop-a", "loop-b");
    assert_int_equal(mkfifoat(p->fd, "fifo", 0644), 0);
}

static void test_paths(void **state)
{
    static const struct {
        const char *path;
        const char *clean; /* NULL: refused */
        enum err_code code;
        const char *name;
    } cases[] = {
        {"a/b.md", "a/b.md", ERR_NONE, NULL},
        {"/a/b.md", "a/b.md", ERR_NONE, NULL},
        {"a//b.md", "a/b.md", ERR_NONE, NULL},
        {"./a/./b.md", "a/b.md", ERR_NONE, NULL},
        {"a/b.md/", "a/b.md", ERR_NONE, NULL},
        {"inside.md", "inside.md", ERR_NONE, NULL},

        {"none.md", NULL, ERR_NOT_FOUND, "FILE_NOT_FOUND"},
        {"a/none.md", NULL, ERR_NOT_FOUND, "FILE_NOT_FOUND"},
        {"none/b.md", NULL, ERR_NOT_FOUND, "FILE_NOT_FOUND"},
        {"A/B.md", NULL, ERR_NOT_FOUND, "FILE_NOT_FOUND"},
        {"a/b", NULL, ERR_NOT_FOUND, "FILE_NOT_FOUND"},
        {"a/b.md/c", NULL, ERR_NOT_FOUND, "FILE_NOT_FOUND"},
        {"dangling.md", NULL, ERR_NOT_FOUND, "FILE_NOT_FOUND"},

        {"", NULL, ERR_INVALID, NULL},
        {"/", NULL, ERR_INVALID, NULL},
        {"a", NULL, ERR_INVALID, NULL},
        {"a/", NULL, ERR_INVALID, NULL},
        {"fifo", NULL, ERR_INVALID, NULL},
        {"a\\b.md", NULL, ERR_INVALID, "PATH_NOT_ALLOWED"},
        {"a/\xFF.md", NULL, ERR_INVALID, "PATH_NOT_ALLOWED"},
        {"a/b\n.md", NULL, ERR_INVALID, "PATH_NOT_ALLOWED"},

        {"..", NULL, ERR_DENIED, "PATH_NOT_ALLOWED"},
        {"../outside/secret.md", NULL, ERR_DENIED, "PATH_NOT_ALLOWED"},
        {"a/../a/b.md", NULL, ERR_DENIED, "PATH_NOT_ALLOWED"},
        {".obsidian/app.json", NULL, ERR_DENIED, "PATH_NOT_ALLOWED"},
        {"a/.hidden.md", NULL, ERR_DENIED, "PATH_NOT_ALLOWED"},
        {"out.md", NULL, ERR_DENIED, "PATH_NOT_ALLOWED"},
        {"out/secret.md", NULL, ERR_DENIED, "PATH_NOT_ALLOWED"},
        {"absolute", NULL, ERR_DENIED, "PATH_NOT_ALLOWED"},
        {"loop-a", NULL, ERR_DENIED, "PATH_NOT_ALLOWED"},
    };

    struct place *p = *state;
    make_links(p);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct vault_text got;
        struct err err;
        bool ok = read_lines(p, cases[i].path, 1, 0, &got, &err);
        CHECK_INT(cases[i].path, ok, cases[i].clean != NULL);
        CHECK_INT(cases[i].path, err.code, cases[i].code);
        if (cases[i].name != NULL)
            CHECK_STR(cases[i].path, str_c(err_name_text(err.name)), cases[i].name);
        if (ok)
            CHECK_STR(cases[i].path, got.path, cases[i].clean);
        CHECK(cases[i].path, strstr(err.msg, p->top) == NULL);
    }
    struct vault_text got;
    struct err err;
    CHECK("NUL", !vault_read(p->vault, &p->arena, STR("a/b.md\0x"), 1, 0, &got, &err));
    CHECK_INT("NUL", err.code, ERR_INVALID);
}

/* --- listing --- */

/* "a/3 b.md:7": folders with their children, files with their bytes. */
static str listed(struct place *p, const char *path)
{
    struct vault_listing list;
    struct err err = {0};
    if (!vault_list(p->vault, &p->arena, str_c(path), &list, &err))
        return arena_printf(&p->arena, "(%s)", err.msg);
    struct sbuf b = SBUF_ON(&p->arena);
    for (size_t i = 0; i < list.n; i++) {
        const struct vault_entry *e = &list.entries[i];
        sbuf_printf(&b, "%s" STR_FMT, i > 0 ? " " : "", STR_ARG(e->name));
        if (e->info.type == FS_FOLDER)
            sbuf_printf(&b, "/%zu", e->children);
        else
            sbuf_printf(&b, ":%lld", (long long)e->info.size);
    }
    return sbuf_str(&b);
}

static void test_list(void **state)
{
    struct place *p = *state;
    CHECK_STR("an empty vault", listed(p, ""), "");
    make_links(p);
    folder(p->fd, "empty");
    folder(p->fd, "Z");
    folder(p->fd, "Z/y");
    put(p->fd, "Z/x.md", STR("12345"));
    put(p->fd, "Z/.DS_Store", STR("x"));
    put(p->fd, "\xC3\xA9.md", STR(""));
    put(p->fd, "\xFF.md", STR("no UTF-8"));
    put(p->fd, "b.md", STR("123"));
    static const struct {
        const char *path, *want;
    } cases[] = {
        {"", "Z/2 a/1 b.md:3 empty/0 inside.md:6 \xC3\xA9.md:0"},
        {"/", "Z/2 a/1 b.md:3 empty/0 inside.md:6 \xC3\xA9.md:0"},
        {"Z", "x.md:5 y/0"},
        {"/Z/", "x.md:5 y/0"},
        {"a", "b.md:6"},
        {"empty", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].path, listed(p, cases[i].path), cases[i].want);
}

static void test_list_refused(void **state)
{
    static const struct {
        const char *path;
        enum err_code code;
    } cases[] = {
        {"none", ERR_NOT_FOUND},    {"a/none", ERR_NOT_FOUND}, {"a/b.md", ERR_INVALID},
        {"inside.md", ERR_INVALID}, {"..", ERR_DENIED},        {"a/..", ERR_DENIED},
        {".obsidian", ERR_DENIED},  {"out", ERR_DENIED},       {"loop-a", ERR_DENIED},
        {"a\\", ERR_INVALID},
    };

    struct place *p = *state;
    make_links(p);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct vault_listing list;
        struct err err = {0};
        CHECK(cases[i].path,
              !vault_list(p->vault, &p->arena, str_c(cases[i].path), &list, &err));
        CHECK_INT(cases[i].path, err.code, cases[i].code);
        CHECK(cases[i].path, strstr(err.msg, p->top) == NULL);
    }
}

static void test_list_path(void **state)
{
    struct place *p = *state;
    folder(p->fd, "a");
    folder(p->fd, "a/b");
    struct vault_listing list;
    struct err err = {0};
    assert_true(vault_list(p->vault, &p->arena, STR("//a/./b/"), &list, &err));
    CHECK_STR("clean", list.path, "a/b");
    assert_true(vault_list(p->vault, &p->arena, STR("/"), &list, &err));
    CHECK_STR("root", list.path, "");
}

/* A folder that is open but has no path any more: nothing is stored for it. */
static void test_no_path(void **state)
{
    struct place *p = *state;
    char path[64], gone[96];
    bool found = true;
    struct err err = {0};
    snprintf(gone, sizeof(gone), "%s/gone", p->top);
    assert_int_equal(mkdir(gone, 0755), 0);
    int fd = open(gone, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(rmdir(gone), 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (access("/proc/self/fd", F_OK) != 0)
        SKIP("no /proc here");
    vault_close(p->vault);
    assert_true(vault_open(path, &p->vault, &err));
    CHECK_STR("no path", str_c(vault_folder(p->vault)), "");
    CHECK("no stored index", !vault_check_stored(p->vault, p->top, &err));
    CHECK("no vectors", vault_forget_meaning(p->vault, p->top, &found, &err) && !found);
    vault_start(p->vault, &(struct vault_options){.state_dir = p->top});
    CHECK("read-only", !vault_can_change(p->vault, &err) && err.code == ERR_DENIED);
    CHECK_STR("says why", str_c(err.msg),
              "this vault is read-only: its folder has no path any more");
    close(fd);
}

#define VAULT_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        VAULT_TEST(test_open),          VAULT_TEST(test_open_link),
        VAULT_TEST(test_ranges),        VAULT_TEST(test_range_message),
        VAULT_TEST(test_kinds_of_text), VAULT_TEST(test_size_limit),
        VAULT_TEST(test_paths),         VAULT_TEST(test_list),
        VAULT_TEST(test_list_refused),  VAULT_TEST(test_list_path),
        VAULT_TEST(test_no_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
