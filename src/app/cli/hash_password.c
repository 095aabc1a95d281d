#include "app/cli/hash_password.h"

#include <errno.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include "base/hash.h"
#include "oauth/users.h"

/* One byte more than allowed, and the line end, so that a longer password is refused, not
 * cut. */
enum { LINE_MAX_SIZE = USERS_PASSWORD_MAX + 3 };

struct line {
    char bytes[LINE_MAX_SIZE];
    size_t n;
};

/* The signal that arrived while echo was off. Global, because a signal handler cannot be
 * given an argument. */
static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    caught = number;
}

static void ask(str prompt)
{
    (void)!write(STDERR_FILENO, prompt.p, prompt.n);
}

/* Reads up to a line feed or the end; false: nothing could be read. */
static bool read_line(struct line *line, struct err *err)
{
    char c;
    bool more = true;
    line->n = 0;
    while (more) {
        ssize_t got = read(STDIN_FILENO, &c, 1);
        if (got < 0 && errno == EINTR && caught == 0)
            continue;
        if (got < 0)
            return err_sys(err, "cannot read the password");
        more = got == 1 && c != '\n';
        if (more && line->n < sizeof(line->bytes))
            line->bytes[line->n++] = c;
    }
    if (line->n > 0 && line->bytes[line->n - 1] == '\r')
        line->n--;
    return true;
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static void set_terminal(const struct termios *how)
{
    while (tcsetattr(STDIN_FILENO, TCSAFLUSH, how) != 0 && errno == EINTR)
        continue;
}

/* Reads a line without echo. However this ends, the terminal's settings are restored. */
static bool read_hidden(str prompt, struct line *line, struct err *err)
{
    struct termios before, hidden;
    struct sigaction old[COUNT_OF(signals)], act = {.sa_handler = on_signal};
    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return err_sys(err, "cannot read the terminal's settings");
    caught = 0;
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        sigaction(signals[i], &act, &old[i]);
    hidden = before;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    set_terminal(&hidden);
    ask(prompt);
    bool ok = read_line(line, err);
    ask(STR("\n"));
    set_terminal(&before);
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        sigaction(signals[i], &old[i], NULL);
    if (caught != 0)
        raise(caught);
    return ok;
}

static bool read_twice(struct line *line, struct err *err)
{
    struct line again;
    bool ok = read_hidden(STR("Password: "), line, err) &&
              read_hidden(STR("Again: "), &again, err);
    if (ok && !hash_equal((str){line->bytes, line->n}, (str){again.bytes, again.n}))
        ok = err_set(err, ERR_INVALID, "the two passwords differ");
    explicit_bzero(&again, sizeof(again));
    return ok;
}

bool hash_password(struct arena *a, str *out, struct err *err)
{
    struct line line;
    bool ok = isatty(STDIN_FILENO) ? read_twice(&line, err) : read_line(&line, err);
    if (ok)
        ok = users_hash(a, (str){line.bytes, line.n}, out, err);
    explicit_bzero(&line, sizeof(line));
    return ok;
}
