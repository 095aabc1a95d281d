#include "app/setup/operator_request.h"

#include <errno.h>

#include "base/fs.h"
#include "base/sbuf.h"
#include "http/address.h"

static bool reach_operator(str address, unsigned ms, int *out, struct err *err)
{
    struct net_address to;
    if (!http_address_parse(address, &to, err))
        return false;
    AUTO_CLOSE int fd = net_connect(&to, ms);
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
    bool reached = reach_operator(address, OPERATOR_REQUEST_MS, &fd, &err);
    file_auto_close(&fd);
    return !reached && err.code == ERR_NOT_FOUND;
}

static bool operator_request_read_all(struct arena *a, int fd, size_t max, str *out,
                                      struct err *err)
{
    struct sbuf text = SBUF_ON(a);
    char piece[4096];
    size_t n;
    do {
        if (!net_receive(fd, piece, sizeof(piece), &n))
            return err_sys(err, "no answer");
        sbuf_add(&text, (str){piece, n});
        if (text.n > max)
            return err_set(err, ERR_LIMIT, "the answer is too long");
    } while (n > 0);
    *out = sbuf_str(&text);
    return true;
}

static bool exchange(struct arena *a, str address, str request, unsigned ms, size_t max,
                     const struct json **out, struct err *err)
{
    int connected = -1;
    str text;
    if (!reach_operator(address, ms, &connected, err))
        return false;
    AUTO_CLOSE int fd = connected;
    if (!net_send(fd, request))
        return err_sys(err, "cannot ask " STR_FMT, STR_ARG(address));
    if (!operator_request_read_all(a, fd, max, &text, err))
        return false;
    size_t body = str_find(text, STR("\r\n\r\n"));
    if (!str_starts(text, STR("HTTP/1.1 ")) || body == STR_NONE ||
        !json_parse(a, str_skip(text, body + 4), out, err))
        return err_set(err, ERR_INVALID, "the server on " STR_FMT " is not vaultd",
                       STR_ARG(address));
    return true;
}

bool operator_request(struct arena *a, str address, const char *path,
                      const struct json **out, struct err *err)
{
    str request = arena_printf(a,
                               "GET %s HTTP/1.1\r\nHost: localhost\r\n"
                               "Connection: close\r\n\r\n",
                               path);
    return exchange(a, address, request, OPERATOR_REQUEST_MS, OPS_ANSWER_MAX, out, err);
}

bool operator_post(struct arena *a, str address, const char *path, str key, str body,
                   const struct json **out, struct err *err)
{
    str request = arena_printf(a,
                               "POST %s HTTP/1.1\r\nHost: localhost\r\n" OPS_KEY_HEADER
                               ": " STR_FMT "\r\nContent-Type: application/json\r\n"
                               "Content-Length: %zu\r\nConnection: close\r\n\r\n" STR_FMT,
                               path, STR_ARG(key), body.n, STR_ARG(body));
    return exchange(a, address, request, OPERATOR_CHANGE_MS, OPS_PROPOSAL_MAX, out, err);
}
