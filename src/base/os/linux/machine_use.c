#include <fcntl.h>
#include <unistd.h>

#include "base/os/folder.h"
#include "base/os/machine.h"

/* The second number of /proc/self/statm: pages in memory. */
uint64_t machine_memory(void)
{
    char text[128];
    size_t n = 0;
    AUTO_CLOSE int fd = file_open(FILE_CWD, "/proc/self/statm", FILE_FOLLOW);
    if (fd < 0 || !file_read(fd, text, sizeof(text), &n))
        return 0;
    str rest = {text, n}, word;
    int64_t pages = 0;
    if (str_next(&rest, ' ', &word)) /* the first number is the total size */
        (void)(str_next(&rest, ' ', &word) && str_to_int(word, &pages));
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

size_t machine_descriptors(void)
{
    size_t n = 0;
    struct folder_names names = folder_names(FILE_CWD, "/proc/self/fd");
    while (folder_next(&names) != NULL)
        n++;
    folder_end(&names);
    return n > 1 ? n - 1 : 0; /* without that of this folder */
}
