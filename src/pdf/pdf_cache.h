/*
 * pdf_cache - what pdf_read() made of whole files, kept in a folder by the SHA-256 of the
 * file, so that moving a file, or starting again, extracts nothing a second time.
 *
 * One private file (0600) for each PDF. A damaged one is removed and counts as missing.
 * When there are more than the limits allow, the oldest are removed. Several threads and
 * processes may use the same folder.
 */
#pragma once

#include "pdf/pdf.h"

enum {
    PDF_CACHE_FILES = 20000,
    PDF_CACHE_BYTES = 256 << 20,
};

struct pdf_cache;

/* The folder is created when something is put into it. Never fails: what cannot be used
 * caches nothing. */
struct pdf_cache *pdf_cache_open(const char *folder);
void pdf_cache_close(struct pdf_cache *c);

/* As pdf_read() for all pages, from the cache if it has them. c may be NULL: no cache. */
MUST_CHECK bool pdf_cache_read(struct pdf_cache *c, struct arena *a, str bytes,
                               const struct pdf_how *how, struct pdf *out,
                               struct err *err);
