/*
 * connect_plan - add vaultd to the configuration of an AI client, or remove it.
 *
 * First a plan is made, which only reads; it can be shown, or carried out. An entry keeps
 * what the user added to it; only the members that vaultd knows are set.
 */
#pragma once

#include "app/cli/client_table.h"
#include "app/cli/config_file.h"

enum { CONNECT_NAME_MAX = 64 };

struct connect_request {
    str name;        /* name of the entry: letters, digits, '-' and '_' */
    str url;         /* of a running server; empty: the client starts one */
    str command;     /* absolute path of the program that it starts */
    const str *args; /* and its arguments */
    size_t n_args;
    bool remove;
};

struct connect_plan {
    const struct client *client;
    struct config_file file;
    str after;      /* new text of the file; file.text itself: nothing to do */
    str snippet;    /* a file with only the entry */
    str copy_to;    /* where this program is copied (program.h); empty: nowhere */
    bool installed; /* the client seems to be installed */
};

/* The path of the running program for other programs to start: as found in PATH, so that
 * it stays valid after an update, else its real path, or where it will be copied
 * (program.h). */
MUST_CHECK bool connect_program(struct arena *a, str *out, struct err *err);

/* The absolute path of an existing folder; ~ is expanded. */
MUST_CHECK bool connect_folder(struct arena *a, str folder, str *out, struct err *err);

/* Whether name is a valid name of an entry. */
MUST_CHECK bool connect_check_name(str name, struct err *err);

/* url, with /mcp added if it has no path. ERR_INVALID if it is not a URL. */
MUST_CHECK bool connect_url(struct arena *a, str url, str *out, struct err *err);

/* Whether the client's folder or its program exists. */
bool connect_installed(struct arena *a, const struct client *c);

/*
 * HOME must be set. Fails with ERR_INVALID, naming file and line, if the file cannot be
 * edited; snippet is set even then, for the user to add by hand. The client must have a file, and for a URL, members for it.
 */
MUST_CHECK bool connect_make_plan(struct arena *a, const struct client *c,
                                  const struct connect_request *request,
                                  struct connect_plan *out, struct err *err);

static inline bool connect_changes_file(const struct connect_plan *p)
{
    return p->after.p != p->file.text.p || p->after.n != p->file.text.n;
}

/* Whether there is anything to do. */
static inline bool connect_needed(const struct connect_plan *p)
{
    return connect_changes_file(p) || p->copy_to.n > 0;
}

/* Copy the program if the plan says so, and write the file; *backup as in
 * config_file.h. */
MUST_CHECK bool connect_carry_out(struct arena *a, const struct connect_plan *plan,
                                  str *backup, struct err *err);

/* An entry for vaultd in a client's file. */
struct connect_entry {
    str name;
    str what;  /* its URL, or its vaults */
    str wrong; /* why it will not work, or not with this vaultd; empty: it works */
};

struct connect_found {
    bool installed;
    str path;
    str unreadable; /* why the file cannot be read; empty: it could be read */
    struct connect_entry *entries;
    size_t n;
};

/* Finds the entries for vaultd in a client's file; program is connect_program(). */
void connect_look(struct arena *a, const struct client *c, str program,
                  struct connect_found *out);
