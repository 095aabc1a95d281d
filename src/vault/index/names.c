#include "base/array.h"
#include "base/text.h"
#include "vault/index/names_table.h"

#include "base/err.h"
#include "base/path.h"
#include "base/utf8.h"

static bool is_ascii(str s)
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
    bool ascii = is_ascii(s);
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

static void free_path(const struct names *n, char *path)
{
    if ((uintptr_t)path - (uintptr_t)n->packed.p >= n->packed.n)
        free(path);
}

void names_free(struct names *n)
{
    if (n == NULL)
        return;
    for (size_t i = 0; i < n->n_files; i++)
        free_path(n, n->files[i].path);
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

/* The length of the folded path. */
static size_t length(const struct names_file *f)
{
    return f->n_folded > 0 ? f->n_folded : f->n;
}

static bool same_at(const struct names_file *f, size_t from, str folded)
{
    if (f->n_folded > 0)
        return memcmp(f->path + f->n + from, folded.p, folded.n) == 0;
    for (size_t i = 0; i < folded.n; i++)
        if (to_lower(f->path[from + i]) != folded.p[i])
            return false;
    return true;
}

static char char_at(const struct names_file *f, size_t i)
{
    return f->n_folded > 0 ? f->path[f->n + i] : f->path[i];
}

bool names_path_below(const struct names_file *f, str folder)
{
    return length(f) > folder.n && char_at(f, folder.n) == '/' && same_at(f, 0, folder);
}

bool names_path_is(const struct names_file *f, str folder, str rest)
{
    size_t from = folder.n > 0 ? folder.n + 1 : 0;
    return length(f) == from + rest.n && same_at(f, from, rest) &&
           (from == 0 || names_path_below(f, folder));
}

/* Whether the path ends with folded, at the start of a segment. */
bool names_path_ends(const struct names_file *f, str folded)
{
    if (length(f) < folded.n)
        return false;
    size_t from = length(f) - folded.n;
    return (from == 0 || char_at(f, from - 1) == '/') && same_at(f, from, folded);
}

static void names_insert_slot(struct names *n, file_id id)
{
    file_id *head = &n->buckets[n->files[id].hash & n->mask];
    n->files[id].next = *head;
    *head = id;
}

static bool is_hidden(str path)
{
    str name;
    while (str_next(&path, '/', &name))
        if (path_is_hidden(name))
            return true;
    return false;
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
            names_insert_slot(n, id);
        }
    free(old);
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

void names_insert(struct names *n, file_id id)
{
    if (n->buckets == NULL || n->n_found > n->mask)
        grow_buckets(n);
    names_insert_slot(n, id);
    n->n_found++;
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
    f->n_folded = is_ascii(path) ? 0 : (uint32_t)folded.n;
    f->hash = names_hash(n, path_name(names_folded(&folded)));
    f->path = mem_alloc(size_add(size_add(f->n, f->n_folded), 1));
    memcpy(f->path, path.p, f->n);
    memcpy(f->path + f->n, folded.p, f->n_folded);
    names_fold_done(&folded);
    n->path_bytes += f->n + f->n_folded + 1;
    n->count++;
    if (!is_hidden(path))
        names_insert(n, id);
}

void names_remove(struct names *n, file_id id)
{
    if (file_of(n, id) == NULL)
        return;
    struct names_file *f = &n->files[id];
    file_id *link = n->buckets != NULL ? &n->buckets[f->hash & n->mask] : NULL;
    while (link != NULL && *link != NO_FILE && *link != id)
        link = &n->files[*link].next;
    if (link != NULL && *link == id) { /* not if the file is hidden */
        *link = f->next;
        n->n_found--;
    }
    n->path_bytes -= f->n + f->n_folded + 1;
    n->count--;
    free_path(n, f->path);
    *f = (struct names_file){0};
}

file_id names_next(const struct names *n, file_id id, str folded_name, uint32_t hash)
{
    if (n->buckets == NULL)
        return NO_FILE;
    id = id == NO_FILE ? n->buckets[hash & n->mask] : n->files[id].next;
    while (id != NO_FILE &&
           (n->files[id].hash != hash || !names_path_ends(&n->files[id], folded_name)))
        id = n->files[id].next;
    return id;
}

/* The length of a path as Obsidian counts it: in UTF-16 units. */
static size_t shown_length(const struct names_file *f)
{
    if (f->n_folded == 0)
        return f->n;
    size_t units = 0;
    for (size_t i = 0; i < f->n_folded; i++) {
        uint8_t c = (uint8_t)f->path[f->n + i];
        units += ((c & 0xC0) != 0x80) + (c >= 0xF0);
    }
    return units;
}

int names_by_length(const void *a, const void *b, void *arg)
{
    const struct names *n = arg;
    file_id x = *(const file_id *)a, y = *(const file_id *)b;
    size_t nx = shown_length(&n->files[x]), ny = shown_length(&n->files[y]);
    if (nx != ny)
        return nx < ny ? -1 : 1;
    return str_cmp(names_path(n, x), names_path(n, y));
}

file_id names_find_path(const struct names *n, str path, size_t *twins)
{
    struct names_text folded;
    names_fold(&folded, path);
    str wanted = names_folded(&folded), name = path_name(wanted);
    uint32_t hash = names_hash(n, name);
    file_id best = NO_FILE;
    *twins = 0;
    for (file_id id = names_next(n, NO_FILE, name, hash); id != NO_FILE;
         id = names_next(n, id, name, hash)) {
        if (!names_path_is(&n->files[id], STR(""), wanted))
            continue;
        ++*twins;
        str here = names_path(n, id), before = names_path(n, best);
        if (best == NO_FILE || str_eq(here, path) ||
            (!str_eq(before, path) && str_cmp(here, before) < 0))
            best = id;
    }
    names_fold_done(&folded);
    return best;
}

size_t names_find_name(const struct names *n, struct arena *a, str name, file_id **out)
{
    struct names_text folded;
    names_fold(&folded, name);
    size_t found = 0;
    *out = NULL;
    for (int with_md = 0; with_md < 2; with_md++) {
        str wanted = names_folded(&folded);
        uint32_t hash = names_hash(n, wanted);
        for (file_id id = names_next(n, NO_FILE, wanted, hash); id != NO_FILE;
             id = names_next(n, id, wanted, hash))
            *ARRAY_ADD(a, *out, found) = id;
        names_fold_add_md(&folded);
    }
    names_fold_done(&folded);
    if (found > 1)
        qsort_r(*out, found, sizeof(file_id), names_by_length, (void *)n);
    return found;
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
