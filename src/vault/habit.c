#include "vault/habit.h"

#include "base/path.h"
#include "vault/index/index.h"
#include "vault/note/edit.h"
#include "vault/vault.h"

struct edit_habit habit_near(struct vault *v, str path)
{
    struct edit_habit habit = {0};
    str folder = path_folder(path);
    size_t looked = 0;
    if (!vault_progress(v).ready)
        return habit;
    const struct index *x = vault_lock(v);
    for (file_id i = 0; i < x->n && looked < HABIT_NOTES_MAX; i++) {
        const struct file *f = x->files[i];
        if (f == NULL || f->kind != FILE_NOTE || f->unread || f->note.n_headings == 0 ||
            str_eq(f->path, path) || !str_eq(path_folder(f->path), folder))
            continue;
        edit_add_habit(&habit, &f->note);
        looked++;
    }
    vault_unlock(v);
    return habit;
}
