/*
 * attachment - files of a vault that a client gets as they are, not as text: pictures and
 * sounds, PDF as a whole or by page.
 */
#pragma once

#include "mcp/call.h"
#include "pdf/pdf.h"
#include "picture/picture.h"

/* Whether a file of that name is one of these. */
bool attachment_is(str path);

/*
 * Answer a call of vault_read with the file: a picture as an image, scaled down if it is
 * large (picture/picture.h), a sound as audio, a PDF as a resource. Fails with
 * FILE_TOO_LARGE above --attachment-max, and with NOT_TEXT if the content is something
 * else. May run the call again, on a worker.
 */
MUST_CHECK bool attachment_read(struct mcp_call *call, str path, struct err *err);

/* Whether the text of a file of that name can be read: it is a PDF, and this server reads
 * them (app.pdf). */
bool attachment_has_pages(struct mcp_call *call, str path);

/*
 * Pages [first, last] of a PDF, as pdf_read(); first 0: as much as the cache keeps, from
 * page 1. *later: the call is run again on a worker, so return true; else *out is filled.
 */
MUST_CHECK bool attachment_pages(struct mcp_call *call, str path, uint32_t first,
                                 uint32_t last, struct pdf *out, bool *later,
                                 struct err *err);

/* Answer a call of vault_read with one page of a PDF as a picture. */
MUST_CHECK bool attachment_page(struct mcp_call *call, str path, uint32_t page,
                                struct err *err);

/* --- private to attachment*.c --- */

enum { ATTACHMENT_WAIT_MS = 50, ATTACHMENT_WAITS_MAX = 600 };

/* Run the call again on a worker, where it may take a while; *runs: so far. False: it has
 * waited long enough. */
bool attachment_run_later(struct mcp_call *call, int *runs);

/* picture_copy(), while the worker is left to others. */
MUST_CHECK bool attachment_copy(struct mcp_call *call, str bytes, const struct picture *p,
                                str *out, enum picture_kind *kind, struct err *err);
