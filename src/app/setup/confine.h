/*
 * confine - what this server needs of the machine, by its settings; all else is given up
 * (base/sandbox.h).
 *
 * That is: its vaults (to read only, where nothing may change them), its state folder,
 * the files that settings name, its ports, and what every program needs: libraries,
 * names of hosts, certificates, the time zone. With git, also programs, the repository
 * and keys. A command that syncs, and Obsidian when a tool opens it, may need anything:
 * then files and ports stay open.
 */
#pragma once

#include "app/setup/app.h"
#include "base/json_write.h"

/* The vaults are open and sync is prepared, and there is no other thread yet. Says in the
 * log what is confined. Fails only with --sandbox required. */
MUST_CHECK bool confine_enter(struct app *app, struct err *err);

/* A key with an object of what is confined. */
void confine_put(struct jsonw *w, const struct sandbox_state *state);

/* "files, ports and system calls", or "nothing". */
str confine_words(struct arena *a, const struct sandbox_state *state);
