#include "vault/meaning/tokenizer_json.h"

#include <math.h>

#include "base/encode.h"
#include "base/json.h"
#include "base/sort.h"
#include "vault/meaning/charsmap.h"

#define TOKENIZER_SPACE "\xE2\x96\x81"
static const float UNKNOWN_PENALTY = 10; /* of SentencePiece, below the lowest score */

struct tokenizer_reading {
    struct arena *arena;
    const struct json *root, *model;
    struct tokenizer_json *out;
    uint32_t rows;
    struct err *err;
};

/* Fail: this part is not one that can be done. */
static bool tokenizer_unusual(struct tokenizer_reading *r, const char *part,
                              const struct json *j)
{
    str shown = j != NULL ? str_slice(j->raw, 0, 60) : STR("nothing");
    return err_set(r->err, ERR_INVALID,
                   "tokenizer.json has a %s that is not supported: " STR_FMT "%s", part,
                   STR_ARG(shown), j != NULL && j->raw.n > shown.n ? "..." : "");
}

static bool tokenizer_is(const struct json *j, const char *type)
{
    return str_eq(json_get_str(j, STR("type")), str_c(type));
}

/* A member that is a truth value; otherwise what is usual. */
static bool tokenizer_flag(const struct json *j, const char *key, bool usual)
{
    (void)json_bool(json_get(j, str_c(key)), &usual);
    return usual;
}

/* The list of a sequence, or the one item; n is how many. */
static const struct json *tokenizer_steps(const struct json *j, const char *list,
                                          size_t *n)
{
    const struct json *items =
        tokenizer_is(j, "Sequence") ? json_get(j, str_c(list)) : NULL;
    if (json_is(items, JSON_ARRAY)) {
        *n = items->n;
        return items->child;
    }
    *n = json_is(j, JSON_OBJECT) ? 1 : 0;
    return j;
}

/* --- words --- */

static int tokenizer_order(const void *a, const void *b)
{
    const struct tokenizer_word *x = a, *y = b;
    return str_cmp(x->text, y->text);
}

static bool tokenizer_find(struct tokenizer_reading *r, str text, uint32_t *id)
{
    const struct tokenizer_json *t = r->out;
    for (uint32_t i = 0; i < t->n; i++)
        if (str_eq(t->words[i].text, text)) {
            *id = t->words[i].id;
            return true;
        }
    return err_set(r->err, ERR_INVALID, "tokenizer.json lacks " STR_FMT, STR_ARG(text));
}

/* In the order of their bytes, each once. */
static bool tokenizer_sort(struct tokenizer_reading *r)
{
    struct tokenizer_json *t = r->out;
    sort_items(t->words, t->n, sizeof(*t->words), tokenizer_order);
    for (uint32_t i = 1; i < t->n; i++)
        if (str_eq(t->words[i - 1].text, t->words[i].text))
            return err_set(r->err, ERR_INVALID, "tokenizer.json has '" STR_FMT "' twice",
                           STR_ARG(t->words[i].text));
    return true;
}

static const struct json *tokenizer_vocabulary(struct tokenizer_reading *r,
                                               enum json_type type)
{
    const struct json *words = json_get(r->model, STR("vocab"));
    if (json_is(words, type) && words->n > 0 && words->n <= r->rows) {
        r->out->words = ARENA_ARRAY(r->arena, struct tokenizer_word, words->n);
        return words;
    }
    err_set(r->err, ERR_INVALID,
            "tokenizer.json has no list of words that fits %u rows of weights", r->rows);
    return NULL;
}

/* --- WordPiece --- */

static bool wordpiece_prepared(struct tokenizer_reading *r)
{
    const struct json *n = json_get(r->root, STR("normalizer"));
    const struct json *p = json_get(r->root, STR("pre_tokenizer"));
    if (!tokenizer_is(n, "BertNormalizer"))
        return tokenizer_unusual(r, "normalizer", n);
    if (!tokenizer_is(p, "BertPreTokenizer"))
        return tokenizer_unusual(r, "pre_tokenizer", p);
    bool lower = tokenizer_flag(n, "lowercase", true);
    r->out->flags =
        (lower ? TOKENS_LOWER : 0u) |
        (tokenizer_flag(n, "strip_accents", lower) ? TOKENS_BARE : 0u) |
        (tokenizer_flag(n, "clean_text", true) ? TOKENS_CLEAN : 0u) |
        (tokenizer_flag(n, "handle_chinese_chars", true) ? TOKENS_CHINESE : 0u);
    return true;
}

static bool wordpiece_parts(struct tokenizer_reading *r)
{
    const struct json *mark = json_get(r->model, STR("continuing_subword_prefix"));
    const struct json *longest = json_get(r->model, STR("max_input_chars_per_word"));
    int64_t n = TOKENS_WORD_MAX;
    if (mark != NULL && !str_eq(mark->text, STR("##")))
        return tokenizer_unusual(r, "continuing_subword_prefix", mark);
    if (longest != NULL && (!json_int(longest, &n) || n != TOKENS_WORD_MAX))
        return tokenizer_unusual(r, "max_input_chars_per_word", longest);
    return true;
}

static bool wordpiece_read(struct tokenizer_reading *r)
{
    struct tokenizer_json *t = r->out;
    str unknown = json_get_str(r->model, STR("unk_token"));
    const struct json *words = tokenizer_vocabulary(r, JSON_OBJECT);
    for (const struct json *w = words != NULL ? words->child : NULL; w != NULL;
         w = w->next) {
        int64_t id;
        if (!json_int(w, &id) || id < 0 || id >= r->rows)
            return err_set(r->err, ERR_INVALID,
                           "'" STR_FMT "' has no number in tokenizer.json",
                           STR_ARG(str_slice(w->key, 0, 100)));
        t->words[t->n++] = (struct tokenizer_word){w->key, (uint32_t)id, 0};
    }
    return words != NULL && wordpiece_prepared(r) && wordpiece_parts(r) &&
           tokenizer_find(r, unknown.n > 0 ? unknown : STR("[UNK]"), &t->unknown);
}

/* --- Unigram --- */

static bool unigram_charsmap(struct tokenizer_reading *r, const struct json *step)
{
    str text = json_get_str(step, STR("precompiled_charsmap"));
    if (r->out->charsmap.n > 0 || text.n > 2 * (size_t)CHARSMAP_MAX ||
        !decode_base64(r->arena, text, &r->out->charsmap) ||
        !charsmap_is_sound(r->out->charsmap))
        return tokenizer_unusual(r, "precompiled_charsmap", step);
    return true;
}

/* Spaces at the ends and several of them in a row have no effect anyway: what says so is
 * right. */
static bool unigram_drops_spaces(const struct json *step)
{
    str content = json_get_str(step, STR("content"));
    str pattern = json_get_str(json_get(step, STR("pattern")), STR("Regex"));
    return tokenizer_is(step, "Strip") ||
           (tokenizer_is(step, "Replace") && str_eq(pattern, STR(" {2,}")) &&
            (str_eq(content, STR(" ")) || str_eq(content, STR(TOKENIZER_SPACE))));
}

static bool unigram_normalizer(struct tokenizer_reading *r)
{
    size_t n;
    const struct json *whole = json_get(r->root, STR("normalizer"));
    const struct json *step = tokenizer_steps(whole, "normalizers", &n);
    for (; n > 0; n--, step = step->next)
        if (tokenizer_is(step, "Precompiled")) {
            if (!unigram_charsmap(r, step))
                return false;
        } else if (!unigram_drops_spaces(step)) {
            return tokenizer_unusual(r, "normalizer", step);
        }
    return true;
}

/* A space before each word, and none elsewhere. */
static bool unigram_is_metaspace(const struct json *step)
{
    const struct json *when = json_get(step, STR("prepend_scheme"));
    return tokenizer_is(step, "Metaspace") &&
           str_eq(json_get_str(step, STR("replacement")), STR(TOKENIZER_SPACE)) &&
           (when == NULL || str_eq(when->text, STR("always"))) &&
           tokenizer_flag(step, "add_prefix_space", true) &&
           tokenizer_flag(step, "split", true);
}

static bool unigram_pre_tokenizer(struct tokenizer_reading *r)
{
    size_t n;
    const struct json *whole = json_get(r->root, STR("pre_tokenizer"));
    const struct json *step = tokenizer_steps(whole, "pretokenizers", &n);
    if (n == 2 && tokenizer_is(step, "WhitespaceSplit")) {
        r->out->flags |= TOKENS_SPACES;
        step = step->next;
        n--;
    }
    return (n == 1 && unigram_is_metaspace(step)) ||
           tokenizer_unusual(r, "pre_tokenizer", whole);
}

/* Whether a word is one of the special tokens, which texts never have. They are few. */
static bool unigram_is_special(const struct tokenizer_reading *r, str word)
{
    const struct json *list = json_get(r->root, STR("added_tokens"));
    for (const struct json *t = json_is(list, JSON_ARRAY) ? list->child : NULL; t != NULL;
         t = t->next)
        if (str_eq(json_get_str(t, STR("content")), word))
            return true;
    return false;
}

/* One [text, score]. */
static bool unigram_word(struct tokenizer_reading *r, const struct json *w, uint32_t id)
{
    struct tokenizer_json *t = r->out;
    double score;
    str text;
    if (!json_is(w, JSON_ARRAY) || w->n != 2 || !json_str(w->child, &text) ||
        !json_num(w->child->next, &score) || fabs(score) > 1e6)
        return err_set(r->err, ERR_INVALID,
                       "word %u of tokenizer.json is not a text with a score", id);
    t->lowest = (float)score < t->lowest ? (float)score : t->lowest;
    if (text.n > 0 && id != t->unknown && !unigram_is_special(r, text))
        t->words[t->n++] = (struct tokenizer_word){text, id, (float)score};
    return true;
}

static bool unigram_read(struct tokenizer_reading *r)
{
    struct tokenizer_json *t = r->out;
    const struct json *words = tokenizer_vocabulary(r, JSON_ARRAY);
    uint32_t id = 0;
    int64_t unknown;
    if (words == NULL || !unigram_normalizer(r) || !unigram_pre_tokenizer(r))
        return false;
    if (json_get_true(r->model, STR("byte_fallback")))
        return tokenizer_unusual(r, "byte_fallback", r->model);
    if (!json_int(json_get(r->model, STR("unk_id")), &unknown) || unknown < 0 ||
        unknown >= words->n)
        return err_set(r->err, ERR_INVALID, "tokenizer.json has no unk_id");
    t->unknown = (uint32_t)unknown;
    for (const struct json *w = words->child; w != NULL; w = w->next)
        if (!unigram_word(r, w, id++))
            return false;
    t->lowest -= UNKNOWN_PENALTY;
    return t->n > 0 || err_set(r->err, ERR_INVALID, "tokenizer.json has no words");
}

/* --- the first and the last token --- */

/* ["[SEP]", 102] */
static bool ends_pair(struct tokenizer_reading *r, const struct json *j, uint32_t *id)
{
    int64_t number;
    if (!json_is(j, JSON_ARRAY) || j->n != 2 || !json_int(j->child->next, &number) ||
        number < 0 || number >= r->rows)
        return false;
    *id = (uint32_t)number;
    return true;
}

/* {"SpecialToken": {"id": "<s>"}}, which is in special_tokens with the list of its ids. */
static bool ends_special(struct tokenizer_reading *r, const struct json *post,
                         const struct json *step, uint32_t *id)
{
    int64_t number;
    str name = json_get_str(json_get(step, STR("SpecialToken")), STR("id"));
    const struct json *ids =
        json_get(json_get(json_get(post, STR("special_tokens")), name), STR("ids"));
    if (name.n == 0 || !json_is(ids, JSON_ARRAY) || ids->n != 1 ||
        !json_int(ids->child, &number) || number < 0 || number >= r->rows)
        return false;
    *id = (uint32_t)number;
    return true;
}

static bool tokenizer_ends(struct tokenizer_reading *r)
{
    struct tokenizer_json *t = r->out;
    const struct json *post = json_get(r->root, STR("post_processor"));
    const struct json *single = json_get(post, STR("single"));
    if ((tokenizer_is(post, "BertProcessing") ||
         tokenizer_is(post, "RobertaProcessing")) &&
        ends_pair(r, json_get(post, STR("cls")), &t->first) &&
        ends_pair(r, json_get(post, STR("sep")), &t->last))
        return true;
    return (tokenizer_is(post, "TemplateProcessing") && json_is(single, JSON_ARRAY) &&
            single->n == 3 && ends_special(r, post, single->child, &t->first) &&
            json_get(single->child->next, STR("Sequence")) != NULL &&
            ends_special(r, post, single->child->next->next, &t->last)) ||
           tokenizer_unusual(r, "post_processor", post);
}

bool tokenizer_json_read(struct arena *a, str text, uint32_t rows,
                         struct tokenizer_json *out, struct err *err)
{
    struct tokenizer_reading r = {.arena = a, .out = out, .rows = rows, .err = err};
    *out = (struct tokenizer_json){0};
    if (text.n > TOKENIZER_BYTES)
        return err_set(err, ERR_LIMIT, "tokenizer.json has more than %d bytes",
                       TOKENIZER_BYTES);
    if (!json_parse(a, text, &r.root, err))
        return err_reword(err, "tokenizer.json is not usable JSON: %s", err->msg);
    r.model = json_get(r.root, STR("model"));
    out->kind = tokenizer_is(r.model, "Unigram") ? TOKENS_UNIGRAM : TOKENS_WORDPIECE;
    if (out->kind == TOKENS_WORDPIECE && !tokenizer_is(r.model, "WordPiece"))
        return err_set(err, ERR_INVALID,
                       "tokenizer.json is for '" STR_FMT
                       "'; WordPiece and Unigram are supported",
                       STR_ARG(str_slice(json_get_str(r.model, STR("type")), 0, 40)));
    bool ok = out->kind == TOKENS_UNIGRAM ? unigram_read(&r) : wordpiece_read(&r);
    return ok && tokenizer_sort(&r) && tokenizer_ends(&r);
}
