#include <stdio.h>

#include "base/chars.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "check.h"
#include "vault/forms/canvas.h"
#include "vault/forms/canvas_edit.h"

/* As Obsidian writes it, with unknown members. */
static const char board[] =
    "{\n"
    "\t\"nodes\":[\n"
    "\t\t{\"id\":\"g1\",\"type\":\"group\",\"x\":0,\"y\":0,\"width\":340,\"height\":200,"
    "\"label\":\"Now\"},\n"
    "\t\t{\"id\":\"a1\",\"type\":\"text\",\"text\":\"# Idea\\nmore\",\"x\":20,\"y\":20,"
    "\"width\":260,\"height\":60,\"own\":{\"k\":[1, 2]}},\n"
    "\t\t{\"id\":\"b2\",\"type\":\"file\",\"file\":\"Projects/"
    "Plan.md\",\"x\":500,\"y\":0,"
    "\"width\":400,\"height\":400}\n"
    "\t],\n"
    "\t\"edges\":[\n"
    "\t\t{\"id\":\"e1\",\"fromNode\":\"a1\",\"fromSide\":\"right\",\"toNode\":\"b2\","
    "\"toSide\":\"left\",\"label\":\"leads to\"}\n"
    "\t],\n"
    "\t\"metadata\":{\"version\":\"1.0-1.0\"}\n"
    "}";

static bool find(void *arg, str word, str *path, struct err *err)
{
    *path = word;
    return !str_eq(word, STR("gone.md")) ||
           err_named(err, E_FILE_NOT_FOUND, "no file 'gone.md'");
}

static bool try_edit(struct arena *a, const char *text, const char *steps,
                     struct canvas_edited *out, struct err *err)
{
    const struct json *j;
    str json = arena_str(a, str_c(steps));
    for (char *p = (char *)json.p; p < json.p + json.n; p++)
        *p = *p == '\'' ? '"' : *p;
    if (!json_parse(a, json, &j, err))
        fail_msg("%s: %s", steps, err->msg);
    struct canvas_edit e = {.steps = j, .find = find};
    return canvas_edit(a, str_c(text), &e, out, err);
}

static struct canvas_edited edit(struct arena *a, const char *text, const char *steps)
{
    struct canvas_edited out;
    struct err err;
    if (!try_edit(a, text, steps, &out, &err))
        fail_msg("%s: %s", steps, err.msg);
    if (!canvas_check(a, out.text, &err))
        fail_msg("%s: %s", steps, err.msg);
    return out;
}

static const char *text_of(struct arena *a, str s)
{
    return arena_printf(a, STR_FMT, STR_ARG(s)).p;
}

/* The text without random ids, which become #. */
static const char *masked(struct arena *a, str text)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < text.n; i++) {
        size_t n = 0;
        while (i + n < text.n && is_hex(text.p[i + n]) && n < 17)
            n++;
        if (n == 16) {
            sbuf_char(&out, '#');
            i += 15;
        } else {
            sbuf_char(&out, text.p[i]);
        }
    }
    sbuf_char(&out, '\0');
    return out.p;
}

/* What differs from board: "-removed+added" in one place. */
static const char *difference(struct arena *a, str is)
{
    str was = str_c(board);
    size_t from = 0, end = 0;
    while (from < was.n && from < is.n && was.p[from] == is.p[from])
        from++;
    while (end < was.n - from && end < is.n - from &&
           was.p[was.n - 1 - end] == is.p[is.n - 1 - end])
        end++;
    str gone = str_slice(was, from, was.n - end), added = str_slice(is, from, is.n - end);
    return masked(
        a, arena_printf(a, "-" STR_FMT "+" STR_FMT, STR_ARG(gone), STR_ARG(added)));
}

/* One object changes, everything else stays byte for byte. */
static void test_only_that_changes(void **state)
{
    static const struct {
        const char *steps, *difference, *did;
    } cases[] = {
        {"[{'change':'a1','text':'Plan [[X]]'}]", "-# Idea\\nmore+Plan [[X]]",
         "changed a1: text 'Plan [[X]]'"},
        {"[{'change':'Idea','color':'4'}]", "-+,\"color\":\"4\"",
         "changed a1: text 'Idea'"},
        {"[{'change':'now','label':null}]", "-,\"label\":\"Now\"+", "changed g1: group"},
        {"[{'change':'a1','x':40}]", "-2+4", "changed a1: text 'Idea'"},
        {"[{'change':'plan','file':'B.md#Goal'}]", NULL, "changed b2: file 'B'"},
        {"[{'change':'e1','label':'is'}]", "-leads to+is",
         "changed e1: Idea -> Plan (is)"},
        {"[{'change':'e1','label':null}]", "-,\"label\":\"leads to\"+",
         "changed e1: Idea -> Plan"},
        {"[{'change':'e1','toEnd':'none'}]", "-+,\"toEnd\":\"none\"",
         "changed e1: Idea -> Plan (leads to)"},
        {"[{'connect':'b2','to':'a1'}]",
         "-+,\n\t\t{\"id\":\"#\",\"fromNode\":\"b2\",\"fromSide\":\"left\",\"toNode\":"
         "\"a1\","
         "\"toSide\":\"right\"}",
         "connected #: Plan -> Idea"},
        {"[{'add':'link','url':'https://a.b','x':1,'y':-2,'width':300,'height':90}]",
         "-+,\n\t\t{\"id\":\"#\",\"type\":\"link\",\"url\":\"https://"
         "a.b\",\"x\":1,\"y\":-2,"
         "\"width\":300,\"height\":90}",
         "added #: link 'https://a.b'"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct canvas_edited r = edit(*state, board, cases[i].steps);
        if (cases[i].difference != NULL)
            CHECK_STR(cases[i].steps, str_c(difference(*state, r.text)),
                      cases[i].difference);
        CHECK_STR(cases[i].steps, str_c(masked(*state, r.did[0])), cases[i].did);
    }
}

static void test_refusals(void **state)
{
    static const struct {
        const char *steps, *why;
    } cases[] = {
        {"[]", "give 1 to 100 steps, not 0"},
        {"['x']", "a step is an object"},
        {"[{'text':'x'}]", "a step has one of add, change, connect, disconnect, remove"},
        {"[{'add':'text','remove':'a1','text':'x'}]",
         "a step has one of add, change, connect, disconnect, remove"},
        {"[{'add':'card','text':'x'}]", "no type 'card': add text, file, link or group"},
        {"[{'add':'text'}]", "to add a text, give text"},
        {"[{'add':'text','text':'x','url':'y'}]", "a text has no url"},
        {"[{'add':'text','text':7}]", "text must be a text"},
        {"[{'add':'text','text':'x','lable':'y'}]",
         "add has no 'lable'; did you mean 'label'?"},
        {"[{'remove':'a1','xyzxyz':1}]", "remove has no 'xyzxyz'"},
        {"[{'add':'file','file':'gone.md'}]", "no file 'gone.md'"},
        {"[{'add':'link','url':'example.org'}]",
         "url must be a whole address, such as https://example.org"},
        {"[{'add':'text','text':'x','x':1}]", "give both x and y, or neither"},
        {"[{'add':'text','text':'x','x':1,'y':1,'in':'g1'}]",
         "give x and y, or in and near, or around, not several"},
        {"[{'add':'text','text':'x','x':1e9,'y':1}]",
         "x must be a number, -1000000 to 1000000"},
        {"[{'add':'text','text':'x','width':1}]", "width must be a number, 20 to 100000"},
        {"[{'add':'text','text':'x','side':'top'}]", "side needs near"},
        {"[{'add':'text','text':'x','near':'a1','side':'up'}]",
         "side is right, bottom, left or top"},
        {"[{'add':'text','text':'x','color':'red'}]",
         "color is \"1\" red, \"2\" orange, \"3\" yellow, \"4\" green, \"5\" cyan, \"6\" "
         "purple, or #rrggbb"},
        {"[{'add':'text','text':'x','in':'a1'}]", "'a1' is not a group"},
        {"[{'add':'text','text':'x','around':['a1']}]", "around is for groups"},
        {"[{'add':'group','around':[]}]", "around must be a list of nodes"},
        {"[{'change':'a1'}]",
         "nothing to change: give text, file, url, label, color, in, "
         "near, x or y"},
        {"[{'change':'a1','url':'https://x.y'}]", "a text has no url"},
        {"[{'change':'a1','toEnd':'none'}]", "toEnd is for edges"},
        {"[{'change':'g1','in':'g1'}]", "a node cannot be moved into or next to itself"},
        {"[{'change':'g1','near':'a1'}]",
         "a node cannot be moved into or next to itself"},
        {"[{'change':'e1','text':'x'}]",
         "an edge has label, color, fromSide, toSide, fromEnd, toEnd"},
        {"[{'change':'a3','color':'1'}]", "no node 'a3'; did you mean 'a1'?"},
        {"[{'change':'Ideas','color':'1'}]", "no node 'Ideas'; did you mean 'Idea'?"},
        {"[{'connect':'a1'}]", "to is missing: give the other node"},
        {"[{'connect':'a1','to':'nobody here'}]",
         "no node 'nobody here': give an id or title"},
        {"[{'connect':'a1','to':'b2'}]",
         "they are connected already: change the edge e1"},
        {"[{'connect':'a1','to':'Idea'}]", "a node is not connected to itself"},
        {"[{'disconnect':'e9'}]",
         "no edge 'e9': give the id of an edge, or two nodes with "
         "disconnect and to"},
        {"[{'disconnect':'b2','to':'a1'}]",
         "no edge leads from 'Plan' to 'Idea', only the other way"},
        {"[{'add':'text','text':'Idea'},{'remove':'idea'}]",
         "step 2: 2 nodes are called 'idea': give the id: a1, #"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct canvas_edited r;
        struct err err;
        if (try_edit(*state, board, cases[i].steps, &r, &err))
            fail_msg("%s: was not refused", cases[i].steps);
        CHECK_STR(cases[i].steps, str_c(masked(*state, str_c(err.msg))), cases[i].why);
    }
}

static void test_removing_takes_the_edges(void **state)
{
    struct canvas_edited r = edit(*state, board, "[{'remove':'Plan'}]");
    CHECK_STR("did", r.did[0], "removed b2: file 'Plan', with 1 edge");
    CHECK("no edges", str_find(r.text, STR("\"edges\":[],\n")) != STR_NONE);
    CHECK("the comma is gone",
          str_find(r.text, STR("\"own\":{\"k\":[1, 2]}}\n\t],")) != STR_NONE);
    r = edit(*state, board, "[{'disconnect':'Idea','to':'Plan'}]");
    CHECK_STR("did", r.did[0], "disconnected e1: Idea -> Plan (leads to)");
    r = edit(*state, board, "[{'remove':'g1'},{'remove':'a1'},{'remove':'b2'}]");
    CHECK("no nodes", str_find(r.text, STR("\"nodes\":[],\n")) != STR_NONE);
}

static void test_new_canvas(void **state)
{
    struct canvas_edited r = edit(*state, "",
                                  "[{'add':'text','text':'A'},{'add':'text','text':'B'},"
                                  "{'connect':'A','to':'B','label':'x'}]");
    CHECK_STR("as Obsidian writes it", str_c(masked(*state, r.text)),
              "{\n\t\"nodes\":[\n"
              "\t\t{\"id\":\"#\",\"type\":\"text\",\"text\":\"A\",\"x\":0,\"y\":0,"
              "\"width\":260,\"height\":60},\n"
              "\t\t{\"id\":\"#\",\"type\":\"text\",\"text\":\"B\",\"x\":0,\"y\":120,"
              "\"width\":260,\"height\":60}\n"
              "\t],\n\t\"edges\":[\n"
              "\t\t{\"id\":\"#\",\"fromNode\":\"#\",\"fromSide\":\"bottom\","
              "\"toNode\":\"#\",\"toSide\":\"top\",\"label\":\"x\"}\n"
              "\t]\n}");
    r = edit(*state, "{}", "[{'add':'group','label':'G'}]");
    CHECK("no edges yet", str_find(r.text, STR("\"edges\":[]\n}")) != STR_NONE);
    r = edit(*state, "{\r\n\t\"nodes\":[]\r\n}", "[{'add':'text','text':'A'}]");
    CHECK("its line ends", str_find(r.text, STR("[\r\n\t\t{")) != STR_NONE);
    r = edit(*state, "{ \"a\": 1, \"edges\": [] }", "[{'add':'text','text':'A'}]");
    CHECK("its spaces", str_find(r.text, STR("[], \"nodes\": [\n")) != STR_NONE);
}

static void test_other_styles(void **state)
{
    const char *spread =
        "{\n  \"edges\": [],\n  \"nodes\": [\n    {\n      \"id\": \"a\",\n"
        "      \"type\": \"text\",\n      \"text\": \"T\",\n"
        "      \"x\": 0.5, \"y\": 0, \"width\": 10, \"height\": 10\n"
        "    }\n  ]\n}\n";
    struct canvas_edited r = edit(*state, spread, "[{'change':'a','color':'1'}]");
    CHECK("spaces as before",
          str_find(r.text, STR("\"height\": 10, \"color\": \"1\"\n    }\n  ]\n}\n")) !=
              STR_NONE);
    CHECK("a number stays", str_find(r.text, STR("\"x\": 0.5,")) != STR_NONE);
    r = edit(*state, spread, "[{'add':'text','text':'N','near':'a'}]");
    CHECK("indented as before", str_find(r.text, STR("},\n    {\"id\":\"")) != STR_NONE);
    r = edit(*state, "\xEF\xBB\xBF{\"nodes\":[]}", "[{'add':'text','text':'N'}]");
    CHECK("the mark stays", str_starts(r.text, STR("\xEF\xBB\xBF{\"nodes\":[\n")));
}

static void test_broken_canvas(void **state)
{
    struct canvas_edited r;
    struct err err;
    assert_false(try_edit(*state, "{\"nodes\":", "[{'remove':'a'}]", &r, &err));
    assert_int_equal(err.name, E_INVALID_CONTENT);
    assert_false(
        try_edit(*state, "{\"nodes\":[{\"id\":\"a\"}]}", "[{'remove':'a'}]", &r, &err));
    CHECK_STR("why", str_c(err.msg), "line 1: a node needs the text member type");
}

static void test_groups_come_first(void **state)
{
    struct canvas_edited r = edit(*state, board,
                                  "[{'add':'group','label':'All','around':['a1','b2']},"
                                  "{'add':'group','label':'In','in':'All'}]");
    size_t all = str_find(r.text, STR("\"label\":\"All\"")),
           in = str_find(r.text, STR("\"label\":\"In\"")),
           now = str_find(r.text, STR("\"label\":\"Now\""));
    CHECK(text_of(*state, r.text), all < in && all < now);
}

/* Groups that are equal or share edges grow once, each around what is in it. */
static void test_equal_groups_grow_once(void **state)
{
    static const struct {
        const char *nodes, *steps, *want[4];
    } cases[] = {
        {"{'id':'A','type':'group','x':0,'y':0,'width':300,'height':100},"
         "{'id':'B','type':'group','x':0,'y':0,'width':300,'height':100},"
         "{'id':'t','type':'text','text':'t','x':20,'y':20,'width':60,'height':40}",
         "[{'add':'text','text':'new','near':'t'}]",
         {"'id':'A','type':'group','x':-20,'y':-20,'width':460,'height':140",
          "'id':'B','type':'group','x':0,'y':0,'width':420,'height':100"}},
        {"{'id':'A','type':'group','x':0,'y':0,'width':300,'height':120},"
         "{'id':'B','type':'group','x':0,'y':0,'width':300,'height':100},"
         "{'id':'t','type':'text','text':'t','x':20,'y':20,'width':60,'height':40},"
         "{'id':'u','type':'text','text':'u','x':900,'y':20,'width':260,'height':40}",
         "[{'change':'u','in':'B'}]",
         {"'id':'A','type':'group','x':-20,'y':-20,'width':340,'height':220",
          "'id':'B','type':'group','x':0,'y':0,'width':300,'height':180"}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[1024], *p = text;
        snprintf(text, sizeof(text), "{'nodes':[%s]}", cases[i].nodes);
        for (; *p != '\0'; p++)
            *p = *p == '\'' ? '"' : *p;
        struct canvas_edited r = edit(*state, text, cases[i].steps);
        str got = arena_str(*state, r.text);
        for (p = (char *)got.p; p < got.p + got.n; p++)
            *p = *p == '"' ? '\'' : *p;
        for (size_t k = 0; k < COUNT_OF(cases[i].want) && cases[i].want[k]; k++)
            if (str_find(got, str_c(cases[i].want[k])) == STR_NONE)
                fail_msg("%s: no %s in " STR_FMT, cases[i].steps, cases[i].want[k],
                         STR_ARG(got));
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_only_that_changes),
        ARENA_TEST(test_refusals),
        ARENA_TEST(test_removing_takes_the_edges),
        ARENA_TEST(test_new_canvas),
        ARENA_TEST(test_other_styles),
        ARENA_TEST(test_broken_canvas),
        ARENA_TEST(test_groups_come_first),
        ARENA_TEST(test_equal_groups_grow_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
