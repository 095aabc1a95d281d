/* The verbs that change notes, as sessions: each row sees what the rows before it left. */
#include "app/cli/verbs.h"
#include "app_place.h"
#include "cli_place.h"

static const struct cli_verb *const verbs[] = {
    &cli_write,   &cli_edit,  &cli_insert,  &cli_frontmatter, &cli_move, &cli_delete,
    &cli_restore, &cli_daily, &cli_changes, &cli_task,        &cli_undo, &cli_batch,
    &cli_canvas,  NULL,
};

static int no_other(int argc, char **argv)
{
    fail_msg("no verb %s", argv[0]);
    return -1;
}

static void check(struct place *p, const struct cli_row *rows, size_t n)
{
    app_place_clean_environment(p);
    setenv("VAULT_PATH", p->folder, 1);
    setenv("STATE_DIR", p->state, 1);
    place_put(p, ".obsidian/app.json", STR("{}"));
    place_put(p, "Home.md", STR("[[Plan]]\n"));
    place_put(p, "Plan.md", STR("# Plan\n\nalpha\n\n## Next\n\n- [ ] one\n- two ^b1\n"));
    cli_check_rows(&(struct cli_place){p, verbs, no_other}, rows, n);
}

static void test_writing(void **state)
{
    static const struct cli_row rows[] = {
        {"write Idea '# Idea'",
         .out = "=created Idea.md\nchange 1; undo it with vaultd undo 1\n",
         .path = "Idea.md", .text = "# Idea\n"},
        {"write Idea again", .code = 1,
         .err =
             "=vaultd: 'Idea.md' already exists (7 bytes): replace it with --overwrite, "
             "or with --if-match 06f188585bccf6a9 if it stays as it is\n"},
        {"write Idea --overwrite",
         .out = "=changed Idea.md\nchange 2; undo it with vaultd undo 2\n",
         .in = "from stdin\n", .path = "Idea.md", .text = "from stdin\n"},
        {"write Dry x --dry-run",
         .out = "=--- /dev/null\n+++ Dry.md\n@@ -0,0 +1 @@\n+x\n", .path = "Dry.md"},
        {"write Dry x --dry-run --json",
         .out = "=~{'path':'Dry.md','created':true,'size':2,'total_lines':1,'etag':'"
                "1bf67208bddf1edb','dry_run':true,'diff':'--- /dev/null\\n+++ "
                "Dry.md\\n@@ -0,0 +1 @@\\n+x\\n'}\n"},
        {"write ../out x", .code = 1,
         .err = "=vaultd: '..' is not allowed in a path: give the path from the vault "
                "root\n"},
        {"write Idea x --template None", .code = 1,
         .err = "=vaultd: no such template 'None', and the vault has no folder with "
                "templates: give the path of a note\n"},
        {"write Deep/Down/ --dry-run --json",
         .out = "=~{'path':'Deep/Down','created':true,'dry_run':true,'diff':''}\n"},
        {"write Home.md/", .code = 1, .err = "=vaultd: 'Home.md' is a file\n"},
        {"write", .code = 2,
         .err = "=vaultd: usage: vaultd write PATH [TEXT]; see vaultd write --help\n"},
        {"insert Idea '- more'",
         .out = "=changed Idea.md\nchange 3; undo it with vaultd undo 3\n",
         .path = "Idea.md", .text = "from stdin\n\n- more\n"},
        {"insert Idea first --prepend",
         .out = "=changed Idea.md\nchange 4; undo it with vaultd undo 4\n",
         .path = "Idea.md", .text = "first\n\nfrom stdin\n\n- more\n"},
        {"insert Plan '- three' --section Next",
         .out = "=changed Plan.md\nchange 5; undo it with vaultd undo 5\n",
         .path = "Plan.md",
         .text = "# Plan\n\nalpha\n\n## Next\n\n- [ ] one\n- two ^b1\n- three\n"},
        {"insert Plan x --section None", .code = 1,
         .err = "=vaultd: Heading \"None\" not found; nearest: \"Plan#Next\" (line 5)\n"},
        {"insert Plan x --line 99", .code = 2,
         .err = "=vaultd: line 99 is not between 1 and 10: the note has 9 lines\n"},
        {"insert Plan x --before zz", .code = 2,
         .err = "=vaultd: Text not found in file, nor anything similar; read the note "
                "again\n"},
        {"insert Nope x", .code = 1,
         .err = "=vaultd: File not found: Nope; to create it, use --create\n"},
        {"insert Nope x --create --dry-run",
         .out = "=--- /dev/null\n+++ Nope.md\n@@ -0,0 +1 @@\n+x\n", .path = "Nope.md"},
        {"insert Plan x --if-match 0000000000000000", .code = 1,
         .err = "=vaultd: 'Plan.md' has changed: its etag is now ea2b6d29a608dbfb; read "
                "it again\n"},
        {"edit Plan alpha beta",
         .out = "=changed Plan.md\nchange 6; undo it with vaultd undo 6\n",
         .path = "Plan.md",
         .text = "# Plan\n\nbeta\n\n## Next\n\n- [ ] one\n- two ^b1\n- three\n"},
        {"edit Plan alpha beta", .code = 2,
         .err = "=vaultd: Text not found in file, nor anything similar; read the note "
                "again\n"},
        {"edit Plan -e '(b)(eta)' '$2$1' --dry-run",
         .out = "=--- Plan.md\n+++ Plan.md\n@@ -1,6 +1,6 @@\n # Plan\n \n-beta\n+etab\n "
                "\n ## Next\n \n"},
        {"edit Plan -e '(' x", .code = 2,
         .err = "=vaultd: invalid regular expression at byte 0: unclosed group\n"},
        {"edit Plan --lines 3 gamma",
         .out = "=changed Plan.md\nchange 7; undo it with vaultd undo 7\n",
         .path = "Plan.md",
         .text = "# Plan\n\ngamma\n\n## Next\n\n- [ ] one\n- two ^b1\n- three\n"},
        {"edit Plan --lines 9-3 x", .code = 2,
         .err = "=vaultd: lines are a range such as 12-15, counted from 1\n"},
        {"edit Plan --lines 99 x", .code = 2,
         .err = "=vaultd: lines 99-99 are not between 1 and 9: the note has 9 lines\n"},
        {"edit Plan --row none A=1", .code = 2,
         .err = "=vaultd: there is no table in the note\n"},
        {"edit Plan", .code = 2,
         .err =
             "=vaultd: give PATH, OLD and NEW, or --lines or --row; only PATH opens an "
             "editor on a terminal\n"},
        {"frontmatter Plan status=done rating=5",
         .out = "=changed Plan.md\nchange 8; undo it with vaultd undo 8\n",
         .path = "Plan.md",
         .text = "---\nstatus: done\nrating: 5\n---\n# Plan\n\ngamma\n\n## Next\n\n- [ ] "
                 "one\n- two ^b1\n- three\n"},
        {"frontmatter Plan --add tags=garden --remove rating",
         .out = "=changed Plan.md\nchange 9; undo it with vaultd undo 9\n",
         .path = "Plan.md",
         .text = "---\nstatus: done\ntags:\n  - garden\n---\n# Plan\n\ngamma\n\n## "
                 "Next\n\n- [ ] one\n- two ^b1\n- three\n"},
        {"frontmatter Plan nonsense", .code = 2,
         .err = "=vaultd: 'nonsense' is not KEY=VALUE\n"},
        {"frontmatter Plan", .err = "=", .out = "=nothing to change\n"},
        {"changes --verify", .out = "=The journal is intact: 9 changes.\n"},
    };
    check(*state, rows, COUNT_OF(rows));
}

static void test_moving(void **state)
{
    static const struct cli_row rows[] = {
        {"move Plan Archive/ --dry-run",
         .out = "=rename from Plan.md\nrename to Archive/Plan.md\n",
         .path = "Archive/Plan.md"},
        {"move Plan Archive/",
         .out =
             "=moved Plan.md to Archive/Plan.md\nchange 1; undo it with vaultd undo 1\n",
         .path = "Archive/Plan.md",
         .text = "# Plan\n\nalpha\n\n## Next\n\n- [ ] one\n- two ^b1\n"},
        {"move Archive/Plan Scheme --json",
         .out = "={\"path\":\"Archive/Plan.md\",\"to\":\"Archive/"
                "Scheme.md\",\"action\":\"renamed\",\"moved_files\":1,\"rewritten_"
                "notes\":1,\"rewritten_links\":1,\"link_format\":\"shortest\",\"format_"
                "reason\":\"as written before\",\"size\":44,"
                "\"total_lines\":8,\"etag\":\"3ec01edeba7ce919\",\"files\":["
                "{\"path\":\"Home.md\",\"outcome\":\"changed\"},{\"path\":\"Archive/"
                "Plan.md\",\"outcome\":\"moved\",\"to\":\"Archive/"
                "Scheme.md\"}],\"change\":2,\"warnings\":[\"its first heading is still "
                "'# Plan'\"]}\n",
         .path = "Home.md", .text = "[[Scheme]]\n"},
        {"move Nope X", .code = 1, .err = "=vaultd: File not found: Nope\n"},
        {"move Scheme 'Next steps' --heading Next",
         .out = "=changed Archive/Scheme.md\nchange 3; undo it with vaultd undo 3\n",
         .path = "Archive/Scheme.md",
         .text = "# Plan\n\nalpha\n\n## Next steps\n\n- [ ] one\n- two ^b1\n"},
        {"undo",
         .out = "=changed back Archive/Scheme.md\nchange 3 is undone (by change 4)\n",
         .path = "Archive/Scheme.md",
         .text = "# Plan\n\nalpha\n\n## Next\n\n- [ ] one\n- two ^b1\n"},
        {"move Scheme X --heading None", .code = 1,
         .err = "=vaultd: 'Archive/Scheme.md' has no heading '#None'\n"},
        {"move Archive/Scheme Home.md",
         .out =
             "=changed Home.md\nmoved Archive/Scheme.md to Archive/Home.md\nchange 5; "
             "undo it with vaultd undo 5\nnote: another note has that name: 'Home.md'\n"},
        {"move --tag none some", .code = 1,
         .err = "=vaultd: no note has the tag 'none'\n"},
        {"undo --dry-run",
         .out = "=Undoing change 5 would do this:\nrename from Archive/Home.md\nrename "
                "to Archive/Scheme.md\n--- Home.md\n+++ Home.md\n@@ -1 +1 "
                "@@\n-[[Archive/Home]]\n+[[Scheme]]\n"},
        {"undo",
         .out = "=moved back Archive/Home.md to Archive/Scheme.md\nchanged back "
                "Home.md\nchange 5 is undone (by change 6)\n",
         .path = "Next steps.md"},
        {"undo 99", .code = 1, .err = "=vaultd: no such change 99, or it was pruned\n"},
        {"undo x", .code = 2, .err = "=vaultd: 'x' is not the number of a change\n"},
        {"delete Scheme --dry-run",
         .out = "=rename from Archive/Scheme.md\nrename to "
                ".trash/Archive/Scheme.md\nnote: 1 link to it in Home.md\n",
         .path = "Home.md", .text = "[[Scheme]]\n"},
        {"delete Scheme",
         .out = "=moved Archive/Scheme.md to .trash/Archive/Scheme.md\nchange 7; undo it "
                "with vaultd undo 7\nnote: 1 link to it in Home.md\n",
         .path = "Scheme.md"},
        {"delete Scheme", .code = 1, .err = "=vaultd: File not found: Scheme\n"},
        {"delete Archive", .code = 2,
         .err = "=vaultd: 'Archive' is a folder with 0 files: use -r to delete it\n"},
        {"restore", .out = "  Archive/Scheme.md\n"},
        {"restore Nope", .code = 1,
         .err = "=vaultd: 'Nope' is not in the trash; restore without a path lists what "
                "is there\n"},
        {"restore Archive/Scheme.md",
         .out = "=moved .trash/Archive/Scheme.md to Archive/Scheme.md\nchange 8; undo it "
                "with vaultd undo 8\n",
         .path = "Archive/Scheme.md",
         .text = "# Plan\n\nalpha\n\n## Next\n\n- [ ] one\n- two ^b1\n"},
        {"changes -n 1 --json", .out = "~'tool':'"},
        {"changes --path Nope", .code = 1},
        {"changes 1", .out = "tool    move\nfiles   1\n\nrename from Plan.md\nrename to "
                             "Archive/Plan.md\n"},
    };
    check(*state, rows, COUNT_OF(rows));
}

static void test_structure(void **state)
{
    static const struct cli_row rows[] = {
        {"task Plan one --done",
         .out = "=changed Plan.md\nchange 1; undo it with vaultd undo 1\n"},
        {"task Plan:7 --todo",
         .out = "=changed Plan.md\nchange 2; undo it with vaultd undo 2\n",
         .path = "Plan.md",
         .text = "# Plan\n\nalpha\n\n## Next\n\n- [ ] one\n- two ^b1\n"},
        {"task Plan one --due 2026-12-24 --priority high",
         .out = "=changed Plan.md\nchange 3; undo it with vaultd undo 3\n",
         .path = "Plan.md",
         .text = "# Plan\n\nalpha\n\n## Next\n\n- [ ] one ⏫ 📅 2026-12-24\n- two ^b1\n"},
        {"task Plan buy --add --to '#Next'",
         .out = "=changed Plan.md\nchange 4; undo it with vaultd undo 4\n",
         .path = "Plan.md",
         .text = "# Plan\n\nalpha\n\n## Next\n\n- [ ] one ⏫ 📅 2026-12-24\n- two ^b1\n- [ "
                 "] buy\n"},
        {"task Plan nothing --done", .code = 2,
         .err = "=vaultd: no task has the text 'nothing': read the note again\n"},
        {"task Plan one", .code = 2,
         .err = "=vaultd: nothing to do: give --done, --todo, --status, --due, "
                "--scheduled, --start, --priority, --to, --lane, --archive, --remove or "
                "--add\n"},
        {"task Plan one --due strange", .code = 2,
         .err = "=vaultd: 'strange' is not a date (YYYY-MM-DD)\n"},
        {"task Plan one --done --todo", .code = 2,
         .err = "=vaultd: give only one of --done, --todo and --status\n"},
        {"task Plan:99 --done", .code = 1,
         .err = "=vaultd: line 99 is not a task, it is past the end of the note\n"},
        {"daily --date 2026-01-02 '- call'",
         .out = "=created 2026-01-02.md\nchange 5; undo it with vaultd undo 5\n",
         .path = "2026-01-02.md", .text = "- call\n"},
        {"daily --date 2026-01-02 --print", .out = "=- call\n"},
        {"daily --date strange x", .code = 2,
         .err = "=vaultd: 'strange' is not a date (YYYY-MM-DD)\n"},
        {"daily --period strange x", .code = 2,
         .err = "=vaultd: --period: 'strange' is not one of day, week, month, quarter, "
                "year\n"},
        {"canvas Map '{\"add\":\"text\",\"text\":\"Idea\"}' --dry-run",
         .out = "+  {\"id\":\""},
        {"canvas Map.canvas nonsense", .code = 2,
         .err =
             "=vaultd: a STEP is a JSON object: invalid JSON at byte 1: expected null\n"},
        {"batch", .out = "=nothing to change\n"},
        {"batch", .in = "nonsense", .code = 2,
         .err = "=vaultd: line 1: invalid JSON at byte 0: expected null; nothing was "
                "done\n"},
        {"batch", .in = "[{\"op\":\"strange\"}]", .code = 2,
         .err = "=vaultd: line 1: op must be one of write, edit, insert, frontmatter, "
                "move, delete; nothing was done\n"},
    };
    check(*state, rows, COUNT_OF(rows));
}

/* The same command with one key is executed once, and refused for another change. */
static void test_once(void **state)
{
    static const struct cli_row rows[] = {
        {"insert Home more --idempotency-key k1",
         .out = "=changed Home.md\nchange 1; undo it with vaultd undo 1\n",
         .path = "Home.md", .text = "[[Plan]]\n\nmore\n"},
        {"insert Home more --idempotency-key k1", .out = "=already made, as change 1\n",
         .path = "Home.md", .text = "[[Plan]]\n\nmore\n"},
        {"insert Home other --idempotency-key k1", .code = 1,
         .err = "=vaultd: this idempotency_key was used for another change: use a new "
                "one\n"},
        {"insert Home more --read-only", .code = 1,
         .err = "=vaultd: this vault is read-only: nothing in it can be changed here\n"},
        {"insert Home more --deny-paths Home.md", .code = 1,
         .err = "=vaultd: File not found: Home; to create it, use --create\n"},
    };
    check(*state, rows, COUNT_OF(rows));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_writing),
        PLACE_TEST(test_moving),
        PLACE_TEST(test_structure),
        PLACE_TEST(test_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
