/*
 * snapshot_format - the layout of a snapshot. Private to snapshot*.c and its tests.
 *
 * Head, directory (one entry per id), blocks of files, their texts, image of the words,
 * tables (names, graph). Texts are apart because they are needed rarely: they need not be
 * in memory. A checksum of everything after the head detects accidental damage; all numbers
 * and pointers are checked nevertheless.
 */
#pragma once

#include "base/hash.h"
#include "base/pool.h"

enum {
    SNAPSHOT_BUILD = 32,      /* bytes that identify a build of the program */
    SNAPSHOT_CHUNK = 1 << 20, /* bytes hashed at a time */
    SNAPSHOT_ALIGN = 16,      /* of blocks, tables and words */
    SNAPSHOT_FILES = 1 << 24, /* at most */
};

struct snapshot_head {
    char magic[8];
    char build[SNAPSHOT_BUILD]; /* the program that wrote it */
    uint64_t size;              /* of the whole file */
    int64_t saved_ns;
    struct hash_content sum; /* of everything after the head */
    uint64_t base;           /* address it was made for */
    uint64_t n_files;        /* entries of the directory, which follows */
    uint64_t texts, texts_size;
    uint64_t words, words_size;
    uint64_t tables; /* their offset; they extend to the end */
};

struct snapshot_entry {
    uint64_t at, size; /* size 0: no file has this id */
    uint64_t text, text_size;
};

/* Magic and build of this program. */
void snapshot_sign(struct snapshot_head *h);

/* The checksum of the bytes after the head: the hash of the hashes of their chunks. passing:
 * mapped pages among them that nothing else reads for now, so they take no memory at the
 * end. */
struct hash_content snapshot_sum(struct pool *pool, str bytes, str passing);
