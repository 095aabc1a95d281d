#include "app/setup/state_settings.h"

#include <stdlib.h>

#include "app/setup/secrets.h"
#include "base/os/self.h"
#include "base/uri.h"
#include "state/store.h"

/* "user:PASSWORD@" or "?password=". */
static bool has_password(str url)
{
    struct uri_parts parts;
    (void)uri_split(url, &parts);
    return str_find_char(parts.user, ':') != STR_NONE ||
           str_find(url, STR("password=")) != STR_NONE;
}

bool state_settings_check_argument(str url, struct err *err)
{
    return !has_password(url) ||
           err_set(
               err, ERR_INVALID,
               "every user of the machine can see a password in the arguments: give "
               "the URL in STATE_DB or --state-db-file, or the password in ~/.pgpass");
}

static bool check_state_url(str url, bool argument, bool memory, struct err *err)
{
    if (url.n == 0)
        return true;
    if (!store_is_url(url.p))
        return err_set(err, ERR_INVALID,
                       "state-db must begin with postgres://, as in "
                       "postgres://USER@HOST/DATABASE");
    if (argument && !state_settings_check_argument(url, err))
        return false;
    return !memory ||
           err_set(err, ERR_INVALID,
                   "--state memory and --state-db contradict each other: give only one");
}

bool state_settings_read(struct arena *a, str *url, str file, bool memory,
                         struct err *err)
{
    const char *variable = self_variable("STATE_DB");
    bool by_variable = variable != NULL && url->p == variable;
    str given = arena_str(a, *url), by_file;
    (void)secrets_take(a, "STATE_DB");
    if (given.n > 0 && file.n > 0)
        return err_set(err, ERR_INVALID, "give STATE_DB or STATE_DB_FILE, not both");
    if (!secrets_read(a, "STATE_DB", file, &by_file, err))
        return false;
    *url = by_file.n > 0 ? arena_str(a, by_file) : given;
    return check_state_url(*url, given.n > 0 && !by_variable, memory, err);
}
