#include "app/cli/progress.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/os/file.h"
#include "base/os/terminal.h"
#include "vault/vault.h"

enum { BAR = 30 };

struct progress_bar {
    struct vault *vault;
    uint64_t began;
    unsigned most_ms; /* 0: no limit */
    bool terminal, shown, late;
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
    struct progress_bar *b = arg;
    uint64_t waited = clock_ms() - b->began;
    if (b->most_ms > 0 && waited > b->most_ms)
        return b->late = true;
    if (waited < PROGRESS_AFTER_MS || !b->terminal)
        return false;
    struct vault_progress p = vault_progress(b->vault);
    draw(&p);
    b->shown = true;
    return false;
}

bool progress_wait(struct vault *v, unsigned most_ms, struct err *err)
{
    struct progress_bar bar = {.vault = v,
                               .began = clock_ms(),
                               .most_ms = most_ms,
                               .terminal = terminal_is(FILE_STDERR)};
    bool ok;
    do
        ok = vault_wait(v, tick, &bar, err);
    while (!ok && err->name == E_BUSY && !bar.late);
    if (bar.shown)
        fputs("\r\x1b[K", stderr);
    return ok;
}
