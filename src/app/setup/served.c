#include "app/setup/served.h"

#include <stdlib.h>

#include "app/setup/settings.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"

enum { SHOWN_MAX = 100 }; /* bytes of user input shown in a message */

bool served_is_name(str name, struct err *err)
{
    bool ok = name.n > 0 && name.n <= SERVED_NAME_MAX;
    for (size_t i = 0; ok && i < name.n; i++)
        ok = is_alnum(name.p[i]) || name.p[i] == '-' || name.p[i] == '_';
    return ok ||
           err_set(err, ERR_INVALID,
                   "vault name '" STR_FMT "' must be 1 to %d letters, digits, '-' or '_'",
                   STR_ARG(utf8_cut(name, SHOWN_MAX)), SERVED_NAME_MAX);
}

static const struct served *with_name(const struct served_list *list, str name)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_eq_nocase(list->items[i].name, name))
            return &list->items[i];
    return NULL;
}

static bool read_one(struct arena *a, str given, const struct served_list *before,
                     struct served *out, struct err *err)
{
    str folder = given, name;
    bool both = str_find_char(given, '=') != STR_NONE && str_next(&folder, '=', &name);
    if (!both || folder.n == 0)
        return err_set(err, ERR_INVALID,
                       "vault '" STR_FMT "' is not NAME=FOLDER, for example "
                       "work=/home/me/Work (a folder with a comma in its name cannot be "
                       "one of several)",
                       STR_ARG(utf8_cut(given, SHOWN_MAX)));
    if (!served_is_name(name, err))
        return false;
    if (with_name(before, name) != NULL)
        return err_set(err, ERR_INVALID, "there are two vaults named '" STR_FMT "'",
                       STR_ARG(name));
    *out = (struct served){name, arena_str(a, settings_expand_home(a, folder))};
    return true;
}

bool served_read(struct arena *a, const struct option_list *given,
                 struct served_list *out, struct err *err)
{
    if (given->n > SERVED_MAX)
        return err_set(err, ERR_INVALID, "there can be at most %d vaults", SERVED_MAX);
    struct served_list list = {ARENA_ARRAY(a, struct served, given->n), 0};
    for (; list.n < given->n; list.n++)
        if (!read_one(a, given->items[list.n], &list, &list.items[list.n], err))
            return false;
    *out = list;
    return true;
}

const struct served *served_find(struct arena *a, const struct served_list *list,
                                 str name, struct err *err)
{
    const struct served *found = with_name(list, name);
    if (found != NULL)
        return found;
    struct sbuf names = SBUF_ON(a);
    for (size_t i = 0; i < list->n; i++)
        sbuf_printf(&names, "%s" STR_FMT, i > 0 ? ", " : "",
                    STR_ARG(list->items[i].name));
    err_set(err, ERR_INVALID,
            "there is no vault named '" STR_FMT "'; VAULTS names: " STR_FMT,
            STR_ARG(utf8_cut(name, SHOWN_MAX)),
            STR_ARG(names.n > 0 ? sbuf_str(&names) : STR("none")));
    return NULL;
}

str served_real(struct arena *a, str folder)
{
    char *real = realpath(arena_str(a, folder).p, NULL);
    str out = arena_str(a, real != NULL ? str_c(real) : folder);
    free(real);
    return out;
}

bool served_is_in(str inner, str outer)
{
    if (str_eq(outer, STR("/")))
        return inner.n > 0;
    return outer.n > 0 && path_is_or_below(outer, inner);
}

bool served_check_apart(struct arena *a, const struct served_list *list, struct err *err)
{
    str *real = ARENA_ARRAY(a, str, list->n);
    for (size_t i = 0; i < list->n; i++) {
        char *path = realpath(list->items[i].folder.p, NULL);
        real[i] = arena_str(a, str_c(path));
        free(path);
    }
    for (size_t i = 0; i < list->n; i++) {
        for (size_t k = 0; k < list->n; k++) {
            str one = list->items[i].name, other = list->items[k].name;
            if (i == k || !served_is_in(real[i], real[k]))
                continue;
            return err_set(err, ERR_INVALID, "vaults '" STR_FMT "' and '" STR_FMT "' %s",
                           STR_ARG(one), STR_ARG(other),
                           str_eq(real[i], real[k])
                               ? "are the same folder"
                               : "overlap: one folder is in the other");
        }
    }
    return true;
}
