#include "base/os/posix/signal_parts.h"

void signal_ignore_reload(void)
{
    signal(SIGHUP, SIG_IGN);
}

void signal_ignore_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}

void signal_block_requests(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, set, NULL);
    signal(SIGHUP, SIG_DFL); /* one that is ignored would not wait */
}

enum signal_request signal_request_of(int number)
{
    return number == SIGHUP ? SIGNAL_RELOAD : SIGNAL_STOP;
}
