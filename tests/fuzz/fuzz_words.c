/*
 * The first line is a query, the rest is a note: phrases are counted as by reading all
 * atoms, and the note is found by every word it has, with the right count.
 */
#include "vault/index/words_match.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ATOMS_MAX = 4096, WORDS_TRIED = 40 };

struct note {
    struct words *words;
    struct arena arena;
    str body;
    unsigned tried;
};

static str text_of(void *arg, uint32_t id, enum words_field field)
{
    const struct note *n = arg;
    return id == 3 && field == WORDS_BODY ? n->body : (str){0};
}

static size_t search(struct note *n, str query)
{
    struct words_result result = {0};
    struct err err = {0};
    if (!words_search_text(n->words, &n->arena, query, 0, 10, text_of, n, &result,
                           &err) &&
        err.code != ERR_LIMIT)
        BUG("%s", err.msg);
    return result.total;
}

struct tally {
    str word; /* or empty: all words */
    uint32_t n;
};

static bool add_up(void *arg, str word, size_t start, size_t end)
{
    struct tally *t = arg;
    (void)start, (void)end;
    t->n += t->word.n == 0 || str_eq(word, t->word);
    return true;
}

/* How often the word (or any word) is in the index; the only note has slot 1. */
static uint32_t indexed(const struct words *w, str word)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < w->n_terms; t++) {
        struct words_posting p = {0};
        const uint8_t *list = words_bytes(w, &w->terms[t]);
        if (word.n > 0 && !str_eq(words_name(w, &w->terms[t]), word))
            continue;
        const uint8_t *end = list + w->terms[t].used;
        if (words_read_posting(list, end, &p) != end || p.slot != 1)
            BUG("a list is not one posting");
        n += p.tf[WORDS_BODY];
    }
    return n;
}

static void check_counts(struct note *n, str word)
{
    struct tally t = {.word = word};
    words_split(&n->arena, n->body, add_up, &t);
    if (t.n != indexed(n->words, word))
        BUG("'" STR_FMT "' is counted wrongly", STR_ARG(word));
}

static bool try_word(void *arg, str word, size_t start, size_t end)
{
    struct note *n = arg;
    if (search(n, word) != 1 || start >= end || end > n->body.n)
        BUG("'" STR_FMT "' is not found", STR_ARG(word));
    check_counts(n, word);
    return ++n->tried < WORDS_TRIED;
}

/* Count atom by atom, the simple way. */
static uint32_t count(struct arena *a, const struct words_want *want, str text)
{
    struct words_lexer lexer = WORDS_LEXER_ON(text);
    str *atoms = ARENA_ARRAY(a, str, ATOMS_MAX);
    size_t n = 0;
    uint32_t found = 0;
    for (struct words_atom atom; n < ATOMS_MAX && words_lex(&lexer, &atom);)
        atoms[n++] = arena_str(a, atom.text);
    for (size_t i = 0; i + want->n_atoms <= n; i++) {
        size_t k = 0, last = want->n_atoms - 1;
        while (k < want->n_atoms &&
               (want->open && k == last ? str_starts(atoms[i + k], want->atoms[k])
                                        : str_eq(atoms[i + k], want->atoms[k])))
            k++;
        found += k > last;
        i += k > last ? last : 0;
    }
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct note n = {.words = words_create()};
    str query, rest = {(const char *)data, size < ATOMS_MAX ? size : ATOMS_MAX};
    str_next(&rest, '\n', &query);
    n.body = rest;
    words_add(n.words, &(struct words_doc){.id = 3, .fields[WORDS_BODY] = rest});
    if (search(&n, query) > 1)
        BUG("one note was found more than once");
    words_split(&n.arena, rest, try_word, &n);
    check_counts(&n, (str){0});

    struct words_query q;
    struct err err;
    if (words_read_query(&n.arena, query, &q, &err))
        for (size_t i = 0; i < q.n; i++)
            if (words_count_phrase(&q.wants[i], rest) !=
                count(&n.arena, &q.wants[i], rest))
                BUG("phrase %zu of '" STR_FMT "'", i, STR_ARG(query));
    words_free(n.words);
    arena_release(&n.arena);
    return 0;
}
