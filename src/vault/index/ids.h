/*
 * ids - a sorted list of file ids, without duplicates. {0} is an empty one; free at.
 */
#pragma once

#include "vault/index/names.h"

struct ids {
    file_id *at;
    uint32_t n, cap;
};

void ids_add(struct ids *ids, file_id id);
void ids_remove(struct ids *ids, file_id id);

/* To add many: make room, append in any order, then sort. */
void ids_reserve(struct ids *ids, size_t more);
void ids_sort(struct ids *ids);
