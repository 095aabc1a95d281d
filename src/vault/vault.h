/*
 * vault - a folder of notes, opened.
 *
 * Reads come straight from the file system, confined to the folder (base/fs.h). Knows
 * nothing of JSON-RPC, HTTP or who asks. Paths that come in are what a client sent;
 * paths that go out are clean, from the vault's root, without a leading '/'.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/fs.h"

struct vault;

enum {
    VAULT_READ_MAX = 8 << 20, /* bytes of a note that is read whole */
    VAULT_DEPTH_MAX = 256,    /* folders inside each other that a walk follows */
};

/* folder is a path of the machine. */
MUST_CHECK bool vault_open(const char *folder, struct vault **out, struct err *err);
void vault_close(struct vault *v);

/* The name people know it by: that of its folder. */
str vault_name(const struct vault *v);

/* Files and folders of one folder, by name; folders with how many entries they have. */
struct vault_entry {
    str name;
    struct fs_info info;
    size_t children; /* of a folder */
};

struct vault_listing {
    str path;
    struct vault_entry *entries;
    size_t n;
};

MUST_CHECK bool vault_list(struct vault *v, struct arena *a, str path,
                           struct vault_listing *out, struct err *err);

/* Some lines of a file, as stored. Lines count from 1; an empty file has none. */
struct vault_text {
    str path;
    str content;
    size_t total_lines;
    size_t first, last; /* both 0 when nothing is shown */
};

/*
 * Read up to limit lines from line first on; limit 0 reads all. Fails with ERR_INVALID
 * (INVALID_RANGE) when first is behind the last line, or when the file is not text;
 * ERR_LIMIT when it is larger than VAULT_READ_MAX.
 */
MUST_CHECK bool vault_read(struct vault *v, struct arena *a, str path, size_t first,
                           size_t limit, struct vault_text *out, struct err *err);

/* How much there is. Folders that cannot be read are passed over and counted. */
struct vault_counts {
    size_t notes, attachments, folders, unreadable;
    int64_t bytes;
    int64_t newest; /* modification time, seconds since 1970; 0 in an empty vault */
};

/* stop, if given, is asked now and then whether to give up (ERR_BUSY). */
MUST_CHECK bool vault_count(struct vault *v, bool (*stop)(void *arg), void *arg,
                            struct vault_counts *out, struct err *err);
