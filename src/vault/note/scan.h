/*
 * scan - the parts of the Markdown scanner; for note.c and scan_*.c only.
 *
 * Three steps, each linear in the text. scan_marks.c fills two bitmaps, 64 bytes at a
 * time: line ends, and the bytes that may be markup. scan_block.c goes line by line
 * through containers (quotes, items) and leaves (paragraphs, code, tables). scan_inline.c
 * goes from mark to mark through each finished paragraph.
 *
 * Code that looks ahead either consumes what it saw or remembers that there is nothing to
 * find, so that no byte is visited more than a fixed number of times.
 */
#pragma once

#include "base/array.h"
#include "base/os/bytes.h"
#include "base/text.h"
#include "vault/note/note.h"
#include "vault/note/note_table.h"

enum {
    SCAN_DEPTH = 64,    /* nested quotes and items; deeper markers are text */
    SCAN_BRACKETS = 32, /* open brackets kept; the oldest is forgotten first */
    SCAN_TICKS = 32,    /* the longest run of backticks that can open code */
};

/* --- marks --- */

/* The next bit that is set, starting at at; end if there is none. */
static inline uint32_t scan_next(const uint64_t *map, uint32_t at, uint32_t end)
{
    if (at >= end)
        return end;
    uint32_t word = at >> 6, last = (end - 1) >> 6;
    uint64_t bits = map[word] & (~UINT64_C(0) << (at & 63));
    while (bits == 0 && word < last)
        bits = map[++word];
    if (bits == 0)
        return end;
    uint32_t hit = (word << 6) + (uint32_t)__builtin_ctzll(bits);
    return hit < end ? hit : end;
}

/* The number of words of a bitmap of n bits. */
static inline size_t scan_words(uint32_t n)
{
    return ((size_t)n + 63) / 64;
}

/*
 * Set a bit in lines for the last byte of every line break (LF, CRLF or a lone CR), and
 * one in marks for each of ` [ \ ] # $ % <
 */
void scan_marks(str text, uint64_t *lines, uint64_t *marks);

/* --- blocks --- */

/* The current line, and how far it has been read. */
struct line {
    uint32_t number;
    uint32_t start, end; /* without the line break */
    uint32_t at, column;
    uint32_t blanks;   /* columns of a tab before at that are not consumed yet */
    uint32_t text;     /* first byte of the text, or end; valid while at <= text */
    uint32_t no_break; /* no rule begins before this byte */
};

enum container_kind { QUOTE, ITEM, FOOTNOTE };

struct container {
    enum container_kind kind;
    bool callout;
    bool empty;  /* an item with nothing in it so far */
    char marker; /* of an item: - + * . ) */
    uint32_t indent;
    uint32_t start, line;           /* of its first line */
    uint32_t list_start, list_line; /* the same for the list that an item belongs to */
    uint32_t entry; /* of an item: its first block + 1, or 0; of a footnote: its number */
};

enum leaf_kind {
    LEAF_NONE,
    LEAF_PARAGRAPH,
    LEAF_TABLE,
    LEAF_FENCE,
    LEAF_INDENTED,
    LEAF_HTML,
    LEAF_MATH,
};

/* What ends an HTML block: certain text, or a blank line. */
enum html_end {
    HTML_NONE,
    HTML_COMMENT_END,
    HTML_INSTRUCTION_END,
    HTML_DECLARATION_END,
    HTML_CDATA_END,
    HTML_RAW_END, /* </script> and the like */
    HTML_BLANK_END,
};

/* The open block that contains no other blocks. */
struct leaf {
    enum leaf_kind kind;
    uint32_t start; /* of its text */
    uint32_t end;
    uint32_t line_start, line;          /* of its first line */
    uint32_t last_start, last_line;     /* of its last line */
    uint32_t last_text;                 /* where its text begins */
    uint32_t before_last;               /* end of the line before the last */
    uint32_t outside_end, outside_line; /* the last line with text before this leaf */
    uint32_t region;                    /* in note->regions; not used by paragraphs */
    uint32_t fence;                     /* length */
    char fence_char;
    bool lazy;        /* the last line has no markers of its containers */
    bool after_blank; /* a blank line precedes it */
    enum html_end html;
};

/* The top-level block before the current one, if a block id can refer to all of it. */
struct previous {
    bool any;
    enum note_block_type type;
    char marker; /* of a list */
    struct span body;
    uint32_t line_start, line_end;
};

/* --- text --- */

struct bracket {
    uint32_t at, line, tags; /* tags: how many were found before it */
    bool image;
};

/* A tag that counts only if the markup before it has a partner. */
struct doubt {
    uint32_t tag; /* in note->tags */
    uint32_t at;  /* after the markup */
    bool paired;
};

/* A link if its label turns out to have a definition. */
struct reference {
    struct span whole, display, label;
    uint32_t line;
    bool image;
};

/* The current paragraph, heading or table row. */
struct run {
    uint32_t start, end;
    bool table;
    bool tail;          /* a tag ends with _ */
    uint32_t first_tag; /* the number of tags before this run */
    uint32_t node_end;  /* the last piece of markup ended here */
    uint32_t doubt_end; /* the last doubtful tag ended here */
    uint32_t line_end;  /* of the line it was computed for last */
    uint32_t no_math;   /* no $ before this place has a partner */
    bool no_display;    /* there is no closing $$ left */
    bool no_comment;    /* there is no --> left */
    bool ticks_known;   /* last_tick is filled in */
    uint32_t last_bracket;
    uint32_t top, bottom; /* of the open brackets */
    uint32_t dead;        /* brackets below this one cannot become links */
};

struct scan {
    struct arena *arena;
    struct arena *scratch; /* freed after the scan */
    struct note *note;
    struct note_rows *rows; /* NULL: not needed */
    const char *p;
    uint32_t n;
    const uint64_t *lines, *marks;
    struct {
        uint32_t headings, blocks, links, tags, tasks, callouts, footnotes, regions;
    } cap;

    struct container containers[SCAN_DEPTH];
    uint32_t depth;
    uint32_t matched; /* containers that the current line continues */
    uint32_t plain;   /* containers before the first quote */
    struct leaf leaf;
    struct previous previous;
    bool blank;                   /* the last line was blank */
    uint32_t last_end, last_line; /* of the last line with text */
    bool no_math;                 /* there is no $$ left to close a block */

    struct run run;
    struct bracket brackets[SCAN_BRACKETS];
    uint32_t last_tick[SCAN_TICKS + 1]; /* the last run of each length */
    uint32_t cursor, cursor_line;       /* an offset and its line */
    uint64_t html_budget;               /* bytes left to read in vain as HTML tags */
    uint32_t comment;                   /* open %% region + 1 */
    bool comment_wide;                  /* it began a line, so it may span blocks */
    bool dropped;                       /* some regions are to be removed */
    struct span *nodes;                 /* of this run: markup without emphasis inside */
    uint32_t n_nodes, cap_nodes;
    struct doubt *doubts; /* of this run */
    uint32_t n_doubts, cap_doubts;
    struct reference *references;
    uint32_t n_references, cap_references;
    uint32_t definitions;
};

/* Add an uninitialized entry to a list of the note or of the scan. */
#define SCAN_ADD(s, list)                                                                \
    ARRAY_ADD_CAP((s)->arena, (s)->note->list, (s)->note->n_##list, (s)->cap.list)
#define SCAN_NOTE(s, list)                                                               \
    ARRAY_ADD_CAP((s)->scratch, (s)->list, (s)->n_##list, (s)->cap_##list)

static inline bool is_punct(char c)
{
    return c > ' ' && c < 0x7F && !is_digit(c) && !is_letter(c);
}

/* [start, end) without spaces at both ends. */
static inline struct span scan_trim(const struct scan *s, uint32_t start, uint32_t end)
{
    while (start < end && is_blank(s->p[start]))
        start++;
    while (end > start && is_blank(s->p[end - 1]))
        end--;
    return (struct span){start, end};
}

static inline bool scan_find(const struct scan *s, uint32_t at, uint32_t end,
                             const char *what, uint32_t *found)
{
    size_t n = strlen(what);
    const char *hit = at < end ? bytes_find(s->p + at, end - at, what, n) : NULL;
    if (hit != NULL)
        *found = (uint32_t)(hit - s->p);
    return hit != NULL;
}

uint32_t scan_add_region(struct scan *s, enum note_region_kind kind, uint32_t start,
                         uint32_t end);

/* The line that contains at; at must not be smaller than in the last call. */
uint32_t scan_line_at(struct scan *s, uint32_t at);

/* scan_block.c: scan everything from at, the start of line, to the end. */
void scan_blocks(struct scan *s, uint32_t at, uint32_t line);

/* Close the leaf and all containers that the current line does not continue. */
void scan_make_room(struct scan *s);

/*
 * The first byte at or after the cursor that is not a space or tab, or the end of the
 * line.
 */
uint32_t scan_text(const struct scan *s, struct line *l);

/* Columns of indentation at the cursor, counted up to 4. */
uint32_t scan_indent(const struct scan *s, const struct line *l);

/* scan_leaf.c: the open leaf takes the line, or the line opens a new one. */
bool scan_leaf_takes(struct scan *s, struct line *l);
bool scan_leaf_opens(struct scan *s, struct line *l);
void scan_leaf_indented(struct scan *s, struct line *l);
void scan_leaf_text(struct scan *s, struct line *l);
void scan_leaf_close(struct scan *s, bool at_blank);

/* scan_id.c: a block id at the end of the paragraph that is about to close. */
void scan_block_id(struct scan *s, bool at_blank);

/* scan_html.c */
enum html_end scan_html_block(struct scan *s, uint32_t at, uint32_t end, bool interrupts);
bool scan_html_ends(const struct scan *s, enum html_end how, uint32_t at, uint32_t end);
/* The end of the tag, comment or <address> that begins at at, or 0. */
uint32_t scan_html_inline(struct scan *s, uint32_t at);

/* scan_inline.c */
void scan_inline(struct scan *s, uint32_t start, uint32_t end, uint32_t line, bool table);
void scan_node(struct scan *s, uint32_t start, uint32_t end);
/* scan_link.c: both return where to continue. */
uint32_t scan_open_bracket(struct scan *s, uint32_t at);
uint32_t scan_close_bracket(struct scan *s, uint32_t at);
/* The end of the wikilink that begins at at, or 0. */
uint32_t scan_wikilink_end(const struct scan *s, uint32_t at);
/* Read "[label]: destination", which must be the whole first line of a paragraph. */
bool scan_definition(struct scan *s, const struct line *l, uint32_t at);

/* scan_reference.c: at the end of the scan, references with a definition become links. */
void scan_references(struct scan *s);

/* scan_tag.c */
uint32_t scan_tag(struct scan *s, uint32_t at);
void scan_drop_tags(struct scan *s, uint32_t n); /* all but the first n */
/*
 * scan_emphasis.c: keep only those doubtful tags of the run whose markup has a partner.
 */
void scan_settle_doubts(struct scan *s);
