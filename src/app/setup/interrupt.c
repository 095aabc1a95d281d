#include "app/setup/interrupt.h"

#include <stddef.h>

static const int numbers[INTERRUPT_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

/* Global, because a signal handler cannot be given an argument. */
static atomic_bool came;
static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    caught = number;
    atomic_store(&came, true);
}

atomic_bool *interrupt_begin(struct interrupt *i)
{
    const struct sigaction act = {.sa_handler = on_signal,
                                  .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    caught = 0;
    atomic_store(&came, false);
    for (size_t n = 0; n < INTERRUPT_SIGNALS; n++) {
        sigaction(numbers[n], NULL, &i->before[n]);
        if (i->before[n].sa_handler != SIG_IGN)
            sigaction(numbers[n], &act, NULL);
    }
    return &came;
}

void interrupt_end(const struct interrupt *i)
{
    for (size_t n = 0; n < INTERRUPT_SIGNALS; n++)
        sigaction(numbers[n], &i->before[n], NULL);
    if (caught != 0)
        raise(caught);
}
