/*
 * A change is killed, or gets an error, at its first system call that touches a file, at
 * its second, and so on until it completes. Each time the vault must be exactly as before
 * or exactly as after, in agreement with the answer, and must accept further changes
 * (SEC-100, SEC-102).
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/log.h"
#include "faults.h"
#include "tree.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"

enum { CALLS_MAX = 400, OPS = 8 };

static const struct kind {
    const char *name;
    struct change_op ops[OPS];
    int old; /* changes so old that this one drops them, each in a segment of its own */
} kinds[] = {
    {"edit", {{JOURNAL_WRITE, .path = STR("a.md"), .text = STR("new alpha\n")}}},
    {"edit through a link",
     {{JOURNAL_WRITE, .path = STR("link.md"), .text = STR("new target\n")}}},
    {"create in new folders",
     {{JOURNAL_WRITE, .path = STR("new/deep/n.md"), .text = STR("n"),
       .expects = CHANGE_NEW}}},
    {"move with rewrites",
     {{JOURNAL_MOVE, .path = STR("note.md"), .to = STR("new/moved.md")},
      {JOURNAL_WRITE, .path = STR("a.md"), .text = STR("[[moved]]")},
      {JOURNAL_WRITE, .path = STR("b.md"), .text = STR("[[moved]] b")},
      {JOURNAL_WRITE, .path = STR("dir/sub/y.md"), .text = STR("[[moved]] y")}}},
    {"folder move",
     {{JOURNAL_MOVE, .path = STR("dir"), .to = STR("other/place")},
      {JOURNAL_WRITE, .path = STR("dir/x.md"), .text = STR("x is elsewhere")}}},
    {"delete", {{JOURNAL_DELETE, .path = STR("private.md")}}},
    {"folders",
     {{JOURNAL_MAKE_FOLDER, .path = STR("made/inner")},
      {JOURNAL_REMOVE_FOLDER, .path = STR("empty")}}},
    {"edit that prunes",
     {{JOURNAL_WRITE, .path = STR("a.md"), .text = STR("new alpha\n")}},
     .old = 3},
    {"all together",
     {{JOURNAL_WRITE, .path = STR("a.md"), .text = STR("")},
      {JOURNAL_DELETE, .path = STR("b.md")},
      {JOURNAL_WRITE, .path = STR("p/q.md"), .text = STR("q")},
      {JOURNAL_MAKE_FOLDER, .path = STR("made")},
      {JOURNAL_MOVE, .path = STR("dir/x.md"), .to = STR("p/x.md")},
      {JOURNAL_MOVE, .path = STR("dir"), .to = STR("dir2")},
      {JOURNAL_REMOVE_FOLDER, .path = STR("empty")}}},
};

static struct change change_of(const struct kind *k)
{
    struct change c = {.ops = (struct change_op *)k->ops, .by.tool = STR("test")};
    while (c.n < OPS && c.ops[c.n].path.n > 0)
        c.n++;
    return c;
}

/* What runs under faults: a change, or its undo. */
struct scene {
    const struct kind *kind;
    bool undo;
    str before, after; /* the trees */
};

/* The number of its change. */
static uint64_t number_of(const struct scene *s)
{
    return (uint64_t)s->kind->old + 1;
}

static bool make(struct changes *c, const struct scene *s, struct err *err)
{
    struct arena a = {0};
    struct change_result result;
    struct change change = change_of(s->kind), as = {.by.tool = STR("undo")};
    bool ok = s->undo ? changes_undo(c, &a, number_of(s), &as, &result, err)
                      : changes_make(c, &a, &change, &result, err);
    arena_release(&a);
    return ok;
}

/* Cut the only segment, which has changes from 1 on, where each of them ends. */
static void cut_segments(struct tree *t, const size_t *ends, int n)
{
    str all = content(&t->arena, t->top_fd, "state/journal-000000000001");
    size_t at = 0;
    for (int i = 0; i < n; at = ends[i++])
        put_bytes(t->top_fd, arena_printf(&t->arena, "state/journal-%012d", i + 1).p,
                  str_slice(all, at, ends[i]));
}

static void add_old_changes(struct tree *t, int n)
{
    enum { DAYS = 100, DAY = 24 * 60 * 60, MOST = 8 };
    struct journal *j;
    struct err err;
    size_t ends[MOST];
    assert_true(n <= MOST && journal_open(t->state, &j, &err));
    for (int i = 0; i < n; i++) {
        struct journal_op op = {.kind = JOURNAL_MAKE_FOLDER, .path = STR("old")};
        struct journal_change c = {
            .time = clock_now() - (int64_t)DAYS * DAY, .ops = &op, .n = 1};
        assert_true(journal_append(j, &c, &err));
        journal_end(j, c.number, JOURNAL_DONE);
        ends[i] = content(&t->arena, t->top_fd, "state/journal-000000000001").n;
    }
    journal_close(j);
    cut_segments(t, ends, n);
    put(t->top_fd, "state/clock",
        arena_printf(&t->arena, "%lld 0 0\n", (long long)clock_now()).p);
}

static struct tree *prepare(const struct scene *s)
{
    struct tree *t = tree_new_in(fast_folder());
    folder(t->fd, "dir");
    folder(t->fd, "dir/sub");
    folder(t->fd, "empty");
    assert_int_equal(fchmodat(t->fd, "empty", 0750, 0), 0);
    put(t->fd, "a.md", "alpha\n");
    put(t->fd, "b.md", "beta, longer than what comes\n");
    put(t->fd, "note.md", "note\n");
    put(t->fd, "private.md", "mine\n");
    assert_int_equal(fchmodat(t->fd, "private.md", 0600, 0), 0);
    put(t->fd, "dir/x.md", "x\n");
    put(t->fd, "dir/sub/y.md", "y\n");
    put(t->fd, "dir/sub/target.md", "target\n");
    assert_int_equal(symlinkat("dir/sub/target.md", t->fd, "link.md"), 0);
    if (s->kind->old > 0)
        add_old_changes(t, s->kind->old);
    if (!s->undo)
        return t;
    struct scene first = {.kind = s->kind};
    struct changes *c;
    struct err err;
    assert_true(changes_open(&t->root, t->state, &c, &err));
    if (!make(c, &first, &err))
        fail_msg("%s: %s", s->kind->name, err.msg);
    changes_close(c);
    return t;
}

/* Both trees, by making the change without any fault. */
static void learn(struct scene *s, struct arena *a)
{
    struct tree *t = prepare(s);
    struct changes *c;
    struct err err;
    s->before = tree_text(a, t->fd);
    assert_true(changes_open(&t->root, t->state, &c, &err));
    if (!make(c, s, &err))
        fail_msg("%s: %s", s->kind->name, err.msg);
    s->after = tree_text(a, t->fd);
    changes_close(c);
    CHECK(s->kind->name,
          s->kind->old == 0 || !there(t->top_fd, "state/journal-000000000001"));
    tree_teardown((void **)&t);
    assert_false(str_eq(s->before, s->after));
}

static bool write_again(struct tree *t, struct changes *c)
{
    struct change_op op = {JOURNAL_WRITE, .path = STR("again.md"), .text = STR("again"),
                           .expects = CHANGE_NEW};
    struct change_result result;
    struct err err;
    bool ok =
        changes_make(c, &t->arena, &(struct change){.ops = &op, .n = 1}, &result, &err) &&
        changes_undo(c, &t->arena, result.number, &(struct change){0}, &result, &err);
    if (!ok)
        fprintf(stderr, "again: %s (%s)\n", err.msg, err.detail);
    return ok;
}

enum { CHILD_DONE, CHILD_FAILED, CHILD_THROUGH, CHILD_WRONG };

/* In a child process. CHILD_THROUGH: it completed without reaching the fault. */
static int child(struct tree *t, const struct scene *s, long n, int error, bool lasting)
{
    struct changes *c;
    struct err err;
    log_setup(LOG_ERROR + 1, LOG_TEXT);
    faults_arm(n, error, lasting);
    bool open = changes_open(&t->root, t->state, &c, &err);
    bool ok = open && make(c, s, &err);
    faults_disarm();
    bool reached = faults_seen() >= n;
    if (!lasting && !str_eq(tree_text(&t->arena, t->fd), ok ? s->after : s->before)) {
        fprintf(stderr, "%s, and the tree is:\n" STR_FMT, ok ? "done" : err.msg,
                STR_ARG(tree_text(&t->arena, t->fd)));
        return CHILD_WRONG;
    }
    if (open && !lasting && !write_again(t, c)) {
        fprintf(stderr, "does not go on after: %s\n", ok ? "done" : err.msg);
        return CHILD_WRONG;
    }
    if (open)
        changes_close(c);
    return !ok ? CHILD_FAILED : reached ? CHILD_DONE : CHILD_THROUGH;
}

/* Run it in a child that is killed at call n. Negative: it was killed. */
static int run(struct tree *t, const struct scene *s, long n, int error, bool lasting)
{
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(child(t, s, n, error, lasting));
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void check_state(const char *row, struct tree *t)
{
    struct dirent **names;
    int n = scandirat(t->top_fd, "state", &names, NULL, tree_by_name);
    for (int i = 0; i < n; free(names[i++]))
        CHECK(row, strstr(names[i]->d_name, "leftover") == NULL);
    if (n >= 0)
        free(names);
}

/* Open the vault again: it is complete, as before or as after, and accepts changes. */
static void check(const char *row, struct tree *t, const struct scene *s, int answer)
{
    struct changes *c;
    struct journal *j;
    struct err err;
    size_t n;
    if (!changes_open(&t->root, t->state, &c, &err))
        fail_msg("%s: %s (%s)", row, err.msg, err.detail);
    str now = tree_text(&t->arena, t->fd);
    bool before = str_eq(now, s->before), after = str_eq(now, s->after);
    if (!before && !after)
        fail_msg("%s: neither before nor after:\n" STR_FMT, row, STR_ARG(now));
    CHECK(row, before || answer != CHILD_FAILED);
    CHECK(row, after || (answer != CHILD_DONE && answer != CHILD_THROUGH));
    CHECK(row, write_again(t, c));
    struct change_result undone;
    if (after && !s->undo &&
        !changes_undo(c, &t->arena, number_of(s), &(struct change){0}, &undone, &err))
        fail_msg("%s: %s", row, err.msg);
    if (after && !s->undo)
        CHECK_TREE(row, t, s->before);
    CHECK(row, changes_lock_all(c, &j, &err));
    if (!journal_verify(j, &n, &err))
        fail_msg("%s: %s", row, err.msg);
    changes_unlock(c);
    changes_close(c);
    check_state(row, t);
}

static void try_all(const struct scene *s, const char *what, int error, bool lasting)
{
    long n = 1;
    for (int answer = 0; answer != CHILD_THROUGH; n++) {
        char row[160];
        struct tree *t = prepare(s);
        snprintf(row, sizeof(row), "%s%s, %s at call %ld", s->undo ? "undo of " : "",
                 s->kind->name, what, n);
        answer = run(t, s, n, error, lasting);
        if (answer != -SIGKILL && (answer < 0 || answer == CHILD_WRONG))
            fail_msg("%s: the process said %d", row, answer);
        check(row, t, s, lasting ? -SIGKILL : answer);
        tree_teardown((void **)&t);
        assert_true(n < CALLS_MAX);
    }
}

static void each_scene(const char *what, int error, bool lasting)
{
    for (size_t i = 0; i < 2 * COUNT_OF(kinds); i++) {
        struct arena a = {0};
        struct scene s = {.kind = &kinds[i / 2], .undo = i % 2 == 1};
        learn(&s, &a);
        try_all(&s, what, error, lasting);
        arena_release(&a);
    }
}

static void test_SEC_100_killed(void **state)
{
    each_scene("killed", FAULT_KILL, false);
}

static void test_SEC_102_errors(void **state)
{
    each_scene("EIO", EIO, false);
    each_scene("EMFILE", EMFILE, false);
}

/* These errors hardly differ from the others. */
static void test_SEC_102_more_errors(void **state)
{
    static const struct {
        const char *name;
        int number;
    } errors[] = {
        {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EINTR", EINTR}, {"EROFS", EROFS}};
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        struct arena a = {0};
        struct scene s = {.kind = &kinds[COUNT_OF(kinds) - 1], .undo = i % 2 == 1};
        learn(&s, &a);
        try_all(&s, errors[i].name, errors[i].number, false);
        arena_release(&a);
    }
}

/* A disk that stays full or broken until the next start. */
static void test_SEC_103_lasting_errors(void **state)
{
    each_scene("lasting ENOSPC", ENOSPC, true);
}

/* Killed, and killed again at every call of the recovery. */
static void test_SEC_89_SEC_100_killed_twice(void **state)
{
    struct arena a = {0};
    struct scene s = {.kind = &kinds[COUNT_OF(kinds) - 1]};
    learn(&s, &a);
    for (long n = 1, first = 0; first != CHILD_THROUGH; n += 2) {
        for (long m = 1, second = -SIGKILL; second == -SIGKILL; m++) {
            char row[80];
            struct tree *t = prepare(&s);
            snprintf(row, sizeof(row), "killed at call %ld, then at %ld", n, m);
            first = run(t, &s, n, FAULT_KILL, false);
            pid_t pid = fork();
            if (pid == 0) {
                struct changes *c;
                struct err err;
                log_setup(LOG_ERROR + 1, LOG_TEXT);
                faults_arm(m, FAULT_KILL, false);
                _exit(changes_open(&t->root, t->state, &c, &err) ? 0 : 1);
            }
            int status;
            assert_int_equal(waitpid(pid, &status, 0), pid);
            second = WIFSIGNALED(status) ? -SIGKILL : 0;
            check(row, t, &s, (int)first);
            tree_teardown((void **)&t);
        }
    }
    arena_release(&a);
}

/* The trace of calls contains each word of want, in this order (SEC-101). */
static void check_order(const char *name, const char *trace, const char *want)
{
    str words = str_c(want), word, rest = str_c(trace);
    while (str_next(&words, ' ', &word)) {
        size_t at = str_find(rest, word);
        if (at == STR_NONE)
            fail_msg("%s: no " STR_FMT " in time in: %s", name, STR_ARG(word), trace);
        rest = str_skip(rest, at + word.n);
    }
}

static void test_SEC_101_order(void **state)
{
    if (VAULTD_PORTABLE)
        SKIP("the calls are those of Linux");
    static const struct {
        size_t kind;
        const char *want;
    } rows[] = {
        {0, "pwrite64 fdatasync(journal-000000000001) fsync(state) openat64 write "
            "fsync(.vaultd- renameat2 unlinkat fsync(vault) pwrite64"},
        {1, "pwrite64 fdatasync(journal openat64 write fsync(.vaultd- renameat2 unlinkat "
            "fsync(sub) pwrite64"},
        {2, "pwrite64 fdatasync(journal mkdirat mkdirat write fsync(.vaultd- renameat2 "
            "fsync(vault) fsync(new) fsync(deep) pwrite64"},
        {3,
         "pwrite64 fdatasync(journal mkdirat write write write syncfs(vault) renameat2 "
         "renameat2 renameat2 renameat2 fsync( fsync( fsync( pwrite64"},
        {5, "pwrite64 fdatasync(journal renameat2 unlinkat fsync(vault) pwrite64"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct scene s = {.kind = &kinds[rows[i].kind]};
        struct tree *t = prepare(&s);
        struct changes *c;
        struct err err;
        assert_true(changes_open(&t->root, t->state, &c, &err));
        faults_arm(CALLS_MAX, 0, false);
        assert_true(make(c, &s, &err));
        faults_disarm();
        check_order(s.kind->name, faults_trace(), rows[i].want);
        changes_close(c);
        tree_teardown((void **)&t);
    }
}

int main(void)
{
    log_setup(LOG_ERROR + 1, LOG_TEXT);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_SEC_101_order),
        cmocka_unit_test(test_SEC_100_killed),
        cmocka_unit_test(test_SEC_102_errors),
        cmocka_unit_test(test_SEC_102_more_errors),
        cmocka_unit_test(test_SEC_103_lasting_errors),
        cmocka_unit_test(test_SEC_89_SEC_100_killed_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
