/*
 * library_parts - what loading a library needs from the system it runs on.
 */
#pragma once

#include "base/os/library.h"

enum { LIBRARY_FILE_SIZE = 64 };

/* Write the name of the file that has a version of a library. */
void library_file(char out[LIBRARY_FILE_SIZE], const char *name, int version);
