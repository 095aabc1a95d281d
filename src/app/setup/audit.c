#include "app/setup/audit.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/os/file.h"
#include "base/os/machine.h"
#include "base/os/net.h"
#include "base/os/thread.h"
#include "base/rotated_file.h"
#include "base/system_path.h"
#include "base/utf8.h"

const char *const audit_fails[] = {"warn", "refuse", NULL};

#define JOURNALD "journald"
#define JOURNALD_SOCKET "/run/systemd/journal/socket"

/* A caller that waits until lines up to that number are written, or are not. */
struct audit_waiter {
    struct audit_waiter *next;
    uint64_t number;
    bool done, ok;
};

struct audit {
    struct arena arena;
    struct settings_audit settings;
    str to;
    struct rotated_file *file; /* NULL: journald. Used by the writer alone */
    struct lock lock;
    struct cond filled, written;
    struct thread writer;
    bool on, stopping;
    char *waiting; /* AUDIT_QUEUE_MAX bytes */
    size_t n;
    uint64_t put; /* lines, which numbers them */
    struct audit_waiter *waiters;
    uint64_t lines, lost, unsaid, failing_since;
    char why[AUDIT_WHY];
};

/* --- lines --- */

void audit_line_begin(struct audit_line *l, struct arena *a, const char *event)
{
    enum { MS_NS = 1000000 };
    char seconds[CLOCK_ISO_SIZE];
    int64_t now = clock_wall_ns(), s = now / (1000LL * MS_NS);
    *l = (struct audit_line){.text = SBUF_ON(a)};
    l->w = JSONW_ON(&l->text);
    str iso = clock_iso(s, seconds); /* without its Z */
    jsonw_object(&l->w);
    jsonw_key(&l->w, STR("time"));
    jsonw_printf(&l->w, STR_FMT ".%03dZ", STR_ARG(str_slice(iso, 0, iso.n - 1)),
                 (int)(now / MS_NS % 1000));
    jsonw_put_str(&l->w, STR("event"), str_c(event));
}

/* At most so much of it, and never part of a character. */
static str audit_cut(struct audit_line *l, str value)
{
    if (value.n <= AUDIT_VALUE_MAX)
        return value;
    size_t n = AUDIT_VALUE_MAX;
    while (n > AUDIT_VALUE_MAX - 4 && ((uint8_t)value.p[n] & 0xC0) == 0x80)
        n--;
    l->cut = true;
    return str_slice(value, 0, n);
}

void audit_line_str(struct audit_line *l, const char *key, str value)
{
    jsonw_put_text(&l->w, str_c(key), audit_cut(l, value));
}

void audit_line_int(struct audit_line *l, const char *key, int64_t value)
{
    jsonw_put_int(&l->w, str_c(key), value);
}

void audit_line_list(struct audit_line *l, const char *key, const char *key_more,
                     const str *items, size_t n, size_t more)
{
    size_t shown = n < AUDIT_PATHS_MAX ? n : AUDIT_PATHS_MAX;
    if (n == 0)
        return;
    jsonw_put_array(&l->w, str_c(key));
    for (size_t i = 0; i < shown; i++)
        jsonw_str(&l->w, audit_cut(l, items[i]));
    jsonw_end(&l->w);
    if (n - shown + more > 0)
        jsonw_put_int(&l->w, str_c(key_more), (int64_t)(n - shown + more));
}

/* The writer of JSON has escaped controls and replaced what is not UTF-8. What else could
 * mislead people at a terminal can only be inside of strings. */
static str audit_escape(struct arena *a, str json)
{
    struct sbuf out = SBUF_ON(a);
    size_t n;
    for (; json.n > 0; json = str_skip(json, n)) {
        uint32_t c = utf8_decode(json, &n);
        if (log_must_escape(c))
            sbuf_printf(&out, "\\u%04x", (unsigned)(c & 0xFFFF));
        else
            sbuf_add(&out, str_slice(json, 0, n));
    }
    return sbuf_str(&out);
}

str audit_line_end(struct audit_line *l)
{
    struct arena *a = l->text.arena;
    if (l->cut)
        jsonw_put_bool(&l->w, STR("cut"), true);
    jsonw_end(&l->w);
    return arena_printf(a, STR_FMT "\n", STR_ARG(audit_escape(a, sbuf_str(&l->text))));
}

/* --- writing --- */

static bool send_line(str line, struct err *err)
{
    struct arena a = {0};
    str message = arena_printf(&a,
                               "SYSLOG_IDENTIFIER=" AUDIT_JOURNAL "\nPRIORITY=6\n"
                               "MESSAGE=" STR_FMT,
                               STR_ARG(line));
    bool ok = net_send_message(STR(JOURNALD_SOCKET), message) ||
              err_sys(err, "journald does not take the line");
    arena_release(&a);
    return ok;
}

static bool audit_write(struct audit *a, str lines, struct err *err)
{
    bool ok = true;
    if (a->file != NULL)
        return rotated_write(a->file, lines, err);
    while (ok && lines.n > 0) {
        size_t n = str_find_char(lines, '\n') + 1;
        ok = send_line(str_slice(lines, 0, n), err);
        lines = str_skip(lines, n);
    }
    return ok;
}

static size_t count_lines(str lines)
{
    size_t n = 0;
    for (size_t i = 0; i < lines.n; i++)
        n += lines.p[i] == '\n';
    return n;
}

/* The line that says that others are missing. */
static str lost_line(struct arena *a, uint64_t lost)
{
    struct audit_line l;
    audit_line_begin(&l, a, "audit.lost");
    audit_line_int(&l, "lines", (int64_t)lost);
    return audit_line_end(&l);
}

/* The lock is held. */
static void audit_settle(struct audit *a, uint64_t upto, size_t lines, bool ok,
                         const struct err *err)
{
    for (struct audit_waiter *w = a->waiters; w != NULL; w = w->next)
        if (!w->done && w->number <= upto) {
            w->done = true;
            w->ok = ok;
        }
    if (ok) {
        a->lines += lines;
        a->failing_since = 0;
    } else {
        a->lost += lines;
        a->unsaid += lines;
        a->failing_since = a->failing_since > 0 ? a->failing_since : clock_ms();
        snprintf(a->why, sizeof(a->why), "%s%s%s", err->msg,
                 err->detail[0] != '\0' ? ": " : "", err->detail);
    }
    cond_wake_all(&a->written);
}

static void audit_report(bool was_failing, bool ok, const struct err *err)
{
    if (!ok && !was_failing)
        log_event(LOG_ERROR, "audit_failed", LOG_STR("error", str_c(err->msg)),
                  LOG_STR("detail", str_c(err->detail)));
    else if (ok && was_failing)
        log_write(LOG_WARN, "audit_goes_on", NULL);
}

/* The lock is held, but not while the lines are written. */
static void audit_write_waiting(struct audit *a)
{
    struct arena mem = {0};
    struct err err = {0};
    str lines = arena_str(&mem, (str){a->waiting, a->n});
    uint64_t upto = a->put, unsaid = a->unsaid;
    bool was_failing = a->failing_since > 0;
    a->n = 0;
    lock_drop(&a->lock);
    str all = unsaid > 0 ? arena_printf(&mem, STR_FMT STR_FMT,
                                        STR_ARG(lost_line(&mem, unsaid)), STR_ARG(lines))
                         : lines;
    bool ok = audit_write(a, all, &err);
    audit_report(was_failing, ok, &err);
    lock_take(&a->lock);
    a->unsaid -= ok ? unsaid : 0;
    audit_settle(a, upto, count_lines(lines), ok, &err);
    arena_release(&mem);
}

static void *audit_work(void *arg)
{
    struct audit *a = arg;
    lock_take(&a->lock);
    while (a->n > 0 || !a->stopping)
        if (a->n > 0)
            audit_write_waiting(a);
        else
            lock_wait(&a->lock, &a->filled);
    lock_drop(&a->lock);
    return NULL;
}

/* Its number; 0: there is no room. The lock is held. */
static uint64_t audit_queue(struct audit *a, str line)
{
    if (a->n + line.n > AUDIT_QUEUE_MAX)
        return 0;
    memcpy(a->waiting + a->n, line.p, line.n);
    a->n += line.n;
    cond_wake(&a->filled);
    return ++a->put;
}

void audit_put(struct audit *a, str line)
{
    if (a == NULL)
        return;
    lock_take(&a->lock);
    if (audit_queue(a, line) == 0) {
        a->lost++;
        a->unsaid++;
    }
    lock_drop(&a->lock);
}

/* The lock is held. */
static bool audit_wait_for(struct audit *a, uint64_t number)
{
    struct audit_waiter self = {.next = a->waiters, .number = number};
    uint64_t end = clock_ns() + AUDIT_WAIT_MS * UINT64_C(1000000);
    a->waiters = &self;
    while (!self.done && lock_wait_until(&a->lock, &a->written, end)) {
    }
    struct audit_waiter **at = &a->waiters;
    while (*at != &self)
        at = &(*at)->next;
    *at = self.next;
    return self.done && self.ok;
}

bool audit_put_wait(struct audit *a, str line, struct err *err)
{
    lock_check_slow();
    lock_take(&a->lock);
    uint64_t number = audit_queue(a, line);
    if (number == 0)
        a->lost++;
    bool ok = number > 0 && audit_wait_for(a, number);
    lock_drop(&a->lock);
    return ok || err_named(err, E_AUDIT_UNAVAILABLE,
                           "the audit log cannot be written, and calls are refused "
                           "without it: the operator's log says why");
}

bool audit_refuses(const struct audit *a)
{
    return a != NULL && a->settings.fail == AUDIT_REFUSE;
}

void audit_state(struct audit *a, struct audit_state *out)
{
    lock_take(&a->lock);
    *out = (struct audit_state){.to = a->to, .lines = a->lines, .lost = a->lost};
    if (a->failing_since > 0) {
        out->failing_ms = clock_ms() - a->failing_since + 1;
        memcpy(out->why, a->why, sizeof(out->why));
    }
    lock_drop(&a->lock);
}

/* --- opening --- */

const char *audit_file(struct arena *a, str to)
{
    if (to.n == 0 || str_eq(to, STR("off")) || str_eq(to, STR(JOURNALD)))
        return NULL;
    str path = system_path(a, to);
    char *here = system_path_is_absolute(path) ? NULL : file_real_path(".");
    const char *full =
        here != NULL ? system_path_from(a, str_c(here), path).p : arena_str(a, path).p;
    free(here);
    return full;
}

/* The sandbox allows changes of the whole folder, for rotation. */
static bool has_own_folder(struct arena *a, const char *file, struct err *err)
{
    static const char *const shared[] = {"/tmp", "/var/tmp", "/var/log", "/etc", "/run"};
    str folder = system_path_folder(str_c(file));
    bool crowded = system_path_is_root(folder) || str_eq(folder, machine_home(a));
    for (size_t i = 0; i < COUNT_OF(shared); i++)
        crowded = crowded || str_eq(folder, str_c(shared[i]));
    return !crowded ||
           err_set(err, ERR_INVALID,
                   "--audit %s: give a file in a folder of its own, such as " STR_FMT
                   "/vaultd/audit.jsonl",
                   file, STR_ARG(folder));
}

static bool audit_open_file(struct audit *a, const char *file, struct err *err)
{
    struct rotated_config config = {.path = file,
                                    .max = AUDIT_FILE_MAX,
                                    .old = AUDIT_OLD_FILES,
                                    .sync = a->settings.sync};
    if (!has_own_folder(&a->arena, file, err) || !rotated_open(&config, &a->file, err))
        return false;
    a->to = str_c(file);
    return true;
}

static bool audit_find_journal(struct audit *a, struct err *err)
{
    a->to = STR(JOURNALD);
    return file_exists(JOURNALD_SOCKET) ||
           err_set(err, ERR_INVALID,
                   "--audit journald: there is no journal here (" JOURNALD_SOCKET
                   "): give a file");
}

bool audit_open(const struct settings_audit *s, struct audit **out, struct err *err)
{
    *out = NULL;
    if (s->to.n == 0 || str_eq(s->to, STR("off")))
        return true;
    struct audit *a = mem_zero(sizeof(*a));
    a->settings = *s;
    lock_init(&a->lock, LOCK_LOG); /* events of the log come from anywhere */
    cond_init(&a->filled);
    cond_init(&a->written);
    a->waiting = mem_alloc(AUDIT_QUEUE_MAX);
    const char *file = audit_file(&a->arena, s->to);
    if (file != NULL ? !audit_open_file(a, file, err) : !audit_find_journal(a, err)) {
        audit_close(a);
        return false;
    }
    *out = a;
    return true;
}

void audit_start(struct audit *a)
{
    if (a != NULL && !thread_start(&a->writer, "audit", audit_work, a))
        BUG("cannot start a thread for the audit log");
    if (a != NULL)
        a->on = true;
}

void audit_close(struct audit *a)
{
    if (a == NULL)
        return;
    lock_take(&a->lock);
    a->stopping = true;
    cond_wake(&a->filled);
    lock_drop(&a->lock);
    if (a->on)
        thread_join(&a->writer);
    rotated_close(a->file);
    cond_destroy(&a->filled);
    cond_destroy(&a->written);
    lock_release(&a->lock);
    arena_release(&a->arena);
    free(a->waiting);
    free(a);
}
