/*
 * The first byte selects the operation, the second its options; then come the text of a
 * note, the text to find and the text to write, separated by 0x1E. In any case, bytes
 * outside the range that changed stay, the lines reported exist, the result can be
 * scanned, and applying the diff to the old text gives the new one.
 */
#include "base/err.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/note/edit.h"
#include "vault/note/note.h"
#include "vault/text/diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NEED(condition)                                                                  \
    do {                                                                                 \
        if (!(condition))                                                                \
            BUG("violated: %s", #condition);                                             \
    } while (0)

struct input {
    unsigned option;
    str text, needle, content;
};

static void check_result(struct arena *a, str old, const struct edit_result *r)
{
    struct note note;
    NEED(r->was.start == r->is.start && r->was.start <= r->was.end);
    NEED(r->was.end <= old.n && r->is.start <= r->is.end && r->is.end <= r->text.n);
    NEED(str_eq(str_slice(old, 0, r->was.start), str_slice(r->text, 0, r->is.start)));
    NEED(str_eq(str_skip(old, r->was.end), str_skip(r->text, r->is.end)));
    note_scan(a, r->text, &note);
    NEED(r->line_first <= r->line_last && r->line_last <= note.lines);
    NEED(r->text.n == 0 || note.lines == 0 || r->line_first > 0);
    NEED(r->replacements > 0 && r->n_warnings <= EDIT_WARNINGS_MAX);
}

static void check_diff(struct arena *a, str old, str now)
{
    struct diff d;
    struct sbuf b = SBUF_ON(a);
    uint32_t x = 0;
    diff_make(a, old, now, &d);
    for (size_t i = 0; i < d.n_hunks; i++)
        for (size_t k = 0; k < d.hunks[i].n_changes; k++) {
            const struct diff_change *c = &d.hunks[i].changes[k];
            for (; x < c->old_at; x++)
                sbuf_add(&b, d.old_lines[x]);
            for (uint32_t y = 0; y < c->new_n; y++)
                sbuf_add(&b, d.new_lines[c->new_at + y]);
            x += c->old_n;
        }
    for (; x < d.n_old; x++)
        sbuf_add(&b, d.old_lines[x]);
    NEED(str_eq(sbuf_str(&b), now));
    (void)diff_print(a, &d, STR("a"), STR("b"), 0);
}

static bool run_insert(struct arena *a, const struct input *in, struct edit_result *r,
                       struct err *err)
{
    struct edit_insert i = {
        .where = (enum edit_where)(in->option % 5),
        .content = in->content,
        .anchor = in->needle,
        .inside_line = in->option >= 5,
        .line = (uint32_t)in->needle.n,
    };
    if (!edit_insert(a, in->text, &i, r, err))
        return false;
    /* nothing is lost, and at most three line breaks are added */
    NEED(r->was.start == r->was.end);
    NEED(r->is.end - r->is.start <= 2 * in->content.n + 8);
    return true;
}

static bool run_section(struct arena *a, const struct input *in, struct edit_result *r,
                        struct err *err)
{
    struct edit_section e = {
        .heading = in->needle,
        .action = (enum edit_action)(in->option % 5),
        .shallow = in->option & 8,
        .create_level = in->option >= 5 && in->option % 5 != EDIT_DELETE ? 2 : 0,
        .content = in->content,
    };
    return edit_section(a, in->text, &e, r, err);
}

static bool run(struct arena *a, char operation, const struct input *in,
                struct edit_result *r, struct err *err)
{
    struct edit_swap swaps[] = {
        {in->needle, in->content, in->option & 1},
        {in->content, in->needle, in->option & 1},
    };
    struct edit_pattern p = {
        .pattern = in->needle,
        .replacement = in->content,
        .nocase = in->option & 1,
        .literal = in->option & 2,
        .max = in->option & 4,
    };
    struct edit_block b = {in->needle, (enum edit_action)(in->option % 5), in->content};
    switch (operation) {
    case 'r':
        return edit_replace(a, in->text, swaps, in->option & 2 ? 2 : 1, r, err);
    case 'x':
        return edit_regex(a, in->text, &p, r, err);
    case 'i':
        return run_insert(a, in, r, err);
    case 's':
        return run_section(a, in, r, err);
    default:
        return edit_block(a, in->text, &b, r, err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct edit_result r = {0};
    struct err err = {0};
    if (size < 2)
        return 0;
    struct input in = {.option = data[1] % 16};
    str rest = {(const char *)data + 2, size - 2};
    (void)str_next(&rest, '\x1e', &in.text);
    (void)str_next(&rest, '\x1e', &in.needle);
    in.content = rest;
    if (run(&a, (char)data[0], &in, &r, &err)) {
        check_result(&a, in.text, &r);
        check_diff(&a, in.text, r.text);
    } else {
        NEED(err.code != ERR_NONE && err.msg[0] != '\0' && utf8_valid(str_c(err.msg)));
        NEED(utf8_valid(r.hint));
    }
    check_diff(&a, in.text, in.content);
    arena_release(&a);
    return 0;
}
