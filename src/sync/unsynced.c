#include "sync/unsynced.h"

#include "base/array.h"
#include "base/os/file.h"
#include "base/sbuf.h"
#include "sync/git.h"
#include "sync/tree_path.h"

#define ATTRIBUTES ".gitattributes"

struct unsynced unsynced_of(const struct git *g, struct arena *a)
{
    return (struct unsynced){.g = g, .paths = {.arena = a}};
}

/* --- asking --- */

/* A filter without a name, or one that is switched off, is none. */
static bool names_filter(str value)
{
    return !str_eq(value, STR("unspecified")) && !str_eq(value, STR("unset")) &&
           !str_eq(value, STR("set")) && value.n > 0;
}

/* "path\0filter\0value\0" for each of them. */
static void take_values(struct unsynced *x, str out, size_t prefix)
{
    str path, name, value;
    while (str_next(&out, '\0', &path) && str_next(&out, '\0', &name) &&
           str_next(&out, '\0', &value))
        if (names_filter(value) && map_add_new(&x->paths, str_skip(path, prefix)))
            *ARRAY_ADD(x->paths.arena, x->filters, x->n_filters) = value;
}

static bool check_attr(struct unsynced *x, str prefix, const str *paths, size_t n,
                       const char *index, struct err *err)
{
    struct arena *a = x->paths.arena;
    struct sbuf in = SBUF_ON(a);
    str out;
    const char *env[] = {index, NULL};
    for (size_t i = 0; i < n; i++) {
        if (tree_path_problem(paths[i]) != NULL)
            continue; /* it is not a file of the vault, and git may refuse to look */
        sbuf_add(&in, prefix);
        sbuf_add(&in, paths[i]);
        sbuf_char(&in, '\0');
    }
    if (!git_run(
            x->g, a, GIT_HOW(.input = sbuf_str(&in), .more = index != NULL ? env : NULL),
            GIT_ARGS("check-attr", "-z", "--stdin", index != NULL ? "--cached" : "filter",
                     index != NULL ? "filter" : NULL),
            &out, err))
        return false;
    take_values(x, out, prefix.n);
    return true;
}

/* The lines of ls-tree for files with attributes, which update-index accepts. */
static str attribute_lines(struct arena *a, str tree)
{
    struct sbuf in = SBUF_ON(a);
    str line;
    while (str_next(&tree, '\0', &line))
        if (str_ends(line, STR("/" ATTRIBUTES)) || str_ends(line, STR("\t" ATTRIBUTES))) {
            sbuf_add(&in, line);
            sbuf_char(&in, '\0');
        }
    return sbuf_str(&in);
}

/* An index with nothing but the files that have the attributes of the commit. */
bool unsynced_ask_commit(struct unsynced *x, str commit, const str *paths, size_t n,
                         struct err *err)
{
    const struct git *g = x->g;
    struct arena *a = x->paths.arena;
    str tree, out;
    if (n == 0 || commit.n == 0)
        return true;
    const char *index = arena_printf(a, "GIT_INDEX_FILE=%s/attributes", g->home).p;
    const char *env[] = {index, NULL};
    file_remove(FILE_CWD, arena_printf(a, "%s/attributes", g->home).p);
    file_remove(FILE_CWD, arena_printf(a, "%s/attributes.lock", g->home).p);
    if (!git_run(g, a, GIT_HOW(0),
                 GIT_ARGS("ls-tree", "-r", "-z", "--full-tree", arena_str(a, commit).p),
                 &tree, err))
        return false;
    str lines = attribute_lines(a, tree);
    return lines.n == 0 ||
           (git_run(g, a, GIT_HOW(.input = lines, .more = env),
                    GIT_ARGS("update-index", "-z", "--index-info"), &out, err) &&
            check_attr(x, g->prefix, paths, n, index, err));
}

/* The work tree is the vault, so folders above it count as in the last commit. */
bool unsynced_ask_disk(struct unsynced *x, const str *paths, size_t n, struct err *err)
{
    const struct git *g = x->g;
    str head = {0};
    if (n == 0)
        return true;
    if (g->prefix.n > 0 && !git_commit_of(g, x->paths.arena, "HEAD", &head, err))
        return false;
    return check_attr(x, (str){0}, paths, n, NULL, err) &&
           unsynced_ask_commit(x, head, paths, n, err);
}

/* --- answering --- */

bool unsynced_has_filter(const struct unsynced *x, str path, struct unsynced_reason *out)
{
    enum { NAMED = 60 };
    uint32_t number = map_find(&x->paths, path);
    if (number == MAP_NONE)
        return false;
    out->files = STR(ATTRIBUTES);
    out->why = arena_printf(x->paths.arena,
                            "files with the filter '" STR_FMT "' are neither committed "
                            "nor written here: use git itself to sync them",
                            STR_ARG(str_slice(x->filters[number], 0, NAMED)))
                   .p;
    return true;
}

bool unsynced_is_plugin(const struct unsynced *x, str path, struct unsynced_reason *out)
{
    if (x->g->config.plugins || !tree_path_is_code(path))
        return false;
    out->files = STR("plugins");
    out->why = "Obsidian plugins are programs, so those in the repository are not "
               "written here: install them in Obsidian, or set --git-plugins";
    return true;
}
