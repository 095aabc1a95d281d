#include "app/tools/claude_desktop/notes.h"

#include "app/kit/kit_change.h"
#include "app/kit/tool_kit.h"
#include "base/path.h"
#include "vault/ask/find.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/vault.h"

const struct kit_change notes_now;

/* --- finding --- */

static bool look_up(struct mcp_call *call, str name, str *path, struct err *err)
{
    const struct file *f;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    bool found = find_file(x, call->arena, name, &f, err);
    if (found && f->kind != FILE_NOTE)
        found =
            err_set(err, ERR_INVALID, "'" STR_FMT "' is not a note", STR_ARG(f->path));
    if (found)
        *path = arena_str(call->arena, f->path);
    kit_let_go(call);
    return found;
}

/* Somebody else may have made it just now. */
static void look_at_disk(struct mcp_call *call, str clean)
{
    str paths[] = {clean, arena_printf(call->arena, STR_FMT ".md", STR_ARG(clean))};
    vault_refresh(kit_vault(call), paths, COUNT_OF(paths));
}

bool notes_find(struct mcp_call *call, str name, str *path, struct err *err)
{
    str clean;
    if (!path_clean(call->arena, name, &clean, err))
        return false;
    if (clean.n == 0)
        return err_set(err, ERR_INVALID, "the name of the note is empty");
    if (look_up(call, name, path, err))
        return true;
    if (err->code != ERR_NOT_FOUND)
        return false;
    look_at_disk(call, clean);
    return look_up(call, name, path, err) ||
           (err->code == ERR_NOT_FOUND &&
            err_hint(err, "search_notes finds notes by parts of their names"));
}

bool notes_read(struct mcp_call *call, str name, str *path, str *text, struct err *err)
{
    struct vault_text whole;
    if (!notes_find(call, name, path, err) ||
        !vault_read(kit_vault(call), call->arena, *path, 1, 0, &whole, err))
        return false;
    *text = whole.content;
    return true;
}

bool notes_answer(struct mcp_call *call, str text, const char *else_, struct err *err)
{
    if (text.n > NOTES_TEXT_MAX)
        return err_set(err, ERR_LIMIT, "the text has %zu bytes, more than %d: %s", text.n,
                       NOTES_TEXT_MAX, else_);
    call->text = text.n > 0 ? text : STR("");
    return true;
}

/* --- changing --- */

bool notes_open(struct mcp_call *call, const char *tool, str name, struct notes_edit *out,
                struct err *err)
{
    struct vault_text ignored;
    str path;
    *out = (struct notes_edit){.draft = kit_draft(call, tool, &notes_now)};
    return notes_find(call, name, &path, err) &&
           draft_read(out->draft, path, &out->file, err) &&
           vault_cut(path, out->file.text, 1, 0, &ignored, err);
}

bool notes_take(struct mcp_call *call, struct notes_edit *e, bool edited,
                const struct edit_result *r, struct err *err)
{
    if (!edited)
        return kit_edit_failed(call, r);
    for (size_t i = 0; i < r->n_warnings; i++)
        e->warnings[e->n_warnings++] = r->warnings[i];
    return notes_save(call, e, r->text, err);
}

bool notes_save(struct mcp_call *call, struct notes_edit *e, str text, struct err *err)
{
    struct draft_result r;
    str about_tags;
    if (!draft_write(e->draft, e->file.path, text, DRAFT_OVERWRITE, err) ||
        !kit_check_tags(call, e->draft, &about_tags, err) ||
        !draft_commit(e->draft, STR(""), &r, err))
        return false;
    if (about_tags.n > 0)
        e->warnings[e->n_warnings++] = about_tags;
    return true;
}

void notes_put_warnings(struct mcp_call *call, const struct notes_edit *e)
{
    if (e->n_warnings == 0)
        return;
    jsonw_put_array(call->out, STR("warnings"));
    for (size_t i = 0; i < e->n_warnings; i++)
        jsonw_str(call->out, e->warnings[i]);
    jsonw_end(call->out);
}

void notes_put_done(struct mcp_call *call, const struct notes_edit *e, const char *done)
{
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("name"), file_title(e->file.path));
    jsonw_put_str(call->out, STR("path"), e->file.path);
    jsonw_put_bool(call->out, str_c(done), true);
    notes_put_warnings(call, e);
    jsonw_end(call->out);
}

bool notes_commit(struct mcp_call *call, struct draft *d, bool dry_run, size_t links,
                  struct err *err)
{
    struct jsonw *out = call->out;
    struct draft_result r;
    size_t n = 0;
    if (dry_run)
        draft_preview(d, &r);
    else if (!draft_commit(d, STR(""), &r, err))
        return false;
    jsonw_put_int(out, STR("updated_links"), (int64_t)links);
    jsonw_put_array(out, STR("updated_notes"));
    for (size_t i = 0; i < r.n && n < NOTES_LISTED; i++)
        if (r.files[i].outcome == DRAFT_CHANGED) {
            jsonw_str(out, r.files[i].path);
            n++;
        }
    jsonw_end(out);
    jsonw_put_bool(out, STR("dry_run"), dry_run);
    return true;
}
