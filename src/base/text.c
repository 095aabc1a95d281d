#include "base/text.h"

#ifdef __x86_64__
#include <emmintrin.h>
#endif

size_t text_skip_digits(str text, size_t at)
{
    while (at < text.n && is_digit(text.p[at]))
        at++;
    return at;
}

size_t text_skip_blanks(str text, size_t at)
{
    while (at < text.n && is_blank(text.p[at]))
        at++;
    return at;
}

size_t text_space(str text, size_t at)
{
    static const str wide[] = {STR("\u00A0"), STR("\u202F"), STR("\u3000")};
    if (at < text.n && is_space(text.p[at]))
        return 1;
    for (size_t i = 0; i < COUNT_OF(wide); i++)
        if (str_starts(str_skip(text, at), wide[i]))
            return wide[i].n;
    return 0;
}

size_t text_skip_spaces(str text, size_t at)
{
    for (size_t n; (n = text_space(text, at)) > 0;)
        at += n;
    return at;
}

bool text_is_printable(str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f)
            return false;
    return true;
}

/* --- lines --- */

static size_t count_feeds(str text)
{
    size_t count = 0, i = 0;
#ifdef __x86_64__
    const __m128i feed = _mm_set1_epi8('\n'), zero = _mm_setzero_si128();
    while (i + 16 <= text.n) {
        __m128i sum = zero;
        for (int k = 0; k < 255 && i + 16 <= text.n; k++, i += 16) {
            __m128i x = _mm_loadu_si128((const __m128i *)(text.p + i));
            sum = _mm_sub_epi8(sum, _mm_cmpeq_epi8(x, feed));
        }
        sum = _mm_sad_epu8(sum, zero);
        count += (size_t)_mm_cvtsi128_si64(sum) +
                 (size_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(sum, sum));
    }
#endif
    for (; i < text.n; i++)
        count += text.p[i] == '\n';
    return count;
}

bool text_take_line(str *rest, str *line)
{
    if (rest->p == NULL)
        return false;
    size_t end = text_line_end(*rest, 0);
    *line = str_slice(*rest, 0, end);
    *rest = end < rest->n ? str_skip(*rest, end + 1) : (str){0};
    return true;
}

size_t text_count_ends(str text, size_t from, size_t to)
{
    to = to < text.n ? to : text.n;
    size_t count = count_feeds(str_slice(text, from, to));
    while ((from = text_lone_return(text, from, to) + 1) <= to)
        count++;
    return count;
}

size_t text_count_lines(str text)
{
    return text_count_ends(text, 0, text.n) +
           (text.n > 0 && !is_break(text.p[text.n - 1]));
}

str text_line_ending(str text)
{
    size_t feed = str_find_char(text, '\n');
    bool two = feed != STR_NONE && feed > 0 && text.p[feed - 1] == '\r';
    return two ? STR("\r\n") : STR("\n");
}

size_t text_find_break(str text, size_t at)
{
    while (at < text.n && !is_break(text.p[at]))
        at++;
    return at;
}

str text_break(str text, size_t at)
{
    str rest = str_skip(text, at);
    return str_slice(rest, 0, str_starts(rest, STR("\r\n")) ? 2 : 1);
}

uint32_t text_line_number(str text, size_t at)
{
    return 1 + (uint32_t)text_count_ends(text, 0, at < text.n ? at : text.n);
}
