/*
 * signal_parts - what the bodies of signal.h share.
 */
#pragma once

#include <signal.h>

#include "base/os/signal.h"

/* Block the signals of the queue in the calling thread, and those that it starts, so that
 * they wait in the queue. */
void signal_block_requests(sigset_t *set);

enum signal_request signal_request_of(int number);
