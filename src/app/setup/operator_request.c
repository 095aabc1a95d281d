#include "app/setup/operator_request.h"

#include <errno.h>

#include "base/fs.h"
#include "base/sbuf.h"
#include "http/address.h"

static bool reach_operator(str address, int *out, struct err *err)
{
    struct net_address to;
    if (!http_address_parse(address, &to, err))
        return false;
    AUTO_CLOSE int fd = net_connect(&to, OPERATOR_REQUEST_MS);
    if (fd < 0)
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
    bool reached = reach_operator(address, &fd, &err);
    file_auto_close(&fd);
    return !reached && err.code == ERR_NOT_FOUND;
}

static bool operator_request_read_all(struct arena *a, int fd, str *out, struct err *err)
{
    struct sbuf text = SBUF_ON(a);
    char piece[4096];
    size_t n;
    do {
        if (!net_receive(fd, piece, sizeof(piece), &n))
            return err_sys(err, "no answer");
        sbuf_add(&text, (str){piece, n});
        if (text.n > OPS_ANSWER_MAX)
            return err_set(err, ERR_LIMIT, "the answer is too long");
    } while (n > 0);
    *out = sbuf_str(&text);
    return true;
}

bool operator_request(struct arena *a, str address, const char *path,
                      const struct json **out, struct err *err)
{
    int connected = -1;
    str text;
    if (!reach_operator(address, &connected, err))
        return false;
    AUTO_CLOSE int fd = connected;
    str request = arena_printf(a,
                               "GET %s HTTP/1.1\r\nHost: localhost\r\n"
                               "Connection: close\r\n\r\n",
                               path);
    if (!net_send(fd, request))
        return err_sys(err, "cannot ask " STR_FMT, STR_ARG(address));
    if (!operator_request_read_all(a, fd, &text, err))
        return false;
    size_t body = str_find(text, STR("\r\n\r\n"));
    if (!str_starts(text, STR("HTTP/1.1 ")) || body == STR_NONE ||
        !json_parse(a, str_skip(text, body + 4), out, err))
        return err_set(err, ERR_INVALID, "the server on " STR_FMT " is not vaultd",
                       STR_ARG(address));
    return true;
}
