/*
 * put - parts of answers as JSON that the tools and the command line have in common: what
 * one of them prints, the other prints the same.
 */
#pragma once

#include "base/json_write.h"
#include "vault/text/hidden.h"
#include "vault/vault.h"

/* An object. */
void put_heading(struct jsonw *w, str text, const struct note_heading *h);

/* Members of an object that the caller opened: link, subpath, path unless target is NULL,
 * display, line, embed. */
void put_link(struct jsonw *w, const struct file_link *l, const struct file *target);

/* The member hidden, if there is something hidden; and warnings with a sentence on it. */
void put_hidden(struct jsonw *w, const struct hidden_list *h);
void put_hidden_warning(struct jsonw *w, const struct hidden_list *h);
