/*
 * search - searches everything in an index, in six modes.
 *
 *     text   a literal, ignoring case: in paths first, then tags, then lines of content;
 *            with spread folders come last
 *     regex  names that match (paths, if the expression has a '/'), then lines of content,
 *            as rg finds them
 *     words  ranked notes (words.h), each with its best line
 *     query  Obsidian's search language (query.h)
 *     names  a literal, ignoring case: names that are the query, begin with it, contain
 *            it; then aliases, then folders; then files whose path and aliases have all
 *            its words, in any order
 *     meaning  notes near the query in meaning (meaning.h), each with a line of its
 *            nearest chunk; while there are no vectors, as below
 *
 * Mode auto is text, and if nothing has the text, notes ranked by words and meaning fused
 * (rank_fusion.h): by any of the words, and, if there are vectors, by meaning. Files that
 * have a text of several words are ordered by how well they match its words. If they are
 * few, the best of the ranked notes come after them as near ones; but if the text is a
 * topic of three or four words and another note matches it better, all are ranked. If the
 * query has operators (query_intent()), auto is query, then text; if it may have, query
 * comes after text.
 *
 * If nothing has a phrase in quotes, the search is made again without the quotes.
 * On request, a word that no note has is corrected (search_correct.h) in all modes but
 * regex: for ranked ones always, for others if nothing was found, and if that finds something. If
 * notes have all words of a corrected query, meaning puts no other note before them.
 *
 * A search has three steps, because a query is embedded without holding the index:
 * search_read() reads the query, search_find() searches the files and decides whether
 * notes have to be ranked, and search_rank() ranks them, by meaning if it gets the
 * query as a vector. search_run() is all of them, without a vector.
 *
 * Totals do not depend on the limit: everything is counted, on all threads of a pool, and
 * only files whose hits are returned are searched a second time. The order is stable: by
 * path (bytes), then line, within each of the mode's groups; mode words orders by score.
 * With spread, no file hides others: first comes one hit of every file, then some more of
 * each, then all the rest; and names do not hide contents: after the first ones, the
 * others come when some of the contents have. Excluded files are found only on request.
 * Lines are those of base/text.h: a lone "\r" ends one, too.
 *
 * The index must not change during a search. Results live in the arena and in the index.
 */
#pragma once

#include "base/pool.h"
#include "vault/index/index.h"
#include "vault/meaning/meaning.h"
#include "vault/text/textscan.h"

enum {
    SEARCH_LIMIT_MAX = 1000,   /* hits in one answer */
    SEARCH_LINE_MAX = 2 << 10, /* bytes of a line that are returned */
    SEARCH_GRACE_MS = 100,     /* after the deadline, to show what was found */
    SEARCH_SPREAD = 3,         /* hits of one file before those of all others are shown */
    SEARCH_NAMES_FIRST = 10,   /* names before contents are shown, with spread */
    SEARCH_WORDS_MAX = 5,      /* corrected words among the suggestions */
    SEARCH_TITLES_MAX = 5,     /* titles among the suggestions */
    SEARCH_UNREAD = 3,         /* files that are named if they could not be read */
    SEARCH_RANKED = 200,       /* notes that are ranked by words, and by meaning */
    SEARCH_BEST = 10,          /* files; if fewer have a text, others come after them */
    SEARCH_TOPIC = 3,          /* words of a text that may rather be a topic */
    SEARCH_QUOTE = 5,          /* words of a text that is a quotation */
};

enum search_mode {
    SEARCH_TEXT,
    SEARCH_REGEX,
    SEARCH_WORDS,
    SEARCH_QUERY,
    SEARCH_NAMES,
    SEARCH_AUTO,
    SEARCH_MEANING,
    SEARCH_FUSED, /* words and meaning, a part of auto */
};

enum search_where { SEARCH_FILENAME, SEARCH_TAG, SEARCH_CONTENT };

struct search {
    enum search_mode mode;
    str query;
    bool lines_only;  /* text, regex: search neither names nor tags */
    bool ignore_case; /* regex, as rg -i; text and words always ignore case */
    bool literal;     /* regex, as rg -F: the query is plain text */
    str folder;       /* only below it; case is ignored if it does not exist; "": all */
    const str *globs; /* only paths that match, as rg --glob (glob.h) */
    size_t n_globs;   /* 0: all */
    str tag;          /* only notes with that tag or a nested one; "": all */
    bool excluded;    /* text, regex: also files that the vault's settings exclude */
    bool all_marks;   /* find every match of a line that is returned */
    bool by_file;     /* list the files with hits */
    bool by_score;    /* text: files that match its words best come first, not by path */
    bool no_suggestions;     /* if nothing is found */
    bool corrects;           /* words that no note has are corrected */
    bool unquotes;           /* again without quotes, if nothing has the phrase */
    size_t offset, limit;    /* hits to skip and to return; SIZE_MAX: all */
    size_t per_file;         /* hits to return per file, 0: all; totals count all */
    size_t spread;           /* hits of a file before the rest comes; 0: by path. With it,
                                attachments come after notes */
    unsigned within_ms;      /* time for it, without embedding; 0: no limit */
    struct stop stop;        /* asked by several threads; the result is then partial */
    struct pool *pool;       /* shares the work; may be NULL */
    struct meaning *meaning; /* NULL: there are no vectors */
};

struct search_hit {
    const struct file *file;
    enum search_where where;
    uint32_t line;   /* from 1; 0 for a name */
    uint32_t column; /* of the match, in characters from 1; 0 for a name */
    str snippet; /* text around the match, which is in **bold**; for a name the path */
    str text;    /* the line as stored, cut at SEARCH_LINE_MAX; empty for a name */
    str match;   /* the first match in text or in a name's path; for a tag without
                    text the tag */
    const struct textscan_mark *marks; /* all matches in text, with all_marks */
    size_t n_marks;
    uint32_t more_in_file; /* with per_file: hits that the file has besides this one and
                              those before it, if it is the last that is returned */
    float score;           /* of ranked modes */

    /* of a note that is near: */
    float meaning; /* cosine; 0: that is not why it is here */
    uint32_t from; /* the line where the chunk that is near begins; 0: it is another */
    str heading;   /* of that chunk; may be empty */
};

/* A file, and how many hits it has. */
struct search_count {
    const struct file *file;
    size_t hits;
};

struct search_result {
    struct search_hit *hits;
    size_t n;
    enum search_mode mode; /* the one that was used, never auto; of fused ones meaning,
                              or words if there are no vectors */
    size_t total;          /* all hits, regardless of limit and per_file */
    size_t files;          /* with hits */
    bool more;             /* a larger offset gives more hits */
    bool partial;          /* a deadline, stop or limit was hit: totals may be too low */
    size_t unread; /* files that pass the filters but are too large or unreadable: only
                      their names were searched */
    str unread_in[SEARCH_UNREAD]; /* the first of them */
    struct search_count *by_file; /* with by_file; by path, or as ranked by mode words */
    size_t n_by_file;
    str corrected;           /* "compost (for compst)": what was searched instead of words
                                that no note has; or empty */
    bool unquoted;           /* nothing has the phrase: these were found without quotes */
    str no_meaning;          /* why semantic search was not used, or empty */
    unsigned covered;        /* by meaning: percent of the chunks that have vectors */
    size_t exact;            /* auto: files that have the text, if others match better */
    struct search_hit *near; /* auto: notes without the text, best first */
    size_t n_near;
    bool any; /* words: no file, even without filters, has all of them; these have
                      some */

    /* When nothing was found: */
    str *suggestions; /* corrections of unknown words, and similar titles */
    size_t n_suggestions;
    size_t with_words; /* text: files that have all its words separately or in other
                          forms; SEARCH_WORDS would find them */
};

/* A search, and what is known of it after each step. */
struct search_plan;

/* Read the query, once for all modes that may be tried; s must outlive the plan, which
 * is in the arena. What is wrong with the query is an error of the next steps. */
struct search_plan *search_read(struct arena *a, const struct search *s);

/* Whether the query has phrases in quotes that are not part of an operator, and is
 * otherwise plain text. */
bool search_is_phrases(str query);

/* The search that it was read from; and after search_find() the text that is to be
 * embedded for it, which has corrected words. */
const struct search *search_of(const struct search_plan *p);
str search_question(const struct search_plan *p);

/*
 * Search the files for the text. Fails with ERR_LIMIT above a limit (one of these, the
 * mode's limit for its query, or that of memory), and with ERR_INVALID if the query or
 * a glob is not valid; the message says where.
 */
MUST_CHECK bool search_find(const struct index *x, struct search_plan *p,
                            struct err *err);

/* After it: whether search_rank() ranks notes by meaning, and needs the query as a
 * vector. The index may be released to embed it; if it changed meanwhile, call
 * search_find() again. */
bool search_needs_vector(const struct search_plan *p);

/* Whether vectors, if there were any, would decide what is found: no file has the text, or notes
 * are ranked instead. Notes that are only added to it are not worth opening a model. */
bool search_could_use_vector(const struct search_plan *p);

/* The result, with ranked notes where they are needed. question may be NULL. Fails as
 * search_find(). */
MUST_CHECK bool search_rank(const struct index *x, struct search_plan *p,
                            const struct meaning_query *question,
                            struct search_result *out, struct err *err);

/* All three steps. */
MUST_CHECK bool search_run(const struct index *x, struct arena *a, const struct search *s,
                           struct search_result *out, struct err *err);

/*
 * Whether the mode is text, or the first that would be tried, and the result depends only
 * on files that have the query in their path, a tag or a line, if there are any
 * (vault_early_index).
 */
bool search_is_for_text(const struct search_plan *p);
