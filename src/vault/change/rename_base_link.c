/*
 * The links that bases and queries name: link("a#b"), "[[a|c]]". They are texts, so a job sees them as it sees the cards of a canvas: a path and a subpath without a display.
 */
#include "base/path.h"
#include "vault/change/rename_parts.h"
#include "vault/eval/uses.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/names.h"

struct rename_base_link_walk {
    struct rename_visit *visit;
    rename_site_fn *fn;
    void *arg;
};

/* The parts of "a", "a#b", "[[a#b|c]]": pieces of text. */
static void split_link(str text, str *path, str *subpath)
{
    str inner = text;
    if (str_starts(inner, STR("[[")) && str_ends(inner, STR("]]")))
        inner = str_slice(inner, 2, inner.n - 2);
    inner = str_slice(inner, 0, str_find_char(inner, '|'));
    size_t hash = str_find_char(inner, '#');
    *path = str_slice(inner, 0, hash);
    *subpath = hash != STR_NONE ? str_skip(inner, hash) : str_skip(inner, inner.n);
}

/* A path as the base spells it, without .md if it had none. */
static str new_path(const struct splices *s, str path)
{
    str now = s->n > 0 ? s->items[0].text : path;
    bool bare = !str_ends(path, STR(".md")) && str_ends(now, STR(".md"));
    return bare ? str_slice(now, 0, now.n - 3) : now;
}

static bool visit_base_link(void *arg, enum use_kind kind, str value, str *out)
{
    struct rename_base_link_walk *w = arg;
    struct arena *a = w->visit->arena;
    struct splices splices = {.arena = a};
    str path, subpath, was;
    if (kind != USE_LINK && kind != USE_PATH)
        return false;
    split_link(value, &path, &subpath);
    was = subpath;
    struct rename_site site = {.place = FILE_IN_PROPERTY,
                               .text = path,
                               .path = path,
                               .subpath = subpath,
                               .splices = &splices,
                               .canvas_subpath = &subpath};
    if (path.n == 0 || names_is_external(path) ||
        (w->visit->only != NULL && !planner_may_mean(w->visit->only, path)) ||
        !w->fn(w->arg, &site))
        return false;
    *out = arena_printf(a, STR_FMT STR_FMT STR_FMT STR_FMT,
                        STR_ARG(str_slice(value, 0, (size_t)(path.p - value.p))),
                        STR_ARG(new_path(&splices, path)), STR_ARG(subpath),
                        STR_ARG(str_skip(value, (size_t)(was.p - value.p) + was.n)));
    return true;
}

void rename_visit_base_links(struct rename_visit *v, const struct names *names,
                             rename_site_fn *fn, void *arg)
{
    struct rename_base_link_walk w = {v, fn, arg};
    rename_visit_bases(v, visit_base_link, &w);
    rename_visit_queries(v, names, visit_base_link, &w);
}

/* --- counting --- */

struct rename_count_job {
    const struct index *index;
    const struct file *source;
    str path;
    size_t n;
};

static bool count_one(void *arg, const struct rename_site *site)
{
    struct rename_count_job *j = arg;
    struct names_answer answer;
    names_resolve(j->index->names, NULL, site->path, j->source->path, j->source->id,
                  &answer);
    if (answer.file != NO_FILE && answer.rule != NAMES_SELF)
        j->n += path_is_or_below(j->path, names_path(j->index->names, answer.file));
    return false;
}

size_t rename_count_names(const struct index *x, const struct file *f, str path)
{
    struct arena a = {0};
    struct rename_count_job j = {.index = x, .source = f, .path = path};
    struct rename_visit v = {.arena = &a, .file = f, .splices = {.arena = &a}};
    rename_visit_base_links(&v, x->names, count_one, &j);
    arena_release(&a);
    return j.n;
}
