#include "base/os/terminal.h"

#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

enum { WIDTH_USUAL = 80, HEIGHT_USUAL = 24 };

bool terminal_is(int fd)
{
    return isatty(fd) == 1;
}

size_t terminal_width(int fd)
{
    struct winsize size = {0};
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                : WIDTH_USUAL;
}

size_t terminal_height(int fd)
{
    struct winsize size = {0};
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row
                                                                : HEIGHT_USUAL;
}

/* The signal that arrived while a secret was read. Global, because a signal handler cannot
 * be given an argument. */
static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    caught = number;
}

/* Signals are blocked except while it waits for a key, so that none comes between a look at
 * caught and the wait. False: one came. */
static bool await_key(const sigset_t *open)
{
    int ready;
    do {
        fd_set keys;
        FD_ZERO(&keys);
        FD_SET(STDIN_FILENO, &keys);
        ready = pselect(STDIN_FILENO + 1, &keys, NULL, NULL, NULL, open);
    } while (ready < 0 && errno == EINTR && caught == 0);
    return ready > 0;
}

/* open is NULL unless a secret is read. */
static ssize_t read_byte(char *c, const sigset_t *open)
{
    ssize_t got;
    do
        got = open == NULL || await_key(open) ? read(STDIN_FILENO, c, 1) : -1;
    while (got < 0 && errno == EINTR && caught == 0);
    return got;
}

static bool read_line(char *out, size_t size, size_t *n, bool *ended,
                      const sigset_t *open)
{
    char c;
    ssize_t got;
    for (*n = 0; (got = read_byte(&c, open)) == 1 && c != '\n';)
        if (*n < size)
            out[(*n)++] = c;
    *ended = got == 0;
    return got >= 0;
}

bool terminal_read_line(char *out, size_t size, size_t *n, bool *ended)
{
    return read_line(out, size, n, ended, NULL);
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static void set_terminal(const struct termios *how)
{
    while (tcsetattr(STDIN_FILENO, TCSAFLUSH, how) != 0 && errno == EINTR)
        continue;
}

static void print(str text)
{
    (void)!write(STDERR_FILENO, text.p, text.n);
}

static bool read_hidden(str prompt, char *out, size_t size, size_t *n,
                        const sigset_t *open)
{
    struct termios before, hidden;
    bool ended;
    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return false;
    hidden = before;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    set_terminal(&hidden);
    print(prompt);
    bool ok = read_line(out, size, n, &ended, open);
    int error = errno;
    print(STR("\n"));
    set_terminal(&before);
    errno = error;
    return ok;
}

/* From here to signals_back() a signal is noticed by await_key() only. */
struct noticed {
    struct sigaction old[COUNT_OF(signals)];
    sigset_t open;
};

static void notice_signals(struct noticed *s)
{
    struct sigaction act = {.sa_handler = on_signal};
    sigset_t ours;
    caught = 0;
    sigemptyset(&ours);
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        sigaddset(&ours, signals[i]);
    pthread_sigmask(SIG_BLOCK, &ours, &s->open);
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        sigaction(signals[i], &act, &s->old[i]);
}

static void signals_back(const struct noticed *s)
{
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        sigaction(signals[i], &s->old[i], NULL);
    pthread_sigmask(SIG_SETMASK, &s->open, NULL);
    if (caught != 0)
        raise(caught);
    caught = 0;
}

bool terminal_read_secret(str prompt, char *out, size_t size, size_t *n)
{
    struct noticed s;
    notice_signals(&s);
    bool ok = read_hidden(prompt, out, size, n, &s.open);
    int error = errno;
    signals_back(&s);
    errno = error;
    return ok;
}

/* --- keys --- */

/* There is one terminal, and one reader of its keys. */
static struct {
    struct noticed signals;
    struct termios before;
} keys;

bool terminal_keys_begin(void)
{
    struct termios raw;
    if (tcgetattr(STDIN_FILENO, &keys.before) != 0)
        return false;
    notice_signals(&keys.signals);
    raw = keys.before;
    raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    set_terminal(&raw);
    return true;
}

void terminal_keys_end(void)
{
    set_terminal(&keys.before);
    signals_back(&keys.signals);
}

/* Whether the rest of a sequence follows: a terminal sends it at once. */
static bool key_goes_on(void)
{
    fd_set more;
    struct timeval wait = {.tv_usec = 50000};
    FD_ZERO(&more);
    FD_SET(STDIN_FILENO, &more);
    return select(STDIN_FILENO + 1, &more, NULL, NULL, &wait) > 0;
}

/* How many bytes follow the first one of a character. */
static size_t bytes_after(unsigned char first)
{
    return first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
}

static bool is_end_of_sequence(char c, size_t at)
{
    return at >= 2 && c >= 0x40 && c <= 0x7E;
}

bool terminal_read_key(char out[TERMINAL_KEY_MAX], size_t *n)
{
    *n = 0;
    if (read_byte(out, &keys.signals.open) != 1)
        return false;
    size_t more = bytes_after((unsigned char)out[0]);
    bool sequence = out[0] == 0x1B;
    for (*n = 1; *n < TERMINAL_KEY_MAX && (more > 0 || (sequence && key_goes_on()));) {
        if (read_byte(out + *n, &keys.signals.open) != 1)
            return false;
        (*n)++;
        more -= more > 0;
        if (sequence && is_end_of_sequence(out[*n - 1], *n - 1))
            break;
    }
    return true;
}
