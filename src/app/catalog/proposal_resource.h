/*
 * proposal_resource - a change that a client has proposed, as a resource that it can read and
 * subscribe to, in both eras: vault-proposal:///ID, with several vaults
 * vault-proposal://NAME/ID. For other clients it does not exist.
 *
 * A proposal is decided by another process as well: the command line, another server or
 * replica. So the table is looked at every second, and subscribers are notified of what was
 * decided since.
 */
#pragma once

#include "app/setup/app.h"
#include "mcp/resource.h"

enum { PROPOSAL_WATCH_MS = 1000 };

extern const struct mcp_resource proposal_resource, proposal_resource_of_many;

/* From then on, until it is freed; NULL: nothing is proposed here. */
struct proposal_watch;
MUST_CHECK bool proposal_watch_start(struct app *app, struct proposal_watch **out,
                                     struct err *err);
void proposal_watch_free(struct proposal_watch *w);
