#include "app/cli/proposals_show.h"

#include "app/answers/term.h"
#include "base/text.h"
#include "vault/text/visible.h"
#include "vault/text/word_diff.h"

enum { LABEL = 8, SAME_MAX = 400, SAME_KEPT = 80 };

static str word(const struct json *j, const char *key)
{
    return json_get_str(j, str_c(key));
}

/* --- rows --- */

static void show_row(struct cli *c, const struct json *row)
{
    str vault = word(row, "vault"), by = word(row, "decided_by"),
        reason = word(row, "reason");
    term_put(&c->out, TERM_STRONG, word(row, "id"));
    term_put(&c->out, TERM_PLAIN, STR("  "));
    term_left(&c->out, TERM_FAINT, term_when_iso(&c->out, word(row, "time")), TERM_WHEN);
    term_printf(&c->out, TERM_PLAIN, "  " STR_FMT "  ", STR_ARG(word(row, "state")));
    if (vault.n > 0)
        term_printf(&c->out, TERM_FAINT, STR_FMT ": ", STR_ARG(vault));
    term_put(&c->out, TERM_PLAIN, visible_text(c->arena, word(row, "summary")));
    if (by.n > 0)
        term_printf(&c->out, TERM_FAINT, " (by " STR_FMT ")", STR_ARG(by));
    if (reason.n > 0)
        term_printf(&c->out, TERM_FAINT, " (" STR_FMT ")",
                    STR_ARG(visible_text(c->arena, reason)));
    term_put(&c->out, TERM_PLAIN, STR("\n"));
}

void proposals_show_list(struct cli *c, const struct json *answer)
{
    const struct json *list = json_get(answer, STR("proposals"));
    if (list == NULL || list->n == 0)
        term_put(&c->out, TERM_FAINT, STR("There are no proposals\n"));
    else
        for (const struct json *row = list->child; row != NULL; row = row->next)
            show_row(c, row);
}

/* --- lines --- */

static void show_hunk_line(struct cli *c, enum term_style style, char sign, str line)
{
    char mark[] = {sign, '\0'};
    size_t n = line.n - str_ends(line, STR("\n"));
    n -= n > 0 && line.p[n - 1] == '\r';
    term_put(&c->out, style, str_c(mark));
    term_put(&c->out, style, visible_text(c->arena, str_slice(line, 0, n)));
    term_put(&c->out, TERM_PLAIN, STR("\n"));
}

static void show_hunk_lines(struct cli *c, enum term_style style, char sign, str text)
{
    for (size_t at = 0, end; at < text.n; at = end) {
        end = text_next_line(text, at);
        show_hunk_line(c, style, sign, str_slice(text, at, end));
    }
}

/* Much text that stays between changes of a long line is left out, and counted. */
static str shorten(struct cli *c, str text, bool first, bool last)
{
    if (text.n <= SAME_MAX)
        return text;
    size_t head = first ? 0 : SAME_KEPT, tail = last ? text.n : text.n - SAME_KEPT;
    while (head > 0 && ((unsigned char)text.p[head] & 0xC0) == 0x80)
        head--;
    while (tail < text.n && ((unsigned char)text.p[tail] & 0xC0) == 0x80)
        tail++;
    return arena_printf(c->arena, STR_FMT " [%zu bytes unchanged] " STR_FMT,
                        STR_ARG(str_slice(text, 0, head)), tail - head,
                        STR_ARG(str_skip(text, tail)));
}

static void show_part(struct cli *c, const struct word_part *p, str text)
{
    static const enum term_style styles[] = {TERM_PLAIN, TERM_BAD, TERM_GOOD};
    bool marked = !c->out.colour && p->kind != WORD_SAME;
    if (text.n == 0)
        return;
    if (marked)
        term_put(&c->out, TERM_PLAIN, p->kind == WORD_GONE ? STR("[-") : STR("{+"));
    term_put(&c->out, styles[p->kind], visible_text(c->arena, text));
    if (marked)
        term_put(&c->out, TERM_PLAIN, p->kind == WORD_GONE ? STR("-]") : STR("+}"));
}

/* Both texts in one, with a "~" before each line. */
static void show_words(struct cli *c, const struct word_part *parts, size_t n)
{
    bool begun = false;
    for (size_t i = 0; i < n; i++) {
        str rest = parts[i].kind == WORD_SAME
                       ? shorten(c, parts[i].text, i == 0, i + 1 == n)
                       : parts[i].text;
        for (size_t at = 0, end; at < rest.n; at = end) {
            end = text_next_line(rest, at);
            str line = str_slice(rest, at, end);
            bool ends = str_ends(line, STR("\n"));
            if (!begun)
                term_put(&c->out, TERM_FAINT, STR("~"));
            show_part(c, &parts[i], str_slice(line, 0, line.n - ends));
            if (ends)
                term_put(&c->out, TERM_PLAIN, STR("\n"));
            begun = !ends;
        }
    }
    if (begun)
        term_put(&c->out, TERM_PLAIN, STR("\n"));
}

static void show_hunk_change(struct cli *c, str old_text, str new_text)
{
    struct word_part *parts;
    size_t n = c->out.width > 0 && old_text.n > 0 && new_text.n > 0
                   ? word_diff(c->arena, old_text, new_text, &parts)
                   : 0;
    bool similar = false;
    for (size_t i = 0; i < n; i++)
        similar = similar || parts[i].kind == WORD_SAME;
    if (similar) {
        show_words(c, parts, n);
        return;
    }
    show_hunk_lines(c, TERM_BAD, '-', old_text);
    show_hunk_lines(c, TERM_GOOD, '+', new_text);
}

/* --- hunks and files --- */

void proposals_show_hunk(struct cli *c, const struct json *hunk)
{
    int64_t line = 0;
    str hidden = word(hunk, "hidden_text");
    (void)json_int(json_get(hunk, STR("line")), &line);
    term_printf(&c->out, TERM_LINE, "@@ " STR_FMT ", line %lld @@\n",
                STR_ARG(word(hunk, "hunk")), (long long)line);
    if (json_get_true(hunk, STR("conflicts")))
        term_put(&c->out, TERM_WARN,
                 STR("note: this cannot be accepted, the note has changed here since\n"));
    if (hidden.n > 0)
        term_printf(&c->out, TERM_WARN,
                    "note: this has text that is not visible (" STR_FMT ")\n",
                    STR_ARG(hidden));
    if (json_get_true(hunk, STR("line_ends")))
        term_put(&c->out, TERM_WARN,
                 STR("note: both look the same, only line breaks or the encoding "
                     "change\n"));
    show_hunk_lines(c, TERM_PLAIN, ' ', word(hunk, "before"));
    show_hunk_change(c, word(hunk, "old_text"), word(hunk, "new_text"));
    show_hunk_lines(c, TERM_PLAIN, ' ', word(hunk, "after"));
}

bool proposals_has_lines(const struct json *file)
{
    const struct json *hunks = json_get(file, STR("hunks"));
    const struct json *first = hunks != NULL ? hunks->child : NULL;
    return first != NULL &&
           (word(first, "old_text").n > 0 || word(first, "new_text").n > 0);
}

static void show_collisions(struct cli *c, const struct json *file)
{
    const struct json *list = json_get(file, STR("conflicts"));
    for (const struct json *j = list != NULL ? list->child : NULL; j != NULL;
         j = j->next) {
        term_put(&c->out, TERM_WARN, STR("  the note has now:\n"));
        show_hunk_lines(c, TERM_PLAIN, ' ', word(j, "now"));
        term_put(&c->out, TERM_WARN, STR("  the proposal has:\n"));
        show_hunk_lines(c, TERM_PLAIN, ' ', word(j, "proposed"));
    }
}

static void show_now(struct cli *c, const struct json *file)
{
    str now = word(file, "now"), diff = word(file, "merged_diff");
    if (str_eq(now, STR("conflict")))
        term_printf(&c->out, TERM_WARN, "note: conflict, it " STR_FMT "\n",
                    STR_ARG(word(file, "why")));
    else if (str_eq(now, STR("done already")))
        term_put(&c->out, TERM_FAINT, STR("it is like that already\n"));
    if (word(file, "no_diff").n > 0)
        term_printf(&c->out, TERM_WARN, "note: it is " STR_FMT "\n",
                    STR_ARG(word(file, "no_diff")));
    show_collisions(c, file);
    if (diff.n == 0)
        return;
    term_put(&c->out, TERM_WARN,
             STR("note: it has changed since; accepting all of it merges both, and would "
                 "make this change now:\n"));
    term_diff(&c->out, visible_text(c->arena, diff));
    term_put(&c->out, TERM_WARN, STR("What was proposed:\n"));
}

void proposals_show_file(struct cli *c, const struct json *file)
{
    int64_t number = 0;
    str to = word(file, "to");
    (void)json_int(json_get(file, STR("file")), &number);
    term_printf(&c->out, TERM_STRONG, "%lld  " STR_FMT " ", (long long)number,
                STR_ARG(word(file, "outcome")));
    term_put(&c->out, TERM_PATH, visible_text(c->arena, word(file, "path")));
    if (to.n > 0) {
        term_put(&c->out, TERM_PLAIN, STR(" to "));
        term_put(&c->out, TERM_PATH, visible_text(c->arena, to));
    }
    term_put(&c->out, TERM_PLAIN, STR("\n"));
    show_now(c, file);
}

void proposals_show_top(struct cli *c, const struct json *p)
{
    show_row(c, p);
    str labels[] = {word(p, "client"), word(p, "who"), word(p, "accepted")};
    static const char *const names[] = {"client", "who", "accepted"};
    for (size_t i = 0; i < COUNT_OF(labels); i++)
        if (labels[i].n > 0)
            term_labelled(&c->out, names[i], i == 2 ? LABEL + 1 : LABEL,
                          visible_text(c->arena, labels[i]));
}

static void show_folders(struct cli *c, const struct json *p)
{
    const struct json *list = json_get(p, STR("folders"));
    for (const struct json *f = list != NULL ? list->child : NULL; f != NULL;
         f = f->next) {
        term_printf(&c->out, TERM_STRONG, "   " STR_FMT " the folder ",
                    STR_ARG(word(f, "outcome")));
        term_put(&c->out, TERM_PATH, visible_text(c->arena, word(f, "path")));
        term_put(&c->out, TERM_PLAIN, STR("\n"));
    }
}

void proposals_show(struct cli *c, const struct json *p)
{
    const struct json *files = json_get(p, STR("files"));
    proposals_show_top(c, p);
    for (const struct json *f = files != NULL ? files->child : NULL; f != NULL;
         f = f->next) {
        const struct json *hunks = json_get(f, STR("hunks"));
        proposals_show_file(c, f);
        if (!proposals_has_lines(f))
            continue;
        for (const struct json *h = hunks->child; h != NULL; h = h->next)
            proposals_show_hunk(c, h);
    }
    show_folders(c, p);
}
