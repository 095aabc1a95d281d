#include "app/setup/proposals.h"

#include "app/setup/app.h"
#include "app/setup/reach.h"
#include "app/setup/vault_state.h"
#include "app/setup/vaults.h"
#include "app/setup/vaults_replica.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/monotonic_date.h"
#include "base/sbuf.h"
#include "replica/replica.h"
#include "state/proposal_table.h"
#include "state/store.h"
#include "vault/access.h"
#include "vault/change/change.h"
#include "vault/change/proposal.h"
#include "vault/vault.h"

struct app_proposals {
    struct store *store;
    bool own; /* the store is ours to close */
    struct lock lock;
    struct monotonic_date date;
};

static bool proposals_start(struct app_proposals *p, struct err *err)
{
    int64_t newest;
    if (!proposal_table_newest(p->store, &newest, err))
        return false;
    lock_init(&p->lock, LOCK_LEAF);
    (void)clock_believe(&p->date, clock_now(), clock_boot_ms(), newest);
    return true;
}

bool proposals_open(struct app *app, struct err *err)
{
    struct app_proposals *p;
    const char *where = reach_state(&app->arena, &app->settings);
    bool wanted = access_has_review(&app->review);
    if (!wanted && (where == NULL || !app->settings.signs_in))
        return true;
    if (where == NULL)
        return err_set(
            err, ERR_INVALID,
            "--state memory would forget what waits for a review: leave it out "
            "with --writes propose and --propose-paths");
    p = ARENA_NEW(&app->arena, struct app_proposals);
    *p = (struct app_proposals){.store = replica_is_shared(&app->replica)
                                             ? app->replica.store
                                             : vaults_store(app)};
    p->own = p->store == NULL;
    if (p->own &&
        (!fs_make_folder(app->state_dir, err) || !store_open(where, &p->store, err)))
        return false;
    app->proposals = p;
    return proposals_start(p, err);
}

void proposals_close(struct app *app)
{
    if (app->proposals != NULL && app->proposals->own)
        store_close(app->proposals->store);
}

struct store *proposals_store(const struct app *app)
{
    return app->proposals != NULL ? app->proposals->store : NULL;
}

str proposals_vault(struct arena *a, str key, str identity, const str *shared)
{
    if (identity.n > 0 || shared == NULL)
        return identity.n > 0 ? identity : key;
    return arena_printf(a, "=" STR_FMT, STR_ARG(*shared));
}

/* --- the keeper of a vault --- */

static str vault_of(struct arena *a, const struct app_vault *v)
{
    const struct app *app = v->app;
    if (v->identity.n > 0)
        return v->identity; /* it need not be open */
    str name = vaults_replica_name(v);
    str key = vault_state_key(a, app->state_dir, str_c(vault_folder(v->vault)), STR(""));
    return proposals_vault(a, key, STR(""),
                           replica_is_shared(&app->replica) ? &name : NULL);
}

static str digest(struct arena *a, str text)
{
    uint8_t hash[HASH_SIZE];
    hash_sha256(text, hash);
    return encode_hex(a, (str){(const char *)hash, sizeof(hash)});
}

static int64_t date_of(struct app_proposals *p)
{
    lock_take(&p->lock);
    int64_t date = clock_believe(&p->date, clock_now(), clock_boot_ms(), 0);
    lock_drop(&p->lock);
    return date;
}

/* Of an idempotency key: other clients of the same user have proposals of their own. */
static str key_digest(struct arena *a, const struct idempotency *once)
{
    return digest(a, arena_printf(a, STR_FMT "\n" STR_FMT, STR_ARG(once->owner),
                                  STR_ARG(once->key)));
}

static bool kept_earlier(const struct proposal_earlier *e, struct proposal_kept *out,
                         struct err *err)
{
    *out =
        (struct proposal_kept){.id = e->id, .repeated = e->id.n > 0, .answer = e->answer};
    return e->id.n == 0 || e->same || change_key_reused(err);
}

/* "\nClaude Code", from "Claude Code 2.1": a new version is the same client. */
str proposals_owner(struct arena *a, const struct actor *by)
{
    size_t space = str_find_last(by->client, ' ');
    str name = str_slice(by->client, 0, space == STR_NONE ? by->client.n : space);
    return by->grant.n > 0 ? by->grant : arena_printf(a, "\n" STR_FMT, STR_ARG(name));
}

static str paths_of(struct arena *a, const struct proposal *p)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < p->n; i++) {
        str path = p->ops[i].op.path;
        if (out.n + path.n + 1 <= PROPOSALS_PATHS_MAX)
            sbuf_printf(&out, STR_FMT "\n", STR_ARG(path));
    }
    return sbuf_str(&out);
}

static bool proposals_keep(void *arg, struct arena *a, const struct proposal *p,
                           const struct idempotency *once, struct proposal_kept *out,
                           struct err *err)
{
    const struct app_vault *v = arg;
    struct app_proposals *all = v->app->proposals;
    struct proposal_earlier earlier;
    struct proposal_new row = {.vault = vault_of(a, v),
                               .owner = proposals_owner(a, &p->by),
                               .summary = p->summary,
                               .paths = paths_of(a, p),
                               .body = proposal_print(a, p),
                               .answer = once->answer};
    str id = {0};
    if (row.body.n > PROPOSAL_BYTES_MAX)
        return err_set(err, ERR_LIMIT,
                       "a proposal can have at most %d MiB: propose less at a time",
                       PROPOSAL_BYTES_MAX >> 20);
    if (once->key.n > 0) {
        row.key = key_digest(a, once);
        row.request = digest(a, once->request);
    }
    if (!proposal_table_add(all->store, a, &row, date_of(all), &id, &earlier, err) ||
        !kept_earlier(&earlier, out, err))
        return false;
    out->id = earlier.id.n > 0 ? earlier.id : id;
    return true;
}

static bool find_kept(void *arg, struct arena *a, const struct idempotency *once,
                      struct proposal_kept *out, struct err *err)
{
    const struct app_vault *v = arg;
    struct proposal_earlier earlier;
    return proposal_table_repeated(v->app->proposals->store, a, vault_of(a, v),
                                   key_digest(a, once), digest(a, once->request),
                                   &earlier, err) &&
           kept_earlier(&earlier, out, err);
}

void proposals_set(struct app_vault *v, struct vault_options *options)
{
    if (v->app->proposals != NULL)
        options->proposals = (struct proposal_keeper){proposals_keep, find_kept, v};
}

/* --- for people --- */

void proposals_place(const struct app_vault *v, struct arena *a, const str *person,
                     struct proposed_place *out)
{
    *out = (struct proposed_place){.store = v->app->proposals->store,
                                   .vault = vault_of(a, v),
                                   .open = v->vault,
                                   .person = person,
                                   .now = date_of(v->app->proposals)};
}

size_t proposals_waiting(const struct app *app)
{
    int64_t n;
    struct err ignored;
    return app->proposals != NULL &&
                   proposal_table_waiting(app->proposals->store, &n, &ignored)
               ? (size_t)n
               : 0;
}

int64_t proposals_now(const struct app *app)
{
    return date_of(app->proposals);
}
