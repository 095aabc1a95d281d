/*
 * reading - the part of a file that vault_read shows: a section, a block or some lines,
 * and as much of that as fits into an answer.
 *
 * Line numbers always refer to the file, even in a section: to continue, ask for the line
 * after the last one shown.
 */
#pragma once

#include "vault/text/encoding.h"
#include "vault/text/hidden.h"
#include "vault/vault.h"

/* Of a PDF file: its text has pages (vault/text/pages.h), which the answer shows. */
struct reading_pages {
    uint32_t count; /* of the file; 0: it is not a PDF */
    uint32_t first; /* with which the text begins */
    str title;      /* or empty */
    bool cut;       /* there are more pages than the text has */
};

struct reading {
    str path;
    str bytes;              /* the whole file, as stored */
    str text;               /* the same as UTF-8 */
    enum encoding encoding; /* of bytes */
    str commit;             /* that the text is from; empty: current */
    struct vault_text part; /* content points into text */
    bool truncated;         /* cut, but not by a limit that the caller gave */
    bool cut_line;          /* not even the first line fits */
    size_t next;            /* the line to continue with; 0: none */
    bool is_block;          /* a block ends without a line break */
    struct reading_pages pages;
    size_t left_out; /* the line from which a drawing's data is not shown; or 0 */
    bool is_drawing; /* text is what a drawing in JSON shows, not the file's */
    struct hidden_list hidden; /* in the part */
};

struct reading_request {
    str section, block;  /* as in edit.h; at most one of them. Of a PDF: "page=3-5" */
    size_t first, limit; /* lines; limit 0: all */
    bool by_default;     /* the limit is a default, so report where it cuts */
    bool no_drawing;     /* without the data of a drawing (drawing.h) */
};

/* Read the file at r->path: bytes, text and encoding. Fails as vault_read() does. */
MUST_CHECK bool reading_load(struct reading *r, struct vault *v, struct arena *a,
                             struct err *err);

/* The same from bytes that are already read. */
void reading_convert(struct reading *r, struct arena *a, str bytes);

/* Show the texts and links of a drawing in JSON instead of its data; other files, and
 * broken ones, stay as they are. */
void reading_draw(struct reading *r, struct arena *a);

/* That the data of a drawing is left out; empty if nothing is. */
str reading_drawing_note(const struct reading *r, struct arena *a);

/* What to know about a text that is not stored as UTF-8; empty if it is. */
str reading_encoding_note(const struct reading *r, struct arena *a);

/*
 * Choose the part of r->text. Fails with ERR_NOT_FOUND (HEADING_NOT_FOUND,
 * BLOCK_NOT_FOUND), ERR_INVALID (INVALID_RANGE, HEADING_NOT_UNIQUE, BLOCK_NOT_UNIQUE) or
 * as vault_cut() does. With pages, part.content has lines for people where they begin.
 */
MUST_CHECK bool reading_cut(struct reading *r, struct arena *a,
                            const struct reading_request *request, struct err *err);

/* The pages that the section of a PDF names. Fails with HEADING_NOT_FOUND if it is
 * something else. */
MUST_CHECK bool reading_find_pages(str section, uint32_t *first, uint32_t *last,
                                   struct err *err);

/* Keep the whole lines that, with what is hidden in them, take at most room bytes as JSON
 * or as they are, or a piece of the first. */
enum reading_form { READING_JSON, READING_PLAIN };
void reading_fit(struct reading *r, size_t room, enum reading_form form);
