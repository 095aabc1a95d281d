#include "base/array.h"
#include "base/text.h"
#include "vault/index/names_table.h"

/* --- folded paths --- */

/* The length of the folded path. */
static size_t length(const struct names_file *f)
{
    return f->n_folded > 0 ? f->n_folded : f->n;
}

static unsigned char char_at(const struct names_file *f, size_t i)
{
    return (unsigned char)(f->n_folded > 0 ? f->path[f->n + i] : to_lower(f->path[i]));
}

/* Counted from the end. A slash comes first, so that "b/c" is followed by all paths that
 * end with "/b/c". */
static unsigned char char_before(const struct names_file *f, size_t i)
{
    unsigned char c = char_at(f, length(f) - 1 - i);
    return c == '/' ? 0 : c;
}

/* Compare what a path has at byte `at` with a text; 0: the path continues with it. */
static int compare_at(const struct names_file *f, size_t at, str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (at + i >= length(f))
            return -1;
        int difference = char_at(f, at + i) - (unsigned char)text.p[i];
        if (difference != 0)
            return difference;
    }
    return 0;
}

int names_place_below(const struct names_file *f, str folder)
{
    int c = compare_at(f, 0, folder);
    return c != 0 ? c : compare_at(f, folder.n, STR("/"));
}

int names_place_path(const struct names_file *f, str folder, str rest)
{
    size_t from = folder.n > 0 ? folder.n + 1 : 0;
    int c = from > 0 ? names_place_below(f, folder) : 0;
    if (c == 0)
        c = compare_at(f, from, rest);
    return c != 0 ? c : length(f) > from + rest.n;
}

int names_place_ending(const struct names_file *f, str rest)
{
    for (size_t i = 0; i < rest.n; i++) {
        if (i >= length(f))
            return -1;
        char wanted = rest.p[rest.n - 1 - i];
        int difference = char_before(f, i) - (unsigned char)(wanted == '/' ? 0 : wanted);
        if (difference != 0)
            return difference;
    }
    return length(f) > rest.n && char_before(f, rest.n) != 0;
}

bool names_are_alike(const struct names_file *a, const struct names_file *b)
{
    size_t i = 0;
    while (i < length(a) && i < length(b) && char_before(a, i) == char_before(b, i) &&
           char_before(a, i) != 0)
        i++;
    return (i == length(a) || char_before(a, i) == 0) &&
           (i == length(b) || char_before(b, i) == 0);
}

bool names_path_below(const struct names_file *f, str folder)
{
    return names_place_below(f, folder) == 0;
}

bool names_path_is(const struct names_file *f, str folder, str rest)
{
    return names_place_path(f, folder, rest) == 0;
}

bool names_path_ends(const struct names_file *f, str rest)
{
    return names_place_ending(f, rest) == 0;
}

/* --- orders --- */

static int names_tree_compare_paths(const struct names_file *a,
                                    const struct names_file *b)
{
    size_t na = length(a), nb = length(b);
    for (size_t i = 0; i < na && i < nb; i++) {
        int difference = char_at(a, i) - char_at(b, i);
        if (difference != 0)
            return difference;
    }
    return (na > nb) - (na < nb);
}

static int compare_endings(const struct names_file *a, const struct names_file *b)
{
    size_t na = length(a), nb = length(b);
    for (size_t i = 0; i < na && i < nb; i++) {
        int difference = char_before(a, i) - char_before(b, i);
        if (difference != 0)
            return difference;
    }
    return (na > nb) - (na < nb);
}

/* 0 only for the same file. Two that differ in case only are ordered by their bytes. */
static int compare(const struct names *n, enum names_order o, file_id a, file_id b)
{
    const struct names_file *x = &n->files[a], *y = &n->files[b];
    int c = o == NAMES_BY_PATH ? names_tree_compare_paths(x, y) : compare_endings(x, y);
    if (c == 0)
        c = str_cmp((str){x->path, x->n}, (str){y->path, y->n});
    return c != 0 ? c : (a > b) - (a < b);
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

static bool is_better(const struct names *n, file_id a, file_id b)
{
    return b == NO_FILE || names_by_length(&a, &b, (void *)n) < 0;
}

/* --- the trees --- */

/* Unlike the ids, priorities have nothing to do with the order of files. */
static bool is_above(const struct names *n, file_id a, file_id b)
{
    const uint64_t factor = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t x = (a + n->key.seed[0]) * factor, y = (b + n->key.seed[0]) * factor;
    x = (x ^ (x >> 32)) * factor;
    y = (y ^ (y >> 32)) * factor;
    return x > y; /* equal only if a equals b: all steps can be reversed */
}

static struct names_node *node_of(const struct names *n, enum names_order o, file_id id)
{
    return &n->files[id].nodes[o];
}

static void take_best(const struct names *n, enum names_order o, file_id child,
                      file_id *best)
{
    if (child == NO_FILE)
        return;
    file_id other = node_of(n, o, child)->best;
    if (is_better(n, other, *best))
        *best = other;
}

/* After its children changed. */
static void update(struct names *n, enum names_order o, file_id id)
{
    struct names_node *node = node_of(n, o, id);
    node->best = id;
    take_best(n, o, node->left, &node->best);
    take_best(n, o, node->right, &node->best);
}

/* Split a tree into what is before id, and after it. */
static void split(struct names *n, enum names_order o, file_id root, file_id id,
                  file_id *before, file_id *after)
{
    if (root == NO_FILE) {
        *before = *after = NO_FILE;
        return;
    }
    struct names_node *node = node_of(n, o, root);
    if (compare(n, o, root, id) < 0) {
        *before = root;
        split(n, o, node->right, id, &node->right, after);
    } else {
        *after = root;
        split(n, o, node->left, id, before, &node->left);
    }
    update(n, o, root);
}

/* All files of the first tree are before those of the second. */
static file_id names_tree_join(struct names *n, enum names_order o, file_id first,
                               file_id second)
{
    if (first == NO_FILE || second == NO_FILE)
        return first == NO_FILE ? second : first;
    file_id root = is_above(n, first, second) ? first : second;
    struct names_node *node = node_of(n, o, root);
    if (root == first)
        node->right = names_tree_join(n, o, node->right, second);
    else
        node->left = names_tree_join(n, o, first, node->left);
    update(n, o, root);
    return root;
}

static file_id add(struct names *n, enum names_order o, file_id root, file_id id)
{
    struct names_node *node = node_of(n, o, root == NO_FILE ? id : root);
    if (root == NO_FILE) {
        *node = (struct names_node){NO_FILE, NO_FILE, id};
        return id;
    }
    if (is_above(n, id, root)) {
        node = node_of(n, o, id);
        split(n, o, root, id, &node->left, &node->right);
        root = id;
    } else if (compare(n, o, id, root) < 0) {
        node->left = add(n, o, node->left, id);
    } else {
        node->right = add(n, o, node->right, id);
    }
    update(n, o, root);
    return root;
}

static file_id drop(struct names *n, enum names_order o, file_id root, file_id id)
{
    if (root == NO_FILE)
        return NO_FILE;
    struct names_node *node = node_of(n, o, root);
    if (root == id)
        return names_tree_join(n, o, node->left, node->right);
    if (compare(n, o, id, root) < 0)
        node->left = drop(n, o, node->left, id);
    else
        node->right = drop(n, o, node->right, id);
    update(n, o, root);
    return root;
}

file_id names_tree_add(struct names *n, file_id root, file_id id)
{
    (void)add(n, NAMES_BY_ENDING, root, id);
    return add(n, NAMES_BY_PATH, root, id);
}

file_id names_tree_remove(struct names *n, file_id root, file_id id)
{
    (void)drop(n, NAMES_BY_ENDING, root, id);
    return drop(n, NAMES_BY_PATH, root, id);
}

/* --- questions --- */

static void list(const struct names *n, struct arena *a, file_id root, file_id **out,
                 size_t *count)
{
    if (root == NO_FILE)
        return;
    const struct names_node *node = node_of(n, NAMES_BY_PATH, root);
    list(n, a, node->left, out, count);
    *ARRAY_ADD(a, *out, *count) = root;
    list(n, a, node->right, out, count);
}

size_t names_tree_list(const struct names *n, struct arena *a, file_id root,
                       file_id **out)
{
    size_t count = 0;
    *out = NULL;
    list(n, a, root, out, &count);
    return count;
}

struct tree_search {
    const struct names *names;
    const struct names_range *range;
    size_t steps; /* left */
    file_id best; /* so far */
};

static bool fits(const struct tree_search *s, file_id id)
{
    return s->range->fits(s->range->arg, &s->names->files[id]);
}

static void search(struct tree_search *s, file_id root)
{
    if (root == NO_FILE || s->steps == 0)
        return;
    const struct names_node *node = node_of(s->names, s->range->order, root);
    s->steps--;
    if (!is_better(s->names, node->best, s->best))
        return;
    if (fits(s, node->best)) {
        s->best = node->best;
        return;
    }
    int place = s->range->place(s->range->arg, &s->names->files[root]);
    if (place >= 0)
        search(s, node->left);
    if (place == 0 && fits(s, root) && is_better(s->names, root, s->best))
        s->best = root;
    if (place <= 0)
        search(s, node->right);
}

bool names_tree_best(const struct names *n, file_id root, const struct names_range *range,
                     size_t steps, file_id *best)
{
    struct tree_search s = {n, range, steps, NO_FILE};
    search(&s, root);
    *best = s.best;
    return s.steps > 0;
}
