/*
 * value_inline - what the text of an inline field means (forms/inline.h), as Dataview
 * reads it: a number, true or false, a date, a duration, a link, a tag, a "text", null, or
 * a list of these with commas between them; otherwise text as it is, with its commas.
 */
#pragma once

#include "vault/eval/value.h"
#include "vault/index/file.h"

/* Nothing but spaces is null. */
struct value value_of_inline(const struct value_reader *r, str text);

/* 5, -80, 2.4; an error, VALUE_NULL, if text is anything else. */
struct value value_of_number(str text);

/* 2021-04, 2021-04-18, 2021-04-18T04:19:35.000+06:30, as a whole. */
bool value_iso_date(str text, int utc_offset, struct date *out);
