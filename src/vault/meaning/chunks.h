/*
 * chunks - the parts of a note that get a vector each.
 *
 * A chunk is a section, cleaned (plain_text.h). Sections of less than CHUNK_WORDS_MIN
 * words are joined with the next one; one of more than CHUNK_WORDS_MAX is split between
 * paragraphs, or between words if need be. In scripts without spaces between words, five
 * characters count as three words. Chunks do not overlap: the headings above a chunk
 * carry the context.
 *
 * Only notes have chunks. Excluded ones have none, as they have no words (index.h), and
 * neither have PDF files and canvases, which words find.
 */
#pragma once

#include "base/hash.h"
#include "vault/index/file.h"
#include "vault/meaning/boilerplate.h"

enum {
    CHUNK_WORDS_MIN = 25,
    CHUNK_WORDS_MAX = 180,
    CHUNK_ALIASES_MAX = 80, /* bytes */
    CHUNKS_MAX = 10000,     /* of a note; what follows has none */
    CHUNK_BYTES_MIN = 64,   /* the least that a text may be limited to */
};

#define CHUNK_NO_HEADING UINT32_MAX

struct note_chunk {
    str text; /* what is embedded: "Title (aliases) > Heading > Subheading", a line feed and
                 the text; valid UTF-8, never empty */
    struct hash_content hash; /* of the embedder's id and the text */
    uint32_t line;            /* where it begins, from 1 */
    uint32_t heading; /* the number of its heading in the note; or CHUNK_NO_HEADING */
};

struct chunks_how {
    str id;                                /* of the embedder */
    size_t bytes;                          /* of a text, at most */
    const struct boilerplate *boilerplate; /* paragraphs that are left out, or NULL */
};

/* Whether f has chunks at all. */
bool chunks_has(const struct file *f);

/* The chunks of f, in the arena. A note without text has one, its title. */
size_t chunks_cut(struct arena *a, const struct file *f, const struct chunks_how *how,
                  struct note_chunk **out);
