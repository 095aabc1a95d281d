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

bool terminal_read_secret(str prompt, char *out, size_t size, size_t *n)
{
    struct sigaction old[COUNT_OF(signals)], act = {.sa_handler = on_signal};
    sigset_t ours, open;
    caught = 0;
    sigemptyset(&ours);
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        sigaddset(&ours, signals[i]);
    pthread_sigmask(SIG_BLOCK, &ours, &open);
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        sigaction(signals[i], &act, &old[i]);
    bool ok = read_hidden(prompt, out, size, n, &open);
    int error = errno;
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        sigaction(signals[i], &old[i], NULL);
    pthread_sigmask(SIG_SETMASK, &open, NULL);
    if (caught != 0)
        raise(caught);
    caught = 0;
    errno = error;
    return ok;
}
