/*
 * Many files share few names, in random folders; they come and go. Every answer is
 * compared with Obsidian's rules, applied to all files of that name one after
 * another.
 */
#include "vault/index/names.h"

#include "base/path.h"
#include "base/utf8.h"
#include "check.h"

enum { FILES = 400, STEPS = 3000, ASKED = 40 };

struct library {
    struct names *names;
    str paths[FILES]; /* as spelled; empty where there is none */
    str folded[FILES];
    uint32_t seed;
};

static uint32_t below(struct library *l, uint32_t n)
{
    l->seed = l->seed * 1664525u + 1013904223u;
    return (l->seed >> 8) % n;
}

/* Few folders, so that paths begin and end alike, fold to the same, or differ in length
 * only as Obsidian counts it. */
static str random_folder(struct library *l, struct arena *a, uint32_t depth)
{
    static const char *const names[] = {"a",  "b", "A", "ab", "a b", "a-b",
                                        "日", "ä", "Ä", "😀",  "c.d", "long folder"};
    str path = STR("");
    for (uint32_t i = 0; i < depth; i++)
        path = arena_printf(a, STR_FMT "%s/", STR_ARG(path),
                            names[below(l, COUNT_OF(names))]);
    return path;
}

static str random_name(struct library *l)
{
    static const char *const names[] = {"Index.md", "index.md",  "note.md", "a.b",
                                        "a.b.md",   "A.B.md.md", "ö.md",    "Ö.md"};
    return str_c(names[below(l, COUNT_OF(names))]);
}

static str random_path(struct library *l, struct arena *a)
{
    str folder = random_folder(l, a, below(l, 5)), name = random_name(l);
    return arena_printf(a, "%s" STR_FMT STR_FMT, below(l, 40) == 0 ? ".hidden/" : "",
                        STR_ARG(folder), STR_ARG(name));
}

/* A link: with or without folders, an extension, and a prefix. */
static str random_link(struct library *l, struct arena *a)
{
    static const char *const prefixes[] = {"",    "",       "",  "./",
                                           "../", "../../", "/", "./../"};
    str path = random_path(l, a);
    if (below(l, 3) == 0)
        path = random_name(l);
    else if (below(l, 2) == 0 && l->paths[path.n % FILES].n > 0)
        path = l->paths[path.n % FILES];
    for (uint32_t cut = below(l, 3); cut > 0 && str_find_char(path, '/') != STR_NONE;
         cut--)
        path = str_skip(path, str_find_char(path, '/') + 1);
    if (below(l, 2) == 0 && str_ends(path, STR(".md")))
        path.n -= 3;
    return arena_printf(a, "%s" STR_FMT, prefixes[below(l, COUNT_OF(prefixes))],
                        STR_ARG(path));
}

/* --- the rules, slowly --- */

static bool ends_with(str path, str wanted)
{
    return str_ends(path, wanted) &&
           (path.n == wanted.n || path.p[path.n - wanted.n - 1] == '/');
}

static size_t units(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((s.p[i] & 0xC0) != 0x80) + ((uint8_t)s.p[i] >= 0xF0);
    return n;
}

static bool is_before(const struct library *l, file_id a, file_id b)
{
    size_t na = units(l->folded[a]), nb = units(l->folded[b]);
    return na != nb ? na < nb : str_cmp(l->paths[a], l->paths[b]) < 0;
}

static bool is_hidden(str path)
{
    return str_starts(path, STR(".hidden/"));
}

static size_t count_named(const struct library *l, str name)
{
    size_t n = 0;
    for (file_id i = 0; i < FILES; i++)
        n += l->paths[i].n > 0 && !is_hidden(l->paths[i]) &&
             str_eq(path_name(l->folded[i]), name);
    return n;
}

struct slow_link {
    str wanted, folder, relative; /* relative: the whole path that is meant; or empty */
    bool rooted;
};

static struct slow_link read_link(struct arena *a, str link, str source)
{
    struct slow_link s = {.wanted = link, .folder = path_folder(source)};
    str from = s.folder;
    bool dots = false, above = false;
    while (str_starts(s.wanted, STR("./")) || str_starts(s.wanted, STR("../"))) {
        bool up = str_starts(s.wanted, STR("../"));
        above = above || (up && from.n == 0);
        from = up ? path_folder(from) : from;
        s.wanted = str_skip(s.wanted, up ? 3 : 2);
        dots = true;
    }
    s.rooted = str_starts(s.wanted, STR("/"));
    s.wanted = str_skip(s.wanted, s.rooted);
    if (dots && !above)
        s.relative = path_join(a, from, s.wanted);
    return s;
}

static enum names_rule slow_rule(const struct slow_link *s, str path)
{
    if (s->relative.n > 0 && str_eq(path, s->relative))
        return NAMES_RELATIVE;
    if (str_eq(path, s->wanted))
        return NAMES_EXACT;
    if (s->rooted || !ends_with(path, s->wanted))
        return NAMES_UNRESOLVED;
    return s->folder.n > 0 && path_is_below(s->folder, path) ? NAMES_OWN_FOLDER
                                                             : NAMES_SHORTEST;
}

static file_id slow_resolve(const struct library *l, struct arena *a, str link,
                            str source, enum names_rule *rule)
{
    str path = utf8_fold(a, link), name = path_name(path);
    if (str_find_char(name, '.') == STR_NONE || count_named(l, name) == 0)
        path = arena_printf(a, STR_FMT ".md", STR_ARG(path));
    name = path_name(path);
    struct slow_link s = read_link(a, path, utf8_fold(a, source));
    bool only = path.n == name.n && count_named(l, name) == 1;
    file_id best = NO_FILE;
    *rule = NAMES_UNRESOLVED;
    for (file_id i = 0; i < FILES; i++) {
        if (l->paths[i].n == 0 || is_hidden(l->paths[i]) ||
            !str_eq(path_name(l->folded[i]), name))
            continue;
        enum names_rule now = only ? NAMES_ONLY_ONE : slow_rule(&s, l->folded[i]);
        if (now == NAMES_UNRESOLVED || now > *rule ||
            (now == *rule && !is_before(l, i, best)))
            continue;
        best = i;
        *rule = now;
    }
    return best;
}

/* --- comparing --- */

static void check_link(struct library *l, struct arena *a)
{
    str link = random_link(l, a), source = random_path(l, a);
    str row =
        arena_printf(a, "[[" STR_FMT "]] in " STR_FMT, STR_ARG(link), STR_ARG(source));
    enum names_rule rule;
    file_id want = slow_resolve(l, a, link, source, &rule);
    struct names_answer got, explained;
    names_resolve(l->names, NULL, link, source, NO_FILE, &got);
    names_resolve(l->names, a, link, source, NO_FILE, &explained);
    CHECK_INT(row.p, got.file, want);
    CHECK_INT(row.p, got.rule, rule);
    CHECK_INT(row.p, explained.file, want);
    if (want != NO_FILE)
        CHECK(row.p, names_may_mean(l->names, link, want));
}

static void check_path(struct library *l, struct arena *a)
{
    str path = random_path(l, a), folded = utf8_fold(a, path);
    file_id want = NO_FILE;
    size_t twins = 0, found;
    for (file_id i = 0; i < FILES; i++) {
        if (l->paths[i].n == 0 || is_hidden(path) || !str_eq(l->folded[i], folded))
            continue;
        twins++;
        if (want == NO_FILE || str_eq(l->paths[i], path) ||
            (!str_eq(l->paths[want], path) && str_cmp(l->paths[i], l->paths[want]) < 0))
            want = i;
    }
    CHECK_INT(path.p, names_find_path(l->names, path, &found), want);
    CHECK_INT(path.p, found, twins);
    size_t named = count_named(l, path_name(folded));
    CHECK_INT(path.p, names_sharing(l->names, path), named < 2 ? named : 2);
}

/* No two files have the same path. */
static bool is_taken(const struct library *l, str path)
{
    for (file_id i = 0; i < FILES; i++)
        if (str_eq(l->paths[i], path))
            return true;
    return false;
}

static void change_one(struct library *l, struct arena *keep)
{
    file_id id = below(l, FILES);
    str path = random_path(l, keep);
    if (l->paths[id].n > 0) {
        names_remove(l->names, id);
        l->paths[id] = STR("");
    } else if (!is_taken(l, path)) {
        names_add(l->names, id, path);
        l->paths[id] = path;
        l->folded[id] = utf8_fold(keep, path);
    }
}

static void test_random(void **state)
{
    static struct library l;
    struct arena scratch = {0};
    l = (struct library){.names = names_create(), .seed = 7};
    for (int step = 0; step < STEPS; step++) {
        change_one(&l, *state);
        if (step % ASKED != 0)
            continue;
        for (int i = 0; i < ASKED * 4; i++) {
            check_link(&l, &scratch);
            check_path(&l, &scratch);
            arena_reset(&scratch);
        }
    }
    for (file_id i = 0; i < FILES; i++)
        names_remove(l.names, i);
    CHECK_INT("all are gone", names_sharing(l.names, STR("index.md")), 0);
    CHECK_INT("none is left", names_count(l.names), 0);
    names_free(l.names);
    arena_release(&scratch);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
