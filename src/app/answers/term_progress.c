#include "app/answers/term_progress.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/answers/term.h"
#include "base/clock.h"
#include "base/os/file.h"
#include "base/os/terminal.h"
#include "base/os/thread.h"
#include "base/sbuf.h"
#include "base/utf8.h"

enum {
    BAR_MOST = 30,
    BAR_LEAST = 8,
    DRAW_EVERY_MS = 100,
    RATE_AFTER_MS = 1000, /* before that, a rate says little */
};

struct term_progress term_progress_begin(const char *what, const char *unit)
{
    return (struct term_progress){.what = what,
                                  .unit = unit,
                                  .began = clock_ms(),
                                  .terminal = terminal_is(FILE_STDERR)};
}

/* "12034 of 20000 files, 4100/s, 2 s left"; "9 s" if there is nothing to count. */
static str progress_numbers(struct arena *a, const struct term_progress *p, size_t done,
                            size_t all, uint64_t ms)
{
    struct sbuf out = SBUF_ON(a);
    size_t made = done > p->first ? done - p->first : 0;
    uint64_t rate = ms > 0 ? made * 1000 / ms : 0, left = all > done ? all - done : 0;
    if (all == 0)
        return arena_printf(a, STR_FMT, STR_ARG(term_duration(a, (int64_t)ms / 1000)));
    sbuf_printf(&out, "%zu of %zu %s", done, all, p->unit);
    if (ms < RATE_AFTER_MS || made == 0)
        return sbuf_str(&out);
    if (rate > 0)
        sbuf_printf(&out, ", %llu/s", (unsigned long long)rate);
    if (left > 0)
        sbuf_printf(&out, ", " STR_FMT " left",
                    STR_ARG(term_duration(a, (int64_t)(left * ms / made / 1000) + 1)));
    return sbuf_str(&out);
}

str term_progress_line(struct arena *a, const struct term_progress *p, size_t done,
                       size_t all, uint64_t ms, size_t width)
{
    struct sbuf out = SBUF_ON(a);
    str what = str_c(p->what), numbers = progress_numbers(a, p, done, all, ms);
    size_t used =
        term_width(what) + term_width(numbers) + sizeof(" [] "); /* and one free */
    size_t bar = all == 0 || used + BAR_LEAST > width ? 0
                 : width - used > BAR_MOST            ? BAR_MOST
                                                      : width - used;
    size_t filled = done >= all ? bar : done * bar / all;
    sbuf_add(&out, what);
    if (bar > 0)
        sbuf_add(&out, STR(" ["));
    for (size_t i = 0; i < bar; i++)
        sbuf_char(&out, i < filled ? '#' : ' ');
    sbuf_printf(&out, "%s" STR_FMT, bar > 0 ? "] " : ": ", STR_ARG(numbers));
    return utf8_cut(sbuf_str(&out), width > 1 ? width - 1 : 1);
}

void term_progress_show(struct term_progress *p, size_t done, size_t all)
{
    uint64_t now = clock_ms();
    if (!p->begun)
        p->first = done;
    p->begun = true;
    if (!p->terminal || now - p->began < TERM_PROGRESS_AFTER_MS ||
        (p->shown && now - p->drawn < DRAW_EVERY_MS))
        return;
    struct arena a = {0};
    str line =
        term_progress_line(&a, p, done, all, now - p->began, terminal_width(FILE_STDERR));
    fprintf(stderr, "\r" STR_FMT "\x1b[K", STR_ARG(line));
    fflush(stderr);
    arena_release(&a);
    p->drawn = now;
    p->shown = true;
}

void term_progress_end(struct term_progress *p)
{
    if (p->shown)
        fputs("\r\x1b[K", stderr);
    fflush(stderr);
    p->shown = false;
}

void term_progress_say(struct term_progress *p, str text)
{
    term_progress_end(p);
    fprintf(stderr, "vaultd: " STR_FMT "\n", STR_ARG(text));
    fflush(stderr);
}

struct term_busy {
    struct term_progress line;
    struct thread thread;
    atomic_bool ended;
};

static void *term_busy_draw(void *arg)
{
    enum { STEP_US = 20000 };
    struct term_busy *b = arg;
    while (!atomic_load(&b->ended)) {
        term_progress_show(&b->line, 0, 0);
        thread_pause(STEP_US);
    }
    return NULL;
}

struct term_busy *term_busy_begin(const char *what)
{
    if (!terminal_is(FILE_STDERR))
        return NULL;
    struct term_busy *b = mem_alloc(sizeof(*b));
    *b = (struct term_busy){.line = term_progress_begin(what, "")};
    if (thread_start(&b->thread, "progress", term_busy_draw, b))
        return b;
    free(b);
    return NULL;
}

void term_busy_end(struct term_busy *b)
{
    if (b == NULL)
        return;
    atomic_store(&b->ended, true);
    thread_join(&b->thread);
    term_progress_end(&b->line);
    free(b);
}
