/*
 * Level by level: all folders of one depth are listed in parallel, each into its own
 * arena, then the lists are joined. The last step sorts the files.
 */
#include "vault/walk.h"

#include "base/array.h"
#include "base/parallel.h"
#include "base/path.h"
#include "base/sort.h"
#include "vault/access.h"

/* One folder of the current level. */
struct walk_listing {
    str path;
    struct arena arena;
    struct fs_list list;
    struct err err;
    bool ok;
};

struct level {
    const struct fs_root *root;
    struct walk_listing *items;
    size_t n;
};

static void list_one(void *arg, size_t i, size_t worker)
{
    const struct level *l = arg;
    struct walk_listing *at = &l->items[i];
    at->ok = fs_list(l->root, &at->arena, at->path, &at->list, &at->err);
}

struct collector {
    struct walk *walk;
    const struct access *access;
    str *next; /* folders of the next level */
    size_t n_next;
    struct err why; /* why the last folder could not be read */
};

static void add_file(struct collector *c, str path, const struct fs_info *info)
{
    struct walk *w = c->walk;
    if (w->n == WALK_FILES_MAX) {
        w->limited = true;
        return;
    }
    *ARRAY_ADD(&w->arena, w->files, w->n) = (struct walk_file){path, *info};
}

static void add_unreadable(struct collector *c, str path, const char *why)
{
    struct walk *w = c->walk;
    *ARRAY_ADD(&w->arena, w->left, w->n_left) =
        (struct skipped_file){arena_str(&w->arena, path.n > 0 ? path : STR("/")),
                              arena_str(&w->arena, str_c(why))};
    w->n_unreadable++;
}

static str why_unspellable(struct arena *a, str name)
{
    return name.n > PATH_MAX_COMPONENT
               ? arena_printf(a, "the name has %zu bytes, more than %d", name.n,
                              PATH_MAX_COMPONENT)
               : STR("the name has characters that tools cannot write");
}

static void add_skipped(struct collector *c, str folder, str name)
{
    struct walk *w = c->walk;
    str meant = path_in_icloud(name);
    str path = path_join(&w->arena, folder, meant.n > 0 ? meant : name);
    if (!access_reads(c->access, path))
        return;
    str why = meant.n > 0 ? STR(SKIPPED_IN_ICLOUD) : why_unspellable(&w->arena, name);
    *ARRAY_ADD(&w->arena, w->left, w->n_left) =
        (struct skipped_file){arena_str(&w->arena, path), why};
}

static void take_listing(struct collector *c, const struct walk_listing *l)
{
    struct walk *w = c->walk;
    if (!l->ok) {
        c->why = l->err;
        add_unreadable(c, l->path, l->err.msg);
        return;
    }
    w->folders += access_reads(c->access, l->path);
    for (size_t i = 0; i < l->list.n_skipped; i++)
        add_skipped(c, l->path, l->list.skipped[i]);
    for (size_t i = 0; i < l->list.n; i++) {
        const struct fs_entry *e = &l->list.entries[i];
        str path = path_join(&w->arena, l->path, e->name);
        if (e->info.type == FS_FILE && access_reads(c->access, path)) {
            add_file(c, path.p == e->name.p ? arena_str(&w->arena, path) : path,
                     &e->info);
        } else if (e->info.type == FS_FOLDER && !e->is_link &&
                   access_enters(c->access, path)) {
            *ARRAY_ADD(&w->arena, c->next, c->n_next) =
                path.p == e->name.p ? arena_str(&w->arena, path) : path;
        }
    }
}

static int walk_by_path(const void *a, const void *b)
{
    return str_cmp(((const struct walk_file *)a)->path,
                   ((const struct walk_file *)b)->path);
}

/* List the folders of one level; afterwards c->next is the next level. */
static void walk_level(struct collector *c, const struct fs_root *root, struct pool *pool)
{
    struct level level = {
        root, mem_zero(size_mul(c->n_next, sizeof(struct walk_listing))), c->n_next};
    for (size_t i = 0; i < level.n; i++)
        level.items[i].path = c->next[i];
    parallel_each(pool, level.n, list_one, &level);
    c->next = NULL;
    c->n_next = 0;
    for (size_t i = 0; i < level.n; i++) {
        take_listing(c, &level.items[i]);
        arena_release(&level.items[i].arena);
    }
    free(level.items);
}

static void leave_out_level(struct collector *c)
{
    for (size_t i = 0; i < c->n_next; i++)
        add_unreadable(c, c->next[i], "folders are nested too deeply");
    c->walk->limited = c->walk->limited || c->n_next > 0;
}

bool walk_seen(const struct fs_root *root, struct pool *pool, str folder,
               const struct access *access, struct walk *out, struct err *err)
{
    *out = (struct walk){0};
    struct fs_info info;
    if (!fs_stat(root, folder, &info, err))
        return false;
    str first = arena_str(&out->arena, folder);
    struct collector c = {.walk = out, .access = access, .next = &first, .n_next = 1};
    walk_level(&c, root, pool);
    if (out->n_unreadable > 0) {
        *err = c.why;
        walk_release(out);
        return false;
    }
    for (unsigned depth = 1; c.n_next > 0 && depth <= WALK_DEPTH_MAX; depth++)
        walk_level(&c, root, pool);
    leave_out_level(&c);
    out->folders--; /* the first one */
    if (out->n > 1)
        sort_items(out->files, out->n, sizeof(*out->files), walk_by_path);
    return true;
}

bool walk_below(const struct fs_root *root, struct pool *pool, str folder,
                struct walk *out, struct err *err)
{
    return walk_seen(root, pool, folder, &(struct access){0}, out, err);
}

void walk_release(struct walk *w)
{
    arena_release(&w->arena);
    *w = (struct walk){0};
}
