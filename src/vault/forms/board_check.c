#include "vault/forms/board_check.h"

#include "base/text.h"
#include "base/utf8.h"
#include "vault/forms/board_edit.h"
#include "vault/note/note.h"
#include "vault/note/readback.h"

static bool refuse_rest(str problem, struct err *err)
{
    return err_named(err, E_INVALID_CONTENT,
                     "the rest of the board would mean something else: " STR_FMT
                     "; close what the card opens (code, math, comments), or change both "
                     "as exact text",
                     STR_ARG(problem));
}

static bool refuse_card(struct arena *a, const struct board *b, size_t card,
                        const char *verb, struct err *err)
{
    enum { SHOWN = 60 };
    str line = str_trim_line(board_card_lines(b, card));
    line = text_drop_return(str_slice(line, 0, text_line_end(line, 0)));
    return refuse_rest(arena_printf(a, "line %u, '" STR_FMT "', %s a card of its own",
                                    b->cards[card].line, STR_ARG(utf8_cut(line, SHOWN)),
                                    verb),
                       err);
}

/* --- cards --- */

/* How many of the oldest cards have left a full archive. */
static size_t dropped_cards(const struct board_change *c)
{
    size_t left = c->was->n_cards - (c->gone != BOARD_NO_CARD);
    size_t kept = c->now->n_cards - (c->came != BOARD_NO_CARD);
    int64_t most;
    bool full = c->archived &&
                json_int(json_get(c->now->settings, STR("max-archive-size")), &most) &&
                most >= 0 && c->now->archive.n == (size_t)most;
    return full && left > kept ? left - kept : 0;
}

static bool is_same_card(const struct board *x, size_t i, const struct board *y, size_t j)
{
    return i < x->n_cards && j < y->n_cards && x->cards[i].lane == y->cards[j].lane &&
           str_eq(board_card_lines(x, i), board_card_lines(y, j));
}

static bool check_other_cards(struct arena *a, const struct board_change *c,
                              struct err *err)
{
    const struct board *was = c->was, *now = c->now;
    size_t dropped = dropped_cards(c), j = 0;
    for (size_t i = 0; i < was->n_cards; i++) {
        if (i == c->gone)
            continue;
        if (dropped > 0 && was->cards[i].lane == was->n_lanes) {
            dropped--;
            continue;
        }
        j += j == c->came;
        if (!is_same_card(was, i, now, j++))
            return refuse_card(a, was, i, "would no longer be", err);
    }
    j += j == c->came;
    return j >= now->n_cards || refuse_card(a, now, j, "would become", err);
}

/* --- the text --- */

struct board_text {
    const struct board *board;
    str text; /* closed_text() */
};

/* The text with a line break at its end: what is inserted below a last line without one
 * gives it one. */
static str closed_text(struct arena *a, const struct board_change *c, str text)
{
    if (text.n == 0 || str_ends(text, STR("\n")))
        return text;
    return arena_printf(a, STR_FMT STR_FMT, STR_ARG(text),
                        STR_ARG(text_line_ending(c->was->text)));
}

/* A place of the board in that text. */
static size_t closed_end(const struct board_text *b, size_t end)
{
    return end == b->board->text.n ? b->text.n : end;
}

static struct edit_range card_range(const struct board_text *b, size_t card)
{
    const struct board_card *c = &b->board->cards[card];
    return (struct edit_range){c->start, closed_end(b, c->end)};
}

static size_t range_size(struct edit_range r)
{
    return r.end - r.start;
}

/* Where the archive has its cards, or will be made, without what is below it. */
static struct edit_range archive_range(const struct board_text *b, size_t gone_end)
{
    size_t end = closed_end(b, b->board->end), at = end;
    if (b->board->archive.line > 0)
        return (struct edit_range){b->board->archive.empty, end};
    while (at > gone_end && is_space(b->text.p[at - 1]))
        at--;
    return (struct edit_range){at > gone_end ? text_next_line(b->text, at) : at, end};
}

struct board_ranges {
    struct edit_range cut[2], put[2]; /* as in struct readback */
    size_t n;
};

static void add_ranges(struct board_ranges *r, struct edit_range cut,
                       struct edit_range put)
{
    r->cut[r->n] = cut;
    r->put[r->n++] = put;
}

static void find_archived(const struct board_change *c, const struct board_text *was,
                          const struct board_text *now, struct board_ranges *out)
{
    struct edit_range gone = card_range(was, c->gone);
    struct edit_range cut = archive_range(was, gone.end);
    bool within = gone.end > cut.start; /* it was in the archive before */
    size_t from = cut.start - (within ? 0 : range_size(gone));
    if (!within)
        add_ranges(out, gone, (struct edit_range){gone.start, gone.start});
    add_ranges(out, cut, (struct edit_range){from, closed_end(now, c->now->end)});
}

static void find_moved(const struct board_change *c, const struct board_text *was,
                       const struct board_text *now, struct board_ranges *out)
{
    struct edit_range gone = {0}, came = {0};
    if (c->gone != BOARD_NO_CARD)
        gone = card_range(was, c->gone);
    if (c->came != BOARD_NO_CARD)
        came = card_range(now, c->came);
    bool down = c->gone != BOARD_NO_CARD && came.start > gone.start;
    size_t before = came.start + (down ? range_size(gone) : 0);
    size_t after = gone.start + (down ? 0 : range_size(came));
    if (down)
        add_ranges(out, gone, (struct edit_range){after, after});
    if (c->came != BOARD_NO_CARD)
        add_ranges(out, (struct edit_range){before, before}, came);
    if (!down && c->gone != BOARD_NO_CARD)
        add_ranges(out, gone, (struct edit_range){after, after});
}

/* Whether the bytes outside of the ranges are the same. */
static bool is_same_rest(str was, str now, const struct board_ranges *r)
{
    size_t x = 0, y = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (r->cut[i].start < x || r->put[i].start < y || r->put[i].end > now.n ||
            !str_eq(str_slice(was, x, r->cut[i].start),
                    str_slice(now, y, r->put[i].start)))
            return false;
        x = r->cut[i].end;
        y = r->put[i].end;
    }
    return str_eq(str_skip(was, x), str_skip(now, y));
}

static bool check_rest(struct arena *a, const struct board_change *c, struct err *err)
{
    struct board_ranges ranges = {.n = 0};
    struct arena scratch = {0};
    struct note before, after;
    struct board_text was = {c->was, closed_text(&scratch, c, c->was->text)};
    struct board_text now = {c->now, closed_text(&scratch, c, c->now->text)};
    str problem = STR("the lines around the card would change");
    (c->archived ? find_archived : find_moved)(c, &was, &now, &ranges);
    if (is_same_rest(was.text, now.text, &ranges)) {
        note_scan(&scratch, was.text, &before);
        note_scan(&scratch, now.text, &after);
        struct readback r = {.was = &before,
                             .is = &after,
                             .cut = ranges.cut,
                             .put = ranges.put,
                             .n = ranges.n};
        problem = readback_problem(a, &r, "would no longer be", "would become");
    }
    arena_release(&scratch);
    return problem.n == 0 || refuse_rest(problem, err);
}

bool board_check(struct arena *a, const struct board_change *c, struct err *err)
{
    if (c->now->n_lanes != c->was->n_lanes)
        return err_named(err, E_INVALID_CONTENT,
                         "the card would change the lanes of the board: is a code block "
                         "open in one of them?");
    return check_other_cards(a, c, err) && check_rest(a, c, err);
}
