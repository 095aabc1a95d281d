#include "app/tool_support/tool_words.h"

#include "app/setup/callers.h"
#include "base/chars.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "mcp/tool.h"

struct words_left {
    const struct app *app;
    const struct mcp_caller *caller;
    struct arena *arena;
};

static bool tool_words_is_word(char c)
{
    return is_alnum(c) || c == '_';
}

/* Names without '_' are also English words. */
static bool is_name_left_out(const struct words_left *w, str name)
{
    if (str_find_char(name, '_') == STR_NONE)
        return false;
    for (const struct mcp_tool *const *t = w->app->left_out; t != NULL && *t != NULL; t++)
        if (str_eq(name, str_c((*t)->name)))
            return true;
    for (const struct mcp_tool *const *t = w->app->tools; *t != NULL; t++)
        if (str_eq(name, str_c((*t)->name)))
            return w->app->mcp != NULL ? !mcp_server_offers(w->app->mcp, w->caller, *t)
                                       : !app_may_call(w->caller, (*t)->name);
    return false;
}

static bool names_left_out(const struct words_left *w, str text)
{
    for (size_t i = 0, from; i < text.n; i++) {
        for (from = i; i < text.n && tool_words_is_word(text.p[i]);)
            i++;
        if (i > from && is_name_left_out(w, str_slice(text, from, i)))
            return true;
    }
    return false;
}

static size_t end_of_parentheses(str text, size_t open)
{
    size_t depth = 0;
    for (size_t i = open; i < text.n; i++) {
        depth += text.p[i] == '(';
        depth -= text.p[i] == ')';
        if (depth == 0)
            return i;
    }
    return STR_NONE;
}

/* The clause at the beginning of text, with its separator: up to "; " or ". ", or a comma
 * after which a name follows. */
static size_t clause_at(str text)
{
    for (size_t i = 0; i + 1 < text.n; i++) {
        char c = text.p[i];
        if (c == '(' && end_of_parentheses(text, i) != STR_NONE)
            i = end_of_parentheses(text, i);
        else if (text.p[i + 1] == ' ' && (c == ';' || c == '.'))
            return i + 2;
        else if (text.p[i + 1] == ' ' && c == ',') {
            str next = str_skip(text, i + 2);
            size_t end = 0;
            while (end < next.n && strchr(",;.(", next.p[end]) == NULL)
                end++;
            if (str_find_char(str_slice(next, 0, end), '_') != STR_NONE)
                return i + 2;
        }
    }
    return text.n;
}

static str keep_clauses(const struct words_left *w, str text)
{
    struct sbuf out = SBUF_ON(w->arena);
    bool stops = str_ends(text, STR("."));
    while (text.n > 0) {
        size_t n = clause_at(text);
        if (!names_left_out(w, str_slice(text, 0, n)))
            sbuf_add(&out, str_slice(text, 0, n));
        text = str_skip(text, n);
    }
    str kept = str_trim(sbuf_str(&out));
    while (str_ends(kept, STR(",")) || str_ends(kept, STR(";")))
        kept = str_slice(kept, 0, kept.n - 1);
    return stops && kept.n > 0 && !str_ends(kept, STR("."))
               ? arena_printf(w->arena, STR_FMT ".", STR_ARG(kept))
               : kept;
}

/* Parentheses keep what is left of them, or go. */
static str keep_in_parentheses(const struct words_left *w, str text)
{
    struct sbuf out = SBUF_ON(w->arena);
    for (size_t i = 0; i < text.n; i++) {
        size_t end = text.p[i] == '(' ? end_of_parentheses(text, i) : STR_NONE;
        str inside = end != STR_NONE ? str_slice(text, i + 1, end) : STR("");
        if (end == STR_NONE || !names_left_out(w, inside)) {
            sbuf_char(&out, text.p[i]);
            continue;
        }
        str kept = keep_clauses(w, inside);
        if (kept.n > 0)
            sbuf_printf(&out, "(" STR_FMT ")", STR_ARG(kept));
        else if (out.n > 0 && out.p[out.n - 1] == ' ')
            out.n--;
        i = end;
    }
    return sbuf_str(&out);
}

/* What comes before the clauses: "- find: ". */
static size_t head_of(str line)
{
    size_t colon = str_find(line, STR(": "));
    return str_starts(line, STR("- ")) && colon != STR_NONE ? colon + 2 : 0;
}

str tool_words(const struct app *app, struct arena *a, const struct mcp_caller *caller,
               str text)
{
    const struct words_left w = {app, caller, a};
    struct sbuf out = SBUF_ON(a);
    str line;
    if (!names_left_out(&w, text))
        return text;
    for (bool first = true; text_take_line(&text, &line); first = false) {
        if (names_left_out(&w, line)) {
            line = keep_in_parentheses(&w, line);
            size_t head = head_of(line);
            str kept = names_left_out(&w, line) ? keep_clauses(&w, str_skip(line, head))
                                                : str_skip(line, head);
            if (kept.n == 0 || names_left_out(&w, str_slice(line, 0, head)))
                continue;
            line = arena_printf(a, STR_FMT STR_FMT, STR_ARG(str_slice(line, 0, head)),
                                STR_ARG(kept));
        }
        sbuf_printf(&out, "%s" STR_FMT, first || out.n == 0 ? "" : "\n", STR_ARG(line));
    }
    return sbuf_str(&out);
}
