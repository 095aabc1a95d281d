/*
 * index_order - the order by path that an index keeps for those who ask. Private to
 * index*.c.
 *
 * It holds ids, so a file that is replaced stays in its place. Made by the first reader
 * that wants it; others wait for that one. Only who may write the index forgets it.
 */
#pragma once

#include "vault/index/index.h"

struct index_order *index_order_create(void);
void index_order_free(struct index_order *o);
void index_order_forget(struct index_order *o);
