#include "app/cli/client_table.h"

#include "base/near.h"
#include "base/sbuf.h"
#include "base/utf8.h"

/* --- what a server looks like --- */

static const struct client_member plain_stdio[] = {
    {"command", CLIENT_COMMAND, NULL}, {"args", CLIENT_ARGS, NULL}, {0}};
static const struct client_member typed_stdio[] = {{"type", CLIENT_WORD, "stdio"},
                                                   {"command", CLIENT_COMMAND, NULL},
                                                   {"args", CLIENT_ARGS, NULL},
                                                   {0}};
static const struct client_member local_line[] = {
    {"type", CLIENT_WORD, "local"}, {"command", CLIENT_LINE, NULL}, {0}};

static const struct client_member plain_url[] = {{"url", CLIENT_URL, NULL}, {0}};
static const struct client_member http_url[] = {
    {"type", CLIENT_WORD, "http"}, {"url", CLIENT_URL, NULL}, {0}};
static const struct client_member remote_url[] = {
    {"type", CLIENT_WORD, "remote"}, {"url", CLIENT_URL, NULL}, {0}};
static const struct client_member streamable_url[] = {
    {"type", CLIENT_WORD, "streamableHttp"}, {"url", CLIENT_URL, NULL}, {0}};
static const struct client_member gemini_url[] = {{"httpUrl", CLIENT_URL, NULL}, {0}};
static const struct client_member windsurf_url[] = {{"serverUrl", CLIENT_URL, NULL}, {0}};

/* --- steps for the user --- */

#define CLAUDE_STEPS                                                                     \
    "Settings > Connectors > Add custom connector\n"                                     \
    "Name: any; URL: the one above; Add\n"                                               \
    "Connect, then sign in on your server's page and choose what Claude may do"

#define CHATGPT_STEPS                                                                    \
    "Settings > Apps > Advanced settings: turn on Developer mode\n"                      \
    "Settings > Apps > Create app; MCP server URL: the one above; Authentication: "      \
    "OAuth\n"                                                                            \
    "Create, then sign in on your server's page and choose what ChatGPT may do\n"        \
    "In a chat: + > More > Developer mode, and choose the app. For deep research start " \
    "vaultd with --tools default,chatgpt"

const struct client client_table[] = {
    {
        .name = "claude-desktop",
        .title = "Claude Desktop",
        .files = {".config/Claude/claude_desktop_config.json"},
        .mac_files = {"Library/Application Support/Claude/claude_desktop_config.json"},
        /* The package of the store sees its own copy of AppData, and no other. */
        .win_files = {"%LOCALAPPDATA%/Packages/Claude_*/LocalCache/Roaming/Claude/"
                      "claude_desktop_config.json",
                      "%APPDATA%/Claude/claude_desktop_config.json"},
        .program = "claude-desktop",
        .format = CONFIG_JSON,
        .keys = {"mcpServers"},
        .stdio = plain_stdio,
        .steps = CLAUDE_STEPS,
        .check = "Quit Claude Desktop and start it again; Settings > Developer lists it",
    },
    {
        .name = "claude-code",
        .title = "Claude Code",
        .files = {".claude.json"},
        .folder_variable = "CLAUDE_CONFIG_DIR",
        .file_there = ".claude.json",
        .program = "claude",
        .format = CONFIG_JSON,
        .keys = {"mcpServers"},
        .stdio = typed_stdio,
        .http = http_url,
        .check = "claude mcp list, or /mcp in a session",
        .sign_in = "/mcp in a session signs in",
    },
    {
        .name = "cursor",
        .title = "Cursor",
        .files = {".cursor/mcp.json"},
        .program = "cursor",
        .format = CONFIG_JSONC,
        .keys = {"mcpServers"},
        .stdio = plain_stdio,
        .http = plain_url,
        .check = "Restart Cursor; its list of MCP servers shows it",
    },
    {
        .name = "vscode",
        .title = "VS Code",
        .files = {".config/Code/User/mcp.json"},
        .mac_files = {"Library/Application Support/Code/User/mcp.json"},
        .win_files = {"%APPDATA%/Code/User/mcp.json"},
        .program = "code",
        .format = CONFIG_JSONC,
        .keys = {"servers"},
        .stdio = typed_stdio,
        .http = http_url,
        .check = "Run 'MCP: List Servers' from the command palette",
    },
    {
        .name = "codex",
        .title = "Codex",
        .files = {".codex/config.toml"},
        .folder_variable = "CODEX_HOME",
        .file_there = "config.toml",
        .program = "codex",
        .format = CONFIG_TOML,
        .keys = {"mcp_servers"},
        .stdio = plain_stdio,
        .http = plain_url,
        .check = "codex mcp list, or /mcp in a session",
        .sign_in = "codex mcp login NAME signs in",
    },
    {
        .name = "gemini",
        .title = "Gemini CLI",
        .files = {".gemini/settings.json"},
        .program = "gemini",
        .format = CONFIG_JSONC,
        .keys = {"mcpServers"},
        .stdio = plain_stdio,
        .http = gemini_url,
        .check = "gemini mcp list, or /mcp in a session",
        .sign_in = "/mcp auth NAME in a session signs in",
    },
    {
        .name = "windsurf",
        .title = "Windsurf",
        .files = {".codeium/windsurf/mcp_config.json"},
        .program = "windsurf",
        .format = CONFIG_JSON,
        .keys = {"mcpServers"},
        .stdio = plain_stdio,
        .http = windsurf_url,
        .check = "Refresh the list of MCP servers in Cascade",
    },
    {
        .name = "zed",
        .title = "Zed",
        .files = {".config/zed/settings.json"},
        .win_files = {"%APPDATA%/Zed/settings.json"},
        .program = "zed",
        .format = CONFIG_JSONC,
        .keys = {"context_servers"},
        .stdio = plain_stdio,
        .http = plain_url,
        .check = "Settings > AI > MCP Servers lists it",
    },
    {
        .name = "cline",
        .title = "Cline",
        .files = {".cline/data/settings/cline_mcp_settings.json"},
        .program = "cline",
        .format = CONFIG_JSON,
        .keys = {"mcpServers"},
        .stdio = plain_stdio,
        .http = streamable_url,
        .check = "MCP Servers > Configure lists it",
    },
    {
        .name = "lm-studio",
        .title = "LM Studio",
        .files = {".lmstudio/mcp.json"},
        .program = "lms",
        .format = CONFIG_JSON,
        .keys = {"mcpServers"},
        .stdio = plain_stdio,
        .http = plain_url,
        .check = "Program > Install lists it; switch it on there",
    },
    {
        .name = "opencode",
        .title = "OpenCode",
        .files = {".config/opencode/opencode.jsonc", ".config/opencode/opencode.json"},
        .program = "opencode",
        .format = CONFIG_JSONC,
        .keys = {"mcp/servers", "mcp"},
        .stdio = local_line,
        .http = remote_url,
        .check = "opencode mcp list",
        .sign_in = "opencode mcp auth NAME signs in",
    },
    {
        .name = "claude-web",
        .title = "claude.ai and the Claude apps",
        .steps = CLAUDE_STEPS,
        .check = "The connector is in the list under + in a chat",
    },
    {
        .name = "chatgpt",
        .title = "ChatGPT",
        .steps = CHATGPT_STEPS,
        .check = "Settings > Apps lists it",
    },
    {0},
};

const struct client *client_find(str name, struct err *err)
{
    struct arena a = {0};
    struct sbuf all = SBUF_ON(&a);
    for (const struct client *c = client_table; c->name != NULL; c++) {
        if (str_eq(name, str_c(c->name))) {
            arena_release(&a);
            return c;
        }
        sbuf_printf(&all, "%s%s", all.n > 0 ? ", " : "", c->name);
    }
    enum { SHOWN_MAX = 40 };
    struct near_search near;
    near_search(&near, utf8_cut(name, SHOWN_MAX), name.n / 3 + 1);
    for (const struct client *c = client_table; c->name != NULL; c++)
        (void)near_offer(&near, str_c(c->name));
    if (near.best.n > 0)
        err_set(err, ERR_INVALID,
                "no such client '" STR_FMT "'; did you mean '" STR_FMT "'?",
                STR_ARG(utf8_cut(name, SHOWN_MAX)), STR_ARG(near.best));
    else
        err_set(err, ERR_INVALID, "no such client '" STR_FMT "'; known clients: " STR_FMT,
                STR_ARG(utf8_cut(name, SHOWN_MAX)), STR_ARG(sbuf_str(&all)));
    arena_release(&a);
    return NULL;
}
