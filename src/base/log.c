#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/os/file.h"
#include "base/utf8.h"

/*
 * A line is built on the stack and written with one write(2). LINE_TAIL bytes are
 * reserved for its end: for closing a value and adding "cut".
 */
enum { LINE_TAIL = 32, VALUE_MAX = 1024 };

struct log_line {
    char p[LOG_LINE_MAX];
    size_t n;
    bool cut; /* something did not fit */
};

static _Atomic(enum log_level) sink_least = LOG_INFO; /* threads may be logging already */
static _Atomic(enum log_format) sink_format = LOG_TEXT;
static char sink_file[4096]; /* log_file() */

void log_setup(enum log_level least, enum log_format format)
{
    struct file_stat st;
    sink_least = least;
    sink_format = format;
    bool is_file = file_stat(FILE_STDERR, &st) && st.type == FILE_REGULAR;
    if (!is_file || !file_find_path(FILE_STDERR, sink_file, sizeof(sink_file)))
        sink_file[0] = '\0';
}

const char *log_file(void)
{
    return sink_file;
}

bool log_reopen(void)
{
    if (sink_file[0] != '/')
        return false;
    AUTO_CLOSE int fd = file_open_end(sink_file);
    return fd >= 0 && file_renumber(fd, FILE_STDERR);
}

bool log_enabled(enum log_level level)
{
    return level >= sink_least;
}

static size_t log_room(const struct log_line *l)
{
    size_t end = sizeof(l->p) - LINE_TAIL;
    return l->n < end ? end - l->n : 0;
}

/* Text from our own code: short, and needs no escapes. */
static void log_add(struct log_line *l, str s)
{
    if (s.n > log_room(l)) {
        l->cut = true;
        s.n = log_room(l);
    }
    memcpy(l->p + l->n, s.p, s.n);
    l->n += s.n;
}

/* For the end only: may use the reserved bytes. */
static void add_end(struct log_line *l, str s)
{
    memcpy(l->p + l->n, s.p, s.n);
    l->n += s.n;
}

/* Control characters, and characters that move, hide or break text on a terminal. */
static bool must_escape(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
           c == 0xFFFD;
}

/* c as written between quotes; piece is its original form. At most 8 bytes. */
static str escaped(uint32_t c, str piece, char out[8])
{
    static const struct {
        char c;
        const char *as;
    } shorts[] = {
        {'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}, {'\r', "\\r"}, {'\t', "\\t"}};
    for (size_t i = 0; i < COUNT_OF(shorts); i++)
        if (c == (uint32_t)shorts[i].c)
            return str_c(shorts[i].as);
    if (!must_escape(c))
        return piece;
    int n = snprintf(out, 8, "\\u%04x", (unsigned)(c & 0xFFFF));
    return (str){out, (size_t)n};
}

/* s without its quotes, at most VALUE_MAX bytes of it and never part of a character. */
static void add_escaped(struct log_line *l, str s)
{
    size_t limit = log_room(l) < VALUE_MAX ? log_room(l) : VALUE_MAX;
    while (s.n > 0) {
        size_t n;
        uint32_t c = utf8_decode(s, &n);
        char buffer[8];
        str piece = escaped(c, str_slice(s, 0, n), buffer);
        if (piece.n > limit) {
            l->cut = true;
            return;
        }
        log_add(l, piece);
        limit -= piece.n;
        s = str_skip(s, n);
    }
}

static void log_add_quoted(struct log_line *l, str s)
{
    log_add(l, STR("\""));
    add_escaped(l, s);
    add_end(l, STR("\""));
}

/* Whether text needs no quotes in the text format. */
static bool is_plain(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= ' ' || s.p[i] > '~' || strchr("\"\\=", s.p[i]) != NULL)
            return false;
    return s.n > 0 && s.n <= VALUE_MAX;
}

static void add_number(struct log_line *l, int64_t number)
{
    char digits[24];
    int n = snprintf(digits, sizeof(digits), "%lld", (long long)number);
    log_add(l, (str){digits, (size_t)n});
}

/* A field is left out if not even a part of its value fits. */
static bool add_key(struct log_line *l, const char *key)
{
    str name = str_c(key);
    if (name.n + 32 > log_room(l)) {
        l->cut = true;
        return false;
    }
    bool json = sink_format == LOG_JSON;
    log_add(l, json ? STR(",\"") : STR(" "));
    log_add(l, name);
    log_add(l, json ? STR("\":") : STR("="));
    return true;
}

static void log_add_field(struct log_line *l, const struct log_field *f)
{
    if (!add_key(l, f->key))
        return;
    if (f->is_number)
        add_number(l, f->number);
    else if (sink_format == LOG_TEXT && is_plain(f->text) && f->text.n <= log_room(l))
        log_add(l, f->text);
    else
        log_add_quoted(l, f->text);
}

static void log_begin(struct log_line *l, enum log_level level, const char *event)
{
    static const char *const levels[] = {"debug", "info", "warn", "error"};
    char time[CLOCK_ISO_SIZE];
    bool json = sink_format == LOG_JSON;
    log_add(l, json ? STR("{\"time\":\"") : STR(""));
    log_add(l, clock_iso(clock_now(), time));
    log_add(l, json ? STR("\",\"level\":\"") : STR(" "));
    log_add(l, str_c(levels[level]));
    log_add(l, json ? STR("\",\"event\":\"") : STR(" "));
    add_escaped(l, str_c(event));
    log_add(l, json ? STR("\"") : STR(""));
}

static void log_end(struct log_line *l)
{
    bool json = sink_format == LOG_JSON;
    if (l->cut)
        add_end(l, json ? STR(",\"cut\":true") : STR(" cut=1"));
    add_end(l, json ? STR("}\n") : STR("\n"));
}

void log_write(enum log_level level, const char *event, const struct log_field *fields)
{
    struct log_line l;
    l.n = 0;
    l.cut = false;
    log_begin(&l, level, event);
    for (const struct log_field *f = fields; f != NULL && f->key != NULL; f++)
        log_add_field(&l, f);
    log_end(&l);

    /* A failing log must not stop the server: no second attempt. */
    int saved = errno;
    (void)!file_write(FILE_STDERR, (str){l.p, l.n});
    errno = saved;
}
