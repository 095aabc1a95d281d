/*
 * tree - a vault and a state folder for a test, and their contents as text: every name
 * (including hidden ones) with type, mode and content, so two trees are the same if and
 * only if their texts are.
 */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "check.h"
#include "fast_folder.h"

struct tree {
    struct arena arena;
    char top[64], state[80];
    int top_fd, fd; /* fd: of the vault */
    struct fs_root root;
};

static inline void put_bytes(int dir, const char *path, str text)
{
    int fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.p, text.n), text.n);
    close(fd);
}

static inline void put(int dir, const char *path, const char *text)
{
    put_bytes(dir, path, str_c(text));
}

static inline void folder(int dir, const char *path)
{
    assert_int_equal(mkdirat(dir, path, 0755), 0);
}

static inline str content(struct arena *a, int dir, const char *path)
{
    int fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        fail_msg("no file %s", path);
    char *p = arena_alloc(a, (size_t)st.st_size + 1);
    assert_int_equal(read(fd, p, (size_t)st.st_size), st.st_size);
    close(fd);
    return (str){p, (size_t)st.st_size};
}

static inline bool there(int dir, const char *path)
{
    return faccessat(dir, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static inline void remove_tree(int parent, const char *name)
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

/* --- as text --- */

static inline int tree_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static inline void tree_print_into(struct sbuf *out, int parent, const char *name,
                                   str path)
{
    struct dirent **names;
    int n = scandirat(parent, name, &names, NULL, tree_by_name);
    assert_true(n >= 0);
    int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < n; free(names[i++])) {
        const char *own = names[i]->d_name;
        struct stat st;
        if (strcmp(own, ".") == 0 || strcmp(own, "..") == 0)
            continue;
        assert_int_equal(fstatat(dir, own, &st, AT_SYMLINK_NOFOLLOW), 0);
        str full = path_join(out->arena, path, str_c(own));
        sbuf_printf(out, STR_FMT " %o ", STR_ARG(full), st.st_mode);
        if (S_ISREG(st.st_mode))
            sbuf_add(out, content(out->arena, dir, own));
        sbuf_char(out, '\n');
        if (S_ISDIR(st.st_mode))
            tree_print_into(out, dir, own, full);
    }
    close(dir);
    free(names);
}

static inline str tree_text(struct arena *a, int dir)
{
    struct sbuf out = SBUF_ON(a);
    tree_print_into(&out, dir, ".", (str){0});
    return sbuf_str(&out);
}

#define CHECK_TREE(row, t, want)                                                         \
    do {                                                                                 \
        str now_ = tree_text(&(t)->arena, (t)->fd), want_ = (want);                      \
        if (!str_eq(now_, want_))                                                        \
            fail_msg("%s: got\n" STR_FMT "want\n" STR_FMT, (row), STR_ARG(now_),         \
                     STR_ARG(want_));                                                    \
    } while (0)

/* --- one for each test --- */

static inline struct tree *tree_new_in(const char *parent)
{
    struct tree *t = mem_zero(sizeof(*t));
    struct err err;
    char path[80];
    snprintf(t->top, sizeof(t->top), "%s/vaultd-test-XXXXXX", parent);
    assert_non_null(mkdtemp(t->top));
    t->top_fd = open(t->top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    folder(t->top_fd, "vault");
    t->fd = openat(t->top_fd, "vault", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(t->state, sizeof(t->state), "%s/state", t->top);
    snprintf(path, sizeof(path), "%s/vault", t->top);
    assert_true(fs_root_open(&t->root, path, &err));
    return t;
}

static inline int tree_setup(void **state)
{
    *state = tree_new_in(fast_folder());
    return 0;
}

static inline int tree_teardown(void **state)
{
    struct tree *t = *state;
    fs_root_close(&t->root);
    close(t->fd);
    close(t->top_fd);
    remove_tree(AT_FDCWD, t->top);
    arena_release(&t->arena);
    free(t);
    return 0;
}

#define TREE_TEST(function)                                                              \
    cmocka_unit_test_setup_teardown(function, tree_setup, tree_teardown)
