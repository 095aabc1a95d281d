#include "vault/meaning/chunks.h"

#include "base/sbuf.h"
#include "base/utf8.h"
#include "check.h"

static const struct chunks_how how = {.id = {"m", 1}, .bytes = 1500};

static struct file *note_of(const char *path, str text)
{
    struct arena scratch = {0};
    struct fs_info info = {.size = (int64_t)text.n};
    struct file *f = file_make(&scratch, str_c(path), &info, text);
    arena_release(&scratch);
    return f;
}

/* n words, which end with a number. */
static str words(struct arena *a, size_t n, const char *word)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&b, "%s%s%zu", i > 0 ? " " : "", word, i);
    return sbuf_str(&b);
}

#define W10 "one two three four five six seven eight nine ten"
#define W30 W10 " " W10 " " W10

/* All chunks as "line|text;". */
static str told(struct arena *a, const char *path, str text, size_t bytes)
{
    struct file *f = note_of(path, text);
    struct note_chunk *chunks;
    struct chunks_how h = how;
    h.bytes = bytes;
    size_t n = chunks_cut(a, f, &h, &chunks);
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&b, "%u|" STR_FMT ";", chunks[i].line, STR_ARG(chunks[i].text));
    file_free(f);
    return sbuf_str(&b);
}

static void test_cut(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", "1|Note;"},
        {"---\naliases: [One, Two]\n---\n", "1|Note (One, Two);"},
        {"%% only a comment %%\n", "1|Note;"},
        {"hello\n", "1|Note\nhello;"},
        {"---\ntags: x\n---\n\n\nhello\n", "6|Note\nhello;"},
        {"# A\n## B\n### C\ntext\n", "3|Note > A > B > C\ntext;"},
        {"# A\n\n## B\n\n## C\n", "3|Note > A > B\nC;"},
        {"short\n\n# A\nmore\n\n# B\nend\n", "1|Note\nshort\nA\nmore\nB\nend;"},
        {"# A\n" W30 "\n# B\n" W30 "\n", "1|Note > A\n" W30 ";3|Note > B\n" W30 ";"},
        {"# A\n## *B* [[x|y]]\n" W30 "\n## C\n" W30 "\n# D\n" W30 "\n",
         "2|Note > A > B y\n" W30 ";4|Note > A > C\n" W30 ";6|Note > D\n" W30 ";"},
        {"Under\n=====\n" W30 "\n\nUnder 2\n---\n" W30 "\n",
         "1|Note > Under\n" W30 ";5|Note > Under > Under 2\n" W30 ";"},
        {"a\r\n\r\nb\r\n", "1|Note\na\nb;"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text, told(*state, "x/Note.md", str_c(cases[i].text), 1500),
                  cases[i].want);
}

/* A section over the limit is split between paragraphs, a paragraph between words. */
static void test_split(void **state)
{
    struct arena *a = *state;
    str p100 = words(a, 100, "a"), p400 = words(a, 400, "b");
    struct file *f = note_of(
        "n.md", arena_printf(a, "# H\n" STR_FMT "\n\n" STR_FMT "\n\n" STR_FMT "\n",
                             STR_ARG(p100), STR_ARG(p100), STR_ARG(p400)));
    struct note_chunk *p;
    struct chunks_how h = {.id = STR("m"), .bytes = 100000};
    CHECK_INT("chunks", chunks_cut(a, f, &h, &p), 5);
    CHECK_STR("first", p[0].text, arena_printf(a, "n > H\n" STR_FMT, STR_ARG(p100)));
    CHECK_INT("second", p[1].line, 4);
    CHECK("third", str_ends(p[2].text, STR(" b179")));
    CHECK("fourth", str_starts(p[3].text, STR("n > H\nb180 ")));
    CHECK("last", str_starts(p[4].text, STR("n > H\nb360 ")));
    CHECK_INT("heading", p[4].heading, 0);
    file_free(f);
}

static void test_signs(void **state)
{
    struct arena *a = *state;
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < 700; i++)
        sbuf_add(&b, STR("\xe6\xbc\xa2"));
    struct file *f = note_of("n.md", sbuf_str(&b));
    struct note_chunk *p;
    struct chunks_how h = {.id = STR("m"), .bytes = 100000};
    CHECK_INT("chunks", chunks_cut(a, f, &h, &p), 3);
    CHECK_INT("300 signs", p[0].text.n, 2 + 900);
    CHECK_INT("the rest", p[2].text.n, 2 + 300);
    file_free(f);
}

/* Whatever the limit: nothing is longer, nothing empty, nothing lost, all valid. */
static void test_bytes(void **state)
{
    struct arena *a = *state;
    str text = arena_printf(a, "# %s\n\n%s\n\nwörter " STR_FMT "\n", W30, W30,
                            STR_ARG(words(a, 50, "\xe6\xbc\xa2 x\xc3\xa4")));
    struct file *f = note_of("A title.md", text);
    for (size_t bytes = CHUNK_BYTES_MIN; bytes < 300; bytes += 7) {
        struct note_chunk *p;
        struct chunks_how h = {.id = STR("m"), .bytes = bytes};
        size_t n = chunks_cut(a, f, &h, &p);
        for (size_t i = 0; i < n; i++)
            CHECK("chunk",
                  p[i].text.n <= bytes && p[i].text.n > 0 && utf8_valid(p[i].text));
        CHECK("end", str_ends(p[n - 1].text, STR("x\xc3\xa4"
                                                 "49")));
    }
    file_free(f);
}

static void test_hash(void **state)
{
    struct arena *a = *state;
    struct file *f = note_of("n.md", STR("text\n")), *g = note_of("x/n.md", STR("text"));
    struct note_chunk *p, *q, *r;
    struct chunks_how other = {.id = STR("other"), .bytes = 1500};
    chunks_cut(a, f, &how, &p);
    chunks_cut(a, g, &how, &q);
    chunks_cut(a, f, &other, &r);
    CHECK("moved", hash_same(p->hash, q->hash));
    CHECK("other model", !hash_same(p->hash, r->hash));
    file_free(f);
    file_free(g);
}

static void test_common_left_out(void **state)
{
    struct arena *a = *state;
    struct file *f = note_of("n.md", STR("mine\n\nfooter of all\n"));
    uint64_t hash = hash_content(STR("footer of all")).low;
    struct boilerplate boilerplate = {&hash, 1};
    struct chunks_how h = {.id = STR("m"), .bytes = 1500, .boilerplate = &boilerplate};
    struct note_chunk *p;
    CHECK_INT("chunks", chunks_cut(a, f, &h, &p), 1);
    CHECK_STR("text", p->text, "n\nmine");
    file_free(f);
}

static void test_which(void **state)
{
    (void)state;
    struct file *note = note_of("n.md", STR("x")), *text = note_of("t.txt", STR("x"));
    CHECK("note", chunks_has(note));
    CHECK("text", !chunks_has(text));
    note->excluded = true;
    CHECK("excluded", !chunks_has(note));
    file_free(note);
    file_free(text);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cut, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_split, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_signs, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_bytes, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_hash, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_common_left_out, setup_arena,
                                        teardown_arena),
        cmocka_unit_test(test_which),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
