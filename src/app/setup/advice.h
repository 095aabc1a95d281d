/*
 * advice - what a user can do about a problem of the machine, on each system.
 */
#pragma once

#include "base/arena.h"
#include "base/os/machine.h"

enum advice {
    ADVICE_SANDBOX,        /* this build confines nothing */
    ADVICE_ROOT,           /* vaultd runs as root, or elevated */
    ADVICE_PRIVATE_FILE,   /* others can read a file */
    ADVICE_PRIVATE_FOLDER, /* or a folder */
    ADVICE_READ_FOLDER,    /* a folder cannot be read */
    ADVICE_WRITE_FOLDER,   /* or not be written */
    ADVICE_GIT,            /* git is not installed */
    ADVICE_POPPLER,        /* poppler is not installed */
    ADVICE_PDF,            /* its programs are not confined */
    ADVICE_CLOUD,          /* the vault is in a folder of a cloud drive */
};

/* The sentence or command for this system; path is of the file or folder, if there is one. */
str advice(struct arena *a, enum advice what, str path);
str advice_on(enum machine_system system, struct arena *a, enum advice what, str path);

/* The cloud drive of Windows or macOS that a path is in, by the names of its folders, which
 * may hold files that are downloaded only when they are read; NULL if there is none. */
const char *advice_cloud_on(enum machine_system system, str path);
