#include "sync/pending.h"

#include "base/array.h"
#include "base/path.h"
#include "base/sort.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/vault.h"

/* --- reading --- */

static size_t old_bytes(const struct journal_change *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += c->ops[i].old.n;
    return n;
}

/* False: leave it for the next time. The contents that the first change replaced are not
 * needed. */
static bool pending_take(struct pending *p, struct arena *a, const struct journal *j,
                         uint64_t number)
{
    struct journal_change c;
    struct err err;
    if (!journal_read(j, a, number, false, &c, &err))
        return p->gap = true;
    size_t bytes = p->n > 0 ? old_bytes(&c) : 0;
    if (p->n > 0 &&
        (p->ops + c.n > PENDING_OPS_MAX || p->bytes + bytes > PENDING_BYTES_MAX))
        return false;
    if (p->n > 0 && !journal_read(j, a, number, true, &c, &err))
        return p->gap = true;
    *ARRAY_ADD(a, p->list, p->n) = c;
    p->ops += c.n;
    p->bytes += bytes;
    return true;
}

static struct changes *hold(struct vault *v, struct journal **j, struct err *err)
{
    struct changes *c = vault_changes(v, err);
    return c != NULL && changes_lock_all(c, j, err) ? c : NULL;
}

bool pending_read_on(struct vault *v, struct arena *a, struct pending *p, struct err *err)
{
    const struct journal_entry *list;
    struct journal *j;
    struct changes *c = hold(v, &j, err);
    if (c == NULL)
        return false;
    size_t n = journal_entries(j, &list), i = n;
    while (i > 0 && list[i - 1].number > p->last)
        i--;
    for (; i < n; i++) {
        if (list[i].state != JOURNAL_ABORTED && !pending_take(p, a, j, list[i].number))
            break;
        p->gap = p->gap || list[i].number > p->last + 1;
        p->last = list[i].number;
    }
    p->more = i < n;
    changes_unlock(c);
    return true;
}

bool pending_read(struct vault *v, struct arena *a, uint64_t done, struct pending *out,
                  struct err *err)
{
    *out = (struct pending){.last = done};
    return pending_read_on(v, a, out, err);
}

bool pending_any(struct vault *v, uint64_t done, bool *any, struct err *err)
{
    const struct journal_entry *list;
    struct journal *j;
    struct changes *c = hold(v, &j, err);
    if (c == NULL)
        return false;
    size_t n = journal_entries(j, &list);
    *any = n > 0 && list[n - 1].number > done;
    changes_unlock(c);
    return true;
}

bool pending_since(struct vault *v, int64_t when, bool known, uint64_t *done,
                   struct err *err)
{
    const struct journal_entry *list;
    struct journal *j;
    struct changes *c = hold(v, &j, err);
    if (c == NULL)
        return false;
    size_t n = journal_entries(j, &list);
    bool none = n == 0;
    uint64_t first = none ? journal_next(j) : list[0].number;
    uint64_t last = none ? first - 1 : list[n - 1].number;
    while (n > 0 && list[n - 1].time >= when)
        n--;
    if (!known || none || *done > last)
        *done = n > 0 ? list[n - 1].number : first - 1;
    changes_unlock(c);
    return true;
}

/* --- paths --- */

static int pending_by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

str *pending_paths(struct arena *a, const struct journal_change *c, size_t *n)
{
    str *paths = ARENA_ARRAY(a, str, 2 * c->n + 1);
    *n = 0;
    for (size_t i = 0; i < c->n; i++) {
        paths[(*n)++] = c->ops[i].path;
        if (c->ops[i].to.n > 0)
            paths[(*n)++] = c->ops[i].to;
    }
    sort_items(paths, *n, sizeof(*paths), pending_by_bytes);
    return paths;
}

bool pending_is_below(const str *sorted, size_t n, str path)
{
    for (size_t i = 0; i <= path.n; i++) {
        str part = str_slice(path, 0, i);
        if ((i == path.n || path.p[i] == '/') &&
            bsearch(&part, sorted, n, sizeof(*sorted), pending_by_bytes) != NULL)
            return true;
    }
    return false;
}

/* path after the folder (or file) from was renamed to to. */
static str renamed(struct arena *a, str path, str from, str to)
{
    return arena_printf(a, STR_FMT STR_FMT, STR_ARG(to), STR_ARG(str_skip(path, from.n)));
}

/* --- contents --- */

static bool is_file_op(const struct journal_op *op)
{
    return op->kind == JOURNAL_WRITE || op->kind == JOURNAL_DELETE;
}

/* Whether op changes what is at path, or puts something there; *f: what was there. */
static bool touches(const struct journal_op *op, str path, struct pending_file *f)
{
    bool written = is_file_op(op) && str_eq(op->path, path);
    bool comes = (op->kind == JOURNAL_MOVE && path_is_or_below(op->to, path)) ||
                 (op->kind == JOURNAL_MAKE_FOLDER && path_is_or_below(op->path, path));
    if (!written && !comes)
        return false;
    *f = written && op->existed
             ? (struct pending_file){.where = PENDING_KEPT, .text = op->old}
             : (struct pending_file){.where = PENDING_GONE};
    return true;
}

struct pending_file pending_after(const struct pending *p, struct arena *a, size_t i,
                                  str path)
{
    struct pending_file f;
    for (size_t r = i + 1; r < p->n; r++) {
        const struct journal_change *c = &p->list[r];
        for (size_t k = 0; k < c->n && !pending_is_sync(c); k++) {
            const struct journal_op *op = &c->ops[k];
            if (op->kind == JOURNAL_MOVE && path_is_or_below(op->path, path))
                path = renamed(a, path, op->path, op->to);
            else if (touches(op, path, &f))
                return f;
        }
    }
    return (struct pending_file){.where = PENDING_ON_DISK, .path = path};
}

bool pending_differs(const struct pending *p, str path, bool there, str text)
{
    if (p->ops > PENDING_OPS_MAX)
        return false;
    for (size_t r = p->n; r-- > 0;)
        for (size_t k = p->list[r].n; k-- > 0;) {
            const struct journal_op *op = &p->list[r].ops[k];
            if (is_file_op(op) && str_eq(op->path, path))
                return (op->kind == JOURNAL_WRITE) != there ||
                       (there && !hash_same(op->after, hash_content(text)));
        }
    return false;
}

/* --- names --- */

struct pending_set {
    const struct pending *p;
    struct arena *a;
    str *list;
    size_t n;
};

static void pending_add_name(struct pending_set *x, str path)
{
    *ARRAY_ADD(x->a, x->list, x->n) = path;
}

static void add_later(struct pending_set *x, str path)
{
    for (size_t r = 0; r < x->p->n; r++)
        for (size_t k = 0; k < x->p->list[r].n; k++) {
            const struct journal_op *op = &x->p->list[r].ops[k];
            if (op->kind == JOURNAL_MOVE && path_is_or_below(op->path, path))
                pending_add_name(x, path = renamed(x->a, path, op->path, op->to));
        }
}

static void add_earlier(struct pending_set *x, str path)
{
    for (size_t r = x->p->n; r-- > 0;)
        for (size_t k = x->p->list[r].n; k-- > 0;) {
            const struct journal_op *op = &x->p->list[r].ops[k];
            if (op->kind == JOURNAL_MOVE && path_is_or_below(op->to, path))
                pending_add_name(x, path = renamed(x->a, path, op->to, op->path));
        }
}

str *pending_names(const struct pending *p, struct arena *a, const str *known,
                   size_t n_known, size_t *n)
{
    struct pending_set x = {.p = p, .a = a};
    for (size_t r = 0; r < p->n; r++)
        for (size_t k = 0; k < p->list[r].n; k++)
            if (is_file_op(&p->list[r].ops[k]))
                pending_add_name(&x, p->list[r].ops[k].path);
    size_t named = x.n;
    for (size_t i = 0; i < named + n_known; i++) {
        str path = i < named ? x.list[i] : known[i - named];
        add_later(&x, path);
        add_earlier(&x, path);
    }
    if (x.n > 0)
        sort_items(x.list, x.n, sizeof(*x.list), pending_by_bytes);
    *n = 0;
    for (size_t i = 0; i < x.n; i++)
        if (*n == 0 || !str_eq(x.list[*n - 1], x.list[i]))
            x.list[(*n)++] = x.list[i];
    return x.list;
}
