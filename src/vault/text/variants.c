#include "vault/text/variants.h"

#include "vault/text/han_variants.h"

enum { HAN_FIRST = 0x4E00, HAN_LAST = 0x9FFF };

#define SIMPLE(from, to) [(from)-HAN_FIRST] = (to),
static const uint16_t simple[HAN_LAST - HAN_FIRST + 1] = {HAN_VARIANTS(SIMPLE)};

uint32_t variant_of_han(uint32_t c)
{
    uint16_t to = simple[c - HAN_FIRST];
    return to != 0 ? to : c;
}

static uint32_t arabic_variant(uint32_t c)
{
    switch (c) {
    case 0x0622: /* alef with madda or hamza, alef wasla */
    case 0x0623:
    case 0x0625:
    case 0x0671:
        return 0x0627;
    case 0x0624: /* waw with hamza */
        return 0x0648;
    case 0x0626: /* yeh with hamza, without dots, of Persian */
    case 0x0649:
    case 0x06CC:
        return 0x064A;
    case 0x0629: /* teh marbuta, heh of Urdu and with yeh */
    case 0x06BE:
    case 0x06C0:
    case 0x06C1:
    case 0x06C2:
    case 0x06C3:
    case 0x06D5:
        return 0x0647;
    case 0x06A9: /* kaf of Persian */
        return 0x0643;
    default:
        return c;
    }
}

static uint32_t hebrew_variant(uint32_t c)
{
    switch (c) {
    case 0x05DA: /* final kaf, mem, nun, pe, tsadi */
    case 0x05DD:
    case 0x05DF:
    case 0x05E3:
    case 0x05E5:
        return c + 1;
    default:
        return c;
    }
}

/* Letters with a dot below are the letter and a mark, which is ignored. */
static uint32_t hindi_variant(uint32_t c)
{
    static const uint16_t dotted[] = {0x0915, 0x0916, 0x0917, 0x091C,
                                      0x0921, 0x0922, 0x092B, 0x092F};
    if (c >= 0x0958 && c <= 0x095F)
        return dotted[c - 0x0958];
    return c == 0x0901 ? 0x0902 : c; /* candrabindu as anusvara */
}

static uint32_t digit_variant(uint32_t c)
{
    static const uint16_t zeros[] = {0x0660, 0x06F0, 0x0966};
    for (size_t i = 0; i < COUNT_OF(zeros); i++)
        if (c >= zeros[i] && c < zeros[i] + 10u)
            return '0' + c - zeros[i];
    return c;
}

uint32_t variant_of(uint32_t c)
{
    if (c >= 0x0590 && c < 0x0980) {
        uint32_t digit = digit_variant(c);
        if (digit != c)
            return digit;
        if (c >= 0x0900)
            return hindi_variant(c);
        return c >= 0x0600 ? arabic_variant(c) : hebrew_variant(c);
    }
    return c >= HAN_FIRST && c <= HAN_LAST ? variant_of_han(c) : c;
}
