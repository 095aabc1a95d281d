/* We find the same lines as ripgrep 13, and refuse the patterns that it refuses. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "check.h"
#include "vault/text/glob.h"
#include "vault/text/regex.h"

enum { FILES_MAX = 64 };

struct tree {
    struct arena arena;
    char root[64];
    struct {
        str path, text;
    } files[FILES_MAX];
    size_t n;
    bool have_rg;
};

static void put(struct tree *t, const char *path, str text)
{
    char full[256];
    snprintf(full, sizeof(full), "%s/%s", t->root, path);
    for (char *p = full + strlen(t->root) + 1; (p = strchr(p, '/')) != NULL; *p++ = '/') {
        *p = '\0';
        mkdir(full, 0700);
    }
    FILE *f = fopen(full, "wb");
    assert_non_null(f);
    fwrite(text.p != NULL ? text.p : "", 1, text.n, f);
    fclose(f);
    assert_true(t->n < FILES_MAX);
    t->files[t->n].path = arena_str(&t->arena, str_c(path));
    t->files[t->n++].text = arena_str(&t->arena, text);
}

static const char *const lines[] = {
    "# Gartenplan für 2024-11-03",
    "- [x] order **seeds** for [[Tomatoes|tomato]] #garden/plan",
    "- [ ] measure the beds, task 42",
    "Straße, STRASSE, straße; Ärger äußern; naïve café CAFÉ cafe\u0301",
    "Привет мир, ПРИВЕТ МИР, ёлка Ёлка",
    "Καλημέρα κόσμε, ΣΊΣΥΦΟΣ σίσυφος σίσυφοΣ",
    "日本語テスト 全角１２３ ＡＢＣ",
    "emoji 😀 👩\u200d👩 flag 🇩🇪 zero\u200cwidth",
    "numbers 123 ١٢٣ ² ½ Ⅷ 0x1F 3.14e-10",
    "Kelvin \u212A, long \u017F, mask TASK maſk",
    "    int main(void) { return x[i] += foo(bar, \"baz\\n\"); }",
    "foo_bar fooBar foo-bar foo.bar foo/bar foobar FOO BAR",
    "",
    "\t\ttabs and\u00a0no-break\u2003spaces \x0b\x0c",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
    "(parens) [brackets] {braces} <angles> a*b+c?d^e$f|g\\h",
    "https://example.org/path?q=1&r=2#frag mail@example.org",
    "tags: [a, b-c, d_e] # comment -- dashes --- more ~~strike~~ &&",
    "ß ẞ ŉ ǆ ǅ Ǆ İ ı I i ﬁ",
    "x = y; if (a && b || !c) { d--; } else { e ~= f; }",
    "The quick brown fox jumps over the lazy dog. trouble troubadour entrouver",
    "^- caret $ dollar \\b backslash",
    "last 2024-11-30 2023-01-02 12:30:59",
};

/* The lines, in a different order in each file. */
static void put_notes(struct tree *t)
{
    static const char *const folders[] = {"",     "daily/",       "projekte/größe/",
                                          "a b/", "src/deep/er/", "archive/2024/"};
    static const char *const ends[] = {".md", ".MD", ".txt", ".canvas", ""};
    for (unsigned i = 0; i < 30; i++) {
        struct sbuf b = SBUF_ON(&t->arena);
        char path[128];
        for (unsigned k = 0; k < 60; k++) {
            sbuf_add(&b, str_c(lines[(k * (i + 3) + i * i) % COUNT_OF(lines)]));
            sbuf_add(&b, i % 5 == 1 ? STR("\r\n") : STR("\n"));
        }
        if (i % 4 == 0)
            sbuf_add(&b, STR("no line feed at the end foo"));
        snprintf(path, sizeof(path), "%snote%u%s", folders[i % COUNT_OF(folders)], i,
                 ends[i / 6 % COUNT_OF(ends)]);
        put(t, path, sbuf_str(&b));
    }
}

static str long_line(struct tree *t, size_t before, const char *middle, size_t after)
{
    static const char filler[] = "lorem ipsum dolor sit amet ";
    struct sbuf b = SBUF_ON(&t->arena);
    for (size_t i = 0; i < before; i++)
        sbuf_char(&b, filler[i % (sizeof(filler) - 1)]);
    sbuf_add(&b, str_c(middle));
    for (size_t i = 0; i < after; i++)
        sbuf_char(&b, filler[i % (sizeof(filler) - 1)]);
    sbuf_add(&b, STR("\nfoo bar\n"));
    return sbuf_str(&b);
}

static void put_odd_files(struct tree *t)
{
    put(t, "empty.md", (str){0});
    put(t, "newline.md", STR("\n"));
    put(t, "newlines.md", STR("\n\n\n"));
    put(t, "one.md", STR("foo"));
    put(t, "latin1.md",
        STR("caf\xe9 foo\n\xff\xfe\nStra\xdf"
            "e \xc3\xa9\n\xc3\n\xe2\x84\n"));
    put(t, "broken.md",
        STR("a\x80z foo\xc3 bar\n\xed\xa0\x80 \xf5 \xc0\xaf\nbar\xf0\x9f\n"));
    put(t, "nul.md", STR("foo\0bar\n\0\nbar foo\n"));
    put(t, "cr.md", STR("foobar\r\n\r\nfoo \r\n")); /* for rg, a lone CR ends no line */
    put(t, "long1.md", long_line(t, 16380, "2024-11-05 foobar", 30000));
    put(t, "long2.md", long_line(t, 50000, "Straße foo_bar", 0));
    put(t, "long3.md", long_line(t, 300, "- [x] seeds \u212A", 20000));
    put(t, "daily/[x].md", STR("foo in brackets\n"));
    put(t, "daily/{y}.md", STR("foo in braces\n"));
    put(t, "é.md", STR("foo one character\n"));
}

static int make_tree(void **state)
{
    struct tree *t = mem_zero(sizeof(*t));
    snprintf(t->root, sizeof(t->root), "/tmp/vaultd-rg-XXXXXX");
    if (mkdtemp(t->root) == NULL)
        return -1;
    put_notes(t);
    put_odd_files(t);
    t->have_rg = system("rg --version >/dev/null 2>&1") == 0;
    *state = t;
    return 0;
}

static int remove_tree(void **state)
{
    struct tree *t = *state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", t->root);
    int failed = system(command);
    arena_release(&t->arena);
    free(t);
    return failed;
}

/* Counted, so that one run shows all of them. */
static unsigned differences;

#define DIFFER(...) (differences++, print_error(__VA_ARGS__))

/* "path:line" of every hit, sorted, each on a line; or "refused". */
struct answer {
    str *hits;
    size_t n, cap;
    bool refused;
};

static void add_hit(struct arena *a, struct answer *out, str path, uint32_t line)
{
    if (out->n == out->cap) {
        size_t cap = out->cap > 0 ? 2 * out->cap : 256;
        out->hits = arena_grow(a, out->hits, out->cap * sizeof(str), cap * sizeof(str));
        out->cap = cap;
    }
    out->hits[out->n++] = arena_printf(a, STR_FMT ":%u", STR_ARG(path), line);
}

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

static str quoted_for_shell(struct arena *a, const char *text)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_char(&b, '\'');
    for (; *text != '\0'; text++)
        if (*text == '\'')
            sbuf_add(&b, STR("'\\''"));
        else
            sbuf_char(&b, *text);
    sbuf_char(&b, '\'');
    return sbuf_str(&b);
}

static struct answer ask_rg(struct tree *t, struct arena *a, const char *pattern,
                            const char *options, const char *const *globs)
{
    struct answer out = {0};
    struct sbuf c = SBUF_ON(a);
    str quoted = quoted_for_shell(a, pattern);
    sbuf_printf(&c,
                "cd '%s' && rg --no-config --no-ignore --no-heading --text -n --null %s",
                t->root, options);
    for (size_t i = 0; globs != NULL && globs[i] != NULL; i++) {
        str glob = quoted_for_shell(a, globs[i]);
        sbuf_printf(&c, " --glob " STR_FMT, STR_ARG(glob));
    }
    sbuf_printf(&c, " -e " STR_FMT " 2>/dev/null </dev/null", STR_ARG(quoted));
    sbuf_add(&c, STR(" ."));
    sbuf_char(&c, '\0');
    FILE *f = popen(c.p, "r");
    assert_non_null(f);
    char *line = NULL;
    size_t cap = 0;
    for (ssize_t n; (n = getline(&line, &cap, f)) >= 0;) {
        size_t path = strnlen(line, (size_t)n);
        if (path + 1 >= (size_t)n)
            fail_msg("%s: unexpected output of rg: %s", pattern, line);
        str name = {line, path};
        name = str_starts(name, STR("./")) ? str_skip(name, 2) : name;
        add_hit(a, &out, name, (uint32_t)strtoul(line + path + 1, NULL, 10));
    }
    free(line);
    int status = pclose(f);
    out.refused = WIFEXITED(status) && WEXITSTATUS(status) == 2;
    return out;
}

struct collect {
    struct arena *arena;
    struct answer *out;
    str path;
};

static bool on_hit(void *arg, const struct regex_hit *hit)
{
    struct collect *c = arg;
    add_hit(c->arena, c->out, c->path, hit->line);
    return true;
}

static struct answer ask_us(struct tree *t, struct arena *a, const char *pattern,
                            unsigned flags, const char *const *globs)
{
    struct answer out = {0};
    struct err err = {0};
    struct regex *r;
    struct glob *g;
    str patterns[8];
    size_t n = 0;
    for (; globs != NULL && globs[n] != NULL; n++)
        patterns[n] = str_c(globs[n]);
    out.refused = true;
    if (!glob_compile(a, patterns, n, &g, &err))
        return out;
    if (!regex_compile(str_c(pattern), flags, &r, &err)) {
        if (err.code == ERR_INTERNAL)
            DIFFER("%s: %s: %s\n", pattern, err.msg, err.detail);
        return out;
    }
    out.refused = false;
    struct regex_scratch *s = regex_scratch_create();
    for (size_t i = 0; i < t->n; i++) {
        struct collect c = {a, &out, t->files[i].path};
        if (glob_match(g, c.path) &&
            !regex_lines(r, s, t->files[i].text, on_hit, &c, NULL, NULL))
            DIFFER("%s: a limit was hit in " STR_FMT "\n", pattern, STR_ARG(c.path));
    }
    regex_scratch_free(s);
    regex_free(r);
    return out;
}

static void compare(struct tree *t, const char *pattern, const char *options,
                    unsigned flags, const char *const *globs)
{
    struct arena a = {0};
    struct answer rg = ask_rg(t, &a, pattern, options, globs);
    struct answer us = ask_us(t, &a, pattern, flags, globs);
    const char *glob = globs != NULL ? globs[0] : "";
    if (rg.refused != us.refused)
        DIFFER("%s %s %s: %s\n", pattern, options, glob,
               rg.refused ? "rg refuses it" : "rg accepts it");
    if (rg.n > 0)
        qsort(rg.hits, rg.n, sizeof(str), by_text);
    if (us.n > 0)
        qsort(us.hits, us.n, sizeof(str), by_text);
    for (size_t i = 0; i < rg.n || i < us.n; i++) {
        str want = i < rg.n ? rg.hits[i] : STR("(no more)");
        str got = i < us.n ? us.hits[i] : STR("(no more)");
        if (str_eq(got, want) || rg.refused != us.refused)
            continue;
        DIFFER("%s %s %s: got " STR_FMT ", rg has " STR_FMT " (%zu and %zu)\n", pattern,
               options, glob, STR_ARG(got), STR_ARG(want), us.n, rg.n);
        break;
    }
    arena_release(&a);
}

static const char *const patterns[] = {
#include "regex_patterns.h"
};

static void test_patterns(void **state)
{
    struct tree *t = *state;
    if (!t->have_rg)
        SKIP("ripgrep is missing");
    differences = 0;
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        compare(t, patterns[i], "", 0, NULL);
        compare(t, patterns[i], "-i", REGEX_NOCASE, NULL);
    }
    assert_int_equal(differences, 0);
}

static void test_literals(void **state)
{
    struct tree *t = *state;
    static const char *const literals[] = {"foo", "Straße",  "a*b+c?d^e$f|g\\h",
                                           "[x]", "ΣΊΣΥΦΟΣ", "mask",
                                           "",    "\r",      "привет"};
    if (!t->have_rg)
        SKIP("ripgrep is missing");
    differences = 0;
    for (size_t i = 0; i < COUNT_OF(literals); i++) {
        compare(t, literals[i], "-F", REGEX_LITERAL, NULL);
        compare(t, literals[i], "-F -i", REGEX_LITERAL | REGEX_NOCASE, NULL);
    }
    assert_int_equal(differences, 0);
}

static void test_globs(void **state)
{
    struct tree *t = *state;
    static const char *const globs[][4] = {
        {"*.md"},
        {"*.MD"},
        {"*.{md,txt}"},
        {"daily/*.md"},
        {"/daily/*"},
        {"daily"},
        {"daily/"},
        {"daily/**"},
        {"**/er/*"},
        {"**/note1*"},
        {"note?.md"},
        {"note??*"},
        {"*[0-4].md"},
        {"*[!0-4].md"},
        {"*[^0-4].md"},
        {"note[1-3]*"},
        {"!*.md"},
        {"!daily"},
        {"!daily/"},
        {"!daily/**"},
        {"*.md", "!daily/*"},
        {"!*.md", "note1*.md"},
        {"*.md", "!note1*", "note12.md"},
        {"a b/*"},
        {"projekte/größe/*"},
        {"**/größe/**"},
        {"src/**/*.txt"},
        {"src/**"},
        {"**"},
        {"*"},
        {"/*"},
        {"**/"},
        {"daily/\\[x\\].md"},
        {"daily/[[]x].md"},
        {"daily/\\{y\\}.md"},
        {"{daily,a b}/*"},
        {"{daily/note1.md,one.md}"},
        {"{,one}.md"},
        {"{}one.md"},
        {"é.md"},
        {"#comment"},
        {""},
        {"\\!x"},
        {"src/deep"},
        {"!src/deep"},
        {"*/*/*"},
        {"de*/er"},
        {"**er/*"},
        {"src**"},
        {"{**/er,daily}/*"},
        {"note1.md/"},
        {"[a"},
        {"{a"},
        {"a}"},
        {"{a,{b}}"},
        {"[z-a]"},
        {"x\\"},
        {"[]x].md"},
        {"*.md "},
        {"archive/2024/note5*"},
        {"archive/**/note*.md", "!**/note11*"},
    };
    if (!t->have_rg)
        SKIP("ripgrep is missing");
    differences = 0;
    for (size_t i = 0; i < COUNT_OF(globs); i++)
        compare(t, "foo", "", 0, globs[i]);
    assert_int_equal(differences, 0);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_globs),
    };
    return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
