#include "app/answers/findings.h"

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/answers/term.h"
#include "base/near.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/ask/check.h"
#include "vault/note/obsidian.h"
#include "vault/note/policy.h"
#include "vault/vault.h"
#include "vault/walk.h"

/* --- what to look for --- */

/* A hint has those that may be intentional or have to be asked for: a message has no room for
 * all. */
static bool no_such_kind(struct arena *a, str name, struct err *err)
{
    enum { SHOWN_MAX = 60 };
    struct sbuf b = SBUF_ON(a);
    struct near_search near;
    near_search(&near, utf8_cut(name, SHOWN_MAX), name.n / 4 + 1);
    for (enum check_kind k = 0; k < CHECK_KINDS; k++)
        (void)near_offer(&near, str_c(check_kind_name(k)));
    if (near.best.n > 0)
        return err_set(err, ERR_INVALID,
                       "no kind '" STR_FMT "'; did you mean '" STR_FMT "'?",
                       STR_ARG(utf8_cut(name, SHOWN_MAX)), STR_ARG(near.best));
    for (enum check_kind k = 0; k < CHECK_KINDS; k++)
        if ((CHECK_ASKED >> k & 1) == 0 && k < CHECK_EMPTY)
            sbuf_printf(&b, "%s%s", k > 0 ? ", " : "", check_kind_name(k));
    err_set(err, ERR_INVALID, "no kind '" STR_FMT "'; there are " STR_FMT,
            STR_ARG(utf8_cut(name, SHOWN_MAX)), STR_ARG(sbuf_str(&b)));
    return err_hint(err, "or empty_note, orphan_note, orphan_attachment, hub_note, "
                         "stale_note, near_duplicate");
}

bool findings_kinds(struct arena *a, const str *names, size_t n, bool every,
                    unsigned *out, struct err *err)
{
    static const unsigned intended =
        1u << CHECK_EMPTY | 1u << CHECK_ORPHAN | 1u << CHECK_ATTACHMENT;
    static const unsigned all = ((1u << CHECK_KINDS) - 1) & ~(unsigned)CHECK_ASKED;
    *out = n > 0 ? 0 : all & ~(every ? 0 : intended);
    for (size_t i = 0; i < n; i++) {
        enum check_kind kind = check_kind_of(names[i]);
        if (kind == CHECK_KINDS)
            return no_such_kind(a, names[i], err);
        *out |= 1u << kind;
    }
    return true;
}

/* --- what is not in the index --- */

static int left_by_path(const void *a, const void *b)
{
    return str_cmp(((const struct skipped_file *)a)->path,
                   ((const struct skipped_file *)b)->path);
}

bool findings_look(struct vault *v, struct arena *a, struct check_limits *limits,
                   struct err *err)
{
    struct walk w;
    if (!vault_wait(v, NULL, NULL, err) || !vault_prepare(v, err))
        return false;
    (void)vault_lock(v);
    const struct obsidian *settings = vault_obsidian(v);
    limits->templates[0] = arena_str(a, obsidian_templates(settings).folder);
    limits->templates[1] = arena_str(a, obsidian_templater_folder(settings));
    vault_unlock(v);
    if ((limits->kinds >> CHECK_LEFT_OUT & 1) == 0)
        return true;
    if (!vault_walk(v, STR(""), &w, err))
        return false;
    size_t n = w.n_left;
    struct skipped_file *left = ARENA_ARRAY(a, struct skipped_file, n);
    for (size_t i = 0; i < n; i++)
        left[i] = (struct skipped_file){arena_str(a, utf8_repair(a, w.left[i].path)),
                                        arena_str(a, w.left[i].why)};
    walk_release(&w);
    if (n > 1)
        sort_items(left, n, sizeof(*left), left_by_path);
    limits->left = left;
    limits->n_left = n;
    return true;
}

/* --- JSON --- */

static void findings_put(struct answer_out *out, const void *result, size_t i)
{
    const struct findings *r = result;
    const struct check_finding *f = &r->found.findings[i];
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("kind"), str_c(check_kind_name(f->kind)));
    jsonw_put_str(out->w, STR("severity"), str_c(check_severity_name(f->severity)));
    jsonw_put_str(out->w, STR("path"), f->path);
    if (f->line > 0)
        jsonw_put_int(out->w, STR("line"), f->line);
    jsonw_put_str(out->w, STR("message"), f->message);
    jsonw_put_text(out->w, STR("suggestion"), f->suggestion);
    jsonw_end(out->w);
}

/* What notes and folders say about clients. */
static void put_policies(struct jsonw *w, str key, const size_t counts[POLICY_KINDS])
{
    jsonw_put_object(w, key);
    for (enum policy p = POLICY_PROPOSE; p < POLICY_KINDS; p++)
        if (counts[p] > 0)
            jsonw_put_int(w, str_c(policy_name(p)), (int64_t)counts[p]);
    jsonw_end(w);
}

static bool says_something(const struct policies_counts *c)
{
    size_t n = 0;
    for (enum policy p = POLICY_PROPOSE; p < POLICY_KINDS; p++)
        n += c->notes[p] + c->folders[p];
    return n > 0;
}

static void findings_json(struct answer_out *out, const void *result)
{
    const struct findings *f = result;
    const struct check_result *r = &f->found;
    jsonw_object(out->w);
    size_t shown = answer_items(out, STR("findings"), result, r->n, findings_put);
    jsonw_put_int(out->w, STR("total"), (int64_t)r->total);
    jsonw_put_object(out->w, STR("counts"));
    for (int i = 0; i < CHECK_KINDS; i++)
        if (r->counts[i] > 0)
            jsonw_put_int(out->w, str_c(check_kind_name((enum check_kind)i)),
                          (int64_t)r->counts[i]);
    jsonw_end(out->w);
    if (says_something(&f->policies)) {
        put_policies(out->w, STR("policy_notes"), f->policies.notes);
        put_policies(out->w, STR("policy_folders"), f->policies.folders);
    }
    jsonw_put_true(out->w, STR("partial"), r->partial);
    answer_next(out, f->offset + shown, r->total);
    jsonw_end(out->w);
}

/* --- plain text --- */

static void findings_text_one(struct model_text *s, const void *result, size_t i)
{
    const struct findings *r = result;
    const struct check_finding *f = &r->found.findings[i];
    if (i == 0 || !str_eq(f[-1].path, f->path))
        sbuf_printf(s->out, STR_FMT "\n", STR_ARG(f->path));
    if (f->line > 0)
        sbuf_printf(s->out, "%u: ", f->line);
    sbuf_printf(s->out, "%s: " STR_FMT, check_kind_name(f->kind), STR_ARG(f->message));
    if (f->suggestion.n > 0) /* it goes on after the message, so it begins small */
        sbuf_printf(s->out, "; %c" STR_FMT, to_lower(f->suggestion.p[0]),
                    STR_ARG(str_skip(f->suggestion, 1)));
    sbuf_char(s->out, '\n');
}

static void findings_text(struct model_text *s, const void *result)
{
    const struct findings *f = result;
    const struct check_result *r = &f->found;
    mt_count(s, r->total, "finding", "findings");
    for (int i = 0, n = 0; i < CHECK_KINDS; i++)
        if (r->counts[i] > 0)
            sbuf_printf(s->out, "%s%s %zu", n++ > 0 ? ", " : ": ",
                        check_kind_name((enum check_kind)i), r->counts[i]);
    sbuf_char(s->out, '\n');
    size_t shown = mt_items(s, result, r->n, findings_text_one);
    mt_next(s, f->offset + shown, r->total);
    if (r->partial)
        mt_note(s, STR("timed out: there may be more"));
}

/* --- a terminal --- */

static void findings_put_line(struct term *t, const struct check_finding *f, str path,
                              bool new_file)
{
    static const enum term_style styles[] = {
        [CHECK_ERROR] = TERM_BAD,
        [CHECK_WARNING] = TERM_WARN,
        [CHECK_INFO] = TERM_FAINT,
    };
    bool people = t->width > 0;
    term_place(t, path, f->line, new_file);
    term_put(t, TERM_PLAIN, people ? STR("") : STR(" "));
    term_put(t, styles[f->severity], str_c(check_kind_name(f->kind)));
    term_printf(t, TERM_PLAIN, people ? "  " STR_FMT "\n" : ": " STR_FMT "\n",
                STR_ARG(f->message));
    if (people && f->suggestion.n > 0)
        term_printf(t, TERM_FAINT, "          " STR_FMT "\n", STR_ARG(f->suggestion));
}

/* "12 findings: broken_link 10, duplicate_name 2" */
static void findings_put_counts(struct term *t, const struct check_result *r)
{
    term_put(t, TERM_FAINT, term_count(t, r->total, "finding", "findings"));
    for (int i = 0, n = 0; i < CHECK_KINDS; i++)
        if (r->counts[i] > 0)
            term_printf(t, TERM_FAINT, "%s%s %zu", n++ > 0 ? ", " : ": ",
                        check_kind_name((enum check_kind)i), r->counts[i]);
    term_put(t, TERM_PLAIN, STR("\n"));
}

/* "For clients: 3 notes and 1 folder hidden, 2 notes read-only". */
static void put_policies_line(struct term *t, const struct policies_counts *c)
{
    const char *between = "For clients: ";
    for (enum policy p = POLICY_HIDDEN; p > POLICY_NONE; p--) {
        if (c->notes[p] + c->folders[p] == 0)
            continue;
        term_printf(t, TERM_FAINT, "%s", between);
        if (c->notes[p] > 0)
            term_printf(t, TERM_FAINT, STR_FMT "%s",
                        STR_ARG(term_count(t, c->notes[p], "note", "notes")),
                        c->folders[p] > 0 ? " and " : "");
        if (c->folders[p] > 0)
            term_printf(t, TERM_FAINT, STR_FMT,
                        STR_ARG(term_count(t, c->folders[p], "folder", "folders")));
        term_printf(t, TERM_FAINT, " %s",
                    p == POLICY_PROPOSE ? "only proposed" : policy_name(p));
        between = ", ";
    }
    if (says_something(c))
        term_put(t, TERM_FAINT, STR("\n"));
}

static void findings_term(struct term *t, const void *result)
{
    const struct findings *r = result;
    const struct check_finding *all = r->found.findings;
    for (size_t i = 0; i < r->found.n; i++)
        findings_put_line(t, &all[i], all[i].path,
                          i == 0 || !str_eq(all[i - 1].path, all[i].path));
    bool more = r->offset + r->found.n < r->found.total;
    if (t->width > 0 && r->found.n > 0)
        term_put(t, TERM_PLAIN, STR("\n"));
    if (t->width > 0) {
        findings_put_counts(t, &r->found);
        put_policies_line(t, &r->policies);
    }
    if (more)
        term_printf(term_remarks(t), TERM_FAINT,
                    "%zu of %zu; continue with --offset %zu\n", r->found.n,
                    r->found.total, r->offset + r->found.n);
}

const struct answer_shape findings_shape = {"findings", .json = findings_json,
                                            .text = findings_text, .term = findings_term};
