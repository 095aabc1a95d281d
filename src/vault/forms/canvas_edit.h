/*
 * canvas_edit - change the nodes and edges of a canvas: old text in, new text out.
 *
 * Steps are JSON objects, as clients send them. Each has one of these members, and others
 * that go with it:
 *
 *     {"add":"text","text":"...","in":GROUP,"near":NODE,"side":"right","color":"4"}
 *     {"add":"file","file":"A.md#Goal"}   {"add":"link","url":"https://..."}
 *     {"add":"group","label":"...","around":[NODE,...]}
 *     {"change":NODE,"text":"..."}        {"change":EDGE,"label":"..."}
 *     {"connect":NODE,"to":NODE,"label":"..."}
 *     {"disconnect":EDGE}                 {"disconnect":NODE,"to":NODE}
 *     {"remove":NODE}
 *
 * A node is named by its id or its title (canvas_find_node()), also one that an earlier
 * step added. All steps are made, or none. canvas_place.h says where new nodes go, x and y
 * override it. Ids stay; new ones have 16 hex digits, as in Obsidian, and depend on the text
 * and the steps alone, so a dry run has those of the change. Objects that are not
 * changed stay byte for byte, and so do members of others, known or not.
 */
#pragma once

#include "base/json.h"
#include "vault/forms/canvas_map.h"

enum {
    CANVAS_STEPS_MAX = 100,
    CANVAS_TEXT_MAX = 1 << 20, /* bytes of a text, address or label */
    CANVAS_FAR_MAX = 1000000,  /* of x and y, in either direction */
    CANVAS_SIZE_MIN = 20,      /* of width and height */
    CANVAS_SIZE_MAX = 100000,
};

/* The file that a node is to show: word is as the client gave it, *path is from the root
 * of the vault. Fails if there is no such file. */
typedef bool canvas_find_file(void *arg, str word, str *path, struct err *err);

struct canvas_edit {
    const struct json *steps; /* an array */
    canvas_find_file *find;
    void *arg;
};

struct canvas_edited {
    str text;
    str *did; /* one line for each step */
    size_t n_did;
};

/* Fails with INVALID_ARGUMENT, AMBIGUOUS or as find does, beginning with "step N: ";
 * INVALID_CONTENT if text is not a valid canvas; ERR_LIMIT. */
MUST_CHECK bool canvas_edit(struct arena *a, str text, const struct canvas_edit *e,
                            struct canvas_edited *out, struct err *err);
