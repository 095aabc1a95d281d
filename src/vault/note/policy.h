/*
 * policy - what the owner of a note says in it about clients: the property "ai: hidden",
 * "ai: read-only" or "ai: propose". A note called _policy.md says it about everything in
 * its folder.
 *
 * Only these values count, as a text or as an item of a list, ignoring case; any other value
 * means nothing here. What is unsure counts: a block that is not valid YAML but has the
 * property in it, a block whose end is missing, and the stricter of two. Pure: vault/policies.h
 * knows all notes of a vault.
 */
#pragma once

#include "base/str.h"
#include "vault/note/prop.h"

/* The stricter, the higher. */
enum policy {
    POLICY_NONE,
    POLICY_PROPOSE,   /* a change waits for a review */
    POLICY_READ_ONLY, /* not changed, moved or deleted by clients */
    POLICY_HIDDEN,    /* does not exist for clients */
    POLICY_KINDS
};

static inline enum policy policy_stricter(enum policy a, enum policy b)
{
    return a > b ? a : b;
}

#define POLICY_PROPERTY "ai"     /* unless the settings say otherwise */
#define POLICY_FILE "_policy.md" /* compared ignoring case */

/* Whether the note at path is about its folder. */
bool policy_is_rule(str path);

/* "hidden" and so on; empty for POLICY_NONE. */
const char *policy_name(enum policy policy);

/* What the properties of a note say; property: the name to look for, empty: none. props may be
 * NULL. */
enum policy policy_of_props(str property, const struct prop *props);

/* What a whole note says; before: what it said when it was last read, which counts while it
 * is empty or its properties have no end, because another program is writing it. cut: text
 * is only its beginning. */
enum policy policy_of_text(str property, str text, bool cut, enum policy before);

/* A value that looks like a slip of one of ours ("readonly"), and which it would be; NULL:
 * there is none. For people who check a vault. */
const struct prop *policy_slip(str property, const struct prop *props,
                               enum policy *meant);
