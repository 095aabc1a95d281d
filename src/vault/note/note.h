/*
 * note - one Markdown file of a vault, scanned once from end to end.
 *
 * A note is a set of spans into its text: nothing is copied or unescaped, so an edit cuts
 * exactly what was parsed. The arrays live in the arena given to note_scan(). Odd
 * Markdown is text, never a failure; invalid UTF-8 and NUL bytes are text, too. Lines end
 * with LF, CRLF or a lone CR. Linear in the size of the text, whatever it contains. Knows
 * Markdown only: frontmatter.h reads properties, names.h resolves links.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum { NOTE_MAX_BYTES = 1 << 30 }; /* spans are 32 bits wide */

/* Bytes [start, end) of the text. */
struct span {
    uint32_t start, end;
};

static inline str span_of(str text, struct span s)
{
    return str_slice(text, s.start, s.end);
}

/*
 * Top-level headings only: those in quotes, callouts and lists are not part of the
 * outline.
 */
struct note_heading {
    struct span title;   /* raw, without markers and surrounding spaces */
    struct span section; /* up to the next heading of the same or a higher level */
    uint32_t line;       /* from 1; of the text line of a setext heading */
    uint8_t level;       /* 1..6 */
    uint64_t key;        /* hash of note_heading_key(): links are looked up by it */
};

enum note_block_type {
    NOTE_PARAGRAPH,
    NOTE_LIST_ITEM,
    NOTE_LIST,
    NOTE_QUOTE,
    NOTE_CALLOUT,
    NOTE_TABLE,
    NOTE_CODE,
    NOTE_MATH,
};

/* A block that has an id. The lines of an item do not include nested items. */
struct note_block {
    struct span id; /* without ^ */
    /*
     * Whole lines without the last line break, and without a line that has only the id.
     */
    struct span body;
    uint32_t whole_end;            /* of an item: with all that is nested in it; of others
                                      that of the body */
    uint32_t line_start, line_end; /* of the body; inclusive, from 1 */
    enum note_block_type type;
    uint32_t key; /* hash of the id, case ignored */
};

enum note_link_kind {
    NOTE_WIKILINK,      /* [[path#sub|display]] */
    NOTE_MARKDOWN_LINK, /* [display](dest "title") */
    NOTE_REFERENCE,     /* [display][ref]; path is that of its definition */
    NOTE_DEFINITION,    /* [display]: dest, for rewriting links; not a link itself */
};

struct note_link {
    enum note_link_kind kind;
    bool embed;          /* preceded by ! */
    bool external;       /* a Markdown destination with a colon */
    bool angle;          /* destination written <…> */
    struct span whole;   /* from ! or [ to the closing bracket */
    struct span path;    /* trimmed, as written: Markdown paths are still percent-encoded;
                            of a reference it lies in the definition, outside of whole */
    struct span subpath; /* with its #; empty if there is none */
    struct span display; /* empty if there is none */
    uint32_t line;
};

struct note_tag {
    struct span name; /* without # */
    uint32_t line;
};

struct note_task {
    struct span text; /* after "[x] ", to the end of the line */
    struct span mark; /* the one character between the brackets */
    uint32_t line;
    uint16_t indent; /* bytes of white space before the marker */
    bool done;       /* there is something between the brackets, not a space */
};

struct note_callout {
    struct span type, title;
    uint32_t line;
    char fold; /* '+', '-' or 0 */
};

struct note_footnote {
    struct span id;
    struct span whole; /* from [ to ], or to the end of the last line of a definition */
    uint32_t line;
    bool definition; /* [^id]: … */
};

/*
 * Regions in which nothing is searched (code, math, HTML), and comments, in which links
 * and tags do count.
 */
enum note_region_kind {
    NOTE_FENCED_CODE,
    NOTE_INDENTED_CODE,
    NOTE_INLINE_CODE,
    NOTE_BLOCK_MATH,
    NOTE_INLINE_MATH, /* $…$, and $$…$$ within a paragraph */
    NOTE_HTML_BLOCK,
    NOTE_HTML_COMMENT,
    NOTE_COMMENT, /* %% … %% */
    NOTE_TABLE_REGION,
};

struct note_region {
    enum note_region_kind kind;
    struct span span;
};

struct note {
    str text;
    uint32_t bom;            /* 3 if the text begins with a BOM, otherwise 0 */
    struct span frontmatter; /* between the --- lines; empty if there is none */
    bool has_frontmatter;    /* also true for an empty block */
    uint32_t body;           /* where the body starts */
    uint32_t lines;          /* in the whole text */
    struct note_heading *headings;
    struct note_block *blocks;
    struct note_link *links; /* by start; a link before those inside it */
    struct note_tag *tags;   /* of the body only */
    struct note_task *tasks;
    struct note_callout *callouts;
    struct note_footnote *footnotes;
    struct note_region *regions; /* by start; one may contain others */
    uint32_t n_headings, n_blocks, n_links, n_tags;
    uint32_t n_tasks, n_callouts, n_footnotes, n_regions;
};

/* Scan text of at most NOTE_MAX_BYTES, which is borrowed and must outlive the note. */
void note_scan(struct arena *a, str text, struct note *out);

/*
 * The heading that a subpath such as "#A#B" means (case and most
 * punctuation are ignored, parts are nested by section); NULL if there is none.
 */
const struct note_heading *note_find_heading(const struct note *n, str subpath);

/* The form in which titles of headings are compared. */
str note_heading_key(struct arena *a, str title);

/* Which of several headings with one path: 2 of "A#B#2", and *rest is "A#B". 0 if the last
 * part is not a number. */
size_t note_heading_number(str path, str *rest);

/* The same with the headings of all parts of the subpath; returns how many, or 0. */
enum { NOTE_SUBPATH_MAX = 6 }; /* headings have six levels */
size_t note_find_headings(const struct note *n, str subpath,
                          const struct note_heading *chain[NOTE_SUBPATH_MAX]);

/* All headings that a subpath could mean, if those above had other titles: their numbers,
 * in order. out has room for all headings of the note. */
size_t note_find_all_headings(const struct note *n, str subpath, uint32_t *out);

/* The form in which labels of references and ids of footnotes are compared. */
str note_label_key(struct arena *a, str label);

/*
 * The block with that id, given with or without "#^" or "^", case ignored; NULL if there
 * is none.
 */
const struct note_block *note_find_block(const struct note *n, str id);

/* The line (from 1) that contains byte at. */
uint32_t note_line_of(const struct note *n, uint32_t at);
