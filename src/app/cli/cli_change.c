#include "app/cli/cli_change.h"

#include <pwd.h>
#include <unistd.h>

#include "app/answers/term.h"
#include "vault/draft.h"

static const char *const outcomes[] = {
    [DRAFT_CREATED] = "created",
    [DRAFT_CHANGED] = "changed",
    [DRAFT_DELETED] = "deleted",
    [DRAFT_MOVED] = "moved",
};

struct draft *cli_draft(struct cli *c, const char *tool)
{
    const struct passwd *user = getpwuid(getuid());
    struct change as = {.tool = str_c(tool),
                        .who = user != NULL ? arena_str(c->arena, str_c(user->pw_name))
                                            : STR(""),
                        .client = STR("vaultd")};
    return draft_create(c->vault, c->arena, &as);
}

static void cli_change_put_json(struct cli *c, const struct draft_result *r, str diff,
                                const str *warnings, size_t n_warnings)
{
    struct cli_json json;
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    if (r->change > 0)
        jsonw_put_int(w, STR("change"), (int64_t)r->change);
    jsonw_put_array(w, STR("files"));
    for (size_t i = 0; i < r->n; i++) {
        const struct draft_touched *f = &r->files[i];
        jsonw_object(w);
        jsonw_put_str(w, STR("path"), f->path);
        jsonw_put_str(w, STR("outcome"), str_c(outcomes[f->outcome]));
        if (f->outcome == DRAFT_MOVED) {
            jsonw_put_str(w, STR("to"), f->to);
        } else {
            jsonw_put_int(w, STR("size_before"), (int64_t)f->size_before);
            jsonw_put_int(w, STR("size_after"), (int64_t)f->size_after);
        }
        if (f->outcome == DRAFT_CREATED || f->outcome == DRAFT_CHANGED)
            jsonw_put_str(w, STR("etag"), draft_etag(c->arena, f->hash));
        jsonw_end(w);
    }
    jsonw_end(w);
    if (diff.n > 0)
        jsonw_put_str(w, STR("diff"), diff);
    jsonw_put_array(w, STR("warnings"));
    for (size_t i = 0; i < n_warnings; i++)
        jsonw_str(w, warnings[i]);
    jsonw_end(w);
    jsonw_end(w);
    cli_json_print(c, &json);
}

static void put_diff(struct cli *c, str diff)
{
    str line;
    while (diff.n > 0 && str_next(&diff, '\n', &line)) {
        enum term_style style = TERM_PLAIN;
        if (str_starts(line, STR("+++")) || str_starts(line, STR("---")) ||
            str_starts(line, STR("rename ")))
            style = TERM_STRONG;
        else if (str_starts(line, STR("+")))
            style = TERM_GOOD;
        else if (str_starts(line, STR("-")))
            style = TERM_BAD;
        else if (str_starts(line, STR("@@")))
            style = TERM_LINE;
        term_put(&c->out, style, line);
        term_put(&c->out, TERM_PLAIN, STR("\n"));
    }
}

static void put_people(struct cli *c, const struct draft_result *r)
{
    enum { SHOWN = 20 };
    for (size_t i = 0; i < r->n && i < SHOWN; i++) {
        const struct draft_touched *f = &r->files[i];
        term_printf(&c->out, TERM_PLAIN, "%s ", outcomes[f->outcome]);
        term_put(&c->out, TERM_PATH, f->path);
        if (f->outcome == DRAFT_MOVED)
            term_printf(&c->out, TERM_PATH, " to " STR_FMT, STR_ARG(f->to));
        term_put(&c->out, TERM_PLAIN, STR("\n"));
    }
    if (r->n > SHOWN)
        term_printf(&c->out, TERM_FAINT, "and %zu more\n", r->n - SHOWN);
    if (r->change > 0)
        term_printf(&c->out, TERM_FAINT,
                    "change %llu; take it back with vaultd undo %llu\n",
                    (unsigned long long)r->change, (unsigned long long)r->change);
    else
        term_put(&c->out, TERM_FAINT, STR("nothing to change\n"));
}

bool cli_commit(struct cli *c, const struct cli_changing *o, struct draft *d,
                const str *warnings, size_t n_warnings, struct err *err)
{
    struct draft_result r;
    str diff = {0};
    if (o->dry_run) {
        draft_preview(d, &r);
        diff = draft_diff(c->arena, &r, 0);
    } else if (!draft_commit(d, STR(""), &r, err)) {
        return false;
    }
    if (c->json)
        cli_change_put_json(c, &r, diff, warnings, n_warnings);
    else if (o->dry_run)
        put_diff(c, diff);
    else
        put_people(c, &r);
    for (size_t i = 0; !c->json && i < n_warnings; i++)
        term_printf(&c->out, TERM_WARN, "note: " STR_FMT "\n", STR_ARG(warnings[i]));
    return true;
}

bool cli_text(struct cli *c, str argument, str *out, struct err *err)
{
    *out = argument;
    if (!str_eq(argument, STR("-")))
        return true;
    struct sbuf b = SBUF_ON(c->arena);
    for (;;) {
        enum { CHUNK = 64 << 10 };
        ssize_t n = read(STDIN_FILENO, sbuf_room(&b, CHUNK), CHUNK);
        if (n < 0)
            return err_sys(err, "stdin cannot be read");
        sbuf_took(&b, (size_t)n);
        if (b.n > DRAFT_NOTE_MAX)
            return err_set(err, ERR_LIMIT, "a note has at most %d bytes", DRAFT_NOTE_MAX);
        if (n == 0)
            break;
    }
    *out = sbuf_str(&b);
    return true;
}
