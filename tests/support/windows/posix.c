#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/os/bytes.h"
#include "base/os/file.h"
#include "base/os/folder.h"
#include "base/os/machine.h"
#include "base/os/pipe.h"
#include "base/os/rand.h"
#include "base/os/ready.h"
#include "base/os/self.h"
#include "base/os/windows/fd.h"
#include "base/os/windows/file_parts.h"
#include "base/os/windows/net_parts.h"
#include "check.h"

#undef IN
/* Below a folder, vaultd uses no path that leads out of it; tests do. */
static bool leads_out(int dir, const char *path)
{
    return dir != AT_FDCWD && (strncmp(path, "../", 3) == 0 || path[0] == '/');
}

static int posix_dir(int dir, const char *path)
{
    return dir == AT_FDCWD || leads_out(dir, path) ? FILE_CWD : dir;
}

/* What posix_dir() is for; valid until the next call but one. */
static const char *posix_path(int dir, const char *path)
{
    static _Thread_local char places[2][4096];
    static _Thread_local unsigned at;
    char folder[2048];
    if (!leads_out(dir, path) || path[0] == '/' ||
        !file_find_path(dir, folder, sizeof(folder)))
        return path;
    char *place = places[at++ % 2];
    snprintf(place, sizeof(places[0]), "%s/%s", folder, path);
    return place;
}

static int result(bool ok)
{
    return ok ? 0 : -1;
}

static int no_such_call(void)
{
    errno = ENOSYS;
    return -1;
}

/* --- opening --- */

static ULONG disposition_of(int flags)
{
    bool makes = (flags & O_CREAT) != 0;
    return makes && (flags & O_EXCL) != 0 ? FILE_CREATE
           : makes                        ? FILE_OPEN_IF
                                          : FILE_OPEN;
}

int openat(int dir, const char *path, int flags, ...)
{
    bool writes = (flags & (O_WRONLY | O_RDWR)) != 0;
    if (strcmp(path, "/dev/null") == 0)
        return file_open_null();
    if ((flags & O_DIRECTORY) != 0)
        return (flags & O_NOFOLLOW) != 0
                   ? folder_enter(posix_dir(dir, path), posix_path(dir, path))
                   : folder_open(posix_dir(dir, path), posix_path(dir, path));
    const struct nt_how how = {.access = GENERIC_READ | (writes ? GENERIC_WRITE : 0),
                               .disposition = disposition_of(flags),
                               .attributes = FILE_ATTRIBUTE_NORMAL};
    int fd = file_open_as(posix_dir(dir, path), posix_path(dir, path), &how,
                          (flags & O_NOFOLLOW) != 0 ? FILE_NO_LINK : FILE_FOLLOW);
    if (fd >= 0 && (flags & O_TRUNC) != 0)
        (void)!file_resize(fd, 0);
    if (fd >= 0)
        fd_find(fd)->append = (flags & O_APPEND) != 0;
    return fd;
}

int open(const char *path, int flags, ...)
{
    return openat(AT_FDCWD, path, flags, 0);
}

int close(int fd)
{
    bool known = fd_find(fd) != NULL;
    file_close(fd);
    return result(known);
}

int dup(int fd)
{
    HANDLE event = CreateEventW(NULL, TRUE, FALSE, NULL);
    int copy = fd_add(FD_EVENT, event);
    if (copy >= 0 && file_renumber(fd, copy))
        return copy;
    file_close(copy);
    return -1;
}

int dup2(int fd, int number)
{
    return file_renumber(fd, number) ? number : -1;
}

/* --- content --- */

ssize_t posix_read(int fd, void *out, size_t size)
{
    size_t got;
    return file_read(fd, out, size, &got) ? (ssize_t)got : -1;
}

ssize_t posix_write(int fd, const void *bytes, size_t size)
{
    size_t put;
    const struct fd *f = fd_find(fd);
    if (f == NULL)
        return -1;
    if (f->kind == FD_FILE)
        return file_write(fd, (str){bytes, size}) ? (ssize_t)size : -1;
    return pipe_write(fd, (str){bytes, size}, &put) ? (ssize_t)put : -1;
}

ssize_t pread(int fd, void *out, size_t size, int64_t at)
{
    return (ssize_t)file_read_at(fd, out, size, (uint64_t)at);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, int64_t at)
{
    return file_write_at(fd, (str){bytes, size}, (uint64_t)at) ? (ssize_t)size : -1;
}

int posix_ftruncate(int fd, int64_t size)
{
    struct fd *f = fd_find(fd);
    uint64_t at = f != NULL ? f->at : 0;
    bool ok = f != NULL && file_resize(fd, (uint64_t)size);
    if (f != NULL)
        f->at = at;
    return result(ok);
}

int posix_truncate(const char *path, int64_t size)
{
    AUTO_CLOSE int fd = open(path, O_RDWR);
    return fd >= 0 ? posix_ftruncate(fd, size) : -1;
}

int dprintf(int fd, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return n >= 0 && (size_t)n < sizeof(text) ? (int)posix_write(fd, text, (size_t)n)
                                              : -1;
}

int64_t posix_lseek(int fd, int64_t at, int from)
{
    struct fd *f = fd_find(fd);
    struct file_stat st;
    if (f == NULL || !file_stat(fd, &st))
        return -1;
    f->at = (uint64_t)(at + (from == SEEK_CUR   ? (int64_t)f->at
                             : from == SEEK_END ? st.size
                                                : 0));
    return (int64_t)f->at;
}

int fsync(int fd)
{
    return result(file_sync(fd, FILE_SYNC_FILE));
}

int flock(int fd, int how)
{
    if ((how & LOCK_UN) != 0)
        file_unlock(fd);
    return result((how & LOCK_UN) != 0 || file_lock(fd));
}

int fcntl(int fd, int what, ...)
{
    if (fd_find(fd) == NULL)
        return -1;
    if (what == F_SETFL)
        pipe_never_wait(fd);
    return what == F_GETFD ? FD_CLOEXEC : 0;
}

int pipe(int ends[2])
{
    return result(pipe_open(ends));
}

int pipe2(int ends[2], int flags)
{
    if (!pipe_open(ends))
        return -1;
    if ((flags & O_NONBLOCK) != 0) {
        pipe_never_wait(ends[0]);
        pipe_never_wait(ends[1]);
    }
    return 0;
}

/* --- names --- */

int unlinkat(int dir, const char *path, int flags)
{
    return result((flags & AT_REMOVEDIR) != 0
                      ? folder_remove(posix_dir(dir, path), posix_path(dir, path))
                      : file_remove(posix_dir(dir, path), posix_path(dir, path)));
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdirat(int dir, const char *path, mode_t mode)
{
    return result(folder_make(posix_dir(dir, path), posix_path(dir, path), mode));
}

int posix_mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}

int mkfifoat(int dir, const char *path, mode_t mode)
{
    (void)dir, (void)path, (void)mode;
    return no_such_call();
}

int mkfifo(const char *path, mode_t mode)
{
    return mkfifoat(AT_FDCWD, path, mode);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    return result(file_rename(posix_dir(from_dir, from), posix_path(from_dir, from),
                              posix_dir(to_dir, to), posix_path(to_dir, to),
                              FILE_REPLACE));
}

int posix_rename(const char *from, const char *to)
{
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* The path of a name in an open folder. */
static bool whole_path(int dir, const char *name, char out[1024])
{
    size_t n = 0;
    out[0] = '\0';
    if (dir != AT_FDCWD && !file_find_path(dir, out, 1024))
        return false;
    n = strlen(out);
    return snprintf(out + n, 1024 - n, "%s%s", n > 0 ? "/" : "", name) < (int)(1024 - n);
}

int linkat(int dir, const char *name, int to_dir, const char *added, int flags)
{
    char from[1024], to[1024];
    (void)flags;
    if (dir == to_dir)
        return result(file_add_name(posix_dir(dir, name), posix_path(dir, name), added));
    return result(whole_path(dir, name, from) && whole_path(to_dir, added, to) &&
                  file_add_name(FILE_CWD, from, to));
}

int link(const char *name, const char *added)
{
    return linkat(AT_FDCWD, name, AT_FDCWD, added, 0);
}

/* Wine says that it made a link, and makes none. */
int symlinkat(const char *target, int dir, const char *path)
{
    struct file_stat st;
    if (!file_make_symlink(target, posix_dir(dir, path), posix_path(dir, path)))
        return -1;
    if (file_stat_at(posix_dir(dir, path), posix_path(dir, path), FILE_NO_LINK, &st) &&
        st.type == FILE_SYMLINK)
        return 0;
    return no_such_call();
}

int symlink(const char *target, const char *path)
{
    return symlinkat(target, AT_FDCWD, path);
}

ssize_t readlinkat(int dir, const char *path, char *out, size_t size)
{
    str target;
    return file_read_symlink(posix_dir(dir, path), posix_path(dir, path), out, size,
                             &target)
               ? (ssize_t)target.n
               : -1;
}

ssize_t readlink(const char *path, char *out, size_t size)
{
    return readlinkat(AT_FDCWD, path, out, size);
}

int faccessat(int dir, const char *path, int mode, int flags)
{
    struct file_stat st;
    if (mode == F_OK)
        return result(file_stat_at(
            posix_dir(dir, path), posix_path(dir, path),
            (flags & AT_SYMLINK_NOFOLLOW) != 0 ? FILE_NO_LINK : FILE_FOLLOW, &st));
    return result(file_allows(posix_dir(dir, path), posix_path(dir, path),
                              ((mode & R_OK) != 0 ? FILE_MAY_READ : 0) |
                                  ((mode & W_OK) != 0 ? FILE_MAY_WRITE : 0) |
                                  ((mode & X_OK) != 0 ? FILE_MAY_RUN : 0)));
}

int access(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, 0);
}

char *mkdtemp(char *name)
{
    size_t n = strlen(name);
    for (int i = 0; i < 100; i++) {
        unsigned char bytes[6];
        rand_bytes(bytes, sizeof(bytes));
        for (size_t k = 0; k < 6; k++)
            name[n - 6 + k] = (char)('a' + bytes[k] % 26);
        if (folder_make(FILE_CWD, name, 0700))
            return name;
    }
    return NULL;
}

int posix_mkstemp(char *name)
{
    size_t n = strlen(name);
    unsigned char bytes[6];
    rand_bytes(bytes, sizeof(bytes));
    for (size_t k = 0; k < 6; k++)
        name[n - 6 + k] = (char)('a' + bytes[k] % 26);
    return open(name, O_RDWR | O_CREAT | O_EXCL);
}

/* --- attributes --- */

static const mode_t types[] = {
    [FILE_REGULAR] = S_IFREG, [FILE_FOLDER] = S_IFDIR,  [FILE_SYMLINK] = S_IFLNK,
    [FILE_PIPE] = S_IFIFO,    [FILE_SOCKET] = S_IFSOCK, [FILE_ODD] = 0};

static struct timespec time_of(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / 1000000000,
                             .tv_nsec = (long)(ns % 1000000000)};
}

static int convert(bool ok, const struct file_stat *st, struct posix_stat *out)
{
    if (!ok)
        return -1;
    *out = (struct posix_stat){.st_mode = (mode_t)(types[st->type] | st->mode),
                               .st_nlink = (unsigned)st->names,
                               .st_size = st->size,
                               .st_ino = st->inode,
                               .st_dev = st->device,
                               .st_mtim = time_of(st->modified_ns),
                               .st_ctim = time_of(st->changed_ns)};
    return 0;
}

int posix_fstatat(int dir, const char *path, struct posix_stat *out, int flags)
{
    struct file_stat st;
    bool ok = file_stat_at(
        posix_dir(dir, path), posix_path(dir, path),
        (flags & AT_SYMLINK_NOFOLLOW) != 0 ? FILE_NO_LINK : FILE_FOLLOW, &st);
    int code = convert(ok, &st, out);
    if (dir == AT_FDCWD && code == 0)
        out->st_blocks = (GetCompressedFileSizeA(path, NULL) + 511) / 512;
    return code;
}

int posix_stat(const char *path, struct posix_stat *out)
{
    return posix_fstatat(AT_FDCWD, path, out, 0);
}

int posix_lstat(const char *path, struct posix_stat *out)
{
    return posix_fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

int posix_fstat(int fd, struct posix_stat *out)
{
    struct file_stat st;
    return convert(file_stat(fd, &st), &st, out);
}

int fchmod(int fd, mode_t mode)
{
    return result(file_set_mode(fd, mode));
}

int fchmodat(int dir, const char *path, mode_t mode, int flags)
{
    (void)flags;
    AUTO_CLOSE int fd =
        file_open(posix_dir(dir, path), posix_path(dir, path), FILE_FOLLOW);
    return fd >= 0 ? fchmod(fd, mode) : -1;
}

int chmod(const char *path, int mode)
{
    return fchmodat(AT_FDCWD, path, (mode_t)mode, 0);
}

int fchown(int fd, unsigned user, unsigned group)
{
    (void)fd, (void)user, (void)group;
    return no_such_call();
}

int chown(const char *path, unsigned user, unsigned group)
{
    (void)path, (void)user, (void)group;
    return no_such_call();
}

int futimens(int fd, const struct timespec times[2])
{
    const struct fd *f = fd_find(fd);
    HANDLE writer = f != NULL ? nt_reopen(f->handle, FILE_WRITE_ATTRIBUTES, 0) : NULL;
    FILE_BASIC_INFO info = {0};
    if (writer == NULL)
        return -1;
    int64_t ns = times != NULL && times[1].tv_nsec >= 0
                     ? times[1].tv_sec * 1000000000 + times[1].tv_nsec
                     : clock_wall_ns();
    info.LastWriteTime.QuadPart = file_time_of(ns);
    bool ok = (times != NULL && times[1].tv_nsec == UTIME_OMIT) ||
              SetFileInformationByHandle(writer, FileBasicInfo, &info, sizeof(info));
    CloseHandle(writer);
    return result(ok);
}

int utimensat(int dir, const char *path, const struct timespec times[2], int flags)
{
    (void)flags;
    AUTO_CLOSE int fd =
        file_open(posix_dir(dir, path), posix_path(dir, path), FILE_FOLLOW);
    return fd >= 0 ? futimens(fd, times) : -1;
}

unsigned posix_umask(unsigned mask)
{
    (void)mask;
    return 022;
}

/* --- folders --- */

struct posix_dir {
    struct folder_names names;
    int dots; /* of "." and "..", which were returned */
    struct posix_dirent entry;
};

DIR *fdopendir(int fd)
{
    DIR *dir = mem_zero(sizeof(*dir));
    dir->names = folder_names_of(fd);
    if (dir->names.os != NULL)
        return dir;
    errno = dir->names.error;
    free(dir);
    return NULL;
}

DIR *opendir(const char *path)
{
    return fdopendir(folder_open(FILE_CWD, path));
}

struct posix_dirent *readdir(DIR *dir)
{
    bool is_dots = dir->dots < 2;
    const char *name = is_dots ? &".."[1 - dir->dots++] : folder_next(&dir->names);
    if (name == NULL)
        return NULL;
    if (is_dots)
        dir->names.type = FILE_FOLDER;
    snprintf(dir->entry.d_name, sizeof(dir->entry.d_name), "%s", name);
    dir->entry.d_type = dir->names.type == FILE_FOLDER    ? DT_DIR
                        : dir->names.type == FILE_SYMLINK ? DT_LNK
                                                          : DT_REG;
    return &dir->entry;
}

int closedir(DIR *dir)
{
    (void)!folder_end(&dir->names);
    free(dir);
    return 0;
}

int dirfd(DIR *dir)
{
    return dir->names.fd;
}

static int (*scan_order)(const struct posix_dirent **, const struct posix_dirent **);

static int scan_compare(const void *a, const void *b)
{
    const struct posix_dirent *x = *(struct posix_dirent *const *)a;
    const struct posix_dirent *y = *(struct posix_dirent *const *)b;
    return scan_order(&x, &y);
}

int scandirat(int parent, const char *path, struct posix_dirent ***out,
              int (*filter)(const struct posix_dirent *),
              int (*order)(const struct posix_dirent **, const struct posix_dirent **))
{
    DIR *dir = fdopendir(folder_open(posix_dir(parent, path), posix_path(parent, path)));
    int n = 0;
    *out = NULL;
    for (const struct posix_dirent *d; dir != NULL && (d = readdir(dir)) != NULL;) {
        if (filter != NULL && !filter(d))
            continue;
        *out = mem_grow(*out, (size_t)(n + 1) * sizeof(**out));
        (*out)[n] = mem_alloc(sizeof(*d));
        *(*out)[n++] = *d;
    }
    scan_order = order;
    if (n > 0)
        qsort(*out, (size_t)n, sizeof(**out), scan_compare);
    return dir != NULL ? closedir(dir), n : -1;
}

int fchdir(int fd)
{
    char path[1024];
    return file_find_path(fd, path, sizeof(path)) && SetCurrentDirectoryA(path) ? 0 : -1;
}

/* --- processes --- */

/* The home folder has another name. */
static const char *variable_of(const char *name)
{
    return strcmp(name, "HOME") == 0 ? "USERPROFILE" : name;
}

int setenv(const char *name, const char *value, int replace)
{
    const char *own = variable_of(name);
    if (!replace && getenv(own) != NULL)
        return 0;
    SetEnvironmentVariableA(own, value);
    return _putenv_s(own, value);
}

int unsetenv(const char *name)
{
    SetEnvironmentVariableA(variable_of(name), NULL);
    return _putenv_s(variable_of(name), "");
}

/* But what no program of Windows can do without. */
int clearenv(void)
{
    static const char *const kept[] = {
        "SystemRoot=", "SystemDrive=", "windir=", "ComSpec=", "TEMP=", "TMP=", "WINE"};
    const char *const *all = self_environment();
    for (size_t i = 0; all[i] != NULL; i++) {
        str variable = str_c(all[i]), name;
        bool keep = false;
        for (size_t k = 0; k < COUNT_OF(kept); k++)
            keep |=
                str_eq_nocase(str_slice(variable, 0, strlen(kept[k])), str_c(kept[k]));
        if (!keep && str_next(&variable, '=', &name)) {
            char *text = mem_str(name);
            unsetenv(text);
            free(text);
        }
    }
    return 0;
}

unsigned geteuid(void)
{
    return machine_user();
}

unsigned getuid(void)
{
    return machine_user();
}

unsigned getgid(void)
{
    return 0;
}

pid_t getppid(void)
{
    return 0;
}

/* A test that goes on would wait for ever for what the child, or the signal, does. */
static int test_ends(const char *call)
{
    fail_msg("there is no %s on Windows", call);
    return -1;
}

pid_t fork(void)
{
    return test_ends("fork");
}

pid_t waitpid(pid_t pid, int *status, int flags)
{
    (void)pid, (void)status, (void)flags;
    return no_such_call();
}

int kill(pid_t pid, int number)
{
    (void)pid;
    return number == 0 ? no_such_call() : test_ends("kill");
}

int usleep(unsigned us)
{
    Sleep((us + 999) / 1000);
    return 0;
}

unsigned sleep(unsigned seconds)
{
    Sleep(seconds * 1000);
    return 0;
}

FILE *posix_popen(const char *command, const char *mode)
{
    (void)command, (void)mode;
    errno = ENOSYS;
    return NULL;
}

/* --- time, text --- */

static struct tm *broken_down(const struct clock_date *d, struct tm *out)
{
    *out = (struct tm){.tm_year = (int)d->year - 1900,
                       .tm_mon = d->month - 1,
                       .tm_mday = d->day,
                       .tm_hour = d->hour,
                       .tm_min = d->minute,
                       .tm_sec = d->second,
                       .tm_wday = clock_weekday(clock_days(d->year, d->month, d->day))};
    return out;
}

struct tm *posix_gmtime_r(const time_t *t, struct tm *out)
{
    struct clock_date date = clock_utc(*t);
    return broken_down(&date, out);
}

struct tm *posix_localtime_r(const time_t *t, struct tm *out)
{
    struct clock_date date = clock_local(*t);
    return broken_down(&date, out);
}

time_t posix_timegm(struct tm *t)
{
    const struct clock_date date = {.year = t->tm_year + 1900,
                                    .month = t->tm_mon + 1,
                                    .day = t->tm_mday,
                                    .hour = t->tm_hour,
                                    .minute = t->tm_min,
                                    .second = t->tm_sec};
    return (time_t)clock_from_utc(&date);
}

void *memmem(const void *p, size_t n, const void *what, size_t m)
{
    return (void *)(uintptr_t)bytes_find(p, n, what, m);
}

char *posix_realpath(const char *path, char *out)
{
    char *real = file_real_path(path);
    if (out == NULL || real == NULL)
        return real;
    memcpy(out, real, strlen(real) + 1);
    free(real);
    return out;
}

ssize_t getline(char **line, size_t *size, FILE *from)
{
    size_t n = 0;
    for (int c; (c = getc(from)) != EOF;) {
        if (n + 2 > *size)
            *line = mem_grow(*line, *size = 2 * n + 128);
        (*line)[n++] = (char)c;
        if (c == '\n')
            break;
    }
    if (n > 0)
        (*line)[n] = '\0';
    return n > 0 ? (ssize_t)n : -1;
}

int rand_r(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return (int)(*seed / 65536u % 32768u);
}
