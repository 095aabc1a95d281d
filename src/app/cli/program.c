#include "app/cli/program.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/os/machine.h"
#include "base/os/self.h"
#include "base/path.h"

enum { PROGRAM_MAX = 256 << 20 };

str program_refuge(struct arena *a)
{
    str program = machine_program(a);
    bool is_cached = str_find(program, STR("/_npx/")) != STR_NONE;
    return is_cached && machine_home(a).n > 0
               ? arena_printf(a, STR_FMT "/bin/" STR_FMT, STR_ARG(machine_data_folder(a)),
                              STR_ARG(path_name(program)))
               : STR("");
}

static bool read_self(struct arena *a, str *out, struct err *err)
{
    return fs_read_file(a, machine_program(a), PROGRAM_MAX, out, err);
}

bool program_is_at(struct arena *a, str path)
{
    struct err ignored;
    str self, other;
    return read_self(a, &self, &ignored) &&
           fs_read_file(a, path, PROGRAM_MAX, &other, &ignored) && str_eq(self, other);
}

static bool write_program(const char *path, str bytes)
{
    AUTO_CLOSE int fd = file_create(FILE_CWD, path, 0755);
    return fd >= 0 && file_write(fd, bytes) && file_sync(fd, FILE_SYNC_FILE);
}

bool program_copy(struct arena *a, str to, struct err *err)
{
    str bytes, folder = str_slice(to, 0, str_find_last(to, '/'));
    const char *temp = arena_printf(a, STR_FMT ".%d", STR_ARG(to), self_pid()).p;
    if (!fs_make_folder(arena_str(a, folder).p, err) || !read_self(a, &bytes, err))
        return false;
    if (write_program(temp, bytes) &&
        file_rename(FILE_CWD, temp, FILE_CWD, arena_str(a, to).p, FILE_REPLACE))
        return true;
    err_sys(err, "cannot copy vaultd to '" STR_FMT "'", STR_ARG(to));
    file_remove(FILE_CWD, temp);
    return false;
}
