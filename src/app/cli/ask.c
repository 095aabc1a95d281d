#include "app/cli/ask.h"

#include "app/answers/term.h"
#include "base/os/terminal.h"
#include "base/utf8.h"

/* False at the end of the input. A line that is too long is cut, so it is not a valid
 * answer. */
static bool read_answer_line(char *line, size_t *n)
{
    bool ended;
    return terminal_read_line(line, ASK_LINE_MAX, n, &ended) && !ended;
}

static bool is_clean(str line)
{
    for (size_t i = 0; i < line.n; i++)
        if ((unsigned char)line.p[i] < 0x20 || line.p[i] == 0x7F)
            return false;
    return line.n < ASK_LINE_MAX && utf8_valid(line);
}

bool ask_line(struct ask *q, str question, str dflt, str *out, struct err *err)
{
    char bytes[ASK_LINE_MAX];
    size_t n;
    for (;;) {
        term_put(q->out, TERM_STRONG, question);
        if (dflt.n > 0)
            term_printf(q->out, TERM_PLAIN, " [" STR_FMT "]", STR_ARG(dflt));
        term_put(q->out, TERM_PLAIN, STR(": "));
        term_flush(q->out);
        if (!read_answer_line(bytes, &n))
            return err_set(err, ERR_INVALID, "stopped; nothing was changed");
        str line = str_trim((str){bytes, n});
        if (is_clean(line)) {
            *out = line.n > 0 ? arena_str(q->arena, line) : dflt;
            return true;
        }
        term_put(q->out, TERM_WARN, STR("That is not valid text; please try again\n"));
    }
}

bool ask_yes(struct ask *q, str question, bool dflt, bool *out, struct err *err)
{
    static const char *const words[] = {"n", "no", "y", "yes"};
    for (;;) {
        str line;
        if (!ask_line(q, question, dflt ? STR("yes") : STR("no"), &line, err))
            return false;
        for (size_t i = 0; i < COUNT_OF(words); i++) {
            if (str_eq_nocase(line, str_c(words[i]))) {
                *out = i >= 2;
                return true;
            }
        }
        term_put(q->out, TERM_WARN, STR("Please answer yes or no\n"));
    }
}

bool ask_choice(struct ask *q, str question, const str *choices, size_t n, bool other,
                size_t *chosen, str *text, struct err *err)
{
    for (size_t i = 0; i < n; i++)
        term_printf(q->out, TERM_PLAIN, "  %zu  " STR_FMT "\n", i + 1,
                    STR_ARG(choices[i]));
    for (;;) {
        int64_t number;
        if (!ask_line(q, question, STR("1"), text, err))
            return false;
        bool is_number = str_to_int(*text, &number);
        if (is_number && number >= 1 && number <= (int64_t)n) {
            *chosen = (size_t)number - 1;
            return true;
        }
        if (other && !is_number) {
            *chosen = n;
            return true;
        }
        term_printf(q->out, TERM_WARN, "Please enter a number from 1 to %zu%s\n", n,
                    other ? ", or a folder" : "");
    }
}
