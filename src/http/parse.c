/*
 * llhttp reads heads and chunks; our own checks refuse what it lets pass (grammar.h;
 * CVE-2024-27982 is one example).
 *
 * The head is collected in one piece in the arena, up to its empty line, and passed to
 * llhttp there, so names and values are views of it. The callbacks store only offsets,
 * because the piece may move while it grows.
 * A body with Content-Length needs no parser and is copied.
 */

/* llhttp uses the same names for its methods. */
#define HTTP_GET LLHTTP_GET
#define HTTP_HEAD LLHTTP_HEAD
#define HTTP_POST LLHTTP_POST
#define HTTP_DELETE LLHTTP_DELETE
#define HTTP_OPTIONS LLHTTP_OPTIONS
#include <llhttp.h>
#undef HTTP_GET
#undef HTTP_HEAD
#undef HTTP_POST
#undef HTTP_DELETE
#undef HTTP_OPTIONS

#include <stdlib.h>

#include "http/grammar.h"
#include "http/parse.h"

enum {
    BLANK_LINES_MAX = 4, /* before a request line; RFC 9112 §2.2 asks to ignore one */
    EXTENSION_MAX = 256, /* bytes of one chunk's extensions */
    CHUNK_LINES_MAX = EXTENSION_MAX + 64, /* from one chunk's data to the next one's */
    TRAILERS_MAX = 8 << 10,
    BODY_FIRST = 64 << 10, /* allocated for a body before any of it has arrived */
};

enum phase { BLANK, HEAD, BODY, CHUNKS, TRAILERS, DONE, BROKEN };

struct head_span {
    uint32_t at, n;
};

struct header_field {
    struct head_span name, value;
};

struct http_parser {
    llhttp_t ll;
    struct http_limits limits;
    struct arena *arena;
    enum phase phase;
    int status;
    size_t blank; /* bytes of empty lines skipped */

    char *head;
    size_t head_n, head_cap;
    size_t looked;     /* bytes of the head whose lines were checked */
    size_t first_line; /* length of the request line, 0 until it is complete */
    struct http_lines lines;
    struct head_span target;
    bool in_name;
    bool head_done, message_done;

    struct http_request request;
    bool http10, keep_alive, expects, chunked;
    size_t declared, body_max, body_cap;
    char *body;
    size_t extension, framing; /* bytes of this chunk that are not data */

    size_t n_fields;
    struct header_field fields[]; /* limits.headers */
};

static int parse_wrong(struct http_parser *p, int status)
{
    if (p->status == 0)
        p->status = status;
    return -1;
}

static enum http_parse bad(struct http_parser *p, int status)
{
    parse_wrong(p, status);
    p->phase = BROKEN;
    return HTTP_BAD;
}

/* Extend a span by the piece that follows it in the head. */
static void extend(struct http_parser *p, struct head_span *s, const char *at, size_t n)
{
    if (s->n == 0)
        s->at = (uint32_t)(at - p->head);
    s->n += (uint32_t)n;
}

static int on_url(llhttp_t *ll, const char *at, size_t n)
{
    struct http_parser *p = ll->data;
    extend(p, &p->target, at, n);
    return 0;
}

static int on_name(llhttp_t *ll, const char *at, size_t n)
{
    struct http_parser *p = ll->data;
    if (p->phase != HEAD)
        return 0; /* trailers are not kept */
    if (!p->in_name) {
        if (p->n_fields == p->limits.headers)
            return parse_wrong(p, 431);
        p->fields[p->n_fields++] = (struct header_field){0};
        p->in_name = true;
    }
    extend(p, &p->fields[p->n_fields - 1].name, at, n);
    return 0;
}

static int on_name_end(llhttp_t *ll)
{
    struct http_parser *p = ll->data;
    p->in_name = false;
    return 0;
}

static int on_value(llhttp_t *ll, const char *at, size_t n)
{
    struct http_parser *p = ll->data;
    if (p->phase == HEAD && p->n_fields > 0)
        extend(p, &p->fields[p->n_fields - 1].value, at, n);
    return 0;
}

static int on_head_end(llhttp_t *ll)
{
    struct http_parser *p = ll->data;
    p->head_done = true;
    p->keep_alive = llhttp_should_keep_alive(ll) != 0;
    ll->upgrade = 0; /* we never switch protocols */
    return HPE_PAUSED;
}

static int on_extension(llhttp_t *ll, const char *at, size_t n)
{
    (void)at;
    struct http_parser *p = ll->data;
    p->extension += n;
    return p->extension > EXTENSION_MAX ? parse_wrong(p, 400) : 0;
}

/* Pause at each chunk to count the bytes around its data. */
static int on_chunk(llhttp_t *ll)
{
    struct http_parser *p = ll->data;
    p->extension = 0;
    if (ll->content_length > p->body_max - p->request.body.n)
        return parse_wrong(p, 413);
    if (ll->content_length == 0)
        p->phase = TRAILERS;
    return HPE_PAUSED;
}

/* Make room for n bytes of body. The declared length is trusted after BODY_FIRST. */
static void parse_make_room(struct http_parser *p, size_t n)
{
    if (n <= p->body_cap)
        return;
    size_t cap = n + n / 2;
    if (p->declared > 0)
        cap = n <= BODY_FIRST && p->declared > BODY_FIRST ? BODY_FIRST : p->declared;
    p->body = arena_grow(p->arena, p->body, p->body_cap, cap);
    p->body_cap = cap;
}

static void keep_body(struct http_parser *p, const char *at, size_t n)
{
    if (n == 0)
        return;
    str *body = &p->request.body;
    parse_make_room(p, body->n + n);
    memcpy(p->body + body->n, at, n);
    *body = (str){p->body, body->n + n};
}

static int on_data(llhttp_t *ll, const char *at, size_t n)
{
    struct http_parser *p = ll->data;
    if (n > p->body_max - p->request.body.n)
        return parse_wrong(p, 413);
    keep_body(p, at, n);
    return 0;
}

static int on_message_end(llhttp_t *ll)
{
    struct http_parser *p = ll->data;
    p->message_done = true;
    return HPE_PAUSED;
}

static const llhttp_settings_t callbacks = {
    .on_url = on_url,
    .on_header_field = on_name,
    .on_header_field_complete = on_name_end,
    .on_header_value = on_value,
    .on_headers_complete = on_head_end,
    .on_chunk_extension_name = on_extension,
    .on_chunk_extension_value = on_extension,
    .on_chunk_header = on_chunk,
    .on_body = on_data,
    .on_message_complete = on_message_end,
};

struct http_parser *http_parser_create(const struct http_limits *limits)
{
    size_t fields = size_mul(limits->headers, sizeof(struct header_field));
    struct http_parser *p = mem_zero(size_add(sizeof(*p), fields));
    p->limits = *limits;
    return p;
}

void http_parser_free(struct http_parser *p)
{
    free(p);
}

void http_parser_start(struct http_parser *p, struct arena *a)
{
    struct http_limits limits = p->limits;
    *p = (struct http_parser){.limits = limits, .arena = a};
    llhttp_init(&p->ll, HTTP_REQUEST, &callbacks);
    p->ll.data = p;
}

/* 0, or the status for a violation in the lines of the head so far. */
static int parse_check_head(struct http_parser *p)
{
    str head = {p->head, p->head_n};
    if (p->first_line == 0) {
        size_t cr = str_find_char(head, '\r');
        size_t n = cr != STR_NONE ? cr : head.n;
        if (n > p->limits.request_line)
            return 414;
        if (cr != STR_NONE) {
            p->first_line = cr;
            int status = http_check_request_line(str_slice(head, 0, cr));
            if (status != 0)
                return status;
        }
    }
    if (!http_check_lines(&p->lines, str_skip(head, p->looked)))
        return 400;
    p->looked = head.n;
    return 0;
}

static int llhttp_status_of(struct http_parser *p, llhttp_errno_t e)
{
    str head = {p->head, p->head_n};
    if (e == HPE_INVALID_METHOD)
        return http_check_method(head);
    if (e == HPE_INVALID_VERSION) {
        size_t space = str_find_last(head, ' ');
        int status =
            space != STR_NONE ? http_check_version(str_skip(head, space + 1)) : 400;
        return status != 0 ? status : 400;
    }
    return 400;
}

static str text_of(const struct http_parser *p, struct head_span s)
{
    return (str){p->head + s.at, s.n};
}

/* Known methods are named by literals, which outlive the arena. */
static void read_method(struct http_request *r, str name)
{
    static const struct {
        str name;
        enum http_method method;
    } methods[] = {
        {{"GET", 3}, HTTP_GET},         {{"HEAD", 4}, HTTP_HEAD},
        {{"POST", 4}, HTTP_POST},       {{"DELETE", 6}, HTTP_DELETE},
        {{"OPTIONS", 7}, HTTP_OPTIONS},
    };
    r->method = HTTP_OTHER;
    r->method_name = name;
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        if (str_eq(name, methods[i].name)) {
            r->method = methods[i].method;
            r->method_name = methods[i].name;
        }
}

/* The headers that determine the framing: how often they occur, and their values. */
struct framing {
    size_t hosts, lengths, encodings, expects;
    str host, length, encoding, expect;
};

static void note_header(struct framing *f, const struct http_header *h)
{
    switch (h->name.n) {
    case 4:
        if (str_eq_nocase(h->name, STR("host"))) {
            f->hosts++;
            f->host = h->value;
        }
        break;
    case 6:
        if (str_eq_nocase(h->name, STR("expect"))) {
            f->expects++;
            f->expect = h->value;
        }
        break;
    case 14:
        if (str_eq_nocase(h->name, STR("content-length"))) {
            f->lengths++;
            f->length = h->value;
        }
        break;
    case 17:
        if (str_eq_nocase(h->name, STR("transfer-encoding"))) {
            f->encodings++;
            f->encoding = h->value;
        }
        break;
    default:
        break;
    }
}

static void read_headers(struct http_parser *p, struct framing *f)
{
    struct http_request *r = &p->request;
    r->headers = ARENA_ARRAY(p->arena, struct http_header, p->n_fields);
    r->n_headers = p->n_fields;
    for (size_t i = 0; i < p->n_fields; i++) {
        struct http_header *h = &r->headers[i];
        h->name = text_of(p, p->fields[i].name);
        h->value = str_trim(text_of(p, p->fields[i].value));
        note_header(f, h);
    }
}

/* RFC 9112 §6: the length of the body. Anything that two parsers could read differently
 * is refused. */
static bool read_framing(struct http_parser *p, const struct framing *f)
{
    if (f->encodings > 1 || f->lengths > 1 || (f->encodings > 0 && f->lengths > 0))
        return false;
    if (f->encodings == 1) {
        p->chunked = true;
        return !p->http10 && str_eq_nocase(f->encoding, STR("chunked")) &&
               (p->ll.flags & F_CHUNKED) != 0;
    }
    if (f->lengths == 1) {
        int64_t n;
        if (!str_to_int(f->length, &n) || n < 0 || f->length.p[0] == '-')
            return false;
        p->declared = (size_t)n;
    }
    return (p->ll.flags & (F_CHUNKED | F_TRANSFER_ENCODING)) == 0;
}

static enum http_parse finish_head(struct http_parser *p)
{
    struct http_request *r = &p->request;
    str line = {p->head, p->first_line};
    p->http10 = str_ends(line, STR("HTTP/1.0"));
    str method = line;
    str_next(&line, ' ', &method);
    read_method(r, method);

    struct framing f = {0};
    read_headers(p, &f);
    if (f.hosts > 1 || (f.hosts == 0 && !p->http10) || !http_is_host(f.host) ||
        !read_framing(p, &f) ||
        !http_split_target(text_of(p, p->target), r->method, f.host, &r->path, &r->query))
        return bad(p, 400);
    if (f.expects > 0 && !p->http10) {
        if (f.expects > 1 || !str_eq_nocase(f.expect, STR("100-continue")))
            return bad(p, 417);
        p->expects = p->chunked || p->declared > 0;
    }
    p->phase = p->chunked ? CHUNKS : BODY;
    return HTTP_HEAD_END;
}

/* Append to the head, up to its empty line; true if that has been reached. */
static bool collect_head(struct http_parser *p, str bytes, size_t *used)
{
    size_t old = p->head_n, room = p->limits.head + 1 - old;
    str take = str_slice(bytes, 0, room);
    if (old + take.n > p->head_cap) {
        size_t cap = old == 0 ? take.n : (old + take.n) * 2;
        p->head = arena_grow(p->arena, p->head, p->head_cap, cap);
        p->head_cap = cap;
    }
    memcpy(p->head + old, take.p, take.n);
    p->head_n = old + take.n;

    size_t from = old > 3 ? old - 3 : 0;
    size_t end = str_find((str){p->head + from, p->head_n - from}, STR("\r\n\r\n"));
    if (end != STR_NONE)
        p->head_n = from + end + 4;
    *used = p->head_n - old;
    return end != STR_NONE;
}

static enum http_parse feed_head(struct http_parser *p, str bytes, size_t *used)
{
    size_t old = p->head_n;
    bool whole = collect_head(p, bytes, used);
    int status = parse_check_head(p);
    if (status != 0)
        return bad(p, status);
    if (p->head_n > p->limits.head)
        return bad(p, 431);

    llhttp_errno_t e = llhttp_execute(&p->ll, p->head + old, p->head_n - old);
    if (p->status != 0)
        return bad(p, p->status);
    if (e != HPE_OK && e != HPE_PAUSED)
        return bad(p, llhttp_status_of(p, e));
    if (p->head_done != whole)
        return bad(p, 400);
    return whole ? finish_head(p) : HTTP_MORE;
}

/* Empty lines before a request line. */
static enum http_parse feed_blank(struct http_parser *p, str bytes, size_t *used)
{
    size_t n = 0;
    while (n < bytes.n && bytes.p[n] == "\r\n"[p->blank % 2]) {
        n++;
        if (++p->blank > 2 * BLANK_LINES_MAX)
            return bad(p, 400);
    }
    *used = n;
    if (n == bytes.n)
        return HTTP_MORE;
    if (p->blank % 2 != 0)
        return bad(p, 400);
    p->phase = HEAD;
    size_t more;
    enum http_parse result = feed_head(p, str_skip(bytes, n), &more);
    *used += more;
    return result;
}

static enum http_parse parse_complete(struct http_parser *p)
{
    p->phase = DONE;
    return HTTP_COMPLETE;
}

static enum http_parse feed_body(struct http_parser *p, str bytes, size_t *used)
{
    if (p->declared > p->body_max)
        return bad(p, 413);
    str take = str_slice(bytes, 0, p->declared - p->request.body.n);
    keep_body(p, take.p, take.n);
    *used = take.n;
    return p->request.body.n == p->declared ? parse_complete(p) : HTTP_MORE;
}

/* Run llhttp over a piece of the chunked body until it pauses; false if it is invalid. */
static bool run_chunks(struct http_parser *p, str bytes, size_t *used)
{
    size_t data = p->request.body.n;
    llhttp_resume(&p->ll);
    llhttp_errno_t e = llhttp_execute(&p->ll, bytes.p, bytes.n);
    *used = e == HPE_OK ? bytes.n : (size_t)(llhttp_get_error_pos(&p->ll) - bytes.p);
    if (p->status != 0 || (e != HPE_OK && e != HPE_PAUSED))
        return false;
    p->framing += *used - (p->request.body.n - data);
    return true;
}

static enum http_parse feed_trailers(struct http_parser *p, str bytes, size_t *used)
{
    if (bytes.n == 0)
        return HTTP_MORE;
    if (!run_chunks(p, bytes, used) || p->framing > TRAILERS_MAX ||
        !http_check_lines(&p->lines, str_slice(bytes, 0, *used)))
        return bad(p, 400);
    return p->message_done ? parse_complete(p) : HTTP_MORE;
}

static enum http_parse feed_chunks(struct http_parser *p, str bytes, size_t *used)
{
    while (p->phase == CHUNKS && *used < bytes.n) {
        size_t n;
        if (!run_chunks(p, str_skip(bytes, *used), &n) || p->framing > CHUNK_LINES_MAX)
            return bad(p, 400);
        *used += n;
        if (llhttp_get_errno(&p->ll) == HPE_PAUSED)
            p->framing = 0;
    }
    if (p->phase == CHUNKS)
        return HTTP_MORE;
    p->lines = (struct http_lines){0};
    size_t more = 0;
    enum http_parse result = feed_trailers(p, str_skip(bytes, *used), &more);
    *used += more;
    return result;
}

enum http_parse http_parser_feed(struct http_parser *p, str bytes, size_t *used)
{
    *used = 0;
    switch (p->phase) {
    case BLANK:
        return feed_blank(p, bytes, used);
    case HEAD:
        return bytes.n > 0 ? feed_head(p, bytes, used) : HTTP_MORE;
    case BODY:
        return feed_body(p, bytes, used);
    case CHUNKS:
        return feed_chunks(p, bytes, used);
    case TRAILERS:
        return feed_trailers(p, bytes, used);
    case DONE:
        return HTTP_COMPLETE;
    case BROKEN:
        break;
    }
    return HTTP_BAD;
}

bool http_parser_body(struct http_parser *p, size_t max)
{
    p->body_max = max;
    return p->declared <= max;
}

const struct http_request *http_parser_request(const struct http_parser *p)
{
    return &p->request;
}

int http_parser_status(const struct http_parser *p)
{
    return p->status;
}

bool http_parser_keep_alive(const struct http_parser *p)
{
    return p->keep_alive;
}

bool http_parser_is_http10(const struct http_parser *p)
{
    return p->http10;
}

bool http_parser_expects(const struct http_parser *p)
{
    return p->expects;
}

bool http_parser_has_body(const struct http_parser *p)
{
    return p->chunked || p->declared > 0;
}

size_t http_parser_declared(const struct http_parser *p)
{
    return p->declared;
}

size_t http_parser_held(const struct http_parser *p)
{
    return p->head_n + p->request.body.n;
}
