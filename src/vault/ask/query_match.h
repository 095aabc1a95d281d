/*
 * query_match - Obsidian's search queries (query.h) on notes, one at a time.
 *
 * A query is compiled once, then matched against many files. A compiled query never
 * changes, so any number of threads may match, each with its own regex scratch and arena.
 *
 * Where Obsidian's own search leaves a choice: file: and path: see extensions, plain terms do
 * not. A space in a phrase matches any white space, including line breaks. Letters of
 * scripts without spaces (utf8_is_cjk) are always whole words. Regular expressions are
 * those of regex.h and ignore case unless match-case: is around them. A property name
 * must match as a whole, its value in part or, if quoted, as a whole; of a list, any item
 * will do. section: inside section: also searches the subsections.
 */
#pragma once

#include "vault/ask/query.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"
#include "vault/text/regex.h"

enum { QUERY_SPANS_MAX = 1000 };

/* A file of the vault as a query sees it; all of it is borrowed. */
struct query_file {
    str path;                              /* from the vault root, with extension */
    str text;                              /* of notes and canvases; else empty */
    const struct note *note;               /* of text; NULL if it is not a note */
    const struct frontmatter *frontmatter; /* NULL: it has none */
    struct str_list tags;                  /* all of them, without '#' */
    bool (*stop)(void *arg); /* called during slow regular expressions; or NULL */
    void *stop_arg;
};

/* What matched: at most QUERY_SPANS_MAX spans of the text, by start, not nested. */
struct query_hits {
    struct span *spans;
    size_t n;
    bool in_name; /* a plain term, file: or path: matched the name or path */
    bool limited; /* a regular expression was stopped, so matches may be missing */
};

struct query_matcher;

/*
 * Keeps nothing of q. Fails with ERR_INVALID if a regular expression is not valid (the
 * message quotes it), with ERR_LIMIT if it is too large.
 */
MUST_CHECK bool query_compile(const struct query *q, struct query_matcher **out,
                              struct err *err);
void query_matcher_free(struct query_matcher *m);

/* Whether the file matches. hits may be NULL; its spans are in the arena. */
bool query_match(const struct query_matcher *m, struct regex_scratch *scratch,
                 struct arena *a, const struct query_file *file, struct query_hits *hits);
