#include "base/rand.h"

#include <errno.h>
#include <sys/random.h>

#include "base/err.h"

void rand_bytes(void *out, size_t n)
{
    char *at = out;
    while (n > 0) {
        ssize_t got = getrandom(at, n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            BUG("no random bytes: %s", strerrordesc_np(errno));
        at += got;
        n -= (size_t)got;
    }
}
