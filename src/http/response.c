#include "http/response.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json_write.h"

static const struct {
    int status;
    const char *reason,
        *error; /* error: the message for a refused client, if it differs */
} statuses[] = {
    {100, "Continue", NULL},
    {200, "OK", NULL},
    {201, "Created", NULL},
    {202, "Accepted", NULL},
    {204, "No Content", NULL},
    {302, "Found", NULL},
    {303, "See Other", NULL},
    {304, "Not Modified", NULL},
    {400, "Bad Request", "the request is not valid HTTP"},
    {401, "Unauthorized", NULL},
    {403, "Forbidden", "this origin is not allowed"},
    {404, "Not Found", "there is nothing at this path"},
    {405, "Method Not Allowed", "this path does not support this method"},
    {406, "Not Acceptable", NULL},
    {408, "Request Timeout", "the request took too long to arrive"},
    {409, "Conflict", NULL},
    {410, "Gone", NULL},
    {411, "Length Required", NULL},
    {412, "Precondition Failed", NULL},
    {413, "Content Too Large", "the body is too large for this path"},
    {414, "URI Too Long", "the request line is too long"},
    {415, "Unsupported Media Type", "a body must not have a content encoding"},
    {417, "Expectation Failed", "only the expectation 100-continue is supported"},
    {421, "Misdirected Request", "this host is not served here"},
    {422, "Unprocessable Content", NULL},
    {429, "Too Many Requests", NULL},
    {431, "Request Header Fields Too Large", "the request headers are too large"},
    {500, "Internal Server Error", NULL},
    {501, "Not Implemented", "unknown method"},
    {502, "Bad Gateway", NULL},
    {503, "Service Unavailable", "too many connections"},
    {504, "Gateway Timeout", NULL},
    {505, "HTTP Version Not Supported", "only HTTP 1.0 and 1.1 are supported"},
};

const char *http_reason(int status)
{
    for (size_t i = 0; i < COUNT_OF(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].reason;
    return "Unknown";
}

void http_refusal(struct arena *a, int status, struct http_response *out)
{
    const char *error = http_reason(status);
    for (size_t i = 0; i < COUNT_OF(statuses); i++)
        if (statuses[i].status == status && statuses[i].error != NULL)
            error = statuses[i].error;

    struct sbuf body = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&body);
    jsonw_object(&w);
    jsonw_put_str(&w, STR("error"), str_c(error));
    jsonw_end(&w);
    *out = (struct http_response){
        .status = status,
        .content_type = STR("application/json"),
        .body = sbuf_str(&body),
    };
}

static void check_header_text(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '\r' || s.p[i] == '\n' || s.p[i] == '\0')
            BUG("line break in a header");
}

void http_add_header(struct http_response *r, str name, str value)
{
    if (r->n_headers == HTTP_RESPONSE_HEADERS_MAX)
        BUG("more than %d headers", HTTP_RESPONSE_HEADERS_MAX);
    check_header_text(name);
    check_header_text(value);
    r->headers[r->n_headers++] = (struct http_header){name, value};
}

bool http_is_bodiless(int status)
{
    return status < 200 || status == 204 || status == 304;
}

static void response_add_field(struct sbuf *out, str name, str value)
{
    check_header_text(name);
    check_header_text(value);
    sbuf_add(out, name);
    sbuf_add(out, STR(": "));
    sbuf_add(out, value);
    sbuf_add(out, STR("\r\n"));
}

static void add_length(struct sbuf *out, size_t n)
{
    char digits[24];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    response_add_field(out, STR("Content-Length"),
                       (str){digits + at, sizeof(digits) - at});
}

static void add_cors(struct sbuf *out, str origin)
{
    if (!str_eq(origin, STR("*")))
        sbuf_add(out, STR("Vary: Origin\r\n"));
    if (origin.n == 0)
        return;
    response_add_field(out, STR("Access-Control-Allow-Origin"), origin);
    sbuf_add(out, STR("Access-Control-Expose-Headers: "
                      "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version\r\n"));
}

static void add_status_line(struct sbuf *out, int status)
{
    if (status == 200)
        sbuf_add(out, STR("HTTP/1.1 200 OK\r\n"));
    else
        sbuf_printf(out, "HTTP/1.1 %d %s\r\n", status, http_reason(status));
}

void http_response_head(struct sbuf *out, const struct http_response *r,
                        const struct http_framing *f)
{
    sbuf_room(out, 512); /* nearly every head fits, so it need not grow */
    add_status_line(out, r->status);
    response_add_field(out, STR("Date"), f->date);
    if (r->content_type.n > 0)
        response_add_field(out, STR("Content-Type"), r->content_type);
    if (f->stream)
        sbuf_add(out, STR("Cache-Control: no-cache, no-transform\r\n"
                          "X-Accel-Buffering: no\r\n"));
    if (f->stream && !f->http10)
        sbuf_add(out, STR("Transfer-Encoding: chunked\r\n"));
    else if (!f->stream && !http_is_bodiless(r->status))
        add_length(out, r->body.n);
    sbuf_add(out, STR("X-Content-Type-Options: nosniff\r\n"));
    if (f->https)
        sbuf_add(out, STR("Strict-Transport-Security: max-age=31536000\r\n"));
    for (size_t i = 0; i < r->n_headers; i++)
        response_add_field(out, r->headers[i].name, r->headers[i].value);
    if (f->cors)
        add_cors(out, f->origin);
    if (!f->keep_alive)
        sbuf_add(out, STR("Connection: close\r\n"));
    else if (f->http10)
        sbuf_add(out, STR("Connection: keep-alive\r\n"));
    sbuf_add(out, STR("\r\n"));
}

static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

str http_date(int64_t seconds, char *out)
{
    static const char weekdays[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    struct clock_date d = clock_utc(seconds);
    int weekday = clock_weekday(clock_days(d.year, d.month, d.day));
    int n = snprintf(out, HTTP_DATE_SIZE, "%s, %02d %s %04d %02d:%02d:%02d GMT",
                     weekdays[weekday], d.day, months[d.month - 1], (int)d.year, d.hour,
                     d.minute, d.second);
    return (str){out, (size_t)n};
}

static int date_number(str text, size_t at, size_t digits)
{
    int64_t n;
    return str_to_int(str_slice(text, at, at + digits), &n) ? (int)n : 0;
}

bool http_read_date(str text, int64_t *seconds)
{
    char again[HTTP_DATE_SIZE];
    struct clock_date d = {.year = date_number(text, 12, 4),
                           .day = date_number(text, 5, 2),
                           .hour = date_number(text, 17, 2),
                           .minute = date_number(text, 20, 2),
                           .second = date_number(text, 23, 2)};
    for (size_t i = 0; i < COUNT_OF(months); i++)
        if (str_eq(str_slice(text, 8, 11), str_c(months[i])))
            d.month = (int)i + 1;
    *seconds = d.month > 0 ? clock_from_utc(&d) : 0;
    return str_eq(http_date(*seconds, again), text);
}

/* A line break in a name would start another field. */
static void add_event_field(struct sbuf *out, str name, str value)
{
    if (value.n == 0)
        return;
    check_header_text(value);
    sbuf_add(out, name);
    sbuf_add(out, value);
    sbuf_char(out, '\n');
}

void sse_event(struct sbuf *out, str id, str event, str data)
{
    add_event_field(out, STR("id: "), id);
    add_event_field(out, STR("event: "), event);
    for (;;) {
        size_t end = 0;
        while (end < data.n && data.p[end] != '\r' && data.p[end] != '\n')
            end++;
        sbuf_add(out, STR("data: "));
        sbuf_add(out, str_slice(data, 0, end));
        sbuf_char(out, '\n');
        if (end == data.n)
            break;
        bool pair = str_starts(str_skip(data, end), STR("\r\n"));
        data = str_skip(data, end + (pair ? 2 : 1));
    }
    sbuf_char(out, '\n');
}
