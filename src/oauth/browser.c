#include "oauth/browser.h"

void browser_handle(struct oauth *o, struct http_exchange *x)
{
    http_reply(x, &(struct http_response){.status = 404,
                                          .content_type = STR("application/json"),
                                          .body = STR("{\"error\":\"not found\"}")});
}
