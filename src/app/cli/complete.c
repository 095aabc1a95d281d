#include "app/cli/complete.h"

#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/setup/settings.h"
#include "base/array.h"
#include "base/path.h"
#include "base/utf8.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/tags.h"

static const struct option table[] = {CLI_COMMON};

enum complete_kind { COMPLETE_NOTES, COMPLETE_TAGS, COMPLETE_FOLDERS };

struct offers {
    struct cli *cli;
    str typed; /* folded */
    str *items;
    size_t n;
};

static void offer(struct offers *o, str text)
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
        offer(o, path);
    else if (cli_find(o->cli, name, &meant, &ignored) && meant == f)
        offer(o, name);
    else
        offer(o, path);
}

static void offer_folders(struct offers *o, const struct file *f)
{
    for (str folder = path_folder(f->path); folder.n > 0; folder = path_folder(folder))
        offer(o, folder);
}

static void offer_all(struct offers *o, enum complete_kind kind)
{
    const struct index *x = o->cli->index;
    for (size_t i = 0; kind == COMPLETE_TAGS && i < tags_count(x->tags); i++)
        offer(o, tags_at(x->tags, i).name);
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
    static const char *const kinds[] = {[COMPLETE_NOTES] = "notes",
                                        [COMPLETE_TAGS] = "tags",
                                        [COMPLETE_FOLDERS] = "folders"};
    str typed = c->words.items[1];
    struct offers o = {
        .cli = c,
        .typed = utf8_fold(c->arena, str_skip(typed, str_starts(typed, STR("#"))))};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_eq(c->words.items[0], str_c(kinds[i])))
            offer_all(&o, (enum complete_kind)i);
    if (o.n > 1)
        qsort(o.items, o.n, sizeof(*o.items), by_text);
    for (size_t i = 0; i < o.n; i++)
        term_printf(&c->out, TERM_PLAIN, STR_FMT "\n", STR_ARG(o.items[i]));
    return true;
}

static const struct cli_verb cli_complete = {
    .name = "complete",
    .arguments = "notes|tags|folders PREFIX",
    .about = "Complete a word, for shells",
    .help = "",
    .options = table,
    .options_size = sizeof(struct cli_common),
    .words_min = 2,
    .words_max = 2,
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

int complete_run(int argc, char **argv)
{
    enum { KIND = 1, PREFIX, WORDS };
    struct arena a = {0};
    char **args = NULL, dashes[] = "--";
    size_t n = 0;
    *ARRAY_ADD(&a, args, n) = argv[0];
    for (int i = WORDS; i < argc; i++) {
        if (!chooses_vault(argv[i]))
            continue;
        *ARRAY_ADD(&a, args, n) = argv[i];
        if (strchr(argv[i], '=') == NULL && i + 1 < argc)
            *ARRAY_ADD(&a, args, n) = argv[++i];
    }
    *ARRAY_ADD(&a, args, n) = dashes;
    for (int i = KIND; i < WORDS && i < argc; i++)
        *ARRAY_ADD(&a, args, n) = argv[i];
    int code = cli_run(&cli_complete, (int)n, args);
    arena_release(&a);
    return code;
}
