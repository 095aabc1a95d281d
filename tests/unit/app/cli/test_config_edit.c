#include "app/cli/config_edit.h"

#include "check.h"

static const str json_keys[] = {{"mcpServers", 10}, {"vault", 5}};
static const str toml_keys[] = {{"mcp_servers", 11}, {"vault", 5}};

static struct config_path path_of(enum config_format format)
{
    return (struct config_path){format == CONFIG_TOML ? toml_keys : json_keys, 2};
}

static const struct json *value(struct arena *a, const char *text)
{
    const struct json *j;
    struct err err;
    if (!json_parse(a, str_c(text), &j, &err))
        fail_msg("%s: %s", text, err.msg);
    return j;
}

/* The entry that all tests set: two members, and no url. */
static bool put(struct arena *a, enum config_format format, str text, str *out,
                struct err *err)
{
    const struct config_member members[] = {
        {STR("command"), value(a, "\"/v\"")},
        {STR("args"), value(a, "[\"serve\",\"/n\"]")},
        {STR("url"), NULL},
    };
    return config_put(a, format, text, path_of(format), members, COUNT_OF(members), out,
                      err);
}

struct row {
    const char *name;
    enum config_format format;
    const char *before, *after;
    const char *dropped; /* NULL: as before */
};

static void check_row(struct arena *a, const struct row *r)
{
    str out, again, gone;
    struct err err = {0};
    if (!put(a, r->format, str_c(r->before), &out, &err))
        fail_msg("%s: %s", r->name, err.msg);
    CHECK_STR(r->name, out, r->after);
    if (!put(a, r->format, out, &again, &err))
        fail_msg("%s: again: %s", r->name, err.msg);
    CHECK("a second time changes nothing", again.p == out.p && again.n == out.n);
    if (!config_drop(a, r->format, out, path_of(r->format), &gone, &err))
        fail_msg("%s: dropping: %s", r->name, err.msg);
    CHECK_STR(r->name, gone, r->dropped != NULL ? r->dropped : r->before);
}

#define ENTRY2                                                                           \
    "\"vault\": {\n      \"command\": \"/v\",\n      \"args\": [\"serve\", \"/n\"]\n   " \
    " }"

static const struct row json_rows[] = {
    {"no file", CONFIG_JSON, "", "{\n  \"mcpServers\": {\n    " ENTRY2 "\n  }\n}\n",
     "{\n  \"mcpServers\": {}\n}\n"},
    {"an empty object", CONFIG_JSON, "{}",
     "{\n  \"mcpServers\": {\n    " ENTRY2 "\n  }\n}", "{\n  \"mcpServers\": {}\n}"},
    {"only spaces", CONFIG_JSON, "\n \n",
     "\n \n{\n  \"mcpServers\": {\n    " ENTRY2 "\n  }\n}\n",
     "\n \n{\n  \"mcpServers\": {}\n}\n"},
    {"an empty list of servers", CONFIG_JSON, "{\n  \"a\": 1,\n  \"mcpServers\": {}\n}\n",
     "{\n  \"a\": 1,\n  \"mcpServers\": {\n    " ENTRY2 "\n  }\n}\n", NULL},
    {"other servers, no line feed at the end", CONFIG_JSON,
     "{\n  \"mcpServers\": {\n    \"x\": {\"command\": \"y\"}\n  },\n  \"z\": []\n}",
     "{\n  \"mcpServers\": {\n    \"x\": {\"command\": \"y\"},\n    " ENTRY2
     "\n  },\n  \"z\": []\n}",
     NULL},
    {"four spaces", CONFIG_JSON,
     "{\n    \"mcpServers\": {\n        \"x\": {\n            \"url\": \"u\"\n        "
     "}\n    "
     "}\n}\n",
     "{\n    \"mcpServers\": {\n        \"x\": {\n            \"url\": \"u\"\n        "
     "},\n"
     "        \"vault\": {\n            \"command\": \"/v\",\n            \"args\": "
     "[\"serve\", \"/n\"]\n        }\n    }\n}\n",
     NULL},
    {"tabs and CRLF", CONFIG_JSON,
     "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {}\r\n\t}\r\n}\r\n",
     "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {},\r\n\t\t\"vault\": "
     "{\r\n\t\t\t\"command\": "
     "\"/v\",\r\n\t\t\t\"args\": [\"serve\", \"/n\"]\r\n\t\t}\r\n\t}\r\n}\r\n",
     NULL},
    {"a byte order mark", CONFIG_JSON, "\xEF\xBB\xBF{\n  \"mcpServers\": {}\n}\n",
     "\xEF\xBB\xBF{\n  \"mcpServers\": {\n    " ENTRY2 "\n  }\n}\n", NULL},
    {"all on one line", CONFIG_JSON, "{\"mcpServers\":{\"x\":{}},\"y\":1}\n",
     "{\"mcpServers\":{\"x\":{}, \"vault\": {\"command\": \"/v\", \"args\": [\"serve\", "
     "\"/n\"]}},\"y\":1}\n",
     NULL},
    {"all on one line, none yet", CONFIG_JSON, "{\"mcpServers\":{}}",
     "{\"mcpServers\":{\"vault\": {\"command\": \"/v\", \"args\": [\"serve\", \"/n\"]}}}",
     NULL},
    {"the same key elsewhere", CONFIG_JSON,
     "{\n  \"p\": {\"mcpServers\": {\"vault\": {\"command\": \"old\"}}},\n  "
     "\"mcpServers\": "
     "{\n    \"é\\u00e9\": {}\n  }\n}",
     "{\n  \"p\": {\"mcpServers\": {\"vault\": {\"command\": \"old\"}}},\n  "
     "\"mcpServers\": "
     "{\n    \"é\\u00e9\": {},\n    " ENTRY2 "\n  }\n}",
     NULL},
    {"duplicate keys elsewhere", CONFIG_JSON,
     "{\n  \"a\": 1,\n  \"a\": {\"b\": 1, \"b\": 2},\n  \"mcpServers\": {}\n}",
     "{\n  \"a\": 1,\n  \"a\": {\"b\": 1, \"b\": 2},\n  \"mcpServers\": {\n    " ENTRY2
     "\n  }\n}",
     NULL},
    {"a key in escapes", CONFIG_JSON, "{\"mcp\\u0053ervers\": {\"\\u0076ault\": {}}}",
     "{\"mcp\\u0053ervers\": {\"\\u0076ault\": {\"command\": \"/v\", \"args\": "
     "[\"serve\", "
     "\"/n\"]}}}",
     "{\"mcp\\u0053ervers\": {}}"},
    {"an entry that differs keeps the rest of itself", CONFIG_JSON,
     "{\"mcpServers\": {\n  \"vault\": {\n    \"url\": \"http://x\",\n    \"command\" : "
     "\"/old\",\n    \"env\": {\"A\": \"b\"}\n  }, \"x\": 1}}",
     "{\"mcpServers\": {\n  \"vault\": {\n    \"command\" : \"/v\",\n    \"env\": "
     "{\"A\": "
     "\"b\"},\n    \"args\": [\"serve\", \"/n\"]\n  }, \"x\": 1}}",
     "{\"mcpServers\": {\n  \"x\": 1}}"},
    {"between two others", CONFIG_JSON,
     "{\"mcpServers\": {\"a\": 1, \"vault\": {}, \"b\": 2}}",
     "{\"mcpServers\": {\"a\": 1, \"vault\": {\"command\": \"/v\", \"args\": [\"serve\", "
     "\"/n\"]}, \"b\": 2}}",
     "{\"mcpServers\": {\"a\": 1, \"b\": 2}}"},
};

static const struct row jsonc_rows[] = {
    {"comments and a trailing comma", CONFIG_JSONC,
     "// mine\n{\n  /* a */ \"a\": 1, // one\n  \"mcpServers\": {\n    // first\n    "
     "\"x\": "
     "{}, // x\n    // last\n  },\n}\n// end",
     "// mine\n{\n  /* a */ \"a\": 1, // one\n  \"mcpServers\": {\n    // first\n    "
     "\"x\": "
     "{}, // x\n    " ENTRY2 ",\n    // last\n  },\n}\n// end",
     NULL},
    {"a comment after the last member", CONFIG_JSONC,
     "{\n  \"a\": 1 // one, \"mcpServers\": {}\n}\n",
     "{\n  \"a\": 1, // one, \"mcpServers\": {}\n  \"mcpServers\": {\n    " ENTRY2
     "\n  }\n}\n",
     "{\n  \"a\": 1, // one, \"mcpServers\": {}\n  \"mcpServers\": {}\n}\n"},
    {"nothing but comments", CONFIG_JSONC, "// none yet",
     "// none yet\n{\n  \"mcpServers\": {\n    " ENTRY2 "\n  }\n}\n",
     "// none yet\n{\n  \"mcpServers\": {}\n}\n"},
    {"a comment in an empty object", CONFIG_JSONC,
     "{\n  \"mcpServers\": { // none \r\n    /* yet */\n  }\n}",
     "{\n  \"mcpServers\": { // none \r\n    /* yet */\n    " ENTRY2 "\n  }\n}", NULL},
    {"a comment with brackets in it, and strings with comments in them", CONFIG_JSONC,
     "{\n  \"a\": \"// no { comment\", /* } */\n  \"mcpServers\": {\n    \"/* x */\": "
     "{}\n  "
     "}\n}",
     "{\n  \"a\": \"// no { comment\", /* } */\n  \"mcpServers\": {\n    \"/* x */\": "
     "{},\n"
     "    " ENTRY2 "\n  }\n}",
     NULL},
    {"a comment ends at a lone CR", CONFIG_JSONC, "// c\r{\"mcpServers\": {}}",
     "// c\r{\"mcpServers\": {\"vault\": {\"command\": \"/v\", \"args\": [\"serve\", "
     "\"/n\"]}}}",
     NULL},
    {"comments between key and value", CONFIG_JSONC,
     "{\"mcpServers\" /* a */ : // b\n {\"vault\":/*c*/{\"command\":/*d*/\"/v\"/*e*/,}}}",
     "{\"mcpServers\" /* a */ : // b\n {\"vault\":/*c*/{\"command\":/*d*/\"/v\"/*e*/, "
     "\"args\": [\"serve\", \"/n\"],}}}",
     "{\"mcpServers\" /* a */ : // b\n {}}"},
};

static const struct row toml_rows[] = {
    {"no file", CONFIG_TOML, "",
     "[mcp_servers.vault]\ncommand = \"/v\"\nargs = [\"serve\", \"/n\"]\n", ""},
    {"other tables", CONFIG_TOML, "# mine\nmodel = \"o\" # x\n\n[a.b]\nc = 1\n",
     "# mine\nmodel = \"o\" # x\n\n[a.b]\nc = 1\n\n[mcp_servers.vault]\ncommand = "
     "\"/v\"\nargs "
     "= [\"serve\", \"/n\"]\n",
     NULL},
    {"CRLF, no line end at the end", CONFIG_TOML, "[a]\r\nb = 1",
     "[a]\r\nb = 1\r\n\r\n[mcp_servers.vault]\r\ncommand = \"/v\"\r\nargs = [\"serve\", "
     "\"/n\"]\r\n",
     "[a]\r\nb = 1\r\n"},
    {"another server", CONFIG_TOML, "[mcp_servers.x]\ncommand = 'y'\n",
     "[mcp_servers.x]\ncommand = 'y'\n\n[mcp_servers.vault]\ncommand = \"/v\"\nargs = "
     "[\"serve\", \"/n\"]\n",
     NULL},
    {"an entry that differs is replaced where it is", CONFIG_TOML,
     "a = 1\n\n[ mcp_servers . \"vault\" ] # ours\n# the way to it\nurl = \"x\"\n  args "
     "= [ "
     "# none\n]\n\n# next\n[z]\n",
     "a = 1\n\n[mcp_servers.vault]\ncommand = \"/v\"\nargs = [\"serve\", \"/n\"]\n\n# "
     "next\n[z]\n",
     "a = 1\n\n# next\n[z]\n"},
    {"the other kinds of strings", CONFIG_TOML,
     "[mcp_servers.vault]\ncommand = '/v'\nargs = [\n  'serve', # it\n  "
     "\"/\\u006e\",\n]",
     "[mcp_servers.vault]\ncommand = \"/v\"\nargs = [\"serve\", \"/n\"]\n", ""},
    {"values that are read only to their end", CONFIG_TOML,
     "a = '''\n[mcp_servers.vault]\n''' # [\nb = \"\"\"\\\"\"\"\n\"\"\"\"\"\nc = {d = "
     "[1, \"]\"]}\ne = [\n  '''a\n[b]''', # ]\n  [1]]\nt = 1979-05-27 07:32:00\n",
     "a = '''\n[mcp_servers.vault]\n''' # [\nb = \"\"\"\\\"\"\"\n\"\"\"\"\"\nc = {d = "
     "[1, \"]\"]}\ne = [\n  '''a\n[b]''', # ]\n  [1]]\nt = 1979-05-27 "
     "07:32:00\n\n[mcp_servers.vault]\ncommand = \"/v\"\nargs = [\"serve\", \"/n\"]\n",
     NULL},
    {"other servers in other forms", CONFIG_TOML,
     "[mcp_servers]\nx.command = 'y'\nz = {command = 'y'}\n",
     "[mcp_servers]\nx.command = 'y'\nz = {command = "
     "'y'}\n\n[mcp_servers.vault]\ncommand "
     "= \"/v\"\nargs = [\"serve\", \"/n\"]\n",
     NULL},
    {"a byte order mark", CONFIG_TOML,
     "\xEF\xBB\xBF[mcp_servers.vault]\nurl = 'x'\n\n[b]\n",
     "\xEF\xBB\xBF[mcp_servers.vault]\ncommand = \"/v\"\nargs = [\"serve\", "
     "\"/n\"]\n\n[b]\n",
     "\xEF\xBB\xBF\n[b]\n"},
    {"only a table below it", CONFIG_TOML, "[mcp_servers.vault.env]\nA = 'b'\n",
     "[mcp_servers.vault.env]\nA = 'b'\n\n[mcp_servers.vault]\ncommand = \"/v\"\nargs = "
     "[\"serve\", \"/n\"]\n",
     ""},
    {"lists of tables", CONFIG_TOML,
     "[[hooks]]\nmcp_servers.vault = 1\n[[hooks]]\n[hooks.mcp_servers.vault]\n",
     "[[hooks]]\nmcp_servers.vault = "
     "1\n[[hooks]]\n[hooks.mcp_servers.vault]\n\n[mcp_servers."
     "vault]\ncommand = \"/v\"\nargs = [\"serve\", \"/n\"]\n",
     NULL},
};

static void test_json(void **state)
{
    for (size_t i = 0; i < COUNT_OF(json_rows); i++)
        check_row(*state, &json_rows[i]);
}

static void test_jsonc(void **state)
{
    struct row row;
    for (size_t i = 0; i < COUNT_OF(jsonc_rows); i++)
        check_row(*state, &jsonc_rows[i]);
    for (size_t i = 0; i < COUNT_OF(json_rows); i++) {
        row = json_rows[i];
        row.format = CONFIG_JSONC;
        check_row(*state, &row);
    }
}

static void test_toml(void **state)
{
    for (size_t i = 0; i < COUNT_OF(toml_rows); i++)
        check_row(*state, &toml_rows[i]);
}

#define BY_HAND "write it as a [table], or change the file by hand"
#define EXPECTED "a [table] or 'key = value' is expected here"
#define MORE "'vault' has other settings: change the file by hand"

static void test_refused(void **state)
{
    static const struct {
        enum config_format format;
        const char *text, *says;
    } rows[] = {
        {CONFIG_JSON, "{", "line 1, column 2: a key in quotes or '}' is expected here"},
        {CONFIG_JSON, "{\n  \"é\": x\n}", "line 2, column 8: a value is expected here"},
        {CONFIG_JSON, "{\"a\": 1,}", "line 1, column 8: unexpected comma"},
        {CONFIG_JSON, "{} // c",
         "line 1, column 4: comments are not allowed in this file"},
        {CONFIG_JSON, "{\"a\": 1 \"b\": 2}",
         "line 1, column 9: ',' or '}' is expected here"},
        {CONFIG_JSON, "{} {}",
         "line 1, column 4: nothing after the value is expected here"},
        {CONFIG_JSON, "{\"a", "line 1, column 2: this string is not closed"},
        {CONFIG_JSON, "{\"a\": 01}", "line 1, column 8: ',' or '}' is expected here"},
        {CONFIG_JSON, "{\"\\x\": 1}",
         "line 1, column 4: one of \"\\/bfnrtu after a backslash is expected here"},
        {CONFIG_JSON, "{\"\xff\": 1}", "line 1, column 3: invalid UTF-8"},
        {CONFIG_JSON, "[]", "line 1, column 1: '{' is expected here"},
        {CONFIG_JSON, "{\"mcpServers\": []}", "'mcpServers' is not an object"},
        {CONFIG_JSON, "{\"mcpServers\": null}", "'mcpServers' is not an object"},
        {CONFIG_JSON, "{\"mcpServers\": {\"vault\": 1}}",
         "'vault' exists, but is not an entry"},
        {CONFIG_JSON, "{\"mcpServers\": {}, \"mcp\\u0053ervers\": {}}",
         "'mcpServers' occurs twice: remove one of them"},
        {CONFIG_JSON, "{\"mcpServers\": {\"vault\": {}, \"vault\": {}}}",
         "'vault' occurs twice: remove one of them"},
        {CONFIG_JSONC, "{ /* }", "line 1, column 3: this comment is not closed"},
        {CONFIG_JSONC, "{,}",
         "line 1, column 2: a key in quotes or '}' is expected here"},
        {CONFIG_JSONC, "{ # c\n}",
         "line 1, column 3: a key in quotes or '}' is expected here"},
        {CONFIG_TOML, "mcp_servers.a = {}\n[mcp_servers.a.c]\n",
         "'mcp_servers' is not a table: " BY_HAND},
        {CONFIG_TOML, "[mcp_servers.vault]\n[mcp_servers.vault]\nurl = 1\n",
         "'vault' occurs twice: remove one of them"},
        {CONFIG_TOML, "a = \"x\ny\"\n", "line 1, column 5: this string is not closed"},
        {CONFIG_TOML, "a = \"\"\"x\n\"\"\n",
         "line 1, column 5: this string is not closed"},
        {CONFIG_TOML, "a = # 1\n", "line 1, column 1: " EXPECTED},
        {CONFIG_TOML, "b = 1\na 1\n", "line 2, column 1: " EXPECTED},
        {CONFIG_TOML, "[a] 1\n", "line 1, column 1: " EXPECTED},
        {CONFIG_TOML, "[[a] ]\n", "line 1, column 1: " EXPECTED},
        {CONFIG_TOML, "[mcp_servers.vault]\nurl = 1\nenabled = false\n", MORE},
        {CONFIG_TOML, "[mcp_servers.vault]\nurl = 1\nenv.A = 'b'\n", MORE},
        {CONFIG_TOML, "[mcp_servers.vault.env]\nA = 'b'\n[mcp_servers.vault]\n", MORE},
        {CONFIG_TOML,
         "[mcp_servers.vault]\n[[mcp_servers.vault.e]]\n[[mcp_servers.vault.e]]", MORE},
        {CONFIG_TOML, "b = 1\n[a\n", "line 2, column 1: a bracket is not closed"},
        {CONFIG_TOML, "a = [1 # ]\n", "line 1, column 1: a bracket is not closed"},
        {CONFIG_TOML, "a = { b = [\n", "line 1, column 1: a bracket is not closed"},
        {CONFIG_TOML, "mcp_servers = 1\n", "'mcp_servers' is not a table: " BY_HAND},
        {CONFIG_TOML, "mcp_servers = {}\n", "'mcp_servers' is not a table: " BY_HAND},
        {CONFIG_TOML, "[mcp_servers]\nvault = {}\n", "'vault' is not a table: " BY_HAND},
        {CONFIG_TOML, "[[mcp_servers]]\nvault = {}\n",
         "'mcp_servers' is not a table: " BY_HAND},
        {CONFIG_TOML, "[[mcp_servers.vault]]\n", "'vault' is not a table: " BY_HAND},
        {CONFIG_TOML, "[mcp_servers]\nvault.command = \"o\"\n",
         "'vault' is not a table: " BY_HAND},
        {CONFIG_TOML, "mcp_servers.x.command = \"o\"\n",
         "'mcp_servers' is not a table: " BY_HAND},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str out = STR("untouched");
        struct err err = {0};
        CHECK(rows[i].text,
              !put(*state, rows[i].format, str_c(rows[i].text), &out, &err));
        CHECK_STR(rows[i].text, str_c(err.msg), rows[i].says);
        CHECK_STR(rows[i].text, out, "untouched");
    }
}

static void test_depth(void **state)
{
    char text[4000];
    str out;
    struct err err = {0};
    memset(text, '[', sizeof(text));
    memcpy(text, "{\"a\": ", 6);
    CHECK("JSON", !put(*state, CONFIG_JSON, (str){text, sizeof(text)}, &out, &err));
    CHECK("JSON", strstr(err.msg, "JSON nested deeper than 128 levels") != NULL);
    memcpy(text, "a = ", 4);
    CHECK("TOML", !put(*state, CONFIG_TOML, (str){text, sizeof(text)}, &out, &err));
    CHECK("TOML", strstr(err.msg, "is not closed") != NULL);
}

/* An entry that has what was asked for is up to date, with whatever the user added. */
static void test_toml_up_to_date(void **state)
{
    str text = STR("[mcp_servers.vault]\nenabled = true\ncommand = '/v' # v\nargs = "
                   "[\"serve\",\n\"/n\"]\n[mcp_servers.vault.env]\nA = 'b'\n"),
        out;
    struct err err = {0};
    if (!put(*state, CONFIG_TOML, text, &out, &err))
        fail_msg("%s", err.msg);
    assert_true(out.p == text.p && out.n == text.n);
}

/* Removing an entry that is not in its own table. */
static void test_toml_drop(void **state)
{
    static const char *const rows[] = {
        "mcp_servers.vault.command = 'x'\n",
        "[mcp_servers]\nvault.command = 'x'\n",
        "[mcp_servers]\nvault = {command = 'x'}\n",
        "[[mcp_servers.vault]]\n",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str out = STR("untouched");
        struct err err = {0};
        CHECK(rows[i], !config_drop(*state, CONFIG_TOML, str_c(rows[i]),
                                    path_of(CONFIG_TOML), &out, &err));
        CHECK(rows[i], strstr(err.msg, BY_HAND) != NULL);
        CHECK_STR(rows[i], out, "untouched");
    }
}

static void test_get(void **state)
{
    struct err err = {0};
    const struct json *j,
        *want = value(*state, "{\"a\":{\"b\":[1,\"x\\ny\",true]},"
                              "\"c\":[{\"d\":1},{}],\"e\":{\"f\":{\"g\":\"\"}}}");
    assert_true(config_get(
        *state, CONFIG_TOML,
        STR("x = 1\n[mcp_servers.a]\nb = [1, \"x\\ny\", true]\nc = 'd' # e\nf = {g = "
            "''}\n"
            "g = 1979-05-27\nh = '''x'''\n[mcp_servers.a.env]\nA = 1\n[ mcp_servers . "
            "\"b\" ]\n[[mcp_serversx]]\n"),
        (struct config_path){toml_keys, 1}, &j, &err));
    assert_true(
        config_same(j, value(*state, "{\"a\":{\"b\":[1,\"x\\ny\",true],\"c\":\"d\","
                                     "\"f\":null,\"g\":null,\"h\":null,\"env\":null},"
                                     "\"b\":{}}")));
    assert_true(
        config_get(*state, CONFIG_JSONC,
                   STR("{\"e\": {\"f\": {\"g\": \"\"}}, // e\n \"c\": [{\"d\": 1,}, "
                       "{}], \"a\": {\"b\": [1, \"x\\ny\", true,]}}"),
                   (struct config_path){0}, &j, &err));
    assert_true(config_same(j, want));
    assert_true(
        config_get(*state, CONFIG_JSON, STR("{}"), path_of(CONFIG_JSON), &j, &err));
    assert_null(j);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_json),  ARENA_TEST(test_jsonc),
        ARENA_TEST(test_toml),  ARENA_TEST(test_refused),
        ARENA_TEST(test_depth), ARENA_TEST(test_toml_drop),
        ARENA_TEST(test_get),   ARENA_TEST(test_toml_up_to_date),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
