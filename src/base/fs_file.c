/* Single files outside the vault: named by settings, or in the state folder. */
#include <errno.h>
#include <stdio.h>

#include "base/fs.h"
#include "base/lock.h"
#include "base/os/folder.h"
#include "base/os/self.h"
#include "base/sbuf.h"

bool fs_read_file(struct arena *a, str path, size_t max, str *out, struct err *err)
{
    lock_check_slow();
    AUTO_CLOSE int fd = file_open_stream(arena_str(a, path).p);
    if (fd < 0)
        return err_sys(err, "it cannot be opened");
    struct sbuf text = SBUF_ON(a);
    for (size_t n = 1; n > 0;) {
        if (!file_read(fd, sbuf_room(&text, max + 1 - text.n), max + 1 - text.n, &n))
            return err_sys(err, "it cannot be read");
        sbuf_took(&text, n);
        if (text.n > max)
            return err_set(err, ERR_LIMIT, "it has more than %zu bytes", max);
    }
    *out = sbuf_str(&text);
    return true;
}

static bool exceeds(void)
{
    errno = EFBIG;
    return false;
}

/*
 * To the end, whatever the size was: the file may grow or shrink in the meantime. A short
 * read that ends exactly at the known size is the end, which saves a call.
 */
bool fs_read_open(int fd, struct arena *a, int64_t size, size_t max, str *out)
{
    lock_check_slow();
    if (max > INT64_MAX / 2)
        max = INT64_MAX / 2;
    if ((uint64_t)size > max)
        return exceeds();
    size_t known = (size_t)size, cap = known + 1, n = 0;
    char *p = arena_alloc(a, cap);
    for (size_t got;;) {
        if (!file_read(fd, p + n, cap - n, &got))
            return false;
        n += got;
        if (got == 0 || (n == known && n < cap))
            break;
        if (n < cap)
            continue;
        if (n > max)
            return exceeds();
        size_t grown = cap < max / 2 ? cap * 2 : max + 1;
        p = arena_grow(a, p, cap, grown);
        cap = grown;
    }
    *out = (str){p, n};
    return true;
}

void fs_sync_folder(int dir)
{
    lock_check_slow();
    AUTO_CLOSE int fd = folder_open(dir, ".");
    if (fd >= 0) /* some file systems cannot do this; the file itself is safe */
        (void)!file_sync(fd, FILE_SYNC_NAMES);
}

static bool write_new(const char *path, str text)
{
    lock_check_slow();
    AUTO_CLOSE int fd = file_open_own(FILE_CWD, path, FILE_EMPTIED);
    return fd >= 0 && file_write(fd, text) && file_sync(fd, FILE_SYNC_FILE);
}

bool fs_replace_file(const char *path, str text, struct err *err)
{
    struct arena a = {0};
    const char *temp = arena_printf(&a, "%s.%d", path, self_pid()).p;
    str folder = str_slice(str_c(path), 0, str_find_last(str_c(path), '/') + 1);
    bool ok = (write_new(temp, text) &&
               file_rename(FILE_CWD, temp, FILE_CWD, path, FILE_REPLACE)) ||
              err_sys(err, "cannot write a file in the state folder");
    AUTO_CLOSE int dir =
        ok ? folder_open(FILE_CWD, folder.n > 0 ? arena_str(&a, folder).p : ".") : -1;
    if (dir >= 0)
        (void)!file_sync(dir, FILE_SYNC_NAMES);
    if (!ok)
        file_remove(FILE_CWD, temp);
    arena_release(&a);
    return ok;
}
