/*
 * file - one file of a vault as kept in the index: its metadata on disk and, for notes,
 * the text and everything parsed from it, in one block of memory (two in a snapshot).
 *
 * What was read never changes: if the content on disk changes, a new file is made. Files
 * above a limit and those that cannot be read are known by name only, with the reason.
 */
#pragma once

#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"
#include "vault/forms/inline.h"
#include "vault/index/names.h"
#include "vault/index/words.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"
#include "vault/note/policy.h"
#include "vault/text/encoding.h"

enum {
    FILE_NOTE_MAX =
        8 << 20, /* bytes of a note, canvas, base or drawing; larger: unread */
    FILE_TEXT_MAX = 1 << 20, /* of any other text file */
    FILE_TAGS_MAX = 10000,   /* different tags per note; more are ignored */
};

/* FILE_TEXT: plain text of another kind (.txt, .csv, ...), searched but not parsed.
 * FILE_PDF: its text is made by others, some time later (file_make_paged()).
 * FILE_DRAWING: of Excalidraw, in JSON; its text is what drawing_texts() makes of that. */
enum file_kind {
    FILE_NOTE,
    FILE_CANVAS,
    FILE_BASE,
    FILE_TEXT,
    FILE_PDF,
    FILE_DRAWING,
    FILE_OTHER
};

struct file {
    file_id id; /* in the index */
    enum file_kind kind;
    bool excluded; /* by Obsidian's settings: omitted from search and counts */
    bool mapped;   /* is in a snapshot, so it is not freed separately */
    bool unread;   /* known by name only; problem says why if it should have been read */
    enum policy
        policy; /* what its properties say about clients, as far as its reader asked;
                           see vault/policies.h for what counts */
    bool has_queries; /* a base, or a note with bases or queries (queries.h) */
    str path;
    struct fs_info info;      /* at the time it was read */
    struct hash_content hash; /* of its bytes on disk */
    enum encoding encoding;   /* of these */
    str text; /* as UTF-8 (encoding_read()); empty if it has none or is unread. FILE_PDF:
                                 each page begins with a line that is only a form feed */
    size_t searched;  /* where what is searched ends: the data of a drawing is not */
    struct note note; /* of notes; of a drawing only its links */
    const struct prop *props; /* a map, or NULL */
    struct inline_field *fields;
    uint32_t n_fields;
    str problem; /* with properties, canvas or file: one sentence, or empty */
    struct str_list aliases;
    struct str_list tags; /* of properties and body; no duplicates, case ignored */
    size_t bytes;         /* of the block */
};

enum file_kind file_kind_of(str path);

/* The largest size of that kind that is read; 0: not read at all. */
size_t file_read_max(enum file_kind kind);

/* Whether such a file is not read for the index while it is only in a cloud, because that
 * would download it: attachments, but not notes and what else vaults are made of. */
bool file_stays_in_cloud(enum file_kind kind);

/*
 * Make a file from its bytes, which are copied. scratch is reset first. Never fails:
 * problem says what could not be parsed.
 */
struct file *file_make(struct arena *scratch, str path, const struct fs_info *info,
                       str bytes);

/* The same for a file that was not read; why, if not NULL, is its problem. */
struct file *file_make_unread(struct arena *scratch, str path, const struct fs_info *info,
                              const char *why);

/* The same for a FILE_PDF with the text of its pages; hash is that of the file's bytes. */
struct file *file_make_paged(struct arena *scratch, str path, const struct fs_info *info,
                             struct hash_content hash, str text);

/* Whether its text is that of the file on disk, not one that was made from it. */
static inline bool file_is_stored(const struct file *f)
{
    return f->kind != FILE_PDF && f->kind != FILE_DRAWING;
}

/* Whether its text is still to be made. */
bool file_is_unpaged(const struct file *f);

/* The page of a place in the text of a FILE_PDF, from 1; 0 for other files. */
uint32_t file_page(const struct file *f, size_t at);

void file_free(struct file *f);

/* --- in a snapshot, where the texts are apart from the rest --- */

/* The bytes of f without its text. */
size_t file_stored_bytes(const struct file *f);

/* Copy these to block, with pointers for a block at address will_be and a text at
 * text_will_be. */
void file_store(const struct file *f, void *block, uint64_t will_be,
                uint64_t text_will_be);

/*
 * Use a block that was stored for address was and is now at block, aligned for any type;
 * its text, stored for text_was, is now at text.p. NULL if it is damaged: no pointer is
 * followed unchecked, and the text is not read. If the addresses are equal, nothing is
 * written.
 */
struct file *file_revive(void *block, size_t bytes, uint64_t was, str text,
                         uint64_t text_was);

/*
 * The title of a note: its name without folder and .md; other files keep their extension.
 */
str file_title(str path);

/* The text without a byte order mark and the data of a drawing, for searching. *offset is its place in the text. */
str file_searched(const struct file *f, uint32_t *offset);

/* A link of a file, in body, property or canvas; ready for names_resolve(). */
enum file_place { FILE_IN_BODY, FILE_IN_PROPERTY, FILE_IN_CANVAS };

struct file_link {
    str path;    /* decoded */
    str subpath; /* with its #, decoded; or empty */
    str display; /* or empty */
    uint32_t line;
    bool embed;
    enum file_place place;
    const struct note_link *written; /* of FILE_IN_BODY */
};

/* The text is read soon: load its beginning into the cache. */
static inline void file_prefetch_text(const struct file *f)
{
    enum { AHEAD = 512, CACHE_LINE = 64 };
    for (size_t at = 0; at < AHEAD && at < f->text.n; at += CACHE_LINE)
        __builtin_prefetch(f->text.p + at);
}

/* A Markdown destination, percent-decoded unless that would be invalid. */
str file_decoded(struct arena *a, str destination);

/* All links of f except external ones, in the order of the file, properties first. */
size_t file_links(struct arena *a, const struct file *f, struct file_link **out);

/* The same, but only those whose path keep() wants; NULL: all. */
typedef bool (*file_keep_fn)(void *arg, str path);
size_t file_links_if(struct arena *a, const struct file *f, file_keep_fn keep, void *arg,
                     struct file_link **out);

/* The tags in the properties of f, without those of the body; in the arena. */
struct str_list file_property_tags(struct arena *a, const struct file *f);

/* The fields of f for the word index; joined texts are in the arena. */
void file_words(struct arena *a, const struct file *f, struct words_doc *out);

/* The language of a file: as its property lang says, else as its text looks. */
enum language file_language(const struct file *f);
