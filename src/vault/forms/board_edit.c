#include "vault/forms/board_edit.h"

#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/text/moment.h"

/* --- lanes --- */

static bool no_such_lane(struct arena *a, const struct board *b, str name,
                         struct err *err)
{
    enum { SHOWN = 10 };
    struct sbuf all = SBUF_ON(a);
    for (size_t i = 0; i < b->n_lanes && i < SHOWN; i++)
        sbuf_printf(&all, "%s" STR_FMT, i > 0 ? ", " : "",
                    STR_ARG(utf8_cut(b->lanes[i].title, 40)));
    str lanes = all.n > 0 ? sbuf_str(&all) : STR("none");
    if (name.n == 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "lane is missing: the board has " STR_FMT, STR_ARG(lanes));
    return err_named(err, E_INVALID_ARGUMENT,
                     "no lane '" STR_FMT "'; the board has " STR_FMT,
                     STR_ARG(utf8_cut(name, 60)), STR_ARG(lanes));
}

bool board_find_lane(struct arena *a, const struct board *b, str name, size_t *out,
                     struct err *err)
{
    size_t found = 0;
    int64_t number;
    for (size_t i = 0; i < b->n_lanes; i++)
        if (board_is_called(a, &b->lanes[i], name) && found++ == 0)
            *out = i;
    if (found > 1)
        return err_named(err, E_AMBIGUOUS,
                         "%zu lanes are called '" STR_FMT "': give the lane's number, 1 "
                         "to %zu",
                         found, STR_ARG(utf8_cut(name, 60)), b->n_lanes);
    if (found == 1)
        return true;
    if (!str_to_int(str_trim(name), &number) || number < 1 ||
        (uint64_t)number > b->n_lanes)
        return no_such_lane(a, b, name, err);
    *out = (size_t)number - 1;
    return true;
}

/* --- lines --- */

static str board_splice(struct arena *a, str text, size_t from, size_t to, str by)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, str_slice(text, 0, from));
    sbuf_add(&out, by);
    sbuf_add(&out, str_skip(text, to));
    return sbuf_str(&out);
}

/* text with its line breaks as the board has them. */
static str with_breaks(struct arena *a, const struct board *b, str text)
{
    struct sbuf out = SBUF_ON(a);
    str eol = text_line_ending(b->text), line;
    bool first = true;
    while (text_take_line(&text, &line)) {
        if (!first)
            sbuf_add(&out, eol);
        sbuf_add(&out, text_drop_return(line));
        first = false;
    }
    return sbuf_str(&out);
}

/* The start of the line break that ends at at; at if there is none. */
static size_t before_break(str text, size_t at)
{
    if (at == 0 || text.p[at - 1] != '\n')
        return at;
    return at > 1 && text.p[at - 2] == '\r' ? at - 2 : at - 1;
}

/* As whole lines; a text without a last line break stays without it. */
static str insert_lines(struct arena *a, const struct board *b, size_t at, str lines)
{
    str eol = text_line_ending(b->text);
    bool open = at > 0 && before_break(b->text, at) == at;
    lines = with_breaks(a, b, lines);
    return board_splice(a, b->text, at, at,
                        arena_printf(a, STR_FMT STR_FMT STR_FMT,
                                     STR_ARG(open ? eol : STR("")), STR_ARG(lines),
                                     STR_ARG(open ? STR("") : eol)));
}

/* Whole lines; the last one without a line break takes the break before it along. */
static str cut_lines(struct arena *a, str text, size_t from, size_t to)
{
    bool open = to == text.n && before_break(text, to) == to;
    return board_splice(a, text, open ? before_break(text, from) : from, to, STR(""));
}

str board_card_lines(const struct board *b, size_t card)
{
    const struct board_card *c = &b->cards[card];
    return str_slice(b->text, c->start, before_break(b->text, c->end));
}

/* --- cards --- */

bool board_has_card(struct arena *a, const struct board *b, size_t lane, size_t position,
                    str lines)
{
    const struct board_lane *l = board_lane_at(b, lane);
    if (l->n == 0)
        return false;
    size_t i = position > 0 && position <= l->n ? position : l->n;
    str there = board_card_lines(b, l->first + i - 1);
    return str_eq(str_trim_line(with_breaks(a, b, there)),
                  str_trim_line(with_breaks(a, b, lines)));
}

str board_insert(struct arena *a, const struct board *b, size_t lane, size_t position,
                 str lines)
{
    const struct board_lane *l = board_lane_at(b, lane);
    size_t at = l->empty;
    if (position > 0 && position <= l->n)
        at = b->cards[l->first + position - 1].start;
    else if (l->n > 0)
        at = b->cards[l->first + l->n - 1].end;
    return insert_lines(a, b, at, lines);
}

size_t board_new_position(const struct board *b)
{
    return str_starts(board_setting(b, "new-card-insertion-method", ""), STR("prepend"))
               ? 1
               : 0;
}

str board_remove(struct arena *a, const struct board *b, size_t card)
{
    return cut_lines(a, b->text, b->cards[card].start, b->cards[card].end);
}

/* The same board with another text. What is not a board any more has no lanes: the caller
 * that asked for the change compares, and refuses it. */
static struct board reread(struct arena *a, str text)
{
    struct board b;
    (void)board_read(a, text, &b);
    return b;
}

str board_move(struct arena *a, const struct board *b, size_t card, size_t lane,
               size_t position)
{
    str lines = board_card_lines(b, card);
    struct board without = reread(a, board_remove(a, b, card));
    return board_insert(a, &without, lane, position, lines);
}

str board_indent(struct arena *a, str item, str more)
{
    struct sbuf out = SBUF_ON(a);
    str line;
    sbuf_add(&out, item);
    while (more.n > 0 && text_take_line(&more, &line)) {
        line = text_drop_return(line);
        sbuf_add(&out, line.n > 0 ? STR("\n\t") : STR("\n"));
        sbuf_add(&out, line);
    }
    return sbuf_str(&out);
}

/* --- the archive --- */

/* The bytes of the first line up to its text, after marker and box. */
static size_t text_start(str lines)
{
    size_t close = str_find(str_slice(lines, 0, text_line_end(lines, 0)), STR("] "));
    return close == STR_NONE ? text_skip_blanks(lines, 1) : close + 2;
}

/* With the date of the archiving before its text, or after it. */
static str dated(struct arena *a, const struct board *b, str lines,
                 const struct moment *now)
{
    str date_format = board_setting(b, "date-format", "YYYY-MM-DD");
    str time_format = board_setting(b, "time-format", "HH:mm");
    str otherwise =
        arena_printf(a, STR_FMT " " STR_FMT, STR_ARG(date_format), STR_ARG(time_format));
    str format = board_setting(b, "archive-date-format", "");
    str between = board_setting(b, "archive-date-separator", "");
    if (!json_get_true(b->settings, STR("archive-with-date")))
        return lines;
    str date = moment_format(a, now, format.n > 0 ? format : otherwise);
    str space = between.n > 0 ? STR(" ") : STR("");
    if (json_get_true(b->settings, STR("append-archive-date"))) {
        size_t end = text_line_end(lines, 0) == lines.n ? board_block_at(lines) : lines.n;
        return arena_printf(a, STR_FMT " " STR_FMT STR_FMT STR_FMT STR_FMT,
                            STR_ARG(str_slice(lines, 0, end)), STR_ARG(between),
                            STR_ARG(space), STR_ARG(date), STR_ARG(str_skip(lines, end)));
    }
    size_t at = text_start(lines);
    return arena_printf(a, STR_FMT STR_FMT STR_FMT STR_FMT " " STR_FMT,
                        STR_ARG(str_slice(lines, 0, at)), STR_ARG(date), STR_ARG(space),
                        STR_ARG(between), STR_ARG(str_skip(lines, at)));
}

/* An archive with one card: before the settings, as the plugin writes it. */
static str make_archive(struct arena *a, const struct board *b, str lines)
{
    enum { BEFORE = 3, AFTER = 2 }; /* line breaks */
    size_t at = b->end, breaks = 0, start = b->end;
    bool settings = b->end < b->text.n;
    while (before_break(b->text, start) < start) {
        start = before_break(b->text, start);
        breaks++;
    }
    for (int i = 0; settings && breaks >= BEFORE + AFTER && i < AFTER; i++)
        at = before_break(b->text, at);
    size_t missing = breaks < BEFORE ? BEFORE - breaks : 0;
    const char *after = at < b->end ? "" : settings ? "\n\n" : "\n";
    str text = arena_printf(a, "%.*s***\n\n## Archive\n\n" STR_FMT "%s", (int)missing,
                            "\n\n\n", STR_ARG(lines), after);
    return board_splice(a, b->text, at, at, with_breaks(a, b, text));
}

/* Only the last ones, as many as the settings say. */
static str limit_archive(struct arena *a, str text)
{
    struct board b = reread(a, text);
    int64_t most;
    if (!json_int(json_get(b.settings, STR("max-archive-size")), &most) || most < 0 ||
        b.archive.n <= (size_t)most)
        return text;
    size_t from = b.cards[b.archive.first].start;
    size_t to = b.cards[b.archive.first + b.archive.n - (size_t)most - 1].end;
    return cut_lines(a, text, from, to);
}

str board_archive(struct arena *a, const struct board *b, size_t card,
                  const struct moment *now)
{
    str lines = dated(a, b, board_card_lines(b, card), now);
    struct board without = reread(a, board_remove(a, b, card));
    str text = without.archive.line > 0
                   ? board_insert(a, &without, without.n_lanes, 0, lines)
                   : make_archive(a, &without, lines);
    return limit_archive(a, text);
}
