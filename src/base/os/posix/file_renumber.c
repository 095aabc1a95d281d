#include <fcntl.h>
#include <unistd.h>

#include "base/os/file.h"

bool file_renumber(int fd, int number)
{
    return dup2(fd, number) >= 0 &&
           (number <= FILE_STDERR || fcntl(number, F_SETFD, FD_CLOEXEC) == 0);
}
