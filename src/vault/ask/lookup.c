#include "vault/ask/lookup.h"

#include "base/path.h"
#include "base/utf8.h"
#include "vault/eval/filter.h"
#include "vault/index/index.h"
#include "vault/text/glob.h"

struct lookup_job {
    const struct lookup *l;
    struct lookup_result *out;
    size_t skip;             /* bytes of a path before the part below the folder */
    const struct glob *fits; /* glob and exclude; NULL: everything matches */
    const struct glob *name; /* NULL: use part; if that is empty, any name matches */
    str part;                /* folded */
    struct filter filter;    /* by tag */
    struct arena scratch;
};

/* One list of globs, anchored by a leading '/': first those to match, then exclusions. */
static bool compile_paths(struct lookup_job *j, struct arena *a, struct err *err)
{
    const struct lookup *l = j->l;
    struct glob *made;
    size_t n = 0;
    if (l->n_exclude >= GLOB_MAX)
        return err_set(err, ERR_LIMIT, "more than %d globs", GLOB_MAX);
    str patterns[GLOB_MAX];
    if (l->glob.n > 0)
        patterns[n++] = arena_printf(a, "/" STR_FMT, STR_ARG(l->glob));
    for (size_t i = 0; i < l->n_exclude; i++)
        patterns[n++] = arena_printf(a, "!/" STR_FMT, STR_ARG(l->exclude[i]));
    if (n > 0 && !glob_compile(a, patterns, n, &made, err))
        return false;
    j->fits = n > 0 ? made : NULL;
    return true;
}

static bool compile_name(struct lookup_job *j, struct arena *a, struct err *err)
{
    static const char special[] = "*?[{/\\";
    struct glob *made;
    str name = j->l->name;
    bool is_glob = false;
    for (const char *c = special; *c != '\0'; c++)
        is_glob |= str_find_char(name, *c) != STR_NONE;
    if (!is_glob)
        j->part = utf8_fold(a, name);
    else if (!glob_compile(a, &name, 1, &made, err))
        return false;
    else
        j->name = made;
    return true;
}

static void lookup_take(struct lookup_job *j, str path, const struct file *f)
{
    const struct lookup *l = j->l;
    struct lookup_result *r = j->out;
    if (j->fits != NULL && !glob_match(j->fits, str_skip(path, j->skip)))
        return;
    if (r->total++ >= l->offset && r->n < l->limit)
        r->items[r->n++] = (struct lookup_item){path, f};
}

/* The folders above path that are not also above the previous file. */
static void take_folders(struct lookup_job *j, str path, str before)
{
    for (size_t i = j->skip; i < path.n; i++)
        if (path.p[i] == '/' && !str_starts(before, str_slice(path, 0, i + 1)))
            lookup_take(j, str_slice(path, 0, i), NULL);
}

static bool has_name(struct lookup_job *j, const struct file *f)
{
    if (j->name != NULL)
        return glob_match(j->name, str_skip(f->path, j->skip));
    arena_reset(&j->scratch);
    return j->part.n == 0 ||
           str_find(utf8_fold(&j->scratch, path_name(f->path)), j->part) != STR_NONE;
}

static bool lookup_is_wanted(struct lookup_job *j, const struct file *f)
{
    const struct lookup *l = j->l;
    return f->info.mtime >= l->modified_from && f->info.mtime <= l->modified_to &&
           f->info.size >= l->size_from && f->info.size <= l->size_to && has_name(j, f) &&
           filter_takes(&j->filter, f);
}

/* In the order of paths, everything below a folder is contiguous. */
static void lookup_look(struct lookup_job *j, const struct index *x, str prefix)
{
    const struct file *f;
    str before = {0};
    for (size_t i = index_after(x, prefix);
         (f = index_nth(x, i)) != NULL && str_starts(f->path, prefix); i++) {
        if (j->l->folders)
            take_folders(j, f->path, before);
        if (lookup_is_wanted(j, f))
            lookup_take(j, f->path, f);
        before = f->path;
    }
}

bool lookup_run(const struct index *x, struct arena *a, const struct lookup *l,
                struct lookup_result *out, struct err *err)
{
    if (l->limit > LOOKUP_LIMIT_MAX)
        return err_set(err, ERR_LIMIT, "limit: at most %d items", LOOKUP_LIMIT_MAX);
    *out = (struct lookup_result){.items = ARENA_ARRAY(a, struct lookup_item, l->limit)};
    struct filter_request by_tag = {.tag = l->tag};
    struct lookup_job j = {
        .l = l, .out = out, .skip = l->folder.n > 0 ? l->folder.n + 1 : 0};
    bool ok = compile_paths(&j, a, err) && compile_name(&j, a, err) &&
              filter_open(&j.filter, x, a, &by_tag, err);
    if (ok)
        lookup_look(&j, x,
                    l->folder.n > 0 ? arena_printf(a, STR_FMT "/", STR_ARG(l->folder))
                                    : STR(""));
    filter_release(&j.filter);
    arena_release(&j.scratch);
    return ok;
}
