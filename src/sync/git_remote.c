/* Fetching and pushing, and the names in commits. */
#include "base/sbuf.h"
#include "sync/git.h"
#include "sync/mask.h"

/* "+refs/heads/main:refs/remotes/origin/main": "+" also accepts a rewritten history. */
static const char *refspec(const struct git *g, struct arena *a)
{
    return arena_printf(a, "+refs/heads/" STR_FMT ":" STR_FMT, STR_ARG(g->branch),
                        STR_ARG(g->tracking))
        .p;
}

bool git_fetch(const struct git *g, struct arena *a, int64_t depth, str *id,
               struct err *err)
{
    const char *deep = depth > 0   ? arena_printf(a, "--depth=%lld", (long long)depth).p
                       : depth < 0 ? "--unshallow"
                                   : "--no-tags";
    str out, errors = {0};
    *id = (str){0};
    if (!git_run(g, a, GIT_HOW(.network = true, .errors = &errors),
                 GIT_ARGS("fetch", "--quiet", "--no-tags", "--no-recurse-submodules",
                          deep, "--", arena_str(a, g->url).p, refspec(g, a)),
                 &out, err))
        /* an empty repository has no branch yet, which is fine; before 2.20: "Couldn't" */
        return str_find(errors, STR("ouldn't find remote ref")) != STR_NONE;
    return git_commit_of(g, a, arena_str(a, g->tracking).p, id, err);
}

/* "[rejected] (fetch first)" of "!\tHEAD:refs/heads/main\t[rejected] (fetch first)" */
static str verdict_of(str out)
{
    str line, part = {0};
    while (str_next(&out, '\n', &line))
        if (str_starts(line, STR("!"))) {
            while (str_next(&line, '\t', &part))
                continue;
            return part;
        }
    return STR("");
}

/* Whether someone else pushed before us, or at the same time. */
static bool has_moved(str verdict)
{
    static const char *const said[] = {"[rejected]", "cannot lock ref", "failed to lock",
                                       "failed to update ref", "incorrect old value"};
    for (size_t i = 0; i < COUNT_OF(said); i++)
        if (str_find(verdict, str_c(said[i])) != STR_NONE)
            return true;
    return false;
}

static bool refused(struct arena *a, str verdict, str errors, struct err *err)
{
    str why = mask_reason(a, errors);
    if (verdict.n == 0)
        verdict = STR("the remote refused it");
    return err_set(err, ERR_DENIED, "git push: " STR_FMT "%s" STR_FMT, STR_ARG(why),
                   why.n > 0 ? "; " : "", STR_ARG(mask_line(a, verdict)));
}

bool git_push(const struct git *g, struct arena *a, str id, unsigned ms, bool *rejected,
              struct err *err)
{
    const char *spec =
        arena_printf(a, STR_FMT ":refs/heads/" STR_FMT, STR_ARG(id), STR_ARG(g->branch))
            .p;
    int code = 0;
    str out, errors;
    *rejected = false;
    if (!git_run(g, a,
                 GIT_HOW(.network = ms == 0, .ms = ms, .code = &code, .errors = &errors),
                 GIT_ARGS("push", "--porcelain", "--quiet", "--no-verify",
                          "--recurse-submodules=no", "--", arena_str(a, g->url).p, spec),
                 &out, err))
        return false;
    if (code != 0) {
        str verdict = verdict_of(out);
        *rejected = has_moved(verdict);
        return *rejected || refused(a, verdict, errors, err);
    }
    str refs = arena_printf(a, "update " STR_FMT " " STR_FMT "\nupdate %s " STR_FMT "\n",
                            STR_ARG(g->tracking), STR_ARG(id), GIT_SEEN, STR_ARG(id));
    return git_run(g, a, GIT_HOW(.input = refs), GIT_ARGS("update-ref", "--stdin"), &out,
                   err);
}

/* A name that git accepts: not empty, without control characters and < > " \. */
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
