#include "mcp/schema.h"

#include "base/utf8.h"
#include "quoted.h"

struct args {
    str text, needed;
    int64_t number, ranged;
    double real, share;
    bool flag, dry_run;
    int choice, picked;
    struct mcp_strs list, tags;
    const struct json *object, *preset, *rows;
};

static const char *const choices[] = {"one", "two", "Three", NULL};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, text, MCP_STR, 0, "A text"),
    MCP_FIELD(struct args, number, MCP_INT, 0, "A number"),
    MCP_FIELD(struct args, ranged, MCP_INT, 0, "From -5 to 5", .min = -5, .max = 5,
              .dflt = "3"),
    MCP_FIELD(struct args, real, MCP_NUM, 0, "A real number"),
    MCP_FIELD(struct args, share, MCP_NUM, 0, "A share", .min = 0, .max = 1,
              .dflt = "0.5"),
    MCP_FIELD(struct args, flag, MCP_BOOL, 0, "A flag", .dflt = "true"),
    MCP_FIELD(struct args, dry_run, MCP_BOOL, 0, "Only look"),
    MCP_FIELD(struct args, choice, MCP_ENUM, 0, "A choice", .choices = choices),
    MCP_FIELD(struct args, picked, MCP_ENUM, 0, "Another", .choices = choices,
              .dflt = "\"two\""),
    MCP_FIELD(struct args, list, MCP_STRS, 0, "Some texts"),
    MCP_FIELD(struct args, tags, MCP_STRS, 0, "Tags", .dflt = "[\"a\",\"b\"]"),
    MCP_FIELD(struct args, object, MCP_OBJECT, 0, "Anything"),
    MCP_FIELD(struct args, preset, MCP_OBJECT, 0, "Something", .dflt = "{\"k\":1}"),
    MCP_FIELD(struct args, rows, MCP_LIST, 0, "Some", .items = "{\"type\":\"object\"}"),
    {0},
};

/* --- the schema --- */

static const struct mcp_field no_fields[] = {{0}};

static const struct mcp_field unlisted_fields[] = {
    MCP_FIELD(struct args, text, MCP_STR, MCP_UNLISTED, "Accepted"),
    {0},
};

static const struct mcp_field plain_fields[] = {
    MCP_FIELD(struct args, text, MCP_STR, 0, "Say \"x\""),
    {0},
};

static const struct mcp_field all_kinds[] = {
    MCP_FIELD(struct args, text, MCP_STR, MCP_REQUIRED, "s", .title = "T",
              .header = "Text"),
    MCP_FIELD(struct args, number, MCP_INT, 0, "i", .dflt = "200", .min = 1, .max = 5),
    MCP_FIELD(struct args, real, MCP_NUM, 0, "n", .dflt = "-0.5"),
    MCP_FIELD(struct args, flag, MCP_BOOL, MCP_REQUIRED, NULL),
    MCP_FIELD(struct args, choice, MCP_ENUM, 0, "e", .choices = choices,
              .dflt = "\"two\""),
    MCP_FIELD(struct args, list, MCP_STRS, 0, "l", .dflt = "[]"),
    MCP_FIELD(struct args, object, MCP_OBJECT, 0, "o", .dflt = "{}"),
    {0},
};

static void test_schema(void **state)
{
    static const struct {
        const char *name;
        const struct mcp_field *fields;
        const char *want;
    } cases[] = {
        {"no table", NULL, "{'type':'object','properties':{}}"},
        {"no fields", no_fields, "{'type':'object','properties':{}}"},
        {"one", plain_fields,
         "{'type':'object','properties':{'text':{'type':'string','description':'Say "
         "\\'x\\''}}}"},
        {"all", all_kinds,
         "{'type':'object','properties':{"
         "'text':{'type':'string','title':'T','description':'s','x-mcp-header':'Text'},"
         "'number':{'type':'integer','description':'i','default':200},"
         "'real':{'type':'number','description':'n','default':-0.5},"
         "'flag':{'type':'boolean'},"
         "'choice':{'type':'string','description':'e','enum':['one','two','Three'],"
         "'default':'two'},"
         "'list':{'type':'array','description':'l','items':{'type':'string'},"
         "'default':[]},"
         "'object':{'type':'object','description':'o','default':{}}},"
         "'required':['text','flag']}"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct sbuf out = SBUF_ON(*state);
        struct jsonw w = JSONW_ON(&out);
        mcp_schema_write(&w, cases[i].fields);
        CHECK_QUOTED(*state, cases[i].name, sbuf_str(&out), cases[i].want);
    }
}

static void test_type_names(void **state)
{
    static const char *const names[] = {
        [MCP_STR] = "string",    [MCP_INT] = "integer", [MCP_NUM] = "number",
        [MCP_BOOL] = "boolean",  [MCP_ENUM] = "string", [MCP_STRS] = "array",
        [MCP_OBJECT] = "object", [MCP_LIST] = "array",  [MCP_ANY] = "any",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct mcp_field f = {.type = (enum mcp_type)i};
        CHECK_STR(names[i], str_c(mcp_type_name(&f)), names[i]);
        f.flags = MCP_AS_TEXT;
        CHECK_STR(names[i], str_c(mcp_type_name(&f)), "string");
    }
}

/* --- reading --- */

static bool read_args(struct arena *a, const struct mcp_field *table,
                      const char *arguments, bool strict, struct args *out,
                      struct err *err)
{
    *out = (struct args){0};
    *err = (struct err){0};
    const struct json *j = arguments != NULL ? quoted_json(a, arguments) : NULL;
    return mcp_schema_read(a, table, j, strict, out, err);
}

static str joined(struct arena *a, const struct mcp_strs *list)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < list->n; i++)
        sbuf_printf(&b, "%s" STR_FMT, i > 0 ? "|" : "", STR_ARG(list->items[i]));
    return sbuf_str(&b);
}

static void test_defaults(void **state)
{
    static const char *const cases[] = {
        NULL,
        "{}",
        "{'stranger':1}",
        "{'text':null,'number':null,'ranged':null,'real':null,'share':null,'flag':null,"
        "'dry_run':null,'choice':null,'picked':null,'list':null,'tags':null,'object':"
        "null,"
        "'preset':null}",
        "{'dryRun':null}",
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct args got;
        struct err err;
        const char *row = cases[i] != NULL ? cases[i] : "no arguments";
        if (!read_args(*state, fields, cases[i], false, &got, &err))
            fail_msg("%s: %s", row, err.msg);
        CHECK_STR(row, got.text, "");
        CHECK(row, got.number == MCP_ABSENT);
        CHECK_INT(row, got.ranged, 3);
        CHECK(row, got.real == 0 && got.share == 0.5);
        CHECK(row, got.flag && !got.dry_run);
        CHECK_INT(row, got.choice, -1);
        CHECK_INT(row, got.picked, 1);
        CHECK_INT(row, got.list.n, 0);
        CHECK_STR(row, joined(*state, &got.tags), "a|b");
        CHECK(row, got.object == NULL);
        CHECK_QUOTED(*state, row, got.preset->raw, "{'k':1}");
    }
}

/* What a row sets, printed: the one member its arguments name. */
static str shown(struct arena *a, const char *field, const struct args *got)
{
    const struct mcp_field *f = fields;
    while (strcmp(f->name, field) != 0)
        f++;
    const void *at = (const char *)got + f->offset;
    switch (f->type) {
    case MCP_STR:
        return *(const str *)at;
    case MCP_INT:
        return arena_printf(a, "%lld", (long long)*(const int64_t *)at);
    case MCP_NUM:
        return arena_printf(a, "%.17g", *(const double *)at);
    case MCP_BOOL:
        return *(const bool *)at ? STR("true") : STR("false");
    case MCP_ENUM:
        return arena_printf(a, "%d", *(const int *)at);
    case MCP_STRS:
        return joined(a, at);
    case MCP_OBJECT:
    case MCP_LIST:
    case MCP_ANY:
        return (*(const struct json *const *)at)->raw;
    }
    return (str){0};
}

static void test_values(void **state)
{
    static const struct {
        const char *arguments, *field, *want;
    } cases[] = {
        {"{'text':'a'}", "text", "a"},
        {"{'text':''}", "text", ""},
        {"{'text':'5'}", "text", "5"},
        {"{'text':'null'}", "text", "null"},
        {"{'text':'[1]'}", "text", "[1]"},
        {"{'text':'\\u00e9\\n'}", "text", "\xC3\xA9\n"},

        {"{'number':5}", "number", "5"},
        {"{'number':-0}", "number", "0"},
        {"{'number':5.0}", "number", "5"},
        {"{'number':5e2}", "number", "500"},
        {"{'number':'5'}", "number", "5"},
        {"{'number':' -5\\n'}", "number", "-5"},
        {"{'number':'5.0'}", "number", "5"},
        {"{'number':9223372036854775807}", "number", "9223372036854775807"},
        {"{'number':'-9223372036854775807'}", "number", "-9223372036854775807"},
        {"{'ranged':5}", "ranged", "5"},
        {"{'ranged':-5}", "ranged", "-5"},
        {"{'ranged':'0'}", "ranged", "0"},

        {"{'real':0.25}", "real", "0.25"},
        {"{'real':5}", "real", "5"},
        {"{'real':'-2.5e3'}", "real", "-2500"},
        {"{'share':0}", "share", "0"},
        {"{'share':'1'}", "share", "1"},

        {"{'dry_run':true}", "dry_run", "true"},
        {"{'dry_run':'true'}", "dry_run", "true"},
        {"{'flag':false}", "flag", "false"},
        {"{'flag':' false '}", "flag", "false"},

        {"{'choice':'one'}", "choice", "0"},
        {"{'choice':'TWO'}", "choice", "1"},
        {"{'choice':'three'}", "choice", "2"},
        {"{'picked':'one'}", "picked", "0"},

        {"{'list':['a','b']}", "list", "a|b"},
        {"{'list':[]}", "list", ""},
        {"{'list':'a'}", "list", "a"},
        {"{'list':''}", "list", ""},
        {"{'list':'5'}", "list", "5"},
        {"{'list':'{}'}", "list", "{}"},
        {"{'list':'a, b'}", "list", "a, b"},
        {"{'list':'[\\'a\\',\\'b\\']'}", "list", "a|b"},
        {"{'list':'[a]'}", "list", "[a]"},
        {"{'tags':[]}", "tags", ""},

        {"{'object':{'a':[1]}}", "object", "{\"a\":[1]}"},
        {"{'object':'{\\'a\\':1}'}", "object", "{\"a\":1}"},
        {"{'object':{}}", "object", "{}"},
        {"{'rows':[{'a':1}]}", "rows", "[{\"a\":1}]"},
        {"{'rows':'[]'}", "rows", "[]"},

        {"{'dryRun':true}", "dry_run", "true"},
        {"{'dry-run':true}", "dry_run", "true"},
        {"{'DryRun':true}", "dry_run", "true"},
        {"{'DRY_RUN':true}", "dry_run", "true"},
        {"{'dryrun':true}", "dry_run", "true"},
        {"{'_dry__run_':true}", "dry_run", "true"},
        {"{'Text':'a'}", "text", "a"},
        /* the name itself comes first */
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct args got;
        struct err err;
        if (!read_args(*state, fields, cases[i].arguments, true, &got, &err))
            fail_msg("%s: %s", cases[i].arguments, err.msg);
        CHECK_STR(cases[i].arguments, shown(*state, cases[i].field, &got), cases[i].want);
    }
}

static void test_SEC_66_refused(void **state)
{
    static const struct {
        const char *arguments, *msg;
    } cases[] = {
        {"[]", "arguments must be an object"},
        {"'text'", "arguments must be an object"},
        {"{'text':5}", "text must be a string"},
        {"{'text':true}", "text must be a string"},
        {"{'text':['a']}", "text must be a string"},
        {"{'text':{}}", "text must be a string"},
        {"{'number':'five'}", "number must be an integer"},
        {"{'number':''}", "number must be an integer"},
        {"{'number':5.1}", "number must be an integer"},
        {"{'number':'5.1'}", "number must be an integer"},
        {"{'number':9223372036854775808}", "number must be an integer"},
        {"{'number':true}", "number must be an integer"},
        {"{'number':[5]}", "number must be an integer"},
        {"{'number':'\\'5\\''}", "number must be an integer"},
        {"{'number':'0x5'}", "number must be an integer"},
        {"{'number':'5 6'}", "number must be an integer"},
        {"{'ranged':6}", "ranged must be from -5 to 5"},
        {"{'ranged':'-6'}", "ranged must be from -5 to 5"},
        {"{'real':'x'}", "real must be a number"},
        {"{'real':1e400}", "real must be a number"},
        {"{'real':'NaN'}", "real must be a number"},
        {"{'real':false}", "real must be a number"},
        {"{'share':1.0001}", "share must be from 0 to 1"},
        {"{'share':-1}", "share must be from 0 to 1"},
        {"{'flag':1}", "flag must be a boolean"},
        {"{'flag':'yes'}", "flag must be a boolean"},
        {"{'flag':'True'}", "flag must be a boolean"},
        {"{'flag':''}", "flag must be a boolean"},
        {"{'flag':[]}", "flag must be a boolean"},
        {"{'choice':'four'}", "choice must be one of: one, two, Three"},
        {"{'choice':''}", "choice must be one of: one, two, Three"},
        {"{'choice':1}", "choice must be one of: one, two, Three"},
        {"{'choice':['one']}", "choice must be one of: one, two, Three"},
        {"{'choice':'on'}", "choice must be one of: one, two, Three"},
        {"{'list':5}", "list must be an array of strings"},
        {"{'list':[1]}", "list must be an array of strings"},
        {"{'list':['a',null]}", "list must be an array of strings"},
        {"{'list':{}}", "list must be an array of strings"},
        {"{'list':'[1]'}", "list must be an array of strings"},
        {"{'object':[]}", "object must be an object"},
        {"{'object':5}", "object must be an object"},
        {"{'rows':{}}", "rows must be an array"},
        {"{'object':'x'}", "object must be an object"},
        {"{'object':'[]'}", "object must be an object"},
        {"{'stranger':1}",
         "unknown argument `stranger`, nothing was done; known arguments: text, "
         "number, ranged, real, share, flag, dry_run, choice, picked, "
         "list, tags, object, preset, rows"},
        {"{'text':'a','':1}",
         "unknown argument ``, nothing was done; known arguments: text, number, ranged, "
         "real, share, flag, dry_run, choice, picked, list, tags, object, preset, rows"},
        {"{'stranger':null}",
         "unknown argument `stranger`, nothing was done; known arguments: text, number, "
         "ranged, real, share, flag, dry_run, choice, picked, list, tags, object, "
         "preset, "
         "rows"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct args got;
        struct err err;
        CHECK(cases[i].arguments,
              !read_args(*state, fields, cases[i].arguments, true, &got, &err));
        CHECK_INT(cases[i].arguments, err.code, ERR_INVALID);
        CHECK_INT(cases[i].arguments, err.name, E_INVALID_ARGUMENT);
        CHECK_QUOTED(*state, cases[i].arguments, str_c(err.msg), cases[i].msg);
    }
}

static void test_required(void **state)
{
    static const struct mcp_field table[] = {
        MCP_FIELD(struct args, needed, MCP_STR, MCP_REQUIRED, "Note path"),
        MCP_FIELD(struct args, number, MCP_INT, MCP_REQUIRED, NULL),
        {0},
    };
    static const struct {
        const char *arguments, *msg; /* NULL: fine */
    } cases[] = {
        {NULL, "needed is missing: Note path"},
        {"{}", "needed is missing: Note path"},
        {"{'needed':null}", "needed is missing: Note path"},
        {"{'number':1}", "needed is missing: Note path"},
        {"{'needed':''}", "number is missing: integer"},
        {"{'needed':'','number':0}", NULL},
        {"{'NEEDED':'x','number':'0'}", NULL},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct args got;
        struct err err;
        const char *row = cases[i].arguments != NULL ? cases[i].arguments : "none";
        bool ok = read_args(*state, table, cases[i].arguments, false, &got, &err);
        CHECK_INT(row, ok, cases[i].msg == NULL);
        CHECK_STR(row, str_c(err.msg), cases[i].msg);
    }
}

static void test_strangers(void **state)
{
    struct args got;
    struct err err;
    assert_true(read_args(*state, fields, "{'x':1,'text':'a'}", false, &got, &err));
    CHECK_STR("lenient", got.text, "a");
    assert_true(read_args(*state, NULL, "{'x':1}", false, &got, &err));
    assert_true(read_args(*state, no_fields, "{'x':1}", false, &got, &err));
    assert_true(read_args(*state, NULL, "{}", true, &got, &err));
    assert_true(read_args(*state, NULL, NULL, true, &got, &err));
    assert_true(read_args(*state, no_fields, "{'x':1}", true, &got, &err));
    assert_true(read_args(*state, NULL, "{'x':1}", true, &got, &err));
    assert_true(read_args(*state, unlisted_fields, "{'x':1}", true, &got, &err));
}

/* Only what the schema lists is listed, but what is near may be unlisted. */
static void test_SEC_66_nearest(void **state)
{
    static const struct mcp_field table[] = {
        MCP_FIELD(struct args, text, MCP_STR, 0, "A text"),
        MCP_FIELD(struct args, dry_run, MCP_BOOL, 0, "Only look"),
        MCP_FIELD(struct args, needed, MCP_STR, MCP_UNLISTED, "Accepted"),
        {0},
    };
    static const struct {
        const char *arguments, *meant; /* NULL: nothing is near */
    } cases[] = {
        {"{'texts':1}", "text"},     {"{'dryrnu':1}", "dry_run"},
        {"{'neede':1}", "needed"},   {"{'neded':1}", "needed"},
        {"{'t':1}", NULL},           {"{'run':1}", "dry_run"},
        {"{'note_text':1}", "text"}, {"{'':1}", NULL},
        {"{'lines':3}", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct args got;
        struct err err;
        const char *row = cases[i].arguments, *list = "known arguments: text, dry_run";
        CHECK(row, !read_args(*state, table, row, true, &got, &err));
        str text = str_c(err.msg);
        CHECK(row, str_ends(text, str_c(list)));
        str want = cases[i].meant == NULL
                       ? STR("nothing was done; known")
                       : arena_printf(*state, "; did you mean '%s'? ", cases[i].meant);
        CHECK(row, str_find(text, want) != STR_NONE);
    }
}

/* However many fields there are, all are listed. */
static void test_unknown_is_not_cut(void **state)
{
    enum { N = 40 };
    struct mcp_field table[N + 1] = {0};
    for (size_t i = 0; i < N; i++)
        table[i] = (struct mcp_field){
            .name = arena_printf(*state, "argument_number_%zu", i).p, .type = MCP_STR};
    str why = mcp_schema_unknown(*state, table, quoted_json(*state, "{'x':1}"));
    CHECK("the last", str_ends(why, STR(", argument_number_39")));
    CHECK_INT(
        "all known",
        mcp_schema_unknown(*state, table, quoted_json(*state, "{'ArgumentNumber7':1}")).n,
        0);
}

static void test_clamped(void **state)
{
    static const struct mcp_field table[] = {
        MCP_FIELD(struct args, ranged, MCP_INT, MCP_CLAMPED, NULL, .min = 1, .max = 50),
        MCP_FIELD(struct args, number, MCP_INT, MCP_CLAMPED, NULL, .min = 0,
                  .max = INT32_MAX),
        MCP_FIELD(struct args, share, MCP_NUM, MCP_CLAMPED, NULL, .min = 0, .max = 1),
        {0},
    };
    static const struct {
        const char *arguments;
        int64_t ranged, number;
        double share;
    } cases[] = {
        {"{'ranged':1,'number':0,'share':0}", 1, 0, 0},
        {"{'ranged':50,'number':7,'share':0.25}", 50, 7, 0.25},
        {"{'ranged':0,'number':-1,'share':-0.5}", 1, 0, 0},
        {"{'ranged':51,'number':4294967296,'share':1.5}", 50, INT32_MAX, 1},
        {"{'ranged':'-9223372036854775808','number':9223372036854775807,'share':1e300}",
         1, INT32_MAX, 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct args got;
        struct err err;
        const char *row = cases[i].arguments;
        if (!read_args(*state, table, row, true, &got, &err))
            fail_msg("%s: %s", row, err.msg);
        CHECK_INT(row, got.ranged, cases[i].ranged);
        CHECK_INT(row, got.number, cases[i].number);
        CHECK(row, got.share == cases[i].share);
    }
    struct sbuf out = SBUF_ON(*state);
    struct jsonw w = JSONW_ON(&out);
    mcp_schema_write(&w, table);
    CHECK_QUOTED(*state, "ranges that matter are in the schema", sbuf_str(&out),
                 "{'type':'object','properties':{"
                 "'ranged':{'type':'integer','minimum':1,'maximum':50},"
                 "'number':{'type':'integer'},"
                 "'share':{'type':'number','minimum':0,'maximum':1}}}");
}

/* A long name is cut at a character, and what is known still follows. */
static void test_long_stranger(void **state)
{
    for (int before = 0; before < 3; before++) {
        struct args got;
        struct err err;
        struct sbuf b = SBUF_ON(*state);
        sbuf_printf(&b, "{'%s", before == 0 ? "" : before == 1 ? "x" : "xx");
        for (int i = 0; i < 300; i++)
            sbuf_add(&b, STR("\u20AC"));
        sbuf_add(&b, STR("':1}\0"));
        assert_false(read_args(*state, plain_fields, b.p, true, &got, &err));
        CHECK("lists what is known", strstr(err.msg, "known arguments: text") != NULL);
        CHECK("valid UTF-8", utf8_valid(str_c(err.msg)));
    }
}

/* Some clients send null for no arguments at all. */
static void test_null_arguments(void **state)
{
    struct args got;
    struct err err;
    assert_true(read_args(*state, plain_fields, "null", true, &got, &err));
}

static void test_find(void **state)
{
    static const struct {
        const char *arguments, *want; /* NULL: not found */
    } cases[] = {
        {"{'dry_run':1}", "1"},
        {"{'dryRun':2}", "2"},
        {"{'dry-run':3}", "3"},
        {"{'x':0,'dryRun':4}", "4"},
        {"{'dry_run':null}", NULL},
        {"{'dryRun':null}", NULL},
        {"{'dry':1}", NULL},
        {"{'dry_runs':1}", NULL},
        {"{}", NULL},
        {"[]", NULL},
        {"5", NULL},
    };
    static const struct mcp_field field =
        MCP_FIELD(struct args, dry_run, MCP_BOOL, 0, "Only look");

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct json *got =
            mcp_schema_find(&field, quoted_json(*state, cases[i].arguments));
        CHECK_INT(cases[i].arguments, got != NULL, cases[i].want != NULL);
        if (got != NULL)
            CHECK_STR(cases[i].arguments, got->raw, cases[i].want);
    }
    assert_null(mcp_schema_find(&field, NULL));
}

/* Any value, and an object that is sent as JSON text. */
static void test_loose(void **state)
{
    static const struct mcp_field loose[] = {
        MCP_FIELD(struct args, preset, MCP_ANY, 0, "v"),
        MCP_FIELD(struct args, object, MCP_OBJECT, MCP_AS_TEXT, "o"),
        {0},
    };
    static const struct {
        const char *arguments, *any, *object; /* NULL: refused, or absent */
    } cases[] = {
        {"{'preset':[1,'x']}", "[1,'x']", NULL},
        {"{'preset':'[1]'}", "'[1]'", NULL},
        {"{'preset':false,'object':'{\\'a\\':1}'}", "false", "{'a':1}"},
        {"{'object':{'a':1}}", NULL, "{'a':1}"},
        {"{'object':' '}", NULL, NULL},
        {"{'object':''}", NULL, NULL},
    };
    struct args got;
    struct err err;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = cases[i].arguments;
        if (!read_args(*state, loose, row, true, &got, &err))
            fail_msg("%s: %s", row, err.msg);
        CHECK_INT(row, got.preset != NULL, cases[i].any != NULL);
        CHECK_INT(row, got.object != NULL, cases[i].object != NULL);
        if (got.preset != NULL)
            CHECK_QUOTED(*state, row, got.preset->raw, cases[i].any);
        if (got.object != NULL)
            CHECK_QUOTED(*state, row, got.object->raw, cases[i].object);
    }
    assert_false(read_args(*state, loose, "{'object':'a: 1'}", true, &got, &err));
    assert_string_equal(err.msg, "object must be an object as JSON text");
    struct sbuf out = SBUF_ON(*state);
    struct jsonw w = JSONW_ON(&out);
    mcp_schema_write(&w, loose);
    CHECK_QUOTED(*state, "schema", sbuf_str(&out),
                 "{'type':'object','properties':{'preset':{'description':'v'},'object':{"
                 "'type':'string','description':'o'}}}");
}

/* Two spellings of one argument, whatever their values and order. */
static void test_spelled_twice(void **state)
{
    static const struct mcp_field twice[] = {
        MCP_FIELD(struct args, dry_run, MCP_BOOL, 0, NULL), {0}};
    static const char *const cases[] = {
        "{'dry-run':false,'dryRun':true}", "{'dryRun':true,'dry_run':false}",
        "{'dry_run':true,'DRY_RUN':true}", "{'dry_run':true,'x':1,'dryrun':null}"};
    struct args out;
    struct err err;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CHECK(cases[i], !read_args(*state, twice, cases[i], false, &out, &err));
        CHECK(err.msg, strstr(err.msg, "dry_run is given twice, as '") != NULL);
    }
    CHECK("once", read_args(*state, twice, "{'dryRun':true}", true, &out, &err));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_spelled_twice),
        ARENA_TEST(test_schema),
        cmocka_unit_test(test_type_names),
        ARENA_TEST(test_defaults),
        ARENA_TEST(test_values),
        ARENA_TEST(test_SEC_66_refused),
        ARENA_TEST(test_required),
        ARENA_TEST(test_strangers),
        ARENA_TEST(test_SEC_66_nearest),
        ARENA_TEST(test_unknown_is_not_cut),
        ARENA_TEST(test_clamped),
        ARENA_TEST(test_long_stranger),
        ARENA_TEST(test_null_arguments),
        ARENA_TEST(test_find),
        ARENA_TEST(test_loose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
