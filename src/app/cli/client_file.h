/*
 * client_file - where the configuration file of an AI client is, on each system.
 */
#pragma once

#include "app/cli/client_table.h"
#include "base/os/machine.h"

/*
 * A path in the notation of the table: below the home folder of the user; ".config/..." follows
 * XDG_CONFIG_HOME, and "%NAME%/..." the variable NAME, which Windows sets. The end of one name
 * may be '*': the folder whose name begins so, the one in which the file exists if there are
 * several; empty if there is none.
 */
str client_file_place(struct arena *a, const char *place);

/* The file of a client: in the folder that its variable names, else the first of its places
 * that exists, or whose folder with '*' does; else the first. */
str client_file(struct arena *a, const struct client *c);
str client_file_on(enum machine_system system, struct arena *a, const struct client *c);
