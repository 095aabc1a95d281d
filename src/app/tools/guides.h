/*
 * guides - how to write Obsidian's Markdown, one short text per topic.
 *
 * The texts are the same for all sets of tools, except where they name tools, or where a
 * set has its own.
 */
#pragma once

#include "base/arena.h"

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
    GUIDE_BASES,
    GUIDE_TOPICS,
};

/* The topics' names; ends with NULL. The second list is for sets in the form of other
 * servers, which do not get new topics. */
extern const char *const guide_topics[], *const guide_topics_of_others[];

/* What a topic says about a set's tools: the texts for its first and second
 * placeholder, or all of it. */
struct guide_tools {
    const char *one, *two;
    const char *whole; /* or NULL */
};

/* For the default set, by topic. */
extern const struct guide_tools guide_default[GUIDE_TOPICS];

/* The text is in the arena. */
str guide_text(struct arena *a, enum guide_topic topic, const struct guide_tools *tools);
