/*
 * adr - publish decision records from the vault to the repository of the code they
 * describe.
 *
 * The folder ADR_FOLDER of that repository is opened as a small separate vault in our
 * state folder, with a sync that lives for one call: changes made there by others are
 * merged, and nothing outside that folder is touched.
 */
#pragma once

#include "app/setup/app.h"

#define ADR_FOLDER "docs/adr"

enum { ADR_NETWORK_S = 60 }; /* for one exchange with the repository */

struct adr {
    str name; /* of the file in the repository */
    str text;
    str user, client;
    bool (*stop)(void *arg); /* polled while waiting for the network */
    void *arg;
};

/*
 * Make one commit and push it. *changed is false if the repository already had exactly
 * this text. Fails with the remote's message; the commit is then pushed with the next
 * one. Waits for the network, so only one call does this at a time: ERR_BUSY for others.
 */
MUST_CHECK bool adr_publish(struct app *app, const struct adr *adr, bool *changed,
                            struct err *err);
