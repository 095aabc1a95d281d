#include "base/os/rand.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/err.h"

enum { AT_ONCE = 256 }; /* getentropy() gives no more */

void rand_bytes(void *out, size_t n)
{
    char *at = out;
    while (n > 0) {
        size_t part = n < AT_ONCE ? n : AT_ONCE;
        if (getentropy(at, part) != 0)
            BUG("no random bytes");
        at += part;
        n -= part;
    }
}
