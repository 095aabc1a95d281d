/*
 * read_parts - the outlines of files that are more than text with headings, for the
 * printers in read.c.
 */
#pragma once

#include "app/answers/answer.h"
#include "app/answers/read.h"

/* Whether the outline of the file is that of a canvas. */
bool read_is_canvas(const struct read_file *f);

/* Members nodes and edges of an object that the caller opened; lines for a model and for
 * a terminal. f->first counts nodes, then edges, from 1. */
void read_canvas_json(struct answer_out *out, const struct read_file *f);
void read_canvas_text(struct model_text *s, const struct read_file *f);
void read_canvas_term(struct term *t, const struct read_file *f);

/* The same for a board: its lanes, and its cards except archived ones, from line f->first
 * on. False if the file is not a board. */
bool read_board_json(struct answer_out *out, const struct read_file *f);
bool read_board_text(struct model_text *s, const struct read_file *f);
bool read_board_term(struct term *t, const struct read_file *f);
