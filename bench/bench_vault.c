/*
 * bench_vault FOLDER STATE_DIR THREADS TEXT REGEX WORDS TAG HUB: the vault engine on one
 * vault, in process. Prints one JSON object; times are the best of some rounds, in
 * milliseconds (scan, restart) or microseconds.
 */
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "vault/vault.h"

enum { ROUNDS = 5, QUEUE = 256 };

static struct vault *start(const char *folder, const char *state, struct pool *pool)
{
    struct vault *v;
    struct err err = {0};
    if (!vault_open(folder, &v, &err)) {
        fprintf(stderr, "%s\n", err.msg);
        exit(1);
    }
    vault_start(v, &(struct vault_options){.pool = pool, .state_dir = state});
    if (!vault_wait(v, NULL, NULL, &err)) {
        fprintf(stderr, "%s\n", err.msg);
        exit(1);
    }
    return v;
}

static double time_start(const char *folder, const char *state, struct pool *pool)
{
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t began = clock_ns();
        struct vault *v = start(folder, state, pool);
        double ms = (double)(clock_ns() - began) / 1e6;
        best = ms < best ? ms : best;
        vault_close(v);
    }
    return best;
}

static double resident_mb(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f != NULL) {
        if (fscanf(f, "%*s %ld", &pages) != 1)
            pages = 0;
        fclose(f);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    log_setup(LOG_ERROR, LOG_TEXT);
    unsigned threads = (unsigned)atoi(argv[3]);
    struct pool *pool = threads > 1 ? pool_create(threads - 1, QUEUE) : NULL;
    double before = resident_mb();
    struct vault *v = start(argv[1], NULL, pool);
    const struct index *x = vault_hold(v);
    double after = resident_mb();
    size_t parts[5] = {names_memory(x->names), graph_memory(x->graph),
                       words_memory(x->words), tags_memory(x->tags), 0};
    for (file_id i = 0; i < x->n; i++)
        parts[4] += x->files[i] != NULL ? x->files[i]->bytes : 0;
    printf("{\"files\":%zu,\"text_mb\":%.1f,\"index_mb\":%.1f,\"resident_mb\":%.1f,"
           "\"names_mb\":%.1f,\"graph_mb\":%.1f,\"words_mb\":%.1f,\"tags_mb\":%.1f,"
           "\"files_mb\":%.1f,",
           x->count, (double)x->text_bytes / 1e6, (double)index_memory(x) / 1e6,
           after - before, (double)parts[0] / 1e6, (double)parts[1] / 1e6,
           (double)parts[2] / 1e6, (double)parts[3] / 1e6, (double)parts[4] / 1e6);
    vault_let_go(v);
    vault_close(v);
    printf("\"scan_ms\":%.1f,", time_start(argv[1], NULL, pool));
    fflush(stdout);
    vault_close(start(argv[1], argv[2], pool));
    printf("\"restart_ms\":%.1f}\n", time_start(argv[1], argv[2], pool));
    pool_free(pool);
    return 0;
}
