/*
 * Changes of a vault against doing the same plainly, in turns, one JSON line each:
 *
 *     bench_change edit FOLDER STATE            one small note
 *     bench_change rename FOLDER STATE LINKS    a note that so many others link to
 *     bench_change update FOLDER STATE          the index: after an edit of one note, and
 *                                               after a folder of 1,000 was renamed
 *
 * Plainly means: a temp file beside each note, written, synced (one fsync, or for many
 * files one syncfs), renamed, and the folder synced.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "vault/note/edit.h"
#include "vault/ops.h"

enum { EDITS = 200, RENAMES = 10, UPDATES = 40, MOVED = 1000, NAME = 64 };

static void die(const char *why)
{
    fprintf(stderr, "bench_change: %s\n", why);
    exit(1);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), by_value);
    return values[n / 2];
}

static double least(const double *values, size_t n)
{
    double low = values[0];
    for (size_t i = 1; i < n; i++)
        low = values[i] < low ? values[i] : low;
    return low;
}

static void put_file(int dir, const char *name, const char *text, size_t n)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, text, n) != (ssize_t)n)
        die("cannot write");
    close(fd);
}

/* A folder of notes of which all link to a target, and that many plain twins. */
static int make_notes(const char *folder, int links)
{
    char path[4096], name[NAME], text[2048];
    snprintf(path, sizeof(path), "%s/Bench", folder);
    mkdir(path, 0755);
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        die("cannot make a folder");
    put_file(dir, "Target 0.md", "# Target\n", 9);
    for (int i = 0; i < links; i++) {
        int n = snprintf(
            text, sizeof(text),
            "# Note %d\n\nSome text before [[Target 0]] and after it.\n\n%0900d\n", i, i);
        snprintf(name, sizeof(name), "Note %d.md", i);
        put_file(dir, name, text, (size_t)n);
        snprintf(name, sizeof(name), "Plain %d.txt", i);
        put_file(dir, name, text, (size_t)n);
    }
    return dir;
}

static struct vault *start(const char *folder, const char *state, bool watch)
{
    struct vault *v;
    struct err err = {0};
    if (!vault_open(folder, &v, &err))
        die(err.msg);
    vault_start(v, &(struct vault_options){
                       .pool = pool_create(0, 256), .state_dir = state, .watch = watch});
    if (!vault_wait(v, NULL, NULL, &err))
        die(err.msg);
    return v;
}

/* --- one note --- */

static double edit_once(struct vault *v, int round)
{
    struct arena a = {0};
    struct err err = {0};
    struct draft_file f;
    struct edit_result r;
    struct draft_result done;
    uint64_t began = clock_ns();
    struct draft *d = draft_create(v, &a, &(struct actor){.tool = STR("bench")});
    struct edit_swap swap = {round % 2 == 0 ? STR("before") : STR("behind"),
                             round % 2 == 0 ? STR("behind") : STR("before"), false};
    if (!draft_read(d, STR("Bench/Note 0.md"), &f, &err) ||
        !edit_replace(&a, f.text, &swap, 1, &r, &err) ||
        !draft_write(d, f.path, r.text, DRAFT_OVERWRITE, &err) ||
        !draft_commit(d, &(struct idempotency){0}, &done, &err) || done.change == 0)
        die(err.msg);
    double us = (double)(clock_ns() - began) / 1e3;
    arena_release(&a);
    return us;
}

static double plain_once(int dir, int round)
{
    char text[1024];
    memset(text, 'a' + round % 26, sizeof(text));
    uint64_t began = clock_ns();
    int fd = openat(dir, ".plain.tmp", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, text, sizeof(text)) != sizeof(text) || fsync(fd) < 0)
        die("cannot write");
    close(fd);
    if (renameat(dir, ".plain.tmp", dir, "Plain 0.txt") < 0 || fsync(dir) < 0)
        die("cannot rename");
    return (double)(clock_ns() - began) / 1e3;
}

static void bench_edit(const char *folder, const char *state)
{
    static double ours[EDITS], plain[EDITS];
    int dir = make_notes(folder, 1);
    struct vault *v = start(folder, state, true);
    for (int i = 0; i < EDITS; i++) {
        ours[i] = edit_once(v, i);
        plain[i] = plain_once(dir, i);
    }
    printf("{\"us\":%.1f,\"plain_us\":%.1f}\n", median(ours, EDITS),
           median(plain, EDITS));
    vault_close(v);
}

/* --- many notes --- */

static double rename_once(struct vault *v, int round)
{
    struct arena a = {0};
    struct err err = {0};
    struct ops_report report;
    struct draft_result done;
    str from = arena_printf(&a, "Bench/Target %d.md", round);
    str to = arena_printf(&a, "Bench/Target %d.md", round + 1);
    uint64_t began = clock_ns();
    struct draft *d = draft_create(v, &a, &(struct actor){.tool = STR("bench")});
    if (!ops_move(d, from, to, &report, &err) ||
        !draft_commit(d, &(struct idempotency){0}, &done, &err) || done.change == 0)
        die(err.msg);
    double ms = (double)(clock_ns() - began) / 1e6;
    arena_release(&a);
    return ms;
}

static double rewrite_once(int dir, int links, int round)
{
    char temp[NAME], name[NAME], text[1024];
    memset(text, 'a' + round % 26, sizeof(text));
    uint64_t began = clock_ns();
    for (int i = 0; i < links; i++) {
        snprintf(temp, sizeof(temp), ".plain-%d.tmp", i);
        put_file(dir, temp, text, sizeof(text));
    }
    if (syncfs(dir) < 0)
        die("cannot sync");
    for (int i = 0; i < links; i++) {
        snprintf(temp, sizeof(temp), ".plain-%d.tmp", i);
        snprintf(name, sizeof(name), "Plain %d.txt", i);
        if (renameat(dir, temp, dir, name) < 0)
            die("cannot rename");
    }
    if (fsync(dir) < 0)
        die("cannot sync");
    return (double)(clock_ns() - began) / 1e6;
}

static void bench_rename(const char *folder, const char *state, int links)
{
    static double ours[RENAMES], plain[RENAMES], ratios[RENAMES];
    int dir = make_notes(folder, links);
    struct vault *v = start(folder, state, true);
    for (int i = 0; i < RENAMES; i++) {
        ours[i] = rename_once(v, i);
        plain[i] = rewrite_once(dir, links, i);
        ratios[i] = ours[i] / plain[i];
    }
    printf("{\"ms\":%.2f,\"plain_ms\":%.2f,\"ratio\":%.3f}\n", median(ours, RENAMES),
           median(plain, RENAMES), median(ratios, RENAMES));
    vault_close(v);
}

/* --- the index --- */

static double cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double update_once(struct vault *v, const str *paths, size_t n)
{
    double began = cpu_us();
    vault_refresh(v, paths, n);
    return cpu_us() - began;
}

/* One note, with another word each time. */
static double bench_note(struct vault *v, int dir)
{
    static double us[UPDATES];
    const str path = STR("Bench/Note 0.md");
    char text[1024];
    for (int i = 0; i < UPDATES; i++) {
        int n = snprintf(text, sizeof(text),
                         "# Note\n\nWord%d, [[Target 0]], and #tag%d.\n\n%0900d\n", i,
                         i % 3, i);
        put_file(dir, "Note 0.md", text, (size_t)n);
        us[i] = update_once(v, &path, 1);
    }
    return least(us, UPDATES);
}

static double bench_folder(struct vault *v, const char *folder)
{
    static double us[RENAMES];
    static const char *const names[] = {"Bench", "Bench moved"};
    const str paths[] = {STR("Bench"), STR("Bench moved")};
    char from[4096], to[4096];
    for (int i = 0; i < RENAMES; i++) {
        snprintf(from, sizeof(from), "%s/%s", folder, names[i % 2]);
        snprintf(to, sizeof(to), "%s/%s", folder, names[(i + 1) % 2]);
        if (rename(from, to) < 0)
            die("cannot rename");
        us[i] = update_once(v, paths, 2);
    }
    return least(us, RENAMES);
}

static void bench_update(const char *folder)
{
    int dir = make_notes(folder, MOVED / 2); /* and as many other files */
    struct vault *v = start(folder, NULL, false);
    double note = bench_note(v, dir);
    printf("{\"note_us\":%.1f,\"folder_us\":%.1f}\n", note, bench_folder(v, folder));
    vault_close(v);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        die("edit|rename|update FOLDER STATE [LINKS]");
    log_setup(LOG_ERROR, LOG_TEXT);
    if (strcmp(argv[1], "edit") == 0)
        bench_edit(argv[2], argv[3]);
    else if (strcmp(argv[1], "update") == 0)
        bench_update(argv[2]);
    else if (argc > 4)
        bench_rename(argv[2], argv[3], (int)strtol(argv[4], NULL, 10));
    return 0;
}
