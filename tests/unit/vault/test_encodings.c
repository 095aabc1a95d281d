/* Notes that are not UTF-8: indexed as they are read, edited in their encoding. */
#include "base/text.h"
#include "random.h"
#include "rounds.h"
#include "vault/ask/check.h"
#include "vault/ask/search.h"
#include "vault/ops.h"
#include "vault/ops_task.h"
#include "vault/text/encoding.h"
#include "vault_place.h"

enum { ROUNDS = 60, STEPS = 6 };

static const enum encoding encodings[] = {ENCODING_WINDOWS, ENCODING_UTF16LE,
                                          ENCODING_UTF16BE, ENCODING_UTF16LE_BARE,
                                          ENCODING_UTF16BE_BARE};

static const char *const names[] = {"windows.md", "le.md", "be.md", "le-bare.md",
                                    "be-bare.md"};

static str encoded(struct place *p, enum encoding e, str text)
{
    str bytes, missing;
    if (!encoding_write(&p->arena, text, e, &bytes, &missing))
        fail_msg("%s: no " STR_FMT, encoding_name(e), STR_ARG(missing));
    return bytes;
}

static const char note[] =
    "---\naliases: [Öffnung]\ntags: [maß]\nröt: 5\n---\n# Überschrift\n\nCafé #größe "
    "[[Ziel|außen]]\n- [ ] Prüfen\n";

static size_t hits(struct place *p, enum search_mode mode, const char *query,
                   const char *path, uint32_t *line)
{
    struct search s = {.mode = mode, .query = str_c(query), .limit = 100};
    struct search_result r;
    size_t n = 0;
    const struct index *x = vault_lock(p->vault);
    OK(search_run(x, &p->arena, &s, &r, &err));
    for (size_t i = 0; i < r.n; i++)
        if (str_eq(r.hits[i].file->path, str_c(path))) {
            n++;
            *line = r.hits[i].line;
        }
    vault_unlock(p->vault);
    return n;
}

static void check_found(struct place *p, const char *path)
{
    static const struct {
        enum search_mode mode;
        const char *query;
        uint32_t line;
    } rows[] = {
        {SEARCH_TEXT, "café", 8},
        {SEARCH_TEXT, "prüfen", 9},
        {SEARCH_REGEX, "C[a-z]f\\w #gr", 8},
        {SEARCH_WORDS, "café", 8},
        {SEARCH_QUERY, "\"Café\"", 8},
        {SEARCH_QUERY, "tag:#größe", 8},
        {SEARCH_QUERY, "[röt:5]", 4},
        {SEARCH_QUERY, "task-todo:Prüfen", 9},
    };
    uint32_t line = 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str row = arena_printf(&p->arena, "%s: %s", path, rows[i].query);
        CHECK(row.p, hits(p, rows[i].mode, rows[i].query, path, &line) > 0);
        CHECK_INT(row.p, line, rows[i].line);
    }
    const struct file *f = index_find(vault_lock(p->vault), str_c(path));
    CHECK_STR(path, f->text, note);
    CHECK_INT(path, f->tags.n, 2);
    CHECK_STR(path, f->aliases.items[0], "Öffnung");
    CHECK_INT(path, f->note.n_tasks, 1);
    CHECK_STR(path, span_of(f->text, f->note.headings[0].title), "Überschrift");
    vault_unlock(p->vault);
}

static void put_all(struct place *p)
{
    for (size_t i = 0; i < COUNT_OF(names); i++)
        place_put(p, names[i], encoded(p, encodings[i], str_c(note)));
    place_put(p, "Ziel.md", STR("target\n"));
}

/* Read, searched and parsed as the same text; also after a restart. */
static void test_found(void **state)
{
    struct place *p = *state;
    put_all(p);
    for (int start = 0; start < 2; start++) {
        place_start(p);
        for (size_t i = 0; i < COUNT_OF(names); i++)
            check_found(p, names[i]);
        CHECK_INT("backlinks", place_backlinks(p, "Ziel.md"), COUNT_OF(names));
        vault_close(p->vault);
        p->vault = NULL;
    }
}

/* --- changes --- */

static bool replace(struct draft *d, const char *path, const char *from, const char *to,
                    struct err *err)
{
    struct draft_file f;
    struct edit_result r;
    struct edit_swap swap = {.old_text = str_c(from), .new_text = str_c(to)};
    return ops_open(d, str_c(path), &f, err) &&
           edit_replace(draft_arena(d), f.text, &swap, 1, &r, err) &&
           draft_write(d, f.path, r.text, DRAFT_EDIT, err) && draft_check(d, err);
}

static void test_edited(void **state)
{
    struct place *p = *state;
    put_all(p);
    place_start(p);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        str before = place_text(p, names[i]);
        struct draft *d = place_draft(p);
        OK(replace(d, names[i], "Café", "Thé “à” 5 €", &err));
        uint64_t change = place_commit(names[i], d).change;
        enum encoding e;
        str text = encoding_read(&p->arena, place_text(p, names[i]), &e);
        CHECK_INT(names[i], e, encodings[i]);
        CHECK(names[i], str_find(text, STR("Thé “à” 5 € #größe")) != STR_NONE);
        place_undo(p, change);
        CHECK(names[i], str_eq(place_text(p, names[i]), before));
    }
    FAILS(replace(place_draft(p), "windows.md", "Café", "→", &err), ERR_INVALID,
          "'windows.md' is windows-1252, which has no '→'");
    FAILS(replace(place_draft(p), "windows.md", note, "\u00C3\u00A9", &err), ERR_INVALID,
          "would not be detected as");
    OK(replace(place_draft(p), "be.md", "Café", "😀→", &err));
}

/* Writing all of a note makes it UTF-8, also with the same text. */
static void test_converted(void **state)
{
    struct place *p = *state;
    put_all(p);
    place_start(p);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct draft *d = place_draft(p);
        str text = str_c(note);
        OK(draft_write(d, str_c(names[i]), text, DRAFT_OVERWRITE, &err));
        (void)place_commit(names[i], d);
        CHECK_STR(names[i], place_text(p, names[i]), text);
        check_found(p, names[i]);
    }
}

/* A half pair of UTF-16 does not come back, so it is not touched. */
static void test_invalid(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    place_put(p, "half.md", STR("\xFF\xFE[\0[\0Z\0i\0e\0l\0]\0]\0 \0\x3D\xD8x\0"));
    place_put(p, "Ziel.md", STR("x"));
    place_start(p);
    FAILS(replace(place_draft(p), "half.md", "Ziel", "x", &err), ERR_INVALID,
          "invalid characters");
    struct draft *d = place_draft(p);
    struct draft_result out;
    struct err err = {0};
    bool moved = ops_move(d, STR("Ziel.md"), STR("New.md"), &r, &err) &&
                 draft_commit(d, &(struct idempotency){0}, &out, &err);
    CHECK("refused", !moved && strstr(err.msg, "'half.md' is UTF-16LE") != NULL);
    CHECK("nothing moved", place_has(p, "Ziel.md"));
}

static void test_links(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    enum encoding e;
    put_all(p);
    place_start(p);
    struct draft *d = place_draft(p);
    OK(ops_move(d, STR("Ziel.md"), STR("Größe.md"), &r, &err));
    (void)place_commit("move", d);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        str text = encoding_read(&p->arena, place_text(p, names[i]), &e);
        CHECK_INT(names[i], e, encodings[i]);
        CHECK(names[i], str_find(text, STR("[[Größe|außen]]")) != STR_NONE);
    }
    struct draft_result out;
    d = place_draft(p);
    OK(ops_move(d, STR("Größe.md"), STR("日本.md"), &r, &err));
    FAILS(draft_commit(d, &(struct idempotency){0}, &out, &err), ERR_INVALID,
          "has no '日'");
    CHECK_INT("backlinks", place_backlinks(p, "Größe.md"), COUNT_OF(names));
}

/* --- the same as UTF-8, at random --- */

static str random_line(struct arena *a, struct random *r)
{
    static const char *const pieces[] = {
        "Café", "größe", "#maß",  "[[Ziel]]", "# Über", "- [ ] Prüfen",
        "“q”",  "\t",    "x",     "5 €",      "^b",     "Ã",
        "©",    "\n\n",  "|a|ö|", "> ",       "é",      "\r\n",
    };
    struct sbuf b = SBUF_ON(a);
    for (uint32_t n = 1 + random_below(r, 5); n > 0; n--)
        sbuf_printf(&b, "%s%s", pieces[random_below(r, COUNT_OF(pieces))],
                    random_one_in(r, 3) ? " " : "");
    sbuf_char(&b, '\n');
    return sbuf_str(&b);
}

/* One random edit of a text. */
static bool random_edit(struct arena *a, struct random r, str text,
                        struct edit_result *out)
{
    struct err ignored;
    uint32_t lines = (uint32_t)text_count_lines(text);
    uint32_t first = 1 + random_below(&r, lines > 0 ? lines : 1);
    struct edit_lines at = {.first = first, .last = first, .content = STR("")};
    struct edit_pattern p = {.pattern = STR("[äöüéß]"), .replacement = STR("ë")};
    struct edit_swap swap = {
        .old_text = STR("é"), .new_text = STR("ô"), .replace_all = true};
    struct edit_insert add = {.where = EDIT_APPEND, .content = random_line(a, &r)};
    switch (random_below(&r, 4)) {
    case 0:
        at.content = random_line(a, &r);
        return edit_lines(a, text, &at, out, &ignored);
    case 1:
        return edit_regex(a, text, &p, out, &ignored);
    case 2:
        return edit_insert(a, text, &add, out, &ignored);
    default:
        return edit_replace(a, text, &swap, 1, out, &ignored);
    }
}

/* Whether the edit was made; it may be refused if the bytes look like another encoding. */
static bool step(struct place *p, struct random r, const char *path)
{
    struct draft_file f;
    struct edit_result out;
    struct draft_result done;
    struct err err = {0};
    struct actor as = {.tool = STR("test")};
    struct draft *d = draft_create(p->vault, &p->arena, &as);
    bool ok = ops_open(d, str_c(path), &f, &err) &&
              random_edit(&p->arena, r, f.text, &out) &&
              draft_write(d, f.path, out.text, DRAFT_EDIT, &err) &&
              draft_commit(d, &(struct idempotency){0}, &done, &err);
    draft_close(d);
    return ok;
}

static void check_twins(struct place *p, const char *path)
{
    enum encoding ignored;
    str utf8 = place_text(p, "utf8.md"),
        other = encoding_read(&p->arena, place_text(p, path), &ignored);
    CHECK_STR(path, other, arena_str(&p->arena, utf8));
    const struct index *x = vault_lock(p->vault);
    const struct file *a = index_find(x, STR("utf8.md")), *b = index_find(x, str_c(path));
    CHECK(path, str_eq(a->text, b->text));
    CHECK_INT(path, a->note.n_links, b->note.n_links);
    CHECK_INT(path, a->tags.n, b->tags.n);
    vault_unlock(p->vault);
}

static void one_round(struct place *p, struct random *r)
{
    struct sbuf b = SBUF_ON(&p->arena);
    size_t which = random_below(r, COUNT_OF(names));
    str bytes, missing;
    sbuf_add(&b, STR("# Ein längerer Anfang\n"));
    for (uint32_t n = random_below(r, 8); n > 0; n--)
        sbuf_add(&b, random_line(&p->arena, r));
    if (!encoding_write(&p->arena, sbuf_str(&b), encodings[which], &bytes, &missing))
        return;
    place_put(p, "utf8.md", sbuf_str(&b));
    place_put(p, names[which], bytes);
    vault_refresh(p->vault, (str[]){STR("utf8.md"), str_c(names[which])}, 2);
    for (int i = 0; i < STEPS; i++) {
        uint32_t seed = 1 + random_below(r, 1u << 30);
        if (step(p, (struct random){seed}, names[which]))
            assert_true(step(p, (struct random){seed}, "utf8.md"));
        check_twins(p, names[which]);
    }
}

static void test_random(void **state)
{
    struct place *p = *state;
    struct random r = {20261118};
    place_start(p);
    for (int i = rounds(ROUNDS); i > 0; i--) {
        one_round(p, &r);
        arena_reset(&p->arena);
    }
}

/* Messages about a note have its words as they are read, not up to the first byte that is
 * not UTF-8. */
static void test_messages(void **state)
{
    struct place *p = *state;
    struct check_result r;
    for (size_t i = 0; i < COUNT_OF(encodings); i++)
        place_put(p, names[i], encoded(p, encodings[i], STR("Zu [[Größe]] hin.\n")));
    place_start(p);
    const struct index *x = vault_lock(p->vault);
    check_vault(x, &p->arena,
                &(struct check_limits){.kinds = 1u << CHECK_LINK, .max = 100}, &r);
    CHECK_INT("one each", r.n, COUNT_OF(encodings));
    for (size_t i = 0; i < r.n; i++)
        CHECK_STR("link", r.findings[i].message, "There is no 'Größe' to link to");
    vault_unlock(p->vault);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_messages),  PLACE_TEST(test_found),   PLACE_TEST(test_edited),
        PLACE_TEST(test_converted), PLACE_TEST(test_invalid), PLACE_TEST(test_links),
        PLACE_TEST(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
