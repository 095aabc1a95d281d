#include "vault/forms/daily.h"

#include "base/path.h"
#include "vault/text/moment.h"

static bool is_markdown(str path)
{
    return str_eq_nocase(path_extension(path), STR("md"));
}

/* Obsidian treats backslashes in its settings as slashes. */
static str with_slashes(struct arena *a, str path)
{
    char *p = arena_alloc(a, path.n + 1);
    for (size_t i = 0; i < path.n; i++)
        p[i] = path.p[i] == '\\' ? '/' : path.p[i];
    return (str){p, path.n};
}

static str with_extension(struct arena *a, str path)
{
    return is_markdown(path) ? path : arena_printf(a, STR_FMT ".md", STR_ARG(path));
}

bool daily_path(struct arena *a, const struct obsidian_dated *where,
                const struct moment *date, str *out, struct err *err)
{
    str name = moment_format(a, date, where->format);
    str path = path_join(a, with_slashes(a, where->folder), name);
    return path_clean(a, with_extension(a, path), out, err);
}

bool daily_template(struct arena *a, const struct obsidian_dated *where, str *out,
                    struct err *err)
{
    *out = STR("");
    if (where->template_name.n == 0)
        return true;
    str path = with_extension(a, with_slashes(a, where->template_name));
    return path_clean(a, path, out, err);
}
