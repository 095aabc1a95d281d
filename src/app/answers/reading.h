/*
 * reading - the part of a file that vault_read shows: a section or block of it, some of
 * its lines, and what of them fits into an answer.
 *
 * Lines are those of the file, also in a section: whoever goes on in one asks for the
 * line after the last that was shown.
 */
#pragma once

#include "vault/text/hidden.h"
#include "vault/vault.h"

struct reading {
    str path;
    str text;                  /* of the whole file */
    str commit;                /* that it is of; empty: of now */
    struct vault_text part;    /* its content is a part of text */
    bool truncated;            /* there is more that the caller did not decline */
    bool cut_line;             /* not even the first line fits */
    size_t next;               /* the line to go on with; 0: none */
    bool is_block;             /* which ends without a line break */
    struct hidden_list hidden; /* in the part */
};

struct reading_wish {
    str section, block;  /* as of edit.h; one of them or none */
    size_t first, limit; /* lines; limit 0: all */
    bool by_default;     /* nobody asked for the limit, so it is said where it cuts */
};

/*
 * Choose the part of r->text. Fails with ERR_NOT_FOUND (HEADING_NOT_FOUND,
 * BLOCK_NOT_FOUND), ERR_INVALID (INVALID_RANGE, HEADING_NOT_UNIQUE, BLOCK_NOT_UNIQUE)
 * and as vault_cut().
 */
MUST_CHECK bool reading_cut(struct reading *r, struct arena *a,
                            const struct reading_wish *wish, struct err *err);

/* Keep the whole lines whose JSON, with what is hidden in them, takes at most room bytes,
 * or a piece of the first. */
void reading_fit(struct reading *r, size_t room);
