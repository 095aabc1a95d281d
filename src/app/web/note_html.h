/*
 * note_html - a note as a page shows it: Obsidian's Markdown as HTML.
 *
 * What is a link, a tag, code, math, a comment or a table is what the scanner of notes says
 * (note.h), so the page agrees with the tools. The rest is here: blocks (note_html.c),
 * emphasis and the text of a paragraph (note_inline.c).
 *
 * Safe by construction: every element is written by html.h, HTML of the note is shown as
 * text, no address but http, https and mailto becomes a link, and nothing is loaded but
 * pictures of the vault from this server. Nesting, embeds and the length of the result are
 * limited; characters that change the order of others are written out.
 */
#pragma once

#include "oauth/html.h"
#include "oauth/pages.h"
#include "vault/index/index.h"
#include "vault/note/note.h"

enum {
    NOTE_HTML_MAX = 4 << 20,   /* bytes of a page; the rest of the note is left out */
    NOTE_HTML_EMBEDS = 64,     /* embedded notes of a page, */
    NOTE_HTML_LEVELS = 3,      /* in each other */
    NOTE_HTML_FOOTNOTES = 500, /* references and definitions that are looked at */
};

#define NOTE_PATH "/note/"
#define FILE_PATH "/file/"

/* Where it is shown. */
struct note_html {
    struct html *h;
    struct arena *a;
    const struct index *x; /* held; its view is that of the person */
    const struct page_site *site;
    str query; /* of links to other notes: "?vault=work" or empty */
    unsigned embeds;
    bool cut; /* something was left out */
};

/* The body of a note of that path, scanned from the text that is shown. */
void note_html_put(struct note_html *to, str path, const struct note *note);

/* The address of a file: of its page, or of the file itself if it has none. */
str note_html_address(const struct note_html *to, str path);

/* The id of the heading with that number, in the page of its note. */
str note_html_heading_id(struct arena *a, size_t number);

/* --- for the two files --- */

struct note_writer {
    struct note_html *to;
    struct html *h;
    struct arena *a;
    str path;
    file_id id;
    const struct note *note;
    str prefix;          /* of ids: empty, or of an embed */
    unsigned level;      /* of embeds */
    bool in_link;        /* no link in a link */
    uint32_t *footnotes; /* definitions in the order of their references */
    size_t n_footnotes;
};

/* The place of a part of the note's text in it. */
static inline uint32_t note_at(const struct note_writer *w, str part)
{
    return (uint32_t)(part.p - w->note->text.p);
}

/* note_inline.c: the text of a paragraph, line by line. */
void note_inline_put(struct note_writer *w, const str *lines, size_t n);

/* Plain text, without markup. */
void note_inline_text(struct note_writer *w, str text);

/* The link that begins at a place, or NULL. */
const struct note_link *note_inline_link(const struct note_writer *w, uint32_t at);

/* The first region that begins at a place or later, or NULL. */
const struct note_region *note_inline_region(const struct note_writer *w, uint32_t at);

/* note_html.c: the part of a note that a link embeds; false if it cannot be. */
bool note_html_embed(struct note_writer *w, const struct note_link *l);

/* Whether there is room for more elements, and bytes. */
bool note_html_has_room(struct note_writer *w, size_t depth);
