/* Each attempt is made in a separate child, since confinement is for good. */
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "check.h"

static char folder[64], notes[96], secret[96];

static bool opens(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static int code_as(const char *script, bool hostile, size_t memory)
{
    struct arena a = {0};
    struct process_result r;
    struct err err;
    const char *argv[] = {"sh", "-c", script, NULL},
               *env[] = {"PATH=/usr/bin:/bin", NULL};
    struct process p = {.argv = argv,
                        .env = env,
                        .folder = hostile ? "/usr" : notes,
                        .out_max = 1 << 20,
                        .ms = 60000,
                        .hostile = hostile,
                        .memory = memory};
    int code = process_run(&a, &p, &r, &err) ? r.code : 255;
    arena_release(&a);
    return code;
}

static int code_of(const char *script)
{
    return code_as(script, false, 0);
}

static bool reader_runs(void)
{
    return code_as("exit 7", true, 0) == 7;
}
static bool reader_reads_notes(void)
{
    char script[200];
    snprintf(script, sizeof(script), "cat %s/note.md", notes);
    return code_as(script, true, 0) == 0;
}
static bool reader_signals_us(void)
{
    return code_as("kill -0 $PPID", true, 0) == 0;
}
/* bash opens a socket for a path of this form; a refusal by the peer is an answer. */
static bool reader_connects(void)
{
    return code_as("bash -c 'echo > /dev/tcp/127.0.0.1/9' 2>&1 | grep -q refused", true,
                   0) == 0;
}
static bool reader_needs_little(void)
{
    return code_as("x=$(yes | head -c 10000); test ${#x} -gt 0", true, 100 << 20) == 0;
}
static bool reader_needs_much(void)
{
    return code_as("x=$(yes | head -c 300000000); test ${#x} -gt 0", true, 100 << 20) ==
           0;
}

static bool program_reads_notes(void)
{
    return code_of("cat ./note.md") == 0;
}
static bool program_reads_secret(void)
{
    return code_of("cat ../secret") == 0;
}
static bool program_writes_notes(void)
{
    return code_of("echo x >> ./note.md") == 0;
}
static bool program_runs_another(void)
{
    return code_of("sh -c true") == 0;
}
static bool we_read_secret(void)
{
    return opens(secret);
}
static bool we_run(void)
{
    char *argv[] = {(char[]){"true"}, NULL};
    execv("/bin/true", argv);
    return false;
}

static void *run_in_thread(void *arg)
{
    return we_run() ? arg : NULL;
}
static bool our_threads_run(void)
{
    pthread_t thread;
    void *result = NULL;
    return pthread_create(&thread, NULL, run_in_thread, notes) == 0 &&
           pthread_join(thread, &result) == 0 && result != NULL;
}

static bool we_kill_programs(void)
{
    atomic_bool stop = true;
    struct arena a = {0};
    struct process_result r;
    struct err err;
    const char *argv[] = {"sleep", "1000", NULL}, *env[] = {"PATH=/usr/bin:/bin", NULL};
    struct process p = {.argv = argv,
                        .env = env,
                        .folder = "/usr",
                        .out_max = 1,
                        .ms = 600000,
                        .stop = &stop};
    bool ran = process_run(&a, &p, &r, &err);
    arena_release(&a);
    return !ran && err.code == ERR_BUSY;
}

static void *start_many(void *arg)
{
    for (int i = 0; i < 20; i++)
        if (code_of("exit 7") != 7)
            return NULL;
    return arg;
}
static bool threads_start_programs(void)
{
    pthread_t threads[4];
    bool ok = true;
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        ok &= pthread_create(&threads[i], NULL, start_many, notes) == 0;
    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        void *result = NULL;
        ok &= pthread_join(threads[i], &result) == 0 && result != NULL;
    }
    return ok;
}

static void confine(void)
{
    const struct sandbox_rule own[] = {{folder, SANDBOX_CHANGE},
                                       {"/usr", SANDBOX_RUN},
                                       {"/bin", SANDBOX_RUN},
                                       {"/lib", SANDBOX_RUN},
                                       {"/lib64", SANDBOX_RUN},
                                       {"/etc/ld.so.cache", SANDBOX_READ},
                                       {"/dev/null", SANDBOX_READ | SANDBOX_USE},
                                       {"/proc", SANDBOX_READ}};
    struct sandbox_rule programs[COUNT_OF(own)];
    memcpy(programs, own, sizeof(own));
    programs[0] = (struct sandbox_rule){notes, SANDBOX_READ};
    (void)sandbox_enter(
        &(struct sandbox){.rules = own, .n_rules = COUNT_OF(own), .programs = true});
    struct sandbox tool = {.rules = programs, .n_rules = COUNT_OF(programs)};
    struct sandbox reader = {
        .rules = own + 1, .n_rules = COUNT_OF(own) - 1, .isolated = true};
    spawn_confine(SPAWN_TOOL, &tool);
    spawn_confine(SPAWN_READER, &reader);
    spawn_confine(SPAWN_READER, &tool); /* there is one: nothing happens */
    spawn_only_confined();
}

static bool works(bool (*attempt)(void), bool confined)
{
    pid_t pid = fork();
    if (pid == 0) {
        if (confined)
            confine();
        _exit(attempt() ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 0;
}

static void test_confined(void **state)
{
    static const struct {
        const char *name;
        bool (*attempt)(void);
        bool works;
        enum { ANYTHING, CALLS, FILES } needs; /* to prevent it */
    } rows[] = {
        {"a program reads what it may", program_reads_notes, true, ANYTHING},
        {"and starts others", program_runs_another, true, ANYTHING},
        {"it does not read what we may read", program_reads_secret, false, FILES},
        {"nor write what we may write", program_writes_notes, false, FILES},
        {"we do", we_read_secret, true, ANYTHING},
        {"no other thread runs a program", we_run, false, CALLS},
        {"nor do threads started later", our_threads_run, false, CALLS},
        {"programs can be ended", we_kill_programs, true, ANYTHING},
        {"several threads start programs", threads_start_programs, true, ANYTHING},
        {"a reader runs", reader_runs, true, ANYTHING},
        {"it does not read what a tool may read", reader_reads_notes, false, FILES},
        {"it has no sockets", reader_connects, false, CALLS},
        {"it does not signal us", reader_signals_us, false, CALLS},
        {"it has the memory that it was given", reader_needs_little, true, ANYTHING},
        {"and no more", reader_needs_much, false, ANYTHING},
    };
    struct sandbox_state kernel = sandbox_probe();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool possible = rows[i].needs == FILES   ? kernel.files
                        : rows[i].needs == CALLS ? kernel.calls
                                                 : true;
        if (!possible)
            print_message("# skipped, the kernel lacks what it needs: %s\n",
                          rows[i].name);
        else
            CHECK_INT(rows[i].name, works(rows[i].attempt, true), rows[i].works);
    }
}

static void test_not_confined(void **state)
{
    CHECK_INT("reads", works(program_reads_secret, false), true);
    CHECK_INT("writes", works(program_writes_notes, false), true);
    CHECK_INT("runs", works(we_run, false), true);
}

static int setup(void **state)
{
    char note[128];
    snprintf(folder, sizeof(folder), "/tmp/vaultd-test-spawn-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(notes, sizeof(notes), "%s/notes", folder);
    snprintf(secret, sizeof(secret), "%s/secret", folder);
    snprintf(note, sizeof(note), "%s/note.md", notes);
    const char *const files[] = {secret, note};
    assert_int_equal(mkdir(notes, 0700), 0);
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        int fd = open(files[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        close(fd);
    }
    return 0;
}

static int teardown(void **state)
{
    char note[128];
    snprintf(note, sizeof(note), "%s/note.md", notes);
    unlink(note);
    unlink(secret);
    rmdir(notes);
    return rmdir(folder);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_confined),
        cmocka_unit_test(test_not_confined),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
