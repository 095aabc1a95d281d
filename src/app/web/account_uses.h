/*
 * account_uses - what the apps and keys of a user read and changed in the last month, from the
 * audit log (app/setup/audit.h), for /account.
 *
 * Only the latest ACCOUNT_AUDIT_BYTES of the log of this server are read; if the month begins
 * before them, the page says from when on they are.
 */
#pragma once

#include "oauth/config.h"

struct app;

enum {
    ACCOUNT_AUDIT_BYTES = 8 << 20,
    ACCOUNT_AUDIT_DAYS = 30,
    ACCOUNT_AUDIT_APPS = 200,
    ACCOUNT_AUDIT_FILES = 2000, /* different files that are counted of an app */
    ACCOUNT_AUDIT_SHOWN = 20,   /* that are named, the latest */
};

/* For oauth_config.uses. */
size_t account_uses(void *app, struct arena *a, str user, struct oauth_uses **out,
                    str *note);
