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
 * A flag overrides the environment, which overrides the default; an empty variable counts
 * as unset, and if a flag is repeated the last one wins. Rows of a group answer one question,
 * so there a flag also overrides the environment of the others, and so on. Flags are --name VALUE,
 * --name=VALUE, --name for a switch (also --no-name), and -x if the row has a letter. A
 * wrong value fails with ERR_INVALID and a message that names the setting, the value and
 * what is accepted; an unknown flag likewise, with the most similar known flag.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"

enum option_type {
    OPTION_STR,
    OPTION_PATH,   /* str: a path of this machine, as system_path() gives it */
    OPTION_INT,    /* int64_t within min..max */
    OPTION_SWITCH, /* bool */
    OPTION_CHOICE, /* int: index into choices */
    OPTION_LIST,   /* struct option_list; a flag may be repeated, values may be
                      comma-separated (see whole); commas in {braces} do not separate */
};

struct option_list {
    str *items;
    size_t n;
};

struct option {
    const char *flag;  /* without dashes; NULL ends the table */
    const char *env;   /* "A" or "A|B": aliases; two with different values are an error */
    const char *value; /* the name of the value in the help: "FOLDER" */
    const char *about; /* one sentence */
    const char *dflt;  /* as typed by a user; NULL: empty, 0, off */
    enum option_type type;
    size_t offset; /* in the settings struct */
    int64_t min, max;
    const char *const *choices; /* ends with NULL */
    bool whole;                 /* of a list: commas do not separate */
    char letter;                /* short flag, or 0 */
    const char *heading;        /* of the part that begins with this row, or NULL */
    const char *group;          /* of rows that answer the same question, or NULL */
};

/* Where a value is from: the lowest first. */
enum option_source { OPTION_BY_DEFAULT, OPTION_BY_ENVIRONMENT, OPTION_BY_FLAG };

#define OPTION(settings, member, kind, flag_, env_, dflt_, value_, about_, ...)          \
    {                                                                                    \
        .flag = (flag_), .env = (env_), .value = (value_), .about = (about_),            \
        .dflt = (dflt_), .type = (kind), .offset = offsetof(settings, member),           \
        __VA_ARGS__                                                                      \
    }

/*
 * Fill settings from argv[1..] and the environment. Words that are not flags are
 * collected in *words (borrowed): also arguments that begin with '-' but no letter, or
 * have several lines, and everything after "--". argv and the environment must outlive
 * the settings; lists are in the arena.
 */
MUST_CHECK bool options_parse(struct arena *a, const struct option *table, int argc,
                              char **argv, void *settings, struct option_list *words,
                              struct err *err);

/* What sets it, even if to the same value as the default. */
enum option_source options_source(const struct option *table, const char *flag, int argc,
                                  char **argv);
/* The highest in a group. */
enum option_source options_group_source(const struct option *table, const char *group,
                                        int argc, char **argv);

/* Whether a flag or the environment sets it. */
bool options_given(const struct option *table, const char *flag, int argc, char **argv);

/* The table as a help text of at most 80 columns; as Markdown, with one table per group.
 */
void options_help(const struct option *table, struct sbuf *out);
void options_markdown(const struct option *table, struct sbuf *out);
