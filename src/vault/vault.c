#include "vault/vault.h"

#include "base/os/file.h"
#include "base/path.h"
#include "base/system_path.h"
#include "base/text.h"
#include "vault/access.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/note/policy.h"
#include "vault/policies.h"
#include "vault/text/encoding.h"
#include "vault/vault_live.h"
#include "vault/vault_policy.h"
#include "vault/vault_trash.h"
#include "vault/walk.h"

/* "/a/b/" gives "b"; "." gives the name of the current folder. */
static char *vault_name_of(const char *folder)
{
    char *real = file_real_path(folder);
    str name = path_name(str_c(real != NULL ? real : folder));
    char *copy = mem_str(name.n > 0 ? name : STR("vault"));
    free(real);
    return copy;
}

/* An absolute path, with its symlinks: they may lead elsewhere later. */
static char *vault_given(const char *folder)
{
    struct arena a = {0};
    char *cwd = file_real_path(".");
    bool known = cwd != NULL || system_path_is_absolute(str_c(folder));
    char *given = known ? mem_str(system_path_from(&a, str_c(cwd), str_c(folder))) : NULL;
    free(cwd);
    arena_release(&a);
    return given;
}

bool vault_open(const char *folder, struct vault **out, struct err *err)
{
    struct live *v = mem_zero(sizeof(*v));
    if (!fs_root_open(&v->root, folder, err)) {
        free(v);
        return false;
    }
    v->name = vault_name_of(folder);
    v->folder = file_real_path(folder);
    v->given = vault_given(folder);
    v->own = (struct vault){.live = v, .root = v->root};
    v->whole = v->own;
    live_init(v);
    *out = &v->own;
    return true;
}

void vault_stop(struct vault *vault)
{
    if (vault != NULL)
        live_stop(vault->live);
}

void vault_close(struct vault *vault)
{
    if (vault == NULL)
        return;
    struct live *v = vault->live;
    live_release(v);
    fs_root_close(&v->root);
    free(v->folder);
    free(v->state_key);
    free(v->given);
    free(v->name);
    free(v);
}

str vault_name(const struct vault *v)
{
    return str_c(v->live->name);
}

const struct fs_root *vault_root(const struct vault *v)
{
    return &v->live->root;
}

bool vault_ignores_case(const struct vault *v)
{
    return v->live->own.access.folds;
}

/* --- the gate: all reading of the disk for callers goes through here --- */

static bool vault_not_found(struct err *err, str path)
{
    return err_named(err, E_FILE_NOT_FOUND, "File not found: " STR_FMT, STR_ARG(path));
}

static bool vault_sees_trash(struct vault *v, str path, struct err *err)
{
    struct arena a = {0};
    struct trash_origins origins;
    struct fs_entry e;
    struct fs_root root = vault_policy_root(v);
    if (!fs_stat_entry(&root, path, &e, err))
        return vault_not_found(err, path);
    bool known = trash_origins(v, &a, path, &origins, err);
    bool seen = known && trash_is_visible(v, &origins, path, e.info.changed_ns);
    arena_release(&a);
    return seen || (known && vault_not_found(err, path));
}

/* A folder that may not be read is still visible if something in it is. */
static bool vault_enters(struct vault *v, str path)
{
    struct err ignored;
    if (!access_enters(&v->access, path) || !vault_wait(v, NULL, NULL, &ignored))
        return false;
    bool seen = index_has_below(vault_lock(v), path);
    vault_unlock(v);
    return seen;
}

/* Whether it depends on their origin which files of the trash can be seen: a folder they were
 * in may be hidden. */
static bool vault_knows_trash(const struct vault *v)
{
    return !access_reads_all(&v->access) ||
           (v->ruled && policies_hide_folders(v->live->policies));
}

/* By access alone. Fails with FILE_NOT_FOUND, or BUSY if the journal cannot be read to find it
 * in the trash. */
static bool vault_sees(struct vault *v, str path, struct err *err)
{
    if (trash_contains(path) && vault_knows_trash(v))
        return vault_sees_trash(v, path, err);
    return access_reads(&v->access, trash_original(path)) || vault_enters(v, path) ||
           vault_not_found(err, path);
}

static void vault_note_read(struct vault *v, str path)
{
    if (v->trace != NULL)
        vault_trace_add(v->trace, &v->trace->read, path);
}

static bool vault_look(struct vault *v, str path, struct err *err)
{
    lock_check(LOCK_WRITER); /* as vault_lock(), which only some callers need */
    return live_may_read(v->live, err) && vault_sees(v, path, err) &&
           (vault_policy(v, path) != POLICY_HIDDEN || vault_not_found(err, path));
}

bool vault_stat(struct vault *v, str path, struct fs_info *info, struct err *err)
{
    struct fs_root root = vault_policy_root(v);
    return vault_look(v, path, err) && fs_stat(&root, path, info, err);
}

bool vault_stat_spelled(struct vault *v, struct arena *a, str path, struct fs_info *info,
                        struct err *err)
{
    struct fs_spelling spelling = {.root = &v->root, .a = a};
    return vault_stat(v, path, info, err) &&
           (!vault_ignores_case(v) || fs_is_spelled_so(&spelling, path) ||
            vault_not_found(err, path));
}

bool vault_may_read_version(const struct vault *v, str path, str bytes)
{
    return vault_may_read(v, path) && !vault_policy_hides(v, path, bytes);
}

bool vault_bytes(struct vault *v, struct arena *a, str path, size_t max, str *out,
                 struct err *err)
{
    struct fs_root root = vault_policy_root(v);
    if (!vault_look(v, path, err) || !fs_read(&root, a, path, max, out, err))
        return false;
    if (vault_policy_hides(v, path, *out))
        return vault_not_found(err, path);
    vault_note_read(v, path);
    return true;
}

bool vault_entries(struct vault *v, struct arena *a, str folder, struct fs_list *out,
                   struct err *err)
{
    struct fs_root root = vault_policy_root(v);
    if (!vault_look(v, folder, err) || !fs_list(&root, a, folder, out, err))
        return false;
    struct trash_origins origins = {0};
    struct err ignored;
    bool trash = trash_contains(path_join(a, folder, STR("."))) && vault_knows_trash(v);
    size_t n = 0;
    if (trash && !trash_origins(v, a, (str){0}, &origins, err)) /* once for all of them */
        return false;
    for (size_t i = 0; i < out->n; i++) {
        const struct fs_entry *e = &out->entries[i];
        str path = path_join(a, folder, e->name);
        if ((trash ? trash_is_visible(v, &origins, path, e->info.changed_ns)
                   : vault_sees(v, path, &ignored)) &&
            vault_policy_listed(v, path, e) != POLICY_HIDDEN)
            out->entries[n++] = *e;
    }
    out->n = n;
    return true;
}

/* Only what the caller may read of the trash. */
static bool vault_walk_trash(struct vault *v, struct walk *w, struct err *err)
{
    struct arena a = {0};
    struct trash_origins origins;
    size_t n = 0;
    bool ok = trash_origins(v, &a, (str){0}, &origins, err);
    for (size_t i = 0; ok && i < w->n; i++)
        if (trash_is_visible(v, &origins, w->files[i].path, w->files[i].info.changed_ns))
            w->files[n++] = w->files[i];
    w->n = n;
    arena_release(&a);
    if (!ok)
        walk_release(w);
    return ok;
}

static bool vault_walk_hides(struct vault *v, const struct walk_file *f)
{
    struct fs_entry e = {.info = f->info, .is_link = f->info.linked};
    return vault_policy_listed(v, f->path, &e) == POLICY_HIDDEN;
}

/* Only what policies do not hide. Folders are counted as they are known. */
static void vault_walk_ruled(struct vault *v, struct walk *w)
{
    size_t n = 0, left = 0;
    for (size_t i = 0; i < w->n; i++)
        if (!vault_walk_hides(v, &w->files[i]))
            w->files[n++] = w->files[i];
    for (size_t i = 0; i < w->n_left; i++)
        if (vault_policy_held(v, w->left[i].path) != POLICY_HIDDEN)
            w->left[left++] = w->left[i];
    w->n = n;
    w->n_left = left;
}

bool vault_walk(struct vault *v, str folder, struct walk *out, struct err *err)
{
    struct pool *pool = v->live->options.pool;
    struct fs_root root = vault_policy_root(v);
    bool trash = str_eq(folder, STR(VAULT_TRASH));
    bool ok = trash ? walk_below(&root, pool, folder, out, err) &&
                          (!vault_knows_trash(v) || vault_walk_trash(v, out, err))
                    : vault_look(v, folder, err) &&
                          walk_seen(&root, pool, folder, &v->access, out, err);
    if (ok && v->ruled)
        vault_walk_ruled(v, out);
    return ok;
}

/* --- what changed before changes were noticed --- */

/* A file system's clock ticks, and may have whole seconds only. */
static bool changed_since(const struct fs_info *info, int64_t ns)
{
    enum { TICK_MS = 12, COARSE_S = 3 };
    const int64_t ms = 1000000, s = 1000 * ms;
    int64_t slack = info->changed_ns % s == 0 ? COARSE_S * s : TICK_MS * ms;
    return info->changed_ns >= ns - slack;
}

/* A folder that changes says nothing: what changed in it may be hidden. */
static void find_changed_below(struct vault *v, str folder, vault_found *found, void *arg)
{
    struct walk w;
    struct err ignored;
    if (!vault_walk(v, folder, &w, &ignored))
        return;
    for (size_t i = 0; i < w.n; i++)
        if (changed_since(&w.files[i].info, v->live->started_ns))
            found(arg, w.files[i].path);
    walk_release(&w);
}

void vault_find_changed(struct vault *v, str path, vault_found *found, void *arg)
{
    struct fs_info info;
    struct err ignored;
    if (!vault_sees(v, path, &ignored))
        return;
    if (strcmp(vault_watching(v), "polling") == 0 ||
        !fs_stat(&v->live->root, path, &info, &ignored))
        found(arg, path);
    else if (info.type == FS_FOLDER)
        find_changed_below(v, path, found, arg);
    else if (changed_since(&info, v->live->started_ns))
        found(arg, path);
}

const char *vault_folder(const struct vault *v)
{
    return v->live->folder != NULL ? v->live->folder : "";
}

/* --- listing --- */

static size_t count_children(struct vault *v, str path)
{
    struct arena a = {0};
    struct fs_list list;
    struct err err;
    size_t n = vault_entries(v, &a, path, &list, &err) ? list.n : 0;
    arena_release(&a);
    return n;
}

bool vault_list(struct vault *v, struct arena *a, str path, struct vault_listing *out,
                struct err *err)
{
    str clean;
    struct fs_list list;
    if (!path_clean(a, path, &clean, err) || !vault_entries(v, a, clean, &list, err))
        return false;
    *out = (struct vault_listing){.path = clean,
                                  .entries = ARENA_ARRAY(a, struct vault_entry, list.n),
                                  .n = list.n};
    for (size_t i = 0; i < list.n; i++) {
        struct vault_entry *e = &out->entries[i];
        *e = (struct vault_entry){.name = list.entries[i].name,
                                  .info = list.entries[i].info};
        if (e->info.type == FS_FOLDER)
            e->children = count_children(v, path_join(a, clean, e->name));
    }
    return true;
}

/* --- reading --- */

/* The bytes of the first n lines. */
static size_t length_of_lines(str text, size_t n)
{
    size_t at = 0;
    for (; n > 0 && at < text.n; n--)
        at = text_next_line(text, at);
    return at;
}

/* Text may have a few odd bytes. A file with NUL near its start is not text, and neither
 * is a PDF, even without NUL. */
static bool vault_is_text(str bytes)
{
    enum { LOOK_AT = 8192 };
    return !str_starts(bytes, STR("%PDF-")) &&
           str_find_char(str_slice(bytes, 0, LOOK_AT), '\0') == STR_NONE;
}

bool vault_cut(str path, str text, size_t first, size_t limit, struct vault_text *out,
               struct err *err)
{
    if (!vault_is_text(text))
        return err_named(err, E_NOT_TEXT, "'" STR_FMT "' is not a text file (%zu bytes)",
                         STR_ARG(path), text.n);
    size_t total = text_count_lines(text);
    if (first < 1 || first > (total > 0 ? total : 1))
        return err_named(err, E_INVALID_RANGE,
                         "offset %zu is outside '" STR_FMT "', which has %zu line%s",
                         first, STR_ARG(path), total, total == 1 ? "" : "s");
    str from = str_skip(text, length_of_lines(text, first - 1));
    str shown = limit > 0 ? str_slice(from, 0, length_of_lines(from, limit)) : from;
    *out = (struct vault_text){.path = path, .content = shown, .total_lines = total};
    if (total > 0) {
        out->first = first;
        out->last = limit > 0 && limit < total - first + 1 ? first + limit - 1 : total;
    }
    return true;
}

static bool copy_text(struct vault *v, struct arena *a, str path,
                      const struct fs_info *info, str *out, enum encoding *e)
{
    const struct file *f = index_find(vault_lock(v), path);
    bool same = f != NULL && !f->unread && file_is_stored(f) && fs_same(&f->info, info);
    if (same) {
        *out = arena_str(a, f->text);
        *e = f->encoding;
    }
    vault_unlock(v);
    return same;
}

/* The text of a file from memory; false if the file on disk differs and must be read. So
 * must all that are polled: such file systems may not say when a file was changed. */
static bool known_text(struct vault *v, struct arena *a, str path, str *out,
                       enum encoding *e)
{
    struct fs_info info;
    struct err ignored;
    if (!live_is_ready(v->live) || strcmp(vault_watching(v), "polling") == 0 ||
        file_read_max(file_kind_of(path)) == 0 || !vault_stat(v, path, &info, &ignored) ||
        info.type != FS_FILE)
        return false;
    bool known = copy_text(v, a, path, &info, out, e);
    if (!known) {
        vault_refresh(v, &path, 1);
        known = copy_text(v, a, path, &info, out, e);
    }
    if (known)
        vault_note_read(v, path);
    return known;
}

static bool stored_text(struct vault *v, struct arena *a, str path, str *out,
                        enum encoding *e, struct err *err)
{
    str bytes;
    if (!vault_bytes(v, a, path, VAULT_READ_MAX, &bytes, err))
        return false;
    *out = encoding_read(a, bytes, e);
    return true;
}

bool vault_read(struct vault *v, struct arena *a, str path, size_t first, size_t limit,
                struct vault_text *out, struct err *err)
{
    str clean, text;
    enum encoding e;
    if (!path_clean(a, path, &clean, err) ||
        !(known_text(v, a, clean, &text, &e) ||
          stored_text(v, a, clean, &text, &e, err)) ||
        !vault_cut(clean, text, first, limit, out, err))
        return false;
    out->encoding = e;
    return true;
}
