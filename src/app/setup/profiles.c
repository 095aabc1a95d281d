#include "app/setup/profiles.h"

#include <string.h>

/* Any one of these lets users sign in. */
#define SIGN_IN                                                                          \
    "auth-users|auth-users-file|github-client-id|oidc-issuer|oauth-clients-file"

const struct profile profiles[] = {
    {.name = "default", .about = "the vault_* tools, over HTTP or stdio"},
    {
        .name = "obsidian-vault-mcp",
        .about = "note_read, note_upsert and related tools for agents on the LAN, "
                 "without sign-in, with answers as event streams",
        .defaults = {{"tools", "obsidian-vault-mcp"},
                     {"listen-addr", ":1065"},
                     {"auth", "none"},
                     {"sse", "always"}},
        .skills = true,
    },
    {
        .name = "vault-sync",
        .about = "the six tools of the vault-sync server, with OAuth and passwords",
        .program = "vault-sync-mcp",
        .defaults = {{"tools", "vault-sync"},
                     {"listen-addr", ":8090"},
                     {"auth", "required"}},
        .needs = {{"server-url", "the URL at which clients reach the server"},
                  {SIGN_IN, "users who may sign in (vaultd hash-password)"}},
        .root_challenge = true,
    },
    {
        .name = "obsidian-bundle",
        .about = "the obsidian_* tools over stdio, as the MCPB bundle starts them",
        .defaults = {{"tools", "obsidian-bundle"}, {"stdio", "on"}},
        .server_name = "obsidian-mcp",
        .server_version = "1.0.0",
        .tools_only = true,
        .plain = true,
    },
    {
        .name = "claude-desktop",
        .about = "fifteen note tools over stdio that find notes by name, with the user's "
                 "notes for Claude, and no new tags",
        .defaults = {{"tools", "claude-desktop"},
                     {"stdio", "on"},
                     {"auto-context", "on"},
                     {"tag-policy", "enforce"}},
        .tools_only = true,
    },
    {
        .name = "vault-git",
        .about = "file tools for a vault in git, as the only process of a container, "
                 "with GitHub sign-in and JWTs",
        .defaults = {{"tools", "vault-git"},
                     {"vault-path", "/vault"},
                     {"listen-addr", ":8090"},
                     {"auth", "required"},
                     {"token-format", "jwt"},
                     {"sync", "git"},
                     {"git-add", "all"},
                     {"claude-md", "on"},
                     {"sse", "always"},
                     {"confirm", "never"},
                     {"log-format", "json"}},
        .needs = {{SIGN_IN, "who may sign in, usually --github-client-id with "
                            "--github-allowed-users"}},
    },
    {0},
};

const char *const profile_names[] = {
    "default",        "obsidian-vault-mcp", "vault-sync", "obsidian-bundle",
    "claude-desktop", "vault-git",          NULL};

int profile_of_program(str argv0)
{
    size_t slash = str_find_last(argv0, '/');
    str name = slash == STR_NONE ? argv0 : str_skip(argv0, slash + 1);
    for (int i = 0; profiles[i].name != NULL; i++)
        if (profiles[i].program != NULL && str_eq(name, str_c(profiles[i].program)))
            return i;
    return 0;
}

const char *profile_default(const struct profile *p, const char *flag)
{
    for (size_t i = 0; i < PROFILE_DEFAULTS && p->defaults[i].flag != NULL; i++)
        if (strcmp(p->defaults[i].flag, flag) == 0)
            return p->defaults[i].value;
    return NULL;
}

static const char *default_of(const struct profile *p, const struct option *o)
{
    const char *own = profile_default(p, o->flag);
    return own != NULL ? own : o->dflt;
}

const struct option *profile_table(struct arena *a, const struct profile *p,
                                   const struct option *table)
{
    size_t n = 0;
    while (table[n].flag != NULL)
        n++;
    struct option *copy = ARENA_ARRAY(a, struct option, n + 1);
    for (size_t i = 0; i < n; i++) {
        copy[i] = table[i];
        copy[i].dflt = default_of(p, &table[i]);
    }
    return copy;
}

static bool is_any_given(str flags, const struct option *table, int argc, char **argv)
{
    struct arena a = {0};
    str flag;
    bool given = false;
    while (!given && str_next(&flags, '|', &flag))
        given = options_given(table, arena_str(&a, flag).p, argc, argv);
    arena_release(&a);
    return given;
}

bool profile_check(const struct profile *p, const struct option *table, int argc,
                   char **argv, struct err *err)
{
    for (size_t i = 0; i < PROFILE_NEEDS && p->needs[i].flags != NULL; i++) {
        str flags = str_c(p->needs[i].flags), first = flags;
        if (is_any_given(flags, table, argc, argv))
            continue;
        str_next(&flags, '|', &first);
        return err_set(err, ERR_INVALID, "profile %s needs --" STR_FMT ": %s", p->name,
                       STR_ARG(first), p->needs[i].why);
    }
    return true;
}
