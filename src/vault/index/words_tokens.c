/* Tokens from atoms; see words_split.h. */
#include "base/utf8.h"
#include "vault/index/words.h"
#include "vault/index/words_split.h"

/* What may become part of a token that is not complete yet. */
struct state {
    struct words_tokens *to;
    char together[WORDS_TOKEN_MAX + 8]; /* words joined by hyphens */
    struct words_token chain;           /* the token of them; text.n 0: too long */
    unsigned links;                     /* words in the chain */
    char pair[16];
    struct words_token sign; /* the sign before, with its text in pair; text.n 0: none */
};

static bool words_tokens_give(struct state *s, const struct words_token *t)
{
    return s->to->fn(s->to->arg, t);
}

/* The chain has ended. */
static bool end_chain(struct state *s)
{
    bool whole = s->links > 1 && s->chain.text.n > 0;
    s->links = 0;
    return !whole || words_tokens_give(s, &s->chain);
}

/* The run of signs has ended: its last one is a token, too. */
static bool end_run(struct state *s)
{
    if (s->sign.text.n == 0)
        return true;
    struct words_token last = s->sign;
    s->sign.text.n = 0;
    return words_tokens_give(s, &last);
}

/* Whether two words can be joined: not if they have different alphabets. */
static bool go_together(str a, str b)
{
    int x = words_script(a), y = words_script(b);
    return x == 0 || y == 0 || x == y;
}

static void words_tokens_add_link(struct state *s, const struct words_atom *a)
{
    struct words_token *c = &s->chain;
    if (s->links++ == 0)
        *c = (struct words_token){{s->together, 0}, a->start, a->end, WORDS_TOGETHER};
    bool fits = c->text.n + a->text.n <= WORDS_TOKEN_MAX &&
                (s->links == 1 || (c->text.n > 0 && go_together(c->text, a->text)));
    if (fits)
        memcpy(s->together + c->text.n, a->text.p, a->text.n);
    c->text.n = fits ? c->text.n + a->text.n : 0;
    c->end = a->end;
}

static bool words_tokens_take_word(struct state *s, const struct words_atom *a,
                                   str source)
{
    if (!end_run(s) || (a->glue != WORDS_HYPHEN && !end_chain(s)))
        return false;
    words_tokens_add_link(s, a);
    struct words_token t = {a->text, a->start, a->end, WORDS_PLAIN};
    if (!words_tokens_give(s, &t))
        return false;
    if (a->extra == 0 || a->text.n + a->extra > WORDS_TOKEN_MAX)
        return true;
    char text[WORDS_TOKEN_MAX];
    memcpy(text, a->text.p, a->text.n);
    memcpy(text + a->text.n, source.p + a->end, a->extra);
    t = (struct words_token){
        {text, a->text.n + a->extra}, a->start, a->end + a->extra, WORDS_EXTRA};
    return words_tokens_give(s, &t);
}

static bool take_sign(struct state *s, const struct words_atom *a)
{
    if (!end_chain(s))
        return false;
    struct words_token *before = &s->sign;
    bool pairs = before->text.n > 0 && a->cjk && a->glue == WORDS_ADJACENT;
    if (!pairs && !end_run(s))
        return false;
    if (pairs) {
        memcpy(s->pair + before->text.n, a->text.p, a->text.n);
        struct words_token t = {
            {s->pair, before->text.n + a->text.n}, before->start, a->end, WORDS_PAIR};
        if (!words_tokens_give(s, &t))
            return false;
    }
    memcpy(s->pair, a->text.p, a->text.n);
    *before = (struct words_token){{s->pair, a->text.n}, a->start, a->end, WORDS_LAST};
    return a->cjk || end_run(s);
}

bool words_tokenize(str text, struct words_tokens *to)
{
    struct words_lexer lexer = WORDS_LEXER_ON(text);
    struct state s;
    s.to = to;
    s.links = 0;
    s.sign.text.n = 0;
    for (struct words_atom a; words_lex(&lexer, &a); to->atoms++)
        if (a.sign ? !take_sign(&s, &a) : !words_tokens_take_word(&s, &a, text))
            return false;
    return end_chain(&s) && end_run(&s);
}

struct split {
    struct arena *arena;
    bool (*fn)(void *arg, str folded, size_t start, size_t end);
    void *arg;
};

static bool copy_token(void *arg, const struct words_token *t)
{
    struct split *s = arg;
    return s->fn(s->arg, arena_str(s->arena, t->text), t->start, t->end);
}

void words_split(struct arena *a, str text,
                 bool (*fn)(void *arg, str folded, size_t start, size_t end), void *arg)
{
    struct split s = {a, fn, arg};
    struct words_tokens to = {.fn = copy_token, .arg = &s};
    words_tokenize(text, &to);
}
