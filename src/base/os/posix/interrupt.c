#include "base/os/interrupt.h"

#include <signal.h>
#include <stddef.h>

#include "base/str.h"

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

/* Global, because a signal handler cannot be given an argument. */
static atomic_bool came;
static volatile sig_atomic_t caught;
static struct sigaction before[COUNT_OF(numbers)];

static void on_signal(int number)
{
    caught = number;
    atomic_store(&came, true);
}

atomic_bool *interrupt_begin(void)
{
    const struct sigaction act = {.sa_handler = on_signal,
                                  .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    caught = 0;
    atomic_store(&came, false);
    for (size_t n = 0; n < COUNT_OF(numbers); n++) {
        sigaction(numbers[n], NULL, &before[n]);
        if (before[n].sa_handler != SIG_IGN)
            sigaction(numbers[n], &act, NULL);
    }
    return &came;
}

void interrupt_end(void)
{
    for (size_t n = 0; n < COUNT_OF(numbers); n++)
        sigaction(numbers[n], &before[n], NULL);
    if (caught != 0)
        raise(caught);
}
