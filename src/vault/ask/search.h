/*
 * search - one search over everything an index knows, in four modes.
 *
 *     text   a literal without case: in paths first, then tags, then lines of content
 *     regex  lines of content as rg gives them
 *     words  ranked notes (words.h), each with its best line
 *     query  Obsidian's search language (query.h)
 *
 * Totals are true whatever the limit: everything is counted, on all threads of a pool,
 * and only the hits that are returned are looked at twice. The order is stable: by path
 * (bytes), then line; of text within each of its three groups; of words by score.
 * Excluded files are found only if asked for. Lines end with a line feed, as for rg.
 *
 * The index must not change meanwhile. Results live in the arena and in the index.
 */
#pragma once

#include "base/pool.h"
#include "vault/index/index.h"

enum {
    SEARCH_LIMIT_MAX = 1000,   /* hits that are returned at once */
    SEARCH_LINE_MAX = 2 << 10, /* bytes of a line that are returned */
    SEARCH_GRACE_MS = 100,     /* behind the deadline, to show what was found */
    SEARCH_WORDS_MAX = 5,      /* corrected words among the suggestions, */
    SEARCH_TITLES_MAX = 5,     /* and titles */
};

enum search_mode { SEARCH_TEXT, SEARCH_REGEX, SEARCH_WORDS, SEARCH_QUERY };

enum search_where { SEARCH_FILENAME, SEARCH_TAG, SEARCH_CONTENT };

struct search {
    enum search_mode mode;
    str query;
    bool lines_only;      /* of text: neither names nor tags */
    bool ignore_case;     /* of a regex, as rg -i; text and words never mind case */
    bool literal;         /* of a regex, as rg -F: it is plain text */
    str folder;           /* only below it, without case if there is no such; "": all */
    const str *globs;     /* only paths that fit, as rg --glob (glob.h); */
    size_t n_globs;       /* 0: all */
    str tag;              /* only notes with that tag or one below it; "": all */
    bool excluded;        /* of text and regex: also files the vault's settings exclude */
    size_t offset, limit; /* hits to skip and to return */
    size_t per_file;      /* hits of one file that are returned, 0: all; totals stay */
    uint64_t deadline_ns; /* of clock_ns(); 0: none */
    bool (*stop)(void *arg); /* asked by several threads whether to give up; or NULL */
    void *stop_arg;
    struct pool *pool; /* helps, may be NULL */
};

struct search_hit {
    const struct file *file;
    enum search_where where;
    uint32_t line;   /* from 1; of a name 0 */
    uint32_t column; /* of the match, in characters from 1; of a name 0 */
    str snippet;     /* some text around it, the match in **bold**; of a name the path */
    str text;        /* the line as stored, cut at SEARCH_LINE_MAX; of a name empty */
    str match;       /* the part of text, or of a name's path, that was found first; of a
                        tag without text the tag */
    float score;     /* of words */
};

struct search_result {
    struct search_hit *hits;
    size_t n;
    size_t total;  /* hits there are, whatever limit and per_file */
    size_t files;  /* that have some */
    bool more;     /* a larger offset gives more hits */
    bool partial;  /* a deadline, stop or limit was hit: totals may be too low */
    size_t unread; /* files the filters let in that are too large or unreadable: only
                      their names were searched */
    bool any;      /* of words: no file, whatever the filters, has all of them; these
                      have some */

    /* When nothing was found: */
    str *suggestions; /* words the vault has instead of unknown ones, nearest titles */
    size_t n_suggestions;
    size_t with_words; /* of text: files of the vault that have all its words, apart or
                          in other forms: SEARCH_WORDS would find them */
};

/*
 * Fails with ERR_LIMIT above a limit (this one's, or the mode's for its query), and with
 * ERR_INVALID when query or globs make no sense; the message says where.
 */
MUST_CHECK bool search_run(const struct index *x, struct arena *a, const struct search *s,
                           struct search_result *out, struct err *err);
