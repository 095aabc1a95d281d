#include "app/kit/kit_seen.h"

#include "app/kit/seen.h"
#include "app/kit/tool_kit.h"
#include "app/setup/shared.h"
#include "base/utf8.h"
#include "mcp/call.h"
#include "vault/draft.h"
#include "vault/note/edit.h"

/*
 * Who reads: the process at the other end of stdio, a grant, a legacy session. Without
 * any of these, clients cannot be told apart, and nothing is kept.
 */
static struct seen_by kit_seen_by(struct mcp_call *call, str path)
{
    str owner = call->caller->owner, session = mcp_session(call);
    struct seen_by by = {.vault = kit_served(call)->name, .path = path};
    if (app_of(call)->settings.stdio)
        by.client = STR("stdio");
    else if (owner.n + session.n > 0)
        by.client = arena_printf(call->arena, STR_FMT "\n" STR_FMT, STR_ARG(owner),
                                 STR_ARG(session));
    return by;
}

/* Other replicas must not take the client for one that has not read the note. */
static void tell_replicas(struct mcp_call *call, const struct seen_by *by, str text)
{
    struct shared *s = &app_of(call)->shared;
    if (shared_is_on(s) && by->client.n > 0)
        shared_tell(s, FEED_SEEN, seen_message(call->arena, by, text));
}

void kit_saw(struct mcp_call *call, str path, str text, struct edit_range shown)
{
    struct seen_by by = kit_seen_by(call, path);
    seen_show(app_of(call)->seen, &by, text, shown);
    tell_replicas(call, &by, text);
}

void kit_saw_change(struct mcp_call *call, const struct changed *c)
{
    for (size_t i = 0; i < c->made.n && c->made.change > 0; i++) {
        const struct draft_touched *f = &c->made.files[i];
        struct seen_by by = kit_seen_by(call, f->path);
        bool own =
            f->outcome == DRAFT_CREATED || (c->written && str_eq(f->path, c->path));
        if (own)
            seen_show(app_of(call)->seen, &by, f->after,
                      (struct edit_range){0, f->after.n});
        else if (f->outcome == DRAFT_CHANGED)
            seen_change(app_of(call)->seen, &by, f->before, f->after);
        else
            seen_forget(app_of(call)->seen, &by);
        if (own || f->outcome == DRAFT_CHANGED)
            tell_replicas(call, &by, f->after);
    }
}

void kit_forget(struct mcp_call *call, const str *paths, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct seen_by by = kit_seen_by(call, paths[i]);
        seen_forget(app_of(call)->seen, &by);
    }
}

/* Refuse, with the text as it is now. */
static bool refuse_stale(struct kit_changing *c, const struct draft_file *f,
                         const char *what, struct edit_range part, struct err *err)
{
    struct arena *a = c->call->arena;
    str etag = draft_etag(a, f->hash);
    str text = str_slice(f->text, part.start, part.end);
    str shown = utf8_cut(text, KIT_SEEN_SHOWN);
    c->edit.lead =
        arena_printf(a,
                     "%s changed since you read it, so nothing was replaced. "
                     "Repeat the call if it is still right; now (etag " STR_FMT "):\n",
                     what, STR_ARG(etag));
    c->edit.hint =
        arena_printf(a, STR_FMT "%s", STR_ARG(shown), shown.n < text.n ? "\n[...]" : "");
    kit_saw(c->call, f->path, f->text,
            (struct edit_range){part.start, part.start + shown.n});
    return err_named(err, E_STALE,
                     "%s changed since you read it, so nothing was replaced; its etag is "
                     "now " STR_FMT,
                     what, STR_ARG(etag));
}

bool kit_check_part(struct kit_changing *c, const struct draft_file *f,
                    struct edit_range part, struct err *err)
{
    struct seen_by by = kit_seen_by(c->call, f->path);
    if (c->how->if_match.n > 0 || draft_has_changed(c->draft, f->path) ||
        !seen_is_stale(app_of(c->call)->seen, &by, f->text, part))
        return true;
    return refuse_stale(c, f, "This part of the note", part, err);
}

bool kit_check_lines(struct kit_changing *c, const struct draft_file *f, uint32_t first,
                     uint32_t last, struct err *err)
{
    struct seen_by by = kit_seen_by(c->call, f->path);
    struct edit_range lines;
    if (c->how->if_match.n > 0 || draft_has_changed(c->draft, f->path) ||
        !seen_lines_stale(app_of(c->call)->seen, &by, f->text, first, last))
        return true;
    return edit_find_lines(f->text, first, last, &lines, err) &&
           refuse_stale(c, f, "These lines", lines, err);
}
