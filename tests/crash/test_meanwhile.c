/*
 * Another program saves, writes or deletes a file at every instant of a change that
 * expects it to be unchanged: the other program's edit is never lost (SEC-111), not even
 * if we are killed at any later instant (SEC-89).
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/log.h"
#include "faults.h"
#include "tree.h"
#include "vault/change/change.h"

enum { CALLS_MAX = 400 };

static struct hash_content alpha(void)
{
    return hash_content(STR("alpha"));
}

/* --- the other program --- */

static void save(void *dir)
{
    put(*(int *)dir, ".editor", "theirs");
    assert_int_equal(renameat(*(int *)dir, ".editor", *(int *)dir, "a.md"), 0);
}

static void write_over(void *dir)
{
    put(*(int *)dir, "a.md", "theirs");
}

static void remove_it(void *dir)
{
    unlinkat(*(int *)dir, "a.md", 0);
}

/* --- our change --- */

static bool edit_one(struct tree *t, struct changes *c, struct err *err)
{
    struct change_op op = {JOURNAL_WRITE, STR("a.md"), .text = STR("ours"),
                           .expects = CHANGE_SAME, .was = alpha()};
    struct change_result r;
    return changes_make(c, &t->arena, &(struct change){.ops = &op, .n = 1}, &r, err);
}

static bool edit_several(struct tree *t, struct changes *c, struct err *err)
{
    struct change_op ops[] = {
        {JOURNAL_WRITE, STR("b.md"), .text = STR("ours too")},
        {JOURNAL_WRITE, STR("a.md"), .text = STR("ours"), .expects = CHANGE_SAME,
         .was = alpha()},
        {JOURNAL_WRITE, STR("new/c.md"), .text = STR("ours, new")},
        {JOURNAL_MOVE, STR("note.md"), .to = STR("new/note.md")},
    };
    struct change_result r;
    return changes_make(c, &t->arena, &(struct change){.ops = ops, .n = COUNT_OF(ops)},
                        &r, err);
}

static bool delete_one(struct tree *t, struct changes *c, struct err *err)
{
    struct change_op op = {JOURNAL_DELETE, STR("a.md"), .expects = CHANGE_SAME,
                           .was = alpha()};
    struct change_result r;
    return changes_make(c, &t->arena, &(struct change){.ops = &op, .n = 1}, &r, err);
}

static bool undo_one(struct tree *t, struct changes *c, struct err *err)
{
    struct change_result r;
    return changes_undo(c, &t->arena, 1, &(struct change){0}, &r, err);
}

static bool create_one(struct tree *t, struct changes *c, struct err *err)
{
    struct change_op op = {JOURNAL_WRITE, STR("a.md"), .text = STR("ours"),
                           .expects = CHANGE_NEW};
    struct change_result r;
    return changes_make(c, &t->arena, &(struct change){.ops = &op, .n = 1}, &r, err);
}

static const struct {
    const char *name;
    bool (*make)(struct tree *t, struct changes *c, struct err *err);
    bool undo, creates;
} ours[] = {
    {"edit", edit_one},
    {"edit several", edit_several},
    {"delete", delete_one},
    {"undo", undo_one, .undo = true},
    {"create", create_one, .creates = true},
};

static const struct {
    const char *name;
    void (*act)(void *dir);
} theirs[] = {{"save", save}, {"write over", write_over}, {"delete", remove_it}};

static void check(const char *row, struct tree *t, bool ok, bool gone, str others)
{
    if (gone)
        CHECK(row, !there(t->fd, "a.md"));
    else
        CHECK_STR(row, content(&t->arena, t->fd, "a.md"), "theirs");
    /* the other files: the whole change, or nothing */
    unlinkat(t->fd, "a.md", 0);
    if (!ok)
        CHECK_TREE(row, t, others);
    CHECK(row, !there(t->fd, ".editor"));
}

static bool try_at(size_t i, size_t k, long n)
{
    struct tree *t = tree_new_in(fast_folder());
    struct changes *c;
    struct err err;
    char row[80];
    snprintf(row, sizeof(row), "%s at call %ld of %s", theirs[k].name, n, ours[i].name);
    put(t->fd, "b.md", "beta");
    put(t->fd, "note.md", "note");
    str others = tree_text(&t->arena, t->fd);
    if (!ours[i].creates)
        put(t->fd, "a.md", "alpha");
    assert_true(changes_open(&t->root, t->state, &c, &err));
    if (ours[i].undo)
        assert_true(edit_one(t, c, &err));
    faults_meanwhile(n, theirs[k].act, &t->fd);
    bool ok = ours[i].make(t, c, &err), reached = faults_seen() >= n;
    faults_disarm();
    if (reached && !(ours[i].creates && k == 2))
        check(row, t, ok, k == 2, others);
    assert_true(reached || ok);
    put(t->fd, "a.md", "alpha");
    if (!edit_one(t, c, &err))
        fail_msg("%s: no further changes possible: %s", row, err.msg);
    changes_close(c);
    tree_teardown((void **)&t);
    return reached;
}

static void test_SEC_111_other_program_at_every_instant(void **state)
{
    if (VAULTD_PORTABLE)
        SKIP("a portable build cannot exchange two files");
    for (size_t i = 0; i < COUNT_OF(ours); i++)
        for (size_t k = 0; k < COUNT_OF(theirs); k++)
            for (long n = 1; try_at(i, k, n); n++)
                assert_true(n < CALLS_MAX);
}

/* --- and then we are killed --- */

struct crash {
    int dir;
    long after; /* calls between their edit and the kill */
    void (*act)(void *dir);
};

static void act_and_crash(void *context)
{
    struct crash *crash = context;
    crash->act(&crash->dir);
    faults_arm(crash->after, FAULT_KILL, false);
}

/* Whether their text is in the note, or was kept in the state folder. */
static bool is_kept(struct tree *t)
{
    struct dirent **names;
    bool kept =
        there(t->fd, "a.md") && str_eq(content(&t->arena, t->fd, "a.md"), STR("theirs"));
    int dir = open(t->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int n = scandirat(dir, ".", &names, NULL, tree_by_name);
    for (int i = 0; i < n; free(names[i++]))
        kept = kept || (strncmp(names[i]->d_name, "leftover-", 9) == 0 &&
                        str_eq(content(&t->arena, dir, names[i]->d_name), STR("theirs")));
    free(names);
    close(dir);
    return kept;
}

enum crashed { NOT_REACHED, NOT_KILLED, KILLED };

static enum crashed crash_at(size_t i, size_t k, long n, long after)
{
    struct tree *t = tree_new_in(fast_folder());
    struct changes *c;
    struct err err;
    char row[80];
    snprintf(row, sizeof(row), "%s at call %ld of %s, killed %ld later", theirs[k].name,
             n, ours[i].name, after);
    put(t->fd, "a.md", "alpha");
    put(t->fd, "b.md", "beta");
    put(t->fd, "note.md", "note");
    struct crash crash = {t->fd, after, theirs[k].act};
    pid_t pid = fork();
    if (pid == 0) {
        if (!changes_open(&t->root, t->state, &c, &err))
            _exit(9);
        faults_meanwhile(n, act_and_crash, &crash);
        (void)ours[i].make(t, c, &err);
        _exit(there(t->fd, "a.md") &&
                      str_eq(content(&t->arena, t->fd, "a.md"), STR("theirs"))
                  ? NOT_KILLED
                  : NOT_REACHED);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 9);
    enum crashed end = WIFSIGNALED(status) ? KILLED : (enum crashed)WEXITSTATUS(status);
    assert_true(changes_open(&t->root, t->state, &c, &err));
    if (end == KILLED && !is_kept(t))
        fail_msg("%s: their edit is lost", row);
    str tree = tree_text(&t->arena, t->fd);
    CHECK(row, str_find(tree, STR(".tmp")) == STR_NONE &&
                   str_find(tree, STR(".vaultd-")) == STR_NONE);
    changes_close(c);
    tree_teardown((void **)&t);
    return end;
}

static void test_SEC_89_killed_after_other_program_saved(void **state)
{
    enum { DELETE = 2 };
    if (VAULTD_PORTABLE)
        SKIP("a portable build cannot exchange two files");
    for (size_t i = 0; i <= DELETE; i++)
        for (size_t k = 0; k < 2; k++) {
            enum crashed end = KILLED;
            for (long n = 1; end != NOT_REACHED; n++) {
                end = KILLED;
                for (long after = 1; end == KILLED; after++)
                    end = crash_at(i, k, n, after);
                assert_true(n < CALLS_MAX);
            }
        }
}

/* --- privacy --- */

static void look_around(void *dir)
{
    struct dirent **names;
    int n = scandirat(*(int *)dir, ".", &names, NULL, tree_by_name);
    assert_true(n >= 2);
    for (int i = 0; i < n; free(names[i++])) {
        struct stat st;
        if (strcmp(names[i]->d_name, ".") == 0 || strcmp(names[i]->d_name, "..") == 0)
            continue;
        assert_int_equal(fstatat(*(int *)dir, names[i]->d_name, &st, 0), 0);
        if ((st.st_mode & 077) != 0)
            fail_msg("%s can be read by others", names[i]->d_name);
    }
    free(names);
}

/* The temporary file of a private note is private, from the first byte on. */
static void test_private_at_every_instant(void **state)
{
    bool reached = true;
    for (long n = 1; reached; n++) {
        struct tree *t = tree_new_in(fast_folder());
        struct changes *c;
        struct err err;
        put(t->fd, "a.md", "alpha");
        assert_int_equal(fchmodat(t->fd, "a.md", 0600, 0), 0);
        assert_true(changes_open(&t->root, t->state, &c, &err));
        faults_meanwhile(n, look_around, &t->fd);
        assert_true(edit_one(t, c, &err));
        reached = faults_seen() >= n;
        faults_disarm();
        changes_close(c);
        tree_teardown((void **)&t);
    }
}

int main(void)
{
    log_setup(LOG_ERROR + 1, LOG_TEXT);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_SEC_111_other_program_at_every_instant),
        cmocka_unit_test(test_SEC_89_killed_after_other_program_saved),
        cmocka_unit_test(test_private_at_every_instant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
