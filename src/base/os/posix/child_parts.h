/*
 * child_parts - for the bodies of child.h. In a child, between fork() and its end: nothing
 * here allocates, or takes a lock that fork() may have left locked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Close all descriptors from this one on. */
void child_close_from(int first);

/* --- in child_copy.c of each system --- */

/* As child_close_from(), at once; false if the system cannot do that. */
bool child_close_range(int first);

/* End when the process that forked ends, if the system can do that. */
void child_end_with_parent(void);

/* What is freed from now on is kept: giving it back to the system may need system calls that
 * the child does not have. May take locks of malloc(), which fork() makes usable. */
void child_keep_memory(void);

/* The address space in use, in bytes; 0 if that is not known. */
size_t child_mapped(void);
