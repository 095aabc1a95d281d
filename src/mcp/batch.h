/*
 * batch - a JSON-RPC batch (2025-03-26 only): several requests, one answer. Private to
 * src/mcp.
 */
#pragma once

#include "mcp/request.h"

/*
 * Serve the elements of an array for the client of like, whose sink gets one array of
 * answers, or an empty answer if the batch contains no request. Takes ownership of like.
 */
void mcp_serve_batch(struct mcp_request *like, const struct json *array, bool wait);
