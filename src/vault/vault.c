#include "vault/vault.h"

#include "base/path.h"
#include "vault/vault_live.h"

/* "/a/b/" gives "b"; "." gives the name of the folder it stands for. */
static char *name_of(const char *folder)
{
    char *real = realpath(folder, NULL);
    str name = path_name(str_c(real != NULL ? real : folder));
    char *copy = mem_str(name.n > 0 ? name : STR("vault"));
    free(real);
    return copy;
}

bool vault_open(const char *folder, struct vault **out, struct err *err)
{
    struct vault *v = mem_zero(sizeof(*v));
    if (!fs_root_open(&v->root, folder, err)) {
        free(v);
        return false;
    }
    v->name = name_of(folder);
    v->folder = realpath(folder, NULL);
    live_init(v);
    *out = v;
    return true;
}

void vault_close(struct vault *v)
{
    if (v == NULL)
        return;
    live_release(v);
    fs_root_close(&v->root);
    free(v->folder);
    free(v->name);
    free(v);
}

const struct fs_root *vault_root(const struct vault *v)
{
    return &v->root;
}

str vault_name(const struct vault *v)
{
    return str_c(v->name);
}

const char *vault_folder(const struct vault *v)
{
    return v->folder != NULL ? v->folder : "";
}

/* --- listing --- */

static size_t count_children(struct vault *v, str path)
{
    struct arena a = {0};
    struct fs_list list;
    struct err err;
    size_t n = fs_list(&v->root, &a, path, &list, &err) ? list.n : 0;
    arena_release(&a);
    return n;
}

bool vault_list(struct vault *v, struct arena *a, str path, struct vault_listing *out,
                struct err *err)
{
    str clean;
    struct fs_list list;
    if (!path_clean(a, path, &clean, err) || !fs_list(&v->root, a, clean, &list, err))
        return false;
    *out = (struct vault_listing){.path = clean,
                                  .entries = ARENA_ARRAY(a, struct vault_entry, list.n),
                                  .n = list.n};
    for (size_t i = 0; i < list.n; i++) {
        struct vault_entry *e = &out->entries[i];
        *e = (struct vault_entry){.name = list.entries[i].name,
                                  .info = list.entries[i].info};
        if (e->info.type == FS_FOLDER)
            e->children = count_children(v, path_join(a, clean, e->name));
    }
    return true;
}

/* --- reading --- */

static size_t count_lines(str text)
{
    size_t n = 0;
    if (text.n == 0)
        return 0;
    for (const char *p = text.p, *end = text.p + text.n; p < end; p++, n++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (p == NULL)
            return n + 1;
    }
    return n;
}

/* The bytes of the first n lines. */
static size_t length_of_lines(str text, size_t n)
{
    size_t at = 0;
    for (; n > 0 && at < text.n; n--) {
        size_t end = str_find_char(str_skip(text, at), '\n');
        at = end == STR_NONE ? text.n : at + end + 1;
    }
    return at;
}

/* Text may have a few odd bytes; what holds NUL near its start is something else. */
static bool is_text(str bytes)
{
    enum { LOOK_AT = 8192 };
    return str_find_char(str_slice(bytes, 0, LOOK_AT), '\0') == STR_NONE;
}

bool vault_cut(str path, str text, size_t first, size_t limit, struct vault_text *out,
               struct err *err)
{
    if (!is_text(text))
        return err_named(err, ERR_INVALID, "NOT_TEXT",
                         "'" STR_FMT "' is not a text file (%zu bytes)", STR_ARG(path),
                         text.n);
    size_t total = count_lines(text);
    if (first < 1 || first > (total > 0 ? total : 1))
        return err_named(err, ERR_INVALID, "INVALID_RANGE",
                         "offset %zu is outside '" STR_FMT "', which has %zu lines",
                         first, STR_ARG(path), total);
    str from = str_skip(text, length_of_lines(text, first - 1));
    str shown = limit > 0 ? str_slice(from, 0, length_of_lines(from, limit)) : from;
    *out = (struct vault_text){.path = path, .content = shown, .total_lines = total};
    if (total > 0) {
        out->first = first;
        out->last = limit > 0 && limit < total - first + 1 ? first + limit - 1 : total;
    }
    return true;
}

bool vault_read(struct vault *v, struct arena *a, str path, size_t first, size_t limit,
                struct vault_text *out, struct err *err)
{
    str clean, text;
    return path_clean(a, path, &clean, err) &&
           (live_text(v, a, clean, &text) ||
            fs_read(&v->root, a, clean, VAULT_READ_MAX, &text, err)) &&
           vault_cut(clean, text, first, limit, out, err);
}
