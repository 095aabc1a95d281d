#include "app/cli/users_file.h"

#include "base/array.h"
#include "base/sbuf.h"

/* The name of a line; empty for a comment. */
static str name_of(str line)
{
    size_t colon = str_find_char(line, ':');
    return line.n == 0 || line.p[0] == '#' || colon == STR_NONE
               ? STR("")
               : str_slice(line, 0, colon);
}

size_t users_file_names(struct arena *a, str text, str **out)
{
    str line, name;
    size_t n = 0;
    *out = NULL;
    while (text.n > 0 && str_next(&text, '\n', &line))
        if ((name = name_of(line)).n > 0)
            *ARRAY_ADD(a, *out, n) = name;
    return n;
}

bool users_file_has(str text, str name)
{
    str line;
    while (text.n > 0 && str_next(&text, '\n', &line))
        if (str_eq(name_of(line), name))
            return true;
    return false;
}

str users_file_replace(struct arena *a, str text, str name, str hash)
{
    struct sbuf out = SBUF_ON(a);
    str line, ours = hash.n == 0 ? STR("")
                                 : arena_printf(a, STR_FMT ":" STR_FMT "\n",
                                                STR_ARG(name), STR_ARG(hash));
    while (text.n > 0 && str_next(&text, '\n', &line)) {
        bool same = str_eq(name_of(line), name);
        if (!same)
            sbuf_printf(&out, STR_FMT "\n", STR_ARG(line));
        else
            sbuf_add(&out, ours);
        ours = same ? STR("") : ours;
    }
    sbuf_add(&out, ours);
    return sbuf_str(&out);
}
