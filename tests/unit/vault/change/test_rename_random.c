/* Random small vaults and random moves: only what must change does. */
#include "rename_verify.h"
#include "rounds.h"

enum { ROUNDS = 2000, FILES_MAX = 9, MOVES_MAX = 3, LINKS_MAX = 8 };

static uint32_t seed;

static uint32_t pick(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return (seed >> 3) % n;
}

#define PICK(list) (list)[pick(COUNT_OF(list))]

static const char *const folders[] = {"", "a/", "b/", "a/b/", "b/a/", "Ä ö/", "a/b/c/"};
static const char *const names[] = {
    "n.md",     "N.md",   "m.md",       "v1.2.md", "x.txt",   "x.txt.md",
    "p q.md",   "é.md",   "e\u0301.md", "(y.md",   "100%.md", "50%20x.md",
    "c.canvas", "i.png",  "n.md.md",    "$k$.md",  "it's.md", "plan: b.md",
    "c#.md",    "[z].md", "b`c.md",     "a|b.md",  "q\"q.md", "&r.md",
};

/* Often an existing name, so that links mean something. */
static str some_path(struct arena *a, struct index *x)
{
    const struct file *f = x->n > 0 ? index_file(x, pick(x->n)) : NULL;
    if (f == NULL || pick(8) == 0)
        return arena_printf(a, "%s%s", PICK(folders), PICK(names));
    return f->path;
}

static str link_path(struct arena *a, struct index *x)
{
    static const char *const prefixes[] = {"", "", "", "./", "../", "/", "../../"};
    str path = some_path(a, x);
    if (pick(2) == 0)
        path = path_name(path);
    if (pick(3) != 0 && str_ends(path, STR(".md")))
        path = str_slice(path, 0, path.n - 3);
    return arena_printf(a, "%s" STR_FMT, PICK(prefixes), STR_ARG(path));
}

static str encoded(struct arena *a, str path)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < path.n; i++) {
        if (strchr(" %()#:`|<>\\", path.p[i]) != NULL)
            sbuf_printf(&out, "%%%02X", (unsigned)path.p[i]);
        else
            sbuf_char(&out, path.p[i]);
    }
    return sbuf_str(&out);
}

/* The form with the path instead of '@'. */
static void add_form(struct sbuf *out, const char *form, str path)
{
    str behind = str_c(form), before;
    (void)str_next(&behind, '@', &before);
    sbuf_add(out, before);
    sbuf_add(out, path);
    sbuf_add(out, behind);
}

static void add_link(struct arena *a, struct sbuf *out, struct index *x)
{
    static const char *const forms[] = {
        "[[@]] ",      "![[@|100]]",  "[[@#H|see]], ", "text [[ @ ]]\r\n",
        "[[@|n]] #t ", "%% [[@]] %%", "`[[@]]` ",      "| [[@\\|x]] |\n",
    };
    static const char *const markdown[] = {
        "[n](@) ", "![](@ \"t\")", "[x](@#a%20b)\n", "[y](<@>) ", "[r][1]\n\n[1]: @\n\n",
    };
    str path = link_path(a, x);
    if (pick(2) == 0)
        add_form(out, PICK(forms), path);
    else
        add_form(out, PICK(markdown), encoded(a, path));
}

static str property(struct arena *a, struct index *x)
{
    struct sbuf out = SBUF_ON(a);
    str path = link_path(a, x);
    sbuf_add(&out, STR("---\nt: 'x' # c\n"));
    if (str_find_char(path, '"') == STR_NONE && str_find_char(path, '\'') == STR_NONE) {
        sbuf_printf(&out, "u: \"[[" STR_FMT "]]\"\nl:\n  - '[[" STR_FMT "|a]]'\n",
                    STR_ARG(path), STR_ARG(path));
        sbuf_printf(&out, "m: \"[n](" STR_FMT ")\"\n", STR_ARG(encoded(a, path)));
    }
    sbuf_add(&out, STR("---\n"));
    return sbuf_str(&out);
}

static str canvas(struct arena *a, struct index *x)
{
    str path = some_path(a, x), other = link_path(a, x);
    if (str_find_char(path, '"') != STR_NONE || str_find_char(other, '"') != STR_NONE)
        return STR("{}");
    return arena_printf(a,
                        "{\"nodes\":[{\"type\":\"file\",\"file\":\"" STR_FMT "\"},\n"
                        "{\"type\":\"text\",\"text\":\"\\u00e9 [[" STR_FMT
                        "]] [n](" STR_FMT ")\"}]}",
                        STR_ARG(path), STR_ARG(other), STR_ARG(encoded(a, other)));
}

static str some_text(struct arena *a, struct index *x, str path)
{
    struct sbuf out = SBUF_ON(a);
    if (file_kind_of(path) == FILE_CANVAS)
        return canvas(a, x);
    if (pick(3) == 0)
        sbuf_add(&out, property(a, x));
    for (uint32_t i = pick(LINKS_MAX); i > 0; i--)
        add_link(a, &out, x);
    return sbuf_str(&out);
}

/* All names first, so that links can mean them; then the texts. */
static struct index *some_vault(struct arena *a)
{
    struct index *x = index_create();
    for (uint32_t i = 2 + pick(FILES_MAX - 1); i > 0; i--)
        vault_put(x, arena_printf(a, "%s%s", PICK(folders), PICK(names)), STR(""));
    for (file_id id = 0; id < x->n; id++) {
        str path = arena_str(a, index_file(x, id)->path);
        if (file_kind_of(path) != FILE_OTHER)
            vault_put(x, path, some_text(a, x, path));
    }
    return x;
}

static void print_vault(const struct index *x, const struct rename_plan *plan)
{
    for (size_t i = 0; i < plan->n_moves; i++)
        print_message("move '" STR_FMT "' to '" STR_FMT "'\n",
                      STR_ARG(plan->moves[i].from), STR_ARG(plan->moves[i].to));
    for (file_id id = 0; id < x->n; id++)
        print_message("== " STR_FMT "\n" STR_FMT "\n", STR_ARG(index_file(x, id)->path),
                      STR_ARG(index_file(x, id)->text));
    for (size_t i = 0; i < plan->n_rewrites; i++)
        print_message(">> " STR_FMT "\n" STR_FMT "\n", STR_ARG(plan->rewrites[i].path),
                      STR_ARG(plan->rewrites[i].text));
}

/* Files keep their type: a note does not become a canvas. */
static struct rename_move some_move(struct arena *a, const struct index *x)
{
    str from = index_file(x, pick(x->n))->path, to;
    do
        to = arena_printf(a, "%s%s", PICK(folders), PICK(names));
    while (file_kind_of(from) != file_kind_of(to));
    return (struct rename_move){from, to};
}

/* A backtick in the new name and one before it turn the text between them into code. */
static bool is_garbled(const struct rename_plan *plan)
{
    for (size_t i = 0; i < plan->n_warnings; i++)
        if (str_find(plan->warnings[i], STR("read as markup")) != STR_NONE)
            return true;
    return false;
}

static void test_random(void **state)
{
    struct arena *a = *state;
    size_t done = 0, garbled = 0, links = 0;
    uint32_t all = (uint32_t)rounds(ROUNDS);
    for (uint32_t round = 0; round < all; round++) {
        seed = round * 2654435761u + 1;
        struct index *x = some_vault(a);
        struct rename_move moves[MOVES_MAX];
        struct rename_plan plan;
        struct err err = {0};
        size_t n = 1 + pick(MOVES_MAX);
        for (size_t i = 0; i < n; i++)
            moves[i] = some_move(a, x);
        str where;
        if (rename_files(x, pick(3), a, moves, n, NULL, &plan, &err)) {
            bool told = is_garbled(&plan);
            const char *wrong = told ? NULL : verify_plan(x, &plan, &where);
            done++;
            garbled += told;
            links += plan.links;
            if (wrong != NULL) {
                print_vault(x, &plan);
                fail_msg("round %u, '" STR_FMT "': %s", round, STR_ARG(where), wrong);
            }
        }
        index_free(x);
        arena_reset(a);
    }
    CHECK("most are moves", done > all / 2);
    CHECK("with links", links > done);
    CHECK("hardly any are garbled", garbled < done / 100);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
