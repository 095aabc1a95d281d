#include "vault/index/words_query.h"

#include "base/text.h"
#include "vault/index/words_split.h"

/* Including the wide space between words of CJK text. */
static size_t words_query_skip_spaces(str s, size_t i)
{
    for (;;) {
        if (i < s.n && is_space(s.p[i]))
            i++;
        else if (str_starts(str_skip(s, i), STR("\u3000")))
            i += 3;
        else
            return i;
    }
}

static size_t words_query_skip_word(str s, size_t i)
{
    while (i < s.n && words_query_skip_spaces(s, i) == i)
        i++;
    return i;
}

/* The next word or phrase at *at, with *excluded and *open; false at the end. */
static bool next_chunk(str s, size_t *at, str *chunk, struct words_want *want)
{
    size_t i = words_query_skip_spaces(s, *at);
    if (i >= s.n)
        return false;
    want->excluded =
        s.p[i] == '-' && i + 1 < s.n && words_query_skip_spaces(s, i + 1) == i + 1;
    i += want->excluded;
    want->quoted = s.p[i] == '"';
    if (want->quoted) {
        size_t length = str_find_char(str_skip(s, i + 1), '"');
        *chunk = str_slice(str_skip(s, i + 1), 0, length);
        i += 1 + chunk->n + (length != STR_NONE);
        want->open = i < s.n && s.p[i] == '*';
        *at = i + want->open;
        return true;
    }
    size_t end = words_query_skip_word(s, i);
    *chunk = str_slice(s, i, end);
    want->open = str_ends(*chunk, STR("*"));
    *at = end;
    return true;
}

struct gather {
    struct arena *arena;
    struct words_want *want;
};

static void add_part(struct words_want *want, str text, enum words_need need)
{
    want->parts[want->n_parts++] = (struct words_part){text, need};
}

static bool gather_token(void *arg, const struct words_token *t)
{
    struct gather *g = arg;
    struct words_want *want = g->want;
    str text = arena_str(g->arena, t->text);
    switch (t->kind) {
    case WORDS_PLAIN:
    case WORDS_PAIR:
        add_part(want, text, WORDS_EXACT);
        want->parts[want->n_parts - 1].forms =
            t->kind == WORDS_PLAIN && !want->quoted && !want->excluded;
        break;
    case WORDS_LAST: {
        /* the last sign of a pair is part of the pair already */
        const struct words_part *before =
            want->n_parts > 0 ? &want->parts[want->n_parts - 1] : NULL;
        bool is_paired = before != NULL && before->text.n > t->text.n &&
                         str_ends(before->text, t->text);
        if (!is_paired)
            add_part(want, text, WORDS_SIGN);
        break;
    }
    case WORDS_TOGETHER:
        want->together = text;
        break;
    case WORDS_EXTRA:
        want->extra = text;
        break;
    }
    return true;
}

/* Collect the atoms of chunk; false if there are too many. */
static bool gather_atoms(struct arena *a, str chunk, struct words_want *want)
{
    struct words_lexer lexer = WORDS_LEXER_ON(chunk);
    want->atoms = ARENA_ARRAY(a, str, WORDS_PHRASE_MAX);
    for (struct words_atom atom; words_lex(&lexer, &atom);) {
        if (want->n_atoms == WORDS_PHRASE_MAX)
            return false;
        want->atoms[want->n_atoms++] = arena_str(a, atom.text);
    }
    return true;
}

/* The last part becomes a prefix; signs are found inside words anyway. */
static void open_last(struct words_want *want)
{
    struct words_part *last = &want->parts[want->n_parts - 1];
    bool is_word = str_eq(last->text, want->atoms[want->n_atoms - 1]);
    last->forms = false;
    if (last->need == WORDS_EXACT && is_word)
        last->need = WORDS_PREFIX;
    else
        want->open = false;
}

static bool gather_want(struct arena *a, str chunk, struct words_want *want,
                        struct err *err)
{
    if (!gather_atoms(a, chunk, want))
        return err_set(err, ERR_LIMIT, "a phrase has more than %d words",
                       WORDS_PHRASE_MAX);
    if (want->n_atoms == 0)
        return true;
    struct gather g = {.arena = a, .want = want};
    struct words_tokens to = {.fn = gather_token, .arg = &g};
    want->parts = ARENA_ARRAY(a, struct words_part, want->n_atoms * 2);
    words_tokenize(chunk, &to);

    size_t length = 0;
    for (size_t i = 0; i < want->n_atoms; i++)
        length += want->atoms[i].n;
    if (want->together.n != length) /* it does not cover the whole phrase */
        want->together = (str){0};
    if (want->n_atoms > 1 || want->open)
        want->extra = (str){0};
    if (want->open)
        open_last(want);
    return true;
}

bool words_read_query(struct arena *a, str text, struct words_query *out, struct err *err)
{
    if (text.n > WORDS_QUERY_MAX)
        return err_set(err, ERR_LIMIT, "the query is longer than %d bytes",
                       WORDS_QUERY_MAX);
    out->n = 0;
    str chunk;
    struct words_want want = {0};
    for (size_t at = 0; next_chunk(text, &at, &chunk, &want);
         want = (struct words_want){0}) {
        if (!gather_want(a, chunk, &want, err))
            return false;
        if (want.n_atoms == 0)
            continue;
        if (out->n == WORDS_TERMS_MAX)
            return err_set(err, ERR_LIMIT, "the query has more than %d words",
                           WORDS_TERMS_MAX);
        out->wants[out->n++] = want;
    }
    return true;
}
