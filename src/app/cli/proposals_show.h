/*
 * proposals_show - what is proposed, on a terminal: each hunk with its number, the lines
 * around it, and, on a terminal, the words that change. It prints the JSON that
 * app/setup/proposed_request.h describes, whichever process wrote it.
 */
#pragma once

#include "app/cli/cli.h"
#include "base/json.h"

void proposals_show_list(struct cli *c, const struct json *answer);

/* One: who proposed it, and all of its files. */
void proposals_show(struct cli *c, const struct json *proposal);

/* Its parts, for a question about each. */
void proposals_show_top(struct cli *c, const struct json *proposal);
void proposals_show_file(struct cli *c, const struct json *file);
void proposals_show_hunk(struct cli *c, const struct json *hunk);

/* Whether the file has no lines to be shown: it moves, or is not text. */
bool proposals_has_lines(const struct json *file);
