#include "app/setup/vaults.h"

#include <stdlib.h>

#include "app/setup/app.h"
#include "app/setup/open_vaults.h"
#include "app/setup/reach.h"
#include "app/setup/settings.h"
#include "app/setup/vault_config.h"
#include "base/array.h"
#include "base/chars.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/map.h"
#include "base/os/file.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/uri.h"
#include "state/store.h"
#include "state/vault_table.h"
#include "sync/sync.h"
#include "vault/vault.h"

/* A hosted vault. All but the item and the members at the end stays as it is. */
struct vaults_row {
    struct open_item item; /* first */
    struct app_vault vault;
    struct arena arena; /* holds the texts */
    str folder, remote;
    bool late; /* it came after the sandbox, which does not know its folder */
    atomic_uint_fast64_t watched_until; /* clock_ms(): clients have subscribed to it */

    /* Under the lock. */
    str real;    /* where the folder was when it was last opened; empty: never */
    bool listed; /* in the table */
    const struct vault_table_person *people;
    size_t n_people;
};

struct vaults_hosted {
    struct app *app;
    struct store *store;
    struct vaults_hooks hooks;
    struct open_vaults *open;
    str dir;                   /* absolute */
    uint64_t generation;       /* of the store as read; only vaults_tick() uses it */
    struct hash_content table; /* as read; likewise */
    uint64_t looked;           /* for subscriptions, clock_ms(); likewise */

    struct lock placing; /* see vaults_is_apart_from() */
    struct lock_shared lock;
    struct vaults_row **rows; /* in the order of the table; those that are gone stay */
    size_t n;
    struct arena people;   /* the names of the people who may use them, and the maps */
    struct map names;      /* of those in the table, in lower case: the n-th is rows[n] */
    struct map identities; /* likewise */
};

/* --- the table --- */

static str folder_of(const struct vaults_hosted *h, struct arena *a,
                     const struct vault_table_row *row)
{
    return row->folder.n > 0 ? arena_str(a, row->folder)
                             : arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(h->dir),
                                            STR_ARG(row->name));
}

/* "example.com:8443" of "https://example.com:8443/x" or "git@example.com:x". */
static str vaults_host_of(str remote)
{
    struct uri_parts parts;
    if (uri_split(remote, &parts))
        return parts.place;
    size_t at = str_find_char(remote, '@');
    str rest = str_skip(remote, at != STR_NONE ? at + 1 : 0);
    return str_slice(rest, 0, str_find_char(rest, ':'));
}

static struct vaults_row *row_create(struct vaults_hosted *h,
                                     const struct vault_table_row *in)
{
    struct vaults_row *row = mem_zero(sizeof(*row));
    row->folder = folder_of(h, &row->arena, in);
    row->remote = arena_str(&row->arena, in->remote);
    row->vault.app = h->app;
    row->vault.name = arena_str(&row->arena, in->name);
    row->vault.identity = arena_str(&row->arena, in->identity);
    row->vault.row = row;
    row->item.origin = hash_content(vaults_host_of(row->remote)).high;
    row->late = h->open != NULL && !path_is_or_below(h->dir, row->folder);
    return row;
}

/* All rows by their identities, also those that are gone. */
static struct map rows_by_identity(const struct vaults_hosted *h, struct arena *a)
{
    struct map known = {.arena = a};
    for (size_t i = 0; i < h->n; i++)
        (void)map_add(&known, h->rows[i]->vault.identity);
    return known;
}

/* The row that was made for it, else a new one. */
static struct vaults_row *row_for(struct vaults_hosted *h, const struct map *known,
                                  const struct vault_table_row *in)
{
    uint32_t i = map_find(known, in->identity);
    return i != MAP_NONE ? h->rows[i] : row_create(h, in);
}

static void drop_row(struct vaults_hosted *h, struct vaults_row *row, bool dropped)
{
    row->listed = !dropped;
    if (h->open != NULL)
        open_vaults_drop(h->open, &row->item, dropped);
}

/* A name as names has it, in the buffer; empty if it is too long for one. */
static str name_key(str name, char buffer[VAULT_NAME_MAX])
{
    size_t n = name.n <= VAULT_NAME_MAX ? name.n : 0;
    for (size_t i = 0; i < n; i++)
        buffer[i] = to_lower(name.p[i]);
    return (str){buffer, n};
}

static void make_maps(struct vaults_hosted *h)
{
    struct arena *a = &h->people;
    char buffer[VAULT_NAME_MAX];
    h->names = h->identities = (struct map){.arena = a};
    for (size_t i = 0; i < h->n && h->rows[i]->listed; i++) {
        const struct app_vault *v = &h->rows[i]->vault;
        (void)map_add(&h->names, arena_str(a, name_key(v->name, buffer)));
        (void)map_add(&h->identities, v->identity);
    }
}

/* The new rows in the order of the table, then those that are gone. The lock is held for
 * writing; the arena becomes that of the people. */
static void vaults_apply(struct vaults_hosted *h, struct arena *a,
                         const struct vault_table *r)
{
    struct vaults_row **rows = NULL;
    size_t n = 0;
    struct arena keys = {0};
    struct map known = rows_by_identity(h, &keys);
    for (size_t i = 0; i < h->n; i++)
        h->rows[i]->listed = false;
    for (size_t i = 0; i < r->n; i++) {
        struct vaults_row *row = row_for(h, &known, &r->rows[i]);
        row->people = r->rows[i].people;
        row->n_people = r->rows[i].n_people;
        drop_row(h, row, false);
        *ARRAY_ADD(NULL, rows, n) = row;
    }
    for (size_t i = 0; i < h->n; i++)
        if (!h->rows[i]->listed) {
            h->rows[i]->n_people = 0;
            drop_row(h, h->rows[i], true);
            *ARRAY_ADD(NULL, rows, n) = h->rows[i];
        }
    arena_release(&keys);
    free(h->rows);
    h->rows = rows;
    h->n = n;
    arena_release(&h->people);
    h->people = *a;
    make_maps(h);
}

static void vaults_add_text(struct sbuf *out, str text)
{
    sbuf_add(out, text);
    sbuf_char(out, '\0');
}

/* A hash of everything in the table. */
static struct hash_content table_of(const struct vault_table *r)
{
    struct arena a = {0};
    struct sbuf all = SBUF_ON(&a);
    for (size_t i = 0; i < r->n; i++) {
        const struct vault_table_row *row = &r->rows[i];
        vaults_add_text(&all,
                        row->identity); /* its name, folder and remote stay the same */
        for (size_t k = 0; k < row->n_people; k++)
            vaults_add_text(&all, row->people[k].name);
        vaults_add_text(&all, STR("\n"));
    }
    struct hash_content hash = hash_content(sbuf_str(&all));
    arena_release(&a);
    return hash;
}

/* *changed: it is other than before; most changes of the store are sign-ins. On failure,
 * what was known stays. */
static bool vaults_read(struct vaults_hosted *h, bool *changed, struct err *err)
{
    struct arena a = {0};
    struct vault_table rows;
    uint64_t generation = store_generation(h->store);
    if (!vault_table_read(h->store, &a, &rows, err)) {
        arena_release(&a);
        return false;
    }
    struct hash_content table = table_of(&rows);
    *changed = !hash_same(table, h->table);
    h->generation = generation;
    h->table = table;
    if (!*changed) {
        arena_release(&a);
        return true;
    }
    lock_shared_write(&h->lock);
    vaults_apply(h, &a, &rows);
    lock_shared_drop(&h->lock);
    return true;
}

/* All rows of the table as they are now. */
static size_t vaults_listed(struct vaults_hosted *h, struct arena *a,
                            struct app_vault ***out)
{
    size_t n = 0;
    lock_shared_read(&h->lock);
    *out = ARENA_ARRAY(a, struct app_vault *, h->n);
    for (size_t i = 0; i < h->n && h->rows[i]->listed; i++)
        (*out)[n++] = &h->rows[i]->vault;
    lock_shared_drop(&h->lock);
    return n;
}

/* Open vaults that clients have subscribed to, while there is room, and keep them open. The
 * cost is that of the subscriptions, not of all vaults. */
static void open_watched(struct vaults_hosted *h)
{
    struct arena a = {0};
    struct err ignored;
    str *names;
    size_t n = h->hooks.watched(h->app, &a, &names);
    size_t max = (size_t)h->app->settings.vaults_open;
    uint64_t until = clock_ms() + VAULTS_WATCH_MS + VAULTS_WATCH_MS / 2;
    for (size_t i = 0; i < n; i++) {
        struct app_vault *v = vaults_named(h->app, names[i]);
        if (v == NULL)
            continue;
        atomic_store(&v->row->watched_until, until);
        if (open_vaults_count(h->open) < max &&
            vaults_try(v, &ignored) == OPEN_STATE_OPEN)
            vaults_release(v);
    }
    arena_release(&a);
}

/* On a thread of open_vaults, one at a time. */
static void vaults_tick(void *arg)
{
    struct vaults_hosted *h = arg;
    struct err err = {0};
    bool changed = false;
    if (clock_ms() - h->looked >= VAULTS_WATCH_MS) {
        open_watched(h);
        h->looked = clock_ms();
    }
    if (store_generation(h->store) == h->generation)
        return;
    if (!vaults_read(h, &changed, &err))
        log_event(LOG_WARN, "vaults_not_read", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
    if (changed)
        h->hooks.changed(h->app);
}

/* --- start and stop --- */

static bool vaults_dir(struct vaults_hosted *h, struct err *err)
{
    struct app *app = h->app;
    str given =
        arena_str(&app->arena, settings_path(&app->arena, app->settings.vaults_dir));
    if (!fs_make_folder(given.p, err))
        return false;
    char *real = file_real_path(given.p);
    if (real == NULL)
        return err_sys(err, "cannot find '%s'", given.p);
    h->dir = arena_str(&app->arena, str_c(real));
    free(real);
    return true;
}

bool vaults_open(struct app *app, struct err *err)
{
    const struct settings *s = &app->settings;
    struct arena a = {0};
    bool changed;
    if (s->vaults_dir.n == 0)
        return true;
    struct vaults_hosted *h = mem_zero(sizeof(*h));
    app->hosted = h;
    h->app = app;
    lock_init(&h->placing, LOCK_PLACING);
    lock_shared_init(&h->lock, LOCK_VAULTS);
    bool ok = vaults_dir(h, err) && fs_make_folder(app->state_dir, err) &&
              fs_make_folder(vaults_git_state(&a, app), err) &&
              store_open(reach_state(&a, s), &h->store, err) &&
              vaults_read(h, &changed, err);
    arena_release(&a);
    return ok;
}

static bool overlap(str one, str other)
{
    return vault_config_is_in(one, other) || vault_config_is_in(other, one);
}

/* The other vaults that have files of that folder, or had when they were opened, because
 * their own folder is a symlink. */
static size_t vaults_near(struct vaults_hosted *h, const struct vaults_row *row,
                          str folder, struct arena *a, struct vaults_row ***out)
{
    size_t n = 0;
    *out = NULL;
    lock_shared_read(&h->lock);
    for (size_t i = 0; i < h->n && h->rows[i]->listed; i++)
        if (h->rows[i] != row &&
            (overlap(h->rows[i]->folder, folder) || overlap(h->rows[i]->real, folder)))
            *ARRAY_ADD(a, *out, n) = h->rows[i];
    lock_shared_drop(&h->lock);
    return n;
}

static void set_real(struct vaults_hosted *h, struct vaults_row *row, str real)
{
    lock_shared_write(&h->lock);
    if (!str_eq(row->real, real))
        row->real = arena_str(&row->arena, real);
    lock_shared_drop(&h->lock);
}

/* Whether no other vault is where this one is by now, nor the state of the server in it:
 * its folder may be a symlink, and whoever made the table may have checked nothing. */
static bool vaults_is_apart_from(struct vaults_hosted *h, struct vaults_row *row)
{
    struct arena a = {0};
    struct vaults_row **others;
    str mine = vault_config_real(&a, row->folder);
    bool apart =
        !vault_config_is_in(vault_config_real(&a, str_c(h->app->state_dir)), mine);
    lock_take(&h->placing);
    size_t n = vaults_near(h, row, mine, &a, &others);
    for (size_t i = 0; apart && i < n; i++)
        apart = !overlap(others[i]->folder, mine) &&
                !overlap(vault_config_real(&a, others[i]->folder), mine);
    if (apart)
        set_real(h, row, mine);
    lock_drop(&h->placing);
    arena_release(&a);
    return apart;
}

static bool may_open(struct vaults_hosted *h, struct vaults_row *row, struct err *err)
{
    if (row->late && h->app->sandbox.files)
        return err_set(
            err, ERR_DENIED,
            "the folder of this vault is outside of --vaults-dir and was added "
            "after the server was started: the operator must restart it");
    return vaults_is_apart_from(h, row) ||
           err_set(err, ERR_DENIED,
                   "the folder of this vault overlaps with that of another vault, or "
                   "contains the state folder: the operator must choose another one");
}

/* The same for those of the settings; what else is in their folders is up to their user. */
static bool is_apart_in_settings(const struct app_vault *v)
{
    struct arena a = {0};
    const struct app *app = v->app;
    str mine = vault_config_real(&a, str_c(vault_folder(v->vault)));
    bool apart = true;
    for (size_t i = 0; apart && i < app->n_vaults; i++)
        apart = &app->vaults[i] == v ||
                !overlap(vault_config_real(&a, str_c(vault_folder(app->vaults[i].vault))),
                         mine);
    arena_release(&a);
    return apart;
}

bool vaults_is_apart(const struct app_vault *v)
{
    return v->row != NULL ? vaults_is_apart_from(v->app->hosted, v->row)
                          : is_apart_in_settings(v);
}

static bool not_opened(const struct vaults_row *row, const struct err *err)
{
    log_event(LOG_WARN, "vault_not_opened", LOG_STR("vault", row->vault.name),
              LOG_STR("error", str_c(err->msg)), LOG_STR("detail", str_c(err->detail)));
    return false;
}

/* What may not be opened is not cloned either: row_open() says why. */
static bool row_is_away(void *arg, struct open_item *item)
{
    struct vaults_hosted *h = arg;
    struct vaults_row *row = (struct vaults_row *)item;
    struct err ignored;
    return may_open(h, row, &ignored) && h->hooks.is_away(&row->vault);
}

static bool row_fetch(void *arg, struct open_item *item, struct err *err)
{
    const struct vaults_hosted *h = arg;
    struct vaults_row *row = (struct vaults_row *)item;
    return h->hooks.fetch(&row->vault, err) || not_opened(row, err);
}

static bool row_open(void *arg, struct open_item *item, struct err *err)
{
    struct vaults_hosted *h = arg;
    struct vaults_row *row = (struct vaults_row *)item;
    return (may_open(h, row, err) && h->hooks.open(&row->vault, err)) ||
           not_opened(row, err);
}

static void row_close(void *arg, struct open_item *item)
{
    const struct vaults_hosted *h = arg;
    h->hooks.close(&((struct vaults_row *)item)->vault);
}

static bool row_is_wanted(void *arg, struct open_item *item)
{
    const struct vaults_hosted *h = arg;
    struct app_vault *v = &((struct vaults_row *)item)->vault;
    return h->hooks.unsent(v) || clock_ms() < atomic_load(&v->row->watched_until);
}

bool vaults_start(struct app *app, const struct vaults_hooks *hooks, struct err *err)
{
    struct vaults_hosted *h = app->hosted;
    if (h == NULL)
        return true;
    h->hooks = *hooks;
    if (!store_keep(h->store, err))
        return false;
    h->open = open_vaults_create(&(struct open_vaults_config){
        .open_max = (size_t)app->settings.vaults_open,
        .idle_ms = (uint64_t)app->settings.vaults_idle * 1000,
        .is_away = row_is_away,
        .fetch = row_fetch,
        .open = row_open,
        .close = row_close,
        .wanted = row_is_wanted,
        .tick = vaults_tick,
        .arg = h});
    return true;
}

void vaults_stop(struct app *app)
{
    if (app->hosted != NULL && app->hosted->open != NULL)
        open_vaults_stop(app->hosted->open);
}

void vaults_close(struct app *app)
{
    struct vaults_hosted *h = app->hosted;
    if (h == NULL)
        return;
    open_vaults_free(h->open);
    for (size_t i = 0; i < h->n; i++) {
        arena_release(&h->rows[i]->arena);
        free(h->rows[i]);
    }
    free(h->rows);
    arena_release(&h->people);
    store_close(h->store);
    lock_shared_release(&h->lock);
    lock_release(&h->placing);
    free(h);
    app->hosted = NULL;
}

/* --- which --- */

static int64_t allowed_at(const struct vaults_row *row, str person)
{
    int64_t first = 0;
    for (size_t i = 0; i < row->n_people; i++) {
        const struct vault_table_person *p = &row->people[i];
        bool is = str_eq(p->name, person) || str_eq(p->name, STR(VAULT_TABLE_EVERYBODY));
        if (is && (first == 0 || p->place < first))
            first = p->place;
    }
    return first;
}

int64_t vaults_allowed(const struct app_vault *v, str person)
{
    struct vaults_hosted *h = v->app->hosted;
    lock_shared_read(&h->lock);
    int64_t place = v->row->listed ? allowed_at(v->row, person) : 0;
    lock_shared_drop(&h->lock);
    return place;
}

static size_t vaults_of_settings(const struct app *app, struct arena *a,
                                 struct app_vault ***out)
{
    *out = ARENA_ARRAY(a, struct app_vault *, app->n_vaults);
    for (size_t i = 0; i < app->n_vaults; i++)
        (*out)[i] = &app->vaults[i];
    return app->n_vaults;
}

size_t vaults_all(const struct app *app, struct arena *a, struct app_vault ***out)
{
    return app->hosted != NULL ? vaults_listed(app->hosted, a, out)
                               : vaults_of_settings(app, a, out);
}

static struct app_vault *hosted_in(struct vaults_hosted *h, const struct map *map,
                                   str key)
{
    lock_shared_read(&h->lock);
    uint32_t i = map_find(map, key);
    struct app_vault *found = i != MAP_NONE ? &h->rows[i]->vault : NULL;
    lock_shared_drop(&h->lock);
    return found;
}

struct app_vault *vaults_with_identity(const struct app *app, str identity)
{
    return hosted_in(app->hosted, &app->hosted->identities, identity);
}

struct app_vault *vaults_named(const struct app *app, str name)
{
    char buffer[VAULT_NAME_MAX];
    size_t i = 0;
    if (app->hosted != NULL)
        return hosted_in(app->hosted, &app->hosted->names, name_key(name, buffer));
    while (i < app->n_vaults && !str_eq_nocase(app->vaults[i].name, name))
        i++;
    return i < app->n_vaults ? &app->vaults[i] : NULL;
}

struct vaults_counts vaults_count(const struct app *app)
{
    struct arena a = {0};
    struct app_vault **list;
    struct vaults_counts counts = {app->n_vaults, app->n_vaults};
    if (app->hosted != NULL)
        counts = (struct vaults_counts){vaults_listed(app->hosted, &a, &list),
                                        open_vaults_count(app->hosted->open)};
    arena_release(&a);
    return counts;
}

str vaults_folder(const struct app_vault *v)
{
    return v->row->folder;
}

str vaults_remote(const struct app_vault *v)
{
    return v->row->remote;
}

struct store *vaults_store(const struct app *app)
{
    return app->hosted != NULL ? app->hosted->store : NULL;
}

str vaults_top(const struct app *app)
{
    return app->hosted->dir;
}

const char *vaults_git_state(struct arena *a, const struct app *app)
{
    return vault_config_git_folder(a, app->state_dir);
}

/* --- using --- */

enum open_state vaults_try(const struct app_vault *v, struct err *err)
{
    return v->row == NULL ? OPEN_STATE_OPEN
                          : open_vaults_try(v->app->hosted->open, &v->row->item, err);
}

bool vaults_use(const struct app_vault *v, unsigned ms, struct err *err)
{
    return v->row == NULL ||
           open_vaults_use(v->app->hosted->open, &v->row->item, ms, err);
}

bool vaults_not_yet(const struct app_vault *v, struct err *err)
{
    struct err why;
    (void)open_vaults_not_yet(v->app->hosted->open, &v->row->item, &why);
    return err_named(err, E_BUSY, "'" STR_FMT "': %s", STR_ARG(v->name), why.msg);
}

bool vaults_is_fetching(const struct app_vault *v)
{
    return v->row != NULL && open_vaults_is_fetching(v->app->hosted->open, &v->row->item);
}

bool vaults_look(const struct app_vault *v)
{
    return v->row == NULL || (v->app->hosted->open != NULL && /* before vaults_start() */
                              open_vaults_look(v->app->hosted->open, &v->row->item));
}

void vaults_release(const struct app_vault *v)
{
    if (v->row != NULL)
        open_vaults_release(v->app->hosted->open, &v->row->item);
}

void vaults_look_away(const struct app_vault *v)
{
    if (v->row != NULL)
        open_vaults_look_away(v->app->hosted->open, &v->row->item);
}

void vaults_pull(const struct app *app)
{
    struct arena a = {0};
    struct app_vault **list;
    struct err not_synced;
    uint64_t ignored;
    size_t n = vaults_all(app, &a, &list);
    for (size_t i = 0; i < n; i++)
        if (vaults_look(list[i])) {
            (void)!sync_ask(list[i]->sync.sync, &ignored, &not_synced);
            vaults_look_away(list[i]);
        }
    arena_release(&a);
}
