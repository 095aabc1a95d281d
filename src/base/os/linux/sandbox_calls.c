/*
 * The system call filter: a list of allowed calls. The kernel remembers for each number
 * that a filter always allows it, so the length of the list costs nothing.
 */
#include "base/os/linux/sandbox_calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/os/sandbox.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifndef ARCHITECTURE

bool sandbox_filter_calls(bool programs)
{
    (void)programs;
    return false;
}

bool sandbox_refuse_programs(void)
{
    return false;
}

bool sandbox_only_compute(void)
{
    return false;
}

bool sandbox_isolate(void)
{
    return false;
}

#else

/* What the server, git, ssh and a shell use. Everything else is refused: EPERM, or ENOSYS
 * for calls newer than this list, so that a newer libc falls back to older ones. */
static const int content_calls[] = {SYS_read,
                                    SYS_write,
                                    SYS_readv,
                                    SYS_writev,
                                    SYS_pread64,
                                    SYS_pwrite64,
                                    SYS_preadv,
                                    SYS_pwritev,
                                    SYS_preadv2,
                                    SYS_pwritev2,
                                    SYS_lseek,
                                    SYS_close,
                                    SYS_close_range,
                                    SYS_dup,
                                    SYS_dup3,
                                    SYS_fcntl,
                                    SYS_flock,
                                    SYS_truncate,
                                    SYS_ftruncate,
                                    SYS_fallocate,
                                    SYS_fadvise64,
                                    SYS_readahead,
                                    SYS_copy_file_range,
                                    SYS_sendfile,
                                    SYS_splice,
                                    SYS_tee,
                                    SYS_fsync,
                                    SYS_fdatasync,
                                    SYS_sync,
                                    SYS_syncfs,
                                    SYS_sync_file_range,
                                    SYS_memfd_create};

static const int path_calls[] = {SYS_openat,
                                 SYS_openat2,
                                 SYS_statx,
                                 SYS_fstat,
                                 SYS_newfstatat,
                                 SYS_statfs,
                                 SYS_fstatfs,
                                 SYS_faccessat,
                                 SYS_faccessat2,
                                 SYS_getdents64,
                                 SYS_readlinkat,
                                 SYS_mkdirat,
                                 SYS_linkat,
                                 SYS_symlinkat,
                                 SYS_unlinkat,
                                 SYS_renameat,
                                 SYS_renameat2,
                                 SYS_chdir,
                                 SYS_fchdir,
                                 SYS_getcwd,
                                 SYS_umask,
                                 SYS_inotify_init1,
                                 SYS_inotify_add_watch,
                                 SYS_inotify_rm_watch};

static const int attribute_calls[] = {
    SYS_fchmod,       SYS_fchmodat,    SYS_fchown,     SYS_fchownat,   SYS_utimensat,
    SYS_getxattr,     SYS_lgetxattr,   SYS_fgetxattr,  SYS_setxattr,   SYS_lsetxattr,
    SYS_fsetxattr,    SYS_listxattr,   SYS_llistxattr, SYS_flistxattr, SYS_removexattr,
    SYS_lremovexattr, SYS_fremovexattr};

/* Waiting, pipes and the network. */
static const int network_calls[] = {
    SYS_epoll_create1,   SYS_epoll_ctl,      SYS_epoll_pwait,
    SYS_epoll_pwait2,    SYS_ppoll,          SYS_pselect6,
    SYS_eventfd2,        SYS_timerfd_create, SYS_timerfd_settime,
    SYS_timerfd_gettime, SYS_signalfd4,      SYS_pipe2,
    SYS_socketpair,      SYS_bind,           SYS_listen,
    SYS_accept,          SYS_accept4,        SYS_connect,
    SYS_shutdown,        SYS_getsockname,    SYS_getpeername,
    SYS_getsockopt,      SYS_setsockopt,     SYS_sendto,
    SYS_recvfrom,        SYS_sendmsg,        SYS_recvmsg,
    SYS_sendmmsg,        SYS_recvmmsg};

static const int memory_calls[] = {
    SYS_brk,     SYS_mmap,  SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise,
    SYS_mincore, SYS_msync, SYS_mlock,  SYS_mlock2, SYS_munlock,  SYS_membarrier};

static const int thread_calls[] = {SYS_futex,
                                   SYS_futex_waitv,
                                   SYS_set_robust_list,
                                   SYS_get_robust_list,
                                   SYS_rseq,
                                   SYS_set_tid_address,
                                   SYS_gettid,
                                   SYS_exit,
                                   SYS_exit_group,
                                   SYS_restart_syscall,
                                   SYS_sched_yield,
                                   SYS_sched_getaffinity,
                                   SYS_sched_setaffinity,
                                   SYS_sched_getparam,
                                   SYS_sched_getscheduler,
                                   SYS_sched_setscheduler,
                                   SYS_sched_get_priority_max,
                                   SYS_sched_get_priority_min,
                                   SYS_getcpu,
                                   SYS_getpriority,
                                   SYS_setpriority,
                                   SYS_ioprio_get,
                                   SYS_ioprio_set};

static const int signal_calls[] = {
    SYS_rt_sigaction,    SYS_rt_sigprocmask, SYS_rt_sigpending, SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait, SYS_rt_sigreturn,   SYS_sigaltstack,   SYS_kill,
    SYS_tkill,           SYS_tgkill};

static const int process_calls[] = {
    SYS_wait4,     SYS_waitid,    SYS_pidfd_open, SYS_pidfd_send_signal,
    SYS_getpid,    SYS_getppid,   SYS_getpgid,    SYS_setpgid,
    SYS_getsid,    SYS_setsid,    SYS_getuid,     SYS_geteuid,
    SYS_getgid,    SYS_getegid,   SYS_getresuid,  SYS_getresgid,
    SYS_getgroups, SYS_capget,    SYS_prctl,      SYS_prlimit64,
    SYS_getrlimit, SYS_setrlimit, SYS_getrusage,  SYS_times,
    SYS_uname,     SYS_sysinfo,   SYS_getrandom};

static const int time_calls[] = {
    SYS_clock_gettime, SYS_clock_getres,  SYS_clock_nanosleep,  SYS_nanosleep,
    SYS_gettimeofday,  SYS_getitimer,     SYS_setitimer,        SYS_timer_create,
    SYS_timer_settime, SYS_timer_gettime, SYS_timer_getoverrun, SYS_timer_delete};

/* Giving up more. */
static const int confinement_calls[] = {SYS_landlock_create_ruleset,
                                        SYS_landlock_add_rule, SYS_landlock_restrict_self,
                                        SYS_seccomp};

/* Old spellings. */
#ifdef __x86_64__
static const int old_calls[] = {
    SYS_open,     SYS_creat,    SYS_stat,         SYS_lstat,        SYS_access,
    SYS_readlink, SYS_getdents, SYS_mkdir,        SYS_rmdir,        SYS_link,
    SYS_symlink,  SYS_unlink,   SYS_rename,       SYS_chmod,        SYS_chown,
    SYS_lchown,   SYS_utime,    SYS_utimes,       SYS_futimesat,    SYS_dup2,
    SYS_pipe,     SYS_poll,     SYS_select,       SYS_epoll_create, SYS_epoll_wait,
    SYS_eventfd,  SYS_signalfd, SYS_inotify_init, SYS_fork,         SYS_vfork,
    SYS_getpgrp,  SYS_alarm,    SYS_pause,        SYS_time,         SYS_arch_prctl};
#else
static const int old_calls[] = {};
#endif

/* LeakSanitizer stops the threads with it at exit. */
#if VAULTD_SANITIZED
static const int sanitizer_calls[] = {SYS_ptrace};
#else
static const int sanitizer_calls[] = {};
#endif

static const struct {
    const int *calls;
    size_t n;
} groups[] = {
#define GROUP(calls)                                                                     \
    {                                                                                    \
        calls, COUNT_OF(calls)                                                           \
    }
    GROUP(content_calls), GROUP(path_calls),        GROUP(attribute_calls),
    GROUP(signal_calls),  GROUP(network_calls),     GROUP(memory_calls),
    GROUP(thread_calls),  GROUP(process_calls),     GROUP(time_calls),
    GROUP(old_calls),     GROUP(confinement_calls), GROUP(sanitizer_calls),
#undef GROUP
};

static const int programs_only[] = {SYS_execve, SYS_execveat};

static const unsigned families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK /* for DNS */};

/* These insert input into the terminal. */
static const unsigned terminal[] = {TIOCSTI, TIOCLINUX};

enum {
    NEWEST = SYS_set_mempolicy_home_node, /* when the list was made (Linux 6.1) */
    CODE_MAX = 512,
};

static const unsigned NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                   CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                   CLONE_NEWNET;

struct code {
    struct sock_filter at[CODE_MAX];
    unsigned short n;
};

static void sandbox_calls_add(struct code *c, unsigned what, unsigned k, unsigned yes,
                              unsigned no)
{
    if (c->n == CODE_MAX)
        BUG("the filter has no room left");
    c->at[c->n++] = (struct sock_filter){(unsigned short)what, (unsigned char)yes,
                                         (unsigned char)no, k};
}

static void load(struct code *c, size_t offset)
{
    sandbox_calls_add(c, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void sandbox_calls_give(struct code *c, unsigned result)
{
    sandbox_calls_add(c, BPF_RET | BPF_K, result, 0, 0);
}

/* Return the result if the loaded value compares with k like this, otherwise continue. */
static void give_if(struct code *c, unsigned compare, unsigned k, unsigned result)
{
    sandbox_calls_add(c, BPF_JMP | compare | BPF_K, k, 0, 1);
    sandbox_calls_give(c, result);
}

static unsigned sandbox_calls_refuse(int error)
{
    return SECCOMP_RET_ERRNO | (unsigned)error;
}

/* The lower half: both architectures are little-endian. */
static size_t argument(int i)
{
    return offsetof(struct seccomp_data, args) + (size_t)i * sizeof(uint64_t);
}

/* The instructions up to *skip = land(c) apply to this call only. */
static unsigned short only_for(struct code *c, unsigned call)
{
    sandbox_calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 0);
    return (unsigned short)(c->n - 1);
}

static void land(struct code *c, unsigned short jump)
{
    c->at[jump].jf = (unsigned char)(c->n - jump - 1);
}

static void judge_clone(struct code *c)
{
    unsigned short jump = only_for(c, SYS_clone);
    load(c, argument(0));
    give_if(c, BPF_JSET, NAMESPACES, sandbox_calls_refuse(EPERM));
    sandbox_calls_give(c, SECCOMP_RET_ALLOW);
    land(c, jump);
    give_if(c, BPF_JEQ, SYS_clone3,
            sandbox_calls_refuse(ENOSYS)); /* the filter cannot see its flags */
}

static void judge_socket(struct code *c)
{
    unsigned short jump = only_for(c, SYS_socket);
    load(c, argument(0));
    for (size_t i = 0; i < COUNT_OF(families); i++)
        give_if(c, BPF_JEQ, families[i], SECCOMP_RET_ALLOW);
    sandbox_calls_give(c, sandbox_calls_refuse(EAFNOSUPPORT));
    land(c, jump);
}

static void judge_ioctl(struct code *c)
{
    unsigned short jump = only_for(c, SYS_ioctl);
    load(c, argument(1));
    for (size_t i = 0; i < COUNT_OF(terminal); i++)
        give_if(c, BPF_JEQ, terminal[i], sandbox_calls_refuse(EPERM));
    sandbox_calls_give(c, SECCOMP_RET_ALLOW);
    land(c, jump);
}

/* Return what the table says for each number: one comparison per run of equal ones. */
static void judge_rest(struct code *c, const bool allowed[NEWEST + 1])
{
    for (unsigned n = 0; n <= NEWEST; n++) {
        if (n < NEWEST && allowed[n + 1] == allowed[n])
            continue;
        sandbox_calls_add(c, BPF_JMP | BPF_JGT | BPF_K, n, 1, 0);
        sandbox_calls_give(c,
                           allowed[n] ? SECCOMP_RET_ALLOW : sandbox_calls_refuse(EPERM));
    }
    sandbox_calls_give(c, sandbox_calls_refuse(ENOSYS)); /* including those of x32 */
}

static void load_call(struct code *c)
{
    load(c, offsetof(struct seccomp_data, arch));
    sandbox_calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    sandbox_calls_give(c, SECCOMP_RET_KILL_PROCESS);
    load(c, offsetof(struct seccomp_data, nr));
}

static bool install(const struct code *c, unsigned flags)
{
    struct sock_fprog filter = {.len = c->n, .filter = (struct sock_filter *)c->at};
    /* Without SPEC_ALLOW older kernels slow down the whole process. */
    flags |= SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter) == 0;
}

bool sandbox_filter_calls(bool programs)
{
    struct code code = {.n = 0};
    bool allowed[NEWEST + 1] = {0};
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        for (size_t j = 0; j < groups[i].n; j++)
            allowed[groups[i].calls[j]] = true;
    for (size_t i = 0; i < COUNT_OF(programs_only); i++)
        allowed[programs_only[i]] = programs;
    load_call(&code);
    judge_clone(&code);
    judge_socket(&code);
    judge_ioctl(&code);
    judge_rest(&code, allowed);
    return install(&code, SECCOMP_FILTER_FLAG_TSYNC);
}

bool sandbox_refuse_programs(void)
{
    struct code code = {.n = 0};
    load_call(&code);
    for (size_t i = 0; i < COUNT_OF(programs_only); i++)
        give_if(&code, BPF_JEQ, (unsigned)programs_only[i], sandbox_calls_refuse(EPERM));
    sandbox_calls_give(&code, SECCOMP_RET_ALLOW);
    return install(&code, 0);
}

/* What reaches other processes: by the network, by signals, by their limits and
 * priorities. A program that converts a file needs none of it. */
static const int reaching_calls[] = {
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_kill,
    SYS_tkill,
    SYS_tgkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_pidfd_open,
    SYS_pidfd_send_signal,
    SYS_pidfd_getfd,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_setpriority,
    SYS_ioprio_set,
    SYS_sched_setaffinity,
    SYS_sched_setparam,
    SYS_sched_setscheduler,
    SYS_sched_setattr,
};

/* Its own limits can still be read, as every program does at its start. */
static void judge_limits(struct code *c)
{
    unsigned short jump = only_for(c, SYS_prlimit64);
    load(c, argument(0));
    give_if(c, BPF_JEQ, 0, SECCOMP_RET_ALLOW);
    sandbox_calls_give(c, sandbox_calls_refuse(EPERM));
    land(c, jump);
}

bool sandbox_isolate(void)
{
    struct code code = {.n = 0};
    load_call(&code);
    judge_limits(&code);
    for (size_t i = 0; i < COUNT_OF(reaching_calls); i++)
        give_if(&code, BPF_JEQ, (unsigned)reaching_calls[i], sandbox_calls_refuse(EPERM));
    sandbox_calls_give(&code, SECCOMP_RET_ALLOW);
    return install(&code, 0);
}

/* Of a C library that allocates; sanitizers also use the last one, at the end. */
static const int compute_calls[] = {
    SYS_read,           SYS_write,         SYS_brk,        SYS_mmap,
    SYS_munmap,         SYS_mremap,        SYS_madvise,    SYS_mprotect,
    SYS_futex,          SYS_exit,          SYS_exit_group, SYS_rt_sigreturn,
    SYS_rt_sigprocmask, SYS_clock_gettime, SYS_getrandom,  SYS_sched_yield,
#if VAULTD_SANITIZED
    SYS_sigaltstack
#endif
};

bool sandbox_only_compute(void)
{
    struct code code = {.n = 0};
    load_call(&code);
    for (size_t i = 0; i < COUNT_OF(compute_calls); i++)
        give_if(&code, BPF_JEQ, (unsigned)compute_calls[i], SECCOMP_RET_ALLOW);
    sandbox_calls_give(&code, SECCOMP_RET_KILL_PROCESS);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && install(&code, 0);
}

#endif
