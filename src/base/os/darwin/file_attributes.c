#include <copyfile.h>

#include "base/os/file.h"

/* Tags and comments of the Finder are extended attributes, too. */
void file_copy_attributes(int from, int to)
{
    (void)fcopyfile(from, to, NULL, COPYFILE_XATTR | COPYFILE_ACL);
}
