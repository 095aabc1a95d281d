/*
 * Notes of Windows: every tool that changes a vault does the same to one with CRLF as to one with LF, and leaves CRLF.
 * No line of a file ends in another way than those around it.
 */
#include "notes.h"

/* A call, and the file that it makes, whose lines may end as the client wrote them. */
struct crlf_row {
    const char *tool, *arguments, *made;
};

static const struct crlf_row rows[] = {
    {"vault_edit", "'path':'Plan','old_text':'beta','new_text':'b\\ne\\nta'"},
    {"vault_edit",
     "'path':'Plan','old_text':'## Next\\n\\n- one','new_text':'## Soon\\n\\n- 1'"},
    {"vault_edit",
     "'path':'Plan','old_text':'- one\\r\\n- two','new_text':'- 1\\r\\n- 2\\r\\n- 3'"},
    {"vault_edit", "'path':'Plan','lines':'7-9','new_text':'seven\\neight'"},
    {"vault_edit",
     "'path':'Plan','section':'Later','old_text':'gamma','new_text':'g\\n\\nh'"},
    {"vault_edit",
     "'path':'Log','old_text':'alpha','new_text':'a\\nb','replace_all':true"},
    {"vault_edit", "'path':'Log','old_text':'alpha$','new_text':'$0\\nx','regex':true"},
    {"vault_edit", "'path':'Plan','edits':[{'old_text':'alpha','new_text':'1\\n2'},{'old_"
                   "text':'gamma','new_text':'3\\n4'}]"},
    {"vault_edit", "'path':'Table','row':'Ann','cells':{'Age':'31'}"},
    {"vault_edit", "'path':'Table','row':'Cid','cells':{'Age':'5'}"},
    {"vault_edit", "'path':'Table','row':'Bob'"},
    {"vault_insert", "'path':'Log','content':'omega\\npsi'"},
    {"vault_insert", "'path':'Log','content':'omega\\r\\npsi\\r\\n'"},
    {"vault_insert", "'path':'Plan','content':'x\\ny','where':'prepend'"},
    {"vault_insert",
     "'path':'Plan','content':'x\\ny','where':'section_end','anchor':'Next'"},
    {"vault_insert",
     "'path':'Plan','content':'x\\ny','where':'section_start','anchor':'Next'"},
    {"vault_insert", "'path':'Plan','content':'x\\ny','where':'before','anchor':'beta'"},
    {"vault_insert", "'path':'Plan','content':'x\\ny','where':'after','anchor':'beta'"},
    {"vault_insert",
     "'path':'Plan','content':'x\\ny','where':'block_after','anchor':'b1'"},
    {"vault_insert", "'path':'Plan','content':'x\\ny','where':'line','line':9"},
    {"vault_insert", "'path':'Plan','content':'x\\ny','where':'section_end','anchor':'"
                     "New','create':true"},
    {"vault_insert", "'path':'None','content':'x\\ny','create':true", "None.md"},
    {"vault_write", "'path':'New.md','content':'x\\ny'", "New.md"},
    {"vault_write", "'path':'Work/Log.md','content':'x\\ny\\n','overwrite':true",
     "Work/Log.md"},
    {"vault_write",
     "'path':'Work/"
     "Plan.md','content':'new\\nlines\\n','overwrite':true,'keep_properties':true"},
    {"vault_frontmatter", "'path':'Plan','set':{'status':'done','n':5}"},
    {"vault_frontmatter", "'path':'Plan','set':{'list':['a','b'],'text':'two\\nlines'}"},
    {"vault_frontmatter", "'path':'Log','set':{'status':'done'}"},
    {"vault_frontmatter", "'path':'Plan','add':{'tags':['garden']}"},
    {"vault_frontmatter", "'path':'Plan','take':{'tags':['work']}"},
    {"vault_frontmatter", "'path':'Plan','remove':['status']"},
    {"vault_frontmatter", "'path':'Plan','remove':['status','tags']"},
    {"vault_frontmatter", "'paths':['Plan','Log'],'set':{'a':1}"},
    {"vault_move", "'path':'Plan','to':'Work/Goal.md'"},
    {"vault_move", "'path':'Work','to':'Job'"},
    {"vault_move", "'path':'Plan','heading':'Next','to':'Soon'"},
    {"vault_move", "'path':'Plan','heading':'Later','into':'Log'"},
    {"vault_write",
     "'path':'Templated.md','content':'x\\ny','template':'Templates/Daily.md'"},
    {"vault_write",
     "'path':'Templated.md','content':'x\\r\\ny','template':'Templates/Daily.md'"},
    {"vault_move", "'path':'Plan','block':'b1','to':'b2'"},
    {"vault_move", "'tag':'work','to':'job'"},
    {"vault_move", "'property':'status','to':'state'"},
    {"vault_delete", "'path':'Plan','unlink':true"},
    {"vault_delete", "'path':'Plan','links_to':'Log'"},
    {"vault_task", "'path':'Home','text':'call','due':'2026-04-01'"},
    {"vault_task", "'path':'Home','text':'call','priority':'high'"},
    {"vault_task", "'path':'Home','text':'call','status':'cancelled'"},
    {"vault_task", "'path':'Home','add':'new','due':'2026-05-05'"},
    {"vault_task", "'path':'Home','text':'call','remove':true"},
    {"vault_task", "'path':'Home','text':'call','to':'Log'"},
    {"vault_task", "'path':'Home','text':'call','to':'Plan#Next'"},
    {"vault_task", "'path':'Repeat','text':'water','status':'done'"},
    {"vault_task", "'path':'Board','add':'card','lane':'Todo'"},
    {"vault_task", "'path':'Board','text':'first','lane':'Done'"},
    {"vault_task", "'path':'Board','text':'old','archive':true"},
    {"vault_task", "'path':'Board','text':'first','remove':true"},
    {"vault_daily", "'date':'2026-03-05','append':'x\\ny'", "2026-03-05.md"},
    {"vault_daily", "'date':'2026-03-06','append':'x\\ny'"},
    {"vault_daily", "'date':'2026-03-06','append':'x\\ny','section':'Log','create':true"},
    {"vault_daily", "'date':'2026-03-06','append':'x\\ny','section':'Notes'"},
    {"vault_batch", "'steps':[{'tool':'vault_edit','path':'Log','old_text':'"
                    "alpha\\nalpha','new_text':'a\\nb'},"
                    "{'tool':'vault_insert','path':'Plan','content':'x\\ny'}]"},
};

/* --- the vaults --- */

static str as_crlf(struct arena *a, str text)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\n')
            sbuf_char(&b, '\r');
        sbuf_char(&b, text.p[i]);
    }
    return sbuf_str(&b);
}

static str as_lf(struct arena *a, str text)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != '\r')
            sbuf_char(&b, text.p[i]);
    return sbuf_str(&b);
}

static void fill_more(struct place *p)
{
    fill_notes(p);
    place_put(p, "Repeat.md",
              STR("# Repeat\n\n- [ ] water 🔁 every day 📅 2026-03-01\n- [ ] rest\n"));
    place_put(p, "2026-03-06.md", STR("# Friday\n\n## Notes\n\n- one\n\n## End\n"));
}

/* The files of the last look at a vault, by path. */
struct listing {
    struct place *place;
    struct arena *a;
    str paths[64], texts[64];
    size_t n;
};

static void list_below(struct listing *l, str folder)
{
    DIR *dir = fdopendir(openat(l->place->fd, folder.n > 0 ? folder.p : ".",
                                O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    assert_non_null(dir);
    for (const struct dirent *d; (d = readdir(dir)) != NULL;) {
        struct stat st;
        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
            continue;
        str path = folder.n > 0 ? path_join(l->a, folder, str_c(d->d_name))
                                : arena_str(l->a, str_c(d->d_name));
        assert_int_equal(fstatat(l->place->fd, path.p, &st, AT_SYMLINK_NOFOLLOW), 0);
        if (S_ISDIR(st.st_mode)) {
            list_below(l, path);
            continue;
        }
        assert_true(l->n < COUNT_OF(l->paths));
        l->paths[l->n++] = path;
    }
    closedir(dir);
}

static void list_files(struct app_place *p, struct listing *l)
{
    *l = (struct listing){.place = p->place, .a = &p->peer.arena};
    list_below(l, (str){0});
    for (size_t i = 0; i < l->n; i++)
        l->texts[i] = app_file(p, l->paths[i].p);
}

static str text_at(const struct listing *l, str path)
{
    for (size_t i = 0; i < l->n; i++)
        if (str_eq(l->paths[i], path))
            return l->texts[i];
    return STR("(no such file)");
}

static void fill_crlf(struct app_place *p)
{
    struct listing l;
    fill_more(p->place);
    list_files(p, &l);
    for (size_t i = 0; i < l.n; i++)
        place_put(p->place, l.paths[i].p, as_crlf(l.a, l.texts[i]));
}

/* --- what is left --- */

static bool is_mixed(str text)
{
    size_t lf = 0, crlf = 0;
    for (size_t i = 0; i < text.n; i++) {
        bool after_cr = text.p[i] == '\n' && i > 0 && text.p[i - 1] == '\r';
        crlf += after_cr;
        lf += text.p[i] == '\n' && !after_cr;
    }
    return lf > 0 && crlf > 0;
}

static size_t check_file(const struct crlf_row *row, str path, str got, str want,
                         struct arena *a)
{
    bool made = row->made != NULL && str_eq(path, str_c(row->made));
    const char *wrong = !str_eq(as_lf(a, got), as_lf(a, want))    ? "another text"
                        : is_mixed(got)                           ? "mixed ends of lines"
                        : !made && !str_eq(got, as_crlf(a, want)) ? "LF"
                                                                  : NULL;
    if (wrong != NULL)
        print_error(
            "%s {%s}: " STR_FMT " has %s:\n'" STR_FMT "'\nwith LF:\n'" STR_FMT "'\n",
            row->tool, row->arguments, STR_ARG(path), wrong, STR_ARG(got), STR_ARG(want));
    return wrong != NULL;
}

static size_t check_row(struct app_place *lf, struct app_place *crlf,
                        const struct crlf_row *row)
{
    struct listing want, got;
    size_t wrong = 0;
    str answer = app_call(lf, row->tool, row->arguments),
        other = app_call(crlf, row->tool, row->arguments);
    if (str_starts(answer, STR("ERROR")) || str_starts(other, STR("ERROR"))) {
        print_error("%s {%s}: '" STR_FMT "' and '" STR_FMT "'\n", row->tool,
                    row->arguments, STR_ARG(answer), STR_ARG(other));
        return 1;
    }
    list_files(lf, &want);
    list_files(crlf, &got);
    wrong += want.n != got.n;
    for (size_t i = 0; i < want.n; i++)
        wrong += check_file(row, want.paths[i], text_at(&got, want.paths[i]),
                            want.texts[i], got.a);
    return wrong;
}

static void test_as_with_lf(void **state)
{
    struct app_place *lf = app_place_open("", fill_more),
                     *crlf = app_place_open("", fill_more);
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        app_empty(lf);
        app_empty(crlf);
        fill_more(lf->place);
        fill_crlf(crlf);
        app_look(lf);
        app_look(crlf);
        wrong += check_row(lf, crlf, &rows[i]) > 0;
    }
    app_place_close(crlf);
    app_place_close(lf);
    if (wrong > 0)
        fail_msg("%zu of %zu rows are wrong", wrong, COUNT_OF(rows));
}

/* Each change is undone to the same bytes. */
static void test_undone(void **state)
{
    struct app_place *p = app_place_open("", fill_more);
    struct listing before, after;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        app_empty(p);
        fill_crlf(p);
        app_look(p);
        list_files(p, &before);
        app_call(p, rows[i].tool, rows[i].arguments);
        str undone = app_call(p, "vault_undo", "");
        CHECK(rows[i].arguments, !str_starts(undone, STR("ERROR")));
        list_files(p, &after);
        for (size_t k = 0; k < before.n; k++)
            if (!str_eq(text_at(&after, before.paths[k]), before.texts[k]))
                fail_msg("%s {%s}: " STR_FMT " is not as it was", rows[i].tool,
                         rows[i].arguments, STR_ARG(before.paths[k]));
    }
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_with_lf),
        cmocka_unit_test(test_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
