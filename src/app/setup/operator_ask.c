#include "app/setup/operator_ask.h"

#include <errno.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/sbuf.h"
#include "http/address.h"

static bool reach(str address, int *out, struct err *err)
{
    struct http_address to;
    if (!http_address_parse(address, &to, err))
        return false;
    AUTO_CLOSE int fd = socket(to.sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval limit = {.tv_sec = OPS_ASK_MS / 1000};
    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    }
    if (fd < 0 || connect(fd, (const struct sockaddr *)&to.sa, to.len) != 0)
        return errno == ECONNREFUSED || errno == ENOENT
                   ? err_set(err, ERR_NOT_FOUND, "no server is listening on " STR_FMT,
                             STR_ARG(address))
                   : err_sys(err, "cannot connect to " STR_FMT, STR_ARG(address));
    *out = TAKE(fd);
    return true;
}

bool ops_is_deserted(str address)
{
    int fd = -1;
    struct err err = {0};
    bool reached = reach(address, &fd, &err);
    fs_auto_close(&fd);
    return !reached && err.code == ERR_NOT_FOUND;
}

static bool operator_ask_read_all(struct arena *a, int fd, str *out, struct err *err)
{
    struct sbuf text = SBUF_ON(a);
    char piece[4096];
    ssize_t n;
    while ((n = recv(fd, piece, sizeof(piece), 0)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, "no answer");
        sbuf_add(&text, (str){piece, (size_t)n});
        if (text.n > OPS_ANSWER_MAX)
            return err_set(err, ERR_LIMIT, "the answer is too long");
    }
    *out = sbuf_str(&text);
    return true;
}

bool ops_ask(struct arena *a, str address, const char *path, const struct json **out,
             struct err *err)
{
    int connected;
    str text;
    if (!reach(address, &connected, err))
        return false;
    AUTO_CLOSE int fd = connected;
    str request = arena_printf(a,
                               "GET %s HTTP/1.1\r\nHost: localhost\r\n"
                               "Connection: close\r\n\r\n",
                               path);
    if (send(fd, request.p, request.n, MSG_NOSIGNAL) != (ssize_t)request.n)
        return err_sys(err, "cannot ask " STR_FMT, STR_ARG(address));
    if (!operator_ask_read_all(a, fd, &text, err))
        return false;
    size_t body = str_find(text, STR("\r\n\r\n"));
    if (!str_starts(text, STR("HTTP/1.1 ")) || body == STR_NONE ||
        !json_parse(a, str_skip(text, body + 4), out, err))
        return err_set(err, ERR_INVALID, "on " STR_FMT " there is some other server",
                       STR_ARG(address));
    return true;
}
