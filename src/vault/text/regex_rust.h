/*
 * regex_rust - the front end of regex.h: reads Rust's regex syntax as ripgrep 13 does and
 * writes PCRE2's. Private to regex*.c; knows nothing of the engine.
 *
 * What it writes never matches a line feed, so that the engine may be given many lines at
 * once (multi-line mode, newline LF, no UCP: every class is spelt out). Groups capture
 * nothing unless asked for. regex_rust.c reads the structure, regex_lex.c letters and
 * escapes, regex_class.c classes, regex_names.c knows properties, regex_set.c writes
 * classes.
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

/* What the pattern written is for. */
enum rust_target {
    RUST_UTF,   /* UTF-8, with invalid bytes in it */
    RUST_ASCII, /* text of ASCII only: smaller and faster classes, no UTF */
    RUST_BYTES, /* bytes: patterns with (?-u) that name any */
};

struct rust_options {
    enum rust_target target;
    bool nocase;
    bool guard;    /* a callout behind everything that may be tried in several ways */
    bool captures; /* groups are remembered; every place is tried, not only line starts */
    /* Whether the engine knows \p{name}. */
    bool (*is_property)(const char *name);
    /* Whether the atom, as written, takes c; NULL: assume so. */
    bool (*takes)(str atom, bool nocase, uint32_t c);
};

struct rust_program {
    str text;         /* for the engine */
    bool bytes;       /* only RUST_BYTES will do */
    bool wide;        /* the RUST_ASCII form differs */
    bool never_ascii; /* every match holds more than ASCII */

    /* It matches just these words, or nothing is known: n_words is 0. */
    const str *words;
    size_t n_words;
    bool words_nocase;

    /* Every match holds this text; may be empty. */
    str needed;
    bool needed_nocase;

    /* How much trying it may need: 2^choices * (line length)^repeats / repeats!. */
    double choices;
    unsigned repeats;

    /* One name for each capturing group in order, empty or not, each with a NUL. */
    str group_names;
    unsigned n_groups;

    /* Classes that Rust refuses if they are empty: where they stand and what they became.
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
    struct sbuf names; /* of capturing groups, empty or not, each with a NUL */
};

/* Shared by these files. at is where the mistake stands. */
bool rust_fail(struct rust_parser *p, size_t at, const char *what);
uint32_t rust_char(const struct rust_parser *p); /* at the cursor; 0 at the end */
bool rust_ended(const struct rust_parser *p);
bool rust_bump(struct rust_parser *p);        /* false at the end then */
void rust_skip_blanks(struct rust_parser *p); /* with (?x) */
bool rust_bump_blanks(struct rust_parser *p); /* bump, then skip_blanks */
uint32_t rust_peek(const struct rust_parser *p, bool skip_blanks); /* 0: the end */
void rust_write_char(struct sbuf *b, uint32_t c); /* escaped, in a class or not */
bool rust_is_blank(uint32_t c);
bool rust_is_caseless(const struct rust_parser *p); /* how classes here are written */
void rust_set_caseless(struct rust_parser *p, bool on);

/* A class, as read. */
struct rust_set {
    enum { SET_LEAF, SET_UNION, SET_AND, SET_SUB, SET_XOR } kind;
    bool negated;
    bool breaks; /* a leaf that may hold the line feed */
    bool all;    /* a leaf that may leave nothing when negated */
    bool plain;  /* ASCII only: may stand among bytes */
    str body;    /* of a leaf, as in a bracket; may be empty */
    str other;   /* its complement as in a bracket, if it has such a form */
    struct rust_set *first, *next; /* children of a union; two of the others */
};

/* What one escape or character stands for. */
struct rust_item {
    enum { RUST_CHAR, RUST_SET, RUST_ASSERT } kind;
    size_t start;         /* in the pattern */
    uint32_t c;           /* the character, or A z b B */
    bool byte;            /* written \xHH: a byte under (?-u) */
    struct rust_set *set; /* a class */
};

/* With the cursor on a backslash. */
bool rust_escape(struct rust_parser *p, struct rust_item *out);

/* d s w D S W; p P with the cursor on the letter; a bracket with the cursor on it. */
struct rust_set *rust_perl_class(struct rust_parser *p, char letter);
bool rust_property(struct rust_parser *p, struct rust_set **out);
bool rust_bracket(struct rust_parser *p, struct rust_set **out);

/* A property by any of its names, as a leaf; false if there is none. */
bool rust_find_property(struct rust_parser *p, str name, struct rust_set *leaf);

/* Write the class that stands at byte at as one atom. */
bool rust_write_set(struct rust_parser *p, const struct rust_set *set, size_t at);

/* The class of word characters, with brackets, for \b. */
str rust_word_class(const struct rust_parser *p);

/* What is known of a part of the pattern, beside its text. */
struct rust_part {
    double choices;
    unsigned repeats;
    str *words; /* it is one of these, or n_words is 0 */
    size_t n_words;
    bool words_nocase;
    str needed;
    bool needed_nocase;
    bool never_ascii;
    bool forks; /* alternatives are in it */
};

/* One sequence being read. */
struct rust_concat {
    struct rust_part sum, last; /* of the atoms before the last, and of the last */
    size_t atoms;
    bool have;    /* the last may be repeated */
    size_t start; /* of the last, in the output */
    bool single;  /* it needs no parentheses to be repeated */
    bool group;
    unsigned stacked;
    bool word_end;   /* it is one ASCII word character */
    struct sbuf run; /* the characters since something else stood there */
    size_t run_last; /* bytes of the last atom in it */
    bool run_nocase, pure;
    str repeated; /* the last atom before it was repeated, if it is one character */
    double freed_choices; /* taken from the atom before: it cannot be tried again */
    unsigned freed_repeats;
    size_t lead_at; /* where the sequence begins with lead, repeated without end */
    str lead;
};

enum { RUST_REPEATS_MANY = 1000, RUST_CHOICES_MANY = 1000 };

/* An atom that is no plain character begins at the end of the output. */
void rust_begin_other(struct rust_parser *p, struct rust_concat *c);
/* One atom that is no group. */
bool rust_read_primitive(struct rust_parser *p, struct rust_concat *c);
/* Write quantifier behind the last atom, which fits min to max times. */
bool rust_repeat(struct rust_parser *p, struct rust_concat *c, uint32_t min, uint32_t max,
                 str quantifier, bool greedy);
/* Nothing more comes: fill c->sum with all that is known. */
void rust_finish_concat(struct rust_parser *p, struct rust_concat *c);
