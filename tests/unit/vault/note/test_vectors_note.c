/* The vectors of tests/vectors for a single note: tags, sections and blocks. */
#include "base/json.h"
#include "base/utf8.h"
#include "check.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"
#include "vectors.h"

static const struct json *vectors(struct arena *a, const char *name, size_t want)
{
    const struct json *list = vectors_read(a, name);
    CHECK_INT(name, list->n, want);
    return list;
}

/* The row's id as a C string. */
static const char *row_of(struct arena *a, const struct json *row)
{
    return arena_str(a, json_get_str(row, STR("id"))).p;
}

static str text_of(const struct json *row)
{
    return json_get_str(row, STR("text"));
}

static long long number_of(const struct json *j, str key)
{
    int64_t n = -1;
    (void)json_int(json_get(j, key), &n);
    return n;
}

/* --- tags --- */

struct tags {
    str items[64];
    size_t n;
};

static void add_tag(struct arena *a, struct tags *t, str tag)
{
    for (size_t i = 0; i < t->n; i++)
        if (str_eq(utf8_fold(a, t->items[i]), utf8_fold(a, tag)))
            return;
    assert_true(t->n < COUNT_OF(t->items));
    t->items[t->n++] = tag;
}

/* Properties first, then the body, each tag once. */
static struct tags tags_of(struct arena *a, str text)
{
    struct note note;
    struct frontmatter front;
    struct tags tags = {.n = 0};
    note_scan(a, text, &note);
    if (note.has_frontmatter) {
        frontmatter_read(a, span_of(text, note.frontmatter), 2, &front);
        struct str_list list = frontmatter_tags(a, &front);
        for (size_t i = 0; i < list.n; i++)
            add_tag(a, &tags, list.items[i]);
    }
    for (uint32_t i = 0; i < note.n_tags; i++)
        add_tag(a, &tags, span_of(text, note.tags[i].name));
    return tags;
}

static void test_tags(void **state)
{
    struct arena *a = *state;
    const struct json *list = vectors(a, "tags.json", 98);
    for (const struct json *row = list->child; row != NULL; row = row->next) {
        struct tags got = tags_of(a, text_of(row));
        const struct json *want = json_get(row, STR("tags"));
        CHECK_INT(row_of(a, row), got.n, want->n);
        const struct json *tag = want->child;
        for (size_t i = 0; i < got.n; i++, tag = tag->next)
            CHECK_STR(row_of(a, row), got.items[i], arena_str(a, tag->text));
    }
}

/* --- sections --- */

static void check_heading(const char *row, const struct note *n,
                          const struct note_heading *got, const struct json *want)
{
    struct arena a = {0};
    CHECK_STR(row, span_of(n->text, got->title),
              arena_str(&a, json_get_str(want, STR("text"))));
    CHECK_INT(row, got->level, number_of(want, STR("level")));
    CHECK_INT(row, got->line, number_of(want, STR("line")));
    CHECK_INT(row, got->section.start, number_of(want, STR("start")));
    CHECK_INT(row, got->section.end, number_of(want, STR("end")));
    arena_release(&a);
}

static void check_find_heading(const char *row, const struct note *n,
                               const struct json *finds)
{
    for (const struct json *f = finds != NULL ? finds->child : NULL; f; f = f->next) {
        const struct note_heading *h =
            note_find_heading(n, json_get_str(f, STR("subpath")));
        CHECK_INT(row, h != NULL ? (int)h->line : -1, number_of(f, STR("line")));
    }
}

static void test_sections(void **state)
{
    struct arena *a = *state;
    const struct json *list = vectors(a, "sections.json", 45);
    for (const struct json *row = list->child; row != NULL; row = row->next) {
        struct note note;
        const char *id = row_of(a, row);
        note_scan(a, text_of(row), &note);
        const struct json *want = json_get(row, STR("headings"));
        CHECK_INT(id, note.n_headings, want->n);
        const struct json *heading = want->child;
        for (uint32_t i = 0; i < note.n_headings; i++, heading = heading->next)
            check_heading(id, &note, &note.headings[i], heading);
        check_find_heading(id, &note, json_get(row, STR("find")));
    }
}

/* --- blocks --- */

static const char *const type_names[] = {
    [NOTE_PARAGRAPH] = "paragraph", [NOTE_LIST_ITEM] = "list-item",
    [NOTE_LIST] = "list",           [NOTE_QUOTE] = "blockquote",
    [NOTE_CALLOUT] = "callout",     [NOTE_TABLE] = "table",
    [NOTE_CODE] = "code",           [NOTE_MATH] = "math",
};

static void check_block(const char *row, const struct note *n,
                        const struct note_block *got, const struct json *want)
{
    struct arena a = {0};
    CHECK_STR(row, span_of(n->text, got->id),
              arena_str(&a, json_get_str(want, STR("id"))));
    CHECK_STR(row, json_get_str(want, STR("type")), type_names[got->type]);
    CHECK_INT(row, got->line_start, number_of(want, STR("line_start")));
    if (json_get(want, STR("line_end")) != NULL)
        CHECK_INT(row, got->line_end, number_of(want, STR("line_end")));
    CHECK_INT(row, note_line_of(n, got->body.start), got->line_start);
    CHECK_INT(row, note_line_of(n, got->body.end), got->line_end);
    arena_release(&a);
}

static void check_find_block(const char *row, const struct note *n,
                             const struct json *finds)
{
    for (const struct json *f = finds != NULL ? finds->child : NULL; f; f = f->next) {
        const struct note_block *b = note_find_block(n, json_get_str(f, STR("id")));
        CHECK_INT(row, b != NULL ? (int)b->line_start : -1,
                  number_of(f, STR("line_start")));
    }
}

static void test_blocks(void **state)
{
    struct arena *a = *state;
    const struct json *list = vectors(a, "blocks.json", 32);
    for (const struct json *row = list->child; row != NULL; row = row->next) {
        struct note note;
        const char *id = row_of(a, row);
        note_scan(a, text_of(row), &note);
        const struct json *want = json_get(row, STR("blocks"));
        CHECK_INT(id, note.n_blocks, want->n);
        const struct json *block = want->child;
        for (uint32_t i = 0; i < note.n_blocks; i++, block = block->next)
            check_block(id, &note, &note.blocks[i], block);
        check_find_block(id, &note, json_get(row, STR("find")));
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_tags),
        ARENA_TEST(test_sections),
        ARENA_TEST(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
