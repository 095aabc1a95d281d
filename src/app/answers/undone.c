/* The answer of an undo: what happened to each file. */
#include "app/answers/answer.h"
#include "app/answers/changed.h"
#include "app/answers/model_text.h"
#include "app/answers/term.h"
#include "base/path.h"
#include "vault/draft.h"
#include "vault/note/edit.h"
#include "vault/review.h"
#include "vault/vault.h"

/* What is said about a file. */
struct undone_file {
    const char *outcome;
    str path, to; /* to: or empty */
    const struct draft_touched *made;
    bool has_text; /* made->after is its text now, with that hash */
};

struct undone_files {
    struct undone_file *items;
    size_t n;
};

static struct undone_file undone_file(const struct draft_touched *f)
{
    static const char *const outcomes[] = {
        [DRAFT_CREATED] = "restored",
        [DRAFT_CHANGED] = "changed back",
        [DRAFT_DELETED] = "removed",
        [DRAFT_MOVED] = "moved back",
    };
    str trash = STR(VAULT_TRASH);
    bool moved = f->outcome == DRAFT_MOVED;
    bool has_text = f->outcome == DRAFT_CREATED || f->outcome == DRAFT_CHANGED;
    if (moved && path_is_below(trash, f->path))
        return (struct undone_file){"restored", f->to, {0}, f, false};
    if (moved && path_is_below(trash, f->to))
        return (struct undone_file){"deleted", f->path, {0}, f, false};
    return (struct undone_file){outcomes[f->outcome], f->path, f->to, f, has_text};
}

static bool undone_is_moved(const struct draft_result *r, str path)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->files[i].outcome == DRAFT_MOVED && str_eq(r->files[i].path, path))
            return true;
    return false;
}

/* Each file once: one that is moved back also has its old text again. */
static struct undone_files undone_files(struct arena *a, const struct undone *u)
{
    struct undone_files out = {ARENA_ARRAY(a, struct undone_file, u->made.n), 0};
    for (size_t i = 0; i < u->made.n; i++) {
        const struct draft_touched *f = &u->made.files[i];
        if (f->outcome != DRAFT_CHANGED || !undone_is_moved(&u->made, f->path))
            out.items[out.n++] = undone_file(f);
    }
    return out;
}

str undone_kept(struct arena *a, void *undone)
{
    return arena_printf(a, "{\"undone\":%llu}",
                        (unsigned long long)((const struct undone *)undone)->number);
}

void undone_read(struct arena *a, struct vault *v, struct undone *u)
{
    struct review r;
    struct err ignored; /* then only the etags are shown */
    if (u->made.n > UNDONE_SHOWN || !review_change(v, a, u->made.change, &r, &ignored))
        return;
    for (size_t i = 0; i < u->made.n; i++)
        for (size_t k = 0; k < r.n; k++) {
            struct draft_touched *f = &u->made.files[i];
            if (f->outcome != DRAFT_CHANGED || r.files[k].no_diff != NULL ||
                !str_eq(f->path, r.files[k].path))
                continue;
            f->before = r.files[k].before;
            f->after = r.files[k].after;
        }
}

/* --- JSON --- */

static void undone_json(struct answer_out *out, const void *result)
{
    enum { SHOWN = 100 };
    const struct undone *u = result;
    struct jsonw *w = out->w;
    if (u->made.repeated) {
        changed_put_again(w, u->vault, &u->made);
        return;
    }
    struct undone_files files = undone_files(w->out->arena, u);
    jsonw_object(w);
    jsonw_put_int(w, STR("undone"), (int64_t)u->number);
    jsonw_put_array(w, STR("files"));
    for (size_t i = 0; i < files.n && i < SHOWN; i++) {
        jsonw_object(w);
        jsonw_put_str(w, STR("path"), files.items[i].path);
        jsonw_put_str(w, STR("outcome"), str_c(files.items[i].outcome));
        jsonw_put_text(w, STR("to"), files.items[i].to);
        if (files.items[i].has_text)
            jsonw_put_str(w, STR("etag"),
                          draft_etag(w->out->arena, files.items[i].made->hash));
        jsonw_end(w);
    }
    jsonw_end(w);
    if (files.n > SHOWN)
        jsonw_put_int(w, STR("total_files"), (int64_t)files.n);
    jsonw_put_text(w, STR("vault"), u->vault);
    jsonw_put_int(w, STR("change"), (int64_t)u->made.change);
    jsonw_end(w);
}

/* --- text --- */

/* The lines that are as they were again. */
static void undone_text_lines(struct model_text *s, const struct draft_touched *f)
{
    struct changed_range r = {f->before, f->after, 1, (uint32_t)changed_lines(f->after)};
    if (f->before.p != NULL && edit_narrow(r.before, r.after, &r.first, &r.last))
        changed_text_range(s, &r);
}

static void undone_text_one(struct model_text *s, const void *result, size_t i)
{
    const struct undone_file *f = &((const struct undone_files *)result)->items[i];
    sbuf_printf(s->out, "%s " STR_FMT, f->outcome, STR_ARG(f->path));
    if (f->to.n > 0)
        sbuf_printf(s->out, " to " STR_FMT, STR_ARG(f->to));
    if (f->has_text)
        sbuf_printf(s->out, " (etag " STR_FMT ")",
                    STR_ARG(draft_etag(s->out->arena, f->made->hash)));
    sbuf_char(s->out, '\n');
    if (f->has_text)
        undone_text_lines(s, f->made);
}

static void undone_text(struct model_text *s, const void *result)
{
    enum { SHOWN = 20 };
    const struct undone *u = result;
    if (u->made.repeated) {
        answer_members(s, undone_json, result);
        return;
    }
    struct undone_files files = undone_files(s->out->arena, u);
    sbuf_printf(s->out, "undone change %llu (", (unsigned long long)u->number);
    if (u->vault.n > 0)
        sbuf_printf(s->out, "vault " STR_FMT ", ", STR_ARG(u->vault));
    if (u->made.in_all > files.n) /* a folder is listed as one */
        sbuf_printf(s->out, "%zu files, ", u->made.in_all);
    sbuf_printf(s->out, "change %llu)\n", (unsigned long long)u->made.change);
    for (size_t i = 0; i < files.n && i < SHOWN; i++)
        undone_text_one(s, &files, i);
    if (files.n > SHOWN)
        sbuf_printf(s->out, "[and %zu more files]\n", files.n - SHOWN);
}

/* --- a terminal --- */

static void undone_term(struct term *t, const void *result)
{
    enum { SHOWN = 20 };
    const struct undone *u = result;
    if (u->made.repeated) {
        term_printf(t, TERM_FAINT, "already made, as change %llu\n",
                    (unsigned long long)u->made.change);
        return;
    }
    struct undone_files files = undone_files(t->out.arena, u);
    for (size_t i = 0; i < files.n && i < SHOWN; i++) {
        const struct undone_file *f = &files.items[i];
        term_printf(t, TERM_PLAIN, "%s ", f->outcome);
        term_put(t, TERM_PATH, f->path);
        if (f->to.n > 0)
            term_printf(t, TERM_PATH, " to " STR_FMT, STR_ARG(f->to));
        term_put(t, TERM_PLAIN, STR("\n"));
    }
    if (files.n > SHOWN)
        term_printf(t, TERM_FAINT, "and %zu more\n", files.n - SHOWN);
    if (u->made.in_all > files.n) /* a folder is listed as one */
        term_printf(t, TERM_PLAIN, "%zu files in all\n", u->made.in_all);
    term_printf(t, TERM_PLAIN, "change %llu is undone (by change %llu)\n",
                (unsigned long long)u->number, (unsigned long long)u->made.change);
}

const struct answer_shape undone_shape = {
    .name = "undone", .json = undone_json, .text = undone_text, .term = undone_term};
