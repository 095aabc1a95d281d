#include "app/cli/progress.h"

#include "app/answers/term_progress.h"
#include "base/clock.h"
#include "base/os/interrupt.h"
#include "vault/vault.h"

struct progress_bar {
    struct vault *vault;
    struct term_progress line;
    unsigned most_ms; /* 0: no limit */
    bool late;
    const atomic_bool *stop;
};

static bool tick(void *arg)
{
    struct progress_bar *b = arg;
    struct vault_progress p = vault_progress(b->vault);
    if (b->most_ms > 0 && clock_ms() - b->line.began > b->most_ms)
        return b->late = true;
    /* all files are read, but what is derived from them is not yet complete */
    if (p.expected > 0 && p.done >= p.expected)
        b->line.what = "Building the index";
    term_progress_show(&b->line, p.done, p.expected);
    return atomic_load(b->stop);
}

bool progress_wait(struct vault *v, unsigned most_ms, struct err *err)
{
    struct progress_bar bar = {.vault = v,
                               .line = term_progress_begin("Reading the vault", "files"),
                               .most_ms = most_ms,
                               .stop = interrupt_begin()};
    bool ok;
    do
        ok = vault_wait(v, tick, &bar, err);
    while (!ok && err->name == E_BUSY && !bar.late && !atomic_load(bar.stop));
    term_progress_end(&bar.line);
    if (!ok && atomic_load(bar.stop) && bar.line.terminal)
        term_progress_say(&bar.line, STR("stopped: nothing was changed; the next command "
                                         "reads the vault again"));
    interrupt_end();
    return ok;
}
