/*
 * changed - the result of a change: the answer of every tool and command that changes
 * notes.
 *
 * The steps of a change fill it while they draft; made is added after the commit (or,
 * with dry_run, the preview), and then it is printed.
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/draft.h"
#include "vault/note/edit.h"
#include "vault/note/frontmatter_edit.h"
#include "vault/ops.h"
#include "vault/text/hidden.h"

enum {
    CHANGED_DIFF_MAX = 20000,      /* bytes of a diff if room is limited */
    CHANGED_PROPERTIES_MAX = 2000, /* bytes of properties in an answer */
    CHANGED_NEW_MAX = 2000,        /* bytes of new lines */
};

/* Members that an answer has even if they are empty or zero. */
enum changed_part {
    CHANGED_MOVED = 1,     /* moved_files */
    CHANGED_REWRITTEN = 2, /* rewritten_notes, rewritten_links */
    CHANGED_COUNTED = 4,   /* replacements */
    CHANGED_KEYS = 8,      /* changed: which properties */
    CHANGED_CONTENT = 16,  /* content: of after, or its first lines */
    CHANGED_BEFORE = 32,   /* size_before */
    CHANGED_TEXT = 64,     /* size, total_lines (of a text), etag: of after */
    CHANGED_FILES = 128,   /* files, even if there is only one */
    CHANGED_DELETED = 256, /* deleted_files */
};

struct changed_step;

struct changed {
    struct arena *arena;
    unsigned parts;
    str path;
    const char
        *inside; /* what was renamed: "heading", "block", "tag", "property"; or NULL */
    str name;    /* its name before */
    const char *done; /* "created", "deleted" and the like; or NULL */
    bool is_done;     /* whether that happened */
    str to;           /* where it is now, or its new name */
    size_t files, rewrites, links, replacements;
    const char *action, *link_format, *format_reason; /* of a move (ops.h); or NULL */
    size_t broken;                                    /* links to what was deleted */
    const str *broken_in;                             /* the files that have them */
    size_t n_broken_in;
    str target; /* the heading or block that was found */
    const str *keys;
    size_t n_keys;
    str properties; /* that the note has now, as YAML */
    str removed;    /* the row of a table that was removed; or empty */
    str content;
    struct hidden_list hidden; /* of content */
    size_t next_line;          /* the line after content, or 0 */
    str before, after;
    enum encoding encoding;         /* of the file, if it was edited */
    bool written;                   /* after is what the client sent */
    uint32_t line_first, line_last; /* the lines of after that differ; 0: none */
    str new_lines;                  /* these lines, at most CHANGED_NEW_MAX bytes */
    uint32_t lines; /* how many lines of before a pattern has changed; 0: no pattern */
    const str *did; /* what was done inside, one line each; or NULL */
    size_t n_did;
    str *warnings;
    size_t n_warnings;
    str said;                         /* the answer of tools that answer in plain text */
    const struct changed_step *steps; /* of a batch, or of each note; without `made` */
    size_t n_steps;

    bool dry_run;
    str vault; /* where it was made, if there are several; or empty */
    struct draft_result made;
};

/* A step of a batch, or one of several notes. */
struct changed_step {
    const char *tool; /* or NULL */
    struct changed out;
};

void changed_warn(struct changed *c, str warning);

/* The same for what schemas say about what was written. */
struct draft_schema;
void changed_warn_schemas(struct changed *c, const struct draft_schema *found);

/* Give a note the text of an edit, in the draft and in the answer. */
MUST_CHECK bool changed_rewrite(struct changed *c, struct draft *d,
                                const struct draft_file *f, const struct edit_result *r,
                                struct err *err);

/* The same for its properties, and for a text that replaces the file at path. */
MUST_CHECK bool changed_properties(struct changed *c, struct draft *d,
                                   const struct draft_file *f,
                                   const struct frontmatter_edited *r, struct err *err);
MUST_CHECK bool changed_write(struct changed *c, struct draft *d, str path, str text,
                              enum draft_write how, struct err *err);

/* The same for a path that ends with '/': an empty folder. text must be empty, too. */
MUST_CHECK bool changed_make_folder(struct changed *c, struct draft *d, str path,
                                    str text, struct err *err);

/* Whether everything was so already. */
bool changed_is_nothing(const struct changed *c);

/* An edit that may have changed any line of its text: the answer finds which. Returns r. */
const struct edit_result *changed_all(struct edit_result *r);

/* Show the text that was written, because it is not only what the client sent. */
void changed_show_all(struct changed *c);

/* The links that were rewritten for a change, if any were. Returns true. */
bool changed_links(struct changed *c, const struct ops_report *r);

/* Where something was moved to, and what was rewritten for that. */
void changed_report(struct changed *c, const struct ops_report *r);

/* The same for something that was moved, or renamed inside the note at path; see struct
 * changed. */
void changed_moved(struct changed *c, const struct ops_report *r, const char *inside,
                   str path);

/* The same for something that was deleted; rewritten: links to it were. */
void changed_deleted(struct changed *c, const struct ops_report *r, bool rewritten);

/* The same for something that was restored from the trash. */
void changed_restored(struct changed *c, const struct ops_report *r);

/* The text of the one file that was moved, restored, or in which something was renamed or
 * moved: its etag, and the lines that differ. Once the steps are drafted. */
void changed_settle(struct changed *c, struct draft *d);

/* Whether the lines that differ are shown. Those of a canvas are only named: what was done
 * inside is in `did`, with ids. */
bool changed_shows_lines(const struct changed *c);

/* Lines of a text, as vault_read counts them. */
size_t changed_lines(str text);

/* The bytes that before or after has in the file. */
str changed_stored(const struct changed *c, str text);

/* Whether the file has lines: it is not a picture or the like. */
bool changed_has_lines(const struct changed *c);

/* What is known before the commit, as the JSON object to store for repeated calls. */
str changed_kept(struct arena *a, const struct changed *c);

extern const struct answer_shape changed_shape;

/* "created" and so on, by enum draft_outcome. */
extern const char *const changed_outcomes[];

/* What the links of a report are: links, or tags or properties that were renamed. */
struct changed_counted {
    const char *inside;     /* as in struct changed */
    const char *one, *many; /* what was rewritten in other notes */
    const char *member;     /* of the JSON */
};
const struct changed_counted *changed_counted(const struct changed *c);

/* The plain text of a struct changed. */
void changed_text(struct model_text *s, const void *changed);

/* Lines of a text, and which of them an answer shows. */
struct changed_range {
    str before, after;
    uint32_t first, last; /* of after; 0: none */
};

/* "12: text" for each, as far as there is room. If none was added or removed, those
 * between that stayed the same are left out. */
void changed_text_range(struct model_text *s, const struct changed_range *r);

/* The JSON of a change that was made or proposed by an earlier call: what was kept of its
 * answer. */
void changed_put_again(struct jsonw *w, str vault, const struct draft_result *made);

/* A change that was undone. */
struct undone {
    str vault; /* as in struct changed */
    uint64_t number;
    struct draft_result made; /* texts before: of undone_read() */
};

enum { UNDONE_SHOWN = 3 }; /* files whose lines are shown */

/* After an undo of few files: read what was in them before, to show which lines differ. */
void undone_read(struct arena *a, struct vault *v, struct undone *u);

/* What is kept of a struct undone; transact.keep. */
str undone_kept(struct arena *a, void *undone);

extern const struct answer_shape undone_shape;
