#include "base/options.h"

#include "check.h"

struct settings {
    str vault;
    int64_t port, delta;
    bool stdio;
    int level;
    struct option_list tools;
};

static const char *const levels[] = {"debug", "info", "warn", NULL};

static const struct option table[] = {
    OPTION(struct settings, vault, OPTION_STR, "vault-path", "T_VAULT|T_OTHER_VAULT",
           NULL, "FOLDER", "The vault to serve"),
    OPTION(struct settings, port, OPTION_INT, "port", "T_PORT", "8090", "NUMBER",
           "The port to listen on, which must be free on every address of this machine",
           .min = 1, .max = 65535, .letter = 'p'),
    OPTION(struct settings, delta, OPTION_INT, "delta", NULL, NULL, "N", "Any number"),
    OPTION(struct settings, stdio, OPTION_SWITCH, "stdio", "T_STDIO", NULL, NULL,
           "Serve stdin and stdout", .letter = 's'),
    OPTION(struct settings, level, OPTION_CHOICE, "log-level", "T_LEVEL", "info", NULL,
           "What to log", .choices = levels),
    OPTION(struct settings, tools, OPTION_LIST, "tools", "T_TOOLS", "default", "NAME,...",
           "Tool sets"),
    {0},
};

static const char *const variables[] = {"T_VAULT", "T_OTHER_VAULT", "T_PORT",
                                        "T_STDIO", "T_LEVEL",       "T_TOOLS"};

enum { ARGS_MAX = 8 };

/* A command line and an environment, both as literal lists. */
struct input {
    const char *args[ARGS_MAX];
    const char *env[4]; /* "T_PORT=1" */
};

static bool parse(struct arena *a, const struct input *in, struct settings *s,
                  struct option_list *words, struct err *err)
{
    for (size_t i = 0; i < COUNT_OF(variables); i++)
        unsetenv(variables[i]);
    for (size_t i = 0; in->env[i] != NULL; i++) {
        str value = str_c(in->env[i]), name;
        str_next(&value, '=', &name);
        setenv(arena_str(a, name).p, value.p, 1);
    }
    static char program[] = "vaultd";
    char *argv[ARGS_MAX + 2] = {program};
    int argc = 1;
    for (; in->args[argc - 1] != NULL; argc++)
        argv[argc] = mem_str(str_c(in->args[argc - 1]));
    memset(s, 0xAA, sizeof(*s)); /* everything must be set */
    bool ok = options_parse(a, table, argc, argv, s, words, err);
    /* The settings borrow from argv: copy what the tests check. */
    if (ok) {
        s->vault = arena_str(a, s->vault);
        for (size_t i = 0; i < s->tools.n; i++)
            s->tools.items[i] = arena_str(a, s->tools.items[i]);
        for (size_t i = 0; i < words->n; i++)
            words->items[i] = arena_str(a, words->items[i]);
    }
    for (int i = 1; i < argc; i++)
        free(argv[i]);
    return ok;
}

static str joined(struct arena *a, struct option_list list)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < list.n; i++)
        sbuf_printf(&b, "%s" STR_FMT, i > 0 ? "," : "", STR_ARG(list.items[i]));
    return sbuf_str(&b);
}

static void test_values(void **state)
{
    struct arena *a = *state;
    static const struct {
        const char *name;
        struct input in;
        const char *want; /* vault port delta stdio level tools words */
    } cases[] = {
        {"defaults", {{NULL}, {NULL}}, "[] 8090 0 0 1 [default] []"},
        {"flags",
         {{"--vault-path", "/v", "--port", "1", "--stdio", "--log-level", "warn"},
          {NULL}},
         "[/v] 1 0 1 2 [default] []"},
        {"with =",
         {{"--vault-path=/v=w", "--port=65535", "--stdio=no"}, {NULL}},
         "[/v=w] 65535 0 0 1 [default] []"},
        {"letters", {{"-s", "-p", "7"}, {NULL}}, "[] 7 0 1 1 [default] []"},
        {"letter with =", {{"-p=7"}, {NULL}}, "[] 7 0 0 1 [default] []"},
        {"environment",
         {{NULL}, {"T_VAULT=/v", "T_PORT=2", "T_STDIO=on"}},
         "[/v] 2 0 1 1 [default] []"},
        {"other name", {{NULL}, {"T_OTHER_VAULT=/o"}}, "[/o] 8090 0 0 1 [default] []"},
        {"both names agree",
         {{NULL}, {"T_VAULT=/v", "T_OTHER_VAULT=/v"}},
         "[/v] 8090 0 0 1 [default] []"},
        {"empty variable is unset",
         {{NULL}, {"T_PORT=", "T_LEVEL="}},
         "[] 8090 0 0 1 [default] []"},
        {"flag wins over environment",
         {{"--port", "1", "--no-stdio", "--tools", "x"},
          {"T_PORT=2", "T_STDIO=1", "T_TOOLS=y"}},
         "[] 1 0 0 1 [x] []"},
        {"flag wins over a contradiction",
         {{"--vault-path", "/f"}, {"T_VAULT=/v", "T_OTHER_VAULT=/o"}},
         "[/f] 8090 0 0 1 [default] []"},
        {"flag wins over a wrong variable",
         {{"--port", "1"}, {"T_PORT=x"}},
         "[] 1 0 0 1 [default] []"},
        {"last flag wins",
         {{"--port", "1", "--port=2"}, {NULL}},
         "[] 2 0 0 1 [default] []"},
        {"negative number", {{"--delta", "-5"}, {NULL}}, "[] 8090 -5 0 1 [default] []"},
        {"empty value",
         {{"--vault-path", ""}, {"T_VAULT=/v"}},
         "[] 8090 0 0 1 [default] []"},
        {"list",
         {{"--tools", "a, b,,c", "--tools=d"}, {NULL}},
         "[] 8090 0 0 1 [a,b,c,d] []"},
        {"list with braces",
         {{"--tools", "*.{a,b}, c},d,{e,f"}, {NULL}},
         "[] 8090 0 0 1 [*.{a,b},c},d,{e,f] []"},
        {"list from environment", {{NULL}, {"T_TOOLS=a,b"}}, "[] 8090 0 0 1 [a,b] []"},
        {"choice without case",
         {{NULL}, {"T_LEVEL=DEBUG"}},
         "[] 8090 0 0 0 [default] []"},
        {"words",
         {{"serve", "--stdio", "-", "x"}, {NULL}},
         "[] 8090 0 1 1 [default] [serve,-,x]"},
        {"end of flags",
         {{"--stdio", "--", "--port", "-x", "--"}, {NULL}},
         "[] 8090 0 1 1 [default] [--port,-x,--]"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct settings s;
        struct option_list words;
        struct err err = {0};
        if (!parse(a, &cases[i].in, &s, &words, &err))
            fail_msg("%s: %s", cases[i].name, err.msg);
        str tools = joined(a, s.tools), rest = joined(a, words);
        str got =
            arena_printf(a, "[" STR_FMT "] %lld %lld %d %d [" STR_FMT "] [" STR_FMT "]",
                         STR_ARG(s.vault), (long long)s.port, (long long)s.delta, s.stdio,
                         s.level, STR_ARG(tools), STR_ARG(rest));
        CHECK_STR(cases[i].name, got, cases[i].want);
    }
}

static void test_refused(void **state)
{
    struct arena *a = *state;
    static const struct {
        struct input in;
        const char *msg;
    } cases[] = {
        {{{"--port", "0"}, {NULL}}, "--port: '0' is not a whole number from 1 to 65535"},
        {{{"-p", "65536"}, {NULL}}, "-p: '65536' is not a whole number from 1 to 65535"},
        {{{"--port=80x"}, {NULL}}, "--port: '80x' is not a whole number from 1 to 65535"},
        {{{"--delta", "x"}, {NULL}}, "--delta: 'x' is not a whole number"},
        {{{NULL}, {"T_PORT=http"}},
         "T_PORT: 'http' is not a whole number from 1 to 65535"},
        {{{"--log-level", "loud"}, {NULL}},
         "--log-level: 'loud' is not one of debug, info, warn"},
        {{{NULL}, {"T_STDIO=maybe"}},
         "T_STDIO: 'maybe' is not on or off (1/0, true/false, yes/no)"},
        {{{"--stdio=2"}, {NULL}},
         "--stdio: '2' is not on or off (1/0, true/false, yes/no)"},
        {{{"--no-stdio=1"}, {NULL}}, "--no-stdio takes no value"},
        {{{"--port"}, {NULL}}, "--port needs a value: --port=NUMBER"},
        {{{"--vault-path", "--stdio"}, {NULL}},
         "--vault-path needs a value: --vault-path=FOLDER"},
        {{{NULL}, {"T_VAULT=/v", "T_OTHER_VAULT=/o"}},
         "T_VAULT and T_OTHER_VAULT contradict each other: set one of them"},
        {{{"--prot", "1"}, {NULL}}, "unknown option '--prot'; did you mean '--port'?"},
        {{{"--valt-path=/secret"}, {NULL}},
         "unknown option '--valt-path'; did you mean '--vault-path'?"},
        {{{"--stdoi"}, {NULL}}, "unknown option '--stdoi'; did you mean '--stdio'?"},
        {{{"--loglevel"}, {NULL}},
         "unknown option '--loglevel'; did you mean '--log-level'?"},
        {{{"-port"}, {NULL}}, "unknown option '-port'; did you mean '--port'?"},
        {{{"--frobnicate"}, {NULL}}, "unknown option '--frobnicate'; see --help"},
        {{{"--no-port"}, {NULL}}, "unknown option '--no-port'; did you mean '--port'?"},
        {{{"-x"}, {NULL}}, "unknown option '-x'; see --help"},
        {{{"--\xff\xfe"}, {NULL}}, "unknown option '--'; see --help"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct settings s;
        struct option_list words;
        struct err err = {0};
        CHECK(cases[i].msg, !parse(a, &cases[i].in, &s, &words, &err));
        CHECK_INT(cases[i].msg, err.code, ERR_INVALID);
        CHECK_STR(cases[i].msg, str_c(err.msg), cases[i].msg);
    }
}

static void test_switch_words(void **state)
{
    struct arena *a = *state;
    static const struct {
        const char *variable;
        bool value;
    } cases[] = {
        {"T_STDIO=1", true},   {"T_STDIO=true", true}, {"T_STDIO=YES", true},
        {"T_STDIO=On", true},  {"T_STDIO=0", false},   {"T_STDIO=False", false},
        {"T_STDIO=no", false}, {"T_STDIO=off", false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct settings s;
        struct option_list words;
        struct err err = {0};
        CHECK(cases[i].variable,
              parse(a, &(struct input){.env = {cases[i].variable}}, &s, &words, &err));
        CHECK_INT(cases[i].variable, s.stdio, cases[i].value);
    }
}

static void test_given(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(variables); i++)
        unsetenv(variables[i]);
    char *argv[] = {(char[]){"vaultd"}, (char[]){"--vault-path"},
                    (char[]){"-s"},     (char[]){"--no-stdio"},
                    (char[]){"--"},     (char[]){"--delta"}};
    int argc = (int)COUNT_OF(argv);
    CHECK("flag", options_given(table, "vault-path", argc, argv));
    CHECK("turned off", options_given(table, "stdio", argc, argv));
    CHECK("after --", !options_given(table, "delta", argc, argv));
    CHECK("neither", !options_given(table, "port", argc, argv));
    CHECK("a value, not a flag", !options_given(table, "stdio", 3, argv));
    setenv("T_PORT", "1", 1);
    setenv("T_LEVEL", "", 1);
    CHECK("environment", options_given(table, "port", argc, argv));
    CHECK("empty environment", !options_given(table, "log-level", argc, argv));
}

/* Three rows that answer one question: one of them from a higher source replaces all. */
static void test_groups(void **state)
{
    struct places {
        str one, many, hosted;
    };
    static const struct option rows[] = {
        OPTION(struct places, one, OPTION_STR, "one", "T_VAULT|T_OTHER_VAULT", "dflt",
               NULL, "", .group = "g"),
        OPTION(struct places, many, OPTION_STR, "many", "T_PORT", NULL, NULL, "",
               .group = "g"),
        OPTION(struct places, hosted, OPTION_STR, "hosted", "T_LEVEL", NULL, NULL, "",
               .group = "g"),
        {0},
    };
    static const struct {
        const char *args[3], *env[3], *want;
        enum option_source source;
    } cases[] = {
        {{0}, {0}, "dflt||", OPTION_BY_DEFAULT},
        {{0}, {"T_VAULT=v"}, "v||", OPTION_BY_ENVIRONMENT},
        {{0}, {"T_PORT=m"}, "|m|", OPTION_BY_ENVIRONMENT},
        {{0}, {"T_VAULT=v", "T_PORT=m"}, "v|m|", OPTION_BY_ENVIRONMENT},
        {{"--one=f"}, {"T_PORT=m", "T_LEVEL=h"}, "f||", OPTION_BY_FLAG},
        {{"--many=f"}, {"T_VAULT=v"}, "|f|", OPTION_BY_FLAG},
        {{"--hosted=f"}, {"T_VAULT=v", "T_PORT=m"}, "||f", OPTION_BY_FLAG},
        {{"--hosted=f", "--many=g"}, {"T_VAULT=v"}, "|g|f", OPTION_BY_FLAG},
        {{"--many=f"}, {"T_VAULT=v", "T_OTHER_VAULT=w"}, "|f|", OPTION_BY_FLAG},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct places p;
        struct option_list words;
        struct err err = {0};
        static char program[] = "vaultd";
        char *argv[4] = {program};
        int argc = 1;
        for (size_t k = 0; k < COUNT_OF(variables); k++)
            unsetenv(variables[k]);
        for (size_t k = 0; k < 3 && cases[i].env[k] != NULL; k++) {
            str value = str_c(cases[i].env[k]), name;
            str_next(&value, '=', &name);
            setenv(arena_str(*state, name).p, value.p, 1);
        }
        for (; argc <= 3 && cases[i].args[argc - 1] != NULL; argc++)
            argv[argc] = (char *)cases[i].args[argc - 1];
        if (!options_parse(*state, rows, argc, argv, &p, &words, &err))
            fail_msg("%s: %s", cases[i].want, err.msg);
        CHECK_STR(cases[i].want,
                  arena_printf(*state, STR_FMT "|" STR_FMT "|" STR_FMT, STR_ARG(p.one),
                               STR_ARG(p.many), STR_ARG(p.hosted)),
                  cases[i].want);
        CHECK_INT(cases[i].want, options_group_source(rows, "g", argc, argv),
                  cases[i].source);
    }
}

static void test_help(void **state)
{
    struct sbuf out = SBUF_ON(*state);
    options_help(table, &out);
    CHECK_STR(
        "help", sbuf_str(&out),
        "      --vault-path FOLDER     The vault to serve [T_VAULT, T_OTHER_VAULT]\n"
        "  -p, --port NUMBER           The port to listen on, which must be free on "
        "every\n"
        "                              address of this machine (default: 8090) [T_PORT]\n"
        "      --delta N               Any number\n"
        "  -s, --stdio                 Serve stdin and stdout [T_STDIO]\n"
        "      --log-level debug|info|warn\n"
        "                              What to log (default: info) [T_LEVEL]\n"
        "      --tools NAME,...        Tool sets (default: default) [T_TOOLS]\n");
}

static void test_headings(void **state)
{
    struct sbuf help = SBUF_ON(*state), page = SBUF_ON(*state);
    static const struct option grouped[] = {
        OPTION(struct settings, port, OPTION_INT, "port", NULL, NULL, "N", "The port"),
        OPTION(struct settings, vault, OPTION_STR, "vault-path", NULL, NULL, "FOLDER",
               "The vault", .heading = "Which vault"),
        OPTION(struct settings, delta, OPTION_INT, "delta", NULL, NULL, "N",
               "Any number"),
        {0},
    };
    options_help(grouped, &help);
    CHECK_STR("rows before the first heading", sbuf_str(&help),
              "Options:\n"
              "      --port N                The port\n"
              "\nWhich vault:\n"
              "      --vault-path FOLDER     The vault\n"
              "      --delta N               Any number\n");
    options_markdown(grouped + 1, &page);
    CHECK_STR("a heading on the first row", sbuf_str(&page),
              "## Which vault\n\n"
              "| flag | variable | default | meaning |\n"
              "|---|---|---|---|\n"
              "| `--vault-path FOLDER` | – | – | The vault |\n"
              "| `--delta N` | – | – | Any number |\n");
}

static void test_markdown(void **state)
{
    struct sbuf out = SBUF_ON(*state);
    static const struct option two[] = {
        OPTION(struct settings, vault, OPTION_STR, "vault-path", "A|B", NULL, "FOLDER",
               "The vault"),
        OPTION(struct settings, level, OPTION_CHOICE, "log-level", NULL, "info", NULL,
               "What to log", .choices = levels),
        {0},
    };
    options_markdown(two, &out);
    CHECK_STR("markdown", sbuf_str(&out),
              "| flag | variable | default | meaning |\n"
              "|---|---|---|---|\n"
              "| `--vault-path FOLDER` | `A`, `B` | – | The vault |\n"
              "| `--log-level debug\\|info\\|warn` | – | `info` | What to log |\n");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_values),       ARENA_TEST(test_refused),
        ARENA_TEST(test_switch_words), cmocka_unit_test(test_given),
        ARENA_TEST(test_groups),       ARENA_TEST(test_help),
        ARENA_TEST(test_markdown),     ARENA_TEST(test_headings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
