/*
 * docs - pages that are made from the tables of settings, tools and commands: two in
 * Markdown, the manual as roff(7), and completions for shells.
 */
#pragma once

#include "app/cli/command.h"

/* As the command line shows the names of the pages. */
#define DOCS_PAGES "settings|tools|man|bash|zsh|fish"

/* Append the page of that name. Fails with ERR_INVALID: there is none. */
MUST_CHECK bool docs_page(str name, const struct command_info *commands, struct sbuf *out,
                          struct err *err);

/* The single pages, one file each (docs_*.c). */
void docs_man(const struct command_info *commands, struct sbuf *out);
void docs_bash(const struct command_info *commands, struct sbuf *out);
void docs_zsh(const struct command_info *commands, struct sbuf *out);
void docs_fish(const struct command_info *commands, struct sbuf *out);
