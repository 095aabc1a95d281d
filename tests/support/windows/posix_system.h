/*
 * posix_system - what is of a kernel of Linux or another POSIX system alone, so that tests of
 * it compile on Windows, where they fail or are skipped.
 */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>

typedef unsigned uid_t;
typedef unsigned gid_t;

static inline int posix_none(void)
{
    errno = ENOSYS;
    return -1;
}

/* signals */
typedef unsigned posix_sigset;
#define sigset_t posix_sigset
struct sigaction {
    void (*sa_handler)(int);
    int sa_flags;
    sigset_t sa_mask;
};
#undef SIG_BLOCK
#undef SIG_UNBLOCK
#undef SIG_SETMASK
enum { SA_RESTART = 1, SA_RESETHAND = 2, SIG_BLOCK = 0, SIG_UNBLOCK, SIG_SETMASK };
enum {
    SIGHUP = 1,
    SIGQUIT = 3,
    SIGKILL = 9,
    SIGUSR1 = 10,
    SIGUSR2 = 12,
    SIGPIPE = 13,
    SIGALRM = 14
};
enum {
    SIGCHLD = 17,
    SIGCONT = 18,
    SIGSTOP = 19,
    SIGXCPU = 24,
    SIGXFSZ = 25,
    SIGIO = 29,
    SIGSYS = 31
};
#define sigemptyset(set) (*(set) = 0)
#define sigfillset(set) (*(set) = ~0u)
#define sigaddset(set, number) (*(set) |= 1u << (number))
#define sigismember(set, number) (int)(*(set) >> (number)&1)
#define sigaction(...) posix_none()
#undef pthread_sigmask
#define pthread_sigmask(how, set, old) 0
#define sigprocmask(how, set, old) 0
#define sigpending(set) (*(set) = 0, 0)
#define alarm(seconds) 0
#define ualarm(us, more) 0
#define pause() posix_none()

/* limits */
typedef uint64_t rlim_t;
struct rlimit {
    rlim_t rlim_cur, rlim_max;
};
struct rusage {
    struct timespec ru_utime, ru_stime;
    long ru_maxrss;
};
enum {
    RLIMIT_NOFILE,
    RLIMIT_AS,
    RLIMIT_CPU,
    RLIMIT_FSIZE,
    RLIMIT_NPROC,
    RUSAGE_SELF = 0
};
#define RLIM_INFINITY UINT64_MAX
#define getrlimit(what, out) posix_none()
#define setrlimit(...) posix_none()
#define getrusage(who, out) posix_none()

/* files */
enum {
    MS_RDONLY = 1,
    MS_BIND = 2,
    MS_REMOUNT = 4,
    MS_REC = 8,
    MS_PRIVATE = 16,
    MNT_DETACH = 2
};
#define mount(a, b, c, d, e) posix_none()
#define umount2(a, b) posix_none()
#define umount(a) posix_none()
#define setfsuid(user) posix_none()
#define setfsgid(group) posix_none()
#define setgroups(n, list) posix_none()
#define seteuid(user) posix_none()
#define setegid(group) posix_none()
#define fchownat(a, b, c, d, e) posix_none()
#define getxattr(...) posix_none()
#define setxattr(...) posix_none()
#define fgetxattr(...) posix_none()
#define fsetxattr(...) posix_none()
enum {
    PROT_READ = 1,
    PROT_WRITE = 2,
    MAP_SHARED = 1,
    MAP_PRIVATE = 2,
    MAP_ANONYMOUS = 4
};
#define MAP_FAILED ((void *)-1)
#define mmap(a, b, c, d, e, f) (posix_none(), MAP_FAILED)
#define munmap(a, b) posix_none()
#define memfd_create(name, flags) posix_none()

struct flock {
    short l_type, l_whence;
    int64_t l_start, l_len;
};
enum {
    F_RDLCK,
    F_WRLCK,
    F_UNLCK,
    F_DUPFD_CLOEXEC = 20,
    F_OFD_SETLK,
    F_SETLK,
    RENAME_EXCHANGE = 2
};
#define renameat2(a, b, c, d, e) posix_none()
#define mknod(a, b, c) posix_none()
#define mknodat(a, b, c, d) posix_none()
#define makedev(a, b) 0

/* processes */
enum {
    PR_SET_NAME,
    PR_GET_NAME,
    PR_SET_DUMPABLE,
    PR_GET_DUMPABLE,
    PR_SET_PDEATHSIG,
    PR_GET_TIMERSLACK
};
#define prctl(...) posix_none()
#define unshare(flags) posix_none()
#define syscall(...) posix_none()
#define getpriority(a, b) posix_none()
enum { CLONE_NEWNS = 1, CLONE_NEWUSER = 2, PRIO_PROCESS = 0 };
enum { _SC_PAGESIZE = 30, _SC_NPROCESSORS_ONLN = 84 };
#define sysconf(what) ((what) == _SC_PAGESIZE ? 4096L : 2L)
#define eventfd(n, flags) posix_none()
enum { EFD_CLOEXEC = 0, EFD_NONBLOCK = 0 };

/* terminals */
struct winsize {
    unsigned short ws_row, ws_col;
};
struct termios {
    unsigned c_lflag, c_oflag, c_iflag;
};
enum { ECHO = 1, ICANON = 2, ISIG = 4, OPOST = 8, TCSANOW = 0, TCSAFLUSH };
#define tcgetattr(fd, out) posix_none()
#define tcsetattr(fd, how, in) posix_none()
#define cfmakeraw(t) (void)(t)
enum { TIOCGWINSZ, TIOCSWINSZ, TIOCSCTTY, FIONREAD_POSIX };
#define ioctl(...) posix_none()
#define posix_openpt(flags) posix_none()
#define grantpt(fd) posix_none()
#define unlockpt(fd) posix_none()
#define ptsname(fd) NULL
#define setsid() posix_none()

/* libraries */
enum { RTLD_NOW = 1, RTLD_LOCAL = 2, RTLD_NEXT = 4 };
#define dlopen(name, flags) NULL
#define dlsym(library, name) NULL
#define dlclose(library) 0
