#include "base/os/rand.h"

#include <bcrypt.h>

#include "base/err.h"
#include "base/os/windows/base.h"

enum { AT_ONCE = 1 << 30 };

void rand_bytes(void *out, size_t n)
{
    unsigned char *at = out;
    while (n > 0) {
        size_t part = n < AT_ONCE ? n : AT_ONCE;
        if (BCryptGenRandom(NULL, at, (ULONG)part, BCRYPT_USE_SYSTEM_PREFERRED_RNG) != 0)
            BUG("no random bytes");
        at += part;
        n -= part;
    }
}
