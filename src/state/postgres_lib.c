#include "state/postgres_lib.h"

#include "base/os/library.h"
#include "base/os/thread.h"

static struct libpq lib;
static bool ready;

static void load_libpq_once(void)
{
    static const struct library_symbol symbols[] = {
#define LIBPQ_SYMBOL(name, function) {#function, &lib.name},
        LIBPQ_FUNCTIONS(LIBPQ_SYMBOL)
#undef LIBPQ_SYMBOL
    };
    ready = library_load("pq", 5, symbols, COUNT_OF(symbols));
}

const struct libpq *libpq_load(struct err *err)
{
    static struct once once = ONCE_INIT;
    once_run(&once, load_libpq_once);
    if (ready)
        return &lib;
    err_set(
        err, ERR_INTERNAL,
        VAULTD_STATIC
            ? "this vaultd is a static program, which cannot load libpq and so cannot "
              "use --state-db: install the Debian package, use the container image, "
              "or build vaultd from source"
            : "--state-db needs libpq 14 or newer, which is not installed: apt-get "
              "install libpq5");
    return NULL;
}
