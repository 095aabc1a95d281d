/* Notes that were moved by hand: HEAD has the old name, the disk the new one. */
#include "sync/git.h"
#include "sync/pull.h"
#include "vault/index/file.h"
#include "vault/vault.h"

enum { ALIKE_MAX = 8 }; /* files with one text that are asked about */

/* The files of the vault with that content, at most ALIKE_MAX. */
static size_t find_alike(struct pull *p, struct hash_content hash, str *out)
{
    size_t n = 0;
    const struct index *x = vault_lock(p->w->v);
    for (file_id i = 0; i < x->n && n < ALIKE_MAX; i++)
        if (x->files[i] != NULL && hash_same(x->files[i]->hash, hash))
            out[n++] = arena_str(p->a, x->files[i]->path);
    vault_unlock(p->w->v);
    return n;
}

static bool head_id(struct pull *p, str path, str *id, struct err *err)
{
    struct git_entry found;
    if (!git_find(&p->w->reader, p->a, p->head, pull_full(p, path), &found, err))
        return false;
    *id = found.mode != 0 ? found.id : (str){0};
    return true;
}

/* What HEAD has at path; empty if it has nothing there. */
static bool head_text(struct pull *p, str path, str *text, struct err *err)
{
    str id;
    *text = (str){0};
    return head_id(p, path, &id, err) &&
           (id.n == 0 || git_get_blobs(&p->w->reader, p->contents, &id, 1, text, err));
}

bool pull_find_moved(struct pull *p, str path, str *now, struct err *err)
{
    str text, alike[ALIKE_MAX], id;
    size_t found = 0;
    *now = path;
    if (p->head.n == 0 || !pull_we_have(p, path))
        return true;
    if (!p->refreshed)
        vault_refresh(p->w->v, NULL, 0); /* the watcher may be late */
    p->refreshed = true;
    if (!head_text(p, path, &text, err))
        return false;
    size_t n = text.n > 0 ? find_alike(p, hash_content(text), alike) : 0;
    for (size_t i = 0; i < n; i++) {
        if (!head_id(p, alike[i], &id, err))
            return false;
        if (id.n == 0 && found++ == 0)
            *now = alike[i];
    }
    if (found != 1)
        *now = path;
    return true;
}
