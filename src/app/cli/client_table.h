/*
 * client_table - the AI clients that vaultd connect knows: where each keeps its
 * configuration, and what a server looks like there.
 */
#pragma once

#include "app/cli/config_edit.h"

enum client_value {
    CLIENT_WORD,    /* the word of the row */
    CLIENT_COMMAND, /* the program */
    CLIENT_ARGS,    /* its arguments, as a list */
    CLIENT_LINE,    /* both in one list */
    CLIENT_URL,
};

/* A member of a server's entry. */
struct client_member {
    const char *key; /* NULL ends the list */
    enum client_value value;
    const char *word;
};

enum { CLIENT_FILES = 2, CLIENT_KEYS = 2 };

struct client {
    const char *name, *title; /* NULL ends the table */
    /* In the notation of client_file.h; the first that exists, else the first. None: it is
     * set up in the client itself. */
    const char *files[CLIENT_FILES];
    const char *mac_files[CLIENT_FILES], *win_files[CLIENT_FILES]; /* if others */
    /* A variable that names another folder for the file, and the file's name there. */
    const char *folder_variable, *file_there;
    const char *program; /* in PATH if it is installed; or NULL */
    enum config_format format;
    /* Where the file lists servers, with '/' between keys; the first that the file has,
     * else the last of these. */
    const char *keys[CLIENT_KEYS];
    const struct client_member *stdio; /* for a server that the client starts */
    const struct client_member *http;  /* for a URL; NULL: see steps */
    const char *steps;                 /* how the user adds a URL in the client */
    const char *check;                 /* how to see that it worked */
    const char *sign_in;               /* how to sign in to a URL, or NULL */
};

extern const struct client client_table[];

/* The row with that name; or NULL, with ERR_INVALID and a list of all names. */
const struct client *client_find(str name, struct err *err);
