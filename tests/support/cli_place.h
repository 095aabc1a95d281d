/*
 * cli_place - verbs of the command line over a vault in a temporary folder, without a process: words in, the exit
 * code and the output out, in a pipe or on a terminal of some width.
 *
 *     {"search alpha --json", .out = "~'total':2"},
 *     {"list None", .code = 1, .err = "File not found"},
 *
 * Words are separated by spaces; ' around some makes them one, and @ is the temporary folder, whose vault is @/vault.
 * In what is compared, (program) is the path of the test.
 */
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "app/cli/cli.h"
#include "quoted.h"
#include "vault_place.h"

enum {
    CLI_WORDS_MAX = 32,
    CLI_OUTPUT_MAX = 256 << 10,
};

struct cli_place {
    struct place *place;
    const struct cli_verb *const *verbs; /* ends with NULL */
    int (*other)(int argc, char **argv); /* for words[0] that are not among them */
};

struct cli_row {
    const char *words;
    int code;
    const char *out,
        *err; /* part of it; with = in front all of it, with ~ as in quoted.h; NULL: nothing */
    const char *in;       /* stdin; NULL: it is empty */
    const char *typed;    /* the same, on the terminal */
    const char *path;     /* a file afterwards, or NULL */
    const char *text;     /* its text; NULL: it does not exist */
    unsigned short width; /* of a terminal; 0: a pipe */
};

/* A file without a name, to be read after it was written. */
static inline int cli_file(const char *text)
{
    char name[] = "/tmp/vaultd-test-cli-XXXXXX";
    int fd = mkostemp(name, O_CLOEXEC);
    assert_true(fd >= 0);
    unlink(name);
    if (text != NULL)
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    lseek(fd, 0, SEEK_SET);
    return fd;
}

/* A terminal of that width; *screen is where its output can be read. */
static inline int cli_terminal(unsigned short width, int *screen)
{
    struct winsize size = {.ws_row = 24, .ws_col = width};
    struct termios raw;
    *screen = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(*screen >= 0 && grantpt(*screen) == 0 && unlockpt(*screen) == 0);
    int fd = open(ptsname(*screen), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_int_equal(ioctl(fd, TIOCSWINSZ, &size), 0);
    assert_int_equal(tcgetattr(fd, &raw), 0);
    cfmakeraw(&raw);
    assert_int_equal(tcsetattr(fd, TCSANOW, &raw), 0);
    fcntl(*screen, F_SETFL, O_NONBLOCK);
    return fd;
}

/* What a person types there; reading more than that fails. */
static inline int cli_typed(int screen, const char *text)
{
    assert_int_equal(write(screen, text, strlen(text)), strlen(text));
    int fd = open(ptsname(screen), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static inline str cli_bytes(struct arena *a, int fd)
{
    struct sbuf b = SBUF_ON(a);
    char bytes[4096];
    for (ssize_t n; b.n < CLI_OUTPUT_MAX && (n = read(fd, bytes, sizeof(bytes))) > 0;)
        sbuf_add(&b, (str){bytes, (size_t)n});
    close(fd);
    return sbuf_str(&b);
}

/* Splits the words; returns how many. */
static inline int cli_split(struct place *p, const char *text, char **words)
{
    int n = 0;
    struct sbuf b = SBUF_ON(&p->arena);
    bool inside = false;
    for (const char *c = text;; c++) {
        if (*c == '\0' || (*c == ' ' && !inside)) {
            assert_true(n < CLI_WORDS_MAX);
            words[n++] = (char *)arena_str(&p->arena, sbuf_str(&b)).p;
            b.n = 0;
        } else if (*c == '\'') {
            inside = !inside;
        } else if (*c == '@') {
            sbuf_add(&b, str_c(p->top));
        } else {
            sbuf_char(&b, *c);
        }
        if (*c == '\0')
            break;
    }
    words[n] = NULL;
    return n;
}

static inline int cli_dispatch(const struct cli_place *p, int n, char **words)
{
    for (const struct cli_verb *const *v = p->verbs; *v != NULL; v++)
        if (strcmp((*v)->name, words[0]) == 0)
            return cli_run(*v, n, words);
    return p->other(n, words);
}

/* Runs it with other files in the places of stdin, stdout and stderr. */
static inline int cli_redirected(const struct cli_place *p, const int fds[3], int n,
                                 char **words)
{
    int saved[3], code;
    fflush(stdout);
    fflush(stderr);
    for (int i = 0; i < 3; i++) {
        saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
        dup2(fds[i], i);
    }
    code = cli_dispatch(p, n, words);
    fflush(stdout);
    for (int i = 0; i < 3; i++) {
        dup2(saved[i], i);
        close(saved[i]);
    }
    return code;
}

static inline bool cli_is_wanted(struct arena *a, str got, const char *want)
{
    if (want == NULL)
        return got.n == 0;
    bool all = want[0] == '=';
    want += all;
    str text = want[0] == '~' ? quoted(a, want + 1) : str_c(want);
    return all ? str_eq(got, text) : str_find(got, text) != STR_NONE;
}

static inline str cli_put_back(struct arena *a, str text, str found, const char *name)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t at; (at = str_find(text, found)) != STR_NONE;
         text = str_skip(text, at + found.n)) {
        sbuf_add(&b, str_slice(text, 0, at));
        sbuf_add(&b, str_c(name));
    }
    sbuf_add(&b, text);
    return sbuf_str(&b);
}

/* The temporary folder as @ again, and the test as (program). */
static inline str cli_shown(struct place *p, str text)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
    assert_true(n > 0);
    text = cli_put_back(&p->arena, text, (str){self, (size_t)n}, "(program)");
    return cli_put_back(&p->arena, text, str_c(p->top), "@");
}

static inline bool cli_says(struct place *p, const struct cli_row *r, const char *where,
                            int fd, const char *want)
{
    str got = cli_shown(p, cli_bytes(&p->arena, fd));
    if (cli_is_wanted(&p->arena, got, want))
        return true;
    print_error("%s, %s:\n  got  '" STR_FMT "'\n  want '%s'\n", r->words, where,
                STR_ARG(got), want != NULL ? want : "");
    return false;
}

static inline bool cli_left(struct place *p, const struct cli_row *r)
{
    if (r->path == NULL)
        return true;
    str got = place_has(p, r->path)
                  ? cli_shown(p, cli_bytes(&p->arena,
                                           openat(p->fd, r->path, O_RDONLY | O_CLOEXEC)))
                  : STR("(no such file)");
    const char *want = r->text != NULL ? r->text : "(no such file)";
    if (str_eq(got, str_c(want)))
        return true;
    print_error("%s: %s is '" STR_FMT "'\n  want '%s'\n", r->words, r->path, STR_ARG(got),
                want);
    return false;
}

/* Whether the row is right; says what is wrong. */
static inline bool cli_check_row(const struct cli_place *p, const struct cli_row *r)
{
    char *words[CLI_WORDS_MAX + 1];
    int n = cli_split(p->place, r->words, words), screen = -1;
    int out = r->width > 0 ? cli_terminal(r->width, &screen) : cli_file(NULL);
    int in = r->typed != NULL ? cli_typed(screen, r->typed) : cli_file(r->in);
    int fds[3] = {in, out, cli_file(NULL)};
    int code = cli_redirected(p, fds, n, words);
    close(fds[0]);
    lseek(fds[2], 0, SEEK_SET);
    if (screen < 0)
        lseek(out, 0, SEEK_SET);
    bool right = cli_says(p->place, r, "stdout", screen >= 0 ? screen : out, r->out);
    right = cli_says(p->place, r, "stderr", fds[2], r->err) && right;
    if (screen >= 0)
        close(out);
    if (code != r->code)
        print_error("%s: exit code %d, want %d\n", r->words, code, r->code);
    return cli_left(p->place, r) && right && code == r->code;
}

/* All of them, one after the other. */
static inline void cli_check_rows(const struct cli_place *p, const struct cli_row *rows,
                                  size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        if (cli_check_row(p, &rows[i]))
            continue;
        print_error("so row %zu is wrong\n", i);
        wrong++;
    }
    if (wrong > 0)
        fail_msg("%zu of %zu rows are wrong", wrong, n);
}
