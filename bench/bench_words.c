/*
 * The ranked index on a made-up vault: 10,000 notes, 40 MB, words as frequent as Zipf
 * says, a tenth of the notes Russian and a tenth Chinese. Prints what building, saving
 * and loading cost and what queries take; medians.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <math.h>

#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/index/words.h"

enum { NOTES = 10000, NOTE_BYTES = 4200, VOCABULARY = 130000, ROUNDS = 201 };

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* 0 most often, 1 half as often, 2 a third, … */
static uint32_t zipf(uint32_t n)
{
    double u = (double)(next_random() >> 11) / 9007199254740992.0;
    return (uint32_t)(pow((double)n + 1, u) - 1);
}

/* The word of a rank: frequent ones are short, all are different. */
static void add_word(struct sbuf *b, uint32_t rank, const char *const *syllables)
{
    uint32_t r = rank;
    do {
        sbuf_add(b, str_c(syllables[r % 40]));
        r /= 40;
    } while (r > 0);
    if (rank > 40 * 40 && rank % 3 == 0)
        sbuf_add(b, str_c(syllables[rank / 7 % 40]));
}

static const char *const latin[40] = {
    "the", "of",  "and", "to",  "in", "is",  "it",  "we",  "on",   "ar",
    "be",  "con", "de",  "er",  "fi", "gra", "han", "ing", "jo",   "kel",
    "lo",  "men", "nor", "ous", "pe", "qui", "ri",  "sta", "tion", "un",
    "ver", "wi",  "xa",  "yl",  "zo", "tri", "ble", "cha", "pro",  "ex"};
static const char *const cyrillic[40] = {
    "и",  "в",  "не", "на",  "что", "то", "по", "как", "за", "от", "ра", "бо", "та", "ко",
    "ло", "ми", "ре", "про", "ст",  "ни", "да", "ги",  "жа", "зо", "ка", "лю", "мо", "но",
    "пе", "ру", "со", "ту",  "фа",  "хо", "це", "чи",  "ша", "щу", "эт", "я"};

static void add_han_char(struct sbuf *b, uint32_t n)
{
    char bytes[4];
    sbuf_add(b, (str){bytes, utf8_encode(0x4E00 + n % 3500 * 5, bytes)});
}

/* Words of two characters, a dozen of them without a blank. */
static void add_han(struct sbuf *b)
{
    for (uint32_t n = 4 + (uint32_t)(next_random() % 16); n > 0; n--) {
        uint32_t rank = zipf(12000);
        add_han_char(b, rank * 7 + rank / 500);
        add_han_char(b, rank * 31 + rank / 90);
        if (next_random() % 2 == 0)
            add_han_char(b, zipf(30));
    }
    sbuf_add(b, STR("\uFF0C"));
}

/* A note comes back to its words: every third one it has had before. */
static uint32_t next_rank(uint32_t *recent, unsigned words)
{
    uint32_t *place = &recent[next_random() % 64];
    if (words > 64 && next_random() % 3 == 0)
        return *place;
    return *place = zipf(VOCABULARY);
}

static str make_note(struct arena *a, unsigned i)
{
    struct sbuf b = SBUF_ON(a);
    uint32_t recent[64] = {0};
    size_t size = NOTE_BYTES / 2 + next_random() % NOTE_BYTES;
    for (unsigned words = 0; b.n < size; words++) {
        if (i % 10 == 3)
            add_han(&b);
        else if (next_random() % 100 == 0)
            sbuf_printf(&b, "%u-%02u", 2000 + (unsigned)(next_random() % 30),
                        1 + (unsigned)(next_random() % 12));
        else if (next_random() % 200 == 0)
            sbuf_printf(&b, "%05x", (unsigned)(next_random() & 0xFFFFF));
        else
            add_word(&b, next_rank(recent, words), i % 10 == 7 ? cyrillic : latin);
        sbuf_add(&b, words % 17 == 16 ? STR(".\n\n") : STR(" "));
    }
    return sbuf_str(&b);
}

static struct words_doc docs[NOTES];

static str text_of(void *arg, uint32_t id, enum words_field field)
{
    (void)arg;
    return docs[id].fields[field];
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* the machine may be busy */
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(double *times, size_t n)
{
    qsort(times, n, sizeof(*times), by_value);
    return times[n / 2];
}

/* What one call takes, from rounds of as many calls as take long enough to measure. */
static void bench_query(const struct words *w, const char *name, str query)
{
    double times[ROUNDS], spent = 0;
    struct arena a = {0};
    struct words_result result = {0};
    size_t n = 0, calls = 1;
    for (; n < ROUNDS && (n < 5 || spent < 300e3); n++) {
        struct err err;
        double start = now_us();
        for (size_t i = 0; i < calls; i++) {
            arena_reset(&a);
            if (!words_search_text(w, &a, query, 0, 20, text_of, NULL, &result, &err))
                abort();
        }
        double took = now_us() - start;
        spent += took;
        times[n] = took / (double)calls;
        if (took < 100 && calls < 128) {
            calls *= 2;
            n = (size_t)-1;
        }
    }
    printf("%-22s %10.1f us  %6zu notes%s\n", name, median(times, n), result.total,
           result.any ? " (any)" : "");
    arena_release(&a);
}

static void bench_suggest(const struct words *w, str word)
{
    double times[21];
    struct arena a = {0};
    str *found;
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        arena_reset(&a);
        double start = now_us();
        n = words_suggest(w, &a, word, 5, &found);
        times[i] = now_us() - start;
    }
    printf("%-22s %10.1f us  %6zu words\n", "suggest", median(times, COUNT_OF(times)), n);
    arena_release(&a);
}

static size_t held(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static void print_memory(const char *name, size_t bytes, size_t text)
{
    printf("%-22s %10.1f MB  %.2f of the text\n", name, (double)bytes / 1e6,
           (double)bytes / (double)text);
}

static struct words_bulk *build(uint32_t from, uint32_t to)
{
    struct words_bulk *b = words_bulk_create();
    for (uint32_t i = from; i < to; i++)
        words_bulk_add(b, &docs[i]);
    return b;
}

/* What it costs to join the halves of two threads. */
static void bench_join(void)
{
    struct words_bulk *halves[] = {build(0, NOTES / 2), build(NOTES / 2, NOTES)};
    double start = now_us();
    words_free(words_bulk_join(halves, 2));
    printf("%-22s %10.0f us\n", "join two halves", now_us() - start);
}

struct image {
    char *p;
    size_t n, cap;
};

static void write_image(void *arg, const void *bytes, size_t n)
{
    struct image *image = arg;
    if (n > image->cap - image->n) {
        image->cap = (image->n + n) * 2;
        image->p = mem_grow(image->p, image->cap);
    }
    memcpy(image->p + image->n, bytes, n);
    image->n += n;
}

static void bench_image(const struct words *w)
{
    double times[21];
    struct image image = {0};
    double start = now_us();
    words_save(w, write_image, &image);
    printf("%-22s %10.0f us  %.1f MB\n", "save", now_us() - start, (double)image.n / 1e6);
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        struct words *loaded = NULL;
        struct err err;
        start = now_us();
        if (!words_load((str){image.p, image.n}, &loaded, &err))
            abort();
        times[i] = now_us() - start;
        words_free(loaded);
    }
    printf("%-22s %10.0f us\n", "load", median(times, COUNT_OF(times)));
    free(image.p);
}

/* Replace notes by others, long enough that the lists are rewritten now and then. */
static void bench_update(struct words *w)
{
    enum { UPDATES = 6000 };
    static double times[UPDATES];
    double total = 0;
    for (size_t i = 0; i < UPDATES; i++) {
        struct words_doc *doc = &docs[next_random() % NOTES];
        doc->fields[WORDS_BODY] = docs[next_random() % NOTES].fields[WORDS_BODY];
        double start = now_us();
        words_add(w, doc);
        times[i] = now_us() - start;
        total += times[i];
    }
    double middle = median(times, UPDATES);
    printf("%-22s %10.1f us  mean %.1f, slowest %.1f ms\n", "update", middle,
           total / UPDATES, times[UPDATES - 1] / 1e3);
}

/* The word of a rank, as a query. */
static str word(struct arena *a, uint32_t rank)
{
    struct sbuf b = SBUF_ON(a);
    add_word(&b, rank, latin);
    return sbuf_str(&b);
}

static void bench_queries(struct arena *a, const struct words *w)
{
    str common = word(a, 0), often = word(a, 1), medium = word(a, 700);
    str third = word(a, 60), rare = word(a, 120001);
    bench_query(w, "rare", rare);
    bench_query(w, "medium", medium);
    bench_query(w, "common", common);
    bench_query(w, "common and rare",
                arena_printf(a, STR_FMT " " STR_FMT, STR_ARG(common), STR_ARG(rare)));
    bench_query(w, "3 words",
                arena_printf(a, STR_FMT " " STR_FMT " " STR_FMT, STR_ARG(common),
                             STR_ARG(medium), STR_ARG(third)));
    bench_query(
        w, "3 words, any",
        arena_printf(a, STR_FMT " " STR_FMT " nowhere", STR_ARG(medium), STR_ARG(third)));
    bench_query(
        w, "phrase",
        arena_printf(a, "\"" STR_FMT " " STR_FMT "\"", STR_ARG(medium), STR_ARG(third)));
    bench_query(
        w, "phrase, common",
        arena_printf(a, "\"" STR_FMT " " STR_FMT "\"", STR_ARG(common), STR_ARG(often)));
    bench_query(w, "prefix", STR("zowi*"));
    bench_query(w, "prefix, common", STR("th*"));
    bench_query(w, "Han, two", STR("\u4E00\u4E05"));
    bench_query(w, "Han, one", STR("\u4E0A"));
    bench_query(w, "Han, four", STR("\u4E00\u4E05\u4E0A\u4E00"));
    bench_query(w, "excluded",
                arena_printf(a, STR_FMT " -" STR_FMT, STR_ARG(common), STR_ARG(medium)));
    bench_suggest(w, arena_printf(a, "x" STR_FMT, STR_ARG(medium)));
}

int main(void)
{
    struct arena a = {0};
    size_t bytes = 0;
    for (uint32_t i = 0; i < NOTES; i++) {
        docs[i].id = i;
        docs[i].fields[WORDS_TITLE] =
            arena_printf(&a, "Note %u " STR_FMT, i, STR_ARG(word(&a, zipf(VOCABULARY))));
        docs[i].fields[WORDS_BODY] = make_note(&a, i);
        docs[i].language = language_guess(docs[i].fields[WORDS_BODY]);
        bytes += docs[i].fields[WORDS_BODY].n;
    }
    size_t before = held();
    double start = now_us();
    struct words_bulk *all = build(0, NOTES);
    struct words *w = words_bulk_join(&all, 1);
    double took = now_us() - start;
    printf("%d notes, %.1f MB\n", NOTES, (double)bytes / 1e6);
    printf("%-22s %10.0f us  %.0f MB/s\n", "build", took, (double)bytes / took);
    print_memory("memory", held() - before, bytes);
    print_memory("by its own count", words_memory(w), bytes);
    bench_join();
    bench_image(w);
    bench_queries(&a, w);
    bench_update(w);
    puts("after the updates:");
    bench_queries(&a, w);
    words_free(w);
    arena_release(&a);
    return 0;
}
