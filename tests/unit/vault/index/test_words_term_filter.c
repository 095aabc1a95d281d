/* What was asked before makes no difference, and neither do changes in between. */
#include "base/near.h"
#include "base/os/thread.h"
#include "base/sbuf.h"
#include "check.h"
#include "vault/index/words.h"

enum { NOTES = 1500, WORDS_PER_NOTE = 14, ROUNDS = 8, CHANGES = 250, QUESTIONS = 25 };

static uint32_t roll(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % n;
}

/* Of several alphabets, and now and then so long that it is cut. */
static void add_word(struct sbuf *b, uint32_t *seed)
{
    static const char *const pieces[] = {"ra", "ven",          "sto",          "k",
                                         "li", "42",           "ou",           "gn",
                                         "ip", "\u0436\u0443", "\u043b\u044f", "\u00e9t"};
    uint32_t n = roll(seed, 200) == 0 ? 40 : 1 + roll(seed, 6);
    for (uint32_t i = 0; i < n; i++)
        sbuf_add(b, str_c(pieces[roll(seed, COUNT_OF(pieces))]));
}

static str note_text(struct arena *a, uint32_t *seed)
{
    struct sbuf b = SBUF_ON(a);
    for (int i = 0; i < WORDS_PER_NOTE; i++) {
        add_word(&b, seed);
        sbuf_char(&b, ' ');
    }
    return sbuf_str(&b);
}

static void add_note(struct words *w, uint32_t id, str text)
{
    words_add(w, &(struct words_doc){.id = id, .fields[WORDS_BODY] = text});
}

static struct words *fresh_words(const str *notes)
{
    struct words *w = words_create();
    for (uint32_t i = 0; i < NOTES; i++)
        if (notes[i].n > 0)
            add_note(w, i, notes[i]);
    return w;
}

/* A piece of a note. */
static str some_text(const str *notes, uint32_t *seed)
{
    str text = notes[roll(seed, NOTES)];
    size_t at = text.n > 0 ? roll(seed, (uint32_t)text.n) : 0;
    return str_slice(text, at, at + 2 + roll(seed, 8));
}

/* A word with a letter too much, or changed. */
static str some_slip(struct arena *a, const str *notes, uint32_t *seed)
{
    str rest = notes[roll(seed, NOTES)], word = {0};
    for (uint32_t i = roll(seed, WORDS_PER_NOTE) + 1; i > 0; i--)
        if (!str_next(&rest, ' ', &word))
            return STR("raven");
    return roll(seed, 2) == 0 ? arena_printf(a, STR_FMT "x", STR_ARG(word))
                              : arena_printf(a, "q" STR_FMT, STR_ARG(str_skip(word, 1)));
}

static void compare_holders(struct arena *a, const struct words *w,
                            const struct words *fresh, const str *notes, str text)
{
    struct words_set is, want;
    bool known = words_may_hold(w, a, &text, 1, &is);
    if (!known || !words_may_hold(fresh, a, &text, 1, &want))
        return;
    for (uint32_t i = 0; i < NOTES; i++) {
        if (words_set_has(&is, i) != words_set_has(&want, i))
            fail_msg("'" STR_FMT "': note %u", STR_ARG(text), i);
        if (str_find(notes[i], text) != STR_NONE && !words_set_has(&is, i))
            fail_msg("'" STR_FMT "' is in note %u", STR_ARG(text), i);
    }
}

static void compare_near(struct arena *a, const struct words *w,
                         const struct words *fresh, str word)
{
    str *is, *want;
    size_t n = words_suggest(w, a, word, 5, &is);
    CHECK_INT(arena_str(a, word).p, n, words_suggest(fresh, a, word, 5, &want));
    for (size_t i = 0; i < n; i++)
        CHECK_STR(arena_str(a, word).p, is[i], arena_str(a, want[i]));
}

static void change_some(struct words *w, struct arena *a, str *notes, uint32_t *seed)
{
    for (int i = 0; i < CHANGES; i++) {
        uint32_t id = roll(seed, NOTES);
        notes[id] = roll(seed, 5) == 0 ? (str){0} : note_text(a, seed);
        if (notes[id].n > 0)
            add_note(w, id, notes[id]);
        else
            words_remove(w, id);
    }
}

static void test_many_changes(void **state)
{
    struct arena *a = *state;
    static str notes[NOTES];
    uint32_t seed = 5;
    for (uint32_t i = 0; i < NOTES; i++)
        notes[i] = note_text(a, &seed);
    struct words *w = fresh_words(notes);
    size_t before = words_memory(w);
    for (int round = 0; round < ROUNDS; round++) {
        struct words *fresh = fresh_words(notes);
        for (int i = 0; i < QUESTIONS; i++) {
            compare_holders(a, w, fresh, notes, some_text(notes, &seed));
            compare_near(a, w, fresh, some_slip(a, notes, &seed));
        }
        words_free(fresh);
        change_some(w, a, notes, &seed);
    }
    CHECK("it was used", words_memory(w) > before + 100000);
    words_free(w);
}

/* Suggestions are those that comparing with all words finds. */
static void test_near(void **state)
{
    enum { VOCABULARY = 12000, WORDS_NEAR = 20 };
    struct arena *a = *state;
    struct words *w = words_create();
    struct sbuf b = SBUF_ON(a);
    uint32_t seed = 9;
    for (int i = 0; i < VOCABULARY; i++)
        sbuf_printf(&b, "n%xe%xar ", roll(&seed, 4096), roll(&seed, 256));
    add_note(w, 0, sbuf_str(&b));
    for (int i = 0; i < WORDS_NEAR; i++) {
        str *got, rest = sbuf_str(&b), word, wanted;
        struct near_letters x, y;
        wanted = arena_printf(a, "n%xe%xxr", roll(&seed, 4096), roll(&seed, 256));
        size_t n = words_suggest(w, a, wanted, 1, &got), least = NEAR_NONE;
        for (near_read(&x, wanted); str_next(&rest, ' ', &word);) {
            near_read(&y, word);
            size_t slips = near_count(&x, &y, 2);
            least = slips > 0 && slips < least ? slips : least;
        }
        CHECK_INT(wanted.p, n, least != NEAR_NONE);
        if (n > 0)
            near_read(&y, got[0]);
        CHECK(wanted.p, n == 0 || near_count(&x, &y, 2) == least);
    }
    words_free(w);
}

/* --- threads --- */

static void *ask_often(void *words)
{
    struct arena a = {0};
    for (uint32_t i = 0, seed = 1; i < 40; i++) {
        struct words_set set;
        str *near, text = arena_printf(&a, "ra%uven", roll(&seed, 50));
        (void)!words_may_hold(words, &a, &text, 1, &set);
        (void)words_suggest(words, &a, text, 3, &near);
    }
    arena_release(&a);
    return NULL;
}

static void test_threads(void **state)
{
    enum { THREADS = 4 };
    static str notes[NOTES];
    pthread_t threads[THREADS];
    uint32_t seed = 11;
    for (uint32_t i = 0; i < NOTES; i++)
        notes[i] = note_text(*state, &seed);
    struct words *w = fresh_words(notes);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, w), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    words_free(w);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_many_changes),
        ARENA_TEST(test_near),
        ARENA_TEST(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
