/* vaultd connect and vaultd init: what they would change, what they write, and what they refuse. */
#include "whole.h"

static void test_connect(void **state)
{
    struct place *p = *state;
    static const struct cli_row rows[] = {
        {"connect", .code = 2,
         .err = "=vaultd: the client is missing: vaultd connect --list shows them\n"},
        {"connect strange", .code = 2,
         .err = "=vaultd: no such client 'strange'; known clients: claude-desktop, "
                "claude-code, cursor, vscode, codex, gemini, windsurf, zed, cline, "
                "lm-studio, opencode, claude-web, chatgpt\n"},
        {"connect cursr", .code = 2,
         .err = "=vaultd: no such client 'cursr'; did you mean 'cursor'?\n"},
        {"connect --list",
         .out = "=claude-desktop  not found here\nclaude-code     not found here\ncursor "
                "         not found here\nvscode          not found here\ncodex          "
                " not found here\ngemini          not found here\nwindsurf        not "
                "found here\nzed             not found here\ncline           not found "
                "here\nlm-studio       not found here\nopencode        not found here\n"},
        {"connect cursor", .code = 2,
         .err = "=vaultd: no vault: give --vault-path FOLDER, or --url for a running "
                "server\n"},
        {"connect cursor -v @/none", .code = 2,
         .err = "=vaultd: there is no folder '@/none'\n"},
        {"connect cursor -v @/vault",
         .out = "=Cursor: @/.cursor/mcp.json\nThe entry:\n{\n  \"mcpServers\": {\n    "
                "\"vault\": {\n      \"command\": \"(program)\",\n      \"args\": "
                "[\"serve\", \"--stdio\", \"--vault-path\", \"@/vault\"]\n    }\n  "
                "}\n}\nThe file does not exist yet, and the client does not seem to be "
                "installed\nNothing was written; add --write to do it\n"},
        {"connect cursor -v @/vault --name 'a b'", .code = 2,
         .err = "=vaultd: the name 'a b' must be 1 to 64 letters, digits, '-' or '_'\n"},
        {"connect cursor -v @/vault --write",
         .out =
             "=Cursor: @/.cursor/mcp.json\nWritten\nA new file: Cursor does not seem to "
             "be installed here\nRestart Cursor; its list of MCP servers shows it\n",
         .path = "../.cursor/mcp.json",
         .text = "{\n  \"mcpServers\": {\n    \"vault\": {\n      \"command\": "
                 "\"(program)\",\n      \"args\": [\"serve\", \"--stdio\", "
                 "\"--vault-path\", \"@/vault\"]\n    }\n  }\n}\n"},
        {"connect cursor -v @/vault --write",
         .out = "=Cursor: @/.cursor/mcp.json\nAlready up to date\n",
         .path = "../.cursor/mcp.json",
         .text = "{\n  \"mcpServers\": {\n    \"vault\": {\n      \"command\": "
                 "\"(program)\",\n      \"args\": [\"serve\", \"--stdio\", "
                 "\"--vault-path\", \"@/vault\"]\n    }\n  }\n}\n"},
        {"connect cursor -v @/vault",
         .out = "=Cursor: @/.cursor/mcp.json\nAlready up to date\n"},
        {"connect cursor --vault a=@/vault,b=@/two --name both -w",
         .out = "Cursor: @/.cursor/mcp.json\nWritten\nBackup of the old file: "
                "@/.cursor/mcp.json.backup-",
         .path = "../.cursor/mcp.json",
         .text =
             "{\n  \"mcpServers\": {\n    \"vault\": {\n      \"command\": "
             "\"(program)\",\n      \"args\": [\"serve\", \"--stdio\", \"--vault-path\", "
             "\"@/vault\"]\n    },\n    \"both\": {\n      \"command\": \"(program)\",\n "
             "     \"args\": [\"serve\", \"--stdio\", \"--vault\", \"a=@/vault\", "
             "\"--vault\", \"b=@/two\"]\n    }\n  }\n}\n"},
        {"connect cursor -v @/vault --name ro -w -- --read-only",
         .out = "Cursor: @/.cursor/mcp.json\nWritten\nBackup of the old file: "
                "@/.cursor/mcp.json.backup-",
         .path = "../.cursor/mcp.json",
         .text =
             "{\n  \"mcpServers\": {\n    \"vault\": {\n      \"command\": "
             "\"(program)\",\n      \"args\": [\"serve\", \"--stdio\", \"--vault-path\", "
             "\"@/vault\"]\n    },\n    \"both\": {\n      \"command\": \"(program)\",\n "
             "     \"args\": [\"serve\", \"--stdio\", \"--vault\", \"a=@/vault\", "
             "\"--vault\", \"b=@/two\"]\n    },\n    \"ro\": {\n      \"command\": "
             "\"(program)\",\n      \"args\": [\"serve\", \"--stdio\", \"--vault-path\", "
             "\"@/vault\", \"--read-only\"]\n    }\n  }\n}\n"},
        {"connect cursor -v @/vault --name ro -w -- --nonsense", .code = 2,
         .err = "=vaultd: unknown option '--nonsense'; see --help\n"},
        {"connect cursor -v @/vault --name ro -w -- word", .code = 2,
         .err = "=vaultd: 'word' is not an option of vaultd serve\n"},
        {"connect cursor --url https://vault.example.com -w",
         .out = "Cursor: @/.cursor/mcp.json\nWritten\nBackup of the old file: "
                "@/.cursor/mcp.json.backup-",
         .path = "../.cursor/mcp.json",
         .text = "{\n  \"mcpServers\": {\n    \"vault\": {\n      \"url\": "
                 "\"https://vault.example.com/mcp\"\n    },\n    \"both\": {\n      "
                 "\"command\": \"(program)\",\n      \"args\": [\"serve\", \"--stdio\", "
                 "\"--vault\", \"a=@/vault\", \"--vault\", \"b=@/two\"]\n    },\n    "
                 "\"ro\": {\n      \"command\": \"(program)\",\n      \"args\": "
                 "[\"serve\", \"--stdio\", \"--vault-path\", \"@/vault\", "
                 "\"--read-only\"]\n    }\n  }\n}\n"},
        {"connect cursor --url nonsense -w", .code = 2,
         .err =
             "=vaultd: 'nonsense' is not a URL such as https://vault.example.com/mcp\n"},
        {"connect cursor --url https://:443/mcp -w", .code = 2,
         .err = "=vaultd: 'https://:443/mcp' is not a URL such as "
                "https://vault.example.com/mcp\n"},
        {"connect --list",
         .out = "=claude-desktop  not found here\nclaude-code     not found here\ncursor "
                "         connected as vault: https://vault.example.com/mcp\nvscode      "
                "    not found here\ncodex           not found here\ngemini          not "
                "found here\nwindsurf        not found here\nzed             not found "
                "here\ncline           not found here\nlm-studio       not found "
                "here\nopencode        not found here\n"},
        {"connect --list --json",
         .out = "~{'clients':[{'client':'claude-desktop','title':'Claude "
                "Desktop','installed':false,'file':'@/.config/Claude/"
                "claude_desktop_config.json','entries':[]},{'client':'claude-code','"
                "title':'Claude "
                "Code','installed':false,'file':'@/"
                ".claude.json','entries':[]},{'client':'cursor','title':'Cursor','"
                "installed':true,'file':'@/.cursor/"
                "mcp.json','entries':[{'name':'vault','serves':'https://"
                "vault.example.com/mcp','good':true}]},{'client':'vscode','title':'VS "
                "Code','installed':false,'file':'@/.config/Code/User/"
                "mcp.json','entries':[]},{'client':'codex','title':'Codex','installed':"
                "false,'file':'@/.codex/"
                "config.toml','entries':[]},{'client':'gemini','title':'Gemini "
                "CLI','installed':false,'file':'@/.gemini/settin"},
        {"connect cursor --remove --name both",
         .out = "=Cursor: @/.cursor/mcp.json\nWhat would change:\n--- "
                "@/.cursor/mcp.json\n+++ @/.cursor/mcp.json\n@@ -3,10 +3,6 @@\n     "
                "\"vault\": {\n       \"url\": \"https://vault.example.com/mcp\"\n     "
                "},\n-    \"both\": {\n-      \"command\": \"(program)\",\n-      "
                "\"args\": [\"serve\", \"--stdio\", \"--vault\", \"a=@/vault\", "
                "\"--vault\", \"b=@/two\"]\n-    },\n     \"ro\": {\n       \"command\": "
                "\"(program)\",\n       \"args\": [\"serve\", \"--stdio\", "
                "\"--vault-path\", \"@/vault\", \"--read-only\"]\nNothing was written; "
                "add --write to do it\n"},
        {"connect cursor --remove --name both -w",
         .out = "Cursor: @/.cursor/mcp.json\nRemoved\nBackup of the old file: "
                "@/.cursor/mcp.json.backup-",
         .path = "../.cursor/mcp.json",
         .text = "{\n  \"mcpServers\": {\n    \"vault\": {\n      \"url\": "
                 "\"https://vault.example.com/mcp\"\n    },\n    \"ro\": {\n      "
                 "\"command\": \"(program)\",\n      \"args\": [\"serve\", \"--stdio\", "
                 "\"--vault-path\", \"@/vault\", \"--read-only\"]\n    }\n  }\n}\n"},
        {"connect cursor --remove --name both -w",
         .out = "=Cursor: @/.cursor/mcp.json\nThere is no such entry\n"},
        {"connect codex --url https://vault.example.com/mcp -w",
         .out = "=Codex: @/.codex/config.toml\nWritten\nA new file: Codex does not seem "
                "to be installed here\ncodex mcp list, or /mcp in a session\ncodex mcp "
                "login vault signs in\n",
         .path = "../.codex/config.toml",
         .text = "[mcp_servers.vault]\nurl = \"https://vault.example.com/mcp\"\n"},
        {"connect codex -v @/vault -w",
         .out = "Codex: @/.codex/config.toml\nWritten\nBackup of the old file: "
                "@/.codex/config.toml.backup-",
         .path = "../.codex/config.toml",
         .text = "[mcp_servers.vault]\ncommand = \"(program)\"\nargs = [\"serve\", "
                 "\"--stdio\", \"--vault-path\", \"@/vault\"]\n"},
        {"connect opencode -v @/vault -w",
         .out = "=OpenCode: @/.config/opencode/opencode.jsonc\nWritten\nA new file: "
                "OpenCode does not seem to be installed here\nopencode mcp list\n",
         .path = "../.config/opencode/opencode.jsonc",
         .text = "{\n  \"mcp\": {\n    \"vault\": {\n      \"type\": \"local\",\n      "
                 "\"command\": [\"(program)\", \"serve\", \"--stdio\", \"--vault-path\", "
                 "\"@/vault\"]\n    }\n  }\n}\n"},
        {"connect claude-code -v @/vault",
         .out =
             "=Claude Code: @/.claude.json\nThe entry:\n{\n  \"mcpServers\": {\n    "
             "\"vault\": {\n      \"type\": \"stdio\",\n      \"command\": "
             "\"(program)\",\n      \"args\": [\"serve\", \"--stdio\", \"--vault-path\", "
             "\"@/vault\"]\n    }\n  }\n}\nThe file does not exist yet, and the client "
             "does not seem to be installed\nNothing was written; add --write to do it\n",
         .path = "../.claude.json"},
        {"connect claude-web --url https://vault.example.com",
         .out = "=claude.ai and the Claude apps\nURL: https://vault.example.com/mcp\n1. "
                "Settings > Connectors > Add custom connector\n2. Name: any; URL: the "
                "one above; Add\n3. Connect, then sign in on your server's page and "
                "choose what Claude may do\nThe connector is in the list under + in a "
                "chat\nThe server must be reachable from the internet: docs/remote.md, "
                "vaultd init; vaultd doctor --connector URL tests it\n"},
        {"connect claude-web --url nonsense", .code = 2,
         .err =
             "=vaultd: 'nonsense' is not a URL such as https://vault.example.com/mcp\n"},
        {"connect chatgpt",
         .out = "=ChatGPT\nURL: https://YOUR-NAME/mcp\n1. Settings > Apps > Advanced "
                "settings: turn on Developer mode\n2. Settings > Apps > Create app; "
                "MCP server URL: the one above; Authentication: OAuth\n3. Create, then "
                "sign in on your server's page and choose what ChatGPT may do\n4. In "
                "a chat: + > More > Developer mode, and choose the app. For deep "
                "research start vaultd with --tools default,chatgpt\nSettings > Apps "
                "lists it\nThe server must be reachable from the internet: "
                "docs/remote.md, vaultd init; vaultd doctor --connector URL tests it\n"},
        {"connect claude-desktop --url https://vault.example.com",
         .out = "=Claude Desktop\nURL: https://vault.example.com/mcp\n1. Settings > "
                "Connectors > Add custom connector\n2. Name: any; URL: the one above; "
                "Add\n3. Connect, then sign in on your server's page and choose what "
                "Claude may do\nQuit Claude Desktop and start it again; Settings > "
                "Developer lists it\nThe server must be reachable from the internet: "
                "docs/remote.md, vaultd init; vaultd doctor --connector URL tests it\n"},
        {"connect vscode --url https://vault.example.com",
         .out = "=VS Code: @/.config/Code/User/mcp.json\nThe entry:\n{\n  \"servers\": "
                "{\n    \"vault\": {\n      \"type\": \"http\",\n      \"url\": "
                "\"https://vault.example.com/mcp\"\n    }\n  }\n}\nThe file does not "
                "exist yet, and the client does not seem to be installed\nNothing was "
                "written; add --write to do it\n"},

    };
    prepare(p);
    place_put(p, ".obsidian/app.json", STR("{}"));
    place_put(p, "../two/x.md", STR("x"));
    check_whole(p, rows, COUNT_OF(rows));
}

static void test_broken_files(void **state)
{
    struct place *p = *state;
    static const struct cli_row rows[] = {
        {"connect gemini -v @/vault -w", .code = 2,
         .out = "=The entry:\n{\n  \"mcpServers\": {\n    \"vault\": {\n      "
                "\"command\": \"(program)\",\n      \"args\": [\"serve\", \"--stdio\", "
                "\"--vault-path\", \"@/vault\"]\n    }\n  }\n}\n",
         .err = "=vaultd: @/.gemini/settings.json: line 1, column 2: a key in quotes or "
                "'}' is expected here; nothing was written\n",
         .path = "../.gemini/settings.json", .text = "{broken"},
        {"connect codex --url https://vault.example.com -w", .code = 2,
         .out = "=The entry:\n[mcp_servers.vault]\nurl = "
                "\"https://vault.example.com/mcp\"\n",
         .err = "=vaultd: @/.codex/config.toml: 'vault' has other settings: change the "
                "file by hand; nothing was written\n",
         .path = "../.codex/config.toml",
         .text = "[mcp_servers.vault]\ncommand = '/none/vaultd'\nenabled = false\n"},
        {"connect --list",
         .out =
             "=claude-desktop  not found here\nclaude-code     not found here\ncursor    "
             "      not found here\nvscode          not found here\ncodex           "
             "stale "
             "as vault: there is no program /none/vaultd\ngemini          unreadable: "
             "line 1, column 2: a key in quotes "
             "or '}' is expected here\nwindsurf        not found here\nzed             "
             "not "
             "found here\ncline           not found here\nlm-studio       stale as "
             "vault: there is no program /none/vaultd\nopencode        not found here\n"},

    };
    prepare(p);
    place_put(p, "x.md", STR("x"));
    place_put(
        p, "../.lmstudio/mcp.json",
        STR("{\"mcpServers\":{\"vault\":{\"command\":\"/none/"
            "vaultd\",\"args\":[\"serve\",\"--stdio\"]},\"http\":{\"url\":\"x\"}}}"));
    place_put(p, "../.gemini/settings.json", STR("{broken"));
    place_put(p, "../.codex/config.toml",
              STR("[mcp_servers.vault]\ncommand = '/none/vaultd'\nenabled = false\n"));
    check_whole(p, rows, COUNT_OF(rows));
}

#define INIT_VAULT                                                                       \
    "Your notes\nVaults on this computer:\n  1  @/Documents/Notes\nWhich vault? A "      \
    "number, "                                                                           \
    "or a folder [1]: "
#define INIT_WHERE                                                                       \
    "\nWhere will you use it?\n  1  This computer only: AI clients here start vaultd "   \
    "themselves\n  2  A server on the internet, for claude.ai, ChatGPT and other "       \
    "computers\nWhich one? [1]: "
#define INIT_ACCESS                                                                      \
    "\nWhat may apps do with your notes?\n  1  Write: every change can be undone with "  \
    "vaultd undo\n  2  Propose: changes wait until you accept them with vaultd "         \
    "proposals\n  3  Read only\nWhich one? [1]: "

static void test_init(void **state)
{
    struct place *p = *state;
    static const struct cli_row rows[] = {
        {"init", .code = 2,
         .err = "=vaultd: init asks questions and needs a terminal; without one: vaultd "
                "connect CLIENT --vault-path FOLDER --write, vaultd hash-password, "
                "vaultd serve --help\n"},
        {"init",
         .out = INIT_VAULT INIT_WHERE INIT_ACCESS
         "\nAI apps\nConnect Cursor? [yes]: \nThese files will be written:\n  create "
         "@/.config/vaultd/config\n  change @/.cursor/mcp.json\nGo ahead? [yes]: "
         "Written: @/.config/vaultd/config\nWritten: @/.cursor/mcp.json\n  backup of the "
         "old file: @/.cursor/mcp.json.backup-",
         .typed = "1\n1\n1\ny\ny\n", .width = 200},
        {"init",
         .out = "=" INIT_VAULT INIT_WHERE INIT_ACCESS
                "\nAI apps\nCursor is already connected\n\nWhat you need to do "
                "next:\nvaultd connect CLIENT --vault-path '@/Documents/Notes' --write "
                "connects a client; vaultd connect --list shows them\n",
         .typed = "1\n1\n1\n", .width = 200},
        {"init",
         .out = "=" INIT_VAULT "Please enter a number from 1 to 1, or a folder\nWhich "
                "vault? A number, or a folder [1]: there is no folder '/none'\n  1  "
                "@/Documents/Notes\nWhich vault? A number, or a folder [1]: Make it the "
                "default vault of vaultd's commands, instead of the one before? "
                "[no]: " INIT_WHERE
                "Please enter a number from 1 to 2\nWhich one? [1]: " INIT_ACCESS
                "\nAI apps\nConnect Cursor? [yes]: \nWhat you need to do next:\nvaultd "
                "connect CLIENT --vault-path '@/vault' --write connects a client; vaultd "
                "connect --list shows them\n",
         .typed = "9\n/none\n~/vault\nn\n3\n1\n1\nn\n", .width = 200},
        {"init", .code = 2, .out = "=" INIT_VAULT INIT_WHERE,
         .err = "=vaultd: stopped; nothing was changed\n", .typed = "1\n", .width = 200},
        {"init", .code = 2,
         .out =
             "=" INIT_VAULT INIT_WHERE INIT_ACCESS
             "\nThe server\nThe URL at which clients will reach it, such as "
             "https://vault.example.com: Please enter the URL without a path\nThe URL at "
             "which clients will reach it, such as https://vault.example.com: The port "
             "on this computer [8090]: Please enter a number from 1 to 65535\nThe port "
             "on this computer [8090]: Name of the user who may sign in [ann]: ",
         .err = "=vaultd: stopped; nothing was changed\n",
         .typed = "1\n2\n1\nno sense\nv.example\n0\n8090\n", .width = 200},

    };
    prepare(p);
    setenv("USER", "ann", 1);
    setenv("PATH", "/nonexistent", 1); /* without npm, there is no model to offer */
    place_put(p, ".obsidian/app.json", STR("{}"));
    place_put(p, "../Documents/Notes/.obsidian/app.json", STR("{}"));
    place_put(p, "../.config/obsidian/obsidian.json",
              STR("{\"vaults\":{\"a\":{\"path\":\"/none\"}}}"));
    place_put(p, "../.cursor/mcp.json", STR("{}"));
    check_whole(p, rows, COUNT_OF(rows));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_connect),
        PLACE_TEST(test_broken_files),
        PLACE_TEST(test_init),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
