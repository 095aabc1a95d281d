/*
 * What every writing tool of every set leaves on the disk under a grant of each level: only
 * `write` changes it. A tool that may change something and has no row here fails the test.
 */
#include "notes.h"

#include "app/catalog/tools.h"
#include "base/array.h"
#include "base/sort.h"

/* A call that changes something when it may. */
struct level_row {
    const char *tool, *arguments;
    bool
        elsewhere; /* it changes nothing here: it needs a remote, or another repository */
    const char *first, *with; /* a call before it, by a caller without a grant; or NULL */
};

static const struct level_row default_rows[] = {
    {"vault_write", "'path':'New.md','content':'x'"},
    {"vault_write", "'path':'Home.md','content':'x','overwrite':true"},
    {"vault_write", "'path':'New.md','content':'x','template':'Templates/Daily.md'"},
    {"vault_write", "'path':'a.txt','content':'aGk=','encoding':'base64'"},
    {"vault_edit", "'path':'Plan','old_text':'alpha','new_text':'x'"},
    {"vault_insert", "'path':'Log','content':'omega'"},
    {"vault_insert", "'path':'None','content':'omega','create':true"},
    {"vault_frontmatter", "'path':'Plan','set':{'status':'done'}"},
    {"vault_task", "'path':'Home','text':'call Ann','status':'done'"},
    {"vault_canvas", "'path':'Map.canvas','steps':[{'add':'text','text':'Beta'}]"},
    {"vault_move", "'path':'Plan','to':'Work/Goal.md'"},
    {"vault_move", "'path':'Work','to':'Job'"},
    {"vault_move", "'tag':'work','to':'job'"},
    {"vault_move", "'path':'Plan','heading':'Next','to':'Soon'"},
    {"vault_delete", "'path':'Log'"},
    {"vault_delete", "'path':'Old.md','restore':true", .first = "vault_delete",
     .with = "'path':'Old'"},
    {"vault_daily", "'date':'2026-03-05','append':'x'"},
    {"vault_batch", "'steps':[{'tool':'vault_insert','path':'Log','content':'x'},"
                    "{'tool':'vault_move','path':'Plan','to':'Goal.md'}]"},
    {"vault_undo", "", .first = "vault_insert", .with = "'path':'Old','content':'x'"},
    {"vault_sync", "", .elsewhere = true},
};

static const struct level_row claude_desktop_rows[] = {
    {"create_note", "'name':'New','content':'x'"},
    {"append_note", "'name':'Log','text':'x'"},
    {"update_note", "'name':'Plan','content':'new'"},
    {"delete_note", "'name':'Log'"},
    {"rename_note", "'old_name':'Plan','new_name':'Goal'"},
    {"set_frontmatter", "'name':'Plan','key':'status','value':'done'"},
    {"replace_note", "'name':'Plan','old_text':'alpha','new_text':'x'"},
    {"insert_note", "'name':'Plan','text':'x','before':'Later'"},
    {"append_section", "'name':'Plan','section':'Next','text':'- three'"},
};

static const struct level_row obsidian_bundle_rows[] = {
    {"obsidian_create_note", "'name':'New','content':'x'"},
    {"obsidian_append_note", "'name':'Log','content':'x'"},
    {"obsidian_prepend_note", "'name':'Log','content':'x'"},
    {"obsidian_delete_note", "'name':'Log'"},
    {"obsidian_move_note", "'name':'Log','to':'Archive'"},
    {"obsidian_rename_note", "'name':'Work/Plan','new_name':'Goal'"},
    {"obsidian_open_note", "'name':'Home'", .elsewhere = true},
};

static const struct level_row obsidian_vault_mcp_rows[] = {
    {"note_upsert", "'path':'Work/Log.md','content':'x'"},
    {"link_add", "'path':'Log','target':'Plan'"},
    {"vault_sync", "", .elsewhere = true},
    {"adr_publish", "", .elsewhere = true},
};

static const struct level_row vault_sync_rows[] = {
    {"vault_write", "'path':'Work/Log.md','content':'x'"},
    {"vault_edit", "'path':'Work/Plan.md','old_text':'alpha beta','new_text':'x'"},
};

static const struct level_row vault_git_rows[] = {
    {"write_file", "'path':'Work/Log.md','content':'x'"},
    {"edit_file", "'path':'Work/Plan.md','edits':[{'oldText':'alpha','newText':'b'}]"},
    {"delete_file", "'path':'Log'"},
    {"rename_file", "'source':'Work/Plan.md','destination':'Work/Goal.md'"},
    {"create_directory", "'path':'New'"},
};

#define ROWS(list) list, COUNT_OF(list)
static const struct {
    const char *set, *flags;
    const struct level_row *rows;
    size_t n;
} sets[] = {
    {"default", "", ROWS(default_rows)},
    {"chatgpt", "", NULL, 0},
    {"adr", NULL, (const struct level_row[]){{"adr_publish", "", true}}, 1},
    {"obsidian-vault-mcp", "", ROWS(obsidian_vault_mcp_rows)},
    {"vault-sync", "", ROWS(vault_sync_rows)},
    {"obsidian-bundle", "", ROWS(obsidian_bundle_rows)},
    {"claude-desktop", "", ROWS(claude_desktop_rows)},
    {"vault-git", "", ROWS(vault_git_rows)},
};

/* --- a row for every tool --- */

static void test_every_tool_has_a_row(void **state)
{
    (void)state;
    size_t set = 0;
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++, set++) {
        CHECK(s->name, set < COUNT_OF(sets) && strcmp(sets[set].set, s->name) == 0);
        for (const struct mcp_tool *const *t = s->tools; *t != NULL; t++) {
            bool has = ((*t)->flags & MCP_READ_ONLY) != 0;
            for (size_t i = 0; i < sets[set].n; i++)
                has = has || strcmp(sets[set].rows[i].tool, (*t)->name) == 0;
            CHECK((*t)->name, has);
        }
    }
    CHECK_INT("sets", set, COUNT_OF(sets));
}

/* --- the disk --- */

struct disk {
    struct arena *arena;
    str *lines;
    size_t n;
};

static void read_disk(struct disk *d, int at, const char *path)
{
    DIR *dir = fdopendir(openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        struct sbuf text = SBUF_ON(d->arena);
        sbuf_printf(&text, "%s/%s: ", path, e->d_name);
        str name = arena_printf(d->arena, "%s/%s", path, e->d_name);
        int fd = openat(at, name.p, O_RDONLY | O_CLOEXEC);
        char bytes[4096];
        for (ssize_t n; fd >= 0 && (n = read(fd, bytes, sizeof(bytes))) > 0;)
            sbuf_add(&text, (str){bytes, (size_t)n});
        close(fd);
        *ARRAY_ADD(d->arena, d->lines, d->n) = sbuf_str(&text);
        if (e->d_type == DT_DIR)
            read_disk(d, at, name.p);
    }
    closedir(dir);
}

static int by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

/* Names and texts of everything in the vault. */
static str disk_of(struct app_place *p)
{
    struct disk d = {.arena = &p->peer.arena};
    struct sbuf all = SBUF_ON(d.arena);
    read_disk(&d, p->place->fd, ".");
    if (d.n > 1)
        sort_items(d.lines, d.n, sizeof(*d.lines), by_bytes);
    for (size_t i = 0; i < d.n; i++)
        sbuf_printf(&all, STR_FMT "\n", STR_ARG(d.lines[i]));
    return sbuf_str(&all);
}

/* --- every row at every level --- */

/* The same files each time, and what the row needs. */
static void prepare_row(struct app_place *p, const struct level_row *row)
{
    p->peer.caller.grant = STR("");
    app_empty(p);
    fill_notes(p->place);
    place_put(p->place, "Old.md", STR("old\n"));
    app_look(p);
    if (row->first == NULL)
        return;
    str answer = app_call(p, row->first, row->with);
    CHECK(answer.p, !str_starts(answer, STR("ERROR")) && !str_starts(answer, STR("RPC")));
}

static size_t check_row(struct app_place *p, const struct level_row *row,
                        const char *grant, bool writes)
{
    prepare_row(p, row);
    str before = disk_of(p);
    p->peer.caller.grant = str_c(grant);
    str answer = app_call(p, row->tool, row->arguments);
    bool changed = !str_eq(before, disk_of(p));
    if (changed == (writes && !row->elsewhere))
        return 0;
    print_error("%s {%s} with '%s': the disk %s: " STR_FMT "\n", row->tool,
                row->arguments, grant, changed ? "changed" : "did not change",
                STR_ARG(answer));
    return 1;
}

static void test_only_write_changes_the_disk(void **state)
{
    (void)state;
    static const struct {
        const char *grant;
        bool writes;
    } levels[] = {
        {"elsewhere hidden\n", false},
        {"elsewhere read\n", false},
        {"read-only\nelsewhere write\n", false},
        {"elsewhere propose\n", false},
        {"propose\nelsewhere write\n", false},
        {"elsewhere write\nand\nelsewhere propose\n", false},
        {"only-tools none\nelsewhere write\n", false},
        {"nonsense", false},
        {"elsewhere write\n", true},
        {"elsewhere write\nat read Elsewhere\n", true},
    };
    size_t wrong = 0;
    for (size_t set = 0; set < COUNT_OF(sets); set++) {
        if (sets[set].n == 0 || sets[set].flags == NULL) /* adr needs a repository */
            continue;
        char flags[200];
        snprintf(flags, sizeof(flags),
                 "--tools %s --answers json --confirm never --confirm-files 0 "
                 "--propose-paths Nowhere %s",
                 sets[set].set, sets[set].flags);
        struct app_place *p = app_place_open(flags, fill_notes);
        for (size_t i = 0; i < sets[set].n; i++)
            for (size_t l = 0; l < COUNT_OF(levels); l++)
                wrong +=
                    check_row(p, &sets[set].rows[i], levels[l].grant, levels[l].writes);
        app_place_close(p);
    }
    if (wrong > 0)
        fail_msg("%zu rows are wrong", wrong);
}

/* A change that touches folders of several levels is made as the lowest of them allows, which
 * may be a link in a note elsewhere. */
static void test_lowest_level_counts(void **state)
{
    (void)state;
    static const struct {
        const char *grant, *tool, *arguments, *want;
    } cases[] = {
        /* Home.md links to the note that moves */
        {"elsewhere propose\nat write Work\n", "vault_move",
         "'path':'Plan','to':'Work/Goal.md'", "waiting for review"},
        {"elsewhere read\nat write Work\n", "vault_move",
         "'path':'Plan','to':'Work/Goal.md'", "PATH_NOT_ALLOWED"},
        {"elsewhere propose\nat write Work\n", "vault_move",
         "'path':'Log','to':'/Top.md'", "waiting for review"},
        {"elsewhere read\nat write Work\n", "vault_move", "'path':'Log','to':'/Top.md'",
         "PATH_NOT_ALLOWED"},
        {"elsewhere write\nat propose Work/Plan.md\n", "vault_move",
         "'path':'Work','to':'Job'", "waiting for review"},
        {"elsewhere write\nat read Work/Plan.md\n", "vault_delete",
         "'path':'Work','recursive':true", "PATH_NOT_ALLOWED"},
        {"elsewhere write\nat hidden Work/Plan.md\n", "vault_delete",
         "'path':'Work','recursive':true", "PATH_NOT_ALLOWED"},
        {"elsewhere write\nat propose Work\n", "vault_batch",
         "'steps':[{'tool':'vault_insert','path':'Home.md','content':'x'},"
         "{'tool':'vault_insert','path':'Work/Log.md','content':'x'}]",
         "waiting for review"},
        {"elsewhere write\nat propose Work\n", "vault_frontmatter",
         "'where':'tag = #work','set':{'a':1}", "waiting for review"},
        {"elsewhere read\nat propose Work\n", "vault_write",
         "'path':'Work/New.md','content':'x'", "waiting for review"},
    };
    struct app_place *p = app_place_open(
        "--answers json --confirm never --propose-paths Nowhere", fill_notes);
    const struct level_row nothing = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        prepare_row(p, &nothing);
        str before = disk_of(p);
        p->peer.caller.grant = str_c(cases[i].grant);
        str answer = app_call(p, cases[i].tool, cases[i].arguments);
        if (str_find(answer, str_c(cases[i].want)) == STR_NONE)
            fail_msg("%s: {%s}: " STR_FMT, cases[i].grant, cases[i].arguments,
                     STR_ARG(answer));
        CHECK(cases[i].arguments, str_eq(before, disk_of(p)));
    }
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_tool_has_a_row),
        cmocka_unit_test(test_only_write_changes_the_disk),
        cmocka_unit_test(test_lowest_level_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
