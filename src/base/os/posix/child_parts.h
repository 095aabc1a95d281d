/*
 * child_parts - what systems do in different ways for child.c. For the child, between fork()
 * and its end: nothing here allocates or takes a lock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Close all descriptors from this one on. */
bool child_close_from(int first);

/* End when the process that forked ends, if the system can do that. */
void child_end_with_parent(void);

/* The address space in use, in bytes; 0 if that is not known. */
size_t child_mapped(void);
