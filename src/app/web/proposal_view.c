#include "app/web/proposal_view.h"

#include "app/setup/proposed.h"
#include "app/web/diff_html.h"
#include "base/text.h"
#include "http/form.h"
#include "oauth/html.h"
#include "vault/change/hunks.h"
#include "vault/text/hidden.h"
#include "vault/text/visible.h"

/* --- what is shown --- */

static size_t shown_bytes(const struct hunk_file *f)
{
    size_t n = f->before.n + f->after.n;
    if (f->whole)
        return n;
    n = 0;
    for (size_t i = 0; i < f->n; i++)
        for (uint32_t k = 0; k < f->change[i].new_n; k++)
            n += f->diff.new_lines[f->change[i].new_at + k].n;
    for (size_t i = 0; i < f->n; i++)
        for (uint32_t k = 0; k < f->change[i].old_n; k++)
            n += f->diff.old_lines[f->change[i].old_at + k].n;
    return n;
}

static bool is_text_file(const struct hunk_file *f)
{
    return hunks_is_text(f->op->base) && hunks_is_text(f->op->op.text);
}

static size_t count_folders(const struct proposal *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        n += proposed_is_folder(&p->ops[i]);
    return n;
}

/* What accepting makes of a file that has changed meanwhile; all of it is shown, or the file is
 * not. */
static str merged_diff(struct arena *a, const struct proposed *p, size_t i)
{
    return proposed_merge_diff(a, p, i, 0);
}

void proposal_parts(struct arena *a, const struct proposed *p, struct proposal_parts *out)
{
    size_t left = PROPOSALS_PAGE_BYTES;
    bool *shown = ARENA_ARRAY(a, bool, p->hunks.n + 1);
    *out = (struct proposal_parts){.files = shown, .all = true};
    for (size_t i = 0; i < p->hunks.n; i++) {
        const struct hunk_file *f = &p->hunks.files[i];
        size_t n = is_text_file(f) ? shown_bytes(f) + merged_diff(a, p, i).n : 0;
        shown[i] = i < PROPOSALS_PAGE_FILES && n <= left;
        left -= shown[i] ? n : 0;
        out->all = out->all && shown[i];
    }
    out->all = out->all && count_folders(&p->proposal) <= PROPOSALS_PAGE_FILES;
    out->by_file =
        p->hunks.by_file && p->hunks.n > 0 && p->hunks.n <= PROPOSALS_PAGE_PARTS;
    out->by_hunk = out->by_file && p->hunks.n + p->hunks.n_hunks <= PROPOSALS_PAGE_PARTS;
}

/* --- hunks --- */

static void put_pre(const struct proposal_view *v)
{
    html_open(v->h, "pre", {"class", STR("diff open")});
}

static void put_hunk_lines(const struct proposal_view *v, const struct proposed_hunk *h)
{
    put_pre(v);
    diff_html_lines(v->h, v->a, "ctx", STR(" "), h->before);
    diff_html_change(v->h, v->a, h->old_text, h->new_text);
    diff_html_lines(v->h, v->a, "ctx", STR(" "), h->after);
    html_end(v->h);
}

/* A checkbox with its label; on: checked at first. */
static void put_check(const struct proposal_view *v, str name, bool on, bool can,
                      str label)
{
    html_open(v->h, "label", {"class", STR("pick")});
    if (!v->fixed)
        html_void(v->h, "input", {"type", STR("checkbox")}, {"name", name},
                  {"value", STR("on")}, {on && can ? "checked" : NULL, STR("")},
                  {can ? NULL : "disabled", STR("")});
    html_line(v->h, "span", NULL, label);
    html_end(v->h);
}

static void put_hidden_warning(const struct proposal_view *v, enum hidden_kind kind)
{
    if (kind < HIDDEN_KINDS)
        html_line(v->h, "p", "warning",
                  arena_printf(v->a,
                               "This has text that readers do not see (%s). Characters "
                               "without a shape are shown as ‹U+…›.",
                               hidden_names[kind]));
}

static void put_hunk(const struct proposal_view *v, const struct proposal_parts *parts,
                     size_t file, size_t i)
{
    struct proposed_hunk h;
    const struct hunk_file *f = &v->shown->hunks.files[file];
    bool alone = f->n == 1, on = v->shown->choice.taken[f->first + i];
    proposed_hunk(v->shown, file, i, &h);
    if (v->fixed && !on)
        return;
    html_open(v->h, "div", {"class", STR("hunk")});
    if (!alone) {
        str label = arena_printf(v->a, "Hunk %zu.%zu, line %u%s", file + 1, i + 1, h.line,
                                 h.clashes ? ": conflicts, cannot be accepted" : "");
        if (parts->by_hunk)
            put_check(v, arena_printf(v->a, "h%zu.%zu", file + 1, i + 1), on, !h.clashes,
                      label);
        else
            html_line(v->h, "p", "soft small", label);
    }
    put_hidden_warning(v, h.hidden);
    if (h.line_ends)
        html_line(v->h, "p", "warning",
                  STR("Both look the same: only line breaks or the encoding change."));
    put_hunk_lines(v, &h);
    html_end(v->h);
}

/* --- files --- */

static void put_name(const struct proposal_view *v, size_t i)
{
    static const struct {
        const char *outcome, *word;
    } words[] = {{"moved", "Move"},
                 {"deleted", "Delete"},
                 {"created", "Create"},
                 {"changed", "Change"}};
    const struct hunk_file *f = &v->shown->hunks.files[i];
    for (size_t k = 0; k < COUNT_OF(words); k++)
        if (strcmp(words[k].outcome, proposed_outcome_of(f)) == 0)
            html_text(v->h, str_c(words[k].word));
    html_text(v->h, STR(" "));
    html_line(v->h, "bdi", NULL, visible_text(v->a, f->op->op.path));
    if (f->op->op.to.n > 0) {
        html_text(v->h, STR(" to "));
        html_line(v->h, "bdi", NULL, visible_text(v->a, f->op->op.to));
    }
}

static void put_collisions(const struct proposal_view *v, const struct accept_file *f)
{
    for (size_t i = 0; i < f->n_collisions; i++) {
        html_line(v->h, "p", "small", STR("The note has now, and the proposal has:"));
        put_pre(v);
        diff_html_lines(v->h, v->a, "ctx", STR("="), f->collisions[i].now);
        diff_html_lines(v->h, v->a, "add", STR("+"), f->collisions[i].proposed);
        html_end(v->h);
    }
}

/* A unified diff, without its names. */
static void put_merged(const struct proposal_view *v, str diff)
{
    size_t hunks = str_find(diff, STR("\n@@"));
    if (hunks == STR_NONE)
        return;
    put_pre(v);
    diff = str_skip(diff, hunks + 1);
    for (size_t at = 0, end; at < diff.n; at = end) {
        end = text_next_line(diff, at);
        str line = str_slice(diff, at, end);
        diff_html_lines(v->h, v->a,
                        line.p[0] == '+'   ? "add"
                        : line.p[0] == '-' ? "del"
                                           : "ctx",
                        STR(""), line);
    }
    html_end(v->h);
}

/* What became of the file since. */
static void put_state(const struct proposal_view *v, const struct proposal_parts *parts,
                      size_t i)
{
    const struct accept_file *f = &v->shown->shown.files[i];
    if (f->state == ACCEPT_CONFLICT) {
        html_line(v->h, "p", "alert",
                  arena_printf(v->a, "Conflict: this %s. It cannot be accepted as it is.",
                               f->why));
        put_collisions(v, f);
    } else if (f->state == ACCEPT_DONE) {
        html_line(v->h, "p", "soft small", STR("It is like that already."));
    } else if (f->state == ACCEPT_MERGED && parts->files[i]) {
        html_line(v->h, "p", "warning",
                  STR("The note has changed since. Both changes fit together; accepting "
                      "makes this change now:"));
        put_merged(v, merged_diff(v->a, v->shown, i));
        if (!v->fixed)
            html_line(v->h, "p", "soft small", STR("What was proposed:"));
    }
}

static void put_binary(const struct proposal_view *v, const struct hunk_file *f)
{
    if (f->op->op.kind == JOURNAL_WRITE || f->op->op.kind == JOURNAL_DELETE)
        html_line(v->h, "p", "warning",
                  arena_printf(v->a,
                               "This is not text: %zu bytes would become %zu. A review "
                               "cannot show what is in it.",
                               f->op->base.n, f->op->op.text.n));
}

static void put_hunks(const struct proposal_view *v, const struct proposal_parts *parts,
                      size_t i)
{
    const struct hunk_file *f = &v->shown->hunks.files[i];
    if (v->fixed && v->shown->shown.files[i].state == ACCEPT_MERGED)
        return; /* only what it comes to */
    if (!is_text_file(f))
        put_binary(v, f);
    else if (f->before.n > 0 || f->after.n > 0)
        for (size_t k = 0; k < f->n; k++)
            put_hunk(v, parts, i, k);
}

static bool can_take(const struct proposal_view *v, const struct proposal_parts *parts,
                     size_t i)
{
    const struct accept_file *f = &v->shown->shown.files[i];
    bool some = false;
    for (size_t k = 0;
         f->clashes != NULL && parts->by_hunk && k < v->shown->hunks.files[i].n; k++)
        some = some || !f->clashes[k];
    return parts->files[i] && (f->state != ACCEPT_CONFLICT || some);
}

static void proposal_view_put_file(const struct proposal_view *v,
                                   const struct proposal_parts *parts, size_t i)
{
    const struct hunk_file *f = &v->shown->hunks.files[i];
    if (v->fixed && hunks_taken(f, &v->shown->choice) == 0)
        return;
    html_open(v->h, "section", {"class", STR("file")});
    html_open(v->h, "h2");
    put_name(v, i);
    html_end(v->h);
    if (parts->by_file && v->shown->hunks.n + f->n > 2)
        put_check(v, arena_printf(v->a, "f%zu", i + 1), true, can_take(v, parts, i),
                  arena_printf(v->a, "Accept file %zu", i + 1));
    put_state(v, parts, i);
    if (parts->files[i])
        put_hunks(v, parts, i);
    else
        html_line(v->h, "p", "warning",
                  STR("This file is too large for this page, so it cannot be accepted "
                      "here."));
    html_end(v->h);
}

static void put_folders(const struct proposal_view *v)
{
    const struct proposal *p = &v->shown->proposal;
    size_t n = 0;
    for (size_t i = 0; i < p->n && n < PROPOSALS_PAGE_FILES; i++) {
        if (!proposed_is_folder(&p->ops[i]))
            continue;
        html_open(v->h, "h2");
        html_text(v->h, p->ops[i].op.kind == JOURNAL_MAKE_FOLDER
                            ? STR("Make the folder ")
                            : STR("Remove the folder "));
        html_line(v->h, "bdi", NULL, visible_text(v->a, p->ops[i].op.path));
        html_end(v->h);
        n++;
    }
}

void proposal_view_put(const struct proposal_view *v)
{
    struct proposal_parts parts;
    size_t n = v->shown->hunks.n;
    proposal_parts(v->a, v->shown, &parts);
    for (size_t i = 0; i < n && i < PROPOSALS_PAGE_FILES; i++)
        proposal_view_put_file(v, &parts, i);
    put_folders(v);
    if (n > PROPOSALS_PAGE_FILES)
        html_line(v->h, "p", "warning",
                  arena_printf(v->a, "%zu more files are not shown here.",
                               n - PROPOSALS_PAGE_FILES));
}

/* --- the form --- */

static bool is_on(struct arena *a, const struct form *form, const char *kind, size_t file,
                  size_t hunk)
{
    str name = hunk > 0 ? arena_printf(a, "%s%zu.%zu", kind, file, hunk)
                        : arena_printf(a, "%s%zu", kind, file);
    return form_get(form, name).n > 0;
}

/* A box that is not there does not count. */
static bool takes_file(struct arena *a, const struct form *form, const struct proposed *p,
                       const struct proposal_parts *parts, size_t i)
{
    const struct hunk_file *f = &p->hunks.files[i];
    return parts->files[i] && (p->hunks.n + f->n <= 2 || is_on(a, form, "f", i + 1, 0));
}

/* A choice that was made before, and shown again to be confirmed. */
static str fixed_choice(struct arena *a, const struct proposed *p,
                        const struct proposal_parts *parts, str choice)
{
    struct hunk_choice taken;
    struct err ignored;
    bool shown = hunks_choose(a, &p->hunks, choice, &taken, &ignored) &&
                 (parts->all || parts->by_file);
    for (size_t i = 0; shown && i < p->hunks.n; i++)
        shown = parts->files[i] || hunks_taken(&p->hunks.files[i], &taken) == 0;
    return shown ? choice : STR("none");
}

str proposal_view_choice(struct arena *a, const struct proposed *p,
                         const struct form *form)
{
    struct proposal_parts parts;
    struct sbuf out = SBUF_ON(a);
    str fixed = form_get(form, STR("choice"));
    proposal_parts(a, p, &parts);
    if (fixed.n > 0)
        return fixed_choice(a, p, &parts, fixed);
    if (!parts.by_file)
        return parts.all ? STR("all") : STR("none");
    for (size_t i = 0; i < p->hunks.n; i++) {
        const struct hunk_file *f = &p->hunks.files[i];
        if (!takes_file(a, form, p, &parts, i))
            continue;
        if (f->n == 1 || !parts.by_hunk) {
            sbuf_printf(&out, "%s%zu", out.n > 0 ? "," : "", i + 1);
            continue;
        }
        for (size_t k = 0; k < f->n; k++)
            if (is_on(a, form, "h", i + 1, k + 1))
                sbuf_printf(&out, "%s%zu.%zu", out.n > 0 ? "," : "", i + 1, k + 1);
    }
    return out.n > 0 ? sbuf_str(&out) : STR("none");
}
