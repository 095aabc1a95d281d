/* How fast the model makes vectors, on one core, and how much memory that takes:
 * bench_model FILE prints one line of JSON. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fs.h"
#include "vault/meaning/model.h"
#include "vault/meaning/model_layers.h"

enum { ROUNDS = 5, PIECES = 20, QUERIES = 50, SLOW_PIECES = 3 };

static const char piece[] =
    "Garden > Tomatoes > Watering\n"
    "Tomatoes need about an inch of water every week, more when it is hot, and they do "
    "not forgive a gardener who waters a lot on one day and nothing on the next: the "
    "fruit splits. Water the soil and not the leaves, early in the morning, so that the "
    "plants are dry before night. A layer of straw keeps the ground moist. Plants in "
    "pots "
    "dry out sooner; in July they want water twice a day. When the first fruits turn "
    "red, "
    "give less: they taste better, and the last green ones ripen before the frost.";

static const char question[] = "how often do I have to water my plants in summer";

/* Time of this thread, so that others on the machine count less. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double resident_mb(void)
{
    struct arena a = {0};
    struct err err;
    str text;
    long pages = 0;
    if (fs_read_file(&a, STR("/proc/self/statm"), 4096, &text, &err))
        (void)!sscanf(arena_str(&a, text).p, "%*s %ld", &pages);
    arena_release(&a);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* The best of several rounds, for one text. */
static double measure(const struct model_image *m, const struct kernel *k, str text,
                      int n, size_t *tokens)
{
    float out[MODEL_WIDTH_MAX];
    struct tokens t;
    struct err err;
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double began = seconds();
        for (int i = 0; i < n; i++) {
            tokens_split(&m->vocabulary, text, m->head.length, &t);
            if (!model_layers_run(m, k, t.ids, t.n, 0, out, &err))
                BUG("%s", err.msg);
        }
        double took = (seconds() - began) / n;
        best = round == 0 || took < best ? took : best;
    }
    *tokens = t.n;
    return best;
}

int main(int argc, char **argv)
{
    struct model_image m;
    struct err err = {0};
    size_t tokens, few;
    double before = resident_mb(), began = seconds();
    if (argc != 2 || !model_image_open(argv[1], &m, &err)) {
        fprintf(stderr, "usage: bench_model FILE (%s)\n", err.msg);
        return 2;
    }
    double open = seconds() - began;
    double fast = measure(&m, kernel_best(), str_c(piece), PIECES, &tokens);
    double asked = measure(&m, kernel_best(), str_c(question), QUERIES, &few);
    double memory = resident_mb() - before;
    double slow = measure(&m, &kernel_plain, str_c(piece), SLOW_PIECES, &tokens);
    fprintf(stdout,
            "{\"how\": \"%s\", \"tokens_s\": %.0f, \"portable_tokens_s\": %.0f, "
            "\"query_ms\": %.2f, \"open_ms\": %.2f, \"memory_mb\": %.1f}\n",
            kernel_best()->name, (double)tokens / fast, (double)tokens / slow,
            asked * 1e3, open * 1e3, memory);
    return 0;
}
