/*
 * regex_engine - shared by regex.c, which knows PCRE2, and regex_lines.c, which knows
 * lines. Private to them.
 */
#pragma once

#include "vault/text/needles.h"
#include "vault/text/regex.h"

struct pcre2_real_code_8;
struct pcre2_real_match_data_8;
struct pcre2_real_match_context_8;
struct pcre2_real_jit_stack_8;

/* See regex.c. */
enum regex_program { REGEX_TEXT, REGEX_ASCII, REGEX_GUARD, REGEX_PROGRAMS };

struct regex {
    struct arena arena;
    struct pcre2_real_code_8 *code[REGEX_PROGRAMS]; /* TEXT is NULL if exact is set */
    const struct needles *words;                    /* all that the pattern matches */
    const struct needles *needed;                   /* every match contains this */
    const str *literals;                            /* the texts of words or needed */
    size_t n_literals;
    bool exact;        /* words find everything; no engine needed */
    str group_names;   /* see regex_rust.h */
    unsigned n_groups; /* with REGEX_GROUPS */
    bool never_ascii;  /* lines of ASCII cannot match */
    bool spans;        /* with REGEX_SPAN: it depends on more than one line */
    bool captures;     /* made with REGEX_GROUPS */
    size_t
        plain_max; /* longer lines are run with GUARD, which exists if there can be any */
};

struct regex_scratch {
    struct pcre2_real_match_data_8 *data;
    struct pcre2_real_match_context_8 *context;
    struct pcre2_real_jit_stack_8 *stack;

    /* of the current call */
    bool (*stop)(void *arg);
    void *stop_arg;
    bool stopped, limited;
    unsigned callouts;
    uint64_t deadline;
};

enum regex_found { REGEX_FOUND, REGEX_NOT_FOUND, REGEX_LIMITED };

/*
 * Run one program over text[from, to); the text before from is visible to assertions, but
 * not matched. cut: the line continues after to.
 */
enum regex_found regex_run(const struct regex *r, struct regex_scratch *s,
                           enum regex_program program, str text, size_t from, size_t to,
                           bool cut, size_t hit[2]);

/*
 * The first n groups of the last match, 0 being the whole match; start is REGEX_NO_GROUP
 * for groups that did not take part.
 */
void regex_groups(const struct regex_scratch *s, struct regex_group *out, size_t n);
