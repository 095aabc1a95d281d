/*
 * put - parts of answers as JSON that the tools and the command line have in common: what
 * one of them prints, the other prints the same.
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/text/hidden.h"
#include "vault/vault.h"

/* Members of an object that the caller opened: link, subpath, path unless target is NULL,
 * display, line, embed. */
void put_link(struct jsonw *w, const struct file_link *l, const struct file *target);

/* The member hidden, if there is something hidden; and warnings with a sentence on it. */
void put_hidden(struct jsonw *w, const struct hidden_list *h);
void put_hidden_warning(struct jsonw *w, const struct hidden_list *h);

/* There is more, which vault_read shows from that line on. */
void put_read_on(struct answer_out *out, str path, size_t line);
