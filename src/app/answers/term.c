#include "app/answers/term.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/answers/remedy.h"
#include "app/answers/term_fold.h"
#include "app/answers/term_pager.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/os/machine.h"
#include "base/os/self.h"
#include "base/os/terminal.h"
#include "base/utf8.h"

enum { FLUSH_AT = 64 << 10 };

static const char *const codes[] = {
    [TERM_STRONG] = "1",   [TERM_FAINT] = "2", [TERM_PATH] = "35", [TERM_LINE] = "32",
    [TERM_MATCH] = "1;31", [TERM_GOOD] = "32", [TERM_WARN] = "33", [TERM_BAD] = "31",
};

bool term_is_dumb_on(enum machine_system system, const char *kind)
{
    return kind == NULL ? system != MACHINE_WINDOWS : strcmp(kind, "dumb") == 0;
}

struct term term_open(struct arena *a, int fd, enum term_colour colour)
{
    struct term t = {.fd = fd, .out = SBUF_ON(a)};
    const char *no_colour = self_variable("NO_COLOR"), *kind = self_variable("TERM");
    bool tty = terminal_is(fd);
    bool plain = (no_colour != NULL && no_colour[0] != '\0') ||
                 term_is_dumb_on(machine_system(), kind);
    t.colour = colour == TERM_ALWAYS || (colour == TERM_AUTO && tty && !plain);
    t.width = tty ? terminal_width(fd) : 0;
    return t;
}

void term_flush(struct term *t)
{
    if (t->failed == 0 && !file_write(t->fd, sbuf_str(&t->out)))
        t->failed = errno;
    t->out.n = 0;
    t->line = 0;
}

void term_use_pager(struct term *t)
{
    t->pages = t->width > 0 && terminal_is(FILE_STDIN) &&
               !term_is_dumb_on(machine_system(), self_variable("TERM"));
}

void term_close(struct term *t)
{
    str text = sbuf_str(&t->out);
    if (t->pages && term_pager_show(t->out.arena, text, terminal_height(t->fd)))
        t->out.n = 0;
    term_flush(t);
}

/* What is written for a pager is kept until the end. */
static void flush_much(struct term *t)
{
    if (t->out.n > FLUSH_AT && !t->pages)
        term_flush(t);
}

static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 ||
           (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/* The text to show for c, the first character of rest. */
static uint32_t clean(uint32_t c, str rest, bool lines)
{
    if (c == '\n' || c == '\t')
        return lines ? c : ' ';
    if (c == '\r' && lines && str_starts(rest, STR("\r\n")))
        return c;
    return is_control(c) ? 0xFFFD : c;
}

static void add_clean(struct term *t, str text, bool lines)
{
    char utf8[4];
    for (size_t i = 0, n; i < text.n; i += n) {
        str rest = str_skip(text, i);
        uint32_t c = clean(utf8_decode(rest, &n), rest, lines);
        sbuf_add(&t->out, (str){utf8, utf8_encode(c, utf8)});
    }
    if (lines)
        t->line = t->out.n;
    if (t->width == 0 || lines)
        flush_much(t);
}

/* The line feed; on a terminal, the line before it is folded. */
static void end_line(struct term *t, bool folds)
{
    if (t->width > 0 && folds) {
        str line = arena_str(t->out.arena, str_skip(sbuf_str(&t->out), t->line));
        t->out.n = t->line;
        term_fold(line, t->width, &t->out);
    }
    sbuf_char(&t->out, '\n');
    t->line = t->out.n;
    flush_much(t);
}

static void term_begin(struct term *t, enum term_style style)
{
    if (t->colour && style != TERM_PLAIN)
        sbuf_printf(&t->out, "\x1b[%sm", codes[style]);
}

static void term_end(struct term *t, enum term_style style)
{
    if (t->colour && style != TERM_PLAIN)
        sbuf_add(&t->out, STR("\x1b[0m"));
}

void term_put(struct term *t, enum term_style style, str text)
{
    bool line = str_ends(text, STR("\n"));
    text.n -= line;
    if (text.n > 0) {
        term_begin(t, style);
        add_clean(t, text, false);
        term_end(t, style);
    }
    if (line)
        end_line(t, true);
}

void term_printf(struct term *t, enum term_style style, const char *fmt, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, fmt);
    int n = vasprintf(&text, fmt, args);
    va_end(args);
    if (n > 0)
        term_put(t, style, (str){text, (size_t)n});
    if (n >= 0)
        free(text);
}

void term_error(struct term *t, const struct err *err)
{
    bool more = err->detail[0] != '\0';
    term_printf(t, TERM_PLAIN, "vaultd: " STR_FMT "%s%s%s\n",
                STR_ARG(remedy_command_words(t->out.arena, err_text(t->out.arena, err))),
                more ? " (" : "", err->detail, more ? ")" : "");
}

struct term *term_remarks(struct term *t)
{
    return t->width > 0 || t->notes == NULL ? t : t->notes;
}

void term_text(struct term *t, str text)
{
    add_clean(t, text, true);
}

void term_json(struct term *t, str json)
{
    if (t->width == 0) {
        sbuf_add(&t->out, json);
        return;
    }
    for (size_t i = 0, n; i < json.n; i += n) {
        uint32_t c = utf8_decode(str_skip(json, i), &n);
        if (is_control(c) && c != '\n')
            sbuf_printf(&t->out, "\\u%04x", (unsigned)c);
        else
            sbuf_add(&t->out, str_slice(json, i, i + n));
    }
    t->line = t->out.n;
}

size_t term_width(str text)
{
    size_t width = 0;
    for (size_t i = 0, n; i < text.n; i += n)
        width += utf8_columns(utf8_decode(str_skip(text, i), &n));
    return width;
}

/* Bytes of text that fit into width columns. */
static size_t fitting(str text, size_t width)
{
    size_t i = 0, n, used = 0;
    for (; i < text.n; i += n) {
        used += utf8_columns(utf8_decode(str_skip(text, i), &n));
        if (used > width)
            break;
    }
    return i;
}

/* Bytes to leave out at the front, so that at most width columns remain. */
static size_t left_out(str text, size_t width)
{
    size_t i = 0, n, have = term_width(text);
    for (; have > width; i += n)
        have -= utf8_columns(utf8_decode(str_skip(text, i), &n));
    return i;
}

/* The part of a line that fits into width columns, with the match at [start, end). */
static struct textscan_mark window(str line, size_t start, size_t end, size_t width)
{
    size_t from = 0, room = width - 2; /* for the marks where text is left out */
    if (width == 0 || term_width(line) <= width)
        return (struct textscan_mark){0, line.n};
    if (term_width(str_slice(line, 0, end)) > room) {
        size_t far = left_out(line, room);
        from = left_out(str_slice(line, 0, start), room / 3);
        from = from < far ? from : far;
    }
    return (struct textscan_mark){from, from + fitting(str_skip(line, from), room)};
}

void term_found(struct term *t, str line, const struct textscan_mark *marks, size_t n,
                size_t width)
{
    struct textscan_mark shown =
        window(line, n > 0 ? marks[0].start : 0, n > 0 ? marks[0].end : 0, width);
    size_t at = shown.start;
    term_put(t, TERM_FAINT, shown.start > 0 ? STR("…") : STR(""));
    for (size_t i = 0; i < n && at < shown.end; i++) {
        size_t start = marks[i].start > at ? marks[i].start : at;
        size_t end = marks[i].end < shown.end ? marks[i].end : shown.end;
        if (start >= end)
            continue;
        term_put(t, TERM_PLAIN, str_slice(line, at, start));
        term_put(t, TERM_MATCH, str_slice(line, start, end));
        at = end;
    }
    term_put(t, TERM_PLAIN, str_slice(line, at, shown.end));
    term_put(t, TERM_FAINT, shown.end < line.n ? STR("…") : STR(""));
}

static void put_padding(struct term *t, size_t have, size_t want)
{
    for (; have < want; have++)
        sbuf_char(&t->out, ' ');
}

void term_left(struct term *t, enum term_style style, str text, size_t width)
{
    term_put(t, style, text);
    put_padding(t, term_width(text), width);
}

void term_right(struct term *t, enum term_style style, str text, size_t width)
{
    put_padding(t, term_width(text), width);
    term_put(t, style, text);
}

void term_labelled(struct term *t, const char *label, size_t width, str text)
{
    term_left(t, TERM_FAINT, str_c(label), width);
    term_put(t, TERM_PLAIN, text);
    term_put(t, TERM_PLAIN, STR("\n"));
}

void term_diff(struct term *t, str diff)
{
    str line;
    while (diff.n > 0 && str_next(&diff, '\n', &line)) {
        enum term_style style = TERM_PLAIN;
        if (str_starts(line, STR("+++")) || str_starts(line, STR("---")) ||
            str_starts(line, STR("rename ")) || str_starts(line, STR("(no diff")))
            style = TERM_STRONG;
        else if (str_starts(line, STR("+")))
            style = TERM_GOOD;
        else if (str_starts(line, STR("-")))
            style = TERM_BAD;
        else if (str_starts(line, STR("@@")))
            style = TERM_LINE;
        term_put(t, style, line);
        end_line(t, false);
    }
}

/* --- Markdown --- */

static void markdown_put(struct term *t, enum term_style style, str text)
{
    term_begin(t, style);
    add_clean(t, text, true);
    term_end(t, style);
}

/* The bytes of a link or a tag that begins at i; 0: there is none. */
static size_t markdown_mark(str line, size_t i)
{
    str rest = str_skip(line, i);
    bool begins = i == 0 || line.p[i - 1] == ' ';
    size_t end = str_starts(rest, STR("[[")) ? str_find(rest, STR("]]")) : STR_NONE;
    if (end != STR_NONE)
        return end + 2;
    for (end = 1; begins && rest.p[0] == '#' && end < rest.n &&
                  strchr(" \t\r#,.;:!?()[]\"'`", rest.p[end]) == NULL;)
        end++;
    return begins && rest.p[0] == '#' && end > 1 ? end : 0;
}

static void markdown_line(struct term *t, str line)
{
    size_t from = 0;
    for (size_t i = 0, n; i < line.n; i++) {
        if ((line.p[i] != '[' && line.p[i] != '#') || (n = markdown_mark(line, i)) == 0)
            continue;
        markdown_put(t, TERM_PLAIN, str_slice(line, from, i));
        markdown_put(t, TERM_PATH, str_slice(line, i, i + n));
        from = i + n;
        i = from - 1;
    }
    markdown_put(t, TERM_PLAIN, str_skip(line, from));
}

static bool markdown_is_heading(str line)
{
    size_t level = 0;
    while (level < line.n && line.p[level] == '#')
        level++;
    return level > 0 && level < 7 && level < line.n && line.p[level] == ' ';
}

void term_markdown(struct term *t, str text)
{
    bool code = false, properties = str_starts(text, STR("---\n"));
    str line;
    if (!t->colour) {
        term_text(t, text);
        return;
    }
    for (size_t number = 0; text.n > 0; number++) {
        bool ended = str_find_char(text, '\n') != STR_NONE;
        (void)str_next(&text, '\n', &line);
        bool fence = str_starts(str_trim(line), STR("```"));
        if (properties || code || fence)
            markdown_put(t, TERM_FAINT, line);
        else if (markdown_is_heading(line))
            markdown_put(t, TERM_STRONG, line);
        else
            markdown_line(t, line);
        markdown_put(t, TERM_PLAIN, ended ? STR("\n") : STR(""));
        code = code != (fence && !properties);
        properties =
            properties && (number == 0 || !str_eq(str_trim_line(line), STR("---")));
    }
}

size_t term_place(struct term *t, str path, uint32_t line, bool new_path)
{
    enum { LINE_COLUMNS = 6, GAP = 2, LEAST = 20 };
    str number = line > 0 ? arena_printf(t->out.arena, "%u", line) : STR("");
    if (t->width == 0) {
        term_put(t, TERM_PATH, path);
        term_put(t, TERM_PLAIN, STR(":"));
        term_put(t, TERM_LINE, number);
        term_put(t, TERM_PLAIN, line > 0 ? STR(":") : STR(""));
        return 0;
    }
    if (new_path)
        term_printf(t, TERM_PATH, STR_FMT "\n", STR_ARG(path));
    term_right(t, TERM_LINE, number, LINE_COLUMNS);
    term_put(t, TERM_PLAIN, STR("  "));
    size_t used = LINE_COLUMNS + GAP;
    return t->width > used + LEAST ? t->width - used : LEAST;
}

str term_count(const struct term *t, size_t n, const char *one, const char *many)
{
    return arena_count(t->out.arena, n, one, many);
}

void term_number(struct term *t, enum term_style style, int64_t number)
{
    enum { COLUMNS = 5 };
    str text = arena_printf(t->out.arena, "%lld", (long long)number);
    term_right(t, style, number < 0 ? STR("") : text, COLUMNS);
}

str term_size(struct arena *a, int64_t bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    double size = (double)bytes;
    size_t unit = 0;
    for (; size >= 1000 && unit + 1 < COUNT_OF(units); unit++)
        size /= 1000;
    return arena_printf(a, size < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", size,
                        units[unit]);
}

str term_time(struct arena *a, int64_t seconds)
{
    struct clock_date d = clock_local(seconds);
    return arena_printf(a, "%04d-%02d-%02d %02d:%02d", (int)d.year, d.month, d.day,
                        d.hour, d.minute);
}

str term_duration(struct arena *a, int64_t seconds)
{
    enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };
    long long n = (long long)seconds;
    return n >= DAY      ? arena_printf(a, "%lld d %lld h", n / DAY, n % DAY / HOUR)
           : n >= HOUR   ? arena_printf(a, "%lld h %lld min", n / HOUR, n % HOUR / MINUTE)
           : n >= MINUTE ? arena_printf(a, "%lld min", n / MINUTE)
                         : arena_printf(a, "%lld s", n);
}

/* Days since 1970 in local time. */
static int64_t term_day(int64_t seconds)
{
    struct clock_date d = clock_local(seconds);
    return clock_days(d.year, d.month, d.day);
}

str term_ago(struct arena *a, int64_t seconds, int64_t now)
{
    enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR, WEEK = 7 };
    int64_t ago = now - seconds, days = term_day(now) - term_day(seconds);
    if (ago < -MINUTE || days >= WEEK)
        return term_time(a, seconds);
    if (ago < MINUTE)
        return STR("just now");
    if (ago < HOUR)
        return arena_printf(
            a, STR_FMT " ago",
            STR_ARG(arena_count(a, (size_t)(ago / MINUTE), "minute", "minutes")));
    if (ago < DAY)
        return arena_printf(
            a, STR_FMT " ago",
            STR_ARG(arena_count(a, (size_t)(ago / HOUR), "hour", "hours")));
    if (days > 1)
        return arena_printf(a, "%lld days ago", (long long)days);
    struct clock_date d = clock_local(seconds);
    return arena_printf(a, "yesterday %02d:%02d", d.hour, d.minute);
}

str term_when(const struct term *t, int64_t seconds)
{
    return t->width > 0 ? term_ago(t->out.arena, seconds, clock_now())
                        : term_time(t->out.arena, seconds);
}

str term_when_iso(const struct term *t, str iso)
{
    int64_t seconds;
    return clock_read_iso(iso, &seconds) ? term_when(t, seconds) : iso;
}
