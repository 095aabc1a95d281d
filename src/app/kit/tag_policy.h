/*
 * tag_policy - only tags that the vault has: models invent others endlessly
 * (--tag-policy).
 *
 * Allowed are the tags that notes have at the time of the call, case ignored. A vault
 * without tags accepts its first ones. It is about properties: in a text "#general" may
 * be a channel and "#fff" a colour.
 */
#pragma once

#include "vault/index/index.h"

enum { TAG_POLICY_LISTED = 500 }; /* tags that are named at once */

/*
 * The first tag among the properties of a note's text after that neither the text before
 * has nor the vault; empty: there is none. Every entry of the property tags counts, also
 * what Obsidian would not take for a tag.
 */
str tag_policy_stranger(const struct index *x, struct arena *a, str before, str after);

/* The allowed tags, "a, b, c"; empty when there are none, and so all are allowed. */
str tag_policy_allowed(const struct index *x, struct arena *a);

/* What is said to who wants that tag. */
str tag_policy_refusal(const struct index *x, struct arena *a, str tag);
