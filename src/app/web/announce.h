/*
 * announce - say that the server serves, and where clients find it: one line in the log,
 * for a person who started it on a terminal also what to give to a client, and a message
 * to systemd.
 */
#pragma once

#include "app/setup/app.h"
#include "http/server.h"

/* When http listens. people: someone could sign in, or need not. */
void announce_http(const struct app *app, const struct http_server *http, bool people);

void announce_stdio(const struct app *app);
