#include "app/setup/proposed.h"

#include "base/clock.h"
#include "base/text.h"
#include "state/proposal_table.h"
#include "vault/accept.h"
#include "vault/change/hunks.h"
#include "vault/change/proposal.h"
#include "vault/draft.h"
#include "vault/text/diff.h"
#include "vault/text/encoding.h"
#include "vault/text/hidden.h"
#include "vault/vault.h"

enum { PROPOSED_DIFF_MAX = 16 << 20 };

/* --- whose --- */

/* An API key "anna/laptop" is one of anna's, and acts for her. */
static bool is_of_person(str owner, str person)
{
    size_t line = str_find_char(owner, '\n');
    str user = str_slice(owner, 0, line == STR_NONE ? owner.n : line);
    str client = str_skip(owner, line == STR_NONE ? owner.n : line + 1);
    size_t slash = str_find_last(user, '/');
    return line != STR_NONE && person.n > 0 &&
           (str_eq(user, person) || (slash != STR_NONE && str_eq(client, STR("key")) &&
                                     str_eq(str_slice(user, 0, slash), person)));
}

static bool is_for(const struct proposed_place *p, const struct proposal_row *row)
{
    return (p->person == NULL || is_of_person(row->owner, *p->person)) &&
           (p->owner == NULL || str_eq(row->owner, *p->owner));
}

bool proposed_waits(const struct proposal_row *row)
{
    return row->state <= PROPOSAL_ACCEPTING;
}

/* One that was not looked at for long is not marked yet. */
static void see_expired(const struct proposed_place *p, struct proposal_row *row)
{
    enum { DAY_S = 24 * 60 * 60 };
    if (row->state == PROPOSAL_WAITING &&
        row->created < p->now - (int64_t)PROPOSALS_DAYS * DAY_S)
        row->state = PROPOSAL_EXPIRED;
}

bool proposed_list(const struct proposed_place *p, struct arena *a,
                   struct proposal_row **out, size_t *n, struct err *err)
{
    size_t all, kept = 0;
    if (!proposal_table_list(p->store, a, p->vault, NULL, out, &all, err))
        return false;
    for (size_t i = 0; i < all; i++) {
        see_expired(p, &(*out)[i]);
        if (is_for(p, &(*out)[i]))
            (*out)[kept++] = (*out)[i];
    }
    *n = kept;
    return true;
}

/* --- one --- */

/* The row and, if it waits, its parts. */
bool proposed_find(const struct proposed_place *p, struct arena *a, str id,
                   struct proposed *out, struct err *err)
{
    str body;
    *out = (struct proposed){0};
    if (!proposal_table_get(p->store, a, p->vault, id, &out->row, &body, err))
        return false;
    if (!is_for(p, &out->row))
        return proposal_table_unknown(id, err);
    see_expired(p, &out->row);
    if (!proposed_waits(&out->row))
        return true;
    if (!proposal_parse(a, body, &out->proposal, err))
        return false;
    hunks_list(a, &out->proposal, &out->hunks);
    return true;
}

static bool proposed_choose(struct arena *a, struct proposed *p, str choice,
                            const str *files, size_t n_files, struct err *err)
{
    if (n_files > 0)
        return hunks_choose_paths(a, &p->hunks, files, n_files, &p->choice, err);
    return hunks_choose(a, &p->hunks, choice.n > 0 ? choice : STR("all"), &p->choice,
                        err);
}

bool proposed_read(const struct proposed_place *p, struct arena *a, str id, str choice,
                   struct proposed *out, struct err *err)
{
    if (!proposed_find(p, a, id, out, err))
        return false;
    if (!proposed_waits(&out->row))
        return true;
    struct accept how = {.proposal = &out->proposal,
                         .id = out->row.id,
                         .hunks = &out->hunks,
                         .choice = &out->choice};
    return proposed_choose(a, out, choice, NULL, 0, err) &&
           accept_preview(p->open, a, &how, &out->shown, err);
}

/* --- deciding --- */

static bool not_waiting_any_more(const struct proposal_row *row, struct err *err)
{
    return err_set(err, ERR_CONFLICT, "proposal " STR_FMT " is %s", STR_ARG(row->id),
                   proposal_state_name(row->state));
}

/* Whoever began to accept it may have died: before, or after the change was made. */
static bool was_not_made(const struct proposed_place *p, struct arena *a,
                         const struct proposal_row *row, struct err *err)
{
    struct change_result made = {0};
    struct idempotency once = accept_once(a, row->id);
    if (row->state == PROPOSAL_ACCEPTING &&
        !vault_made_before(p->open, a, &once, &made, err))
        return false;
    return made.number == 0 || err_set(err, ERR_CONFLICT,
                                       "the change of proposal " STR_FMT
                                       " was made before its acceptance was "
                                       "interrupted: accept it, then undo the change",
                                       STR_ARG(row->id));
}

static bool reject(const struct proposed_place *p, struct arena *a,
                   const struct proposal_row *row, const struct proposal_verdict *v,
                   struct proposed_outcome *out, struct err *err)
{
    if (!was_not_made(p, a, row, err))
        return false;
    *out = (struct proposed_outcome){.state = PROPOSAL_REJECTED, .choice = STR("none")};
    return proposal_table_reject(p->store, v, p->now, err);
}

/* From the beginning to the end of accepting. */
struct accept_claim {
    const struct proposed_place *place;
    const struct proposal_verdict *verdict;
    int64_t begun;       /* as in proposal_table_hold() */
    uint64_t started_ms; /* by clock_boot_ms() */
};

/* It may have taken so long that others took us for dead. */
static bool still_ours(void *arg, struct err *err)
{
    struct accept_claim *c = arg;
    int64_t now = c->place->now + (int64_t)((clock_boot_ms() - c->started_ms) / 1000);
    if (!proposal_table_hold(c->place->store, c->verdict, c->begun, now, err))
        return false;
    c->begun = now;
    return true;
}

/* Someone who died may have made the change already: then it is their choice that counts. */
static bool make_it(const struct proposed_place *p, struct arena *a,
                    const struct proposed *it, const struct proposed_decision *d,
                    struct accept_claim *c, struct proposal_verdict *v,
                    struct accept_result *done, struct err *err)
{
    struct accept how = {.proposal = &it->proposal,
                         .id = v->id,
                         .by = d->by,
                         .hunks = &it->hunks,
                         .choice = &it->choice,
                         .seen = d->seen,
                         .guard = {.precommit = still_ours, .precommit_arg = c}};
    if (!accept_proposal(p->open, a, &how, done, err))
        return false;
    if (done->repeated && it->row.choice.n > 0) {
        v->choice = it->row.choice;
        done->partly = !str_eq(v->choice, STR("all"));
    }
    return true;
}

static bool accept(const struct proposed_place *p, struct arena *a,
                   const struct proposed *it, const struct proposed_decision *d,
                   struct proposal_verdict *v, struct proposed_outcome *out,
                   struct err *err)
{
    struct accept_result done;
    struct accept_claim claim = {p, v, p->now, clock_boot_ms()};
    if (!proposal_table_begin(p->store, v, p->now, err))
        return false;
    if (!make_it(p, a, it, d, &claim, v, &done, err)) {
        proposal_table_release(p->store, v->vault, v->id, claim.begun);
        return false;
    }
    *out = (struct proposed_outcome){.state = done.partly ? PROPOSAL_PARTLY
                                                          : PROPOSAL_ACCEPTED,
                                     .change = done.change,
                                     .merged = done.merged,
                                     .choice = v->choice};
    return proposal_table_end(p->store, v, done.partly, (int64_t)done.change, p->now,
                              err);
}

bool proposed_decide(const struct proposed_place *p, struct arena *a,
                     const struct proposed_decision *d, struct proposed_outcome *out,
                     struct err *err)
{
    struct proposed it;
    if (!proposed_find(p, a, d->id, &it, err))
        return false;
    if (!proposed_waits(&it.row))
        return not_waiting_any_more(&it.row, err);
    if (!proposed_choose(a, &it, d->choice, d->files, d->n_files, err))
        return false;
    struct proposal_verdict v = {.vault = p->vault,
                                 .id = it.row.id,
                                 .by = d->by,
                                 .choice = hunks_print(a, &it.hunks, &it.choice),
                                 .reason = d->reason};
    return it.choice.none ? reject(p, a, &it.row, &v, out, err)
                          : accept(p, a, &it, d, &v, out, err);
}

/* --- hunks --- */

/* Lines from..to of a text, which are next to each other in it. */
static str lines_between(const str *lines, uint32_t from, uint32_t to)
{
    if (from >= to)
        return (str){"", 0};
    const char *end = lines[to - 1].p + lines[to - 1].n;
    return (str){lines[from].p, (size_t)(end - lines[from].p)};
}

static enum hidden_kind hidden_in(str text, size_t first, size_t last)
{
    struct hidden_list list;
    hidden_find(text, first, last, &list);
    return list.total > 0 ? list.items[0].kind : HIDDEN_KINDS;
}

/* The next byte that is shown of a text: no line break of two, none at its end, and no mark at
 * its start. */
static bool next_shown(str text, size_t *at, char *out)
{
    if (*at == 0 && str_starts(text, STR("\xEF\xBB\xBF")))
        *at = 3;
    if (*at < text.n && str_starts(str_skip(text, *at), STR("\r\n")))
        (*at)++;
    if (*at >= text.n || (*at == text.n - 1 && text.p[*at] == '\n'))
        return false;
    *out = text.p[(*at)++];
    return true;
}

static bool looks_same(str x, str y)
{
    size_t i = 0, k = 0;
    char b = 0, c = 0;
    bool more;
    if (x.n == 0 || y.n == 0)
        return false;
    do {
        more = next_shown(x, &i, &b);
        if (more != next_shown(y, &k, &c))
            return false;
    } while (more && b == c);
    return !more;
}

static void whole_hunk(const struct hunk_file *f, struct proposed_hunk *out)
{
    if (!hunks_is_text(f->op->base) || !hunks_is_text(f->op->op.text))
        return;
    out->old_text = f->before;
    out->new_text = f->after;
    out->hidden = hidden_in(f->after, 1, 0);
}

static void hunk_of_lines(const struct hunk_file *f, size_t i, struct proposed_hunk *out)
{
    const struct diff *d = &f->diff;
    const struct diff_change *c = &f->change[i];
    uint32_t last = i > 0 ? f->change[i - 1].old_at + f->change[i - 1].old_n : 0;
    uint32_t next = i + 1 < f->n ? f->change[i + 1].old_at : d->n_old;
    uint32_t end = c->old_at + c->old_n;
    uint32_t from = c->old_at - last > DIFF_CONTEXT ? c->old_at - DIFF_CONTEXT : last;
    uint32_t to = next - end > DIFF_CONTEXT ? end + DIFF_CONTEXT : next;
    out->line = c->old_at + 1;
    out->before = lines_between(d->old_lines, from, c->old_at);
    out->old_text = lines_between(d->old_lines, c->old_at, end);
    out->new_text = lines_between(d->new_lines, c->new_at, c->new_at + c->new_n);
    out->after = lines_between(d->old_lines, end, to);
    if (c->new_n > 0)
        out->hidden = hidden_in(f->after, c->new_at + 1, c->new_at + c->new_n);
}

void proposed_hunk(const struct proposed *p, size_t file, size_t i,
                   struct proposed_hunk *out)
{
    const struct hunk_file *f = &p->hunks.files[file];
    const struct accept_file *shown = &p->shown.files[file];
    *out = (struct proposed_hunk){.line = 1, .hidden = HIDDEN_KINDS};
    out->clashes = shown->clashes != NULL ? shown->clashes[i]
                                          : f->n == 1 && shown->state == ACCEPT_CONFLICT;
    if (f->whole)
        whole_hunk(f, out);
    else
        hunk_of_lines(f, i, out);
    out->line_ends = looks_same(out->old_text, out->new_text);
}

const char *proposed_outcome_of(const struct hunk_file *f)
{
    const struct change_op *op = &f->op->op;
    return op->kind == JOURNAL_MOVE     ? "moved"
           : op->kind == JOURNAL_DELETE ? "deleted"
           : op->expects == CHANGE_NEW  ? "created"
                                        : "changed";
}

str proposed_merge_diff(struct arena *a, const struct proposed *p, size_t file,
                        size_t max)
{
    const struct accept_file *f = &p->shown.files[file];
    struct diff d;
    if (f->state != ACCEPT_MERGED)
        return (str){0};
    diff_make(a, f->now, f->result, &d);
    str path = p->hunks.files[file].op->op.path;
    return diff_print(a, &d, path, path, max);
}

static str proposed_text(struct arena *a, str bytes)
{
    enum encoding ignored;
    return encoding_read(a, bytes, &ignored);
}

const char *proposed_folder_outcome(const struct proposal_op *p)
{
    return p->op.kind == JOURNAL_MAKE_FOLDER ? "created" : "deleted";
}

bool proposed_is_folder(const struct proposal_op *p)
{
    return p->op.kind == JOURNAL_MAKE_FOLDER || p->op.kind == JOURNAL_REMOVE_FOLDER;
}

static struct draft_touched touched_of(struct arena *a, const struct proposal_op *p)
{
    return (struct draft_touched){.outcome =
                                      p->op.kind == JOURNAL_MOVE     ? DRAFT_MOVED
                                      : p->op.kind == JOURNAL_DELETE ? DRAFT_DELETED
                                      : p->op.expects == CHANGE_NEW  ? DRAFT_CREATED
                                                                     : DRAFT_CHANGED,
                                  .path = p->op.path,
                                  .to = p->op.to,
                                  .before = proposed_text(a, p->base),
                                  .after = proposed_text(a, p->op.text)};
}

str proposed_diff(struct arena *a, const struct proposal *p, size_t max)
{
    struct draft_result r = {.files = ARENA_ARRAY(a, struct draft_touched, p->n)};
    for (size_t i = 0; i < p->n; i++)
        if (!proposed_is_folder(&p->ops[i]))
            r.files[r.n++] = touched_of(a, &p->ops[i]);
    return draft_diff(a, &r, max);
}

/* --- as JSON --- */

void proposed_put_row(struct jsonw *w, const struct proposal_row *row)
{
    char when[CLOCK_ISO_SIZE];
    jsonw_put_str(w, STR("id"), row->id);
    jsonw_put_str(w, STR("state"), str_c(proposal_state_name(row->state)));
    jsonw_put_str(w, STR("time"), clock_iso(row->created, when));
    jsonw_put_str(w, STR("summary"), row->summary);
    jsonw_put_text(w, STR("decided_by"), row->decided_by);
    jsonw_put_text(w, STR("reason"), row->reason);
    if (!proposed_waits(row))
        jsonw_put_text(w, STR("accepted"), row->choice);
    if (row->change > 0)
        jsonw_put_int(w, STR("change"), row->change);
}

static void put_hunk(struct jsonw *w, struct arena *a, const struct proposed *p,
                     size_t file, size_t i)
{
    struct proposed_hunk h;
    proposed_hunk(p, file, i, &h);
    jsonw_object(w);
    jsonw_put_str(w, STR("hunk"), arena_printf(a, "%zu.%zu", file + 1, i + 1));
    jsonw_put_int(w, STR("line"), h.line);
    jsonw_put_text(w, STR("before"), h.before);
    jsonw_put_text(w, STR("old_text"), h.old_text);
    jsonw_put_text(w, STR("new_text"), h.new_text);
    jsonw_put_text(w, STR("after"), h.after);
    jsonw_put_true(w, STR("conflicts"), h.clashes);
    jsonw_put_true(w, STR("line_ends"), h.line_ends);
    if (h.hidden < HIDDEN_KINDS)
        jsonw_put_str(w, STR("hidden_text"), str_c(hidden_names[h.hidden]));
    jsonw_end(w);
}

static const char *const accept_words[] = {
    [ACCEPT_CLEAN] = "unchanged",   [ACCEPT_MERGED] = "merged",
    [ACCEPT_DONE] = "done already", [ACCEPT_CONFLICT] = "conflict",
    [ACCEPT_LEFT_OUT] = "left out",
};

static void put_collisions(struct jsonw *w, const struct accept_file *f)
{
    if (f->n_collisions == 0)
        return;
    jsonw_put_array(w, STR("conflicts"));
    for (size_t i = 0; i < f->n_collisions; i++) {
        jsonw_object(w);
        jsonw_put_str(w, STR("now"), f->collisions[i].now);
        jsonw_put_str(w, STR("proposed"), f->collisions[i].proposed);
        jsonw_end(w);
    }
    jsonw_end(w);
}

static bool is_binary(const struct hunk_file *f)
{
    return !hunks_is_text(f->op->base) || !hunks_is_text(f->op->op.text);
}

static void proposed_put_file(struct jsonw *w, struct arena *a, const struct proposed *p,
                              size_t i)
{
    const struct hunk_file *f = &p->hunks.files[i];
    const struct accept_file *shown = &p->shown.files[i];
    jsonw_object(w);
    jsonw_put_int(w, STR("file"), (int64_t)i + 1);
    jsonw_put_str(w, STR("path"), f->op->op.path);
    jsonw_put_text(w, STR("to"), f->op->op.to);
    jsonw_put_str(w, STR("outcome"), str_c(proposed_outcome_of(f)));
    jsonw_put_str(w, STR("now"), str_c(accept_words[shown->state]));
    if (shown->why != NULL)
        jsonw_put_str(w, STR("why"), str_c(shown->why));
    if (is_binary(f))
        jsonw_put_str(w, STR("no_diff"),
                      arena_printf(a, "not text: %zu bytes would become %zu",
                                   f->op->base.n, f->op->op.text.n));
    put_collisions(w, shown);
    jsonw_put_text(w, STR("merged_diff"), proposed_merge_diff(a, p, i, 0));
    jsonw_put_array(w, STR("hunks"));
    for (size_t k = 0; k < f->n; k++)
        put_hunk(w, a, p, i, k);
    jsonw_end(w);
    jsonw_end(w);
}

static void put_folders(struct jsonw *w, const struct proposal *p)
{
    bool begun = false;
    for (size_t i = 0; i < p->n; i++) {
        if (!proposed_is_folder(&p->ops[i]))
            continue;
        if (!begun)
            jsonw_put_array(w, STR("folders"));
        begun = true;
        jsonw_object(w);
        jsonw_put_str(w, STR("path"), p->ops[i].op.path);
        jsonw_put_str(w, STR("outcome"), str_c(proposed_folder_outcome(&p->ops[i])));
        jsonw_end(w);
    }
    if (begun)
        jsonw_end(w);
}

void proposed_put(struct jsonw *w, struct arena *a, const struct proposed *p)
{
    struct hidden_list hidden;
    str diff = proposed_diff(a, &p->proposal, PROPOSED_DIFF_MAX);
    hidden_find(diff, 1, 0, &hidden);
    proposed_put_row(w, &p->row);
    jsonw_put_text(w, STR("client"), p->proposal.by.client);
    jsonw_put_text(w, STR("who"), p->proposal.by.who);
    jsonw_put_true(w, STR("hidden_text"), hidden.total > 0);
    if (!proposed_waits(&p->row))
        return;
    jsonw_put_str(w, STR("seen"), p->shown.seen);
    jsonw_put_bool(w, STR("by_hunk"), p->hunks.by_file);
    jsonw_put_array(w, STR("files"));
    for (size_t i = 0; i < p->hunks.n; i++)
        proposed_put_file(w, a, p, i);
    jsonw_end(w);
    put_folders(w, &p->proposal);
    jsonw_put_text(w, STR("diff"), diff);
}
