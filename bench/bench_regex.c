/*
 * How long one thread needs to find all matching lines of 50 MB in memory, against
 * "rg -j1" on a file with the same text. Usage: bench_regex [FILE]; without one, text is
 * made up. Processor time, so that a busy machine does little harm; rg's holds its start
 * (first row). Rounds of both alternate; what is printed are minima. The counts must
 * agree.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "vault/text/regex.h"

enum { ROUNDS = 7, SIZE = 50 << 20 };

/* Processor time of ours or of all children so far. */
static double cpu_ms(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static uint64_t seed = 88172645463325252u;

static unsigned below(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % n;
}

/* Words as they are in notes: mostly English, some with more than ASCII. */
static void make_text(struct sbuf *b)
{
    static const char *const words[] = {"the",     "of",           "and",
                                        "project", "meeting",      "garden",
                                        "note",    "server",       "because",
                                        "trouble", "understand",   "vault",
                                        "idea",    "tomorrow",     "write",
                                        "read",    "link",         "search",
                                        "entropy", "quick",        "lazy",
                                        "with",    "from",         "which",
                                        "about",   "organisation", "text",
                                        "a",       "is",           "in",
                                        "to",      "configure",    "infrastructure",
                                        "time",    "people"};
    static const char *const others[] = {"größer", "café",   "привет",
                                         "naïve",  "日本語", "—"};
    while (b->n < SIZE) {
        unsigned kind = below(40);
        if (kind == 0)
            sbuf_printf(b, "## 20%02u-%02u-%02u\n", below(30), below(12) + 1,
                        below(28) + 1);
        else if (kind == 1)
            sbuf_printf(b, "- [%c] ", "x "[below(2)]);
        else if (kind == 2)
            sbuf_printf(b, "#tag/%s ", words[below(COUNT_OF(words))]);
        else if (kind == 3)
            sbuf_printf(b, "[[%s|%s]] ", words[below(COUNT_OF(words))],
                        words[below(COUNT_OF(words))]);
        for (unsigned n = below(18); n > 0; n--) {
            bool other = below(200) == 0;
            sbuf_add(b, str_c(other ? others[below(COUNT_OF(others))]
                                    : words[below(COUNT_OF(words))]));
            sbuf_char(b, below(12) == 0 ? ',' : ' ');
        }
        if (below(5000) == 0)
            sbuf_add(b, STR("Zanzibar ZANZIBAR 2024-11 done"));
        sbuf_char(b, '\n');
    }
}

static bool count(void *arg, const struct regex_hit *hit)
{
    (void)hit;
    ++*(size_t *)arg;
    return true;
}

static size_t run_ours(const char *pattern, unsigned flags, str text)
{
    struct regex *r;
    struct err err = {0};
    size_t n = 0;
    if (!regex_compile(str_c(pattern), flags, &r, &err)) {
        fprintf(stderr, "%s: %s\n", pattern, err.msg);
        exit(1);
    }
    struct regex_scratch *s = regex_scratch_create();
    if (!regex_lines(r, s, text, count, &n, NULL, NULL))
        fprintf(stderr, "%s: a limit was hit\n", pattern);
    regex_scratch_free(s);
    regex_free(r);
    return n;
}

static size_t run_rg(const char *pattern, unsigned flags, const char *file)
{
    int out[2];
    char text[32] = "";
    if (pipe(out) != 0)
        exit(1);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(out[1], 1);
        close(out[0]);
        close(out[1]);
        execlp("rg", "rg", "--no-config", "-j1", "--text", "-c", flags ? "-i" : "-s",
               "-e", pattern, file, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    ssize_t n = read(out[0], text, sizeof(text) - 1);
    close(out[0]);
    waitpid(pid, NULL, 0);
    return n > 0 ? strtoul(text, NULL, 10) : 0;
}

static void compare(const char *name, const char *pattern, unsigned flags, str text,
                    const char *file)
{
    double ours = 1e9, rg = 1e9;
    size_t n = 0, want = 0;
    for (int i = 0; i < ROUNDS; i++) {
        double start = cpu_ms(RUSAGE_SELF), other = cpu_ms(RUSAGE_CHILDREN);
        n = run_ours(pattern, flags, text);
        double took = cpu_ms(RUSAGE_SELF) - start;
        want = run_rg(pattern, flags, file);
        other = cpu_ms(RUSAGE_CHILDREN) - other;
        ours = took < ours ? took : ours;
        rg = other < rg ? other : rg;
    }
    printf("%-22s %8zu lines %8.1f ms  rg %8.1f ms  ratio %.2f%s\n", name, n, ours, rg,
           ours / rg, n == want ? "" : "  COUNTS DIFFER");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *pattern;
        unsigned flags;
    } rows[] = {
        {"(rg's start)", "^\\x00$", 0},
        {"literal, common", "garden", 0},
        {"literal, rare", "Zanzibar", 0},
        {"no match", "xylophonist", 0},
        {"literal -i", "zanzibar", REGEX_NOCASE},
        {"literal -i, k and s", "task is", REGEX_NOCASE},
        {"Cyrillic -i", "ПРИВЕТ", REGEX_NOCASE},
        {"4 literals", "Zanzibar|xylophone|entropies|lazybones", 0},
        {"4 literals -i", "zanzibar|xylophone|entropies|lazybones", REGEX_NOCASE},
        {"4 common literals", "garden|server|quick|lazy", 0},
        {"date", "\\d{4}-\\d{2}-\\d{2}", 0},
        {"inner literal", "\\b[a-z]+trou[a-z]*\\b", 0},
        {"wikilink with alias", "\\[\\[[^\\]|]+\\|[^\\]]+\\]\\]", 0},
        {"tag", "(?:^|\\s)#[\\w/-]+", 0},
        {"long word", "\\w{14,}", 0},
        {"task with date", "^- \\[x\\].*2024-11", 0},
        {"three words", "\\w+,\\w+,\\w+", 0},
        {"no literal", "[a-z]{3}\\s[A-Z]", 0},
    };
    struct arena a = {0};
    struct sbuf b = SBUF_ON(&a);
    char file[64] = "/tmp/bench-regex-XXXXXX";
    sbuf_room(&b, SIZE + 4096);
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (f != NULL) {
        sbuf_took(&b, fread(sbuf_room(&b, SIZE), 1, SIZE, f));
        fclose(f);
    } else {
        make_text(&b);
    }
    int fd = mkstemp(file);
    if (fd < 0 || write(fd, b.p, b.n) != (ssize_t)b.n)
        return 1;
    close(fd);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        compare(rows[i].name, rows[i].pattern, rows[i].flags, sbuf_str(&b), file);
    unlink(file);
    arena_release(&a);
    return 0;
}
