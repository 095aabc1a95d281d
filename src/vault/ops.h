/*
 * ops - operations on notes beyond editing their text: move, delete, restore, new and
 * dated notes. Each adds its steps to a draft.
 *
 * Links are looked up in the index with the earlier steps of the draft in it
 * (draft_lock()), which is first brought up to date. It does not have changes on disk made
 * before the commit. A rewrite that would overwrite one of these fails with ERR_CONFLICT,
 * and transact.h then tries again.
 */
#pragma once

#include "vault/change/rename.h"
#include "vault/draft.h"
#include "vault/forms/daily.h"

/* The outcome of a step, for the answer. */
struct ops_report {
    str path, to;         /* the file or folder, and where it is afterwards */
    size_t files;         /* moved or deleted; of a folder that is not: those in it */
    size_t rewrites;      /* other files that get new links or tags */
    size_t links;         /* links or tags in them */
    bool folder;          /* of a deletion: path is one */
    size_t broken;        /* links to what is deleted that stay as they are */
    const str *broken_in; /* the files that have them, by path */
    size_t n_broken_in;
    str namesake; /* of a note that is renamed: another one with the new name; or empty */
    const char *action;        /* of a move: "renamed", "moved" or "moved and renamed" */
    const char *link_format;   /* of rewritten links, as Obsidian calls them; or NULL */
    const char *format_reason; /* why they have it; or NULL */
    const str *warnings;
    size_t n_warnings;
};

/*
 * The file or folder that a caller names at this point of the draft: a path, or the name
 * of a note as in a link. Fails like find_file(), with the nearest names.
 */
MUST_CHECK bool ops_find(struct draft *d, str word, str *path, struct err *err);

/* The same for a file: a note comes before a folder of the same name, whose path is left
 * as it is, because reading it gives the right error. */
MUST_CHECK bool ops_find_file(struct draft *d, str word, str *path, struct err *err);

/* draft_match() for that file; an empty etag always matches. */
MUST_CHECK bool ops_match(struct draft *d, str word, str etag, struct err *err);

/* Find a file, and read it to edit it: fails with NOT_TEXT if it is UTF-16 with invalid
 * characters. */
MUST_CHECK bool ops_open(struct draft *d, str word, struct draft_file *out,
                         struct err *err);

/* A text was not found in f: if f is not UTF-8, err says that instead, and the result is
 * true. */
bool ops_blame_encoding(const struct draft_file *f, struct err *err);

/*
 * Move a note, attachment or folder, and rewrite the links to it. from is a path, or the
 * name of a note as in a link; to is a path, or a folder that exists (or ends with '/').
 * A note, canvas or base keeps its extension, other files do if to has none. Links in
 * notes that the caller cannot see stay as they are; links in notes that may be read but
 * not written are ERR_DENIED.
 */
MUST_CHECK bool ops_move(struct draft *d, str from, str to, struct ops_report *out,
                         struct err *err);

/* The same as people say it: a name without a folder is the new name in the same folder,
 * unless it is an existing folder. Without links, these stay as they are. */
MUST_CHECK bool ops_rename(struct draft *d, str from, str to, bool links,
                           struct ops_report *out, struct err *err);

/* Rename a heading ("A" or "A#B"; line chooses between several), a block id, a property, a
 * tag. */
MUST_CHECK bool ops_rename_heading(struct draft *d, str path, str heading, uint32_t line,
                                   str title, struct ops_report *out, struct err *err);
MUST_CHECK bool ops_rename_block(struct draft *d, str path, str id, str new_id,
                                 struct ops_report *out, struct err *err);
MUST_CHECK bool ops_rename_property(struct draft *d, str name, str new_name,
                                    struct ops_report *out, struct err *err);
MUST_CHECK bool ops_rename_tag(struct draft *d, str tag, str new_tag,
                               struct ops_report *out, struct err *err);

/* A section, with its heading and all below it, or a block. */
struct ops_part {
    str heading, block; /* one of them */
    str under;          /* the heading in the other note; empty: at its end */
    enum ops_leave { OPS_LEAVE_NOTHING, OPS_LEAVE_LINK, OPS_LEAVE_EMBED } leave;
};

/* Move it to another note, with all links to it. A path with .md that does not exist becomes
 * a new note, whose headings begin with level 1. What is left is where the part was. */
MUST_CHECK bool ops_move_part(struct draft *d, str path, str into,
                              const struct ops_part *part, struct ops_report *out,
                              struct err *err);

struct ops_delete {
    bool recursive; /* a folder with everything in it */
    bool unlink;    /* links to it become plain text; only for files */
    bool forever;   /* do not move it to the trash */
    str links_to;   /* a file that links to it lead to instead; or empty */
};

enum { OPS_FOREVER_MAX = 64 << 20 }; /* bytes: the journal keeps them for undo */

/* Move to .trash, with the same path there (numbered if that is taken). If the vault's
 * settings or `forever` say so, delete instead; ERR_LIMIT above OPS_FOREVER_MAX. */
MUST_CHECK bool ops_delete(struct draft *d, str path, const struct ops_delete *how,
                           struct ops_report *out, struct err *err);

/* Restore a path from .trash, which may be without .trash and .md, or the only file or
 * folder there with a name; to is the target as in ops_move(), or empty for the original
 * path. */
MUST_CHECK bool ops_restore(struct draft *d, str path, str to, struct ops_report *out,
                            struct err *err);

/* A file in the trash. */
struct ops_trashed {
    str path;     /* in the trash, as ops_restore() takes it */
    str from;     /* where it was; empty if that is not known */
    int64_t when; /* it was deleted, seconds since 1970 */
};

/* The files in the trash, last deleted first. */
MUST_CHECK bool ops_trash(struct vault *v, struct arena *a, struct ops_trashed **out,
                          size_t *n, struct err *err);

/* --- new notes (ops_new.c) --- */

struct ops_dated {
    enum obsidian_period period;
    struct moment when; /* the day, with the current time of day */
    bool anyway;        /* create it even if no notes of that period are set up */
};

/* The dated note for a day, created from its template if it does not exist. Fails with
 * NOT_SET_UP if it would have to be created and is not set up. */
MUST_CHECK bool ops_daily(struct draft *d, const struct ops_dated *which,
                          struct ops_report *out, bool *created, struct err *err);

/*
 * The path of a file to write. A word without extension, which is not the path of a file,
 * names a note: *added says that it got its .md. Fails with AMBIGUOUS if the word has no
 * '/' and is the name of a note elsewhere.
 */
MUST_CHECK bool ops_write_path(struct draft *d, str word, str *out, bool *added,
                               struct err *err);

/* ops_open() or, if there is no such file, the path of one to create, without a text. A
 * word with a folder is a path, and not the end of another one. */
MUST_CHECK bool ops_open_or_create(struct draft *d, str word, struct draft_file *out,
                                   bool *created, struct err *err);

/* --- canvases (ops_canvas.c) --- */

struct canvas_edited;
struct json;

/* The path of a canvas that a caller names, who may leave out the extension. Fails with
 * INVALID_ARGUMENT if it has another one. */
MUST_CHECK bool ops_canvas_path(struct draft *d, str word, str *out, struct err *err);

/* canvas_edit() with the files that the draft has. */
MUST_CHECK bool ops_edit_canvas(struct draft *d, const struct draft_file *f,
                                const struct json *steps, struct canvas_edited *out,
                                struct err *err);

/* --- texts --- */

/* The content of a file to write, and what it is put after. */
struct ops_text {
    str content;
    /* A template's name in the folder of the core Templates or the Templater plugin, or
     * its path; .md may be left out. Empty: none. */
    str model;
    bool keep_properties; /* of the note at path; the content is only its new body */
};

/*
 * The text for the file at path. *warning says what of the template was not filled in, or
 * is empty. Fails with TEMPLATE_NOT_FOUND, naming some that exist, and with ERR_INVALID
 * if the content has properties that would end up in the middle.
 */
MUST_CHECK bool ops_text(struct draft *d, const struct ops_text *request, str path,
                         str *out, str *warning, struct err *err);

/* What writing a text to path would replace. */
enum ops_replaces {
    OPS_NOTHING,  /* it is new, or has that text already */
    OPS_TEXT,     /* *old, which the caller should have seen */
    OPS_ENCODING, /* the same, and it is not UTF-8: what is not converted is lost */
};
MUST_CHECK bool ops_replaces(struct draft *d, str path, str text, enum ops_replaces *what,
                             struct draft_file *old, struct err *err);
