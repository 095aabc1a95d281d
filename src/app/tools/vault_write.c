#include "app/answers/changed.h"
#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/rows.h"
#include "base/encode.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/draft.h"
#include "vault/ops.h"
#include "vault/text/encoding.h"
#include "vault/valid.h"
#include "vault/vault.h"

enum content_encoding { CONTENT_TEXT = -1, CONTENT_BASE64 };

struct args {
    str path, content, model;
    int encoding; /* enum content_encoding; absent: text */
    bool create_dirs, overwrite, keep_properties;
    struct tool_change change;
};

static const char *const encodings[] = {[CONTENT_BASE64] = "base64", NULL};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "File, e.g. \"Projects/Plan.md\"; \"Projects/\": a folder"),
    MCP_FIELD(struct args, content, MCP_STR, MCP_REQUIRED | MCP_TERSE, "Whole new text"),
    MCP_FIELD(struct args, encoding, MCP_ENUM, 0, "Attachments", .choices = encodings),
    MCP_FIELD(struct args, overwrite, MCP_BOOL, 0, "Replace it unseen"),
    MCP_FIELD(struct args, keep_properties, MCP_BOOL, 0, "Body only"),
    MCP_FIELD_AS(struct args, model, "template", MCP_STR, 0,
                 "Name; content comes after its text"),
    MCP_FIELD(struct args, create_dirs, MCP_BOOL, MCP_UNLISTED, "Create missing folders",
              .dflt = "true"),
    TOOL_CHANGE_FIELDS(struct args),
    {0},
};

static bool vault_write_check_folder(struct mcp_call *call, const struct args *in,
                                     str path, struct err *err)
{
    struct fs_info info;
    str folder = path_folder(path);
    if (in->create_dirs || folder.n == 0 ||
        vault_stat(tool_vault(call), folder, &info, err))
        return true;
    return err_named(err, E_FILE_NOT_FOUND,
                     "no such folder '" STR_FMT "': set create_dirs, or choose another",
                     STR_ARG(folder));
}

/* --- the content --- */

/* Clients also send data: URLs, and lines. */
static str plain_base64(struct arena *a, str text)
{
    struct sbuf out = SBUF_ON(a);
    size_t comma = str_find(text, STR(";base64,"));
    if (str_starts(text, STR("data:")) && comma != STR_NONE)
        text = str_skip(text, comma + strlen(";base64,"));
    for (size_t i = 0; i < text.n; i++)
        if (!is_space(text.p[i]))
            sbuf_char(&out, text.p[i]);
    return sbuf_str(&out);
}

static bool decode_content(struct mcp_call *call, const struct args *in, str *out,
                           struct err *err)
{
    const int64_t mib = 1 << 20, max = app_of(call)->settings.attachment_max;
    *out = in->content;
    if (in->encoding == CONTENT_TEXT)
        return true;
    if (!decode_base64(call->arena, plain_base64(call->arena, in->content), out))
        return err_named(err, E_INVALID_ARGUMENT,
                         "content is not base64 (RFC 4648, padded): encode it again");
    return (int64_t)out->n <= max * mib ||
           err_named(err, E_FILE_TOO_LARGE,
                     "the attachment has %zu bytes, more than the %lld MiB that "
                     "--attachment-max allows",
                     out->n, (long long)max);
}

/* The text of a picture or the like is probably its base64. */
static bool check_encoding(struct mcp_call *call, const struct args *in, str path,
                           str text, struct err *err)
{
    struct err why;
    return in->encoding != CONTENT_TEXT ||
           valid_check(call->arena, path, text, &why) != VALID_MEDIA ||
           err_named(err, E_INVALID_CONTENT,
                     "'" STR_FMT "' would not be valid: %s: give the bytes as base64, "
                     "with encoding base64",
                     STR_ARG(path), why.msg);
}

/* --- what would be replaced --- */

static str first_lines(struct arena *a, const struct draft_file *f)
{
    enum { LINES = 5, SHOWN = 400 };
    if (f->encoding == ENCODING_NONE)
        return STR("");
    str start = str_slice(f->text, 0, 2 * SHOWN);
    str text = encoding_convert(a, start, encoding_of(start));
    size_t end = 0;
    for (int i = 0; i < LINES && end < text.n; i++)
        end = text_next_line(text, end);
    return utf8_cut(text, end < SHOWN ? end : SHOWN);
}

/* Refuse, and show what is there, so that the next call can be right. */
static bool refuse_unseen(struct mcp_call *call, const struct draft_file *old,
                          struct err *err)
{
    struct arena *a = call->arena;
    str etag = draft_etag(a, old->hash), start = first_lines(a, old);
    call->why = arena_printf(
        a,
        "'" STR_FMT "' exists (%zu bytes, etag " STR_FMT
        "), nothing was written: %sreplace all of it with that etag as if_match, or with "
        "overwrite: true%s" STR_FMT,
        STR_ARG(old->path), old->size, STR_ARG(etag),
        tool_has(call, "vault_edit") ? "change a part with vault_edit, or " : "",
        start.n > 0 ? ". It begins:\n" : "", STR_ARG(start));
    return err_named(err, E_FILE_EXISTS, "'" STR_FMT "' exists: give if_match",
                     STR_ARG(old->path));
}

static bool refuse_encoding(const struct draft_file *old, struct err *err)
{
    return err_named(err, E_NOT_TEXT,
                     "'" STR_FMT
                     "' is %s, nothing was written: to replace it with UTF-8, "
                     "set overwrite; bytes that are not valid there are lost",
                     STR_ARG(old->path), encoding_name(old->encoding));
}

static bool may_replace(struct tool_changing *c, const struct args *in, str path,
                        str text, struct err *err)
{
    enum ops_replaces what;
    struct draft_file old;
    if (!vault_may_write(tool_vault(c->call), path, err) || !tool_match(c, path, err) ||
        !ops_replaces(c->draft, path, text, &what, &old, err))
        return false;
    if (in->overwrite || what == OPS_NOTHING)
        return true;
    if (in->change.if_match.n == 0)
        return refuse_unseen(c->call, &old, err);
    return what == OPS_TEXT || refuse_encoding(&old, err);
}

static bool vault_write_steps(struct tool_changing *c, struct err *err)
{
    struct arena *a = c->call->arena;
    const struct args *in = c->call->args;
    struct ops_text request = {.model = in->model,
                               .keep_properties = in->keep_properties};
    struct draft_file old;
    struct err ignored;
    str path, text, warning;
    bool added;
    if (str_ends(in->path, STR("/")))
        return changed_make_folder(&c->out, c->draft, in->path, in->content, err);
    if (!decode_content(c->call, in, &request.content, err) ||
        !ops_write_path(c->draft, in->path, &path, &added, err) ||
        !vault_write_check_folder(c->call, in, path, err) ||
        !ops_text(c->draft, &request, path, &text, &warning, err) ||
        !check_encoding(c->call, in, path, text, err) ||
        !may_replace(c, in, path, text, err))
        return false;
    bool had = draft_exists(c->draft, path) && draft_read(c->draft, path, &old, &ignored);
    if (!changed_write(&c->out, c->draft, path, text, DRAFT_OVERWRITE, err))
        return false;
    if (had)
        tool_warn_lost(c, path, old.text);
    if (in->model.n > 0)
        changed_show_all(&c->out);
    if (!c->out.is_done)
        c->question =
            arena_printf(a, "Replace the text of '" STR_FMT "'?", STR_ARG(path));
    if (added)
        changed_warn(
            &c->out,
            arena_printf(a, "'.md' was added: the note is '" STR_FMT "'", STR_ARG(path)));
    if (warning.n > 0)
        changed_warn(&c->out, warning);
    return true;
}

const struct mcp_tool tool_vault_write = {
    .name = "vault_write",
    .title = "Write",
    .about = "Create a file, or replace all of it (if_match). For a part: vault_edit, "
             "vault_insert, vault_frontmatter.",
    .flags = MCP_DESTRUCTIVE | MCP_IDEMPOTENT,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.steps = vault_write_steps, .tags = true,
                 .change = offsetof(struct args, change)),
};
