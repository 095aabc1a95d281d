/*
 * canvas - the links of a .canvas file (JSON Canvas 1.0), and whether it is
 * valid.
 *
 * A canvas links to the file of every file node, to the background of every group, and to
 * whatever its text nodes link to. Unknown nodes, members and types are skipped, because
 * other programs write canvases too.
 */
#pragma once

#include "base/err.h"
#include "vault/note/note.h"

enum { CANVAS_MAX_BYTES = 16 << 20 };

enum canvas_place {
    CANVAS_FILE,       /* "file" of a file node; subpath is its "subpath" */
    CANVAS_BACKGROUND, /* "background" of a group */
    CANVAS_TEXT,       /* a link in the "text" of a text node */
};

struct canvas_link {
    enum canvas_place place;
    uint32_t line;   /* of the JSON string that contains it */
    str node;        /* id of the node; empty if it has none */
    str path;        /* from the vault's root, or as written in the text */
    str subpath;     /* with its #; empty if there is none */
    str value;       /* the string with the link, unescaped: a path or all the text */
    str raw;         /* that string as in the file, with quotes and escapes */
    str raw_subpath; /* of CANVAS_FILE: the string "subpath" as in the file, or empty */
    struct note_link link; /* of CANVAS_TEXT: spans into value */
};

struct canvas {
    struct canvas_link *links; /* in the order of the file */
    size_t n_links;
};

/*
 * Read the links of text, which is borrowed and must outlive them; unescaped strings live
 * in the arena. Empty text is an empty canvas. Fails with ERR_INVALID if it is not JSON,
 * with ERR_LIMIT if it is too large; *out has no links then.
 */
MUST_CHECK bool canvas_scan(struct arena *a, str text, struct canvas *out,
                            struct err *err);

/* The text of a text node. */
struct canvas_text {
    str value, raw; /* unescaped, and as in the file, with quotes */
};

/* The texts of a canvas, in the order of the file. Fails as canvas_scan(). */
MUST_CHECK bool canvas_texts(struct arena *a, str text, struct canvas_text **out,
                             size_t *n, struct err *err);

/*
 * Whether text is a canvas that other programs can open: every node has an id, a type, a
 * place, a size and what its type needs; every edge has an id and two ends. Fails with
 * INVALID_CONTENT, beginning with "line N". One that is too large is not checked.
 */
MUST_CHECK bool canvas_check(struct arena *a, str text, struct err *err);

/*
 * Whether every edge of a valid canvas leads from a node of it to another one. Fails like
 * canvas_check(), which does not look at this, because programs open such a canvas too.
 */
MUST_CHECK bool canvas_check_ends(struct arena *a, str text, struct err *err);
