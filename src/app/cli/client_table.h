/*
 * client_table - the AI clients that vaultd connect knows: where each keeps its
 * configuration, and what a server looks like there.
 */
#pragma once

#include "base/config_edit.h"

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
    /* Below the home folder; the first that exists, else the first. None: it is set up in
     * the client itself. What is below .config follows XDG_CONFIG_HOME. */
    const char *files[CLIENT_FILES];
    const char *mac_file; /* on macOS, where it is elsewhere */
    /* A variable that names the folder of the file instead, and its name there. */
    const char *folder_variable, *file_there;
    const char *program; /* in PATH where it is installed, or NULL */
    enum config_format format;
    /* Where its servers are, with '/' between keys; the first that the file has, else the
     * last that is given. */
    const char *keys[CLIENT_KEYS];
    const struct client_member *stdio; /* of a server that it starts */
    const struct client_member *http;  /* of a URL; NULL: as steps say */
    const char *steps;                 /* how a person adds a URL in the client */
    const char *check;                 /* how to see that it worked */
    const char *sign_in;               /* what to do about a URL, or NULL */
};

extern const struct client client_table[];

/* The row; NULL with ERR_INVALID and what there is. */
const struct client *client_find(str name, struct err *err);
