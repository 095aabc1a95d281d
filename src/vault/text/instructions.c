#include "vault/text/instructions.h"

#include "base/chars.h"
#include "base/text.h"

enum {
    WORD_MAX = 16,  /* bytes of a word that is compared */
    PHRASE = 8,     /* words of a phrase */
    ADDRESSED = 40, /* words after assistants were addressed */
};

/* What a word may be, as bits: some are several. */
enum {
    IGNORE = 1,     /* "forget" */
    PREVIOUS = 2,   /* "above" */
    ORDERS = 4,     /* "instructions" */
    NOT = 8,        /* "without" */
    TELL = 16,      /* "informing" */
    ASSISTANT = 32, /* "AI" */
    READING = 64,   /* "processing" */
    USER = 128,
};

static const struct {
    const char *word;
    unsigned is;
} words[] = {
    {"ignore", IGNORE},
    {"ignoring", IGNORE},
    {"disregard", IGNORE},
    {"forget", IGNORE},
    {"override", IGNORE},
    {"ignoriere", IGNORE},
    {"ignoriert", IGNORE},
    {"ignorieren", IGNORE},
    {"vergiss", IGNORE},
    {"missachte", IGNORE},
    {"ignorez", IGNORE},
    {"oublie", IGNORE},
    {"oubliez", IGNORE},
    {"ignora", IGNORE},
    {"olvida", IGNORE},
    {"dimentica", IGNORE},
    {"esquece", IGNORE},
    {"previous", PREVIOUS},
    {"prior", PREVIOUS},
    {"above", PREVIOUS},
    {"earlier", PREVIOUS},
    {"preceding", PREVIOUS},
    {"vorherigen", PREVIOUS},
    {"vorigen", PREVIOUS},
    {"bisherigen", PREVIOUS},
    {"obigen", PREVIOUS},
    {"pr\xC3\xA9"
     "c\xC3\xA9"
     "dentes",
     PREVIOUS},
    {"anteriores", PREVIOUS},
    {"previas", PREVIOUS},
    {"precedenti", PREVIOUS},
    {"instructions", ORDERS},
    {"instruction", ORDERS},
    {"prompt", ORDERS},
    {"prompts", ORDERS},
    {"directives", ORDERS},
    {"guidelines", ORDERS},
    {"anweisungen", ORDERS},
    {"instruktionen", ORDERS},
    {"consignes", ORDERS},
    {"instrucciones", ORDERS},
    {"istruzioni", ORDERS},
    {"instru\xC3\xA7\xC3\xB5"
     "es",
     ORDERS},
    {"not", NOT},
    {"don", NOT},
    {"never", NOT},
    {"without", NOT},
    {"tell", TELL},
    {"telling", TELL},
    {"inform", TELL},
    {"informing", TELL},
    {"notify", TELL},
    {"notifying", TELL},
    {"alert", TELL},
    {"alerting", TELL},
    {"ai", ASSISTANT},
    {"ais", ASSISTANT},
    {"llm", ASSISTANT},
    {"llms", ASSISTANT},
    {"chatgpt", ASSISTANT},
    {"claude", ASSISTANT},
    {"gemini", ASSISTANT},
    {"copilot", ASSISTANT},
    {"assistant", ASSISTANT},
    {"assistants", ASSISTANT},
    {"reading", READING},
    {"processing", READING},
    {"parsing", READING},
    {"summarizing", READING},
    {"summarising", READING},
    {"user", USER},
};

static const char *const markers[] = {"<|im_start|>", "[inst]", "<<sys>>", "<system>",
                                      "<system-reminder>"};

struct said {
    unsigned is;
    size_t line;
    char text[WORD_MAX];
};

struct instructions {
    instructions_fn *fn;
    void *arg;
    struct said last[PHRASE]; /* a ring */
    size_t n;                 /* words so far */
    size_t addressed; /* the number of the last word that addresses one; 0: none */
    size_t line;
};

/* The word that is back words before the last one; an empty one before the first. */
static const struct said *said_before(const struct instructions *s, size_t back)
{
    static const struct said none = {0};
    return back < s->n && back < PHRASE ? &s->last[(s->n - 1 - back) % PHRASE] : &none;
}

/* The nearest word of that kind from back words before the last one on; PHRASE: none. */
static size_t find_back(const struct instructions *s, size_t back, unsigned kind)
{
    while (back < PHRASE && !(said_before(s, back)->is & kind))
        back++;
    return back;
}

static bool is_said(const struct instructions *s, size_t back, const char *word)
{
    return strcmp(said_before(s, back)->text, word) == 0;
}

/* The words back at which an instruction begins that ends with the last word; PHRASE: it
 * ends none. */
static size_t phrase_of(const struct instructions *s)
{
    unsigned is = said_before(s, 0)->is;
    size_t verb = find_back(s, 1, IGNORE);
    if ((is & (ORDERS | PREVIOUS)) && verb < PHRASE &&
        find_back(s, 1, is & ORDERS ? PREVIOUS : ORDERS) < verb)
        return verb;
    size_t tell = find_back(s, 1, TELL), no = find_back(s, tell, NOT);
    if ((is & USER) && tell <= 2 && no < tell + 3 && no < PHRASE && s->addressed > 0 &&
        s->n - s->addressed < ADDRESSED)
        return no;
    if ((is & ASSISTANT) && (is_said(s, 1, "an") || is_said(s, 1, "a")) &&
        is_said(s, 2, "are") && is_said(s, 3, "you") && is_said(s, 4, "if"))
        return 4;
    if (is_said(s, 0, "this") && (said_before(s, 1)->is & READING) &&
        (said_before(s, 2)->is & ASSISTANT))
        return 2;
    return PHRASE;
}

static void instructions_take(struct instructions *s, str word)
{
    struct said *now = &s->last[s->n++ % PHRASE];
    *now = (struct said){.line = s->line};
    for (size_t i = 0; i < word.n && i < WORD_MAX - 1; i++)
        now->text[i] = (char)to_lower(word.p[i]);
    for (size_t i = 0; i < COUNT_OF(words) && word.n < WORD_MAX; i++)
        if (now->text[0] == words[i].word[0] && strcmp(now->text, words[i].word) == 0)
            now->is = words[i].is;
    size_t begins = phrase_of(s);
    if (begins < PHRASE) {
        s->fn(s->arg, said_before(s, begins)->line);
        memset(s->last, 0, sizeof(s->last)); /* the next one has its own words */
    }
    if (now->is & ASSISTANT)
        s->addressed = s->n;
}

static bool is_marker(str rest)
{
    for (size_t i = 0; i < COUNT_OF(markers); i++) {
        str marker = str_c(markers[i]);
        if (str_eq_nocase(str_slice(rest, 0, marker.n), marker))
            return true;
    }
    return false;
}

static bool is_of_word(char c)
{
    return is_alnum(c) || (unsigned char)c >= 0x80;
}

void instructions_find(str text, instructions_fn *fn, void *arg)
{
    struct instructions s = {.fn = fn, .arg = arg, .line = 1};
    for (size_t i = 0, next = text_next_line(text, 0); i < text.n;) {
        size_t end = i;
        for (; next <= i; next = text_next_line(text, next))
            s.line++;
        while (end < text.n && is_of_word(text.p[end]))
            end++;
        if (end > i) {
            instructions_take(&s, str_slice(text, i, end));
            i = end;
            continue;
        }
        if ((text.p[i] == '<' || text.p[i] == '[') && is_marker(str_skip(text, i)))
            fn(arg, s.line);
        if (str_starts(str_skip(text, i), STR("\\n"))) /* a line break in JSON */
            i++;
        i++;
    }
}
