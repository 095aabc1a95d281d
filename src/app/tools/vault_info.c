#include "app/answers/answer.h"
#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/setup/embedding.h"
#include "app/setup/endpoint.h"
#include "app/setup/syncing.h"
#include "app/setup/vaults.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/rows.h"
#include "base/clock.h"
#include "base/sbuf.h"
#include "sync/sync.h"
#include "vault/forms/daily.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/index/tags.h"
#include "vault/index/words.h"
#include "vault/meaning/meaning.h"
#include "vault/note/obsidian.h"
#include "vault/text/language.h"
#include "vault/text/moment.h"
#include "vault/text/obsidian_url.h"
#include "vault/vault.h"

struct about {
    const struct app *app;
    const struct app_vault *served;
    const struct err *closed; /* then only what does not need it is known; or NULL */
    struct vault *vault;      /* the caller's view */
    struct app_vault **vaults;
    size_t n_vaults;
    struct index_counts counts;
    struct graph_counts links;
    size_t unreadable, tags;
    size_t excluded; /* of the notes, those that searches and queries leave out */
    bool can_change;
    struct err why_not; /* the reason if can_change is false */
    str writable;       /* folders; empty: everything */
    bool has_daily;     /* daily notes are where the caller may see them */
    str languages;      /* of the notes, with how many; or empty */
    str meaning;        /* embedding_line(); or empty */
    bool is_synced;
    struct sync_state sync;
};

/* --- JSON --- */

static void put_counts(struct jsonw *w, const struct about *a)
{
    const struct index_counts *counts = &a->counts;
    char when[CLOCK_ISO_SIZE];
    jsonw_put_int(w, STR("notes"), (int64_t)counts->notes);
    if (a->excluded > 0)
        jsonw_put_int(w, STR("excluded_notes"), (int64_t)a->excluded);
    jsonw_put_int(w, STR("attachments"), (int64_t)counts->attachments);
    jsonw_put_int(w, STR("folders"), (int64_t)counts->folders);
    jsonw_put_int(w, STR("bytes"), counts->bytes);
    if (counts->newest > 0)
        jsonw_put_str(w, STR("last_modified"), clock_iso(counts->newest, when));
}

static void put_daily(struct jsonw *w, const struct obsidian_dated *daily)
{
    jsonw_put_object(w, STR("daily_notes"));
    jsonw_put_str(w, STR("folder"), daily->folder);
    jsonw_put_str(w, STR("format"), daily->format);
    jsonw_end(w);
}

static void put_own_settings(struct jsonw *w, const struct about *a)
{
    static const char *const formats[] = {
        [LINKS_SHORTEST] = "shortest",
        [LINKS_RELATIVE] = "relative",
        [LINKS_ABSOLUTE] = "absolute",
    };
    const struct obsidian *o = vault_obsidian(a->vault);
    struct obsidian_dated daily = obsidian_daily(o);
    jsonw_put_str(w, STR("link_format"), str_c(formats[obsidian_link_format(o)]));
    jsonw_put_bool(w, STR("markdown_links"), obsidian_markdown_links(o));
    if (a->has_daily)
        put_daily(w, &daily);
}

/* Those that the caller sees, the default first. */
static void vault_info_put_vaults(struct jsonw *w, const struct about *a)
{
    jsonw_put_array(w, STR("vaults"));
    for (size_t i = 0; i < a->n_vaults && i < VAULTS_SHOWN_MAX; i++)
        jsonw_str(w, a->vaults[i]->name);
    jsonw_end(w);
    if (a->n_vaults > VAULTS_SHOWN_MAX)
        jsonw_put_int(w, STR("more_vaults"), (int64_t)(a->n_vaults - VAULTS_SHOWN_MAX));
}

static void put_rights(struct jsonw *w, const struct about *a)
{
    jsonw_put_bool(w, STR("can_change"), a->can_change);
    if (!a->can_change)
        jsonw_put_str(w, STR("why_not"), str_c(a->why_not.msg));
    jsonw_put_text(w, STR("writable"), a->writable);
}

/* The index must be held: the Obsidian settings belong to it. */
static void about_json(struct answer_out *out, const void *result)
{
    const struct about *a = result;
    struct jsonw *w = out->w;
    jsonw_object(w);
    jsonw_put_str(w, STR("name"), a->served->name);
    put_counts(w, a);
    put_rights(w, a);
    jsonw_put_str(w, STR("open_url"),
                  obsidian_url_pattern(w->out->arena, vault_name(a->vault)));
    if (a->unreadable > 0)
        jsonw_put_int(w, STR("unreadable_folders"), (int64_t)a->unreadable);
    jsonw_put_int(w, STR("links"), (int64_t)a->links.links);
    jsonw_put_int(w, STR("unresolved_links"), (int64_t)a->links.unresolved);
    jsonw_put_int(w, STR("tags"), (int64_t)a->tags);
    put_own_settings(w, a);
    if (strcmp(vault_watching(a->vault), "polling") == 0)
        jsonw_put_str(w, STR("watching"),
                      STR("polling: changes are detected with a delay"));
    jsonw_put_text(w, STR("languages"), a->languages);
    jsonw_put_text(w, STR("search_by_meaning"), a->meaning);
    str outside = endpoint_outside(w->out->arena, &a->app->settings.embeddings);
    jsonw_put_text(w, STR("notes_are_sent_to"), outside);
    if (a->is_synced) {
        jsonw_put_object(w, STR("sync"));
        syncing_put(w, &a->sync, a->vault);
        jsonw_end(w);
    }
    if (app_has_several(a->app))
        vault_info_put_vaults(w, a);
    jsonw_put_str(w, STR("server_version"), STR(VAULTD_VERSION));
    jsonw_end(w);
}

static void about_text(struct model_text *s, const void *result)
{
    answer_members(s, about_json, result);
}

static const struct answer_shape about_shape = {"about", .json = about_json,
                                                .text = about_text};

/* --- a vault that cannot be opened --- */

static void about_closed_json(struct answer_out *out, const void *result)
{
    const struct about *a = result;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("name"), a->served->name);
    jsonw_put_str(out->w, STR("cannot_be_opened"), str_c(a->closed->msg));
    vault_info_put_vaults(out->w, a);
    jsonw_put_str(out->w, STR("server_version"), STR(VAULTD_VERSION));
    jsonw_end(out->w);
}

static void about_closed_text(struct model_text *s, const void *result)
{
    answer_members(s, about_closed_json, result);
}

static const struct answer_shape about_closed_shape = {
    "about_closed", .json = about_closed_json, .text = about_closed_text};

/* --- the call --- */

/* The index must be held. */
static bool sees_daily(struct arena *a, const struct vault *v)
{
    struct obsidian_dated daily = obsidian_daily(vault_obsidian(v));
    struct moment now = moment_local(clock_now() * 1000);
    struct err ignored;
    str path;
    return vault_may_read_all(v) ||
           (daily_path(a, &daily, &now, &path, &ignored) && vault_may_read(v, path));
}

/* "English 812, German 40"; those that are known of the notes. */
static str languages_line(struct arena *a, const struct index *x)
{
    struct words_language all[LANGUAGES];
    struct sbuf b = SBUF_ON(a);
    size_t n = x->wordless ? 0 : words_languages(x->words, all);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&b, "%s%s %u", i > 0 ? ", " : "", language_name(all[i].language),
                    all[i].documents);
    return sbuf_str(&b);
}

static str meaning_line(struct mcp_call *call, const struct index *x)
{
    struct meaning *m = vault_meaning(tool_vault(call));
    struct meaning_state s = meaning_state(m, x, call->arena);
    return m != NULL ? embedding_line(call->arena, &s) : STR("");
}

static bool vault_info_run(struct mcp_call *call, struct err *err)
{
    struct about a = {
        .app = app_of(call), .served = tool_served(call), .closed = tool_closed(call)};
    a.n_vaults = vaults_seen(a.app, call->arena, call->caller, &a.vaults);
    if (a.closed != NULL)
        return tool_answer(call, &about_closed_shape, &a, TOOL_NO_BUDGET);
    a.vault = tool_vault(call);
    a.is_synced = syncing_is_on(&a.served->sync);
    if (tool_lock(call, err) == NULL)
        return false;
    tool_unlock(
        call); /* only to wait for it: the calls below must not run while it is held */
    if (a.is_synced)
        sync_state(a.served->sync.sync, call->arena, &a.sync);
    a.can_change = vault_can_change(a.vault, &a.why_not);
    if (a.can_change)
        a.writable = vault_writable(a.vault, call->arena);
    const struct index *x = vault_lock(a.vault);
    a.has_daily = sees_daily(call->arena, a.vault);
    index_count(x, &a.counts);
    graph_count(x->graph, &a.links);
    a.unreadable = x->unreadable;
    a.excluded = x->notes - x->listed;
    a.tags = tags_count(x->tags);
    a.languages = languages_line(call->arena, x);
    a.meaning = meaning_line(call, x);
    tool_answer(call, &about_shape, &a, TOOL_NO_BUDGET);
    tool_unlock(call);
    return true;
}

const struct mcp_tool tool_vault_info = {
    .name = "vault_info",
    .title = "About",
    .about = "The vault's name, counts of notes, links and tags, last change, whether it "
             "can be changed. Call it first.",
    .flags = MCP_READ_ONLY | MCP_BRIEF | APP_TAKES_CLOSED,
    .run = vault_info_run,
};

/* The same for vault-git. */
const struct mcp_tool tool_get_vault_info = {
    .name = "get_vault_info",
    .title = "Vault Info",
    .about = "The vault as JSON: its name, how many notes, directories, links and tags, "
             "when it last changed, whether it can be changed, where daily notes are, "
             "and the status of git. Use it first.",
    .flags = MCP_READ_ONLY | MCP_BRIEF | MCP_OWN_FIELDS,
    .run = vault_info_run,
};
