#include "base/os/terminal.h"

#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { WIDTH_USUAL = 80 };

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

/* The signal that arrived while a secret was read. Global, because a signal handler cannot
 * be given an argument. */
static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    caught = number;
}

/* One byte; a signal that was caught is an error, others are not. */
static ssize_t read_byte(char *c)
{
    ssize_t got;
    do
        got = read(STDIN_FILENO, c, 1);
    while (got < 0 && errno == EINTR && caught == 0);
    return got;
}

bool terminal_read_line(char *out, size_t size, size_t *n, bool *ended)
{
    char c;
    ssize_t got;
    for (*n = 0; (got = read_byte(&c)) == 1 && c != '\n';)
        if (*n < size)
            out[(*n)++] = c;
    *ended = got == 0;
    return got >= 0;
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

static bool read_hidden(str prompt, char *out, size_t size, size_t *n)
{
    struct termios before, hidden;
    bool ended;
    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return false;
    hidden = before;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    set_terminal(&hidden);
    print(prompt);
    bool ok = terminal_read_line(out, size, n, &ended);
    int error = errno;
    print(STR("\n"));
    set_terminal(&before);
    errno = error;
    return ok;
}

bool terminal_read_secret(str prompt, char *out, size_t size, size_t *n)
{
    struct sigaction old[COUNT_OF(signals)], act = {.sa_handler = on_signal};
    caught = 0;
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        sigaction(signals[i], &act, &old[i]);
    bool ok = read_hidden(prompt, out, size, n);
    int error = errno;
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        sigaction(signals[i], &old[i], NULL);
    if (caught != 0)
        raise(caught);
    caught = 0;
    errno = error;
    return ok;
}
