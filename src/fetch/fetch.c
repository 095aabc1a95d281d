#include "fetch/fetch.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/os/self.h"
#include "base/os/thread.h"
#include "base/sbuf.h"
#include "fetch/curl_lib.h"
#include "fetch/global.h"
#include "fetch/resolve.h"
#include "fetch/url.h"

static struct curl_lib lib;
static bool lib_is_ready;

static void load_curl_once(void)
{
    lib_is_ready =
        curl_lib_open(&lib) && lib.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

bool fetch_is_possible(struct err *err)
{
    return !VAULTD_STATIC ||
           err_set(err, ERR_INVALID,
                   "this vaultd is a static program, which cannot load libcurl and so "
                   "cannot contact other servers: install the Debian package, use the "
                   "container image, or build vaultd from source");
}

static bool load_curl(struct err *err)
{
    static struct once once = ONCE_INIT;
    if (!fetch_is_possible(err))
        return false;
    once_run(&once, load_curl_once);
    return lib_is_ready ||
           err_set(err, ERR_INTERNAL,
                   "libcurl is required to contact other servers and is not installed");
}

/* --- one transfer --- */

enum { FETCH_HEADERS_MAX = 100 };

struct transfer {
    const struct fetch *f;
    struct arena *arena;
    struct sbuf body;
    struct curl_slist *headers, *pinned;
    CURL *curl;
    uint64_t until; /* clock_ms() */
    struct url url;
    int64_t max_age;
    struct fetched_header *answered; /* response headers */
    size_t n_answered;
    bool too_large, refused, has_enough;
};

static size_t take_body(char *p, size_t size, size_t n, void *arg)
{
    struct transfer *t = arg;
    size_t bytes = size * n;
    if (t->body.n + bytes > t->f->max) {
        t->too_large = true;
        return 0;
    }
    sbuf_add(&t->body, (str){p, bytes});
    t->has_enough = t->f->enough > 0 && t->body.n >= t->f->enough;
    return t->has_enough ? 0 : bytes;
}

/* max-age of Cache-Control; no-store and no-cache mean 0. */
static void read_cache_control(struct transfer *t, str value)
{
    str part;
    while (str_next(&value, ',', &part)) {
        part = str_trim_line(part);
        int64_t seconds;
        if (str_eq_nocase(part, STR("no-store")) || str_eq_nocase(part, STR("no-cache")))
            t->max_age = 0;
        else if (t->max_age != 0 &&
                 str_eq_nocase(str_slice(part, 0, 8), STR("max-age=")) &&
                 str_to_int(str_skip(part, 8), &seconds) && seconds >= 0)
            t->max_age = seconds;
    }
}

static void keep_header(struct transfer *t, str name, str value)
{
    *ARRAY_ADD(t->arena, t->answered, t->n_answered) =
        (struct fetched_header){arena_str(t->arena, name), arena_str(t->arena, value)};
    if (str_eq_nocase(name, STR("cache-control")))
        read_cache_control(t, value);
}

static size_t take_header(char *p, size_t size, size_t n, void *arg)
{
    struct transfer *t = arg;
    str line = {p, size * n};
    size_t colon = str_find_char(line, ':');
    if (str_starts(line, STR("HTTP/")))
        t->n_answered = 0; /* earlier headers were those of 100 Continue or a proxy */
    else if (colon != STR_NONE && t->n_answered < FETCH_HEADERS_MAX)
        keep_header(t, str_slice(line, 0, colon),
                    str_trim_line(str_skip(line, colon + 1)));
    return line.n;
}

/* Whether the host must be on the own network, because the request is not encrypted. */
static bool must_be_private(const struct transfer *t)
{
    return !t->url.https && t->f->private_http && !t->f->any_http;
}

static bool check_scheme(struct transfer *t, struct err *err)
{
    const struct fetch *f = t->f;
    if (!url_split(f->url, &t->url, err))
        return false;
    return t->url.https || f->any_http || f->private_http ||
           (f->loopback_http && url_is_loopback(&t->url)) ||
           err_set(err, ERR_INVALID, "only https URLs are fetched, not http to " STR_FMT,
                   STR_ARG(t->url.host));
}

static bool address_is_refused(const struct transfer *t, const struct net_address *a)
{
    return (t->f->public_only && !address_is_global(a)) ||
           (must_be_private(t) && !address_is_private(a));
}

/* Checked here because this is the address we really connect to, whatever the name
 * resolved to before. */
static curl_socket_t open_socket(void *arg, curlsocktype purpose,
                                 struct curl_sockaddr *address)
{
    struct transfer *t = arg;
    struct net_address to;
    net_read_system(&address->addr, address->addrlen, &to);
    if (purpose != CURLSOCKTYPE_IPCXN || address_is_refused(t, &to)) {
        t->refused = true;
        return CURL_SOCKET_BAD;
    }
    int fd = net_socket(address->family, address->socktype, address->protocol);
    if (fd < 0)
        return CURL_SOCKET_BAD;
    curl_socket_t socket = (curl_socket_t)net_system(fd);
    net_release(fd);
    return socket;
}

static bool address_refused(const struct transfer *t, struct err *err)
{
    return err_set(err, ERR_DENIED,
                   t->f->public_only ? STR_FMT " is not a public address"
                                     : STR_FMT
                       " is a public address, so it needs https, not http",
                   STR_ARG(t->url.host));
}

/* Whether no proxy may be used: it would hide the address that we connect to. */
static bool must_be_direct(const struct transfer *t)
{
    return t->f->public_only || must_be_private(t);
}

bool fetch_has_proxy(void)
{
    static const char *const names[] = {"https_proxy", "HTTPS_PROXY", "http_proxy",
                                        "all_proxy", "ALL_PROXY"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (self_variable(names[i]) != NULL)
            return true;
    return false;
}

/* The addresses that were checked are those that curl connects to: "HOST:PORT:A,B". */
static void pin_addresses(struct transfer *t, const struct resolved *found)
{
    struct sbuf line = SBUF_ON(t->arena);
    sbuf_printf(&line, STR_FMT ":%u:", STR_ARG(t->url.host), t->url.port);
    for (size_t i = 0; i < found->n; i++) {
        char text[NET_TEXT_SIZE];
        str address = net_print(&found->addresses[i], text);
        bool six = str_find_char(address, ':') != STR_NONE;
        sbuf_printf(&line, six ? "%s[%s]" : "%s%s", i > 0 ? "," : "", text);
    }
    sbuf_char(&line, '\0');
    t->pinned = lib.slist_append(NULL, line.p);
}

/* Look up the name, once and within the deadline. A single address of the wrong kind is
 * enough to refuse (SEC-25). */
static bool find_addresses(struct transfer *t, struct err *err)
{
    struct resolved found;
    if (!must_be_direct(t) && fetch_has_proxy())
        return true; /* the proxy looks it up */
    if (!resolve_host(t->url.name, t->f->ms, t->f->public_only, NULL, &found, err))
        return false;
    for (size_t i = 0; i < found.n; i++)
        if (address_is_refused(t, &found.addresses[i]))
            return address_refused(t, err);
    if (!found.numeric)
        pin_addresses(t, &found);
    return true;
}

static void add_header(struct transfer *t, str line)
{
    t->headers = lib.slist_append(t->headers, arena_str(t->arena, line).p);
}

static void add_unless_given(struct transfer *t, str line)
{
    str name = str_slice(line, 0, str_find_char(line, ':') + 1);
    for (size_t i = 0; i < t->f->n_headers; i++)
        if (str_eq_nocase(str_slice(t->f->headers[i], 0, name.n), name))
            return;
    add_header(t, line);
}

static void set_request(struct transfer *t)
{
    const struct fetch *f = t->f;
    CURL *c = t->curl;
    lib.easy_setopt(c, CURLOPT_URL, arena_str(t->arena, f->url).p);
    if (f->body.p != NULL) {
        lib.easy_setopt(c, CURLOPT_POSTFIELDSIZE, (long)f->body.n);
        lib.easy_setopt(c, CURLOPT_COPYPOSTFIELDS, f->body.p);
    }
    if (f->bearer.n > 0)
        add_header(t, arena_printf(t->arena, "Authorization: Bearer " STR_FMT,
                                   STR_ARG(f->bearer)));
    if (f->basic_user.n > 0) {
        lib.easy_setopt(c, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        lib.easy_setopt(c, CURLOPT_USERNAME, arena_str(t->arena, f->basic_user).p);
        lib.easy_setopt(c, CURLOPT_PASSWORD, arena_str(t->arena, f->basic_password).p);
    }
    if (f->method != NULL)
        lib.easy_setopt(c, CURLOPT_CUSTOMREQUEST, f->method);
    for (size_t i = 0; i < f->n_headers; i++)
        add_header(t, f->headers[i]);
    add_unless_given(t, STR("Accept: application/json"));
    add_unless_given(t, STR("User-Agent: vaultd"));
    lib.easy_setopt(c, CURLOPT_HTTPHEADER, t->headers);
}

static atomic_bool stopping;

void fetch_stop(void)
{
    atomic_store(&stopping, true);
    resolve_stop();
}

/* libcurl calls it at least once a second; anything but 0 ends the transfer. */
static int progress(void *t, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    return atomic_load(&stopping);
}

static void set_bounds(struct transfer *t)
{
    CURL *c = t->curl;
    lib.easy_setopt(c, CURLOPT_PROTOCOLS_STR, t->url.https ? "https" : "http");
    if (t->f->ca_file != NULL)
        lib.easy_setopt(c, CURLOPT_CAINFO, t->f->ca_file);
    if (t->f->http1)
        lib.easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    lib.easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    lib.easy_setopt(c, CURLOPT_XFERINFOFUNCTION, progress);
    lib.easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
    lib.easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    uint64_t now = clock_ms();
    lib.easy_setopt(c, CURLOPT_TIMEOUT_MS, now < t->until ? (long)(t->until - now) : 1L);
    lib.easy_setopt(c, CURLOPT_RESOLVE, t->pinned);
    lib.easy_setopt(c, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    if (must_be_direct(t))
        lib.easy_setopt(c, CURLOPT_PROXY, "");
    lib.easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body);
    lib.easy_setopt(c, CURLOPT_WRITEDATA, t);
    lib.easy_setopt(c, CURLOPT_HEADERFUNCTION, take_header);
    lib.easy_setopt(c, CURLOPT_HEADERDATA, t);
    lib.easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    lib.easy_setopt(c, CURLOPT_OPENSOCKETDATA, t);
}

static enum err_name fetch_kind_of(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return E_FETCH_DNS;
    case CURLE_COULDNT_CONNECT:
        return E_FETCH_CONNECT;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
        return E_FETCH_TLS;
    case CURLE_OPERATION_TIMEDOUT:
        return E_FETCH_TIMEOUT;
    default:
        return E_FETCH_FAILED;
    }
}

static bool transfer_failed(const struct transfer *t, CURLcode code, struct err *err)
{
    if (t->too_large)
        return err_set(err, ERR_LIMIT, STR_FMT " answered with more than %zu bytes",
                       STR_ARG(t->url.host), t->f->max);
    if (t->refused)
        return address_refused(t, err);
    return err_named(err, fetch_kind_of(code), STR_FMT " could not be reached: %s",
                     STR_ARG(t->url.host), lib.easy_strerror(code));
}

static void read_answer(const struct transfer *t, struct fetched *out)
{
    long status = 0;
    const char *type = NULL;
    lib.easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
    lib.easy_getinfo(t->curl, CURLINFO_CONTENT_TYPE, &type);
    str whole = str_c(type);
    *out = (struct fetched){
        .status = (int)status,
        .content_type =
            arena_str(t->arena, str_trim(str_slice(whole, 0, str_find_char(whole, ';')))),
        .body = sbuf_str(&t->body),
        .max_age = t->max_age,
        .headers = t->answered,
        .n_headers = t->n_answered,
    };
}

str fetched_header(const struct fetched *f, str name)
{
    for (size_t i = 0; i < f->n_headers; i++)
        if (str_eq_nocase(f->headers[i].name, name))
            return f->headers[i].value;
    return (str){0};
}

bool fetch_url(struct arena *a, const struct fetch *f, struct fetched *out,
               struct err *err)
{
    struct transfer t = {.f = f,
                         .arena = a,
                         .body = SBUF_ON(a),
                         .max_age = -1,
                         .until = clock_ms() + f->ms};
    if (!check_scheme(&t, err) || !load_curl(err) || !find_addresses(&t, err))
        return false;
    t.curl = lib.easy_init();
    if (t.curl == NULL) {
        lib.slist_free_all(t.pinned);
        return err_set(err, ERR_INTERNAL, "libcurl returned no handle");
    }
    set_request(&t);
    set_bounds(&t);
    CURLcode code = lib.easy_perform(t.curl);
    if (t.has_enough)
        code = CURLE_OK;
    if (code == CURLE_OK)
        read_answer(&t, out);
    lib.easy_cleanup(t.curl);
    lib.slist_free_all(t.headers);
    lib.slist_free_all(t.pinned);
    return code == CURLE_OK || transfer_failed(&t, code, err);
}
