/*
 * why_none - explains an empty result whose folder or tag does not exist.
 */
#pragma once

#include "base/str.h"

struct arena;
struct index;

/* A sentence if there is no such folder or tag, else empty. Both arguments may be
 * empty. */
str why_none(const struct index *x, struct arena *a, str folder, str tag);
