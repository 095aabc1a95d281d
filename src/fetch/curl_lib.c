#include "fetch/curl_lib.h"

#include "base/os/library.h"

bool curl_lib_open(struct curl_lib *out)
{
    const struct library_symbol symbols[] = {
        {"curl_global_init", &out->global_init},
        {"curl_easy_init", &out->easy_init},
        {"curl_easy_setopt", &out->easy_setopt},
        {"curl_easy_perform", &out->easy_perform},
        {"curl_easy_getinfo", &out->easy_getinfo},
        {"curl_easy_cleanup", &out->easy_cleanup},
        {"curl_easy_strerror", &out->easy_strerror},
        {"curl_slist_append", &out->slist_append},
        {"curl_slist_free_all", &out->slist_free_all},
    };
    return library_load("curl", 4, symbols, COUNT_OF(symbols));
}
