/*
 * log - one event, one line, on stderr; as text for people or JSON for machines.
 *
 *     log_event(LOG_INFO, "listening", LOG_STR("address", addr), LOG_INT("port", port));
 *     2026-11-15T09:30:00Z info listening address=127.0.0.1 port=8090
 *
 * As text on a terminal, times are local and have no zone.
 *
 * Values are encoded (control characters, quotes, invalid UTF-8) and a line is cut at
 * LOG_LINE_MAX (a single value at 1 KiB) and then ends with "cut", so nothing a client
 * sends can forge an event. Never pass note text, tokens, passwords or query strings.
 * Lines from different threads do not mix.
 *
 * Until log_start(), the caller writes the line. Afterwards no caller waits for the
 * reader of stderr: a writer thread has a queue of LOG_QUEUE_MAX bytes, and lines that do
 * not fit are dropped. Their number is logged (log_dropped) as soon as stderr is read.
 */
#pragma once

#include "base/str.h"

enum {
    LOG_LINE_MAX = 4096,
    LOG_QUEUE_MAX = 256 << 10,
    LOG_STOP_MS = 2000, /* how long log_stop() waits for the reader of stderr */
};

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };
enum log_format { LOG_TEXT, LOG_JSON };

struct log_field {
    const char *key; /* NULL ends the list */
    str text;
    int64_t number;
    bool is_number;
};

#define LOG_STR(k, s) ((struct log_field){.key = (k), .text = (s)})
#define LOG_INT(k, i)                                                                    \
    ((struct log_field){.key = (k), .number = (int64_t)(i), .is_number = true})

/* Set once at start-up. Default: LOG_INFO, LOG_TEXT, to stderr. */
void log_setup(enum log_level least, enum log_format format);

/* Whether the terminal shows a line that has not ended, such as progress: each line of the log
 * replaces it. From any thread. */
void log_replaces_line(bool shown);

/* The file that stderr was at log_setup(); "" if it is not a file. */
const char *log_file(void);

/* Open that file again, after it was renamed by a program that rotates logs: creates it
 * if it is missing. False: the log continues where it was. From any thread. */
bool log_reopen(void);

/* Start the writer thread, once for each log_stop(). */
void log_start(void);

/* Wait up to ms milliseconds until the queue is written; false if it is not. */
bool log_flush(unsigned ms);

/* Flush the queue and end the writer. If stderr is not read by then, the writer is left
 * alone, and what is logged later is queued or dropped. */
void log_stop(void);

/*
 * Also pass each event from LOG_INFO on whose name begins so to a function, which must not
 * wait; whatever the lowest level is. Before threads are started; NULL: no longer.
 */
typedef void log_also_fn(void *arg, const char *event, const struct log_field *fields);
void log_also(const char *prefix, log_also_fn *also, void *arg);

/* Control characters, and characters that move, hide or break text on a terminal. */
bool log_must_escape(uint32_t c);

bool log_enabled(enum log_level level);

void log_write(enum log_level level, const char *event, const struct log_field *fields);

#define log_event(level, event, ...)                                                     \
    do {                                                                                 \
        if (log_enabled(level))                                                          \
            log_write((level), (event), (const struct log_field[]){__VA_ARGS__, {0}});   \
    } while (0)
