/* Cards of a board: they are tasks that live in lanes. */
#include "vault/ops_board.h"
#include "base/clock.h"
#include "base/text.h"
#include "vault/draft.h"
#include "vault/forms/board.h"
#include "vault/forms/board_check.h"
#include "vault/forms/board_edit.h"
#include "vault/forms/task_change.h"
#include "vault/forms/task_note.h"
#include "vault/note/edit.h"
#include "vault/note/obsidian.h"
#include "vault/text/moment.h"
#include "vault/vault.h"

/* --- in which lane --- */

/* "#Lane" means a lane of the same note, too. */
static str lane_of(const struct ops_task *t)
{
    bool here = t->lane.n == 0 && str_starts(t->to, STR("#"));
    return here ? str_trim(str_skip(t->to, 1)) : t->lane;
}

bool ops_board_wanted(const struct ops_task *t)
{
    return t->lane.n > 0 || t->archive || t->position > 0;
}

static bool board_request_check(const struct ops_task *t, struct err *err)
{
    bool away = t->to.n > 0 && !str_starts(t->to, STR("#"));
    if (away || (t->lane.n > 0 && t->to.n > 0) || (t->archive && lane_of(t).n > 0))
        return err_named(err, E_INVALID_ARGUMENT,
                         "give only one of lane, archive and to");
    return true;
}

static bool refuse_other(const struct ops_task_found *found, struct err *err)
{
    return err_named(err, E_INVALID_ARGUMENT,
                     "'" STR_FMT "' is not a board: lane, position and archive are for "
                     "boards of the Kanban plugin",
                     STR_ARG(found->file.path));
}

/* The lines of the card at that position of a lane, from 1; 0: the last one. */
static void show_card(const struct board *b, size_t lane, size_t position,
                      struct edit_result *out)
{
    const struct board_lane *l = board_lane_at(b, lane);
    out->line_first = out->line_last = 0;
    if (l->n == 0)
        return;
    size_t i = position > 0 && position <= l->n ? position - 1 : l->n - 1;
    out->line_first = b->cards[l->first + i].line;
    out->line_last = b->cards[l->first + i].last;
}

/* What a change has made of a board: the card of these lines ("": any) is at a position of
 * a lane, and another one may be gone. */
struct board_done {
    const struct board *was;
    size_t gone; /* BOARD_NO_CARD: none */
    size_t lane, position;
    str lines, text;
};

/* The card that came; BOARD_NO_CARD: the archive has no room for it. */
static size_t card_that_came(const struct board *now, const struct board_done *made)
{
    const struct board_lane *l = board_lane_at(now, made->lane);
    bool counts = made->position > 0 && made->position <= l->n;
    return l->n == 0 ? BOARD_NO_CARD : l->first + (counts ? made->position : l->n) - 1;
}

static bool board_is_sound(struct arena *a, const struct board_done *made,
                           struct board *now, struct err *err)
{
    bool read = board_read(a, made->text, now) && now->n_lanes == made->was->n_lanes;
    if (!read || (made->lines.n > 0 &&
                  !board_has_card(a, now, made->lane, made->position, made->lines)))
        return err_named(err, E_INVALID_CONTENT,
                         "the card would change the lanes of the board: is a code block "
                         "open in one of them?");
    struct board_change change = {.was = made->was,
                                  .now = now,
                                  .gone = made->gone,
                                  .came = card_that_came(now, made),
                                  .archived = made->lane == now->n_lanes};
    return board_check(a, &change, err);
}

/* Take over the new text, and say what there is to say about the lane. */
static bool board_done(struct arena *a, const struct board_done *made,
                       struct edit_result *out, struct err *err)
{
    struct board now;
    if (!board_is_sound(a, made, &now, err))
        return false;
    out->text = made->text;
    show_card(&now, made->lane, made->position, out);
    const struct board_lane *l = board_lane_at(&now, made->lane);
    if (made->lane < now.n_lanes && l->max > 0 && l->n > (size_t)l->max &&
        out->n_warnings < EDIT_WARNINGS_MAX)
        out->warnings[out->n_warnings++] = arena_printf(
            a, "the lane '" STR_FMT "' has %zu cards, more than its limit of %lld",
            STR_ARG(l->title), l->n, (long long)l->max);
    return true;
}

bool ops_board_put(struct arena *a, str text, str heading, str lines,
                   struct edit_result *out, bool *is_board, struct err *err)
{
    struct board b;
    size_t lane;
    *is_board = board_read(a, text, &b);
    if (!*is_board)
        return true;
    if (!board_find_lane(a, &b, heading, &lane, err))
        return false;
    lines = str_trim_line(lines);
    struct board_done made = {.was = &b,
                              .gone = BOARD_NO_CARD,
                              .lane = lane,
                              .lines = lines,
                              .text = board_insert(a, &b, lane, 0, lines)};
    return board_done(a, &made, out, err);
}

/* --- adding --- */

/* The item with another character in its box. */
static str with_box(struct arena *a, str item, str symbol)
{
    size_t open = str_find_char(item, '['), close = str_find_char(item, ']');
    if (open == STR_NONE || close == STR_NONE || close < open)
        return item;
    return arena_printf(a, STR_FMT "[" STR_FMT STR_FMT, STR_ARG(str_slice(item, 0, open)),
                        STR_ARG(symbol), STR_ARG(str_skip(item, close)));
}

bool ops_board_add(struct draft *d, const struct ops_task *t,
                   const struct ops_task_found *found, int32_t today,
                   struct edit_result *out, bool *is_board, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct board b;
    size_t lane;
    str rest = str_trim_line(t->add), first = {0}, item;
    *is_board = board_read(a, found->file.text, &b);
    if (!*is_board)
        return !ops_board_wanted(t) || refuse_other(found, err);
    (void)text_take_line(&rest, &first);
    if (!board_request_check(t, err) || !board_find_lane(a, &b, lane_of(t), &lane, err) ||
        !task_make(a, &found->settings, text_drop_return(first), &t->fields, today, &item,
                   err))
        return false;
    if (b.lanes[lane].complete)
        item = with_box(a, item, STR("x"));
    size_t position = t->position > 0 ? t->position : board_new_position(&b);
    str lines = board_indent(a, item, rest);
    struct board_done made = {.was = &b,
                              .gone = BOARD_NO_CARD,
                              .lane = lane,
                              .position = position,
                              .lines = lines,
                              .text = board_insert(a, &b, lane, position, lines)};
    return board_done(a, &made, out, err);
}

/* --- moving --- */

/* Whether the Tasks plugin has settings here, so that it is in use. */
static bool uses_tasks(struct draft *d)
{
    struct vault *v = draft_vault(d);
    vault_lock(v);
    bool uses = obsidian_tasks(vault_obsidian(v)) != NULL;
    vault_unlock(v);
    return uses;
}

/* What a move does to the status of a card: lanes with **Complete** check it off. */
static str status_after(const struct board *b, const struct board_card *card, size_t lane)
{
    const struct board_lane *from = board_lane_at(b, card->lane);
    const struct board_lane *to = board_lane_at(b, lane);
    bool over = str_eq(card->status, STR("x")) || str_eq(card->status, STR("X"));
    if (lane >= b->n_lanes || to->complete == over)
        return (str){0};
    return to->complete ? STR("done") : from->complete ? STR("todo") : (str){0};
}

/* The next occurrence stays where the card was, so its line is not among those shown. */
static void say_next(struct arena *a, const struct task_place *place,
                     struct edit_result *out)
{
    struct edit_range range;
    struct err ignored;
    uint32_t line = place->line == out->line_first ? out->line_last : out->line_first;
    if (out->line_last > out->line_first &&
        edit_find_lines(out->text, line, line, &range, &ignored))
        out->did[out->n_did++] = arena_printf(
            a, "next occurrence: " STR_FMT,
            STR_ARG(str_trim_line(str_slice(out->text, range.start, range.end))));
}

/* Give the card its new status: by the rules of the Tasks plugin where that is used. */
static bool set_status(struct draft *d, const struct ops_task *t,
                       const struct ops_task_found *found, str implied, int32_t today,
                       struct task_place *place, struct edit_result *out, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct task_change change = {.status = t->status.n > 0 ? t->status : implied,
                                 .fields = t->fields,
                                 .today = today};
    bool plain = t->status.n == 0 && implied.n > 0 && !task_fields_any(&t->fields) &&
                 !uses_tasks(d);
    if (!plain)
        return task_edit(a, &found->settings, found->file.text, place, &change, out, err);
    str symbol = str_eq(implied, STR("done")) ? STR("x") : STR(" ");
    struct edit_lines e = {place->line, place->line, with_box(a, place->text, symbol)};
    return edit_lines(a, found->file.text, &e, out, err);
}

static bool choose_lane(struct arena *a, const struct ops_task *t, const struct board *b,
                        const struct board_card *card, size_t *out, struct err *err)
{
    str name = lane_of(t);
    *out = t->archive ? b->n_lanes : card->lane;
    return name.n == 0 || board_find_lane(a, b, name, out, err);
}

bool ops_board_move(struct draft *d, const struct ops_task *t,
                    const struct ops_task_found *found, int32_t today,
                    struct edit_result *out, bool *is_board, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct task_place place = found->place;
    struct moment now = moment_local(clock_now() * 1000);
    struct board b, then;
    size_t lane;
    bool wanted = ops_board_wanted(t) || str_starts(t->to, STR("#"));
    *is_board = wanted && board_read(a, found->file.text, &b);
    if (!*is_board)
        return !ops_board_wanted(t) || refuse_other(found, err);
    size_t card = board_card_at(&b, place.line);
    if (card == b.n_cards)
        return err_named(err, E_INVALID_ARGUMENT, "line %u is not a card of the board",
                         place.line);
    if (!board_request_check(t, err) ||
        !choose_lane(a, t, &b, &b.cards[card], &lane, err) ||
        !set_status(d, t, found, status_after(&b, &b.cards[card], lane), today, &place,
                    out, err))
        return false;
    if (place.line == 0) /* it is removed when it is done */
        return true;
    if (!board_read(a, out->text, &then) ||
        (card = board_card_at(&then, place.line)) == then.n_cards)
        return err_named(err, E_INVALID_CONTENT, "the card is lost in its lane");
    say_next(a, &place, out);
    struct board_done made = {.was = &then, .gone = card, .lane = lane};
    if (t->archive) { /* with a date */
        made.text = board_archive(a, &then, card, &now);
    } else {
        made.position = t->position;
        made.lines = board_card_lines(&then, card);
        made.text = board_move(a, &then, card, lane, t->position);
    }
    return board_done(a, &made, out, err);
}
