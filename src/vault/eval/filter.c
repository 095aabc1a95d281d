#include "vault/eval/filter.h"

#include "base/path.h"
#include "base/utf8.h"
#include "vault/index/index.h"
#include "vault/index/tags.h"
#include "vault/text/glob.h"

static str trim_slashes(str s)
{
    while (str_starts(s, STR("/")))
        s = str_skip(s, 1);
    while (str_ends(s, STR("/")))
        s = str_slice(s, 0, s.n - 1);
    return s;
}

/* Case is ignored only if no file is below the folder as written. */
static void open_folder(struct filter *f, const struct index *x, struct arena *a,
                        str folder)
{
    folder = trim_slashes(folder);
    if (folder.n == 0)
        return;
    f->folder = folder;
    str prefix = arena_printf(a, STR_FMT "/", STR_ARG(folder));
    const struct file *first = index_nth(x, index_after(x, prefix));
    if (first != NULL && str_starts(first->path, prefix))
        return;
    f->folded = true;
    f->folder = utf8_fold(a, folder);
}

bool filter_open(struct filter *f, const struct index *x, struct arena *a,
                 const struct filter_request *request, struct err *err)
{
    struct glob *glob = NULL;
    str *globs = ARENA_ARRAY(a, str, request->n_globs);
    for (size_t i = 0; i < request->n_globs; i++)
        globs[i] = utf8_nfc(a, request->globs[i]);
    if (request->n_globs > 0 && !glob_compile(a, globs, request->n_globs, &glob, err))
        return false;
    f->glob = glob;
    f->by_tag = request->tag.n > 0;
    if (f->by_tag)
        (void)tags_find(x->tags, trim_slashes(request->tag),
                        &f->tag); /* unknown: no file matches */
    open_folder(f, x, a, request->folder);
    return true;
}

void filter_release(struct filter *f)
{
    arena_release(&f->scratch);
}

bool filter_is_open(const struct filter *f)
{
    return f->folder.n == 0 && f->glob == NULL && !f->by_tag;
}

static bool filter_is_below(struct filter *f, str path)
{
    if (!f->folded)
        return path_is_below(f->folder, path);
    arena_reset(&f->scratch);
    return path_is_below(f->folder, utf8_fold(&f->scratch, path));
}

static bool filter_has_tag(const struct tag *tag, file_id id)
{
    size_t from = 0, to = tag->all;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (tag->files[middle] < id)
            from = middle + 1;
        else
            to = middle;
    }
    return from < tag->all && tag->files[from] == id;
}

/* Names are the same in any normal form. */
static bool filter_globs(struct filter *f, str path)
{
    if (f->glob == NULL)
        return true;
    arena_reset(&f->scratch);
    return glob_match(f->glob, utf8_nfc(&f->scratch, path));
}

bool filter_takes(struct filter *f, const struct file *file)
{
    return (!f->by_tag || filter_has_tag(&f->tag, file->id)) &&
           filter_is_below(f, file->path) && filter_globs(f, file->path);
}
