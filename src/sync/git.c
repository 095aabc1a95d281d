#include "sync/git.h"

#include "base/fs.h"
#include "base/process.h"
#include "base/sbuf.h"
#include "base/system_path.h"
#include "base/text.h"
#include "sync/mask.h"

/* Settings of the repository are not read (own.c). These differ from git's own
 * defaults: no programs, no prompts, no other protocols, contents as they are. */
static const char *const settings[] = {
    "core.hooksPath=/dev/null",  "core.fsmonitor=false",
    "core.fileMode=false",       "core.autocrlf=false",
    "core.longPaths=true", /* on Windows, whose other programs stop at 260 characters */
    "core.protectNTFS=false", /* our own rules are stricter: see tree_path.h */
    "core.protectHFS=false",     "core.fsync=committed,reference",
    "core.fsyncMethod=batch",    "core.alternateRefsCommand=true",
    "protocol.allow=never",      "protocol.https.allow=always",
    "protocol.ssh.allow=always", "credential.helper=",
    "submodule.recurse=false",   "gc.auto=0",
    "maintenance.auto=false",    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=30",
};

static unsigned limit_ms(const struct git *g, const struct git_how *how)
{
    int64_t network_s = g->config.timeout_s > 0 ? g->config.timeout_s : GIT_NETWORK_S;
    return how->ms > 0    ? how->ms
           : how->network ? (unsigned)network_s * 1000
                          : GIT_LOCAL_MS;
}

str git_local_path(const struct git *g)
{
    return system_path_of_url(g->config.remote);
}

enum { ARGS_MAX = 600, ENV_MAX = 64 };

static void collect_args(const struct git *g, const char *const *args,
                         const char *argv[static ARGS_MAX])
{
    size_t n = 0;
    argv[n++] = "git";
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        argv[n++] = "-c";
        argv[n++] = settings[i];
    }
    if (git_local_path(g).n > 0) {
        argv[n++] = "-c";
        argv[n++] = "protocol.file.allow=always";
    }
    for (; *args != NULL; args++) {
        if (n + 1 >= ARGS_MAX)
            BUG("too many arguments");
        argv[n++] = *args;
    }
    argv[n] = NULL;
}

static bool is_named_in(const char *const *env, size_t n, const char *entry)
{
    size_t name = strcspn(entry, "=") + 1;
    for (size_t i = 0; i < n; i++)
        if (strncmp(env[i], entry, name) == 0)
            return true;
    return false;
}

/* Each name once: programs differ in which duplicate they use. */
static void collect_env(const struct git *g, const char *const *more,
                        const char *env[static ENV_MAX])
{
    size_t n = 0;
    for (const char *const *e = more; e != NULL && *e != NULL; e++)
        env[n++] = *e;
    size_t n_more = n;
    for (const char *const *e = g->env; *e != NULL && n + 1 < ENV_MAX; e++)
        if (!is_named_in(env, n_more, *e))
            env[n++] = *e;
    env[n] = NULL;
}

/* Messages must not reveal paths of the machine. */
static str without_paths(const struct git *g, struct arena *a, str text)
{
    const struct sync_git *c = &g->config;
    const struct {
        str path;
        const char *name;
    } known[] = {
        {c->ssh_key, "(git-ssh-key)"},       {c->known_hosts, "(git-known-hosts)"},
        {c->token_file, "(git-token-file)"}, {c->ca_file, "(git-ca-file)"},
        {str_c(g->vault), "(vault)"},        {str_c(g->home), "(state)"}};
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        struct sbuf b = SBUF_ON(a);
        if (known[i].path.n == 0)
            continue;
        for (size_t at; (at = str_find(text, known[i].path)) != STR_NONE;) {
            sbuf_add(&b, str_slice(text, 0, at));
            sbuf_add(&b, str_c(known[i].name));
            text = str_skip(text, at + known[i].path.n);
        }
        sbuf_add(&b, text);
        text = sbuf_str(&b);
    }
    return text;
}

bool git_complain(const struct git *g, struct arena *a, const char *verb,
                  const struct process_result *r, struct err *err)
{
    str why = mask_reason(a, without_paths(g, a, r->errors));
    if (why.n == 0)
        return err_set(err, ERR_BUSY, "git %s exited with %d", verb, r->code);
    return err_set(err, ERR_BUSY, "git %s: " STR_FMT, verb, STR_ARG(why));
}

static struct process plan_run(const struct git *g, const struct git_how *how,
                               const char *const *args, const char *argv[static ARGS_MAX],
                               const char *env[static ENV_MAX])
{
    collect_args(g, args, argv);
    collect_env(g, how->more, env);
    return (struct process){.argv = argv,
                            .env = env,
                            .folder = g->vault,
                            .input = how->input,
                            .out_max = GIT_OUT_MAX,
                            .ms = limit_ms(g, how),
                            .stop = how->network ? g->stop : NULL,
                            .nice = GIT_NICE,
                            .on_line = how->on_line};
}

bool git_start(const struct git *g, const char *const *args, struct process_session **out,
               struct err *err)
{
    const char *argv[ARGS_MAX], *env[ENV_MAX];
    struct process p = plan_run(g, GIT_HOW(0), args, argv, env);
    return process_open(&p, out, err);
}

bool git_run(const struct git *g, struct arena *a, const struct git_how *how,
             const char *const *args, str *out, struct err *err)
{
    const char *argv[ARGS_MAX], *env[ENV_MAX];
    struct process_result r;
    struct process p = plan_run(g, how, args, argv, env);
    if (!process_run(a, &p, &r, err))
        return false;
    if (how->code != NULL)
        *how->code = r.code;
    if (how->errors != NULL)
        *how->errors = without_paths(g, a, r.errors);
    if (r.code > (how->code != NULL ? 1 : 0))
        return git_complain(g, a, args[0], &r, err);
    *out = r.out;
    return true;
}

bool git_line(const struct git *g, struct arena *a, const char *const *args, str *out,
              struct err *err)
{
    int code = 0;
    if (!git_run(g, a, GIT_HOW(.code = &code), args, out, err))
        return false;
    *out = code == 0 ? arena_str(a, str_trim_line(*out)) : (str){0};
    return true;
}

/* --- refs, without a run of git --- */

enum { REF_MAX = 4096, PACKED_MAX = 16 << 20 };

static str file_in_own(const struct git *g, struct arena *a, str name, size_t max)
{
    str text = {0};
    struct err ignored;
    str path = arena_printf(a, "%s/" STR_FMT, g->own, STR_ARG(name));
    return fs_read_file(a, path, max, &text, &ignored) ? text : STR("");
}

static str packed_ref(str packed, str name)
{
    str line, id;
    while (str_next(&packed, '\n', &line))
        if (str_next(&line, ' ', &id) && str_eq(line, name))
            return id;
    return STR("");
}

bool git_is_id(const struct git *g, str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!is_hex(text.p[i]))
            return false;
    return text.n == (g->sha256 ? 64 : 40);
}

/* The commit of HEAD or a branch, as their files have it: sync refuses repositories that
 * store refs in another way. First the file, then the list, as git does: it writes the
 * list before it removes the file. False if git has to be asked. */
static bool read_ref(const struct git *g, struct arena *a, str name, str *id)
{
    static const char *const commits[] = {"refs/heads/", "refs/remotes/", "refs/vaultd/"};
    str link = STR("ref: ");
    bool known = false;
    if (g->own == NULL)
        return false;
    if (str_eq(name, STR("HEAD"))) {
        str head = str_trim_line(file_in_own(g, a, name, REF_MAX));
        name = str_starts(head, link) ? str_skip(head, link.n) : STR("");
    }
    for (size_t i = 0; i < COUNT_OF(commits); i++)
        known = known || str_starts(name, str_c(commits[i]));
    if (!known)
        return false;
    *id = str_trim_line(file_in_own(g, a, name, REF_MAX));
    if (id->n == 0)
        *id = packed_ref(file_in_own(g, a, STR("packed-refs"), PACKED_MAX), name);
    return git_is_id(g, *id);
}

bool git_commit_of(const struct git *g, struct arena *a, const char *name, str *id,
                   struct err *err)
{
    if (read_ref(g, a, str_c(name), id))
        return true;
    str full = arena_printf(a, "%s^{commit}", name);
    return git_line(g, a, GIT_ARGS("rev-parse", "--verify", "--quiet", full.p), id, err);
}

bool git_is_in(const struct git *g, struct arena *a, str commit, str other, bool *is,
               struct err *err)
{
    int code = 0;
    str ignored;
    if (!git_run(g, a, GIT_HOW(.code = &code),
                 GIT_ARGS("merge-base", "--is-ancestor", arena_str(a, commit).p,
                          arena_str(a, other).p),
                 &ignored, err))
        return false;
    *is = code == 0;
    return true;
}

void git_release(struct git *g)
{
    arena_release(&g->arena);
}
