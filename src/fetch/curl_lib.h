/*
 * curl_lib - the functions of libcurl that fetch.c calls. Where programs share it, it brings 28
 * more libraries, so it is loaded only when needed (curl_lib.c); on Windows it is a part of the
 * program (curl_lib_linked.c).
 */
#pragma once

#define CURL_DISABLE_TYPECHECK
#define CURL_NO_FMT_CHECKS /* they name printf, which banned.h forbids */
#include <curl/curl.h>

#include "base/str.h"

struct curl_lib {
    CURLcode (*global_init)(long flags);
    CURL *(*easy_init)(void);
    CURLcode (*easy_setopt)(CURL *handle, CURLoption option, ...);
    CURLcode (*easy_perform)(CURL *handle);
    CURLcode (*easy_getinfo)(CURL *handle, CURLINFO info, ...);
    void (*easy_cleanup)(CURL *handle);
    const char *(*easy_strerror)(CURLcode code);
    struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
    void (*slist_free_all)(struct curl_slist *list);
};

/* False if it is not installed. */
MUST_CHECK bool curl_lib_open(struct curl_lib *out);
