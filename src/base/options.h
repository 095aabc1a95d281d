/*
 * options - settings from one table: flags, environment, defaults, help, docs.
 *
 *     struct settings { str vault; bool stdio; int64_t port; };
 *     static const struct option table[] = {
 *         OPTION(struct settings, vault, OPTION_STR, "vault-path", "VAULT_PATH", NULL,
 *                "FOLDER", "The vault to serve"),
 *         {0},
 *     };
 *
 * A flag wins over the environment, which wins over the default; a variable that is set
 * to nothing counts as unset, and of repeated flags the last one wins. Flags are
 * --name VALUE, --name=VALUE, --name for a switch (also --no-name), and -x where a short
 * letter is given. A wrong value or an unknown flag fails with ERR_INVALID and a sentence
 * that names the setting, what it got and what it takes; unknown flags come with the
 * nearest known one.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"

enum option_type {
    OPTION_STR,
    OPTION_INT,    /* int64_t within min..max */
    OPTION_SWITCH, /* bool */
    OPTION_CHOICE, /* int: index into choices */
    OPTION_LIST,   /* struct option_list; a flag may be repeated, values may be
                      comma-separated, but for commas in {braces} */
};

struct option_list {
    str *items;
    size_t n;
};

struct option {
    const char *flag; /* without dashes; NULL ends the table */
    const char
        *env; /* "A" or "A|B": other names of the same; two that differ are an error */
    const char *value; /* what the help calls the value: "FOLDER" */
    const char *about; /* one sentence */
    const char *dflt;  /* as it would be typed; NULL: empty, 0, off */
    enum option_type type;
    size_t offset; /* in the settings struct */
    int64_t min, max;
    const char *const *choices; /* ends with NULL */
    char letter;                /* short flag, or 0 */
    const char *heading;        /* of the group that begins with this row, or NULL */
};

#define OPTION(settings, member, kind, flag_, env_, dflt_, value_, about_, ...)          \
    {                                                                                    \
        .flag = (flag_), .env = (env_), .value = (value_), .about = (about_),            \
        .dflt = (dflt_), .type = (kind), .offset = offsetof(settings, member),           \
        __VA_ARGS__                                                                      \
    }

/*
 * Fill settings from argv[1..] and the environment. Words that are no flags are collected
 * in *words (borrowed): so is what begins with '-' and no letter, or has several lines;
 * everything behind "--" is a word. argv and the environment must
 * outlive the settings; lists live in the arena.
 */
MUST_CHECK bool options_parse(struct arena *a, const struct option *table, int argc,
                              char **argv, void *settings, struct option_list *words,
                              struct err *err);

/* Whether the setting was given by flag or environment (true) or is the default. */
bool options_given(const struct option *table, const char *flag, int argc, char **argv);

/* The table as a help text of at most 90 columns, and as a Markdown table, or one for
 * each group. */
void options_help(const struct option *table, struct sbuf *out);
void options_markdown(const struct option *table, struct sbuf *out);
