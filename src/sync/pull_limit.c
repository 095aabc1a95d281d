#include "sync/pull_limit.h"

#include "sync/git.h"

static bool is_too_much(str from, const char *what, struct err *err)
{
    if (from.n == 0)
        return err_set(err, ERR_LIMIT,
                       "the remote has more than %s: it is not cloned. Check what is in "
                       "it; to use it as it is, clone it with git into another folder, "
                       "and serve that",
                       what);
    return err_set(err, ERR_LIMIT,
                   "the remote has more than %s: nothing is pulled. Check what was "
                   "pushed; to take it as it is, run git pull in the vault's folder",
                   what);
}

bool pull_limit_names(struct git_reader *r, str from, str to, struct err *err)
{
    char what[64];
    bool more;
    if (!git_has_more(r, from, to, PULL_NAMES_MAX, &more, err))
        return false;
    snprintf(what, sizeof(what), "%d new or changed files and folders", PULL_NAMES_MAX);
    return !more || is_too_much(from, what, err);
}

bool pull_limit_bytes(uint64_t bytes, str from, struct err *err)
{
    char what[64];
    snprintf(what, sizeof(what), "%d GiB of new or changed files",
             (int)(PULL_BYTES_MAX >> 30));
    return bytes <= PULL_BYTES_MAX || is_too_much(from, what, err);
}
