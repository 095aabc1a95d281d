/*
 * ops_board - the same as ops_task.h for cards of a board of the Kanban plugin
 * (forms/board.h): a task moves between lanes, into the archive, and to a position.
 *
 * A card that comes into a lane with **Complete** is checked off, and one that leaves it is
 * opened again: by the rules of the Tasks plugin if that is used in the vault, so that the
 * next occurrence of a recurring one stays where the card was. Otherwise only the character
 * in its box changes. For ops_task.c.
 */
#pragma once

#include "vault/ops_task.h"

/* Whether the request only makes sense for a board. */
bool ops_board_wanted(const struct ops_task *t);

/* Add or move the task if the note is a board; otherwise *is_board is false. Fails if it is
 * not one and the request is about one. */
MUST_CHECK bool ops_board_add(struct draft *d, const struct ops_task *t,
                              const struct ops_task_found *found, int32_t today,
                              struct edit_result *out, bool *is_board, struct err *err);
MUST_CHECK bool ops_board_move(struct draft *d, const struct ops_task *t,
                               const struct ops_task_found *found, int32_t today,
                               struct edit_result *out, bool *is_board, struct err *err);

/* Put lines that come from another note into the lane with that title. */
MUST_CHECK bool ops_board_put(struct arena *a, str text, str heading, str lines,
                              struct edit_result *out, bool *is_board, struct err *err);
