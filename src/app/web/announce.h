/*
 * announce - say that the server serves, and where clients find it: one line in the log,
 * for a person who started it on a terminal also what to give to a client, and a message
 * to systemd. On a terminal also how far the first read of the vaults is.
 */
#pragma once

#include "app/answers/term_progress.h"
#include "app/setup/app.h"
#include "http/server.h"

/* When http listens. people: someone could sign in, or need not. */
void announce_http(const struct app *app, const struct http_server *http, bool people);

/* From the loop, again and again: how far the first read of the vaults is, on a terminal. */
struct announce_reading {
    struct term_progress line;
    bool begun, ended;
};
void announce_tick(struct announce_reading *r, const struct app *app);

void announce_stdio(const struct app *app);
