#include "app/setup/pdf_pages.h"

#include "app/setup/app.h"
#include "pdf/pdf.h"
#include "pdf/pdf_cache.h"
#include "vault/vault.h"

bool pdf_pages_is_wanted(const struct app *app)
{
    if (app->settings.pdf == PDF_OFF)
        return false;
    for (const struct mcp_tool *const *t = app->tools; t != NULL && *t != NULL; t++)
        if (((*t)->flags & APP_READS_PDF) != 0)
            return true;
    return false;
}

bool pdf_pages_is_on(const struct app *app)
{
    return pdf_pages_is_wanted(app) && pdf_is_installed();
}

struct pdf_cache *pdf_pages_open(const char *state_dir)
{
    struct arena a = {0};
    struct pdf_cache *cache = pdf_cache_open(arena_printf(&a, "%s/pdf", state_dir).p);
    arena_release(&a);
    return cache;
}

static bool pdf_pages_make(void *cache, struct arena *a, str bytes, atomic_bool *stop,
                           str *text, struct err *err)
{
    struct pdf_how how = {.background = true, .stop = stop};
    struct pdf pdf;
    if (!pdf_cache_read(cache, a, bytes, &how, &pdf, err))
        return false;
    *text = pdf.text;
    return true;
}

void pdf_pages_set(struct vault_options *options, struct pdf_cache *cache)
{
    options->paged = pdf_pages_make;
    options->paged_max = PDF_FILE_MAX;
    options->paged_arg = cache;
}
