/*
 * Moves in the order in which a caller makes them. The draft has each file once, with its
 * path before the draft and after it (draft_move()), so a second move of the same file
 * changes the target of the first.
 */
#include "base/path.h"
#include "vault/draft_parts.h"
#include "vault/vault.h"

bool draft_is_folder(struct draft *d, str path)
{
    struct fs_info info;
    str was;
    return draft_origin(d, path, &was) && draft_stat(d, was, &info) &&
           info.type == FS_FOLDER;
}

bool draft_has_folder(struct draft *d, str path)
{
    bool made = false;
    for (size_t i = 0; i < d->n && !made; i++)
        made = d->entries[i]->exists && !d->entries[i]->existed &&
               path_is_below(path, d->entries[i]->path);
    for (size_t i = 0; i < d->n_others && !made; i++)
        made = d->others[i].kind == JOURNAL_MOVE && path_is_below(path, d->others[i].to);
    return made || draft_is_folder(d, path);
}

/* A file that the draft created is created elsewhere instead. */
static bool move_created(struct draft *d, struct draft_entry *e, str to, struct err *err)
{
    str text = e->text;
    e->exists = false;
    e->text = (str){0};
    return draft_write(d, to, text, DRAFT_CREATE, err);
}

static bool refuse_nested(struct err *err, str a, str b)
{
    return err_named(
        err, E_INVALID_ARGUMENT,
        "'" STR_FMT "' and '" STR_FMT "' cannot be moved in one change: "
        "one is a folder that contains the other; make one of the moves first",
        STR_ARG(a), STR_ARG(b));
}

/* Whether what moves from `from` to `to` can be moved together with an earlier move. */
static bool fits_move(const struct change_op *m, str from, str to, struct err *err)
{
    bool out_of_moved = path_is_below(m->to, from) && !path_is_below(m->to, to);
    bool bad = (path_is_below(m->to, from) && !out_of_moved) ||
               path_is_below(m->path, to) ||
               (path_is_below(from, m->to) && path_is_below(from, m->path));
    return !bad || refuse_nested(err, from, m->to);
}

/* Files that the draft moves into the folder `from` go to its new place. */
static void retarget(struct draft *d, struct change_op *m, str from, str to)
{
    if (path_is_below(from, m->to))
        m->to = arena_printf(d->a, STR_FMT STR_FMT, STR_ARG(to),
                             STR_ARG(str_skip(m->to, from.n)));
}

bool draft_rename(struct draft *d, str from, str to, struct err *err)
{
    struct change_op *same = NULL;
    str was;
    if (!draft_origin(d, from, &was))
        return err_named(err, E_FILE_NOT_FOUND,
                         "'" STR_FMT "' is moved elsewhere in the same change",
                         STR_ARG(from));
    for (size_t i = 0; i < d->n_others; i++) {
        struct change_op *m = &d->others[i];
        if (m->kind != JOURNAL_MOVE)
            continue;
        if (str_eq(m->to, from))
            same = m;
        else if (!fits_move(m, from, to, err))
            return false;
    }
    for (size_t i = 0; i < d->n_others; i++)
        if (d->others[i].kind == JOURNAL_MOVE)
            retarget(d, &d->others[i], from, to);
    struct draft_entry *e = draft_find_entry(d, was);
    if (same != NULL)
        same->to = arena_str(d->a, to);
    else if (e != NULL && e->exists && !e->existed)
        return move_created(d, e, to, err);
    else
        draft_move(d, was, to);
    return true;
}
