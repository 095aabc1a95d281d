#include "app/tools/claude_desktop/notes.h"

#include "app/answers/answer.h"
#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_support.h"
#include "base/path.h"
#include "vault/ask/find.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/vault.h"

/* --- finding --- */

static bool notes_look_up(struct mcp_call *call, str name, str *path, struct err *err)
{
    const struct file *f;
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    bool found = find_file(x, call->arena, name, &f, err);
    if (found && f->kind != FILE_NOTE)
        found =
            err_set(err, ERR_INVALID, "'" STR_FMT "' is not a note", STR_ARG(f->path));
    if (found)
        *path = arena_str(call->arena, f->path);
    tool_unlock(call);
    return found;
}

/* Another program may just have created it. */
static void look_at_disk(struct mcp_call *call, str clean)
{
    str paths[] = {clean, arena_printf(call->arena, STR_FMT ".md", STR_ARG(clean))};
    vault_refresh(tool_vault(call), paths, COUNT_OF(paths));
}

bool notes_find(struct mcp_call *call, str name, str *path, struct err *err)
{
    str clean;
    if (!path_clean(call->arena, name, &clean, err))
        return false;
    if (clean.n == 0)
        return err_set(err, ERR_INVALID, "the name of the note is empty");
    if (notes_look_up(call, name, path, err))
        return true;
    if (err->code != ERR_NOT_FOUND)
        return false;
    look_at_disk(call, clean);
    return notes_look_up(call, name, path, err) ||
           (err->code == ERR_NOT_FOUND &&
            err_hint(err, "search_notes finds notes by parts of their names"));
}

bool notes_read(struct mcp_call *call, str name, str *path, str *text, struct err *err)
{
    struct vault_text whole;
    if (!notes_find(call, name, path, err) ||
        !vault_read(tool_vault(call), call->arena, *path, 1, 0, &whole, err))
        return false;
    *text = whole.content;
    return true;
}

const struct file *notes_lock(struct mcp_call *call, str name, const struct index **x,
                              struct err *err)
{
    str path, text;
    /* Reading the note also brings the index up to date. */
    if (!notes_read(call, name, &path, &text, err) || (*x = tool_lock(call, err)) == NULL)
        return NULL;
    const struct file *f = index_find(*x, path);
    if (f != NULL)
        return f;
    tool_unlock(call);
    err_named(err, E_FILE_NOT_FOUND, "File not found: " STR_FMT, STR_ARG(path));
    return NULL;
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

bool notes_open(struct tool_changing *c, str name, struct draft_file *out,
                struct err *err)
{
    struct vault_text ignored;
    str path;
    return notes_find(c->call, name, &path, err) &&
           draft_read(c->draft, path, out, err) &&
           vault_cut(path, out->text, 1, 0, &ignored, err);
}

static void put_warnings(struct answer_out *out, const struct changed *c)
{
    if (c->n_warnings > 0)
        jsonw_put_strs(out->w, STR("warnings"), c->warnings, c->n_warnings);
}

static void done_json(struct answer_out *out, const void *result)
{
    const struct changed *c = result;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("name"), file_title(c->path));
    jsonw_put_str(out->w, STR("path"), c->path);
    jsonw_put_bool(out->w, str_c(c->done), true);
    put_warnings(out, c);
    jsonw_end(out->w);
}

const struct answer_shape notes_done_shape = {.json = done_json};

static void counted_json(struct answer_out *out, const void *result)
{
    const struct changed *c = result;
    jsonw_object(out->w);
    jsonw_put_int(out->w, str_c(c->done), (int64_t)c->replacements);
    put_warnings(out, c);
    jsonw_end(out->w);
}

const struct answer_shape notes_counted_shape = {.json = counted_json};

/* Which other notes were changed. */
static void put_others(struct answer_out *out, const struct changed *c)
{
    const struct draft_result *r = &c->made;
    size_t n = 0;
    jsonw_put_int(out->w, STR("updated_links"), (int64_t)c->links);
    jsonw_put_array(out->w, STR("updated_notes"));
    for (size_t i = 0; i < r->n && n < NOTES_LISTED; i++)
        if (r->files[i].outcome == DRAFT_CHANGED) {
            jsonw_str(out->w, r->files[i].path);
            n++;
        }
    jsonw_end(out->w);
    jsonw_put_bool(out->w, STR("dry_run"), c->dry_run);
}

static void renamed_json(struct answer_out *out, const void *result)
{
    const struct changed *c = result;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("old_name"), file_title(c->path));
    jsonw_put_str(out->w, STR("new_name"), file_title(c->to));
    jsonw_put_str(out->w, STR("path"), c->to);
    jsonw_put_bool(out->w, STR("renamed"), !c->dry_run);
    put_others(out, c);
    jsonw_end(out->w);
}

const struct answer_shape notes_renamed_shape = {.json = renamed_json};

static void deleted_json(struct answer_out *out, const void *result)
{
    const struct changed *c = result;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("name"), file_title(c->path));
    jsonw_put_str(out->w, STR("path"), c->path);
    jsonw_put_bool(out->w, STR("deleted"), !c->dry_run);
    jsonw_put_text(out->w, STR("trash"), c->to);
    put_others(out, c);
    jsonw_end(out->w);
}

const struct answer_shape notes_deleted_shape = {.json = deleted_json};
