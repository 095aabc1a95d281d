/*
 * error_text - what an errno means.
 */
#pragma once

#include <errno.h>

/* The disk quota is exceeded; Windows has only the number of its sockets. */
#ifndef EDQUOT
#define EDQUOT 10069
#endif

/* In English; never NULL, and valid until this thread asks again. */
const char *error_text(int number);
