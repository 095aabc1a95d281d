/*
 * index_order - the files of an index sorted by path. Private to index*.c.
 *
 * It holds ids, so a file that is replaced keeps its place. The first reader that needs
 * it makes it, and others wait. Only the writer of the index may drop it.
 */
#pragma once

#include "vault/index/index.h"

struct index_order *index_order_create(void);
void index_order_free(struct index_order *o);
void index_order_forget(struct index_order *o);
