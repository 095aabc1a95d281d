/* Whether what a draft writes is valid. */
#include "vault/draft_parts.h"
#include "vault/valid.h"

/* A file that was broken in the same way may stay so: whoever repairs it step by step, or
 * changes something else in it, is not to blame. A picture is always replaced whole. */
static bool was_broken(struct arena *a, const struct draft_entry *e,
                       enum valid_problem problem)
{
    struct err ignored;
    return e->existed && problem != VALID_MEDIA &&
           valid_check(a, e->path, e->before, &ignored) == problem;
}

bool draft_check(struct draft *d, struct err *err)
{
    struct arena scratch = {0};
    bool ok = true;
    for (size_t i = 0; i < d->n && ok; i++) {
        const struct draft_entry *e = d->entries[i];
        struct err why;
        arena_reset(&scratch);
        if (!e->exists || !draft_entry_changed(e))
            continue;
        enum valid_problem problem = valid_check(&scratch, e->path, e->text, &why);
        ok = problem == VALID || was_broken(&scratch, e, problem) ||
             err_caused(err, &why, why.name, "'" STR_FMT "' would not be valid: %s",
                        STR_ARG(e->path), why.msg);
    }
    arena_release(&scratch);
    return ok;
}
