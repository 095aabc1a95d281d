#include "app/tool_support/tool_read_log.h"

#include "app/tool_support/read_log.h"
#include "app/tool_support/tool_support.h"
#include "base/utf8.h"
#include "mcp/call.h"
#include "replica/replica.h"
#include "vault/draft.h"
#include "vault/note/edit.h"

/*
 * Who reads: the process at the other end of stdio, a grant, a legacy session. Without
 * any of these, clients cannot be told apart, and nothing is kept.
 */
static struct reader_key tool_reader(struct mcp_call *call, str path)
{
    str owner = call->caller->owner, session = mcp_session(call);
    struct reader_key by = {.vault = tool_served(call)->name, .path = path};
    if (app_of(call)->settings.stdio)
        by.client = STR("stdio");
    else if (owner.n + session.n > 0)
        by.client = arena_printf(call->arena, STR_FMT "\n" STR_FMT, STR_ARG(owner),
                                 STR_ARG(session));
    return by;
}

/* Other replicas must not take the client for one that has not read the note. */
static void tell_replicas(struct mcp_call *call, const struct reader_key *by, str text)
{
    struct replica *r = &app_of(call)->replica;
    if (replica_is_shared(r) && by->client.n > 0) /* hashing a note costs time */
        replica_publish(r, READ_LOG_TOPIC, read_log_message(call->arena, by, text));
}

void tool_saw(struct mcp_call *call, str path, str text, struct edit_range shown)
{
    struct reader_key by = tool_reader(call, path);
    read_log_show(app_of(call)->read_log, &by, text, shown);
    tell_replicas(call, &by, text);
}

void tool_saw_change(struct mcp_call *call, const struct changed *c)
{
    for (size_t i = 0; i < c->made.n && c->made.change > 0; i++) {
        const struct draft_touched *f = &c->made.files[i];
        struct reader_key by = tool_reader(call, f->path);
        bool own =
            f->outcome == DRAFT_CREATED || (c->written && str_eq(f->path, c->path));
        if (own)
            read_log_show(app_of(call)->read_log, &by, f->after,
                          (struct edit_range){0, f->after.n});
        else if (f->outcome == DRAFT_CHANGED)
            read_log_change(app_of(call)->read_log, &by, f->before, f->after);
        else
            read_log_forget(app_of(call)->read_log, &by);
        if (own || f->outcome == DRAFT_CHANGED)
            tell_replicas(call, &by, f->after);
    }
}

void tool_forget(struct mcp_call *call, const struct draft_result *undo)
{
    for (size_t i = 0; i < undo->n; i++) {
        struct reader_key from = tool_reader(call, undo->files[i].path);
        struct reader_key to = tool_reader(call, undo->files[i].to);
        read_log_forget(app_of(call)->read_log, &from);
        read_log_forget(app_of(call)->read_log, &to);
    }
}

/* Refuse, with the text as it is now. */
static bool refuse_stale(struct tool_changing *c, const struct draft_file *f,
                         const char *what, struct edit_range part, struct err *err)
{
    struct arena *a = c->call->arena;
    str etag = draft_etag(a, f->hash);
    str text = str_slice(f->text, part.start, part.end);
    str shown = utf8_cut(text, TOOL_STALE_SHOWN);
    c->edit.lead =
        arena_printf(a,
                     "%s changed since you read it, so nothing was replaced. "
                     "Repeat the call if it is still right; now (etag " STR_FMT "):\n",
                     what, STR_ARG(etag));
    c->edit.hint =
        arena_printf(a, STR_FMT "%s", STR_ARG(shown), shown.n < text.n ? "\n[...]" : "");
    tool_saw(c->call, f->path, f->text,
             (struct edit_range){part.start, part.start + shown.n});
    return err_named(err, E_STALE,
                     "%s changed since you read it, so nothing was replaced; its etag is "
                     "now " STR_FMT,
                     what, STR_ARG(etag));
}

bool tool_check_part(struct tool_changing *c, const struct draft_file *f,
                     struct edit_range part, struct err *err)
{
    struct reader_key by = tool_reader(c->call, f->path);
    if (c->how->if_match.n > 0 || draft_has_changed(c->draft, f->path) ||
        !read_log_is_stale(app_of(c->call)->read_log, &by, f->text, part))
        return true;
    return refuse_stale(c, f, "This part of the note", part, err);
}

bool tool_check_lines(struct tool_changing *c, const struct draft_file *f, uint32_t first,
                      uint32_t last, struct err *err)
{
    struct reader_key by = tool_reader(c->call, f->path);
    struct edit_range lines;
    if (c->how->if_match.n > 0 || draft_has_changed(c->draft, f->path) ||
        !read_log_lines_stale(app_of(c->call)->read_log, &by, f->text, first, last))
        return true;
    return edit_find_lines(f->text, first, last, &lines, err) &&
           refuse_stale(c, f, "These lines", lines, err);
}
