/* The environment git runs in, and what it finds in its home. */

#include "base/fs.h"
#include "base/hash.h"
#include "base/os/file.h"
#include "base/os/self.h"
#include "base/sbuf.h"
#include "base/uri.h"
#include "sync/git.h"
#include "sync/mask.h"

/* Gives the name and the token only to the configured host: a redirect must not get
 * them. */
static const char askpass[] = "#!/bin/sh\n"
                              "case \"$1\" in\n"
                              "\"Username for '$VAULTD_GIT_HOST'\"*)\n"
                              "    printf '%s\\n' \"$VAULTD_GIT_USER\" ;;\n"
                              "\"Password for '\"*\"@${VAULTD_GIT_HOST#*://}'\"*)\n"
                              "    IFS= read -r token < \"$VAULTD_GIT_TOKEN\" ||\n"
                              "        [ -n \"$token\" ] || exit 1\n"
                              "    printf '%s\\n' \"$token\" ;;\n"
                              "*) exit 1 ;;\n"
                              "esac\n";

static bool git_env_write_file(const char *path, str text, unsigned mode, struct err *err)
{
    AUTO_CLOSE int fd = file_open_own(FILE_CWD, path, FILE_EMPTIED);
    if (fd < 0 || !file_set_mode(fd, mode) || !file_write(fd, text))
        return err_sys(err, "cannot write a file for git in the state folder");
    return true;
}

/* An empty folder: otherwise libcurl trusts the system's certificates beside those of a file,
 * and parses all of them in each process, which takes ten times as long as the request. */
#define NO_CERTIFICATES "no-certificates"

static const char *in_home(struct git *g, const char *name)
{
    return arena_printf(&g->arena, "%s/%s", g->home, name).p;
}

/* The folder is created if it is missing. */
static bool real_folder(struct arena *a, const char *folder, const char **out,
                        struct err *err)
{
    char *real = NULL;
    if (!fs_make_folder(folder, err) || (real = file_real_path(folder)) == NULL)
        return err_sys(err, "the folder %s cannot be created", folder);
    *out = arena_str(a, str_c(real)).p;
    free(real);
    return true;
}

bool sync_home(struct arena *a, const struct sync_config *config, const char **out,
               struct err *err)
{
    const char *vault = NULL, *state = NULL, *key = config->state_key;
    if (!real_folder(a, config->vault_folder, &vault, err) ||
        !real_folder(a, config->state_folder, &state, err))
        return false;
    unsigned long long id = hash_content(str_c(vault)).high;
    *out = arena_printf(a, "%s/sync-%s", state,
                        key != NULL ? key : arena_printf(a, "%016llx", id).p)
               .p;
    return fs_make_folder(*out, err);
}

/* The only repository of another user that git may use: the remote, if the operator named
 * a folder. For the vault's own there is no need, see own.c. */
static str gitconfig_of(struct git *g)
{
    static const char *const endings[] = {"", "/.git", ".git"};
    struct sbuf b = SBUF_ON(&g->arena);
    str path = git_local_path(g);
    for (size_t i = 0; i < COUNT_OF(endings) && path.n > 0; i++) {
        sbuf_add(&b, STR("[safe]\n\tdirectory = \""));
        for (size_t k = 0; k < path.n; k++) {
            if (path.p[k] == '"' || path.p[k] == '\\')
                sbuf_char(&b, '\\');
            sbuf_char(&b, path.p[k]);
        }
        sbuf_printf(&b, "%s\"\n", endings[i]);
    }
    return sbuf_str(&b);
}

bool git_home(struct git *g, const struct sync_config *config, struct err *err)
{
    return real_folder(&g->arena, config->vault_folder, &g->vault, err) &&
           sync_home(&g->arena, config, &g->home, err) &&
           fs_make_folder(in_home(g, NO_CERTIFICATES), err) &&
           git_env_write_file(in_home(g, ".gitconfig"), gitconfig_of(g), 0600, err) &&
           git_env_write_file(in_home(g, "askpass"), str_c(askpass), 0700, err);
}

/* --- the environment --- */

struct env {
    struct git *g;
    const char **list;
    size_t n;
};

static void git_env_add(struct env *e, const char *name, str value)
{
    e->list[e->n++] = arena_printf(&e->g->arena, "%s=" STR_FMT, name, STR_ARG(value)).p;
}

static void git_env_keep(struct env *e, const char *name)
{
    const char *value = self_variable(name);
    if (value != NULL)
        git_env_add(e, name, str_c(value));
}

/* 'it'\''s': GIT_SSH_COMMAND is read by a shell. */
static void git_env_add_quoted(struct sbuf *b, str s)
{
    sbuf_char(b, '\'');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\'')
            sbuf_add(b, STR("'\\''"));
        else
            sbuf_char(b, s.p[i]);
    }
    sbuf_char(b, '\'');
}

static void add_ssh(struct env *e)
{
    const struct sync_git *c = &e->g->config;
    struct arena *a = &e->g->arena;
    struct sbuf b = SBUF_ON(a);
    bool pinned = c->known_hosts.n > 0;
    str hosts = pinned ? c->known_hosts : str_c(in_home(e->g, "known_hosts"));
    sbuf_add(&b, STR("ssh -F /dev/null -o BatchMode=yes -o ConnectTimeout=15 "
                     "-o ServerAliveInterval=15 -o ServerAliveCountMax=2 "
                     "-o GlobalKnownHostsFile=/dev/null -o "));
    git_env_add_quoted(
        &b, arena_printf(a, "UserKnownHostsFile=\"" STR_FMT "\"", STR_ARG(hosts)));
    sbuf_printf(&b, " -o StrictHostKeyChecking=%s", pinned ? "yes" : "accept-new");
    if (c->ssh_key.n > 0) {
        sbuf_add(&b, STR(" -o IdentitiesOnly=yes -i "));
        git_env_add_quoted(&b, c->ssh_key);
    }
    git_env_add(e, "GIT_SSH_COMMAND", sbuf_str(&b));
}

/* "https://host:8443" of a URL. */
static str host_of(str url)
{
    struct uri_parts parts;
    return uri_split(url, &parts) ? parts.origin : url;
}

/* A token is only for the host it was given with. */
static bool is_for_token(const struct git *g)
{
    struct uri_parts parts;
    str wanted = g->config.token_host;
    return wanted.n == 0 ||
           (uri_split(g->url, &parts) && str_eq_nocase(parts.place, wanted));
}

/* A password from the URL is written to a file, so it never appears in arguments. */
static bool git_env_add_token(struct env *e, struct err *err)
{
    const struct sync_git *c = &e->g->config;
    const char *file = in_home(e->g, "token");
    str user = c->token_user.n > 0 ? c->token_user : e->g->user;
    if (c->token_file.n > 0 && is_for_token(e->g))
        file = c->token_file.p;
    else if (e->g->password.n == 0)
        return true;
    else if (!git_env_write_file(file, e->g->password, 0600, err))
        return false;
    git_env_add(e, "GIT_ASKPASS", str_c(in_home(e->g, "askpass")));
    git_env_add(e, "VAULTD_GIT_HOST", host_of(e->g->url));
    git_env_add(e, "VAULTD_GIT_USER", user.n > 0 ? user : STR("x-access-token"));
    git_env_add(e, "VAULTD_GIT_TOKEN", str_c(file));
    return true;
}

bool git_set_env(struct git *g, struct err *err)
{
    static const char *const kept[] = {
        "PATH",          "TZ",           "TMPDIR",       "http_proxy", "https_proxy",
        "HTTPS_PROXY",   "no_proxy",     "NO_PROXY",     "ALL_PROXY",  "all_proxy",
        "SSL_CERT_FILE", "SSL_CERT_DIR", "SSH_AUTH_SOCK"};
    enum { OURS = 25 };
    str user, password;
    struct env e = {g, ARENA_ARRAY(&g->arena, const char *, COUNT_OF(kept) + OURS), 0};
    mask_split(&g->arena, g->url, &g->url, &user, &password);
    if (password.n > 0) {
        bool name_alone = user.n == 0 && g->config.token_file.n > 0;
        g->user = name_alone ? password : user;
        g->password = password;
    }
    for (size_t i = 0; i < COUNT_OF(kept); i++)
        git_env_keep(&e, kept[i]);
    git_env_add(&e, "HOME", str_c(g->home));
    git_env_add(&e, "XDG_CONFIG_HOME", str_c(g->home));
    git_env_add(&e, "LC_ALL", STR("C"));
    git_env_add(&e, "GIT_CONFIG_NOSYSTEM", STR("1"));
    git_env_add(&e, "GIT_ATTR_NOSYSTEM", STR("1"));
    git_env_add(&e, "GIT_TERMINAL_PROMPT", STR("0"));
    git_env_add(&e, "GIT_LITERAL_PATHSPECS", STR("1"));
    git_env_add(&e, "GIT_DEFAULT_REF_FORMAT", STR("files")); /* own.c needs it */
    git_env_add(&e, "GIT_NO_REPLACE_OBJECTS", STR("1"));
    git_env_add(&e, "GIT_INDEX_FILE", str_c(in_home(g, "index")));
    /* without one, git would use the repository around the vault, and its settings */
    const char *dir = g->own != NULL ? g->own : g->dir;
    git_env_add(&e, "GIT_DIR", str_c(dir != NULL ? dir : "/dev/null"));
    if (dir != NULL)
        git_env_add(&e, "GIT_WORK_TREE", str_c(g->vault));
    if (g->config.ca_file.n > 0) {
        git_env_add(&e, "GIT_SSL_CAINFO", g->config.ca_file);
        git_env_add(&e, "GIT_SSL_CAPATH", str_c(in_home(g, NO_CERTIFICATES)));
    }
    add_ssh(&e);
    g->env = e.list;
    return git_env_add_token(&e, err);
}
