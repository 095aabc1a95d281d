#include "app/answers/term_fold.h"

#include "base/utf8.h"

enum {
    HANG = 2,      /* columns before a continued line, beside those before its text */
    WORD_LEAST = 8 /* columns for words; with fewer there is nothing before them */
};

/* The bytes of a sequence for colours at the beginning of text; 0: there is none. */
static size_t sequence(str text)
{
    if (!str_starts(text, STR("\x1b[")))
        return 0;
    size_t end = str_find_char(text, 'm');
    return end == STR_NONE ? text.n : end + 1;
}

/* The bytes of the first character, or of a sequence; and its columns. */
static size_t next_of(str text, size_t *columns)
{
    size_t n = sequence(text);
    *columns = 0;
    if (n == 0)
        *columns = utf8_columns(utf8_decode(text, &n));
    return n;
}

size_t term_fold_width(str line)
{
    size_t width = 0, columns;
    for (size_t i = 0; i < line.n; width += columns)
        i += next_of(str_skip(line, i), &columns);
    return width;
}

/* Where continued lines begin: below the text after a first column that ends with two spaces
 * and takes at most half of the width; a plain sentence is not indented. */
static size_t hang_of(str line, size_t width)
{
    size_t column = 0, indent = 0, spaces = 0, columns;
    bool begun = false;
    for (size_t i = 0; i < line.n && column <= width / 2; column += columns) {
        bool space = line.p[i] == ' ';
        i += next_of(str_skip(line, i), &columns);
        if (columns > 0 && !space && begun && spaces >= 2)
            return column;
        if (columns > 0 && !space && !begun)
            indent = column;
        begun = begun || (columns > 0 && !space);
        spaces = space ? spaces + 1 : columns > 0 ? 0 : spaces;
    }
    bool sentence = indent == 0 && str_find(line, STR("  ")) == STR_NONE;
    return !sentence && indent + HANG + WORD_LEAST <= width ? indent + HANG : 0;
}

struct folding {
    struct sbuf *out;
    size_t width, hang, column;
};

static void break_line(struct folding *f)
{
    sbuf_printf(f->out, "\n%*s", (int)f->hang, "");
    f->column = f->hang;
}

/* A word that is wider than a line is broken anywhere. */
static void add_word(struct folding *f, str word)
{
    size_t columns;
    for (size_t i = 0, n; i < word.n; i += n, f->column += columns) {
        n = next_of(str_skip(word, i), &columns);
        if (f->column + columns > f->width && f->column > f->hang)
            break_line(f);
        sbuf_add(f->out, str_slice(word, i, i + n));
    }
}

static size_t spaces_before(str text)
{
    size_t n = 0;
    while (n < text.n && text.p[n] == ' ')
        n++;
    return n;
}

void term_fold(str line, size_t width, struct sbuf *out)
{
    struct folding f = {.out = out, .width = width};
    if (term_fold_width(line) <= width) {
        sbuf_add(out, line);
        return;
    }
    f.hang = hang_of(line, width);
    for (size_t gap; line.n > 0; line = str_skip(line, gap)) {
        gap = spaces_before(line);
        line = str_skip(line, gap);
        str word = str_slice(line, 0, str_find_char(line, ' '));
        if (f.column > f.hang && f.column + gap + term_fold_width(word) > width)
            break_line(&f);
        else if (word.n > 0)
            add_word(&f, arena_printf(out->arena, "%*s", (int)gap, ""));
        add_word(&f, word);
        gap = word.n;
    }
}
