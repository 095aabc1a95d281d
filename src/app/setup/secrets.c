#include "app/setup/secrets.h"

#include "base/fs.h"
#include "base/os/self.h"

str secrets_take(struct arena *a, const char *variable)
{
    str copy = arena_str(a, str_c(self_variable(variable)));
    self_forget_variable(variable);
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
    if (!fs_read_file(a, file, SECRET_SIZE, &text, &why))
        return err_set(err, ERR_INVALID, "%s_FILE: %s", variable, why.msg);
    *out = str_trim_line(text);
    return out->n > 0 || err_set(err, ERR_INVALID, "%s_FILE is empty", variable);
}
