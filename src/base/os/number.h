/*
 * number - numbers as C and JSON write them, whatever the locale is.
 */
#pragma once

#include "base/str.h"

/* A number that was checked to be one; HUGE_VAL if it is too large. */
double number_read(str text);

/* Write d with that many digits at most (%g), and return the length. */
size_t number_print(char *out, size_t size, int digits, double d);
