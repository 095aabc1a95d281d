/*
 * tag_policy - allow only tags that the vault already has, because models keep inventing
 * new ones (--tag-policy).
 *
 * The tags that notes have at the time of the call are allowed, case ignored. A vault
 * without tags accepts its first ones. The policy covers properties only: in text,
 * "#general" may be a channel and "#fff" a colour.
 */
#pragma once

#include "vault/index/index.h"

enum { TAG_POLICY_LISTED = 500 }; /* tags named in one message */

/*
 * The first tag in the properties of after that neither before nor the vault has; empty
 * if there is none. Every entry of the property tags counts, even one that Obsidian would
 * not accept as a tag.
 */
str tag_policy_stranger(const struct index *x, struct arena *a, str before, str after);

/* The allowed tags, "a, b, c"; empty if the vault has none, so that all are allowed. */
str tag_policy_allowed(const struct index *x, struct arena *a);

/* The message that refuses a tag. */
str tag_policy_refusal(const struct index *x, struct arena *a, str tag);
