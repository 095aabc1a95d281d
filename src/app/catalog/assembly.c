#include "app/catalog/assembly.h"

#include "app/catalog/auto_context.h"
#include "app/catalog/call_record.h"
#include "app/catalog/client_memory.h"
#include "app/catalog/instructions.h"
#include "app/catalog/opening.h"
#include "app/catalog/prompts.h"
#include "app/catalog/proposal_resource.h"
#include "app/catalog/replica.h"
#include "app/catalog/resources.h"
#include "app/catalog/server_icon.h"
#include "app/catalog/skill_resource.h"
#include "app/catalog/skills.h"
#include "app/catalog/tools.h"
#include "app/setup/app.h"
#include "app/setup/audit.h"
#include "app/setup/callers.h"
#include "app/setup/confine.h"
#include "app/setup/embedding.h"
#include "app/setup/pdf_pages.h"
#include "app/setup/profiles.h"
#include "app/setup/proposals.h"
#include "app/setup/secret_files.h"
#include "app/setup/settings.h"
#include "app/setup/syncing.h"
#include "app/setup/vault_config.h"
#include "app/setup/vaults.h"
#include "app/tool_support/read_log.h"
#include "app/tool_support/tool_proposal.h"
#include "app/tool_support/tool_rules.h"
#include "app/tool_support/tool_support.h"
#include "app/tool_support/tool_trace.h"
#include "app/tool_support/tool_words.h"
#include "app/tools/sets.h"
#include "base/clock.h"
#include "base/log.h"
#include "mcp/revision.h"
#include "mcp/server.h"
#include "pdf/pdf_cache.h"
#include "replica/read_your_writes.h"
#include "replica/replica.h"
#include "vault/vault.h"

enum { QUEUE_MAX = 4096 };

/* Tools that change something are offered only to callers who may use them, and tools
 * that show the journal only if there is one. */
static bool offers(void *arg, const struct mcp_caller *caller, const struct mcp_tool *t)
{
    struct app *app = arg;
    if (profiles[app->settings.profile].plain) /* its clients expect an error instead */
        return app_may_call(caller, t->name);
    if (!app_may_call(caller, t->name) ||
        (!opening_may_sync(app) && (t->flags & APP_NEEDS_SYNC) != 0))
        return false;
    bool journal = !app->access.read_only || (t->flags & APP_NEEDS_JOURNAL) == 0;
    return journal && ((t->flags & MCP_READ_ONLY) != 0 || !app_only_reads(app, caller));
}

/* A tool that a key or grant leaves out is not there at all. */
static bool withholds(void *arg, const struct mcp_caller *caller,
                      const struct mcp_tool *t)
{
    return app_may_call(caller, t->name);
}

static str assembly_words(void *app, struct arena *a, const struct mcp_caller *caller,
                          str text)
{
    return tool_words(app, a, caller, text);
}

static bool ready(void *arg)
{
    const struct app *app = arg;
    if (app->hosted != NULL) /* they may have to be opened */
        return false;
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
    bool seen = str_starts(uri, STR(TOOL_PROPOSAL_SCHEME)) || /* its owner is checked */
                (resources_path(&a, arg, &caller, uri, &served, &path) &&
                 app_may_read(served, &caller, path));
    arena_release(&a);
    return seen;
}

static bool read_key(void *arg, uint8_t out[MCP_KEY_SIZE], struct err *err)
{
    struct app *app = arg;
    struct arena a = {0};
    if (replica_is_shared(&app->replica)) {
        memcpy(out, app->replica.key, MCP_KEY_SIZE);
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

/* Also after an error: what is not found here may be elsewhere. */
static void say_stale(struct mcp_call *call)
{
    if (tool_is_stale(call))
        tool_note_block(call, STR(RYW_STALE));
}

static bool assembly_before(struct mcp_call *call, struct err *err)
{
    return call_record_before(call, err) && tool_before(call, err);
}

static void assembly_after(struct mcp_call *call, const struct mcp_tool *t)
{
    tool_trace_answer(call);
    if (app_of(call)->context != NULL)
        auto_context_tell(call, t);
    say_stale(call);
}

/* --- several vaults --- */

/* The argument vault, which every tool then has. Its values are the vaults' names, and for
 * some tools all of them; those of hosted vaults are not the same for everyone. */
static const struct mcp_field *vault_field(struct app *app, bool all)
{
    if (!app_has_several(app))
        return NULL;
    struct mcp_field *fields = ARENA_ARRAY(&app->arena, struct mcp_field, 2);
    const char **names = ARENA_ARRAY(&app->arena, const char *, app->n_vaults + 2);
    for (size_t i = 0; i < app->n_vaults; i++)
        names[i] = arena_str(&app->arena, app->vaults[i].name).p;
    names[app->n_vaults] = all ? APP_ALL_VAULTS : NULL;
    if (app->hosted != NULL)
        fields[0] = (struct mcp_field)MCP_FIELD(
            struct app_choice, named, MCP_STR, 0,
            all ? "Which vault; " APP_ALL_VAULTS ": all; vault_info lists them"
                : "Which vault; vault_info lists them");
    else
        fields[0] = (struct mcp_field)MCP_FIELD(
            struct app_choice, listed, MCP_ENUM, 0,
            all ? "Which vault; " APP_ALL_VAULTS ": all" : "Which vault",
            .dflt = arena_printf(&app->arena, "\"%s\"", names[0]).p, .choices = names);
    fields[0].name = "vault";
    return fields;
}

static const struct mcp_field *vault_field_of(void *app, const struct mcp_tool *t)
{
    return vault_field(app, (t->flags & APP_TAKES_ALL) != 0);
}

static bool read_entries(struct arena *a, const struct settings *s,
                         struct configured_vaults *out, struct err *err)
{
    struct vault_config config = vault_config_of(s);
    return vault_config_read(a, &config, out, err) &&
           vault_config_check_apart(a, out, err);
}

static bool check_vaults(struct arena *a, const struct settings *s, struct err *err)
{
    struct configured_vaults entries;
    struct vault_config config = vault_config_of(s);
    if (!vault_config_check(&config, err))
        return false;
    if (vault_config_kind(&config) == VAULTS_HOSTED)
        return true;
    if (!read_entries(a, s, &entries, err))
        return false;
    for (size_t i = 0; i < entries.n; i++)
        if (!confine_check_owner(entries.items[i].folder.p, err))
            return false;
    return true;
}

static bool open_all(struct app *app, struct err *err)
{
    struct configured_vaults entries;
    struct vault_config config = vault_config_of(&app->settings);
    if (vault_config_kind(&config) == VAULTS_HOSTED)
        return vaults_open(app, err);
    if (!read_entries(&app->arena, &app->settings, &entries, err))
        return false;
    if (entries.n == 0)
        return err_set(err, ERR_INVALID,
                       "no vault: give --vault-path FOLDER or set VAULT_PATH");
    app->vaults = ARENA_ARRAY(&app->arena, struct app_vault, entries.n);
    for (; app->n_vaults < entries.n; app->n_vaults++) {
        const struct configured_vault *entry = &entries.items[app->n_vaults];
        struct app_vault *v = &app->vaults[app->n_vaults];
        v->app = app;
        if (!opening_prepare(v, entry->folder.p, err) ||
            !vault_open(entry->folder.p, &v->vault, err))
            return false;
        v->name = entry->name.n > 0 ? entry->name : vault_name(v->vault);
    }
    return true;
}

/* --- start and stop --- */

static bool check_adr(const struct settings *s, struct err *err)
{
    for (size_t i = 0; i < s->tools.n; i++)
        if (s->adr_repo.n == 0 && (str_eq_nocase(s->tools.items[i], STR("adr")) ||
                                   str_eq(s->tools.items[i], str_c(adr_tools[0]->name))))
            return err_set(
                err, ERR_INVALID,
                "the tool set adr needs --adr-repo, the repository to publish to");
    return true;
}

/* The chosen tools; a list that only leaves some out is about those of the profile. */
static bool choose_tools(struct arena *a, struct settings *s,
                         const struct mcp_tool *const **out, struct err *err)
{
    const char *set = profile_default(&profiles[s->profile], "tools");
    tools_complete(a, set != NULL ? set : "default", &s->tools);
    return tools_choose(a, &s->tools, out, err) && check_adr(s, err);
}

bool assembly_check(struct arena *a, const struct settings *settings, struct err *err)
{
    struct settings s = *settings;
    const struct mcp_tool *const *tools;
    struct access access;
    return choose_tools(a, &s, &tools, err) &&
           settings_access(a, &s.access, &access, err) &&
           settings_review(a, &s, &access, err) && check_vaults(a, &s, err);
}

static struct mcp_server *create_mcp(struct app *app)
{
    const struct profile *p = &profiles[app->settings.profile];
    const struct mcp_resource *const *resources =
        app_has_several(app) ? app_resources_of_many : app_resources;
    /* with stdio the client ends with the process */
    bool keeps = !app->settings.stdio && !replica_is_shared(&app->replica);
    return mcp_server_create(&(struct mcp_config){
        .name = p->server_name != NULL ? p->server_name : "vaultd",
        .title = p->plain ? NULL : "Obsidian vault",
        .website = p->plain ? STR("") : STR(VAULTD_WEBSITE),
        .icon = p->plain ? STR("") : STR(SERVER_ICON),
        .version = p->server_version != NULL ? p->server_version : VAULTD_VERSION,
        .instructions = p->plain ? STR("") : instructions_write(app, &app->arena),
        .more = app->settings.claude_md || app->hosted != NULL ? instructions_more : NULL,
        .plain = p->plain,
        .plain_errors = app->settings.answers == ANSWERS_TEXT,
        .always_stream = app->settings.sse == SSE_ALWAYS,
        .tools = app->tools,
        .resources = p->tools_only ? NULL : resources,
        .prompts = p->tools_only ? NULL : app->prompts,
        .skills = &app_skills,
        .more_prompts = p->tools_only ? NULL : &app_more_prompts,
        .common = vault_field(app, false),
        .common_of = vault_field_of,
        .common_size = sizeof(struct app_choice),
        .list_changes = !p->tools_only,
        .subscribe = !p->tools_only,
        .tasks = (opening_may_sync(app) || app->proposals != NULL) &&
                 !p->plain, /* sync_now(), tool_proposal_answer() */
        .pool = app->pool,
        .app = app,
        .key = read_key,
        .memory = keeps ? memory_read(app, &app->arena) : STR(""),
        .keep_memory = keeps ? memory_write : NULL,
        .peers = replica_peers(app),
        .before = assembly_before,
        .answering = tool_answering,
        .let_go = tool_end,
        .after = assembly_after,
        .after_failure = say_stale,
        .on_done = call_record_done,
        .on_done_waits = audit_refuses(app->audit),
        .ready = ready,
        .read_grant = app_read_grant,
        .offers = offers,
        .withholds = withholds,
        .words = assembly_words,
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

bool assembly_open(struct app *app, const struct settings *settings, struct err *err)
{
    *app = (struct app){.settings = *settings, .started = clock_ms()};
    app->state_dir = settings_state_dir(&app->arena, settings->state_dir).p;
    secret_files_warn(settings);
    if (!choose_tools(&app->arena, &app->settings, &app->tools, err) ||
        !settings_access(&app->arena, &settings->access, &app->access, err) ||
        !settings_review(&app->arena, settings, &app->review, err) ||
        !open_all(app, err) ||
        (assembly_uses_meaning(app) &&
         !embedding_open(&app->embedding, &app->arena, &settings->embeddings,
                         str_c(app->state_dir), err)) ||
        !audit_open(&settings->audit, &app->audit, err) ||
        !confine_enter(app, err) || /* before threads start, which it would not confine */
        !replica_open(&app->replica, settings->state_db, app->state_dir, err) ||
        !proposals_open(app, err))
        return false;
    app->left_out = tools_left_out(&app->arena, app->tools);
    app->traces = app->audit != NULL;
    audit_start(app->audit);
    if (app->audit != NULL)
        log_also("oauth.", call_record_sign_in, app);
    struct tools_offer offer = {.history = opening_has_history(app),
                                .meaning = embedding_is_open(&app->embedding),
                                .app = app->left_out[0] != NULL ? app : NULL};
    app->tools = tools_for(&app->arena, app->tools, offer);
    app->prompt_words = tools_prompts(&app->settings.tools);
    app->prompts = profiles[settings->profile].skills
                       ? skill_prompts
                       : prompts_for(&app->arena, app->prompt_words);
    app->pool = pool_create(0, QUEUE_MAX);
    app->indexing = pool_create(0, QUEUE_MAX);
    if (settings->auto_context == CONTEXT_ON ||
        (settings->auto_context == CONTEXT_AUTO && settings->stdio))
        app->context = auto_context_create();
    if (settings->auto_context != CONTEXT_OFF)
        app->rules = folder_rules_create();
    app->read_log = read_log_create();
    app->mcp = create_mcp(app); /* before there are changes to report */
    if (pdf_pages_is_on(app))
        app->pdf = pdf_pages_open(app->state_dir);
    if (!vaults_start(app, &opening_hooks, err))
        return false;
    for (size_t i = 0; i < app->n_vaults; i++)
        if (!opening_start(&app->vaults[i], err))
            return false;
    replica_start(app);
    return proposal_watch_start(app, &app->proposal_watch, err);
}

void assembly_stop_vaults(struct app *app)
{
    vaults_stop(app);
    for (size_t i = 0; i < app->n_vaults; i++)
        vault_stop(app->vaults[i].vault);
}

void assembly_close(struct app *app, unsigned push_ms)
{
    app->stopping = true;
    app->push_by = clock_ms() + push_ms;
    proposal_watch_free(app->proposal_watch);
    replica_stop(&app->replica);
    embedding_stop(&app->embedding);
    assembly_stop_vaults(app);
    pool_free(app->pool);
    for (size_t i = 0; i < app->n_vaults; i++) /* nothing uses it any more */
        syncing_begin_stop(&app->vaults[i].sync, app->push_by);
    for (size_t i = 0; i < app->n_vaults; i++)
        syncing_stop(&app->vaults[i].sync, app->push_by);
    vaults_close(app);
    pool_free(app->indexing);
    mcp_server_free(app->mcp);
    auto_context_free(app->context);
    folder_rules_free(app->rules);
    read_log_free(app->read_log);
    for (size_t i = 0; i < app->n_vaults; i++)
        vault_close(app->vaults[i].vault);
    embedding_close(&app->embedding);
    proposals_close(app);
    replica_close(&app->replica);
    pdf_cache_close(app->pdf);
    if (app->audit != NULL)
        log_also(NULL, NULL, NULL);
    audit_close(app->audit);
    arena_release(&app->arena);
}
