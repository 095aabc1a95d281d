#include "app/tool_support/tool_many.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "vault/draft.h"
#include "vault/eval/select.h"
#include "vault/index/index.h"
#include "vault/ops.h"
#include "vault/text/glob.h"
#include "vault/vault.h"

bool tool_many_asked(const struct tool_many *m)
{
    return m->where.n > 0 || m->paths.n > 0;
}

bool tool_many_check(const struct tool_many *m, str path,
                     const struct tool_change *change, struct err *err)
{
    if ((path.n > 0) == tool_many_asked(m))
        return err_named(err, E_INVALID_ARGUMENT,
                         path.n > 0 ? "give path alone, or paths and where"
                                    : "give either path, paths or where");
    if (change->if_match.n > 0 && path.n == 0)
        return err_named(err, E_INVALID_ARGUMENT, "if_match is for one note: give path");
    return path.n == 0 || m->expect == MCP_ABSENT ||
           err_named(err, E_INVALID_ARGUMENT, "expect is for paths and where");
}

bool tool_many_limit(size_t notes, struct err *err)
{
    return notes <= TOOL_MANY_MAX ||
           err_set(err, ERR_LIMIT,
                   "these are %zu notes, but one call can change %d: choose fewer", notes,
                   TOOL_MANY_MAX);
}

/* --- paths --- */

/* A file may have such a name, too. */
static bool many_is_glob(struct tool_changing *c, str word)
{
    bool glob = str_starts(word, STR("!"));
    for (size_t i = 0; i < word.n && !glob; i++)
        glob = strchr("*?[{", word.p[i]) != NULL;
    return glob && !draft_exists(c->draft, word) &&
           !draft_exists(c->draft,
                         arena_printf(c->call->arena, STR_FMT ".md", STR_ARG(word)));
}

/* The notes that the globs mean, all of them together: one with a ! excludes. Files that the
 * vault's settings exclude are not among them, as in queries. */
static bool add_globs(struct tool_changing *c, const struct tool_many *m,
                      struct mcp_strs *out, struct err *err)
{
    struct arena *a = c->call->arena;
    str *patterns = ARENA_ARRAY(a, str, m->paths.n);
    struct glob *glob;
    const struct file *f;
    size_t n = 0;
    for (size_t i = 0; i < m->paths.n; i++)
        if (many_is_glob(c, m->paths.items[i]))
            patterns[n++] = m->paths.items[i];
    if (n == 0)
        return true;
    if (!glob_compile(a, patterns, n, &glob, err))
        return false;
    const struct index *x = draft_lock(c->draft);
    for (file_id id = 0; (f = index_next(x, &id, draft_stop(c->draft))) != NULL;)
        if (f->kind == FILE_NOTE && !f->excluded && glob_match(glob, f->path))
            *ARRAY_ADD(a, out->items, out->n) = arena_str(a, f->path);
    draft_unlock(c->draft);
    return draft_go_on(c->draft, err);
}

static int many_by_path(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

static void sort_once(struct mcp_strs *list)
{
    size_t n = 0;
    if (list->n > 1)
        sort_items(list->items, list->n, sizeof(*list->items), many_by_path);
    for (size_t i = 0; i < list->n; i++)
        if (n == 0 || !str_eq(list->items[n - 1], list->items[i]))
            list->items[n++] = list->items[i];
    list->n = n;
}

bool tool_many_paths(struct tool_changing *c, const struct tool_many *m,
                     struct mcp_strs *files, struct err *err)
{
    *files = (struct mcp_strs){0};
    if (!add_globs(c, m, files, err))
        return false;
    for (size_t i = 0; i < m->paths.n; i++) {
        str path;
        if (many_is_glob(c, m->paths.items[i]))
            continue;
        if (draft_go_on(c->draft, err) &&
            ops_find_file(c->draft, m->paths.items[i], &path, err)) {
            *ARRAY_ADD(c->call->arena, files->items, files->n) = path;
        } else {
            if (m->paths.n > 1)
                (void)err_reword(err, "%s; nothing was changed in any note", err->msg);
            return tool_missing(err);
        }
    }
    sort_once(files);
    return true;
}

bool tool_many_has(const struct mcp_strs *sorted, str path)
{
    size_t low = 0, high = sorted->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = str_cmp(sorted->items[mid], path);
        if (order == 0)
            return true;
        low = order < 0 ? mid + 1 : low;
        high = order < 0 ? high : mid;
    }
    return false;
}

/* --- notes --- */

static bool many_where(struct tool_changing *c, str where, struct mcp_strs *out,
                       struct err *err)
{
    struct arena *a = c->call->arena;
    struct select s = {.where = where,
                       .limit = SIZE_MAX,
                       .now = clock_now(),
                       .stop = draft_stop(c->draft)};
    struct select_result found;
    s.utc_offset = clock_utc_offset(s.now);
    const struct index *x = draft_lock(c->draft);
    bool ok = select_run(x, a, &s, &found, err);
    *out = (struct mcp_strs){.items = ARENA_ARRAY(a, str, ok ? found.n : 0)};
    for (size_t i = 0; ok && i < found.n; i++)
        out->items[out->n++] = arena_str(a, found.rows[i].file->path);
    draft_unlock(c->draft);
    if (ok && found.limit != NULL)
        return draft_go_on(c->draft, err) &&
               err_set(err, ERR_LIMIT, "the query was stopped: choose fewer notes");
    if (ok)
        sort_once(out);
    return ok;
}

/* Those that are also among paths, and that takes accepts. */
static void many_keep(struct tool_changing *c, const struct mcp_strs *paths,
                      tool_many_takes *takes, void *arg, struct mcp_strs *list)
{
    size_t n = 0;
    const struct index *x = draft_lock(c->draft);
    for (size_t i = 0; i < list->n; i++) {
        const struct file *f = index_find(x, list->items[i]);
        if ((paths == NULL || tool_many_has(paths, list->items[i])) &&
            (f == NULL || takes == NULL || takes(arg, f)))
            list->items[n++] = list->items[i];
    }
    draft_unlock(c->draft);
    list->n = n;
}

bool tool_many_find(struct tool_changing *c, const struct tool_many *m,
                    tool_many_takes *takes, void *arg, struct mcp_strs *out,
                    struct err *err)
{
    struct mcp_strs paths;
    if (!vault_wait(draft_vault(c->draft), NULL, NULL, err) ||
        !tool_many_paths(c, m, &paths, err))
        return false;
    *out = paths;
    if (m->where.n > 0 && !many_where(c, m->where, out, err))
        return false;
    many_keep(c, m->where.n > 0 && m->paths.n > 0 ? &paths : NULL, NULL, NULL, out);
    if (out->n == 0)
        return m->where.n > 0
                   ? err_named(err, E_FILE_NOT_FOUND, "no note matches '" STR_FMT "'",
                               STR_ARG(utf8_cut(m->where, 120)))
                   : err_named(err, E_FILE_NOT_FOUND, "no note matches these paths");
    many_keep(c, NULL, takes, arg, out);
    return true;
}

/* --- how many --- */

bool tool_many_expect(const struct tool_changing *c, const struct tool_many *m, size_t n,
                      const char *one, const char *several, struct err *err)
{
    if (c->how->dry_run || m->expect == (int64_t)n)
        return true;
    if (m->expect == MCP_ABSENT)
        return err_named(err, E_NOT_CONFIRMED,
                         "not changed: %zu %s; dry_run shows the changes, and expect: "
                         "%zu makes them",
                         n, n == 1 ? one : several, n);
    return err_named(err, E_NOT_CONFIRMED,
                     "not changed: %zu %s, not the %lld of expect; dry_run shows the "
                     "changes, and expect: %zu makes them",
                     n, n == 1 ? one : several, (long long)m->expect, n);
}

void tool_many_done(struct tool_changing *c, struct changed_step *steps, size_t n,
                    str question)
{
    c->out.steps = steps;
    c->out.n_steps = n;
    c->large = n > TOOL_LARGE;
    c->question = question;
}
