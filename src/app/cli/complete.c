#include "app/cli/complete.h"

#include "app/answers/term.h"
#include "app/catalog/tools.h"
#include "app/cli/cli.h"
#include "app/cli/client_table.h"
#include "app/setup/settings.h"
#include "base/array.h"
#include "base/os/file.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "vault/ask/check.h"
#include "vault/eval/catalogue.h"
#include "vault/eval/field.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/tags.h"

static const struct option table[] = {CLI_COMMON};

/* --- names of the vault --- */

enum complete_kind {
    COMPLETE_NOTES,
    COMPLETE_TAGS,
    COMPLETE_FOLDERS,
    COMPLETE_FIELDS,   /* of queries */
    COMPLETE_HEADINGS, /* of the note that a third word names */
};

static const char *const kinds[] = {[COMPLETE_NOTES] = "notes",
                                    [COMPLETE_TAGS] = "tags",
                                    [COMPLETE_FOLDERS] = "folders",
                                    [COMPLETE_FIELDS] = "fields",
                                    [COMPLETE_HEADINGS] = "headings"};

struct offers {
    struct cli *cli;
    str typed; /* folded */
    str *items;
    size_t n;
};

static void offer_name(struct offers *o, str text)
{
    bool wanted =
        o->n < COMPLETE_MAX && str_starts(utf8_fold(o->cli->arena, text), o->typed);
    for (size_t i = o->n; i > 0 && wanted; i--)
        wanted = !str_eq(o->items[i - 1], text);
    if (wanted)
        *ARRAY_ADD(o->cli->arena, o->items, o->n) = text;
}

/* A name as in a link; a path if the user has begun to type one, or if the name is not
 * unique. */
static void offer_file(struct offers *o, const struct file *f)
{
    str path = f->path, name = path_name(path);
    if (f->kind == FILE_NOTE)
        name = str_slice(name, 0, name.n - 1 - path_extension(name).n);
    const struct file *meant;
    struct err ignored;
    bool by_path = str_find_char(o->typed, '/') != STR_NONE;
    if (by_path || !str_starts(utf8_fold(o->cli->arena, name), o->typed))
        offer_name(o, path);
    else if (cli_find(o->cli, name, &meant, &ignored) && meant == f)
        offer_name(o, name);
    else
        offer_name(o, path);
}

static void offer_folders(struct offers *o, const struct file *f)
{
    for (str folder = path_folder(f->path); folder.n > 0; folder = path_folder(folder))
        offer_name(o, folder);
}

static void offer_fields(struct offers *o)
{
    struct catalogue all;
    for (size_t i = 0; field_name(i) != NULL; i++)
        offer_name(o, str_c(field_name(i)));
    if (catalogue_make(o->cli->index, NULL, o->cli->arena, STR(""), 0, NULL, &all))
        for (size_t i = 0; i < all.n; i++)
            if (str_find_char(all.properties[i].name, ' ') == STR_NONE)
                offer_name(o, all.properties[i].name);
}

static void offer_headings(struct offers *o)
{
    const struct file *f;
    struct err ignored;
    if (o->cli->words.n < 3 || !cli_find(o->cli, o->cli->words.items[2], &f, &ignored))
        return;
    for (uint32_t i = 0; i < f->note.n_headings; i++)
        offer_name(o, span_of(f->text, f->note.headings[i].title));
}

static void offer_all(struct offers *o, enum complete_kind kind)
{
    const struct index *x = o->cli->index;
    if (kind == COMPLETE_FIELDS || kind == COMPLETE_HEADINGS) {
        (kind == COMPLETE_FIELDS ? offer_fields : offer_headings)(o);
        return;
    }
    for (size_t i = 0; kind == COMPLETE_TAGS && i < tags_count(x->tags); i++)
        offer_name(o, tags_at(x->tags, i).name);
    for (file_id i = 0; kind != COMPLETE_TAGS && i < x->n; i++) {
        const struct file *f = index_file(x, i);
        if (f != NULL && o->n < COMPLETE_MAX)
            (kind == COMPLETE_NOTES ? offer_file : offer_folders)(o, f);
    }
}

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

static bool cli_complete_run(struct cli *c, const void *options, struct err *err)
{
    str typed = c->words.items[1];
    struct offers o = {
        .cli = c,
        .typed = utf8_fold(c->arena, str_skip(typed, str_starts(typed, STR("#"))))};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_eq(c->words.items[0], str_c(kinds[i])))
            offer_all(&o, (enum complete_kind)i);
    if (o.n > 1)
        sort_items(o.items, o.n, sizeof(*o.items), by_text);
    for (size_t i = 0; i < o.n; i++)
        term_printf(&c->out, TERM_PLAIN, STR_FMT "\n", STR_ARG(o.items[i]));
    return o.n > 0 || err_set(err, ERR_NOT_FOUND, "no matches");
}

static const struct cli_verb cli_complete = {
    .name = "complete",
    .arguments = "notes|tags|folders|fields|headings PREFIX [NOTE]",
    .about = "Complete a word, for shells",
    .help = "",
    .options = table,
    .options_size = sizeof(struct cli_common),
    .words_min = 2,
    .words_max = 3,
    .wait_ms = COMPLETE_MS,
    .run = cli_complete_run,
};

/* Options that say which vault is meant; each has a value. */
static bool chooses_vault(const char *word)
{
    static const char *const flags[] = {"-v", "--vault-path", "--vault", "--vaults",
                                        "--state-dir"};
    for (size_t i = 0; i < COUNT_OF(flags); i++) {
        size_t n = strlen(flags[i]);
        if (strncmp(word, flags[i], n) == 0 && (word[n] == '\0' || word[n] == '='))
            return true;
    }
    return false;
}

/* The command line: words before the one that is being typed. */
struct typing {
    struct arena *a;
    struct sbuf out;
    char **words;
    size_t n;
    str typed;
    str before; /* the beginning of the typed word that all offers share: "--flag=" */
};

/* The option that a word names and that takes a value, or NULL. */
static const struct option *option_of(const struct command_info *c, str word)
{
    for (const struct option *o = c->options; o != NULL && o->flag != NULL; o++)
        if (o->type != OPTION_SWITCH &&
            ((word.n == 2 && word.p[0] == '-' && word.p[1] == o->letter) ||
             (str_starts(word, STR("--")) && str_eq(str_skip(word, 2), str_c(o->flag)))))
            return o;
    return NULL;
}

/* The first word after the command that is neither an option nor its value. */
static str typed_note(const struct typing *t, const struct command_info *c)
{
    for (size_t i = 1; i < t->n; i++) {
        str word = str_c(t->words[i]);
        if (!str_starts(word, STR("-")))
            return word;
        i += option_of(c, word) != NULL;
    }
    return STR("");
}

/* Whether anything was offered. note: for headings. */
static bool offer_names_of(struct typing *t, enum complete_kind kind, str note)
{
    char name[] = "complete", dashes[] = "--", **args = NULL;
    size_t n = 0;
    *ARRAY_ADD(t->a, args, n) = name;
    for (size_t i = 0; i < t->n; i++) {
        if (!chooses_vault(t->words[i]))
            continue;
        *ARRAY_ADD(t->a, args, n) = t->words[i];
        if (strchr(t->words[i], '=') == NULL && i + 1 < t->n)
            *ARRAY_ADD(t->a, args, n) = t->words[++i];
    }
    *ARRAY_ADD(t->a, args, n) = dashes;
    *ARRAY_ADD(t->a, args, n) = (char *)arena_str(t->a, str_c(kinds[kind])).p;
    *ARRAY_ADD(t->a, args, n) = (char *)arena_str(t->a, t->typed).p;
    if (note.n > 0)
        *ARRAY_ADD(t->a, args, n) = (char *)arena_str(t->a, note).p;
    return cli_run(&cli_complete, (int)n, args) == 0;
}

static bool offer_names(struct typing *t, enum complete_kind kind)
{
    return offer_names_of(t, kind, STR(""));
}

/* --- words of the command line --- */

static void offer_word(struct typing *t, str word, const char *about)
{
    if (!str_starts(word, t->typed))
        return;
    sbuf_add(&t->out, t->before);
    sbuf_add(&t->out, word);
    if (about != NULL)
        sbuf_printf(&t->out, "\t%s", about);
    sbuf_char(&t->out, '\n');
}

/* The literal words of an argument such as "NOTE|changes|graph"; whether it has any. */
static bool offer_literals(struct typing *t, str argument)
{
    str word;
    size_t n = 0;
    while (str_next(&argument, '|', &word))
        if (word.n > 0 && word.p[0] >= 'a' && word.p[0] <= 'z') {
            offer_word(t, word, NULL);
            n++;
        }
    return n > 0;
}

static const char *offer_flags(struct typing *t, const struct option *o)
{
    for (; o != NULL && o->flag != NULL; o++) {
        if (o->letter != 0)
            offer_word(t, arena_printf(t->a, "-%c", o->letter), o->about);
        offer_word(t, arena_printf(t->a, "--%s", o->flag), o->about);
    }
    return ":";
}

/* Leaves what is after the last comma to be completed. */
static void split_list(struct typing *t)
{
    size_t comma = t->typed.n;
    while (comma > 0 && t->typed.p[comma - 1] != ',')
        comma--;
    t->before = arena_printf(t->a, STR_FMT STR_FMT, STR_ARG(t->before),
                             STR_ARG(str_slice(t->typed, 0, comma)));
    t->typed = str_skip(t->typed, comma);
}

static const char *offer_tool_sets(struct typing *t)
{
    split_list(t);
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++)
        offer_word(t, str_c(s->name), s->about);
    return ":";
}

static const char *offer_kinds(struct typing *t)
{
    split_list(t);
    for (enum check_kind k = 0; k < CHECK_KINDS; k++)
        offer_word(t, str_c(check_kind_name(k)), NULL);
    return ":";
}

static const char *offer_values(struct typing *t, const struct command_info *c,
                                const struct option *o)
{
    str value = str_c(o->value);
    if (str_eq(value, STR("KIND,...")))
        return offer_kinds(t);
    if (str_eq(value, STR("HEADING"))) {
        str note = typed_note(t, c);
        return note.n > 0 && offer_names_of(t, COMPLETE_HEADINGS, note) ? ":names" : ":";
    }
    if (str_eq(value, STR("FIELD,...")) || str_eq(value, STR("FIELD"))) {
        (void)offer_names(t, COMPLETE_FIELDS);
        return ":";
    }
    for (const char *const *k = o->choices; o->type == OPTION_CHOICE && *k != NULL; k++)
        offer_word(t, str_c(*k), NULL);
    if (str_eq(value, STR("SET,...")))
        return offer_tool_sets(t);
    if (str_eq(value, STR("TAG")))
        (void)offer_names(t, COMPLETE_TAGS);
    if (strcmp(o->flag, "folder") == 0)
        return offer_names(t, COMPLETE_FOLDERS) ? ":names" : ":";
    return str_eq(value, STR("FILE"))     ? ":files"
           : str_eq(value, STR("FOLDER")) ? ":folders"
                                          : ":";
}

/* The first argument of a command: literal words, and names of the vault. */
static const char *offer_argument(struct typing *t, const struct command_info *c)
{
    static const struct {
        const char *argument;
        enum complete_kind kind;
    } rows[] = {
        {"NOTE", COMPLETE_NOTES},     {"PATH", COMPLETE_NOTES},
        {"FROM", COMPLETE_NOTES},     {"TAG", COMPLETE_TAGS},
        {"FOLDER", COMPLETE_FOLDERS}, {"CONDITION", COMPLETE_FIELDS},
    };
    str first = str_c(c->arguments), word;
    first = str_slice(first, 0, str_find_char(first, ' '));
    if (str_starts(first, STR("[")))
        first = str_slice(first, 1, first.n - 1);
    bool literal = offer_literals(t, first);
    if (str_eq(first, STR("CLIENT"))) {
        for (const struct client *k = client_table; k->name != NULL; k++)
            offer_word(t, str_c(k->name), k->title);
        return ":";
    }
    while (str_next(&first, '|', &word))
        for (size_t i = 0; i < COUNT_OF(rows); i++)
            if (str_eq(word, str_c(rows[i].argument)))
                return offer_names(t, rows[i].kind)
                           ? (rows[i].kind == COMPLETE_FIELDS ? ":" : ":names")
                       : rows[i].kind == COMPLETE_FIELDS ? ":"
                       : rows[i].kind == COMPLETE_NOTES  ? ":files"
                                                         : ":";
    return literal ? ":" : ":files";
}

static const struct command_info *find_info(const struct command_info *c, str name)
{
    while (c->name != NULL && !str_eq(name, str_c(c->name)))
        c++;
    return c->name != NULL ? c : NULL;
}

/* What else fits. */
static const char *offer_next(struct typing *t, const struct command_info *commands)
{
    const struct command_info *c =
        t->n > 0 ? find_info(commands, str_c(t->words[0])) : NULL;
    bool named = c != NULL;
    c = named ? c : find_info(commands, STR("serve"));
    size_t equals = str_find_char(t->typed, '=');
    str flag = t->n > 0 ? str_c(t->words[t->n - 1]) : STR("");
    if (str_starts(t->typed, STR("--")) && equals != STR_NONE) {
        flag = str_slice(t->typed, 0, equals);
        t->before = str_slice(t->typed, 0, equals + 1);
        t->typed = str_skip(t->typed, equals + 1);
    }
    const struct option *o = option_of(c, flag);
    if (o != NULL)
        return offer_values(t, c, o);
    if (str_starts(t->typed, STR("-")))
        return offer_flags(t, c->options);
    for (const struct command_info *all = commands; t->n == 0 && all->name != NULL; all++)
        offer_word(t, str_c(all->name), all->about);
    if (t->n == 0)
        return ":";
    return named && t->n == 1 ? offer_argument(t, c) : ":files";
}

int complete_run(const struct command_info *commands, int argc, char **argv)
{
    struct arena a = {0};
    struct typing t = {.a = &a, .out = SBUF_ON(&a)};
    for (int i = 1; i < argc; i++) /* bash splits --flag=value into three words */
        if (strcmp(argv[i], "=") != 0 || i + 1 == argc)
            *ARRAY_ADD(&a, t.words, t.n) = argv[i];
    t.typed = t.n > 0 ? str_c(t.words[--t.n]) : STR("");
    if (str_eq(t.typed, STR("=")))
        t.typed = STR("");
    const char *more = offer_next(&t, commands);
    sbuf_printf(&t.out, "%s\n", more);
    (void)!file_write(FILE_STDOUT, sbuf_str(&t.out));
    arena_release(&a);
    return 0;
}
