/*
 * pdf - the text and the pages of PDF files, through the programs of poppler-utils, which
 * may be missing.
 *
 * A PDF may come from anywhere, so nothing of it is parsed here. pdfinfo, pdftotext and
 * pdftoppm get it on stdin, each as a process that can read programs, libraries and fonts
 * and nothing else, reaches neither the network nor other processes, and ends at the
 * limits below (base/spawn.h). Whatever goes wrong in there is an error of that call.
 */
#pragma once

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/os/sandbox.h"

enum {
    PDF_FILE_MAX = 64 << 20,    /* bytes of a file */
    PDF_PAGES_MAX = 10000,      /* pages of which the text is taken */
    PDF_TEXT_MAX = 1 << 20,     /* bytes of text; the rest is cut */
    PDF_TITLE_MAX = 200,        /* bytes */
    PDF_PICTURE_MAX = 16 << 20, /* bytes of a page as a picture */
    PDF_MEMORY = 1 << 30,       /* address space of a process */
    PDF_SECONDS = 15,           /* of processor time */
    PDF_MS = 20000,             /* of any time */
    PDF_AT_ONCE = 2,            /* processes for calls; there is one more for the rest */
};

struct pdf {
    uint32_t pages; /* of the file */
    str title;      /* or empty; one line */
    bool cut;       /* text ends before the last page, or within a page */
    str text;       /* of its pages, see below */
};

/* On whose behalf: a call has a limited number of places, background work a low priority. */
struct pdf_how {
    bool background;
    atomic_bool *stop; /* gives up soon when true; or NULL */
};

/* Whether all three programs are in PATH. */
bool pdf_is_installed(void);

/* What they need of the machine, in the arena; to be allowed before pdf_confine(). */
size_t pdf_needs(struct arena *a, const struct sandbox_rule **out);

/* Start the thread that starts them. Otherwise the first call below does. */
void pdf_confine(void);

/*
 * The number of pages, the title, and the text of pages [first, last], from 1; last 0:
 * as many as PDF_PAGES_MAX and PDF_TEXT_MAX allow.
 *
 * Each page begins with a line that is only a form feed, so that the page of a line is
 * the number of form feeds up to it. The text is valid UTF-8 without other control
 * characters but tabs and line feeds.
 *
 * Fails with NOT_TEXT if it is not a PDF, is damaged, or needs a password, with
 * FILE_TOO_LARGE above PDF_FILE_MAX or if it needs too much memory, with INVALID_RANGE if
 * there is no page first, with TIMEOUT, with BUSY if PDF_AT_ONCE others are being read, and
 * with NOT_SET_UP if poppler-utils is missing.
 */
MUST_CHECK bool pdf_read(struct arena *a, str bytes, uint32_t first, uint32_t last,
                         const struct pdf_how *how, struct pdf *out, struct err *err);

/* One page as a PNG whose longer side has that many pixels. Fails in the same way. */
MUST_CHECK bool pdf_picture(struct arena *a, str bytes, uint32_t page, unsigned side,
                            const struct pdf_how *how, str *out, struct err *err);

/* The text of pdf_read() from what pdftotext prints; true if it was cut to max bytes. */
bool pdf_clean(struct arena *a, str printed, size_t max, str *out);
