#include "base/os/interrupt.h"

#include "base/os/windows/base.h"

/* Global, because a handler cannot be given an argument. */
static atomic_bool came;
static atomic_int caught; /* how often */

/* Those after the first have their usual effect. */
static BOOL WINAPI on_interrupt(DWORD what)
{
    (void)what;
    atomic_store(&came, true);
    return atomic_fetch_add(&caught, 1) == 0;
}

atomic_bool *interrupt_begin(void)
{
    atomic_store(&came, false);
    atomic_store(&caught, 0);
    SetConsoleCtrlHandler(on_interrupt, TRUE);
    return &came;
}

void interrupt_end(void)
{
    SetConsoleCtrlHandler(on_interrupt, FALSE);
    if (atomic_load(&caught) > 0)
        ExitProcess((UINT)STATUS_CONTROL_C_EXIT);
}
