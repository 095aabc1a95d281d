#include "sync/repo.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/os/folder.h"
#include "sync/git.h"
#include "sync/mask.h"
#include "sync/own.h"
#include "sync/work.h"

/* A git lock file this old was left by a process that died. */
enum { LOCK_STALE_S = 600, REMOTE_SHOWN = 80 };

#define CLONING "cloning"

/* --- finding --- */

static bool is_empty(const char *folder)
{
    bool empty = true;
    struct folder_names names = folder_names(FILE_CWD, folder);
    for (const char *name; empty && (name = folder_next(&names)) != NULL;)
        empty = strcmp(name, ".git") == 0 || strcmp(name, "lost+found") == 0;
    folder_end(&names);
    return empty;
}

static str with_slash(struct arena *a, str folder)
{
    while (str_ends(folder, STR("/")))
        folder = str_slice(folder, 0, folder.n - 1);
    return folder.n > 0 ? arena_printf(a, STR_FMT "/", STR_ARG(folder)) : (str){0};
}

/* The repository that contains the vault's folder, if that is the right one. */
static bool find_around(struct git *g, struct arena *a, struct err *err)
{
    str dir, prefix, wanted = g->prefix;
    if (!own_around(g, a, &dir, &prefix))
        return true;
    if (prefix.n == 0 && wanted.n > 0)
        return err_set(err, ERR_INVALID,
                       "the vault's folder is the top of a repository, not its subfolder "
                       "'" STR_FMT "'",
                       STR_ARG(wanted));
    if (!str_eq(prefix, wanted) && g->url.n > 0)
        return true; /* an unrelated repository around it */
    g->prefix = arena_str(&g->arena, prefix);
    g->dir = arena_str(&g->arena, dir).p;
    return true;
}

static bool repo_find(struct git *g, struct arena *a, struct err *err)
{
    const char *ours = arena_printf(&g->arena, "%s/repository", g->home).p;
    if (file_exists(arena_printf(a, "%s/HEAD", ours).p)) {
        g->dir = ours;
        g->ours = true;
        return true;
    }
    return find_around(g, a, err);
}

/* --- the remote --- */

/* Whether a URL of the repository itself may be used: a path or a helper could run
 * programs, so only the operator may name one. */
static bool is_remote(str url)
{
    size_t colon = str_find_char(url, ':');
    str rest = str_skip(url, colon);
    if (str_starts(url, STR("https://")) || str_starts(url, STR("ssh://")))
        return true;
    return colon != STR_NONE && colon > 0 && !str_starts(rest, STR("://")) &&
           !str_starts(rest, STR("::")) && !str_starts(url, STR("-")) &&
           str_find_char(str_slice(url, 0, colon), '/') == STR_NONE;
}

/* A URL without what does not matter: "/" or ".git" at its end. */
static str plain_url(str url)
{
    while (str_ends(url, STR("/")))
        url = str_slice(url, 0, url.n - 1);
    return str_ends(url, STR(".git")) ? str_slice(url, 0, url.n - 4) : url;
}

/* Users of the vault may not be allowed to see the repository of another remote. */
static bool is_own_clone(const struct git *g, str origin, struct err *err)
{
    return !g->config.own_clone || g->url.n == 0 || origin.n == 0 ||
           str_eq(plain_url(g->url), plain_url(origin)) ||
           err_set(err, ERR_CONFLICT,
                   "the repository in the vault's folder is a clone of " STR_FMT
                   ", not of " STR_FMT
                   ": give the vault another folder, or delete this one",
                   STR_ARG(str_slice(origin, 0, REMOTE_SHOWN)),
                   STR_ARG(str_slice(g->url, 0, REMOTE_SHOWN)));
}

/* Its URL and the names of its branches. */
static bool find_remote(struct git *g, struct arena *a, struct err *err)
{
    str clean, user, password;
    const char *name = "vaultd";
    mask_split(a, g->origin, &clean, &user, &password);
    if (!is_own_clone(g, clean, err))
        return false;
    if (g->url.n == 0 || str_eq(g->url, clean))
        name = "origin";
    if (g->url.n == 0 && g->origin.n > 0 && !is_remote(g->origin))
        return err_set(err, ERR_INVALID,
                       "the remote that the repository names is neither https nor ssh: "
                       "to use it, name it with --git-remote");
    if (g->url.n == 0)
        g->url = g->origin;
    g->tracking = str_c(name);
    return git_set_env(g, err); /* takes credentials out of the URL */
}

/* "ref: refs/heads/main\tHEAD", then "ID\tHEAD", which also shows the type of its ids. */
static bool default_branch(struct git *g, struct arena *a, str *out, struct err *err)
{
    enum { LONG_ID = 64 };
    str lines, line, id = {0};
    if (!git_run(g, a, GIT_HOW(.network = true),
                 GIT_ARGS("ls-remote", "--symref", "--", arena_str(a, g->url).p, "HEAD"),
                 &lines, err))
        return false;
    *out = STR("main");
    str_next(&lines, '\n', &line);
    if (str_starts(line, STR("ref: refs/heads/"))) {
        line = str_skip(line, 16);
        str_next(&line, '\t', out);
        str_next(&lines, '\t', &id);
    }
    g->sha256 = id.n == LONG_ID;
    return true;
}

static bool find_branch(struct git *g, struct arena *a, struct err *err)
{
    str head = own_checked_out(g, a);
    g->branch = arena_str(&g->arena, g->config.branch.n > 0 ? g->config.branch : head);
    g->tracking = arena_printf(&g->arena, "refs/remotes/" STR_FMT "/" STR_FMT,
                               STR_ARG(g->tracking), STR_ARG(g->branch));
    if (g->branch.n == 0)
        return err_set(err, ERR_INVALID,
                       "the repository has no branch checked out: check one out "
                       "there, or name one with --git-branch");
    return true;
}

/* --- creating --- */

static bool init(struct git *g, struct arena *a, struct err *err)
{
    str out, branch = g->config.branch;
    bool inside = g->prefix.n == 0;
    if (g->url.n > 0 && branch.n == 0 && !default_branch(g, a, &branch, err))
        return false;
    g->ours = !inside;
    g->dir = inside ? arena_printf(&g->arena, "%s/.git", g->vault).p
                    : arena_printf(&g->arena, "%s/repository", g->home).p;
    if (is_empty(g->vault) && g->url.n > 0 && !work_save(g, CLONING, STR("1\n"), err))
        return false;
    if (!git_set_env(g, err) ||
        !git_run(g, a, GIT_HOW(0),
                 GIT_ARGS("init", "--quiet",
                          "--template=", g->sha256 ? "--object-format=sha256" : NULL),
                 &out, err))
        return false;
    if (branch.n == 0)
        branch = STR("main");
    if (!git_run(g, a, GIT_HOW(0),
                 GIT_ARGS("symbolic-ref", "HEAD",
                          arena_printf(a, "refs/heads/" STR_FMT, STR_ARG(branch)).p),
                 &out, err))
        return false;
    return g->url.n == 0 ||
           (git_run(g, a, GIT_HOW(0),
                    GIT_ARGS("config", "remote.origin.url", arena_str(a, g->url).p), &out,
                    err) &&
            git_run(g, a, GIT_HOW(0),
                    GIT_ARGS("config", "remote.origin.fetch",
                             "+refs/heads/*:refs/remotes/origin/*"),
                    &out, err));
}

/* All of this can be repeated after a crash. */
static bool clone_all(struct git *g, struct arena *a, struct err *err)
{
    str id, out;
    log_event(LOG_INFO, "cloning", LOG_STR("remote", mask_urls(a, g->url)));
    if (!git_fetch(g, a, g->config.depth, &id, err))
        return false;
    if (id.n > 0) {
        const char *to = arena_str(a, id).p;
        const char *env[] = {arena_printf(a, "GIT_INDEX_FILE=%s/index", g->dir).p, NULL};
        struct err odd_names; /* which an index refuses */
        if (!git_run(g, a, GIT_HOW(0), GIT_ARGS("update-ref", "HEAD", to), &out, err) ||
            !git_run(g, a, GIT_HOW(0), GIT_ARGS("update-ref", GIT_SEEN, to), &out, err) ||
            !repo_files(g, a, id, err))
            return false;
        if (!g->ours && !git_run(g, a, GIT_HOW(.more = env),
                                 GIT_ARGS("read-tree", "HEAD"), &out, &odd_names))
            log_event(LOG_WARN, "no_index", LOG_STR("why", str_c(odd_names.msg)));
    }
    work_forget(g, CLONING);
    return true;
}

static void remove_stale_lock(const char *folder, struct arena *a, const char *name)
{
    const char *path = arena_printf(a, "%s/%s.lock", folder, name).p;
    struct file_stat st;
    if (file_stat_at(FILE_CWD, path, FILE_FOLLOW, &st) &&
        st.mtime + LOCK_STALE_S < clock_now())
        file_remove(FILE_CWD, path);
}

/* Not the lock of the index: git holds that while a user writes a commit message. */
void repo_unlock(const struct git *g, struct arena *a)
{
    const char *branch = arena_printf(a, "refs/heads/" STR_FMT, STR_ARG(g->branch)).p;
    const char *tracking = arena_str(a, g->tracking).p;
    const char *const names[] = {"HEAD", "packed-refs", "config", "shallow",
                                 branch, tracking,      GIT_SEEN, GIT_NEXT};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        remove_stale_lock(g->common, a, names[i]);
        remove_stale_lock(g->own, a, names[i]);
    }
}

static void copy_config(struct git *g, const struct sync_git *c)
{
    struct arena *a = &g->arena;
    g->config = *c;
    str *const texts[] = {
        &g->config.remote,      &g->config.branch,      &g->config.subfolder,
        &g->config.ssh_key,     &g->config.known_hosts, &g->config.token_file,
        &g->config.token_host,  &g->config.token_user,  &g->config.ca_file,
        &g->config.author_name, &g->config.author_email};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        *texts[i] = arena_str(a, *texts[i]);
    g->url = g->config.remote;
    g->prefix = with_slash(a, g->config.subfolder);
}

bool repo_check(struct git *g, const struct sync_config *config, struct err *err)
{
    struct arena a = {0};
    str out;
    copy_config(g, &config->git);
    bool ok = git_home(g, config, err) && git_set_env(g, err) &&
              git_run(g, &a, GIT_HOW(0), GIT_ARGS("version"), &out, err) &&
              (g->url.n == 0 || default_branch(g, &a, &out, err));
    arena_release(&a);
    return ok;
}

/* There is no repository yet, or it is not cloned to its end. */
static bool is_fresh(const struct git *g, struct arena *a)
{
    return g->dir == NULL || work_saved(g, a, CLONING).n > 0;
}

bool repo_is_away(struct git *g, const struct sync_config *config)
{
    struct arena a = {0};
    struct err ignored; /* repo_open() reports it */
    copy_config(g, &config->git);
    bool away = g->url.n > 0 && git_home(g, config, &ignored) &&
                repo_find(g, &a, &ignored) && is_fresh(g, &a);
    arena_release(&a);
    return away;
}

bool repo_open(struct git *g, const struct sync_config *config, bool make,
               struct err *err)
{
    struct arena a = {0};
    copy_config(g, &config->git);
    bool ok = git_home(g, config, err) && git_set_env(g, err) && repo_find(g, &a, err);
    bool fresh = ok && is_fresh(g, &a);
    if (ok && fresh && !make)
        ok = err_set(err, ERR_NOT_FOUND, "the vault has no repository yet");
    ok = ok && (!fresh || init(g, &a, err)) && own_settings(g, &a, err) &&
         find_remote(g, &a, err) && find_branch(g, &a, err) && own_make(g, &a, err) &&
         git_set_env(g, err);
    if (ok && make) {
        remove_stale_lock(g->dir, &a, "index");
        repo_unlock(g, &a);
        ok = work_saved(g, &a, CLONING).n == 0 || clone_all(g, &a, err);
    }
    arena_release(&a);
    return ok;
}
