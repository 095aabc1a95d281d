/*
 * board - a note of the Kanban plugin: lanes and cards, an archive, settings.
 *
 *     ---
 *     kanban-plugin: board
 *     ---
 *
 *     ## Doing (3)               a lane; at most three cards, as far as colours go
 *
 *     **Complete**               cards that come here are checked off
 *     - [ ] card ^id
 *     	more lines of it
 *
 *     ***
 *
 *     ## Archive                 the last heading, after a thematic break
 *
 *     %% kanban:settings ... %%  the end of the note; never changed here
 *
 * Every heading is a lane, and its cards are the items of the first list below it. Changes
 * cut and insert lines (board_edit.h); nothing is printed anew.
 */
#pragma once

#include "base/arena.h"
#include "base/json.h"
#include "base/str.h"

#define BOARD_NO_LANE SIZE_MAX

struct board_card {
    size_t start, end;   /* bytes of its lines, with the last line break if it has one */
    uint32_t line, last; /* from 1 */
    str status;          /* the character in its box; " " if it has none */
    size_t lane;
};

struct board_lane {
    str title; /* without "(3)" */
    uint32_t line;
    int64_t max;     /* 0: no limit */
    bool complete;   /* checks off what comes here */
    size_t empty;    /* where the first card goes */
    size_t first, n; /* its cards */
};

struct board {
    str text;
    struct board_lane *lanes; /* without the archive */
    size_t n_lanes;
    struct board_lane archive; /* line 0: there is none */
    struct board_card *cards;  /* of all lanes, then of the archive */
    size_t n_cards;
    const struct json *settings; /* of the note; NULL if there are none */
    size_t end;                  /* where the settings begin, or the end of the text */
};

/* Read a note, which is borrowed. False if it is not a board, or has line breaks other than
 * LF and CRLF. Linear in its size. */
bool board_read(struct arena *a, str text, struct board *out);

/* The lane that card i is in; the archive is n_lanes. */
const struct board_lane *board_lane_at(const struct board *b, size_t lane);

/* The card that has this line; n_cards if none has. */
size_t board_card_at(const struct board *b, uint32_t line);

/* Whether the title of a lane is the name that a client gives, case ignored. */
bool board_is_called(struct arena *a, const struct board_lane *lane, str name);

/* --- what is in a card --- */

struct board_content {
    str text;       /* what follows the box, with all lines, without the block id */
    str block;      /* without ^ */
    str date, time; /* as the settings of the board mark them; or empty */
};

void board_card_read(struct arena *a, const struct board *b,
                     const struct board_card *card, struct board_content *out);

/* Where the space before the block id of a line is; line.n if it has none. */
size_t board_block_at(str line);

/* A text of the settings, or what it is without one. */
str board_setting(const struct board *b, const char *key, const char *otherwise);
