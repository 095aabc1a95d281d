#include "app/secrets.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/sbuf.h"

bool secrets_load(struct arena *a, str path, size_t max, str *out, struct err *err)
{
    AUTO_CLOSE int fd = open(arena_str(a, path).p, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return err_sys(err, "it cannot be opened");
    struct sbuf text = SBUF_ON(a);
    for (;;) {
        ssize_t n = read(fd, sbuf_room(&text, max + 1 - text.n), max + 1 - text.n);
        if (n < 0)
            return err_sys(err, "it cannot be read");
        if (n == 0)
            break;
        sbuf_took(&text, (size_t)n);
        if (text.n > max)
            return err_set(err, ERR_LIMIT, "it has more than %zu bytes", max);
    }
    *out = sbuf_str(&text);
    return true;
}

str secrets_take(struct arena *a, const char *variable)
{
    char *value = getenv(variable);
    if (value == NULL)
        return STR("");
    str copy = arena_str(a, str_c(value));
    explicit_bzero(value, strlen(value));
    unsetenv(variable);
    return copy;
}

bool secrets_read(struct arena *a, const char *variable, str file, str *out,
                  struct err *err)
{
    struct err why;
    str text;
    *out = secrets_take(a, variable);
    if (file.n == 0)
        return true;
    if (out->n > 0)
        return err_set(err, ERR_INVALID, "give %s or %s_FILE, not both", variable,
                       variable);
    if (!secrets_load(a, file, SECRET_SIZE, &text, &why))
        return err_set(err, ERR_INVALID, "%s_FILE: %s", variable, why.msg);
    *out = str_trim_line(text);
    return out->n > 0 || err_set(err, ERR_INVALID, "%s_FILE is empty", variable);
}
