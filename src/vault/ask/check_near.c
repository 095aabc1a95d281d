#include "vault/ask/check_near.h"

#include "base/path.h"
#include "base/utf8.h"
#include "vault/index/file.h"
#include "vault/index/index.h"

static size_t allowed(uint32_t characters)
{
    return characters <= 4 ? 1 : characters <= 15 ? 2 : 3;
}

void check_near_search(struct near_search *s, str folded)
{
    near_search(s, folded, 0);
    size_t most = allowed(s->wanted.n);
    s->far = most < s->wanted.n ? most + 1 : s->wanted.n;
}

/* --- all names --- */

struct known {
    str folded;
    uint64_t bag;
    uint32_t n;
    file_id file;
};

struct check_near {
    struct known *names; /* by path */
    size_t n;
};

static void check_near_add_name(struct check_near *near, struct arena *a, str name,
                                file_id file)
{
    struct near_letters letters;
    str folded = utf8_fold(a, name);
    near_read(&letters, folded);
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

/* Insert file into the list, which is ordered by distance, if it is among the nearest. */
static size_t check_near_insert(file_id *out, size_t *slips, size_t n, size_t max,
                                file_id file, size_t apart)
{
    for (size_t i = 0; i < n; i++) {
        if (out[i] != file)
            continue;
        if (slips[i] <= apart)
            return n;
        n--; /* listed again below, by a nearer name */
        memmove(out + i, out + i + 1, (n - i) * sizeof(*out));
        memmove(slips + i, slips + i + 1, (n - i) * sizeof(*slips));
    }
    size_t at = n;
    while (at > 0 && slips[at - 1] > apart)
        at--;
    if (at == max)
        return n;
    n = n < max ? n + 1 : n;
    memmove(out + at + 1, out + at, (n - at - 1) * sizeof(*out));
    memmove(slips + at + 1, slips + at, (n - at - 1) * sizeof(*slips));
    out[at] = file;
    slips[at] = apart;
    return n;
}

size_t check_near_find(const struct check_near *near, str name, file_id *out, size_t max)
{
    enum { BEST_MAX = 8 };
    struct arena scratch = {0};
    struct near_search s;
    struct near_letters letters;
    size_t slips[BEST_MAX], n = 0;
    max = max < BEST_MAX ? max : BEST_MAX;
    check_near_search(&s, utf8_fold(&scratch, name));
    for (size_t i = 0; s.far > 0 && i < near->n; i++) {
        const struct known *k = &near->names[i];
        if (!near_may_be(s.wanted.bag, s.wanted.n, k->bag, k->n, s.far - 1))
            continue;
        near_read(&letters, k->folded);
        size_t apart = near_count(&s.wanted, &letters, s.far - 1);
        if (apart != NEAR_NONE)
            n = check_near_insert(out, slips, n, max, k->file, apart);
    }
    arena_release(&scratch);
    return n;
}
