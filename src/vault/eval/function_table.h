/*
 * functions - the implementations that tables of functions share; see function.h.
 * docs/expressions.md says what each of them does.
 */
#pragma once

#include "vault/eval/function.h"

/* Of any value. */
struct value function_is_truthy(struct eval *e, const struct call *c);
struct value function_is_type(struct eval *e, const struct call *c);
struct value function_to_string(struct eval *e, const struct call *c);
struct value function_is_empty(struct eval *e, const struct call *c);
struct value function_false(struct eval *e, const struct call *c);

/* Without a value before the dot. */
struct value function_if(struct eval *e, const struct call *c);
struct value function_date(struct eval *e, const struct call *c);
struct value function_duration(struct eval *e, const struct call *c);
struct value function_now(struct eval *e, const struct call *c);
struct value function_today(struct eval *e, const struct call *c);
struct value function_number(struct eval *e, const struct call *c);
struct value function_least(struct eval *e, const struct call *c);
struct value function_greatest(struct eval *e, const struct call *c);
struct value function_list(struct eval *e, const struct call *c);
struct value function_link(struct eval *e, const struct call *c);
struct value function_file(struct eval *e, const struct call *c);
struct value function_image(struct eval *e, const struct call *c);
struct value function_icon(struct eval *e, const struct call *c);
struct value function_html(struct eval *e, const struct call *c);
struct value function_escape_html(struct eval *e, const struct call *c);
struct value function_random(struct eval *e, const struct call *c);

/* Of texts, links and tags. */
struct value function_contains_text(struct eval *e, const struct call *c);
struct value function_contains_all_text(struct eval *e, const struct call *c);
struct value function_contains_any_text(struct eval *e, const struct call *c);
struct value function_starts(struct eval *e, const struct call *c);
struct value function_ends(struct eval *e, const struct call *c);
struct value function_lower(struct eval *e, const struct call *c);
struct value function_upper(struct eval *e, const struct call *c);
struct value function_trim(struct eval *e, const struct call *c);
struct value function_reverse_text(struct eval *e, const struct call *c);
struct value function_repeat(struct eval *e, const struct call *c);
struct value function_title(struct eval *e, const struct call *c);
struct value function_slice_text(struct eval *e, const struct call *c);
struct value function_split(struct eval *e, const struct call *c);
struct value function_replace(struct eval *e, const struct call *c);

/* Of numbers. */
struct value function_abs(struct eval *e, const struct call *c);
struct value function_ceil(struct eval *e, const struct call *c);
struct value function_floor(struct eval *e, const struct call *c);
struct value function_round(struct eval *e, const struct call *c);
struct value function_to_fixed(struct eval *e, const struct call *c);

/* Of dates. */
struct value function_day(struct eval *e, const struct call *c);
struct value function_time(struct eval *e, const struct call *c);
struct value function_format(struct eval *e, const struct call *c);
struct value function_relative(struct eval *e, const struct call *c);

/* Of lists. */
struct value function_contains_item(struct eval *e, const struct call *c);
struct value function_contains_all_items(struct eval *e, const struct call *c);
struct value function_contains_any_item(struct eval *e, const struct call *c);
struct value function_filter(struct eval *e, const struct call *c);
struct value function_map(struct eval *e, const struct call *c);
struct value function_reduce(struct eval *e, const struct call *c);
struct value function_flat(struct eval *e, const struct call *c);
struct value function_join(struct eval *e, const struct call *c);
struct value function_reverse_list(struct eval *e, const struct call *c);
struct value function_slice_list(struct eval *e, const struct call *c);
struct value function_unique(struct eval *e, const struct call *c);
struct value function_sort(struct eval *e, const struct call *c);
struct value function_sum(struct eval *e, const struct call *c);
struct value function_mean(struct eval *e, const struct call *c);
struct value function_median(struct eval *e, const struct call *c);
struct value function_min(struct eval *e, const struct call *c);
struct value function_max(struct eval *e, const struct call *c);

/* Of links, files, maps, regular expressions. */
struct value function_as_file(struct eval *e, const struct call *c);
struct value function_links_to(struct eval *e, const struct call *c);
struct value function_as_link(struct eval *e, const struct call *c);
struct value function_has_link(struct eval *e, const struct call *c);
struct value function_has_tag(struct eval *e, const struct call *c);
struct value function_has_property(struct eval *e, const struct call *c);
struct value function_in_folder(struct eval *e, const struct call *c);
struct value function_keys(struct eval *e, const struct call *c);
struct value function_values(struct eval *e, const struct call *c);
struct value function_matches(struct eval *e, const struct call *c);

/* A number as number() reads it: of numbers, booleans, dates and texts. */
bool function_to_number(struct eval *e, const struct value *v, double *out);

/* The text that text functions see: of a link its target. */
str function_text(const struct value *v);

/* The first match of a regular expression from byte from on. False if there is none, or
 * with *why set if a limit was hit. */
struct regex_group;
bool function_find_match(struct eval *e, const struct value *regexp, str text,
                         size_t from, struct regex_group *groups, struct value *why);

/* The bounds of a slice of n items, as JavaScript reads its arguments. */
void function_bounds(const struct call *c, size_t n, size_t *from, size_t *to);
