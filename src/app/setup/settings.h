/*
 * settings - what the operator chose, from flags, environment and defaults.
 */
#pragma once

#include "app/setup/audit.h"
#include "app/setup/meaning_settings.h"
#include "app/setup/sync_settings.h"
#include "base/log.h"
#include "base/options.h"
#include "vault/access.h"

/* The rows that say which vaults there are (vault_config.h). */
#define OPTION_GROUP_VAULTS "vaults"

/* What all clients may do with the vault (vault/access.h). */
struct settings_access {
    bool read_only;
    struct option_list read_paths, write_paths, deny_paths;
    str policy_property; /* or SETTINGS_NO_POLICY */
};

#define SETTINGS_NO_POLICY "off"

/* The option rows for a struct with a member access of this type. */
#define SETTINGS_ACCESS(settings)                                                        \
    OPTION(settings, access.read_only, OPTION_SWITCH, "read-only", "READ_ONLY", NULL,    \
           NULL, "Read-only: clients cannot change anything", .heading = "Access"),      \
        OPTION(settings, access.read_paths, OPTION_LIST, "read-paths", "READ_PATHS",     \
               NULL, "PATH,...",                                                         \
               "Only these folders, files or globs are visible to clients"),             \
        OPTION(settings, access.write_paths, OPTION_LIST, "write-paths", "WRITE_PATHS",  \
               NULL, "PATH,...", "Only these can be changed"),                           \
        OPTION(settings, access.deny_paths, OPTION_LIST, "deny-paths", "DENY_PATHS",     \
               NULL, "PATH,...",                                                         \
               "These are hidden from clients, even if another setting allows them"),    \
        OPTION(settings, access.policy_property, OPTION_STR, "policy-property",          \
               "POLICY_PROPERTY", "ai", "NAME",                                          \
               "The property with which notes say what clients may do: hidden, "         \
               "read-only or propose; in _policy.md, for a whole folder. off: none")

/* The option row for a struct with a member history_size, in MiB. */
#define SETTINGS_HISTORY(settings)                                                       \
    OPTION(settings, history_size, OPTION_INT, "history-size", "HISTORY_SIZE", "1024",   \
           "MIB",                                                                        \
           "Maximum size of the undo history; changes of the last 30 days are always "   \
           "kept, so when it is full, new changes are refused",                          \
           .min = 1, .max = 1 << 20)

/* The option row for a struct with a member pdf. */
#define SETTINGS_PDF(settings)                                                           \
    OPTION(settings, pdf, OPTION_CHOICE, "pdf", "VAULTD_PDF", "on", "WHETHER",           \
           "Search and show the text and pages of PDF files, with poppler-utils, if it " \
           "is installed: on or off",                                                    \
           .choices = settings_pdf)

enum settings_pdf { PDF_OFF, PDF_ON };
extern const char *const settings_pdf[];

/* Whether browsers show notes (app/web/note_page.h). */
enum settings_reader { READER_OFF, READER_ON };

struct settings {
    str vault_path;
    struct option_list vaults;        /* NAME=FOLDER; instead of vault_path */
    str vaults_dir;                   /* of hosted vaults; instead of both */
    int64_t vaults_open, vaults_idle; /* hosted ones at a time; seconds */
    int profile;                      /* index in profiles (profiles.h) */
    int vaults_from;   /* enum option_source of these three; not a setting */
    str vaults_origin; /* vault_config.h; not a setting */
    str unmet;         /* what the profile needs but was not given; not a setting */
    bool auth_given;   /* auth is not the default of a profile; not a setting */
    bool signs_in;     /* clients must sign in: reach_settle(); not a setting */
    struct option_list tools; /* names of tool sets */
    bool stdio;
    str listen_addr;
    int64_t port;
    str server_url;
    struct option_list allowed_hosts, allowed_origins, trusted_proxies;
    str ops_addr;
    int auth; /* enum settings_auth */
    str auth_users, auth_users_file, oauth_clients_file;
    str github_client_id, github_client_secret_file;
    str github_client_secret; /* from its file or the environment */
    struct option_list github_allowed_users;
    str github_oauth_url, github_api_url;
    str oidc_issuer, oidc_client_id, oidc_client_secret_file, oidc_name, oidc_claim;
    str oidc_client_secret; /* from its file or the environment */
    struct option_list oidc_allowed;
    bool oauth_development;
    int token_format; /* enum oauth_tokens */
    int64_t access_ttl, refresh_ttl, refresh_idle, refresh_reuse_window; /* seconds */
    str state_dir;
    int state;    /* enum settings_state */
    str state_db; /* a URL with its password; or empty */
    str state_db_file;
    int64_t history_size; /* MiB */
    bool poll;
    struct settings_access access;
    int writes; /* enum settings_writes */
    struct option_list propose_paths;
    struct settings_sync sync;
    struct settings_embeddings embeddings;
    str adr_repo, adr_branch;
    int confirm; /* enum settings_confirm */
    int64_t confirm_files;
    int answers;      /* enum settings_answers */
    int auto_context; /* enum settings_context */
    bool claude_md;
    int tag_policy;    /* enum settings_policy */
    int schema_policy; /* enum settings_schemas */
    int sse;           /* enum settings_sse */
    int sandbox;       /* enum settings_sandbox */
    struct settings_audit audit;
    int log_level, log_format; /* enum log_level, enum log_format */
    int64_t read_lines;
    int64_t attachment_max; /* MiB */
    int pdf;                /* enum settings_pdf */
    int reader;             /* enum settings_reader */
    int64_t max_connections;
    int64_t stop_delay, stop_timeout;              /* seconds */
    int64_t rate_calls, rate_writes, rate_address; /* per minute; 0: no limit */
    bool help, version;
};

enum settings_writes { WRITES_MADE, WRITES_PROPOSED };
enum settings_auth { AUTH_AUTO, AUTH_NONE, AUTH_REQUIRED };
enum settings_state { STATE_DISK, STATE_MEMORY };
enum settings_sandbox { SANDBOX_AUTO, SANDBOX_OFF, SANDBOX_REQUIRED };
enum settings_confirm { CONFIRM_NEVER, CONFIRM_LARGE, CONFIRM_ALWAYS };
enum settings_answers { ANSWERS_TEXT, ANSWERS_JSON };
enum settings_context { CONTEXT_AUTO, CONTEXT_ON, CONTEXT_OFF };
enum settings_policy { TAGS_FREE, TAGS_WARN, TAGS_ENFORCE };
enum settings_schemas {
    SCHEMAS_FREE,
    SCHEMAS_WARN,
    SCHEMAS_ENFORCE
}; /* the same words */
enum settings_sse { SSE_AUTO, SSE_ALWAYS };

/* The one table of all settings. */
extern const struct option settings_table[];

/* Reading argv and the environment has two steps, between which the words of a command line
 * can be added. */

/* The first: reads a table that begins with the rows of settings_table into a struct
 * that begins with a struct settings, with the defaults of the profile. */
MUST_CHECK bool settings_parse(struct arena *a, const struct option *table, int argc,
                               char **argv, struct settings *out,
                               struct option_list *words, struct err *err);

/* The second: erases secrets from the environment (secrets.h), and checks what a single row
 * cannot. */
MUST_CHECK bool settings_complete(struct arena *a, int argc, char **argv,
                                  struct settings *s, struct err *err);

/* Converts them for the vault. Fails if one of the paths is invalid. */
MUST_CHECK bool settings_access(struct arena *a, const struct settings_access *s,
                                struct access *out, struct err *err);

/* The name of the property that notes use; empty if there is none. */
str settings_policy(const struct settings_access *s);

/* What all clients only propose: an access that allows everything else. Fails if one of the
 * paths is invalid. */
MUST_CHECK bool settings_review(struct arena *a, const struct settings *s,
                                struct access *out, struct err *err);

/* As system_path(), with ~/Notes expanded, which no shell does in a configuration file; and
 * without quotes and escapes (system_path_unescaped) if only that exists. */
str settings_path(struct arena *a, str given);

/* The other way round, for people: with ~ for the home folder. Other texts are as they are. */
str settings_path_shown(struct arena *a, str path);

/* The given folder, else machine_state_folder(). */
str settings_state_dir(struct arena *a, str given);
