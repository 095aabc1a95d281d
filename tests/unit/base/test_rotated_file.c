#include "base/rotated_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "check.h"

enum { OLD = 3 };

struct place {
    struct arena arena;
    char top[64], file[96];
};

static int setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    snprintf(p->top, sizeof(p->top), "/tmp/vaultd-test-rotated-XXXXXX");
    assert_non_null(mkdtemp(p->top));
    snprintf(p->file, sizeof(p->file), "%s/deep/calls", p->top);
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    struct place *p = *state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", p->top);
    assert_int_equal(system(command), 0);
    arena_release(&p->arena);
    free(p);
    return 0;
}

static struct rotated_file *open_file(struct place *p, uint64_t max)
{
    struct rotated_file *f;
    struct err err = {0};
    if (!rotated_open(&(struct rotated_config){p->file, max, OLD, false}, &f, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    return f;
}

static void put(struct rotated_file *f, const char *line)
{
    struct err err = {0};
    if (!rotated_write(f, str_c(line), &err))
        fail_msg("%s (%s)", err.msg, err.detail);
}

/* Everything there is, the oldest first, with a bar between files. */
static str all_of(struct place *p)
{
    struct sbuf out = SBUF_ON(&p->arena);
    str *files;
    size_t n = rotated_list(&p->arena, p->file, OLD, &files);
    for (size_t i = 0; i < n; i++) {
        char bytes[256];
        int fd = open(files[i].p, O_RDONLY | O_CLOEXEC);
        ssize_t got;
        if (i > 0)
            sbuf_add(&out, STR("|"));
        while ((got = read(fd, bytes, sizeof(bytes))) > 0)
            sbuf_add(&out, (str){bytes, (size_t)got});
        close(fd);
    }
    return sbuf_str(&out);
}

static void test_rotates(void **state)
{
    struct place *p = *state;
    struct rotated_file *f = open_file(p, 8);
    struct stat st;
    const char *const lines[] = {
        "one\n",  "two\n", "three\n", "4\n",
        "five\n", "six\n", "seven\n", "longer than a file may be\n",
        "8\n"};
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        put(f, lines[i]);
    CHECK_STR("three old ones", all_of(p),
              "six\n|seven\n|longer than a file may be\n|8\n");
    assert_int_equal(stat(p->file, &st), 0);
    CHECK_INT("private", st.st_mode & 0777, 0600);
    rotated_close(f);
}

/* What another process does to the names is noticed. */
static void test_followed(void **state)
{
    struct place *p = *state;
    struct rotated_file *f = open_file(p, 100), *g = open_file(p, 8);
    char old[112];
    snprintf(old, sizeof(old), "%s.1", p->file);
    put(f, "a one\n");
    put(g, "b two\n"); /* rotates */
    put(f, "a three\n");
    CHECK_STR("both in the new one", all_of(p), "a one\n|b two\na three\n");
    assert_int_equal(unlink(p->file), 0);
    put(f, "again\n");
    CHECK_STR("removed", all_of(p), "a one\n|again\n");
    rotated_close(f);
    rotated_close(g);
}

/* A process was killed while it wrote. */
static void test_torn_line(void **state)
{
    struct place *p = *state;
    struct rotated_file *f = open_file(p, 100);
    put(f, "whole\n");
    int fd = open(p->file, O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_int_equal(write(fd, "{\"torn", 6), 6);
    close(fd);
    put(f, "next\n");
    CHECK_STR("on its own line", all_of(p), "whole\n{\"torn\nnext\n");
    rotated_close(f);
}

static void test_full(void **state)
{
    struct place *p = *state;
    struct rotated_file *f = open_file(p, 1000);
    struct rlimit limit, small;
    struct err err = {0};
    put(f, "fits\n");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 5;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    CHECK("full", !rotated_write(f, STR("too much\n"), &err));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    put(f, "room\n");
    CHECK_STR("goes on", all_of(p), "fits\nroom\n");
    rotated_close(f);
}

static void test_refused(void **state)
{
    struct place *p = *state;
    struct rotated_file *f;
    struct err err = {0};
    char folder[64 + 8];
    snprintf(folder, sizeof(folder), "%s/folder", p->top);
    assert_int_equal(mkdir(folder, 0700), 0);
    CHECK("a folder",
          !rotated_open(&(struct rotated_config){folder, 8, OLD, false}, &f, &err));
}

/* Processes that rotate at the same time lose no line that fits into the files. */
static void test_race(void **state)
{
    enum { PROCESSES = 4, LINES = 200, LINE = 8, MAX = PROCESSES * LINES * LINE / 3 };
    struct place *p = *state;
    pid_t pids[PROCESSES];
    for (int i = 0; i < PROCESSES; i++)
        if ((pids[i] = fork()) == 0) {
            struct rotated_file *f = open_file(p, MAX);
            for (int n = 0; n < LINES; n++) {
                char line[LINE + 1];
                snprintf(line, sizeof(line), "%d:%05d\n", i, n);
                put(f, line);
            }
            _exit(0);
        }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        CHECK_INT("a process", status, 0);
    }
    str all = all_of(p), line;
    size_t n = 0;
    while (str_next(&all, '\n', &line)) {
        CHECK("a whole line", line.n == LINE - 1 || line.p[0] == '|' || line.n == 0);
        n += line.n >= LINE - 1;
    }
    CHECK_INT("all lines", n, PROCESSES * LINES);
}

#define ROTATED_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ROTATED_TEST(test_rotates),   ROTATED_TEST(test_followed),
        ROTATED_TEST(test_torn_line), ROTATED_TEST(test_full),
        ROTATED_TEST(test_refused),   ROTATED_TEST(test_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
