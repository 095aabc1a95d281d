/*
 * Flags come first, since they win; then the environment, then the default. Every value,
 * whatever its source, goes through set_value(), so it means the same everywhere.
 */
#include "base/options.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/near.h"
#include "base/os/self.h"
#include "base/system_path.h"
#include "base/utf8.h"

enum { SHOWN_MAX = 60 };

static bool wrong(struct err *err, str source, str value, str takes)
{
    return err_set(err, ERR_INVALID, STR_FMT ": '" STR_FMT "' is not " STR_FMT,
                   STR_ARG(source), STR_ARG(utf8_cut(value, SHOWN_MAX)), STR_ARG(takes));
}

static bool parse_switch(str s, bool *out)
{
    static const struct {
        const char *word;
        bool value;
    } words[] = {{"1", true},  {"true", true},   {"yes", true}, {"on", true},
                 {"0", false}, {"false", false}, {"no", false}, {"off", false}};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (str_eq_nocase(s, str_c(words[i].word))) {
            *out = words[i].value;
            return true;
        }
    }
    return false;
}

static bool set_int(struct arena *a, const struct option *o, void *member, str source,
                    str value, struct err *err)
{
    bool limited = o->min != 0 || o->max != 0;
    int64_t number;
    if (str_to_int(value, &number) &&
        (!limited || (number >= o->min && number <= o->max))) {
        memcpy(member, &number, sizeof(number));
        return true;
    }
    str takes = STR("a whole number");
    if (limited)
        takes = arena_printf(a, "a whole number from %lld to %lld", (long long)o->min,
                             (long long)o->max);
    return wrong(err, source, value, takes);
}

static bool set_choice(struct arena *a, const struct option *o, void *member, str source,
                       str value, struct err *err)
{
    for (int i = 0; o->choices[i] != NULL; i++) {
        if (str_eq_nocase(value, str_c(o->choices[i]))) {
            memcpy(member, &i, sizeof(i));
            return true;
        }
    }
    struct sbuf takes = SBUF_ON(a);
    sbuf_add(&takes, STR("one of "));
    sbuf_join(&takes, o->choices, ", ");
    return wrong(err, source, value, sbuf_str(&takes));
}

static void options_add_item(struct arena *a, struct option_list *list, str item)
{
    *ARRAY_ADD(a, list->items, list->n) = item;
}

/* A comma in braces is part of its item: "*.{md,txt}". */
static void options_add_items(struct arena *a, struct option_list *list, str values)
{
    size_t start = 0, depth = 0;
    for (size_t i = 0; i <= values.n; i++) {
        char c = i < values.n ? values.p[i] : ',';
        depth += c == '{';
        depth -= c == '}' && depth > 0;
        if (i < values.n && (c != ',' || depth > 0))
            continue;
        str item = str_trim(str_slice(values, start, i));
        start = i + 1;
        if (item.n > 0)
            options_add_item(a, list, item);
    }
}

/* Store value, which came from source ("--port", "PORT"), in the settings. */
static bool set_value(struct arena *a, const struct option *o, void *settings, str source,
                      str value, struct err *err)
{
    void *member = (char *)settings + o->offset;
    switch (o->type) {
    case OPTION_STR:
        memcpy(member, &value, sizeof(value));
        return true;
    case OPTION_PATH:
        value = system_path(a, value);
        memcpy(member, &value, sizeof(value));
        return true;
    case OPTION_INT:
        return set_int(a, o, member, source, value, err);
    case OPTION_SWITCH:
        return parse_switch(value, member) ||
               wrong(err, source, value, STR("on or off (1/0, true/false, yes/no)"));
    case OPTION_CHOICE:
        return set_choice(a, o, member, source, value, err);
    case OPTION_LIST:
        if (o->whole)
            options_add_item(a, member, value);
        else
            options_add_items(a, member, value);
        return true;
    }
    BUG("option type %d", (int)o->type);
}

/* One word of the command line, parsed. */
struct flag {
    const struct option *option; /* NULL: a plain word */
    str typed;                   /* "--port", or the word */
    str value;
};

static const struct option *find_flag(const struct option *table, str name)
{
    for (const struct option *o = table; o->flag != NULL; o++)
        if (str_eq(name, str_c(o->flag)))
            return o;
    return NULL;
}

static const struct option *find_letter(const struct option *table, char letter)
{
    for (const struct option *o = table; o->flag != NULL; o++)
        if (o->letter != 0 && o->letter == letter)
            return o;
    return NULL;
}

static bool unknown(const struct option *table, str typed, str name, struct err *err)
{
    struct near_search s;
    near_search(&s, str_slice(name, 0, SHOWN_MAX),
                name.n / 3 + 1); /* up to a third may be wrong */
    for (const struct option *o = table; name.n > 1 && o->flag != NULL; o++)
        (void)near_offer(&s, str_c(o->flag));
    if (s.best.n == 0)
        return err_set(err, ERR_INVALID, "unknown option '" STR_FMT "'; see --help",
                       STR_ARG(utf8_cut(typed, SHOWN_MAX)));
    return err_set(err, ERR_INVALID,
                   "unknown option '" STR_FMT "'; did you mean '--" STR_FMT "'?",
                   STR_ARG(utf8_cut(typed, SHOWN_MAX)), STR_ARG(s.best));
}

/* The option that a word names, without its value; "--no-x" turns the switch x off. */
static bool options_match(const struct option *table, str typed, struct flag *f,
                          struct err *err)
{
    f->typed = typed;
    if (!str_starts(typed, STR("--"))) {
        f->option = typed.n == 2 ? find_letter(table, typed.p[1]) : NULL;
        return f->option != NULL || unknown(table, typed, str_skip(typed, 1), err);
    }
    str name = str_skip(typed, 2);
    f->option = find_flag(table, name);
    if (f->option == NULL && str_starts(name, STR("no-"))) {
        f->option = find_flag(table, str_skip(name, 3));
        f->value = STR("off");
        if (f->option != NULL && f->option->type != OPTION_SWITCH)
            f->option = NULL;
    }
    return f->option != NULL || unknown(table, typed, name, err);
}

/* "- an item", "-5" and whole texts are words. */
static bool is_flag(str word)
{
    static const char first[] = "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return word.n > 1 && word.p[0] == '-' && strchr(first, word.p[1]) != NULL &&
           str_find_char(word, '\n') == STR_NONE;
}

/*
 * Parse the word argv[*i] and advance *i past it and its value. A value that looks like a
 * flag is more likely a forgotten value: it must be given with '='.
 */
static bool next_flag(const struct option *table, int argc, char **argv, int *i,
                      struct flag *f, struct err *err)
{
    str word = str_c(argv[(*i)++]);
    *f = (struct flag){.typed = word};
    if (!is_flag(word))
        return true;
    size_t equal = str_find_char(word, '=');
    if (!options_match(table, str_slice(word, 0, equal), f, err))
        return false;
    bool off = f->value.n > 0;
    if (equal != STR_NONE && !off) {
        f->value = str_skip(word, equal + 1);
        return true;
    }
    if (f->option->type == OPTION_SWITCH) {
        if (!off)
            f->value = STR("on");
        return equal == STR_NONE ||
               err_set(err, ERR_INVALID, STR_FMT " takes no value", STR_ARG(f->typed));
    }
    if (*i >= argc || str_starts(str_c(argv[*i]), STR("--")))
        return err_set(err, ERR_INVALID, STR_FMT " needs a value: " STR_FMT "=%s",
                       STR_ARG(f->typed), STR_ARG(f->typed),
                       f->option->value != NULL ? f->option->value : "VALUE");
    f->value = str_c(argv[(*i)++]);
    return true;
}

/* The variable that sets o, and its name; an empty variable counts as unset. */
static bool from_environment(struct arena *a, const struct option *o, str *name,
                             str *value, struct err *err)
{
    str rest = str_c(o->env), part;
    *value = (str){0};
    while (str_next(&rest, '|', &part)) {
        str found = str_c(self_variable(arena_str(a, part).p));
        if (found.n == 0)
            continue;
        if (value->n > 0 && !str_eq(found, *value))
            return err_set(err, ERR_INVALID,
                           STR_FMT " and " STR_FMT
                                   " contradict each other: set one of them",
                           STR_ARG(*name), STR_ARG(part));
        *name = part;
        *value = found;
    }
    return true;
}

static bool options_is_end(const char *word)
{
    return strcmp(word, "--") == 0;
}

static bool parse_flags(struct arena *a, const struct option *table, int argc,
                        char **argv, void *settings, bool *given,
                        struct option_list *words, struct err *err)
{
    int i = 1;
    while (i < argc && !options_is_end(argv[i])) {
        struct flag f;
        if (!next_flag(table, argc, argv, &i, &f, err))
            return false;
        if (f.option == NULL) {
            options_add_item(a, words, f.typed);
            continue;
        }
        if (!set_value(a, f.option, settings, f.typed, f.value, err))
            return false;
        given[f.option - table] = true;
    }
    for (i++; i < argc; i++)
        options_add_item(a, words, str_c(argv[i]));
    return true;
}

static void clear_value(const struct option *o, void *settings)
{
    static const size_t sizes[] = {
        [OPTION_STR] = sizeof(str),     [OPTION_PATH] = sizeof(str),
        [OPTION_INT] = sizeof(int64_t), [OPTION_SWITCH] = sizeof(bool),
        [OPTION_CHOICE] = sizeof(int),  [OPTION_LIST] = sizeof(struct option_list),
    };
    memset((char *)settings + o->offset, 0, sizes[o->type]);
}

/* A variable that contradicts another is given, too: options_fill_rest() fails then. */
static bool is_in_environment(struct arena *a, const struct option *o)
{
    str name, value;
    struct err ignored;
    return !from_environment(a, o, &name, &value, &ignored) || value.n > 0;
}

static enum option_source source_of(struct arena *a, const struct option *o, bool flag)
{
    return flag                      ? OPTION_BY_FLAG
           : is_in_environment(a, o) ? OPTION_BY_ENVIRONMENT
                                     : OPTION_BY_DEFAULT;
}

static bool is_same_group(const struct option *o, const char *group)
{
    return o->group != NULL && strcmp(o->group, group) == 0;
}

static enum option_source group_source(struct arena *a, const struct option *table,
                                       const bool *flags, const char *group)
{
    enum option_source highest = OPTION_BY_DEFAULT;
    for (size_t i = 0; table[i].flag != NULL; i++) {
        enum option_source source = is_same_group(&table[i], group)
                                        ? source_of(a, &table[i], flags[i])
                                        : OPTION_BY_DEFAULT;
        highest = source > highest ? source : highest;
    }
    return highest;
}

/* Whether another row of its group has a value from a higher source. */
static bool is_replaced(struct arena *a, const struct option *table, const bool *flags,
                        size_t i)
{
    return table[i].group != NULL && group_source(a, table, flags, table[i].group) >
                                         source_of(a, &table[i], flags[i]);
}

static bool options_fill_rest(struct arena *a, const struct option *o, void *settings,
                              struct err *err)
{
    str name, value;
    if (!from_environment(a, o, &name, &value, err))
        return false;
    if (value.n > 0)
        return set_value(a, o, settings, name, value, err);
    return o->dflt == NULL ||
           set_value(a, o, settings, str_c(o->flag), str_c(o->dflt), err);
}

bool options_parse(struct arena *a, const struct option *table, int argc, char **argv,
                   void *settings, struct option_list *words, struct err *err)
{
    size_t n = 0;
    for (; table[n].flag != NULL; n++)
        clear_value(&table[n], settings);
    *words = (struct option_list){0};
    bool *given = ARENA_ARRAY(a, bool, n + 1);
    if (!parse_flags(a, table, argc, argv, settings, given, words, err))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!given[i] && !is_replaced(a, table, given, i) &&
            !options_fill_rest(a, &table[i], settings, err))
            return false;
    return true;
}

/* Which rows the arguments set; what is wrong in them is ignored. */
static const bool *flags_in(struct arena *a, const struct option *table, int argc,
                            char **argv)
{
    size_t n = 0;
    while (table[n].flag != NULL)
        n++;
    bool *given = ARENA_ARRAY(a, bool, n + 1);
    struct err ignored;
    for (int i = 1; i < argc && !options_is_end(argv[i]);) {
        struct flag f;
        if (next_flag(table, argc, argv, &i, &f, &ignored) && f.option != NULL)
            given[f.option - table] = true;
    }
    return given;
}

enum option_source options_source(const struct option *table, const char *flag, int argc,
                                  char **argv)
{
    const struct option *o = find_flag(table, str_c(flag));
    struct arena a = {0};
    if (o == NULL)
        BUG("no option --%s", flag);
    bool by_flag = flags_in(&a, table, argc, argv)[o - table];
    enum option_source source = source_of(&a, o, by_flag);
    arena_release(&a);
    return source;
}

enum option_source options_group_source(const struct option *table, const char *group,
                                        int argc, char **argv)
{
    struct arena a = {0};
    enum option_source source =
        group_source(&a, table, flags_in(&a, table, argc, argv), group);
    arena_release(&a);
    return source;
}

bool options_given(const struct option *table, const char *flag, int argc, char **argv)
{
    return options_source(table, flag, argc, argv) > OPTION_BY_DEFAULT;
}
