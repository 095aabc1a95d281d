/* Fetching, pushing and making commits. */
#include "base/sbuf.h"
#include "sync/git.h"

/* "+refs/heads/main:refs/remotes/origin/main": a rewritten history is seen, too. */
static const char *refspec(const struct git *g, struct arena *a)
{
    return arena_printf(a, "+refs/heads/" STR_FMT ":" STR_FMT, STR_ARG(g->branch),
                        STR_ARG(g->tracking))
        .p;
}

static bool has_branch(const struct git *g, struct arena *a, bool *has, struct err *err)
{
    const char *ref = arena_printf(a, "refs/heads/" STR_FMT, STR_ARG(g->branch)).p;
    str out;
    if (!git_run(g, a, GIT_HOW(.network = true),
                 GIT_ARGS("ls-remote", "--", arena_str(a, g->url).p, ref), &out, err))
        return false;
    *has = out.n > 0;
    return true;
}

bool git_fetch(const struct git *g, struct arena *a, int64_t depth, str *id,
               struct err *err)
{
    const char *deep = depth > 0   ? arena_printf(a, "--depth=%lld", (long long)depth).p
                       : depth < 0 ? "--unshallow"
                                   : "--no-tags";
    str out;
    bool has;
    *id = (str){0};
    if (!git_run(g, a, GIT_HOW(.network = true),
                 GIT_ARGS("fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
                          "--no-auto-maintenance", "--no-recurse-submodules", deep, "--",
                          arena_str(a, g->url).p, refspec(g, a)),
                 &out, err)) {
        struct err other; /* an empty repository has no branch yet, which is fine */
        if (!has_branch(g, a, &has, &other) || has)
            return false;
        return true;
    }
    return git_commit_of(g, a, arena_str(a, g->tracking).p, id, err);
}

/* "!\tHEAD:refs/heads/main\t[rejected] (fetch first)" */
static bool was_rejected(str out)
{
    str line;
    while (str_next(&out, '\n', &line))
        if (str_starts(line, STR("!")) &&
            (str_find(line, STR("[rejected]")) != STR_NONE ||
             str_find(line, STR("lock")) != STR_NONE ||
             str_find(line, STR("failed to update ref")) != STR_NONE))
            return true;
    return false;
}

static bool refused(struct arena *a, str out, struct err *err)
{
    str line;
    while (str_next(&out, '\n', &line))
        if (str_starts(line, STR("!")))
            return err_set(err, ERR_DENIED, "the remote refuses: " STR_FMT,
                           STR_ARG(str_skip(line, 2)));
    return err_set(err, ERR_DENIED, "the remote refuses what was pushed");
}

bool git_push(const struct git *g, struct arena *a, str id, unsigned ms, bool *rejected,
              struct err *err)
{
    const char *spec =
        arena_printf(a, STR_FMT ":refs/heads/" STR_FMT, STR_ARG(id), STR_ARG(g->branch))
            .p;
    int code = 0;
    str out;
    *rejected = false;
    if (!git_run(g, a, GIT_HOW(.network = ms == 0, .ms = ms, .code = &code),
                 GIT_ARGS("push", "--porcelain", "--quiet", "--no-verify",
                          "--recurse-submodules=no", "--", arena_str(a, g->url).p, spec),
                 &out, err))
        return false;
    if (code != 0) {
        *rejected = was_rejected(out);
        return *rejected || refused(a, out, err);
    }
    str refs = arena_printf(a, "update " STR_FMT " " STR_FMT "\nupdate %s " STR_FMT "\n",
                            STR_ARG(g->tracking), STR_ARG(id), GIT_SEEN, STR_ARG(id));
    return git_run(g, a, GIT_HOW(.input = refs), GIT_ARGS("update-ref", "--stdin"), &out,
                   err);
}

/* A name that git takes: not empty, without < > and line ends. */
static str clean_name(struct arena *a, str name, const char *otherwise)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < name.n; i++)
        if ((uint8_t)name.p[i] >= ' ' && strchr("<>\"\\", name.p[i]) == NULL)
            sbuf_char(&b, name.p[i]);
    str out = str_trim(sbuf_str(&b));
    return out.n > 0 ? out : str_c(otherwise);
}

struct git_person git_ourselves(const struct git *g, struct arena *a)
{
    return (struct git_person){clean_name(a, g->config.author_name, "vaultd"),
                               clean_name(a, g->config.author_email, "vaultd@localhost")};
}

struct git_person git_author(const struct git *g, struct arena *a,
                             const struct git_commit *c)
{
    struct git_person p = git_ourselves(g, a);
    if (c->author.name.n > 0)
        p.name = clean_name(a, c->author.name, "vaultd");
    if (c->author.email.n > 0)
        p.email = clean_name(a, c->author.email, "vaultd@localhost");
    return p;
}

bool git_make_commit(const struct git *g, struct arena *a, const struct git_commit *c,
                     str *id, struct err *err)
{
    struct git_person author = git_author(g, a, c), we = git_ourselves(g, a);
    const char *env[] = {
        arena_printf(a, "GIT_AUTHOR_NAME=" STR_FMT, STR_ARG(author.name)).p,
        arena_printf(a, "GIT_AUTHOR_EMAIL=" STR_FMT, STR_ARG(author.email)).p,
        arena_printf(a, "GIT_COMMITTER_NAME=" STR_FMT, STR_ARG(we.name)).p,
        arena_printf(a, "GIT_COMMITTER_EMAIL=" STR_FMT, STR_ARG(we.email)).p,
        NULL,
    };
    const char **args = ARENA_ARRAY(a, const char *, 4 + 2 * c->n);
    size_t n = 0;
    str out;
    args[n++] = "commit-tree";
    args[n++] = "--no-gpg-sign";
    args[n++] = arena_str(a, c->tree).p;
    for (size_t i = 0; i < c->n; i++) {
        args[n++] = "-p";
        args[n++] = arena_str(a, c->parents[i]).p;
    }
    if (!git_run(g, a, GIT_HOW(.input = c->message, .more = env), args, &out, err))
        return false;
    *id = arena_str(a, str_trim_line(out));
    return true;
}
