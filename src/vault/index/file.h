/*
 * file - one file of a vault as the index keeps it: what it is on disk, and of notes the
 * text and everything that was read from it, in one block of memory.
 *
 * A file never changes once it is made; a file that changed on disk is made anew. Files
 * above a limit and those that cannot be read are known by name only, and say why.
 */
#pragma once

#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"
#include "vault/index/names.h"
#include "vault/index/words.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"

enum {
    FILE_NOTE_MAX = 8 << 20, /* bytes of a note, canvas or base that is kept in memory */
    FILE_TEXT_MAX = 1 << 20, /* of any other text file */
    FILE_TAGS_MAX = 10000,   /* different tags of a note that are known */
};

/* FILE_TEXT: plain text of another kind (.txt, .csv, ...), searched but not parsed. */
enum file_kind { FILE_NOTE, FILE_CANVAS, FILE_BASE, FILE_TEXT, FILE_OTHER };

struct file {
    file_id id; /* in the index */
    enum file_kind kind;
    bool excluded; /* by the vault's settings: left out of search and counts */
    bool mapped;   /* lies in a snapshot, so it is not freed by itself */
    bool unread;   /* known by name only; problem says why, if it should have been read */
    str path;
    struct fs_info info; /* when it was read */
    struct hash_content hash;
    str text;                 /* as stored; empty if it has none or is unread */
    struct note note;         /* of notes */
    const struct prop *props; /* a map, or NULL */
    str problem; /* of properties or canvas or file: one sentence, or empty */
    struct str_list aliases;
    struct str_list tags; /* of properties, then of the body; each once, case ignored */
    size_t bytes;         /* of memory */
};

enum file_kind file_kind_of(str path);

/* How much of a file of that kind is read; 0: nothing. */
size_t file_read_max(enum file_kind kind);

/*
 * Make a file from what was read, which is copied. scratch is reset before. Never fails:
 * whatever cannot be understood is in problem.
 */
struct file *file_make(struct arena *scratch, str path, const struct fs_info *info,
                       str text);

/* The same of a file that was not read; why, if not NULL, is its problem. */
struct file *file_make_unread(struct arena *scratch, str path, const struct fs_info *info,
                              const char *why);

void file_free(struct file *f);

/* A copy of f->bytes bytes into block, made for being at address will_be. */
void file_store(const struct file *f, void *block, uint64_t will_be);

/*
 * A block of f->bytes bytes that was made for address was is now at block, aligned for
 * any type. NULL when it is damaged: no pointer is followed unchecked. If the two are the
 * same nothing is written.
 */
struct file *file_revive(void *block, size_t bytes, uint64_t was);

/* The name people know a note by: without folder and .md; other files with extension. */
str file_title(str path);

/* The text without a byte order mark: what a search sees. *offset: of it in the text. */
str file_searched(const struct file *f, uint32_t *offset);

/* A link of a file, wherever it stands; ready for names_resolve(). */
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

/* What a Markdown destination says: percent-decoded, unless that makes no sense. */
str file_decoded(struct arena *a, str destination);

/* All links of f but external ones, in the order of the file, properties first. */
size_t file_links(struct arena *a, const struct file *f, struct file_link **out);

/* The tags among the properties of f, in the arena; those of the body left out. */
struct str_list file_property_tags(struct arena *a, const struct file *f);

/* What the word index sees of f; joined texts are in the arena. */
void file_words(struct arena *a, const struct file *f, struct words_doc *out);
