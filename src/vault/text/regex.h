/*
 * regex - regular expressions as ripgrep takes them: Rust's syntax, PCRE2's engine.
 *
 * A front end (regex_rust.h) reads Rust-regex syntax as rg 13 does, refuses what Rust
 * refuses (look-around, back-references, ...) with the position, and translates the rest.
 * Matching is line by line like rg without --multiline and --crlf: no match spans lines,
 * ^ and \A are the start of a line, $ and \z its end, the CR of a CRLF is part of its line.
 * Unlike in rg, a lone CR ends a line (base/text.h). Only
 * replacements match as rg does with --multiline (REGEX_SPAN). Text may
 * hold invalid UTF-8, which only (?-u) bytes match. Differences from rg: \p{age=}, gcb=,
 * wb= and sb= are unknown, \p{sc!=...} negates, and (?-u) bytes cannot be mixed with
 * Unicode classes in one pattern.
 *
 * Match, line and time limits hold for every pattern (SEC-71).
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum {
    REGEX_PATTERN_MAX = 4096,  /* bytes */
    REGEX_LINE_MAX = 16 << 10, /* bytes of lines that are searched together; a longer line
                                   that takes too long is searched in pieces of it */
    REGEX_OVERLAP = 4 << 10,   /* of these pieces */
    REGEX_STEPS_MAX = 1000000, /* of the engine, its match limit */
    REGEX_HEAP_MAX_KIB = 20480, /* if it runs without JIT */
    REGEX_STACK_MAX = 1 << 20,  /* bytes, of JIT code */
    REGEX_GROUPS_MAX = 99,      /* that capture, with REGEX_GROUPS */
    REGEX_LINE_MS = 200,        /* for one line, if the pattern may backtrack a lot */
    REGEX_TEXT_MS = 2000, /* the same for a match that may span lines, and for one that is
                             replaced in a line of more than REGEX_LINE_MAX */
};

struct regex;

enum {
    REGEX_NOCASE = 1,  /* the whole pattern, by Unicode's simple folding */
    REGEX_LITERAL = 2, /* the pattern is plain text */
    REGEX_BREAKS = 4,  /* with LITERAL: it may contain line breaks; for regex_find only */
    REGEX_GROUPS = 8,  /* for regex_captures only, which is slower than regex_find */
    REGEX_SPAN = 16, /* with GROUPS: as rg --multiline. A dot matches no line feed unless
                          (?s) is set, but \n, \s, [^x] and the like do. */
    REGEX_JAVASCRIPT = 32, /* JavaScript's syntax and meaning; for regex_captures_text */
    REGEX_MULTILINE = 64,  /* with it: its flags m and s */
    REGEX_DOTALL = 128,
};

/*
 * A regex is immutable: any number of threads may use it, each with its own scratch.
 * Fails with ERR_INVALID, naming the byte (from 0) and what is wrong, or ERR_LIMIT.
 */
MUST_CHECK bool regex_compile(str pattern, unsigned flags, struct regex **out,
                              struct err *err);
void regex_free(struct regex *r);

/*
 * Every match contains one of these texts, upper and lower case ignored. 0: nothing is
 * known.
 */
size_t regex_literals(const struct regex *r, const str **out);

/* Engine memory and counters, for any regex and one thread at a time. */
struct regex_scratch;
struct regex_scratch *regex_scratch_create(void);
void regex_scratch_free(struct regex_scratch *s);

struct regex_hit {
    uint32_t line;                 /* from 1 */
    uint32_t line_start, line_end; /* bytes of the text, without the line feed */
    uint32_t start, end;           /* of the first match on that line */
};

/*
 * Call fn for every line of text that matches, in order, until it returns false. stop, if
 * not NULL, is polled now and then. False if a limit was hit or stop returned true: some
 * lines may be missing then, and of a long line the hit may be a part of the match. text is
 * shorter than 4 GiB.
 */
bool regex_lines(const struct regex *r, struct regex_scratch *s, str text,
                 bool (*fn)(void *arg, const struct regex_hit *hit), void *arg,
                 bool (*stop)(void *arg), void *stop_arg);

/* The first match in one line without line feeds; false if there is none. */
bool regex_find(const struct regex *r, struct regex_scratch *s, str line, uint32_t *start,
                uint32_t *end);

/*
 * Bytes [start, end) of a line; start is REGEX_NO_GROUP if the group did not take part in
 * the match.
 */
#define REGEX_NO_GROUP UINT32_MAX
struct regex_group {
    uint32_t start, end;
};

/*
 * The first match in line that begins at from or later; ^ and \b see the text before
 * from. r was made with REGEX_GROUPS. groups[0] is the whole match, then come
 * regex_n_groups() more. False if there is none or, with *limited set, if a limit was
 * hit.
 */
bool regex_captures(const struct regex *r, struct regex_scratch *s, str line, size_t from,
                    struct regex_group groups[REGEX_GROUPS_MAX + 1], bool *limited);

/* The same in a text of many lines, for a regex of which regex_spans() is true, or one in
 * JavaScript's syntax. */
bool regex_captures_text(const struct regex *r, struct regex_scratch *s, str text,
                         size_t from, struct regex_group groups[REGEX_GROUPS_MAX + 1],
                         bool *limited);

/* Whether the regex, made with REGEX_SPAN, must see the whole text: it can match a line
 * feed, or the start or end of the text. If not, lines may be matched one by one. */
bool regex_spans(const struct regex *r);

unsigned regex_n_groups(const struct regex *r);

/* The number of the group with that name, or 0. */
unsigned regex_group_named(const struct regex *r, str name);
