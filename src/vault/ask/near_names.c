#include "vault/ask/near_names.h"

#include "base/array.h"
#include "base/path.h"
#include "base/utf8.h"
#include "vault/index/file.h"
#include "vault/index/index.h"

static size_t allowed(uint32_t characters)
{
    return characters <= 7 ? 1 : characters <= 15 ? 2 : 3;
}

void near_names_search(struct near_search *s, str folded)
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

struct near_names {
    struct known *names; /* by path */
    size_t n;
};

static void near_names_add_name(struct near_names *near, struct arena *a, str name,
                                file_id file)
{
    struct near_letters letters;
    str folded = utf8_fold(a, name);
    near_read(&letters, folded);
    *ARRAY_ADD(a, near->names, near->n) =
        (struct known){folded, letters.bag, letters.n, file};
}

const struct near_names *near_names_of(const struct index *x, struct arena *a,
                                       const struct stop *stop)
{
    struct near_names *near = ARENA_NEW(a, struct near_names);
    const struct file *f;
    for (size_t at = 0; (f = index_next_by_path(x, &at, stop)) != NULL;) {
        str title = file_title(f->path), extension = path_extension(f->path);
        near_names_add_name(near, a, title, f->id);
        if (f->kind != FILE_NOTE && extension.n > 0)
            near_names_add_name(near, a, str_slice(title, 0, title.n - extension.n - 1),
                                f->id);
        for (size_t k = 0; k < f->aliases.n; k++)
            near_names_add_name(near, a, f->aliases.items[k], f->id);
    }
    return near;
}

/* --- the nearest --- */

/* Files in the order of their distance, which may be any number. */
struct near_names_nearest {
    file_id *files;
    size_t distances[NEAR_NAMES_MAX];
    size_t n, max;
};

static void nearest_remove(struct near_names_nearest *l, size_t i)
{
    l->n--;
    memmove(l->files + i, l->files + i + 1, (l->n - i) * sizeof(*l->files));
    memmove(l->distances + i, l->distances + i + 1, (l->n - i) * sizeof(*l->distances));
}

/* Insert file if it is among the nearest; it is listed once, by its nearest name. */
static void nearest_insert(struct near_names_nearest *l, file_id file, size_t apart)
{
    for (size_t i = 0; i < l->n; i++) {
        if (l->files[i] != file)
            continue;
        if (l->distances[i] <= apart)
            return;
        nearest_remove(l, i);
    }
    size_t at = l->n;
    while (at > 0 && l->distances[at - 1] > apart)
        at--;
    if (at == l->max)
        return;
    l->n = l->n < l->max ? l->n + 1 : l->n;
    size_t moved = l->n - at - 1;
    memmove(l->files + at + 1, l->files + at, moved * sizeof(*l->files));
    memmove(l->distances + at + 1, l->distances + at, moved * sizeof(*l->distances));
    l->files[at] = file;
    l->distances[at] = apart;
}

static struct near_names_nearest nearest_open(file_id *out, size_t max)
{
    return (struct near_names_nearest){
        .files = out, .max = max < NEAR_NAMES_MAX ? max : NEAR_NAMES_MAX};
}

/* Slips that a name may still have; more would not be listed. SIZE_MAX: none. */
static size_t nearest_room(const struct near_names_nearest *l, size_t most)
{
    size_t last = l->n == l->max ? l->distances[l->n - 1] - 1 : most;
    return last == SIZE_MAX || last < most ? last : most;
}

static void find_spelt_alike(const struct near_names *near, str folded,
                             struct near_names_nearest *out)
{
    struct near_search s;
    struct near_letters letters;
    near_names_search(&s, folded);
    if (s.far == 0 || out->max == 0)
        return;
    for (size_t i = 0; i < near->n; i++) {
        const struct known *k = &near->names[i];
        size_t most = nearest_room(out, s.far - 1);
        if (most == SIZE_MAX)
            return;
        if (!near_may_be(s.wanted.bag, s.wanted.n, k->bag, k->n, most))
            continue;
        near_read(&letters, k->folded);
        size_t apart = near_count(&s.wanted, &letters, most);
        if (apart != NEAR_NONE)
            nearest_insert(out, k->file, apart);
    }
}

/* --- words in common --- */

size_t near_names_split(str folded, str *out)
{
    size_t n = 0, start = STR_NONE;
    for (size_t i = 0, width; i <= folded.n && n < NEAR_NAMES_WORDS; i += width) {
        bool end = i == folded.n;
        width = 1;
        bool letter = !end && utf8_is_word(utf8_decode(str_skip(folded, i), &width));
        if (letter && start == STR_NONE)
            start = i;
        if (!letter && start != STR_NONE) {
            out[n++] = str_slice(folded, start, i);
            start = STR_NONE;
        }
    }
    return n;
}

bool near_names_contains(str name, const str *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_find(name, words[i]) == STR_NONE)
            return false;
    return n > 0;
}

/* Almost every name contains one or two letters. */
static bool is_telling(const str *words, size_t n)
{
    enum { BYTES_MIN = 3 };
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += words[i].n;
    return bytes >= BYTES_MIN;
}

size_t near_names_suggest(const struct near_names *near, str name, file_id *out,
                          size_t max)
{
    struct arena scratch = {0};
    struct near_names_nearest list = nearest_open(out, max);
    str words[NEAR_NAMES_WORDS], folded = utf8_fold(&scratch, name);
    size_t n = near_names_split(folded, words);
    find_spelt_alike(near, folded, &list);
    for (size_t i = 0; is_telling(words, n) && i < near->n; i++) /* after all slips */
        if (near_names_contains(near->names[i].folded, words, n))
            nearest_insert(&list, near->names[i].file,
                           NEAR_MAX + near->names[i].folded.n);
    arena_release(&scratch);
    return list.n;
}
