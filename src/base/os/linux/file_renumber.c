#include <fcntl.h>
#include <unistd.h>

#include "base/os/file.h"

bool file_renumber(int fd, int number)
{
    return dup3(fd, number, number > FILE_STDERR ? O_CLOEXEC : 0) >= 0;
}
