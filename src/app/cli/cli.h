/*
 * cli - what the verbs for people have in common: they open the vault, wait for its index
 * and print, for a terminal or with --json for a script.
 *
 * A verb is a row of a table, with options of its own. Its options begin with struct
 * cli_common. The vault is that of --vault, which names one of VAULTS; else that of
 * --vault-path or VAULT_PATH, else the one the current folder is in, else the first of
 * VAULTS.
 */
#pragma once

#include "app/answers/answer.h"
#include "app/answers/term.h"
#include "app/setup/settings.h"
#include "base/json_write.h"
#include "base/options.h"
#include "vault/vault.h"

struct cli_common {
    str vault_path, vault, state_dir;
    struct option_list vaults;
    struct settings_access access;
    bool json, help;
    int colour; /* enum term_colour */
};

struct syncing;
struct cli_verb;
struct draft;
struct changed;

struct cli {
    struct arena *arena;
    const struct cli_verb *verb;
    int argc;
    char **argv;
    struct option_list words; /* what is not an option */
    str text;                 /* what a change is to write: of cli_text() */
    struct pool *pool;
    struct vault *vault;
    struct syncing *sync;      /* of the verb that syncs */
    const struct index *index; /* held */
    struct term out, notes;    /* stdout; stderr, for what is said about the answer */
    bool json;
    int status; /* exit code of a run that did not fail; 1: found nothing, or problems */
};

struct cli_verb {
    const char *name, *arguments, *about;
    const char *help; /* more about it, with examples */
    const struct option *options;
    size_t options_size;
    size_t words_min, words_max;
    bool changes;  /* the index is not held for it */
    bool no_vault; /* it opens none; cli.vault and cli.index are NULL */
    /* Before the vault in folder is opened, for the verb that may make it; or NULL. */
    bool (*prepare)(struct cli *c, const void *options, const char *folder,
                    struct err *err);
    bool (*run)(struct cli *c, const void *options, struct err *err);
    /* Of a verb that changes notes and has cli_run_change() to run it: transact.h. */
    bool (*steps)(struct cli *c, const void *options, struct draft *d,
                  struct changed *out, struct err *err);
};

extern const char *const cli_colours[];

/* The rows of struct cli_common, with which the options of every verb begin; they end its
 * table. */
#define CLI_COMMON                                                                       \
    OPTION(struct cli_common, vault_path, OPTION_STR, "vault-path",                      \
           "VAULT_PATH|OBSIDIAN_VAULT_PATH", NULL, "FOLDER",                             \
           "The vault (default: the one that contains the current folder)",              \
           .letter = 'v', .heading = "Which vault"),                                     \
        OPTION(struct cli_common, vault, OPTION_STR, "vault", NULL, NULL, "NAME",        \
               "The vault with this name in --vaults"),                                  \
        OPTION(struct cli_common, vaults, OPTION_LIST, "vaults", "VAULTS", NULL,         \
               "NAME=FOLDER,...",                                                        \
               "Named vaults; the first is used if no other is chosen"),                 \
        OPTION(struct cli_common, state_dir, OPTION_STR, "state-dir", "STATE_DIR", NULL, \
               "FOLDER",                                                                 \
               "Where the index and the journal are kept (default: "                     \
               "$XDG_STATE_HOME/vaultd)"),                                               \
        SETTINGS_ACCESS(struct cli_common),                                              \
        OPTION(struct cli_common, json, OPTION_SWITCH, "json", NULL, NULL, NULL,         \
               "Print JSON", .heading = "Output"),                                       \
        OPTION(struct cli_common, colour, OPTION_CHOICE, "color", NULL, "auto", "WHEN",  \
               "Colours: auto, always or never", .choices = cli_colours),                \
        OPTION(struct cli_common, help, OPTION_SWITCH, "help", NULL, NULL, NULL,         \
               "Show this help", .letter = 'h'),                                         \
    {                                                                                    \
        0                                                                                \
    }

/* The nearest folder above (or the current one) that Obsidian has been in, or empty. */
str cli_vault_around(struct arena *a);
/* Those rows alone: what the manual says once. */
extern const struct option cli_common_options[];

/* argv[0] is the verb. Returns the exit code: 2 when the call was wrong. */
int cli_run(const struct cli_verb *verb, int argc, char **argv);

/*
 * The file somebody means: a path with or without .md, or a name as in a link. Fails with
 * ERR_NOT_FOUND and the nearest names, or ERR_INVALID naming all that fit.
 */
MUST_CHECK bool cli_find(struct cli *c, str word, const struct file **out,
                         struct err *err);

/* Nothing of the index may be used after this. */
void cli_let_go(struct cli *c);

/* A JSON document on one line: write to the writer, then print it. */
struct cli_json {
    struct sbuf text;
    struct jsonw w;
};
struct jsonw *cli_json_begin(struct cli *c, struct cli_json *j);
void cli_json_print(struct cli *c, struct cli_json *j);

/* Print the result of the verb: JSON with --json, else lines. Returns true. */
bool cli_answer(struct cli *c, const struct answer_shape *shape, const void *result);

/* The words of a command line as one text, with blanks between. */
str cli_joined(struct cli *c);
