/* A round with a command: run it, then find what it changed in the vault. */
#include "base/os/self.h"
#include "base/process.h"
#include "base/sbuf.h"
#include "sync/mask.h"
#include "sync/sync_parts.h"
#include "vault/vault.h"

enum { OUT_MAX = 1 << 20, ENV_MAX = 200, TIMEOUT_S = 600 };

/* Other programs must not get the secrets in our environment. */
static bool is_for_commands(str variable)
{
    static const char *const names[] = {
        "PATH=", "HOME=", "USER=", "LOGNAME=", "LANG=", "TZ=", "TMPDIR=", "LC_",
        "RCLONE_", "XDG_", "SSH_", "SSL_CERT_",
        /* of Windows */
        "USERPROFILE=", "USERNAME=", "APPDATA=", "LOCALAPPDATA=", "TEMP=", "TMP="};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_starts(variable, str_c(names[i])))
            return true;
    size_t end = str_find_char(variable, '=');
    str name = str_slice(variable, 0, end);
    return end != STR_NONE && name.n > 6 &&
           str_eq_nocase(str_skip(name, name.n - 6), STR("_proxy"));
}

static const char **environment(struct arena *a)
{
    const char **env = ARENA_ARRAY(a, const char *, ENV_MAX + 1);
    size_t n = 0;
    for (const char *const *e = self_environment(); *e != NULL && n < ENV_MAX; e++)
        if (is_for_commands(str_c(*e)))
            env[n++] = *e;
    return env;
}

static void add_replaced(struct sbuf *b, str text, str what, str by)
{
    for (size_t at; (at = str_find(text, what)) != STR_NONE;) {
        sbuf_add(b, str_slice(text, 0, at));
        sbuf_add(b, by);
        text = str_skip(text, at + what.n);
    }
    sbuf_add(b, text);
}

static const char *argument(struct arena *a, const struct sync_config *c, str word)
{
    struct sbuf first = SBUF_ON(a), second = SBUF_ON(a);
    add_replaced(&first, word, STR("{vault}"), str_c(c->vault_folder));
    add_replaced(&second, sbuf_str(&first), STR("{state}"), str_c(c->state_folder));
    return arena_str(a, sbuf_str(&second)).p;
}

static bool driver_command_run(struct sync *s, struct arena *a, struct err *err)
{
    const struct sync_command *c = &s->config.command;
    const char **argv = ARENA_ARRAY(a, const char *, c->n + 1);
    struct process_result r;
    for (size_t i = 0; i < c->n; i++)
        argv[i] = argument(a, &s->config, c->argv[i]);
    int64_t seconds = c->timeout_s > 0 ? c->timeout_s : TIMEOUT_S;
    struct process p = {.argv = argv,
                        .env = environment(a),
                        .folder = s->config.vault_folder,
                        .out_max = OUT_MAX,
                        .ms = (unsigned)seconds * 1000,
                        .stop = &s->stop_network};
    if (!process_run(a, &p, &r, err))
        return false;
    str why = mask_reason(a, r.errors.n > 0 ? r.errors : r.out);
    return r.code == 0 || err_set(err, ERR_BUSY, "%s exited with %d%s" STR_FMT, argv[0],
                                  r.code, why.n > 0 ? ": " : "", STR_ARG(why));
}

bool driver_command_round(struct sync *s, const struct round *r, struct err *err)
{
    struct arena a = {0};
    bool ok = driver_command_run(s, &a, err);
    vault_refresh(s->v, NULL, 0); /* a command that failed may still have changed files */
    if (ok)
        sync_settled(s, r);
    arena_release(&a);
    return ok;
}
