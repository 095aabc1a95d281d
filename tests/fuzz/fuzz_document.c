/*
 * The document that describes a client: what is accepted is a public client with that
 * id, and redirect URIs that are allowed.
 */
#include "oauth/clients.h"
#include "oauth/documents.h"
#include "oauth/uri.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const str url = STR("https://a.example/c");
    struct arena a = {0};
    struct oauth_client c;
    struct err err;
    if (document_read(&a, url, (str){(const char *)data, size}, &c, &err)) {
        if (!str_eq(c.id, url) || c.auth != CLIENT_PUBLIC || c.n_redirect_uris == 0 ||
            c.n_redirect_uris > CLIENT_REDIRECTS_MAX)
            BUG("a client that is not described so");
        for (size_t i = 0; i < c.n_redirect_uris; i++)
            if (!uri_check_redirect(c.redirect_uris[i], &err))
                BUG("'" STR_FMT "' may not be registered", STR_ARG(c.redirect_uris[i]));
    }
    str name = clients_clean_name(&a, (str){(const char *)data, size});
    if (name.n > CLIENT_NAME_SHOWN * 4 + 4)
        BUG("a name of %zu bytes", name.n);
    arena_release(&a);
    return 0;
}
