/*
 * mask - texts of other programs without secrets.
 */
#pragma once

#include "base/arena.h"

/* "https://me:token@host/x" with stars for what is before the "@", anywhere in the text.
 */
str mask_urls(struct arena *a, str text);

/* One line of visible, valid text: blanks for control characters, '?' for bad bytes. */
str mask_line(struct arena *a, str text);

/* What git or ssh complained about, as one line for people: without hints and progress,
 * masked, at most MASK_REASON_MAX bytes. */
enum { MASK_REASON_MAX = 200 };
str mask_reason(struct arena *a, str errors);

/* Split "https://me:token@host/x": *clean is without both. Others stay as they are. */
void mask_split(struct arena *a, str url, str *clean, str *user, str *password);
