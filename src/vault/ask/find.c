#include "vault/ask/find.h"

#include "base/path.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/ask/near_names.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/index/tags.h"

static const struct file *find_named(const struct index *x, struct arena *a, str word,
                                     struct names_answer *answer)
{
    struct err ignored;
    str clean;
    if (path_clean(a, word, &clean, &ignored)) {
        const struct file *exact = index_find(x, clean);
        if (exact == NULL)
            exact = index_find(x, arena_printf(a, STR_FMT ".md", STR_ARG(clean)));
        if (exact != NULL)
            return exact;
    }
    names_resolve(x->names, a, word, STR(""), NO_FILE, answer);
    return index_file(x, answer->file);
}

/* 'a', 'b' */
static void find_add_path(struct sbuf *b, str path)
{
    sbuf_printf(b, "%s'" STR_FMT "'", b->n > 0 ? ", " : "", STR_ARG(path));
}

static bool find_not_found(const struct index *x, struct arena *a, str word,
                           struct err *err)
{
    enum { NEAREST = 3 };
    struct arena scratch = {0};
    file_id near[NEAREST];
    struct sbuf names = SBUF_ON(a);
    size_t n = near_names_suggest(near_names_of(x, &scratch), file_title(str_trim(word)),
                                  near, NEAREST);
    arena_release(&scratch);
    for (size_t i = 0; i < n; i++)
        find_add_path(&names, names_path(x->names, near[i]));
    return err_named(err, E_FILE_NOT_FOUND, "File not found: " STR_FMT "%s" STR_FMT "%s",
                     STR_ARG(word), n > 0 ? "; did you mean " : "",
                     STR_ARG(sbuf_str(&names)), n > 0 ? "?" : "");
}

static bool find_ambiguous(str word, struct sbuf *paths, struct err *err)
{
    return err_named(err, E_AMBIGUOUS,
                     "'" STR_FMT "' matches several files: " STR_FMT "; give the path",
                     STR_ARG(word), STR_ARG(sbuf_str(paths)));
}

/* --- by name --- */

/* Whether a path ends with the word, compared as names_resolve() does. */
static bool ends_with_word(struct arena *a, str path, str word)
{
    path = utf8_fold(a, path);
    str tail = arena_printf(a, "/" STR_FMT, STR_ARG(utf8_fold(a, str_trim(word))));
    return str_ends(path, tail) ||
           (str_ends(path, STR(".md")) && str_ends(str_slice(path, 0, path.n - 3), tail));
}

/* A link would mean the shortest path, but a caller that names a file has to be exact. */
static bool is_ambiguous(const struct index *x, struct arena *a, str word,
                         const struct names_answer *answer, struct err *err)
{
    struct sbuf fits = SBUF_ON(a);
    find_add_path(&fits, names_path(x->names, answer->file));
    size_t first = fits.n;
    for (size_t i = 0; answer->rule == NAMES_SHORTEST && i < answer->n_others; i++) {
        str path = names_path(x->names, answer->others[i]);
        if (ends_with_word(a, path, word))
            find_add_path(&fits, path);
    }
    return fits.n > first && !find_ambiguous(word, &fits, err);
}

/* --- by alias --- */

static bool has_alias(struct arena *scratch, const struct file *f, str folded)
{
    for (size_t i = 0; i < f->aliases.n; i++) {
        arena_reset(scratch);
        if (str_eq(utf8_fold(scratch, f->aliases.items[i]), folded))
            return true;
    }
    return false;
}

/* The files with that alias: the first by path in *out, and all paths in the list. */
static size_t find_aliased(const struct index *x, struct arena *a, str word,
                           const struct file **out, struct sbuf *paths)
{
    enum { SHOWN = 8 };
    struct arena scratch = {0};
    str folded = utf8_fold(a, str_trim(word));
    const struct file *f;
    size_t n = 0;
    for (size_t i = 0; n < SHOWN && (f = index_nth(x, i)) != NULL; i++) {
        if (f->aliases.n == 0 || !has_alias(&scratch, f, folded))
            continue;
        if (n++ == 0)
            *out = f;
        find_add_path(paths, f->path);
    }
    arena_release(&scratch);
    return n;
}

/* --- a caller's word --- */

/* [[Name#heading|text]] is Name. */
static str bare(str word)
{
    str inner = str_trim(word);
    if (!str_starts(inner, STR("[[")) || !str_ends(inner, STR("]]")))
        return word;
    inner = str_slice(inner, 2, inner.n - 2);
    inner = str_slice(inner, 0, str_find_char(inner, '|'));
    return str_slice(inner, 0, str_find_char(inner, '#'));
}

bool find_file(const struct index *x, struct arena *a, str word, const struct file **out,
               struct err *err)
{
    word = bare(word);
    struct names_answer answer = {.file = NO_FILE, .rule = NAMES_UNRESOLVED};
    struct sbuf aliased = SBUF_ON(a);
    *out = find_named(x, a, word, &answer);
    if (*out != NULL)
        return !is_ambiguous(x, a, word, &answer, err);
    size_t n = find_aliased(x, a, word, out, &aliased);
    if (n == 0)
        return find_not_found(x, a, word, err);
    return n == 1 || find_ambiguous(word, &aliased, err);
}

bool find_tag(const struct index *x, struct arena *a, str word, struct tag *out,
              struct err *err)
{
    enum { NEAREST = 5 };
    if (tags_find(x->tags, word, out))
        return true;
    struct sbuf near = SBUF_ON(a);
    str last = str_skip(word, str_starts(word, STR("#")));
    for (size_t i = 0, found = 0; i < tags_count(x->tags) && found < NEAREST; i++) {
        str tag = tags_at(x->tags, i).name;
        if (str_eq_nocase(path_name(tag), last))
            sbuf_printf(&near, "%s'" STR_FMT "'", found++ > 0 ? ", " : "; did you mean ",
                        STR_ARG(tag));
    }
    return err_named(err, E_TAG_NOT_FOUND,
                     "no note has the tag '" STR_FMT "'" STR_FMT "%s", STR_ARG(word),
                     STR_ARG(sbuf_str(&near)), near.n > 0 ? "?" : "");
}
