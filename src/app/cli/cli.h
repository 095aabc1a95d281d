/*
 * cli - what the verbs of the command line have in common: they open the vault, wait for
 * its index and print, for a terminal or with --json for a script.
 *
 * A verb is a row of a table, with its own options, which begin with struct cli_common.
 * The vault is the one of --vault, which names one of VAULTS or of the table of
 * VAULTS_DIR (vault_config.h); else of --vault-path or VAULT_PATH, else the one that
 * contains the current folder, else the first of VAULTS, else the user's default
 * (user_config.h). Some verbs take all that can be
 * named, with --vault '*', or if nothing but VAULTS_DIR is given.
 */
#pragma once

#include "app/answers/answer.h"
#include "app/answers/term.h"
#include "app/cli/command.h"
#include "app/setup/embedding.h"
#include "app/setup/settings.h"
#include "app/setup/vault_config.h"
#include "base/json_write.h"
#include "base/options.h"
#include "vault/vault.h"

struct cli_common {
    str vault_path, vault, state_dir;
    struct option_list vaults;
    str vaults_dir, state_db, state_db_file;
    struct settings_access access;
    int64_t history_size; /* MiB */
    int pdf;              /* enum settings_pdf */
    struct settings_embeddings embeddings;
    bool json, help, help_all;
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
    struct option_list words;         /* arguments that are not options */
    str text;                         /* the text to write, from cli_text() */
    const struct editor_text *edited; /* what an editor made of a note; or NULL */
    struct pool *pool;
    struct vault *vault;
    struct pdf_cache *pdf;      /* NULL: --pdf is off */
    struct embedding embedding; /* the provider, if the verb uses embeddings */
    struct syncing *sync;       /* only for the verb sync */
    const struct index *index;  /* held */
    bool recalls;               /* of search: embeddings are worth opening */
    bool all;                   /* every vault: none is open, see takes_all */
    struct vault_config vaults; /* with the default, after cli_choose_folder() */
    str remote, identity;       /* of a hosted vault that --vault names; or empty */
    struct term out, notes;     /* stdout; stderr, for remarks about the output */
    bool json;
    int status; /* exit code if run succeeds; 1: found nothing, or problems */
};

/* What a verb does with embeddings: those of earlier runs are used, or missing ones
 * are also made. */
enum cli_meaning { CLI_NO_MEANING, CLI_RECALLS, CLI_EMBEDS };

struct cli_verb {
    union {
        struct command_info info;
        struct { /* the same */
            const char *name, *arguments, *about, *help;
            const struct option *options;
        };
    };
    size_t options_size;
    size_t words_min, words_max;
    bool changes;     /* run is called without holding the index */
    bool no_vault;    /* opens no vault; cli.vault and cli.index are NULL */
    bool pages;       /* its output is for reading: a pager shows what does not fit */
    bool takes_all;   /* run may be called for all vaults, and opens them: cli.all */
    unsigned wait_ms; /* how long to wait for the index; 0: as long as it takes */
    unsigned pdf_ms;  /* how long to make texts of PDF files; 0: none are made */
    enum cli_meaning (*meaning)(const struct cli *c); /* NULL: nothing */
    /* Called before the vault in folder is opened, for a verb that may create it; or
     * NULL. */
    bool (*prepare)(struct cli *c, const void *options, const char *folder,
                    struct err *err);
    bool (*run)(struct cli *c, const void *options, struct err *err);
    /* For a verb that changes notes and is run by cli_run_change(): transact.h. */
    bool (*steps)(struct cli *c, const void *options, struct draft *d,
                  struct changed *out, struct err *err);
};

extern const char *const cli_colours[];

/* A switch that only the command line has. */
#define CLI_SWITCH(settings, member, flag, about, ...)                                   \
    OPTION(settings, member, OPTION_SWITCH, flag, NULL, NULL, NULL, about, __VA_ARGS__)

/* The last rows of every verb's table: how it prints, and its help. */
#define CLI_HELP                                                                         \
    CLI_SWITCH(struct cli_common, help, "help", "Show this help", .letter = 'h'),        \
    {                                                                                    \
        0                                                                                \
    }
#define CLI_COLOUR                                                                       \
    OPTION(struct cli_common, colour, OPTION_CHOICE, "color", NULL, "auto", "WHEN",      \
           "Colours: auto, always or never", .choices = cli_colours)
#define CLI_OUTPUT(...)                                                                  \
    CLI_SWITCH(struct cli_common, json, "json", "Print JSON", __VA_ARGS__), CLI_COLOUR,  \
        CLI_HELP

/* The rows of struct cli_common, which is the first member of every verb's options. They
 * are the last rows of its table. */
#define CLI_COMMON                                                                       \
    OPTION(struct cli_common, vault_path, OPTION_PATH, "vault-path",                     \
           "VAULT_PATH|OBSIDIAN_VAULT_PATH", NULL, "FOLDER",                             \
           "The vault (default: the one that contains the current folder)",              \
           .letter = 'v', .heading = "Which vault", .group = OPTION_GROUP_VAULTS),       \
        OPTION(struct cli_common, vault, OPTION_STR, "vault", NULL, NULL, "NAME",        \
               "The vault with this name in --vaults, or hosted"),                       \
        OPTION(struct cli_common, vaults, OPTION_LIST, "vaults", "VAULTS", NULL,         \
               "NAME=FOLDER,...", "Named vaults; the first is the default",              \
               .group = OPTION_GROUP_VAULTS),                                            \
        OPTION(struct cli_common, vaults_dir, OPTION_PATH, "vaults-dir", "VAULTS_DIR",   \
               NULL, "FOLDER", "The folder of hosted vaults, which --vault can name",    \
               .group = OPTION_GROUP_VAULTS),                                            \
        OPTION(struct cli_common, state_db, OPTION_STR, "state-db", "STATE_DB", NULL,    \
               "URL", "The database that lists them, if it is not in the state folder",  \
               .group = "state-db"),                                                     \
        OPTION(struct cli_common, state_db_file, OPTION_PATH, "state-db-file",           \
               "STATE_DB_FILE", NULL, "FILE", "A file with that URL",                    \
               .group = "state-db"),                                                     \
        OPTION(struct cli_common, state_dir, OPTION_PATH, "state-dir", "STATE_DIR",      \
               NULL, "FOLDER",                                                           \
               "Where the index and the journal are kept (default: "                     \
               "$XDG_STATE_HOME/vaultd)"),                                               \
        SETTINGS_HISTORY(struct cli_common), SETTINGS_PDF(struct cli_common),            \
        SETTINGS_ACCESS(struct cli_common),                                              \
        CLI_SWITCH(struct cli_common, help_all, "help-all",                              \
                   "Show the help with all options, also those of every command",        \
                   .heading = "Output"),                                                 \
        CLI_OUTPUT(.heading = NULL)

/* How many items a list shows, for the member limit: without the flag so many on a terminal,
 * and all in a pipe or as JSON, so that no program works on a part of a list. See
 * cli_limit(). */
#define CLI_LIMIT(settings, on_terminal, item)                                           \
    OPTION(settings, limit, OPTION_INT, "limit", NULL, NULL, item,                       \
           "How many to show; 0: all (default: " #on_terminal                            \
           " on a terminal, else all)",                                                  \
           .min = 0, .max = INT32_MAX, .letter = 'n')

/* The rows for verbs that use embeddings (cli_verb.meaning), before the others. */
#define CLI_EMBEDDINGS SETTINGS_EMBEDDINGS(struct cli_common)

/* The vaults that the options name, without the user's default. */
struct vault_config cli_vault_config(const struct cli_common *o);

/* The vault that commands use without any option: vault_config_words() of the environment, the
 * current folder or the user's default. */
str cli_default_vault(struct arena *a);

/* Only those rows, also of CLI_EMBEDDINGS, which the manual describes once; and whether a row
 * is one of them. */
extern const struct option cli_common_options[];
bool cli_is_common(const struct option *o);

/* argv[0] is the verb. Returns the exit code: 2 for wrong usage. */
int cli_run(const struct cli_verb *verb, int argc, char **argv);

/*
 * Finds the file that the user means: a path with or without .md, or a name as in a link.
 * Of several, a person picks one (pick.h). Fails with ERR_NOT_FOUND and the nearest names, or
 * ERR_INVALID naming all that match.
 */
MUST_CHECK bool cli_find(struct cli *c, str word, const struct file **out,
                         struct err *err);

/* For a verb that runs for all vaults: opens the one in a folder, and closes it. */
MUST_CHECK bool cli_open_vault(struct cli *c, const struct cli_common *o,
                               const struct configured_vault *entry, struct err *err);
void cli_close_vault(struct cli *c);

/* The same for a verb without a vault that opens the one that the options choose, when it
 * needs it; and only its folder. */
MUST_CHECK bool cli_open_chosen(struct cli *c, const struct cli_common *o,
                                struct err *err);
MUST_CHECK bool cli_choose_folder(struct cli *c, const struct cli_common *o, str *out,
                                  struct err *err);

/* Releases the index: nothing of it may be used after this. Holds it again. */
void cli_unlock(struct cli *c);
void cli_lock(struct cli *c);

/* For verbs that use the embeddings of earlier runs: cli_verb.meaning. */
enum cli_meaning cli_recalls(const struct cli *c);

/* A JSON document on one line: begin, write to the writer, then print it. */
struct cli_json {
    struct sbuf text;
    struct jsonw w;
};
struct jsonw *cli_json_begin(struct cli *c, struct cli_json *j);
void cli_json_print(struct cli *c, struct cli_json *j);

/* Prints the result of the verb: JSON with --json, else lines. Returns true. */
bool cli_answer(struct cli *c, const struct answer_shape *shape, const void *result);

/* The value of CLI_LIMIT; SIZE_MAX: all. */
size_t cli_limit(const struct cli *c, int64_t limit, size_t on_terminal);

/* A time of --since: "today", "yesterday", a date (YYYY-MM-DD), or so long ago: 90m, 24h, 7d, 2w.
 * Days begin at midnight, local time. Seconds since 1970; false: it is none of these. */
bool cli_since(struct arena *a, str text, int64_t now, int64_t *from);

/* The words of a command line as one text, separated by spaces. */
str cli_joined(struct cli *c);
