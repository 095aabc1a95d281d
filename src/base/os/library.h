/*
 * library - shared libraries that are loaded when first needed: because they bring many
 * others with them, or because not every system has them.
 */
#pragma once

#include "base/str.h"

/* A function of a library, and the pointer to it that is set. */
struct library_symbol {
    const char *name;
    void *slot;
};

/* Load a library, such as version 4 of "curl", and find all n functions in it. False if one
 * is missing; then do not use any of them. It stays loaded until the process ends. A static
 * program cannot load any. */
MUST_CHECK bool library_load(const char *name, int version,
                             const struct library_symbol *symbols, size_t n);

/* In a static program: look names up without the modules that nsswitch.conf names. They need
 * the C library of their system, which must not meet the one inside the program. */
void library_keep_modules_out(void);
