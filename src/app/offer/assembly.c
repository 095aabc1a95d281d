#include "app/offer/assembly.h"

#include "app/kit/seen.h"
#include "app/offer/auto_context.h"
#include "app/offer/client_memory.h"
#include "app/offer/instructions.h"
#include "app/offer/prompts.h"
#include "app/offer/resources.h"
#include "app/offer/skills.h"
#include "app/offer/tools.h"
#include "app/setup/app.h"
#include "app/setup/confine.h"
#include "app/setup/embedding.h"
#include "app/setup/fresh.h"
#include "app/setup/metrics.h"
#include "app/setup/paging.h"
#include "app/setup/profiles.h"
#include "app/setup/served.h"
#include "app/setup/settings.h"
#include "app/setup/shared.h"
#include "app/setup/syncing.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/os/interrupt.h"
#include "mcp/revision.h"
#include "mcp/server.h"
#include "pdf/pdf_cache.h"
#include "vault/vault.h"

enum { QUEUE_MAX = 4096 };

/* Tools that change something are offered only to callers who may use them, and tools
 * that show the journal only if there is one. */
static bool offers(void *arg, const struct mcp_caller *caller, const struct mcp_tool *t)
{
    struct app *app = arg;
    if (profiles[app->settings.profile].plain) /* its clients expect an error instead */
        return true;
    if (!syncing_is_on(&app->sync) && (t->flags & APP_NEEDS_SYNC) != 0)
        return false;
    bool journal = !app->access.read_only || (t->flags & APP_NEEDS_JOURNAL) == 0;
    return journal && ((t->flags & MCP_READ_ONLY) != 0 ||
                       !vault_is_read_only(app_vault_for(&app->vaults[0], caller)));
}

static bool ready(void *arg)
{
    const struct app *app = arg;
    for (size_t i = 0; i < app->n_vaults; i++)
        if (!vault_progress(app->vaults[i].vault).ready)
            return false;
    return true;
}

static bool assembly_sees(void *arg, str grant, str uri)
{
    struct arena a = {0};
    const struct app_vault *served;
    struct mcp_caller caller = {.grant = grant, .rights = app_read_grant(arg, &a, grant)};
    str path;
    bool seen = resources_path(&a, arg, uri, &served, &path) &&
                vault_may_read(app_vault_for(served, &caller), path);
    arena_release(&a);
    return seen;
}

static bool read_key(void *arg, uint8_t out[MCP_KEY_SIZE], struct err *err)
{
    struct app *app = arg;
    struct arena a = {0};
    if (shared_is_on(&app->shared)) {
        memcpy(out, app->shared.key, MCP_KEY_SIZE);
        return true;
    }
    str folder = settings_state_dir(&a, app->settings.state_dir);
    bool ok = fs_secret_file(folder.p, "session.key", out, MCP_KEY_SIZE, err);
    if (!ok)
        log_event(LOG_ERROR, "state", LOG_STR("error", str_c(err->msg)),
                  LOG_STR("detail", str_c(err->detail)), LOG_STR("folder", folder));
    arena_release(&a);
    return ok;
}

/* Only known names become counters: clients can send any number of others. */
static const char *counted_name(const struct app *app, const struct mcp_record *r)
{
    static const char *const methods[] = {"initialize",
                                          "server/discover",
                                          "ping",
                                          "tools/list",
                                          "resources/list",
                                          "resources/templates/list",
                                          "prompts/list",
                                          "resources/read",
                                          "prompts/get",
                                          "completion/complete",
                                          NULL};
    if (str_eq(r->method, STR("tools/call")))
        for (const struct mcp_tool *const *t = app->tools; *t != NULL; t++)
            if (str_eq(r->name, str_c((*t)->name)))
                return (*t)->name;
    for (const char *const *m = methods; *m != NULL; m++)
        if (str_eq(r->method, str_c(*m)))
            return *m;
    return "other";
}

/* What the log says about an error. Messages for clients may quote notes (SEC-73); those
 * about faults of vaultd or of the machine do not. */
static str logged_error(const struct err *err)
{
    if (err == NULL)
        return STR("");
    if (err->code == ERR_INTERNAL)
        return str_c(err->msg);
    const char *name = err_name_text(err->name);
    return str_c(name != NULL ? name : err_code_name(err->code));
}

static void on_done(void *arg, const struct mcp_record *r)
{
    struct app *app = arg;
    metrics_called(&app->metrics, counted_name(app, r), r->err != NULL || r->code != 0,
                   r->micros);
    enum log_level level =
        r->err != NULL && r->err->code == ERR_INTERNAL ? LOG_WARN : LOG_DEBUG;
    log_event(level, "call", LOG_STR("method", r->method), LOG_STR("name", r->name),
              LOG_STR("revision", mcp_revision_name(r->revision)),
              LOG_INT("code", r->code), LOG_STR("error", logged_error(r->err)),
              LOG_STR("detail", r->err != NULL ? str_c(r->err->detail) : STR("")),
              LOG_INT("us", r->micros));
}

/* Notify the subscribers of a file, or of the list of files. */
static void on_changed(void *arg, const str *paths, size_t n, bool names)
{
    struct app_vault *v = arg;
    struct mcp_server *mcp = v->app->mcp;
    struct arena a = {0};
    str *uris = ARENA_ARRAY(&a, str, n);
    for (size_t i = 0; i < n; i++)
        uris[i] = app_uri(&a, v, paths[i]);
    if (names)
        mcp_server_changed_by(mcp, MCP_RESOURCES_CHANGED, uris, n);
    if (prompts_changed(v))
        mcp_server_changed_by(mcp, MCP_PROMPTS_CHANGED, uris, n);
    for (size_t i = 0; i < n; i++)
        mcp_server_updated(mcp, uris[i]);
    syncing_seen(&v->app->sync);
    arena_release(&a);
}

static void on_made(void *arg, const struct change *change,
                    const struct change_result *made)
{
    struct app_vault *v = arg;
    fresh_made(&v->app->fresh, made->number);
    syncing_changed(&v->app->sync, change);
}

static void on_level(void *app, str commit, uint64_t number)
{
    fresh_level(app, commit, number);
}

/* --- other replicas --- */

static void peers_tell(void *app, str text)
{
    shared_tell(&((struct app *)app)->shared, FEED_MCP, text);
}

static void peers_put(void *app, str name, str part, str text, int64_t seconds)
{
    shared_put(&((struct app *)app)->shared, name, part, text, seconds);
}

static bool peers_list(void *app, struct arena *a, str name, struct mcp_peer_note **out,
                       size_t *n)
{
    return shared_list(&((struct app *)app)->shared, a, name, out, n);
}

static void on_heard(void *arg, enum feed_topic topic, str text)
{
    struct app *app = arg;
    if (topic == FEED_CHANGED && !fresh_has(&app->fresh, text))
        syncing_heard(&app->sync);
    else if (topic == FEED_MCP)
        mcp_server_heard(app->mcp, text);
    else if (topic == FEED_SEEN)
        seen_heard(app->seen, text);
}

static void sweep_job(void *arg)
{
    struct app *app = arg;
    shared_sweep(&app->shared);
    pool_later(app->pool, SHARED_SWEEP_S * 1000, sweep_job, app);
}

/* Whatever was said in the meantime was missed. */
static void on_feed_lost(void *arg)
{
    struct app *app = arg;
    syncing_heard(&app->sync);
}

static void say_if_stale(struct mcp_call *call, const struct mcp_tool *t)
{
    if (app_of(call)->context != NULL)
        auto_context_tell(call, t);
    if (call->stale && call->aside.n == 0)
        call->aside = STR(FRESH_STALE);
}

/* --- several vaults --- */

/* The argument vault, which every tool then has; its values are the vaults' names. */
static const struct mcp_field *vault_field(struct app *app)
{
    if (app->n_vaults < 2)
        return NULL;
    const char **names = ARENA_ARRAY(&app->arena, const char *, app->n_vaults + 1);
    for (size_t i = 0; i < app->n_vaults; i++)
        names[i] = arena_str(&app->arena, app->vaults[i].name).p;
    struct mcp_field *fields = ARENA_ARRAY(&app->arena, struct mcp_field, 2);
    fields[0] = (struct mcp_field)MCP_FIELD(
        struct app_choice, vault, MCP_ENUM, 0, "Which vault",
        .dflt = arena_printf(&app->arena, "\"%s\"", names[0]).p, .choices = names);
    return fields;
}

static bool read_places(struct app *app, struct served_list *out, struct err *err)
{
    const struct settings *s = &app->settings;
    if (s->vault_path.n > 0 && s->vaults.n > 0)
        return err_set(err, ERR_INVALID,
                       "give one folder (--vault-path, VAULT_PATH), or vaults by name "
                       "(--vault, VAULTS), not both");
    if (s->vaults.n > 0)
        return served_read(&app->arena, &s->vaults, out, err) &&
               served_check_apart(&app->arena, out, err);
    if (s->vault_path.n == 0)
        return err_set(err, ERR_INVALID,
                       "no vault: give --vault-path FOLDER or set VAULT_PATH");
    *out = (struct served_list){ARENA_NEW(&app->arena, struct served), 1};
    out->items[0].folder = arena_str(&app->arena, s->vault_path);
    return true;
}

/* A clone may take long, and nothing else handles signals yet. */
static bool prepare_sync(struct app *app, const char *folder, struct err *err)
{
    app->sync.stop = interrupt_begin();
    app->sync.on_level = on_level;
    app->sync.level_arg = app;
    bool ok = syncing_prepare(&app->sync, &app->arena, &app->settings.sync, folder,
                              app->state_dir, err);
    interrupt_end();
    return ok;
}

static bool open_vaults(struct app *app, struct err *err)
{
    struct served_list places;
    if (!read_places(app, &places, err))
        return false;
    for (size_t i = 0; i < places.n; i++)
        if (!confine_check_owner(places.items[i].folder.p, err))
            return false;
    if (!prepare_sync(app, places.items[0].folder.p, err))
        return false;
    app->vaults = ARENA_ARRAY(&app->arena, struct app_vault, places.n);
    for (; app->n_vaults < places.n; app->n_vaults++) {
        const struct served *place = &places.items[app->n_vaults];
        struct app_vault *v = &app->vaults[app->n_vaults];
        if (!vault_open(place->folder.p, &v->vault, err))
            return false;
        v->app = app;
        v->name = place->name.n > 0 ? place->name : vault_name(v->vault);
    }
    return true;
}

/* --- start and stop --- */

static bool check_adr(const struct settings *s, struct err *err)
{
    for (size_t i = 0; i < s->tools.n; i++)
        if (s->adr_repo.n == 0 && str_eq_nocase(s->tools.items[i], STR("adr")))
            return err_set(
                err, ERR_INVALID,
                "the tool set adr needs --adr-repo, the repository to publish to");
    return true;
}

static struct mcp_server *create_mcp(struct app *app)
{
    const struct profile *p = &profiles[app->settings.profile];
    const struct mcp_resource *const *resources =
        app->n_vaults > 1 ? app_resources_of_many : app_resources;
    bool shares = shared_is_on(&app->shared);
    /* with stdio the client ends with the process */
    bool keeps = !app->settings.stdio && !shares;
    return mcp_server_create(&(struct mcp_config){
        .name = p->server_name != NULL ? p->server_name : "vaultd",
        .title = p->plain ? NULL : "Obsidian vault",
        .version = p->server_version != NULL ? p->server_version : VAULTD_VERSION,
        .instructions = p->plain ? STR("") : instructions_write(app, &app->arena),
        .more = app->settings.claude_md ? instructions_more : NULL,
        .plain = p->plain,
        .plain_errors = app->settings.answers == ANSWERS_TEXT,
        .always_stream = app->settings.sse == SSE_ALWAYS,
        .tools = app->tools,
        .resources = p->tools_only ? NULL : resources,
        .prompts = p->tools_only ? NULL : app->prompts,
        .more_prompts = p->tools_only ? NULL : &app_more_prompts,
        .common = vault_field(app),
        .common_size = sizeof(struct app_choice),
        .list_changes = !p->tools_only,
        .subscribe = !p->tools_only,
        .tasks = syncing_is_on(&app->sync) && !p->plain, /* sync_now() */
        .pool = app->pool,
        .app = app,
        .key = read_key,
        .memory = keeps ? memory_read(app, &app->arena) : STR(""),
        .keep_memory = keeps ? memory_write : NULL,
        .peers = shares ? (struct mcp_peers){peers_tell, peers_put, peers_list}
                        : (struct mcp_peers){0},
        .hold = shares && syncing_is_on(&app->sync) ? fresh_hold : NULL,
        .saw = shares && syncing_is_on(&app->sync) ? fresh_saw : NULL,
        .after = say_if_stale,
        .on_done = on_done,
        .ready = ready,
        .read_grant = app_read_grant,
        .offers = offers,
        .sees = assembly_sees,
    });
}

/* Nothing is embedded for tools that do not use it. */
static bool assembly_uses_meaning(const struct app *app)
{
    for (const struct mcp_tool *const *t = app->tools; *t != NULL; t++)
        if (((*t)->flags & APP_USES_MEANING) != 0)
            return true;
    return false;
}

static void start_vault(struct app *app, struct app_vault *v)
{
    const struct settings *s = &app->settings;
    struct vault_options options = {.pool = app->indexing,
                                    .state_dir = app->state_dir,
                                    .access = &app->access,
                                    .watch = true,
                                    .poll = s->poll,
                                    .history_max = s->history_size << 20,
                                    .no_pages = !paging_is_wanted(app),
                                    .journal = syncing_is_on(&app->sync),
                                    .changed = on_changed,
                                    .made = on_made,
                                    .changed_arg = v};
    if (app->pdf != NULL)
        paging_set(&options, app->pdf);
    embedding_set(&app->embedding, &options);
    vault_start(v->vault, &options);
}

bool assembly_open(struct app *app, const struct settings *settings, struct err *err)
{
    *app = (struct app){.settings = *settings, .started = clock_ms()};
    app->state_dir = settings_state_dir(&app->arena, settings->state_dir).p;
    if (!tools_choose(&app->arena, &settings->tools, &app->tools, err) ||
        !check_adr(settings, err) ||
        !settings_access(&app->arena, &settings->access, &app->access, err) ||
        !open_vaults(app, err) ||
        (assembly_uses_meaning(app) &&
         !embedding_open(&app->embedding, &app->arena, &settings->embeddings,
                         str_c(app->state_dir), err)) ||
        !confine_enter(app, err) || /* before threads start, which it would not confine */
        !shared_open(&app->shared, settings->state_db, app->state_dir, err))
        return false;
    struct tools_offer offer = {.history = syncing_has_history(&app->sync),
                                .meaning = embedding_is_open(&app->embedding)};
    app->tools = tools_for(&app->arena, app->tools, offer);
    app->prompt_words = tools_prompts(&settings->tools);
    app->prompts = profiles[settings->profile].skills
                       ? skill_prompts
                       : prompts_for(&app->arena, app->prompt_words);
    app->pool = pool_create(0, QUEUE_MAX);
    app->indexing = pool_create(0, QUEUE_MAX);
    if (settings->auto_context == CONTEXT_ON ||
        (settings->auto_context == CONTEXT_AUTO && settings->stdio))
        app->context = auto_context_create();
    app->seen = seen_create();
    app->mcp = create_mcp(app); /* before there are changes to report */
    if (paging_is_on(app))
        app->pdf = paging_open(app->state_dir);
    for (size_t i = 0; i < app->n_vaults; i++)
        start_vault(app, &app->vaults[i]);
    if (!syncing_start(&app->sync, app->vaults[0].vault, err))
        return false;
    shared_listen(&app->shared, &(struct feed_config){
                                    .heard = on_heard, .lost = on_feed_lost, .arg = app});
    if (shared_is_on(&app->shared))
        pool_later(app->pool, SHARED_SWEEP_S * 1000, sweep_job, app);
    return true;
}

void assembly_stop_vaults(struct app *app)
{
    for (size_t i = 0; i < app->n_vaults; i++)
        vault_stop(app->vaults[i].vault);
}

void assembly_close(struct app *app, unsigned push_ms)
{
    app->stopping = true;
    shared_deafen(&app->shared);
    embedding_stop(&app->embedding);
    assembly_stop_vaults(app);
    pool_free(app->pool);
    syncing_stop(&app->sync, push_ms); /* nothing uses it any more */
    pool_free(app->indexing);
    mcp_server_free(app->mcp);
    auto_context_free(app->context);
    seen_free(app->seen);
    for (size_t i = 0; i < app->n_vaults; i++)
        vault_close(app->vaults[i].vault);
    embedding_close(&app->embedding);
    shared_close(&app->shared);
    pdf_cache_close(app->pdf);
    arena_release(&app->arena);
}
