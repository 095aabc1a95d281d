#include "vault/text/needles.h"

#include "base/os/machine.h"
#include "check.h"
#include "vault/text/needles_pair.h"

enum { TEXTS = 3000, TEXT_MAX = 300, DISTANCE_MAX = 80 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/*
 * All implementations find the same pairs of bytes, from every start, in texts of any
 * length.
 */
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
        needles_pair_choose(&pair);
        str s = {mem_grow(text, n > 0 ? n : 1), n};
        for (size_t from = 0; from <= n; from++) {
            size_t want = needles_pair_plain(&pair, s, from);
            CHECK_INT("chosen", pair.find(&pair, s, from), want);
#ifdef __x86_64__
            CHECK_INT("16 at a time", needles_pair_16(&pair, s, from), want);
            if (machine_can(MACHINE_AVX2))
                CHECK_INT("32 at a time", needles_pair_32(&pair, s, from), want);
#endif
        }
        free((char *)s.p);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
