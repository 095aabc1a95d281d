/*
 * small_index - an index of three notes for fuzz targets: A.md and a third one with the same
 * text, and Sub/B.md, which is empty.
 */
#pragma once

#include "vault/index/index.h"

static inline struct index *small_index(const char *third, const char *note)
{
    const char *const paths[] = {"A.md", "Sub/B.md", third};
    struct index *x = index_create();
    struct arena scratch = {0};
    struct fs_info info = {.mtime = 1794823200, .size = 5};
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        index_put(
            x,
            file_make(&scratch, str_c(paths[i]), &info, i == 1 ? STR("") : str_c(note)),
            false);
    arena_release(&scratch);
    return x;
}
