#include <stdarg.h>
#include <stdio.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/sbuf.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "vault/change/rename_parts.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/index/names.h"

struct planner planner_on(const struct index *x, struct arena *a, const struct stop *stop)
{
    return (struct planner){
        .index = x,
        .arena = a,
        .stop = stop,
        .marks = ARENA_ARRAY(a, uint8_t, x->n),
    };
}

void planner_warn(struct planner *p, const char *fmt, ...)
{
    struct rename_plan *plan = &p->plan;
    if (plan->n_warnings == RENAME_MAX_WARNINGS)
        return;
    char text[512];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    str all = {text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1};
    *ARRAY_ADD(p->arena, plan->warnings, plan->n_warnings) =
        arena_str(p->arena, utf8_cut(all, all.n));
}

uint8_t *planner_seen(struct planner *p, str folded)
{
    uint64_t hash = hash_table(folded);
    size_t at = 0;
    for (uint32_t i; (i = map_next(&p->seen_index, hash, &at)) != MAP_NONE;)
        if (p->seen[i].hash == hash)
            return &p->seen[i].marks;
    map_put(&p->seen_index, p->arena, hash, (uint32_t)p->n_seen);
    struct seen_name *name = ARRAY_ADD(p->arena, p->seen, p->n_seen);
    *name = (struct seen_name){hash, SEEN};
    return &name->marks;
}

static uint64_t *word_of(struct planner *p, str path, uint64_t *bit)
{
    uint64_t key = names_key(p->index->names, path);
    *bit = UINT64_C(1) << (key & 63);
    return &p->keys[(key >> 6) % COUNT_OF(p->keys)];
}

bool planner_may_mean(const struct planner *p, str path)
{
    uint64_t bit, *word = word_of((struct planner *)p, path, &bit);
    return path.n == 0 || (*word & bit) != 0;
}

void planner_mark_sources(struct planner *p, file_id target)
{
    struct arena scratch = {0};
    struct graph_edge *edges;
    size_t n = graph_backlinks(p->index->graph, &scratch, target, &edges);
    for (size_t i = 0; i < n; i++)
        p->marks[edges[i].file] |= MARK_SOURCE;
    p->marks[target] |= MARK_SOURCE;
    uint64_t bit, *word = word_of(p, names_path(p->index->names, target), &bit);
    *word |= bit;
    arena_release(&scratch);
}

void planner_mark_bases(struct planner *p)
{
    const struct ids *files = &p->index->querying;
    for (uint32_t i = 0; i < files->n; i++)
        p->marks[files->at[i]] |= MARK_SOURCE;
}

enum { NAMED = 3 };

/* Add a file, and perhaps the reason why it is named. */
static void add_name(struct arena *a, struct named_files *f, str path, str why)
{
    enum { SHOWN = 80 };
    if (f->n++ >= NAMED)
        return;
    if (f->n == 1)
        f->names = SBUF_ON(a);
    sbuf_add(&f->names, f->n > 1 ? STR(", ") : STR(""));
    if (str_find(why, path) != STR_NONE) /* it says which file, too */
        sbuf_add(&f->names, why);
    else
        sbuf_printf(&f->names, "'" STR_FMT "%s'%s" STR_FMT "%s",
                    STR_ARG(utf8_cut(path, SHOWN)), path.n > SHOWN ? "..." : "",
                    why.n > 0 ? " (" : "", STR_ARG(why), why.n > 0 ? ")" : "");
}

/* Look whether only the names have changed. */
static void planner_check(struct planner *p, struct rename_visit *v, str path, str text)
{
    str problem = rename_readback(v, text);
    if (problem.n > 0 && v->odd)
        v->garbled = true;
    else if (problem.n > 0 && p->problem.n == 0)
        p->problem = arena_printf(p->arena, "'" STR_FMT "': " STR_FMT,
                                  STR_ARG(utf8_cut(path, 80)), STR_ARG(problem));
}

const struct rename_rewrite *planner_add(struct planner *p, struct rename_visit *v,
                                         str path)
{
    struct rename_plan *plan = &p->plan;
    if (v->left > 0)
        add_name(p->arena, &p->left, path, (str){0});
    if (v->drawn > 0)
        add_name(p->arena, &p->drawn, path, (str){0});
    if (v->splices.n == 0)
        return NULL;
    rename_splice_sort(&v->splices);
    str text = rename_splice_apply(&v->splices, v->file->text);
    if (str_eq(text, v->file->text))
        return NULL;
    planner_check(p, v, path, text);
    plan->links += v->links;
    struct rename_rewrite *rewrite =
        ARRAY_ADD(p->arena, plan->rewrites, plan->n_rewrites);
    *rewrite = (struct rename_rewrite){
        .file = v->file,
        .path = path,
        .text = text,
        .links = v->links,
    };
    return rewrite;
}

static int rename_plan_by_path(const void *a, const void *b)
{
    const struct rename_rewrite *x = a, *y = b;
    return str_cmp(x->path, y->path);
}

const struct file *planner_next(struct planner *p, file_id *id)
{
    while (*id < p->index->n && !(p->marks[*id] & MARK_SOURCE))
        (*id)++;
    if (*id >= p->index->n || (p->stopped = stop_now(p->stop)))
        return NULL;
    return index_file(p->index, (*id)++);
}

/* Links in files that are not in the index, or only by name, are not found. */
static void warn_unread(struct planner *p)
{
    struct named_files u = {0};
    for (file_id id = 0; p->index->unread > 0 && id < p->index->n; id++) {
        const struct file *f = index_file(p->index, id);
        if (f != NULL && f->unread && (f->kind == FILE_NOTE || f->kind == FILE_CANVAS))
            add_name(p->arena, &u, f->path, f->problem);
    }
    const struct skipped_file *left;
    for (size_t at = 0; (left = index_skipped(p->index, &at)) != NULL;)
        add_name(p->arena, &u, left->path, left->why);
    if (u.n > 0)
        planner_warn(p, "not checked, so links in them may be broken now: " STR_FMT "%s",
                     STR_ARG(sbuf_str(&u.names)), u.n > NAMED ? " and others" : "");
}

static void warn_left(struct planner *p)
{
    const struct named_files *l = &p->left;
    if (l->n > 0)
        planner_warn(p,
                     "queries that contain the old name and were not changed, because "
                     "their meaning is not certain: in " STR_FMT "%s",
                     STR_ARG(sbuf_str(&l->names)), l->n > NAMED ? " and others" : "");
    const struct named_files *d = &p->drawn;
    if (d->n > 0)
        planner_warn(
            p,
            "links in drawings were not changed, update them in Excalidraw: " STR_FMT
            "%s",
            STR_ARG(sbuf_str(&d->names)), d->n > NAMED ? " and others" : "");
}

bool planner_done(struct planner *p, struct rename_plan *out, struct err *err)
{
    warn_left(p);
    warn_unread(p);
    if (p->stopped)
        return stop_fail(p->stop, "rewriting all these notes", "nothing was changed",
                         err);
    if (p->problem.n > 0)
        return err_named(err, E_INVALID_CONTENT,
                         "nothing was changed, because more than the name would change "
                         "in " STR_FMT ": change that line first",
                         STR_ARG(p->problem));
    *out = p->plan;
    if (out->n_rewrites > 1)
        sort_items(out->rewrites, out->n_rewrites, sizeof(*out->rewrites),
                   rename_plan_by_path);
    return true;
}
