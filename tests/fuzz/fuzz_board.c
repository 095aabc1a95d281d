/*
 * Any board: a card that is inserted and removed again leaves the text as it was; moving and
 * archiving keep the settings; what is read lies within the text.
 */
#include "base/err.h"
#include "vault/forms/board_edit.h"

static void check_cards(struct arena *a, const struct board *b)
{
    for (size_t i = 0; i < b->n_cards; i++) {
        struct board_content c;
        if (b->cards[i].start >= b->cards[i].end || b->cards[i].end > b->end ||
            (i > 0 && b->cards[i].start < b->cards[i - 1].end))
            BUG("card %zu is at %zu to %zu", i, b->cards[i].start, b->cards[i].end);
        board_card_read(a, b, &b->cards[i], &c);
    }
}

/* The settings, from their first line on. */
static str settings(const struct board *b)
{
    return str_skip(b->text, b->end);
}

static void check_changes(struct arena *a, const struct board *b)
{
    static const struct moment now = {.year = 2026, .month = 1, .day = 2};
    struct board with;
    for (size_t lane = 0; lane < b->n_lanes; lane++) {
        str text = board_insert(a, b, lane, lane, STR("- [ ] fuzzed"));
        if (!board_read(a, text, &with))
            BUG("a card made the board something else");
        for (size_t i = 0; i < with.n_cards; i++)
            if (str_eq(board_card_lines(&with, i), STR("- [ ] fuzzed")) &&
                with.n_cards == b->n_cards + 1 &&
                !str_eq(board_remove(a, &with, i), b->text) &&
                str_find(b->text, STR("- [ ] fuzzed")) == STR_NONE)
                BUG("removing the card does not undo adding it");
    }
    if (b->n_cards == 0 || b->n_lanes == 0)
        return;
    if (!str_ends(board_move(a, b, 0, b->n_lanes - 1, 1), settings(b)) ||
        !str_ends(board_archive(a, b, b->n_cards - 1, &now), settings(b)))
        BUG("the settings changed");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONGEST = 4096 };
    struct arena a = {0};
    struct board b;
    str text = {(const char *)data, size < LONGEST ? size : LONGEST};
    if (board_read(&a, text, &b)) {
        check_cards(&a, &b);
        check_changes(&a, &b);
    }
    arena_release(&a);
    return 0;
}
