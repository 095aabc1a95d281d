/*
 * vault_place - a vault and a state folder in a temporary folder, for tests that change
 * the vault.
 */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "check.h"
#include "fast_folder.h"
#include "vault/draft.h"

struct place {
    struct arena arena;
    char top[64], folder[96], state[96];
    int fd; /* of the vault's folder */
    struct vault *vault;
    struct draft *drafts[256]; /* to be closed at the end */
    size_t n_drafts;
};

/* Keep a draft until the end of the test. */
static inline struct draft *place_keep(struct place *p, struct draft *d)
{
    assert_true(p->n_drafts < sizeof(p->drafts) / sizeof(*p->drafts));
    return p->drafts[p->n_drafts++] = d;
}

static inline void place_close_drafts(struct place *p)
{
    while (p->n_drafts > 0)
        draft_close(p->drafts[--p->n_drafts]);
}

static inline int place_setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    log_setup(LOG_ERROR, LOG_TEXT);
    snprintf(p->top, sizeof(p->top), "%s/vaultd-test-place-XXXXXX", fast_folder());
    assert_non_null(mkdtemp(p->top));
    snprintf(p->folder, sizeof(p->folder), "%s/vault", p->top);
    snprintf(p->state, sizeof(p->state), "%s/state", p->top);
    assert_int_equal(mkdir(p->folder, 0755), 0);
    p->fd = open(p->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *state = p;
    return 0;
}

static inline void place_remove(int parent, const char *name)
{
    if (unlinkat(parent, name, 0) == 0)
        return;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    for (const struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;)
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
            place_remove(dirfd(dir), d->d_name);
    if (dir != NULL)
        closedir(dir);
    unlinkat(parent, name, AT_REMOVEDIR);
}

static inline int place_teardown(void **state)
{
    struct place *p = *state;
    place_close_drafts(p);
    vault_close(p->vault);
    close(p->fd);
    place_remove(AT_FDCWD, p->top);
    arena_release(&p->arena);
    free(p);
    return 0;
}

#define PLACE_TEST(function)                                                             \
    cmocka_unit_test_setup_teardown(function, place_setup, place_teardown)

/* --- the disk --- */

static inline void place_folder(struct place *p, const char *path)
{
    for (const char *c = strchr(path, '/'); c != NULL; c = strchr(c + 1, '/')) {
        str folder = arena_str(&p->arena, (str){path, (size_t)(c - path)});
        (void)mkdirat(p->fd, folder.p, 0755);
    }
}

/* Write a file, and make its folders. */
static inline void place_put(struct place *p, const char *path, str text)
{
    place_folder(p, path);
    int fd = openat(p->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        fail_msg("%s", path);
    assert_int_equal(write(fd, text.p, text.n), text.n);
    close(fd);
}

static inline bool place_has(struct place *p, const char *path)
{
    return faccessat(p->fd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static inline str place_text(struct place *p, const char *path)
{
    str text;
    struct err err = {0};
    if (!vault_bytes(p->vault, &p->arena, str_c(path), 64 << 20, &text, &err))
        fail_msg("%s: %s", path, err.msg);
    return text;
}

static inline int place_by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static inline void place_add_tree(struct place *p, struct sbuf *b, int parent,
                                  const char *name, const char *shown)
{
    enum { NAMES_MAX = 4096 };
    int fd = openat(parent, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    DIR *dir = fdopendir(dup(fd));
    sbuf_printf(b, "%s%s\n", shown, dir != NULL ? "/" : "");
    char bytes[4096];
    for (ssize_t n; dir == NULL && (n = read(fd, bytes, sizeof(bytes))) > 0;)
        sbuf_add(b, (str){bytes, (size_t)n});
    const char **names = ARENA_ARRAY(&p->arena, const char *, NAMES_MAX);
    size_t n = 0;
    for (const struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;)
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
            names[n++] = arena_str(&p->arena, str_c(d->d_name)).p;
    assert_true(n < NAMES_MAX);
    qsort(names, n, sizeof(*names), place_by_name);
    for (size_t i = 0; i < n; i++) {
        str path = path_join(&p->arena, str_c(shown), str_c(names[i]));
        place_add_tree(p, b, fd, names[i], arena_str(&p->arena, path).p);
    }
    if (dir != NULL)
        closedir(dir);
    close(fd);
}

/* Everything in the vault's folder, including hidden files, byte for byte. */
static inline str place_tree(struct place *p)
{
    struct sbuf b = SBUF_ON(&p->arena);
    place_add_tree(p, &b, p->fd, ".", "");
    return sbuf_str(&b);
}

/* --- the vault --- */

static inline void place_start_with(struct place *p, const char *state)
{
    struct err err = {0};
    vault_close(p->vault);
    if (!vault_open(p->folder, &p->vault, &err))
        fail_msg("%s", err.msg);
    vault_start(p->vault, &(struct vault_options){.state_dir = state});
    if (!vault_wait(p->vault, NULL, NULL, &err))
        fail_msg("%s", err.msg);
}

static inline void place_start(struct place *p)
{
    place_start_with(p, p->state);
}

static inline size_t place_hits(struct place *p, const char *word)
{
    struct words_result r;
    struct err err;
    const struct index *x = vault_lock(p->vault);
    assert_true(
        words_search_text(x->words, &p->arena, str_c(word), 0, 10, NULL, NULL, &r, &err));
    vault_unlock(p->vault);
    return r.total;
}

static inline size_t place_backlinks(struct place *p, const char *path)
{
    struct graph_edge *edges;
    const struct index *x = vault_lock(p->vault);
    const struct file *f = index_find(x, str_c(path));
    size_t n =
        f != NULL ? graph_backlinks(x->graph, &p->arena, f->id, &edges) : (size_t)-1;
    vault_unlock(p->vault);
    return n;
}

static inline bool place_tagged(struct place *p, const char *tag)
{
    struct tag found;
    bool there = tags_find(vault_lock(p->vault)->tags, str_c(tag), &found);
    vault_unlock(p->vault);
    return there;
}

/* Whether the index has exactly the text on disk. */
static inline bool place_indexed(struct place *p, const char *path)
{
    const struct file *f = index_find(vault_lock(p->vault), str_c(path));
    str text = f != NULL ? arena_str(&p->arena, f->text) : STR("");
    bool other = f != NULL && f->kind == FILE_OTHER;
    vault_unlock(p->vault);
    return f != NULL && (other || str_eq(text, place_text(p, path)));
}

/* --- changes --- */

static inline struct draft *place_draft(struct place *p)
{
    struct actor as = {.tool = STR("test"), .who = STR("somebody")};
    return place_keep(p, draft_create(p->vault, &p->arena, &as));
}

static inline struct draft_result place_commit(const char *row, struct draft *d)
{
    struct draft_result r;
    struct err err = {0};
    if (!draft_commit(d, &(struct idempotency){.answer = STR("done")}, &r, &err))
        fail_msg("%s: %s", row, err.msg);
    return r;
}

static inline void place_undo(struct place *p, uint64_t change)
{
    struct change as = {.by.tool = STR("undo")};
    struct change_result r;
    struct err err = {0};
    if (!vault_undo(p->vault, &p->arena, change, &as, &r, &err))
        fail_msg("undo: %s", err.msg);
}

/* The call succeeds; else the test fails with the error. */
#define OK(call)                                                                         \
    do {                                                                                 \
        struct err err = {0};                                                            \
        if (!(call))                                                                     \
            fail_msg("%s: %s (%s)", #call, err.msg, err.detail);                         \
    } while (0)

/* The call fails with that code, and its message contains those words. */
#define FAILS(call, want, words)                                                         \
    do {                                                                                 \
        struct err err = {0};                                                            \
        if (call)                                                                        \
            fail_msg("%s: worked", #call);                                               \
        if (err.code != (want) || strstr(err.msg, (words)) == NULL)                      \
            fail_msg("%s: %s: %s (%s)", #call, err_code_name(err.code), err.msg,         \
                     err.detail);                                                        \
    } while (0)
