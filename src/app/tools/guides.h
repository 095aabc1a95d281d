/*
 * guides - how to write what Obsidian understands, one short text per topic.
 *
 * The texts are the same for all sets of tools, but for what they say of tools.
 */
#pragma once

#include "base/arena.h"

enum { GUIDES_TEXT_MAX = 1500 }; /* bytes of each */

enum guide_topic {
    GUIDE_LINKS,
    GUIDE_EMBEDS,
    GUIDE_CALLOUTS,
    GUIDE_PROPERTIES,
    GUIDE_TAGS,
    GUIDE_TASKS,
    GUIDE_TABLES,
    GUIDE_CANVAS,
    GUIDE_DAILY,
    GUIDE_SEARCH,
    GUIDE_TOPICS,
};

/* Their names; ends with NULL. */
extern const char *const guide_topics[];

/* What a topic says of a set's tools: its one place for it, and its second. */
struct guide_tools {
    const char *one, *two;
};

/* Of the default set, by topic. */
extern const struct guide_tools guide_default[GUIDE_TOPICS];

/* In the arena. */
str guide_text(struct arena *a, enum guide_topic topic, const struct guide_tools *tools);
