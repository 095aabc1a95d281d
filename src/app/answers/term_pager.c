#include "app/answers/term_pager.h"

#include "base/array.h"
#include "base/os/self.h"
#include "base/os/terminal.h"
#include "base/process.h"
#include "base/text.h"

enum { NOT_RUN = 126 }; /* as shells say it, and above it: not found */

/* NULL: none is wanted, or there is none. */
static const char *pager_of(struct arena *a)
{
    const char *own = self_variable("VAULTD_PAGER"), *usual = self_variable("PAGER");
    const char *pager = own != NULL ? own : usual;
    if (pager == NULL)
        return process_find(a, "less", process_path()) != NULL ? "less" : NULL;
    return pager[0] == '\0' || strcmp(pager, "cat") == 0 ? NULL : pager;
}

/* The environment of this process, with LESS: quit if it fits, colours, leave it there. */
static const char *const *environment(struct arena *a)
{
    static const char *const less = "LESS=FRX";
    const char *const *ours = self_environment();
    const char **env = NULL;
    size_t n = 0;
    for (size_t i = 0; ours[i] != NULL; i++)
        *ARRAY_ADD(a, env, n) = ours[i];
    if (self_variable("LESS") == NULL)
        *ARRAY_ADD(a, env, n) = less;
    *ARRAY_ADD(a, env, n) = NULL;
    return env;
}

bool term_pager_show(struct arena *a, str text, size_t height)
{
    int code;
    if (text_count_lines(text) < height)
        return false;
    const char *pager = pager_of(a);
    return pager != NULL && terminal_run(pager, environment(a), text, &code) &&
           code < NOT_RUN;
}
