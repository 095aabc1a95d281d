#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/os/file.h"
#include "base/os/terminal.h"
#include "base/system_path.h"
#include "base/utf8.h"

/*
 * A line is built on the stack and written with one write(2), by its own thread or, after
 * log_start(), by the log writer. LINE_TAIL bytes are reserved for its end: for closing a
 * value and adding "cut".
 */
enum { LINE_TAIL = 32, VALUE_MAX = 1024 };

/* What is logged while the reader of stderr does not read; the last quarter of the queue
 * is for warnings and errors. */
static struct {
    struct lock lock;
    struct cond filled, emptied;
    bool on, stopping;
    bool writing; /* a line has been taken and is not written yet */
    char ring[LOG_QUEUE_MAX];
    size_t first, n;
    uint64_t dropped; /* lines, since the last notice */
    struct thread writer;
} queue = {.lock = LOCK_INIT(LOCK_LOG)};

struct log_line {
    char p[LOG_LINE_MAX];
    size_t n;
    bool cut; /* something did not fit */
};

static _Atomic(enum log_level) sink_least = LOG_INFO; /* threads may be logging already */
static _Atomic(enum log_format) sink_format = LOG_TEXT;
static atomic_bool sink_replaces;
static bool sink_is_terminal;
static char sink_file[4096]; /* log_file() */

void log_setup(enum log_level least, enum log_format format)
{
    struct file_stat st;
    sink_least = least;
    sink_format = format;
    sink_is_terminal = terminal_is(FILE_STDERR);
    bool is_file = file_stat(FILE_STDERR, &st) && st.type == FILE_REGULAR;
    if (!is_file || !file_find_path(FILE_STDERR, sink_file, sizeof(sink_file)))
        sink_file[0] = '\0';
}

void log_replaces_line(bool shown)
{
    atomic_store(&sink_replaces, shown);
}

const char *log_file(void)
{
    return sink_file;
}

bool log_reopen(void)
{
    if (!system_path_is_absolute(str_c(sink_file)))
        return false;
    AUTO_CLOSE int fd = file_open_end(sink_file);
    return fd >= 0 && file_renumber(fd, FILE_STDERR);
}

static struct {
    const char *prefix;
    log_also_fn *also;
    void *arg;
} other;

void log_also(const char *prefix, log_also_fn *also, void *arg)
{
    other.prefix = prefix;
    other.also = also;
    other.arg = arg;
}

bool log_enabled(enum log_level level)
{
    return level >= sink_least || (other.also != NULL && level >= LOG_INFO);
}

static void pass_on(enum log_level level, const char *event,
                    const struct log_field *fields)
{
    if (other.also != NULL && fields != NULL && level >= LOG_INFO &&
        strncmp(event, other.prefix, strlen(other.prefix)) == 0)
        other.also(other.arg, event, fields);
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

bool log_must_escape(uint32_t c)
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
    if (!log_must_escape(c))
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
static bool log_is_plain(str s)
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
    else if (sink_format == LOG_TEXT && log_is_plain(f->text) && f->text.n <= log_room(l))
        log_add(l, f->text);
    else
        log_add_quoted(l, f->text);
}

/* "2026-11-15 09:30:00", local time, for a person; else as in JSON. */
static str log_time(char out[CLOCK_ISO_SIZE])
{
    int64_t now = clock_now();
    if (!sink_is_terminal || sink_format == LOG_JSON)
        return clock_iso(now, out);
    struct clock_date d = clock_local(now);
    int n =
        snprintf(out, CLOCK_ISO_SIZE, "%04u-%02d-%02d %02d:%02d:%02d",
                 (unsigned)d.year % 10000, d.month, d.day, d.hour, d.minute, d.second);
    return (str){out, (size_t)n};
}

static void log_begin(struct log_line *l, enum log_level level, const char *event)
{
    static const char *const levels[] = {"debug", "info", "warn", "error"};
    char time[CLOCK_ISO_SIZE];
    bool json = sink_format == LOG_JSON;
    log_add(l, json ? STR("{\"time\":\"") : STR(""));
    log_add(l, log_time(time));
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

static void log_make(struct log_line *l, enum log_level level, const char *event,
                     const struct log_field *fields)
{
    l->n = 0;
    l->cut = false;
    log_begin(l, level, event);
    for (const struct log_field *f = fields; f != NULL && f->key != NULL; f++)
        log_add_field(l, f);
    log_end(l);
}

/* A failing log must not stop the server: no second attempt. */
static void write_line(const struct log_line *l)
{
    int saved = errno;
    if (atomic_load(&sink_replaces))
        (void)!file_write(FILE_STDERR, STR("\r\x1b[K"));
    (void)!file_write(FILE_STDERR, (str){l->p, l->n});
    errno = saved;
}

/* --- the queue --- */

static void put_line(const struct log_line *l)
{
    size_t end = (queue.first + queue.n) % LOG_QUEUE_MAX;
    size_t head = l->n < LOG_QUEUE_MAX - end ? l->n : LOG_QUEUE_MAX - end;
    memcpy(queue.ring + end, l->p, head);
    memcpy(queue.ring, l->p + head, l->n - head);
    queue.n += l->n;
}

/* The first line; each ends with the only newline in it. */
static void log_take_line(struct log_line *l)
{
    l->n = 0;
    do {
        l->p[l->n++] = queue.ring[queue.first];
        queue.first = (queue.first + 1) % LOG_QUEUE_MAX;
        queue.n--;
    } while (l->p[l->n - 1] != '\n');
}

/* The next line to write: first that some were dropped. The lock is held. */
static void take_next(struct log_line *l)
{
    if (queue.dropped == 0) {
        log_take_line(l);
        return;
    }
    log_make(l, LOG_WARN, "log_dropped",
             (const struct log_field[]){LOG_INT("lines", queue.dropped), {0}});
    queue.dropped = 0;
}

static void *write_lines(void *arg)
{
    struct log_line l;
    lock_take(&queue.lock);
    for (;;) {
        queue.writing = false;
        while (queue.n == 0 && queue.dropped == 0 && !queue.stopping) {
            cond_wake_all(&queue.emptied);
            lock_wait(&queue.lock, &queue.filled);
        }
        if (queue.n == 0 && queue.dropped == 0)
            break;
        queue.writing = true;
        take_next(&l);
        lock_drop(&queue.lock);
        write_line(&l);
        lock_take(&queue.lock);
    }
    lock_drop(&queue.lock);
    return arg;
}

void log_start(void)
{
    lock_take(&queue.lock);
    cond_init(&queue.filled);
    cond_init(&queue.emptied);
    queue.stopping = false;
    queue.on = thread_start(&queue.writer, "log", write_lines, NULL);
    lock_drop(&queue.lock);
}

bool log_flush(unsigned ms)
{
    uint64_t until = clock_ns() + ms * UINT64_C(1000000);
    lock_take(&queue.lock);
    while (queue.on && (queue.n > 0 || queue.dropped > 0 || queue.writing) &&
           lock_wait_until(&queue.lock, &queue.emptied, until)) {
    }
    bool all = queue.n == 0 && queue.dropped == 0 && !queue.writing;
    lock_drop(&queue.lock);
    return all;
}

void log_stop(void)
{
    bool all = log_flush(LOG_STOP_MS);
    lock_take(&queue.lock);
    bool join = queue.on && all;
    queue.stopping = true;
    queue.on = queue.on && !all; /* a stuck writer keeps its queue */
    cond_wake(&queue.filled);
    lock_drop(&queue.lock);
    if (join)
        thread_join(&queue.writer);
}

/* False: there is no writer. */
static bool enqueue(const struct log_line *l, enum log_level level)
{
    size_t most = level >= LOG_WARN ? LOG_QUEUE_MAX : LOG_QUEUE_MAX / 4 * 3;
    lock_take(&queue.lock);
    bool on = queue.on;
    if (on && queue.n + l->n <= most)
        put_line(l);
    else if (on)
        queue.dropped++;
    if (on)
        cond_wake(&queue.filled);
    lock_drop(&queue.lock);
    return on;
}

void log_write(enum log_level level, const char *event, const struct log_field *fields)
{
    struct log_line l;
    pass_on(level, event, fields);
    if (level < sink_least)
        return;
    log_make(&l, level, event, fields);
    if (!enqueue(&l, level))
        write_line(&l);
}
