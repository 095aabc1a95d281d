/*
 * resource_page - what families of resources share: lists of all vaults in pages, and contents
 * with what people do not see in them.
 */
#pragma once

#include "mcp/call.h"

/*
 * Lists have pages of one vault each, one vault after the other. The cursor is "<name>/<the last
 * that was shown>", so neither what is listed nor vaults that come or go shift the pages.
 *
 * A page lists what follows *after in the vault that the call uses, and moves *after; *more: the
 * vault has more. last: no page follows.
 */
typedef bool resource_page(struct mcp_call *call, str *after, bool *more,
                           struct err *err);
MUST_CHECK bool resource_pages(struct mcp_call *call, str cursor, resource_page *list,
                               bool *last, struct err *err);

/* Answer the bytes of a file: as text, if they are, with a report of what people do not see in
 * it. */
void resource_put_bytes(struct mcp_call *call, str uri, str path, str bytes);

/* After a text: report what people do not see in it. The text itself must not change, so this
 * is a second part. */
void resource_flag_hidden(struct mcp_call *call, str uri, str text);

/* An answer that may be older says so, as those of tools do. */
void resource_flag_stale(struct mcp_call *call, str uri);
