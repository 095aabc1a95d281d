/*
 * instructions - what every client is told of the server when it connects, for the model.
 *
 * Clients may show a model no more than the first 500 characters, and none more than
 * 2,000.
 */
#pragma once

#include "app/app.h"

enum { INSTRUCTIONS_NAMES_MAX = 200 }; /* bytes of names of vaults, of several */

/* In the arena. Which tools and vaults there are must be known. */
str instructions_write(const struct app *app, struct arena *a);
