#include "app/cli/proposals_patch.h"

#include "app/answers/term.h"
#include "app/cli/ask.h"
#include "app/cli/proposals_show.h"

struct patch {
    struct cli *c;
    struct ask ask;
    struct sbuf choice; /* "1,2.3," */
    size_t n, taken;    /* hunks */
    bool quits;
    char rest; /* 'a' or 'd': the answer to the rest of the file; 'A', 'D': of all */
};

static void take_part(struct patch *p, str part)
{
    p->taken++;
    if (p->choice.n > 0)
        sbuf_char(&p->choice, ',');
    sbuf_add(&p->choice, part);
}

static void put_help(struct patch *p)
{
    term_put(
        &p->c->out, TERM_PLAIN,
        STR("y  accept this\nn  reject this\na  accept this and the rest of the file\n"));
    term_put(&p->c->out, TERM_PLAIN,
             STR("d  reject this and the rest of the file\nA  accept this and all the "
                 "rest\nD  reject this and all the rest\nq  quit, and decide nothing\n"));
}

/* 0: failed. */
static char ask_key(struct patch *p, str question, str keys, struct err *err)
{
    for (;;) {
        str line;
        if (!ask_line(&p->ask, question, STR(""), &line, err))
            return 0;
        if (line.n == 1 && str_find_char(keys, line.p[0]) != STR_NONE)
            return line.p[0];
        put_help(p);
    }
}

/* Whether it is accepted, or the user quits. */
static bool ask_hunk(struct patch *p, const char *what, bool *yes, struct err *err)
{
    if (p->rest == 0) {
        char key =
            ask_key(p, arena_printf(p->c->arena, "Accept %s? [y,n,a,d,A,D,q,?]", what),
                    STR("ynadADq"), err);
        if (key == 0)
            return false;
        p->quits = key == 'q';
        p->rest = key == 'y' || key == 'n' || key == 'q' ? 0 : key;
        *yes = key == 'y' || key == 'a' || key == 'A';
        return true;
    }
    *yes = p->rest == 'a' || p->rest == 'A';
    return true;
}

static bool patch_hunk(struct patch *p, const struct json *hunk, const char *what,
                       struct err *err)
{
    bool yes = false;
    p->n++;
    if (json_get_true(hunk, STR("conflicts"))) {
        term_put(&p->c->out, TERM_WARN, STR("It is rejected.\n"));
        return true;
    }
    if (!ask_hunk(p, what, &yes, err))
        return false;
    if (yes)
        take_part(p, json_get_str(hunk, STR("hunk")));
    return true;
}

static bool patch_file(struct patch *p, const struct json *file, struct err *err)
{
    const struct json *hunks = json_get(file, STR("hunks"));
    bool lines = proposals_has_lines(file), several = hunks != NULL && hunks->n > 1;
    if (p->rest == 0)
        proposals_show_file(p->c, file);
    for (const struct json *h = hunks != NULL ? hunks->child : NULL;
         h != NULL && !p->quits; h = h->next) {
        if (p->rest == 0 && lines)
            proposals_show_hunk(p->c, h);
        if (!patch_hunk(p, h, several ? "this hunk" : "this file", err))
            return false;
    }
    if (p->rest == 'a' || p->rest == 'd')
        p->rest = 0;
    return true;
}

/* What moves is decided as a whole. */
static bool patch_whole(struct patch *p, const struct json *proposal, struct err *err)
{
    const struct json *files = json_get(proposal, STR("files"));
    bool yes = false;
    proposals_show(p->c, proposal);
    p->n = 1;
    if (!ask_yes(&p->ask, STR("It moves files, so it is decided as a whole. Accept it?"),
                 false, &yes, err))
        return false;
    if (yes && files != NULL)
        take_part(p, STR("all"));
    return true;
}

static bool patch_all(struct patch *p, const struct json *proposal, struct err *err)
{
    const struct json *files = json_get(proposal, STR("files"));
    if (!json_get_true(proposal, STR("by_hunk")))
        return patch_whole(p, proposal, err);
    proposals_show_top(p->c, proposal);
    for (const struct json *f = files != NULL ? files->child : NULL;
         f != NULL && !p->quits; f = f->next)
        if (!patch_file(p, f, err))
            return false;
    return true;
}

static bool ask_reason(struct patch *p, str *reason, struct err *err)
{
    return p->taken == p->n || reason->n > 0 ||
           ask_line(&p->ask,
                    p->taken == 0
                        ? STR("Why is it rejected (for the client; may be empty)")
                        : STR("Why is the rest rejected (for the client; may be "
                              "empty)"),
                    STR(""), reason, err);
}

bool proposals_patch(struct cli *c, const struct json *proposal,
                     struct proposed_decision *out, bool *decided, struct err *err)
{
    struct patch p = {
        .c = c, .ask = {.arena = c->arena, .out = &c->out}, .choice = SBUF_ON(c->arena)};
    *decided = false;
    if (!patch_all(&p, proposal, err))
        return false;
    if (p.quits) {
        term_put(&c->out, TERM_FAINT, STR("Nothing was decided\n"));
        return true;
    }
    if (!ask_reason(&p, &out->reason, err))
        return false;
    out->choice = p.taken > 0 ? sbuf_str(&p.choice) : STR("none");
    out->seen = json_get_str(proposal, STR("seen"));
    *decided = true;
    return true;
}
