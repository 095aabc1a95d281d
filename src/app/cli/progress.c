#include "app/cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "vault/vault.h"

enum { BAR = 30 };

struct bar {
    struct vault *vault;
    uint64_t began;
    bool shown;
};

static void draw(const struct vault_progress *p)
{
    size_t all = p->expected > 0 ? p->expected : 1;
    size_t filled = p->done >= all ? BAR : p->done * BAR / all;
    fprintf(stderr, "\rReading the vault [%.*s%*s] %zu of %zu files", (int)filled,
            "##############################", (int)(BAR - filled), "", p->done,
            p->expected);
    fflush(stderr);
}

static bool tick(void *arg)
{
    struct bar *b = arg;
    if (clock_ms() - b->began < PROGRESS_AFTER_MS)
        return false;
    struct vault_progress p = vault_progress(b->vault);
    draw(&p);
    b->shown = true;
    return false;
}

bool progress_wait(struct vault *v, struct err *err)
{
    struct bar bar = {.vault = v, .began = clock_ms()};
    bool ok = vault_wait(v, isatty(STDERR_FILENO) == 1 ? tick : NULL, &bar, err);
    if (bar.shown)
        fputs("\r\x1b[K", stderr);
    return ok;
}
