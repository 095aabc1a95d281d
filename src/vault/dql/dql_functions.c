#include "vault/dql/dql_functions.h"
#include "vault/eval/function_table.h"

enum {
    MANY = 255,
    FIRST = FUNCTION_PLAIN,                   /* of the first argument */
    EACH = FUNCTION_PLAIN | FUNCTION_SPREADS, /* or of each item of a list */
};

#define NOTHING ON(VALUE_NULL)
#define LIST ON(VALUE_LIST)
#define DATE ON(VALUE_DATE)
#define REGEXP ON(VALUE_REGEXP)

static const struct function functions[] = {
    /* of texts */
    {"contains", ON_ANY, 1, 1, FIRST, function_dql_contains},
    {"icontains", ON_ANY, 1, 1, FIRST, function_dql_icontains},
    {"econtains", ON_ANY, 1, 1, FIRST, function_dql_econtains},
    {"containsword", ON_TEXT, 1, 1, EACH, function_dql_containsword},
    {"containsword", NOTHING, 1, 1, EACH, function_false},
    {"startswith", ON_TEXT, 1, 1, EACH, function_starts},
    {"startswith", NOTHING, 1, 1, EACH, function_false},
    {"endswith", ON_TEXT, 1, 1, EACH, function_ends},
    {"endswith", NOTHING, 1, 1, EACH, function_false},
    {"lower", ON_TEXT, 0, 0, EACH, function_lower},
    {"lower", NOTHING, 0, 0, EACH, function_dql_null},
    {"upper", ON_TEXT, 0, 0, EACH, function_upper},
    {"upper", NOTHING, 0, 0, EACH, function_dql_null},
    {"replace", ON_TEXT, 2, 2, EACH, function_replace},
    {"replace", NOTHING, 2, 2, EACH, function_dql_null},
    {"regextest", REGEXP, 1, 1, FIRST, function_dql_regextest},
    {"regextest", ON_ANY, 1, 1, FIRST, function_dql_no_pattern},
    {"regexmatch", REGEXP, 1, 1, FIRST, function_dql_regextest},
    {"regexmatch", ON_ANY, 1, 1, FIRST, function_dql_no_pattern},
    {"regexreplace", ON_TEXT, 2, 2, EACH, function_dql_regexreplace},
    {"regexreplace", NOTHING, 2, 2, EACH, function_dql_null},
    {"split", ON_TEXT, 1, 2, EACH, function_dql_split},
    {"split", NOTHING, 1, 2, EACH, function_dql_null},
    /* of lists */
    {"length", ON_ANY, 0, 0, FIRST, function_dql_length},
    {"join", ON_ANY, 0, 1, FIRST, function_dql_join},
    {"sum", ON_ANY, 0, 0, FIRST, function_dql_sum},
    {"average", ON_ANY, 0, 0, FIRST, function_dql_average},
    {"min", 0, 0, MANY, 0, function_dql_min},
    {"max", 0, 0, MANY, 0, function_dql_max},
    {"list", 0, 0, MANY, 0, function_dql_list},
    {"array", 0, 0, MANY, 0, function_dql_list},
    {"flat", LIST, 0, 1, FIRST, function_dql_flat},
    {"flat", NOTHING, 0, 1, FIRST, function_dql_null},
    {"reverse", LIST, 0, 0, FIRST, function_reverse_list},
    {"reverse", ON_TEXT, 0, 0, FIRST, function_reverse_text},
    {"reverse", NOTHING, 0, 0, FIRST, function_dql_null},
    {"unique", LIST, 0, 0, FIRST, function_unique},
    {"unique", NOTHING, 0, 0, FIRST, function_dql_null},
    {"filter", 0, 2, 2, FUNCTION_LAZY, function_dql_filter},
    {"map", 0, 2, 2, FUNCTION_LAZY, function_dql_map},
    {"sort", 0, 1, 2, FUNCTION_LAZY, function_dql_sort},
    {"all", 0, 1, MANY, FUNCTION_LAZY, function_dql_all},
    {"any", 0, 1, MANY, FUNCTION_LAZY, function_dql_any},
    {"none", 0, 1, MANY, FUNCTION_LAZY, function_dql_none},
    /* of any value */
    {"default", ON_ANY & ~LIST, 1, 1, EACH, function_dql_default},
    {"choice", 0, 3, 3, FUNCTION_LAZY, function_if},
    {"typeof", ON_ANY, 0, 0, FIRST, function_dql_typeof},
    {"object", 0, 0, MANY, 0, function_dql_object},
    /* other types */
    {"number", ON_ANY & ~LIST, 0, 0, EACH, function_dql_number},
    {"string", ON_ANY, 0, 0, FIRST, function_to_string},
    {"round", ON(VALUE_NUMBER), 0, 1, EACH, function_round},
    {"round", NOTHING, 0, 1, EACH, function_dql_null},
    {"date", ON_ANY & ~LIST, 0, 0, EACH, function_dql_date},
    {"dur", ON_ANY & ~LIST, 0, 0, EACH, function_dql_dur},
    {"dateformat", DATE, 1, 1, EACH, function_dql_dateformat},
    {"dateformat", NOTHING, 1, 1, EACH, function_dql_null},
    {"striptime", DATE, 0, 0, EACH, function_day},
    {"striptime", NOTHING, 0, 0, EACH, function_dql_null},
    {"link", 0, 1, 2, FUNCTION_CHANGES, function_link},
    {"meta", ON(VALUE_LINK), 0, 0, EACH, function_dql_meta},
    {"meta", NOTHING, 0, 0, EACH, function_dql_null},
    {NULL, 0, 0, 0, 0, NULL},
};

const struct dialect dialect_dql = {
    .name = "Dataview",
    .units = DURATION_DQL,
    .reads.inline_fields = true,
    .compares.across_types = true,
    .sorts.null_first = true,
    .evaluates.lists_by_item = true,
    .evaluates.drops_errors = true,
    .evaluates.through_links = true,
    .evaluates.names_nocase = true,
    .functions = functions,
    .file_fields = dql_file_fields,
    .row_member = dql_row_member,
};
