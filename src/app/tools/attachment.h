/*
 * attachment - files of a vault that a client gets as they are, not as text: pictures,
 * PDF and sounds.
 */
#pragma once

#include "mcp/call.h"

/* Whether a file of that name is one of these. */
bool attachment_is(str path);

/*
 * Answer a call of vault_read with the file: a picture as an image, scaled down if it is
 * large (picture/picture.h), a sound as audio, a PDF as a resource. Fails with
 * FILE_TOO_LARGE above --attachment-max, and with NOT_TEXT if the content is something
 * else. May run the call again, on a worker.
 */
MUST_CHECK bool attachment_read(struct mcp_call *call, str path, struct err *err);
