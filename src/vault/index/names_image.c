/*
 * The table as bytes: a head, an entry for every id, and all paths (with their folded
 * forms) one after another. Groups are rebuilt from the hashes, whose key is in the
 * head.
 */
#include "vault/index/image.h"
#include "vault/index/names_table.h"

struct names_image_head {
    struct hash_key key;
    uint64_t n_files, path_bytes;
};

struct names_image_entry {
    uint32_t n; /* 0: no such file */
    uint32_t n_folded, hash;
    uint32_t found; /* not hidden */
};

/* The size of the path and its folded form. */
static size_t size_of(const struct names_file *f)
{
    return (size_t)f->n + f->n_folded;
}

void names_save(const struct names *n, const struct image_out *out)
{
    struct names_image_head h = {.key = n->key, .n_files = n->n_files};
    for (size_t i = 0; i < n->n_files; i++)
        h.path_bytes += size_of(&n->files[i]);
    image_put(out, &h, sizeof(h));
    for (size_t i = 0; i < n->n_files; i++) {
        const struct names_file *f = &n->files[i];
        struct names_image_entry e = {0};
        if (f->path != NULL)
            e = (struct names_image_entry){f->n, f->n_folded, f->hash, names_is_found(f)};
        image_put(out, &e, sizeof(e));
    }
    for (size_t i = 0; i < n->n_files; i++)
        image_put_piece(out, n->files[i].path, size_of(&n->files[i]));
    image_pad(out, h.path_bytes);
}

/* Load the files. The paths follow each other and must fill packed exactly. */
static bool load_files(struct names *n, const struct names_image_entry *entries)
{
    size_t at = 0;
    for (size_t i = 0; i < n->n_files; i++) {
        const struct names_image_entry *e = &entries[i];
        struct names_file *f = &n->files[i];
        if (e->n == 0)
            continue;
        *f = (struct names_file){.n = e->n, .n_folded = e->n_folded, .hash = e->hash};
        f->nodes[NAMES_BY_PATH].best = NO_FILE;
        if (size_of(f) > n->packed.n - at)
            return false;
        f->path = (char *)n->packed.p + at;
        at += size_of(f);
        n->path_bytes += size_of(f) + 1;
        n->count++;
        if (e->found)
            names_insert(n, (file_id)i);
    }
    return at == n->packed.n;
}

struct names *names_load(struct image_in *in)
{
    const struct names_image_head *h = image_take(in, 1, sizeof(*h));
    const struct names_image_entry *entries =
        h != NULL ? image_take(in, h->n_files, sizeof(*entries)) : NULL;
    const char *paths = entries != NULL ? image_take(in, h->path_bytes, 1) : NULL;
    if (paths == NULL || h->n_files >= NO_FILE)
        return NULL;
    struct names *n = names_create();
    n->key = h->key;
    n->files = mem_zero(size_mul(h->n_files, sizeof(*n->files)) + 1);
    n->n_files = h->n_files;
    n->packed = (str){paths, h->path_bytes};
    if (load_files(n, entries))
        return n;
    names_free(n);
    return NULL;
}
