/* Reads classes: brackets with set operations, \d and the like, POSIX names, \p. */
#include "vault/text/regex_rust.h"

#define SPACE_ASCII "\\t\\x0b-\\r\\x20"
#define SPACE_MORE                                                                       \
    "\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{" \
    "3000}"
#define WORD_ASCII "0-9A-Z_a-z"
#define WORD_MORE "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}"

str rust_word_class(const struct rust_parser *p)
{
    bool wide = (p->flags & RUST_UNICODE) && p->options->target == RUST_UTF;
    return wide ? STR("[" WORD_ASCII WORD_MORE "]") : STR("[" WORD_ASCII "]");
}

static struct rust_set *leaf(struct rust_parser *p, str body, str other, bool negated)
{
    struct rust_set *s = ARENA_NEW(p->arena, struct rust_set);
    s->kind = SET_LEAF;
    s->negated = negated;
    s->body = body;
    s->other = other;
    return s;
}

/* The inside of a bracket that has the line feed, if matches may span lines. */
static str with_feed(struct rust_parser *p, str body)
{
    return p->options->feeds ? arena_printf(p->arena, STR_FMT "\\n", STR_ARG(body))
                             : body;
}

struct rust_set *rust_perl_class(struct rust_parser *p, char letter)
{
    bool unicode = p->flags & RUST_UNICODE;
    bool wide = unicode && p->options->target == RUST_UTF;
    char kind = letter | 0x20;
    str body = kind == 'd'   ? (wide ? STR("\\p{Nd}") : STR("0-9"))
               : kind == 's' ? (wide ? STR(SPACE_ASCII SPACE_MORE) : STR(SPACE_ASCII))
                             : (wide ? STR(WORD_ASCII WORD_MORE) : STR(WORD_ASCII));
    if (kind == 's')
        body = with_feed(p, body);
    struct rust_set *s = leaf(p, body, (str){0}, letter != kind);
    s->plain = !unicode;
    return s;
}

/* Write the characters lo..hi as they appear in a bracket for the target. */
static void write_range(struct rust_parser *p, struct sbuf *b, uint32_t lo, uint32_t hi)
{
    enum rust_target target = p->options->target;
    if (lo <= '\n' && hi >= '\n' && !p->options->feeds) {
        if (lo < '\n')
            write_range(p, b, lo, '\n' - 1);
        if (hi > '\n')
            write_range(p, b, '\n' + 1, hi);
        return;
    }
    if (target == RUST_ASCII && hi >= 0x80) {
        if (rust_is_caseless(p) && lo <= 0x17F && hi >= 0x17F)
            sbuf_char(b, 's');
        if (rust_is_caseless(p) && lo <= 0x212A && hi >= 0x212A)
            sbuf_char(b, 'k');
        if (lo >= 0x80)
            return;
        hi = 0x7F;
    }
    /*
     * as numbers, because bytes are not characters here and most ranges are not letters
     */
    if (lo < 0x80)
        rust_write_char(b, lo);
    else
        sbuf_printf(b, "\\x{%x}", lo);
    if (lo == hi)
        return;
    sbuf_char(b, '-');
    if (hi < 0x80)
        rust_write_char(b, hi);
    else
        sbuf_printf(b, "\\x{%x}", hi);
}

/* Write the other case of those letters of lo..hi that are in from..from+25. */
static void write_case(struct rust_parser *p, struct sbuf *b, uint32_t lo, uint32_t hi,
                       uint32_t from)
{
    lo = lo < from ? from : lo;
    hi = hi > from + 25 ? from + 25 : hi;
    if (lo <= hi)
        write_range(p, b, lo ^ 0x20, hi ^ 0x20);
}

static struct rust_set *range(struct rust_parser *p, uint32_t lo, uint32_t hi)
{
    struct sbuf b = SBUF_ON(p->arena);
    bool unicode = p->flags & RUST_UNICODE;
    write_range(p, &b, lo, hi);
    if ((p->flags & RUST_NOCASE) && !rust_is_caseless(p)) {
        write_case(p, &b, lo, hi, 'a');
        write_case(p, &b, lo, hi, 'A');
    }
    struct rust_set *s = leaf(p, sbuf_str(&b), (str){0}, false);
    s->all = hi >= (unicode ? 0x10FFFFu : 0xFFu);
    s->plain = !unicode || hi < 0x80;
    if (s->plain && unicode && (p->flags & RUST_NOCASE))
        s->plain = false; /* k and s have variants that are not ASCII */
    if (!unicode && hi >= 0x80)
        p->program->bytes = true;
    return s;
}

/* The cursor is on a '[' that may begin "[:name:]"; it does not move otherwise. */
static bool posix_class(struct rust_parser *p, struct rust_set **out)
{
    static const struct {
        const char *name, *body;
    } classes[] = {
        {"alnum", "0-9A-Za-z"},
        {"alpha", "A-Za-z"},
        {"ascii", "\\x00-\\x09\\x0b-\\x7f"},
        {"blank", "\\t\\x20"},
        {"cntrl", "\\x00-\\x09\\x0b-\\x1f\\x7f"},
        {"digit", "0-9"},
        {"graph", "!-~"},
        {"lower", "a-z"},
        {"print", "\\x20-~"},
        {"punct", "!-\\/:-@\\[-`\\{-~"},
        {"space", SPACE_ASCII},
        {"upper", "A-Z"},
        {"word", WORD_ASCII},
        {"xdigit", "0-9A-Fa-f"},
    };
    str rest = str_skip(p->in, p->at);
    if (!str_starts(rest, STR("[:")))
        return false;
    bool negated = str_starts(rest, STR("[:^"));
    str name = str_skip(rest, negated ? 3 : 2);
    size_t end = str_find_char(name, ':');
    if (end == STR_NONE || !str_starts(str_skip(name, end), STR(":]")))
        return false;
    name.n = end;
    for (size_t i = 0; i < COUNT_OF(classes); i++) {
        if (!str_eq(name, str_c(classes[i].name)))
            continue;
        str body = str_c(classes[i].body);
        if (strstr("ascii cntrl space", classes[i].name) != NULL)
            body = with_feed(p, body);
        bool folds = (p->flags & RUST_NOCASE) && !rust_is_caseless(p) &&
                     (name.p[0] == 'l' || name.p[0] == 'u');
        *out = leaf(p, folds ? STR("A-Za-z") : body, (str){0}, negated);
        (*out)->plain = !(p->flags & RUST_UNICODE) || !(p->flags & RUST_NOCASE);
        p->at += (negated ? 3 : 2) + end + 2;
        return true;
    }
    return false;
}

bool rust_property(struct rust_parser *p, struct rust_set **out)
{
    size_t start = p->at - 1;
    bool negated = rust_char(p) == 'P';
    struct sbuf name = SBUF_ON(p->arena);
    if (!rust_bump_blanks(p))
        return rust_fail(p, p->at, "incomplete escape sequence");
    if (rust_char(p) == '{') {
        while (rust_bump_blanks(p) && rust_char(p) != '}') {
            size_t from = p->at;
            struct rust_parser ahead = *p;
            rust_bump(&ahead);
            sbuf_add(&name, str_slice(p->in, from, ahead.at));
        }
        if (rust_ended(p))
            return rust_fail(p, p->at, "incomplete escape sequence");
        rust_bump(p);
    } else {
        size_t from = p->at;
        if (rust_char(p) == '\\')
            return rust_fail(p, p->at, "invalid Unicode character class");
        rust_bump(p);
        sbuf_add(&name, str_slice(p->in, from, p->at));
        rust_skip_blanks(p);
    }
    if (!(p->flags & RUST_UNICODE))
        return rust_fail(p, start, "Unicode not allowed here");
    struct rust_set *s = leaf(p, (str){0}, (str){0}, false);
    if (!rust_find_property(p, sbuf_str(&name), s))
        return rust_fail(p, start, "Unicode property not found");
    s->negated ^= negated;
    *out = s;
    return true;
}

/* One end of a range, or a single item. */
static bool class_item(struct rust_parser *p, struct rust_item *out)
{
    if (rust_char(p) == '\\')
        return rust_escape(p, out);
    *out = (struct rust_item){.kind = RUST_CHAR, .start = p->at, .c = rust_char(p)};
    rust_bump(p);
    return true;
}

static bool class_char(struct rust_parser *p, const struct rust_item *item)
{
    if (item->kind != RUST_CHAR)
        return rust_fail(p, item->start, "invalid range boundary, must be a literal");
    bool byte = item->byte && item->c <= 0xFF;
    if (!(p->flags & RUST_UNICODE) && item->c >= 0x80 && !byte)
        return rust_fail(p, item->start, "Unicode not allowed here");
    return true;
}

static bool class_range(struct rust_parser *p, size_t open, struct rust_set **out)
{
    struct rust_item from, to;
    if (!class_item(p, &from))
        return false;
    rust_skip_blanks(p);
    if (rust_ended(p))
        return rust_fail(p, open, "unclosed character class");
    uint32_t after = rust_peek(p, true);
    if (rust_char(p) != '-' || after == ']' || after == '-') {
        if (from.kind == RUST_ASSERT)
            return rust_fail(p, from.start,
                             "invalid escape sequence found in character class");
        if (from.kind == RUST_CHAR && !class_char(p, &from))
            return false;
        *out = from.kind == RUST_SET ? from.set : range(p, from.c, from.c);
        return true;
    }
    if (!rust_bump_blanks(p))
        return rust_fail(p, open, "unclosed character class");
    if (!class_item(p, &to) || !class_char(p, &from) || !class_char(p, &to))
        return false;
    if (from.c > to.c)
        return rust_fail(p, from.start,
                         "invalid character class range, the start must be <= the end");
    *out = range(p, from.c, to.c);
    return true;
}

static void set_add(struct rust_set *u, struct rust_set *item)
{
    item->next = u->first;
    u->first = item;
}

/* "[", "^", and the characters that are literal only here: "-" and "]". */
static bool class_open(struct rust_parser *p, struct rust_set *u, bool *negated)
{
    size_t open = p->at;
    bool more = rust_bump_blanks(p);
    *negated = more && rust_char(p) == '^';
    if (*negated)
        more = rust_bump_blanks(p);
    for (; more && rust_char(p) == '-'; more = rust_bump_blanks(p))
        set_add(u, range(p, '-', '-'));
    if (more && u->first == NULL && rust_char(p) == ']') {
        set_add(u, range(p, ']', ']'));
        more = rust_bump_blanks(p);
    }
    return more || rust_fail(p, open, "unclosed character class");
}

static struct rust_set *new_set(struct rust_parser *p, int kind, struct rust_set *left,
                                struct rust_set *right)
{
    struct rust_set *s = ARENA_NEW(p->arena, struct rust_set);
    s->kind = (unsigned)kind;
    s->first = left;
    if (left != NULL)
        left->next = right;
    return s;
}

static int operator_at(const struct rust_parser *p)
{
    uint32_t c = rust_char(p);
    if ((c != '&' && c != '-' && c != '~') || rust_peek(p, false) != c)
        return SET_UNION;
    return c == '&' ? SET_AND : c == '-' ? SET_SUB : SET_XOR;
}

bool rust_bracket(struct rust_parser *p, struct rust_set **out)
{
    size_t open = p->at;
    struct rust_set *u = new_set(p, SET_UNION, NULL, NULL), *left = NULL, *item;
    int pending = SET_UNION;
    bool negated;
    if (++p->depth > RUST_DEPTH_MAX)
        return err_set(p->err, ERR_LIMIT, "the regular expression is nested too deeply");
    if (!class_open(p, u, &negated))
        return false;
    for (;;) {
        rust_skip_blanks(p);
        if (rust_ended(p))
            return rust_fail(p, open, "unclosed character class");
        int op = operator_at(p);
        if (rust_char(p) == ']' || op != SET_UNION) {
            left = pending == SET_UNION ? u : new_set(p, pending, left, u);
            pending = op;
            u = new_set(p, SET_UNION, NULL, NULL);
            rust_bump(p);
            if (op == SET_UNION)
                break;
            rust_bump(p);
        } else if (rust_char(p) == '[') {
            if (!posix_class(p, &item) && !rust_bracket(p, &item))
                return false;
            set_add(u, item);
        } else {
            if (!class_range(p, open, &item))
                return false;
            set_add(u, item);
        }
    }
    p->depth--;
    left->negated = negated;
    *out = left;
    return true;
}
