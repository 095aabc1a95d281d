/*
 * Our git folder for the vault's repository.
 *
 * The settings in .git/config can name programs in many ways: filters, helpers, hooks,
 * signing, protocols, includes. So git never reads them here. It runs with a git folder
 * of our own, in our state folder, whose objects and refs are links to those of the
 * repository, and whose settings are ours. Only a few values are taken over, in a form
 * that can do no harm. HEAD is ours, too: it always names the branch that is synced,
 * whichever branch is checked out.
 */
#include "sync/own.h"

#include <errno.h>

#include "base/fs.h"
#include "base/os/folder.h"
#include "base/os/self.h"
#include "base/sbuf.h"
#include "base/system_path.h"
#include "sync/git.h"

enum { OWN_LINE_MAX = 4096 };

static bool own_failed(struct err *err)
{
    return err_sys(err, "cannot prepare a folder for git in the state folder");
}

/* The first line of a file of the repository; "": there is none. */
static str own_line(struct arena *a, str path)
{
    str text = {0}, line = {0};
    struct err ignored;
    if (!fs_read_file(a, path, OWN_LINE_MAX, &text, &ignored))
        return STR("");
    str_next(&text, '\n', &line);
    return str_trim(line);
}

/* --- finding --- */

static str own_below(struct arena *a, str folder, str path)
{
    return system_path_is_absolute(path)
               ? arena_str(a, path)
               : arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(folder), STR_ARG(path));
}

static bool own_is_there(struct arena *a, str folder, const char *name)
{
    return file_exists(own_below(a, folder, str_c(name)).p);
}

/* The git folder of a work tree at folder, also one that a file ".git" names; or "". */
static str git_folder(struct arena *a, str folder)
{
    struct file_stat st;
    str at = own_below(a, folder, STR(".git"));
    str gitdir = STR("gitdir: ");
    if (!file_stat_at(FILE_CWD, at.p, FILE_FOLLOW, &st))
        return STR("");
    if (st.type == FILE_REGULAR) {
        str line = own_line(a, at);
        if (!str_starts(line, gitdir))
            return STR("");
        at = own_below(a, folder, str_skip(line, gitdir.n));
    }
    return own_is_there(a, at, "HEAD") ? at : STR("");
}

/* As git does: upwards from the vault, on the same file system. */
bool own_around(const struct git *g, struct arena *a, str *dir, str *prefix)
{
    struct file_stat first, st;
    str vault = str_c(g->vault), folder = vault;
    if (!file_stat_at(FILE_CWD, g->vault, FILE_FOLLOW, &first))
        return false;
    while (folder.n > 0 &&
           file_stat_at(FILE_CWD, arena_str(a, folder).p, FILE_FOLLOW, &st) &&
           st.device == first.device) {
        *dir = git_folder(a, folder);
        if (dir->n > 0) {
            str below = str_skip(vault, folder.n + (folder.n < vault.n));
            *prefix = below.n > 0 ? arena_printf(a, STR_FMT "/", STR_ARG(below)) : below;
            return true;
        }
        folder = str_slice(folder, 0, str_find_last(folder, '/'));
    }
    return false;
}

static void find_common(struct git *g)
{
    struct arena *a = &g->arena;
    str dir = str_c(g->dir), common = own_line(a, own_below(a, dir, STR("commondir")));
    g->common = common.n > 0 ? own_below(a, dir, common).p : g->dir;
}

str own_checked_out(const struct git *g, struct arena *a)
{
    str head = own_line(a, own_below(a, str_c(g->dir), STR("HEAD")));
    str ref = STR("ref: refs/heads/");
    return str_starts(head, ref) ? str_skip(head, ref.n) : STR("");
}

/* --- a sparse checkout --- */

/* Read a setting that is true or false; if the file does not have it, *on stays. */
static bool read_flag(const struct git *g, struct arena *a, const char *file,
                      const char *key, bool *on, struct err *err)
{
    str value;
    if (!git_line(g, a,
                  GIT_ARGS("config", "--file", file, "--no-includes", "--type=bool",
                           "--get", key),
                  &value, err))
        return false;
    if (value.n > 0)
        *on = str_eq(value, STR("true"));
    return true;
}

bool own_is_sparse(const struct git *g, struct arena *a, bool *sparse, struct err *err)
{
    static const char key[] = "core.sparseCheckout";
    const char *shared = arena_printf(a, "%s/config", g->common).p;
    const char *own = arena_printf(a, "%s/config.worktree", g->dir).p;
    bool has_own = false;
    *sparse = false;
    /* git locks the list of patterns while it removes the files */
    if (!own_is_there(a, str_c(g->dir), "info/sparse-checkout") &&
        !own_is_there(a, str_c(g->dir), "info/sparse-checkout.lock"))
        return true;
    return read_flag(g, a, shared, key, sparse, err) &&
           read_flag(g, a, shared, "extensions.worktreeConfig", &has_own, err) &&
           (!has_own || read_flag(g, a, own, key, sparse, err));
}

/* --- what is taken over --- */

/* Values that the format of the repository or the machine's file system requires. */
static const struct taken {
    const char *key, *ours, *values; /* values: those allowed, separated by spaces */
} taken[] = {
    {"core.ignorecase", "ignoreCase", "true false"},
    {"core.precomposeunicode", "precomposeUnicode", "true false"},
    {"core.sharedrepository", "sharedRepository",
     "group true 1 all world everybody 2 0660 0664 0666 660 664 666"},
};

static bool own_is_one_of(str value, const char *values)
{
    str rest = str_c(values), one;
    while (str_next(&rest, ' ', &one))
        if (str_eq(one, value))
            return true;
    return false;
}

/* Extensions change how a repository is stored. */
static bool take_extension(struct git *g, str name, str value, struct err *err)
{
    if (str_eq(name, STR("objectformat")))
        g->sha256 = str_eq_nocase(value, STR("sha256"));
    else if (!str_eq(name, STR("worktreeconfig")) && !str_eq(name, STR("noop")) &&
             !str_eq(name, STR("relativeworktrees")) &&
             !str_eq(name, STR("preciousobjects")) &&
             !(str_eq(name, STR("refstorage")) && str_eq(value, STR("files"))))
        return err_set(err, ERR_INVALID,
                       "the repository uses extensions." STR_FMT ", which sync does not "
                       "support: sync a plain clone of it",
                       STR_ARG(str_slice(name, 0, 60)));
    return true;
}

static bool take_value(struct git *g, str key, str value, struct sbuf *core,
                       struct err *err)
{
    str extension = STR("extensions.");
    for (size_t i = 0; i < COUNT_OF(taken); i++)
        if (str_eq(key, str_c(taken[i].key)) && own_is_one_of(value, taken[i].values))
            sbuf_printf(core, "\t%s = " STR_FMT "\n", taken[i].ours, STR_ARG(value));
    if (str_eq(key, STR("remote.origin.url")))
        g->origin = arena_str(&g->arena, value);
    return !str_starts(key, extension) ||
           take_extension(g, str_skip(key, extension.n), value, err);
}

/* "key\nvalue\0". Only this file: what it includes is not read. */
static bool read_config(struct git *g, struct arena *a, str *config, struct err *err)
{
    str all, line, key;
    struct sbuf core = SBUF_ON(a);
    const char *file = arena_printf(a, "%s/config", g->common).p;
    if (!git_run(g, a, GIT_HOW(0),
                 GIT_ARGS("config", "--file", file, "--no-includes", "--null", "--list"),
                 &all, err))
        return false;
    while (str_next(&all, '\0', &line) && line.n > 0) {
        str_next(&line, '\n', &key);
        if (!take_value(g, key, line, &core, err))
            return false;
    }
    *config = arena_printf(&g->arena,
                           "[core]\n\trepositoryFormatVersion = 1\n\tbare = false\n"
                           "\tsplitIndex = false\n" STR_FMT "%s",
                           STR_ARG(sbuf_str(&core)),
                           g->sha256 ? "[extensions]\n\tobjectFormat = sha256\n" : "");
    return true;
}

/* --- making --- */

static bool own_link(struct arena *a, const char *target, const char *path)
{
    char now[OWN_LINE_MAX];
    str was;
    if (file_read_symlink(FILE_CWD, path, now, sizeof(now), &was) &&
        str_eq(was, str_c(target)))
        return true;
    const char *temp = arena_printf(a, "%s.%d", path, self_pid()).p;
    file_remove(FILE_CWD, temp);
    return file_make_symlink(target, FILE_CWD, temp) &&
           file_rename(FILE_CWD, temp, FILE_CWD, path, FILE_REPLACE);
}

static bool make_links(struct git *g, struct arena *a, struct err *err)
{
    const struct {
        const char *name, *from, *target;
    } links[] = {
        {"objects", g->common, "objects"},  {"refs", g->common, "refs"},
        {"info", g->common, "info"},        {"packed-refs", g->common, "packed-refs"},
        {"shallow", g->common, "shallow"},  {"logs/refs", g->common, "logs/refs"},
        {"logs/HEAD", g->dir, "logs/HEAD"},
    };
    const char *const folders[] = {g->common, g->dir};
    for (size_t i = 0; i < COUNT_OF(folders); i++)
        (void)!folder_make(FILE_CWD, arena_printf(a, "%s/logs", folders[i]).p, 0);
    (void)!folder_make(FILE_CWD, arena_printf(a, "%s/logs/refs", g->common).p, 0);
    for (size_t i = 0; i < COUNT_OF(links); i++)
        if (!own_link(a, arena_printf(a, "%s/%s", links[i].from, links[i].target).p,
                      arena_printf(a, "%s/%s", g->own, links[i].name).p))
            return own_failed(err);
    return true;
}

bool own_settings(struct git *g, struct arena *a, struct err *err)
{
    find_common(g);
    return read_config(g, a, &g->settings, err);
}

bool own_make(struct git *g, struct arena *a, struct err *err)
{
    if (g->ours) {
        g->own = g->dir;
        return true;
    }
    g->own = arena_printf(&g->arena, "%s/git", g->home).p;
    str head = arena_printf(a, "ref: refs/heads/" STR_FMT "\n", STR_ARG(g->branch));
    return fs_make_folder(arena_printf(a, "%s/logs", g->own).p, err) &&
           make_links(g, a, err) &&
           fs_replace_file(arena_printf(a, "%s/config", g->own).p, g->settings, err) &&
           fs_replace_file(arena_printf(a, "%s/HEAD", g->own).p, head, err);
}

/* The user's index may be split: then the other part is next to it. */
void own_share_index(const struct git *g, struct arena *a)
{
    if (g->ours)
        return;
    struct folder_names names = folder_names(FILE_CWD, g->dir);
    for (const char *name; (name = folder_next(&names)) != NULL;)
        if (str_starts(str_c(name), STR("sharedindex.")))
            (void)!own_link(a, arena_printf(a, "%s/%s", g->dir, name).p,
                            arena_printf(a, "%s/%s", g->own, name).p);
    folder_end(&names);
}

/* git removes our link to the list of what a shallow clone left out, not the list. */
bool own_unshallowed(const struct git *g, struct arena *a, struct err *err)
{
    const char *list = arena_printf(a, "%s/shallow", g->common).p;
    const char *link = arena_printf(a, "%s/shallow", g->own).p;
    struct file_stat st;
    if (g->ours || file_stat_at(FILE_CWD, link, FILE_NO_LINK, &st))
        return true;
    if (!file_remove(FILE_CWD, list) && errno != ENOENT)
        return own_failed(err);
    return own_link(a, list, link) || own_failed(err);
}
