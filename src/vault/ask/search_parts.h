/*
 * search_parts - a search while it runs. Private to search*.c.
 *
 * A mode that looks at every file is an engine: it counts the hits of each file on any
 * thread, then shows the requested ones on the caller's thread.
 */
#pragma once

#include <stdatomic.h>

#include "vault/ask/query.h"
#include "vault/ask/query_match.h"
#include "vault/ask/search.h"
#include "vault/eval/filter.h"
#include "vault/index/words.h"
#include "vault/index/words_query.h"
#include "vault/text/regex.h"
#include "vault/text/textscan.h"

/* Hits are ordered by group, at most these; names and tags are groups of their own. */
enum { SEARCH_GROUPS = 6 };

struct search_file {
    const struct file *file;
    uint32_t bytes; /* of text to be read; 0: it cannot match */
    float score;    /* with by_score, of files with hits */
    bool last;      /* with spread, an attachment: after notes of this score */
    uint32_t counts[SEARCH_GROUPS]; /* hits */
};

/* What is left to do after the files were searched. */
enum search_ranks {
    SEARCH_COMPLETE,
    SEARCH_ADDS_NEAR, /* few files have the text: rank notes, too */
    SEARCH_RANKS,     /* rank notes instead */
};

struct search_plan {
    const struct search *asked;
    const struct search *search; /* the same, or that with corrected words */
    struct arena *arena;
    str corrected;             /* what was corrected, or empty */
    bool unquoted;             /* the query is without the quotes of its phrases */
    enum search_mode modes[3]; /* to try, one after the other */
    size_t n_modes;
    const struct query *query; /* NULL: no mode needs it, or no_query says why not */
    struct words_query words;
    bool has_words; /* the same: else no_words */
    struct err no_query, no_words;
    size_t text_words;          /* of auto, if text is the first mode */
    uint64_t deadline;          /* clock_ns(); 0: none */
    struct search_result found; /* of search_find() */
    bool has_found;
    struct err failed; /* of its first mode, if nothing was found */
    enum search_ranks ranks;
};

struct search_job {
    const struct index *index;
    const struct search_plan *plan;
    const struct search *search; /* in one mode */
    struct arena *arena;         /* of the result */
    struct filter filter;
    const struct search_engine *engine;
    struct regex *regex;           /* of regex */
    struct query_matcher *matcher; /* of query */
    bool every_kind;               /* of query: it asks for names of any file */
    uint64_t *texts;       /* files whose texts can match, bits by id; NULL: all */
    uint64_t *names;       /* the same for paths; NULL: none, or all if texts are */
    const str *name_words; /* of names: those of the query, folded */
    size_t n_name_words;
    struct search_file *files; /* accepted by the filter and the engine, by id */
    size_t n;
    struct search_worker *workers;
    size_t n_workers;
    uint64_t deadline;
    struct stop stop; /* asks search_stopped(): for loops over files */
    atomic_bool stopped, limited;
    struct search_result *out;
};

/* State of one thread, prepared when it gets its first piece of work. */
struct search_worker {
    struct search_job *job;
    bool ready;
    struct textscan *scan, *tag_scan;
    struct regex_scratch *scratch;
    struct arena arena;
};

struct search_engine {
    size_t groups;
    size_t names; /* the first groups, if they are names that come before contents */
    /* Called once, on the caller's thread; may be NULL. */
    bool (*open)(struct search_job *job, struct err *err);
    bool (*takes)(const struct search_job *job, const struct file *f);
    /* If this succeeds for the first worker, it succeeds for all. */
    bool (*prepare)(struct search_worker *w, struct err *err);
    void (*count)(struct search_worker *w, struct search_file *f);
    /* Add hits [skip, skip + take) of that group, which were counted. */
    void (*show)(struct search_worker *w, const struct search_file *f, size_t group,
                 size_t skip, size_t take);
};

extern const struct search_engine search_text, search_regex, search_query, search_names;

/* The time of the search begins now. */
void search_set_deadline(struct search_plan *p);

/* Begin a search in one mode: s is that of the plan with its mode. Close it, also if that
 * fails. */
MUST_CHECK bool search_open_job(struct search_job *job, const struct index *x,
                                const struct search_plan *p, const struct search *s,
                                struct search_result *out, struct err *err);
void search_close_job(struct search_job *job);

/* Complete the result; fails if the search needs too much memory. */
MUST_CHECK bool search_finish(struct search_job *job, struct err *err);

/* A search in a mode that is not ranked by meaning, from query to result. */
MUST_CHECK bool search_in_mode(const struct index *x, const struct search_plan *p,
                               const struct search *s, struct search_result *out,
                               struct err *err);

/* Mode words. */
MUST_CHECK bool search_words(struct search_job *job, struct err *err);

/* words_search() or words_rank() over the files that pass the filters. */
typedef void (*search_words_fn)(const struct words *w, struct arena *a,
                                const struct words_query *query, size_t offset,
                                size_t limit, words_text_fn text, void *arg,
                                struct words_result *out);
void search_find_words(struct search_job *job, search_words_fn find, size_t offset,
                       size_t limit, struct words_result *out);

/* words_filter() of the query. */
struct words_set search_filter_words(struct search_job *job);

/* Whether to give up; arg is the job. Any thread. */
bool search_stopped(void *arg);

/* Called between finding and showing: extends the deadline a little, so that hits which
 * were found in time are still shown. */
void search_begin_grace(struct search_job *job);

/* Look only at files that may contain one of the texts, if the index knows which. */
void search_prefilter(struct search_job *job, const str *texts, size_t n);

/* After that: also at files that may have one of these texts in their paths. Fails if a
 * text is invalid. */
MUST_CHECK bool search_prefilter_names(struct search_job *job, const str *texts, size_t n,
                                       struct err *err);

/* Only paths are looked at, of all files. */
void search_no_texts(struct search_job *job);

/* Whether the filter and the engine take the file. */
bool search_asks(struct search_job *job, const struct file *f);

/* Report the files that pass the filters, but could not be read. */
void search_unread(struct search_job *job);

/* Fill job->files with the files to search, and count the unreadable ones. */
void search_select(struct search_job *job);

/* Suggest what to try when nothing was found. */
void search_suggest(struct search_job *job);

/* --- search_hit.c --- */

/* Where a path has the query: its name is the query, begins with it, contains it, or only
 * its folder does. */
enum search_rank { SEARCH_IS, SEARCH_BEGINS, SEARCH_CONTAINS, SEARCH_FOLDER, SEARCH_NOT };

/* The best match in the path is in mark. */
enum search_rank search_rank_path(struct textscan *scan, str path,
                                  struct textscan_mark *mark);

/* Add a hit in the content: text[start, end), which begins on that line. */
struct search_hit *search_add_line(struct search_job *job, const struct file *f, str text,
                                   uint32_t line, size_t start, size_t end);

/* With all_marks: add a match in the text of the last hit; bytes that were cut off do not
 * count. False if there is no room for more. */
bool search_add_mark(struct search_job *job, size_t start, size_t end);

/* Add a hit in the name; an empty match is not made bold. */
struct search_hit *search_add_name(struct search_job *job, const struct file *f,
                                   size_t start, size_t end);
