/*
 * bench_forms FOLDER: what reading tasks and inline fields costs. One JSON line, CPU time:
 * task_us is parsing and toggling a task that recurs, inline_ms reading the inline fields
 * of all notes of a vault, which is a part of its first scan. The least of several rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "vault/forms/inline.h"
#include "vault/forms/task_change.h"
#include "vault/vault.h"

enum { ROUNDS = 9, TOGGLES = 2000, TODAY = 20774 };

static void die(const char *why)
{
    fprintf(stderr, "bench_forms: %s\n", why);
    exit(1);
}

static double cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void toggle_tasks(const void *arg)
{
    static const str line = STR(
        "- [ ] take out the trash #home ⏫ 🔁 every week on Sunday 🛫 2026-11-14 "
        "📅 2026-11-15 ^bin");
    struct arena a = {0};
    for (int i = 0; i < TOGGLES; i++) {
        struct task_lines out;
        struct err err;
        if (!task_set_status(&a, arg, line, STR(""), TODAY, &out, &err))
            die(err.msg);
        if (out.n != 2)
            die("a task that recurs became one line");
        arena_reset(&a);
    }
    arena_release(&a);
}

static void read_inline(const void *arg)
{
    const struct index *x = arg;
    struct arena a = {0};
    for (file_id i = 0; i < x->n; i++) {
        struct inline_field *fields;
        const struct file *f = x->files[i];
        if (f == NULL || f->kind != FILE_NOTE || f->unread)
            continue;
        if (inline_scan(&a, &f->note, &fields) != f->n_fields)
            die("a note has other fields than before");
        arena_reset(&a);
    }
    arena_release(&a);
}

static double least_us(void (*fn)(const void *arg), const void *arg)
{
    double least = 1e12;
    for (int i = 0; i < ROUNDS; i++) {
        double began = cpu_us();
        fn(arg);
        double us = cpu_us() - began;
        least = us < least ? us : least;
    }
    return least;
}

int main(int argc, char **argv)
{
    struct vault *v;
    struct err err = {0};
    struct arena a = {0};
    struct task_settings settings;
    if (argc != 2)
        die("usage: bench_forms FOLDER");
    log_setup(LOG_ERROR, LOG_TEXT);
    task_settings_read(&a, NULL, &settings);
    double task_us = least_us(toggle_tasks, &settings) / TOGGLES;
    if (!vault_open(argv[1], &v, &err))
        die(err.msg);
    vault_start(v, &(struct vault_options){0});
    if (!vault_wait(v, NULL, NULL, &err))
        die(err.msg);
    double inline_ms = least_us(read_inline, vault_lock(v)) / 1e3;
    vault_unlock(v);
    printf("{\"task_us\":%.2f,\"inline_ms\":%.2f}\n", task_us, inline_ms);
    vault_close(v);
    arena_release(&a);
    return 0;
}
