#include "vault/index/file.h"

#include <stdio.h>

#include "base/sbuf.h"
#include "check.h"

static struct file *made(const char *path, str text)
{
    struct arena scratch = {0};
    struct fs_info info = {.size = (int64_t)text.n, .inode = 7};
    struct file *f = file_make(&scratch, str_c(path), &info, text);
    arena_release(&scratch);
    return f;
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *path, *title;
        enum file_kind kind;
    } cases[] = {
        {"a.md", "a", FILE_NOTE},
        {"x/y/A b.MD", "A b", FILE_NOTE},
        {"a.md.md", "a.md", FILE_NOTE},
        {"v1.2.md", "v1.2", FILE_NOTE},
        {"x.canvas", "x.canvas", FILE_CANVAS},
        {"x.Base", "x.Base", FILE_BASE},
        {"x.csv", "x.csv", FILE_TEXT},
        {"x.markdown", "x.markdown", FILE_TEXT},
        {"x.png", "x.png", FILE_OTHER},
        {"md", "md", FILE_OTHER},
        {"folder.md/file", "file", FILE_OTHER},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CHECK_INT(cases[i].path, file_kind_of(str_c(cases[i].path)), cases[i].kind);
        CHECK_STR(cases[i].path, file_title(str_c(cases[i].path)), cases[i].title);
    }
    CHECK_INT("notes", file_read_max(FILE_NOTE), FILE_NOTE_MAX);
    CHECK_INT("text", file_read_max(FILE_TEXT), FILE_TEXT_MAX);
    CHECK_INT("other", file_read_max(FILE_OTHER), 0);
}

#define RICH                                                                             \
    "---\naliases: [One, \"Tw\\u006F\"]\ntags: [a/b, Zwei]\n"                            \
    "nested:\n  list:\n    - {k: 1}\n    - \"[[Prop#H|shown]]\"\n---\n"                  \
    "# Top\n\ntext #tag #A/B [[Target#Sub|d]] [m](dir/some%20note.md#x%20y) "            \
    "[[https://x.org]] [e](https://y.org)\n\n- [ ] task ^block\n\n> [!note] Title\n\n"   \
    "`code` $math$ <!-- c -->\n\nfoot[^1]\n\n[^1]: note\n\nRating:: 4 stars\n"

static void test_parts(void **state)
{
    char text[] = RICH, path[] = "dir/Note.md";
    struct file *f = made(path, str_c(text));
    memset(text, 'x', sizeof(text) - 1); /* the file must have its own copy */
    memset(path, 'y', sizeof(path) - 1);
    CHECK_STR("path", f->path, "dir/Note.md");
    CHECK_STR("text", f->text, RICH);
    CHECK_STR("problem", f->problem, "");
    CHECK_INT("aliases", f->aliases.n, 2);
    CHECK_STR("escaped alias", f->aliases.items[1], "Two");
    CHECK_INT("each tag once", f->tags.n, 3);
    CHECK_STR("of properties first", f->tags.items[0], "a/b");
    CHECK_STR("of the body", f->tags.items[2], "tag");
    CHECK_INT("inline fields", f->n_fields, 1);
    CHECK_STR("key", inline_key(f->text, &f->fields[0]), "Rating");
    CHECK_STR("value", span_of(f->text, f->fields[0].value), "4 stars");
    CHECK("not in an index yet", f->id == NO_FILE && !f->unread && !f->mapped);

    static const struct {
        const char *path, *subpath, *display;
        uint32_t line;
        enum file_place place;
    } want[] = {
        {"Prop", "#H", "shown", 7, FILE_IN_PROPERTY},
        {"Target", "#Sub", "d", 11, FILE_IN_BODY},
        {"dir/some note.md", "#x y", "m", 11, FILE_IN_BODY},
    };
    struct file_link *links;
    CHECK_INT("links", file_links(*state, f, &links), COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        CHECK_STR(want[i].path, links[i].path, want[i].path);
        CHECK_STR(want[i].path, links[i].subpath, want[i].subpath);
        CHECK_STR(want[i].path, links[i].display, want[i].display);
        CHECK_INT(want[i].path, links[i].line, want[i].line);
        CHECK_INT(want[i].path, links[i].place, want[i].place);
        CHECK_INT(want[i].path, links[i].written != NULL, want[i].place == FILE_IN_BODY);
    }
    struct words_doc doc;
    file_words(*state, f, &doc);
    CHECK_STR("title", doc.fields[WORDS_TITLE], "Note");
    CHECK_STR("aliases", doc.fields[WORDS_ALIASES], "One\nTwo\n");
    CHECK_STR("headings", doc.fields[WORDS_HEADINGS], "Top\n");
    CHECK_STR("body", doc.fields[WORDS_BODY], RICH);
    file_free(f);
}

#define CANVAS                                                                           \
    "{\"nodes\":[{\"id\":\"1\",\"type\":\"text\",\"text\":\"card [[A#B]] "               \
    "[c](https://x.org) [d](a%20b.md)\"},\n"                                             \
    "{\"id\":\"2\",\"type\":\"file\",\"file\":\"pic.png\",\"subpath\":\"#s\"},"          \
    "{\"id\":\"3\",\"type\":\"group\",\"label\":\"frame\"}],\"edges\":[]}"

static void test_canvas(void **state)
{
    static const char *const texts[] = {CANVAS, "\xEF\xBB\xBF" CANVAS};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct file *f = made("x.canvas", str_c(texts[i]));
        struct file_link *links;
        CHECK_STR("no problem", f->problem, "");
        CHECK_INT("links", file_links(*state, f, &links), 3);
        CHECK_STR("in a card", links[0].path, "A");
        CHECK_STR("in a card", links[0].subpath, "#B");
        CHECK_STR("decoded", links[1].path, "a b.md");
        CHECK_STR("a file", links[2].path, "pic.png");
        CHECK_INT("line", links[2].line, 2);
        CHECK("embedded", links[2].embed && links[2].place == FILE_IN_CANVAS);
        struct words_doc doc;
        file_words(*state, f, &doc);
        CHECK("a card's words", str_find(doc.fields[WORDS_BODY], STR("card")) < 10);
        CHECK("labels", str_find(doc.fields[WORDS_BODY], STR("frame")) != STR_NONE);
        CHECK("no JSON", str_find(doc.fields[WORDS_BODY], STR("nodes")) == STR_NONE);
        file_free(f);
    }
    struct file *broken = made("x.canvas", STR("{\"nodes\": ["));
    struct file_link *links;
    CHECK("says why", broken->problem.n > 0);
    CHECK_INT("no links", file_links(*state, broken, &links), 0);
    file_free(broken);
}

static void test_unread(void **state)
{
    struct arena *a = *state;
    struct fs_info info = {.size = 1LL << 40};
    struct file *f = file_make_unread(a, STR("big.canvas"), &info, "too large");
    struct file_link *links;
    struct words_doc doc;
    CHECK("unread", f->unread);
    CHECK_STR("why", f->problem, "too large");
    CHECK_INT("links", file_links(a, f, &links), 0);
    file_words(a, f, &doc);
    CHECK_STR("its name is found", doc.fields[WORDS_TITLE], "big.canvas");
    CHECK_STR("nothing else", doc.fields[WORDS_BODY], "");
    file_free(f);
    f = file_make_unread(a, STR("a.png"), &info, NULL);
    CHECK_STR("no reason needed", f->problem, "");
    file_free(f);
    file_free(NULL);
}

static void test_odd_texts(void **state)
{
    static const struct {
        const char *name;
        str text;
        size_t links, tags;
        bool problem;
    } cases[] = {
        {"empty", {NULL, 0}, 0, 0, false},
        {"NUL bytes", STR("\0[[a]]\0 #t\0u"), 1, 1, false},
        {"invalid UTF-8", STR("\xff[[a\xfe]] \xc3 #t\xff \xed\xa0\x80"), 1, 1, false},
        {"BOM", STR("\xEF\xBB\xBF---\ntags: x\n---\n[[a]] #t"), 1, 2, false},
        {"BOM only", STR("\xEF\xBB\xBF"), 0, 0, false},
        {"CRLF", STR("---\r\ntags: x\r\n---\r\n[[a]]\r\n#t\r\n"), 1, 2, false},
        {"lone CR", STR("# h\r\r[[a]]\r#t"), 1, 1, false},
        {"broken properties", STR("---\na: [\n---\n[[b]]"), 1, 0, true},
        {"invalid properties", STR("---\na: \xff\n---\n[[b]]"), 1, 0, false},
        {"properties without end", STR("---\ntags: x\n[[b]]"), 1, 0, false},
        {"tags in several cases", STR("#Tag #tag #TAG #\u00c9t\u00e9 #\u00e9t\u00e9"), 0,
         2, false},
        {"many brackets", STR("[[[[[[[[[[[[]]]]]]]]]]]]"), 0, 0, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct file *f = made("n.md", cases[i].text);
        struct file_link *links;
        enum encoding encoding;
        str text = encoding_read(*state, cases[i].text, &encoding);
        CHECK(cases[i].name, str_eq(f->text, text) && f->encoding == encoding);
        size_t n = file_links(*state, f, &links);
        if (strcmp(cases[i].name, "many brackets") != 0)
            CHECK_INT(cases[i].name, n, cases[i].links);
        CHECK_INT(cases[i].name, f->tags.n, cases[i].tags);
        CHECK_INT(cases[i].name, f->problem.n > 0, cases[i].problem);
        struct words_doc doc;
        file_words(*state, f, &doc);
        file_free(f);
    }
    uint32_t offset;
    struct file *f = made("n.md", STR("\xEF\xBB\xBFx"));
    CHECK_STR("searched", file_searched(f, &offset), "x");
    CHECK_INT("offset", offset, 3);
    file_free(f);
}

/* No clock is needed: a quadratic reader would practically never end. */
static void test_large(void **state)
{
    struct arena *a = *state;
    enum { ONE_LINE = 5 << 20, LARGE = 1 << 20 };
    static const char *const pieces[] = {"x", "[[a]] ", "#t%d ", "#t/%d/x ",
                                         "`", "[",      "$"};
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        struct sbuf b = SBUF_ON(a);
        for (int k = 0; b.n < (i == 0 ? ONE_LINE : LARGE); k++) {
            char piece[32];
            const char *digits = strchr(pieces[i], '%');
            int n = digits == NULL ? 0 : (int)(digits - pieces[i]);
            if (digits != NULL)
                snprintf(piece, sizeof(piece), "%.*s%d%s", n, pieces[i], k, digits + 2);
            sbuf_add(&b, str_c(digits != NULL ? piece : pieces[i]));
        }
        struct file *f = made("n.md", sbuf_str(&b));
        CHECK(pieces[i], str_eq(f->text, sbuf_str(&b)));
        CHECK_INT(pieces[i], f->note.lines, 1);
        CHECK(pieces[i], f->tags.n <= FILE_TAGS_MAX);
        file_free(f);
        arena_reset(a);
    }
}

/* --- stored blocks --- */

static void check_same(const char *row, struct arena *a, const struct file *f,
                       const struct file *g)
{
    CHECK(row, str_eq(f->path, g->path));
    CHECK(row, str_eq(f->text, g->text));
    CHECK(row, str_eq(f->problem, g->problem));
    CHECK(row, hash_same(f->hash, g->hash));
    CHECK(row, f->info.size == g->info.size && f->info.inode == g->info.inode);
    CHECK_INT(row, g->aliases.n, f->aliases.n);
    for (size_t i = 0; i < f->aliases.n; i++)
        CHECK(row, str_eq(f->aliases.items[i], g->aliases.items[i]));
    CHECK_INT(row, g->tags.n, f->tags.n);
    for (size_t i = 0; i < f->tags.n; i++)
        CHECK(row, str_eq(f->tags.items[i], g->tags.items[i]));
    struct file_link *lf, *lg;
    size_t n = file_links(a, f, &lf);
    CHECK_INT(row, file_links(a, g, &lg), n);
    for (size_t i = 0; i < n; i++)
        CHECK(row, str_eq(lf[i].path, lg[i].path) && lf[i].line == lg[i].line);
    CHECK_INT(row, g->note.n_headings, f->note.n_headings);
    CHECK_INT(row, g->note.n_blocks, f->note.n_blocks);
    CHECK_INT(row, g->note.n_tasks, f->note.n_tasks);
    CHECK_INT(row, g->note.n_regions, f->note.n_regions);
    CHECK_INT(row, g->note.n_footnotes, f->note.n_footnotes);
}

static const struct {
    const char *path;
    str text;
} blocks[] = {
    {"a.md", STR(RICH)},       {"b.md", {NULL, 0}},
    {"c.canvas", STR(CANVAS)}, {"d.md", STR("---\na: [\n---\n")},
    {"e.png", {NULL, 0}},
};

/* A file as another process has stored it, for other addresses. */
enum { WAS = 1 << 20, TEXT_WAS = 1 << 24 };

struct stored {
    char *block;
    size_t bytes;
    char *text; /* exactly as long as it is, so that ASan sees what is read after it */
    size_t n;
};

static struct stored store(const struct file *f)
{
    struct stored s = {.bytes = file_stored_bytes(f), .n = f->text.n};
    s.block = mem_alloc(s.bytes);
    file_store(f, s.block, WAS, TEXT_WAS);
    s.text = mem_alloc(s.n + (s.n == 0));
    if (s.n > 0)
        memcpy(s.text, f->text.p, s.n);
    return s;
}

static void release(struct stored *s)
{
    free(s->block);
    free(s->text);
}

static struct file *revive(const struct stored *s, void *block, size_t bytes)
{
    return file_revive(block, bytes, WAS, (str){s->text, s->n}, TEXT_WAS);
}

static void test_revive(void **state)
{
    for (size_t i = 0; i < COUNT_OF(blocks); i++) {
        struct file *f = made(blocks[i].path, blocks[i].text);
        struct stored s = store(f);
        struct file *g = revive(&s, s.block, s.bytes);
        assert_non_null(g);
        CHECK(blocks[i].path, (void *)g == s.block && g->mapped);
        CHECK(blocks[i].path, g->text.n == 0 || g->text.p == s.text);
        check_same(blocks[i].path, *state, f, g);
        struct stored again = store(g); /* one that is mapped */
        struct file *h = revive(&again, again.block, again.bytes);
        assert_non_null(h);
        check_same(blocks[i].path, *state, f, h);
        file_free(g); /* does nothing: it is mapped */
        file_free(f);
        release(&again);
        release(&s);
    }
}

/* The block as left by another process. */
static struct file *revive_copy(const struct stored *s, void *block, size_t at,
                                unsigned char byte)
{
    memcpy(block, s->block, s->bytes);
    ((unsigned char *)block)[at] = byte;
    return revive(s, block, s->bytes);
}

static size_t read_props(const struct prop *p)
{
    size_t sum = 0;
    for (; p != NULL; p = p->next)
        sum +=
            hash_content(p->key).low + hash_content(p->text).low + read_props(p->child);
    return sum;
}

/* Read everything that pointers refer to. The contents may be nonsense. */
static void use(const struct file *f)
{
    const struct note *n = &f->note;
    size_t sum = read_props(f->props) + hash_content(f->text).low +
                 hash_content(f->path).low + hash_content(f->problem).low;
    for (size_t i = 0; i < f->aliases.n; i++)
        sum += hash_content(f->aliases.items[i]).low;
    for (size_t i = 0; i < f->tags.n; i++)
        sum += hash_content(f->tags.items[i]).low;
    const struct str arrays[] = {
        {(const char *)n->headings, n->n_headings * sizeof(*n->headings)},
        {(const char *)n->blocks, n->n_blocks * sizeof(*n->blocks)},
        {(const char *)n->links, n->n_links * sizeof(*n->links)},
        {(const char *)n->tags, n->n_tags * sizeof(*n->tags)},
        {(const char *)n->tasks, n->n_tasks * sizeof(*n->tasks)},
        {(const char *)n->callouts, n->n_callouts * sizeof(*n->callouts)},
        {(const char *)n->footnotes, n->n_footnotes * sizeof(*n->footnotes)},
        {(const char *)n->regions, n->n_regions * sizeof(*n->regions)},
    };
    for (size_t i = 0; i < COUNT_OF(arrays); i++)
        for (size_t k = 0; k < arrays[i].n; k++)
            sum += (unsigned char)arrays[i].p[k];
    static volatile size_t seen; /* forces all of it to be read */
    seen = sum;
    (void)seen;
}

/* Change every byte to several values; ASan detects reads outside the block. */
static void test_revive_damaged(void **state)
{
    (void)state;
    size_t refused = 0, revived = 0; /* the text itself may be any */
    for (size_t i = 0; i < COUNT_OF(blocks); i++) {
        struct file *f = made(blocks[i].path, blocks[i].text);
        struct stored s = store(f);
        void *block = mem_alloc(s.bytes);
        for (size_t at = 0; at < s.bytes; at++) {
            unsigned char was = (unsigned char)s.block[at];
            const unsigned char values[] = {was ^ 1,    was ^ 8, was ^ 0x10, was ^ 0x80,
                                            was ^ 0xFF, 0,       0xFF,       0x7F};
            for (size_t k = 0; k < COUNT_OF(values); k++) {
                struct file *g = revive_copy(&s, block, at, values[k]);
                if (g != NULL)
                    use(g);
                *(g != NULL ? &revived : &refused) += 1;
            }
        }
        file_free(f);
        free(block);
        release(&s);
    }
    CHECK("damaged pointers are noticed", refused > 1000);
    CHECK("other bytes are read", revived > 1000);
}

static void test_revive_cut(void **state)
{
    (void)state;
    struct file *f = made("a.md", STR(RICH));
    struct stored s = store(f);
    str text = {s.text, s.n}, shorter = {s.text, s.n - 1};
    for (size_t n = 0; n < s.bytes; n += n < 600 ? 1 : 7) {
        void *block = mem_alloc(n);
        memcpy(block, s.block, n);
        CHECK("cut", revive(&s, block, n) == NULL);
        free(block);
    }
    void *block = mem_alloc(s.bytes);
    memcpy(block, s.block, s.bytes);
    CHECK("from elsewhere", file_revive(block, s.bytes, 4096, text, TEXT_WAS) == NULL);
    memcpy(block, s.block, s.bytes);
    CHECK("from the end",
          file_revive(block, s.bytes, UINT64_MAX - 8, text, TEXT_WAS) == NULL);
    memcpy(block, s.block, s.bytes);
    CHECK("with another text",
          file_revive(block, s.bytes, WAS, text, TEXT_WAS + 1) == NULL);
    CHECK("with a part of it",
          file_revive(block, s.bytes, WAS, shorter, TEXT_WAS) == NULL);
    free(block);
    release(&s);
    file_free(f);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),      ARENA_TEST(test_parts),
        ARENA_TEST(test_canvas),           ARENA_TEST(test_unread),
        ARENA_TEST(test_odd_texts),        ARENA_TEST(test_large),
        ARENA_TEST(test_revive),           cmocka_unit_test(test_revive_damaged),
        cmocka_unit_test(test_revive_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
