/*
 * canvas_edit_parts - what the files of canvas_edit share.
 */
#pragma once

#include "base/hash.h"
#include "base/json.h"
#include "vault/forms/canvas_edit.h"
#include "vault/forms/canvas_place.h"
#include "vault/forms/canvas_step.h"

enum { CANVAS_TITLE_SHOWN = 60 }; /* bytes of a title in messages */

struct canvas_editing {
    struct arena *arena;
    const struct canvas_edit *edit;
    struct canvas_map map;
    struct hash_content seed; /* of new ids: the text and the steps */
    size_t above; /* the last node that was added without a request for its place */
    struct canvas_edited *out;
};

/* Say what a step did. Returns true. */
bool canvas_did(struct canvas_editing *e, str line);

/* An id that no node and no edge has. */
str canvas_new_id(const struct canvas_editing *e);

/* Parse an object that was written here. */
const struct json *canvas_parse_own(struct arena *a, str raw);

/* Change a member in the JSON of a node; then read the node again. */
void canvas_set_node(struct canvas_editing *e, size_t i, const char *key, str value);
void canvas_reread_node(struct canvas_editing *e, size_t i);

/* Both for its place and size; numbers that stay the same keep their bytes. */
void canvas_set_rect(struct canvas_editing *e, size_t i, const struct canvas_rect *to);

/* A member of a step as JSON; empty if it is null, which removes it. */
str canvas_new_value(const struct canvas_editing *e, const struct canvas_step *s,
                     const char *key);

/* The title, cut; "text 'Idea'"; "A -> B (label)". */
str canvas_shown_title(struct arena *a, const struct canvas_node *n);
str canvas_describe(struct arena *a, const struct canvas_node *n);
str canvas_describe_edge(const struct canvas_editing *e, const struct canvas_edge *g);

/* --- steps --- */

MUST_CHECK bool canvas_add_node(struct canvas_editing *e, const struct canvas_step *s,
                                struct err *err);
MUST_CHECK bool canvas_change_node(struct canvas_editing *e, const struct canvas_step *s,
                                   size_t i, struct err *err);
MUST_CHECK bool canvas_connect(struct canvas_editing *e, const struct canvas_step *s,
                               struct err *err);
MUST_CHECK bool canvas_disconnect(struct canvas_editing *e, const struct canvas_step *s,
                                  struct err *err);
MUST_CHECK bool canvas_change_edge(struct canvas_editing *e, const struct canvas_step *s,
                                   size_t i, struct err *err);

/* Remove one edge, and say so. Returns true. */
bool canvas_cut_edge(struct canvas_editing *e, size_t i);
