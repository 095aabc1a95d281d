/*
 * Unicode properties by name. Names are compared by UAX44-LM3: case, spaces, '-', '_' and
 * a leading "is" are ignored. Long names of general categories are listed here; scripts
 * and binary properties are those that the engine knows.
 */
#include "base/text.h"
#include "vault/text/regex_rust.h"

enum { NAME_MAX_BYTES = 64 };

static const struct category {
    const char *code, *name, *also;
} categories[] = {
    {"Any", "any", NULL},
    {"L", "letter", NULL},
    {"Lu", "uppercaseletter", NULL},
    {"Ll", "lowercaseletter", NULL},
    {"Lt", "titlecaseletter", NULL},
    {"L&", "casedletter", "lc"},
    {"Lm", "modifierletter", NULL},
    {"Lo", "otherletter", NULL},
    {"M", "mark", "combiningmark"},
    {"Mn", "nonspacingmark", NULL},
    {"Mc", "spacingmark", NULL},
    {"Me", "enclosingmark", NULL},
    {"N", "number", NULL},
    {"Nd", "decimalnumber", "digit"},
    {"Nl", "letternumber", NULL},
    {"No", "othernumber", NULL},
    {"P", "punctuation", "punct"},
    {"Pc", "connectorpunctuation", NULL},
    {"Pd", "dashpunctuation", NULL},
    {"Ps", "openpunctuation", NULL},
    {"Pe", "closepunctuation", NULL},
    {"Pi", "initialpunctuation", NULL},
    {"Pf", "finalpunctuation", NULL},
    {"Po", "otherpunctuation", NULL},
    {"S", "symbol", NULL},
    {"Sm", "mathsymbol", NULL},
    {"Sc", "currencysymbol", NULL},
    {"Sk", "modifiersymbol", NULL},
    {"So", "othersymbol", NULL},
    {"Z", "separator", NULL},
    {"Zs", "spaceseparator", NULL},
    {"Zl", "lineseparator", NULL},
    {"Zp", "paragraphseparator", NULL},
    {"C", "other", NULL},
    {"Cc", "control", "cntrl"},
    {"Cf", "format", NULL},
    {"Co", "privateuse", NULL},
    {"Cn", "unassigned", NULL},
};

/*
 * In lower case, without the characters that are ignored. False if it cannot be a name.
 */
static bool normal(str name, char out[NAME_MAX_BYTES])
{
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (c == ' ' || c == '_' || c == '-')
            continue;
        if (c >= 'A' && c <= 'Z')
            c |= 0x20;
        if (!((c >= 'a' && c <= 'z') || is_digit((int)c)) || n + 1 == NAME_MAX_BYTES)
            return false;
        out[n++] = c;
    }
    size_t skip = n > 2 && out[0] == 'i' && out[1] == 's' && !(n == 3 && out[2] == 'c');
    memmove(out, out + 2 * skip, n - 2 * skip);
    out[n - 2 * skip] = '\0';
    return n > 0;
}

static const struct category *find_category(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(categories); i++) {
        const struct category *c = &categories[i];
        if (strcmp(name, c->name) == 0 || str_eq_nocase(str_c(name), str_c(c->code)) ||
            (c->also != NULL && strcmp(name, c->also) == 0))
            return c;
    }
    return NULL;
}

/*
 * If case is ignored, Rust adds the other case of all characters with a property; PCRE2
 * does not.
 */
static bool folded(struct rust_set *s, const char *name)
{
    static const struct {
        const char *name, *body;
    } cased[] = {
        {"Lu", "\\p{Lu}\\p{Lt}\\p{CWU}"},
        {"Ll", "\\p{Ll}\\p{Lt}\\p{CWL}"},
        {"Lt", "\\p{Lt}\\x{1c4}-\\x{1cc}\\x{1f1}-\\x{1f3}\\x{1f80}-\\x{1faf}"
               "\\x{1fb3}\\x{1fc3}\\x{1ff3}"},
        {"uppercase", "\\p{Uppercase}\\p{Lt}\\p{CWU}"},
        {"upper", "\\p{Uppercase}\\p{Lt}\\p{CWU}"},
        {"lowercase", "\\p{Lowercase}\\p{Lt}\\p{CWL}"},
        {"lower", "\\p{Lowercase}\\p{Lt}\\p{CWL}"},
    };
    for (size_t i = 0; i < COUNT_OF(cased); i++)
        if (strcmp(name, cased[i].name) == 0) {
            s->body = str_c(cased[i].body);
            return true;
        }
    return false;
}

static void set_body(struct rust_parser *p, struct rust_set *s, const char *spec)
{
    if ((p->flags & RUST_NOCASE) && folded(s, spec)) {
        if (p->options->target != RUST_UTF) /* its ASCII part */
            s->body = strcmp(spec, "Lt") == 0 ? (str){0} : STR("A-Za-z");
        return;
    }
    s->body = arena_printf(p->arena, "\\p{%s}", spec);
    s->other = arena_printf(p->arena, "\\P{%s}", spec);
}

static bool use_category(struct rust_parser *p, struct rust_set *s, const char *name)
{
    const struct category *c = find_category(name);
    if (strcmp(name, "assigned") == 0) {
        s->body = STR("\\P{Cn}");
        s->other = STR("\\p{Cn}");
        s->breaks = true;
        return true;
    }
    if (strcmp(name, "ascii") == 0) {
        s->body = p->options->feeds ? STR("\\x00-\\x7f") : STR("\\x00-\\x09\\x0b-\\x7f");
        s->plain = !(p->flags & RUST_NOCASE);
        return true;
    }
    if (c == NULL)
        return false;
    set_body(p, s, c->code);
    s->all = c->code[0] == 'A';
    s->breaks = s->all || strcmp(c->code, "C") == 0 || strcmp(c->code, "Cc") == 0;
    return true;
}

static bool use_script(struct rust_parser *p, struct rust_set *s, const char *kind,
                       const char *name)
{
    str spec = arena_printf(p->arena, "%s:%s", kind, name);
    if (!p->options->is_property(spec.p))
        return false;
    set_body(p, s, spec.p);
    s->breaks = strcmp(name, "common") == 0 || strcmp(name, "zyyy") == 0;
    return true;
}

static bool use_binary(struct rust_parser *p, struct rust_set *s, const char *name)
{
    /* names that only PCRE2 has: Xan ..., and bidi classes */
    static const char *const foreign[] = {"xan", "xps", "xsp", "xuc", "xwd"};
    for (size_t i = 0; i < COUNT_OF(foreign); i++)
        if (strcmp(name, foreign[i]) == 0)
            return false;
    bool direction = strncmp(name, "bidi", 4) == 0 && strcmp(name, "bidic") != 0 &&
                     strcmp(name, "bidim") != 0 && strcmp(name, "bidicontrol") != 0 &&
                     strcmp(name, "bidimirrored") != 0;
    if (direction || !p->options->is_property(name))
        return false;
    set_body(p, s, name);
    s->breaks = true; /* to be safe */
    return true;
}

bool rust_find_property(struct rust_parser *p, str name, struct rust_set *s)
{
    char key[NAME_MAX_BYTES], value[NAME_MAX_BYTES];
    size_t at = str_find(name, STR("!=")), skip = 2;
    s->negated = at != STR_NONE;
    if (at == STR_NONE) {
        at = str_find_char(name, ':');
        skip = 1;
    }
    if (at == STR_NONE)
        at = str_find_char(name, '=');
    if (at == STR_NONE) {
        return normal(name, value) &&
               (use_category(p, s, value) || use_script(p, s, "sc", value) ||
                use_binary(p, s, value));
    }
    if (!normal(str_slice(name, 0, at), key) || !normal(str_skip(name, at + skip), value))
        return false;
    if (strcmp(key, "gc") == 0 || strcmp(key, "generalcategory") == 0)
        return use_category(p, s, value);
    if (strcmp(key, "sc") == 0 || strcmp(key, "script") == 0)
        return use_script(p, s, "sc", value);
    if (strcmp(key, "scx") == 0 || strcmp(key, "scriptextensions") == 0)
        return use_script(p, s, "scx", value);
    return false;
}
