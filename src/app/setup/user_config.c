#include "app/setup/user_config.h"

#include "app/setup/settings.h"
#include "base/array.h"
#include "base/fs.h"
#include "base/near.h"
#include "base/os/machine.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/system_path.h"
#include "base/utf8.h"

enum { SHOWN_MAX = 60 };

static const char *const keys[] = {"vault-path", "vaults", "vaults-dir"};

str user_config_file(struct arena *a)
{
    return machine_home(a).n > 0 ? path_join(a, machine_config_folder(a), STR("config"))
                                 : STR("");
}

/* Comments and empty lines have no key. */
static bool user_config_split(str line, str *key, str *value)
{
    str rest = str_trim(str_trim_line(line));
    if (rest.n == 0 || rest.p[0] == '#')
        return false;
    (void)str_next(&rest, '=', key);
    *key = str_trim(*key);
    *value = str_trim(rest);
    return true;
}

static bool user_config_unknown(str key, struct err *err)
{
    struct near_search near;
    near_search(&near, utf8_cut(key, SHOWN_MAX), key.n / 3 + 1);
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        (void)near_offer(&near, str_c(keys[i]));
    return err_set(err, ERR_INVALID,
                   "'" STR_FMT "' is not vault-path, vaults or vaults-dir%s" STR_FMT "%s",
                   STR_ARG(utf8_cut(key, SHOWN_MAX)),
                   near.best.n > 0 ? "; did you mean '" : "", STR_ARG(near.best),
                   near.best.n > 0 ? "'?" : "");
}

/* The file means the same in every folder. */
static bool user_config_is_absolute(struct arena *a, str folder, struct err *err)
{
    return system_path_is_absolute(settings_path(a, folder)) ||
           err_set(err, ERR_INVALID, "'" STR_FMT "' does not begin with / or ~/",
                   STR_ARG(utf8_cut(folder, SHOWN_MAX)));
}

static bool user_config_read_names(struct arena *a, str value, struct option_list *out,
                                   struct err *err)
{
    for (str item, folder, name; str_next(&value, ',', &item);) {
        folder = item = str_trim(item);
        (void)str_next(&folder, '=', &name);
        if (item.n == 0)
            continue;
        if (!user_config_is_absolute(a, folder, err))
            return false;
        *ARRAY_ADD(a, out->items, out->n) = item;
    }
    return true;
}

static bool user_config_add(struct arena *a, str key, str value, struct user_config *out,
                            struct err *err)
{
    bool named = str_eq(key, STR("vaults"));
    str *one = str_eq(key, STR("vault-path"))   ? &out->path
               : str_eq(key, STR("vaults-dir")) ? &out->dir
                                                : NULL;
    if (!named && one == NULL)
        return user_config_unknown(key, err);
    if (value.n == 0)
        return err_set(err, ERR_INVALID, STR_FMT " needs a value", STR_ARG(key));
    if (named)
        return user_config_read_names(a, value, &out->named, err);
    *one = value;
    return user_config_is_absolute(a, value, err);
}

bool user_config_parse(struct arena *a, str text, struct user_config *out,
                       struct err *err)
{
    size_t number = 0;
    struct err why = {0};
    *out = (struct user_config){0};
    for (str line, key, value; str_next(&text, '\n', &line);) {
        number++;
        if (user_config_split(line, &key, &value) &&
            !user_config_add(a, key, value, out, &why))
            return err_set(err, ERR_INVALID, "line %zu: %s", number, why.msg);
    }
    return (out->path.n > 0) + (out->named.n > 0) + (out->dir.n > 0) <= 1 ||
           err_set(err, ERR_INVALID,
                   "give one of vault-path, vaults and vaults-dir, not several");
}

bool user_config_read(struct arena *a, struct user_config *out, struct err *err)
{
    str text, file = user_config_file(a);
    *out = (struct user_config){0};
    if (file.n == 0)
        return true;
    if (!fs_read_file(a, file, USER_CONFIG_MAX_BYTES, &text, err))
        return err->code == ERR_NOT_FOUND || err_at(err, file.p);
    return user_config_parse(a, text, out, err) || err_at(err, file.p);
}

str user_config_with(struct arena *a, str text, str folder)
{
    struct sbuf out = SBUF_ON(a);
    bool is_new = text.n == 0;
    if (is_new)
        sbuf_add(&out, STR("# The default vault of vaultd's commands, unless a flag, a "
                           "variable or the current\n# folder names another one.\n"));
    text.n -= str_ends(text, STR("\n"));
    for (str line, key, value; !is_new && str_next(&text, '\n', &line);)
        if (!user_config_split(line, &key, &value))
            sbuf_printf(&out, STR_FMT "\n", STR_ARG(line));
    sbuf_printf(&out, "vault-path = " STR_FMT "\n", STR_ARG(folder));
    return sbuf_str(&out);
}
