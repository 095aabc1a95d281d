/* Whether what a draft writes is valid. */
#include "base/path.h"
#include "base/text.h"
#include "vault/draft_parts.h"
#include "vault/forms/drawing.h"
#include "vault/valid.h"

/* A file that was broken in the same way may stay so: a client that repairs it step by
 * step, or changes something else in it, is not to blame. A picture is always replaced
 * whole. */
static bool was_broken(struct arena *a, const struct draft_entry *e,
                       enum valid_problem problem)
{
    struct err ignored;
    return e->existed && problem != VALID_MEDIA &&
           valid_check(a, e->path, e->before, &ignored) == problem;
}

/* Only Excalidraw can change a drawing: no other program can tell whether it is still
 * valid. */
static bool keeps_drawing(struct arena *a, const struct draft_entry *e, struct err *err)
{
    str data;
    if (!e->existed || !str_eq_nocase(path_extension(e->path), STR("md")))
        return true;
    size_t start = drawing_find(a, e->before, &data);
    if (data.n == 0 || str_find(e->text, data) != STR_NONE)
        return true;
    return err_named(err, E_INVALID_CONTENT,
                     "'" STR_FMT "' would lose its drawing: keep the data from line %zu "
                     "on as it is, and change only what is above it",
                     STR_ARG(e->path), text_count_ends(e->before, 0, start) + 1);
}

static bool check_entry(struct draft *d, struct arena *a, const struct draft_entry *e,
                        struct err *err)
{
    struct err why;
    str ignored;
    if (!draft_encode(d, e, &ignored, err))
        return false;
    enum valid_problem problem = valid_check(a, e->path, e->text, &why);
    if (problem != VALID && !was_broken(a, e, problem))
        return err_caused(err, &why, why.name, "'" STR_FMT "' would not be valid: %s",
                          STR_ARG(e->path), why.msg);
    return keeps_drawing(a, e, err);
}

bool draft_check(struct draft *d, struct err *err)
{
    struct arena scratch = {0};
    bool ok = true;
    for (size_t i = 0; i < d->n && ok; i++) {
        const struct draft_entry *e = d->entries[i];
        arena_reset(&scratch);
        if (e->exists && draft_entry_changed(e))
            ok = check_entry(d, &scratch, e, err);
    }
    arena_release(&scratch);
    return ok;
}
