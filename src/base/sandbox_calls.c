/*
 * The system call filter refuses a list of calls that neither the server nor git needs,
 * and all calls newer than the list. A list of allowed calls would break with the next
 * libc.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/sandbox.h"

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

#else

/* Refused with EPERM. */
static const int never[] = {
    /* other processes */
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_pidfd_getfd,
    SYS_process_madvise,
    SYS_perf_event_open,
/* LeakSanitizer uses it to stop the threads at exit. */
#if !VAULTD_SANITIZED
    SYS_ptrace,
#endif
    /* mounts and paths */
    SYS_mount,
    SYS_umount2,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_quotactl,
    SYS_fanotify_init,
    /* the kernel */
    SYS_bpf,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_userfaultfd,
    SYS_personality,
    SYS_syslog,
    SYS_lookup_dcookie,
    /* the machine */
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_vhangup,
    /* keys */
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
/* old calls of this architecture */
#ifdef __x86_64__
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_uselib,
    SYS_ustat,
    SYS_sysfs,
    SYS__sysctl,
#endif
};

/* Also refused if no other program is run. */
static const int programs_only[] = {SYS_execve, SYS_execveat};

static const unsigned families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK /* for DNS */};

/* These insert input into the terminal. */
static const unsigned terminal[] = {TIOCSTI, TIOCLINUX};

enum {
    NEWEST = SYS_set_mempolicy_home_node, /* of the list above */
    CODE_MAX = 256,
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

static void give(struct code *c, unsigned result)
{
    sandbox_calls_add(c, BPF_RET | BPF_K, result, 0, 0);
}

/* Return the result if the loaded value compares with k like this, otherwise continue. */
static void give_if(struct code *c, unsigned compare, unsigned k, unsigned result)
{
    sandbox_calls_add(c, BPF_JMP | compare | BPF_K, k, 0, 1);
    give(c, result);
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
    give(c, SECCOMP_RET_ALLOW);
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
    give(c, sandbox_calls_refuse(EAFNOSUPPORT));
    land(c, jump);
}

static void judge_ioctl(struct code *c)
{
    unsigned short jump = only_for(c, SYS_ioctl);
    load(c, argument(1));
    for (size_t i = 0; i < COUNT_OF(terminal); i++)
        give_if(c, BPF_JEQ, terminal[i], sandbox_calls_refuse(EPERM));
    give(c, SECCOMP_RET_ALLOW);
    land(c, jump);
}

static void write_filter(struct code *c, bool programs)
{
    load(c, offsetof(struct seccomp_data, arch));
    sandbox_calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    give(c, SECCOMP_RET_KILL_PROCESS);
    load(c, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < COUNT_OF(never); i++)
        give_if(c, BPF_JEQ, (unsigned)never[i], sandbox_calls_refuse(EPERM));
    for (size_t i = 0; !programs && i < COUNT_OF(programs_only); i++)
        give_if(c, BPF_JEQ, (unsigned)programs_only[i], sandbox_calls_refuse(EPERM));
    give_if(c, BPF_JGT, NEWEST,
            sandbox_calls_refuse(ENOSYS)); /* including those of x32 */
    judge_clone(c);
    judge_socket(c);
    judge_ioctl(c);
    give(c, SECCOMP_RET_ALLOW);
}

bool sandbox_filter_calls(bool programs)
{
    struct code code = {.n = 0};
    write_filter(&code, programs);
    struct sock_fprog filter = {.len = code.n, .filter = code.at};
    /* Without SPEC_ALLOW older kernels slow down the whole process. */
    unsigned flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter) == 0;
}

#endif
