/*
 * board_edit - change the cards of a board: old text in, new text out.
 *
 * Lines are cut and inserted; all other bytes stay as they are, the settings included.
 * Inserting a card and removing it again gives the same text. Results are in the arena.
 */
#pragma once

#include "base/err.h"
#include "vault/forms/board.h"
#include "vault/text/moment.h"

/*
 * The lane with that title, case ignored; or its number, from 1, if none has that title.
 * Fails with INVALID_ARGUMENT, naming the lanes, or AMBIGUOUS if several have it.
 */
MUST_CHECK bool board_find_lane(struct arena *a, const struct board *b, str name,
                                size_t *out, struct err *err);

/* The lines of a card, without the last line break. */
str board_card_lines(const struct board *b, size_t card);

/* Whether the card at that position of a lane, as in board_insert(), has these lines: text
 * that a change put there may be anything else, after an open code block for instance. */
bool board_has_card(struct arena *a, const struct board *b, size_t lane, size_t position,
                    str lines);

/* Insert the lines of a card before the card that is now at that position of the lane, from
 * 1; 0 or more than there are: at the end. */
str board_insert(struct arena *a, const struct board *b, size_t lane, size_t position,
                 str lines);

/* Where the settings want a new card: a position for board_insert(). */
size_t board_new_position(const struct board *b);

str board_remove(struct arena *a, const struct board *b, size_t card);

/* Move a card; positions are those without it. */
str board_move(struct arena *a, const struct board *b, size_t card, size_t lane,
               size_t position);

/*
 * Move a card to the end of the archive, which is made if it is missing; with the date and
 * up to the size that the settings say, so that the oldest ones may go.
 */
str board_archive(struct arena *a, const struct board *b, size_t card,
                  const struct moment *now);

/* A card of one or several lines, of which the first is a list item: the others are
 * indented. */
str board_indent(struct arena *a, str item, str more);
