#include "app/cli/init_server.h"

#include "app/cli/client_file.h"
#include "app/cli/config_file.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/system_path.h"
#include "base/uri.h"
#include "oauth/users_file.h"

enum { USERS, SETTINGS, UNIT };

/* --- settings --- */

/* NAME="value", quoted for both systemd and a shell. */
static void put_variable(struct sbuf *out, const char *name, str value)
{
    sbuf_printf(out, "%s=\"", name);
    for (size_t i = 0; i < value.n; i++) {
        if (strchr("\"\\`$", value.p[i]) != NULL)
            sbuf_char(out, '\\');
        sbuf_char(out, value.p[i]);
    }
    sbuf_add(out, STR("\"\n"));
}

/* The same for cmd.exe, which expands '%' also within quotes. */
static void put_cmd_variable(struct sbuf *out, const char *name, str value)
{
    sbuf_printf(out, "set \"%s=", name);
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] == '%')
            sbuf_char(out, '%');
        sbuf_char(out, value.p[i]);
    }
    sbuf_add(out, STR("\"\r\n"));
}

static void put_variables(struct arena *a, struct sbuf *out, const struct init_server *s,
                          str users)
{
    void (*put)(struct sbuf *, const char *, str) =
        s->system == MACHINE_WINDOWS ? put_cmd_variable : put_variable;
    put(out, "VAULT_PATH", s->vault);
    put(out, "SERVER_URL", s->url);
    put(out, "LISTEN_ADDR", arena_printf(a, "127.0.0.1:%lld", (long long)s->port));
    put(out, "TRUSTED_PROXIES", STR("127.0.0.1"));
    put(out, "AUTH_USERS_FILE", users);
    if (s->access != NULL) {
        str value = str_c(s->access), name;
        (void)str_next(&value, '=', &name);
        put(out, arena_str(a, name).p, value);
    }
    if (s->sync)
        put(out, "SYNC", STR("git"));
}

#define WRITTEN "Written by vaultd init. For all settings, see vaultd docs settings"

static str settings_text(struct arena *a, const struct init_server *s, str users)
{
    struct sbuf out = SBUF_ON(a);
    if (s->system != MACHINE_WINDOWS) {
        sbuf_add(&out, STR("# " WRITTEN "\n"));
        put_variables(a, &out, s, users);
        return sbuf_str(&out);
    }
    sbuf_add(&out, STR("@echo off\r\nrem " WRITTEN "\r\nchcp 65001 >nul\r\n"));
    put_variables(a, &out, s, users);
    put_cmd_variable(&out, "PROGRAM",
                     system_path_shown_on(MACHINE_WINDOWS, a, s->program));
    sbuf_add(&out, STR("\"%PROGRAM%\" serve\r\n"));
    return sbuf_str(&out);
}

/* --- the unit --- */

/* A word in a unit: quoted, with specifiers and variables escaped. */
static void put_unit_word(struct sbuf *out, str word)
{
    sbuf_char(out, '"');
    for (size_t i = 0; i < word.n; i++) {
        char c = word.p[i];
        if (c == '"' || c == '\\')
            sbuf_char(out, '\\');
        if (c == '%' || c == '$')
            sbuf_char(out, c);
        sbuf_char(out, c);
    }
    sbuf_char(out, '"');
}

/* A path in a unit: only specifiers are special. */
static void put_unit_path(struct sbuf *out, str path)
{
    for (size_t i = 0; i < path.n; i++) {
        if (path.p[i] == '%')
            sbuf_char(out, '%');
        sbuf_char(out, path.p[i]);
    }
}

static str unit_text(struct arena *a, const struct init_server *s, str settings)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, STR("[Unit]\n"
                       "Description=vaultd, the MCP server for Obsidian vaults\n"
                       "After=network.target\n\n"
                       "[Service]\n"
                       "Type=notify\n"
                       "EnvironmentFile="));
    put_unit_path(&out, settings);
    sbuf_add(&out, STR("\nExecStart="));
    put_unit_word(&out, s->program);
    sbuf_add(&out, STR(" serve\nRestart=on-failure\n\n"
                       "[Install]\nWantedBy=default.target\n"));
    return sbuf_str(&out);
}

/* --- all of them --- */

bool init_server_files(struct arena *a, const struct init_server *s,
                       struct init_file out[INIT_FILES_MAX], size_t *n, struct err *err)
{
    str own = machine_config_folder(a);
    bool windows = s->system == MACHINE_WINDOWS;
    str places[] = {[USERS] = path_join(a, own, STR("users")),
                    [SETTINGS] =
                        path_join(a, own, windows ? STR("serve.cmd") : STR("vaultd.env")),
                    [UNIT] = client_file_place(a, ".config/systemd/user/vaultd.service")};
    if (str_find_char(s->vault, '\n') != STR_NONE ||
        str_find_char(s->program, '\n') != STR_NONE)
        return err_set(err, ERR_INVALID, "a path cannot contain a line feed");
    *n = s->unit ? INIT_FILES_MAX : UNIT;
    for (size_t i = 0; i < *n; i++) {
        out[i].mode = i == UNIT ? 0 : 0600;
        if (!config_file_read(a, places[i], &out[i].file, err))
            return false;
    }
    out[USERS].text = users_file_replace(a, out[USERS].file.text, s->user, s->hash);
    out[SETTINGS].text = settings_text(a, s, out[USERS].file.path);
    if (s->unit)
        out[UNIT].text = unit_text(a, s, out[SETTINGS].file.path);
    return true;
}

str init_server_next(struct arena *a, const struct init_server *s,
                     const struct init_file *files)
{
    struct sbuf out = SBUF_ON(a);
    struct uri_parts parts;
    (void)uri_split(s->url, &parts);
    str settings = system_path_shown_on(s->system, a, files[SETTINGS].file.path);
    sbuf_add(&out, STR("1. Start it\n"));
    if (s->system == MACHINE_WINDOWS)
        sbuf_printf(&out,
                    "     \"" STR_FMT "\"\n"
                    "   To start it whenever you log on\n"
                    "     schtasks /create /tn vaultd /sc onlogon /tr \"'" STR_FMT
                    "'\"\n",
                    STR_ARG(settings), STR_ARG(settings));
    else if (s->unit)
        sbuf_add(
            &out,
            STR("     systemctl --user daemon-reload\n"
                "     systemctl --user enable --now vaultd\n"
                "     loginctl enable-linger    # keeps it running when you log out\n"));
    else
        sbuf_printf(&out, "     set -a; . '" STR_FMT "'; set +a; vaultd serve\n",
                    STR_ARG(settings));
    sbuf_printf(&out,
                "2. Put a proxy in front of it; for Caddy, add these lines to the "
                "Caddyfile\n"
                "     " STR_FMT " {\n"
                "         reverse_proxy 127.0.0.1:%lld {\n"
                "             flush_interval -1\n"
                "         }\n"
                "     }\n"
                "3. Check that it works\n"
                "     vaultd doctor --connector " STR_FMT "/mcp\n"
                "4. Connect\n"
                "     vaultd connect claude-web --url " STR_FMT "/mcp\n"
                "     vaultd connect chatgpt --url " STR_FMT "/mcp\n",
                STR_ARG(parts.place), (long long)s->port, STR_ARG(s->url),
                STR_ARG(s->url), STR_ARG(s->url));
    return sbuf_str(&out);
}
