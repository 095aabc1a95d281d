/*
 * index_order - the files of an index sorted by path and by time. Private to index*.c.
 *
 * The two hold ids, so a file that is replaced keeps its place among the paths.
 */
#pragma once

#include "vault/index/index.h"

struct index_order *index_order_create(const struct index *x);
void index_order_free(struct index_order *o);

/* Before a file leaves the index or changes, and after it is there. */
void index_order_remove_path(struct index_order *o, file_id id);
void index_order_add_path(struct index_order *o, file_id id);
void index_order_remove_time(struct index_order *o, file_id id);
void index_order_add_time(struct index_order *o, file_id id);

/* Many files are about to change. */
void index_order_forget(struct index_order *o);
