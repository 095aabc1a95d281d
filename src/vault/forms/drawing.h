/*
 * drawing - drawings of Excalidraw. A note of the plugin is Markdown with the texts and
 * links of a drawing, and after it the drawing itself, as data that is not for people. A
 * .excalidraw file is that data alone, in JSON.
 *
 *     ---
 *     excalidraw-plugin: parsed
 *     ---
 *     # Excalidraw Data
 *     ## Text Elements
 *     Hello [[World]] ^hx0Z3kQa
 *
 *     %%
 *     ## Drawing
 *     ```compressed-json
 *     N4KAkARALgngDgUwgLgAQQQDwMYEMA2A...
 *     ```
 *     %%
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct frontmatter;

/* Whether these properties are those of a drawing. */
bool drawing_is(const struct frontmatter *props);

/*
 * Where the data of a drawing begins in a text: at its heading, or at the %% before it. It
 * goes to the end; *data is the block itself, with its fences. text.n if there is none, or
 * if other text follows it.
 */
size_t drawing_start(str text, str *data);

/* The same for a note, which is text.n unless it is a drawing. */
size_t drawing_find(struct arena *a, str note, str *data);

/* Whether a file of that name is a drawing in JSON. */
bool drawing_is_json(str path);

/*
 * The texts and links of a drawing in JSON, as people see them: one after the other, each
 * followed by a line break. Empty text is an empty drawing. Fails with ERR_INVALID if it
 * is not JSON, with ERR_LIMIT if it is too large.
 */
MUST_CHECK bool drawing_texts(struct arena *a, str json, str *out, struct err *err);
