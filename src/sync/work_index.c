/* Find what differs on disk, and update the user's index. */

#include "base/os/file.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/sort.h"
#include "sync/git.h"
#include "sync/own.h"
#include "sync/pending.h"
#include "sync/tree_path.h"
#include "sync/work.h"
#include "vault/index/names.h"
#include "vault/vault.h"

/* More paths may not fit on a command line: then list all files, and filter here. */
enum { PATHS_MAX = 200 };

/* --- our index --- */

/* Whether another file has a name that differs only in case or normal form. */
static bool has_twin(struct work *w, str path)
{
    size_t twins;
    const struct index *x = vault_lock(w->v);
    file_id id = names_find_path(x->names, path, &twins);
    bool found = id != NO_FILE && !str_eq(names_path(x->names, id), path);
    vault_unlock(w->v);
    return found;
}

/* git wants an id also for what is removed. */
static void work_index_add_line(const struct git *g, struct sbuf *in, unsigned mode,
                                str id, str path)
{
    if (id.n > 0)
        sbuf_printf(in, "%o " STR_FMT, mode, STR_ARG(id));
    else
        sbuf_printf(in, "%o %0*d", mode, g->sha256 ? 64 : 40, 0);
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

/* Files that could not be written to disk are left out, or they would seem deleted. */
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
    if (!git_blob_sizes(&w->reader, a, ids, n_ids, sizes, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct git_entry *e = &list[i];
        bool large = missing[i] && sizes[used++] > TREE_BLOB_MAX;
        bool out =
            !tree_is_file(e->mode) || large || (missing[i] && has_twin(w, e->path));
        if (tree_path_problem(e->path) == NULL)
            work_index_add_line(w->g, in, out ? 0 : e->mode, e->id, e->path);
    }
    return true;
}

static bool all_lines(struct work *w, struct arena *a, str commit, struct sbuf *in,
                      struct err *err)
{
    struct git_entry *list;
    size_t n;
    file_remove(FILE_CWD, arena_printf(a, "%s/index", w->g->home).p);
    file_remove(FILE_CWD, arena_printf(a, "%s/index.lock", w->g->home).p);
    if (commit.n == 0)
        return true;
    if (!git_list(&w->reader, a, commit, &list, &n, err))
        return false;
    return add_lines(w, a, in, list, n, err);
}

/* The differences of two commits. */
static bool find_edits(struct work *w, struct arena *a, str from, str to,
                       struct git_entry **out, size_t *n, struct err *err)
{
    struct git_diff *list;
    if (!git_diff(w->g, a, from, to, false, &list, n, err))
        return false;
    *out = ARENA_ARRAY(a, struct git_entry, *n + 1);
    for (size_t i = 0; i < *n; i++)
        (*out)[i] =
            (struct git_entry){.path = list[i].path,
                               .id = list[i].mode != 0 ? list[i].id : list[i].old_id,
                               .mode = list[i].mode};
    return true;
}

/* Those of the vault. First what is removed: another edit may put something there. */
static bool edit_lines(struct work *w, struct arena *a, const struct git_entry *edits,
                       size_t n, struct sbuf *in, struct err *err)
{
    struct git_entry *entries = ARENA_ARRAY(a, struct git_entry, n + 1);
    size_t kept = 0;
    for (int there = 0; there < 2; there++)
        for (size_t i = 0; i < n; i++)
            if ((edits[i].mode != 0) == there &&
                str_starts(edits[i].path, w->g->prefix)) {
                entries[kept] = edits[i];
                entries[kept++].path = str_skip(edits[i].path, w->g->prefix.n);
            }
    return add_lines(w, a, in, entries, kept, err);
}

static bool new_lines(struct work *w, struct arena *a, str commit, struct sbuf *in,
                      struct err *err)
{
    struct git_entry *edits;
    size_t n;
    return find_edits(w, a, str_c(w->index_at), commit, &edits, &n, err) &&
           edit_lines(w, a, edits, n, in, err);
}

static struct work_stamp index_stamp(const struct work *w, struct arena *a)
{
    struct file_stat st;
    const char *path = arena_printf(a, "%s/index", w->g->home).p;
    if (!file_stat_at(FILE_CWD, path, FILE_FOLLOW, &st))
        return (struct work_stamp){0};
    return (struct work_stamp){.file = st.inode, .ns = (uint64_t)st.modified_ns};
}

/* Whether our index is as we left it. Another process may have changed it since, and may
 * have been interrupted. */
static bool is_as_left(const struct work *w, struct arena *a)
{
    struct work_stamp now = index_stamp(w, a);
    return now.file == w->index_stamp.file && now.ns == w->index_stamp.ns;
}

static bool work_index_put_lines(struct work *w, struct arena *a, str lines, str commit,
                                 struct err *err)
{
    str ignored;
    w->index_at[0] = '\0';
    if (lines.n > 0 &&
        !git_run(w->g, a, GIT_HOW(.input = lines),
                 GIT_ARGS("update-index", "-z", "--index-info"), &ignored, err))
        return false;
    snprintf(w->index_at, sizeof(w->index_at), STR_FMT, STR_ARG(commit));
    w->index_stamp = index_stamp(w, a);
    return true;
}

bool work_index(struct work *w, struct arena *a, str commit, struct err *err)
{
    struct sbuf in = SBUF_ON(a);
    if (!is_as_left(w, a))
        w->index_at[0] = '\0';
    if (commit.n > 0 && str_eq(commit, str_c(w->index_at)))
        return true;
    bool listed = w->index_at[0] != '\0' && commit.n > 0
                      ? new_lines(w, a, commit, &in, err)
                      : all_lines(w, a, commit, &in, err);
    return listed && work_index_put_lines(w, a, sbuf_str(&in), commit, err);
}

bool work_index_step(struct work *w, struct arena *a, const struct work_step *s,
                     struct err *err)
{
    struct sbuf in = SBUF_ON(a);
    if (s->edits == NULL || !str_eq(s->from, str_c(w->index_at)) || !is_as_left(w, a))
        return work_index(w, a, s->to, err);
    return edit_lines(w, a, s->edits, s->n, &in, err) &&
           work_index_put_lines(w, a, sbuf_str(&in), s->to, err);
}

/* --- what differs --- */

static bool by_folders(const str *paths, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += paths[i].n;
    return n <= PATHS_MAX && bytes <= PATHS_MAX * 256;
}

static const char **list_args(struct arena *a, const char *const *first, const str *paths,
                              size_t n)
{
    size_t n_first = 0, used = 0;
    while (first[n_first] != NULL)
        n_first++;
    const char **args = ARENA_ARRAY(a, const char *, n_first + n + 1);
    while (used < n_first) {
        args[used] = first[used];
        used++;
    }
    for (size_t i = 0; i < n; i++)
        args[used++] = arena_str(a, paths[i]).p;
    return args;
}

/* "100644 ID 0\tpath", or a path that is not in the index. */
static struct work_file parse_file(str line)
{
    struct work_file f = {.path = line};
    size_t tab = str_find_char(line, '\t');
    if (tab == STR_NONE)
        return f; /* none of our paths has one */
    str words = str_slice(line, 0, tab), mode = {0};
    f.path = str_skip(line, tab + 1);
    str_next(&words, ' ', &mode);
    str_next(&words, ' ', &f.id);
    f.mode = git_mode(mode);
    return f;
}

static int work_index_by_path(const void *a, const void *b)
{
    return str_cmp(((const struct work_file *)a)->path,
                   ((const struct work_file *)b)->path);
}

static bool work_index_is_wanted(const str *sorted, size_t n, str path)
{
    return (n == 0 || pending_is_below(sorted, n, path)) && !str_ends(path, STR("/")) &&
           !tree_path_is_noise(path) && tree_path_problem(path) == NULL;
}

/* ls-files below the paths; duplicates count once. */
static bool list_files(struct work *w, struct arena *a, const char *const *first,
                       const str *paths, size_t n, struct work_file **out, size_t *n_out,
                       struct err *err)
{
    str lines, line;
    size_t most = 1, kept = 0, named = by_folders(paths, n) ? n : 0;
    if (!git_run(w->g, a, GIT_HOW(0), list_args(a, first, paths, named), &lines, err))
        return false;
    for (size_t i = 0; i < lines.n; i++)
        most += lines.p[i] == '\0';
    struct work_file *list = ARENA_ARRAY(a, struct work_file, most);
    *n_out = 0;
    while (str_next(&lines, '\0', &line) && line.n > 0) {
        struct work_file f = parse_file(line);
        if (work_index_is_wanted(paths, n, f.path))
            list[(*n_out)++] = f;
    }
    sort_items(list, *n_out, sizeof(*list), work_index_by_path);
    for (size_t i = 0; i < *n_out; i++)
        if (i == 0 || !str_eq(list[i].path, list[i - 1].path))
            list[kept++] = list[i];
    *n_out = kept;
    *out = list;
    return true;
}

bool work_differs(struct work *w, struct arena *a, const str *paths, size_t n,
                  struct work_file **out, size_t *n_out, struct err *err)
{
    static const char *const differs[] = {
        "ls-files", "-z", "-s", "-m", "-d", "-o", "--exclude-standard", "--", NULL};
    int code;
    str ignored;
    /* with file times in the index, unchanged files need not be read every time */
    if (n == 0) {
        if (!git_run(w->g, a, GIT_HOW(.code = &code),
                     GIT_ARGS("update-index", "-q", "--refresh"), &ignored, err))
            return false;
        w->index_stamp = index_stamp(w, a);
    }
    return list_files(w, a, differs, paths, n, out, n_out, err);
}

static bool drop_ignored(struct work *w, struct arena *a, struct work_file *list,
                         size_t *n, struct err *err)
{
    struct sbuf in = SBUF_ON(a);
    str out, path = {0};
    size_t kept = 0;
    int code;
    for (size_t i = 0; i < *n; i++) {
        sbuf_add(&in, list[i].path);
        sbuf_char(&in, '\0');
    }
    static const char *const env[] = {"GIT_LITERAL_PATHSPECS=0",
                                      NULL}; /* it does not support them */
    if (!git_run(w->g, a, GIT_HOW(.input = sbuf_str(&in), .code = &code, .more = env),
                 GIT_ARGS("check-ignore", "-z", "--stdin"), &out, err))
        return false;
    str_next(&out, '\0', &path);
    for (size_t i = 0; i < *n; i++)
        if (str_eq(list[i].path, path))
            str_next(&out, '\0', &path); /* in the order they were given */
        else
            list[kept++] = list[i];
    *n = kept;
    return true;
}

bool work_look_up(struct work *w, struct arena *a, const str *paths, size_t n,
                  struct work_file **out, size_t *n_out, struct err *err)
{
    static const char *const known[] = {"ls-files", "-z", "-s", "--", NULL};
    struct work_file *there, *list = ARENA_ARRAY(a, struct work_file, n + 1);
    size_t n_there;
    *out = list;
    *n_out = 0;
    if (n == 0)
        return true;
    if (!list_files(w, a, known, paths, n, &there, &n_there, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct work_file f = {.path = paths[i]}, *found;
        found = bsearch(&f, there, n_there, sizeof(f), work_index_by_path);
        if (work_index_is_wanted(NULL, 0, f.path))
            list[(*n_out)++] = found != NULL ? *found : f;
    }
    return drop_ignored(w, a, list, n_out, err);
}

/* --- the user's index --- */

static void add_if_usual(const struct work *w, struct sbuf *in, const struct git_entry *e,
                         bool there)
{
    if ((e->mode != 0) == there && tree_path_problem(e->path) == NULL)
        work_index_add_line(w->g, in, e->mode, e->id, e->path);
}

bool work_users_index(struct work *w, struct arena *a, const struct work_step *s,
                      struct err *err)
{
    struct sbuf in = SBUF_ON(a);
    struct git_entry *found;
    size_t n = s->n;
    str ignored;
    if (w->g->ours)
        return true;
    if (s->edits == NULL && !find_edits(w, a, s->from, s->to, &found, &n, err))
        return false;
    const struct git_entry *edits = s->edits != NULL ? s->edits : found;
    for (int there = 0; there < 2; there++)
        for (size_t i = 0; i < n; i++)
            add_if_usual(w, &in, &edits[i], there);
    if (in.n == 0)
        return true;
    const char *env[] = {arena_printf(a, "GIT_INDEX_FILE=%s/index", w->g->dir).p, NULL};
    own_share_index(w->g, a);
    return git_run(w->g, a, GIT_HOW(.input = sbuf_str(&in), .more = env),
                   GIT_ARGS("update-index", "-z", "--index-info"), &ignored, err);
}
