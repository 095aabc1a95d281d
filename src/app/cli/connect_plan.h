/*
 * connect - put vaultd into the configuration of an AI client, or take it out.
 *
 * First a plan is made, which reads and changes nothing; it can be shown, or carried out.
 * An entry keeps what a person added to it; only what vaultd knows of it is set.
 */
#pragma once

#include "app/cli/client_table.h"
#include "app/cli/config_file.h"

enum { CONNECT_NAME_MAX = 64 };

struct connect_wish {
    str name;        /* of the entry: letters, digits, '-' and '_' */
    str url;         /* of a server that runs; empty: the client starts one */
    str command;     /* absolute path of the program that it starts */
    const str *args; /* and its arguments */
    size_t n_args;
    bool remove;
};

struct connect_plan {
    const struct client *client;
    struct config_file file;
    str after;      /* what the file would be; file.text itself: nothing to do */
    str snippet;    /* a file with nothing but the entry */
    bool installed; /* as far as can be seen */
};

/* The program that runs, as others can start it: by the name that PATH has for it, so
 * that an update changes nothing, else where it really is. */
MUST_CHECK bool connect_program(struct arena *a, str *out, struct err *err);

/* The absolute path of a folder that is there, ~ being the home folder. */
MUST_CHECK bool connect_folder(struct arena *a, str folder, str *out, struct err *err);

/* Whether name can be one. */
MUST_CHECK bool connect_check_name(str name, struct err *err);

/* url with /mcp behind it if it has no path. ERR_INVALID when it is none. */
MUST_CHECK bool connect_url(struct arena *a, str url, str *out, struct err *err);

/* Whether the client's folder or its program is there. */
bool connect_installed(struct arena *a, const struct client *c);

/*
 * HOME must be set. Fails with ERR_INVALID, naming file and line, when the file cannot be
 * edited. The client must have a file, and with a URL an entry for it.
 */
MUST_CHECK bool connect_make_plan(struct arena *a, const struct client *c,
                                  const struct connect_wish *wish,
                                  struct connect_plan *out, struct err *err);

/* Whether there is anything to write. */
static inline bool connect_needed(const struct connect_plan *p)
{
    return p->after.p != p->file.text.p || p->after.n != p->file.text.n;
}

/* Write the file; *backup as in config_file.h. */
MUST_CHECK bool connect_carry_out(struct arena *a, const struct connect_plan *plan,
                                  str *backup, struct err *err);

/* An entry of a client that is vaultd. */
struct connect_entry {
    str name;
    str what;  /* its URL, or its vaults */
    str wrong; /* why it will not work, or not as this vaultd; empty: it will */
};

struct connect_found {
    bool installed;
    str path;
    str unreadable; /* why the file cannot be read; empty: it can */
    struct connect_entry *entries;
    size_t n;
};

/* What a client knows of vaultd; program is connect_program(). */
void connect_look(struct arena *a, const struct client *c, str program,
                  struct connect_found *out);
