/*
 * proposals_patch - asks about each hunk of a proposal, as git add -p does, and then for a
 * reason if something is rejected.
 */
#pragma once

#include "app/cli/cli.h"
#include "app/setup/proposed.h"
#include "base/json.h"

/* Fills choice and reason, of which the latter may be given. *decided is false if the user
 * quits. Fails at the end of the input. */
MUST_CHECK bool proposals_patch(struct cli *c, const struct json *proposal,
                                struct proposed_decision *out, bool *decided,
                                struct err *err);
