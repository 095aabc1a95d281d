#include "vault/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "vault/journal_record.h"

static const char first_chain[JOURNAL_CHAIN + 1] =
    "0000000000000000000000000000000000000000000000000000000000000000";

/* A file of records. */
struct segment {
    uint64_t first; /* in its name: the number of its first change */
    size_t size;    /* of what has been read or written */
    int64_t newest;
    bool damaged; /* there is more behind size that cannot be read; it stays */
};

/* Where a change is. */
struct place {
    uint64_t segment; /* by its first number */
    size_t at, size;
};

struct journal {
    int dir, lock;
    char chain[JOURNAL_CHAIN];
    uint64_t next;
    struct segment *segments;
    size_t n_segments;
    struct journal_entry *entries;
    struct place *places; /* of the entries */
    size_t n, cap;
};

/* --- segments --- */

static void segment_name(char out[64], uint64_t first)
{
    snprintf(out, 64, "journal-%012llu", (unsigned long long)first);
}

static int open_segment(const struct journal *j, uint64_t first, int flags)
{
    char name[64];
    segment_name(name, first);
    return openat(j->dir, name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static struct segment *add_segment(struct journal *j, uint64_t first)
{
    j->segments = mem_grow(j->segments, (j->n_segments + 1) * sizeof(*j->segments));
    size_t at = j->n_segments++;
    for (; at > 0 && j->segments[at - 1].first > first; at--)
        j->segments[at] = j->segments[at - 1];
    j->segments[at] = (struct segment){.first = first};
    return &j->segments[at];
}

static bool knows_segment(const struct journal *j, uint64_t first)
{
    for (size_t i = 0; i < j->n_segments; i++)
        if (j->segments[i].first == first)
            return true;
    return false;
}

static void list_segments(struct journal *j)
{
    int fd = openat(j->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    for (const struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;) {
        str name = str_c(d->d_name);
        int64_t first;
        if (str_starts(name, STR("journal-")) && str_to_int(str_skip(name, 8), &first) &&
            first > 0 && !knows_segment(j, (uint64_t)first))
            add_segment(j, (uint64_t)first);
    }
    if (dir != NULL)
        closedir(dir);
}

/* A segment mapped for reading; empty when it cannot be. */
static str map_segment(const struct journal *j, uint64_t first)
{
    AUTO_CLOSE int fd = open_segment(j, first, O_RDONLY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0 || st.st_size == 0)
        return (str){0};
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    return map == MAP_FAILED ? (str){0} : (str){map, (size_t)st.st_size};
}

static void unmap(str map)
{
    if (map.n > 0)
        munmap((void *)map.p, map.n);
}

/* --- the list --- */

static struct journal_entry *entry(struct journal *j, uint64_t number)
{
    size_t low = 0, high = j->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (j->entries[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < j->n && j->entries[low].number == number ? &j->entries[low] : NULL;
}

const struct journal_entry *journal_find(const struct journal *j, uint64_t number)
{
    return entry((struct journal *)j, number);
}

size_t journal_entries(const struct journal *j, const struct journal_entry **out)
{
    *out = j->entries;
    return j->n;
}

static uint64_t key_of(str key)
{
    return key.n > 0 ? hash_content(key).low | 1 : 0;
}

static void add_entry(struct journal *j, const struct journal_change *c,
                      struct place place)
{
    if (j->n == j->cap) {
        j->cap = j->cap * 2 + 64;
        j->entries = mem_grow(j->entries, j->cap * sizeof(*j->entries));
        j->places = mem_grow(j->places, j->cap * sizeof(*j->places));
    }
    j->places[j->n] = place;
    j->entries[j->n++] = (struct journal_entry){
        .number = c->number, .undoes = c->undoes, .time = c->time, .key = key_of(c->key)};
    j->next = c->number + 1;
}

static void end_entry(struct journal *j, uint64_t number, enum journal_state state)
{
    struct journal_entry *e = entry(j, number);
    if (e == NULL)
        return;
    e->state = state;
    struct journal_entry *undone = entry(j, e->undoes);
    if (undone != NULL && state == JOURNAL_DONE)
        undone->undone_by = number;
}

static void take_line(struct journal *j, const struct journal_line *line,
                      struct segment *s, struct place place)
{
    if (line->is_end) {
        end_entry(j, line->of, line->ok ? JOURNAL_DONE : JOURNAL_ABORTED);
    } else if (line->change.number >= j->next) {
        add_entry(j, &line->change, place);
        s->newest = line->change.time;
    }
}

/* Read on in a segment. False when what comes then is no record, or half of one. */
static bool read_segment(struct journal *j, struct segment *s)
{
    str map = map_segment(j, s->first);
    bool whole = true;
    while (whole && s->size < map.n) {
        struct arena a = {0};
        struct journal_line line;
        struct err err;
        size_t length = 0;
        whole = journal_measure(&a, str_skip(map, s->size), NULL, j->chain, &line,
                                &length, &err) &&
                length > 0;
        if (whole) {
            take_line(j, &line, s, (struct place){s->first, s->size, length});
            s->size += length;
        }
        arena_release(&a);
    }
    unmap(map);
    return whole;
}

/* Whether a whole record ends somewhere in text: then it is damaged, not torn. */
static bool has_end(str text)
{
    for (size_t at; (at = str_find(text, STR("\n#"))) != STR_NONE;) {
        text = str_skip(text, at + 2);
        if (text.n > JOURNAL_CHAIN && text.p[JOURNAL_CHAIN] == '\n')
            return true;
    }
    return false;
}

/* A record torn by a crash is cut off; damage is left for people to look at. */
static void mend(struct journal *j, struct segment *s)
{
    str map = map_segment(j, s->first);
    s->damaged = has_end(str_skip(map, s->size));
    unmap(map);
    log_event(LOG_WARN, s->damaged ? "journal_damaged" : "journal_cut",
              LOG_INT("segment", s->first), LOG_INT("at", s->size));
    AUTO_CLOSE int fd = s->damaged ? -1 : open_segment(j, s->first, O_WRONLY);
    if (fd >= 0 && ftruncate(fd, (off_t)s->size) == 0)
        fsync(fd);
}

/* What was written since by others. */
static void read_on(struct journal *j)
{
    list_segments(j);
    for (size_t i = 0; i < j->n_segments; i++)
        if (!j->segments[i].damaged && !read_segment(j, &j->segments[i]))
            mend(j, &j->segments[i]);
}

/* --- opening --- */

bool journal_open(const char *folder, struct journal **out, struct err *err)
{
    if (!fs_make_folder(folder, err))
        return false;
    struct journal *j = mem_zero(sizeof(*j));
    memcpy(j->chain, first_chain, JOURNAL_CHAIN);
    j->next = 1;
    j->dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    j->lock =
        j->dir >= 0 ? openat(j->dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (j->lock < 0) {
        err_sys(err, "the journal of changes cannot be opened");
        journal_close(j);
        return false;
    }
    if (!journal_lock(j, err)) {
        journal_close(j);
        return false;
    }
    journal_unlock(j);
    *out = j;
    return true;
}

void journal_close(struct journal *j)
{
    if (j == NULL)
        return;
    fs_auto_close(&j->dir);
    fs_auto_close(&j->lock);
    free(j->segments);
    free(j->entries);
    free(j->places);
    free(j);
}

static bool set_lock(struct journal *j, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    int done;
    do
        done = fcntl(j->lock, F_OFD_SETLKW, &lock);
    while (done < 0 && errno == EINTR);
    return done == 0;
}

bool journal_lock(struct journal *j, struct err *err)
{
    if (!set_lock(j, F_WRLCK))
        return err_sys(err, "the journal of changes cannot be locked");
    read_on(j);
    return true;
}

void journal_unlock(struct journal *j)
{
    set_lock(j, F_UNLCK);
}

/* --- writing --- */

static bool write_at(int fd, str bytes, size_t at)
{
    while (bytes.n > 0) {
        ssize_t n = pwrite(fd, bytes.p, bytes.n, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes = str_skip(bytes, (size_t)n);
        at += (size_t)n;
    }
    return true;
}

/* The segment that the next record goes to. */
static struct segment *writable(struct journal *j)
{
    struct segment *last = j->n_segments > 0 ? &j->segments[j->n_segments - 1] : NULL;
    bool fits = last != NULL && !last->damaged && last->size < JOURNAL_SEGMENT_MAX;
    return fits ? last : add_segment(j, j->next);
}

/* A record that cannot be written whole is taken back. */
static bool write_record(struct journal *j, str record, bool durable, struct place *place,
                         struct err *err)
{
    struct segment *s = writable(j);
    bool fresh = s->size == 0;
    AUTO_CLOSE int fd = open_segment(j, s->first, O_WRONLY | O_CREAT);
    bool ok = fd >= 0 && write_at(fd, record, s->size) &&
              (!durable || fdatasync(fd) == 0) &&
              (!durable || !fresh || fsync(j->dir) == 0);
    if (!ok) {
        err_sys(err, "the change could not be noted in the journal, so it was not made");
        err->name = errno == ENOSPC || errno == EDQUOT ? "NO_SPACE" : "IO_ERROR";
        if (fd >= 0)
            (void)!ftruncate(fd, (off_t)s->size);
        return false;
    }
    *place = (struct place){s->first, s->size, record.n};
    s->size += record.n;
    return true;
}

bool journal_append(struct journal *j, struct journal_change *c, struct err *err)
{
    struct arena a = {0};
    char chain[JOURNAL_CHAIN];
    struct place place;
    c->number = j->next;
    memcpy(chain, j->chain, sizeof(chain));
    bool ok = write_record(j, journal_print_change(&a, c, chain), true, &place, err);
    arena_release(&a);
    if (!ok)
        return false;
    memcpy(j->chain, chain, sizeof(chain));
    add_entry(j, c, place);
    j->segments[j->n_segments - 1].newest = c->time;
    return true;
}

void journal_end(struct journal *j, uint64_t number, enum journal_state state)
{
    struct arena a = {0};
    char chain[JOURNAL_CHAIN];
    struct place ignored;
    struct err err;
    memcpy(chain, j->chain, sizeof(chain));
    str record = journal_print_end(&a, number, state == JOURNAL_DONE, chain);
    if (write_record(j, record, false, &ignored, &err))
        memcpy(j->chain, chain, sizeof(chain));
    end_entry(j, number, state);
    arena_release(&a);
}

/* --- reading --- */

static void give_contents(struct arena *a, str record, struct journal_line *line)
{
    size_t at = str_find_char(record, '\n') + 1;
    for (size_t i = 0; i < line->change.n; i++) {
        str *old = &line->change.ops[i].old;
        *old = arena_str(a, str_slice(record, at, at + old->n));
        at += old->n;
    }
}

bool journal_read(const struct journal *j, struct arena *a, uint64_t number,
                  bool contents, struct journal_change *out, struct err *err)
{
    const struct journal_entry *e = journal_find(j, number);
    if (e == NULL)
        return err_named(err, ERR_NOT_FOUND, "CHANGE_NOT_FOUND",
                         "there is no change %llu, or it is no longer kept",
                         (unsigned long long)number);
    const struct place *p = &j->places[e - j->entries];
    str map = map_segment(j, p->segment);
    str record = str_slice(map, p->at, p->at + p->size);
    str line = arena_str(a, str_slice(record, 0, str_find_char(record, '\n')));
    struct journal_line parsed;
    bool ok = record.n == p->size && journal_parse(a, line, &parsed, err);
    if (ok && contents)
        give_contents(a, record, &parsed);
    if (ok)
        *out = parsed.change;
    else if (record.n != p->size)
        err_set(err, ERR_INTERNAL, "the journal of changes cannot be read");
    unmap(map);
    return ok;
}

const struct journal_entry *journal_with_key(const struct journal *j, str key,
                                             int64_t since)
{
    uint64_t wanted = key_of(key);
    for (size_t i = j->n; wanted != 0 && i-- > 0 && j->entries[i].time >= since;)
        if (j->entries[i].key == wanted && j->entries[i].state != JOURNAL_ABORTED)
            return &j->entries[i];
    return NULL;
}

static bool verify_segment(const struct journal *j, const struct segment *s,
                           bool *chained, char chain[JOURNAL_CHAIN], size_t *n,
                           struct err *err)
{
    str map = map_segment(j, s->first);
    bool ok = true;
    for (size_t at = 0; ok && at < map.n;) {
        struct arena a = {0};
        struct journal_line line;
        struct err why = {0};
        size_t length = 0;
        char own[JOURNAL_CHAIN];
        ok = journal_measure(&a, str_skip(map, at), *chained ? chain : NULL, own, &line,
                             &length, &why) &&
             length > 0;
        arena_release(&a);
        memcpy(chain, own, sizeof(own));
        *chained = true;
        *n += ok && !line.is_end;
        at += length;
        if (!ok)
            err_set(err, ERR_INVALID, "segment %llu, byte %zu: %s",
                    (unsigned long long)s->first, at,
                    why.msg[0] != '\0' ? why.msg : "a record is cut off");
    }
    unmap(map);
    return ok;
}

bool journal_verify(const struct journal *j, size_t *n, struct err *err)
{
    char chain[JOURNAL_CHAIN];
    /* What came before the first record that is kept cannot be known any more. */
    bool chained = j->n_segments > 0 && j->segments[0].first == 1;
    memcpy(chain, first_chain, sizeof(chain));
    *n = 0;
    for (size_t i = 0; i < j->n_segments; i++)
        if (!verify_segment(j, &j->segments[i], &chained, chain, n, err))
            return false;
    return true;
}

void journal_prune(struct journal *j, size_t kept_bytes, int64_t older_than)
{
    size_t all = 0, dropped = 0;
    for (size_t i = 0; i < j->n_segments; i++)
        all += j->segments[i].size;
    while (dropped + 1 < j->n_segments &&
           (all > kept_bytes || j->segments[dropped].newest < older_than)) {
        char name[64];
        segment_name(name, j->segments[dropped].first);
        unlinkat(j->dir, name, 0);
        all -= j->segments[dropped++].size;
    }
    if (dropped == 0)
        return;
    j->n_segments -= dropped;
    memmove(j->segments, j->segments + dropped, j->n_segments * sizeof(*j->segments));
    size_t gone = 0;
    while (gone < j->n && j->entries[gone].number < j->segments[0].first)
        gone++;
    j->n -= gone;
    memmove(j->entries, j->entries + gone, j->n * sizeof(*j->entries));
    memmove(j->places, j->places + gone, j->n * sizeof(*j->places));
}
