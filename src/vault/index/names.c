#include "base/array.h"
#include "base/sort.h"
#include "base/text.h"
#include "vault/index/names_table.h"

#include "base/err.h"
#include "base/path.h"
#include "base/utf8.h"

static bool names_is_ascii(str s)
{
    unsigned char all = 0;
    for (size_t i = 0; i < s.n; i++)
        all |= (unsigned char)s.p[i];
    return all < 0x80;
}

void names_fold(struct names_text *f, str s)
{
    f->arena = (struct arena){0};
    f->p = f->few;
    bool ascii = names_is_ascii(s);
    if (!ascii)
        s = utf8_fold(&f->arena, s);
    if (s.n > sizeof(f->few) - NAMES_MD.n)
        f->p = arena_alloc(&f->arena, size_add(s.n, NAMES_MD.n));
    for (size_t i = 0; i < s.n; i++)
        f->p[i] = ascii ? to_lower(s.p[i]) : s.p[i];
    f->n = s.n;
}

void names_fold_link(struct names_text *f, str s)
{
    names_fold(f, s);
    str trimmed = str_trim_line(names_folded(f));
    f->p += trimmed.n > 0 ? trimmed.p - f->p : 0;
    f->n = trimmed.n;
}

void names_fold_add_md(struct names_text *f)
{
    memcpy(f->p + f->n, NAMES_MD.p, NAMES_MD.n);
    f->n += NAMES_MD.n;
}

void names_fold_done(struct names_text *f)
{
    arena_release(&f->arena);
}

uint32_t names_hash(const struct names *n, str folded_name)
{
    return (uint32_t)hash_keyed(&n->key, folded_name);
}

struct names *names_create(void)
{
    struct names *n = mem_zero(sizeof(*n));
    n->key = hash_new_key();
    return n;
}

static void names_free_path(const struct names *n, char *path)
{
    if ((uintptr_t)path - (uintptr_t)n->packed.p >= n->packed.n)
        free(path);
}

void names_free(struct names *n)
{
    if (n == NULL)
        return;
    for (size_t i = 0; i < n->n_files; i++)
        names_free_path(n, n->files[i].path);
    free(n->files);
    free(n->buckets);
    free(n);
}

static const struct names_file *file_of(const struct names *n, file_id id)
{
    return id < n->n_files && n->files[id].path != NULL ? &n->files[id] : NULL;
}

str names_path(const struct names *n, file_id id)
{
    const struct names_file *f = file_of(n, id);
    return f != NULL ? (str){f->path, f->n} : STR("");
}

size_t names_count(const struct names *n)
{
    return n->count;
}

size_t names_memory(const struct names *n)
{
    return sizeof(*n) + n->n_files * sizeof(*n->files) + n->path_bytes +
           (n->buckets != NULL ? (n->mask + 1) * sizeof(*n->buckets) : 0);
}

static bool is_hidden(str path)
{
    str name;
    while (str_next(&path, '/', &name))
        if (path_is_hidden(name))
            return true;
    return false;
}

static void push_group(struct names *n, file_id root)
{
    file_id *head = &n->buckets[n->files[root].hash & n->mask];
    n->files[root].next = *head;
    *head = root;
}

static void grow_buckets(struct names *n)
{
    size_t size = n->buckets != NULL ? 2 * (n->mask + 1) : 64;
    file_id *old = n->buckets;
    size_t old_size = old != NULL ? n->mask + 1 : 0;
    n->buckets = mem_alloc(size_mul(size, sizeof(*n->buckets)));
    memset(n->buckets, 0xFF, size * sizeof(*n->buckets)); /* NO_FILE */
    n->mask = size - 1;
    for (size_t i = 0; i < old_size; i++)
        for (file_id id = old[i], next; id != NO_FILE; id = next) {
            next = n->files[id].next;
            push_group(n, id);
        }
    free(old);
}

file_id names_group(const struct names *n, str folded_name, uint32_t hash)
{
    file_id root = n->buckets != NULL ? n->buckets[hash & n->mask] : NO_FILE;
    while (root != NO_FILE && (n->files[root].hash != hash ||
                               !names_path_ends(&n->files[root], folded_name)))
        root = n->files[root].next;
    return root;
}

/* What refers to the group of a file, in its bucket; the end of that if there is none. */
static file_id *group_of(const struct names *n, const struct names_file *f)
{
    file_id *link = &n->buckets[f->hash & n->mask];
    while (*link != NO_FILE &&
           (n->files[*link].hash != f->hash || !names_are_alike(&n->files[*link], f)))
        link = &n->files[*link].next;
    return link;
}

static void grow_files(struct names *n, file_id id)
{
    size_t size = size_add(n->n_files, n->n_files / 2 + 64);
    if (size <= id)
        size = size_add(id, 1);
    n->files = mem_grow(n->files, size_mul(size, sizeof(*n->files)));
    memset(n->files + n->n_files, 0, (size - n->n_files) * sizeof(*n->files));
    n->n_files = size;
}

/* Another file is the root of a group. */
static void set_root(struct names *n, file_id *link, file_id root)
{
    file_id next = n->files[*link].next;
    n->files[root].next = next;
    *link = root;
}

void names_insert(struct names *n, file_id id)
{
    if (n->buckets == NULL || n->n_groups > n->mask)
        grow_buckets(n);
    file_id *link = group_of(n, &n->files[id]);
    file_id root = names_tree_add(n, *link, id);
    if (*link == NO_FILE) {
        push_group(n, id);
        n->n_groups++;
    } else {
        set_root(n, link, root);
    }
}

void names_add(struct names *n, file_id id, str path)
{
    if (id >= n->n_files)
        grow_files(n, id);
    struct names_file *f = &n->files[id];
    if (f->path != NULL || id == NO_FILE)
        BUG("file %u was added already", id);
    struct names_text folded;
    names_fold(&folded, path);
    f->n = (uint32_t)path.n;
    f->n_folded = names_is_ascii(path) ? 0 : (uint32_t)folded.n;
    f->hash = names_hash(n, path_name(names_folded(&folded)));
    f->path = mem_alloc(size_add(size_add(f->n, f->n_folded), 1));
    memcpy(f->path, path.p, f->n);
    memcpy(f->path + f->n, folded.p, f->n_folded);
    names_fold_done(&folded);
    n->path_bytes += f->n + f->n_folded + 1;
    n->count++;
    f->nodes[NAMES_BY_PATH].best = NO_FILE;
    if (!is_hidden(path))
        names_insert(n, id);
}

static void take_out(struct names *n, file_id id)
{
    file_id *link = group_of(n, &n->files[id]);
    file_id root = names_tree_remove(n, *link, id);
    if (root != NO_FILE) {
        set_root(n, link, root);
    } else {
        *link = n->files[*link].next;
        n->n_groups--;
    }
}

void names_remove(struct names *n, file_id id)
{
    if (file_of(n, id) == NULL)
        return;
    struct names_file *f = &n->files[id];
    if (names_is_found(f))
        take_out(n, id);
    n->path_bytes -= f->n + f->n_folded + 1;
    n->count--;
    names_free_path(n, f->path);
    *f = (struct names_file){0};
}

/* --- looking for a path or a name --- */

struct twin_search {
    const struct names *names;
    str wanted;   /* as spelled */
    str path;     /* the same, folded */
    size_t twins; /* so far */
    file_id best;
};

static void find_twins(struct twin_search *s, file_id root)
{
    if (root == NO_FILE)
        return;
    const struct names_file *f = &s->names->files[root];
    const struct names_node *node = &f->nodes[NAMES_BY_PATH];
    int place = names_place_path(f, STR(""), s->path);
    if (place >= 0)
        find_twins(s, node->left);
    if (place == 0) {
        s->twins++;
        if (s->best == NO_FILE || str_eq(names_path(s->names, root), s->wanted))
            s->best = root; /* twins are ordered by bytes */
    }
    if (place <= 0)
        find_twins(s, node->right);
}

file_id names_find_path(const struct names *n, str path, size_t *twins)
{
    struct names_text folded;
    names_fold(&folded, path);
    str name = path_name(names_folded(&folded));
    struct twin_search s = {n, path, names_folded(&folded), 0, NO_FILE};
    find_twins(&s, names_group(n, name, names_hash(n, name)));
    names_fold_done(&folded);
    *twins = s.twins;
    return s.best;
}

size_t names_find_name(const struct names *n, struct arena *a, str name, file_id **out)
{
    struct names_text folded;
    file_id *with_md;
    names_fold(&folded, name);
    str wanted = names_folded(&folded);
    size_t found =
        names_tree_list(n, a, names_group(n, wanted, names_hash(n, wanted)), out);
    names_fold_add_md(&folded);
    wanted = names_folded(&folded);
    size_t more =
        names_tree_list(n, a, names_group(n, wanted, names_hash(n, wanted)), &with_md);
    names_fold_done(&folded);
    for (size_t i = 0; i < more; i++)
        *ARRAY_ADD(a, *out, found) = with_md[i];
    if (found > 1)
        sort_with(*out, found, sizeof(file_id), names_by_length, (void *)n);
    return found;
}

size_t names_sharing(const struct names *n, str path)
{
    struct names_text folded;
    names_fold(&folded, path_name(path));
    str name = names_folded(&folded);
    file_id root = names_group(n, name, names_hash(n, name));
    names_fold_done(&folded);
    return root == NO_FILE ? 0 : names_is_only(n, root) ? 1 : 2;
}

uint64_t names_key(const struct names *n, str path)
{
    struct names_text folded;
    names_fold_link(&folded, path);
    str name = path_name(names_folded(&folded));
    while (str_ends(name, NAMES_MD)) /* "a.md" may be the link to "a.md.md" */
        name.n -= NAMES_MD.n;
    uint64_t key = hash_keyed(&n->key, name);
    names_fold_done(&folded);
    return key;
}
