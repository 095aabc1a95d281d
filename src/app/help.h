/*
 * help - the pages of vaultd help: one screen for a new user, the list of all commands,
 * and the options of the server.
 */
#pragma once

#include "app/cli/command.h"

/* commands: all of them; the last row has no name. */
void help_first_page(const struct command_info *commands, struct sbuf *out);
void help_all(const struct command_info *commands, struct sbuf *out);
void help_serve(const struct command_info *serve, struct sbuf *out);

/* One command, without its options. */
void help_command(const struct command_info *c, struct sbuf *out);

/* The error for a word that is not a command, with the nearest name; or_folder: it could
 * have been a folder, too. Returns false. */
bool help_no_command(const struct command_info *commands, str word, bool or_folder,
                     struct err *err);
