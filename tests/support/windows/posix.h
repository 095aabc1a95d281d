/*
 * posix - what tests use of POSIX, on Windows, by way of base/os: descriptors are those of
 * file.h. <unistd.h> and its kin in this folder include it. What Windows lacks fails with
 * ENOSYS, so that the test which needs it fails, and no other.
 */
#pragma once

#include <errno.h>
#include <io.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

/* --- files --- */

#undef tell
#define tell posix_tell /* a name of tests */

#undef O_RDONLY
#undef O_WRONLY
#undef O_RDWR
#undef O_APPEND
#undef O_CREAT
#undef O_TRUNC
#undef O_EXCL
enum {
    O_RDONLY = 0,
    O_WRONLY = 1,
    O_RDWR = 2,
    O_APPEND = 8,
    O_CREAT = 0x100,
    O_TRUNC = 0x200,
    O_EXCL = 0x400,
    O_DIRECTORY = 0x10000,
    O_NOFOLLOW = 0x20000,
    O_PATH = 0x40000,
    O_CLOEXEC = 0,
    O_NONBLOCK = 0x80000,
    O_NOCTTY = 0,
};
enum { AT_FDCWD = -100, AT_SYMLINK_NOFOLLOW = 1, AT_REMOVEDIR = 2, AT_EACCESS = 0 };
enum { F_GETFD = 1, F_SETFD, F_GETFL, F_SETFL, FD_CLOEXEC = 1 };
enum { LOCK_SH = 1, LOCK_EX = 2, LOCK_NB = 4, LOCK_UN = 8 };
#undef STDIN_FILENO
#undef STDOUT_FILENO
#undef STDERR_FILENO
enum { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO };
#ifndef F_OK
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
#endif

/* The C library has its own, which its headers call by other names. */
ssize_t posix_read(int fd, void *out, size_t size);
ssize_t posix_write(int fd, const void *bytes, size_t size);
#undef read
#undef write
#define read(fd, out, size) posix_read(fd, out, size)
#define write(fd, bytes, size) posix_write(fd, bytes, size)

int openat(int dir, const char *path, int flags, ...);
int unlinkat(int dir, const char *path, int flags);
int mkdirat(int dir, const char *path, mode_t mode);
int mkfifo(const char *path, mode_t mode);
int mkfifoat(int dir, const char *path, mode_t mode);
int renameat(int from_dir, const char *from, int to_dir, const char *to);
int link(const char *name, const char *added);
int linkat(int dir, const char *name, int to_dir, const char *added, int flags);
int symlink(const char *target, const char *path);
int symlinkat(const char *target, int dir, const char *path);
ssize_t readlink(const char *path, char *out, size_t size);
ssize_t readlinkat(int dir, const char *path, char *out, size_t size);
int faccessat(int dir, const char *path, int mode, int flags);
int fchmod(int fd, mode_t mode);
int fchmodat(int dir, const char *path, mode_t mode, int flags);
int chown(const char *path, unsigned user, unsigned group);
int fchown(int fd, unsigned user, unsigned group);
ssize_t pread(int fd, void *out, size_t size, int64_t at);
ssize_t pwrite(int fd, const void *bytes, size_t size, int64_t at);
int posix_truncate(const char *path, int64_t size);
int posix_ftruncate(int fd, int64_t size);
#undef truncate
#undef ftruncate
#define truncate posix_truncate
#define ftruncate posix_ftruncate
int64_t posix_lseek(int fd, int64_t at, int from);
#undef lseek
#define lseek posix_lseek
int fsync(int fd);
int dprintf(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
int flock(int fd, int how);
int fcntl(int fd, int what, ...);
int pipe(int ends[2]);
int pipe2(int ends[2], int flags);
int fchdir(int fd);
int posix_mkdir(const char *path, mode_t mode);
#define mkdir posix_mkdir
char *mkdtemp(char *name);
int posix_mkstemp(char *name);
#define mkstemp posix_mkstemp
#define mkostemp(name, flags) posix_mkstemp(name)
int posix_rename(const char *from, const char *to);
#define rename posix_rename
unsigned posix_umask(unsigned mask);
#define umask posix_umask

struct posix_stat {
    mode_t st_mode;
    unsigned st_uid, st_gid, st_nlink;
    int64_t st_size;
    int64_t st_blocks; /* of a path from the current folder */
    uint64_t st_ino, st_dev;
    struct timespec st_mtim, st_ctim;
};
#undef stat
#undef fstat
#undef lstat
#define stat posix_stat
#define fstat posix_fstat
#define lstat posix_lstat
#define fstatat posix_fstatat
#undef st_mtime
#undef st_ctime
#define st_mtime st_mtim.tv_sec
#define st_ctime st_ctim.tv_sec
int posix_stat(const char *path, struct posix_stat *out);
int posix_lstat(const char *path, struct posix_stat *out);
int posix_fstat(int fd, struct posix_stat *out);
int posix_fstatat(int dir, const char *path, struct posix_stat *out, int flags);
#undef S_IFMT
#undef S_IFDIR
#undef S_IFREG
#undef S_IFIFO
#undef S_ISDIR
#undef S_ISREG
#undef S_ISFIFO
#undef S_ISLNK
#undef S_ISSOCK
enum {
    S_IFMT = 0170000,
    S_IFSOCK = 0140000,
    S_IFLNK = 0120000,
    S_IFREG = 0100000,
    S_IFDIR = 0040000,
    S_IFIFO = 0010000,
};
#define S_ISDIR(mode) (((mode)&S_IFMT) == S_IFDIR)
#define S_ISREG(mode) (((mode)&S_IFMT) == S_IFREG)
#define S_ISFIFO(mode) (((mode)&S_IFMT) == S_IFIFO)
#define S_ISLNK(mode) (((mode)&S_IFMT) == S_IFLNK)
#define S_ISSOCK(mode) (((mode)&S_IFMT) == S_IFSOCK)
enum { UTIME_NOW = -1, UTIME_OMIT = -2 };
int utimensat(int dir, const char *path, const struct timespec times[2], int flags);
int futimens(int fd, const struct timespec times[2]);

/* --- folders --- */

struct posix_dirent {
    unsigned char d_type;
    char d_name[1024];
};
#define dirent posix_dirent
enum { DT_UNKNOWN, DT_FIFO = 1, DT_DIR = 4, DT_REG = 8, DT_LNK = 10 };
typedef struct posix_dir DIR;
DIR *opendir(const char *path);
DIR *fdopendir(int fd);
struct posix_dirent *readdir(DIR *dir);
int closedir(DIR *dir);
int dirfd(DIR *dir);
int scandirat(int dir, const char *path, struct posix_dirent ***out,
              int (*filter)(const struct posix_dirent *),
              int (*order)(const struct posix_dirent **, const struct posix_dirent **));

/* --- processes --- */

int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);
int clearenv(void);
unsigned geteuid(void);
unsigned getuid(void);
unsigned getgid(void);
pid_t getppid(void);
pid_t fork(void);
pid_t waitpid(pid_t pid, int *status, int flags);
int kill(pid_t pid, int number);
int usleep(unsigned us);
unsigned sleep(unsigned seconds);
FILE *posix_popen(const char *command, const char *mode);
#undef popen
#define popen posix_popen
#define WIFEXITED(status) (((status)&0x7F) == 0)
#define WEXITSTATUS(status) ((status) >> 8)
#define WIFSIGNALED(status) (((status)&0x7F) != 0)
#define WTERMSIG(status) ((status)&0x7F)
enum { WNOHANG = 1 };

/* --- time, text --- */

struct tm *posix_localtime_r(const time_t *t, struct tm *out);
struct tm *posix_gmtime_r(const time_t *t, struct tm *out);
time_t posix_timegm(struct tm *t);
#define localtime_r posix_localtime_r
#define gmtime_r posix_gmtime_r
#define timegm posix_timegm
void *memmem(const void *p, size_t n, const void *what, size_t m);
char *posix_realpath(const char *path, char *out);
#define realpath posix_realpath
ssize_t getline(char **line, size_t *size, FILE *from);
int rand_r(unsigned *seed);
