#include "base/path.h"
#include "vault/draft.h"
#include "vault/forms/canvas_edit.h"
#include "vault/ops.h"

/* A file for a node, by its path or as in a link. */
static bool canvas_file(void *arg, str word, str *path, struct err *err)
{
    struct draft *d = arg;
    return ops_find_file(d, word, path, err) &&
           (!draft_is_folder(d, *path) ||
            err_named(err, E_IS_FOLDER, "'" STR_FMT "' is a folder: give a file",
                      STR_ARG(*path)));
}

bool ops_canvas_path(struct draft *d, str word, str *out, struct err *err)
{
    *out = path_extension(word).n > 0
               ? word
               : arena_printf(draft_arena(d), STR_FMT ".canvas", STR_ARG(word));
    return str_eq_nocase(path_extension(*out), STR("canvas")) ||
           err_named(err, E_INVALID_ARGUMENT,
                     "'" STR_FMT "' is not a canvas: its name must end in .canvas",
                     STR_ARG(word));
}

bool ops_edit_canvas(struct draft *d, const struct draft_file *f,
                     const struct json *steps, struct canvas_edited *out, struct err *err)
{
    struct canvas_edit edit = {.steps = steps, .find = canvas_file, .arg = d};
    return canvas_edit(draft_arena(d), f->text, &edit, out, err);
}
