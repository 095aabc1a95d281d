/*
 * adr - put decision records of the vault into the repository of the code they are about.
 *
 * The folder ADR_FOLDER of that repository is a small vault of its own in our state
 * folder, with a sync of its own that lives for one call: what others changed there is
 * merged, and nothing but that folder is touched.
 */
#pragma once

#include "app/setup/app.h"

#define ADR_FOLDER "docs/adr"

struct adr {
    str name; /* of the file there */
    str text;
    str user, client;
    bool (*stop)(void *arg); /* asked while the network works */
    void *arg;
};

/*
 * One commit, pushed. *changed: false when it was there already, just so. Fails in the
 * remote's words; what was committed then goes along with the next.
 */
MUST_CHECK bool adr_publish(const struct app *app, const struct adr *adr, bool *changed,
                            struct err *err);
