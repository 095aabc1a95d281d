/*
 * turns - replicas that push to the same remote take turns. Without that, all but one of
 * those that push at the same time are refused, fetch, merge and try again, and while
 * changes keep coming, one of them may never be the first.
 *
 * It saves work, nothing depends on it: whoever has waited for TURNS_MS, or cannot reach
 * the database, pushes nevertheless.
 */
#pragma once

#include "base/str.h"

struct app_vault;

enum { TURNS_MS = 2000, TURNS_POLL_MS = 20 };

/* For sync_config.on_turn. */
void turns_take(struct app_vault *v, bool begin);
