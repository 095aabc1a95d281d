/*
 * put - parts of answers as JSON that the tools and the command line share, so that both
 * print the same.
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/text/hidden.h"
#include "vault/vault.h"

/* Members of an object that the caller opened: link, subpath, path unless target is NULL,
 * display, line, embed. */
void put_link(struct jsonw *w, const struct file_link *l, const struct file *target);

/* The member hidden, if anything is hidden, and the member warnings with a sentence about
 * it. */
void put_hidden(struct jsonw *w, const struct hidden_list *h);
void put_hidden_warning(struct jsonw *w, const struct hidden_list *h);

/* Say that there is more, which vault_read shows from that line on. */
void put_read_on(struct answer_out *out, str path, size_t line);
