/*
 * pdf_pages - the text of PDF files (pdf/pdf.h) for vaults, kept in the state folder.
 */
#pragma once

#include "app/setup/app.h"
#include "pdf/pdf_cache.h"

/* Whether the settings and the chosen tools want it; and whether it is possible, too. */
bool pdf_pages_is_wanted(const struct app *app);
bool pdf_pages_is_on(const struct app *app);

/* The cache in that state folder. */
struct pdf_cache *pdf_pages_open(const char *state_dir);

/* Let a vault make the texts with this cache, which must outlive it. */
void pdf_pages_set(struct vault_options *options, struct pdf_cache *cache);
