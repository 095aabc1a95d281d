/*
 * reviewed - the answer to what one change did: who made it, and its diff.
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/review.h"

enum { REVIEWED_DIFF_MAX = 20000 }; /* bytes of the diff if room is limited */

extern const struct answer_shape reviewed_shape; /* of a struct review */
