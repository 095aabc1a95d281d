/* The segments: listed, read, repaired, and forgotten when they have been deleted. */
#include <errno.h>
#include <stdio.h>

#include "base/array.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/os/folder.h"
#include "vault/change/journal_parts.h"

const char journal_first_chain[JOURNAL_CHAIN + 1] =
    "0000000000000000000000000000000000000000000000000000000000000000";

/* Every record of a change is longer than this. */
enum { RECORD_MIN = 96 };

/* --- files --- */

static void journal_file_name(char out[JOURNAL_FILE_NAME], uint64_t first)
{
    snprintf(out, JOURNAL_FILE_NAME, "journal-%012llu", (unsigned long long)first);
}

static int journal_open_file(const struct journal *j, uint64_t first)
{
    char name[JOURNAL_FILE_NAME];
    journal_file_name(name, first);
    return file_open(j->dir, name, FILE_NO_LINK);
}

int journal_change_file(const struct journal *j, uint64_t first, enum file_own how)
{
    char name[JOURNAL_FILE_NAME];
    journal_file_name(name, first);
    return file_open_own(j->dir, name, how);
}

/* Fewer bytes were read: the file was truncated meanwhile, or else the disk failed. */
static bool journal_was_cut(int fd, size_t from, struct journal_bytes *out,
                            struct err *err)
{
    struct file_stat st = {0};
    int why = errno;
    if (file_stat(fd, &st) && (size_t)st.size <= from + out->bytes.n) {
        out->file = from + out->bytes.n;
        return true;
    }
    free(out->memory);
    *out = (struct journal_bytes){0};
    errno = why;
    return err_sys(err, "the journal cannot be read");
}

bool journal_load(const struct journal *j, uint64_t first, size_t from, size_t most,
                  struct journal_bytes *out, struct err *err)
{
    AUTO_CLOSE int fd = journal_open_file(j, first);
    struct file_stat st = {0};
    *out = (struct journal_bytes){0};
    if (fd < 0 && errno == ENOENT)
        return true;
    if (fd < 0 || !file_stat(fd, &st))
        return err_sys(err, "the journal cannot be read");
    out->file = (size_t)st.size;
    if (out->file <= from)
        return true;
    size_t size = out->file - from < most ? out->file - from : most;
    out->memory = mem_alloc(size);
    out->bytes = (str){out->memory, file_read_at(fd, out->memory, size, from)};
    return out->bytes.n == size || journal_was_cut(fd, from, out, err);
}

/* --- finding --- */

struct journal_segment *journal_add_segment(struct journal *j, uint64_t first)
{
    size_t at = j->n_segments;
    (void)ARRAY_ADD(NULL, j->segments, j->n_segments);
    for (; at > 0 && j->segments[at - 1].first > first; at--)
        j->segments[at] = j->segments[at - 1];
    j->segments[at] = (struct journal_segment){.first = first};
    return &j->segments[at];
}

static bool knows_segment(const struct journal *j, uint64_t first)
{
    for (size_t i = 0; i < j->n_segments; i++)
        if (j->segments[i].first == first)
            return true;
    return false;
}

static void journal_segments_take_name(struct journal *j, str name, uint64_t *oldest)
{
    int64_t first;
    if (!str_starts(name, STR("journal-")) || !str_to_int(str_skip(name, 8), &first) ||
        first <= 0)
        return;
    if ((uint64_t)first < *oldest)
        *oldest = (uint64_t)first;
    if (!knows_segment(j, (uint64_t)first))
        journal_add_segment(j, (uint64_t)first);
}

/* Forget segments before oldest: another process has deleted them. */
static void forget_before(struct journal *j, uint64_t oldest)
{
    size_t dropped = 0, gone = 0;
    while (dropped + 1 < j->n_segments && j->segments[dropped].first < oldest)
        dropped++;
    if (dropped == 0)
        return;
    j->n_segments -= dropped;
    memmove(j->segments, j->segments + dropped, j->n_segments * sizeof(*j->segments));
    while (gone < j->n && j->entries[gone].number < j->segments[0].first)
        gone++;
    j->n -= gone;
    memmove(j->entries, j->entries + gone, j->n * sizeof(*j->entries));
    memmove(j->places, j->places + gone, j->n * sizeof(*j->places));
}

static bool list_segments(struct journal *j, struct err *err)
{
    uint64_t oldest = UINT64_MAX;
    struct folder_names names = folder_names(j->dir, ".");
    for (const char *name; (name = folder_next(&names)) != NULL;)
        journal_segments_take_name(j, str_c(name), &oldest);
    if (!folder_end(&names))
        return err_sys(err, "the journal cannot be read");
    if (oldest != UINT64_MAX)
        forget_before(j, oldest);
    return true;
}

void journal_drop_segments(struct journal *j, size_t n)
{
    size_t dropped = 0;
    for (; dropped < n && dropped + 1 < j->n_segments; dropped++) {
        char name[JOURNAL_FILE_NAME];
        journal_file_name(name, j->segments[dropped].first);
        if (!file_remove(j->dir, name) && errno != ENOENT)
            break;
    }
    if (dropped > 0)
        forget_before(j, j->segments[dropped].first);
}

/* --- reading what was added --- */

void journal_date_segment(struct journal_segment *s, const struct journal_change *c)
{
    if (s->newest < c->dated)
        s->newest = c->dated;
}

static void journal_segments_take_line(struct journal *j, const struct journal_line *line,
                                       struct journal_segment *s,
                                       struct journal_place place)
{
    if (line->is_end) {
        journal_end_entry(j, line->of, line->ok ? JOURNAL_DONE : JOURNAL_ABORTED);
    } else if (line->change.number >= j->next) {
        journal_add_entry(j, &line->change, place);
        journal_date_segment(s, &line->change);
    }
}

/* Read the records in text, which begins at s->size. False if they are followed by something
 * else, or by part of a record. *newer: by one that is not damaged but cannot be read. */
static bool read_records(struct journal *j, struct journal_segment *s, str text,
                         bool *newer)
{
    bool whole = true;
    while (whole && text.n > 0) {
        struct arena a = {0};
        struct journal_line line = {0};
        struct err err;
        size_t length = 0;
        whole =
            journal_measure(&a, text, NULL, j->chain, &line, &length, &err) && length > 0;
        if (whole) {
            journal_segments_take_line(j, &line, s,
                                       (struct journal_place){s->first, s->size, length});
            s->size += length;
            text = str_skip(text, length);
        }
        *newer = line.newer;
        arena_release(&a);
    }
    return whole;
}

/* Whether the end of a record occurs in text: then it is damaged, not just incomplete. */
static bool has_end(str text)
{
    for (size_t at; (at = str_find(text, STR("\n#"))) != STR_NONE;) {
        text = str_skip(text, at + 2);
        size_t digits = 0;
        while (digits < text.n && strchr("0123456789abcdef", text.p[digits]) != NULL &&
               text.p[digits] != '\0')
            digits++;
        if (digits == JOURNAL_CHAIN && digits < text.n && text.p[digits] == '\n')
            return true;
    }
    return false;
}

/* A record left incomplete by a crash is cut off; damaged ones are kept. rest: the bytes
 * after those that were read. */
static bool repair(struct journal *j, struct journal_segment *s, str rest,
                   struct err *err)
{
    bool last = s == &j->segments[j->n_segments - 1];
    s->damaged = !last || has_end(rest);
    log_event(LOG_WARN, s->damaged ? "journal_damaged" : "journal_cut",
              LOG_INT("segment", s->first), LOG_INT("at", s->size));
    AUTO_CLOSE int fd = s->damaged ? journal_open_file(j, s->first)
                                   : journal_change_file(j, s->first, FILE_OLD);
    struct file_stat st;
    bool ok = fd >= 0 && file_stat(fd, &st) &&
              (s->damaged || (file_resize(fd, s->size) && file_sync(fd, FILE_SYNC_FILE)));
    if (!ok)
        return err_sys(err, "the journal cannot be repaired");
    if (s->damaged && s->newest < st.mtime)
        s->newest = st.mtime;
    if (s->damaged && last) /* skip the numbers that the damaged part may contain */
        j->next += rest.n / RECORD_MIN + 1;
    return true;
}

/* What a newer version wrote may be half done, and only that version can tell: nothing is
 * changed until it has looked at it. */
static bool refuse_newer(const struct journal_segment *s, struct err *err)
{
    char name[JOURNAL_FILE_NAME];
    journal_file_name(name, s->first);
    return err_set(err, ERR_DENIED,
                   "the history of changes (%s) was written by a newer vaultd: use that "
                   "version, or another state folder",
                   name);
}

/* Read what was added to a segment. */
static bool journal_read_segment(struct journal *j, struct journal_segment *s,
                                 struct err *err)
{
    struct journal_bytes added;
    size_t from = s->size;
    bool newer = false;
    if (!journal_load(j, s->first, from, SIZE_MAX, &added, err))
        return false;
    s->damaged = added.file < from; /* it was truncated or deleted */
    bool ok = read_records(j, s, added.bytes, &newer);
    if (!ok)
        ok = newer ? refuse_newer(s, err)
                   : repair(j, s, str_skip(added.bytes, s->size - from), err);
    free(added.memory);
    return ok;
}

bool journal_read_on(struct journal *j, struct err *err)
{
    bool ok = list_segments(j, err);
    for (size_t i = 0; ok && i < j->n_segments; i++) {
        struct journal_segment *s = &j->segments[i];
        if (s->damaged)
            continue;
        ok = journal_read_segment(j, s, err);
        if (j->next < s->first)
            j->next = s->first;
    }
    return ok;
}
