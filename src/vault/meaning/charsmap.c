#include "vault/meaning/charsmap.h"

#include "base/utf8.h"

/* The units of the double array, as the library Darts-clone has them. */

static uint32_t charsmap_number(str map, size_t at)
{
    const unsigned char *p = (const unsigned char *)map.p + at;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static str charsmap_trie(str map)
{
    return str_slice(map, 4, 4 + (size_t)charsmap_number(map, 0));
}

bool charsmap_is_sound(str map)
{
    if (map.n == 0)
        return true;
    if (map.n > CHARSMAP_MAX || map.n < 8)
        return false;
    uint32_t trie = charsmap_number(map, 0);
    return trie >= 4 && trie % 4 == 0 && trie < map.n - 4 && map.p[map.n - 1] == '\0';
}

static bool charsmap_unit(str trie, size_t place, uint32_t *unit)
{
    if (place >= trie.n / 4)
        return false;
    *unit = charsmap_number(trie, place * 4);
    return true;
}

static uint32_t charsmap_offset(uint32_t unit)
{
    return unit >> 10 << ((unit & 1u << 9) >> 6);
}

/* The longest beginning of the text in the trie; 0: there is none. */
static size_t charsmap_longest(str trie, str text, uint32_t *value)
{
    uint32_t unit, leaf;
    size_t place = 0, found = 0;
    if (!charsmap_unit(trie, 0, &unit))
        return 0;
    place = charsmap_offset(unit);
    for (size_t i = 0; i < text.n && i < CHARSMAP_LONGEST; i++) {
        uint32_t c = (unsigned char)text.p[i];
        place ^= c;
        if (c == 0 || !charsmap_unit(trie, place, &unit) ||
            (unit & (1u << 31 | 0xFF)) != c)
            break;
        place ^= charsmap_offset(unit);
        if ((unit >> 8 & 1) != 0 && charsmap_unit(trie, place, &leaf)) {
            *value = leaf & ~(1u << 31);
            found = i + 1;
        }
    }
    return found;
}

size_t charsmap_next(str map, str text, str *out)
{
    size_t n;
    uint32_t value = 0;
    if (map.n > 0) {
        str trie = charsmap_trie(map), all = str_skip(map, 4 + trie.n);
        n = charsmap_longest(trie, text, &value);
        if (n > 0 && value < all.n) {
            const char *p = all.p + value;
            *out = (str){p, strnlen(p, all.n - value)};
            *out = utf8_cut(*out, CHARSMAP_REPLACED);
            return n;
        }
    }
    *out = utf8_decode(text, &n) != 0xFFFD || n == 3 ? str_slice(text, 0, n)
                                                     : STR("\xEF\xBF\xBD");
    return n;
}
