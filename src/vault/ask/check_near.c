#include "vault/ask/check_near.h"

#include "base/path.h"
#include "base/utf8.h"
#include "vault/index/file.h"
#include "vault/index/index.h"

/* A name as it is compared: its characters, and a bit for each that occurs. */
struct letters {
    uint64_t bag;
    uint32_t n; /* above CHECK_NEAR_MAX: too long */
    uint32_t at[CHECK_NEAR_MAX];
};

static void read_letters(str folded, struct letters *out)
{
    out->bag = 0;
    out->n = 0;
    for (size_t i = 0, n; i < folded.n; i += n) {
        uint32_t c = utf8_decode(str_skip(folded, i), &n);
        if (out->n++ >= CHECK_NEAR_MAX)
            return;
        out->at[out->n - 1] = c;
        out->bag |= (uint64_t)1 << c % 64;
    }
}

static size_t allowed(uint32_t characters)
{
    return characters <= 4 ? 1 : characters <= 15 ? 2 : 3;
}

/* Whether two names can be near at all: an edit changes at most two bits of a bag. */
static bool may_be_near(uint64_t bag_a, uint32_t n_a, uint64_t bag_b, uint32_t n_b,
                        size_t edits)
{
    uint32_t apart = n_a > n_b ? n_a - n_b : n_b - n_a;
    return apart <= edits && (size_t)__builtin_popcountll(bag_a ^ bag_b) <= 2 * edits;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits from a to b, a swap of neighbours being one: row by row. */
static size_t count_edits(const struct letters *a, const struct letters *b)
{
    size_t rows[3][CHECK_NEAR_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t k = 0; k <= b->n; k++)
        row[k] = k;
    for (size_t i = 1; i <= a->n; i++) {
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
        row[0] = i;
        for (size_t k = 1; k <= b->n; k++) {
            bool same = a->at[i - 1] == b->at[k - 1];
            row[k] = least(last[k - 1] + !same, least(last[k], row[k - 1]) + 1);
            if (i > 1 && k > 1 && a->at[i - 1] == b->at[k - 2] &&
                a->at[i - 2] == b->at[k - 1])
                row[k] = least(row[k], before[k - 2] + 1);
        }
    }
    return row[b->n];
}

static size_t distance(const struct letters *a, const struct letters *b)
{
    size_t most = allowed(a->n);
    if (a->n > CHECK_NEAR_MAX || b->n > CHECK_NEAR_MAX || a->n == 0 ||
        !may_be_near(a->bag, a->n, b->bag, b->n, most))
        return SIZE_MAX;
    size_t edits = count_edits(a, b);
    return edits <= most && edits < a->n ? edits : SIZE_MAX;
}

size_t check_distance(str a, str b)
{
    struct letters x, y;
    read_letters(a, &x);
    read_letters(b, &y);
    return distance(&x, &y);
}

/* --- all names --- */

struct known {
    str folded;
    uint64_t bag;
    uint32_t n;
    file_id file;
};

struct check_near {
    struct known *names; /* in the order of paths */
    size_t n;
};

static void check_near_add_name(struct check_near *near, struct arena *a, str name,
                                file_id file)
{
    struct letters letters;
    str folded = utf8_fold(a, name);
    read_letters(folded, &letters);
    near->names[near->n++] = (struct known){folded, letters.bag, letters.n, file};
}

const struct check_near *check_near_of(const struct index *x, struct arena *a)
{
    const struct file **files;
    size_t n = index_sorted(x, a, &files), names = 2 * n;
    for (size_t i = 0; i < n; i++)
        names += files[i]->aliases.n;
    struct check_near *near = ARENA_NEW(a, struct check_near);
    near->names = ARENA_ARRAY(a, struct known, names);
    for (size_t i = 0; i < n; i++) {
        const struct file *f = files[i];
        str title = file_title(f->path), extension = path_extension(f->path);
        check_near_add_name(near, a, title, f->id);
        if (f->kind != FILE_NOTE && extension.n > 0)
            check_near_add_name(near, a, str_slice(title, 0, title.n - extension.n - 1),
                                f->id);
        for (size_t k = 0; k < f->aliases.n; k++)
            check_near_add_name(near, a, f->aliases.items[k], f->id);
    }
    return near;
}

/* Put file into the list that is ordered by how far they are, if it is among the best. */
static size_t check_near_insert(file_id *out, size_t *edits, size_t n, size_t max,
                                file_id file, size_t apart)
{
    for (size_t i = 0; i < n; i++) {
        if (out[i] != file)
            continue;
        if (edits[i] <= apart)
            return n;
        n--; /* by a nearer name now */
        memmove(out + i, out + i + 1, (n - i) * sizeof(*out));
        memmove(edits + i, edits + i + 1, (n - i) * sizeof(*edits));
    }
    size_t at = n;
    while (at > 0 && edits[at - 1] > apart)
        at--;
    if (at == max)
        return n;
    n = n < max ? n + 1 : n;
    memmove(out + at + 1, out + at, (n - at - 1) * sizeof(*out));
    memmove(edits + at + 1, edits + at, (n - at - 1) * sizeof(*edits));
    out[at] = file;
    edits[at] = apart;
    return n;
}

size_t check_near_find(const struct check_near *near, str name, file_id *out, size_t max)
{
    enum { BEST_MAX = 8 };
    struct arena scratch = {0};
    struct letters wanted, letters;
    size_t edits[BEST_MAX], n = 0;
    max = least(max, BEST_MAX);
    read_letters(utf8_fold(&scratch, name), &wanted);
    for (size_t i = 0; i < near->n; i++) {
        const struct known *k = &near->names[i];
        if (!may_be_near(wanted.bag, wanted.n, k->bag, k->n, allowed(wanted.n)))
            continue;
        read_letters(k->folded, &letters);
        size_t apart = distance(&wanted, &letters);
        if (apart != SIZE_MAX)
            n = check_near_insert(out, edits, n, max, k->file, apart);
    }
    arena_release(&scratch);
    return n;
}
