#include "base/os/windows/child_environment.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/os/self.h"
#include "base/os/windows/base.h"
#include "base/os/windows/wide.h"

static const char *const needed[] = {"SystemRoot", "SystemDrive", "windir",
                                     "ComSpec",    "TEMP",        "TMP"};

static int by_name(const void *a, const void *b)
{
    const wchar_t *const *x = a, *const *y = b;
    return CompareStringOrdinal(*x, -1, *y, -1, TRUE) - CSTR_EQUAL;
}

static bool has_variable(const char *const *env, str name)
{
    for (; *env != NULL; env++)
        if (str_eq_nocase(str_slice(str_c(*env), 0, name.n), name) &&
            (*env)[name.n] == '=')
            return true;
    return false;
}

/* All of them in UTF-16; false if one is not UTF-8. */
static bool environment_gather(const char *const *env, wchar_t **out, size_t *n)
{
    struct arena a = {0};
    bool ok = true;
    for (*n = 0; ok && env[*n] != NULL; ok = out[*n - 1] != NULL) {
        out[*n] = wide_of(str_c(env[*n]));
        ++*n;
    }
    for (size_t i = 0; ok && i < COUNT_OF(needed); i++) {
        const char *value = self_variable(needed[i]);
        if (value != NULL && !has_variable(env, str_c(needed[i])))
            out[(*n)++] = wide_of(arena_printf(&a, "%s=%s", needed[i], value));
    }
    arena_release(&a);
    return ok;
}

static wchar_t *concatenate(wchar_t *const *list, size_t n)
{
    size_t units = 2, at = 0;
    for (size_t i = 0; i < n; i++)
        units += wcslen(list[i]) + 1;
    wchar_t *out = mem_zero(units * sizeof(*out));
    for (size_t i = 0; i < n; i++) {
        wmemcpy(out + at, list[i], wcslen(list[i]) + 1);
        at += wcslen(list[i]) + 1;
    }
    return out;
}

wchar_t *child_environment(const char *const *env)
{
    size_t n = 0, max = COUNT_OF(needed);
    while (env[n] != NULL)
        n++;
    max += n;
    wchar_t **list = mem_zero(max * sizeof(*list)), *out = NULL;
    if (environment_gather(env, list, &n)) {
        qsort(list, n, sizeof(*list), by_name);
        out = concatenate(list, n);
    }
    for (size_t i = 0; i < max; i++)
        free(list[i]);
    free(list);
    return out;
}
