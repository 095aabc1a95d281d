/* The verbs that only read: what they print in a pipe, as JSON and on terminals, and what they refuse. */
#include "app/cli/complete.h"
#include "app/cli/verbs.h"
#include "app_place.h"
#include "cli_place.h"

static const struct cli_verb *const verbs[] = {
    &cli_base,  &cli_check,   &cli_links,  &cli_list, &cli_properties,
    &cli_query, &cli_read,    &cli_search, &cli_tags, &cli_changes,
    &cli_open,  &cli_related, &cli_tasks,  NULL,
};

static void fill(struct place *p)
{
    static const char *const files[][2] = {
        {".obsidian/app.json", "{}"},
        {"Home.md", "# Home\n\n[[Plan]] and [[Missing]] #open\n\n- [ ] call Ann 📅 "
                    "2026-03-01\n- [x] done\n"},
        {"Work/Plan.md", "---\nstatus: active\ntags: [work]\n---\n# Plan\n\nalpha "
                         "beta\n\n## Next\n\n- one\n- two ^b1\n\n## Later\n\n"
                         "gamma\n"},
        {"Work/Log.md", "---\nstatus: done\n---\nalpha\nalpha and a rather long line "
                        "that does not fit on a narrow "
                        "terminal at all\n"},
        {"Evil.md", "bell \a and colour \x1b[31m red\n"},
        {"Map.canvas",
         "{\"nodes\":[{\"id\":\"a\",\"type\":\"text\",\"text\":\"Alpha\",\"x\":0,\"y\":0,"
         "\"width\":100,\"height\":60}],\"edges\":[]}"},
        {"All.base",
         "views:\n  - type: table\n    name: Work\n    filters: "
         "file.inFolder(\"Work\")\n    order:\n"
         "      - file.name\n      - status\n  - type: table\n    name: Everything\n"},
    };
    static const struct timespec then[2] = {{.tv_sec = 1767323045},
                                            {.tv_sec = 1767323045}};
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        place_put(p, files[i][0], str_c(files[i][1]));
        assert_int_equal(utimensat(p->fd, files[i][0], then, 0), 0);
    }
}

static int complete(int argc, char **argv)
{
    static const struct option serve[] = {
        {.flag = "stdio",
         .about = "Serve the client that starts it",
         .type = OPTION_SWITCH},
        {.flag = "tools", .value = "SET,...", .type = OPTION_LIST},
        {.flag = "state-dir", .value = "FOLDER"},
        {.flag = "auth-users-file", .value = "FILE"},
        {0}};
    struct command_info commands[COUNT_OF(verbs) + 3] = {
        {"serve", "[VAULT]", "Serve a vault", NULL, serve},
        {"key", "add|list NAME", "Manage keys", NULL, NULL}};
    for (size_t i = 0; verbs[i] != NULL; i++)
        commands[i + 2] =
            (struct command_info){verbs[i]->name, verbs[i]->arguments, verbs[i]->about,
                                  verbs[i]->help, verbs[i]->options};
    return complete_run(commands, argc, argv);
}

static void check(struct place *p, const struct cli_row *rows, size_t n)
{
    app_place_clean_environment(p);
    setenv("VAULT_PATH", p->folder, 1);
    setenv("STATE_DIR", p->state, 1);
    fill(p);
    cli_check_rows(&(struct cli_place){p, verbs, complete}, rows, n);
}

static void test_search(void **state)
{
    static const struct cli_row rows[] = {
        {"search alpha",
         .out = "=Map.canvas:1:{\"nodes\":[{\"id\":\"a\",\"type\":\"text\",\"text\":"
                "\"Alpha\",\"x\":0,\"y\":0,\"width\":100,\"height\":60}],\"edges\":[]}"
                "\nWork/Log.md:4:alpha\nWork/Log.md:5:alpha and a rather long line that "
                "does not fit on a narrow terminal at all\nWork/Plan.md:7:alpha beta\n"},
        {"search alpha",
         .out = "=Map.canvas\n     1  card: Alpha\nWork/Log.md\n     4  alpha\n     5  "
                "alpha and a rather long line t…\nWork/Plan.md\n     7  alpha "
                "beta\n\n4 matches in 3 files\n",
         .width = 40},
        {"search alpha",
         .out = "=Map.canvas\n     1  card: Alpha\nWork/Log.md\n     4  alpha\n     5  "
                "alpha and a rather long line that does not fit on a narrow terminal at "
                "all\nWork/Plan.md\n     7  alpha beta\n\n4 matches in 3 files\n",
         .width = 100},
        {"search alpha --color always",
         .out = "=\033[35mMap.canvas\033[0m:\033[32m1\033[0m:{\"nodes\":[{\"id\":\"a\","
                "\"type\":\"text\",\"text\":\"\033[1;31mAlpha\033[0m\",\"x\":0,\"y\":0,"
                "\"width\":100,\"height\":60}],\"edges\":[]}\n\033[35mWork/"
                "Log.md\033[0m:\033[32m4\033[0m:\033[1;31malpha\033[0m\n\033[35mWork/"
                "Log.md\033[0m:\033[32m5\033[0m:\033[1;31malpha\033[0m and a rather long "
                "line that does not fit on a narrow terminal at "
                "all\n\033[35mWork/"
                "Plan.md\033[0m:\033[32m7\033[0m:\033[1;31malpha\033[0m beta\n"},
        {"search alpha --json",
         .out =
             "=~{'query':'alpha','total_matches':4,'total_files':3,'results':[{'path':'"
             "Map.canvas','match_type':'content','snippet':'{\\'nodes\\':[{\\'id\\':\\'"
             "a\\',\\'type\\':\\'text\\',\\'text\\':\\'**Alpha**\\',\\'x\\':0,\\'y\\':0,"
             "\\'width\\':100,\\'height\\':60}],\\'edges\\':[]...','line':1},{'path':'"
             "Work/Log.md','match_type':'content','snippet':'--- status: done --- "
             "**alpha** alpha and a rather long line that does not fit "
             "on...','line':4},{'path':'Work/"
             "Plan.md','match_type':'content','snippet':'--- status: active tags: [work] "
             "--- # Plan  **alpha** beta  ## Next  - one - two ^b1  ## Later  gamma "
             "','line':7},{'path':'Work/Log.md','match_type':'content','snippet':'--- "
             "status: done --- alpha **alpha** and a rather long line that does not fit "
             "on a nar...','line':5}]}\n"},
        {"search alpha -c", .out = "=Map.canvas:1\nWork/Log.md:2\nWork/Plan.md:1\n"},
        {"search alpha -l", .out = "=Map.canvas\nWork/Log.md\nWork/Plan.md\n"},
        {"search alpha -n 1",
         .out = "=Map.canvas:1:{\"nodes\":[{\"id\":\"a\",\"type\":\"text\",\"text\":"
                "\"Alpha\",\"x\":0,\"y\":0,\"width\":100,\"height\":60}],\"edges\":[]}\n",
         .err = "=4 matches in 3 files; continue with --offset 1\n"},
        {"search alpha --offset 1",
         .out = "=Work/Log.md:4:alpha\nWork/Log.md:5:alpha and a rather long line that "
                "does not fit on a narrow terminal at all\nWork/Plan.md:7:alpha beta\n"},
        {"search nothing", .code = 1, .out = NULL},
        {"search nothing", .code = 1, .out = "=Nothing found\n", .width = 40},
        {"search nothing --json", .code = 1,
         .out = "=~{'query':'nothing','total_matches':0,'total_files':0,'results':[],'"
                "suggestions':[]}\n"},
        {"search -m regex '('", .code = 2,
         .err = "=vaultd: invalid regular expression at byte 0: unclosed group\n"},
        {"search -m strange x", .code = 2,
         .err = "=vaultd: -m: 'strange' is not one of text, regex, words, query, names, "
                "auto, meaning\n"},
        {"search -m names plan", .out = "=Work/Plan.md\n"},
        {"search 'tag:#work'", .out = "=Work/Plan.md\n"},
        {"search alpha --folder None", .code = 1,
         .err = "=vaultd: no such folder 'None', or it is empty\n"},
        {"search alpha --folder wrok", .code = 1,
         .err = "=vaultd: no such folder 'wrok', or it is empty; did you mean 'Work'?\n"},
        {"search alpha --tag wrk", .code = 1,
         .err = "=vaultd: no note has the tag 'wrk'; did you mean 'work'?\n"},
        {"check --folder Wrok", .code = 1,
         .err = "=vaultd: no such folder 'Wrok', or it is empty; did you mean 'Work'?\n"},
        {"query --folder Nope", .code = 1,
         .err = "=vaultd: no such folder 'Nope', or it is empty\n"},
        {"tasks --tag Nope", .code = 1, .err = "=vaultd: no note has the tag 'Nope'\n"},
        {"properties --folder ../x", .code = 1,
         .err = "=vaultd: no such folder '../x', or it is empty\n"},
        {"search alpha --tag work", .out = "=Work/Plan.md:7:alpha beta\n"},
        {"search alpha --glob '*Log*'",
         .out = "=Work/Log.md:4:alpha\nWork/Log.md:5:alpha and a rather long line that "
                "does not fit on a narrow terminal at all\n"},
        {"search bell", .out = "=Evil.md:1:bell � and colour �[31m red\n"},
        {"search bell",
         .out = "=Evil.md\n     1  bell � and colour �[31m red\n\n1 match in 1 file\n",
         .width = 80},
        {"search", .code = 2,
         .err = "=vaultd: usage: vaultd search TEXT...; see vaultd search --help\n"},
        {"search alpha --vault '*'", .code = 2,
         .err = "=vaultd: --vault needs named vaults: give --vaults or --vaults-dir\n"},
        {"search alpha --vault team", .code = 2,
         .err = "=vaultd: there is no vault named 'team'; VAULTS names: none\n"},
        {"search alpha --vaults a=@/vault,b=@/vault --vault '*'",
         .out = "=a:Map.canvas:1:{\"nodes\":[{\"id\":\"a\",\"type\":\"text\",\"text\":"
                "\"Alpha\",\"x\":0,\"y\":0,\"width\":100,\"height\":60}],\"edges\":[]}"
                "\nb:Map.canvas:1:{\"nodes\":[{\"id\":\"a\",\"type\":\"text\",\"text\":"
                "\"Alpha\",\"x\":0,\"y\":0,\"width\":100,\"height\":60}],\"edges\":[]}"
                "\na:Work/Log.md:4:alpha\nb:Work/Log.md:4:alpha\na:Work/Plan.md:7:alpha "
                "beta\nb:Work/Plan.md:7:alpha beta\na:Work/Log.md:5:alpha and a rather "
                "long line that does not fit on a narrow terminal at "
                "all\nb:Work/Log.md:5:alpha and a rather long line that does not fit on "
                "a narrow terminal at all\n"},
        {"search alpha --vault-path @/none", .code = 2,
         .err = "=vaultd: the folder cannot be opened (No such file or directory: "
                "@/none)\n"},
        {"search alpha --limit x", .code = 2,
         .err = "=vaultd: --limit: 'x' is not a whole number from 0 to 2147483647\n"},
    };
    check(*state, rows, COUNT_OF(rows));
}

static void test_read(void **state)
{
    static const struct cli_row rows[] = {
        {"read Home", .out = "=# Home\n\n[[Plan]] and [[Missing]] #open\n\n- [ ] call "
                             "Ann 📅 2026-03-01\n- [x] done\n"},
        {"read Plan --section Next", .out = "=## Next\n\n- one\n- two ^b1\n\n"},
        {"read Plan --block b1", .out = "=- two ^b1\n"},
        {"read Plan --from 7 -n 1", .out = "=alpha beta\n"},
        {"read Plan --outline", .out = "=    5  Plan\n    9    Next\n   14    Later\n"},
        {"read Plan --outline", .out = "=    5  Plan\n    9    Next\n   14    Later\n",
         .width = 40},
        {"read Plan --json",
         .out =
             "=~{'path':'Work/"
             "Plan.md','total_lines':16,'showing':[1,16],'content':'---\\nstatus: "
             "active\\ntags: [work]\\n---\\n# Plan\\n\\nalpha beta\\n\\n## Next\\n\\n- "
             "one\\n- two ^b1\\n\\n## Later\\n\\ngamma\\n','etag':'6368798bb57710e6'}\n"},
        {"read Plan --section Nope", .code = 1,
         .err = "=vaultd: Heading \"Nope\" not found; the note has: \"# Plan\" (line 5), "
                "\"Plan#Next\" (line 9), \"Plan#Later\" (line 14)\n"},
        {"read Plan --block zz", .code = 1,
         .err = "=vaultd: Block ^zz not found; the note has ^b1 (line 12)\n"},
        {"read Plan --from 99", .code = 2,
         .err = "=vaultd: line 99 is outside 'Work/Plan.md', which has 16 lines\n"},
        {"read Plam", .code = 1,
         .err = "=vaultd: File not found: Plam; did you mean 'Work/Plan.md'?\n"},
        {"read Evil", .out = "=bell \007 and colour \033[31m red\n"},
        {"read Evil", .out = "=bell � and colour �[31m red\n", .width = 40},
        {"read Map.canvas", .out = "=a text: Alpha\n", .width = 80},
        {"read Map.canvas", .out = "=~{'nodes':[{'id':'a','type':'text','text':'Alpha','"
                                   "x':0,'y':0,'width':100,'height':60}],'edges':[]}"},
        {"read a b", .code = 2,
         .err = "=vaultd: usage: vaultd read NOTE; see vaultd read --help\n"},
        {"read --help", .out = "usage: vaultd read NOTE [OPTIONS]"},
    };
    check(*state, rows, COUNT_OF(rows));
}

static void test_lists(void **state)
{
    static const struct cli_row rows[] = {
        {"list",
         .out = "=    154 B  2026-01-02 03:04  All.base\n     28 B  2026-01-02 03:04  "
                "Evil.md\n     82 B  2026-01-02 03:04  Home.md\n     98 B  2026-01-02 "
                "03:04  Map.canvas\n        2                    Work/\n"},
        {"list",
         .out = "=    154 B  2026-01-02 03:04  All.base\n     28 B  2026-01-02 03:04  "
                "Evil.md\n     82 B  2026-01-02 03:04  Home.md\n     98 B  2026-01-02 "
                "03:04  Map.canvas\n        2                    Work/\n",
         .width = 40},
        {"list Work", .out = "=    102 B  2026-01-02 03:04  Log.md\n     98 B  "
                             "2026-01-02 03:04  Plan.md\n"},
        {"list Work -r --json",
         .out =
             "=~{'total_files':2,'files':[{'path':'Work/"
             "Log.md','size':102,'modified':'2026-01-02T03:04:05Z','tags':[]},{'path':'"
             "Work/"
             "Plan.md','size':98,'modified':'2026-01-02T03:04:05Z','tags':['work']}]}\n"},
        {"list -r",
         .out = "=    154 B  2026-01-02 03:04  All.base\n     28 B  2026-01-02 03:04  "
                "Evil.md\n     82 B  2026-01-02 03:04  Home.md\n     98 B  2026-01-02 "
                "03:04  Map.canvas\n    102 B  2026-01-02 03:04  Work/Log.md\n     98 B  "
                "2026-01-02 03:04  Work/Plan.md\n"},
        {"list None", .code = 1, .err = "=vaultd: File not found: None\n"},
        {"list Home.md", .code = 2,
         .err = "=vaultd: 'Home.md' is a file, not a folder\n"},
        {"tags", .out = "=     1  #open\n     1  #work\n"},
        {"tags", .out = "=     1  #open\n     1  #work\n", .width = 40},
        {"tags --by-count --json",
         .out = "=~{'total':2,'tags':[{'tag':'open','notes':1,'with_nested':1},{'tag':'"
                "work','notes':1,'with_nested':1}]}\n"},
        {"tags work", .out = "=Work/Plan.md\n"},
        {"tags nothing", .code = 1,
         .err = "=vaultd: no note has the tag 'nothing'; vaultd tags lists all\n"},
        {"properties",
         .out =
             "=     2  status  text      active, done\n     1  tags    list      work\n"},
        {"properties",
         .out =
             "=     2  status  text      active, done\n     1  tags    list      work\n",
         .width = 60},
        {"properties status", .out = "=      1  active\n      1  done\n"},
        {"properties status --json",
         .out = "=~{'total':2,'total_groups':2,'groups':[{'value':'active','count':1},{'"
                "value':'done','count':1}]}\n"},
        {"properties strange", .code = 1, .err = "=No note has a property 'strange'.\n"},
        {"properties status --folder None", .code = 1,
         .err = "=vaultd: no such folder 'None', or it is empty\n"},
    };
    check(*state, rows, COUNT_OF(rows));
}

static void test_links(void **state)
{
    static const struct cli_row rows[] = {
        {"links Home", .out = "=    3  Work/Plan.md\n    3  Missing  (no such file)\n"},
        {"links Home", .out = "=    3  Work/Plan.md\n    3  Missing  (no such file)\n",
         .width = 60},
        {"links Home --json",
         .out = "=~{'path':'Home.md','links':[{'link':'Plan','path':'Work/"
                "Plan.md','line':3},{'link':'Missing','line':3,'resolved':false}],'total'"
                ":2}\n"},
        {"links Plan -b", .out = "=    1  Home.md\n"},
        {"links Plan -b", .out = "=    1  Home.md\n", .width = 60},
        {"links Plan -m", .code = 1, .out = "="},
        {"links Home --depth 1", .out = "=    1  Work/Plan.md\n"},
        {"links Home --to Plan", .out = "=    0  Home.md\n    1  Work/Plan.md\n"},
        {"links Plan --to Log", .code = 1, .out = "="},
        {"links --unresolved", .out = "=    1  Missing\n         in Home.md\n"},
        {"links --unresolved --json", .out = "=~{'links':[{'link':'Missing','links':1,'"
                                             "sources':['Home.md']}],'total':1}\n"},
        {"links --orphans", .out = "=Evil.md\nWork/Log.md\n"},
        {"links", .code = 2,
         .err = "=vaultd: the note is missing (or give --unresolved or --orphans)\n"},
        {"links Nope", .code = 1, .err = "=vaultd: File not found: Nope\n"},
        {"links Home --depth 101", .code = 2,
         .err = "=vaultd: --depth: '101' is not a whole number from 0 to 100\n"},
        {"related Plan", .out = "=Work/Log.md  words: alpha, status\n"},
        {"related Plan --json", .out =
                                    "=~{'path':'Work/Plan.md','links':[{'path':'Work/"
                                    "Log.md','words':['alpha','status']}],'total':1}\n"},
        {"check", .code = 1,
         .out = "=Home.md:3: broken_link: There is no 'Missing' to link to\n"},
        {"check", .code = 1,
         .out = "=Home.md\n     3  broken_link  There is no 'Missing' to link to\n       "
                "   Create the note, or remove the link\n\n1 finding: broken_link 1\n",
         .width = 60},
        {"check --json", .code = 1,
         .out = "={\"findings\":[{\"kind\":\"broken_link\",\"severity\":\"warning\","
                "\"path\":\"Home.md\",\"line\":3,\"message\":\"There is no 'Missing' to "
                "link to\",\"suggestion\":\"Create the note, or remove the "
                "link\"}],\"total\":1,\"counts\":{\"broken_link\":1}}\n"},
        {"check --kind orphan_note",
         .out = "=Evil.md: orphan_note: This note has no links to or from other "
                "notes\nWork/Log.md: orphan_note: This note has no links to or from "
                "other notes\n"},
        {"check --kind strange", .code = 2,
         .err = "=vaultd: no kind 'strange'; there are not_indexed, unread_file, "
                "broken_properties, policy_value, property_value, broken_canvas, "
                "broken_link, broken_subpath, ambiguous_link, twin_path, conflict_copy, "
                "duplicate_block_id, duplicate_name; or empty_note, orphan_note, "
                "orphan_attachment, hub_note, stale_note, near_duplicate\n"},
        {"open Plan --print", .out = "=obsidian://open?vault=vault&file=Work/Plan.md\n"},
        {"open Nope --print", .code = 1, .err = "=vaultd: File not found: Nope\n"},
    };
    check(*state, rows, COUNT_OF(rows));
}

static void test_tables(void **state)
{
    static const struct cli_row rows[] = {
        {"query 'status = active'", .out = "=Work/Plan.md\n"},
        {"query 'status = active' -s status", .out = "=Work/Plan.md  active\n"},
        {"query 'status = active' -s status",
         .out = "=file          status\nWork/Plan.md  active\n", .width = 30},
        {"query 'status = active' -s status --json",
         .out = "=~{'total':1,'rows':[{'path':'Work/"
                "Plan.md','values':{'status':'active'}}]}\n"},
        {"query --group status",
         .out = "=      2  (none)\n      1  active\n      1  done\n"},
        {"query --count", .out = "=4\n"},
        {"query 'status ='", .code = 2,
         .err = "=vaultd: where: expected a value at byte 8, found the end\n"},
        {"query 'TABLE status FROM \"Work\"'",
         .out = "=2 notes\npath | status\nWork/Log.md | done\nWork/Plan.md | active\n"},
        {"query 'TABLE FROM'", .code = 2,
         .err = "=vaultd: query: expected a #tag, \"folder\", [[link]] or "
                "outgoing([[link]]) at byte 10, found the end\n"},
        {"query --tasks 'not task.done'",
         .out = "=Home.md:5:[ ] call Ann 📅 2026-03-01\n"},
        {"query 'status = none'", .code = 1, .out = "="},
        {"tasks", .out = "=Home.md:5:[ ] call Ann 📅 2026-03-01\n"},
        {"tasks", .out = "=Home.md\n     5  [ ] call Ann 📅 2026-03-01\n", .width = 40},
        {"tasks --json", .out = "=~{'total':1,'rows':[{'path':'Home.md','line':5,'task':'"
                                "call Ann 📅 2026-03-01','status':' '}]}\n"},
        {"tasks --done", .out = "=Home.md:6:[x] done\n"},
        {"tasks --priority strange", .code = 2,
         .err = "=vaultd: 'strange' is not a priority: use highest, high, medium, none, "
                "low or lowest\n"},
        {"tasks --due strange", .code = 2,
         .err = "=vaultd: --due: 'strange' is not a date (YYYY-MM-DD, today, tomorrow, "
                "7d)\n"},
        {"base All", .out = "=Work/Log.md   done\nWork/Plan.md  active\n"},
        {"base All",
         .out = "=path          status\nWork/Log.md   done\nWork/Plan.md  active\n",
         .width = 30},
        {"base All --csv",
         .out = "=path,name,status\nWork/Log.md,Log,done\nWork/Plan.md,Plan,active\n"},
        {"base All --md", .out = "=| file | status |\n| --- | --- |\n| [[Work/Log]] | "
                                 "done |\n| [[Work/Plan]] | active |\n"},
        {"base All --paths", .out = "=Work/Log.md\nWork/Plan.md\n"},
        {"base All --json",
         .out = "=~{'path':'All.base','view':'Work','type':'table','views':['Work','"
                "Everything'],'columns':[{'id':'file.name','name':'name'},{'id':'status',"
                "'name':'status'}],'total':2,'rows':[{'path':'Work/"
                "Log.md','cells':{'file.name':'Log','status':'done'}},{'path':'Work/"
                "Plan.md','cells':{'file.name':'Plan','status':'active'}}]}\n"},
        {"base All --views", .out = "=Work\nEverything\n"},
        {"base All Nope", .code = 1,
         .err = "=vaultd: no view 'Nope'; there are: 'Work', 'Everything'\n"},
        {"base Home", .code = 1, .err = "=vaultd: no such base in 'Home.md'\n"},
        {"changes", .out = "="},
        {"changes 7", .code = 1, .err = "=vaultd: no such change 7, or it was pruned\n"},
        {"changes --since strange", .code = 2,
         .err = "=vaultd: --since: 'strange' is neither a date (YYYY-MM-DD, today, "
                "yesterday), a time such as 24h or 7d, nor the number of a change\n"},
        {"changes --verify", .out = "=The journal is intact: 0 changes.\n"},
    };
    check(*state, rows, COUNT_OF(rows));
}

static void test_complete(void **state)
{
    static const struct cli_row rows[] = {
        {"complete read ''",
         .out = "=All.base\nEvil\nHome\nLog\nMap.canvas\nPlan\n:names\n"},
        {"complete read pl", .out = "=Plan\n:names\n"},
        {"complete read work/", .out = "=Work/Log.md\nWork/Plan.md\n:names\n"},
        {"complete read zz", .out = "=:files\n", .err = "=vaultd: no matches\n"},
        {"complete tags ''", .out = "=open\nwork\n:names\n"},
        {"complete search --tag #w", .out = "=work\n:\n"},
        {"complete tasks --folder ''", .out = "=Work\n:names\n"},
        {"complete read --vault-path @/vault pl", .out = "=:files\n"},
        {"complete search --vault-path @/vault --tag w", .out = "=work\n:\n"},
        {"complete search -v @/none --tag w", .out = "=:\n",
         .err = "=vaultd: the folder cannot be opened (No such file or directory: "
                "@/none)\n"},
        {"complete open gr", .out = "=graph\n:files\n", .err = "=vaultd: no matches\n"},
        {"complete key ''", .out = "=add\nlist\n:\n"},
        {"complete key add ''", .out = "=:files\n"},
        {"complete se", .out = "=serve\tServe a vault\nsearch\tSearch names, tags and "
                               "contents\n:\n"},
        {"complete", .out = "serve\tServe a vault\nkey\tManage keys\nbase\t"},
        {"complete --st",
         .out = "=--stdio\tServe the client that starts it\n--state-dir\n:\n"},
        {"complete --tools default,ch", .out = "default,chatgpt\t"},
        {"complete serve --state-dir ''", .out = "=:folders\n"},
        {"complete --auth-users-file x", .out = "=:files\n"},
        {"complete list --color a", .out = "=auto\nalways\n:\n"},
        {"complete list --color=a", .out = "=--color=auto\n--color=always\n:\n"},
        {"complete list --color = ''", .out = "=auto\nalways\nnever\n:\n"},
        {"complete list --color =", .out = "=auto\nalways\nnever\n:\n"},
    };
    check(*state, rows, COUNT_OF(rows));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_search), PLACE_TEST(test_read),   PLACE_TEST(test_lists),
        PLACE_TEST(test_links),  PLACE_TEST(test_tables), PLACE_TEST(test_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
