/*
 * heap - what malloc() keeps after free().
 */
#pragma once

/* Give free memory back to the system, if the C library can do that. */
void heap_trim(void);
