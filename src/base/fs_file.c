/* Single files outside the vault: named by settings, or in the state folder. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/sbuf.h"

bool fs_read_file(struct arena *a, str path, size_t max, str *out, struct err *err)
{
    AUTO_CLOSE int fd = open(arena_str(a, path).p, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return err_sys(err, "it cannot be opened");
    struct sbuf text = SBUF_ON(a);
    for (;;) {
        ssize_t n = read(fd, sbuf_room(&text, max + 1 - text.n), max + 1 - text.n);
        if (n < 0)
            return err_sys(err, "it cannot be read");
        if (n == 0)
            break;
        sbuf_took(&text, (size_t)n);
        if (text.n > max)
            return err_set(err, ERR_LIMIT, "it has more than %zu bytes", max);
    }
    *out = sbuf_str(&text);
    return true;
}

bool fs_write_all(int fd, str bytes)
{
    while (bytes.n > 0) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno != EINTR)
            return false;
        bytes = str_skip(bytes, n > 0 ? (size_t)n : 0);
    }
    return true;
}

void fs_sync_folder(int dir)
{
    AUTO_CLOSE int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        fsync(fd); /* some file systems cannot do this; the file itself is safe */
}

static bool write_new(const char *path, str text)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return fd >= 0 && fs_write_all(fd, text) && fsync(fd) == 0;
}

bool fs_replace_file(const char *path, str text, struct err *err)
{
    struct arena a = {0};
    const char *temp = arena_printf(&a, "%s.%d", path, (int)getpid()).p;
    str folder = str_slice(str_c(path), 0, str_find_last(str_c(path), '/') + 1);
    bool ok = (write_new(temp, text) && rename(temp, path) == 0) ||
              err_sys(err, "cannot write a file in the state folder");
    AUTO_CLOSE int dir = open(folder.n > 0 ? arena_str(&a, folder).p : ".",
                              O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (ok)
        fs_sync_folder(dir);
    else
        unlink(temp);
    arena_release(&a);
    return ok;
}
