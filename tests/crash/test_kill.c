/*
 * Two processes change notes as fast as they can; one is killed at a random time, then
 * the other, again and again: no note is half written, two notes written together always
 * agree, and every change that was answered is there (SEC-100).
 *
 * test_crash_kill [ROUNDS [FIRST]]; ./test --full gives 2,000. The number of a round decides when its workers are
 * killed, so runs with another FIRST kill at other times.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/log.h"
#include "tree.h"
#include "until.h"
#include "vault/change/change.h"

enum { WORKERS = 2, EACH = 3, PAIRS = WORKERS * EACH };

/* The journal is read after every round, so that it must not grow for ever. */
enum { ROUNDS_PER_VAULT = 100 };

/* The first worker is killed after up to so many answers and microseconds. */
enum { ANSWERS_MAX = 5, PAUSE_US_MAX = 20000 };

static int rounds = 30, first_round;

/* For each pair of notes, in memory that outlives the process. */
struct progress {
    _Atomic int begun[PAIRS], answered[PAIRS];
};

static int all_answered(const struct progress *shared)
{
    int n = 0;
    for (int i = 0; i < PAIRS; i++)
        n += shared->answered[i];
    return n;
}

/* A number, then text of any length that is derived from it. */
static str text_of(struct arena *a, int number, char which)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_printf(&out, "%d %c\n", number, which);
    for (int i = 0; i < number * 7919 % 20000; i++)
        sbuf_char(&out, (char)('a' + (number + i) % 26));
    return sbuf_str(&out);
}

static void write_pair(struct changes *c, int pair, int number)
{
    struct arena a = {0};
    struct change_op ops[2];
    for (int i = 0; i < 2; i++)
        ops[i] = (struct change_op){
            JOURNAL_WRITE, .path = arena_printf(&a, "%d/%c/note.md", pair, "ab"[i]),
            .text = text_of(&a, number, "ab"[i])};
    struct change_result r;
    struct err err;
    if (!changes_make(c, &a, &(struct change){.ops = ops, .n = 2}, &r, &err)) {
        fprintf(stderr, "%s (%s)\n", err.msg, err.detail);
        _exit(1);
    }
    arena_release(&a);
}

/* Works on its own pairs of notes. */
static void work(struct tree *t, struct progress *shared, int worker)
{
    struct changes *c;
    struct err err;
    if (!changes_open(&t->root, t->state, &c, &err))
        _exit(2);
    for (int turn = 0;; turn = (turn + 1) % EACH) {
        int i = worker * EACH + turn, number = ++shared->begun[i];
        write_pair(c, i, number);
        shared->answered[i] = number;
    }
}

static int number_of(struct tree *t, int pair, char which)
{
    char path[32];
    snprintf(path, sizeof(path), "%d/%c/note.md", pair, which);
    if (!there(t->fd, path))
        return 0;
    str text = content(&t->arena, t->fd, path);
    int number = (int)strtol(arena_str(&t->arena, text).p, NULL, 10);
    if (!str_eq(text, text_of(&t->arena, number, which)))
        fail_msg("%s is torn", path);
    return number;
}

static void check(struct tree *t, struct progress *shared)
{
    struct changes *c;
    struct journal *j;
    struct err err;
    size_t n;
    if (!changes_open(&t->root, t->state, &c, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    for (int i = 0; i < PAIRS; i++) {
        int a = number_of(t, i, 'a'), b = number_of(t, i, 'b');
        assert_int_equal(a, b);
        assert_true(a == shared->answered[i] || a == shared->begun[i]);
        shared->begun[i] = shared->answered[i] = a;
    }
    str tree = tree_text(&t->arena, t->fd);
    assert_true(str_find(tree, STR(".tmp")) == STR_NONE);
    assert_true(changes_lock_all(c, &j, &err));
    if (!journal_verify(j, &n, &err))
        fail_msg("%s", err.msg);
    changes_unlock(c);
    changes_close(c);
    arena_reset(&t->arena);
}

static void kill_one(pid_t pid)
{
    int status;
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}

static void kill_workers(struct tree *t, struct progress *shared, int round)
{
    pid_t workers[WORKERS];
    int before = all_answered(shared);
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = fork();
        if (workers[i] == 0)
            work(t, shared, i);
    }
    UNTIL(all_answered(shared) >= before + round % (ANSWERS_MAX + 1));
    usleep((useconds_t)(round * 7919 % PAUSE_US_MAX));
    kill_one(workers[round % WORKERS]);
    usleep((useconds_t)(round * 1237 % 10000));
    kill_one(workers[(round + 1) % WORKERS]);
}

/* Some rounds on one vault; returns the number of changes that were answered. */
static int run_rounds(int first, int end)
{
    struct tree *t = tree_new_in("/tmp");
    struct progress *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    for (int round = first; round < end; round++) {
        kill_workers(t, shared, round);
        check(t, shared);
    }
    int answered = all_answered(shared);
    munmap(shared, sizeof(*shared));
    tree_teardown((void **)&t);
    return answered;
}

static void test_SEC_100_killed_at_any_time(void **state)
{
    int answered = 0;
    int end = first_round + rounds;
    for (int round = first_round; round < end; round += ROUNDS_PER_VAULT)
        answered += run_rounds(
            round, round + ROUNDS_PER_VAULT < end ? round + ROUNDS_PER_VAULT : end);
    print_message("# %d rounds, %d kills, %d acknowledged changes, none lost\n", rounds,
                  rounds * WORKERS, answered);
    assert_true(answered > 0);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = (int)strtol(argv[1], NULL, 10);
    if (argc > 2)
        first_round = (int)strtol(argv[2], NULL, 10);
    log_setup(LOG_ERROR + 1, LOG_TEXT);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_SEC_100_killed_at_any_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
