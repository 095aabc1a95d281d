/*
 * toml_scalar - the values of TOML that are one word or one string.
 */
#pragma once

#include "base/json.h"

/* Whether word is a number, date or time; *type is JSON_NUMBER if JSON has it, too, else
 * JSON_NULL. */
bool toml_word(str word, enum json_type *type);

/*
 * The string of any of the four kinds that text has at *at, where its quote stands; *at
 * is then behind it. NULL, or what is wrong at *at.
 */
const char *toml_string(struct arena *a, str text, size_t *at, bool multi_line, str *out);
