/*
 * json_gen - generated JSON documents, the same ones for the same seed.
 *
 * gen_document() returns valid JSON, except that keys may be duplicate and a number may
 * be larger than a double; gen_mutate() then changes a few bytes, which may break it.
 */
#pragma once

#include "base/sbuf.h"

struct gen {
    uint64_t state; /* not 0 */
};

/* 0..below-1 (xorshift64*). */
static inline unsigned gen_next(struct gen *g, unsigned below)
{
    g->state ^= g->state >> 12;
    g->state ^= g->state << 25;
    g->state ^= g->state >> 27;
    return (unsigned)((g->state * UINT64_C(0x2545F4914F6CDD1D)) >> 33) % below;
}

static inline void gen_pick(struct gen *g, struct sbuf *b, const str *from, size_t n)
{
    sbuf_add(b, from[gen_next(g, (unsigned)n)]);
}

static inline void gen_blank(struct gen *g, struct sbuf *b)
{
    static const str blanks[] = {STR(""),  STR(""),     STR(""),
                                 STR(" "), STR("\n\t"), STR("\r\n")};
    gen_pick(g, b, blanks, COUNT_OF(blanks));
}

/* A tag makes it unique and free of NUL; 0 does neither. */
static inline void gen_string(struct gen *g, struct sbuf *b, unsigned tag)
{
    static const str texts[] = {
        STR("a"),
        STR("b"),
        STR("name"),
        STR("a longer piece of text"),
        STR("\\n"),
        STR("\\\""),
        STR("\\\\"),
        STR("\\/"),
        STR("\\u00e9"),
        STR("\\u0061"),
        STR("\\ud83c\\udf31"),
        STR("\x7F"),
        STR("\xC3\xA9"),
        STR("\u2028"),
        STR("\U0001F331"),
        STR("\\u0000"),
    };
    sbuf_char(b, '"');
    if (tag > 0)
        sbuf_printf(b, "%u", tag);
    for (unsigned n = gen_next(g, 6); n > 0; n--)
        gen_pick(g, b, texts, COUNT_OF(texts) - (tag > 0));
    sbuf_char(b, '"');
}

static inline void gen_number(struct gen *g, struct sbuf *b)
{
    static const str ends[] = {
        STR(""),   STR(""),    STR(""),        STR(".0"),   STR(".5"),
        STR("e2"), STR("E-3"), STR(".25e+10"), STR("e400"), STR("00000000000000000000")};
    sbuf_printf(b, "%s%u", gen_next(g, 4) == 0 ? "-" : "",
                gen_next(g, gen_next(g, 2) == 0 ? 20 : 1000000000));
    gen_pick(g, b, ends, COUNT_OF(ends) - (gen_next(g, 20) == 0 ? 0 : 2));
}

static inline void gen_value(struct gen *g, struct sbuf *b, unsigned depth)
{
    static const str words[] = {STR("null"), STR("true"), STR("false")};
    unsigned kind = gen_next(g, depth > 0 ? 12 : 4);
    gen_blank(g, b);
    if (kind < 4) {
        if (kind == 0)
            gen_pick(g, b, words, COUNT_OF(words));
        else if (kind == 1)
            gen_number(g, b);
        else
            gen_string(g, b, 0);
        gen_blank(g, b);
        return;
    }
    bool object = kind % 3 != 0;
    sbuf_char(b, object ? '{' : '[');
    for (unsigned n = gen_next(g, 7); n > 0; n--) {
        if (object) {
            gen_blank(g, b);
            gen_string(g, b, gen_next(g, 40) > 0 ? n : 0);
            gen_blank(g, b);
            sbuf_char(b, ':');
        }
        gen_value(g, b, depth - 1);
        if (n > 1)
            sbuf_char(b, ',');
    }
    gen_blank(g, b);
    sbuf_char(b, object ? '}' : ']');
    gen_blank(g, b);
}

static inline str gen_document(struct gen *g, struct arena *a)
{
    struct sbuf b = SBUF_ON(a);
    gen_value(g, &b, gen_next(g, 6));
    return sbuf_str(&b);
}

/* A copy of s with one to three bytes changed, removed or inserted, or truncated. */
static inline str gen_mutate(struct gen *g, struct arena *a, str s)
{
    static const char bytes[] = "\"\\{}[]:,.-+eEu0019ntf\x00\x1F \n\x80\xC3\xFF/x";
    for (unsigned n = 1 + gen_next(g, 3); n > 0; n--) {
        size_t at = gen_next(g, (unsigned)s.n + 1);
        unsigned what = gen_next(g, 10);
        struct sbuf b = SBUF_ON(a);
        sbuf_add(&b, str_slice(s, 0, at));
        if (what < 7)
            sbuf_char(&b, bytes[gen_next(g, sizeof(bytes) - 1)]);
        if (what < 9)
            sbuf_add(&b, str_skip(s, what < 4 ? at : at + 1));
        s = sbuf_str(&b);
    }
    return s;
}
