#include <stdlib.h>

#include "app/setup/opener.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/chatgpt.h"
#include "app/tools/obsidian_bundle/bundle.h"
#include "base/os/self.h"
#include "base/process.h"
#include "vault/vault.h"

struct args {
    struct bundle_args common;
};

static const struct mcp_field fields[] = {BUNDLE_FIELDS(struct args), {0}};

static bool not_running(struct err *err)
{
    return err_named(err, E_OBSIDIAN_NOT_RUNNING,
                     "Obsidian application is not running. Please start Obsidian and try "
                     "again.");
}

/* Whether the command ran and succeeded. A timeout is reported as one; any other failure
 * means that the app is missing. */
static bool opens(struct mcp_call *call, const char *const *argv, struct err *err)
{
    enum { SAID_MAX = 64 << 10 };
    const struct args *in = call->args;
    struct process_result r;
    struct process p = {.argv = argv,
                        .env = self_environment(),
                        .folder = "/",
                        .out_max = SAID_MAX,
                        .ms = (unsigned)in->common.timeout_ms};
    if (process_run(call->arena, &p, &r, err))
        return r.code == 0 || not_running(err);
    bool late = err->name == E_TIMEOUT;
    return late ? err_named(err, E_TIMEOUT,
                            "Obsidian did not answer within %u ms. Please try again.",
                            p.ms)
                : not_running(err);
}

/* Use the app's own command line if there is one, else the desktop's URL opener. */
static bool open_note(struct mcp_call *call, str path, struct err *err)
{
    const struct app_vault *v = tool_served(call);
    struct arena *a = call->arena;
    const char *const app[] = {
        "obsidian", arena_printf(a, "vault=" STR_FMT, STR_ARG(vault_name(v->vault))).p,
        "open", arena_printf(a, "path=" STR_FMT, STR_ARG(path)).p, NULL};
    const char *desktop[OPENER_WORDS];
    opener_command(a, chatgpt_url(a, v, path), desktop);
    if (opens(call, app, err))
        return true;
    bool late = err->name == E_TIMEOUT;
    return !late && opener_has_screen() && opens(call, desktop, err);
}

static bool open_run(struct mcp_call *call, struct err *err)
{
    str path;
    if (!bundle_find(call, &path, err) || !open_note(call, path, err))
        return false;
    bundle_begin(call->out, path);
    jsonw_put_bool(call->out, STR("opened"), true);
    bundle_end(call->out);
    return true;
}

const struct mcp_tool bundle_open_note = {
    .name = "obsidian_open_note",
    .title = "Open a note",
    .about = "Open a note in the Obsidian app",
    .flags = MCP_READ_ONLY | MCP_OPEN_WORLD | MCP_OWN_FIELDS | APP_OPENS_OBSIDIAN,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = open_run,
    .failed = bundle_failed,
};
