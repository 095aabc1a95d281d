#include "base/os/watcher.h"

bool watcher_is_supported(void)
{
    return false;
}

const char *watcher_name(void)
{
    return "nothing";
}

bool watcher_limit(int64_t *out)
{
    return false;
}

bool watcher_open(struct watcher *w, struct err *err)
{
    w->fd = -1;
    return err_set(err, ERR_INVALID, "this build of vaultd does not watch folders");
}

void watcher_close(struct watcher *w)
{
    w->fd = -1;
}

bool watcher_add(struct watcher *w, int fd, int *folder, struct err *err)
{
    BUG("nothing is watched");
}

void watcher_remove(struct watcher *w, int folder)
{
}

bool watcher_read(struct watcher *w,
                  bool (*each)(void *arg, const struct watcher_event *e, struct err *err),
                  void *arg, struct err *err)
{
    BUG("nothing is watched");
}
