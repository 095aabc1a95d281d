#include "vault/index.h"

#include "vault/index_order.h"

struct index *index_create(void)
{
    struct index *x = mem_zero(sizeof(*x));
    x->names = names_create();
    x->graph = graph_create(x->names);
    x->words = words_create();
    x->tags = tags_create();
    x->order = index_order_create();
    return x;
}

void index_free(struct index *x)
{
    if (x == NULL)
        return;
    for (file_id i = 0; i < x->n; i++)
        file_free(x->files[i]);
    graph_free(x->graph);
    names_free(x->names);
    words_free(x->words);
    tags_free(x->tags);
    index_order_free(x->order);
    free(x->files);
    free(x->unused);
    free(x);
}

/* --- the parts of one file --- */

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

static void add_words(struct index *x, const struct file *f)
{
    struct arena a = {0};
    struct words_doc doc;
    file_words(&a, f, &doc);
    words_add(x->words, &doc);
    arena_release(&a);
}

/* A search should see it, but cannot. */
static bool is_missed(const struct file *f)
{
    return f->unread && !f->excluded && f->kind != FILE_OTHER;
}

static void count_file(struct index *x, const struct file *f)
{
    x->count++;
    x->text_bytes += f->text.n;
    x->unread += is_missed(f);
}

static void forget_file(struct index *x, struct file *f)
{
    if (!f->excluded)
        tags_remove(x->tags, f->id, &f->tags);
    x->count--;
    x->text_bytes -= f->text.n;
    x->unread -= is_missed(f);
    file_free(f);
}

/* --- ids --- */

static void grow(struct index *x, size_t cap)
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
        grow(x, 2 * (size_t)x->n + 64);
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

void index_put(struct index *x, struct file *f, bool excluded)
{
    file_id id = find_id(x, f->path);
    if (id == NO_FILE) {
        id = take_id(x);
        names_add(x->names, id, f->path);
        graph_add(x->graph, id);
        index_order_forget(x->order);
    } else {
        forget_file(x, x->files[id]);
    }
    x->files[id] = f;
    f->id = id;
    f->excluded = excluded;
    count_file(x, f);
    set_links(x, f);
    if (excluded) {
        words_remove(x->words, id);
    } else {
        add_words(x, f);
        tags_add(x->tags, id, &f->tags);
    }
}

bool index_remove(struct index *x, str path)
{
    file_id id = find_id(x, path);
    if (id == NO_FILE)
        return false;
    struct file *f = x->files[id];
    names_remove(x->names, id);
    graph_remove(x->graph, id, f->path);
    words_remove(x->words, id);
    index_order_forget(x->order);
    forget_file(x, f);
    x->files[id] = NULL;
    x->unused[x->n_unused++] = id;
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
    f->id = id;
    names_add(x->names, id, f->path);
    graph_add(x->graph, id);
    count_file(x, f);
}

void index_fill(struct index *x, struct file **files, size_t n, struct words *words)
{
    words_free(x->words);
    x->words = words;
    index_order_forget(x->order);
    grow(x, n);
    for (size_t i = 0; i < n; i++)
        fill_one(x, files[i]);
    for (file_id i = 0; i < x->n; i++) {
        const struct file *f = x->files[i];
        if (f == NULL)
            continue;
        set_links(x, f);
        if (!f->excluded)
            tags_add(x->tags, i, &f->tags);
    }
}

/* --- asking --- */

static int by_path(const void *a, const void *b)
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
        qsort(*out, found.all, sizeof(const struct file *), by_path);
    return found.all;
}

size_t index_memory(const struct index *x)
{
    size_t n = x->n * (sizeof(struct file *) + sizeof(file_id));
    for (file_id i = 0; i < x->n; i++)
        n += x->files[i] != NULL ? x->files[i]->bytes : 0;
    return n + names_memory(x->names) + graph_memory(x->graph) + words_memory(x->words) +
           tags_memory(x->tags);
}
