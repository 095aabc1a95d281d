#include "base/rotated_file.h"

#include <errno.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/lock.h"
#include "base/os/file.h"
#include "base/os/thread.h"
#include "base/system_path.h"

enum { ROTATED_LOCK_MS = 2000 };

struct rotated_file {
    struct rotated_config config;
    struct arena arena;
    int fd;   /* at its end; -1: to be opened */
    int seen; /* the same file, to look at its last byte; or -1 */
};

static void rotated_let_go(struct rotated_file *f)
{
    file_close(f->fd);
    file_close(f->seen);
    f->fd = f->seen = -1;
}

static bool open_current(struct rotated_file *f, struct err *err)
{
    struct file_stat st;
    rotated_let_go(f);
    f->fd = file_open_end(f->config.path);
    if (f->fd < 0)
        return err_sys(err, "'%s' cannot be opened", f->config.path);
    if (!file_stat(f->fd, &st) || st.type != FILE_REGULAR) {
        rotated_let_go(f);
        return err_set(err, ERR_INVALID, "'%s' is not a file", f->config.path);
    }
    f->seen = file_open(FILE_CWD, f->config.path, FILE_NO_LINK);
    return true;
}

/* The file that has the name now: another process may have rotated it. */
static bool rotated_follow(struct rotated_file *f, struct file_stat *st, struct err *err)
{
    struct file_stat named;
    bool same = f->fd >= 0 && file_stat(f->fd, st) &&
                file_stat_at(FILE_CWD, f->config.path, FILE_FOLLOW, &named) &&
                file_is_same(st, &named);
    if (!same && !open_current(f, err))
        return false;
    return file_stat(f->fd, st) || err_sys(err, "'%s' cannot be read", f->config.path);
}

/* --- rotation --- */

static const char *rotated_name(struct arena *a, const char *path, unsigned i)
{
    return i == 0 ? path : arena_printf(a, "%s.%u", path, i).p;
}

static bool lock_rotation(int fd)
{
    uint64_t end = clock_ms() + ROTATED_LOCK_MS;
    bool locked;
    while (!(locked = file_lock(fd)) && errno == EWOULDBLOCK && clock_ms() < end)
        thread_pause(1000);
    return locked || errno != EWOULDBLOCK; /* a file system without locks */
}

static bool rename_all(struct rotated_file *f, struct err *err)
{
    struct arena a = {0};
    bool ok = true;
    for (unsigned i = f->config.old; ok && i > 0; i--) {
        const char *from = rotated_name(&a, f->config.path, i - 1);
        const char *to = rotated_name(&a, f->config.path, i);
        ok = file_rename(FILE_CWD, from, FILE_CWD, to, FILE_REPLACE) || errno == ENOENT ||
             err_sys(err, "'%s' cannot be renamed", from);
    }
    arena_release(&a);
    return ok;
}

static bool is_full(const struct rotated_file *f, const struct file_stat *st, size_t more)
{
    return st->size > 0 && (uint64_t)st->size + more > f->config.max;
}

static bool rotate(struct rotated_file *f, struct file_stat *st, size_t more,
                   struct err *err)
{
    struct arena a = {0};
    const char *name = arena_printf(&a, "%s.lock", f->config.path).p;
    AUTO_CLOSE int fd = file_open_own(FILE_CWD, name, FILE_KEPT);
    bool ok =
        (fd >= 0 && lock_rotation(fd)) || err_sys(err, "'%s' cannot be locked", name);
    if (ok && rotated_follow(f, st, err) && is_full(f, st, more)) {
        rotated_let_go(f);
        ok = rename_all(f, err);
    }
    ok = ok && rotated_follow(f, st, err);
    arena_release(&a);
    return ok;
}

/* --- writing --- */

/* Whether a line before was cut off. */
static bool ends_within_line(const struct rotated_file *f, const struct file_stat *st)
{
    char last = '\n';
    return st->size > 0 && f->seen >= 0 &&
           file_read_at(f->seen, &last, 1, (uint64_t)st->size - 1) == 1 && last != '\n';
}

bool rotated_write(struct rotated_file *f, str lines, struct err *err)
{
    struct file_stat st;
    struct arena a = {0};
    lock_check_slow();
    if (!rotated_follow(f, &st, err) ||
        (is_full(f, &st, lines.n) && !rotate(f, &st, lines.n, err)))
        return false;
    str bytes =
        ends_within_line(f, &st) ? arena_printf(&a, "\n" STR_FMT, STR_ARG(lines)) : lines;
    bool ok = (file_write(f->fd, bytes) &&
               (!f->config.sync || file_sync(f->fd, FILE_SYNC_BYTES))) ||
              err_sys(err, "'%s' cannot be written", f->config.path);
    arena_release(&a);
    return ok;
}

bool rotated_open(const struct rotated_config *config, struct rotated_file **out,
                  struct err *err)
{
    struct rotated_file *f = mem_zero(sizeof(*f));
    f->config = *config;
    f->config.path = arena_str(&f->arena, str_c(config->path)).p;
    f->fd = f->seen = -1;
    str folder = arena_str(&f->arena, system_path_folder(str_c(config->path)));
    if (!fs_make_folder(folder.p, err) || !open_current(f, err)) {
        rotated_close(f);
        return false;
    }
    *out = f;
    return true;
}

void rotated_close(struct rotated_file *f)
{
    if (f == NULL)
        return;
    rotated_let_go(f);
    arena_release(&f->arena);
    free(f);
}

size_t rotated_list(struct arena *a, const char *path, unsigned old, str **out)
{
    size_t n = 0;
    *out = NULL;
    for (unsigned i = old + 1; i-- > 0;) {
        const char *name = rotated_name(a, path, i);
        if (file_exists(name))
            *ARRAY_ADD(a, *out, n) = str_c(name);
    }
    return n;
}
