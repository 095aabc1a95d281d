#include "app/cli/hash_password.h"

#include "base/hash.h"
#include "base/os/bytes.h"
#include "base/os/file.h"
#include "base/os/terminal.h"
#include "oauth/users.h"

/* More bytes than allowed, so that a longer password is refused, not cut. */
enum { LINE_MAX_SIZE = USERS_PASSWORD_MAX + 3 };

struct password_line {
    char bytes[LINE_MAX_SIZE];
    size_t n;
};

static bool was_read(bool ok, struct password_line *line, struct err *err)
{
    if (ok && line->n > 0 && line->bytes[line->n - 1] == '\r')
        line->n--;
    return ok || err_sys(err, "cannot read the password");
}

static bool read_password_line(struct password_line *line, struct err *err)
{
    bool ended;
    return was_read(
        terminal_read_line(line->bytes, sizeof(line->bytes), &line->n, &ended), line,
        err);
}

static bool read_hidden(str prompt, struct password_line *line, struct err *err)
{
    return was_read(
        terminal_read_secret(prompt, line->bytes, sizeof(line->bytes), &line->n), line,
        err);
}

static bool read_twice(struct password_line *line, struct err *err)
{
    struct password_line again;
    bool ok = read_hidden(STR("Password: "), line, err) &&
              read_hidden(STR("Again: "), &again, err);
    if (ok && !hash_equal((str){line->bytes, line->n}, (str){again.bytes, again.n}))
        ok = err_set(err, ERR_INVALID, "the two passwords differ");
    bytes_wipe(&again, sizeof(again));
    return ok;
}

bool hash_password(struct arena *a, struct err *weak, str *out, struct err *err)
{
    struct password_line line;
    bool ok =
        terminal_is(FILE_STDIN) ? read_twice(&line, err) : read_password_line(&line, err);
    str password = {line.bytes, ok ? line.n : 0};
    if (ok)
        ok = users_hash(a, password, out, err);
    if (weak != NULL)
        *weak = (struct err){0};
    if (ok && !users_check_strength(password, weak != NULL ? weak : err))
        ok = weak != NULL;
    bytes_wipe(&line, sizeof(line));
    return ok;
}
