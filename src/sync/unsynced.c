#include "sync/unsynced.h"

#include "base/array.h"
#include "base/os/file.h"
#include "base/sbuf.h"
#include "sync/git.h"
#include "sync/tree_path.h"

#define ATTRIBUTES ".gitattributes"

/* Of at most so many paths, each folder is looked at; else the whole tree is listed. */
enum { FEW_PATHS = 100 };

struct unsynced unsynced_of(struct git_reader *reader, struct arena *a)
{
    return (struct unsynced){.reader = reader, .g = reader->g, .paths = {.arena = a}};
}

/* --- where attributes are --- */

/* The files with attributes that count for these paths: one in each of their folders. */
static size_t attribute_files(struct arena *a, str prefix, const str *paths, size_t n,
                              str **out)
{
    struct map files = {.arena = a};
    for (size_t i = 0; i < n; i++) {
        if (tree_path_problem(paths[i]) != NULL)
            continue;
        str path = arena_printf(a, STR_FMT STR_FMT, STR_ARG(prefix), STR_ARG(paths[i]));
        for (size_t at = path.n + 1; at-- > 0;)
            if (at == 0 || path.p[at - 1] == '/')
                map_add(&files, arena_printf(a, STR_FMT ATTRIBUTES,
                                             STR_ARG(str_slice(path, 0, at))));
    }
    *out = files.keys;
    return files.n;
}

/* The lines of ls-tree for those of a commit, which update-index accepts. */
static bool look_up_attributes(struct unsynced *x, str commit, const str *paths, size_t n,
                               struct sbuf *lines, struct err *err)
{
    struct git_entry found;
    str *files;
    size_t n_files = attribute_files(x->paths.arena, x->g->prefix, paths, n, &files);
    for (size_t i = 0; i < n_files; i++) {
        if (!git_find(x->reader, x->paths.arena, commit, files[i], &found, err))
            return false;
        if (found.mode == 0 || found.mode == GIT_TREE)
            continue;
        sbuf_printf(lines, "%o " STR_FMT "\t", found.mode, STR_ARG(found.id));
        sbuf_add(lines, files[i]);
        sbuf_char(lines, '\0');
    }
    return true;
}

/* Files outside of the vault that git reads, too. */
static bool has_general_attributes(const struct unsynced *x)
{
    struct arena *a = x->paths.arena;
    return file_exists(arena_printf(a, "%s/info/attributes", x->g->own).p) ||
           file_exists(arena_printf(a, "%s/git/attributes", x->g->home).p);
}

/* Whether git could find any on disk, or in the index, which it reads if a file is missing:
 * most vaults have none, and git need not be asked. */
static bool may_have_attributes(struct unsynced *x, str head, const str *paths, size_t n,
                                bool *may, struct err *err)
{
    struct arena *a = x->paths.arena;
    struct sbuf lines = SBUF_ON(a);
    str *files;
    *may = n > FEW_PATHS || has_general_attributes(x);
    if (*may)
        return true;
    size_t n_files = attribute_files(a, STR(""), paths, n, &files);
    for (size_t i = 0; i < n_files; i++)
        *may =
            *may ||
            file_exists(arena_printf(a, "%s/" STR_FMT, x->g->vault, STR_ARG(files[i])).p);
    if (*may)
        return true;
    if (head.n > 0 && !look_up_attributes(x, head, paths, n, &lines, err))
        return false;
    *may = lines.n > 0;
    return true;
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

static bool list_attributes(const struct unsynced *x, str commit, struct sbuf *lines,
                            struct err *err)
{
    struct arena *a = x->paths.arena;
    str tree, line;
    if (!git_run(x->g, a, GIT_HOW(0),
                 GIT_ARGS("ls-tree", "-r", "-z", "--full-tree", arena_str(a, commit).p),
                 &tree, err))
        return false;
    while (str_next(&tree, '\0', &line))
        if (str_ends(line, STR("/" ATTRIBUTES)) || str_ends(line, STR("\t" ATTRIBUTES))) {
            sbuf_add(lines, line);
            sbuf_char(lines, '\0');
        }
    return true;
}

/* An index with nothing but the files that have the attributes of the commit. */
bool unsynced_ask_commit(struct unsynced *x, str commit, const str *paths, size_t n,
                         struct err *err)
{
    const struct git *g = x->g;
    struct arena *a = x->paths.arena;
    struct sbuf lines = SBUF_ON(a);
    str out;
    if (n == 0 || commit.n == 0)
        return true;
    if (n <= FEW_PATHS ? !look_up_attributes(x, commit, paths, n, &lines, err)
                       : !list_attributes(x, commit, &lines, err))
        return false;
    if (lines.n == 0)
        return true;
    const char *index = arena_printf(a, "GIT_INDEX_FILE=%s/attributes", g->home).p;
    const char *env[] = {index, NULL};
    file_remove(FILE_CWD, arena_printf(a, "%s/attributes", g->home).p);
    file_remove(FILE_CWD, arena_printf(a, "%s/attributes.lock", g->home).p);
    return git_run(g, a, GIT_HOW(.input = sbuf_str(&lines), .more = env),
                   GIT_ARGS("update-index", "-z", "--index-info"), &out, err) &&
           check_attr(x, g->prefix, paths, n, index, err);
}

/* The work tree is the vault, so folders above it count as in the last commit. */
bool unsynced_ask_disk(struct unsynced *x, const str *paths, size_t n, struct err *err)
{
    str head = {0};
    bool may;
    if (n == 0)
        return true;
    if (!git_commit_of(x->g, x->paths.arena, "HEAD", &head, err) ||
        !may_have_attributes(x, head, paths, n, &may, err))
        return false;
    return !may || (check_attr(x, (str){0}, paths, n, NULL, err) &&
                    (x->g->prefix.n == 0 || unsynced_ask_commit(x, head, paths, n, err)));
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
