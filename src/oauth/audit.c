#include "oauth/parts.h"
#include "oauth/proof/secret.h"

void audit(enum log_level level, const char *event, str client, str user, str secret,
           const char *why)
{
    struct arena a = {0};
    struct log_field fields[5] = {LOG_STR("client", client)};
    size_t n = 1;
    if (user.n > 0)
        fields[n++] = LOG_STR("user", user);
    if (secret.n > 0)
        fields[n++] = LOG_STR("secret", secret_tag(&a, secret));
    if (why != NULL)
        fields[n++] = LOG_STR("why", str_c(why));
    if (log_enabled(level))
        log_write(level, event, fields);
    arena_release(&a);
}

bool fault_set(struct oauth_fault *fault, int status, const char *code, const char *text)
{
    *fault = (struct oauth_fault){status, code, text};
    return false;
}

bool fault_of_store(struct oauth_fault *fault, const struct err *err)
{
    log_event(LOG_ERROR, "oauth.store", LOG_STR("error", str_c(err->msg)),
              LOG_STR("detail", str_c(err->detail)));
    return fault_set(fault, 503, "temporarily_unavailable",
                     "The server is temporarily unavailable; try again");
}
