#include "mcp/template.h"

#include "base/encode.h"

/* Split "lit{+name}rest" into the literal, the variable and the rest. False: no variable
 * left. */
static bool next_variable(str *pattern, str *literal, str *name, bool *slashes)
{
    size_t open = str_find_char(*pattern, '{');
    if (open == STR_NONE)
        return false;
    size_t close = str_find_char(*pattern, '}');
    *literal = str_slice(*pattern, 0, open);
    *name = str_slice(*pattern, open + 1, close);
    *slashes = str_starts(*name, STR("+"));
    if (*slashes)
        *name = str_skip(*name, 1);
    *pattern = str_skip(*pattern, close + 1);
    return true;
}

str mcp_template_variable(str pattern, size_t i)
{
    str literal, name = {0};
    bool slashes;
    for (size_t n = 0; n <= i; n++)
        if (!next_variable(&pattern, &literal, &name, &slashes))
            return (str){0};
    return name;
}

/*
 * Match the rest of a pattern against the rest of a URI, starting with the i-th variable.
 * The text after a variable may also occur inside its value, so every possible end is
 * tried, the shortest value first.
 */
static bool match_rest(struct arena *a, str pattern, str uri, size_t i, str *values)
{
    str literal, name;
    bool slashes;
    if (i == MCP_VARIABLES_MAX || !next_variable(&pattern, &literal, &name, &slashes))
        return str_eq(uri, pattern);
    if (!str_starts(uri, literal))
        return false;
    uri = str_skip(uri, literal.n);
    for (size_t n = 1; n <= uri.n && (slashes || uri.p[n - 1] != '/'); n++)
        if (match_rest(a, pattern, str_skip(uri, n), i + 1, values))
            return decode_percent(a, str_slice(uri, 0, n), &values[i]);
    return false;
}

bool mcp_template_match(struct arena *a, str pattern, str uri, str *values)
{
    return uri.n <= MCP_URI_MAX && match_rest(a, pattern, uri, 0, values);
}
