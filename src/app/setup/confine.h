/*
 * confine - work out from the settings what this server needs of the machine, and give up
 * everything else (base/os/sandbox.h).
 *
 * It needs its vaults (read-only if nothing may change them), its state folder, the files
 * named in the settings, its ports, and what every program needs: libraries, host names,
 * certificates, the time zone. With git, also programs, the repository and keys; git
 * itself gets only these, and reads the notes (base/spawn.h). With an embeddings endpoint, its
 * port. Programs that read PDF files
 * get only themselves and fonts (pdf/pdf.h). A sync command, and Obsidian when a tool opens
 * it, may need anything: then files and ports are not confined.
 */
#pragma once

#include "app/setup/app.h"
#include "base/json_write.h"

/* Fails if root would serve the vault of another user: what it creates would belong to
 * root, and a mistake would reach the whole machine. */
MUST_CHECK bool confine_check_owner(const char *vault, struct err *err);

/* Call it when the vaults are open and sync is prepared, before any other thread starts.
 * Logs what is confined. Fails only with --sandbox required. */
MUST_CHECK bool confine_enter(struct app *app, struct err *err);

/* Writes a key with an object that says what is confined. */
void confine_put(struct jsonw *w, const struct sandbox_state *state);

/* "files, ports and system calls", or "nothing". */
str confine_words(struct arena *a, const struct sandbox_state *state);
