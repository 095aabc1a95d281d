/*
 * put - parts of answers as JSON that the tools and the command line have in common: what
 * one of them prints, the other prints the same.
 */
#pragma once

#include "base/json_write.h"
#include "vault/ask/select.h"
#include "vault/text/hidden.h"
#include "vault/vault.h"

/* An object. */
void put_listed(struct jsonw *w, struct arena *a, const struct file *f);
void put_entry(struct jsonw *w, const struct vault_entry *e);
void put_heading(struct jsonw *w, str text, const struct note_heading *h);
void put_row(struct jsonw *w, const struct select *s, const struct select_row *row);
void put_group(struct jsonw *w, const struct select_group *g);

/* Members of an object that the caller opened: link, subpath, path unless target is
 * NO_FILE, display, line, embed. */
void put_link(struct jsonw *w, const struct names *names, const struct file_link *l,
              file_id target);

/* The member hidden, if there is something hidden; and warnings with a sentence on it. */
void put_hidden(struct jsonw *w, const struct hidden_list *h);
void put_hidden_warning(struct jsonw *w, const struct hidden_list *h);

/* The member unknown, if there are some. */
void put_unknown_fields(struct jsonw *w, const struct select_result *r);
