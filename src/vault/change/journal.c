#include <errno.h>
#include <stdio.h>

#include "base/array.h"
#include "base/fs.h"
#include "base/lock.h"
#include "base/os/error_text.h"
#include "base/os/folder.h"
#include "base/timed_lock.h"
#include "vault/change/journal_parts.h"

/* --- the list --- */

static struct journal_entry *journal_entry_of(const struct journal *j, uint64_t number)
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
    return journal_entry_of(j, number);
}

size_t journal_entries(const struct journal *j, const struct journal_entry **out)
{
    *out = j->entries;
    return j->n;
}

uint64_t journal_undoable(const struct journal *j, uint64_t before)
{
    for (size_t i = j->n; i-- > 0;) {
        const struct journal_entry *e = &j->entries[i];
        if (e->number < before && e->state == JOURNAL_DONE && e->undone_by == 0 &&
            e->undoes == 0)
            return e->number;
    }
    return 0;
}

str journal_kind_name(enum journal_kind kind)
{
    static const char *const names[] = {
        [JOURNAL_WRITE] = "write",
        [JOURNAL_MOVE] = "move",
        [JOURNAL_DELETE] = "delete",
        [JOURNAL_MAKE_FOLDER] = "make folder",
        [JOURNAL_REMOVE_FOLDER] = "remove folder",
    };
    return str_c(names[kind]);
}

static bool journal_has_hash(const uint64_t *hashes, size_t n, uint64_t hash)
{
    for (size_t i = 0; i < n; i++)
        if (hashes[i] == hash)
            return true;
    return false;
}

size_t journal_files_by(const struct journal *j, str grant, int64_t since, int64_t time)
{
    uint64_t wanted = journal_hash_of(grant), *seen = NULL;
    size_t files = 0, n = 0; /* of changes of several files; of one */
    struct arena scratch = {0};
    for (size_t i = j->n; i-- > 0 && j->entries[i].dated >= since;) {
        const struct journal_entry *e = &j->entries[i];
        if (e->grant != wanted || e->state == JOURNAL_ABORTED || e->time < time)
            continue;
        if (e->confirmed)
            break;
        if (e->only == 0)
            files += e->files;
        else if (!journal_has_hash(seen, n, e->only))
            *ARRAY_ADD(&scratch, seen, n) = e->only;
    }
    arena_release(&scratch);
    return files + n;
}

int64_t journal_newest(const struct journal *j)
{
    int64_t newest = 0;
    for (size_t i = 0; i < j->n_segments; i++)
        if (j->segments[i].newest > newest)
            newest = j->segments[i].newest;
    return newest;
}

static uint64_t journal_count_files(const struct journal_change *c)
{
    return c->files > 0 ? c->files : journal_file_ops(c);
}

/* The only file that it touches, as a hash; 0 if there are several. */
static uint64_t journal_only_file(const struct journal_change *c)
{
    size_t i = 0;
    if (journal_count_files(c) != 1)
        return 0;
    while (i < c->n && !journal_is_of_file(&c->ops[i]))
        i++;
    return i < c->n ? journal_hash_of(c->ops[i].path) : 0;
}

static bool journal_is_hidden(const struct journal_change *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->ops[i].kind != JOURNAL_WRITE &&
            (str_starts(c->ops[i].path, STR(".")) || str_starts(c->ops[i].to, STR("."))))
            return true;
    return false;
}

uint64_t journal_hash_of(str key)
{
    return key.n > 0 ? hash_content(key).low | 1 : 0;
}

void journal_add_entry(struct journal *j, const struct journal_change *c,
                       struct journal_place place)
{
    if (array_is_full(j->n)) {
        j->entries = array_grow(NULL, j->entries, j->n, sizeof(*j->entries));
        j->places = array_grow(NULL, j->places, j->n, sizeof(*j->places));
    }
    j->places[j->n] = place;
    j->entries[j->n++] = (struct journal_entry){.number = c->number,
                                                .undoes = c->undoes,
                                                .time = c->time,
                                                .dated = c->dated,
                                                .key = journal_hash_of(c->key),
                                                .grant = journal_hash_of(c->grant),
                                                .size = place.size,
                                                .files = journal_count_files(c),
                                                .only = journal_only_file(c),
                                                .confirmed = c->confirmed,
                                                .hidden = journal_is_hidden(c)};
    j->next = c->number + 1;
}

void journal_end_entry(struct journal *j, uint64_t number, enum journal_state state)
{
    struct journal_entry *e = journal_entry_of(j, number);
    if (e == NULL)
        return;
    e->state = state;
    struct journal_entry *undone = journal_entry_of(j, e->undoes);
    if (undone != NULL && state == JOURNAL_DONE)
        undone->undone_by = number;
}

/* --- opening --- */

bool journal_open(const char *folder, struct journal **out, struct err *err)
{
    if (!fs_make_folder(folder, err))
        return false;
    struct journal *j = mem_zero(sizeof(*j));
    memcpy(j->chain, journal_first_chain, JOURNAL_CHAIN);
    j->next = j->first = 1;
    j->dir = folder_open(FILE_CWD, folder);
    j->lock = j->dir >= 0 ? file_open_own(j->dir, "lock", FILE_KEPT) : -1;
    if (j->lock < 0) {
        err_sys(err, "the journal cannot be opened");
        err_at(err, folder);
        journal_close(j);
        return false;
    }
    struct stop soon = stop_within(NULL, JOURNAL_OPEN_MS);
    if (journal_lock(j, &soon, err)) {
        journal_unlock(j);
    } else if (err->name != E_BUSY) {
        journal_close(j);
        return false;
    }
    *out = j;
    return true;
}

void journal_close(struct journal *j)
{
    if (j == NULL)
        return;
    file_close(j->dir);
    file_close(j->lock);
    free(j->segments);
    free(j->entries);
    free(j->places);
    free(j);
}

static bool try_lock(void *arg)
{
    return file_lock_bytes(((const struct journal *)arg)->lock);
}

bool journal_lock(struct journal *j, const struct stop *stop, struct err *err)
{
    if (!timed_lock_poll(try_lock, j, stop)) {
        err_sys(err, "the journal cannot be locked");
        return err->code == ERR_BUSY
                   ? err_named(err, E_BUSY,
                               "another vaultd with the same state folder is changing "
                               "this vault: try again later")
                   : false;
    }
    if (journal_read_on(j, err))
        return true;
    journal_unlock(j);
    return false;
}

void journal_unlock(struct journal *j)
{
    file_unlock_bytes(j->lock);
}

/* --- writing --- */

/* The segment for the next record. */
static struct journal_segment *writable(struct journal *j)
{
    struct journal_segment *last =
        j->n_segments > 0 ? &j->segments[j->n_segments - 1] : NULL;
    bool fits = last != NULL && !last->damaged && !last->ended &&
                last->size < JOURNAL_SEGMENT_MAX;
    return fits ? last : journal_add_segment(j, j->next);
}

static void not_written(struct err *err)
{
    bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    bool read_only = errno == EROFS;
    err_sys(err, "the change was not made: the journal cannot be written");
    if (full || read_only)
        err_rename(err, full ? E_NO_SPACE : E_READ_ONLY);
    else
        err->name = E_IO_ERROR; /* the code is that of errno */
}

/* A record that cannot be written completely is cut off again. */
static bool write_record(struct journal *j, str record, bool durable,
                         struct journal_place *place, struct err *err)
{
    struct journal_segment *s = writable(j);
    bool fresh = s->size == 0;
    AUTO_CLOSE int fd = journal_change_file(j, s->first, FILE_KEPT);
    bool ok = fd >= 0 && file_write_at(fd, record, s->size) &&
              (!durable || file_sync(fd, FILE_SYNC_BYTES)) &&
              (!fresh || file_sync(j->dir, FILE_SYNC_NAMES));
    if (!ok) {
        not_written(err);
        if (fd >= 0)
            (void)!file_resize(fd, s->size);
        return false;
    }
    *place = (struct journal_place){s->first, s->size, record.n};
    s->size += record.n;
    return true;
}

void journal_begin_at(struct journal *j, uint64_t first)
{
    j->first = first;
}

uint64_t journal_next(const struct journal *j)
{
    return j->next > 1 ? j->next : j->first;
}

bool journal_append(struct journal *j, struct journal_change *c, struct err *err)
{
    struct arena a = {0};
    char chain[JOURNAL_CHAIN];
    struct journal_place place;
    uint64_t before = j->next;
    c->number = j->next = journal_next(j);
    if (c->dated == 0)
        c->dated = c->time;
    memcpy(chain, j->chain, sizeof(chain));
    bool ok = write_record(j, journal_print_change(&a, c, chain), true, &place, err);
    arena_release(&a);
    if (!ok) {
        j->next = before;
        return false;
    }
    memcpy(j->chain, chain, sizeof(chain));
    journal_add_entry(j, c, place);
    journal_date_segment(&j->segments[j->n_segments - 1], c);
    return true;
}

void journal_end(struct journal *j, uint64_t number, enum journal_state state)
{
    struct arena a = {0};
    char chain[JOURNAL_CHAIN];
    struct journal_place ignored;
    struct err err;
    memcpy(chain, j->chain, sizeof(chain));
    str record = journal_print_end(&a, number, state == JOURNAL_DONE, chain);
    if (write_record(j, record, false, &ignored, &err)) {
        memcpy(j->chain, chain, sizeof(chain));
        journal_end_entry(j, number, state);
    }
    arena_release(&a);
}

/* --- reading --- */

/* Fill in the old contents; false if their hashes do not match. */
static bool give_contents(struct arena *a, str record, struct journal_line *line)
{
    size_t at = str_find_char(record, '\n') + 1;
    bool same = true;
    for (size_t i = 0; i < line->change.n; i++) {
        struct journal_op *op = &line->change.ops[i];
        op->old = arena_str(a, str_slice(record, at, at + op->old.n));
        at += op->old.n;
        same = same && (!op->existed || hash_same(hash_content(op->old), op->before));
    }
    return same;
}

static bool read_record(struct arena *a, str record, uint64_t number, bool contents,
                        struct journal_change *out, struct err *err)
{
    struct journal_line parsed;
    str line = arena_str(a, str_slice(record, 0, str_find_char(record, '\n')));
    if (line.n == 0 || !journal_parse(a, line, &parsed, err) || parsed.is_end ||
        parsed.change.number != number ||
        (contents && !give_contents(a, record, &parsed)))
        return err_named(err, E_JOURNAL_DAMAGED,
                         "change %llu cannot be read: its journal record is damaged",
                         (unsigned long long)number);
    *out = parsed.change;
    return true;
}

bool journal_not_found(struct err *err, uint64_t number)
{
    return err_named(err, E_CHANGE_NOT_FOUND, "no such change %llu, or it was pruned",
                     (unsigned long long)number);
}

bool journal_read(const struct journal *j, struct arena *a, uint64_t number,
                  bool contents, struct journal_change *out, struct err *err)
{
    const struct journal_entry *e = journal_find(j, number);
    if (e == NULL)
        return journal_not_found(err, number);
    const struct journal_place *p = &j->places[e - j->entries];
    struct journal_bytes record;
    if (!journal_load(j, p->segment, p->at, p->size, &record, err))
        return false;
    bool ok = read_record(a, record.bytes, number, contents, out, err);
    free(record.memory);
    return ok;
}

const struct journal_entry *journal_with_key(const struct journal *j, str key,
                                             int64_t since)
{
    uint64_t wanted = journal_hash_of(key);
    for (size_t i = j->n; wanted != 0 && i-- > 0;) {
        const struct journal_entry *e = &j->entries[i]; /* times may not be ascending */
        if (e->key == wanted && e->dated >= since && e->state != JOURNAL_ABORTED)
            return e;
    }
    return NULL;
}

static bool verify_segment(const struct journal *j, const struct journal_segment *s,
                           bool *chained, char chain[JOURNAL_CHAIN], size_t *n,
                           struct err *err)
{
    struct journal_bytes all;
    bool ok = true;
    if (!journal_load(j, s->first, 0, SIZE_MAX, &all, err))
        return false;
    for (size_t at = 0; ok && at < all.bytes.n;) {
        struct arena a = {0};
        struct journal_line line;
        struct err why = {0};
        size_t length = 0;
        char own[JOURNAL_CHAIN] = {0};
        ok = journal_measure(&a, str_skip(all.bytes, at), *chained ? chain : NULL, own,
                             &line, &length, &why) &&
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
    free(all.memory);
    return ok;
}

bool journal_verify(const struct journal *j, size_t *n, struct err *err)
{
    char chain[JOURNAL_CHAIN];
    /* The record before the first one kept is gone, so its chain cannot be checked. */
    bool chained = j->n_segments > 0 && j->segments[0].first == 1;
    memcpy(chain, journal_first_chain, sizeof(chain));
    *n = 0;
    for (size_t i = 0; i < j->n_segments; i++)
        if (!verify_segment(j, &j->segments[i], &chained, chain, n, err))
            return false;
    return true;
}
