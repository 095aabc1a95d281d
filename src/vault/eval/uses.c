#include "vault/eval/uses.h"

#include "base/array.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "vault/eval/bases_lex.h"

enum { USES_DEPTH = 64 }; /* of brackets; deeper ones are not expressions */

/* An expression as tokens; brackets are tokens, and so are calls. */
struct use_reader {
    struct arena *arena;
    struct bases_token *tokens;
    size_t n, at;            /* tokens; the one that is looked at */
    size_t open[USES_DEPTH]; /* the brackets around the token at */
    size_t depth;
    struct use *uses;
    size_t n_uses;
};

/* --- tokens --- */

/* Whether the token at i (which need not exist) is that operator or bracket. */
static bool is_sign(const struct use_reader *r, size_t i, const char *sign)
{
    const struct bases_token *t = i < r->n ? &r->tokens[i] : NULL;
    return t != NULL && t->kind == BASES_SIGN && str_eq(t->text, str_c(sign));
}

static bool is_any_sign(const struct use_reader *r, size_t i, const char *const *signs)
{
    for (; *signs != NULL; signs++)
        if (is_sign(r, i, *signs))
            return true;
    return false;
}

static bool uses_is_name(const struct use_reader *r, size_t i, const char *name)
{
    return i < r->n && r->tokens[i].kind == BASES_NAME &&
           str_eq(r->tokens[i].text, str_c(name));
}

static bool is_any_name(const struct use_reader *r, size_t i, const char *const *names)
{
    for (; *names != NULL; names++)
        if (uses_is_name(r, i, *names))
            return true;
    return false;
}

/* The token at i, counted back from 0, is after a dot: a member, not a name. */
static bool is_member(const struct use_reader *r, size_t i)
{
    return i > 0 && is_sign(r, i - 1, ".");
}

/* Whether the token at i has the properties of a note: note, this, file.properties. */
static bool is_owner(const struct use_reader *r, size_t i)
{
    static const char *const owners[] = {"note", "this", NULL};
    return is_member(r, i) ? uses_is_name(r, i, "properties") : is_any_name(r, i, owners);
}

/* --- uses --- */

static void add_use(struct use_reader *r, enum use_kind kind, enum use_form form)
{
    const struct bases_token *t = &r->tokens[r->at];
    *ARRAY_ADD(r->arena, r->uses, r->n_uses) = (struct use){
        .kind = kind,
        .form = form,
        .start = form == USE_DOT ? t[-1].at : t->at,
        .end = t->end,
        .value = t->text,
    };
}

/* A text that is an argument of a call, and nothing else: which kind of name it is. */
static bool use_of_argument(const struct use_reader *r, enum use_kind *kind)
{
    static const char *const ends[] = {")", ",", NULL};
    static const char *const links[] = {"hasLink", "linksTo", NULL};
    static const char *const functions[] = {"link", "file", NULL};
    static const char *const lists[] = {"contains", "containsAny", "containsAll", NULL};
    size_t open = r->depth > 0 ? r->open[r->depth - 1] : 0, name = open - 1;
    bool first = r->at == open + 1;
    if (r->depth == 0 || open == 0 || !is_sign(r, open, "(") ||
        !(first || is_sign(r, r->at - 1, ",")) || !is_any_sign(r, r->at + 1, ends))
        return false;
    bool method = is_member(r, name);
    *kind = method && uses_is_name(r, name, "inFolder")      ? USE_FOLDER
            : method && uses_is_name(r, name, "hasTag")      ? USE_TAG
            : method && uses_is_name(r, name, "hasProperty") ? USE_PROPERTY
            : method && is_any_name(r, name, lists)          ? USE_TAG
                                                             : USE_LINK;
    if (method && is_any_name(r, name, lists))
        return name >= 2 && uses_is_name(r, name - 2, "tags");
    return *kind != USE_LINK || (method && is_any_name(r, name, links)) ||
           (!method && first && is_any_name(r, name, functions));
}

/* file.folder or file.path, whose last token is at i. */
static bool is_place(const struct use_reader *r, size_t i, enum use_kind *kind)
{
    *kind = uses_is_name(r, i, "folder") ? USE_FOLDER : USE_PATH;
    return i >= 2 && (uses_is_name(r, i, "folder") || uses_is_name(r, i, "path")) &&
           is_member(r, i) && uses_is_name(r, i - 2, "file") && !is_member(r, i - 2);
}

/* file.folder == "x", or the other way round; not if the text is a part of a sum. */
static bool use_of_comparison(const struct use_reader *r, enum use_kind *kind)
{
    static const char *const equal[] = {"==", "!=", NULL};
    static const char *const before[] = {"(", "[", ",", "&&", "||", "!", NULL};
    static const char *const after[] = {")", "]", ",", "&&", "||", NULL};
    size_t at = r->at;
    bool last = at + 1 == r->n || is_any_sign(r, at + 1, after);
    bool first = at == 0 || is_any_sign(r, at - 1, before);
    if (last && at >= 2 && is_any_sign(r, at - 1, equal))
        return is_place(r, at - 2, kind);
    return first && is_any_sign(r, at + 1, equal) && is_place(r, at + 4, kind) &&
           (at + 5 == r->n || is_any_sign(r, at + 5, after));
}

static bool is_wikilink(str s)
{
    return s.n > 4 && str_starts(s, STR("[[")) && str_ends(s, STR("]]")) &&
           str_find(str_slice(s, 2, s.n - 2), STR("]]")) == STR_NONE;
}

static void use_text(struct use_reader *r)
{
    enum use_kind kind;
    size_t at = r->at;
    if (at >= 2 && is_sign(r, at - 1, "[") && is_sign(r, at + 1, "]") &&
        is_owner(r, at - 2))
        add_use(r, USE_PROPERTY, USE_TEXT);
    else if (use_of_argument(r, &kind) || use_of_comparison(r, &kind))
        add_use(r, kind, USE_TEXT);
    else if (is_wikilink(r->tokens[at].text))
        add_use(r, USE_LINK, USE_TEXT);
}

/* Names that do not mean a property of the row's note. */
static const char *const reserved[] = {"file",  "note",  "formula", "this",
                                       "value", "index", "acc",     "values",
                                       "true",  "false", "null",    NULL};

static void use_name(struct use_reader *r)
{
    size_t at = r->at;
    if (is_sign(r, at + 1, "(") || is_sign(r, at + 1, ":"))
        return; /* a call, or a key of an object */
    if (!is_member(r, at)) {
        if (!is_any_name(r, at, reserved))
            add_use(r, USE_PROPERTY, USE_NAME);
    } else if (at >= 2 && is_owner(r, at - 2) &&
               !(uses_is_name(r, at - 2, "this") && uses_is_name(r, at, "file"))) {
        add_use(r, USE_PROPERTY, USE_DOT);
    }
}

/* Keep the brackets around the next token. */
static bool track_brackets(struct use_reader *r)
{
    static const char *const opening[] = {"(", "[", "{", NULL};
    static const char *const closing[] = {")", "]", "}", NULL};
    if (is_any_sign(r, r->at, opening)) {
        if (r->depth == USES_DEPTH)
            return false;
        r->open[r->depth++] = r->at;
    } else if (is_any_sign(r, r->at, closing)) {
        r->depth -= r->depth > 0;
    }
    return true;
}

static bool read_tokens(struct use_reader *r, str text)
{
    struct err ignored = {0};
    struct expr_maker m = {.arena = r->arena, .text = text, .err = &ignored};
    struct bases_token t = {0};
    while (bases_lex(&m, &t)) {
        if (t.kind == BASES_END)
            return true;
        *ARRAY_ADD(r->arena, r->tokens, r->n) = t;
    }
    return false;
}

size_t uses_find(struct arena *a, str text, struct use **out)
{
    struct use_reader r = {.arena = a};
    bool whole = read_tokens(&r, text);
    for (; whole && r.at < r.n && track_brackets(&r); r.at++)
        if (r.tokens[r.at].kind == BASES_STRING)
            use_text(&r);
        else if (r.tokens[r.at].kind == BASES_NAME)
            use_name(&r);
    *out = r.uses;
    return r.n_uses;
}

/* --- writing --- */

static bool is_identifier(str name)
{
    for (size_t i = 0; i < name.n; i++) {
        unsigned char c = (unsigned char)name.p[i];
        if (!is_alnum(c) && c < 0x80 && c != '_' && c != '$')
            return false;
    }
    for (const char *const *word = reserved; *word != NULL; word++)
        if (str_eq(name, str_c(*word)))
            return false;
    return name.n > 0 && !is_digit(name.p[0]);
}

static str uses_quoted(struct arena *a, char quote, str value)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_char(&out, quote);
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] == quote || value.p[i] == '\\')
            sbuf_char(&out, '\\');
        sbuf_char(&out, value.p[i]);
    }
    sbuf_char(&out, quote);
    return sbuf_str(&out);
}

str use_text_of(struct arena *a, str text, const struct use *use, str value)
{
    if (use->form == USE_TEXT)
        return uses_quoted(a, text.p[use->start], value);
    if (is_identifier(value))
        return arena_printf(a, "%s" STR_FMT, use->form == USE_DOT ? "." : "",
                            STR_ARG(value));
    return arena_printf(a, "%s[" STR_FMT "]", use->form == USE_NAME ? "note" : "",
                        STR_ARG(uses_quoted(a, '"', value)));
}
