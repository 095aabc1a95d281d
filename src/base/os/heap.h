/*
 * heap - what malloc() keeps after free().
 */
#pragma once

/* At the start: large blocks are given back to the system when they are freed, if the C
 * library can do that. */
void heap_set_up(void);

/* Give free memory back to the system, if the C library can do that. */
void heap_trim(void);
