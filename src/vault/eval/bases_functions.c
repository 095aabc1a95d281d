/* The functions of Bases, and what else is particular to it. */
#include "vault/eval/dialect.h"

#include "vault/eval/eval_file.h"
#include "vault/eval/function_table.h"

enum { MANY = 255 };

#define LINK ON(VALUE_LINK)
#define NUMBER ON(VALUE_NUMBER)
#define DATE ON(VALUE_DATE)
#define LIST ON(VALUE_LIST)
#define MAP ON(VALUE_MAP)
#define FILE_ ON(VALUE_FILE)
#define NOTHING ON(VALUE_NULL)

static const struct function bases_functions[] = {
    /* without a value before the dot */
    {"if", 0, 2, 3, FUNCTION_LAZY, function_if},
    {"date", 0, 1, 1, 0, function_date},
    {"duration", 0, 1, 1, 0, function_duration},
    {"now", 0, 0, 0, 0, function_now},
    {"today", 0, 0, 0, 0, function_today},
    {"number", 0, 1, 1, 0, function_number},
    {"min", 0, 1, MANY, 0, function_least},
    {"max", 0, 1, MANY, 0, function_greatest},
    {"list", 0, 1, 1, 0, function_list},
    {"link", 0, 1, 2, FUNCTION_CHANGES, function_link},
    {"file", 0, 1, 1, FUNCTION_CHANGES, function_file},
    {"image", 0, 1, 1, 0, function_image},
    {"icon", 0, 1, 1, 0, function_icon},
    {"html", 0, 1, 1, 0, function_html},
    {"escapeHTML", 0, 1, 1, 0, function_escape_html},
    {"random", 0, 0, 0, FUNCTION_CHANGES, function_random},
    /* of any value */
    {"isTruthy", ON_ANY, 0, 0, 0, function_is_truthy},
    {"isType", ON_ANY, 1, 1, 0, function_is_type},
    {"toString", ON_ANY, 0, 0, 0, function_to_string},
    {"isEmpty", ON_ANY, 0, 0, 0, function_is_empty},
    /* of texts, links, tags and lists; null contains nothing */
    {"contains", ON_TEXT, 1, 1, FUNCTION_NEEDS_SELF | FUNCTION_CONTAINS,
     function_contains_text},
    {"contains", LIST, 1, 1, 0, function_contains_item},
    {"contains", NOTHING, 1, 1, 0, function_false},
    {"containsAll", ON_TEXT, 1, MANY, FUNCTION_NEEDS_SELF, function_contains_all_text},
    {"containsAll", LIST, 1, MANY, 0, function_contains_all_items},
    {"containsAll", NOTHING, 1, MANY, 0, function_false},
    {"containsAny", ON_TEXT, 1, MANY, FUNCTION_NEEDS_SELF, function_contains_any_text},
    {"containsAny", LIST, 1, MANY, 0, function_contains_any_item},
    {"containsAny", NOTHING, 1, MANY, 0, function_false},
    {"startsWith", ON_TEXT, 1, 1, FUNCTION_NEEDS_SELF, function_starts},
    {"startsWith", NOTHING, 1, 1, 0, function_false},
    {"endsWith", ON_TEXT, 1, 1, FUNCTION_NEEDS_SELF, function_ends},
    {"endsWith", NOTHING, 1, 1, 0, function_false},
    {"reverse", ON_TEXT, 0, 0, 0, function_reverse_text},
    {"reverse", LIST, 0, 0, 0, function_reverse_list},
    {"slice", ON_TEXT, 1, 2, 0, function_slice_text},
    {"slice", LIST, 1, 2, 0, function_slice_list},
    {"lower", ON_TEXT, 0, 0, 0, function_lower},
    {"trim", ON_TEXT, 0, 0, 0, function_trim},
    {"repeat", ON_TEXT, 1, 1, 0, function_repeat},
    {"title", ON_TEXT, 0, 0, 0, function_title},
    {"split", ON_TEXT, 1, 2, 0, function_split},
    {"replace", ON_TEXT, 2, 2, 0, function_replace},
    /* of numbers */
    {"abs", NUMBER, 0, 0, 0, function_abs},
    {"ceil", NUMBER, 0, 0, 0, function_ceil},
    {"floor", NUMBER, 0, 0, 0, function_floor},
    {"round", NUMBER, 0, 1, 0, function_round},
    {"toFixed", NUMBER, 0, 1, 0, function_to_fixed},
    /* of dates */
    {"date", DATE, 0, 0, 0, function_day},
    {"time", DATE, 0, 0, 0, function_time},
    {"format", DATE, 1, 1, 0, function_format},
    {"relative", DATE, 0, 0, 0, function_relative},
    /* of lists */
    {"filter", LIST, 1, 1, FUNCTION_LAZY, function_filter},
    {"map", LIST, 1, 1, FUNCTION_LAZY, function_map},
    {"reduce", LIST, 1, 2, FUNCTION_LAZY, function_reduce},
    {"flat", LIST, 0, 0, 0, function_flat},
    {"join", LIST, 0, 1, 0, function_join},
    {"unique", LIST, 0, 0, 0, function_unique},
    {"sort", LIST, 0, 0, 0, function_sort},
    {"sum", LIST, 0, 0, 0, function_sum},
    {"mean", LIST, 0, 0, 0, function_mean},
    {"median", LIST, 0, 0, 0, function_median},
    {"min", LIST, 0, 0, 0, function_min},
    {"max", LIST, 0, 0, 0, function_max},
    /* of links, files, maps, regular expressions */
    {"asFile", LINK | FILE_, 0, 0, FUNCTION_CHANGES, function_as_file},
    {"linksTo", LINK, 1, 1, FUNCTION_CHANGES, function_links_to},
    {"asLink", FILE_, 0, 1, FUNCTION_CHANGES, function_as_link},
    {"hasLink", FILE_, 1, 1, FUNCTION_CHANGES | FUNCTION_HAS_LINK, function_has_link},
    {"hasTag", FILE_, 1, MANY, FUNCTION_CHANGES | FUNCTION_HAS_TAG, function_has_tag},
    {"hasProperty", FILE_, 1, 1, FUNCTION_CHANGES, function_has_property},
    {"inFolder", FILE_, 1, 1, FUNCTION_CHANGES | FUNCTION_IN_FOLDER, function_in_folder},
    {"keys", MAP, 0, 0, 0, function_keys},
    {"values", MAP, 0, 0, 0, function_values},
    {"matches", ON(VALUE_REGEXP), 1, 1, 0, function_matches},
    {NULL, 0, 0, 0, 0, NULL},
};

const struct dialect dialect_bases = {
    .name = "Bases",
    .units = DURATION_BASES,
    .reads.tag_property = true,
    .compares.coerced = true,
    .sorts.texts_apart = true,
    .sorts.null_as_false = true,
    .functions = bases_functions,
    .file_fields = eval_file_fields,
};
