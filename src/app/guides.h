/*
 * guides - how to write what Obsidian understands, one short text per topic.
 */
#pragma once

#include "base/str.h"

enum { GUIDES_TEXT_MAX = 1500 }; /* bytes of each */

/* The topics by number; ends with NULL. */
extern const char *const guide_topics[];

str guide_text(size_t topic);
