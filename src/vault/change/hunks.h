/*
 * hunks - the parts of a proposal (proposal.h) that are accepted or rejected on their own:
 * its files, and in each file the runs of lines that it changes.
 *
 * Files are numbered in the order of the proposal, hunks in the order of the file, both from
 * 1. The numbers depend on nothing but the proposal, which never changes, so every page,
 * terminal and program means the same hunk by "2.3", whatever happens to the file meanwhile.
 *
 * A file whose lines cannot be told apart is one hunk: one that is created or deleted, moved,
 * or not text, or that has too many of them. If anything moves, or a folder is
 * made or removed, the proposal is accepted or rejected as a whole, because its parts depend
 * on each other.
 *
 * Everything lives in the arena and points into the proposal.
 */
#pragma once

#include "vault/change/proposal.h"
#include "vault/text/diff.h"
#include "vault/text/encoding.h"

enum {
    HUNKS_FILE_MAX = 1000,   /* of one file; above: it is one hunk */
    HUNKS_ALL_MAX = 20000,   /* of all files; those after them are one hunk each */
    HUNKS_CHOICE_MAX = 20000 /* parts that a choice names */
};

struct hunk_file {
    const struct proposal_op *op;
    size_t first;      /* of its hunks, among those of all files */
    size_t n;          /* at least 1 */
    bool whole;        /* its only hunk is the file */
    str before, after; /* as UTF-8; what is not text as it is */
    enum encoding encoding;
    struct diff diff;                 /* of these; nothing unless both are text */
    const struct diff_change *change; /* of each hunk, in diff's lines; unless whole */
};

struct hunks {
    struct hunk_file *files; /* without folders that are made or removed */
    size_t n;
    size_t n_hunks; /* of all files */
    bool by_file;   /* they can be accepted one by one */
};

void hunks_list(struct arena *a, const struct proposal *p, struct hunks *out);

/* Whether the bytes of a file can be shown as lines of text. */
bool hunks_is_text(str bytes);

/*
 * A choice of hunks: taken[file->first + i] is hunk i of a file. In text, "1,2.3,2.5-7" is
 * file 1 and four hunks of file 2; "all" is all, and "none" nothing. Printing gives the
 * shortest such text; equal choices have equal texts. A proposal that only makes or removes
 * folders has no hunks, and is "all" or "none" all the same.
 */
struct hunk_choice {
    bool *taken;
    size_t n;  /* that are taken */
    bool none; /* nothing is accepted */
};

void hunks_choose_all(struct arena *a, const struct hunks *h, struct hunk_choice *out);

/* Fails with ERR_INVALID, naming the part that does not exist; also if it is not all or
 * nothing where by_file is not set. */
MUST_CHECK bool hunks_choose(struct arena *a, const struct hunks *h, str text,
                             struct hunk_choice *out, struct err *err);
str hunks_print(struct arena *a, const struct hunks *h, const struct hunk_choice *c);

/* The same for files by their paths. */
MUST_CHECK bool hunks_choose_paths(struct arena *a, const struct hunks *h,
                                   const str *paths, size_t n, struct hunk_choice *out,
                                   struct err *err);

/* How many hunks of a file are taken. */
size_t hunks_taken(const struct hunk_file *f, const struct hunk_choice *c);

/* The bytes that the file has if these hunks are made and the others are not. Fails with
 * NOT_TEXT if its encoding lacks a character. */
MUST_CHECK bool hunks_apply(struct arena *a, const struct hunk_file *f,
                            const struct hunk_choice *c, str *bytes, struct err *err);
