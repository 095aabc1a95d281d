/*
 * sync_settings - what the operator says about sync, and what the driver makes of it.
 *
 * Sync belongs to one vault: with several there is none.
 */
#pragma once

#include "base/options.h"
#include "sync/sync.h"

enum { SYNC_COMMAND_WORDS_MAX = 100 };

struct settings_sync {
    int kind; /* enum settings_sync_kind */
    str git_remote, git_branch, git_subfolder;
    int64_t git_pull_interval, git_push_delay, git_depth; /* seconds, seconds, commits */
    str git_ssh_key, git_known_hosts, git_token_file, git_token_user, git_ca_file;
    str git_author_name, git_author_email;
    int git_add; /* 1: all */
    str command;
    int64_t interval, quiet, timeout; /* seconds */
    str webhook_secret_file;
};

enum settings_sync_kind {
    SETTINGS_SYNC_AUTO,
    SETTINGS_SYNC_NONE,
    SETTINGS_SYNC_GIT,
    SETTINGS_SYNC_COMMAND,
};

extern const char *const settings_sync_kinds[];
extern const char *const settings_git_adds[];

#define SETTINGS_SYNC_ROW(settings, member, kind, ...)                                   \
    OPTION(settings, sync.member, kind, __VA_ARGS__)

/* Their rows, for whatever struct has them as its member sync. */
#define SETTINGS_SYNC(s)                                                                 \
    SETTINGS_SYNC_ROW(s, kind, OPTION_CHOICE, "sync", "SYNC", "auto", "KIND",            \
                      "auto: as --git-remote or --sync-command say; git: also without "  \
                      "a remote of ours, with that of the repository or none",           \
                      .choices = settings_sync_kinds, .heading = "Sync"),                \
        SETTINGS_SYNC_ROW(s, git_remote, OPTION_STR, "git-remote", "GIT_REMOTE", NULL,   \
                          "URL", "Keep the vault in git, together with this remote"),    \
        SETTINGS_SYNC_ROW(s, git_branch, OPTION_STR, "git-branch", "GIT_BRANCH", NULL,   \
                          "NAME",                                                        \
                          "Its branch (default: the one checked out, or the "            \
                          "remote's)"),                                                  \
        SETTINGS_SYNC_ROW(s, git_pull_interval, OPTION_INT, "git-pull-interval",         \
                          "GIT_PULL_INTERVAL", "300", "SECONDS",                         \
                          "How often to pull; 0: only when asked", .min = 0,             \
                          .max = 86400),                                                 \
        SETTINGS_SYNC_ROW(s, git_push_delay, OPTION_INT, "git-push-delay",               \
                          "GIT_PUSH_DELAY", "0", "SECONDS",                              \
                          "How long commits may wait to be pushed together", .min = 0,   \
                          .max = 86400),                                                 \
        SETTINGS_SYNC_ROW(s, git_depth, OPTION_INT, "git-depth", "GIT_DEPTH", "0",       \
                          "COMMITS", "Of the first clone; 0: all of the history",        \
                          .min = 0, .max = 1000000000),                                  \
        SETTINGS_SYNC_ROW(s, git_subfolder, OPTION_STR, "git-subfolder",                 \
                          "GIT_SUBFOLDER", NULL, "FOLDER",                               \
                          "Where in the repository the vault is"),                       \
        SETTINGS_SYNC_ROW(s, git_ssh_key, OPTION_STR, "git-ssh-key", "GIT_SSH_KEY",      \
                          NULL, "FILE", "The private key for remotes over ssh"),         \
        SETTINGS_SYNC_ROW(s, git_known_hosts, OPTION_STR, "git-known-hosts",             \
                          "GIT_KNOWN_HOSTS", NULL, "FILE",                               \
                          "The hosts ssh trusts (default: each as first met)"),          \
        SETTINGS_SYNC_ROW(s, git_token_file, OPTION_STR, "git-token-file",               \
                          "GIT_TOKEN_FILE", NULL, "FILE",                                \
                          "A file with the token for remotes over https"),               \
        SETTINGS_SYNC_ROW(s, git_token_user, OPTION_STR, "git-token-user",               \
                          "GIT_TOKEN_USER", NULL, "NAME",                                \
                          "The user the token is for (default: x-access-token)"),        \
        SETTINGS_SYNC_ROW(s, git_ca_file, OPTION_STR, "git-ca-file", "GIT_CA_FILE",      \
                          NULL, "FILE",                                                  \
                          "The certificates https trusts (default: the system's)"),      \
        SETTINGS_SYNC_ROW(s, git_author_name, OPTION_STR, "git-author-name",             \
                          "GIT_AUTHOR_NAME", "vaultd", "NAME",                           \
                          "The author of changes by nobody who signed in"),              \
        SETTINGS_SYNC_ROW(s, git_author_email, OPTION_STR, "git-author-email",           \
                          "GIT_AUTHOR_EMAIL", "vaultd@localhost", "ADDRESS",             \
                          "Their address, and that of people without one"),              \
        SETTINGS_SYNC_ROW(s, git_add, OPTION_CHOICE, "git-add", "GIT_ADD", "touched",    \
                          "WHAT",                                                        \
                          "What a commit takes: the files of the change, or all that "   \
                          "differs",                                                     \
                          .choices = settings_git_adds),                                 \
        SETTINGS_SYNC_ROW(s, command, OPTION_STR, "sync-command", "SYNC_COMMAND", NULL,  \
                          "COMMAND",                                                     \
                          "Sync with a program instead, e.g. \"rclone bisync {vault} "   \
                          "drive:Notes\"; quotes keep blanks, no shell runs"),           \
        SETTINGS_SYNC_ROW(                                                               \
            s, interval, OPTION_INT, "sync-interval", "SYNC_INTERVAL", "300", "SECONDS", \
            "How often to run it; 0: only after changes", .min = 0, .max = 86400),       \
        SETTINGS_SYNC_ROW(s, quiet, OPTION_INT, "sync-quiet", "SYNC_QUIET", "10",        \
                          "SECONDS", "Run it once nothing has changed for so long",      \
                          .min = 0, .max = 86400),                                       \
        SETTINGS_SYNC_ROW(s, timeout, OPTION_INT, "sync-timeout", "SYNC_TIMEOUT", "900", \
                          "SECONDS", "How long the command, a fetch or a push may take", \
                          .min = 1, .max = 86400),                                       \
        SETTINGS_SYNC_ROW(s, webhook_secret_file, OPTION_STR, "webhook-secret-file",     \
                          "WEBHOOK_SECRET_FILE", NULL, "FILE",                           \
                          "Pull when GitHub, Gitea or GitLab call POST /hooks/git and "  \
                          "prove that they know the secret in this file")

/* What is configured. Fails with ERR_INVALID when the settings contradict each other. */
MUST_CHECK bool sync_settings_kind(const struct settings_sync *s, enum sync_kind *out,
                                   struct err *err);

/*
 * The settings as sync.h wants them, for the vault in folder, which is made if it is
 * missing. Fails with ERR_INVALID naming what is wrong. Texts are in the arena.
 */
MUST_CHECK bool sync_settings_read(const struct settings_sync *s, struct arena *a,
                                   const char *folder, const char *state_dir,
                                   struct sync_config *out, struct err *err);

/*
 * A command line as words, without a shell: blanks part them, 'single' and "double"
 * quotes keep blanks, and a backslash keeps the next character (not in single quotes).
 * Nothing else means anything: no variables, no globs, no pipes.
 */
MUST_CHECK bool sync_settings_split(struct arena *a, str line, str **out, size_t *n,
                                    struct err *err);
