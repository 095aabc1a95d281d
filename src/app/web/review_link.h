/*
 * review_link - where proposals are reviewed (proposals_page.h), and the link to it on the
 * other pages.
 */
#pragma once

#include "app/setup/app.h"
#include "oauth/oauth.h"

#define REVIEW_PATH "/proposals"

/* How many proposals wait that this person decides about; empty: the operator. */
size_t review_count(struct app *app, struct arena *a, str user);

/* "Review 3 proposed changes": how many wait that this person decides about; empty if apps
 * propose nothing here. */
str review_link(struct app *app, struct arena *a, const struct oauth_asked *asked);
