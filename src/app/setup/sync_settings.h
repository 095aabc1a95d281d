/*
 * sync_settings - the operator's settings for sync, and the driver configuration made
 * from them.
 */
#pragma once

#include "base/options.h"
#include "sync/sync.h"

enum { SYNC_COMMAND_WORDS_MAX = 100 };

struct settings_sync {
    int kind; /* enum settings_sync_kind */
    str git_remote, git_branch, git_subfolder;
    int64_t git_pull_interval, git_push_delay, git_depth; /* seconds, seconds, commits */
    str git_ssh_key, git_known_hosts, git_token_file, git_token_host, git_token_user,
        git_ca_file;
    str git_author_name, git_author_email;
    int git_add; /* 1: all */
    bool git_plugins, git_join;
    bool hosted; /* not a setting: sync_settings_hosted() */
    int ack;     /* enum settings_sync_ack */
    str command;
    int64_t interval, quiet, timeout, wait; /* seconds */
    str webhook_secret_file;
};

enum settings_sync_kind {
    SETTINGS_SYNC_AUTO,
    SETTINGS_SYNC_NONE,
    SETTINGS_SYNC_GIT,
    SETTINGS_SYNC_COMMAND,
};

/* When a change is acknowledged: as soon as it is durable here, or pushed. */
enum settings_sync_ack { SYNC_ACK_LOCAL, SYNC_ACK_PUSH };

extern const char *const settings_sync_kinds[];
extern const char *const settings_sync_acks[];
extern const char *const settings_git_adds[];

#define SETTINGS_SYNC_ROW(settings, member, kind, ...)                                   \
    OPTION(settings, sync.member, kind, __VA_ARGS__)

/* The option rows for a struct with a member sync of this type. */
#define SETTINGS_SYNC(s)                                                                 \
    SETTINGS_SYNC_ROW(                                                                   \
        s, kind, OPTION_CHOICE, "sync", "SYNC", "auto", "KIND",                          \
        "auto: whichever of --git-remote and --sync-command is given; git: works "       \
        "without --git-remote, too, using the repository's own remote if it has one",    \
        .choices = settings_sync_kinds, .heading = "Sync"),                              \
        SETTINGS_SYNC_ROW(s, git_remote, OPTION_STR, "git-remote", "GIT_REMOTE", NULL,   \
                          "URL", "Keep the vault in git and sync it with this remote"),  \
        SETTINGS_SYNC_ROW(s, git_branch, OPTION_STR, "git-branch", "GIT_BRANCH", NULL,   \
                          "NAME",                                                        \
                          "The branch to sync (default: the one checked out, or the "    \
                          "remote's default)"),                                          \
        SETTINGS_SYNC_ROW(s, git_pull_interval, OPTION_INT, "git-pull-interval",         \
                          "GIT_PULL_INTERVAL", "300", "SECONDS",                         \
                          "How often to pull; 0: only on request", .min = 0,             \
                          .max = 86400),                                                 \
        SETTINGS_SYNC_ROW(s, git_push_delay, OPTION_INT, "git-push-delay",               \
                          "GIT_PUSH_DELAY", "0", "SECONDS",                              \
                          "How long commits may wait to be pushed together", .min = 0,   \
                          .max = 86400),                                                 \
        SETTINGS_SYNC_ROW(                                                               \
            s, git_depth, OPTION_INT, "git-depth", "GIT_DEPTH", "0", "COMMITS",          \
            "How many commits the first clone fetches; 0: the whole history", .min = 0,  \
            .max = 1000000000),                                                          \
        SETTINGS_SYNC_ROW(s, git_subfolder, OPTION_STR, "git-subfolder",                 \
                          "GIT_SUBFOLDER", NULL, "FOLDER",                               \
                          "The folder of the repository that is the vault"),             \
        SETTINGS_SYNC_ROW(s, git_ssh_key, OPTION_PATH, "git-ssh-key", "GIT_SSH_KEY",     \
                          NULL, "FILE", "The private key for remotes over ssh"),         \
        SETTINGS_SYNC_ROW(                                                               \
            s, git_known_hosts, OPTION_PATH, "git-known-hosts", "GIT_KNOWN_HOSTS", NULL, \
            "FILE", "The hosts ssh trusts (default: trust each host on first contact)"), \
        SETTINGS_SYNC_ROW(s, git_token_file, OPTION_PATH, "git-token-file",              \
                          "GIT_TOKEN_FILE", NULL, "FILE",                                \
                          "A file with the token for remotes over https"),               \
        SETTINGS_SYNC_ROW(s, git_token_host, OPTION_STR, "git-token-host",               \
                          "GIT_TOKEN_HOST", NULL, "HOST",                                \
                          "The only host that gets the token, as host or host:port "     \
                          "(default: that of --git-remote; needed for several vaults)"), \
        SETTINGS_SYNC_ROW(s, git_token_user, OPTION_STR, "git-token-user",               \
                          "GIT_TOKEN_USER", NULL, "NAME",                                \
                          "The user the token is for (default: x-access-token)"),        \
        SETTINGS_SYNC_ROW(s, git_ca_file, OPTION_PATH, "git-ca-file", "GIT_CA_FILE",     \
                          NULL, "FILE",                                                  \
                          "The only certificates https trusts (default: the system's)"), \
        SETTINGS_SYNC_ROW(s, git_author_name, OPTION_STR, "git-author-name",             \
                          "GIT_AUTHOR_NAME", "vaultd", "NAME",                           \
                          "The author of changes made without signing in"),              \
        SETTINGS_SYNC_ROW(                                                               \
            s, git_author_email, OPTION_STR, "git-author-email", "GIT_AUTHOR_EMAIL",     \
            "vaultd@localhost", "ADDRESS",                                               \
            "The address for those changes, and for users without an address"),          \
        SETTINGS_SYNC_ROW(s, git_add, OPTION_CHOICE, "git-add", "GIT_ADD", "touched",    \
                          "WHAT",                                                        \
                          "What a commit includes: only the files that were changed, "   \
                          "or everything that differs",                                  \
                          .choices = settings_git_adds),                                 \
        SETTINGS_SYNC_ROW(s, git_plugins, OPTION_SWITCH, "git-plugins", "GIT_PLUGINS",   \
                          NULL, NULL,                                                    \
                          "Write Obsidian plugins that were pushed to the remote: they " \
                          "are programs that Obsidian runs"),                            \
        SETTINGS_SYNC_ROW(s, git_join, OPTION_SWITCH, "git-join", "GIT_JOIN", NULL,      \
                          NULL,                                                          \
                          "Merge a remote that has no commit in common with the vault: " \
                          "the notes of both are then in both"),                         \
        SETTINGS_SYNC_ROW(s, ack, OPTION_CHOICE, "sync-ack", "SYNC_ACK", "local",        \
                          "WHEN",                                                        \
                          "When a change is acknowledged: as soon as it is on this "     \
                          "machine's disk, or when the git remote has it",               \
                          .choices = settings_sync_acks),                                \
        SETTINGS_SYNC_ROW(                                                               \
            s, command, OPTION_STR, "sync-command", "SYNC_COMMAND", NULL, "COMMAND",     \
            "Sync with a program instead, e.g. \"rclone bisync {vault} drive:Notes\"; "  \
            "quotes keep spaces together, no shell is used"),                            \
        SETTINGS_SYNC_ROW(                                                               \
            s, interval, OPTION_INT, "sync-interval", "SYNC_INTERVAL", "300", "SECONDS", \
            "How often to run it; 0: only after changes", .min = 0, .max = 86400),       \
        SETTINGS_SYNC_ROW(s, quiet, OPTION_INT, "sync-quiet", "SYNC_QUIET", "10",        \
                          "SECONDS", "Run it after this long without changes", .min = 0, \
                          .max = 86400),                                                 \
        SETTINGS_SYNC_ROW(s, timeout, OPTION_INT, "sync-timeout", "SYNC_TIMEOUT", "900", \
                          "SECONDS", "How long the command, a fetch or a push may take", \
                          .min = 1, .max = 86400),                                       \
        SETTINGS_SYNC_ROW(                                                               \
            s, wait, OPTION_INT, "sync-wait", "SYNC_WAIT", "20", "SECONDS",              \
            "How long a call waits for the remote before it is answered that the sync "  \
            "is still running; with --sync-ack push, that the change is not pushed yet", \
            .min = 1, .max = 3600),                                                      \
        SETTINGS_SYNC_ROW(s, webhook_secret_file, OPTION_PATH, "webhook-secret-file",    \
                          "WEBHOOK_SECRET_FILE", NULL, "FILE",                           \
                          "Pull when GitHub, Gitea or GitLab call POST /hooks/git with " \
                          "proof that they know the secret in this file")

/* The configured kind of sync. Fails with ERR_INVALID if the settings contradict each
 * other. */
MUST_CHECK bool sync_settings_kind(const struct settings_sync *s, enum sync_kind *out,
                                   struct err *err);

/* The only host that gets the token of --git-token-file: the one that is named, else that of
 * --git-remote; empty: the host of the repository's own remote. */
str sync_settings_token_host(const struct settings_sync *s);

/* Whether a token comes with a host, as it must if there is more than one remote. */
MUST_CHECK bool sync_settings_has_host(const struct settings_sync *s, struct err *err);

/* The settings are defaults for hosted vaults: with a remote, one is synced with git. One
 * without is only here, so --sync-ack push cannot be about it. */
struct settings_sync sync_settings_hosted(const struct settings_sync *s, str remote);

/*
 * Converts the settings for sync.h, for the vault in folder, which is created if it is
 * missing. Fails with ERR_INVALID, naming the wrong setting. Strings are in the arena.
 */
MUST_CHECK bool sync_settings_read(const struct settings_sync *s, struct arena *a,
                                   const char *folder, const char *state_dir,
                                   struct sync_config *out, struct err *err);

/*
 * Splits a command line into words, without a shell: white space separates words,
 * 'single' and "double" quotes keep white space, and a backslash keeps the next character
 * (not in single quotes). Nothing else is special: no variables, globs or pipes.
 */
MUST_CHECK bool sync_settings_split(struct arena *a, str line, str **out, size_t *n,
                                    struct err *err);
