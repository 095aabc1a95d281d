/*
 * The vault engine in process, one JSON line each:
 *
 *     bench_vault scan FOLDER THREADS            ms to a complete index, and its memory
 *     bench_vault restart FOLDER THREADS STATE   ms to one from the snapshot in STATE
 *     bench_vault ask FOLDER THREADS MODE TEXT [STATE]
 *                                                µs of a search; MODE also: backlinks,
 *                                                tag, name, mentions (of a path),
 *                                                unresolved, count, select, newest
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "vault/ask/mentions.h"
#include "vault/ask/search.h"
#include "vault/eval/select.h"
#include "vault/vault.h"

enum { QUEUE = 256, ROUNDS = 200, LOOKUPS = 2000, ASK_MS = 2000, HITS = 10 };

static void die(const char *why)
{
    fprintf(stderr, "bench_vault: %s\n", why);
    exit(1);
}

struct cost {
    double ms, cpu_ms;
};

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static struct vault *start(const char *folder, const char *state, struct pool *pool,
                           struct cost *cost)
{
    struct vault *v;
    struct err err = {0};
    uint64_t began = clock_ns();
    double used = cpu_ms();
    if (!vault_open(folder, &v, &err))
        die(err.msg);
    vault_start(v, &(struct vault_options){.pool = pool, .state_dir = state});
    if (!vault_wait(v, NULL, NULL, &err))
        die(err.msg);
    *cost = (struct cost){(double)(clock_ns() - began) / 1e6, cpu_ms() - used};
    return v;
}

static double resident_mb(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%*s %ld", &pages) != 1)
        die("no /proc/self/statm");
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static void scan(const char *folder, const char *state, struct pool *pool)
{
    struct cost cost;
    struct vault *v = start(folder, state, pool, &cost);
    const struct index *x = vault_lock(v);
    size_t files = 0;
    for (file_id i = 0; i < x->n; i++)
        files += x->files[i] != NULL ? x->files[i]->bytes : 0;
    printf("{\"ms\":%.2f,\"cpu_ms\":%.2f,\"files\":%zu,\"text_mb\":%.2f,\"resident_mb\":%"
           ".2f,"
           "\"notes_mb\":%.2f,\"names_mb\":%.2f,\"graph_mb\":%.2f,\"words_mb\":%.2f}\n",
           cost.ms, cost.cpu_ms, x->count, (double)x->text_bytes / 1e6, resident_mb(),
           (double)files / 1e6, (double)names_memory(x->names) / 1e6,
           (double)graph_memory(x->graph) / 1e6, (double)words_memory(x->words) / 1e6);
    vault_unlock(v);
    vault_close(v);
}

/* --- questions: each gives how many it found --- */

static size_t ask_search(const struct index *x, struct arena *a, enum search_mode mode,
                         str text, struct pool *pool)
{
    struct search s = {.mode = mode, .query = text, .limit = HITS, .pool = pool};
    struct search_result r;
    struct err err;
    if (!search_run(x, a, &s, &r, &err))
        die(err.msg);
    return r.files;
}

static size_t ask_graph(const struct index *x, struct arena *a, str path)
{
    struct graph_edge *edges;
    const struct file *f = index_find(x, path);
    return f != NULL ? graph_backlinks(x->graph, a, f->id, &edges) : 0;
}

static size_t ask_mentions(const struct index *x, struct arena *a, str path)
{
    struct mentions m = {0};
    const struct file *f = index_find(x, path);
    if (f != NULL)
        mentions_of(x, a, f->id, &(struct mentions_limits){.max = HITS}, &m);
    return m.sources;
}

static size_t ask_unresolved(const struct index *x, struct arena *a)
{
    struct graph_missing *missing;
    struct graph_counts counts;
    (void)graph_unresolved(x->graph, a, 0, HITS, &missing);
    graph_count(x->graph, &counts);
    return counts.missing;
}

static size_t ask_count(const struct index *x)
{
    struct index_counts counts;
    index_count(x, &counts);
    return counts.notes;
}

/* Notes that match, or the newest ones. */
static size_t ask_select(const struct index *x, struct arena *a, str where, bool newest)
{
    const struct select_order order = {STR("file.modified"), true};
    struct select s = {.where = where, .order = &order, .n_order = newest, .limit = 20};
    struct select_result r;
    struct err err;
    if (!select_run(x, a, &s, &r, &err))
        die(err.msg);
    return r.total;
}

static size_t ask(const struct index *x, struct arena *a, str mode, str text,
                  struct pool *pool)
{
    static const char *const modes[] = {"text", "regex", "words", "query"};
    for (int i = 0; i < 4; i++)
        if (str_eq(mode, str_c(modes[i])))
            return ask_search(x, a, (enum search_mode)i, text, pool);
    if (str_eq(mode, STR("backlinks")))
        return ask_graph(x, a, text);
    if (str_eq(mode, STR("mentions")))
        return ask_mentions(x, a, text);
    if (str_eq(mode, STR("unresolved")))
        return ask_unresolved(x, a);
    if (str_eq(mode, STR("count")))
        return ask_count(x);
    if (str_eq(mode, STR("select")))
        return ask_select(x, a, text, false);
    if (str_eq(mode, STR("newest")))
        return ask_select(x, a, STR(""), true);
    struct tag tag;
    file_id *ids;
    if (str_eq(mode, STR("tag")))
        return tags_find(x->tags, text, &tag) ? tag.all : 0;
    return names_find_name(x->names, a, text, &ids);
}

static void time_asking(const char *folder, const char *state, struct pool *pool,
                        str mode, str text)
{
    struct cost ignored;
    double best = 1e12;
    struct vault *v = start(folder, state, pool, &ignored);
    const struct index *x = vault_lock(v);
    bool lookup = !(str_eq(mode, STR("text")) || str_eq(mode, STR("regex")) ||
                    str_eq(mode, STR("query")) || str_eq(mode, STR("mentions")));
    size_t found = 0;
    struct arena a = {0};
    uint64_t until = clock_ns() + (uint64_t)ASK_MS * 1000000;
    for (int i = 0; i < (lookup ? LOOKUPS : ROUNDS) && clock_ns() < until; i++) {
        uint64_t began = clock_ns();
        found = ask(x, &a, mode, text, pool);
        double us = (double)(clock_ns() - began) / 1e3;
        best = us < best ? us : best;
        arena_reset(&a);
    }
    arena_release(&a);
    printf("{\"us\":%.2f,\"found\":%zu}\n", best, found);
    vault_unlock(v);
    vault_close(v);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        die("scan|restart|ask FOLDER THREADS ...");
    log_setup(LOG_ERROR, LOG_TEXT);
    long threads = strtol(argv[3], NULL, 10);
    struct pool *pool = threads > 1 ? pool_create((unsigned)threads - 1, QUEUE) : NULL;
    str what = str_c(argv[1]);
    if (str_eq(what, STR("scan")))
        scan(argv[2], NULL, pool);
    else if (str_eq(what, STR("restart")) && argc > 4)
        scan(argv[2], argv[4], pool);
    else if (str_eq(what, STR("ask")) && argc > 5)
        time_asking(argv[2], argv[6], pool, str_c(argv[4]), str_c(argv[5]));
    else
        die("scan|restart|ask FOLDER THREADS ...");
    pool_free(pool);
    return 0;
}
