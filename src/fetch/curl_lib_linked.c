#include "fetch/curl_lib.h"

bool curl_lib_open(struct curl_lib *out)
{
    *out = (struct curl_lib){
        .global_init = curl_global_init,
        .easy_init = curl_easy_init,
        .easy_setopt = curl_easy_setopt,
        .easy_perform = curl_easy_perform,
        .easy_getinfo = curl_easy_getinfo,
        .easy_cleanup = curl_easy_cleanup,
        .easy_strerror = curl_easy_strerror,
        .slist_append = curl_slist_append,
        .slist_free_all = curl_slist_free_all,
    };
    return true;
}
