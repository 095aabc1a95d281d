/*
 * The table follows the disk, not the sequence of events. Whatever an event says about a
 * folder (made, moved here or away, removed), watch_tree_settle() looks at what exists now: a folder
 * at that path gets a watch and is entered, and anything else that the table has at that
 * path is removed, with everything below. So sequences that are outdated when they are
 * read (mv a b; mv b a; or two folders exchanged) end in the right state.
 *
 * A watch belongs to an inode. If a folder turns out to be watched elsewhere in the
 * table, it was moved: the old watches are removed, and it is watched and entered as new.
 * Pending events of the old watches are lost, which does no harm: the folder is reported,
 * and the receiver looks at everything in it.
 *
 * Order matters in one place: first the watch, then the listing. Files made in between
 * are seen by both; the other way round they could be missed by both.
 */
#include "vault/watch_tree.h"

#include <stdio.h>

#include "base/array.h"
#include "base/os/folder.h"
#include "vault/note/obsidian.h"
#include "vault/watch.h"
#include "vault/watch_paths.h"

#define CONFIG_FOLDER STR(".obsidian")

/* Fill *wd; the same as before if the folder is already watched. */
static bool add_watch(struct watch_tree *t, int fd, int *wd, struct err *err)
{
    if (watcher_add(&t->table.watcher, fd, wd, err))
        return true;
    if (err->code == ERR_LIMIT)
        snprintf(err->detail, sizeof(err->detail), "after %zu folders", t->table.n);
    return false;
}

/* Whether f is the folder .obsidian, or below it. */
static bool is_config(const struct watch_folder *f)
{
    while (f->depth > 1)
        f = f->parent;
    return f->depth == 1 && str_eq(f->name, CONFIG_FOLDER);
}

static bool is_visible(const struct watch_folder *f, str name)
{
    if (path_is_hidden(name))
        return f->depth == 0 && str_eq(name, CONFIG_FOLDER);
    return path_is_spellable(name);
}

/* Of .obsidian, only files are watched, and the folders of plugins whose settings are
 * read. */
static bool is_watched_folder(const struct watch_folder *f, str name)
{
    enum { CONFIG_DEPTH = 1, PLUGINS_DEPTH };
    if (!is_visible(f, name) || !is_config(f))
        return is_visible(f, name);
    return f->depth == CONFIG_DEPTH
               ? str_eq(name, STR("plugins"))
               : f->depth == PLUGINS_DEPTH && str_eq(f->name, STR("plugins")) &&
                     obsidian_reads_plugin(name);
}

struct name_list {
    str *names;
    size_t n;
};

static void watch_tree_add_name(struct watch_tree *t, struct name_list *list,
                                const char *name)
{
    *ARRAY_ADD(&t->scratch, list->names, list->n) = arena_str(&t->scratch, str_c(name));
}

/* The folders in f that are watched. Closes its descriptor fd. */
static bool list_folders(struct watch_tree *t, const struct watch_folder *f, int fd,
                         struct name_list *out, struct err *err)
{
    struct folder_names names = folder_names_of(fd);
    for (const char *name; (name = folder_next(&names)) != NULL;) {
        if (!is_watched_folder(f, str_c(name)) ||
            folder_type(&names, name) != FILE_FOLDER)
            continue;
        if (out->n == WATCH_FOLDERS_MAX)
            break; /* watch_tree_settle() will report the limit */
        watch_tree_add_name(t, out, name);
    }
    return folder_end(&names) || err_sys(err, "a folder cannot be listed");
}

static bool watch_tree_settle(struct watch_tree *t, struct watch_folder *parent, str name,
                              struct err *err);

/* Watch the folders in f, which is new and open as fd. Closes fd. */
static bool watch_tree_enter(struct watch_tree *t, struct watch_folder *f, int fd,
                             struct err *err)
{
    if (f->depth == WATCH_DEPTH_MAX) {
        file_close(fd);
        return true;
    }
    struct name_list list = {0};
    if (!list_folders(t, f, fd, &list, err))
        return false;
    for (size_t i = 0; i < list.n; i++)
        if (!watch_tree_settle(t, f, list.names[i], err))
            return false;
    return true;
}

/*
 * Open the folder at a path; *fd stays -1 if there is none that can be entered. Not
 * inlined, so that watch_tree_settle() does not put a buffer on the stack at each depth.
 */
__attribute__((noinline)) static bool open_place(struct watch_tree *t,
                                                 const struct watch_folder *parent,
                                                 str name, int *fd, struct err *err)
{
    char buffer[PATH_MAX_BYTES];
    str path = watch_folder_path(parent, name, buffer);
    if (path.n == 0 && parent != NULL)
        return true;
    return fs_open_folder(t->root, path, false, fd, err) || err->code == ERR_NOT_FOUND ||
           err->code == ERR_DENIED || err->code == ERR_INVALID;
}

/*
 * Update the table for the folder name in parent. Nothing above that path is ever
 * forgotten: a folder that is found again inside itself is a mount, or the table is out
 * of date and pending events will correct it.
 */
static bool watch_tree_settle(struct watch_tree *t, struct watch_folder *parent, str name,
                              struct err *err)
{
    AUTO_CLOSE int fd = -1;
    if (!open_place(t, parent, name, &fd, err))
        return false;
    int wd = -1;
    if (fd >= 0 && !add_watch(t, fd, &wd, err))
        return false;
    struct watch_folder *old = watch_table_child(&t->table, parent, name);
    struct watch_folder *known = fd >= 0 ? watch_table_find(&t->table, wd) : NULL;
    if (known != NULL && (known == old || watch_folder_within(parent, known)))
        return true;
    if (known != NULL) {
        watch_table_forget(&t->table, known);
        if (!add_watch(t, fd, &wd, err))
            return false;
    }
    if (old != NULL)
        watch_table_forget(&t->table, old);
    if (fd < 0)
        return true;
    if (t->table.n == WATCH_FOLDERS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d folders", WATCH_FOLDERS_MAX);
    return watch_tree_enter(t, watch_table_add(&t->table, parent, name, wd), TAKE(fd),
                            err);
}

bool watch_tree_open(struct watch_tree *t, const struct fs_root *root, struct err *err)
{
    struct watcher watcher;
    *t = (struct watch_tree){.root = root, .table.watcher.fd = -1};
    if (!watcher_open(&watcher, err))
        return false;
    watch_table_init(&t->table, watcher);
    bool ok = watch_tree_settle(t, NULL, STR(""), err);
    if (ok && t->table.top == NULL)
        ok = err_set(err, ERR_DENIED, "the vault's folder cannot be opened");
    arena_reset(&t->scratch);
    if (!ok)
        watch_tree_close(t);
    return ok;
}

void watch_tree_close(struct watch_tree *t)
{
    watch_table_release(&t->table);
    arena_release(&t->scratch);
}

/* --- events --- */

static void hint(const struct watch_folder *f, str name, struct watch_paths *paths)
{
    char buffer[PATH_MAX_BYTES];
    str path = watch_folder_path(f, name, buffer);
    if (path.n > 0)
        watch_paths_add(paths, path);
}

static void hint_folder(const struct watch_folder *f, struct watch_paths *paths)
{
    if (f->parent == NULL)
        watch_paths_add_all(paths);
    else
        hint(f->parent, f->name, paths);
}

/*
 * An event of the folder itself. Its parent reports changed attributes, too. The top has
 * no parent, but a date set there (as rsync does) does not justify a look at everything.
 * The watch ends with the folder or its file system.
 */
static void take_self(struct watch_tree *t, struct watch_folder *f, unsigned what,
                      struct watch_paths *paths)
{
    if ((what & WATCHER_ENDED) == 0)
        return;
    hint_folder(f, paths);
    if (f != t->table.top)
        watch_table_forget(&t->table, f);
}

struct taking {
    struct watch_tree *tree;
    struct watch_paths *paths;
};

static bool take_event(void *arg, const struct watcher_event *e, struct err *err)
{
    struct watch_tree *t = ((struct taking *)arg)->tree;
    struct watch_paths *paths = ((struct taking *)arg)->paths;
    if ((e->what & WATCHER_LOST) != 0) {
        watch_paths_add_all(paths);
        return true;
    }
    struct watch_folder *f = watch_table_find(&t->table, e->folder);
    if (f == NULL)
        return true; /* of a watch that was removed in the meantime */
    if (e->name.n == 0) {
        take_self(t, f, e->what, paths);
        return true;
    }
    bool is_dir = (e->what & WATCHER_FOLDER) != 0;
    if (is_dir ? !is_watched_folder(f, e->name) : !is_visible(f, e->name)) {
        bool odd = path_is_hidden(e->name) ? path_in_icloud(e->name).n > 0
                                           : !path_is_spellable(e->name);
        if (odd && (e->what & WATCHER_NAMES) != 0)
            hint_folder(f, paths); /* what is left out of it has changed */
        return true;
    }
    hint(f, e->name, paths);
    if (!is_dir || f->depth == WATCH_DEPTH_MAX)
        return true;
    bool ok = watch_tree_settle(t, f, e->name, err);
    arena_reset(&t->scratch);
    return ok;
}

bool watch_tree_read(struct watch_tree *t, struct watch_paths *paths, struct err *err)
{
    struct taking taking = {t, paths};
    return watcher_read(&t->table.watcher, take_event, &taking, err);
}
