#include "vault/ask/find.h"

#include "base/path.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/ask/near_link.h"
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

/* 'a', 'b': as many as a message has room for. */
struct find_paths {
    struct sbuf text;
    size_t n, shown;
};

static void find_add_path(struct find_paths *p, str path)
{
    enum { ROOM = 130 }; /* bytes of a message */
    bool fits = p->shown == p->n && p->text.n + path.n <= ROOM;
    if (fits || p->n == 0)
        sbuf_printf(&p->text, "%s'" STR_FMT "%s'", p->n > 0 ? ", " : "",
                    STR_ARG(utf8_cut(path, ROOM)), path.n > ROOM ? "..." : "");
    p->shown += fits || p->n == 0;
    p->n++;
}

/* Whether a path ends with the word, compared as names_resolve() does. */
static bool ends_with_word(struct arena *a, str path, str word)
{
    path = utf8_fold(a, path);
    str tail = arena_printf(a, "/" STR_FMT, STR_ARG(utf8_fold(a, str_trim(word))));
    return str_ends(path, tail) ||
           (str_ends(path, STR(".md")) && str_ends(str_slice(path, 0, path.n - 3), tail));
}

/* A file by that path or name which is on the disk, but not in the index. */
static const struct skipped_file *find_skipped(const struct index *x, str word)
{
    struct arena scratch = {0};
    const struct skipped_file *found;
    for (size_t at = 0; (found = index_skipped(x, &at)) != NULL; arena_reset(&scratch))
        if (ends_with_word(&scratch,
                           arena_printf(&scratch, "/" STR_FMT, STR_ARG(found->path)),
                           word))
            break;
    arena_release(&scratch);
    return found;
}

static bool find_not_found(const struct index *x, struct arena *a, str word,
                           struct err *err)
{
    const struct skipped_file *skipped = find_skipped(x, word);
    if (skipped != NULL)
        return err_named(err, E_FILE_NOT_FOUND,
                         "File not found: " STR_FMT " cannot be used: " STR_FMT,
                         STR_ARG(skipped->path), STR_ARG(skipped->why));
    struct arena scratch = {0};
    struct near_link nearest = {.index = x, .arena = &scratch};
    file_id near[NEAR_LINK_MAX];
    struct find_paths names = {.text = SBUF_ON(a)};
    size_t n = near_link_find(&nearest, word, near);
    arena_release(&scratch);
    for (size_t i = 0; i < n; i++)
        find_add_path(&names, names_path(x->names, near[i]));
    return err_named(err, E_FILE_NOT_FOUND, "File not found: " STR_FMT "%s" STR_FMT "%s",
                     STR_ARG(word), n > 0 ? "; did you mean " : "",
                     STR_ARG(sbuf_str(&names.text)), n > 0 ? "?" : "");
}

static bool find_ambiguous(struct arena *a, str word, struct find_paths *paths,
                           struct err *err)
{
    enum { SHOWN = 60 }; /* bytes of the word */
    size_t left = paths->n - paths->shown;
    str more = left > 0 ? arena_printf(a, " and %zu more", left) : (str){0};
    return err_named(
        err, E_AMBIGUOUS,
        "'" STR_FMT "' matches several files: " STR_FMT STR_FMT "; give the path",
        STR_ARG(utf8_cut(word, SHOWN)), STR_ARG(sbuf_str(&paths->text)), STR_ARG(more));
}

/* --- by name --- */

/* A link would mean the shortest path, but a caller that names a file has to be exact. */
static bool is_ambiguous(const struct index *x, struct arena *a, str word,
                         const struct names_answer *answer, struct err *err)
{
    struct find_paths fits = {.text = SBUF_ON(a)};
    find_add_path(&fits, names_path(x->names, answer->file));
    for (size_t i = 0; answer->rule == NAMES_SHORTEST && i < answer->n_others; i++) {
        str path = names_path(x->names, answer->others[i]);
        if (ends_with_word(a, path, word))
            find_add_path(&fits, path);
    }
    return fits.n > 1 && !find_ambiguous(a, word, &fits, err);
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
                           const struct file **out, struct find_paths *paths)
{
    struct arena scratch = {0};
    str folded = utf8_fold(a, str_trim(word));
    const struct file *f;
    size_t n = 0;
    for (size_t i = 0; (f = index_next_by_path(x, &i, NULL)) != NULL;) {
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

bool find_check_slash(str word, str path, struct err *err)
{
    return !str_ends(word, STR("/")) ||
           err_named(err, E_PATH_INVALID,
                     "'" STR_FMT "' is a file, not a folder: leave out the '/'",
                     STR_ARG(path));
}

bool find_file(const struct index *x, struct arena *a, str word, const struct file **out,
               struct err *err)
{
    word = bare(word);
    struct names_answer answer = {.file = NO_FILE, .rule = NAMES_UNRESOLVED};
    struct find_paths aliased = {.text = SBUF_ON(a)};
    *out = find_named(x, a, word, &answer);
    if (*out != NULL)
        return find_check_slash(word, (*out)->path, err) &&
               !is_ambiguous(x, a, word, &answer, err);
    size_t n = find_aliased(x, a, word, out, &aliased);
    if (n == 0)
        return find_not_found(x, a, word, err);
    return n == 1 || find_ambiguous(a, word, &aliased, err);
}

const struct file *find_named_file(const struct index *x, struct arena *a, str word)
{
    word = bare(word);
    struct names_answer answer = {.file = NO_FILE, .rule = NAMES_UNRESOLVED};
    struct err ignored;
    const struct file *f = find_named(x, a, word, &answer);
    return f != NULL && !is_ambiguous(x, a, word, &answer, &ignored) ? f : NULL;
}

bool find_neither(const char *other, struct err *err)
{
    str msg = str_c(err->msg);
    struct err why = *err;
    if (err->code != ERR_NOT_FOUND || str_ends(msg, STR("?")))
        return false;
    return err_caused(err, &why, E_FILE_NOT_FOUND, "%s; nor is it %s", why.msg, other);
}

/* --- folders --- */

/* Compared as a whole, and by the last name only: people leave out what is above it. */
str find_meant_folder(const struct index *x, struct arena *a, str word)
{
    struct arena scratch = {0};
    const str *folders;
    struct near_search whole, last;
    str best = {0}, folded = utf8_fold(a, word);
    size_t n = index_folders(x, &folders);
    near_names_search(&whole, folded);
    near_names_search(&last, path_name(folded));
    for (size_t i = 0; i < n; i++) {
        arena_reset(&scratch);
        str name = utf8_fold(&scratch, folders[i]);
        if (near_offer(&whole, name) || near_offer(&last, path_name(name)))
            best = folders[i];
    }
    arena_release(&scratch);
    return best.n == 0 ? best
                       : arena_printf(a, "; did you mean '" STR_FMT "'?", STR_ARG(best));
}

bool find_folder(const struct index *x, struct arena *a, str word, struct err *err)
{
    enum { SHOWN = 80 }; /* bytes of the word */
    str clean;
    return (path_clean(a, word, &clean, err) &&
            (clean.n == 0 || index_has_below(x, clean))) ||
           err_set(
               err, ERR_NOT_FOUND, "no such folder '" STR_FMT "', or it is empty" STR_FMT,
               STR_ARG(utf8_cut(word, SHOWN)), STR_ARG(find_meant_folder(x, a, word)));
}

/* --- tags --- */

/* Whether a tag, or the last part of it, contains the folded word or is near it. */
static bool is_like_tag(struct arena *scratch, str tag, str folded)
{
    enum { INSIDE_MIN = 3 }; /* bytes: shorter words are in too many tags */
    arena_reset(scratch);
    str name = utf8_fold(scratch, tag);
    struct near_search near;
    near_names_search(&near, folded);
    return (folded.n >= INSIDE_MIN && str_find(name, folded) != STR_NONE) ||
           near_offer(&near, name) || near_offer(&near, path_name(name));
}

size_t find_near_tags(const struct index *x, struct arena *a, str word, str *out)
{
    struct arena scratch = {0};
    str folded = utf8_fold(a, str_skip(word, str_starts(word, STR("#"))));
    size_t n = 0;
    for (size_t i = 0; folded.n > 0 && i < tags_count(x->tags) && n < FIND_TAGS_MAX;
         i++) {
        str tag = tags_at(x->tags, i).name;
        if (is_like_tag(&scratch, tag, folded))
            out[n++] = tag;
    }
    arena_release(&scratch);
    return n;
}

str find_meant_tags(const struct index *x, struct arena *a, str word)
{
    str near[FIND_TAGS_MAX];
    struct sbuf b = SBUF_ON(a);
    size_t n = find_near_tags(x, a, word, near);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&b, "%s'" STR_FMT "'%s", i > 0 ? ", " : "; did you mean ",
                    STR_ARG(near[i]), i + 1 == n ? "?" : "");
    return sbuf_str(&b);
}

bool find_no_tag(const struct index *x, struct arena *a, str word, struct err *err)
{
    enum { SHOWN = 80 }; /* bytes of the word */
    return err_named(err, E_TAG_NOT_FOUND, "no note has the tag '" STR_FMT "'" STR_FMT,
                     STR_ARG(utf8_cut(word, SHOWN)),
                     STR_ARG(find_meant_tags(x, a, word)));
}

bool find_tag(const struct index *x, struct arena *a, str word, struct tag *out,
              struct err *err)
{
    return tags_find(x->tags, word, out) || find_no_tag(x, a, word, err);
}

/* --- all --- */

static bool find_may_mean(struct arena *a, const struct file *f, str word, str folded)
{
    if (word.n == 0)
        return f->kind == FILE_NOTE;
    str path = utf8_fold(a, f->path);
    if (str_eq(path, folded) || ends_with_word(a, f->path, word) ||
        (f->kind == FILE_NOTE && str_eq(str_slice(path, 0, path.n - 3), folded)))
        return true;
    for (size_t i = 0; i < f->aliases.n; i++)
        if (str_eq(utf8_fold(a, f->aliases.items[i]), folded))
            return true;
    return false;
}

size_t find_all(const struct index *x, struct arena *a, str word,
                const struct file ***out)
{
    struct arena scratch = {0};
    str folded = utf8_fold(a, str_trim(word));
    const struct file **files;
    size_t n = index_sorted(x, a, &files), kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (find_may_mean(&scratch, files[i], str_trim(word), folded))
            files[kept++] = files[i];
        arena_reset(&scratch);
    }
    arena_release(&scratch);
    *out = files;
    return kept;
}
