/*
 * Change some names of a tree, however strange its other names are. An index would
 * refuse a tree with a name such as ".." or ".git"; here the other names are copied.
 *
 * The folders that contain changes are read level by level from the top and written
 * level by level from the bottom, each level in one run of git.
 */
#include "base/sbuf.h"
#include "sync/git.h"

struct folder {
    str name, id;  /* id: the old one; empty: it is new */
    str raw;       /* its entries, as git stores them */
    size_t parent; /* the root's is itself */
    size_t level;
    str now;           /* its new id; empty: it has no entries left */
    size_t first, end; /* the edits in and below it */
};

struct editing {
    const struct git *g;
    struct arena *a;
    struct git_entry *edits;
    struct folder *folders; /* parents first */
    size_t n, levels, id_bytes;
};

/* The name of edit i in a folder of that level, and whether it is a file there. */
static str name_at(const struct git_entry *e, size_t level, bool *is_last)
{
    str rest = e->path, name = {0};
    for (size_t i = 0; i <= level; i++)
        str_next(&rest, '/', &name);
    *is_last = name.p + name.n == e->path.p + e->path.n;
    return name;
}

/* Add the folders in f that contain edits. */
static void add_below(struct editing *t, size_t parent)
{
    struct folder f = t->folders[parent];
    for (size_t i = f.first, j; i < f.end; i = j) {
        bool last, other_last;
        str name = name_at(&t->edits[i], f.level, &last);
        for (j = i + 1; j < f.end; j++)
            if (!str_eq(name_at(&t->edits[j], f.level, &other_last), name) ||
                other_last != last)
                break;
        if (last)
            continue;
        t->folders[t->n++] = (struct folder){
            .name = name, .parent = parent, .level = f.level + 1, .first = i, .end = j};
        if (f.level + 2 > t->levels)
            t->levels = f.level + 2;
    }
}

static size_t count_folders(const struct git_entry *edits, size_t n)
{
    size_t most = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < edits[i].path.n; j++)
            most += edits[i].path.p[j] == '/';
    return most;
}

/* --- reading --- */

struct item {
    str mode, name, id; /* id: bytes */
};

static bool take_item(const struct editing *t, str *raw, struct item *out)
{
    if (raw->n == 0 || !str_next(raw, ' ', &out->mode) ||
        !str_next(raw, '\0', &out->name))
        return false;
    out->id = str_slice(*raw, 0, t->id_bytes);
    *raw = str_skip(*raw, t->id_bytes);
    return out->id.n == t->id_bytes;
}

static str hex(struct arena *a, str bytes)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < bytes.n; i++)
        sbuf_printf(&b, "%02x", (unsigned)(uint8_t)bytes.p[i]);
    return sbuf_str(&b);
}

static void find_id(struct editing *t, struct folder *f)
{
    str raw = t->folders[f->parent].raw;
    struct item item;
    while (take_item(t, &raw, &item))
        if (str_eq(item.name, f->name) && str_eq(item.mode, STR("40000")))
            f->id = hex(t->a, item.id);
}

static bool read_level(struct editing *t, size_t level, struct err *err)
{
    str *ids = ARENA_ARRAY(t->a, str, t->n), *raws = ARENA_ARRAY(t->a, str, t->n);
    size_t n = 0, used = 0;
    for (size_t i = 0; i < t->n; i++) {
        struct folder *f = &t->folders[i];
        if (f->level == level && i > 0)
            find_id(t, f);
        if (f->level == level && f->id.n > 0)
            ids[n++] = f->id;
    }
    if (!git_get_blobs(t->g, t->a, ids, n, raws, err))
        return false;
    for (size_t i = 0; i < t->n; i++)
        if (t->folders[i].level == level && t->folders[i].id.n > 0)
            t->folders[i].raw = raws[used++];
    return true;
}

/* --- writing --- */

/* An entry of a folder that changes or is removed. */
struct edited {
    str name;
    bool removed;
    bool program; /* the file was executable, and stays so */
};

static int git_tree_by_name(const void *a, const void *b)
{
    return str_cmp(((const struct edited *)a)->name, ((const struct edited *)b)->name);
}

struct edited_names {
    struct edited *list; /* by name */
    size_t n;
};

static struct edited_names edited_names(struct editing *t, const struct folder *f)
{
    struct edited *list = ARENA_ARRAY(t->a, struct edited, f->end - f->first + 1);
    size_t n = 0, kept = 0;
    for (size_t i = f->first; i < f->end; i++) {
        bool last;
        str name = name_at(&t->edits[i], f->level, &last);
        list[n++] = (struct edited){name, last && t->edits[i].mode == 0, false};
    }
    qsort(list, n, sizeof(*list), git_tree_by_name);
    for (size_t i = 0; i < n; i++)
        if (kept > 0 && str_eq(list[kept - 1].name, list[i].name))
            list[kept - 1].removed = list[kept - 1].removed && list[i].removed;
        else
            list[kept++] = list[i];
    return (struct edited_names){list, kept};
}

static const char *type_of(unsigned mode)
{
    return mode == GIT_TREE ? "tree" : mode == 0160000 ? "commit" : "blob";
}

static unsigned parse_mode(str mode)
{
    unsigned out = 0;
    for (size_t i = 0; i < mode.n; i++)
        out = out * 8 + (unsigned)(mode.p[i] - '0');
    return out;
}

static void git_tree_add_line(struct sbuf *b, unsigned mode, str id, str name)
{
    sbuf_printf(b, "%06o %s ", mode, type_of(mode));
    sbuf_add(b, id);
    sbuf_char(b, '\t');
    sbuf_add(b, name);
    sbuf_char(b, '\0');
}

static struct edited *find_edited(struct edited_names names, str name)
{
    return names.n == 0 ? NULL
                        : bsearch(&(struct edited){.name = name}, names.list, names.n,
                                  sizeof(*names.list), git_tree_by_name);
}

/* The lines of unchanged entries. If a removed file is a folder by now, that stays. */
static void print_unchanged(struct editing *t, const struct folder *f,
                            struct edited_names names, struct sbuf *b)
{
    struct item item;
    for (str raw = f->raw; take_item(t, &raw, &item);) {
        unsigned mode = parse_mode(item.mode);
        struct edited *e = find_edited(names, item.name);
        if (e != NULL)
            e->program = mode == GIT_PROGRAM;
        if (e == NULL || (e->removed && mode == GIT_TREE))
            git_tree_add_line(b, mode, hex(t->a, item.id), item.name);
    }
}

/* The lines of a folder for mktree; false if there are none. */
static bool print_folder(struct editing *t, size_t f, struct sbuf *b)
{
    const struct folder *at = &t->folders[f];
    struct edited_names names = edited_names(t, at);
    size_t before = b->n;
    print_unchanged(t, at, names, b);
    for (size_t i = at->first; i < at->end; i++) {
        const struct git_entry *e = &t->edits[i];
        bool last;
        str name = name_at(e, at->level, &last);
        bool program = e->mode == GIT_FILE && find_edited(names, name)->program;
        if (last && e->mode != 0)
            git_tree_add_line(b, program ? GIT_PROGRAM : e->mode, e->id, name);
    }
    for (size_t i = f + 1; i < t->n; i++)
        if (t->folders[i].parent == f && t->folders[i].now.n > 0)
            git_tree_add_line(b, GIT_TREE, t->folders[i].now, t->folders[i].name);
    return b->n > before;
}

static bool write_level(struct editing *t, size_t level, struct err *err)
{
    struct sbuf in = SBUF_ON(t->a);
    str out;
    bool *full = ARENA_ARRAY(t->a, bool, t->n);
    for (size_t i = 0; i < t->n; i++) {
        full[i] = t->folders[i].level == level && (print_folder(t, i, &in) || i == 0);
        if (full[i] && level > 0)
            sbuf_char(&in, '\0');
    }
    if (in.n == 0 && level > 0)
        return true;
    if (!git_run(t->g, t->a, GIT_HOW(.input = sbuf_str(&in)),
                 level > 0 ? GIT_ARGS("mktree", "-z", "--batch")
                           : GIT_ARGS("mktree", "-z"),
                 &out, err))
        return false;
    for (size_t i = 0; i < t->n; i++)
        if (full[i] &&
            (!str_next(&out, '\n', &t->folders[i].now) || t->folders[i].now.n == 0))
            return err_set(err, ERR_INTERNAL, "git did not create a tree");
    return true;
}

static int git_tree_by_path(const void *a, const void *b)
{
    return str_cmp(((const struct git_entry *)a)->path,
                   ((const struct git_entry *)b)->path);
}

bool git_edit_tree(const struct git *g, struct arena *a, str commit,
                   struct git_entry *edits, size_t n, str *tree, struct err *err)
{
    struct editing t = {.g = g, .a = a, .edits = edits, .n = 1, .levels = 1};
    if (n > 0)
        qsort(edits, n, sizeof(*edits), git_tree_by_path);
    t.folders = ARENA_ARRAY(a, struct folder, count_folders(edits, n));
    t.folders[0] = (struct folder){.end = n};
    const char *name = arena_printf(a, STR_FMT "^{tree}", STR_ARG(commit)).p;
    if (commit.n > 0 &&
        !git_line(g, a, GIT_ARGS("rev-parse", "--verify", name), &t.folders[0].id, err))
        return false;
    t.id_bytes = t.folders[0].id.n / 2;
    for (size_t i = 0; i < t.n; i++)
        add_below(&t, i);
    for (size_t level = 0; level < t.levels; level++)
        if (!read_level(&t, level, err))
            return false;
    for (size_t level = t.levels; level-- > 0;)
        if (!write_level(&t, level, err))
            return false;
    *tree = t.folders[0].now;
    return true;
}
