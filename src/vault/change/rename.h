/*
 * rename - plans which files to rewrite when files, headings, blocks or tags are renamed.
 *
 * It only reads an index, not the disk, and returns the new texts of files. What counts
 * is the target of a link, not its text: a link is rewritten if its
 * target moves, or if its text would mean another file afterwards. All other bytes stay
 * as they are. Excluded files are rewritten, too; code, math and HTML never are. Bases, and
 * the base blocks of notes, name files, folders, tags and properties in expressions: these
 * are rewritten, too, when they are renamed. So are those in queries of Dataview, as far as
 * it is certain what they mean; others are named in a warning.
 *
 * A plan lives in the arena and borrows from the index: it is valid as long as the index
 * does not change. The caller that carries it out checks that the files are still as
 * indexed. Any number of threads may plan while the index does not change.
 *
 * stop is asked for each file; planning then fails with TIMEOUT. It may be NULL.
 */
#pragma once

#include "base/err.h"
#include "base/stop.h"
#include "vault/index/index.h"

enum { RENAME_MAX_WARNINGS = 100 }; /* the rest are dropped */

struct rename_move {
    str from, to; /* paths of a file */
};

struct rename_rewrite {
    const struct file *file;
    str path;     /* after the moves */
    str text;     /* its whole new content */
    size_t links; /* rewritten links (or tags) in it */
};

struct rename_plan {
    struct rename_move *moves; /* to be made together: files may swap places */
    size_t n_moves;
    struct rename_rewrite *rewrites; /* by path */
    size_t n_rewrites;
    size_t links;     /* of all rewrites */
    unsigned formats; /* of those that are not in canvases: a bit for each enum
                         obsidian_link_format */
    str *warnings;    /* one sentence each */
    size_t n_warnings;
};

/*
 * Move n files. Fails with ERR_NOT_FOUND if one does not exist; with ERR_EXISTS if a
 * target exists (ignoring case) and is not moved away itself; with ERR_INVALID if a file
 * is moved twice or to its own path. Targets are clean paths (path.h). format: how links
 * are written.
 */
MUST_CHECK bool rename_files(const struct index *x, enum obsidian_link_format format,
                             struct arena *a, const struct rename_move *moves, size_t n,
                             const struct stop *stop, struct rename_plan *out,
                             struct err *err);

/*
 * Move all files below a folder, including attachments. Fails like rename_files(), and
 * also with ERR_EXISTS if folder to has files, and ERR_INVALID if to is inside from.
 */
MUST_CHECK bool rename_folder(const struct index *x, enum obsidian_link_format format,
                              struct arena *a, str from, str to, const struct stop *stop,
                              struct rename_plan *out, struct err *err);

/*
 * Change the title of the heading that subpath ("#A" or "#A#B") means in f, and all links
 * to it or to headings below it. If there are several, line chooses one; if line is 0,
 * the call fails with ERR_INVALID (AMBIGUOUS) and names the lines. ERR_NOT_FOUND if there
 * is none, ERR_INVALID if title would not be read back as that heading.
 */
MUST_CHECK bool rename_heading(const struct index *x, struct arena *a,
                               const struct file *f, str subpath, uint32_t line,
                               str title, const struct stop *stop,
                               struct rename_plan *out, struct err *err);

/* The same for a block id, with or without '^'. ERR_EXISTS if f already has new_id. */
MUST_CHECK bool rename_block(const struct index *x, struct arena *a, const struct file *f,
                             str id, str new_id, const struct stop *stop,
                             struct rename_plan *out, struct err *err);

/*
 * Rename a tag and its nested tags in properties, bodies and texts of canvases, ignoring
 * case; tag and new_tag may begin with '#'. If the new tag exists, that is a warning. ERR_NOT_FOUND if
 * no note has the tag, ERR_INVALID if new_tag is not a tag.
 */
MUST_CHECK bool rename_tag(const struct index *x, struct arena *a, str tag, str new_tag,
                           const struct stop *stop, struct rename_plan *out,
                           struct err *err);

/*
 * Rename a property in all notes and bases, ignoring case; also inline fields, except
 * those of the plugin Tasks in tasks. Notes that have both names keep both, with a warning.
 * ERR_NOT_FOUND if no note has it, ERR_INVALID if new_name cannot be
 * a name.
 */
MUST_CHECK bool rename_property(const struct index *x, struct arena *a, str name,
                                str new_name, const struct stop *stop,
                                struct rename_plan *out, struct err *err);

/*
 * For use before f is deleted: links to it become the text they show, embeds become its
 * name. Cards of canvases stay, with a warning. f itself does not change.
 */
MUST_CHECK bool rename_unlink(const struct index *x, struct arena *a,
                              const struct file *f, const struct stop *stop,
                              struct rename_plan *out, struct err *err);

/*
 * The same, but links to f lead to another file, written in that format. Links to
 * headings and blocks that the other file does not have are named in warnings.
 */
MUST_CHECK bool rename_redirect(const struct index *x, enum obsidian_link_format format,
                                struct arena *a, const struct file *f,
                                const struct file *to, const struct stop *stop,
                                struct rename_plan *out, struct err *err);

/* How often bases and queries in f name a file at or below path. */
size_t rename_count_names(const struct index *x, const struct file *f, str path);

/* Bytes [start, end) of a note, whole lines of its body, that move to another note. */
struct rename_part {
    const struct file *from, *to;
    size_t start, end;
};

/* A link to a heading or block of either note, as it is written after the move. */
struct rename_expected {
    str subpath;
    str source;   /* the path of a file that has it */
    bool moved;   /* what it means is in the part */
    bool there;   /* or in the other note */
    bool block;   /* otherwise a heading */
    uint32_t nth; /* of these, from 0 */
};

struct rename_parted {
    str piece; /* those bytes, with links that mean the same in the other note, and
                  without the definitions that only the rest uses */
    str rest;  /* the whole text of from, where links to what moves are rewritten; it has
                  the same lines */
    str there; /* the same for the other note */
    struct rename_plan plan; /* of all other files; links are those of these two, too */
    /* for rename_part_settle() */
    str defs;  /* definitions that go to the end of the other note */
    str kept;  /* definitions from the part that go to the end of the rest */
    str *gone; /* keys of the definitions that only the part uses */
    size_t n_gone;
    struct rename_expected *expected;
    size_t n_expected;
};

/*
 * Rewrite the links to a part of a note, and those in it. The caller cuts it out of rest,
 * puts piece into there, and calls rename_part_settle(). Definitions of footnotes and
 * references go along if they are used in the part, and stay if they are used in the rest;
 * they get another label if the other note has theirs with another text.
 */
MUST_CHECK bool rename_part(const struct index *x, enum obsidian_link_format format,
                            struct arena *a, const struct rename_part *part,
                            const struct stop *stop, struct rename_parted *out,
                            struct err *err);

/*
 * Finish the texts after the part was cut out of *rest and put into *there, where it is
 * [start, end): put definitions to their ends. Then both are scanned again, and
 * every link to a heading or block, footnote and reference is compared with what it meant:
 * fails with E_FILE_EXISTS or E_INVALID_CONTENT, and says what to rename.
 */
struct rename_settled {
    str rest, there;
    size_t start, end;
};
MUST_CHECK bool rename_part_settle(const struct index *x, struct arena *a,
                                   const struct rename_part *part,
                                   const struct rename_parted *parted,
                                   struct rename_settled *s, struct err *err);
