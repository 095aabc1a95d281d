#include "vault/ask/base_find.h"

#include "base/path.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/ask/block_choice.h"
#include "vault/ask/find.h"
#include "vault/forms/base_file.h"
#include "vault/forms/base_source.h"
#include "vault/forms/code_block.h"
#include "vault/index/file.h"
#include "vault/note/note.h"

enum { BASE_SHOWN = 80 };

/* --- words --- */

/* "Books.base#To read" as path and the rest, without [[ ]] or a display text. */
static void split_word(str word, str *path, str *sub)
{
    word = str_skip(word, str_starts(word, STR("!")));
    if (str_starts(word, STR("[[")) && str_ends(word, STR("]]")))
        word = str_slice(word, 2, word.n - 2);
    word = str_slice(word, 0, str_find_char(word, '|'));
    size_t hash = str_find_char(word, '#');
    *path = str_slice(word, 0, hash);
    *sub = hash != STR_NONE ? str_skip(word, hash + 1) : STR("");
}

static bool has_bases(str path)
{
    str extension = path_extension(path);
    return str_eq_nocase(extension, STR("base")) || str_eq_nocase(extension, STR("md"));
}

static bool is_yaml(str word)
{
    bool map = str_find(word, STR(": ")) != STR_NONE || str_starts(word, STR("{"));
    return text_has_break(word) || (map && !has_bases(word));
}

/* A base is meant rather than a note of the same name. */
static bool find_base_file(const struct index *x, struct arena *a, str path,
                           const struct file **out, struct err *err)
{
    struct err ignored;
    str base = arena_printf(a, STR_FMT ".base", STR_ARG(path));
    return (path.n > 0 && !has_bases(path) && find_file(x, a, base, out, &ignored)) ||
           find_file(x, a, path, out, err);
}

/* --- views --- */

static bool no_view(const struct base_found *f, struct arena *a, str view,
                    struct err *err)
{
    struct sbuf names = SBUF_ON(a);
    for (size_t i = 0; i < f->base.n_views; i++)
        sbuf_printf(&names, "%s'" STR_FMT "'", i > 0 ? ", " : "",
                    STR_ARG(f->base.views[i].name));
    return err_set(err, ERR_NOT_FOUND, "no view '" STR_FMT "'; there are: " STR_FMT,
                   STR_ARG(utf8_cut(view, BASE_SHOWN)), STR_ARG(sbuf_str(&names)));
}

/* Read the base of a source. Errors name the file. */
static bool read_source(struct arena *a, const struct base_source *source,
                        struct base_found *f, struct err *err)
{
    struct err why;
    if (base_read(a, source, &f->base, &why))
        return true;
    str path = f->file != NULL ? utf8_cut(f->file->path, BASE_SHOWN) : STR("base");
    return err_caused(err, &why, E_INVALID_QUERY, STR_FMT ": %s", STR_ARG(path), why.msg);
}

static bool find_in_file(struct arena *a, str view, struct base_found *f, struct err *err)
{
    struct base_source source;
    base_source_of_file(a, f->file->text, &source);
    f->number = f->bases = 1;
    if (!read_source(a, &source, f, err))
        return false;
    f->view = base_find_view(&f->base, view);
    return f->view != NULL || no_view(f, a, view, err);
}

/* --- the bases of a note --- */

/* The first chosen base that has the view. */
static bool find_in_note(struct arena *a, str sub, str view, struct base_found *f,
                         struct err *err)
{
    const struct note *n = &f->file->note;
    struct block_choice chosen;
    struct span block;
    size_t number = 0;
    bool any = false;
    if (!block_choose(f->file, a, sub, &chosen, err))
        return false;
    for (uint32_t i = 0; code_block_next(n, STR("base"), &i, &block);) {
        struct base_source source;
        number++;
        if (f->view != NULL || !block_is_chosen(&chosen, block, number))
            continue;
        base_source_of_block(a, n, block, &source);
        if (!read_source(a, &source, f, err))
            return false;
        any = true;
        f->number = number;
        f->view = base_find_view(&f->base, view);
    }
    f->bases = number;
    if (f->view != NULL)
        return true;
    return any ? no_view(f, a, view, err)
               : err_set(err, ERR_NOT_FOUND, "no such base in '" STR_FMT "'",
                         STR_ARG(utf8_cut(f->file->path, BASE_SHOWN)));
}

/* --- any base --- */

/* Also with the fences of a code block around it. */
static bool find_unsaved(struct arena *a, const struct base_request *request,
                         struct base_found *out, struct err *err)
{
    struct base_source source;
    struct note pasted;
    struct span block;
    if (code_block_pasted(a, request->base, &pasted, &block))
        base_source_of_block(a, &pasted, block, &source);
    else
        base_source_of_file(a, request->base, &source);
    if (!read_source(a, &source, out, err))
        return false;
    out->view = base_find_view(&out->base, request->view);
    return out->view != NULL || no_view(out, a, request->view, err);
}

static bool find_saved(const struct index *x, struct arena *a,
                       const struct base_request *request, struct base_found *out,
                       struct err *err)
{
    str path, sub;
    split_word(request->base, &path, &sub);
    if (!find_base_file(x, a, path, &out->file, err))
        return find_neither(
            "the text of a base, which is YAML such as 'filters: status == \"active\"'",
            err);
    out->this_file = out->file;
    if (out->file->unread)
        return err_set(err, ERR_LIMIT, "'" STR_FMT "' could not be read: " STR_FMT,
                       STR_ARG(utf8_cut(out->file->path, BASE_SHOWN)),
                       STR_ARG(out->file->problem));
    if (out->file->kind == FILE_BASE)
        return find_in_file(a, request->view.n > 0 ? request->view : sub, out, err);
    if (out->file->kind == FILE_NOTE)
        return find_in_note(a, sub, request->view, out, err);
    return err_set(err, ERR_INVALID, "'" STR_FMT "' is not a base",
                   STR_ARG(utf8_cut(out->file->path, BASE_SHOWN)));
}

bool base_find(const struct index *x, struct arena *a, const struct base_request *request,
               struct base_found *out, struct err *err)
{
    *out = (struct base_found){0};
    bool ok = is_yaml(request->base) ? find_unsaved(a, request, out, err)
                                     : find_saved(x, a, request, out, err);
    return ok && (request->this_path.n == 0 ||
                  find_file(x, a, request->this_path, &out->this_file, err));
}
