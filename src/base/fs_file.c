/* Single files of the machine, such as the operator names or we keep. */
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

static bool write_new(const char *path, str text)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n;
}

bool fs_replace_file(const char *path, str text, struct err *err)
{
    struct arena a = {0};
    const char *temp = arena_printf(&a, "%s.%d", path, (int)getpid()).p;
    bool ok = (write_new(temp, text) && rename(temp, path) == 0) ||
              err_sys(err, "a file cannot be written in the state folder");
    if (!ok)
        unlink(temp);
    arena_release(&a);
    return ok;
}
