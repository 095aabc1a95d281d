/*
 * docs - pages generated from the tables of settings, tools and commands: two in
 * Markdown, the manual as roff(7), and completions for shells.
 */
#pragma once

#include "app/cli/command.h"

/* The names of the pages, as in the usage text. */
#define DOCS_PAGES "settings|tools|man|man-COMMAND|bash|zsh|fish"

/* Appends the page with that name. Fails with ERR_INVALID if there is none. */
MUST_CHECK bool docs_page(str name, const struct command_info *commands, struct sbuf *out,
                          struct err *err);

/* The single pages, one file each (docs_*.c). */
void docs_man(const struct command_info *commands, struct sbuf *out);
void docs_man_command(const struct command_info *c, struct sbuf *out);
void docs_bash(const struct command_info *commands, struct sbuf *out);
void docs_zsh(const struct command_info *commands, struct sbuf *out);
void docs_fish(const struct command_info *commands, struct sbuf *out);
