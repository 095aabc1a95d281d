/* Single files of the machine, such as the operator names or we keep. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fs.h"

bool fs_read_file(struct arena *a, str path, size_t max, str *out, struct err *err)
{
    size_t slash = str_find_last(path, '/');
    str folder = slash == STR_NONE ? STR(".") : str_slice(path, 0, slash + 1);
    struct fs_root root = {.fd = -1};
    if (!fs_root_open(&root, arena_str(a, folder).p, err))
        return false;
    bool ok = fs_read(&root, a, slash == STR_NONE ? path : str_skip(path, slash + 1), max,
                      out, err);
    fs_root_close(&root);
    return ok;
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
