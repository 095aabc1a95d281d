/* What differs on disk, and the index of the person whose repository it is. */
#include <unistd.h>

#include "base/path.h"
#include "base/sbuf.h"
#include "sync/tree_path.h"
#include "sync/work.h"

/* More paths than fit on a command line: all are listed, and looked through here. */
enum { PATHS_MAX = 200 };

/* --- our index --- */

/* Another file, whose name differs by case or normal form only. */
static bool has_twin(struct work *w, str path)
{
    size_t twins;
    const struct index *x = vault_hold(w->v);
    file_id id = names_find_path(x->names, path, &twins);
    bool found = id != NO_FILE && !str_eq(names_path(x->names, id), path);
    vault_let_go(w->v);
    return found;
}

static void add_line(struct sbuf *in, unsigned mode, str id, str path)
{
    sbuf_printf(in, "%o ", mode);
    sbuf_add(in, id);
    sbuf_char(in, '\t');
    sbuf_add(in, path);
    sbuf_char(in, '\0');
}

static bool is_on_disk(struct work *w, str path)
{
    struct fs_info info;
    struct err err;
    return fs_stat(vault_root(w->v), path, &info, &err) || err.code != ERR_NOT_FOUND;
}

/* What is not on disk because it could not be put there is left out: it is not deleted.
 */
static bool add_lines(struct work *w, struct arena *a, struct sbuf *in,
                      const struct git_entry *list, size_t n, struct err *err)
{
    str *ids = ARENA_ARRAY(a, str, n + 1);
    size_t *sizes = ARENA_ARRAY(a, size_t, n + 1), n_ids = 0, used = 0;
    bool *missing = ARENA_ARRAY(a, bool, n + 1);
    for (size_t i = 0; i < n; i++) {
        bool held = tree_is_file(list[i].mode) && tree_path_problem(list[i].path) == NULL;
        missing[i] = held && !is_on_disk(w, list[i].path);
        if (missing[i])
            ids[n_ids++] = list[i].id;
    }
    if (!git_blob_sizes(w->g, a, ids, n_ids, sizes, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct git_entry *e = &list[i];
        bool large = missing[i] && sizes[used++] > TREE_BLOB_MAX;
        bool out =
            !tree_is_file(e->mode) || large || (missing[i] && has_twin(w, e->path));
        if (tree_path_problem(e->path) == NULL)
            add_line(in, out ? 0 : e->mode, e->id, e->path);
    }
    return true;
}

static bool all_lines(struct work *w, struct arena *a, str commit, struct sbuf *in,
                      struct err *err)
{
    struct git_entry *list;
    size_t n;
    unlink(arena_printf(a, "%s/index", w->g->home).p);
    unlink(arena_printf(a, "%s/index.lock", w->g->home).p);
    if (commit.n == 0)
        return true;
    if (!git_list(w->g, a, commit, &list, &n, err))
        return false;
    return add_lines(w, a, in, list, n, err);
}

static bool new_lines(struct work *w, struct arena *a, str commit, struct sbuf *in,
                      struct err *err)
{
    struct git_diff *list;
    size_t n;
    if (!git_diff(w->g, a, str_c(w->index_at), commit, false, &list, &n, err))
        return false;
    struct git_entry *entries = ARENA_ARRAY(a, struct git_entry, n + 1);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (str_starts(list[i].path, w->g->prefix))
            entries[kept++] =
                (struct git_entry){.path = str_skip(list[i].path, w->g->prefix.n),
                                   .id = list[i].mode != 0 ? list[i].id : list[i].old_id,
                                   .mode = list[i].mode};
    return add_lines(w, a, in, entries, kept, err);
}

bool work_index(struct work *w, struct arena *a, str commit, struct err *err)
{
    struct sbuf in = SBUF_ON(a);
    str ignored;
    if (commit.n > 0 && str_eq(commit, str_c(w->index_at)))
        return true;
    bool listed = w->index_at[0] != '\0' && commit.n > 0
                      ? new_lines(w, a, commit, &in, err)
                      : all_lines(w, a, commit, &in, err);
    w->index_at[0] = '\0';
    if (!listed ||
        !git_run(w->g, a, GIT_HOW(.input = sbuf_str(&in)),
                 GIT_ARGS("update-index", "-z", "--index-info"), &ignored, err))
        return false;
    snprintf(w->index_at, sizeof(w->index_at), STR_FMT, STR_ARG(commit));
    return true;
}

/* --- what differs --- */

static int by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

/* Whether path or a folder it is in is one of them. */
static bool is_below(const str *sorted, size_t n, str path)
{
    for (size_t i = 0; i <= path.n; i++) {
        str part = str_slice(path, 0, i);
        if ((i == path.n || path.p[i] == '/') &&
            bsearch(&part, sorted, n, sizeof(*sorted), by_bytes) != NULL)
            return true;
    }
    return false;
}

static const char **list_args(struct arena *a, const str *paths, size_t n)
{
    static const char *const first[] = {"ls-files",           "-z", "-m", "-d", "-o",
                                        "--exclude-standard", "--"};
    const char **args = ARENA_ARRAY(a, const char *, COUNT_OF(first) + n + 1);
    for (size_t i = 0; i < COUNT_OF(first); i++)
        args[i] = first[i];
    for (size_t i = 0; i < n; i++)
        args[COUNT_OF(first) + i] = arena_str(a, paths[i]).p;
    return args;
}

bool work_differs(struct work *w, struct arena *a, const str *paths, size_t n, str **out,
                  size_t *n_out, struct err *err)
{
    str lines, line, last = {0};
    str *sorted = ARENA_ARRAY(a, str, n + 1);
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        sorted[i] = paths[i];
        bytes += paths[i].n;
    }
    qsort(sorted, n, sizeof(*sorted), by_bytes);
    bool name_all = n > PATHS_MAX || bytes > PATHS_MAX * 256;
    if (!git_run(w->g, a, GIT_HOW(0), list_args(a, paths, name_all ? 0 : n), &lines, err))
        return false;
    size_t most = 1;
    for (size_t i = 0; i < lines.n; i++)
        most += lines.p[i] == '\0';
    *out = ARENA_ARRAY(a, str, most);
    *n_out = 0;
    while (str_next(&lines, '\0', &line) && line.n > 0) {
        bool wanted = n == 0 || is_below(sorted, n, line);
        if (wanted && !str_eq(line, last) && !str_ends(line, STR("/")) &&
            !tree_path_is_noise(line) && tree_path_problem(line) == NULL)
            (*out)[(*n_out)++] = line;
        last = line;
    }
    qsort(*out, *n_out, sizeof(**out), by_bytes); /* a deleted one is listed twice */
    size_t kept = 0;
    for (size_t i = 0; i < *n_out; i++)
        if (i == 0 || !str_eq((*out)[i], (*out)[i - 1]))
            (*out)[kept++] = (*out)[i];
    *n_out = kept;
    return true;
}

/* --- theirs --- */

bool work_users_index(struct work *w, struct arena *a, str from, str to, struct err *err)
{
    struct sbuf in = SBUF_ON(a);
    struct git_diff *list;
    size_t n;
    str ignored;
    if (w->g->ours)
        return true;
    if (!git_diff(w->g, a, from, to, false, &list, &n, err))
        return false;
    for (size_t i = 0; i < n; i++)
        if (tree_path_problem(list[i].path) == NULL)
            add_line(&in, list[i].mode, list[i].mode != 0 ? list[i].id : list[i].old_id,
                     list[i].path);
    const char *env[] = {arena_printf(a, "GIT_INDEX_FILE=%s/index", w->g->dir).p, NULL};
    return git_run(w->g, a, GIT_HOW(.input = sbuf_str(&in), .more = env),
                   GIT_ARGS("update-index", "-z", "--index-info"), &ignored, err);
}
