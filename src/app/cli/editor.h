/*
 * editor - vaultd edit NOTE: the text of a note in the user's editor ($VISUAL, else $EDITOR), and
 * what came of it as one change.
 *
 * The text is a file of its own below the state folder, until the change is on disk: if the
 * editor fails, or the note was changed meanwhile at the same place, the file is kept and
 * named, and the note stays as it is. Changes at other places are merged.
 */
#pragma once

#include "app/answers/changed.h"
#include "app/cli/cli.h"
#include "vault/draft.h"

/* What the editor made of a note. */
struct editor_text {
    str path;        /* of the note */
    str before, now; /* its text */
    const char *file;
};

/* Whether the user can be shown an editor: stdin and stdout are a terminal. */
bool editor_is_possible(const struct cli *c);

/* Runs the editor. *changed: the text is another one; then the file remains until
 * editor_drop(). */
MUST_CHECK bool editor_run(struct cli *c, str state_dir, str word,
                           struct editor_text *out, bool *changed, struct err *err);

/* The step of the change. CONFLICT: the note was changed meanwhile, at the same place. */
MUST_CHECK bool editor_steps(const struct editor_text *e, struct draft *d,
                             struct changed *out, struct err *err);

void editor_drop(const struct editor_text *e);
