/*
 * pieces - the parts of a note that get a vector each.
 *
 * A piece is a section, cleaned (clean.h). Sections of less than PIECE_WORDS_MIN words are
 * joined with the next one; one of more than PIECE_WORDS_MAX is split between paragraphs,
 * or between words if need be. In scripts without spaces between words, five characters
 * count as three words. Pieces do not overlap: the headings above a piece carry the context.
 *
 * Only notes have pieces. Excluded ones have none, as they have no words (index.h), and
 * neither have PDF files and canvases, which words find.
 */
#pragma once

#include "base/hash.h"
#include "vault/index/file.h"
#include "vault/meaning/common.h"

enum {
    PIECE_WORDS_MIN = 25,
    PIECE_WORDS_MAX = 180,
    PIECE_ALIASES_MAX = 80, /* bytes */
    PIECES_MAX = 10000,     /* of a note; what follows has none */
    PIECE_BYTES_MIN = 64,   /* the least that a text may be limited to */
};

#define PIECE_NO_HEADING UINT32_MAX

struct piece {
    str text; /* what is embedded: "Title (aliases) > Heading > Subheading", a line feed and
                 the text; valid UTF-8, never empty */
    struct hash_content hash; /* of the embedder's id and the text */
    uint32_t line;            /* where it begins, from 1 */
    uint32_t heading;         /* the number of its heading in the note; or NO_HEADING */
};

struct pieces_how {
    str id;                      /* of the embedder */
    size_t bytes;                /* of a text, at most */
    const struct common *common; /* paragraphs that are left out, or NULL */
};

/* Whether f has pieces at all. */
bool pieces_has(const struct file *f);

/* The pieces of f, in the arena. A note without text has one, its title. */
size_t pieces_cut(struct arena *a, const struct file *f, const struct pieces_how *how,
                  struct piece **out);
