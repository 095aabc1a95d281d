/*
 * A process that tries to escape. Each attempt is made in a separate child, which enters
 * a sandbox around a folder first.
 */
#include "base/os/sandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static char inside[64], outside[64], link_out[96], victim[96];

/* true: it worked; otherwise errno is set. */
typedef bool attempt_fn(void);

static bool opens(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool in(const char *name, int flags)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", inside, name);
    return opens(path, flags);
}

/* --- what must not work --- */

static bool reads_shadow(void)
{
    return opens("/etc/shadow", O_RDONLY);
}
static bool reads_outside(void)
{
    return opens(victim, O_RDONLY);
}
static bool writes_outside(void)
{
    return opens(victim, O_WRONLY);
}
static bool makes_outside(void)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/new", outside);
    return opens(path, O_WRONLY | O_CREAT);
}
static bool lists_outside(void)
{
    return opens(outside, O_RDONLY | O_DIRECTORY);
}
static bool follows_link(void)
{
    return opens(link_out, O_RDONLY);
}
static bool climbs(void)
{
    return in("../../etc/passwd", O_RDONLY);
}
static bool truncates_outside(void)
{
    return truncate(victim, 0) == 0;
}
static bool removes_outside(void)
{
    return unlink(victim) == 0;
}
static bool moves_out(void)
{
    char from[128], to[128];
    snprintf(from, sizeof(from), "%s/note.md", inside);
    snprintf(to, sizeof(to), "%s/note.md", outside);
    return rename(from, to) == 0;
}
static bool links_in(void)
{
    char to[128];
    snprintf(to, sizeof(to), "%s/hard", inside);
    return link(victim, to) == 0;
}
static bool opens_terminal(void)
{
    return opens("/dev/ptmx", O_RDWR);
}
static bool makes_device(void)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/disk", inside);
    return mknod(path, S_IFBLK | 0600, makedev(8, 0)) == 0;
}
static bool runs(void)
{
    char *argv[] = {(char[]){"true"}, NULL};
    execv("/bin/true", argv);
    return false;
}
static bool spawns(void)
{
    char *argv[] = {(char[]){"true"}, NULL};
    pid_t pid;
    errno = posix_spawn(&pid, "/bin/true", NULL, NULL, argv, argv + 1);
    return errno == 0;
}
static bool traces(void)
{
    return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) == 0;
}
static bool reads_memory(void)
{
    char byte;
    struct iovec local = {&byte, 1}, remote = {&byte, 1};
    return process_vm_readv(getppid(), &local, 1, &remote, 1, 0) > 0;
}
static bool reads_environment(void)
{
    char path[64], byte;
    snprintf(path, sizeof(path), "/proc/%d/environ", (int)getppid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 && read(fd, &byte, 1) == 1;
}
static bool signals_parent(void)
{
    return kill(getppid(), SIGCONT) == 0;
}
static bool mounts(void)
{
    return mount("none", inside, "tmpfs", 0, NULL) == 0;
}
static bool makes_user_namespace(void)
{
    return unshare(CLONE_NEWUSER) == 0;
}
static bool clones_user_namespace(void)
{
    long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0)
        _exit(0);
    return pid > 0;
}
static bool changes_root(void)
{
    return chroot(inside) == 0;
}
static bool loads_bpf(void)
{
    return syscall(SYS_bpf, 0, NULL, 0) >= 0;
}
static bool makes_ring(void)
{
    char parameters[256] = {0};
    return syscall(SYS_io_uring_setup, 4, parameters) >= 0;
}
static bool asks_keys(void)
{
    return syscall(SYS_keyctl, 0, -3, 0) >= 0;
}
static bool opens_by_handle(void)
{
    struct {
        struct file_handle h;
        unsigned char bytes[128];
    } f = {.h.handle_bytes = 128};
    int mount_id;
    return name_to_handle_at(AT_FDCWD, victim, &f.h, &mount_id, 0) == 0;
}
static bool watches_faults(void)
{
    return syscall(SYS_userfaultfd, 1) >= 0;
}
static bool types(void)
{
    return ioctl(STDIN_FILENO, TIOCSTI, "x") == 0;
}
static bool opens_raw_socket(void)
{
    return socket(AF_PACKET, SOCK_RAW, 0) >= 0;
}
/* Calls that vaultd has no use for, one of each kind that it could be used for. */
static bool calls_something_else(void)
{
    static const int others[] = {SYS_swapon,
                                 SYS_init_module,
                                 SYS_settimeofday,
                                 SYS_reboot,
                                 SYS_acct,
                                 SYS_quotactl,
                                 SYS_setns,
                                 SYS_shmget,
                                 SYS_msgget,
                                 SYS_semget,
                                 SYS_mq_open,
                                 SYS_io_setup,
                                 SYS_mbind,
                                 SYS_setuid,
                                 SYS_setgroups,
                                 SYS_capset,
                                 SYS_mknodat,
                                 SYS_personality,
                                 SYS_vmsplice,
                                 SYS_pkey_alloc,
                                 SYS_migrate_pages,
                                 SYS_remap_file_pages,
                                 SYS_fanotify_init,
                                 SYS_kcmp,
                                 SYS_process_madvise,
                                 SYS_memfd_secret,
                                 SYS_lookup_dcookie};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        errno = 0;
        if (syscall(others[i], -1, -1, -1, -1, -1, -1) >= 0 || errno != EPERM)
            return true;
    }
    return false;
}
static bool calls_the_future(void)
{
    return syscall(SYS_set_mempolicy_home_node + 50, 0, 0, 0) >= 0;
}

static bool on_tcp(int (*act)(int, const struct sockaddr *, socklen_t), uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return fd >= 0 && act(fd, (const struct sockaddr *)&to, sizeof(to)) == 0;
}
static bool connects(void)
{
    return on_tcp(connect, 9);
}
static bool binds_another(void)
{
    return on_tcp(bind, 8091);
}

static bool in_a_thread_failed;
static void *try_in_thread(void *arg)
{
    in_a_thread_failed = !reads_outside();
    return arg;
}
static bool threads_read_outside(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, try_in_thread, NULL) != 0)
        return true;
    pthread_join(thread, NULL);
    errno = EACCES;
    return !in_a_thread_failed;
}

/* --- what must still work --- */

static bool changes_files(void)
{
    char folder[128], file[160], moved[160];
    snprintf(folder, sizeof(folder), "%s/folder", inside);
    snprintf(file, sizeof(file), "%s/a.md", folder);
    snprintf(moved, sizeof(moved), "%s/moved.md", inside);
    return mkdir(folder, 0700) == 0 && opens(file, O_WRONLY | O_CREAT) &&
           truncate(file, 10) == 0 && rename(file, moved) == 0 && unlink(moved) == 0 &&
           rmdir(folder) == 0;
}
static bool reads_inside(void)
{
    return in("note.md", O_RDWR);
}
static bool watches(void)
{
    int fd = inotify_init1(IN_CLOEXEC);
    return fd >= 0 && inotify_add_watch(fd, inside, IN_MODIFY) >= 0;
}
static bool compiles(void) /* as the engine for regular expressions does */
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}
static bool listens(void)
{
    return on_tcp(bind, 0);
}
static bool makes_socket_file(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof(at.sun_path), "%s/socket", inside);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0 &&
           unlink(at.sun_path) == 0;
}
static bool starts_threads(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, try_in_thread, NULL) == 0 &&
           pthread_join(thread, NULL) == 0;
}
static bool uses_null(void)
{
    return opens("/dev/null", O_RDWR);
}

/* --- */

enum need { FILES, PORTS, CALLS, SCOPES };

static const struct {
    const char *name;
    attempt_fn *attempt;
    enum need need; /* the part of the sandbox that prevents it */
} denied[] =
    {
#define ROW(fn, need)                                                                    \
    {                                                                                    \
#fn, fn, need                                                                    \
    }
        ROW(reads_shadow, FILES),
        ROW(reads_outside, FILES),
        ROW(writes_outside, FILES),
        ROW(makes_outside, FILES),
        ROW(lists_outside, FILES),
        ROW(follows_link, FILES),
        ROW(climbs, FILES),
        ROW(truncates_outside, FILES),
        ROW(removes_outside, FILES),
        ROW(moves_out, FILES),
        ROW(links_in, FILES),
        ROW(opens_terminal, FILES),
        ROW(makes_device, FILES),
        ROW(threads_read_outside, FILES),
        ROW(reads_environment, FILES),
        ROW(runs, CALLS),
        ROW(spawns, CALLS),
        ROW(traces,
            FILES), /* Landlock, too: sanitized builds let the call itself through */
        ROW(reads_memory, CALLS),
        ROW(mounts, CALLS),
        ROW(makes_user_namespace, CALLS),
        ROW(clones_user_namespace, CALLS),
        ROW(changes_root, CALLS),
        ROW(loads_bpf, CALLS),
        ROW(makes_ring, CALLS),
        ROW(asks_keys, CALLS),
        ROW(opens_by_handle, CALLS),
        ROW(watches_faults, CALLS),
        ROW(types, CALLS),
        ROW(opens_raw_socket, CALLS),
        ROW(calls_something_else, CALLS),
        ROW(calls_the_future, CALLS),
        ROW(connects, PORTS),
        ROW(binds_another, PORTS),
        ROW(signals_parent, SCOPES),
},
  allowed[] = {
      ROW(changes_files, FILES),  ROW(reads_inside, FILES), ROW(watches, FILES),
      ROW(compiles, CALLS),       ROW(listens, PORTS),      ROW(makes_socket_file, FILES),
      ROW(starts_threads, CALLS), ROW(uses_null, FILES),
#undef ROW
};

static bool is_there(enum need need)
{
    struct sandbox_state s = sandbox_probe();
    switch (need) {
    case FILES:
        return s.files;
    case PORTS:
        return s.ports;
    case CALLS:
        return s.calls;
    case SCOPES:
        return s.landlock >= 6;
    }
    return false;
}

/* Try it in a child within the sandbox. 0: it worked; otherwise errno. */
static int outcome(attempt_fn *attempt, const struct sandbox *request)
{
    pid_t pid = fork();
    if (pid == 0) {
        if (request != NULL)
            (void)sandbox_enter(request);
        errno = 0;
        _exit(attempt() ? 0 : errno != 0 ? errno : 255);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static const struct sandbox_rule rules[] = {{inside, SANDBOX_CHANGE},
                                            {"/usr", SANDBOX_READ},
                                            {"/proc", SANDBOX_READ},
                                            {"/dev/null", SANDBOX_READ | SANDBOX_USE},
                                            {"/nonexistent", SANDBOX_READ}};
static const uint16_t any_port[] = {0};
static const struct sandbox closed = {
    .rules = rules, .n_rules = COUNT_OF(rules), .ports = any_port, .n_ports = 1};

static void test_SEC_95_denied(void **state)
{
    static const int good[] = {EACCES, EPERM, EXDEV, ENOSYS, EAFNOSUPPORT, EROFS};
    for (size_t i = 0; i < COUNT_OF(denied); i++) {
        if (!is_there(denied[i].need)) {
            print_message("# skipped, the kernel lacks what it needs: %s\n",
                          denied[i].name);
            continue;
        }
        int got = outcome(denied[i].attempt, &closed);
        bool refused = false;
        for (size_t j = 0; j < COUNT_OF(good); j++)
            refused |= got == good[j];
        if (!refused)
            fail_msg("%s: %s", denied[i].name, got == 0 ? "worked" : strerror(got));
    }
}

static void test_allowed(void **state)
{
    for (size_t i = 0; i < COUNT_OF(allowed); i++)
        CHECK_INT(allowed[i].name, outcome(allowed[i].attempt, &closed), 0);
}

/* Most of the attempts work without it, so it is the sandbox that prevents them. */
static void test_proof(void **state)
{
    static attempt_fn *const possible[] = {reads_outside, writes_outside, makes_outside,
                                           lists_outside, follows_link,   spawns,
                                           binds_another, signals_parent};
    for (size_t i = 0; i < COUNT_OF(possible); i++)
        CHECK_INT("outside of it", outcome(possible[i], NULL), 0);
}

static void test_SEC_95_programs(void **state)
{
    struct sandbox request = closed;
    request.programs = true;
    struct sandbox_rule more[COUNT_OF(rules) + 1];
    memcpy(more, rules, sizeof(rules));
    more[COUNT_OF(rules)] = (struct sandbox_rule){"/usr", SANDBOX_RUN};
    request.rules = more;
    request.n_rules = COUNT_OF(more);
    CHECK_INT("a program", outcome(runs, &request), 0);
    CHECK_INT("a program", outcome(spawns, &request), 0);
    if (is_there(FILES))
        CHECK_INT("still", outcome(reads_outside, &request), EACCES);
    request.all_files = true;
    CHECK_INT("files", outcome(reads_outside, &request), 0);
    if (is_there(CALLS))
        CHECK_INT("but not this", outcome(mounts, &request), EPERM);
}

static int setup(void **state)
{
    snprintf(inside, sizeof(inside), "/tmp/vaultd-test-inside-XXXXXX");
    snprintf(outside, sizeof(outside), "/tmp/vaultd-test-outside-XXXXXX");
    assert_non_null(mkdtemp(inside));
    assert_non_null(mkdtemp(outside));
    snprintf(victim, sizeof(victim), "%s/victim", outside);
    snprintf(link_out, sizeof(link_out), "%s/link", inside);
    assert_true(opens(victim, O_WRONLY | O_CREAT));
    assert_true(in("note.md", O_WRONLY | O_CREAT));
    return symlink(victim, link_out);
}

/* --- only computing --- */

static bool computes(void)
{
    enum { MUCH = 8 << 20 };
    volatile char *p = malloc(MUCH);
    if (p != NULL)
        p[MUCH - 1] = 1;
    return p != NULL && write(STDOUT_FILENO, "", 0) == 0;
}
static bool asks_who(void)
{
    return getppid() > 0;
}
static bool forks(void)
{
    return fork() >= 0;
}
static bool connects_away(void)
{
    return socket(AF_INET, SOCK_STREAM, 0) >= 0;
}

/* The signal that ended a child that makes this attempt; 0: it worked. */
static int ended_by(attempt_fn *attempt)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(sandbox_only_compute() && attempt() ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_SEC_95_only_compute(void **state)
{
    if (sandbox_probe().supported && !sandbox_probe().calls)
        SKIP("no seccomp here");
    assert_int_equal(ended_by(computes), 0);
    if (!sandbox_probe()
             .supported) { /* by limits, which root's processes are not under */
        assert_int_equal(ended_by(reads_outside), 1);
        assert_int_equal(ended_by(connects_away), 1);
        return;
    }
    static attempt_fn *const attempts[] = {reads_shadow, reads_outside, asks_who, forks,
                                           connects_away};
    for (size_t i = 0; i < COUNT_OF(attempts); i++)
        assert_int_equal(ended_by(attempts[i]), SIGSYS);
}

static bool connects_elsewhere(void)
{
    return on_tcp(connect, 10);
}

/* Nothing listens on either port, but only one of them is asked. */
static void test_SEC_95_peers(void **state)
{
    static const uint16_t discard[] = {9};
    struct sandbox request = closed;
    request.peers = discard;
    request.n_peers = COUNT_OF(discard);
    CHECK_INT("the peer", outcome(connects, &request), ECONNREFUSED);
    if (!is_there(PORTS))
        SKIP("this kernel cannot confine ports");
    CHECK_INT("another port", outcome(connects_elsewhere, &request), EACCES);
    CHECK_INT("listening there", outcome(binds_another, &request), EACCES);
}

static int teardown(void **state)
{
    char path[128];
    static const char *const ours[] = {"note.md", "link"};
    for (size_t i = 0; i < COUNT_OF(ours); i++) {
        snprintf(path, sizeof(path), "%s/%s", inside, ours[i]);
        unlink(path);
    }
    snprintf(path, sizeof(path), "%s/new", outside);
    unlink(path);
    unlink(victim);
    return rmdir(inside) | rmdir(outside);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proof),        cmocka_unit_test(test_SEC_95_denied),
        cmocka_unit_test(test_allowed),      cmocka_unit_test(test_SEC_95_programs),
        cmocka_unit_test(test_SEC_95_peers), cmocka_unit_test(test_SEC_95_only_compute),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
