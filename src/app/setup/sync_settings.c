#include "app/setup/sync_settings.h"

#include "base/fs.h"
#include "base/os/file.h"
#include "base/text.h"
#include "base/uri.h"

const char *const settings_sync_kinds[] = {"auto", "none", "git", "command", NULL};
const char *const settings_sync_acks[] = {"local", "push", NULL};
const char *const settings_git_adds[] = {"touched", "all", NULL};

/* --- a command line --- */

/* Reads one word from *at; false: a quote is not closed. */
static bool take_command_word(str line, size_t *at, struct sbuf *word)
{
    char quote = 0;
    for (; *at < line.n && (quote != 0 || !is_white(line.p[*at])); ++*at) {
        char c = line.p[*at];
        if (c == '\\' && quote != '\'' && *at + 1 < line.n)
            sbuf_char(word, line.p[++*at]);
        else if (quote == 0 && (c == '\'' || c == '"'))
            quote = c;
        else if (c == quote)
            quote = 0;
        else
            sbuf_char(word, c);
    }
    return quote == 0;
}

bool sync_settings_split(struct arena *a, str line, str **out, size_t *n, struct err *err)
{
    str *words = ARENA_ARRAY(a, str, SYNC_COMMAND_WORDS_MAX);
    size_t count = 0;
    for (size_t at = 0;;) {
        while (at < line.n && is_white(line.p[at]))
            at++;
        if (at == line.n)
            break;
        struct sbuf word = SBUF_ON(a);
        if (count == SYNC_COMMAND_WORDS_MAX)
            return err_set(err, ERR_INVALID, "sync-command has more than %d words",
                           SYNC_COMMAND_WORDS_MAX);
        if (!take_command_word(line, &at, &word))
            return err_set(err, ERR_INVALID, "sync-command has an unclosed quote");
        words[count++] = arena_str(a, sbuf_str(&word));
    }
    if (count == 0)
        return err_set(err, ERR_INVALID, "sync-command names no program");
    *out = words;
    *n = count;
    return true;
}

/* --- which driver --- */

bool sync_settings_kind(const struct settings_sync *s, enum sync_kind *out,
                        struct err *err)
{
    static const enum sync_kind said[] = {
        [SETTINGS_SYNC_NONE] = SYNC_NONE,
        [SETTINGS_SYNC_GIT] = SYNC_GIT,
        [SETTINGS_SYNC_COMMAND] = SYNC_COMMAND,
    };
    bool git = s->git_remote.n > 0, command = s->command.n > 0;
    if (s->kind != SETTINGS_SYNC_AUTO)
        *out = said[s->kind];
    else if (git && command)
        return err_set(err, ERR_INVALID,
                       "git-remote and sync-command are both given: give only one of "
                       "them, or choose with --sync");
    else
        *out = git ? SYNC_GIT : command ? SYNC_COMMAND : SYNC_NONE;
    if (*out == SYNC_COMMAND && !command)
        return err_set(err, ERR_INVALID, "--sync command needs --sync-command");
    if (*out != SYNC_GIT && s->ack == SYNC_ACK_PUSH)
        return err_set(err, ERR_INVALID,
                       "--sync-ack push needs a git remote: give --git-remote");
    if (*out == SYNC_NONE && s->webhook_secret_file.n > 0)
        return err_set(err, ERR_INVALID,
                       "webhook-secret-file needs --git-remote or --sync-command: "
                       "without them there is nothing to pull");
    return true;
}

/* --- the drivers' configuration --- */

/* Drivers run in another folder, so every path must be absolute. */
static bool absolute(struct arena *a, const char *path, const char **out, struct err *err)
{
    char *real = file_real_path(path);
    if (real == NULL)
        return err_sys(err, "cannot find '%s'", path);
    *out = arena_str(a, str_c(real)).p;
    free(real);
    return true;
}

static bool file(struct arena *a, str path, const char *setting, str *out,
                 struct err *err)
{
    const char *real = NULL;
    struct err why;
    *out = (str){0};
    if (path.n == 0)
        return true;
    if (!absolute(a, arena_str(a, path).p, &real, &why))
        return err_set(err, ERR_INVALID, "%s: %s", setting, why.msg);
    *out = str_c(real);
    return true;
}

str sync_settings_token_host(const struct settings_sync *s)
{
    str url = s->git_token_host.n > 0 ? s->git_token_host : s->git_remote;
    struct uri_parts parts;
    bool split = uri_split(url, &parts);
    if (s->git_token_host.n == 0 && !split)
        return STR(""); /* not https: there is no use for a token */
    str place = str_slice(parts.place, 0, str_find_char(parts.place, '/'));
    size_t user = str_find_last(place, '@');
    return user == STR_NONE ? place : str_skip(place, user + 1);
}

bool sync_settings_has_host(const struct settings_sync *s, struct err *err)
{
    return s->git_token_file.n == 0 || s->git_token_host.n > 0 ||
           err_set(err, ERR_INVALID,
                   "--git-token-file is for one host, and vaults have different remotes: "
                   "name it with --git-token-host HOST");
}

static bool read_git(const struct settings_sync *s, struct arena *a, struct sync_git *out,
                     struct err *err)
{
    *out = (struct sync_git){.remote = s->git_remote,
                             .branch = s->git_branch,
                             .subfolder = s->git_subfolder,
                             .depth = s->git_depth,
                             .token_host = sync_settings_token_host(s),
                             .token_user = s->git_token_user,
                             .join = s->git_join,
                             .own_clone = s->hosted,
                             .author_name = s->git_author_name,
                             .author_email = s->git_author_email,
                             .plugins = s->git_plugins,
                             .add_all = s->git_add == 1,
                             .pull_s = s->git_pull_interval,
                             .push_delay_s = s->git_push_delay,
                             .timeout_s = s->timeout};
    return (!s->hosted || sync_settings_has_host(s, err)) &&
           file(a, s->git_ssh_key, "git-ssh-key", &out->ssh_key, err) &&
           file(a, s->git_known_hosts, "git-known-hosts", &out->known_hosts, err) &&
           file(a, s->git_token_file, "git-token-file", &out->token_file, err) &&
           file(a, s->git_ca_file, "git-ca-file", &out->ca_file, err);
}

static bool read_command(const struct settings_sync *s, struct arena *a,
                         struct sync_command *out, struct err *err)
{
    str *words;
    *out = (struct sync_command){
        .interval_s = s->interval, .quiet_s = s->quiet, .timeout_s = s->timeout};
    if (!sync_settings_split(a, s->command, &words, &out->n, err))
        return false;
    out->argv = words;
    return true;
}

struct settings_sync sync_settings_hosted(const struct settings_sync *s, str remote)
{
    struct settings_sync own = *s;
    own.hosted = true;
    if (remote.n > 0) {
        own.kind = SETTINGS_SYNC_GIT;
        own.git_remote = remote;
    } else if (own.kind != SETTINGS_SYNC_GIT) {
        own.ack = SYNC_ACK_LOCAL;
    }
    own.webhook_secret_file = STR("");
    return own;
}

bool sync_settings_read(const struct settings_sync *s, struct arena *a,
                        const char *folder, const char *state_dir,
                        struct sync_config *out, struct err *err)
{
    *out = (struct sync_config){0};
    if (!sync_settings_kind(s, &out->kind, err))
        return false;
    if (out->kind == SYNC_NONE)
        return true;
    return (out->kind == SYNC_GIT ? read_git(s, a, &out->git, err)
                                  : read_command(s, a, &out->command, err)) &&
           fs_make_folder(folder, err) && fs_make_folder(state_dir, err) &&
           absolute(a, folder, &out->vault_folder, err) &&
           absolute(a, state_dir, &out->state_folder, err);
}
