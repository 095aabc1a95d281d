/* Names of commits, counted without listing them. */
#include "base/array.h"
#include "base/encode.h"
#include "sync/git.h"

enum { TREE_DEPTH_MAX = 1024 }; /* deeper paths cannot be on disk */

/* What is counted so far. A tree may have the same folder a thousand times, and that one
 * another: so few objects have more names than memory can hold, and each is counted once. */
struct counting {
    struct git_reader *r;
    struct arena *a;
    struct map trees; /* ids of those that are new as a whole */
    size_t *names;    /* in them */
    size_t n, most;
};

/* The names of a tree. */
struct tree_names {
    struct map names;
    str *ids; /* bytes */
    size_t n;
};

static bool read_names(const struct counting *c, str tree, struct tree_names *out,
                       struct err *err)
{
    str text = {0}, mode, name, id;
    *out = (struct tree_names){.names = {.arena = c->a}};
    if (tree.n > 0 && !git_read_tree(c->r, tree, &text, err))
        return false;
    while (text.n > 0 && git_next_entry(c->r->g, &text, &mode, &name, &id))
        if (map_add_new(&out->names, name))
            *ARRAY_ADD(c->a, out->ids, out->n) = id;
    return true;
}

static bool count_tree(struct counting *c, str from, str to, unsigned depth, size_t *out,
                       struct err *err);

/* A name of a tree, and what is in it. */
static bool count_entry(struct counting *c, const struct tree_names *old,
                        const struct git_entry *e, unsigned depth, size_t *out,
                        struct err *err)
{
    uint32_t known = map_find(&old->names, e->path);
    str from = known != MAP_NONE ? old->ids[known] : (str){0};
    size_t inside = 0;
    *out = 0;
    if (str_eq(from, e->id))
        return true;
    if (e->mode == GIT_TREE && !count_tree(c, encode_hex(c->a, from),
                                           encode_hex(c->a, e->id), depth, &inside, err))
        return false;
    *out = size_add(inside, 1);
    return true;
}

static bool count_entries(struct counting *c, const struct tree_names *old, str text,
                          unsigned depth, size_t *out, struct err *err)
{
    str mode;
    struct git_entry e;
    size_t n;
    *out = 0;
    while (*out <= c->most && text.n > 0 &&
           git_next_entry(c->r->g, &text, &mode, &e.path, &e.id)) {
        e.mode = git_mode(mode);
        if (!count_entry(c, old, &e, depth, &n, err))
            return false;
        *out = size_add(*out, n);
    }
    return true;
}

static bool count_tree(struct counting *c, str from, str to, unsigned depth, size_t *out,
                       struct err *err)
{
    struct tree_names old;
    str text;
    uint32_t counted = from.n == 0 ? map_find(&c->trees, to) : MAP_NONE;
    *out = counted != MAP_NONE ? c->names[counted] : c->most + 1;
    if (counted != MAP_NONE || depth > TREE_DEPTH_MAX)
        return true;
    if (!read_names(c, from, &old, err) || !git_read_tree(c->r, to, &text, err) ||
        !count_entries(c, &old, text, depth + 1, out, err))
        return false;
    if (from.n == 0 && map_add_new(&c->trees, to))
        *ARRAY_ADD(c->a, c->names, c->n) = *out;
    return true;
}

static bool tree_of(struct git_reader *r, struct arena *a, str commit, str *out,
                    struct err *err)
{
    struct git_commit_info info = {0};
    bool ok = commit.n == 0 || git_read_commit(r, a, commit, &info, err);
    *out = info.tree;
    return ok;
}

bool git_has_more(struct git_reader *r, str from, str to, size_t most, bool *more,
                  struct err *err)
{
    struct arena a = {0};
    struct counting c = {.r = r, .a = &a, .trees = {.arena = &a}, .most = most};
    str before, after;
    size_t n = 0;
    bool ok = tree_of(r, &a, from, &before, err) && tree_of(r, &a, to, &after, err) &&
              count_tree(&c, before, after, 0, &n, err);
    *more = n > most;
    arena_release(&a);
    return ok;
}
