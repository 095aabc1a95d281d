/*
 * proposals_operator - answers the command line about proposals, on the operator's socket
 * (app/setup/proposed_request.h). Whoever has the key of the socket is the operator.
 */
#pragma once

#include "app/setup/app.h"
#include "http/response.h"

/* address: of the main listener, for links, or empty. May wait for a vault and its changes. */
void proposals_operate(struct app *app, struct arena *a, str body, str address,
                       struct http_response *out);
