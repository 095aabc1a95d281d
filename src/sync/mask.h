/*
 * mask - remove secrets from the output of other programs.
 */
#pragma once

#include "base/arena.h"

/* Replace the part before the "@" in "https://me:token@host/x" with stars, everywhere.
 */
str mask_urls(struct arena *a, str text);

/* Whether it has a password, or a token as a user name. */
bool mask_has_secret(str url);

/* One line of visible, valid text: spaces for control characters, '?' for bad bytes. */
str mask_line(struct arena *a, str text);

/* The error of git or ssh as one line for users: without hints and progress, masked, at
 * most MASK_REASON_MAX bytes. */
enum { MASK_REASON_MAX = 200 };
str mask_reason(struct arena *a, str errors);

/* Split "https://me:token@host/x"; *clean is without credentials. Other URLs are
 * unchanged. */
void mask_split(struct arena *a, str url, str *clean, str *user, str *password);
