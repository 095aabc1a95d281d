#include "vault/text/yaml_problem.h"

#include "base/text.h"
#include "base/utf8.h"

/* The first row that matches counts: its texts occur in libyaml's problem and context. */
static const struct {
    const char *problem, *context, *says;
    bool from_context; /* report the place where the context began */
} sentences[] = {
    {"mapping values are not allowed", "",
     "a value with ': ' in it must be in quotes, or the indentation is wrong"},
    {"unexpected end of stream", "quoted scalar", "this quote is never closed", true},
    {"unexpected document indicator", "quoted scalar", "this quote is never closed",
     true},
    {"',' or ']'", "", "this '[' is never closed, or a ',' is missing", true},
    {"',' or '}'", "", "this '{' is never closed, or a ',' is missing", true},
    {"unknown escape", "", "this is not an escape: write '\\\\', or use single quotes"},
    {"could not find expected ':'", "",
     "this line is not a property: write 'name: value', with a space after ':'", true},
    {"expected '-' indicator", "", "the items of this list have different indentation"},
    {"expected key", "",
     "this does not fit the lines above: check indentation and quotes"},
    {"block sequence entries are not allowed", "",
     "a list item must be on a line of its own: '- value'"},
    {"expected node content", "", "a value is missing here"},
    {"expected <document start>", "",
     "this does not fit the lines above: check indentation and quotes"},
    {"found unexpected ':'", "", "a value with ':' at its end must be in quotes"},
    {"undefined tag handle", "", "a value that begins with '!' must be in quotes"},
    {"block scalar", "", "nothing else may follow '|' or '>' on its line"},
    {"leading space", "block scalar", "the first line of this text is indented too far"},
    {"alphabetic or numeric", "",
     "a value that begins with '*' or '&' must be in quotes"},
};

static const char *of_character(uint32_t c)
{
    switch (c) {
    case '\t':
        return "a tab cannot indent a line: use spaces";
    case '@':
    case '`':
    case '%':
        return "a value cannot begin with '@', '`' or '%': put it in quotes";
    default:
        return "a value cannot begin like this: put it in quotes";
    }
}

static uint32_t character_at(str block, size_t line, size_t column)
{
    str rest = block, text = {0};
    for (size_t i = 0; i <= line; i++)
        if (!text_take_line(&rest, &text))
            return 0;
    size_t n;
    for (; column > 0 && text.n > 0; column--) {
        (void)utf8_decode(text, &n);
        text = str_skip(text, n);
    }
    return text.n > 0 ? utf8_decode(text, &n) : 0;
}

static bool yaml_problem_holds(str text, const char *words)
{
    return str_find(text, str_c(words)) != STR_NONE;
}

bool yaml_problem_set(const struct yaml_problem *p, str block, uint32_t first_line,
                      struct err *err)
{
    const char *says = NULL;
    size_t line = p->line, column = p->column;
    if (yaml_problem_holds(p->problem, "cannot start any token"))
        says = of_character(character_at(block, line, column));
    for (size_t i = 0; i < COUNT_OF(sentences) && says == NULL; i++) {
        if (!yaml_problem_holds(p->problem, sentences[i].problem) ||
            !yaml_problem_holds(p->context, sentences[i].context))
            continue;
        says = sentences[i].says;
        line = sentences[i].from_context ? p->context_line : line;
        column = sentences[i].from_context ? p->context_column : column;
    }
    if (says != NULL)
        return err_set(err, ERR_INVALID, "line %zu, column %zu: %s", first_line + line,
                       column + 1, says);
    return err_set(err, ERR_INVALID, "line %zu, column %zu: " STR_FMT, first_line + line,
                   column + 1, STR_ARG(p->problem));
}
