#include "vault/index/index.h"

#include "base/sort.h"
#include "vault/index/derived.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/ids.h"
#include "vault/index/index_order.h"
#include "vault/index/names.h"
#include "vault/index/skipped.h"
#include "vault/index/tags.h"
#include "vault/index/words.h"

struct index_view {
    struct index *of, *next; /* next: another view of the same index */
    index_shows *shows;
    const void *arg;
};

static const struct derived_kind *const derived_kinds[INDEX_DERIVED] = {
    [INDEX_VALUES] = &values_kind,
    [INDEX_TITLES] = &titles_kind,
    [INDEX_TASKS] = &tasks_kind,
    [INDEX_TITLE_BIGRAMS] = &title_bigrams_kind,
};

struct index *index_create(void)
{
    struct index *x = mem_zero(sizeof(*x));
    x->names = names_create();
    x->graph = graph_create(x->names);
    x->words = words_create();
    words_set_paths(x->words, x->names);
    x->tags = tags_create();
    for (size_t i = 0; i < INDEX_DERIVED; i++)
        x->derived[i] = derived_create(derived_kinds[i]);
    x->order = index_order_create(x);
    return x;
}

static void detach(struct index *x)
{
    struct index **at = &x->view->of->views;
    while (*at != x)
        at = &(*at)->view->next;
    *at = x->view->next;
}

void index_free(struct index *x)
{
    if (x == NULL)
        return;
    if (x->view != NULL)
        detach(x);
    else if (!x->borrowed)
        for (file_id i = 0; i < x->n; i++)
            file_free(x->files[i]);
    graph_free(x->graph);
    names_free(x->names);
    words_free(x->words);
    tags_free(x->tags);
    for (size_t i = 0; i < INDEX_DERIVED; i++)
        derived_free(x->derived[i], derived_kinds[i]);
    index_order_free(x->order);
    skipped_release(&x->skipped);
    free(x->files);
    free(x->unused);
    free(x->unworded.at);
    free(x->querying.at);
    free(x->aliased.at);
    free(x->view);
    free(x);
}

/* --- links, words and counts of one file --- */

static void set_links(struct index *x, const struct file *f)
{
    struct arena a = {0};
    struct file_link *links;
    size_t n = file_links(&a, f, &links);
    str *paths = ARENA_ARRAY(&a, str, n);
    for (size_t i = 0; i < n; i++)
        paths[i] = links[i].path;
    graph_set(x->graph, f->id, paths, n);
    arena_release(&a);
}

static void index_add_words(struct index *x, const struct file *f)
{
    struct arena a = {0};
    struct words_doc doc;
    file_words(&a, f, &doc);
    doc.language = file_language(f);
    words_add(x->words, &doc);
    arena_release(&a);
}

/* Whether a search should see the file, but cannot. */
static bool is_missed(const struct file *f)
{
    return f->unread && !f->excluded && file_read_max(f->kind) > 0;
}

static bool is_unworded(const struct file *f)
{
    return f->excluded || f->kind == FILE_CANVAS;
}

static bool is_aliased(const struct fs_info *info)
{
    return info->linked || info->many_names;
}

static void count_file(struct index *x, const struct file *f)
{
    if (is_aliased(&f->info))
        ids_add(&x->aliased, f->id);
    if (is_unworded(f))
        ids_add(&x->unworded, f->id);
    if (f->has_queries)
        ids_add(&x->querying, f->id);
    x->count++;
    x->notes += f->kind == FILE_NOTE;
    x->listed += f->kind == FILE_NOTE && !f->excluded;
    x->bytes += f->info.size;
    x->text_bytes += f->text.n;
    x->unread += is_missed(f);
    x->unpaged += file_is_unpaged(f);
    x->paged_bytes += f->kind == FILE_PDF ? f->text.n : 0;
}

static void forget_file(struct index *x, const struct file *f)
{
    if (!f->excluded)
        tags_remove(x->tags, f->id, &f->tags);
    if (is_unworded(f))
        ids_remove(&x->unworded, f->id);
    if (f->has_queries)
        ids_remove(&x->querying, f->id);
    if (is_aliased(&f->info))
        ids_remove(&x->aliased, f->id);
    for (size_t i = 0; i < INDEX_DERIVED; i++)
        if (x->derived[i]->made)
            derived_kinds[i]->remove(x->derived[i], f);
    x->count--;
    x->notes -= f->kind == FILE_NOTE;
    x->listed -= f->kind == FILE_NOTE && !f->excluded;
    x->bytes -= f->info.size;
    x->text_bytes -= f->text.n;
    x->unread -= is_missed(f);
    x->unpaged -= file_is_unpaged(f);
    x->paged_bytes -= f->kind == FILE_PDF ? f->text.n : 0;
}

/* --- spelling --- */

struct spelled {
    struct arena *arena;
    str path;
};

static bool is_spelled(void *arg, str path)
{
    const struct spelled *s = arg;
    return graph_is_same(s->arena, path, s->path);
}

str index_spelling(const struct index *x, struct arena *a, file_id source, str path)
{
    const struct file *f = index_file(x, source);
    struct spelled s = {a, path};
    struct file_link *links;
    if (f == NULL || file_links_if(a, f, is_spelled, &s, &links) == 0)
        return path;
    return str_trim_line(links[0].path);
}

/* --- ids --- */

static void index_grow(struct index *x, size_t cap)
{
    if (cap <= x->cap)
        return;
    if (cap >= NO_FILE)
        BUG("too many files");
    x->files = mem_grow(x->files, size_mul(cap, sizeof(*x->files)));
    x->unused = mem_grow(x->unused, size_mul(cap, sizeof(*x->unused)));
    x->cap = (file_id)cap;
}

static file_id take_id(struct index *x)
{
    if (x->n_unused > 0)
        return x->unused[--x->n_unused];
    if (x->n == x->cap)
        index_grow(x, 2 * (size_t)x->n + 64);
    x->files[x->n] = NULL;
    return x->n++;
}

static file_id find_id(const struct index *x, str path)
{
    size_t twins;
    file_id id = names_find_path(x->names, path, &twins);
    return id != NO_FILE && str_eq(names_path(x->names, id), path) ? id : NO_FILE;
}

const struct file *index_find(const struct index *x, str path)
{
    return index_file(x, find_id(x, path));
}

/* --- changing --- */

/* Put f in place of the file with the same id and path, if there is one. */
static void put_one(struct index *x, struct file *f)
{
    file_id id = f->id;
    bool added = x->files[id] == NULL;
    if (added) {
        names_add(x->names, id, f->path);
        graph_add(x->graph, id);
    } else {
        index_order_remove_time(x->order, id);
        forget_file(x, x->files[id]);
    }
    x->files[id] = f;
    count_file(x, f);
    for (size_t i = 0; i < INDEX_DERIVED; i++)
        if (x->derived[i]->made)
            derived_kinds[i]->add(x->derived[i], f);
    index_order_add_time(x->order, id);
    if (added)
        index_order_add_path(x->order, id);
    set_links(x, f);
    if (!f->excluded)
        tags_add(x->tags, id, &f->tags);
    if (f->excluded)
        words_remove(x->words, id);
    else if (!x->wordless)
        index_add_words(x, f);
}

static void remove_one(struct index *x, file_id id)
{
    names_remove(x->names, id);
    graph_remove(x->graph, id, x->files[id]->path);
    words_remove(x->words, id);
    index_order_remove_time(x->order, id);
    index_order_remove_path(x->order, id);
    forget_file(x, x->files[id]);
    x->files[id] = NULL;
}

/* A view has the same ids as the index it is a view of. */
static void put_in_views(struct index *x, struct file *f)
{
    for (struct index *v = x->views; v != NULL; v = v->view->next) {
        index_grow(v, x->cap);
        while (v->n < x->n)
            v->files[v->n++] = NULL;
        if (v->view->shows(v->view->arg, f))
            put_one(v, f);
        else if (v->files[f->id] != NULL)
            remove_one(v, f->id);
    }
}

void index_put(struct index *x, struct file *f, bool excluded)
{
    file_id id = find_id(x, f->path);
    f->id = id != NO_FILE ? id : take_id(x);
    f->excluded = excluded;
    struct file *before = x->files[f->id];
    put_in_views(x, f);
    put_one(x, f);
    file_free(before);
}

/* The newest view, x itself after the last view, then NULL. */
static struct index *next_seeing(struct index *x, struct index *now)
{
    if (now == x)
        return NULL;
    struct index *next = now == NULL ? x->views : now->view->next;
    return next != NULL ? next : x;
}

void index_touch(struct index *x, file_id id, const struct fs_info *info)
{
    struct file *f = x->files[id];
    for (struct index *v = NULL; (v = next_seeing(x, v)) != NULL;)
        if (index_file(v, id) == f) {
            index_order_remove_time(v->order, id);
            if (is_aliased(&f->info))
                ids_remove(&v->aliased, id);
            if (is_aliased(info))
                ids_add(&v->aliased, id);
            v->bytes += info->size - f->info.size;
        }
    f->info = *info;
    for (struct index *v = NULL; (v = next_seeing(x, v)) != NULL;)
        if (index_file(v, id) == f)
            index_order_add_time(v->order, id);
}

bool index_remove(struct index *x, str path)
{
    file_id id = find_id(x, path);
    if (id == NO_FILE)
        return false;
    struct file *f = x->files[id];
    for (struct index *v = x->views; v != NULL; v = v->view->next)
        if (id < v->n && v->files[id] != NULL)
            remove_one(v, id);
    remove_one(x, id);
    x->unused[x->n_unused++] = id;
    file_free(f);
    return true;
}

static void fill_one(struct index *x, struct file *f)
{
    file_id id = x->n++;
    x->files[id] = f;
    if (f == NULL) {
        x->unused[x->n_unused++] = id;
        return;
    }
    if (f->id != id)
        f->id = id; /* in a view it is set already, and other threads read it */
    names_add(x->names, id, f->path);
    graph_add(x->graph, id);
    count_file(x, f);
}

static void fill_tags(struct index *x)
{
    struct tags_note *notes = mem_alloc(size_mul(x->n, sizeof(*notes)) + 1);
    size_t n = 0;
    for (file_id i = 0; i < x->n; i++)
        if (x->files[i] != NULL && !x->files[i]->excluded)
            notes[n++] = (struct tags_note){i, &x->files[i]->tags};
    tags_add_all(x->tags, notes, n);
    free(notes);
}

void index_set_words(struct index *x, struct words *words)
{
    words_free(x->words);
    x->words = words;
    words_set_paths(words, x->names);
}

/* Fill links and tags, after all names are known. */
static void index_fill_rest(struct index *x)
{
    for (file_id i = 0; i < x->n; i++)
        if (x->files[i] != NULL)
            set_links(x, x->files[i]);
    fill_tags(x);
}

static void forget_derived(struct index *x)
{
    index_order_forget(x->order);
    for (size_t i = 0; i < INDEX_DERIVED; i++)
        derived_forget(x->derived[i], derived_kinds[i]);
}

void index_fill(struct index *x, struct file **files, size_t n)
{
    forget_derived(x);
    index_grow(x, n);
    for (size_t i = 0; i < n; i++)
        fill_one(x, files[i]);
    index_fill_rest(x);
}

static void fill_words(struct index *x)
{
    struct arena a = {0};
    struct words_bulk *bulk = words_bulk_create();
    for (file_id i = 0; i < x->n; i++) {
        struct words_doc doc;
        if (x->files[i] == NULL || x->files[i]->excluded)
            continue;
        arena_reset(&a);
        file_words(&a, x->files[i], &doc);
        doc.language = file_language(x->files[i]);
        words_bulk_add(bulk, &doc);
    }
    index_set_words(x, words_bulk_join(&bulk, 1));
    arena_release(&a);
}

struct index *index_borrow(struct file **files, size_t n)
{
    struct index *x = index_create();
    x->borrowed = x->wordless = true;
    index_fill(x, files, n);
    return x;
}

void index_lay(struct index *x, file_id id, struct file *f)
{
    const struct file *before = x->files[id];
    if (before != NULL && (f == NULL || !str_eq(before->path, f->path)))
        remove_one(x, id);
    if (f == NULL)
        return;
    if (f->id != id)
        f->id = id; /* that of a borrowed one is set already, and other threads read it */
    put_one(x, f);
}

file_id index_new_id(struct index *x)
{
    return take_id(x);
}

static size_t count_views(const struct index *x)
{
    size_t n = 0;
    for (const struct index *v = x->views; v != NULL; v = v->view->next)
        n++;
    return n;
}

struct index *index_view(struct index *x, index_shows *shows, const void *arg)
{
    struct index *v = index_create();
    if (count_views(x) == INDEX_VIEWS_MAX)
        BUG("an index with too many views");
    v->view = mem_zero(sizeof(*v->view));
    *v->view = (struct index_view){x, x->views, shows, arg};
    x->views = v;
    index_grow(v, x->cap);
    for (file_id i = 0; i < x->n; i++) {
        struct file *f = x->files[i];
        fill_one(v, f != NULL && shows(arg, f) ? f : NULL);
    }
    index_fill_rest(v);
    fill_words(v);
    return v;
}

const struct skipped_file *index_skipped(const struct index *x, size_t *at)
{
    const struct skipped *all = x->view != NULL ? &x->view->of->skipped : &x->skipped;
    while (*at < all->n) {
        const struct skipped_file *item = &all->items[(*at)++];
        struct file there = {.path = item->path};
        if (x->view == NULL || x->view->shows(x->view->arg, &there))
            return item;
    }
    return NULL;
}

/* --- in parts --- */

bool index_fits(const struct index_parts *p)
{
    size_t count = 0;
    struct graph_counts linked;
    graph_count(p->graph, &linked);
    for (size_t i = 0; i < p->n; i++) {
        const struct file *f = p->files[i];
        str path = f != NULL ? f->path : STR("");
        if ((f != NULL && f->id != i) || graph_has(p->graph, (file_id)i) != (f != NULL) ||
            !str_eq(names_path(p->names, (file_id)i), path))
            return false;
        count += f != NULL;
    }
    return count == linked.files && count == names_count(p->names);
}

void index_restore(struct index *x, struct index_parts *parts)
{
    graph_free(x->graph);
    names_free(x->names);
    x->names = parts->names;
    x->graph = parts->graph;
    index_set_words(x, parts->words);
    forget_derived(x);
    index_grow(x, parts->n);
    for (file_id i = 0; i < parts->n; i++) {
        x->files[i] = parts->files[i];
        if (x->files[i] != NULL)
            count_file(x, x->files[i]);
        else
            x->unused[x->n_unused++] = i;
    }
    x->n = (file_id)parts->n;
    fill_tags(x);
    free(parts->files);
    *parts = (struct index_parts){0};
}

void index_parts_release(struct index_parts *parts)
{
    for (size_t i = 0; i < parts->n; i++)
        file_free(parts->files[i]);
    graph_free(parts->graph);
    names_free(parts->names);
    words_free(parts->words);
    free(parts->files);
    *parts = (struct index_parts){0};
}

/* --- queries --- */

const struct file *index_next(const struct index *x, file_id *at, const struct stop *stop)
{
    for (; *at < x->n; (*at)++) {
        if (*at % INDEX_ASKS == 0 && stop_now(stop))
            return NULL;
        if (x->files[*at] != NULL)
            return x->files[(*at)++];
    }
    return NULL;
}

const struct file *index_next_by_path(const struct index *x, size_t *at,
                                      const struct stop *stop)
{
    if (*at % INDEX_ASKS == 0 && stop_now(stop))
        return NULL;
    return index_nth(x, (*at)++);
}

static int index_compare_paths(const void *a, const void *b)
{
    const struct file *const *x = a, *const *y = b;
    return str_cmp((*x)->path, (*y)->path);
}

size_t index_tagged(const struct index *x, struct arena *a, str tag,
                    const struct file ***out)
{
    struct tag found = {0};
    (void)tags_find(x->tags, tag, &found);
    *out = ARENA_ARRAY(a, const struct file *, found.all);
    for (size_t i = 0; i < found.all; i++)
        (*out)[i] = x->files[found.files[i]];
    if (found.all > 1)
        sort_items(*out, found.all, sizeof(const struct file *), index_compare_paths);
    return found.all;
}

static const void *derived_of(const struct index *x, enum index_derived which)
{
    derived_need(x->derived[which], derived_kinds[which], x->files, x->n);
    return x->derived[which];
}

const struct values *index_values(const struct index *x)
{
    return derived_of(x, INDEX_VALUES);
}

const struct titles *index_titles(const struct index *x)
{
    return derived_of(x, INDEX_TITLES);
}

const struct tasks *index_tasks(const struct index *x)
{
    return derived_of(x, INDEX_TASKS);
}

const struct title_bigrams *index_title_bigrams(const struct index *x)
{
    return derived_of(x, INDEX_TITLE_BIGRAMS);
}

size_t index_memory(const struct index *x)
{
    size_t n = x->n * (sizeof(struct file *) + sizeof(file_id));
    for (file_id i = 0; i < x->n; i++)
        n += x->files[i] != NULL ? x->files[i]->bytes : 0;
    for (size_t i = 0; i < INDEX_DERIVED; i++)
        n += derived_kinds[i]->memory(x->derived[i]);
    return n + names_memory(x->names) + graph_memory(x->graph) + words_memory(x->words) +
           tags_memory(x->tags);
}
