#include "app/tools/adr.h"

#include "app/setup/app.h"
#include "app/setup/sync_settings.h"
#include "app/setup/syncing.h"
#include "app/setup/vault_state.h"
#include "base/clock.h"
#include "base/pool.h"
#include "replica/leader.h"
#include "sync/sync.h"
#include "vault/draft.h"
#include "vault/transact.h"
#include "vault/vault.h"

#define PUBLISHING "publish"

struct publishing {
    struct arena arena;
    struct syncing sync;
    struct vault *vault;
};

static void on_made(void *arg, const struct change *change,
                    const struct change_result *made)
{
    struct publishing *p = arg;
    syncing_changed(&p->sync, change);
}

/* Before waiting for the network. */
static bool leave_worker(struct err *err)
{
    return pool_leave() ||
           err_set(err, ERR_BUSY, "too many calls are waiting: try again soon");
}

static bool prepare_adr(struct publishing *p, const struct settings_sync *settings,
                        const char *folder, const struct app *app, struct err *err)
{
    if (!fs_make_folder(folder, err) || !leave_worker(err))
        return false;
    p->sync.state_key = vault_state_of_path(&p->arena, str_c(folder)).p;
    bool ok = syncing_prepare(&p->sync, &p->arena, settings, folder, app->state_dir, err);
    pool_return();
    return ok;
}

static bool open_vault(struct publishing *p, const struct app *app, struct err *err)
{
    struct settings_sync settings = app->settings.sync; /* for the credentials */
    settings.kind = SETTINGS_SYNC_GIT;
    settings.git_token_host = sync_settings_token_host(&settings);
    settings.git_remote = app->settings.adr_repo;
    settings.git_branch = app->settings.adr_branch;
    settings.git_subfolder = STR(ADR_FOLDER);
    settings.git_pull_interval = settings.git_push_delay = settings.git_depth = 0;
    settings.git_add = 0;
    const char *folder = app_adr_folder(&p->arena, app);
    if (settings.timeout == 0 || settings.timeout > ADR_NETWORK_S)
        settings.timeout = ADR_NETWORK_S;
    if (!prepare_adr(p, &settings, folder, app, err) ||
        !vault_open(folder, &p->vault, err))
        return false;
    vault_start(p->vault, &(struct vault_options){.state_dir = app->state_dir,
                                                  .made = on_made,
                                                  .changed_arg = p});
    return vault_wait(p->vault, NULL, NULL, err) &&
           syncing_start(&p->sync, p->vault, err);
}

/* A branch that does not exist would start without the code and could never be merged. */
static bool has_branch(struct publishing *p, const struct app *app, struct err *err)
{
    struct sync_state state;
    sync_state(p->sync.sync, &p->arena, &state);
    return state.behind >= 0 ||
           err_named(err, E_BRANCH_NOT_FOUND,
                     "the repository has no branch '" STR_FMT "': create it there first",
                     STR_ARG(app->settings.adr_branch));
}

static bool adr_steps(struct draft *d, void *arg, struct err *err)
{
    const struct adr *adr = arg;
    return draft_write(d, adr->name, adr->text, DRAFT_OVERWRITE, err);
}

static bool write_note(struct publishing *p, struct adr adr, bool *changed,
                       struct err *err)
{
    struct transact t = {
        .by = {.tool = STR("adr_publish"), .who = adr.user, .client = adr.client},
        .steps = adr_steps,
        .arg = &adr};
    struct draft_result made;
    bool ok = transact_run(p->vault, &p->arena, &t, &made, err);
    *changed = ok && made.change > 0;
    return ok;
}

static bool exchange_adr(struct publishing *p, const struct adr *adr, struct err *err)
{
    if (!leave_worker(err))
        return false;
    bool ok = sync_wait(p->sync.sync, adr->stop, adr->arg, err);
    pool_return();
    return ok;
}

static bool is_busy(struct err *err)
{
    return err_set(err, ERR_BUSY,
                   "another record is being published: try again in a minute");
}

/* Before anything is pushed: whether it is still our turn. */
static bool is_our_turn(const struct app *app, uint64_t fence, struct err *err)
{
    return leader_holds(app->replica.store, STR(PUBLISHING), fence) || is_busy(err);
}

static bool publish(const struct app *app, const struct adr *adr, uint64_t fence,
                    bool *changed, struct err *err)
{
    struct publishing p = {0};
    bool ok = open_vault(&p, app, err) && exchange_adr(&p, adr, err) &&
              has_branch(&p, app, err) && is_our_turn(app, fence, err) &&
              write_note(&p, *adr, changed, err) && exchange_adr(&p, adr, err);
    syncing_stop(&p.sync, clock_ms() + SYNC_STOP_PUSH_MS);
    vault_close(p.vault);
    arena_release(&p.arena);
    return ok;
}

/* One at a time, of all replicas. A push is never forced, so one that no longer leads
 * without noticing cannot undo what the next one published. */
static bool begin_publishing(struct app *app, uint64_t *fence, struct err *err)
{
    bool first = !atomic_exchange(&app->publishing, true);
    if (first && leader_take(app->replica.store, STR(PUBLISHING), fence))
        return true;
    if (first)
        atomic_store(&app->publishing, false);
    return is_busy(err);
}

static void end_publishing(struct app *app)
{
    leader_leave(app->replica.store, STR(PUBLISHING));
    atomic_store(&app->publishing, false);
}

bool adr_publish(struct app *app, const struct adr *adr, bool *changed, struct err *err)
{
    uint64_t fence = 0;
    if (!begin_publishing(app, &fence, err))
        return false;
    bool ok = publish(app, adr, fence, changed, err);
    end_publishing(app);
    return ok;
}
