#include <sys/attr.h>
#include <time.h>
#include <unistd.h>

#include "base/os/file.h"

void file_set_born(int fd, const struct file_stat *like)
{
    struct attrlist what = {.bitmapcount = ATTR_BIT_MAP_COUNT,
                            .commonattr = ATTR_CMN_CRTIME};
    struct timespec born = {.tv_sec = like->born_ns / 1000000000,
                            .tv_nsec = like->born_ns % 1000000000};
    if (like->born_ns > 0)
        (void)fsetattrlist(fd, &what, &born, sizeof(born), 0);
}
