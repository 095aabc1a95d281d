/*
 * habit - how the notes of a folder are written, for a note that does not show it yet.
 */
#pragma once

#include "vault/note/edit.h"
#include "vault/vault.h"

enum { HABIT_NOTES_MAX = 100 }; /* notes that are looked at */

/* Of the other notes in the folder of path; all zeros while the index is loading. */
struct edit_habit habit_near(struct vault *v, str path);
