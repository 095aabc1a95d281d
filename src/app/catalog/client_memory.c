#include "app/catalog/client_memory.h"

#include "base/hash.h"
#include "vault/vault.h"

static str file_name(const struct app *app, struct arena *a)
{
    struct sbuf folders = SBUF_ON(a);
    if (app->hosted != NULL)
        sbuf_add(&folders, app->settings.vaults_dir);
    for (size_t i = 0; i < app->n_vaults; i++)
        sbuf_printf(&folders, STR_FMT "=%s\n", STR_ARG(app->vaults[i].name),
                    vault_folder(app->vaults[i].vault));
    struct hash_content id = hash_content(sbuf_str(&folders));
    return arena_printf(a, "clients-%016llx.json", (unsigned long long)id.high);
}

str memory_read(const struct app *app, struct arena *a)
{
    struct fs_root state;
    struct err ignored;
    str text = {0};
    if (!fs_root_open(&state, app->state_dir, &ignored))
        return text;
    if (!fs_read(&state, a, file_name(app, a), MEMORY_MAX, &text, &ignored))
        text = (str){0};
    fs_root_close(&state);
    return text;
}

void memory_write(void *arg, str text)
{
    const struct app *app = arg;
    struct arena a = {0};
    struct err err;
    str path =
        arena_printf(&a, "%s/" STR_FMT, app->state_dir, STR_ARG(file_name(app, &a)));
    if (!fs_replace_file(path.p, text, &err))
        log_event(LOG_WARN, "clients_not_kept", LOG_STR("file", path),
                  LOG_STR("detail", str_c(err.detail)));
    arena_release(&a);
}
