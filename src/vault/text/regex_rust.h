/*
 * regex_rust - the front end of regex.h: reads Rust's regex syntax as ripgrep 13 does and
 * writes PCRE2's. Private to regex*.c; knows nothing of the engine.
 *
 * Unless options say so, the output never matches a line feed, so the engine can be given many lines in one run
 * (multi-line mode, newline LF, no UCP: every class is spelled out). Groups capture
 * nothing unless options say so. regex_rust.c reads the structure, regex_lex.c characters
 * and escapes, regex_atom.c atoms and repetition, regex_class.c classes; regex_names.c
 * knows properties, regex_set.c writes classes.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "base/str.h"

enum {
    RUST_DEPTH_MAX = 250,     /* as Rust */
    RUST_REPEAT_MAX = 65535,  /* PCRE2's */
    RUST_OUT_MAX = 256 << 10, /* bytes written */
    RUST_WORDS_MAX = 32,
    RUST_CHECKS_MAX = 16, /* classes that may be empty */
};

/* The text for which a pattern is written. */
enum rust_target {
    RUST_UTF,   /* UTF-8 that may contain invalid bytes */
    RUST_ASCII, /* ASCII text: smaller and faster classes, no UTF mode */
    RUST_BYTES, /* bytes, for patterns that match single bytes with (?-u) */
};

struct rust_options {
    enum rust_target target;
    bool nocase;
    bool guard;    /* a callout after everything that may be matched in several ways */
    bool captures; /* groups capture; every place is tried, not only line starts */
    bool feeds;    /* line feeds are matched as any other character */
    /* Whether the engine knows \p{name}. */
    bool (*is_property)(const char *name);
    /* Whether the atom, as written, matches c; NULL: assume that it does. */
    bool (*takes)(str atom, bool nocase, uint32_t c);
};

struct rust_program {
    str text;         /* for the engine */
    bool bytes;       /* it must be written for RUST_BYTES */
    bool wide;        /* the RUST_ASCII form differs */
    bool never_ascii; /* no match is all ASCII */
    bool spans;       /* it depends on more than one line, if options.takes was given */

    /* It matches exactly these words; n_words is 0 if that is not known. */
    const str *words;
    size_t n_words;
    bool words_nocase;

    /* Every match contains this text, which may be empty. */
    str needed;
    bool needed_nocase;

    /* How much backtracking it may need: 2^choices * (line length)^repeats / repeats!. */
    double choices;
    unsigned repeats;

    /*
     * The name of each capturing group in order, empty if it has none, each followed by
     * NUL.
     */
    str group_names;
    unsigned n_groups;

    /*
     * Classes that Rust refuses if they are empty: their position and what was written.
     */
    struct rust_check {
        size_t at;
        str text;
    } checks[RUST_CHECKS_MAX];
    size_t n_checks;
};

/* Fails with ERR_INVALID, naming the byte and what is wrong, or ERR_LIMIT. */
MUST_CHECK bool rust_translate(struct arena *a, str pattern,
                               const struct rust_options *options,
                               struct rust_program *out, struct err *err);

/* "(?i)" and so on. */
enum {
    RUST_NOCASE = 1,
    RUST_LINES = 2,
    RUST_DOT_ALL = 4,
    RUST_SWAP_GREED = 8,
    RUST_UNICODE = 16,
    RUST_BLANKS = 32, /* x */
};

struct rust_parser {
    struct arena *arena;
    struct err *err;
    str in;
    size_t at;
    unsigned flags, depth, groups;
    const struct rust_options *options;
    struct rust_program *program;
    struct sbuf out;
    bool caseless;     /* the engine's state at the end of out */
    struct sbuf names; /* as group_names of struct rust_program */
};

/* Shared by these files. at is the position of the mistake. */
bool rust_fail(struct rust_parser *p, size_t at, const char *what);
uint32_t rust_char(const struct rust_parser *p); /* at the cursor; 0 at the end */
bool rust_ended(const struct rust_parser *p);
bool rust_bump(struct rust_parser *p);        /* false if that was the last one */
void rust_skip_blanks(struct rust_parser *p); /* with (?x) */
bool rust_bump_blanks(struct rust_parser *p); /* bump, then skip */
uint32_t rust_peek(const struct rust_parser *p, bool skip_blanks); /* 0: the end */
void rust_write_char(struct sbuf *b, uint32_t c); /* escaped, in a class or not */
bool rust_is_blank(uint32_t c);
bool rust_is_caseless(const struct rust_parser *p); /* for classes at the cursor */
void rust_set_caseless(struct rust_parser *p, bool on);

/* A class, as read. */
struct rust_set {
    enum { SET_LEAF, SET_UNION, SET_AND, SET_SUB, SET_XOR } kind;
    bool negated;
    bool breaks; /* a leaf that may contain the line feed */
    bool all;    /* a leaf that may be empty if negated */
    bool plain;  /* ASCII only: may be mixed with bytes */
    str body;    /* of a leaf, as written in a bracket; may be empty */
    str other;   /* its complement as written in a bracket, if there is one */
    struct rust_set *first, *next; /* children of a union; two of the others */
};

/* The meaning of one escape or character. */
struct rust_item {
    enum { RUST_CHAR, RUST_SET, RUST_ASSERT } kind;
    size_t start;         /* in the pattern */
    uint32_t c;           /* the character, or A z b B */
    bool byte;            /* written \xHH: a byte under (?-u) */
    struct rust_set *set; /* a class */
};

/* With the cursor on a backslash. */
bool rust_escape(struct rust_parser *p, struct rust_item *out);

/*
 * Classes: d s w D S W; p and P with the cursor on the letter; a bracket with the cursor
 * on it.
 */
struct rust_set *rust_perl_class(struct rust_parser *p, char letter);
bool rust_property(struct rust_parser *p, struct rust_set **out);
bool rust_bracket(struct rust_parser *p, struct rust_set **out);

/* Find a property by any of its names, as a leaf; false if there is none. */
bool rust_find_property(struct rust_parser *p, str name, struct rust_set *leaf);

/* Write the class that begins at byte at as one atom. */
bool rust_write_set(struct rust_parser *p, const struct rust_set *set, size_t at);

/* The class of word characters, with brackets, for \b. */
str rust_word_class(const struct rust_parser *p);

/* What is known about a part of the pattern, besides its text. */
struct rust_part {
    double choices;
    unsigned repeats;
    str *words; /* it matches exactly these, or n_words is 0 */
    size_t n_words;
    bool words_nocase;
    str needed;
    bool needed_nocase;
    bool never_ascii;
    bool forks; /* it contains alternatives */
};

/* The sequence that is being read. */
struct rust_concat {
    struct rust_part sum, last; /* of the atoms before the last, and of the last */
    size_t atoms;
    bool have;    /* the last may be repeated */
    size_t start; /* of the last, in the output */
    bool single;  /* it needs no parentheses to be repeated */
    bool group;
    unsigned stacked;
    bool word_end;   /* it is one ASCII word character */
    struct sbuf run; /* the literal characters since any other atom */
    size_t run_last; /* bytes of the last atom in it */
    bool run_nocase, pure;
    str repeated; /* the last atom without its quantifier, if it is one character */
    double freed_choices; /* taken from the atom before, which matches in one way only */
    unsigned freed_repeats;
    size_t lead_at; /* of lead: the sequence begins with it, repeated without a maximum */
    str lead;
};

enum { RUST_REPEATS_MANY = 1000, RUST_CHOICES_MANY = 1000 };

/* Begin an atom that is not a plain character at the end of the output. */
void rust_begin_other(struct rust_parser *p, struct rust_concat *c);
/* Read one atom that is not a group. */
bool rust_read_primitive(struct rust_parser *p, struct rust_concat *c);
/* Write quantifier after the last atom, which matches min to max times. */
bool rust_repeat(struct rust_parser *p, struct rust_concat *c, uint32_t min, uint32_t max,
                 str quantifier, bool greedy);
/* The sequence is complete: fill c->sum with all that is known. */
void rust_finish_concat(struct rust_parser *p, struct rust_concat *c);
