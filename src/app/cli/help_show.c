#include "app/cli/help_show.h"

#include "app/answers/term.h"
#include "base/os/file.h"

enum { READABLE = 80 }; /* columns; longer lines are hard to read */

static size_t help_indent(str line)
{
    size_t n = 0;
    while (n < line.n && line.p[n] == ' ')
        n++;
    return n;
}

/* Whether a line continues the one before it: a sentence, or the text of an option. */
static bool help_continues(str before, str line)
{
    enum { TEXT_COLUMN = 20 };
    if (before.n == 0 || line.n == 0)
        return false;
    size_t indent = help_indent(line);
    bool sentence =
        indent == 0 && help_indent(before) == 0 && !str_ends(before, STR(":"));
    return sentence || indent >= TEXT_COLUMN;
}

/* The bytes of the option or command at the beginning of a line, up to its text. */
static size_t help_name_end(str line)
{
    size_t from = help_indent(line), gap = str_find(str_skip(line, from), STR("  "));
    bool named = from >= 2 && from < line.n;
    return !named ? 0 : gap == STR_NONE ? line.n : from + gap;
}

static void put_help_line(struct term *t, str line)
{
    bool option = str_starts(str_trim(line), STR("-")),
         command = str_starts(str_trim(line), STR("vaultd "));
    size_t end = option || command ? help_name_end(line) : 0;
    bool heading = help_indent(line) == 0 &&
                   (str_ends(line, STR(":")) || str_starts(line, STR("usage: ")));
    term_put(t, command ? TERM_PATH : TERM_STRONG, str_slice(line, 0, end));
    term_put(t, heading ? TERM_STRONG : TERM_PLAIN, str_skip(line, end));
    term_put(t, TERM_PLAIN, STR("\n"));
}

void help_show(struct arena *a, str text)
{
    struct term t = term_open(a, FILE_STDOUT, TERM_AUTO);
    str line, before = {0};
    struct sbuf whole = SBUF_ON(a);
    if (t.width == 0) {
        (void)!file_write(FILE_STDOUT, text);
        return;
    }
    term_use_pager(&t);
    t.width = t.width < READABLE ? t.width : READABLE;
    for (; text.n > 0 && str_next(&text, '\n', &line); before = line) {
        bool flag = help_name_end(before) == before.n && help_indent(before) > 0;
        if (help_continues(before, line)) {
            sbuf_printf(&whole, "%s" STR_FMT, flag ? "  " : " ", STR_ARG(str_trim(line)));
            continue;
        }
        if (before.p != NULL)
            put_help_line(&t, sbuf_str(&whole));
        whole.n = 0;
        sbuf_add(&whole, line);
    }
    if (before.p != NULL)
        put_help_line(&t, sbuf_str(&whole));
    term_close(&t);
}
