/*
 * state_settings - the URL of the database where sign-ins and whatever else must survive a
 * restart are kept, if that is not a file of the state folder.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

/*
 * *url: --state-db as an argument or a variable, which is erased; becomes what is in file
 * if that is given. memory: --state memory. ERR_INVALID: it is not a URL for PostgreSQL,
 * given twice, or an argument with a password.
 */
MUST_CHECK bool state_settings_read(struct arena *a, str *url, str file, bool memory,
                                    struct err *err);

/* A URL in an argument, which every user of the machine can see. ERR_INVALID: it has a
 * password. */
MUST_CHECK bool state_settings_check_argument(str url, struct err *err);
