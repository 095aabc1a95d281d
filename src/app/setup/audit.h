/*
 * audit - what clients read and changed, and who signed in: one line of JSON for each call,
 * in a file or in the journal of systemd (docs/audit.md).
 *
 * Lines have names, paths, sizes and outcomes, never contents, nor what was searched for.
 * Nothing that a client sends can forge a line or move a terminal's cursor: every value is
 * escaped, and cut at AUDIT_VALUE_MAX bytes with "cut":true. A thread writes them; it has a
 * bounded queue, and no caller waits for the disk unless it asks to.
 *
 * With --audit-fail warn, lines that cannot be written are counted, and the next line that
 * can be says how many were lost. With refuse, a call waits for its line, and fails if it
 * cannot be written.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/json_write.h"
#include "base/options.h"

enum {
    AUDIT_PATHS_MAX = 64, /* of each list in one line; further ones are counted */
    AUDIT_VALUE_MAX = 1024,
    AUDIT_QUEUE_MAX = 1 << 20, /* bytes that wait to be written */
    AUDIT_FILE_MAX = 32 << 20, /* bytes, then the file is rotated (base/rotated_file.h) */
    AUDIT_OLD_FILES = 8,
    AUDIT_WAIT_MS = 5000, /* a call waits no longer for its line */
    AUDIT_WHY = 512,      /* bytes: a message and its detail */
};

#define AUDIT_JOURNAL "vaultd-audit" /* SYSLOG_IDENTIFIER */

enum audit_fail { AUDIT_WARN, AUDIT_REFUSE };

struct settings_audit {
    str to; /* a file, journald or off */
    int fail;
    bool sync;
};

extern const char *const audit_fails[];

/* The option rows for a struct with a member audit of this type. */
#define SETTINGS_AUDIT(settings)                                                         \
    OPTION(settings, audit.to, OPTION_STR, "audit", "AUDIT", "off", "FILE",              \
           "Where to record each call of clients: a file in a folder of its own, "       \
           "journald, or off"),                                                          \
        OPTION(settings, audit.fail, OPTION_CHOICE, "audit-fail", "AUDIT_FAIL", "warn",  \
               "HOW", "When that fails; warn: count lost lines; refuse: refuse calls",   \
               .choices = audit_fails),                                                  \
        OPTION(settings, audit.sync, OPTION_SWITCH, "audit-sync", "AUDIT_SYNC", NULL,    \
               NULL, "Write each line to the disk before the call is answered")

struct audit;

/* The file that the settings name, as an absolute path; NULL if they name none. */
const char *audit_file(struct arena *a, str to);

/* *out: NULL if it is off. Creates the file, before the sandbox; lines wait until
 * audit_start(). Fails if it cannot be written, or if its folder is shared with others. */
MUST_CHECK bool audit_open(const struct settings_audit *s, struct audit **out,
                           struct err *err);
void audit_start(struct audit *a);

/* Writes what waits. Also before audit_start(); NULL is fine. */
void audit_close(struct audit *a);

/* Whether calls fail if their line cannot be written. NULL: no. */
bool audit_refuses(const struct audit *a);

/* Queue a line from audit_line_end(). From any thread; does not wait. */
void audit_put(struct audit *a, str line);

/* The same, and wait until it is written; else AUDIT_UNAVAILABLE. Not on the loop. */
MUST_CHECK bool audit_put_wait(struct audit *a, str line, struct err *err);

struct audit_state {
    str to;               /* the file, or journald */
    uint64_t lines, lost; /* since the start */
    uint64_t failing_ms;  /* since when; 0: the last line was written */
    char why[AUDIT_WHY];  /* if it is failing */
};
void audit_state(struct audit *a, struct audit_state *out);

/* --- lines --- */

struct audit_line {
    struct sbuf text;
    struct jsonw w;
    bool cut;
};

/* {"time":…,"event":event */
void audit_line_begin(struct audit_line *l, struct arena *a, const char *event);
void audit_line_str(struct audit_line *l, const char *key, str value); /* if not empty */
void audit_line_int(struct audit_line *l, const char *key, int64_t value);

/* At most AUDIT_PATHS_MAX of them, and how many more under key_more; nothing if n is 0. */
void audit_line_list(struct audit_line *l, const char *key, const char *key_more,
                     const str *items, size_t n, size_t more);

/* The whole line. */
str audit_line_end(struct audit_line *l);
