/*
 * callers - what a caller may see: which vaults, and what of them.
 *
 * A vault that a caller may not see does not exist for them, so everything that lists,
 * finds or names vaults for a caller asks here.
 */
#pragma once

#include "app/setup/app.h"
#include "vault/access.h"

/* --- grants --- */

/*
 * What a grant allows. With several vaults a place belongs to one of them, "NAME:FOLDER";
 * without a name, to the first, and with hosted ones to none. All zeros: nothing.
 */
struct app_grant {
    enum access_level most;      /* at most this, anywhere */
    struct access_places places; /* literal folders */
    bool only_tools;             /* only these tools, by name; else all */
    const str *tools;
    size_t n_tools;
};

/* A grant as text, for mcp_caller.grant. With hosted vaults it also names whom it is for,
 * because the table says which of them there are for that person. Empty: everything. */
str app_grant_of(const struct app *app, struct arena *a, str person,
                 const struct app_grant *g);

/* Parses it: mcp_config.read_grant. What is invalid allows nothing. */
void *app_read_grant(void *app, struct arena *a, str grant);

/* A caller for a person without a client, such as on a web page; empty: the operator. */
struct mcp_caller app_caller(const struct app *app, struct arena *a, str person);

/* Whether a vault exists for a caller. */
bool app_sees(const struct app_vault *served, const struct mcp_caller *caller);

/* Whether it is restricted to folders there. */
bool app_is_restricted(const struct app_vault *served, const struct mcp_caller *caller);

/* Whether the grant of a caller changes nothing, in any vault. */
bool app_only_reads(const struct app *app, const struct mcp_caller *caller);

/* Whether the grant of a caller has a tool; and whether that is a tool of the server, too. */
bool app_may_call(const struct mcp_caller *caller, const char *tool);
bool app_offers(const struct app *app, const struct mcp_caller *caller, const char *tool);

/* Whether a caller may know a path of a vault, which need not be open. */
bool app_may_read(const struct app_vault *served, const struct mcp_caller *caller,
                  str path);

/* A caller's view of a vault that is open, once its grant has been read: the same view each
 * time, until app_forget_views(). */
struct vault *app_vault_for(const struct app_vault *served,
                            const struct mcp_caller *caller);
void app_forget_views(const struct app *app, const struct mcp_caller *caller);

/* --- vaults --- */

/* Those that a caller sees, the default first: of hosted ones, the one that the person was
 * allowed to use before the others. The list is in the arena. */
size_t vaults_seen(const struct app *app, struct arena *a,
                   const struct mcp_caller *caller, struct app_vault ***out);

/* The default; NULL: the caller sees none. */
struct app_vault *vaults_first(const struct app *app, const struct mcp_caller *caller);

/* The one with that name, ignoring case; NULL: there is none for this caller. */
struct app_vault *vaults_find(const struct app *app, const struct mcp_caller *caller,
                              str name);

/* The names of those that the caller sees, at most about so many bytes: "work, home". */
str vaults_names(const struct app *app, struct arena *a, const struct mcp_caller *caller,
                 size_t max);

/* Fails with ERR_NOT_FOUND, naming those that the caller sees. */
bool vaults_unknown(const struct app *app, const struct mcp_caller *caller, str name,
                    struct err *err);
