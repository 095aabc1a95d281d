/*
 * canvas_step - read one step of canvas_edit.h, and check what does not depend on the
 * canvas.
 */
#pragma once

#include "base/json.h"
#include "vault/forms/canvas_place.h"

enum canvas_verb { CANVAS_ADD, CANVAS_CHANGE, CANVAS_CONNECT, CANVAS_CUT, CANVAS_REMOVE };

struct canvas_step {
    const struct json *json;
    enum canvas_verb verb;
    str target;            /* the value of the verb */
    enum canvas_type type; /* of CANVAS_ADD */
};

MUST_CHECK bool canvas_step_read(struct arena *a, const struct json *j,
                                 struct canvas_step *out, struct err *err);

/* A member as text; empty if it is missing or null. */
str canvas_step_str(const struct canvas_step *s, const char *key);

/* Whether the step has a member: *out is its number. */
bool canvas_step_num(const struct canvas_step *s, const char *key, double *out);

/* Whether the step has the member, which may be null. */
bool canvas_step_has(const struct canvas_step *s, const char *key);

/* The side that a member names; CANVAS_ANY_SIDE if it is missing. */
enum canvas_side canvas_step_side(const struct canvas_step *s, const char *key);
