/* The outline of a board: lanes, and the cards in them. */
#include "app/answers/answer.h"
#include "app/answers/changed.h"
#include "app/answers/model_text.h"
#include "app/answers/read_parts.h"
#include "app/answers/term.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/forms/board.h"

/* A lane or, if card is not n_cards, a card. */
struct outline_item {
    size_t lane, card;
};

struct board_outline {
    struct arena *arena;
    struct board board;
    struct outline_item *items;
    size_t n;
};

static bool is_board(struct arena *a, str path, str text, struct board *out)
{
    return str_eq_nocase(path_extension(path), STR("md")) &&
           str_find(text, STR("kanban-plugin")) != STR_NONE && board_read(a, text, out);
}

/* Lanes and cards from that line on; the archive is only counted. */
static bool outline_of(const struct read_file *f, struct board_outline *o)
{
    *o = (struct board_outline){.arena = f->arena};
    const struct board *b = &o->board;
    if (!is_board(f->arena, f->text.path, f->text.text, &o->board))
        return false;
    o->items = ARENA_ARRAY(f->arena, struct outline_item, b->n_lanes + b->n_cards + 1);
    size_t lanes = b->n_lanes + (b->archive.line > 0);
    for (size_t i = 0; i < lanes; i++) {
        const struct board_lane *lane = board_lane_at(b, i);
        if (lane->line >= f->first)
            o->items[o->n++] = (struct outline_item){i, b->n_cards};
        for (size_t k = 0; k < lane->n && i < b->n_lanes; k++)
            if (b->cards[lane->first + k].line >= f->first)
                o->items[o->n++] = (struct outline_item){i, lane->first + k};
    }
    return true;
}

static uint32_t board_line_of(const struct board_outline *o, size_t i)
{
    const struct outline_item *item = &o->items[i];
    return item->card < o->board.n_cards ? o->board.cards[item->card].line
                                         : board_lane_at(&o->board, item->lane)->line;
}

/* --- JSON --- */

static void put_lane(struct jsonw *w, const struct board_outline *o, size_t i)
{
    const struct board_lane *lane = board_lane_at(&o->board, i);
    jsonw_put_str(w, i < o->board.n_lanes ? STR("lane") : STR("archive"), lane->title);
    jsonw_put_int(w, STR("line"), lane->line);
    jsonw_put_int(w, STR("cards"), (int64_t)lane->n);
    if (lane->max > 0)
        jsonw_put_int(w, STR("max"), lane->max);
    jsonw_put_true(w, STR("complete"), lane->complete);
}

static void put_card(struct jsonw *w, const struct board_outline *o, size_t i)
{
    const struct board_card *card = &o->board.cards[i];
    struct board_content c;
    board_card_read(o->arena, &o->board, card, &c);
    jsonw_put_int(w, STR("line"), card->line);
    jsonw_put_str(w, STR("status"), card->status);
    jsonw_put_str(w, STR("text"), c.text);
    jsonw_put_text(w, STR("block"), c.block);
    jsonw_put_text(w, STR("date"), c.date);
    jsonw_put_text(w, STR("time"), c.time);
}

static void board_put_item(struct answer_out *out, const void *result, size_t i)
{
    const struct board_outline *o = result;
    jsonw_object(out->w);
    if (o->items[i].card < o->board.n_cards)
        put_card(out->w, o, o->items[i].card);
    else
        put_lane(out->w, o, o->items[i].lane);
    jsonw_end(out->w);
}

bool read_board_json(struct answer_out *out, const struct read_file *f)
{
    struct board_outline o;
    if (!outline_of(f, &o))
        return false;
    jsonw_put_int(out->w, STR("total_lines"), (int64_t)changed_lines(f->text.text));
    size_t n = answer_items(out, STR("board"), &o, o.n, board_put_item);
    if (n < o.n)
        answer_next(out, board_line_of(&o, n), SIZE_MAX);
    return true;
}

/* --- plain text --- */

/* "12: ## Doing (2 cards, at most 3)" */
static void say_lane(struct model_text *s, const struct board_outline *o, size_t i)
{
    const struct board_lane *lane = board_lane_at(&o->board, i);
    sbuf_printf(s->out, "%u: ## ", lane->line);
    mt_line(s, lane->title);
    sbuf_add(s->out, STR(" ("));
    mt_count(s, lane->n, "card", "cards");
    if (lane->max > 0)
        sbuf_printf(s->out, ", at most %lld", (long long)lane->max);
    if (lane->complete)
        sbuf_add(s->out, STR(", checks off"));
    sbuf_add(s->out, i < o->board.n_lanes ? STR(")\n") : STR(", archived)\n"));
}

/* "13: [ ] text", and its other lines below it. */
static void say_card(struct model_text *s, const struct board_outline *o, size_t i)
{
    const struct board_card *card = &o->board.cards[i];
    str rest = str_trim_line(str_slice(o->board.text, card->start, card->end)), line;
    bool first = true;
    while (rest.n > 0 && text_take_line(&rest, &line)) {
        if (first)
            sbuf_printf(s->out, "%u: ", card->line);
        else
            sbuf_add(s->out, STR("    "));
        mt_line(s, first ? text_drop_return(line) : str_trim_line(line));
        sbuf_char(s->out, '\n');
        first = false;
    }
}

static void say_item_of_board(struct model_text *s, const void *result, size_t i)
{
    const struct board_outline *o = result;
    if (o->items[i].card < o->board.n_cards)
        say_card(s, o, o->items[i].card);
    else
        say_lane(s, o, o->items[i].lane);
}

bool read_board_text(struct model_text *s, const struct read_file *f)
{
    struct board_outline o;
    if (!outline_of(f, &o))
        return false;
    size_t n = mt_items(s, &o, o.n, say_item_of_board);
    if (n < o.n)
        mt_next(s, board_line_of(&o, n), SIZE_MAX);
    if (o.n == 0)
        mt_note(s, STR("no lanes"));
    return true;
}

bool read_board_term(struct term *t, const struct read_file *f)
{
    struct sbuf text = SBUF_ON(f->arena);
    bool board = read_board_text(&(struct model_text){&text, SIZE_MAX}, f);
    term_text(t, sbuf_str(&text));
    return board;
}

str read_board_note(struct arena *a, str path, str text)
{
    enum { SHOWN = 20 };
    struct board b;
    struct sbuf out = SBUF_ON(a);
    if (!is_board(a, path, text, &b))
        return (str){0};
    sbuf_add(&out, STR("a board: "));
    for (size_t i = 0; i < b.n_lanes && i < SHOWN; i++) {
        sbuf_printf(&out, "%s" STR_FMT " %zu", i > 0 ? ", " : "",
                    STR_ARG(utf8_cut(b.lanes[i].title, 60)), b.lanes[i].n);
        if (b.lanes[i].max > 0)
            sbuf_printf(&out, " of %lld", (long long)b.lanes[i].max);
    }
    if (b.archive.line > 0)
        sbuf_printf(&out, ", archived %zu", b.archive.n);
    return sbuf_str(&out);
}
