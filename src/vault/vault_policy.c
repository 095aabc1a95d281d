#include "vault/vault_policy.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/fs_edit.h"
#include "base/path.h"
#include "vault/access.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/load.h"
#include "vault/note/policy.h"
#include "vault/policies.h"
#include "vault/text/encoding.h"
#include "vault/vault_trash.h"

enum {
    POLICY_RECENT_S = 3, /* a file that changed so recently may change again within
                            one tick of the clock of its file system */
};

static bool applies(const struct vault *v)
{
    return v->ruled && policies_property(v->live->policies).n > 0;
}

/* --- what a note says --- */

static enum policy said_on_disk(struct live *v, str path)
{
    return load_policy(&v->root, policies_property(v->policies), path,
                       policies_said(v->policies, path));
}

/* Whether the file is the one that the index has read. */
static bool policy_is_indexed(struct live *v, str path, const struct fs_info *info,
                              enum policy *says)
{
    static const int64_t SECOND_NS = 1000000000;
    if (!live_is_ready(v) || strcmp(vault_watching(&v->own), "polling") == 0 ||
        info->changed_ns > clock_wall_ns() - POLICY_RECENT_S * SECOND_NS)
        return false;
    lock_shared_read(&v->lock);
    const struct file *f = index_find(v->index, path);
    bool same = f != NULL && fs_same(&f->info, info);
    if (same)
        *says = f->policy;
    lock_shared_drop(&v->lock);
    return same;
}

static enum policy said_now(struct live *v, str path, const struct fs_info *info)
{
    enum policy says;
    if (file_kind_of(path) != FILE_NOTE)
        return POLICY_NONE;
    return policy_is_indexed(v, path, info, &says) ? says : said_on_disk(v, path);
}

/* --- what folders say --- */

static enum policy rule_on_disk(struct live *v, str folder)
{
    struct arena a = {0};
    enum policy says = said_on_disk(v, path_join(&a, folder, STR(POLICY_FILE)));
    arena_release(&a);
    return says;
}

/* r: NULL if only one path is asked for. */
static enum policy rule_of(struct live *v, struct policy_round *r, str folder)
{
    if (r == NULL)
        return rule_on_disk(v, folder);
    r->folders.arena = r->a;
    uint32_t i = map_add(&r->folders, folder);
    if (i == r->n_rules)
        *ARRAY_ADD(r->a, r->rules, r->n_rules) = rule_on_disk(v, folder);
    return r->rules[i];
}

/* Of a folder and those above it. */
static enum policy said_above(struct live *v, struct policy_round *r, str folder)
{
    enum policy says = rule_of(v, r, folder);
    while (folder.n > 0) {
        folder = path_folder(folder);
        says = policy_stricter(says, rule_of(v, r, folder));
    }
    return says;
}

/* --- what counts --- */

enum policy vault_policy_held(const struct vault *v, str path)
{
    return applies(v) ? policies_at(v->live->policies, path) : POLICY_NONE;
}

/* By names alone, where the path really is. */
static enum policy policy_at(struct live *v, struct policy_round *r, str path)
{
    enum policy says = policies_at(v->policies, path);
    if (trash_contains(path))
        says = policy_stricter(says, policies_at(v->policies, trash_original(path)));
    if (says < POLICY_HIDDEN)
        says = policy_stricter(says, said_above(v, r, path_folder(path)));
    if (says < POLICY_HIDDEN && trash_contains(path))
        says = policy_stricter(says, said_above(v, r, path_folder(trash_original(path))));
    return says;
}

/* The strictest of the places that a symlink leads through. */
struct policy_places {
    struct live *live;
    enum policy says;
};

static bool policy_is_at(const void *arg, str path)
{
    struct policy_places *p = *(struct policy_places *const *)arg;
    struct fs_info info;
    struct err ignored;
    p->says = policy_stricter(p->says, policy_at(p->live, NULL, path));
    if (fs_stat(&p->live->root, path, &info, &ignored))
        p->says = policy_stricter(p->says, info.type == FS_FILE
                                               ? said_now(p->live, path, &info)
                                               : said_above(p->live, NULL, path));
    return true;
}

/* Where a path with symlinks ends. */
static enum policy policy_of_end(struct live *v, str path)
{
    struct arena a = {0};
    struct policy_places places = {v, POLICY_NONE}, *arg = &places;
    struct fs_root root = v->root;
    struct fs_place end;
    struct err err;
    root.may_change = policy_is_at;
    root.may_change_arg = &arg;
    if (path.n > 0 && fs_place_open(&root, &a, path, &end, &err))
        fs_place_close(&end);
    arena_release(&a);
    return places.says;
}

/* Of what was just looked at; *says: by the note itself. */
static enum policy policy_there(struct live *v, str path, const struct fs_entry *e,
                                enum policy *says)
{
    enum policy end = e->is_link ? policy_of_end(v, path) : POLICY_NONE;
    *says =
        e->info.type == FS_FILE ? said_now(v, path, &e->info) : said_above(v, NULL, path);
    return policy_stricter(end, *says);
}

static struct policy_look look(struct live *v, struct policy_round *r, str path)
{
    struct err ignored;
    struct policy_look at = {.path = path, .counts = policy_at(v, r, path)};
    if (at.counts == POLICY_HIDDEN)
        return at;
    at.there = fs_stat_entry(&v->root, path, &at.at, &ignored);
    if (at.there)
        at.counts = policy_stricter(at.counts, policy_there(v, path, &at.at, &at.says));
    return at;
}

const struct policy_look *vault_policy_look(const struct vault *v, struct policy_round *r,
                                            str path)
{
    r->paths.arena = r->a;
    uint32_t i = map_add(&r->paths, path);
    if (i == r->n_looks) {
        struct policy_look *now = ARENA_NEW(r->a, struct policy_look);
        *now = look(v->live, r, path);
        *ARRAY_ADD(r->a, r->looks, r->n_looks) = now;
    }
    return r->looks[i];
}

enum policy vault_policy_of(const struct vault *v, const struct policy_look *at)
{
    return applies(v) ? at->counts : POLICY_NONE;
}

enum policy vault_policy(const struct vault *v, str path)
{
    return applies(v) ? look(v->live, NULL, path).counts : POLICY_NONE;
}

enum policy vault_policy_listed(const struct vault *v, str path, const struct fs_entry *e)
{
    enum policy ignored;
    if (!applies(v))
        return POLICY_NONE;
    enum policy says = policies_at(v->live->policies, path);
    return says < POLICY_HIDDEN
               ? policy_stricter(says, policy_there(v->live, path, e, &ignored))
               : says;
}

enum policy vault_policy_below(struct vault *v, str folder)
{
    if (!applies(v))
        return POLICY_NONE;
    str inside = trash_original(folder);
    vault_refresh(v, &inside, 1);
    return policy_stricter(look(v->live, NULL, folder).counts,
                           policies_below(v->live->policies, inside));
}

/* --- contents --- */

static enum policy said_by(struct live *v, str path, str bytes, enum policy before)
{
    struct arena a = {0};
    enum encoding ignored;
    enum policy says =
        file_kind_of(path) != FILE_NOTE
            ? POLICY_NONE
            : policy_of_text(policies_property(v->policies),
                             encoding_read(&a, bytes, &ignored), false, before);
    arena_release(&a);
    return says;
}

bool vault_policy_hides(const struct vault *v, str path, str bytes)
{
    return applies(v) && said_by(v->live, path, bytes,
                                 policies_said(v->live->policies, path)) == POLICY_HIDDEN;
}

struct fs_root vault_policy_root(const struct vault *v)
{
    struct fs_root root = v->root;
    root.no_links =
        root.no_links || (applies(v) && policies_hide_folders(v->live->policies));
    return root;
}

/* By the note at a path; one that was not looked at is asked for it now. */
static enum policy note_says(const struct vault *v, struct policy_round *r, str path)
{
    const struct policy_look *at = vault_policy_look(v, r, path);
    return at->there && at->at.info.type == FS_FILE ? at->says
                                                    : said_on_disk(v->live, path);
}

bool vault_policy_stays(const struct vault *v, struct policy_round *r, str path, str text,
                        bool proposed, struct err *err)
{
    enum { NAMED = 120 };
    str property = policies_property(v->live->policies);
    if (property.n == 0 || !(v->ruled || proposed) ||
        said_by(v->live, path, text, POLICY_NONE) == note_says(v, r, path))
        return true;
    return err_named(err, E_POLICY_NOT_ALLOWED,
                     "'" STR_FMT "' would say something else about clients: only the "
                     "owner of the vault sets, changes or removes its property '" STR_FMT
                     "'; leave that as it is",
                     STR_ARG(str_slice(path, 0, NAMED)),
                     STR_ARG(str_slice(property, 0, NAMED)));
}

bool vault_policy_conceals(const struct vault *v, struct policy_round *r, str path,
                           str text)
{
    struct live *live = v->live;
    return policies_property(live->policies).n > 0 && path.n > 0 &&
           (vault_policy_look(v, r, path)->counts == POLICY_HIDDEN ||
            said_by(live, path, text, POLICY_NONE) == POLICY_HIDDEN);
}
