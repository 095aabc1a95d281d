#include "vault/draft.h"

#include "base/path.h"
#include "base/sbuf.h"
#include "vault/diff.h"

/* A file that the draft has read or wants to be different. */
struct entry {
    str path;
    bool existed, exists;    /* before, and at this point */
    struct hash_content was; /* of what existed */
    str before, text;
    bool is_indexed; /* before is not known: rewritten from the index */
    size_t size_before;
    struct entry *next; /* in the bucket */
};

struct draft {
    struct vault *vault;
    struct arena *a;
    struct change as;
    struct entry **entries; /* in order of appearance */
    size_t n, cap;
    struct entry **buckets;
    struct change_op *others; /* moves and folders */
    size_t n_others, cap_others;
};

enum { BUCKETS = 4096 };

struct draft *draft_create(struct vault *v, struct arena *a, const struct change *as)
{
    struct draft *d = ARENA_NEW(a, struct draft);
    d->vault = v;
    d->a = a;
    d->as = *as;
    d->buckets = ARENA_ARRAY(a, struct entry *, BUCKETS);
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

/* --- entries --- */

static struct entry **bucket(struct draft *d, str path)
{
    return &d->buckets[hash_table(path) % BUCKETS];
}

static struct entry *find(struct draft *d, str path)
{
    for (struct entry *e = *bucket(d, path); e != NULL; e = e->next)
        if (str_eq(e->path, path))
            return e;
    return NULL;
}

static struct entry *add(struct draft *d, str path)
{
    if (d->n == d->cap) {
        size_t cap = d->cap * 2 + 16, size = sizeof(struct entry *);
        d->entries = arena_grow(d->a, d->entries, d->cap * size, cap * size);
        d->cap = cap;
    }
    struct entry *e = d->entries[d->n++] = ARENA_NEW(d->a, struct entry);
    struct entry **head = bucket(d, path);
    e->path = arena_str(d->a, path);
    e->next = *head;
    *head = e;
    return e;
}

static void add_other(struct draft *d, struct change_op op)
{
    if (d->n_others == d->cap_others) {
        size_t cap = d->cap_others * 2 + 16;
        d->others =
            arena_grow(d->a, d->others, d->cap_others * sizeof(op), cap * sizeof(op));
        d->cap_others = cap;
    }
    d->others[d->n_others++] = op;
}

/* The real path of a file that is spelt otherwise; path itself when there is none. */
static str real_path(struct draft *d, str path)
{
    struct err ignored;
    size_t twins;
    str real = path;
    if (!vault_wait(d->vault, NULL, NULL, &ignored))
        return path;
    const struct index *x = vault_hold(d->vault);
    file_id id = names_find_path(x->names, path, &twins);
    if (id != NO_FILE && twins == 1)
        real = arena_str(d->a, names_path(x->names, id));
    vault_let_go(d->vault);
    return real;
}

/* The file on disk, if it is there: an entry that changes nothing yet. */
static bool look(struct draft *d, str path, struct entry **out, struct err *err)
{
    str text = {0};
    struct err why = {0};
    bool there = fs_read(vault_root(d->vault), d->a, path, DRAFT_NOTE_MAX, &text, &why);
    if (!there && why.code != ERR_NOT_FOUND) {
        *err = why;
        return false;
    }
    struct entry *e = *out = add(d, path);
    e->existed = e->exists = there;
    e->before = e->text = text;
    e->size_before = text.n;
    e->was = hash_content(text);
    return true;
}

/* By its path, else by one that differs in case or normal form only. */
static bool get(struct draft *d, str path, struct entry **out, struct err *err)
{
    *out = find(d, path);
    if (*out == NULL && !look(d, path, out, err))
        return false;
    if ((*out)->exists || (*out)->existed)
        return true;
    str real = real_path(d, path);
    if (str_eq(real, path))
        return true;
    struct entry *other = find(d, real);
    if (other == NULL && !look(d, real, &other, err))
        return false;
    if (other->exists)
        *out = other;
    return true;
}

/* --- steps --- */

bool draft_read(struct draft *d, str path, struct draft_file *out, struct err *err)
{
    str clean;
    struct entry *e;
    if (!path_clean(d->a, path, &clean, err) || !get(d, clean, &e, err))
        return false;
    if (!e->exists)
        return err_named(err, ERR_NOT_FOUND, "FILE_NOT_FOUND", "File not found: " STR_FMT,
                         STR_ARG(clean));
    *out = (struct draft_file){e->path, e->text, hash_content(e->text)};
    return true;
}

bool draft_exists(struct draft *d, str path)
{
    struct fs_info info;
    struct err ignored;
    const struct entry *e = find(d, path);
    if (e != NULL)
        return e->exists;
    return fs_stat(vault_root(d->vault), path, &info, &ignored) ||
           !str_eq(real_path(d, path), path);
}

bool draft_write(struct draft *d, str path, str text, enum draft_write how,
                 struct err *err)
{
    struct entry *e;
    if (text.n > DRAFT_NOTE_MAX)
        return err_named(err, ERR_LIMIT, "FILE_TOO_LARGE",
                         "a note has at most %d bytes, this text has %zu", DRAFT_NOTE_MAX,
                         text.n);
    if (path.n == 0)
        return err_named(err, ERR_INVALID, "PATH_NOT_ALLOWED", "a file needs a name");
    if (!get(d, path, &e, err))
        return false;
    if (e->exists && (how == DRAFT_CREATE || !str_eq(e->path, path)))
        return err_named(err, ERR_EXISTS, "FILE_EXISTS", "'" STR_FMT "' exists already%s",
                         STR_ARG(e->path),
                         str_eq(e->path, path)
                             ? ""
                             : ": another spelling of the same name; use that one");
    if (!e->existed && !path_check_new(path, err))
        return false;
    e->exists = true;
    e->text = arena_str(d->a, text);
    return true;
}

void draft_rewrite(struct draft *d, const struct file *f, str text)
{
    struct entry *e = find(d, f->path);
    if (e == NULL) {
        e = add(d, f->path);
        e->existed = true;
        e->was = f->hash;
        e->size_before = f->text.n;
        e->is_indexed = true;
    }
    e->exists = true;
    e->text = text;
}

bool draft_delete(struct draft *d, str path, struct err *err)
{
    struct entry *e;
    if (!get(d, path, &e, err))
        return false;
    if (!e->exists)
        return err_named(err, ERR_NOT_FOUND, "FILE_NOT_FOUND", "File not found: " STR_FMT,
                         STR_ARG(path));
    e->exists = false;
    e->text = (str){0};
    return true;
}

bool draft_make_folder(struct draft *d, str path, struct err *err)
{
    struct fs_info info;
    struct err ignored;
    if (fs_stat(vault_root(d->vault), path, &info, &ignored))
        return info.type == FS_FOLDER ||
               err_named(err, ERR_EXISTS, "FILE_EXISTS", "'" STR_FMT "' is a file",
                         STR_ARG(path));
    if (!path_check_new(path, err))
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

bool draft_match(struct draft *d, str path, str etag, struct err *err)
{
    struct draft_file f;
    if (etag.n == 0)
        return true;
    if (!draft_read(d, path, &f, err))
        return false;
    str now = draft_etag(d->a, f.hash);
    return str_eq(now, etag) ||
           err_named(err, ERR_CONFLICT, "CONFLICT",
                     "'" STR_FMT "' was changed since: its etag is now " STR_FMT
                     "; read it again",
                     STR_ARG(f.path), STR_ARG(now));
}

/* --- the outcome --- */

static bool is_changed(const struct entry *e)
{
    if (!e->exists || !e->existed)
        return e->exists != e->existed;
    return !hash_same(e->was, hash_content(e->text));
}

static struct draft_touched touched(const struct entry *e)
{
    return (struct draft_touched){
        .outcome = !e->exists    ? DRAFT_DELETED
                   : !e->existed ? DRAFT_CREATED
                                 : DRAFT_CHANGED,
        .path = e->path,
        .before = e->before,
        .after = e->text,
        .size_before = e->size_before,
        .size_after = e->text.n,
        .hash = hash_content(e->text),
    };
}

static void list_touched(struct draft *d, struct draft_result *out)
{
    *out = (struct draft_result){0};
    out->files = ARENA_ARRAY(d->a, struct draft_touched, d->n + d->n_others);
    for (size_t i = 0; i < d->n; i++)
        if (is_changed(d->entries[i]))
            out->files[out->n++] = touched(d->entries[i]);
    for (size_t i = 0; i < d->n_others; i++)
        if (d->others[i].kind == JOURNAL_MOVE)
            out->files[out->n++] = (struct draft_touched){
                .outcome = DRAFT_MOVED, .path = d->others[i].path, .to = d->others[i].to};
}

void draft_preview(struct draft *d, struct draft_result *out)
{
    struct err ignored;
    for (size_t i = 0; i < d->n; i++) {
        struct entry *e = d->entries[i];
        if (e->is_indexed)
            (void)!fs_read(vault_root(d->vault), d->a, e->path, DRAFT_NOTE_MAX,
                           &e->before, &ignored);
    }
    list_touched(d, out);
}

/*
 * Moves in an order in which every target is free when its turn comes. A circle is broken
 * by a detour of one of its files.
 */
static size_t order_moves(struct draft *d, struct change_op *out)
{
    size_t n = 0, left = 0, detours = 0;
    struct change_op *moves = ARENA_ARRAY(d->a, struct change_op, d->n_others);
    for (size_t i = 0; i < d->n_others; i++)
        if (d->others[i].kind == JOURNAL_MOVE)
            moves[left++] = d->others[i];
    while (left > 0) {
        size_t before = left;
        for (size_t i = 0; i < left;) {
            bool taken = false;
            for (size_t k = 0; k < left && !taken; k++)
                taken = k != i && str_eq(moves[k].path, moves[i].to);
            if (taken) {
                i++;
                continue;
            }
            out[n++] = moves[i];
            moves[i] = moves[--left];
        }
        if (left < before)
            continue;
        str aside = path_join(d->a, path_folder(moves[0].path),
                              arena_printf(d->a, ".vaultd-aside-%zu.tmp", detours++));
        out[n] = moves[0];
        out[n++].to = aside;
        moves[0].path = aside;
    }
    return n;
}

static void list_ops(struct draft *d, struct change *change)
{
    change->ops = ARENA_ARRAY(d->a, struct change_op, d->n + 2 * d->n_others);
    change->n = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct entry *e = d->entries[i];
        if (!is_changed(e))
            continue;
        change->ops[change->n++] = (struct change_op){
            .kind = e->exists ? JOURNAL_WRITE : JOURNAL_DELETE,
            .path = e->path,
            .text = e->text,
            .expects = e->existed ? CHANGE_SAME : CHANGE_NEW,
            .was = e->was,
        };
    }
    for (size_t i = 0; i < d->n_others; i++)
        if (d->others[i].kind != JOURNAL_MOVE)
            change->ops[change->n++] = d->others[i];
    change->n += order_moves(d, change->ops + change->n);
}

bool draft_commit(struct draft *d, str answer, struct draft_result *out, struct err *err)
{
    struct change change = d->as;
    struct change_result made;
    change.answer = answer;
    list_ops(d, &change);
    if (!vault_change(d->vault, d->a, &change, &made, err))
        return false;
    list_touched(d, out);
    out->change = made.number;
    out->repeated = made.repeated;
    out->answer = made.answer;
    return true;
}

str draft_diff(struct arena *a, const struct draft_result *r, size_t max)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < r->n && (max == 0 || b.n < max); i++) {
        const struct draft_touched *f = &r->files[i];
        if (f->outcome == DRAFT_MOVED) {
            sbuf_printf(&b, "rename from " STR_FMT "\nrename to " STR_FMT "\n",
                        STR_ARG(f->path), STR_ARG(f->to));
            continue;
        }
        struct diff diff;
        diff_make(a, f->before, f->after, &diff);
        str none = STR("/dev/null");
        sbuf_add(&b, diff_print(a, &diff, f->outcome == DRAFT_CREATED ? none : f->path,
                                f->outcome == DRAFT_DELETED ? none : f->path,
                                max > 0 ? max - b.n : 0));
    }
    return sbuf_str(&b);
}
