#include "base/array.h"
#include "base/path.h"
#include "base/utf8.h"
#include "vault/draft_parts.h"
#include "vault/index/names.h"
#include "vault/text/encoding.h"
#include "vault/vault.h"

struct draft *draft_create(struct vault *v, struct arena *a, const struct actor *by)
{
    struct draft *d = ARENA_NEW(a, struct draft);
    d->vault = v;
    d->a = a;
    d->by = *by;
    d->spelling = (struct fs_spelling){.root = vault_root(v), .a = a};
    return d;
}

struct vault *draft_vault(const struct draft *d)
{
    return d->vault;
}

struct arena *draft_arena(const struct draft *d)
{
    return d->a;
}

void draft_set_stop(struct draft *d, const struct stop *stop)
{
    d->stop = *stop;
}

const struct stop *draft_stop(const struct draft *d)
{
    return &d->stop;
}

void draft_set_base(struct draft *d, const struct draft_base *base)
{
    d->base = *base;
}

bool draft_first_look(struct draft *d)
{
    bool first = !d->looked;
    d->looked = true;
    return first;
}

bool draft_renames(const struct draft *d)
{
    bool renames = false;
    for (size_t i = 0; i < d->n_others && !renames; i++)
        renames = d->others[i].kind == JOURNAL_MOVE;
    for (size_t i = 0; i < d->n && !renames; i++)
        renames = d->entries[i]->exists != d->entries[i]->existed;
    return renames;
}

bool draft_is_empty(const struct draft *d)
{
    bool changed = d->n_others > 0;
    for (size_t i = 0; i < d->n && !changed; i++)
        changed = draft_entry_changed(d->entries[i]);
    return !changed;
}

/* --- entries --- */

struct draft_entry *draft_find_entry(struct draft *d, str path)
{
    uint64_t hash = hash_table(utf8_fold(d->a, path));
    size_t at = 0;
    for (uint32_t i; (i = map_next(&d->by_folded, hash, &at)) != MAP_NONE;)
        if (str_eq(d->entries[i]->path, path))
            return d->entries[i];
    return NULL;
}

/* A file of the draft whose path differs only in case or normal form. */
static struct draft_entry *find_twin(struct draft *d, str path)
{
    str folded = utf8_fold(d->a, path);
    size_t at = 0;
    for (uint32_t i;
         (i = map_next(&d->by_folded, hash_table(folded), &at)) != MAP_NONE;) {
        struct draft_entry *e = d->entries[i];
        if (e->exists && str_eq(e->folded, folded) && !str_eq(e->path, path))
            return e;
    }
    return NULL;
}

struct draft_entry *draft_add(struct draft *d, str path)
{
    struct draft_entry *e = ARENA_NEW(d->a, struct draft_entry);
    *ARRAY_ADD(d->a, d->entries, d->n) = e;
    e->path = arena_str(d->a, path);
    e->id = NO_FILE;
    e->folded = utf8_fold(d->a, e->path);
    map_put(&d->by_folded, d->a, hash_table(e->folded), (uint32_t)d->n - 1);
    return e;
}

static void add_other(struct draft *d, struct change_op op)
{
    *ARRAY_ADD(d->a, d->others, d->n_others) = op;
}

/* The path of the one file of the index that differs only in case or normal form; else
 * path itself. */
static str indexed_path(struct draft *d, str path)
{
    struct err ignored;
    size_t twins;
    str real = path;
    if (!vault_wait(d->vault, NULL, NULL, &ignored))
        return path;
    const struct index *x = vault_lock(d->vault);
    file_id id = names_find_path(x->names, path, &twins);
    if (id != NO_FILE && twins == 1)
        real = arena_str(d->a, names_path(x->names, id));
    vault_unlock(d->vault);
    return real;
}

bool draft_origin(struct draft *d, str path, str *out)
{
    const struct change_op *by = NULL; /* the innermost one counts */
    for (size_t i = 0; i < d->n_others; i++) {
        const struct change_op *m = &d->others[i];
        if (m->kind == JOURNAL_MOVE && path_is_or_below(m->to, path) &&
            (by == NULL || m->to.n > by->to.n))
            by = m;
    }
    *out = by == NULL ? path
                      : arena_printf(d->a, STR_FMT STR_FMT, STR_ARG(by->path),
                                     STR_ARG(str_skip(path, by->to.n)));
    for (size_t i = 0; i < d->n_others; i++) {
        const struct change_op *m = &d->others[i];
        if (m->kind == JOURNAL_MOVE && m != by && path_is_or_below(m->path, *out) &&
            (by == NULL || m->path.n > by->path.n))
            return false;
    }
    return true;
}

static bool is_spelled_so(struct draft *d, str path)
{
    return !vault_ignores_case(d->vault) || fs_is_spelled_so(&d->spelling, path);
}

bool draft_stat(struct draft *d, str path, struct fs_info *info)
{
    struct err ignored;
    return vault_stat(d->vault, path, info, &ignored) && is_spelled_so(d, path);
}

/* Text that would not become the same bytes again, such as half a character of UTF-16,
 * stays as it is. */
static void draft_decode(struct draft *d, struct draft_entry *e, str bytes)
{
    str again, missing, text = encoding_read(d->a, bytes, &e->stored);
    if (!encoding_is_other(e->stored) ||
        !encoding_write(d->a, text, e->stored, &again, &missing) ||
        !str_eq(again, bytes)) {
        e->stored = ENCODING_UTF8;
        text = bytes;
    }
    e->encoding = e->stored;
    e->before = e->text = text;
}

bool draft_encode(struct draft *d, const struct draft_entry *e, str *bytes,
                  struct err *err)
{
    str missing;
    if (encoding_write(d->a, e->text, e->encoding, bytes, &missing))
        return true;
    const char *name = encoding_name(e->encoding);
    str why = missing.n > 0 ? arena_printf(d->a, "has no '" STR_FMT "'", STR_ARG(missing))
                            : STR("the new text would not be detected as");
    err_named(err, E_NOT_TEXT,
              "'" STR_FMT "' is %s, which " STR_FMT
              ": nothing was written; use characters of that encoding",
              STR_ARG(e->path), name, STR_ARG(why));
    return err_remedy(err, REMEDY_WRITE_ALL);
}

str draft_bytes(struct draft *d, const struct draft_entry *e)
{
    str bytes, missing;
    return encoding_write(d->a, e->text, e->encoding, &bytes, &missing) ? bytes : e->text;
}

/* The file on disk, if it exists, as an entry that changes nothing yet. */
static bool draft_look(struct draft *d, str path, size_t max, struct draft_entry **out,
                       struct err *err)
{
    str text = {0};
    struct err why = {0};
    bool there;
    if (d->base.find == NULL || !d->base.find(d->base.arg, path, &there, &text))
        there = vault_bytes(d->vault, d->a, path, max, &text, &why);
    else if (!there)
        err_set(&why, ERR_NOT_FOUND, "not there");
    if (!there && why.code != ERR_NOT_FOUND) {
        *err = why;
        return false;
    }
    if (there && !is_spelled_so(d, path)) {
        there = false;
        text = (str){0};
    }
    struct draft_entry *e = *out = draft_add(d, path);
    e->existed = e->exists = there;
    draft_decode(d, e, text);
    e->was = hash_content(text);
    return true;
}

/* The file that a step means by a path: its entry, and its path at this point. */
struct meant {
    struct draft_entry *entry;
    str path;
};

/* An existing file that differs from path only in case or normal form, or NULL. */
static bool look_for_twin(struct draft *d, str path, size_t max, struct draft_entry **out,
                          struct err *err)
{
    str real, was;
    *out = find_twin(d, path);
    if (*out == NULL) {
        real = indexed_path(d, path);
        if (!str_eq(real, path) && draft_find_entry(d, real) == NULL &&
            !draft_look(d, real, max, out, err))
            return false;
    }
    if (*out != NULL && (!(*out)->exists || !draft_origin(d, (*out)->path, &was)))
        *out = NULL;
    return true;
}

bool draft_go_on(const struct draft *d, struct err *err)
{
    return !stop_now(&d->stop) ||
           stop_fail(&d->stop, "the change",
                     "nothing was changed; make several smaller changes", err);
}

static bool draft_get(struct draft *d, str path, size_t max, struct meant *out,
                      struct err *err)
{
    str was;
    struct draft_entry *twin;
    if (!draft_go_on(d, err))
        return false;
    if (!draft_origin(d, path, &was))
        return err_named(err, E_FILE_NOT_FOUND,
                         "'" STR_FMT "' is moved elsewhere in the same change",
                         STR_ARG(path));
    *out = (struct meant){draft_find_entry(d, was), path};
    if (out->entry == NULL && !draft_look(d, was, max, &out->entry, err))
        return false;
    if (out->entry->exists || out->entry->existed)
        return true;
    if (!look_for_twin(d, was, max, &twin, err))
        return false;
    if (twin != NULL)
        *out = (struct meant){twin, twin->path};
    return true;
}

static bool draft_not_found(struct err *err, str path)
{
    return err_named(err, E_FILE_NOT_FOUND, "File not found: " STR_FMT, STR_ARG(path));
}

/* --- looking --- */

bool draft_read(struct draft *d, str path, struct draft_file *out, struct err *err)
{
    str clean;
    struct meant m = {0};
    if (!path_clean(d->a, path, &clean, err) ||
        !draft_get(d, clean, DRAFT_NOTE_MAX, &m, err))
        return false;
    if (!m.entry->exists)
        return draft_not_found(err, clean);
    str bytes = draft_bytes(d, m.entry);
    *out = (struct draft_file){m.path, m.entry->text, hash_content(bytes), bytes.n,
                               encoding_is_other(m.entry->encoding) ? m.entry->encoding
                                                                    : encoding_of(bytes)};
    return true;
}

bool draft_find(struct draft *d, str path, str *real)
{
    struct fs_info info;
    str was;
    if (!draft_origin(d, path, &was))
        return false;
    const struct draft_entry *e = draft_find_entry(d, was), *twin;
    *real = path;
    if (e != NULL ? e->exists : draft_stat(d, was, &info))
        return true;
    if ((twin = find_twin(d, was)) != NULL) {
        *real = twin->path;
        return draft_origin(d, twin->path, &was);
    }
    *real = indexed_path(d, was);
    e = draft_find_entry(d, *real);
    return !str_eq(*real, was) && (e == NULL || e->exists) &&
           draft_origin(d, *real, &was);
}

bool draft_exists(struct draft *d, str path)
{
    str ignored;
    return draft_find(d, path, &ignored);
}

/* --- new names --- */

/* The part of path whose folders already exist on disk: "a/b/" of "a/b/c/d.md". */
static size_t known_part(struct draft *d, str path)
{
    struct fs_info info;
    size_t known = 0;
    for (size_t i = 0; i < path.n; i++) {
        if (path.p[i] != '/')
            continue;
        if (!draft_stat(d, str_slice(path, 0, i), &info))
            break;
        known = i + 1;
    }
    return known;
}

/* A new folder must not differ from its siblings only in case or normal form. */
static bool check_folder(struct draft *d, str path, str from, struct err *err)
{
    struct fs_list list;
    str folder = path_folder(path), folded = utf8_fold(d->a, path_name(path));
    if (!vault_entries(d->vault, d->a, folder, &list, err))
        return false;
    for (size_t i = 0; i < list.n; i++) {
        str there = path_join(d->a, folder, list.entries[i].name);
        if (str_eq(utf8_fold(d->a, list.entries[i].name), folded) &&
            !str_eq(there, path) && !str_eq(there, from))
            return err_named(err, E_FILE_EXISTS,
                             "'" STR_FMT "' already exists: another spelling of the same "
                             "name; use that one",
                             STR_ARG(there));
    }
    return true;
}

/* iCloud would bring its file back beside the new one, under another name. */
static bool draft_check_icloud(struct draft *d, str path, struct err *err)
{
    struct fs_info info;
    str folder = path_folder(path),
        placeholder = arena_printf(d->a, "." STR_FMT ".icloud", STR_ARG(path_name(path)));
    return !fs_stat(vault_root(d->vault), path_join(d->a, folder, placeholder), &info,
                    &(struct err){0}) ||
           err_named(err, E_FILE_EXISTS,
                     "'" STR_FMT "' already exists: " SKIPPED_IN_ICLOUD, STR_ARG(path));
}

bool draft_check_new(struct draft *d, str path, bool folder, str from, struct err *err)
{
    size_t known = known_part(d, path);
    str made = str_skip(path, known),
        first = str_slice(made, 0, str_find_char(made, '/'));
    bool keeps_name = str_eq(path_name(path), path_name(from));
    size_t levels = folder;
    for (size_t i = 0; i < made.n; i++)
        levels += made.p[i] == '/';
    if (levels > DRAFT_LEVELS_MAX)
        return err_named(err, E_PATH_TOO_LONG,
                         "the path has %zu new folders, but at most %d can be made at "
                         "once: use a shorter path, or make the outer folders first",
                         levels, DRAFT_LEVELS_MAX);
    if (!path_check_new(keeps_name ? path_folder(made) : made, err))
        return false;
    if (!folder && !draft_check_icloud(d, path, err))
        return false;
    if (first.n == made.n && !folder)
        return true; /* other spellings of files are found in the index */
    return check_folder(d, str_slice(path, 0, known + first.n), from, err);
}

/* --- steps --- */

bool draft_write(struct draft *d, str path, str text, enum draft_write how,
                 struct err *err)
{
    struct meant m = {0};
    if (text.n > DRAFT_NOTE_MAX)
        return err_named(err, E_FILE_TOO_LARGE,
                         "a note may have at most %d bytes, this text has %zu",
                         DRAFT_NOTE_MAX, text.n);
    if (path.n == 0)
        return err_named(err, E_PATH_INVALID, "a file needs a name");
    if (!draft_get(d, path, DRAFT_NOTE_MAX, &m, err))
        return false;
    bool same = str_eq(m.path, path);
    enum encoding e =
        how == DRAFT_EDIT && m.entry->exists ? m.entry->encoding : ENCODING_UTF8;
    if (!(same && m.entry->exists && str_eq(m.entry->text, text) &&
          e == m.entry->encoding) &&
        !vault_may_write(d->vault, m.path, err))
        return false;
    if (m.entry->exists && (how == DRAFT_CREATE || !same))
        return err_named(err, E_FILE_EXISTS, "'" STR_FMT "' already exists%s",
                         STR_ARG(m.path),
                         same ? "" : ": another spelling of the same name; use that one");
    if (!m.entry->exists && !m.entry->existed &&
        !draft_check_new(d, m.entry->path, false, STR(""), err))
        return false;
    m.entry->exists = true;
    m.entry->text = arena_str(d->a, text);
    m.entry->encoding = e;
    return true;
}

/* Whether the text of the index becomes the bytes of the file again. */
static bool comes_back(struct draft *d, const struct file *f, struct err *err)
{
    str bytes, missing;
    if (!encoding_is_other(f->encoding) ||
        (encoding_write(d->a, f->text, f->encoding, &bytes, &missing) &&
         hash_same(hash_content(bytes), f->hash)))
        return true;
    err_named(err, E_NOT_TEXT,
              "'" STR_FMT "' is %s with invalid characters, so it cannot be rewritten",
              STR_ARG(f->path), encoding_name(f->encoding));
    return err_remedy(err, REMEDY_WRITE_ALL);
}

bool draft_rewrite(struct draft *d, const struct file *f, str text, struct err *err)
{
    str was;
    if (!draft_go_on(d, err) || !vault_may_write_held(d->vault, f->path, err))
        return false;
    if (!draft_origin(d, f->path, &was))
        return draft_not_found(err, f->path);
    struct draft_entry *e = draft_find_entry(d, was);
    if (e == NULL) {
        if (!comes_back(d, f, err))
            return false;
        e = draft_add(d, was);
        e->existed = e->exists = true;
        e->was = f->hash;
        e->before = e->text = arena_str(d->a, f->text);
        e->stored = e->encoding =
            encoding_is_other(f->encoding) ? f->encoding : ENCODING_UTF8;
    }
    if (!e->exists || !str_eq(e->text, f->text))
        return err_named(err, E_CONFLICT,
                         "links in '" STR_FMT
                         "' must be rewritten, but it has changed in "
                         "the meantime or in the same change: make one change at a time",
                         STR_ARG(f->path));
    e->text = text;
    e->unjudged = f->info.linked;
    return true;
}

bool draft_judge(struct draft *d, struct err *err)
{
    struct err ignored;
    for (size_t i = 0; i < d->n; i++) {
        struct draft_entry *e = d->entries[i];
        if (!e->unjudged)
            continue;
        if (!draft_go_on(d, err))
            return false;
        if (!vault_may_write(d->vault, e->path, &ignored))
            return err_named(err, E_PATH_NOT_ALLOWED,
                             "'" STR_FMT
                             "' would have to be rewritten, but is a symbolic link to a "
                             "place that may not be written; to move without changing "
                             "links, set keep_links",
                             STR_ARG(e->path));
        e->unjudged = false;
    }
    return true;
}

bool draft_delete(struct draft *d, str path, struct err *err)
{
    struct meant m = {0};
    if (!draft_get(d, path, CHANGE_FILE_MAX, &m, err))
        return false;
    if (!m.entry->exists)
        return draft_not_found(err, path);
    if (!str_eq(m.entry->path, m.path))
        return err_named(err, E_PATH_INVALID,
                         "'" STR_FMT "' is moved there in the same change: delete it at "
                         "its old path",
                         STR_ARG(path));
    if (!vault_may_write(d->vault, m.path, err))
        return false;
    m.entry->exists = false;
    m.entry->text = (str){0};
    return true;
}

bool draft_make_folder(struct draft *d, str path, struct err *err)
{
    struct fs_info info;
    if (!vault_may_write(d->vault, path, err))
        return false;
    if (draft_stat(d, path, &info))
        return info.type == FS_FOLDER ||
               err_named(err, E_FILE_EXISTS, "'" STR_FMT "' is a file", STR_ARG(path));
    if (!draft_check_new(d, path, true, STR(""), err))
        return false;
    add_other(d, (struct change_op){.kind = JOURNAL_MAKE_FOLDER,
                                    .path = arena_str(d->a, path)});
    return true;
}

void draft_remove_folder(struct draft *d, str path)
{
    add_other(d, (struct change_op){.kind = JOURNAL_REMOVE_FOLDER,
                                    .path = arena_str(d->a, path)});
}

void draft_move(struct draft *d, str from, str to)
{
    add_other(d, (struct change_op){.kind = JOURNAL_MOVE,
                                    .path = arena_str(d->a, from),
                                    .to = arena_str(d->a, to)});
}

/* --- etags --- */

str draft_etag(struct arena *a, struct hash_content hash)
{
    return arena_printf(a, "%016llx", (unsigned long long)hash.low);
}

bool draft_has_changed(struct draft *d, str path)
{
    const struct draft_entry *e = draft_find_entry(d, path);
    return e != NULL && draft_entry_changed(e);
}

bool draft_match(struct draft *d, str path, str etag, struct err *err)
{
    struct draft_file f = {0};
    if (etag.n == 0)
        return true;
    if (!draft_read(d, path, &f, err))
        return false;
    str now = draft_etag(d->a, f.hash);
    return str_eq(now, etag) ||
           err_named(err, E_CONFLICT,
                     "'" STR_FMT "' has changed: its etag is now " STR_FMT
                     "; read it again",
                     STR_ARG(f.path), STR_ARG(now));
}
