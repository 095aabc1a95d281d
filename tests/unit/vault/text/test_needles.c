#include "vault/text/needles.h"

#include "check.h"
#include "vault/text/needles_pair.h"

enum { TEXTS = 3000, TEXT_MAX = 300, DISTANCE_MAX = 80 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static bool is_at(const struct needles_pair *p, str text, size_t at)
{
    for (int k = 0; k < 2; k++)
        if (at + p->at[k] >= text.n ||
            ((uint8_t)text.p[at + p->at[k]] | p->fold[k]) != p->byte[k])
            return false;
    return true;
}

/* Pairs of bytes are found from every start, in texts of any length. */
static void test_pairs(void **state)
{
    static const char letters[] = "abAB\xC3.";
    uint32_t seed = 1;
    for (int i = 0; i < TEXTS; i++) {
        size_t n = next_random(&seed) % TEXT_MAX;
        size_t common = i % 2 == 0 ? COUNT_OF(letters) - 1 : 200; /* many, or few */
        char *text = mem_alloc(n + 1); /* so that ASan sees reads past the end */
        for (size_t k = 0; k < n; k++) {
            size_t c = next_random(&seed) % common;
            text[k] = c < COUNT_OF(letters) - 1 ? letters[c] : ' ';
        }
        struct needles_pair pair = {
            .at = {next_random(&seed) % DISTANCE_MAX, next_random(&seed) % DISTANCE_MAX},
            .byte = {'a', 'b'},
            .fold = {0x20, i % 3 == 0 ? 0 : 0x20},
        };
        str s = {mem_grow(text, n > 0 ? n : 1), n};
        for (size_t from = 0; from <= n; from++) {
            size_t want = from;
            while (want < n && !is_at(&pair, s, want))
                want++;
            CHECK_INT("pair", needles_pair_find(&pair, s, from), want);
        }
        free((char *)s.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
