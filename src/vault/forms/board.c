#include "vault/forms/board.h"

#include "base/array.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"

/* --- settings --- */

static bool is_board(struct arena *a, const struct note *n)
{
    struct frontmatter fm;
    if (!n->has_frontmatter)
        return false;
    frontmatter_read(a, span_of(n->text, n->frontmatter), 1, &fm);
    return frontmatter_get(&fm, STR("kanban-plugin")) != NULL;
}

/* The last line "%% kanban:settings" begins the settings, which are JSON in a code block. */
static void board_read_settings(struct arena *a, struct board *b)
{
    static const str mark = STR("%% kanban:settings");
    struct err ignored;
    str rest = b->text, line, json = {0};
    b->end = b->text.n;
    for (size_t at = 0; at < b->text.n; at = text_next_line(b->text, at))
        if (str_starts(str_skip(b->text, at), mark))
            b->end = at;
    rest = str_skip(b->text, b->end);
    while (text_take_line(&rest, &line) && !str_starts(line, STR("```")))
        ;
    const char *from = rest.p;
    while (text_take_line(&rest, &line) && !str_starts(line, STR("```")))
        json = (str){from, (size_t)(line.p + line.n - from)};
    if (json.n == 0 || !json_parse(a, str_trim_line(json), &b->settings, &ignored))
        b->settings = NULL;
}

str board_setting(const struct board *b, const char *key, const char *otherwise)
{
    str value = json_get_str(b->settings, str_c(key));
    return value.n > 0 ? value : str_c(otherwise);
}

/* --- lines --- */

/* The length of a list marker with its space at the start of a line; 0: not an item. */
static size_t marker_size(str line)
{
    size_t n = text_skip_digits(line, 0);
    if (n == 0 && line.n > 0 && strchr("-*+", line.p[0]) != NULL)
        n = 1;
    else if (n > 0 && n < line.n && (line.p[n] == '.' || line.p[n] == ')'))
        n++;
    else
        return 0;
    size_t end = text_skip_blanks(line, n);
    return end > n ? end : 0;
}

/* "***", "---" or "___", also longer and with spaces. */
static bool is_rule(str line)
{
    size_t marks = 0;
    line = str_trim_line(line);
    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] != line.p[0] && line.p[i] != ' ')
            return false;
        marks += line.p[i] == line.p[0];
    }
    return marks >= 3 && strchr("*-_", line.p[0]) != NULL;
}

/* The box after the marker: the character in it, and *size with the space after it. */
static str box_of(str rest, size_t *size)
{
    size_t n;
    *size = 0;
    if (rest.n < 3 || rest.p[0] != '[')
        return STR(" ");
    (void)utf8_decode(str_skip(rest, 1), &n);
    if (n + 1 >= rest.n || rest.p[n + 1] != ']' ||
        (n + 2 < rest.n && !is_space(rest.p[n + 2])))
        return STR(" ");
    *size = n + 2 < rest.n ? n + 3 : n + 2;
    return str_slice(rest, 1, n + 1);
}

/* --- lanes --- */

/* "Doing (3)": the title and the number. */
static void read_title(str title, struct board_lane *out)
{
    size_t open = str_find_last(title, '(');
    *out = (struct board_lane){.title = title};
    if (open == STR_NONE || !str_ends(title, STR(")")) ||
        !str_to_int(str_slice(title, open + 1, title.n - 1), &out->max) || out->max < 0)
        out->max = 0;
    else
        out->title = str_trim(str_slice(title, 0, open));
}

/* Reads the lines of one lane. */
struct lane_reader {
    struct arena *arena;
    struct board *board;
    struct board_lane *lane;
    const struct note *note;
    uint32_t region;     /* the next of the note */
    size_t code;         /* the end of the code block so far */
    bool in_list, ended; /* in its list; after it */
    bool after_blank;
    bool after_rule; /* a card there would turn the archive below into a lane */
};

static bool is_code(struct lane_reader *r, size_t at)
{
    const struct note *n = r->note;
    for (; r->region < n->n_regions && n->regions[r->region].span.start <= at;
         r->region++)
        if (n->regions[r->region].kind == NOTE_FENCED_CODE &&
            n->regions[r->region].span.end > r->code)
            r->code = n->regions[r->region].span.end;
    return at < r->code;
}

static void add_card(struct lane_reader *r, size_t at, size_t next, uint32_t number,
                     str line)
{
    struct board *b = r->board;
    size_t ignored;
    if (r->lane->n++ == 0)
        r->lane->first = b->n_cards;
    *ARRAY_ADD(r->arena, b->cards, b->n_cards) = (struct board_card){
        .start = at,
        .end = next,
        .line = number,
        .last = number,
        .status = box_of(str_skip(line, marker_size(line)), &ignored)};
    r->in_list = true;
}

/* A line that is not a new item belongs to the card, or ends the list. */
static void read_line(struct lane_reader *r, size_t at, size_t next, uint32_t number)
{
    str line = text_drop_return(
        str_slice(r->board->text, at, text_line_end(r->board->text, at)));
    bool blank = str_trim_line(line).n == 0, code = is_code(r, at);
    bool indented = line.n > 0 && is_blank(line.p[0]);
    if (r->ended)
        return;
    if (!blank && !code && !is_rule(line) && marker_size(line) > 0) {
        add_card(r, at, next, number, line);
    } else if (r->in_list && !blank) {
        bool ends = r->after_blank || code || is_rule(line) || line.p[0] == '>';
        if (ends && !indented) {
            r->ended = true;
            return;
        }
        struct board_card *card = &r->board->cards[r->board->n_cards - 1];
        card->end = next;
        card->last = number;
    } else if (!r->in_list && !blank && !code) {
        r->lane->complete = r->lane->complete || str_starts(line, STR("**Complete**"));
        r->after_rule = r->after_rule || is_rule(line);
        if (!r->after_rule)
            r->lane->empty = next;
    } else if (!r->in_list && !code && !r->after_blank && !r->after_rule &&
               !r->lane->complete) {
        r->lane->empty = next; /* the empty line below the heading */
    }
    r->after_blank = blank;
}

static void read_lane(struct lane_reader *common, struct board_lane *lane, size_t start,
                      size_t end)
{
    const struct board *b = common->board;
    struct lane_reader r = *common;
    uint32_t number = lane->line;
    size_t at = text_next_line(b->text, start);
    r.lane = lane;
    lane->empty = at;
    for (; at < end; at = text_next_line(b->text, at))
        read_line(&r, at, text_next_line(b->text, at), ++number);
    if (lane->empty > end)
        lane->empty = end;
    common->region = r.region;
    common->code = r.code;
}

/* Whether the last line from body to at that is not empty is a thematic break. */
static bool follows_break(str text, size_t body, size_t at)
{
    while (at > body) {
        size_t start = text_line_start(text, at - 1);
        str line = str_slice(text, start, at - 1);
        if (str_trim_line(line).n > 0)
            return is_rule(line);
        at = start;
    }
    return false;
}

static void read_lanes(struct arena *a, struct board *b, const struct note *n)
{
    uint32_t last = n->n_headings;
    while (last > 0 && n->headings[last - 1].section.start >= b->end)
        last--;
    struct lane_reader common = {.arena = a, .board = b, .note = n};
    b->lanes = ARENA_ARRAY(a, struct board_lane, last + 1);
    for (uint32_t i = 0; i < last; i++) {
        const struct note_heading *h = &n->headings[i];
        size_t start = h->section.start;
        size_t end = i + 1 < last ? n->headings[i + 1].section.start : b->end;
        bool archive = i + 1 == last && follows_break(b->text, n->body, start);
        struct board_lane *lane = archive ? &b->archive : &b->lanes[b->n_lanes++];
        read_title(span_of(b->text, h->title), lane);
        lane->line = h->line;
        size_t cards = b->n_cards;
        read_lane(&common, lane, start, end);
        for (; cards < b->n_cards; cards++)
            b->cards[cards].lane = archive ? b->n_lanes : b->n_lanes - 1;
    }
}

/* Line breaks that the plugin does not write, and lines here do not end with. */
static bool has_lone_return(str text)
{
    for (size_t at = 0; at < text.n; at++) {
        size_t next = str_find_char(str_skip(text, at), '\r');
        if (next == STR_NONE)
            return false;
        at += next;
        if (at + 1 == text.n || text.p[at + 1] != '\n')
            return true;
    }
    return false;
}

bool board_read(struct arena *a, str text, struct board *out)
{
    struct note note;
    note_scan(a, text, &note);
    *out = (struct board){.text = text};
    if (!is_board(a, &note) || has_lone_return(text))
        return false;
    board_read_settings(a, out);
    read_lanes(a, out, &note);
    return true;
}

const struct board_lane *board_lane_at(const struct board *b, size_t lane)
{
    return lane < b->n_lanes ? &b->lanes[lane] : &b->archive;
}

size_t board_card_at(const struct board *b, uint32_t line)
{
    size_t i = 0;
    while (i < b->n_cards && (line < b->cards[i].line || line > b->cards[i].last))
        i++;
    return i;
}

bool board_is_called(struct arena *a, const struct board_lane *lane, str name)
{
    return str_eq(utf8_fold(a, lane->title), utf8_fold(a, str_trim(name)));
}

/* --- cards --- */

size_t board_block_at(str line)
{
    size_t at = str_find_last(line, '^');
    if (at == STR_NONE || at == 0 || !is_blank(line.p[at - 1]) || at + 1 == line.n)
        return line.n;
    for (size_t i = at + 1; i < line.n; i++)
        if (!is_alnum(line.p[i]) && line.p[i] != '-')
            return line.n;
    return at - 1;
}

/* Without the block id at its end. */
static str board_cut_block(str line, str *block)
{
    size_t at = board_block_at(line);
    *block = str_skip(line, at + 2);
    return str_trim(str_slice(line, 0, at));
}

/* Line breaks are also written <br>. */
static void board_add_line(struct sbuf *out, str line)
{
    static const str mark = STR("<br>");
    size_t at;
    while ((at = str_find(line, mark)) != STR_NONE) {
        sbuf_add(out, str_slice(line, 0, at));
        sbuf_char(out, '\n');
        line = str_skip(line, at + mark.n);
    }
    sbuf_add(out, line);
}

static str dedented(str line)
{
    size_t spaces = 0;
    if (str_starts(line, STR("\t")))
        return str_skip(line, 1);
    while (spaces < 4 && spaces < line.n && line.p[spaces] == ' ')
        spaces++;
    return str_skip(line, spaces);
}

/* What is in braces or, for a date, in [[ ]] after the trigger, at the start of a word. */
static str marked(str text, str trigger, bool link)
{
    for (size_t at = 0; at < text.n;) {
        size_t found = str_find(str_skip(text, at), trigger);
        if (found == STR_NONE)
            break;
        at += found;
        bool word = at == 0 || is_space(text.p[at - 1]);
        at += trigger.n;
        str rest = str_skip(text, at);
        bool brace = str_starts(rest, STR("{"));
        if (!word || (!brace && !(link && str_starts(rest, STR("[[")))))
            continue;
        size_t end = str_find(rest, brace ? STR("}") : STR("]]"));
        if (end != STR_NONE)
            return str_slice(rest, brace ? 1 : 2, end);
        if (brace) /* and there is none later */
            break;
        link = false;
    }
    return (str){0};
}

void board_card_read(struct arena *a, const struct board *b,
                     const struct board_card *card, struct board_content *out)
{
    struct sbuf text = SBUF_ON(a);
    str rest = str_trim_line(str_slice(b->text, card->start, card->end)), line;
    size_t box;
    *out = (struct board_content){0};
    (void)text_take_line(&rest, &line);
    line = str_skip(line, marker_size(line));
    (void)box_of(line, &box);
    line = str_trim(text_drop_return(str_skip(line, box)));
    board_add_line(&text, board_cut_block(line, &out->block));
    while (rest.n > 0 && text_take_line(&rest, &line)) {
        sbuf_char(&text, '\n');
        board_add_line(&text, dedented(text_drop_return(line)));
    }
    out->text = sbuf_str(&text);
    out->date = marked(out->text, board_setting(b, "date-trigger", "@"), true);
    out->time = marked(out->text, board_setting(b, "time-trigger", "@@"), false);
}
