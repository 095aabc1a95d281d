#include "vault/change/hunks.h"

#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/change/proposal.h"
#include "vault/text/diff.h"
#include "vault/text/encoding.h"

/* --- listing --- */

bool hunks_is_text(str bytes)
{
    return encoding_of(bytes) != ENCODING_NONE;
}

static bool hunk_is_file(const struct proposal_op *p)
{
    return p->op.kind == JOURNAL_WRITE || p->op.kind == JOURNAL_DELETE;
}

static bool hunk_is_folder(const struct proposal_op *p)
{
    return p->op.kind == JOURNAL_MAKE_FOLDER || p->op.kind == JOURNAL_REMOVE_FOLDER;
}

/* The changes of all hunks of the diff, which are next to each other there. */
static const struct diff_change *all_changes(struct arena *a, const struct diff *d,
                                             size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < d->n_hunks; i++)
        *n += d->hunks[i].n_changes;
    struct diff_change *list = ARENA_ARRAY(a, struct diff_change, *n), *to = list;
    for (size_t i = 0; i < d->n_hunks; i++)
        for (size_t k = 0; k < d->hunks[i].n_changes; k++)
            *to++ = d->hunks[i].changes[k];
    return list;
}

static struct hunk_file hunks_of_file(struct arena *a, const struct proposal_op *p,
                                      size_t most)
{
    struct hunk_file f = {.op = p, .n = 1, .whole = true};
    enum encoding ignored;
    if (!hunk_is_file(p) || !hunks_is_text(p->base) || !hunks_is_text(p->op.text)) {
        f.before = p->base;
        f.after = p->op.text;
        return f;
    }
    f.before = encoding_read(a, p->base, &ignored);
    f.after = encoding_read(a, p->op.text, &f.encoding);
    diff_make(a, f.before, f.after, &f.diff);
    if (p->op.kind != JOURNAL_WRITE || p->op.expects != CHANGE_SAME)
        return f;
    size_t n;
    const struct diff_change *changes = all_changes(a, &f.diff, &n);
    if (n == 0 || n > most)
        return f;
    f.change = changes;
    f.n = n;
    f.whole = false;
    return f;
}

void hunks_list(struct arena *a, const struct proposal *p, struct hunks *out)
{
    *out = (struct hunks){.files = ARENA_ARRAY(a, struct hunk_file, p->n),
                          .by_file = proposal_is_by_file(p)};
    for (size_t i = 0; i < p->n; i++) {
        if (hunk_is_folder(&p->ops[i]))
            continue;
        struct hunk_file *f = &out->files[out->n++];
        size_t left = out->n_hunks < HUNKS_ALL_MAX ? HUNKS_ALL_MAX - out->n_hunks : 0;
        *f = hunks_of_file(a, &p->ops[i], left < HUNKS_FILE_MAX ? left : HUNKS_FILE_MAX);
        f->first = out->n_hunks;
        out->n_hunks += f->n;
    }
}

/* --- choosing --- */

static struct hunk_choice no_hunks(struct arena *a, const struct hunks *h)
{
    struct hunk_choice c = {.taken = ARENA_ARRAY(a, bool, h->n_hunks + 1)};
    memset(c.taken, 0, h->n_hunks + 1);
    return c;
}

static void take_hunks(struct hunk_choice *c, size_t from, size_t n)
{
    for (size_t i = from; i < from + n; i++) {
        c->n += !c->taken[i];
        c->taken[i] = true;
    }
}

void hunks_choose_all(struct arena *a, const struct hunks *h, struct hunk_choice *out)
{
    *out = no_hunks(a, h);
    take_hunks(out, 0, h->n_hunks);
}

/* A number from 1 to max at the start of *text. */
static bool hunks_take_number(str *text, size_t max, size_t *out)
{
    int64_t n;
    size_t digits = 0;
    while (digits < text->n && text->p[digits] >= '0' && text->p[digits] <= '9')
        digits++;
    if (!str_to_int(str_slice(*text, 0, digits), &n) || n < 1 || (uint64_t)n > max)
        return false;
    *out = (size_t)n;
    *text = str_skip(*text, digits);
    return true;
}

/* "2", "2.3", "2.3-5" */
static bool choose_part(const struct hunks *h, str part, struct hunk_choice *c)
{
    size_t file, from, to;
    if (!hunks_take_number(&part, h->n, &file))
        return false;
    const struct hunk_file *f = &h->files[file - 1];
    if (part.n == 0) {
        take_hunks(c, f->first, f->n);
        return true;
    }
    if (part.p[0] != '.')
        return false;
    part = str_skip(part, 1);
    if (!hunks_take_number(&part, f->n, &from))
        return false;
    to = from;
    if (part.n > 0 && part.p[0] == '-') {
        part = str_skip(part, 1);
        if (!hunks_take_number(&part, f->n, &to) || to < from)
            return false;
    }
    take_hunks(c, f->first + from - 1, to - from + 1);
    return part.n == 0;
}

static bool hunks_as_a_whole(const struct hunks *h, const struct hunk_choice *c,
                             struct err *err)
{
    return h->by_file || c->n == 0 || c->n == h->n_hunks ||
           err_set(err, ERR_INVALID,
                   "this proposal moves files or makes folders: accept or reject it as a "
                   "whole");
}

bool hunks_choose(struct arena *a, const struct hunks *h, str text,
                  struct hunk_choice *out, struct err *err)
{
    str part;
    size_t n = 0;
    struct hunk_choice c = no_hunks(a, h);
    bool all = str_eq(text, STR("all"));
    if (all)
        take_hunks(&c, 0, h->n_hunks);
    else if (!str_eq(text, STR("none")))
        while (str_next(&text, ',', &part)) {
            if (++n > HUNKS_CHOICE_MAX)
                return err_set(err, ERR_LIMIT, "at most %d hunks can be named",
                               HUNKS_CHOICE_MAX);
            if (!choose_part(h, part, &c))
                return err_set(
                    err, ERR_INVALID,
                    "the proposal has no hunk '" STR_FMT
                    "': \"2\" is its second file, \"2.3\" the third hunk in it",
                    STR_ARG(utf8_cut(part, 40)));
        }
    c.none = c.n == 0 && (h->n_hunks > 0 || !all);
    *out = c;
    return hunks_as_a_whole(h, out, err);
}

bool hunks_choose_paths(struct arena *a, const struct hunks *h, const str *paths,
                        size_t n, struct hunk_choice *out, struct err *err)
{
    struct hunk_choice c = no_hunks(a, h);
    for (size_t i = 0; i < n; i++) {
        bool found = false;
        for (size_t k = 0; k < h->n; k++)
            if (str_eq(h->files[k].op->op.path, paths[i])) {
                take_hunks(&c, h->files[k].first, h->files[k].n);
                found = true;
            }
        if (!found)
            return err_set(err, ERR_INVALID, "the proposal does not change '" STR_FMT "'",
                           STR_ARG(paths[i]));
    }
    c.none = c.n == 0;
    *out = c;
    return hunks_as_a_whole(h, out, err);
}

size_t hunks_taken(const struct hunk_file *f, const struct hunk_choice *c)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        n += c->taken[f->first + i];
    return n;
}

/* Of a file of which only a part is taken. */
static void print_some(struct sbuf *out, size_t number, const struct hunk_file *f,
                       const struct hunk_choice *c)
{
    for (size_t i = 0, end; i < f->n; i = end) {
        end = i + 1;
        if (!c->taken[f->first + i])
            continue;
        while (end < f->n && c->taken[f->first + end])
            end++;
        sbuf_printf(out, "%s%zu.%zu", out->n > 0 ? "," : "", number, i + 1);
        if (end > i + 1)
            sbuf_printf(out, "-%zu", end);
    }
}

str hunks_print(struct arena *a, const struct hunks *h, const struct hunk_choice *c)
{
    struct sbuf out = SBUF_ON(a);
    if (c->none || c->n == h->n_hunks)
        return c->none ? STR("none") : STR("all");
    for (size_t i = 0; i < h->n; i++) {
        const struct hunk_file *f = &h->files[i];
        if (hunks_taken(f, c) == f->n)
            sbuf_printf(&out, "%s%zu", out.n > 0 ? "," : "", i + 1);
        else
            print_some(&out, i + 1, f, c);
    }
    return sbuf_str(&out);
}

/* --- applying --- */

static void hunks_add_lines(struct sbuf *out, const str *lines, uint32_t from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        sbuf_add(out, lines[from + i]);
}

/* Only the last line of either text may lack a break, and what is at its end comes from one of
 * them, because the lines of a hunk are next to each other. */
static str hunks_merge_lines(struct arena *a, const struct hunk_file *f,
                             const struct hunk_choice *c)
{
    const struct diff *d = &f->diff;
    struct sbuf out = SBUF_ON(a);
    uint32_t at = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct diff_change *x = &f->change[i];
        hunks_add_lines(&out, d->old_lines, at, x->old_at - at);
        if (c->taken[f->first + i])
            hunks_add_lines(&out, d->new_lines, x->new_at, x->new_n);
        else
            hunks_add_lines(&out, d->old_lines, x->old_at, x->old_n);
        at = x->old_at + x->old_n;
    }
    hunks_add_lines(&out, d->old_lines, at, d->n_old - at);
    return sbuf_str(&out);
}

bool hunks_apply(struct arena *a, const struct hunk_file *f, const struct hunk_choice *c,
                 str *bytes, struct err *err)
{
    size_t taken = hunks_taken(f, c);
    str missing;
    if (taken == f->n || taken == 0) {
        *bytes = taken == 0 ? f->op->base : f->op->op.text;
        return true;
    }
    str text = hunks_merge_lines(a, f, c);
    if (!encoding_is_other(f->encoding)) {
        *bytes = text;
        return true;
    }
    return encoding_write(a, text, f->encoding, bytes, &missing) ||
           err_named(err, E_NOT_TEXT,
                     "'" STR_FMT "' cannot be accepted in parts: its encoding lacks a "
                     "character of the rest",
                     STR_ARG(f->op->op.path));
}
