/*
 * floors stat|read FOLDER THREADS
 *
 * How fast a folder can be gone through with plain system calls: what any server that
 * looks at every file has to pay. "stat" reads all folders and asks for the status of
 * every entry; "read" also opens, reads and closes every file. Folders behind symbolic
 * links are not entered. Prints the best of several rounds, so caches are warm:
 * {"mode":"read","threads":2,"folders":12,"files":345,"bytes":6789,"ms":1.234,"cpu_ms":2}
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "child.h"

enum { ROUNDS = 7, THREADS_MAX = 64, ENTRIES_BYTES = 32 << 10, READ_BYTES = 1 << 20 };

/*
 * A job is the next piece of a folder. Who takes it reads one buffer full of entries,
 * puts the folder back for another thread if there may be more, and then goes through
 * the entries; so a folder of many files keeps all threads busy. Subfolders are opened
 * by their path from the root, which needs no descriptor while they wait.
 */
struct folder {
    struct folder *next;
    int fd;           /* -1: not open yet */
    atomic_int users; /* one for the job, one for each that goes through entries */
    char path[];
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct folder *jobs;
    int busy; /* threads with a job, which may add others */
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

struct worker {
    pthread_t thread;
    uint64_t folders, files, bytes;
    char entries[ENTRIES_BYTES];
    char buffer[READ_BYTES];
};

static bool reads;
static int root;

static void *allocate(size_t n)
{
    void *p = malloc(n);
    if (p == NULL)
        die("no memory");
    return p;
}

/* --- the queue --- */

static void put_job(struct folder *f)
{
    pthread_mutex_lock(&queue.lock);
    f->next = queue.jobs;
    queue.jobs = f;
    pthread_mutex_unlock(&queue.lock);
    pthread_cond_signal(&queue.more);
}

/* A job, or NULL when there are none and no thread is left that could add one. */
static struct folder *take_job(bool was_busy)
{
    pthread_mutex_lock(&queue.lock);
    queue.busy -= was_busy;
    while (queue.jobs == NULL && queue.busy > 0)
        pthread_cond_wait(&queue.more, &queue.lock);
    struct folder *f = queue.jobs;
    if (f != NULL) {
        queue.jobs = f->next;
        queue.busy++;
    }
    pthread_mutex_unlock(&queue.lock);
    if (f == NULL)
        pthread_cond_broadcast(&queue.more);
    return f;
}

static void put_folder(const char *parent, const char *name)
{
    size_t n = strlen(parent), k = strlen(name) + 1;
    struct folder *f = allocate(sizeof(*f) + n + 1 + k);
    *f = (struct folder){.fd = -1, .users = 1};
    memcpy(f->path, parent, n);
    if (n > 0)
        f->path[n++] = '/';
    memcpy(f->path + n, name, k);
    put_job(f);
}

static void release(struct folder *f)
{
    if (atomic_fetch_sub(&f->users, 1) == 1) {
        close(f->fd);
        free(f);
    }
}

/* --- the work --- */

/* A read that gives less than asked for was the last. */
static void read_file(struct worker *w, int folder, const char *name)
{
    struct stat st;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        die("cannot open %s: %m", name);
    ssize_t k;
    do {
        k = read(fd, w->buffer, READ_BYTES);
        if (k < 0)
            die("cannot read %s: %m", name);
        w->bytes += (uint64_t)k;
    } while (k == READ_BYTES);
    close(fd);
    w->files++;
}

static void visit(struct worker *w, const struct folder *f, const struct dirent64 *e)
{
    struct stat st;
    if (reads && e->d_type == DT_REG) { /* the status is cheaper of an open file */
        read_file(w, f->fd, e->d_name);
        return;
    }
    if (fstatat(f->fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        die("no status of %s: %m", e->d_name);
    if (S_ISDIR(st.st_mode)) {
        w->folders++;
        put_folder(f->path, e->d_name);
    } else if (S_ISREG(st.st_mode) && reads) { /* a file system that keeps no types */
        read_file(w, f->fd, e->d_name);
    } else if (S_ISREG(st.st_mode)) {
        w->files++;
        w->bytes += (uint64_t)st.st_size;
    }
}

static void do_job(struct worker *w, struct folder *f)
{
    if (f->fd < 0)
        f->fd = openat(root, f->path[0] != '\0' ? f->path : ".",
                       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->fd < 0)
        die("cannot open folder %s: %m", f->path);
    ssize_t n = getdents64(f->fd, w->entries, ENTRIES_BYTES);
    if (n < 0)
        die("cannot read folder %s: %m", f->path);
    if (n > 0) {
        atomic_fetch_add(&f->users, 1);
        put_job(f);
    }
    for (ssize_t at = 0; at < n;) {
        const struct dirent64 *e = (const void *)(w->entries + at);
        at += e->d_reclen;
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            visit(w, f, e);
    }
    release(f);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    w->folders = w->files = w->bytes = 0;
    for (struct folder *f = take_job(false); f != NULL; f = take_job(true))
        do_job(w, f);
    return NULL;
}

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* This thread works, too: with one, there is no other. */
static double one_round(struct worker *workers, int n, double *cpu)
{
    double begin = now_us(), used = cpu_ms();
    put_folder("", "");
    for (int i = 1; i < n; i++)
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            die("no thread");
    work(&workers[0]);
    for (int i = 1; i < n; i++)
        pthread_join(workers[i].thread, NULL);
    used = cpu_ms() - used;
    *cpu = used < *cpu ? used : *cpu;
    return (now_us() - begin) / 1e3;
}

int main(int argc, char **argv)
{
    if (argc != 4 || (strcmp(argv[1], "stat") != 0 && strcmp(argv[1], "read") != 0))
        die("usage: floors stat|read FOLDER THREADS");
    reads = strcmp(argv[1], "read") == 0;
    root = open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        die("cannot open %s: %m", argv[2]);
    int threads = count_of(argv[3], THREADS_MAX);
    struct worker *workers = allocate((size_t)threads * sizeof(*workers));

    double cpu = 1e12, best = one_round(workers, threads, &cpu);
    for (int i = 1; i < ROUNDS; i++) {
        double ms = one_round(workers, threads, &cpu);
        best = ms < best ? ms : best;
    }
    uint64_t folders = 0, files = 0, bytes = 0;
    for (int i = 0; i < threads; i++) {
        folders += workers[i].folders;
        files += workers[i].files;
        bytes += workers[i].bytes;
    }
    printf("{\"mode\":\"%s\",\"threads\":%d,\"folders\":%ju,\"files\":%ju,"
           "\"bytes\":%ju,\"ms\":%.3f,\"cpu_ms\":%.3f}\n",
           argv[1], threads, (uintmax_t)folders, (uintmax_t)files, (uintmax_t)bytes, best,
           cpu);
    free(workers);
    return 0;
}
